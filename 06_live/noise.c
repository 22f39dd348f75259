/* Demo 3: one kernel a hundred times by two clocks; how much faster than true the winner was measured. */
#include "live.h"
#include <math.h>
#include <stdlib.h>

enum { TIMES = 100, FINALISTS = 5, AGAIN = 5 };

static void clock_row(struct table *table, const char *name, const double *us, size_t n)
{
    struct spread s = stats_spread(us, n);
    size_t middle = n / 2;
    table_text(table, "%s", name);
    table_numbers(table, s.low, s.median, s.high, 100 * stats_deviation(us, n) / s.mean,
                  n > 1 ? 100 * (stats_median(us + middle, n - middle) / stats_median(us, middle) - 1) : NAN);
}

static void clocks(struct run *run, const char *row)
{
    double us[TIMES], wall_us[TIMES];
    size_t n = (size_t)live_watch(live_gemm, row, TIMES, us, wall_us);
    if (n == 0)
        return;
    struct table *table = table_of({ TEXT("clock", "时钟"), TABLE_TEXT }, { TEXT("least\nus", "最短\nus"), 1 },
                                   { TEXT("median\nus", "中位数\nus"), 1 }, { TEXT("most\nus", "最长\nus"), 1 },
                                   { TEXT("deviation\n%", "标准差\n%"), 1 }, { TEXT("drift\n%", "漂移\n%"), 1 });
    clock_row(table, tr("processor time", "处理器时间"), us, n);
    clock_row(table, tr("the wall's", "墙上时钟"), wall_us, n);
    report_table(run->report, table,
                 tr("The best found, %s, measured %zu times; drift: the second half's median over the first's",
                    "找到的最好 %s，实测 %zu 次；漂移：后一半的中位数比前一半多多少"),
                 row, n);
}

/* The trials of a tuning from the fastest measured on, of equals the first; each configuration once. */
static size_t finalists(const struct trace *trace, uint32_t *config, double *measured_us)
{
    uint32_t *order = xalloc(trace->count, sizeof *order);
    size_t n = 0;
    trace_order(trace, trace->count, order);
    for (; n < trace->count && n < FINALISTS && isfinite(trace->trial[order[n]].measured_us); n++) {
        config[n] = trace->trial[order[n]].config;
        measured_us[n] = trace->trial[order[n]].measured_us;
    }
    free(order);
    return n;
}

/* One strategy's first repeat: what it chose, and what it would choose after its finalists were measured again. */
static void curse_row(struct table *table, const struct experiment *e, int v)
{
    const struct tuning *t = experiment_tuning(e, 0, v, 0);
    uint32_t config[FINALISTS];
    double measured_us[FINALISTS], again_us[FINALISTS];
    size_t n = finalists(&t->trace, config, measured_us), least = 0;
    for (size_t i = 0; i < n; i++) {
        char row[LIVE_ROW];
        space_format(t->task.space, config[i], ',', row, sizeof row);
        again_us[i] = live_again_us(live_gemm, row, AGAIN);
        least = again_us[i] < again_us[least] ? i : least;
    }
    table_text(table, "%s", tr_text(e->variant[v].name));
    if (n == 0)
        table_numbers(table, NAN, NAN, NAN, NAN, NAN);
    else
        table_numbers(table, measured_us[0], again_us[0], 100 * (1 - measured_us[0] / again_us[0]), again_us[least],
                      100 * (1 - again_us[least] / again_us[0]));
}

void demo3_noise(struct run *run)
{
    const struct space *space = device_space(run->device, &run->device->workload[0]);
    if (!live_needs_gemm(run))
        return;
    const struct experiment *e = live_search(run);
    char row[LIVE_ROW];
    space_format(space, device_optimum(run->device, &run->device->workload[0]), ',', row, sizeof row);
    clocks(run, row);
    struct table *table =
        table_of({ TEXT("strategy", "策略"), TABLE_TEXT }, { TEXT("chosen,\nmeasured us", "选中的，\n实测 us"), 1 },
                 { TEXT("measured\nagain, us", "再测\nus"), 1 }, { TEXT("optimism\n%", "乐观偏差\n%"), 1 },
                 { TEXT("best of\nfinalists, us", "候选中\n最好，us"), 1 }, { TEXT("gain\n%", "改善\n%"), 1 });
    for (int v = 0; v < e->variants; v++)
        curse_row(table, e, v);
    report_table(
        run->report, table,
        tr("The winner's curse: the choice after %zu measurements, and the same measured %d times again (median); "
           "then the least of the %d fastest, all measured again",
           "赢家的诅咒：实测 %zu 次后选中的，再测 %d 次（中位数）；然后最快的 %d 个都再测，取最短的"),
        e->trials, AGAIN, FINALISTS);
    report_say(
        run->report, "%s",
        tr("Who takes the least of many measurements takes one that luck made small. What was measured again is "
           "honest as long as the machine did not change in between: a drift moves all of a column.",
           "在许多测得的数里取最小的，取到的是运气好的那个。再测的数是诚实的，前提是机器在这期间没有变：漂移会移动整列。"));
}

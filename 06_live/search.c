/* Demo 2: the lecture's tuners with 64 trials each, beside three loops, a library and the processor's peak. */
#include "live.h"
#include <math.h>
#include <stdlib.h>

enum { TRIALS = 64, BATCH = 8 };

struct search {
    struct workload workload;
    struct variant variant[PROGRAM_STRATEGIES];
    struct experiment experiment; /* its tuning NULL: not run yet */
};

const struct experiment *live_search(struct run *run)
{
    const struct options *o = run->options;
    struct search *s = run->shared ? run->shared : (run->shared = xalloc(1, sizeof *s));
    struct experiment *e = &s->experiment;
    if (e->tuning)
        return e;
    s->workload = run->device->workload[0];
    int variants = program_strategies(run, strategy_list, "random,genetic,annealing,evolution", s->variant);
    *e = program_experiment(run, "06.search", 1, &s->workload, variants, s->variant,
                            o->trials ? (size_t)o->trials : TRIALS);
    e->batch = o->batch ? (size_t)o->batch : BATCH;
    e->repeats = o->repeats ? o->repeats : 1;
    experiment_plan(e);
    program_live(run, experiment_tunings(e) * e->trials, NULL);
    experiment_run(e, program_tuning_progress, run);
    return e;
}

void live_finish(struct run *run)
{
    if (run->shared)
        experiment_free(&((struct search *)run->shared)->experiment);
    free(run->shared);
}

/* ---- what nobody tuned ---- */

enum { PEAK = 5, YARDSTICKS };
static const struct yardstick {
    const char *options, *row;
    struct text name;
} yardsticks[YARDSTICKS] = {
    { "naive --flags -O0", "0", { "three loops i j k, not optimised", "三重循环 i j k，不优化" } },
    { "naive", "0", { "three loops i j k, -O3", "三重循环 i j k，-O3" } },
    { "naive", "1", { "three loops i k j, -O3", "三重循环 i k j，-O3" } },
    { "blas", "1,0", { "OpenBLAS, one thread", "OpenBLAS，单线程" } },
    { "blas", "1,1", { "the same, told to use AVX-512", "同上，指定用 AVX-512" } },
    [PEAK] = { "peak", "1", { "arithmetic alone: the peak", "只做算术：峰值" } },
};

static double yardstick_us(const struct yardstick *yardstick)
{
    char *row = xformat("%s %s", yardstick->row, yardstick->options);
    double us = live_again_us(live_gemm, row, 3);
    free(row);
    return us;
}

static void speed_row(struct run *run, struct table *table, const char *name, double us, double best_us,
                      double peak_us)
{
    table_text(table, "%s", name);
    table_numbers(table, us, live_gflops(run, us), 100 * best_us / us, 100 * peak_us / us);
}

/* The fastest that each found, in its median repeat, beside what nobody tuned. */
static void speed_table(struct run *run, const struct experiment *e, const double *yardstick)
{
    struct table *table = table_of({ TEXT("kernel", "内核"), TABLE_TEXT }, { TEXT("time\nus", "耗时\nus"), 1 },
                                   { TEXT("speed\nGFLOP/s", "速度\nGFLOP/s"), 1 },
                                   { TEXT("of the\nbest found, %", "占找到的\n最好，%"), 1 },
                                   { TEXT("of the\npeak, %", "占峰值\n%"), 1 });
    double best_us = device_optimum_us(run->device, &run->device->workload[0]),
           peak_us = yardstick ? yardstick[PEAK] : NAN;
    for (int y = 0; yardstick && y < PEAK; y++)
        speed_row(run, table, tr_text(yardsticks[y].name), yardstick[y], best_us, peak_us);
    for (int v = 0; v < e->variants; v++)
        speed_row(run, table, tr_text(e->variant[v].name),
                  100 * best_us / experiment_share(e, 0, v, e->trials).median, best_us, peak_us);
    if (yardstick)
        speed_row(run, table, tr_text(yardsticks[PEAK].name), peak_us, best_us, peak_us);
    report_table(run->report, table,
                 tr("After %zu measurements each, as measured", "各实测 %zu 次之后（都是实测值）"), e->trials);
}

void demo2_search(struct run *run)
{
    double us[YARDSTICKS];
    for (int y = 0; live_gemm && y < YARDSTICKS; y++)
        us[y] = yardstick_us(&yardsticks[y]);
    const struct experiment *e = live_search(run);
    const struct space *space = device_space(run->device, &e->workload[0]);
    char *before =
        xformat(tr("%zu of %zu configurations are allowed; each of %d strategies measures %zu, in batches of %zu. ",
                   "允许 %zu 个配置（共 %zu 个）；%d 种策略各实测 %zu 次，每批 %zu 个。"),
                (size_t)space->legal_count, (size_t)space->size, e->variants, e->trials, e->batch);
    curves_say_legend(run->report, before, run->device, e->repeats);
    curves_show(e, 0, 8, run->report, run->figures, "live", TEXT("", ""),
                TEXT("Search on this processor, ", "在这个处理器上搜索，"));
    free(before);
    speed_table(run, e, live_gemm ? us : NULL);
    if (live_gemm)
        report_say(
            run->report, "%s",
            tr("The peak is what the compiler's own vectors reach on registers alone. OpenBLAS takes the kernels that "
               "it thinks fit this processor; one that is older than the processor takes those of another, so it "
               "is asked once more for wide vectors. -: it is not installed, or there are none.",
               "峰值是编译器的向量只在寄存器里计算能达到的速度。OpenBLAS 用它认为适合这个处理器的内核；它比处理器旧时会用别的型号的，"
               "所以再指定宽向量测一次。-：没有装，或者没有宽向量。"));
}

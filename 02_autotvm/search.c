/* Demo 1: grid, random, genetic and AutoTVM with the same number of measurements (lecture 4.6). */
#include "autotvm.h"
#include "trial_log.h"
#include <stdlib.h>

/* clang-format off */
const struct fact published_search[] = {
    { "search.grid1024_block_m", "§4.6", FACT_EXACT, { "16", "16" }, "16", "16",
      { "largest BLOCK_M, grid's first 1024", "网格前 1024 个里最大的 BLOCK_M" }, { 0 } },
    { "search.random1024_pct", "§4.6", FACT_SEARCH, { "92.8", "92.8" }, "91.0", "95.0",
      { "random after 1024, 100 repeats, %", "随机测 1024 次，100 次重复，%" }, { 0 } },
    { 0 }
};
/* clang-format on */

enum { RANDOM = 1, RANDOM_TRIALS = 1024, RANDOM_REPEATS = 100 }; /* RANDOM: the variant */

/* One tuning after another, every trial written to the log; what a resumed log holds is replayed. */
static void run_logged(struct run *run, struct experiment *e)
{
    const struct options *o = run->options;
    const struct trial_source source = { "02_autotvm", OPTIONS_VERSION, run->device->name, run->device->about,
                                         o->part[0],   o->part[1],      o->log ? o->resume : NULL };
    const char *path = o->log ? o->log : o->resume;
    struct trial_log *log = trial_log_open(path, !o->log, source, experiment_tunings(e), e->tuning);
    size_t replayed = 0, trials = 0;
    for (size_t i = 0; i < experiment_tunings(e); i++) {
        replayed += e->tuning[i].replay.count;
        trials += trial_log_runs(source, &e->tuning[i]) ? e->trials : 0;
    }
    if (o->resume)
        program_clock(run, tr("%zu of %zu trials come from %s", "%zu 次（共 %zu 次）来自 %s"), replayed,
                      trials, o->resume);
    program_live(run, trials - replayed, log);
    trial_log_run(log, program_tuning_progress, run);
    run->log = NULL;
}

/* What demo 1 tunes; demos 4 and 5 look at it again. */
struct search {
    struct workload workload[2];
    struct variant variant[PROGRAM_STRATEGIES];
    int variants;
    struct experiment experiment; /* its tuning NULL: not run yet */
};

void autotvm_prepare(struct run *run)
{
    struct search *s = run->shared = xalloc(1, sizeof *s);
    s->variants = program_strategies(run, strategy_list, "grid,random,genetic,annealing", s->variant);
}

void autotvm_finish(struct run *run)
{
    experiment_free(&((struct search *)run->shared)->experiment);
    free(run->shared);
}

const struct experiment *autotvm_search(struct run *run)
{
    const struct options *o = run->options;
    struct search *s = run->shared;
    struct experiment *e = &s->experiment;
    if (e->tuning)
        return e;
    int workloads = autotvm_shapes(run, true, s->workload);
    *e = program_experiment(run, "02.search", workloads, s->workload, s->variants, s->variant,
                            o->trials ? (size_t)o->trials : 1024);
    experiment_plan(e);
    program_live(run, experiment_tunings(e) * e->trials, NULL);
    if (o->log || o->resume)
        run_logged(run, e);
    else
        experiment_run(e, program_tuning_progress, run);
    return e;
}

/* Random search's median share after so many trials on the first shape, over enough repeats to be known: five scatter
 * more than the published value's band. The first of them are the table's. */
static double random_median(struct run *run, const struct experiment *table)
{
    struct experiment e = *table;
    e.tuning = NULL;
    e.workloads = e.variants = 1;
    e.variant = &table->variant[RANDOM];
    e.repeats = RANDOM_REPEATS;
    experiment_run(&e, program_tuning_progress, run);
    double median = experiment_share(&e, 0, 0, RANDOM_TRIALS).median;
    experiment_free(&e);
    return median;
}

/* --finalists: what is chosen at once, and what after the fastest few were measured again. */
static void finalists_table(struct run *run, const struct experiment *e)
{
    size_t finalists = (size_t)run->options->finalists;
    struct table *table =
        table_of({ TEXT("mean over the repeats", "各次重复的平均"), TABLE_TEXT },
                 { TEXT("chosen\nat once, %", "直接选\n%"), 1 }, { TEXT("measured\nagain, %", "再测后\n%"), 1 },
                 { TEXT("repeats\nbetter", "次数\n变好"), 0 }, { TEXT("\nworse", "\n变差"), 0 },
                 { TEXT("paid\nhours", "花费\n小时"), 2 });
    for (int i = 0; i < e->workloads * e->variants; i++) {
        int w = i / e->variants, v = i % e->variants;
        double at_once = 0, again = 0, better = 0, worse = 0, hours = 0;
        for (int r = 0; r < e->repeats; r++) {
            struct tuning *t = experiment_tuning(e, w, v, r);
            double seconds, before = tuning_share(t, e->trials), after = 0;
            size_t chosen = tuning_finalist(t, e->trials, finalists, &seconds);
            if (chosen < t->trace.count)
                after = 100 * t->optimum_us / tuning_true_us(t, chosen);
            at_once += before / e->repeats;
            again += after / e->repeats;
            better += after > before;
            worse += after < before;
            hours += seconds / 3600 / e->repeats;
        }
        table_text(table, "%s%s%s", tr_text(e->workload[w].name), tr(": ", "："), tr_text(e->variant[v].name));
        table_numbers(table, at_once, again, better, worse, hours);
    }
    report_table(run->report, table,
                 tr("Finalists: share of the optimum if the %zu fastest of %zu measurements are measured %d times more, "
                    "and the best mean is chosen",
                    "候选重测：%zu 个测得最快的（共测 %zu 次）各再测 %d 次，选平均最快的，达到最优的百分比"),
                 finalists, e->trials, TUNING_RETESTS);
}

/* The largest value of the first knob, which moves last, among the first n configurations in lexicographic order. */
static int largest_of_first_knob(const struct space *space, size_t n)
{
    uint32_t last = space->legal[(n < space->legal_count ? n : space->legal_count) - 1];
    return space_value(space, last, 0);
}

void demo1_search(struct run *run)
{
    const struct options *o = run->options;
    const struct experiment *e = autotvm_search(run);
    const struct space *space = device_space(run->device, &e->workload[0]);
    bool live = run->device->measure;
    if (o->part[1]) {
        report_say(run->report,
                   tr("Part %d of %d is in its log. The tables are of all: --log NEW --resume LOG,LOG,... merges the parts.",
                      "第 %d 部分（共 %d）已写进日志。表要等齐全部：--log 新文件 --resume 日志,日志,... 合并。"),
                   o->part[0], o->part[1]);
        return;
    }
    size_t some = e->trials > 4 ? e->trials / 4 : e->trials;
    curves_say_legend(run->report, "", run->device, e->repeats);
    for (int w = 0; w < e->workloads; w++)
        curves_show(e, w, 16, run->report, run->figures, "search", TEXT("", ""), TEXT("Search on ", "搜索，"));
    report_table(run->report, curves_reached_table(e), CURVES_REACHED_TITLE, tr_text(curves_goal(run->device)));
    if (o->finalists && live)
        report_say(run->report, "%s",
                   tr("--finalists is passed over: it compares true times, and here there are none.",
                      "略过 --finalists：它比较真实耗时，这里没有。"));
    else if (o->finalists)
        finalists_table(run, e);
    if (!o->strategies)
        report_say(
            run->report,
            tr("Grid goes through the space in lexicographic order: its first %zu configurations have no %s above %d. "
               "Random depends on luck. AutoTVM's first %zu are random as well, drawn anew, so up to there luck alone tells the "
               "two apart; from then on its model says what to measure: after %zu on %s it has %s%.1f %%%s, "
               "random %.1f %%.",
               "网格按字典序走：前 %zu 个配置的 %s 都不超过 %d。随机搜索靠运气。AutoTVM 的前 %zu 个也是随机的，只是另抽的，所以在那之前两者的差别全是运气；"
               "之后由模型说测哪些：测 %zu 次后在%s上它%s%.1f%%%s，随机 %.1f%%。"),
            e->trials, space->knob[0].name, largest_of_first_knob(space, e->trials), e->batch, some,
            tr_text(e->workload[0].name), live ? tr("", "达到已找到的最好的 ") : tr("", "达到最优的 "),
            experiment_share(e, 0, 3, some).median, live ? tr(" of the best found", "") : tr(" of the optimum", ""),
            experiment_share(e, 0, 1, some).median);
    if (!o->strategies && e->workloads > 1 && run->device->is_hypogpu)
        report_say(run->report, "%s",
                   tr("All search the whole space, SPLIT_K included. In 03_ansor, demo 5, AutoTVM has a template without "
                      "SPLIT_K, and there it cannot get as far on the weight gradient.",
                      "这里都在整个空间里搜，包括 SPLIT_K。03_ansor 演示 5 里 AutoTVM 用的是没有 SPLIT_K 的模板，在权重梯度上就到不了这么远。"));
    if (!live) /* there, shares are of what was measured */
        report_say(
            run->report, "%s",
            tr("A curve may fall a little: a new configuration was measured fast but is not (04_scheduler, demo 3).",
               "曲线偶尔会降一点：新测到的配置测得快、其实慢（见 04_scheduler 演示 3）。"));
    facts_number(run->facts, "search.grid1024_block_m", largest_of_first_knob(space, 1024), 0);
    if (!o->strategies && !o->shape && run->device->is_hypogpu && e->trials >= RANDOM_TRIALS)
        facts_number(run->facts, "search.random1024_pct", random_median(run, e), 1);
}

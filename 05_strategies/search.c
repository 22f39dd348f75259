/* Demos 2 and 3: random, evolution and model-guided search of the pool, at five budgets and up to a goal. */
#include "pool.h"
#include <stdlib.h>

/* clang-format off */
const struct fact published_search[] = {
    { "strategies.model32", "s2", FACT_SEARCH, { "1.00", "1.00" }, "1.0", "1.05",
      { "model-guided, 32: time / optimum", "模型引导 32 次，时间 / 最优" }, { "the script's ridge orders its own pool better than ours this one (0.88 from 32 records), so 16 guided measurements are enough there; here they come within 5 % at 64 (demo 2). On the real GPU's pool the same run is at 1.01 after 32.",
        "脚本里的岭回归给自己的候选池排序比这里准（32 条记录就有 0.88），所以模型引导的 16 次就够；这里测 64 次才进 5%（演示 2）。在真实 GPU 的候选池上，同样的运行测 32 次就到 1.01。" } },
    { "strategies.random_hits256", "s2", FACT_SEARCH, { "often fails", "常常做不到" }, "0", "18",
      { "random: of 20, within 5 % by 256", "随机：20 次里 256 次内到 5% 的" }, { 0 } },
    { 0 }
};
/* clang-format on */

enum { REPEATS = 20, TRIALS = 256, BATCH = 8, MODEL = 2, ROUGH = 3 }; /* ROUGH: the model on HypoGPU */

struct shared { /* an experiment, and what it refers to */
    struct device *smooth; /* in HypoGPU's place; NULL: the device is a recording */
    struct space *pool;
    struct workload workload;
    struct variant variants[PROGRAM_STRATEGIES];
    struct experiment e; /* its tuning NULL: not run yet */
};

/* The script's three, by the names it gives them, or those of --strategies. */
static int choose(struct run *run, struct variant *variants)
{
    static const struct text name[] = {
        { "random", "随机" },
        { "evolution of the best few", "进化搜索（变异最好的几个）" },
        { "guided by the ridge", "岭回归引导" },
    };
    const struct strategy *list[PROGRAM_STRATEGIES] = { &strategy_pool_evolution, &strategy_pool_model };
    for (int i = 0; strategy_list[i]; i++)
        list[2 + i] = strategy_list[i];
    int n = program_strategies(run, list, "random,pool-evolution,pool-model", variants);
    for (int v = 0; v < n && !run->options->strategies; v++)
        variants[v].name = name[v];
    return n;
}

const struct device *pool_device(const struct run *run)
{
    const struct shared *s = run->shared;
    return s->smooth ? s->smooth : run->device;
}

void pool_introduce(struct run *run)
{
    if (run->device->is_hypogpu)
        report_say(run->report, "%s",
                   tr("On HypoGPU without its unmodelled part: the second script has a GPU of its own, a smoother one.",
                      "GPU：去掉“未建模的扰动”的 HypoGPU；第二份脚本用的是自己的 GPU，比讲义的光滑。"));
}

bool pool_prepare(struct run *run)
{
    const struct options *o = run->options;
    struct shared *s = run->shared = xalloc(1, sizeof *s);
    s->smooth = run->device->is_hypogpu ? hypogpu_new(0) : NULL;
    s->workload = program_shape(run, "square");
    s->pool = pool_space(run->device, &s->workload);
    int n = choose(run, s->variants);
    if (s->smooth && !o->strategies) {
        s->variants[n] = s->variants[MODEL];
        s->variants[n++].name = TEXT("the same on HypoGPU", "同上，在 HypoGPU 上");
    }
    for (int v = 0; v < n; v++)
        s->variants[v].space = s->pool;
    s->e =
        program_experiment(run, "05.pool", 1, &s->workload, n, s->variants, o->trials ? (size_t)o->trials : TRIALS);
    s->e.repeats = o->repeats ? o->repeats : REPEATS;
    s->e.batch = o->batch ? (size_t)o->batch : BATCH;
    s->e.device = pool_device(run);
    return false;
}

const struct experiment *pool_experiment(struct run *run)
{
    struct shared *s = run->shared;
    if (s->e.tuning)
        return &s->e;
    experiment_plan(&s->e);
    for (int v = 0; v < s->e.variants; v++) {
        const struct device *device = v == ROUGH && !run->options->strategies ? run->device : s->e.device;
        double optimum_us = pool_optimum_us(device, &s->workload, s->pool); /* the pool's, not the whole space's */
        for (int r = 0; r < s->e.repeats; r++) {
            struct tuning *t = experiment_tuning(&s->e, 0, v, r);
            t->device = device;
            t->noise = POOL_NOISE;
            t->noise_kind = NOISE_LOG_NORMAL;
            t->optimum_us = optimum_us;
        }
    }
    program_live(run, experiment_tunings(&s->e) * s->e.trials, NULL);
    experiment_run(&s->e, program_tuning_progress, run);
    return &s->e;
}

void pool_finish(struct run *run)
{
    struct shared *s = run->shared;
    experiment_free(&s->e);
    space_free(s->pool);
    device_close(s->smooth);
    free(s);
}

/* Over the repeats: time of the chosen over the pool's optimum after n trials, at a percentile (50: median, 90: worst
 * decile). */
static double slowdown(const struct experiment *e, int v, size_t n, double percentile)
{
    double *time = xalloc((size_t)e->repeats, sizeof *time);
    for (int r = 0; r < e->repeats; r++)
        time[r] = 100 / tuning_share(experiment_tuning(e, 0, v, r), n);
    double value = stats_percentile(time, (size_t)e->repeats, percentile);
    free(time);
    return value;
}

static size_t within5(const struct device *device, const struct experiment *e)
{
    struct landscape l = landscape_new(device, e->workload, e->variant[0].space);
    size_t count = 0;
    for (uint32_t i = 0; i < l.space->legal_count; i++)
        count += landscape_slowdown(&l, l.space->legal[i]) <= 1.05;
    landscape_free(&l);
    return count;
}

static void draw(struct run *run, const struct experiment *e, int counts, const size_t *count)
{
    bool live = e->device->measure;
    struct text name = e->workload[0].name, title = {
        xformat("%s on the pool: share of %s (median; worst to best of %d)", name.en,
                live ? "the best found" : "its optimum", e->repeats),
        xformat("%s，候选池里：达到%s的百分比（中位数；%d 次里最差到最好）", name.zh, live ? "已找到的最好" : "最优", e->repeats),
    };
    curves_figure(e, 0, counts, count, run->figures, "pool_search", title);
    text_free(title);
}

/* What the strategies use, where it helped. */
static void say_ranking(struct run *run, const struct experiment *e, size_t n)
{
    double random = slowdown(e, 0, n, 50), evolution = slowdown(e, 1, n, 50), model = slowdown(e, MODEL, n, 50);
    report_say(
        run->report,
        tr("After %zu measurements random is at %.2f, evolution at %.2f, the model at %.2f.%s%s",
           "测 %zu 次后，随机是 %.2f，进化是 %.2f，模型是 %.2f。%s%s"),
        n, random, evolution, model,
        random - evolution >= 0.01
            ? tr(" Evolution uses that good ones have good neighbours.", "进化利用“好配置附近还有好配置”。")
            : "",
        random - model >= 0.01 ? tr(" The model uses the structure of the whole pool.", "模型利用整个候选池的结构。") : "");
}

void demo2_budgets(struct run *run)
{
    const struct experiment *e = pool_experiment(run);
    const struct space *s = e->variant[0].space;
    bool own = run->options->strategies; /* the reader's own choice */
    bool live = e->device->measure; /* nobody knows the whole pool */
    size_t counts[EXPERIMENT_COUNTS], good = live ? 0 : within5(e->device, e);
    int n = experiment_counts(e, 16, counts);
    struct table *table = curves_counts_table(TEXT("measurements", "实测次数"), n, counts);
    pool_introduce(run);
    for (int c = 1; c <= n; c++)
        table->column[c].decimals = 2;
    for (int v = 0; v < e->variants; v++)
        for (int worst = 0; worst < 2; worst++) {
            table_text(table, "%s", worst ? tr("  one in ten above", "  最差的 10%") : tr_text(e->variant[v].name));
            for (int c = 0; c < n; c++)
                table_number(table, slowdown(e, v, counts[c], worst ? 90 : 50));
        }
    report_table(
        run->report, table,
        live ? tr("%s on the pool: measured time of the chosen over the best found; median of %d, and the time that one in ten exceeds%s",
                  "%s，候选池里：选中配置的实测时间 / 已找到的最好；%d 次的中位数，以及最差的 10%% 的界%s")
             : tr("%s on the pool: true time of the chosen over the pool's optimum; median of %d, and the time that one in ten exceeds%s",
                  "%s，候选池里：选中配置的真实时间 / 候选池的最优；%d 次的中位数，以及最差的 10%% 的界%s"),
        tr_text(e->workload[0].name), e->repeats,
        experiment_is_exhaustive(e, 0) ? tr("; at the end all is measured", "；最后一列全部测完") : "");
    if (s->size == run->device->space->size)
        report_say(run->report, "%s",
                   tr("It has none of the knobs that make the script's pool small: here the pool is the whole space.",
                      "它没有脚本用来缩小候选池的那些旋钮：这里的候选池就是整个空间。"));
    if (!live)
        report_say(run->report,
               tr("Within 5 %% of its optimum: %zu of the pool's %u legal configurations.",
                  "候选池里离最优 5%% 以内的有 %zu 个（合法的共 %u 个）。"),
               good, e->variant[0].space->legal_count);
    if (!own)
        say_ranking(run, e, counts[n / 2]);
    if (e->variants > ROUGH && !own)
        report_say(
            run->report,
            tr("HypoGPU's pool has %zu: its unmodelled part, which no feature tells of, thins them out, and the same "
               "model needs more measurements there.",
               "HypoGPU 的候选池里只有 %zu 个：没有特征能反映的“未建模的扰动”把它们变稀了，同一个模型在那里要测更多次。"),
            within5(run->device, e));
    if (!run->options->trials && run->device->is_hypogpu) {
        if (!own)
            facts_number(run->facts, "strategies.model32", slowdown(e, MODEL, 32, 50), 3);
        facts_number(run->facts, "pool.within5", (double)good, 0);
    }
    draw(run, e, n, counts);
}

void demo3_trials(struct run *run)
{
    const struct experiment *e = pool_experiment(run);
    struct table *table = table_of({ TEXT("strategy", "策略"), TABLE_TEXT }, { TEXT("median", "中位数"), TABLE_TEXT },
                                   { TEXT("repeats that do", "做到的次数"), TABLE_TEXT },
                                   { TEXT("range of those", "它们的范围"), TABLE_TEXT });
    double *hits = xalloc((size_t)e->repeats, sizeof *hits);
    pool_introduce(run);
    for (int v = 0; v < e->variants; v++) {
        size_t n = 0;
        for (int r = 0; r < e->repeats; r++) {
            size_t reached = tuning_reached(experiment_tuning(e, 0, v, r), 100 / 1.05);
            if (reached)
                hits[n++] = (double)reached;
        }
        size_t median = experiment_reached(e, 0, v, 100 / 1.05);
        table_text(table, "%s", tr_text(e->variant[v].name));
        table_text(table, median ? "%zu" : "> %zu", median ? median : e->trials);
        table_text(table, tr("%zu of %d", "%zu / %d"), n, e->repeats);
        if (n)
            table_text(table, "%.0f..%.0f", stats_min(hits, n), stats_max(hits, n));
        else
            table_none(table);
        if (v == 0 && !run->options->trials && !run->options->strategies)
            facts_number(run->facts, "strategies.random_hits256", (double)n, 0);
    }
    report_table(run->report, table,
                 e->device->measure
                     ? tr("Measurements until the chosen one is within 5 %% of the best found, of at most %zu",
                          "选中的到已找到的最好的 5%% 以内要测几次（最多 %zu 次）")
                     : tr("Measurements until the chosen one is within 5 %% of the pool's optimum, of at most %zu",
                          "选中的到候选池最优的 5%% 以内要测几次（最多 %zu 次）"),
                 e->trials);
    free(hits);
}

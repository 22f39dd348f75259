/* Demo 5, beyond the lecture: what the model looks at, what the annealer proposes, which choices matter, and how much
 * of the last percent is structure and how much is luck. On the square, or the shape that --shape names; the last
 * table is always the square's. */
#include "autotvm.h"
#include <stdlib.h>

enum { RECORDS = 512, ROWS = 3000, TRIALS = 512, REPEATS = 5, ROWS_SHOWN = 10 };

/* ---- what the model looks at ---- */

/* Draws config [RECORDS + ROWS], fills in their features x [RECORDS + ROWS][PROGRAM_FEATURES], measures the first
 * RECORDS and fits a model to these. */
static struct gbdt *fit_model(const struct run *run, const struct workload *w, uint32_t *config, float *x)
{
    const struct space *space = run->device->space;
    struct rng rng = rng_stream(run->options->seed, "02.why", 0);
    double *time_us = xalloc(RECORDS, sizeof *time_us), *label = xalloc(RECORDS, sizeof *label);
    for (int i = 0; i < RECORDS + ROWS; i++)
        config[i] = space_random(space, &rng);
    struct measurer m = measurer_new(run->device, w, space, RECORDS, rng_next(&rng));
    for (int i = 0; i < RECORDS; i++) {
        struct measurement result;
        measurer_measure(&m, 1, &config[i], &result);
        time_us[i] = result.time_us;
    }
    features_fill(FEATURES_PROGRAM, w, space, RECORDS + ROWS, config, x);
    cost_model_labels(RECORDS, time_us, label);
    struct gbdt_settings settings = gbdt_defaults(GBDT_RANK);
    struct gbdt *model = gbdt_fit(&settings, RECORDS, PROGRAM_FEATURES, x, label, NULL, NULL);
    free(label);
    free(time_us);
    return model;
}

static void gain_table(struct run *run, const struct gbdt *model)
{
    const struct column columns[] = {
        { TEXT("program feature", "程序特征"), TABLE_TEXT },
        { TEXT("share of the gain\n%", "占增益的比例\n%"), 1 },
        { TEXT("", ""), TABLE_TEXT },
    };
    double gain[PROGRAM_FEATURES], negated[PROGRAM_FEATURES], shown[ROWS_SHOWN], total = 0;
    struct text names[ROWS_SHOWN], bar = TEXT("share of the gain, %", "占增益的 %");
    uint32_t order[PROGRAM_FEATURES];
    gbdt_gain(model, gain);
    for (int f = 0; f < PROGRAM_FEATURES; f++) {
        total += gain[f];
        negated[f] = -gain[f];
    }
    stats_order(negated, PROGRAM_FEATURES, order);
    struct table *table = table_new(3, columns);
    for (int i = 0; i < ROWS_SHOWN; i++) {
        static const char hashes[] = "########################################";
        names[i] = features_name(FEATURES_PROGRAM, run->device->space, (int)order[i]);
        shown[i] = 100 * gain[order[i]] / total;
        table_text(table, "%s", tr_text(names[i]));
        table_number(table, shown[i]);
        table_text(table, "%-40.*s", (int)(shown[i] * 0.8 + 0.5), hashes);
    }
    report_table(
        run->report,
        TEXT(
            "What a model fitted to 512 random measurements looks at: gain of all splits by feature, the first ten of 18",
            "用 512 次随机实测训练的模型在看什么：各特征上所有切分的增益，18 个里的前十个"),
        table);
    figure_stack(run->figures, "feature_gain",
                 TEXT("What the cost model looks at: gain by feature", "代价模型在看什么：各特征的增益"),
                 (struct axis){ bar, 0, shown[0] * 1.1, 0, NULL },
                 &(struct bars){ ROWS_SHOWN, 1, names, &bar, shown, 1 }, NULL);
    table_free(table);
}

static void scatter(struct run *run, const struct workload *w, const struct gbdt *model, const uint32_t *config,
                    const float *x)
{
    double *score = xalloc(ROWS, sizeof *score), *share = xalloc(ROWS, sizeof *share);
    struct landscape l = landscape_new(run->device, w, run->device->space);
    gbdt_predict(model, ROWS, x + RECORDS * PROGRAM_FEATURES, score);
    for (int i = 0; i < ROWS; i++)
        share[i] = 100 / landscape_slowdown(&l, config[RECORDS + i]);
    figure_scatter(run->figures, "predicted_true",
                   TEXT("3,000 unseen configurations: the model's score against the truth",
                        "3000 个没见过的配置：模型打分与真实快慢"),
                   (struct axis){ TEXT("model's score (rank objective: only the order counts)",
                                       "模型打分（排序目标：只看顺序）"),
                                  0, 0, 0, NULL },
                   (struct axis){ TEXT("true share of the optimum, %", "真正达到最优的 %"), 0, 100, 0, NULL },
                   &(struct series){ TEXT("configurations", "配置"), ROWS, score, share, NULL, NULL });
    landscape_free(&l);
    free(share);
    free(score);
}

/* ---- what the annealer proposes ---- */

static void proposals_table(struct run *run)
{
    static const int batches[] = { 1, 2, 4, 8 };
    const struct column columns[] = {
        { TEXT("batch of 64", "第几批，每批 64 个"), TABLE_TEXT },
        { TEXT("median\n%", "中位数\n%"), 1 },
        { TEXT("best\n%", "最好\n%"), 1 },
        { TEXT("of the batch within\n5 % of the optimum, %", "离最优 5% 以内的\n占该批的 %"), 1 },
    };
    const struct experiment *e = autotvm_search(run);
    struct table *table = table_new(4, columns);
    int annealing = 0;
    while (annealing < e->variants && e->variant[annealing].strategy != &strategy_annealing)
        annealing++;
    for (size_t i = 0; i < sizeof batches / sizeof *batches && annealing < e->variants; i++) {
        size_t first = (size_t)(batches[i] - 1) * e->batch, n = 0;
        double *share = xalloc((size_t)e->repeats * e->batch, sizeof *share), good = 0;
        for (int r = 0; r < e->repeats; r++) {
            const struct trace *trace = &experiment_tuning(e, 0, annealing, r)->trace;
            for (size_t t = first; t < first + e->batch && t < trace->count; t++) {
                share[n] = 100 * e->optimum_us[0] / trace->trial[t].true_us;
                good += share[n++] >= 100 / 1.05;
            }
        }
        if (n) {
            table_text(table, "%d", batches[i]);
            table_number(table, stats_median(share, n));
            table_number(table, stats_max(share, n));
            table_number(table, 100 * good / (double)n);
        }
        free(share);
    }
    report_table(
        run->report,
        TEXT(
            "What the annealer proposes: true share of the optimum over a whole batch (all repeats of demo 1; batch 1 is random)",
            "模拟退火提出了什么：一整批配置真正达到最优的百分比（演示 1 的所有重复；第 1 批是随机的）"),
        table);
    table_free(table);
}

/* ---- which choices matter ---- */

static void choices_table(struct run *run, const struct workload *w, int repeats)
{
    enum { CHOICES = 6 };
    struct annealing_settings s[CHOICES];
    for (int i = 0; i < CHOICES; i++)
        s[i] = annealing_defaults();
    s[1].diversity = 1;
    s[2].step = ANY_VALUE;
    s[3].model.gbdt.pairs = 1;
    s[4].model.gbdt = gbdt_defaults(GBDT_SQUARED);
    s[5].model.features = FEATURES_KNOB;
    const struct variant variants[CHOICES] = {
        { &strategy_annealing, &s[0], TEXT("demo 1's settings", "演示 1 的设置"), NULL },
        { &strategy_annealing, &s[1], TEXT("greedy batches, no diversity", "不兼顾多样性"), NULL },
        { &strategy_annealing, &s[2], TEXT("steps to any value (TVM's)", "一步可到任意值（TVM）"), NULL },
        { &strategy_annealing, &s[3], TEXT("rank with 1 pair a sample", "排序，每个样本 1 个对手"), NULL },
        { &strategy_annealing, &s[4], TEXT("squared loss", "平方损失"), NULL },
        { &strategy_annealing, &s[5], TEXT("knob features", "旋钮特征"), NULL },
    };
    struct experiment e = { .name = "02.choices",
                            .device = run->device,
                            .workloads = 1,
                            .workload = w,
                            .variants = CHOICES,
                            .variant = variants,
                            .repeats = repeats,
                            .trials = TRIALS,
                            .batch = 64,
                            .seed = run->options->seed };
    size_t counts[EXPERIMENT_COUNTS];
    experiment_plan(&e);
    experiment_run(&e, program_tuning_progress, run);
    struct table *table = curves_table(&e, 0, experiment_counts(&e, 64, counts), counts);
    report_table(
        run->report,
        TEXT("Which of AutoTVM's choices matter: share of the optimum, %, one choice changed at a time (other random "
             "numbers than in demo 1)",
             "AutoTVM 的哪些选择要紧：达到最优的 %，每次只改一处（随机数与演示 1 不同）"),
        table);
    table_free(table);
    experiment_free(&e);
}

/* ---- structure and luck ---- */

enum { PARTS = 4 };
static const double parts[PARTS] = { 0, 0.03, 0.06, HYPOGPU_UNMODELLED };

/* What the tuner reaches after each count of measurements: share of the optimum, %, over the repeats. */
struct curve {
    double median[EXPERIMENT_COUNTS], low[EXPERIMENT_COUNTS], high[EXPERIMENT_COUNTS];
};

/* AutoTVM on the square, on a GPU with so much of an unmodelled part. Fills in the counts and returns how many. */
static int tune_part(struct run *run, double part, int repeats, size_t *counts, struct curve *curve)
{
    const struct variant variant = { &strategy_annealing, NULL, TEXT("AutoTVM", "AutoTVM"), NULL };
    struct device *device = hypogpu_new(part);
    struct experiment e = { .name = "02.unmodelled",
                            .device = device,
                            .workloads = 1,
                            .workload = workload_five,
                            .variants = 1,
                            .variant = &variant,
                            .repeats = repeats,
                            .trials = TRIALS,
                            .batch = 64,
                            .seed = run->options->seed };
    experiment_plan(&e);
    experiment_run(&e, program_tuning_progress, run);
    int n = experiment_counts(&e, 64, counts);
    for (int c = 0; c < n; c++) {
        struct spread spread = experiment_share(&e, 0, 0, counts[c]);
        curve->median[c] = spread.median;
        curve->low[c] = spread.low;
        curve->high[c] = spread.high;
    }
    experiment_free(&e);
    hypogpu_free(device);
    return n;
}

static void draw_parts(struct run *run, int n, const size_t *counts, const struct curve *curve)
{
    double x[EXPERIMENT_COUNTS];
    struct series series[PARTS];
    for (int c = 0; c < n; c++)
        x[c] = (double)counts[c];
    for (int p = 0; p < PARTS; p++) {
        struct text name = { xformat("at most %.1f %%", 100 * parts[p]), xformat("至多 %.1f%%", 100 * parts[p]) };
        series[p] = (struct series){ name, (size_t)n, x, curve[p].median, curve[p].low, curve[p].high };
    }
    figure_lines(run->figures, "unmodelled",
                 TEXT("AutoTVM by the size of the unmodelled part (median, band: worst to best)",
                      "没人建模的部分大小不同时的 AutoTVM（中位数；色带：最差到最好）"),
                 (struct axis){ TEXT("measurements (log axis)", "实测次数（对数轴）"), 64, TRIALS, 2, "64,2,512" },
                 (struct axis){ TEXT("share of the optimum, %", "达到最优的 %"), 40, 100, 0, NULL }, PARTS, series);
    for (int p = 0; p < PARTS; p++) {
        free((void *)series[p].name.en);
        free((void *)series[p].name.zh);
    }
}

/* The same tuner on GPUs whose unmodelled part is 0, 3, 6 and 11.6 %: what it lacks at 0 is structure, the rest is
 * luck. */
static void unmodelled_table(struct run *run, int repeats)
{
    size_t counts[EXPERIMENT_COUNTS];
    struct curve curve[PARTS];
    int n = 0;
    for (int p = 0; p < PARTS; p++)
        n = tune_part(run, parts[p], repeats, counts, &curve[p]);
    struct table *table =
        curves_counts_table(TEXT("unmodelled part, at most", "没人建模的部分，至多"), n, counts);
    for (int p = 0; p < PARTS; p++) {
        table_text(table, tr("%.1f %%", "%.1f%%"), 100 * parts[p]);
        for (int c = 0; c < n; c++)
            table_number(table, curve[p].median[c]);
    }
    char *en = xformat(
        "Structure and luck: AutoTVM on GPUs with a smaller unmodelled part (the last is HypoGPU); share of the "
        "optimum after so many measurements, %%; median of %d",
        repeats);
    char *zh = xformat(
        "结构与运气：没人建模的部分更小的 GPU 上的 AutoTVM（最后一行是 HypoGPU）；测这么多次后达到最优的 %%；%d 次的中位数",
        repeats);
    report_table(run->report, (struct text){ en, zh }, table);
    free(zh);
    free(en);
    report_say(
        run->report,
        tr("At %d measurements the tuner lacks %.1f %% on a GPU without an unmodelled part and %.1f %% on HypoGPU. No model can learn "
           "that part, for it depends on nothing that a model is told. Repeats differ by more than these rows do: --repeats 50 shows "
           "the trend better.",
           "测 %d 次时，没有“没人建模的部分”的 GPU 上还差 %.1f%%，HypoGPU 上差 %.1f%%。那一部分任何模型都学不到，因为它与模型知道的任何东西都无关。"
           "各次重复之间的差别比这几行之间的还大：用 --repeats 50 看趋势更清楚。"),
        TRIALS, 100 - curve[0].median[n - 1], 100 - curve[PARTS - 1].median[n - 1]);
    table_free(table);
    draw_parts(run, n, counts, curve);
}

void demo5_why(struct run *run)
{
    int repeats = run->options->repeats ? run->options->repeats : REPEATS;
    const struct workload w = program_shape(run, "square");
    if (features_has_program(run->device->space)) {
        uint32_t *config = xalloc(RECORDS + ROWS, sizeof *config);
        float *x = xalloc((size_t)(RECORDS + ROWS) * PROGRAM_FEATURES, sizeof *x);
        struct gbdt *model = fit_model(run, &w, config, x);
        gain_table(run, model);
        scatter(run, &w, model, config, x);
        gbdt_free(model);
        free(x);
        free(config);
    }
    proposals_table(run);
    choices_table(run, &w, repeats);
    if (!run->recorded)
        unmodelled_table(run, repeats);
}

/* Demo 5, beyond the lecture: what the model looks at, what the annealer proposes, which choices matter, and how much
 * of what is missing is structure and how much is luck. On the square, or the shape that --shape names; the last table
 * is always the square's. */
#include "autotvm.h"
#include <stdlib.h>

/* clang-format off */
const struct fact published_why[] = {
    { "search.autotvm256_pct", "§4.6", FACT_SEARCH, { "99.7", "99.7" }, "98.7", "100",
      { "AutoTVM after 256, 50 repeats, %", "AutoTVM 测 256 次，50 次重复，%" }, { "the median of demo 5's last table. Half of the runs still sit at a neighbouring local optimum; demo 5 shows which of AutoTVM's choices move that.",
        "演示 5 最后一张表的中位数。一半的运行还停在旁边的局部最优；AutoTVM 的哪些选择会改变它，见演示 5。" } },
    { 0 }
};
/* clang-format on */

enum { RECORDS = 512, ROWS = 3000, TRIALS = 512, ROWS_SHOWN = 10 };

/* Draws config [RECORDS + ROWS], measures the first RECORDS and fits a model to these. */
static struct cost_model *fit_model(const struct run *run, const struct workload *w, uint32_t *config)
{
    const struct space *space = device_space(run->device, w);
    struct rng rng = rng_stream(run->options->seed, "02.why", 0);
    struct measurement result[RECORDS];
    struct cost_model *model = cost_model_new(&(struct task){ w, space }, NULL);
    for (int i = 0; i < RECORDS + ROWS; i++)
        config[i] = space_random(space, &rng);
    struct measurer m = measurer_new(run->device, w, space, RECORDS, rng_next(&rng));
    measurer_measure(&m, RECORDS, config, result);
    cost_model_add(model, RECORDS, config, result);
    cost_model_fit(model);
    return model;
}

static void gain_table(struct run *run, const struct workload *w, const struct gbdt *model)
{
    double gain[PROGRAM_FEATURES], negated[PROGRAM_FEATURES], shown[ROWS_SHOWN], total = 0;
    struct text names[ROWS_SHOWN], bar = TEXT("share of the gain, %", "占增益的 %");
    uint32_t order[PROGRAM_FEATURES];
    gbdt_gain(model, gain);
    for (int f = 0; f < PROGRAM_FEATURES; f++) {
        total += gain[f];
        negated[f] = -gain[f];
    }
    stats_order(negated, PROGRAM_FEATURES, order);
    struct table *table =
        table_of({ TEXT("program feature", "程序特征"), TABLE_TEXT },
                 { TEXT("share of the gain\n%", "占增益的比例\n%"), 1 }, { TEXT("", ""), TABLE_TEXT });
    for (int i = 0; i < ROWS_SHOWN; i++) {
        static const char hashes[] = "########################################";
        names[i] = features_name(FEATURES_PROGRAM, run->device->space, (int)order[i]);
        shown[i] = 100 * gain[order[i]] / total;
        table_text(table, "%s", tr_text(names[i]));
        table_number(table, shown[i]);
        table_text(table, "%-40.*s", (int)(shown[i] * 0.8 + 0.5), hashes);
    }
    report_table(
        run->report, table,
        tr("What a model fitted to 512 random measurements of %s looks at: gain of all splits by feature, the first ten of 18",
           "用%s的 512 次随机实测训练的模型在看什么：各特征上所有切分的增益，18 个里的前十个"),
        tr_text(w->name));
    figure_stack(run->figures, "feature_gain",
                 TEXT("What the cost model looks at: gain by feature", "代价模型在看什么：各特征的增益"),
                 (struct axis){ bar, 0, shown[0] * 1.1, 0, NULL },
                 &(struct bars){ ROWS_SHOWN, 1, names, &bar, shown, 1 }, NULL);
}

/* How many different tiles, BLOCK_M x BLOCK_N x BLOCK_K, there are among trials [first, end). */
static int tiles_tried(const struct tuning *t, size_t first, size_t end)
{
    const struct space *space = t->task.space;
    bool *seen = xalloc(space->size, sizeof *seen);
    int count = 0;
    for (size_t i = first; i < end && i < t->trace.count; i++) {
        uint32_t tile = t->trace.trial[i].config; /* the others at their first value: one configuration a tile */
        for (int k = NUM_WARPS; k < MATMUL_KNOBS; k++)
            tile = space_moved(space, tile, k, 0);
        count += !seen[tile];
        seen[tile] = true;
    }
    free(seen);
    return count;
}

/* Steps a batch: a longer walk ends at what the model is surest of, and that is one thing. The defaults' runs are
 * among those of tune_parts. */
static void steps_table(struct run *run, const struct workload *w, const struct experiment *parts)
{
    enum { LENGTHS = 3, REPEATS = 20, END = 256 };
    struct annealing_settings s[LENGTHS] = { annealing_defaults(), annealing_defaults(), annealing_defaults() };
    struct variant variants[LENGTHS];
    s[0].steps = 500;
    s[1].steps = 40;
    for (int i = 0; i < LENGTHS; i++)
        variants[i] = (struct variant){ .strategy = &strategy_annealing, .settings = i < LENGTHS - 1 ? &s[i] : NULL };
    struct experiment e = program_experiment(run, "02.search", 1, w, LENGTHS, variants, END);
    e.repeats = e.repeats > REPEATS ? e.repeats : REPEATS;
    e.batch = 64;
    experiment_plan(&e);
    experiment_reuse(&e, parts);
    experiment_run(&e, program_tuning_progress, run);
    struct table *table = table_of({ TEXT("annealing steps a batch", "每批退火几步"), TABLE_TEXT },
                                   { TEXT("different tiles\nin a batch of 64", "一批 64 个里\n不同的分块"), 1 },
                                   { TEXT("share after\n128, %", "测 128 次后\n%"), 1 },
                                   { TEXT("after 256\n%", "测 256 次后\n%"), 1 });
    for (int i = 0; i < LENGTHS; i++) {
        double tiles = 0;
        for (int r = 0; r < e.repeats; r++)
            for (size_t first = e.batch; first < END; first += e.batch)
                tiles += tiles_tried(experiment_tuning(&e, 0, i, r), first, first + e.batch);
        table_text(table, "%d", s[i].steps);
        double batches = e.repeats * (END / (double)e.batch - 1);
        table_numbers(table, tiles / batches, experiment_share(&e, 0, i, 128).median,
                      experiment_share(&e, 0, i, END).median);
    }
    report_table(run->report, table,
                 tr("%s: how hard to search the model. Different tiles (BLOCK_M x BLOCK_N x BLOCK_K) in each batch after "
                    "the first, mean; share of the optimum, median of %d",
                    "%s：该在模型里搜多狠。第一批之后每批里不同的分块（BLOCK_M x BLOCK_N x BLOCK_K）数，平均；达到最优的百分比，%d 次的中位数"),
                 tr_text(w->name), e.repeats);
    report_say(run->report, "%s",
               tr("Goodhart's law: once a score is the target, it is no longer a good score. What the model is surest of, "
                  "it need not be asked 64 times: a short walk brings home more kinds of good candidates.",
                  "古德哈特定律：分数一旦成了目标，就不再是好的分数。模型最有把握的东西不必问它 64 遍：走得短，带回来的好候选种类更多。"));
    experiment_free(&e);
}

/* What the model says of the rest of config, which it has not seen, beside the truth. */
static void scatter(struct run *run, const struct workload *w, struct cost_model *model, const uint32_t *config)
{
    double score[ROWS], share[ROWS];
    struct landscape l = landscape_new(run->device, w, device_space(run->device, w));
    cost_model_score(model, ROWS, config + RECORDS, score);
    for (int i = 0; i < ROWS; i++)
        share[i] = 100 / landscape_slowdown(&l, config[RECORDS + i]);
    struct text name = text_format("Spearman's ρ = %.3f", "Spearman ρ = %.3f", stats_spearman(score, share, ROWS));
    figure_scatter(run->figures, "predicted_true",
                   TEXT("3,000 unseen configurations: the model's score against the truth",
                        "3000 个没见过的配置：模型打分与真实快慢"),
                   (struct axis){ TEXT("model's score (rank objective: only the order counts)",
                                       "模型打分（排序目标：只看顺序）"),
                                  0, 0, 0, NULL },
                   (struct axis){ TEXT("true share of the optimum, %", "真正达到最优的 %"), 0, 100, 0, NULL },
                   &(struct series){ name, ROWS, score, share, NULL, NULL });
    text_free(name);
    landscape_free(&l);
}

static void proposals_table(struct run *run)
{
    static const int batches[] = { 1, 2, 4, 8 };
    const struct experiment *e = autotvm_search(run);
    struct table *table =
        table_of({ TEXT("batch", "第几批"), TABLE_TEXT }, { TEXT("median\n%", "中位数\n%"), 1 },
                 { TEXT("best\n%", "最好\n%"), 1 },
                 { TEXT("of the batch within\n5 % of the optimum, %", "离最优 5% 以内的\n占该批的 %"), 1 });
    int annealing = 0;
    while (annealing < e->variants && e->variant[annealing].strategy != &strategy_annealing)
        annealing++;
    for (size_t i = 0; i < sizeof batches / sizeof *batches && annealing < e->variants; i++) {
        size_t first = (size_t)(batches[i] - 1) * e->batch, n = 0;
        double *share = xalloc((size_t)e->repeats * e->batch, sizeof *share), good = 0;
        for (int r = 0; r < e->repeats; r++) {
            const struct tuning *tuning = experiment_tuning(e, 0, annealing, r);
            for (size_t t = first; t < first + e->batch && t < tuning->trace.count; t++) {
                share[n] = 100 * tuning->optimum_us / tuning_true_us(tuning, t);
                good += share[n++] >= 100 / 1.05;
            }
        }
        if (n) {
            table_text(table, "%d", batches[i]);
            table_numbers(table, stats_median(share, n), stats_max(share, n), 100 * good / (double)n);
        }
        free(share);
    }
    report_table(
        run->report, table,
        tr("What the annealer proposes on %s: true share of the optimum over a whole batch (all repeats of demo 1; batch 1 is random)",
           "模拟退火在%s上提出了什么：一整批配置真正达到最优的百分比（演示 1 的所有重复；第 1 批是随机的）"),
        tr_text(e->workload[0].name));
}

static void choices_table(struct run *run, const struct workload *w)
{
    enum { CHOICES = 7 };
    struct annealing_settings s[CHOICES - 1];
    for (int i = 0; i < CHOICES - 1; i++)
        s[i] = annealing_defaults();
    s[0].diversity = 1;
    s[1].step = ANY_VALUE;
    s[2].model.gbdt.pairs = 1;
    s[3].model.gbdt = gbdt_defaults(GBDT_SQUARED);
    s[4].model.features = FEATURES_KNOB;
    s[5].steps = s[5].first_steps = 500;
    const struct variant variants[CHOICES] = {
        { &strategy_annealing, NULL, TEXT("demo 1's settings", "演示 1 的设置"), NULL },
        { &strategy_annealing, &s[0], TEXT("greedy batches, no diversity", "不兼顾多样性"), NULL },
        { &strategy_annealing, &s[1], TEXT("steps to any value (TVM's)", "一步可到任意值（TVM）"), NULL },
        { &strategy_annealing, &s[2], TEXT("rank with 1 pair a sample", "排序，每个样本 1 个对手"), NULL },
        { &strategy_annealing, &s[3], TEXT("squared loss", "平方损失"), NULL },
        { &strategy_annealing, &s[4], TEXT("knob features", "旋钮特征"), NULL },
        { &strategy_annealing, &s[5], TEXT("500 steps a batch (TVM's)", "每批走 500 步（TVM）"), NULL },
    };
    struct experiment e = program_experiment(run, "02.search", 1, w, CHOICES, variants, TRIALS);
    size_t counts[EXPERIMENT_COUNTS];
    experiment_plan(&e);
    experiment_reuse(&e, autotvm_search(run));
    experiment_run(&e, program_tuning_progress, run);
    report_table(
        run->report, curves_table(&e, 0, experiment_counts(&e, 64, counts), counts),
        tr("Which of AutoTVM's choices matter on %s: share of the optimum, %%, one choice changed at a time (first row: "
           "demo 1's runs)",
           "AutoTVM 的哪些选择在%s上重要：达到最优的 %%，每次只改一处（第一行是演示 1 的运行）"),
        tr_text(w->name));
    experiment_free(&e);
}

enum { SMOOTH, ROUGH, PARTS, PART_REPEATS = 50, PART_TRIALS = 256 };

static void show_parts(struct run *run, const struct experiment *e)
{
    size_t counts[EXPERIMENT_COUNTS];
    int n = experiment_counts(e, 64, counts);
    struct spread end[PARTS];
    for (int p = 0; p < PARTS; p++)
        end[p] = experiment_share(e, 0, p, e->trials);
    report_table(
        run->report, curves_table(e, 0, n, counts),
        tr("Structure and luck: AutoTVM on %s, on a GPU without an unmodelled part and on HypoGPU; share of the optimum, %%; "
           "median of %d",
           "结构与运气：没有“未建模的扰动”的 GPU 和 HypoGPU 上的 AutoTVM，%s；达到最优的 %%；%d 次的中位数"),
        tr_text(e->workload[0].name), e->repeats);
    report_say(
        run->report,
        tr("At %zu measurements half of the runs lack %.1f %% or more on a GPU without an unmodelled part, %.1f %% or more on "
           "HypoGPU. No model can learn that part, for it depends on nothing that a model is told.",
           "测 %zu 次时，没有“未建模的扰动”的 GPU 上有一半的运行还差 %.1f%% 以上，HypoGPU 上差 %.1f%% 以上。那一部分任何模型都学不到，因为它与模型知道的任何东西都无关。"),
        e->trials, 100 - end[0].median, 100 - end[1].median);
    facts_number(run->facts, "search.autotvm256_pct", end[1].median, 1);
    curves_figure(e, 0, n, counts, run->figures, "unmodelled",
                  TEXT("AutoTVM with and without an unmodelled part (median, band: worst to best)",
                       "有和没有未建模的扰动时的 AutoTVM（中位数；色带：最差到最好）"));
}

/* AutoTVM on the square, often enough for its median to be known: what it lacks on a GPU without an unmodelled part is
 * structure, the rest is luck. HypoGPU's first repeats are demo 1's. */
static struct experiment tune_parts(struct run *run, const struct device *smooth)
{
    static const struct variant variant[PARTS] = {
        [SMOOTH] = { .strategy = &strategy_annealing, .name = { "no unmodelled part", "没有扰动" } },
        [ROUGH] = { .strategy = &strategy_annealing, .name = { "HypoGPU: at most 11.6 %", "HypoGPU：至多 11.6%" } },
    };
    struct experiment e = program_experiment(run, "02.search", 1, workload_five, PARTS, variant, PART_TRIALS);
    e.repeats = run->options->repeats ? run->options->repeats : PART_REPEATS;
    experiment_plan(&e);
    for (int r = 0; r < e.repeats; r++) {
        experiment_tuning(&e, 0, SMOOTH, r)->device = smooth;
        experiment_tuning(&e, 0, SMOOTH, r)->optimum_us = 0; /* its own, to be looked for */
    }
    experiment_reuse(&e, autotvm_search(run));
    experiment_run(&e, program_tuning_progress, run);
    return e;
}

void demo5_why(struct run *run)
{
    const struct workload w = program_shape(run, "square");
    struct device *smooth = run->device->is_hypogpu ? hypogpu_new(0) : NULL;
    struct experiment parts = { 0 };
    if (features_has_program(run->device->space)) {
        uint32_t config[RECORDS + ROWS];
        struct cost_model *model = fit_model(run, &w, config);
        gain_table(run, &w, cost_model_local(model));
        scatter(run, &w, model, config);
        cost_model_free(model);
    }
    proposals_table(run);
    choices_table(run, &w);
    if (smooth)
        parts = tune_parts(run, smooth);
    if (features_has_program(run->device->space))
        steps_table(run, &w, &parts);
    if (smooth) {
        show_parts(run, &parts);
        experiment_free(&parts);
        device_close(smooth);
    }
}

/* Demo 3: a global model from four other shapes (lecture 4.7), and TVM's decaying trust in it. */
#include "autotvm.h"
#include <stdlib.h>

/* clang-format off */
const struct fact published_transfer[] = {
    { "transfer.qkv_first16_pct", "§4.7", FACT_SEARCH, { "100", "100" }, "99.0", "100",
      { "QKV, first 16 with transfer, %", "QKV，迁移后第一批 16 个，%" }, { "not luck: it is below the band over 40 repeats, too (--repeats 40). The global model points at the optimum's neighbours, and noise of 1.5 % decides among them.",
        "不是运气：重复 40 次（--repeats 40）也在范围之下。全局模型指向最优配置的邻居，在它们之间由 1.5% 的噪声决定。" } },
    { "transfer.qkv_knobs_first16_pct", "§4.7", FACT_SEARCH, { "28.6", "28.6" }, "15", "45",
      { "the same with knob features, %", "同上，用旋钮特征，%" }, { 0 } },
    { "transfer.wgrad_first64_gain", "§4.7", FACT_SEARCH, { "negative", "负" }, "-100", "0",
      { "wgrad at 64: transfer - none, points", "权重梯度 64 次：迁移减不迁移，百分点" }, { 0 } },
    { "transfer.wgrad_256_gain", "§4.7", FACT_SEARCH, { "positive", "正" }, "0", "100",
      { "wgrad at 256: transfer - none, points", "权重梯度 256 次：迁移减不迁移，百分点" }, { "five repeats scatter, but over 40 (--repeats 40) it is negative, too. The harm is as published, but on this terrain it takes longer than 256 to wear off.",
        "五次重复很分散，但重复 40 次（--repeats 40）也是负的。拖后腿和讲义一样，只是在这个地形上要超过 256 次才消退。" } },
    { "transfer.sources_split_k", "§4.7", FACT_MODEL, { "1", "1" }, "1", "1",
      { "largest SPLIT_K of sources' optima", "4 个源形状最优里最大的 SPLIT_K" }, { 0 } },
    { "transfer.ffn_down_split_k", "§4.7", FACT_MODEL, { "more than 1", "大于 1" }, "2", "32",
      { "SPLIT_K of FFN down's optimum", "FFN 下投影最优的 SPLIT_K" }, { 0 } },
    { 0 }
};
/* clang-format on */

enum { SOURCES = 4, TARGETS = 3, VARIANTS = 4, SOURCE_TRIALS = 512, TRIALS = 256, BATCH = 16 };
enum { NONE, PROGRAM, KNOBS, DECAY }; /* the variants */

/* The settings of one repeat: its sources' traces train its global models. */
typedef struct annealing_settings settings[VARIANTS];

static void train(settings of, const struct experiment *sources, int r)
{
    for (int v = 0; v < VARIANTS; v++)
        of[v] = annealing_defaults();
    of[KNOBS].model.features = FEATURES_KNOB;
    of[DECAY].model.transfer = TRANSFER_DECAY;
    of[KNOBS].model.global = experiment_global(sources, 0, r, &of[KNOBS].model);
    of[PROGRAM].model.global = experiment_global(sources, 0, r, &of[PROGRAM].model);
    of[DECAY].model.global = of[PROGRAM].model.global;
}

static double gain(const struct experiment *e, int w, int v, size_t n)
{
    return experiment_share(e, w, v, n).median - experiment_share(e, w, NONE, n).median;
}

static int split_k(const struct run *run, const struct workload *w)
{
    return space_value(run->device->space, device_optimum(run->device, w), SPLIT_K);
}

/* The lecture's explanation: what the sources never needed, the global model never learnt. */
static void split_k_table(struct run *run, const struct workload *sources, const struct workload *targets)
{
    struct table *table = table_of({ TEXT("shape", "形状"), TABLE_TEXT }, { TEXT("role", "角色"), TABLE_TEXT },
                                   { TEXT("SPLIT_K of its optimum", "最优配置的 SPLIT_K"), 0 });
    int largest = 0;
    for (int i = 0; i < SOURCES + TARGETS; i++) {
        const struct workload *w = i < SOURCES ? &sources[i] : &targets[i - SOURCES];
        int split = split_k(run, w);
        largest = i < SOURCES && split > largest ? split : largest;
        table_text(table, "%s", tr_text(w->name));
        table_text(table, "%s", i < SOURCES ? tr("source", "源") : tr("target", "目标"));
        table_number(table, split);
    }
    report_table(run->report, table, NULL);
    facts_number(run->facts, "transfer.sources_split_k", largest, 0);
    facts_number(run->facts, "transfer.ffn_down_split_k", split_k(run, &targets[1]), 0);
}

static void say_gains(struct run *run, const struct experiment *e)
{
    size_t early = e->trials < 64 ? e->trials : 64, late = e->trials;
    double sum = gain(e, 2, PROGRAM, late), decay = gain(e, 2, DECAY, late);
    report_say(
        run->report,
        tr("Transfer is as good as the sources are like the target. Prefill QKV is like FFN up and the square; the weight gradient's optimum "
           "takes SPLIT_K, and the table shows whether any source's does. There, in points over no transfer, at %zu and %zu trials: the "
           "lecture's sum %+.1f and %+.1f, with TVM's decay %+.1f and %+.1f. %s",
           "迁移的效果取决于源和目标有多像。预填充 QKV 像 FFN 上投影和方阵；权重梯度的最优配置用 SPLIT_K，源的最优用不用，看上表。在权重梯度上，测 %zu 次和 %zu 次时"
           "比不迁移多的百分点：讲义的“全局 + 本地” %+.1f 和 %+.1f，用 TVM 的衰减 %+.1f 和 %+.1f。%s"),
        early, late, gain(e, 2, PROGRAM, early), sum, gain(e, 2, DECAY, early), decay,
        sum >= 0       ? tr("In the end no harm is left.", "到最后已经没有害处。")
        : decay <= sum ? tr("The decay does not help here.", "衰减在这里没有用。")
        : decay < 0 ? tr("The decay makes the harm smaller; it does not cure it.", "衰减能减轻害处，但消除不了。")
                    : tr("The decay cures the harm.", "衰减消除了害处。"));
    if (e->trials >= 256) {
        facts_number(run->facts, "transfer.qkv_first16_pct", experiment_share(e, 0, PROGRAM, 16).median, 1);
        facts_number(run->facts, "transfer.qkv_knobs_first16_pct", experiment_share(e, 0, KNOBS, 16).median, 1);
        facts_number(run->facts, "transfer.wgrad_first64_gain", gain(e, 2, PROGRAM, 64), 1);
        facts_number(run->facts, "transfer.wgrad_256_gain", gain(e, 2, PROGRAM, 256), 1);
    }
}

/* The targets, tuned by every variant, each repeat with its own settings. */
static struct experiment tune_targets(struct run *run, const struct workload *targets, settings *each)
{
    static const struct variant variants[VARIANTS] = {
        [NONE] = { .strategy = &strategy_annealing, .name = { "no transfer", "不迁移" } },
        [PROGRAM] = { .strategy = &strategy_annealing, .name = { "program features", "程序特征" } },
        [KNOBS] = { .strategy = &strategy_annealing, .name = { "knob features", "旋钮特征" } },
        [DECAY] = { .strategy = &strategy_annealing, .name = { "program, TVM's decay", "程序特征，TVM 的衰减" } },
    };
    size_t trials = run->options->trials ? (size_t)run->options->trials : TRIALS;
    struct experiment e = program_experiment(run, "02.transfer", TARGETS, targets, VARIANTS, variants, trials);
    e.batch = run->options->batch ? (size_t)run->options->batch : BATCH;
    experiment_plan(&e);
    for (int r = 0; r < e.repeats; r++)
        for (int w = 0; w < TARGETS; w++)
            for (int v = 0; v < VARIANTS; v++)
                experiment_tuning(&e, w, v, r)->settings = &each[r][v];
    experiment_run(&e, program_tuning_progress, run);
    return e;
}

void demo3_transfer(struct run *run)
{
    int repeats = program_repeats(run);
    struct workload sources[SOURCES], targets[TARGETS];
    if (program_workloads(run, SOURCES, (const char *const[]){ "square", "ffn_up", "small", "decode" }, sources) <
            SOURCES ||
        program_workloads(run, TARGETS, (const char *const[]){ "prefill_qkv", "ffn_down", "wgrad" }, targets) <
            TARGETS ||
        !features_has_program(run->device->space)) {
        report_say(run->report, "%s",
                   tr("This demo needs all seven shapes of a matmul and is passed over.",
                      "这个演示需要矩阵乘法的全部七个形状，略过。"));
        return;
    }
    static const struct variant plain = { .strategy = &strategy_annealing, .name = { "AutoTVM", "AutoTVM" } };
    struct experiment learn = program_experiment(run, "02.sources", SOURCES, sources, 1, &plain, SOURCE_TRIALS);
    experiment_run(&learn, program_tuning_progress, run);
    settings *each = xalloc((size_t)repeats, sizeof *each);
#pragma omp parallel for schedule(dynamic)
    for (int r = 0; r < repeats; r++)
        train(each[r], &learn, r);
    struct experiment e = tune_targets(run, targets, each);

    report_say(
        run->report,
        tr("Four sources are tuned with %d trials each and train a global model; the targets then measure %zu at a time. Program "
           "features: the lecture's sum of that global model and a local one. Knob features: the same, but the models see the seven "
           "knobs alone. TVM's decay: the sum, but the weight of the global model halves every 64 trials.",
           "先在 4 个源形状上各测 %d 次，训练全局模型；然后目标形状每批测 %zu 个。程序特征：讲义的“全局 + 本地”。旋钮特征：同样相加，但模型只看七个旋钮。"
           "TVM 的衰减：也相加，但全局模型的权重每 64 次实测减半。"),
        SOURCE_TRIALS, e.batch);
    for (int w = 0; w < TARGETS; w++)
        curves_show(&e, w, BATCH, run->report, run->figures, "transfer", TEXT("Target ", "目标："),
                    TEXT("Transfer to ", "迁移到"), 0);
    split_k_table(run, sources, targets);
    say_gains(run, &e);
    for (int r = 0; r < repeats; r++)
        for (int v = PROGRAM; v <= KNOBS; v++)
            gbdt_free((struct gbdt *)each[r][v].model.global);
    free(each);
    experiment_free(&e);
    experiment_free(&learn);
}

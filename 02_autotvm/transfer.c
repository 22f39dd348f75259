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
      { "wgrad at 256: transfer - none, points", "权重梯度 256 次：迁移减不迁移，百分点" }, { "five repeats scatter; over 40 it is -6, and -8 with TVM's decay. The harm is as published, but on this terrain it takes longer than 256 to wear off.",
        "五次重复很分散；40 次是 -6，用 TVM 的衰减是 -8。拖后腿和讲义一样，但在这个地形上要超过 256 次才消退。" } },
    { "transfer.sources_split_k", "§4.7", FACT_MODEL, { "1", "1" }, "1", "1",
      { "largest SPLIT_K of sources' optima", "4 个源任务最优里最大的 SPLIT_K" }, { 0 } },
    { "transfer.ffn_down_split_k", "§4.7", FACT_MODEL, { "more than 1", "大于 1" }, "2", "32",
      { "SPLIT_K of FFN down's optimum", "FFN 下投影最优的 SPLIT_K" }, { 0 } },
    { 0 }
};
/* clang-format on */

enum { SOURCES = 4, TARGETS = 3, VARIANTS = 4, SOURCE_TRIALS = 512, TRIALS = 256, BATCH = 16 };
enum { NONE, PROGRAM, KNOBS, DECAY }; /* the variants */

/* The lecture's seven shapes, or what a recording has. */
struct cast {
    bool lecture; /* else its columns: shapes, or devices of which one teaches another */
    int sources, targets;
    struct workload source[SOURCES], target[TARGETS];
    bool program;                  /* there are program features; else the variant KNOBS is left out */
    int variants, which[VARIANTS]; /* the variants that there are */
};

/* The settings of one repeat: its sources' traces train its global models. */
typedef struct annealing_settings settings[VARIANTS];

static void train(settings of, const struct experiment *sources, bool program, int r)
{
    for (int v = 0; v < VARIANTS; v++)
        of[v] = annealing_defaults();
    of[KNOBS].model.features = FEATURES_KNOB;
    of[DECAY].model.transfer = TRANSFER_DECAY;
    of[KNOBS].model.global = program ? experiment_global(sources, 0, r, &of[KNOBS].model) : NULL;
    of[PROGRAM].model.global = experiment_global(sources, 0, r, &of[PROGRAM].model);
    of[DECAY].model.global = of[PROGRAM].model.global;
}

/* v: the place in the experiment of one of the variants. */
static double gain(const struct experiment *e, int w, int v, size_t n)
{
    return experiment_share(e, w, v, n).median - experiment_share(e, w, 0, n).median;
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
        sum >= 0       ? tr("In the end no harm is left.", "到最后负迁移已经消失。")
        : decay <= sum ? tr("The decay does not help here.", "衰减在这里没有用。")
        : decay < 0 ? tr("The decay makes the harm smaller; it does not cure it.", "衰减能减轻负迁移，但消除不了。")
                    : tr("The decay cures the harm.", "衰减消除了负迁移。"));
    if (e->trials >= 256) {
        facts_number(run->facts, "transfer.qkv_first16_pct", experiment_share(e, 0, PROGRAM, 16).median, 1);
        facts_number(run->facts, "transfer.qkv_knobs_first16_pct", experiment_share(e, 0, KNOBS, 16).median, 1);
        facts_number(run->facts, "transfer.wgrad_first64_gain", gain(e, 2, PROGRAM, 64), 1);
        facts_number(run->facts, "transfer.wgrad_256_gain", gain(e, 2, PROGRAM, 256), 1);
    }
}

/* Without the lecture's shapes: what transfer was worth on each target. */
static void say_columns(struct run *run, const struct experiment *e)
{
    size_t early = e->trials < 64 ? e->trials : 64, late = e->trials;
    int decay = e->variants - 1;
    for (int w = 0; w < e->workloads; w++)
        report_say(run->report,
                   tr("On %s, in points over no transfer, at %zu and %zu trials: the lecture's sum %+.1f and %+.1f, with TVM's decay "
                      "%+.1f and %+.1f.",
                      "在 %s 上，测 %zu 次和 %zu 次时比不迁移多的百分点：讲义的“全局 + 本地” %+.1f 和 %+.1f，用 TVM 的衰减 %+.1f 和 %+.1f。"),
                   tr_text(e->workload[w].name), early, late, gain(e, w, 1, early), gain(e, w, 1, late),
                   gain(e, w, decay, early), gain(e, w, decay, late));
}

/* The targets, tuned by every variant, each repeat with its own settings. */
static struct experiment tune_targets(struct run *run, const struct cast *c, struct variant *variant, settings *each)
{
    static const struct variant all[VARIANTS] = {
        [NONE] = { .strategy = &strategy_annealing, .name = { "no transfer", "不迁移" } },
        [PROGRAM] = { .strategy = &strategy_annealing, .name = { "program features", "程序特征" } },
        [KNOBS] = { .strategy = &strategy_annealing, .name = { "knob features", "旋钮特征" } },
        [DECAY] = { .strategy = &strategy_annealing, .name = { "program, TVM's decay", "程序特征，TVM 的衰减" } },
    };
    size_t trials = run->options->trials ? (size_t)run->options->trials : TRIALS;
    struct experiment e =
        program_experiment(run, "02.transfer", c->targets, c->target, c->variants, variant, trials);
    e.batch = run->options->batch ? (size_t)run->options->batch : BATCH;
    for (int v = 0; v < c->variants; v++)
        variant[v] = all[c->which[v]];
    if (!c->program) {
        variant[1].name = TEXT("the lecture's sum", "讲义的“全局 + 本地”");
        variant[2].name = TEXT("TVM's decay", "TVM 的衰减");
    }
    experiment_plan(&e);
    for (int r = 0; r < e.repeats; r++)
        for (int w = 0; w < e.workloads; w++)
            for (int v = 0; v < e.variants; v++)
                experiment_tuning(&e, w, v, r)->settings = &each[r][c->which[v]];
    experiment_run(&e, program_tuning_progress, run);
    return e;
}

/* Of a recording the last columns, a half and at most three, are taught by the first four. */
static struct cast find_cast(const struct device *device)
{
    static const char *const ids[] = { "square", "ffn_up", "small", "decode", "prefill_qkv", "ffn_down", "wgrad" };
    bool program = features_has_program(device->space);
    struct cast c = { .lecture = program, .program = program };
    int n = device->workloads;
    for (int i = 0; i < SOURCES + TARGETS && c.lecture; i++) {
        const struct workload *w = device_find(device, ids[i]);
        c.lecture = w != NULL;
        if (w)
            *(i < SOURCES ? &c.source[i] : &c.target[i - SOURCES]) = *w;
    }
    c.targets = c.lecture || n / 2 > TARGETS ? TARGETS : n / 2;
    c.sources = c.lecture || n - c.targets > SOURCES ? SOURCES : n - c.targets;
    for (int i = 0; i < c.sources && !c.lecture; i++)
        c.source[i] = device->workload[i];
    for (int i = 0; i < c.targets && !c.lecture; i++)
        c.target[i] = device->workload[n - c.targets + i];
    for (int v = 0; v < VARIANTS; v++)
        if (c.program || v != KNOBS)
            c.which[c.variants++] = v;
    return c;
}

static void say_cast(struct run *run, const struct cast *c)
{
    if (c->program)
        report_say(
            run->report,
            tr("%s tuned with %d trials each and train a global model; the targets then measure %d at a time. Program "
               "features: the lecture's sum of that global model and a local one. Knob features: the same, but the models see the seven "
               "knobs alone. TVM's decay: the sum, but the weight of the global model halves every 64 trials.",
               "先在 %s形状上各测 %d 次，训练全局模型；然后目标形状每批测 %d 个。程序特征：讲义的“全局 + 本地”。旋钮特征：同样相加，但模型只看七个旋钮。"
               "TVM 的衰减：也相加，但全局模型的权重每 64 次实测减半。"),
            c->lecture ? tr("Four sources are", "4 个源") : tr("The first columns are", "前几列的"), SOURCE_TRIALS, BATCH);
    else
        report_say(
            run->report,
            tr("Of its columns the first teach (%d), each with %d trials: they train a global model, which helps to tune the last (%d), %d at a time. "
               "The lecture's sum: of that global model and a local one; both see the knobs. TVM's decay: the sum, but the weight of "
               "the global model halves every 64 trials.",
               "先在前 %d 列上各测 %d 次，训练全局模型，再用它帮助调后 %d 列，每批测 %d 个。讲义的“全局 + 本地”：全局模型与本地模型相加，都只看旋钮。"
               "TVM 的衰减：也相加，但全局模型的权重每 64 次实测减半。"),
            c->sources, SOURCE_TRIALS, c->targets, BATCH);
}

void demo3_transfer(struct run *run)
{
    static const struct variant plain = { .strategy = &strategy_annealing, .name = { "AutoTVM", "AutoTVM" } };
    const struct cast c = find_cast(run->device);
    int repeats = program_repeats(run);
    struct variant variant[VARIANTS];
    if (c.targets == 0) {
        report_say(run->report, tr("%s has one column alone: nothing to transfer.", "%s 只有一列，无可迁移。"),
                   run->device->name);
        return;
    }
    struct experiment learn = program_experiment(run, "02.sources", c.sources, c.source, 1, &plain, SOURCE_TRIALS);
    experiment_run(&learn, program_tuning_progress, run);
    settings *each = xalloc((size_t)repeats, sizeof *each);
#pragma omp parallel for schedule(dynamic)
    for (int r = 0; r < repeats; r++)
        train(each[r], &learn, c.program, r);
    struct experiment e = tune_targets(run, &c, variant, each);

    say_cast(run, &c);
    for (int w = 0; w < c.targets; w++)
        curves_show(&e, w, BATCH, run->report, run->figures, "transfer", TEXT("Target ", "目标："),
                    TEXT("Transfer to ", "迁移到"));
    if (c.lecture) {
        split_k_table(run, c.source, c.target);
        say_gains(run, &e);
    } else {
        say_columns(run, &e);
    }
    for (int r = 0; r < repeats; r++) {
        gbdt_free((struct gbdt *)each[r][PROGRAM].model.global);
        if (c.program)
            gbdt_free((struct gbdt *)each[r][KNOBS].model.global);
    }
    free(each);
    experiment_free(&e);
    experiment_free(&learn);
}

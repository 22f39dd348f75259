/* Demo 3: a global model from four other shapes (lecture 4.7), and TVM's decaying trust in it. Demo 8, on request: the
 * same from another search space, often enough to tell. */
#include "autotvm.h"
#include <math.h>
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
    { "transfer.qkv_times_fewer", "§4.7", FACT_SEARCH, { "2-10", "2-10" }, "2", "10",
      { "QKV, trials to 95 %: none / transfer", "QKV 到 95% 的次数：不迁移 / 迁移" }, { "more than the paper's, not less: its tasks were less alike, perhaps. Knob features give 2, context features 10, program features find it among the first 16.",
        "比论文的多，不是少：也许论文里的任务没有这么像。旋钮特征是 2 倍，上下文关系特征是 10 倍，用程序特征前 16 个里就有。" } },
    { "transfer.sources_split_k", "§4.7", FACT_MODEL, { "1", "1" }, "1", "1",
      { "largest SPLIT_K of sources' optima", "4 个源任务最优里最大的 SPLIT_K" }, { 0 } },
    { "transfer.ffn_down_split_k", "§4.7", FACT_MODEL, { "more than 1", "大于 1" }, "2", "32",
      { "SPLIT_K of FFN down's optimum", "FFN 下投影最优的 SPLIT_K" }, { 0 } },
    { 0 }
};
/* clang-format on */

enum { SOURCES = 4, TARGETS = 3, SOURCE_TRIALS = 512, TRIALS = 256, BATCH = 16, REPEATS = 40 };
enum { NONE, PROGRAM, KNOBS, DECAY, CONTEXT, FIVE_PROGRAM, FIVE_CONTEXT, VARIANTS };

static const struct way {
    struct text name;
    enum features_kind features;
    enum transfer transfer;
    bool global, five; /* from whose records: the sources', in a space of five knobs */
} way[VARIANTS] = {
    [NONE] = { .name = { "no transfer", "不迁移" }, FEATURES_PROGRAM },
    [PROGRAM] = { { "program features", "程序特征" }, FEATURES_PROGRAM, TRANSFER_SUM, true, false },
    [KNOBS] = { { "knob features", "旋钮特征" }, FEATURES_KNOB, TRANSFER_SUM, true, false },
    [DECAY] = { { "program, TVM's decay", "程序特征，TVM 的衰减" }, FEATURES_PROGRAM, TRANSFER_DECAY, true, false },
    [CONTEXT] = { { "context features", "上下文关系特征" }, FEATURES_CONTEXT, TRANSFER_SUM, true, false },
    [FIVE_PROGRAM] = { { "five knobs: program", "五个旋钮：程序特征" }, FEATURES_PROGRAM, TRANSFER_SUM, true, true },
    [FIVE_CONTEXT] = { { "five knobs: context", "五个旋钮：上下文" }, FEATURES_CONTEXT, TRANSFER_SUM, true, true },
};

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

/* sources: tuned in the device's space; five: in that of five knobs, NULL: not at all. */
static settings *train(const struct cast *c, const struct experiment *sources, const struct experiment *five)
{
    int repeats = sources->repeats;
    settings *each = xalloc((size_t)repeats, sizeof *each);
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < repeats * c->variants; i++) {
        int r = i / c->variants, v = c->which[i % c->variants];
        struct cost_model_settings *model = &each[r][v].model;
        each[r][v] = annealing_defaults();
        model->features = way[v].features;
        model->transfer = way[v].transfer;
        model->global = way[v].global ? experiment_global(way[v].five ? five : sources, 0, r, model) : NULL;
    }
    return each;
}

static void forget(settings *each, int repeats)
{
    for (int r = 0; r < repeats; r++)
        for (int v = 0; v < VARIANTS; v++)
            gbdt_free((struct gbdt *)each[r][v].model.global);
    free(each);
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
        : decay <= sum ? tr("In the end the decay does not help.", "到最后衰减没有用。")
        : decay < 0 ? tr("The decay makes the harm smaller; it does not cure it.", "衰减能减轻负迁移，但消除不了。")
                    : tr("The decay cures the harm.", "衰减消除了负迁移。"));
    if (e->trials >= 256) {
        double none = (double)experiment_reached(e, 0, NONE, 95), with = (double)experiment_reached(e, 0, PROGRAM, 95);
        facts_number(run->facts, "transfer.qkv_times_fewer", none / with, 1);
        facts_number(run->facts, "transfer.qkv_first16_pct", experiment_share(e, 0, PROGRAM, 16).median, 1);
        facts_number(run->facts, "transfer.qkv_knobs_first16_pct", experiment_share(e, 0, KNOBS, 16).median, 1);
        facts_number(run->facts, "transfer.wgrad_first64_gain", gain(e, 2, PROGRAM, 64), 1);
        facts_number(run->facts, "transfer.wgrad_256_gain", gain(e, 2, PROGRAM, 256), 1);
    }
}

/* Without the lecture's shapes: what transfer was worth on each target. */
static void say_columns(struct run *run, const struct experiment *e, int decay)
{
    size_t early = e->trials < 64 ? e->trials : 64, late = e->trials;
    for (int w = 0; w < e->workloads; w++)
        report_say(run->report,
                   tr("On %s, in points over no transfer, at %zu and %zu trials: the lecture's sum %+.1f and %+.1f, with TVM's decay "
                      "%+.1f and %+.1f.",
                      "在 %s 上，测 %zu 次和 %zu 次时比不迁移多的百分点：讲义的“全局 + 本地” %+.1f 和 %+.1f，用 TVM 的衰减 %+.1f 和 %+.1f。"),
                   tr_text(e->workload[w].name), early, late, gain(e, w, 1, early), gain(e, w, 1, late),
                   gain(e, w, decay, early), gain(e, w, decay, late));
}

/* An empty table: under each target's name two columns, the second one's head beginning with '\n'. */
static struct table *pairs_table(const struct experiment *e, struct column first, struct column second)
{
    struct column column[1 + 2 * TARGETS] = { { TEXT("global model", "全局模型"), TABLE_TEXT } };
    for (int w = 0; w < e->workloads; w++) {
        struct text name = e->workload[w].name;
        column[1 + 2 * w] = (struct column){ { xformat("%s\n%s", name.en, first.head.en),
                                               xformat("%s\n%s", name.zh, first.head.zh) },
                                             first.decimals };
        column[2 + 2 * w] = second;
    }
    struct table *table = table_new(1 + 2 * e->workloads, column);
    for (int w = 0; w < e->workloads; w++)
        text_free(column[1 + 2 * w].head);
    return table;
}

/* The "2 to 10 times" of the paper. */
static void times_table(struct run *run, const struct experiment *e)
{
    struct table *table = pairs_table(e, (struct column){ TEXT("trials", "次数"), 0 },
                                      (struct column){ TEXT("\nx fewer", "\n倍数"), 1 });
    for (int v = 0; v < e->variants; v++) {
        table_text(table, "%s", tr_text(e->variant[v].name));
        for (int w = 0; w < e->workloads; w++) {
            double none = (double)experiment_reached(e, w, 0, 95), needed = (double)experiment_reached(e, w, v, 95);
            table_number(table, needed > 0 ? needed : NAN);
            table_number(table, v > 0 && none > 0 && needed > 0 ? none / needed : NAN);
        }
    }
    report_table(run->report, table,
                 tr("Measurements until the choice first reaches 95 %% of the optimum, and how many times fewer than without "
                    "transfer; median of %d (-: at least half of the repeats never do)",
                    "选中的配置第一次达到最优的 95%% 时测了几次，以及不迁移的次数是它的几倍；%d 次的中位数（-：至少一半的重复做不到）"),
                 e->repeats);
}

/* The targets, tuned by every variant, each repeat with its own settings. */
static struct experiment tune_targets(struct run *run, const struct cast *c, struct variant *variant, settings *each,
                                      int repeats)
{
    size_t trials = run->options->trials ? (size_t)run->options->trials : TRIALS;
    struct experiment e =
        program_experiment(run, "02.transfer", c->targets, c->target, c->variants, variant, trials);
    e.batch = run->options->batch ? (size_t)run->options->batch : BATCH;
    e.repeats = repeats;
    for (int v = 0; v < c->variants; v++)
        variant[v] = (struct variant){ .strategy = &strategy_annealing, .name = way[c->which[v]].name };
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
    for (int v = 0; v <= CONTEXT; v++)
        if (c.program || (v != KNOBS && v != CONTEXT))
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
               "knobs alone. TVM's decay: the sum, but the weight of the global model halves every 64 trials. Context features: the "
               "sum again; the models see no knobs and no shape, but loops, by length and bytes touched.",
               "先在 %s形状上各测 %d 次，训练全局模型；然后目标形状每批测 %d 个。程序特征：讲义的“全局 + 本地”。旋钮特征：同样相加，但模型只看七个旋钮。"
               "TVM 的衰减：也相加，但全局模型的权重每 64 次实测减半。上下文关系特征：也相加，但模型不看旋钮和形状，只看循环：循环长度与访存量。"),
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

/* The sources, tuned where `space` says. */
static struct experiment tune_sources(struct run *run, const struct cast *c, struct variant *variant, int repeats)
{
    *variant = (struct variant){ &strategy_annealing, NULL, TEXT("AutoTVM", "AutoTVM"), variant->space };
    struct experiment e = program_experiment(run, "02.sources", c->sources, c->source, 1, variant, SOURCE_TRIALS);
    e.repeats = repeats;
    experiment_run(&e, program_tuning_progress, run);
    return e;
}

void demo3_transfer(struct run *run)
{
    const struct cast c = find_cast(run->device);
    struct variant variant[VARIANTS], plain = { 0 };
    if (c.targets == 0) {
        report_say(run->report, tr("%s has one column alone: nothing to transfer.", "%s 只有一列，无可迁移。"),
                   run->device->name);
        return;
    }
    struct experiment learn = tune_sources(run, &c, &plain, program_repeats(run));
    settings *each = train(&c, &learn, NULL);
    struct experiment e = tune_targets(run, &c, variant, each, learn.repeats);

    say_cast(run, &c);
    for (int w = 0; w < c.targets; w++)
        curves_show(&e, w, BATCH, run->report, run->figures, "transfer", TEXT("Target ", "目标："),
                    TEXT("Transfer to ", "迁移到"));
    times_table(run, &e);
    if (c.lecture) {
        split_k_table(run, c.source, c.target);
        say_gains(run, &e);
    } else {
        say_columns(run, &e, c.program ? DECAY : 2);
    }
    forget(each, learn.repeats);
    experiment_free(&e);
    experiment_free(&learn);
}

static void early_table(struct run *run, const struct experiment *e)
{
    struct table *table = pairs_table(e, (struct column){ TEXT("16", "16"), 1 }, (struct column){ TEXT("\n64", "\n64"), 1 });
    for (int v = 0; v < e->variants; v++) {
        table_text(table, "%s", tr_text(e->variant[v].name));
        for (int w = 0; w < e->workloads; w++)
            table_numbers(table, experiment_share(e, w, v, 16).median, experiment_share(e, w, v, 64).median);
    }
    report_table(run->report, table,
                 tr("Share of the optimum after 16 and 64 measurements, %%; median of %d",
                    "测 16 次和 64 次后达到最优的百分比；%d 次的中位数"),
                 e->repeats);
}

void demo8_spaces(struct run *run)
{
    static const int wanted[] = { NONE, PROGRAM, CONTEXT, KNOBS, FIVE_PROGRAM, FIVE_CONTEXT }, one = 1;
    if (!program_needs_matmul(run))
        return;
    struct cast c = find_cast(run->device);
    c.variants = sizeof wanted / sizeof *wanted;
    for (int v = 0; v < c.variants; v++)
        c.which[v] = wanted[v];
    struct space *ungrouped = space_restrict(run->device->space, "GROUP_M", 1, &one);
    struct space *five = ungrouped ? space_restrict(ungrouped, "SPLIT_K", 1, &one) : NULL;
    if (!five || c.targets == 0) {
        report_say(run->report, tr("%s lacks what this needs.", "%s 缺少这里需要的东西。"), run->device->name);
        space_free(ungrouped);
        return;
    }
    struct variant variant[VARIANTS], plain = { 0 }, other = { .space = five };
    int repeats = run->options->repeats ? run->options->repeats : REPEATS;
    struct experiment learn = tune_sources(run, &c, &plain, repeats), elsewhere = tune_sources(run, &c, &other, repeats);
    settings *each = train(&c, &learn, &elsewhere);
    struct experiment e = tune_targets(run, &c, variant, each, repeats);
    report_say(
        run->report,
        tr("Demo 3, and once more with sources that were tuned by another template, a kernel with five knobs that "
           "knows neither GROUP_M nor SPLIT_K (%u legal configurations of %u). A model of its five knobs cannot be asked about "
           "seven: there is no such row. What compilers count, program and context features, both kernels have.",
           "演示 3 再做一遍，再加上用另一个模板调好的源任务：一个只有五个旋钮的内核，没有 GROUP_M 和 SPLIT_K（合法配置 %u 个，全空间 %u 个）。"
           "看五个旋钮的模型没法回答七个旋钮的问题，所以没有这一行。编译器数得出来的程序特征和上下文关系特征，两个内核都有。"),
        five->legal_count, run->device->space->legal_count);
    early_table(run, &e);
    times_table(run, &e);
    forget(each, repeats);
    experiment_free(&e);
    experiment_free(&elsewhere);
    experiment_free(&learn);
    space_free(five);
    space_free(ungrouped);
}

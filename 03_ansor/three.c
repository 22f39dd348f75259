/* Demo 5: Triton's list, AutoTVM in a hand-written space, Ansor in a derived one, on the same GPU (lecture 7). */
#include "ansor.h"
#include <math.h>
#include <stdlib.h>

/* clang-format off */
const struct fact published_three[] = {
    { "three.autotvm_wgrad_pct", "§7", FACT_SEARCH, { "56", "56" }, "55", "57.5",
      { "AutoTVM, no rfactor, wgrad, %", "AutoTVM 无 rfactor，权重梯度，%" }, { 0 } },
    { "three.autotvm_first3_min_pct", "§7", FACT_SEARCH, { "about 99", "99 左右" }, "98", "100",
      { "AutoTVM, worst of other three, %", "AutoTVM，其余三个里最差的，%" }, { 0 } },
    { "three.ansor_wgrad_pct", "§7", FACT_SEARCH, { "high", "高" }, "95", "100",
      { "Ansor, wgrad, %", "Ansor，权重梯度，%" }, { 0 } },
    { 0 }
};
/* clang-format on */

enum { SHAPES = 4, REPEATS = 3, TRIALS = 1024 };
enum { TRITON, AUTOTVM, ANSOR, TUNERS };
enum { VARIANTS = TUNERS - 1 }; /* variant v is tuner v + 1: Triton measures a list and searches nothing */

static const struct text tuners[TUNERS] = {
    { "Triton's list", "Triton 配置表" },
    { "AutoTVM", "AutoTVM" },
    { "Ansor", "Ansor" },
};

/* What came out, over the repeats. */
struct outcome {
    struct spread share[SHAPES][TUNERS]; /* of the optimum, percent; NaN where the device lacks the list */
    double hours[TUNERS];                /* simulated, of all shapes together: median */
};

/* What @triton.autotune does: measures its list, every configuration once, and keeps the fastest measured. Fills the
 * share of one shape and adds its hours. */
static void triton(const struct run *run, const struct experiment *e, int w, struct outcome *out)
{
    const struct space *space = device_space(run->device, &e->workload[w]);
    uint32_t list[TRITON_LIST];
    struct measurement result[TRITON_LIST];
    double *share = xalloc((size_t)e->repeats, sizeof *share);
    bool there = triton_list(space, list);
    for (int r = 0; r < e->repeats && there; r++) {
        struct rng rng = rng_stream(run->options->seed, "03.triton", (uint64_t)r);
        struct measurer m = measurer_new(run->device, &e->workload[w], space, TRITON_LIST, rng_next(&rng));
        int best = 0;
        measurer_measure(&m, TRITON_LIST, list, result);
        for (int i = 1; i < TRITON_LIST; i++)
            if (result[i].time_us < result[best].time_us)
                best = i;
        share[r] = 100 * experiment_tuning(e, w, 0, 0)->optimum_us /
                   device_time_us(run->device, &e->workload[w], space, list[best]);
        out->hours[TRITON] += m.seconds / 3600 / e->repeats;
    }
    const struct spread none = { NAN, NAN, NAN, NAN };
    out->share[w][TRITON] = there ? stats_spread(share, (size_t)e->repeats) : none;
    free(share);
}

static void share_table(struct run *run, const struct experiment *e, const struct outcome *out)
{
    struct column columns[SHAPES + 1] = { { TEXT("share of the optimum, %", "达到最优的 %"), TABLE_TEXT } };
    for (int w = 0; w < e->workloads; w++)
        columns[w + 1] = (struct column){ e->workload[w].name, 1 };
    struct table *table = table_new(e->workloads + 1, columns);
    for (int t = 0; t < TUNERS; t++) {
        table_text(table, "%s", tr_text(tuners[t]));
        for (int w = 0; w < e->workloads; w++) {
            const struct spread *share = out->share[w];
            table_number(table, share[t].median);
            if (share[t].median >= fmax(fmax(share[TRITON].median, share[AUTOTVM].median), share[ANSOR].median))
                table_best(table);
        }
        table_text(table, "%s", tr("  worst..best", "  最差..最好"));
        for (int w = 0; w < e->workloads; w++)
            if (isnan(out->share[w][t].median))
                table_none(table);
            else
                table_text(table, "%.1f..%.1f", out->share[w][t].low, out->share[w][t].high);
    }
    report_table(run->report, table,
                 tr("AutoTVM and Ansor measure %zu times; median of %d (*: the best of the column)",
                    "AutoTVM 和 Ansor 各测 %zu 次；%d 次运行的中位数（*：该列最好）"),
                 e->trials, e->repeats);
}

static void draw(struct run *run, const struct experiment *e, const struct outcome *out)
{
    double value[SHAPES * TUNERS], low[SHAPES * TUNERS], high[SHAPES * TUNERS];
    struct text names[SHAPES];
    for (int w = 0; w < e->workloads; w++) {
        names[w] = e->workload[w].name;
        for (int t = 0; t < TUNERS; t++) {
            value[w * TUNERS + t] = out->share[w][t].median;
            low[w * TUNERS + t] = t == TRITON ? NAN : out->share[w][t].low;
            high[w * TUNERS + t] = t == TRITON ? NAN : out->share[w][t].high;
        }
    }
    figure_bars(run->figures, "three_ways",
                TEXT("A list, a template, sketches (median; whiskers: worst to best)",
                     "三种调优：配置表、模板、草图（中位数；误差线：最差到最好）"),
                (struct axis){ TEXT("share of the optimum, %", "达到最优的 %"), 0, 120, 0, "0,20,100" },
                &(struct bars){ e->workloads, TUNERS, names, tuners, value, 1, low, high });
}

/* Those that the lecture names beside them. Nothing of them is built: in a space of seven knobs they would be one of
 * the three again. */
static void add_named(struct table *table)
{
    static const struct {
        const char *name;
        struct text from, search;
    } named[] = {
        { "MetaSchedule", { "rules, also by hand", "规则，也可手写规则" },
          { "model + evolution", "代价模型 + 进化" } },
        { "FlexTensor", { "general templates", "通用模板" }, { "annealing, Q-learning", "模拟退火、Q 学习" } },
        { "Tensor Comprehensions", { "polyhedral compiler", "多面体编译" }, { "genetic", "遗传算法" } },
    };
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        table_text(table, "%s", named[i].name);
        table_text(table, "%s", tr_text(named[i].from));
        table_text(table, "%s", tr_text(named[i].search));
        table_numbers(table, NAN, NAN, NAN);
    }
}

/* The lecture's comparison: where the space comes from, how it is searched; and what that costs and brings here. */
static void words_table(struct run *run, const struct experiment *e, const struct outcome *out)
{
    static const struct {
        struct text from, search;
    } words[TUNERS] = {
        [TRITON] = { { "a list, by hand", "手写的配置表" }, { "measure each", "逐个实测" } },
        [AUTOTVM] = { { "a template, by hand", "手写的模板" }, { "model + annealing", "代价模型 + 模拟退火" } },
        [ANSOR] = { { "rules, from the graph", "规则从计算图推出" }, { "model + evolution", "代价模型 + 进化" } },
    };
    struct table *table = table_of({ TEXT("tuner", "调优器"), TABLE_TEXT },
                                   { TEXT("the space comes from", "搜索空间从哪里来"), TABLE_TEXT },
                                   { TEXT("how it is searched", "怎样搜索"), TABLE_TEXT },
                                   { TEXT("programs\nat most", "最多几个\n程序"), 0 }, { TEXT("hours", "小时"), 2 },
                                   { TEXT("worst\nshape, %", "最差的\n形状 %"), 1 });
    double programs[TUNERS] = { [TRITON] = TRITON_LIST, [AUTOTVM] = e->variant[AUTOTVM - 1].space->legal_count };
    for (int w = 0; w < e->workloads; w++)
        programs[ANSOR] = fmax(programs[ANSOR], (double)ansor_programs(run, &e->workload[w]));
    for (int t = 0; t < TUNERS; t++) {
        double worst = INFINITY;
        for (int w = 0; w < e->workloads; w++)
            worst = fmin(worst, out->share[w][t].median);
        table_text(table, "%s", tr_text(tuners[t]));
        table_text(table, "%s", tr_text(words[t].from));
        table_text(table, "%s", tr_text(words[t].search));
        table_numbers(table, programs[t], out->hours[t], worst);
    }
    add_named(table);
    report_table(run->report, table, "%s",
                 tr("The three compared; hours: simulated, of tuning all these shapes (-: named by the lecture, not built here)",
                    "三者比较；小时：把这些形状都调一遍的模拟时间（-：讲义提到，这里没有实现）"));
}

/* ---- Ansor's table 3: how many measurements until Ansor is where AutoTVM ends ---- */

static void ratio_row(struct table *table, const char *name, double share, double autotvm, double ansor)
{
    table_text(table, "%s", name);
    table_numbers(table, share, autotvm, ansor, autotvm / ansor);
}

static void ratio_table(struct run *run, const struct experiment *e)
{
    struct table *table = table_of({ TEXT("shape", "形状"), TABLE_TEXT },
                                   { TEXT("AutoTVM's best,\n% of the optimum", "AutoTVM 的最好，\n达到最优的 %"), 1 },
                                   { TEXT("measurements\nAutoTVM", "实测次数\nAutoTVM"), 0 }, { TEXT("\nAnsor", "\nAnsor"), 0 },
                                   { TEXT("AutoTVM\n/ Ansor", "AutoTVM\n/ Ansor"), 1 });
    for (int w = 0; w < e->workloads; w++) {
        double share = experiment_share(e, w, AUTOTVM - 1, e->trials).median;
        size_t ansor = experiment_reached(e, w, ANSOR - 1, share);
        ratio_row(table, tr_text(e->workload[w].name), share,
                  (double)experiment_reached(e, w, AUTOTVM - 1, share), ansor ? (double)ansor : NAN);
    }
    ratio_row(table, tr("paper: ResNet-50", "论文：ResNet-50"), NAN, 21220, 6403);
    ratio_row(table, tr("paper: MobileNet-V2", "论文：MobileNet-V2"), NAN, 31272, 1892);
    report_table(run->report, table, "%s",
                 tr("Ansor's table 3: measurements until each first has AutoTVM's best share, median (-: half of Ansor's repeats "
                    "never do); the paper's are whole networks on an Intel CPU, batch 1",
                    "Ansor 论文的表 3：各测几次才首次达到 AutoTVM 最好的结果，中位数（-：Ansor 至少一半的重复没有达到）；论文的是整个网络，Intel CPU，batch 1"));
}

static void say_published(struct run *run, const struct outcome *out)
{
    double worst = INFINITY;
    for (int w = 0; w < 3; w++)
        worst = fmin(worst, out->share[w][AUTOTVM].median);
    report_say(
        run->report,
        tr("The list was written for large matrices. The template holds many more programs and a "
           "model to find the good ones, so AutoTVM is at %.1f %% or more on the first three shapes; but the weight "
           "gradient needs SPLIT_K, which the template leaves out, and it ends at %.1f. Ansor's rules derive that "
           "structure: %.1f. (In 02_autotvm, demo 1, AutoTVM has the whole space, SPLIT_K included, and "
           "gets there as well.) This template was made for the comparison; TVM's own has variants for small batches. "
           "The point is general: a space reaches as far as somebody wrote it.",
           "配置表是为大矩阵写的。模板空间比它大得多，又有代价模型，所以 AutoTVM 在前三个形状上都不低于 %.1f%%；但权重梯"
           "度需要模板里没有的 SPLIT_K，停在 %.1f%%。Ansor 的规则推出了这个结构：%.1f%%。（02_autotvm 演示 1 里的 AutoTVM 有整个空间，包括 SPLIT_K，也到得了。）这里的模板是为对比设计的，"
           "TVM 自己的模板里有为小 batch 写的版本。论点是一般性的：模板写到哪里，空间就到哪里。"),
        worst, out->share[3][AUTOTVM].median, out->share[3][ANSOR].median);
    facts_number(run->facts, "three.autotvm_wgrad_pct", out->share[3][AUTOTVM].median, 1);
    facts_number(run->facts, "three.autotvm_first3_min_pct", worst, 1);
    facts_number(run->facts, "three.ansor_wgrad_pct", out->share[3][ANSOR].median, 1);
}

void demo5_three_ways(struct run *run)
{
    struct workload shapes[SHAPES];
    static const char *const ids[SHAPES] = { "square", "prefill_qkv", "decode", "wgrad" };
    int count = ansor_workloads(run, SHAPES, ids, shapes);
    if (count == 0)
        return;
    struct space *template = ansor_template(run);
    const struct variant variants[VARIANTS] = {
        [AUTOTVM - 1] = { &strategy_annealing, NULL, tuners[AUTOTVM], template },
        [ANSOR - 1] = { &strategy_evolution, NULL, tuners[ANSOR], NULL },
    };
    struct experiment e = ansor_tune(run, count, shapes, VARIANTS, variants, REPEATS, TRIALS);
    struct outcome out = { 0 };
    for (int w = 0; w < count; w++) {
        triton(run, &e, w, &out);
        for (int v = 0; v < VARIANTS; v++) {
            out.share[w][v + 1] = experiment_share(&e, w, v, e.trials);
            out.hours[v + 1] += experiment_hours(&e, w, v);
        }
    }
    share_table(run, &e, &out);
    draw(run, &e, &out);
    words_table(run, &e, &out);
    ratio_table(run, &e);
    if (ansor_published(run))
        say_published(run, &out);
    experiment_free(&e);
    space_free(template);
}

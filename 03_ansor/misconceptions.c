/* Demo 7: the lecture's common misconceptions (lecture 10), each beside numbers that refute it. */
#include "ansor.h"
#include <math.h>
#include <stdlib.h>

enum { SQUARE, WGRAD }; /* the workloads of demo 4's runs */

/* A row; frees its numbers. */
static void add_row(struct table *table, struct text belief, struct text instead, char *numbers)
{
    table_text(table, "%s", tr_text(belief));
    table_text(table, "%s", tr_text(instead));
    table_text(table, "%s", numbers);
    free(numbers);
}

static void same_result(struct run *run, struct table *table)
{
    enum { PROGRAMS = 3 };
    static const int values[PROGRAMS][MATMUL_KNOBS] = { { 32, 16, 64, 1, 2, 4, 1 },
                                                        { 64, 32, 32, 2, 3, 8, 4 },
                                                        { 32, 64, 128, 4, 4, 1, 16 } };
    const struct workload w = { "same", TEXT("96x80, K 2048", "96x80，K 2048"), 96, 80, 2048 };
    struct minitriton_outcome o[PROGRAMS];
    struct rng rng = rng_stream(run->options->seed, "03.same", 0);
    minitriton_try(&w, &rng, PROGRAMS, values, o);
    add_row(table, TEXT("Tuning may change the result", "自动调优可能改变计算结果"),
            TEXT("errors of three, 1e-4 of max|C|", "三个程序的误差，1e-4 x max|C|"),
            xformat("%.2f, %.2f, %.2f", 1e4 * o[0].error, 1e4 * o[1].error, 1e4 * o[2].error));
}

static void knob_by_knob(struct run *run, struct table *table)
{
    enum { STARTS = 200 };
    const struct workload *square = workload_find("square");
    struct landscape l = landscape_new(run->device, square, run->device->space);
    struct rng rng = rng_stream(run->options->seed, "03.descents", 0);
    double slowdown[STARTS];
    for (int i = 0; i < STARTS; i++) {
        uint32_t start = l.space->legal[rng_below(&rng, l.space->legal_count)];
        slowdown[i] = landscape_slowdown(&l, landscape_descend(&l, start));
    }
    stats_sort(slowdown, STARTS);
    add_row(table, TEXT("One knob after the other will do", "一个旋钮一个旋钮地调就行"),
            TEXT("square, times slower: median, worst", "方阵：最后慢几倍，中位数、最差"),
            xformat("%.2f, %.2f", stats_median(slowdown, STARTS), slowdown[STARTS - 1]));
    landscape_free(&l);
}

static void tuned_once(struct run *run, struct table *table)
{
    double pairs[WORKLOAD_FIVE * WORKLOAD_FIVE];
    size_t n = 0;
    uint32_t best[WORKLOAD_FIVE];
    for (int i = 0; i < WORKLOAD_FIVE; i++)
        best[i] = device_optimum(run->device, &workload_five[i]);
    for (int on = 0; on < WORKLOAD_FIVE; on++)
        for (int from = 0; from < WORKLOAD_FIVE; from++)
            if (from != on)
                pairs[n++] = device_time_us(run->device, &workload_five[on], run->device->space, best[from]) /
                             device_time_us(run->device, &workload_five[on], run->device->space, best[on]);
    add_row(table, TEXT("Tuned once, good for all shapes", "调好一次，所有形状都能用"),
            TEXT("copied, times slower: median, most", "照搬别的形状的最优，慢几倍：中位数、最多"),
            xformat("%.2f, %.2f", stats_median(pairs, n), stats_max(pairs, n)));
}

/* How far a model's scores are from the throughputs, in the mean; and what it is worth to a tuner. */
static void times_needed(struct run *run, struct table *table)
{
    enum { TRAIN = 256, OTHERS = 1000 };
    const struct task task = { workload_find("square"), run->device->space };
    struct programs programs = programs_new(&task, false);
    struct unseen unseen = unseen_new(task.space);
    struct rng rng = rng_stream(run->options->seed, "03.times", 0);
    uint32_t config[TRAIN + OTHERS];
    struct measurement result[TRAIN];
    double share[OTHERS], score[OTHERS], off[2] = { 0 }, right[2], optimum = device_optimum_us(run->device, task.workload);
    programs_draw_many(&programs, &unseen, TRAIN + OTHERS, config, &rng);
    struct measurer m = measurer_new(run->device, task.workload, task.space, TRAIN, rng_next(&rng));
    measurer_measure(&m, TRAIN, config, result);
    for (int i = 0; i < OTHERS; i++)
        share[i] = optimum / device_time_us(run->device, task.workload, task.space, config[TRAIN + i]);
    for (int rank = 0; rank < 2; rank++) {
        struct cost_model_settings settings = cost_model_defaults();
        settings.gbdt = gbdt_defaults(rank ? GBDT_RANK : GBDT_SQUARED);
        struct cost_model *model = cost_model_new(&task, &settings);
        cost_model_add(model, TRAIN, config, result);
        cost_model_fit(model);
        cost_model_score(model, OTHERS, config + TRAIN, score);
        for (int i = 0; i < OTHERS; i++)
            off[rank] += fabs(score[i] - share[i]) / OTHERS;
        right[rank] = 100 * stats_pairwise_accuracy(score, share, OTHERS);
        cost_model_free(model);
    }
    add_row(table, TEXT("A model must predict times", "代价模型要准确预测耗时"),
            TEXT("error in throughput: squared, rank", "预测吞吐的误差：回归、排序"),
            xformat("%.2f, %.2f", off[0], off[1]));
    add_row(table, TEXT("", ""), TEXT("pairs in order, %: squared, rank", "顺序对的程序对 %：回归、排序"),
            xformat("%.1f, %.1f", right[0], right[1]));
    unseen_free(&unseen);
    programs_free(&programs);
}

/* AutoTVM on the weight gradient, helped by what it measured on four other shapes. */
static void transfer_helps(struct run *run, struct table *table)
{
    enum { SOURCES = 4, SOURCE_TRIALS = 256, TRIALS = 64, BATCH = 16 };
    static const char *const ids[SOURCES] = { "square", "ffn_up", "small", "decode" };
    struct variant plain = { &strategy_annealing, NULL, TEXT("AutoTVM", "AutoTVM"), NULL };
    struct workload source[SOURCES];
    for (int i = 0; i < SOURCES; i++)
        source[i] = *workload_find(ids[i]);
    struct experiment learn = program_experiment(run, "03.sources", SOURCES, source, 1, &plain, SOURCE_TRIALS);
    experiment_run(&learn, program_tuning_progress, run);
    struct experiment e = program_experiment(run, "03.transfer", 1, workload_find("wgrad"), 2,
                                             (const struct variant[]){ plain, plain }, TRIALS);
    struct annealing_settings *settings = xalloc((size_t)e.repeats, sizeof *settings);
    e.batch = BATCH;
    experiment_plan(&e);
    for (int r = 0; r < e.repeats; r++) {
        settings[r] = annealing_defaults();
        settings[r].model.global = experiment_global(&learn, 0, r, &settings[r].model);
        experiment_tuning(&e, 0, 1, r)->settings = &settings[r];
    }
    experiment_run(&e, program_tuning_progress, run);
    add_row(table, TEXT("Transfer always helps", "迁移学习总是有帮助"),
            TEXT("wgrad after 64, %: without, with", "权重梯度测 64 次，%：不迁移、迁移"),
            xformat("%.1f, %.1f", experiment_share(&e, 0, 0, TRIALS).median, experiment_share(&e, 0, 1, TRIALS).median));
    for (int r = 0; r < e.repeats; r++)
        gbdt_free((struct gbdt *)settings[r].model.global);
    free(settings);
    experiment_free(&e);
    experiment_free(&learn);
}

static void beam_is_safe(struct run *run, const struct experiment *parts, struct table *table)
{
    const struct variant variant = { &strategy_random, NULL, TEXT("random", "随机"), NULL };
    struct experiment e = ansor_tune(run, 1, &parts->workload[WGRAD], 1, &variant, parts->repeats, 256);
    struct text compared = text_format("wgrad after %zu, %%: beam, random", "权重梯度测 %zu 次，%%：束搜索、随机", e.trials);
    add_row(table, TEXT("Beam search is never below luck", "束搜索总不会比随机差"),
            compared,
            xformat("%.1f, %.1f", experiment_share(parts, WGRAD, ABLATION_BEAM, e.trials).median,
                    experiment_share(&e, 0, 0, e.trials).median));
    text_free(compared);
    experiment_free(&e);
}

/* How often a run of Ansor's, in any of the four ways, replaced its choice by a truly slower one. */
static void more_is_better(const struct experiment *parts, struct table *table)
{
    int runs = 0, worse = 0;
    double optimism = 0;
    for (size_t i = 0; i < experiment_tunings(parts); i++) {
        struct tuning *t = &parts->tuning[i];
        size_t chosen = trace_chosen(&t->trace, t->trace.count);
        double share = 0, before = 0;
        bool fell = false;
        for (size_t n = ANSOR_BATCH; n <= t->trace.count; n += ANSOR_BATCH, before = share) {
            share = tuning_share(t, n);
            fell |= share < before;
        }
        runs++;
        worse += fell;
        optimism += 100 * (1 - t->trace.trial[chosen].measured_us / tuning_true_us(t, chosen));
    }
    add_row(table, TEXT("More measurements, a better choice", "测得越多，选出来的越好"),
            TEXT("runs whose choice got slower", "选中的配置曾经变慢的运行"), xformat(tr("%d of %d", "%d / %d"), worse, runs));
    add_row(table, TEXT("", ""), TEXT("choice measured too fast by, %", "选中的配置实测偏快 %"),
            xformat("%.1f", optimism / runs));
}

static void evolution_it_is(const struct experiment *parts, struct table *table)
{
    double share[ABLATION_VARIANTS];
    for (int v = 0; v < ABLATION_VARIANTS; v++)
        share[v] = experiment_share(parts, WGRAD, v, parts->trials).median;
    add_row(table, TEXT("Ansor wins by evolution", "Ansor 好在进化搜索"),
            TEXT("wgrad, %: full, not fine-tuned", "权重梯度 %：完整、不微调"),
            xformat("%.1f, %.1f", share[ABLATION_FULL], share[ABLATION_NO_TUNING]));
    add_row(table, TEXT("", ""), TEXT("wgrad, %: without rfactor's sketch", "权重梯度 %：没有 rfactor 草图"),
            xformat("%.1f", share[ABLATION_LIMITED]));
}

void demo7_misconceptions(struct run *run)
{
    if (!program_needs_hypogpu(run))
        return;
    const struct experiment *parts = ansor_parts(run);
    struct table *table = table_of({ TEXT("what is believed", "误区"), TABLE_TEXT },
                                   { TEXT("what was computed", "算了什么"), TABLE_TEXT },
                                   { TEXT("numbers", "数字"), TABLE_TEXT });
    same_result(run, table);
    knob_by_knob(run, table);
    tuned_once(run, table);
    times_needed(run, table);
    transfer_helps(run, table);
    beam_is_safe(run, parts, table);
    more_is_better(parts, table);
    evolution_it_is(parts, table);
    report_table(run->report, table,
                 tr("Misconceptions, and numbers against them (throughput: 1 is the optimum's; wgrad, %%: share of the optimum, median "
                    "of %d)",
                    "误区和反驳它们的数（吞吐：最优的为 1；权重梯度 %%：达到最优的百分比，%d 次的中位数）"),
                 parts->repeats);
}

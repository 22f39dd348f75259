/* Demo 2, behind trees.c: how well the cost model orders configurations it has not seen: features x objective x training size
 * (lecture 4.3, 4.4). */
#include "autotvm.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
const struct fact published_quality[] = {
    { "model.program_features", "§4.3", FACT_EXACT, { "18", "18" }, "18", "18",
      { "program features", "程序特征的个数" }, { 0 } },
    { "model.rank_not_worse", "§4.4", FACT_SEARCH, { "10", "10" }, "8", "12",
      { "of 12 settings: rank not worse", "12 个设置里排序目标不差的" }, { 0 } },
    { 0 }
};
/* clang-format on */

enum { SHAPES = 2, SIZES = 3, KINDS = 2, UNSEEN = 3000, MOST_TRAIN = 1024 };
enum { RHO, RECALL, AVERAGE_RECALL, MEASURES };
enum { RANK, SQUARED, OBJECTIVES };
static const size_t sizes[SIZES] = { 64, 256, MOST_TRAIN };
static const enum gbdt_objective objectives[OBJECTIVES] = { [RANK] = GBDT_RANK, [SQUARED] = GBDT_SQUARED };

typedef double results[SHAPES][KINDS][SIZES][MEASURES][OBJECTIVES];

/* One shape and repeat: records to train on, measured through the door, and unseen configurations with their true
 * speed. */
struct split {
    struct task task;
    uint32_t *config; /* MOST_TRAIN, then UNSEEN: all different */
    struct measurement result[MOST_TRAIN];
    double truth[UNSEEN]; /* 1 / true time: higher = better */
};

/* How well models order the unseen ones that were trained on the first n records. */
static void judge(const struct split *s, enum features_kind kind, size_t n, double out[MEASURES][OBJECTIVES])
{
    for (int o = 0; o < OBJECTIVES; o++) {
        const struct cost_model_settings settings = { .features = kind, .gbdt = gbdt_defaults(objectives[o]) };
        struct cost_model *model = cost_model_new(&s->task, &settings);
        double score[UNSEEN];
        cost_model_add(model, n, s->config, s->result);
        cost_model_fit(model);
        cost_model_score(model, UNSEEN, s->config + MOST_TRAIN, score);
        out[RHO][o] = stats_spearman(score, s->truth, UNSEEN);
        out[RECALL][o] = stats_recall(score, s->truth, UNSEEN, 30, NULL);
        stats_recall(score, s->truth, UNSEEN, 64, &out[AVERAGE_RECALL][o]);
        cost_model_free(model);
    }
}

/* What is compared: a recording may lack a shape, or be of something that has no program features. */
struct scope {
    struct workload shape[SHAPES];
    int shapes, kinds;
};

/* Everything, for one repeat. */
static void judge_all(const struct run *run, const struct scope *scope, uint64_t repeat, results out)
{
    struct split s = { .config = xalloc(run->device->space->legal_count, sizeof *s.config) };
    for (int shape = 0; shape < scope->shapes; shape++) {
        const struct workload *w = &scope->shape[shape];
        const struct space *space = device_space(run->device, w);
        struct rng rng = rng_stream(run->options->seed, "02.quality", repeat);
        s.task = (struct task){ w, space };
        memcpy(s.config, space->legal, space->legal_count * sizeof *s.config);
        rng_shuffle(&rng, s.config, space->legal_count);
        struct measurer m = measurer_new(run->device, w, space, MOST_TRAIN, rng_next(&rng));
        measurer_measure(&m, MOST_TRAIN, s.config, s.result);
        for (size_t i = 0; i < UNSEEN; i++)
            s.truth[i] = 1 / device_time_us(run->device, w, space, s.config[MOST_TRAIN + i]);
        for (int kind = 0; kind < scope->kinds; kind++)
            for (int size = 0; size < SIZES; size++)
                judge(&s, (enum features_kind)kind, sizes[size], out[shape][kind][size]);
    }
    free(s.config);
}

/* In how many settings the rank objective has the better rho or an equal one; and by recall, as it is printed, who has
 * the better. */
struct settings {
    int all, rank_not_worse, squared_ahead, rank_ahead;
};

static struct settings quality_table(struct run *run, const struct scope *scope, results mean, int repeats)
{
    struct table *table =
        table_of({ TEXT("shape, features", "形状，特征"), TABLE_TEXT }, { TEXT("trained\non", "训练\n条数"), 0 },
                 { TEXT("rho\nrank", "rho\n排序"), 3 }, { TEXT("\nsquared", "\n回归"), 3 },
                 { TEXT("recall\n@30\nrank", "recall\n@30\n排序"), 2 }, { TEXT("\n\nsquared", "\n\n回归"), 2 },
                 { TEXT("average\nrecall\nrank", "平均\nrecall\n排序"), 2 }, { TEXT("\n\nsquared", "\n\n回归"), 2 });
    struct settings settings = { 0 };
    for (int i = 0; i < scope->shapes * scope->kinds * SIZES; i++) {
        int shape = i / SIZES / scope->kinds, kind = i / SIZES % scope->kinds, size = i % SIZES;
        double(*q)[OBJECTIVES] = mean[shape][kind][size];
        table_text(table, "%s%s%s", tr_text(scope->shape[shape].name), tr(", ", "，"),
                   kind == FEATURES_KNOB ? tr("knobs", "旋钮特征") : tr("program", "程序特征"));
        table_number(table, (double)sizes[size]);
        for (int o = 0; o < OBJECTIVES; o++) {
            table_number(table, q[RHO][o]);
            if (q[RHO][o] >= q[RHO][!o])
                table_best(table);
        }
        table_add(table, OBJECTIVES, q[RECALL]);
        table_add(table, OBJECTIVES, q[AVERAGE_RECALL]);
        settings.all++;
        settings.rank_not_worse += q[RHO][RANK] >= q[RHO][SQUARED];
        double more = round(100 * q[RECALL][SQUARED]) - round(100 * q[RECALL][RANK]);
        settings.squared_ahead += more > 0;
        settings.rank_ahead += more < 0;
    }
    report_table(
        run->report, table,
        tr("Order of %d configurations never seen, by models that were trained with the rank objective or with squared loss; mean "
           "of %d training sets (*: the better rho)",
           "给 %d 个没见过的配置排序，模型用排序目标或回归（平方误差）训练；%d 个训练集的平均（*：rho 较高的）"),
        UNSEEN, repeats);
    return settings;
}

static void draw(struct run *run, const struct scope *scope, results mean)
{
    for (int shape = 0; shape < scope->shapes; shape++) {
        double x[SIZES], y[KINDS][SIZES];
        for (int size = 0; size < SIZES; size++) {
            x[size] = (double)sizes[size];
            for (int kind = 0; kind < scope->kinds; kind++)
                y[kind][size] = mean[shape][kind][size][RHO][RANK];
        }
        const struct workload *w = &scope->shape[shape];
        struct text title = { xformat("Spearman's ρ on unseen configurations: %s", w->name.en),
                              xformat("在没见过的配置上的 Spearman ρ：%s", w->name.zh) };
        char *name = xformat("rho_%s", w->id);
        figure_lines(run->figures, name, title,
                     (struct axis){ TEXT("records to train on (log axis)", "训练条数（对数轴）"), 64, MOST_TRAIN, 2,
                                    "(64,128,256,512,1024)" },
                     (struct axis){ TEXT("ρ, rank objective", "ρ，排序目标"), 0.4, 1, 0, NULL }, (size_t)scope->kinds,
                     (struct series[]){ { TEXT("knobs", "旋钮特征"), SIZES, x, y[FEATURES_KNOB], NULL, NULL },
                                        { TEXT("18 program features", "18 个程序特征"), SIZES, x, y[FEATURES_PROGRAM],
                                          NULL, NULL } });
        free(name);
        text_free(title);
    }
}

/* The objectives by both measures, on the richest features. */
static void draw_objectives(struct run *run, const struct scope *scope, results mean)
{
    enum { CURVES = OBJECTIVES * SHAPES };
    static const struct text objective[OBJECTIVES] = {
        [RANK] = { "rank", "排序" }, [SQUARED] = { "squared", "回归" }
    };
    double x[SIZES], y[2][CURVES][SIZES];
    struct text name[CURVES];
    struct series series[2 * CURVES];
    int curves = OBJECTIVES * scope->shapes;
    for (int i = 0; i < curves; i++) {
        int o = i / scope->shapes, shape = i % scope->shapes;
        const struct text *w = &scope->shape[shape].name;
        name[i] =
            (struct text){ xformat("%s, %s", objective[o].en, w->en), xformat("%s，%s", objective[o].zh, w->zh) };
        for (int m = RHO; m <= RECALL; m++) {
            for (int size = 0; size < SIZES; size++) {
                x[size] = (double)sizes[size];
                y[m][i][size] = mean[shape][scope->kinds - 1][size][m][o];
            }
            series[m * curves + i] =
                (struct series){ name[i], SIZES, x, y[m][i], .dash = 1 + shape, .second = m == RECALL };
        }
    }
    figure_lines(run->figures, "objectives",
                 TEXT("Rank or squared loss: order of all, and the best 30", "排序还是回归：整体的顺序，和前 30 名"),
                 (struct axis){ TEXT("records to train on (log axis)", "训练条数（对数轴）"), 64, MOST_TRAIN, 2,
                                "(64,256,1024)" },
                 (struct axis){ TEXT("Spearman's ρ", "Spearman ρ"), 0, 1, 0, NULL, 0,
                                TEXT("recall@30", "recall@30") },
                 (size_t)(2 * curves), series);
    for (int i = 0; i < curves; i++)
        text_free(name[i]);
}

void demo2_cost_model(struct run *run)
{
    int repeats = program_repeats(run);
    const struct space *space = run->device->space;
    struct scope scope = { .kinds = features_has_program(space) ? KINDS : 1 };
    if (space->legal_count < MOST_TRAIN + UNSEEN) {
        report_say(run->report,
                   tr("%s has too few legal configurations for this: %d are needed.",
                      "%s 的合法配置太少，这里需要 %d 个。"),
                   run->device->name, MOST_TRAIN + UNSEEN);
        return;
    }
    scope.shapes = autotvm_shapes(run, false, scope.shape);
    autotvm_trees(run, &scope.shape[0]);
    results *each = xalloc((size_t)repeats, sizeof *each), mean;
    size_t done = 0;
#pragma omp parallel for schedule(dynamic)
    for (int r = 0; r < repeats; r++) {
        judge_all(run, &scope, (uint64_t)r, each[r]);
#pragma omp critical
        program_tuning_progress(run, ++done, (size_t)repeats);
    }
    stats_mean_rows((size_t)repeats, sizeof mean / sizeof(double), (double *)each, (double *)mean);
    struct settings settings = quality_table(run, &scope, mean, repeats);
    report_say(
        run->report,
        tr("rho: Spearman's rank correlation with the true order, 1 if they are the same. recall@30: the share of the true best 30 "
           "among the model's best 30; average recall, TVM's own measure: the mean of recall@1 ... @64. By rho, rank is not worse "
           "than squared in %d of the %d settings; by recall@30, squared is ahead in %d, rank in %d, and %d are ties: squared weighs the few fast ones more, rank "
           "all pairs alike. A tuner measures nothing but the model's first choices, so recall is what it needs, and order among the slow ones is "
           "nothing to it. Whether it then tunes better with squared loss, demo 5 tries.",
           "rho：与真实顺序的 Spearman 秩相关，完全一致是 1。recall@30：真正的前 30 名有多少在模型的前 30 名里；平均 recall 是 TVM 自己的指标："
           "recall@1 ... @64 的平均。按 rho，排序目标不差于回归的有 %d 个（共 %d 个设置）；按 recall@30，回归领先的有 %d 个，排序领先的有 %d 个，打平的有 %d 个：回归更看重少数快的，"
           "排序对所有的程序对一视同仁。调优器只测模型排在最前面的，所以它需要的是 recall，慢的那些怎么排与它无关。用回归是否真的调得更好，演示 5 试了。"),
        settings.rank_not_worse, settings.all, settings.squared_ahead, settings.rank_ahead,
        settings.all - settings.squared_ahead - settings.rank_ahead);
    if (scope.kinds == KINDS)
        report_say(
            run->report,
            tr("The %d program features hand the model what the hardware cares about; from the knobs it must find that out "
               "by itself, in their combinations. Compare the two where there is little data.",
               "%d 个程序特征把硬件在意的量直接给了模型；只看旋钮时，模型要从旋钮的组合里自己发现它们。比一比数据少时的两种特征。"),
            PROGRAM_FEATURES);
    facts_number(run->facts, "model.rank_not_worse", settings.rank_not_worse, 0);
    facts_number(run->facts, "model.program_features", PROGRAM_FEATURES, 0);
    draw(run, &scope, mean);
    draw_objectives(run, &scope, mean);
    free(each);
}

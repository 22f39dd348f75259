/* Demo 2: how well the cost model orders configurations it has not seen: features x objective x training size
 * (lecture 4.3, 4.4). */
#include "autotvm.h"
#include <stdlib.h>

/* clang-format off */
const struct fact published_quality[] = {
    { "model.program_features", "§4.3", FACT_EXACT, { "18", "18" }, "18", "18",
      { "program features", "程序特征的个数" }, { 0 } },
    { "model.rank_not_worse", "§4.4", FACT_SEARCH, { "10", "10" }, "8", "12",
      { "of 12 settings: rank not worse", "12 个设置里排序目标不差的" }, { 0 } },
    { 0 }
};
/* clang-format on */

enum { SHAPES = 2, SIZES = 3, KINDS = 2, OBJECTIVES = 2, UNSEEN = 3000, MOST_TRAIN = 1024, RECALL = 30, REPEATS = 5 };
static const size_t sizes[SIZES] = { 64, 256, MOST_TRAIN };
static const enum gbdt_objective objectives[OBJECTIVES] = { GBDT_RANK, GBDT_SQUARED };

struct quality {
    double rho, recall, average_recall;
};

/* One shape and repeat: records to train on, measured through the door, and unseen configurations with their true
 * speed. */
struct split {
    const struct space *space;
    uint32_t *config;    /* [MOST_TRAIN + UNSEEN] all different */
    double *measured_us; /* [MOST_TRAIN] */
    double *truth;       /* [UNSEEN] 1 / true time: higher = better */
};

static struct split split_new(const struct run *run, const struct workload *w, uint64_t repeat)
{
    struct split s = { .space = run->device->space };
    struct rng rng = rng_stream(run->options->seed, "02.quality", repeat);
    size_t n = s.space->legal_count;
    s.config = xalloc(n, sizeof *s.config);
    s.measured_us = xalloc(MOST_TRAIN, sizeof *s.measured_us);
    s.truth = xalloc(UNSEEN, sizeof *s.truth);
    for (size_t i = 0; i < n; i++)
        s.config[i] = s.space->legal[i];
    rng_shuffle(&rng, s.config, n);
    struct measurer m = measurer_new(run->device, w, s.space, MOST_TRAIN, rng_next(&rng));
    for (size_t i = 0; i < MOST_TRAIN; i++) {
        struct measurement result;
        measurer_measure(&m, 1, &s.config[i], &result);
        s.measured_us[i] = result.time_us;
    }
    for (size_t i = 0; i < UNSEEN; i++)
        s.truth[i] = 1 / device_time_us(run->device, w, s.space, s.config[MOST_TRAIN + i]);
    return s;
}

static void split_free(struct split *s)
{
    free(s->config);
    free(s->measured_us);
    free(s->truth);
}

static struct gbdt *train(const struct split *s, const struct workload *w, enum features_kind kind, size_t n,
                          enum gbdt_objective objective)
{
    int features = features_count(kind, s->space);
    float *x = xalloc(n * (size_t)features, sizeof *x);
    double *label = xalloc(n, sizeof *label);
    struct gbdt_settings settings = gbdt_defaults(objective);
    features_fill(kind, w, s->space, n, s->config, x);
    cost_model_labels(n, s->measured_us, label);
    struct gbdt *model = gbdt_fit(&settings, n, features, x, label, NULL, NULL);
    free(label);
    free(x);
    return model;
}

static void predict(const struct gbdt *model, const struct split *s, const struct workload *w,
                    enum features_kind kind, double *score)
{
    float *x = xalloc((size_t)UNSEEN * (size_t)features_count(kind, s->space), sizeof *x);
    features_fill(kind, w, s->space, UNSEEN, s->config + MOST_TRAIN, x);
    gbdt_predict(model, UNSEEN, x, score);
    free(x);
}

static struct quality judge(const struct split *s, const struct workload *w, enum features_kind kind, size_t n,
                            enum gbdt_objective objective)
{
    struct gbdt *model = train(s, w, kind, n, objective);
    double *score = xalloc(UNSEEN, sizeof *score);
    predict(model, s, w, kind, score);
    struct quality q = { stats_spearman(score, s->truth, UNSEEN), stats_recall(score, s->truth, UNSEEN, RECALL),
                         stats_average_recall(score, s->truth, UNSEEN, 64) };
    free(score);
    gbdt_free(model);
    return q;
}

typedef struct quality results[SHAPES][KINDS][SIZES][OBJECTIVES];

/* What is compared: a recording may lack a shape, or be of something that has no program features. */
struct scope {
    struct workload shape[SHAPES];
    int shapes, kinds;
};

/* Everything, for one repeat. */
static void judge_all(const struct run *run, const struct scope *scope, uint64_t repeat, results out)
{
    for (int shape = 0; shape < scope->shapes; shape++) {
        const struct workload *w = &scope->shape[shape];
        struct split s = split_new(run, w, repeat);
        for (int kind = 0; kind < scope->kinds; kind++)
            for (int size = 0; size < SIZES; size++)
                for (int o = 0; o < OBJECTIVES; o++)
                    out[shape][kind][size][o] = judge(&s, w, (enum features_kind)kind, sizes[size], objectives[o]);
        split_free(&s);
    }
}

static void average(int repeats, results *each, results mean)
{
    for (struct quality *q = &mean[0][0][0][0]; q < &mean[0][0][0][0] + SHAPES * KINDS * SIZES * OBJECTIVES; q++) {
        *q = (struct quality){ 0 };
        for (int r = 0; r < repeats; r++) {
            const struct quality *one = &each[r][0][0][0][0] + (q - &mean[0][0][0][0]);
            q->rho += one->rho / repeats;
            q->recall += one->recall / repeats;
            q->average_recall += one->average_recall / repeats;
        }
    }
}

static int quality_table(struct run *run, const struct scope *scope, results mean, int repeats)
{
    const struct column columns[] = {
        { TEXT("shape, features", "形状，特征"), TABLE_TEXT },
        { TEXT("trained\non", "训练\n条数"), 0 },
        { TEXT("rho\nrank", "rho\n排序"), 3 },
        { TEXT("\nsquared", "\n回归"), 3 },
        { TEXT("recall\n@30\nrank", "recall\n@30\n排序"), 2 },
        { TEXT("\n\nsquared", "\n\n回归"), 2 },
        { TEXT("average\nrecall\nrank", "平均\nrecall\n排序"), 2 },
        { TEXT("\n\nsquared", "\n\n回归"), 2 },
    };
    struct table *table = table_new(8, columns);
    int not_worse = 0;
    for (int shape = 0; shape < scope->shapes; shape++)
        for (int kind = 0; kind < scope->kinds; kind++)
            for (int size = 0; size < SIZES; size++) {
                const struct quality *q = mean[shape][kind][size];
                table_text(table, "%s%s%s", tr_text(scope->shape[shape].name), tr(", ", "，"),
                           kind == FEATURES_KNOB ? tr("knobs", "旋钮特征") : tr("program", "程序特征"));
                table_number(table, (double)sizes[size]);
                for (int o = 0; o < OBJECTIVES; o++) {
                    table_number(table, q[o].rho);
                    if (q[o].rho >= q[!o].rho)
                        table_best(table);
                }
                for (int o = 0; o < OBJECTIVES; o++)
                    table_number(table, q[o].recall);
                for (int o = 0; o < OBJECTIVES; o++)
                    table_number(table, q[o].average_recall);
                not_worse += q[0].rho >= q[1].rho;
            }
    char *en = xformat(
        "Order of %d configurations never seen, by models that were trained with the rank objective or with squared loss; mean "
        "of %d training sets (*: the better rho)",
        UNSEEN, repeats);
    char *zh =
        xformat("给 %d 个没见过的配置排序，模型用排序目标或回归（平方误差）训练；%d 个训练集的平均（*：rho 较高的）",
                UNSEEN, repeats);
    report_table(run->report, (struct text){ en, zh }, table);
    free(zh);
    free(en);
    table_free(table);
    return not_worse;
}

/* In how many settings squared loss finds more of the true best 30. */
static int squared_ahead(const struct scope *scope, results mean)
{
    int ahead = 0;
    for (int shape = 0; shape < scope->shapes; shape++)
        for (int kind = 0; kind < scope->kinds; kind++)
            for (int size = 0; size < SIZES; size++)
                ahead += mean[shape][kind][size][1].recall > mean[shape][kind][size][0].recall;
    return ahead;
}

static void draw(struct run *run, const struct scope *scope, results mean)
{
    for (int shape = 0; shape < scope->shapes; shape++) {
        double x[SIZES], y[KINDS][SIZES];
        for (int size = 0; size < SIZES; size++) {
            x[size] = (double)sizes[size];
            for (int kind = 0; kind < scope->kinds; kind++)
                y[kind][size] = mean[shape][kind][size][0].rho;
        }
        const struct workload *w = &scope->shape[shape];
        char *name = xformat("rho_%s", w->id), *en = xformat("Spearman's ρ on unseen configurations: %s", w->name.en);
        char *zh = xformat("在没见过的配置上的 Spearman ρ：%s", w->name.zh);
        figure_lines(run->figures, name, (struct text){ en, zh },
                     (struct axis){ TEXT("records to train on (log axis)", "训练条数（对数轴）"), 64, MOST_TRAIN, 2,
                                    "(64,128,256,512,1024)" },
                     (struct axis){ TEXT("ρ, rank objective", "ρ，排序目标"), 0.4, 1, 0, NULL }, (size_t)scope->kinds,
                     (struct series[]){ { TEXT("knobs", "旋钮特征"), SIZES, x, y[FEATURES_KNOB], NULL, NULL },
                                        { TEXT("18 program features", "18 个程序特征"), SIZES, x, y[FEATURES_PROGRAM],
                                          NULL, NULL } });
        free(zh);
        free(en);
        free(name);
    }
}

void demo2_cost_model(struct run *run)
{
    int repeats = run->options->repeats ? run->options->repeats : REPEATS;
    const struct space *space = run->device->space;
    struct scope scope = { .kinds = features_has_program(space) ? KINDS : 1 };
    if (space->legal_count < MOST_TRAIN + UNSEEN) {
        report_say(run->report,
                   tr("%s has too few legal configurations for this: %d are needed.",
                      "%s 的合法配置太少，这里需要 %d 个。"),
                   run->device->name, MOST_TRAIN + UNSEEN);
        return;
    }
    scope.shapes = program_workloads(run, SHAPES, (const char *const[]){ "square", "wgrad" }, scope.shape);
    if (scope.shapes == 0) {
        scope.shape[0] = program_shape(run, "");
        scope.shapes = 1;
    }
    results *each = xalloc((size_t)repeats, sizeof *each), mean;
    size_t done = 0;
#pragma omp parallel for schedule(dynamic)
    for (int r = 0; r < repeats; r++) {
        judge_all(run, &scope, (uint64_t)r, each[r]);
#pragma omp critical
        program_tuning_progress(run, ++done, (size_t)repeats);
    }
    average(repeats, each, mean);
    int not_worse = quality_table(run, &scope, mean, repeats);
    report_say(
        run->report,
        tr("rho: Spearman's rank correlation with the true order, 1 if they are the same. recall@30: the share of the true best 30 "
           "among the model's best 30; average recall, TVM's own measure: the mean of recall@1 ... @64. By rho, rank is not worse "
           "than squared in %d of the %d settings; by recall@30, squared is ahead in %d: it weighs the few fast ones more, rank "
           "all pairs alike.",
           "rho：与真实顺序的 Spearman 秩相关，完全一致是 1。recall@30：真正的前 30 名有多少在模型的前 30 名里；平均 recall 是 TVM 自己的指标："
           "recall@1 ... @64 的平均。按 rho，排序目标不差于回归的有 %d 个（共 %d 个设置）；按 recall@30，回归领先的有 %d 个：它更看重少数快的，"
           "排序对所有的程序对一视同仁。"),
        not_worse, scope.shapes * scope.kinds * SIZES, squared_ahead(&scope, mean));
    if (scope.kinds == KINDS)
        report_say(
            run->report,
            tr("The %d program features hand the model what the hardware cares about; from the knobs it must find that out "
               "by itself, in their combinations. Compare the two where there is little data.",
               "%d 个程序特征把硬件在意的量直接给了模型；只看旋钮时，模型要从旋钮的组合里自己发现它们。比一比数据少时的两种特征。"),
            PROGRAM_FEATURES);
    facts_number(run->facts, "model.rank_not_worse", not_worse, 0);
    facts_number(run->facts, "model.program_features", PROGRAM_FEATURES, 0);
    draw(run, &scope, mean);
    free(each);
}

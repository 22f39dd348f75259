/* Demo 6: fine-tuning taken apart (lecture 5.6): what each of evolution's operations brings, what the loss is weighted
 * by, and a score for each statement, summed. */
#include "ansor.h"
#include <math.h>
#include <stdlib.h>

enum { REPEATS = 5, TRIALS = 512 };

/* ---- what each operation does ---- */

enum { FIRST = 256, POPULATION = 1024, MEASURED = 204, BEST = 10, CHILDREN = 2000, FEW = 10 };
enum { OF_BLOCKS, OF_WARPS, OF_STAGES, OF_GROUP, OF_SKETCH, OF_CROSSOVER, OF_CHANCE, OPERATIONS };
static const int operation_of[MATMUL_KNOBS] = {
    [BLOCK_M] = OF_BLOCKS, [BLOCK_N] = OF_BLOCKS, [BLOCK_K] = OF_BLOCKS, [NUM_WARPS] = OF_WARPS,
    [NUM_STAGES] = OF_STAGES, [GROUP_M] = OF_GROUP, [SPLIT_K] = OF_SKETCH,
};

/* Children of one operation, of parents as evolution draws them and of the ten fastest measured. */
enum { DRAWN, FASTEST, PARENTS };
struct children {
    double all, model, truth, both; /* all; the model, the truth, both call them better than their parent */
};
typedef struct children tally[OPERATIONS][PARENTS];

/* The state of a search that a generation begins with. */
struct generation {
    const struct tuning *tuning;
    struct cost_model *model;
    struct programs programs;
    uint32_t population[POPULATION]; /* the fastest measured, fastest first, then random programs */
    double fitness[POPULATION];
};

/* Judges what n children of one kind are beside their mothers; a child that is its mother once more does not count. */
static void judge_children(const struct generation *g, size_t n, const uint32_t *mother, const uint32_t *child,
                           const int *operation, int parents, tally out)
{
    const struct task *task = &g->tuning->task;
    double *score = xalloc(2 * n, sizeof *score), *child_score = score + n;
    cost_model_score(g->model, n, mother, score);
    cost_model_score(g->model, n, child, child_score);
    for (size_t i = 0; i < n; i++) {
        struct children *c = &out[operation[i]][parents];
        bool model = child_score[i] > score[i];
        bool truth = device_time_us(g->tuning->device, task->workload, task->space, child[i]) <
                     device_time_us(g->tuning->device, task->workload, task->space, mother[i]);
        c->all += child[i] != mother[i];
        c->model += model;
        c->truth += truth;
        c->both += model && truth;
    }
    free(score);
}

static int changed_by(const struct space *space, uint32_t mother, uint32_t child)
{
    int knob = 0;
    while (knob < MATMUL_KNOBS - 1 && space_position(space, mother, knob) == space_position(space, child, knob))
        knob++;
    return operation_of[knob];
}

/* A mutation of each mother, a crossing, and for comparison a random program in her place. */
static void breed(struct generation *g, int parents, struct rng *rng, tally out)
{
    enum { WAYS = 3 };
    const double even = 4.0 / MATMUL_KNOBS; /* so each of the seven knobs is changed as often */
    uint32_t mother[WAYS * CHILDREN], child[WAYS * CHILDREN];
    int operation[WAYS * CHILDREN];
    for (int i = 0; i < WAYS * CHILDREN; i += WAYS) {
        size_t at = (size_t)(i / WAYS % BEST);
        if (parents == DRAWN)
            at = evolution_parent(POPULATION, g->fitness, rng);
        uint32_t father = g->population[evolution_parent(POPULATION, g->fitness, rng)];
        mother[i] = mother[i + 1] = mother[i + 2] = g->population[at];
        child[i] = programs_mutated(&g->programs, mother[i], even, rng);
        child[i + 1] = programs_crossed(&g->programs, mother[i], father, rng);
        child[i + 2] = programs_random(&g->programs, rng);
        operation[i] = changed_by(g->tuning->task.space, mother[i], child[i]);
        operation[i + 1] = OF_CROSSOVER;
        operation[i + 2] = OF_CHANCE;
    }
    judge_children(g, WAYS * CHILDREN, mother, child, operation, parents, out);
}

/* The model and the population as they stand after the first measurements of a run of Ansor's. */
static void run_generation(const struct run *run, const struct tuning *t, tally out)
{
    struct evolution_settings settings = evolution_defaults();
    struct generation g = { .tuning = t, .programs = programs_new(&t->task, false) };
    struct rng rng = rng_stream(run->options->seed, "03.children", t->repeat);
    struct shortlist fastest = { 0 };
    size_t n = t->trace.count < FIRST ? t->trace.count : FIRST;
    g.model = cost_model_new(&t->task, &settings.model);
    shortlist_clear(&fastest, MEASURED);
    for (size_t i = 0; i < n; i++) {
        const struct trial *trial = &t->trace.trial[i];
        cost_model_add(g.model, 1, &trial->config, &(struct measurement){ trial->measured_us, trial->failure, 0 });
        shortlist_admit(&fastest, trial->config, -trial->measured_us);
    }
    cost_model_fit(g.model);
    for (size_t i = 0; i < POPULATION; i++)
        g.population[i] = i < fastest.count ? fastest.best[i].config : programs_random(&g.programs, &rng);
    cost_model_score(g.model, POPULATION, g.population, g.fitness);
    evolution_fitness(POPULATION, g.fitness, g.fitness);
    for (int parents = 0; parents < PARENTS; parents++)
        breed(&g, parents, &rng, out);
    shortlist_free(&fastest);
    programs_free(&g.programs);
    cost_model_free(g.model);
}

static void operations_table(struct run *run, const struct experiment *e, int w)
{
    static const struct text names[OPERATIONS] = {
        [OF_BLOCKS] = { "tile: BLOCK_M, N or K", "分块：BLOCK_M、N 或 K" },
        [OF_WARPS] = { "tile: num_warps", "分块：num_warps" },
        [OF_STAGES] = { "num_stages", "num_stages" },
        [OF_GROUP] = { "GROUP_M", "GROUP_M" },
        [OF_SKETCH] = { "sketch, with SPLIT_K", "草图，连同 SPLIT_K" },
        [OF_CROSSOVER] = { "crossover", "交叉" },
        [OF_CHANCE] = { "a random program", "随机程序" },
    };
    struct table *table =
        table_of({ TEXT("what changes", "改什么"), TABLE_TEXT }, { TEXT("drawn parents\nmodel", "按适应度选的父代\n模型"), 1 },
                 { TEXT("\ntruth", "\n真实"), 1 }, { TEXT("\nmodel right", "\n模型说对"), 0 },
                 { TEXT("ten fastest\nmodel", "最快的十个\n模型"), 1 }, { TEXT("\ntruth", "\n真实"), 1 },
                 { TEXT("\nmodel right", "\n模型说对"), 0 });
    tally sum = { 0 };
    for (int r = 0; r < e->repeats; r++)
        run_generation(run, experiment_tuning(e, w, 0, r), sum);
    for (int o = 0; o < OPERATIONS; o++) {
        table_text(table, "%s", tr_text(names[o]));
        for (int p = 0; p < PARENTS; p++) {
            struct children c = sum[o][p];
            table_numbers(table, 100 * c.model / c.all, 100 * c.truth / c.all,
                          c.model < FEW ? NAN : 100 * c.both / c.model);
        }
    }
    report_table(run->report, table,
                 tr("What an operation does to a parent: %s after %d measurements; children that are better than it, %%: the model "
                    "says so; they are; and of those of which it says so, those that are (-: of fewer than %d). %d repeats of %d "
                    "mutations and as many of the others",
                    "每种操作对父代做了什么：%s，测 %d 次之后；比父代好的子代 %%：模型认为的；真实的；模型认为更好的里面真的更好的（-：不到 %d 个）。%d "
                    "次重复，每次 %d 个变异，其余各同样多"),
                 tr_text(e->workload[w].name), FIRST, FEW, e->repeats, CHILDREN);
}

/* ---- what the model is fitted to ---- */

enum { SIZES = 2, MOST = 256, UNSEEN = 1000, TOP = 30 };
static const size_t sizes[SIZES] = { 64, MOST };
enum { SQUARED, WEIGHTED, STATEMENTS, MODELS };
enum { ACCURACY, RECALL, QUALITIES };
typedef double quality[SIZES][MODELS][QUALITIES];

struct sample {
    struct task task;
    uint32_t config[MOST + UNSEEN];
    double time_us[MOST], truth[UNSEEN];
};

static void score_whole(const struct sample *s, enum gbdt_objective objective, size_t n, double *score)
{
    struct cost_model_settings settings = evolution_defaults().model;
    settings.gbdt = gbdt_defaults(objective);
    struct cost_model *model = cost_model_new(&s->task, &settings);
    for (size_t i = 0; i < n; i++)
        cost_model_add(model, 1, &s->config[i], &(struct measurement){ s->time_us[i], isinf(s->time_us[i]), 0 });
    cost_model_fit(model);
    cost_model_score(model, UNSEEN, s->config + MOST, score);
    cost_model_free(model);
}

/* A score for each innermost statement; a program's is their sum. */
static void score_statements(const struct sample *s, size_t n, double *score)
{
    const struct gbdt_settings settings = gbdt_defaults(GBDT_WEIGHTED);
    size_t most = 2 * (MOST + UNSEEN), rows = 0, fitted = 0;
    float *x = xalloc(most * PROGRAM_FEATURES, sizeof *x);
    double *row = xalloc(most, sizeof *row), label[2 * MOST] = { 0 };
    uint32_t *program = xalloc(most, sizeof *program);
    for (uint32_t i = 0; i < n + UNSEEN; i++) {
        uint32_t config = s->config[i < n ? i : MOST + i - n];
        int more = features_statements(s->task.workload, s->task.space, config, x + rows * PROGRAM_FEATURES);
        for (; more > 0; more--)
            program[rows++] = i;
        fitted = i < n ? rows : fitted;
    }
    cost_model_labels(n, s->time_us, label);
    struct gbdt *model = gbdt_fit_sums(&settings, fitted, PROGRAM_FEATURES, x, program, label, label);
    gbdt_predict(model, rows - fitted, x + fitted * PROGRAM_FEATURES, row);
    for (size_t i = 0; i < UNSEEN; i++)
        score[i] = 0;
    for (size_t i = fitted; i < rows; i++)
        score[program[i] - n] += row[i - fitted];
    gbdt_free(model);
    free(program);
    free(row);
    free(x);
}

static void judge_models(const struct run *run, const struct workload *w, uint64_t repeat, quality out)
{
    struct sample s = { .task = { w, device_space(run->device, w) } };
    struct rng rng = rng_stream(run->options->seed, "03.losses", repeat);
    struct unseen unseen = unseen_new(s.task.space);
    struct programs programs = programs_new(&s.task, false);
    struct measurement result[MOST];
    programs_draw_many(&programs, &unseen, MOST + UNSEEN, s.config, &rng);
    struct measurer m = measurer_new(run->device, w, s.task.space, MOST, rng_next(&rng));
    measurer_measure(&m, MOST, s.config, result);
    for (size_t i = 0; i < MOST; i++)
        s.time_us[i] = result[i].time_us;
    for (size_t i = 0; i < UNSEEN; i++)
        s.truth[i] = 1 / device_time_us(run->device, w, s.task.space, s.config[MOST + i]);
    for (int size = 0; size < SIZES; size++)
        for (int model = 0; model < MODELS; model++) {
            double score[UNSEEN], *q = out[size][model];
            if (model == STATEMENTS)
                score_statements(&s, sizes[size], score);
            else
                score_whole(&s, model == SQUARED ? GBDT_SQUARED : GBDT_WEIGHTED, sizes[size], score);
            q[ACCURACY] = 100 * stats_pairwise_accuracy(score, s.truth, UNSEEN);
            q[RECALL] = stats_recall(score, s.truth, UNSEEN, TOP, NULL);
        }
    programs_free(&programs);
    unseen_free(&unseen);
}

static void models_table(struct run *run, int shapes, const struct workload *shape, int repeats)
{
    static const struct text names[MODELS] = {
        [SQUARED] = { "squared", "平方误差" },
        [WEIGHTED] = { "weighted by throughput", "以吞吐加权" },
        [STATEMENTS] = { "weighted, statements summed", "加权，逐语句求和" },
    };
    struct table *table = table_of({ TEXT("shape, loss", "形状，损失"), TABLE_TEXT },
                                   { TEXT("accuracy, %\nof 64", "准确率 %\n64 条"), 1 }, { TEXT("\n256", "\n256 条"), 1 },
                                   { TEXT("recall@30\nof 64", "recall@30\n64 条"), 2 }, { TEXT("\n256", "\n256 条"), 2 });
    quality *each = xalloc((size_t)repeats, sizeof *each);
    for (int w = 0; w < shapes; w++) {
        quality mean;
        if (device_space(run->device, &shape[w])->legal_count < MOST + UNSEEN)
            continue; /* a small recording */
#pragma omp parallel for schedule(dynamic)
        for (int r = 0; r < repeats; r++)
            judge_models(run, &shape[w], (uint64_t)r, each[r]);
        stats_mean_rows((size_t)repeats, sizeof *each / sizeof(double), &each[0][0][0][0], &mean[0][0][0]);
        for (int m = 0; m < MODELS; m++) {
            table_text(table, "%s%s%s", tr(shape[w].id, shape[w].name.zh), tr(", ", "，"), tr_text(names[m]));
            table_numbers(table, mean[0][m][ACCURACY], mean[1][m][ACCURACY], mean[0][m][RECALL], mean[1][m][RECALL]);
        }
    }
    free(each);
    report_table(run->report, table,
                 tr("What the model is fitted to: trained on 64 and 256 measured random programs, asked about %d others: pairwise "
                    "accuracy, and of the true %d best the share among its %d; mean of %d",
                    "模型拟合什么：用 64、256 个实测的随机程序训练，判断另外 %d 个：成对准确率；真正最好的 %d 个有多少在模型的前 %d 个里；%d 次的平均"),
                 UNSEEN, TOP, TOP, repeats);
}

/* ---- all of it ---- */

void demo6_fine_tuning(struct run *run)
{
    struct workload shape[ANSOR_PAIR];
    int count = ansor_pair(run, shape);
    if (count == 0)
        return;
    struct evolution_settings squared = evolution_defaults();
    squared.model.gbdt = gbdt_defaults(GBDT_SQUARED);
    const struct variant variants[] = {
        { &strategy_evolution, NULL, TEXT("weighted by throughput", "以吞吐加权"), NULL },
        { &strategy_evolution, &squared, TEXT("squared", "平方误差"), NULL },
    };
    struct experiment e = ansor_tune(run, count, shape, 2, variants, REPEATS, TRIALS);
    for (int w = 0; w < e.workloads; w++)
        operations_table(run, &e, w);
    models_table(run, count, shape, e.repeats);
    for (int w = 0; w < e.workloads; w++)
        curves_show(&e, w, 2 * ANSOR_BATCH, run->report, NULL, "losses",
                    TEXT("Ansor by either loss: ", "两种损失下的 Ansor："), TEXT("", ""));
    experiment_free(&e);
}

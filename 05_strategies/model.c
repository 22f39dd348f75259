/* Demo 1: a ridge model on the pool: how few records it needs, what it says about other shapes, what ruins it; the
 * boosted trees with program features on the same rows; and all of it on HypoGPU. */
#include "pool.h"
#include <math.h>
#include <stdlib.h>

/* clang-format off */
const struct fact published_model[] = {
    { "ridge.rho32", "s2", FACT_SEARCH, { "0.88", "0.88" }, "0.8", "0.95",
      { "rho of the ridge model, 32 records", "岭回归的 rho，32 条记录" }, { 0 } },
    { "ridge.rho64", "s2", FACT_SEARCH, { "0.95 or more", "0.95 以上" }, "0.9", "1.0",
      { "the same, 64 records and more", "同上，64 条以上" }, { "not the unmodelled part, for the GPU of this demo has none, and HypoGPU's rows are as good: the waves, stages and occupancy of its timing model are steps, which sums of logarithms and their products follow only so far. 0.9 takes 256 records (mean of 20 training sets).",
        "不是因为“未建模的扰动”：这个演示的 GPU 没有它，而 HypoGPU 的两行一样好。耗时模型里的波次、级数和占用率是台阶，对数和它们的乘积只能拟合到这个程度：到 0.9 要 256 条（20 个训练集的平均）。" } },
    { "ridge.prefill_rho", "s2", FACT_SEARCH, { "0.93", "0.93" }, "0.85", "0.98",
      { "the same model on prefill up", "同一个模型用在预填充上投影" }, { 0 } },
    { "ridge.decode_rho", "s2", FACT_SEARCH, { "about 0.2", "0.2 左右" }, "0.0", "0.45",
      { "the same model on decode", "同一个模型用在解码" }, { "in this pool the square's own true times do not order decode either (last row of demo 1's table): no model of the square alone can do better.",
        "在这个候选池里，方阵的真实耗时本身也排不出解码的顺序（演示 1 表格的最后一行）：只学了方阵的模型，再好也只能如此。" } },
    { "ridge.mixed_drop", "s2", FACT_SEARCH, { "very low", "很低" }, "0.2", "1.5",
      { "rho lost to unlaunchable records", "混入非法配置后 rho 掉多少" }, { "the mean of 20 training sets at 256 records; the script shows one set and does not say how large. At 64 records the loss is 0.21, at 32 it is 0.36 (demo 1).",
        "256 条时 20 个训练集的平均；脚本只给了一个训练集，没说多大。64 条时掉 0.21，32 条时掉 0.36（演示 1）。" } },
    { 0 }
};
/* clang-format on */

enum { SHAPES = 3, SIZES = 6, UNSEEN = 1000, MOST_TRAIN = 512, REPEATS = 20, TOP = 10 };
enum { SQUARE, PREFILL, DECODE };
static const size_t sizes[SIZES] = { 16, 32, 64, 128, 256, MOST_TRAIN };
enum { ROUGH = 3, ROUGH_SIZES = 2 }; /* of these on HypoGPU: 128 and 256 */

struct quality {
    double ridge[SIZES][SHAPES], trees[SIZES][SHAPES]; /* Spearman's rho on unseen configurations of each shape */
    double top[SIZES];   /* best of the ridge's first ten over the pool's optimum, square */
    double mixed[SIZES]; /* ridge's rho when unlaunchable configurations are mixed in */
};

struct study { /* what every repeat works on */
    struct run *run;
    const struct device *device;
    int first, sizes; /* the sizes that are looked at */
    struct space *pool;
    double optimum_us; /* the pool's, for the square */

    /* The square, or another that --shape names, and two that the model never sees in training; m == 0: not
     * recorded. */
    struct workload shape[SHAPES];
};

static bool is_there(const struct study *study, int shape) { return shape == SQUARE || study->shape[shape].m; }

static struct study study_new(struct run *run)
{
    struct study study = { .run = run, .device = pool_device(run), .sizes = SIZES };
    study.shape[SQUARE] = program_shape(run, "square");
    study.pool = pool_space(run->device, &study.shape[SQUARE]);
    program_workloads(run, 1, (const char *const[]){ "prefill_up" }, &study.shape[PREFILL]);
    program_workloads(run, 1, (const char *const[]){ "decode" }, &study.shape[DECODE]);
    return study;
}

/* Measures n configurations of the square; failed ones come back INFINITY. */
static void measure(const struct study *study, uint64_t seed, size_t n, const uint32_t *config, double *time_us)
{
    struct measurer m = measurer_new(study->device, &study->shape[SQUARE], study->pool, n, seed);
    struct measurement results[MOST_TRAIN];
    m.noise = POOL_NOISE;
    m.noise_kind = NOISE_LOG_NORMAL;
    measurer_measure(&m, n, config, results);
    for (size_t i = 0; i < n; i++)
        time_us[i] = results[i].time_us;
}

static void judge_trees(const struct study *study, size_t n, const uint32_t *config, const double *time_us,
                        double truth[SHAPES][UNSEEN], double rho[SHAPES])
{
    const uint32_t *unseen = config + MOST_TRAIN;
    float *x = xalloc((size_t)(UNSEEN + MOST_TRAIN) * PROGRAM_FEATURES, sizeof *x);
    double label[MOST_TRAIN], score[UNSEEN];
    struct gbdt_settings settings = gbdt_defaults(GBDT_RANK);
    features_fill(FEATURES_PROGRAM, &study->shape[SQUARE], study->pool, n, config, x);
    cost_model_labels(n, time_us, label);
    struct gbdt *model = gbdt_fit(&settings, n, PROGRAM_FEATURES, x, label, NULL, NULL);
    for (int s = 0; s < SHAPES; s++) {
        rho[s] = NAN;
        if (!is_there(study, s))
            continue;
        features_fill(FEATURES_PROGRAM, &study->shape[s], study->pool, UNSEEN, unseen, x);
        gbdt_predict(model, UNSEEN, x, score);
        rho[s] = -stats_spearman(score, truth[s], UNSEEN); /* a high score: a short time */
    }
    gbdt_free(model);
    free(x);
}

/* The contrast: the training set is drawn from all configurations, launchable or not. */
static double judge_mixed(const struct study *study, struct rng *rng, size_t n, const uint32_t *unseen,
                          const double *truth)
{
    uint32_t *all = xalloc(study->pool->size, sizeof *all);
    double time_us[MOST_TRAIN], predicted[UNSEEN];
    const struct task task = { &study->shape[SQUARE], study->pool };
    for (uint32_t i = 0; i < study->pool->size; i++)
        all[i] = i;
    rng_shuffle(rng, all, study->pool->size);
    measure(study, rng_next(rng), n, all, time_us);
    pool_predict(&task, n, all, time_us, UNSEEN, unseen, predicted);
    free(all);
    return stats_spearman(predicted, truth, UNSEEN);
}

static double best_of_top(const double *predicted, const double *truth)
{
    uint32_t order[UNSEEN];
    double best = INFINITY;
    stats_order(predicted, UNSEEN, order);
    for (int i = 0; i < TOP; i++)
        best = fmin(best, truth[order[i]]);
    return best;
}

static struct quality judge(const struct study *study, uint64_t repeat)
{
    const struct run *run = study->run;
    const struct space *pool = study->pool;
    const struct task square = { &study->shape[SQUARE], pool };
    struct quality q = { 0 };
    struct rng rng = rng_stream(run->options->seed, "05.ridge", repeat);
    uint32_t *config = xalloc(pool->legal_count, sizeof *config), *unseen = config + MOST_TRAIN;
    double time_us[MOST_TRAIN], predicted[UNSEEN], truth[SHAPES][UNSEEN];
    for (uint32_t i = 0; i < pool->legal_count; i++)
        config[i] = pool->legal[i];
    rng_shuffle(&rng, config, pool->legal_count);
    for (int s = 0; s < SHAPES; s++)
        for (int i = 0; i < UNSEEN && is_there(study, s); i++)
            truth[s][i] = device_time_us(study->device, &study->shape[s], pool, unseen[i]);
    measure(study, rng_next(&rng), MOST_TRAIN, config, time_us);
    for (int size = study->first; size < study->first + study->sizes; size++) {
        pool_predict(&square, sizes[size], config, time_us, UNSEEN, unseen, predicted);
        for (int s = 0; s < SHAPES; s++)
            q.ridge[size][s] = is_there(study, s) ? stats_spearman(predicted, truth[s], UNSEEN) : NAN;
        q.top[size] = best_of_top(predicted, truth[SQUARE]) / study->optimum_us;
        judge_trees(study, sizes[size], config, time_us, truth, q.trees[size]);
        q.mixed[size] = judge_mixed(study, &rng, sizes[size], unseen, truth[SQUARE]);
    }
    free(config);
    return q;
}

static void add_row(struct table *table, const char *format, const struct quality *q, int size)
{
    table_text(table, format, sizes[size]);
    table_add(table, SHAPES, q->ridge[size]);
    table_numbers(table, q->mixed[size], q->top[size]);
    table_add(table, SHAPES, q->trees[size]);
}

/* What a model that knew the square's true times would say of the other shapes, over the whole pool. */
static void perfect_row(struct table *table, const struct study *study)
{
    size_t n = study->pool->legal_count;
    double *time_us = xalloc(SHAPES * n, sizeof *time_us);
    table_text(table, "%s", tr("true times", "真实耗时"));
    for (int s = 0; s < SHAPES; s++) {
        for (size_t i = 0; i < n && is_there(study, s); i++)
            time_us[(size_t)s * n + i] = device_time_us(study->device, &study->shape[s], study->pool, study->pool->legal[i]);
        table_number(table, is_there(study, s) ? stats_spearman(time_us, time_us + (size_t)s * n, n) : NAN);
    }
    for (int none = 0; none < 2 + SHAPES; none++)
        table_none(table);
    free(time_us);
}

/* rough: the same on HypoGPU; NULL: not looked at. */
static void show(const struct study *study, const struct quality *q, const struct quality *rough, int repeats)
{
    struct run *run = study->run;
    struct table *table =
        table_of({ TEXT("trained\non", "训练\n条数"), TABLE_TEXT }, { TEXT("ridge\nsquare", "岭回归\n方阵"), 3 },
                 { TEXT("\nprefill up", "\n预填充上"), 3 }, { TEXT("\ndecode", "\n解码"), 3 },
                 { TEXT("unlaunchable\nmixed in", "混入\n非法配置"), 3 },
                 { TEXT("its ten,\ntime", "前 10 个\n时间"), 3 }, { TEXT("trees\nsquare", "提升树\n方阵"), 3 },
                 { TEXT("\nprefill up", "\n预填充上"), 3 }, { TEXT("\ndecode", "\n解码"), 3 });
    for (int size = 0; size < SIZES; size++)
        add_row(table, "%zu", q, size);
    for (int size = ROUGH; rough && size < ROUGH + ROUGH_SIZES; size++)
        add_row(table, tr("%zu, HypoGPU", "%zu，HypoGPU"), rough, size);
    if (rough)
        perfect_row(table, study);
    report_table(
        run->report, table,
        tr("Spearman's rho on %d unseen configurations of the pool, trained on the square only; its ten: the time of the best of the "
           "ridge's first ten over the pool's optimum; mean of %d training sets%s",
           "只用方阵训练，在候选池里 %d 个没见过的配置上的 Spearman rho；前 10 个：岭回归的前 10 名里最好的时间 / 候选池的最优；%d 个训练集的平均%s"),
        UNSEEN, repeats,
        rough ? tr("; true times: the square's own, as a model that knew them all", "；真实耗时：方阵自己的，好比全都知道的模型") : "");
}

static void draw(struct run *run, const struct quality *q)
{
    double x[SIZES], y[4][SIZES];
    for (int size = 0; size < SIZES; size++) {
        x[size] = (double)sizes[size];
        y[0][size] = q->ridge[size][SQUARE];
        y[1][size] = q->ridge[size][DECODE];
        y[2][size] = q->trees[size][SQUARE];
        y[3][size] = q->trees[size][DECODE];
    }
    figure_lines(run->figures, "ridge",
                 TEXT("Trained on the square: order on unseen configurations, here and on decode",
                      "只用方阵训练：在方阵和解码上给没见过的配置排序"),
                 (struct axis){ TEXT("records to train on (log axis)", "训练条数（对数轴）"), 16, MOST_TRAIN, 2,
                                "16,2,512" },
                 (struct axis){ TEXT("Spearman's ρ", "Spearman ρ"), -0.2, 1, 0, NULL }, 4,
                 (struct series[]){ { TEXT("ridge, square", "岭回归，方阵"), SIZES, x, y[0], .dash = 1 },
                                    { TEXT("ridge, decode", "岭回归，解码"), SIZES, x, y[1], .dash = 3 },
                                    { TEXT("trees, square", "提升树，方阵"), SIZES, x, y[2], .dash = 1 },
                                    { TEXT("trees, decode", "提升树，解码"), SIZES, x, y[3], .dash = 3 } });
}

/* What the second script says of its pool, in our numbers. */
static void published(struct run *run, const struct quality *q, const struct quality *rough,
                      const struct space *pool)
{
    report_say(
        run->report,
        tr("A few dozen records order the pool well: time has structure. The same ridge does not order decode at all: other things are fast there, and the square's true times do not order it either. "
           "The trees see program features, which mean the same for every shape; yet trained on the square alone they order decode no better (%.2f, the ridge %.2f): what never "
           "varied in training, M, cannot be learnt from it. Transfer needs several teachers (02_autotvm, demo 3). "
           "Unlaunchable configurations, recorded as twice the slowest, hurt the ridge (%.2f instead of %.2f at 256): prune first, then learn. HypoGPU's rows: "
           "the unmodelled part hardly changes the order of all (%.2f), but among the first ten it decides (%.3f instead of %.3f).",
           "几十条记录就能给候选池排出不错的顺序：耗时有结构。同一个岭回归换到解码没用：在那里快的是另一类配置，方阵的真实耗时本身也排不出解码的顺序。提升树看的是程序特征，对各种形状含义相同；可是只用方阵训练，它在解码上也不更好"
           "（%.2f，岭回归 %.2f）：训练时从没变过的 M，学不出来。迁移需要几个源任务（02_autotvm 演示 3）。"
           "把非法配置记成最慢的两倍混进来，会拖累岭回归（256 条时 %.2f，而不是 %.2f）：先剪枝，再学习。"
           "看 HypoGPU 的两行：未建模的扰动几乎不改变总的顺序（%.2f），但在前十名里起决定作用（%.3f，而不是 %.3f）。"),
        q->trees[SIZES - 1][DECODE], q->ridge[SIZES - 1][DECODE], q->mixed[4], q->ridge[4][SQUARE],
        rough->ridge[4][SQUARE], rough->top[4], q->top[4]);
    facts_number(run->facts, "pool.configs", pool->legal_count, 0);
    facts_number(run->facts, "ridge.rho32", q->ridge[1][SQUARE], 3);
    facts_number(run->facts, "ridge.rho64", q->ridge[2][SQUARE], 3);
    facts_number(run->facts, "ridge.prefill_rho", q->ridge[SIZES - 1][PREFILL], 3);
    facts_number(run->facts, "ridge.decode_rho", q->ridge[SIZES - 1][DECODE], 3);
    facts_number(run->facts, "ridge.mixed_drop", q->ridge[4][SQUARE] - q->mixed[4], 3);
}

static struct quality judge_all(const struct study *study, int repeats)
{
    struct quality *each = xalloc((size_t)repeats, sizeof *each), q; /* nothing but doubles */
#pragma omp parallel for schedule(dynamic)
    for (int r = 0; r < repeats; r++)
        each[r] = judge(study, (uint64_t)r);
    stats_mean_rows((size_t)repeats, sizeof q / sizeof(double), (const double *)each, (double *)&q);
    free(each);
    return q;
}

void demo1_ridge(struct run *run)
{
    int repeats = run->options->repeats ? run->options->repeats : REPEATS;
    struct study study = study_new(run);
    const struct space *pool = study.pool;
    if (pool->legal_count < MOST_TRAIN + UNSEEN || !features_has_program(pool)) {
        report_say(run->report,
                   tr("This demo needs a matmul with %d legal configurations and is passed over.",
                      "这个演示需要一个有 %d 个合法配置的矩阵乘法，略过。"),
                   MOST_TRAIN + UNSEEN);
        space_free(study.pool);
        return;
    }
    study.optimum_us = pool_optimum_us(study.device, &study.shape[SQUARE], pool);
    struct quality q = judge_all(&study, repeats), rough;
    if (run->device->is_hypogpu) {
        struct study on_hypogpu = study;
        on_hypogpu.device = run->device;
        on_hypogpu.first = ROUGH;
        on_hypogpu.sizes = ROUGH_SIZES;
        on_hypogpu.optimum_us = pool_optimum_us(run->device, &study.shape[SQUARE], pool);
        rough = judge_all(&on_hypogpu, repeats);
    }

    pool_introduce(run);
    report_say(
        run->report,
        tr("The pool, the second script's space, has %u configurations, %u of them legal. The ridge, a linear regression that keeps its "
           "weights small, sees log2 of the seven knobs and their products, nothing of the shape.",
           "候选池是第二份脚本的搜索空间，有 %u 个配置，%u 个合法。岭回归是带 L2 正则的线性回归，只看七个旋钮的 log2 和它们的两两乘积，看不到形状。"),
        pool->size, pool->legal_count);
    show(&study, &q, run->device->is_hypogpu ? &rough : NULL, repeats);
    draw(run, &q);
    if (run->device->is_hypogpu)
        published(run, &q, &rough, pool);
    space_free(study.pool);
}

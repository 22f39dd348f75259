/* test_cost_model.c - labels, what failed, transfer, and that no score outlives its fit. Scores are compared with
 * those of a gbdt that is fitted and asked directly. */
#include "made_up.h"
#include "base/mathx.h"

enum { KNOBS = 3, VALUES = 8, SIZE = VALUES * VALUES * VALUES, RECORDS = 300 };

static struct space *space;  /* three knobs of eight values: knob features */
static struct space *matmul; /* HypoGPU's knobs, two values each: program features too */
static const struct workload *square;
static uint32_t all[SIZE]; /* every configuration */

static int set_up(void **state)
{
    static const int two[] = { 16, 32 };
    struct knob knob[MATMUL_KNOBS];
    for (int k = 0; k < MATMUL_KNOBS; k++)
        knob[k] = (struct knob){ matmul_knob_name[k], 2, two };
    space = made_up_space(KNOBS, VALUES, anything_goes);
    matmul = space_new(MATMUL_KNOBS, knob, 0, NULL, anything_goes, NULL);
    square = workload_find("square");
    for (uint32_t c = 0; c < SIZE; c++)
        all[c] = c;
    return 0;
}

static int tear_down(void **state)
{
    space_free(matmul);
    space_free(space);
    return 0;
}

/* A made-up time: a valley whose bottom lies at `bottom` of the first knob; at the second's last value it fails. */
static struct measurement look(uint32_t config, int bottom)
{
    int a = space_position(space, config, 0), b = space_position(space, config, 1);
    int c = space_position(space, config, 2);
    bool fails = b == VALUES - 1;
    double time_us = 10.0 + 3.0 * abs(a - bottom) + 0.5 * b * b + 0.1 * c;
    return (struct measurement){ fails ? INFINITY : time_us, fails, 1.0 };
}

struct records {
    uint32_t config[RECORDS];
    struct measurement result[RECORDS];
    double time_us[RECORDS];
};

static struct records draw(uint64_t seed, int bottom)
{
    struct records r;
    struct rng rng = rng_stream(seed, "records", 0);
    for (int i = 0; i < RECORDS; i++) {
        r.config[i] = space_random(space, &rng);
        r.result[i] = look(r.config[i], bottom);
        r.time_us[i] = r.result[i].time_us;
    }
    return r;
}

static struct cost_model *model_of(const struct records *r, size_t n, const struct cost_model_settings *settings)
{
    struct task task = { square, space };
    struct cost_model *model = cost_model_new(&task, settings);
    cost_model_add(model, n, r->config, r->result);
    cost_model_fit(model);
    return model;
}

/* The score of every configuration by a gbdt of our own: weight * global + a local model that starts from that. */
static void reference(const struct records *r, size_t n, const struct gbdt_settings *settings,
                      const struct gbdt *global, double weight, double *score)
{
    static float rows[SIZE * KNOBS], x[RECORDS * KNOBS];
    static double label[RECORDS], margin[RECORDS], global_score[SIZE];
    double best_us = INFINITY;
    features_fill(FEATURES_KNOB, square, space, SIZE, all, rows);
    memset(global_score, 0, sizeof global_score);
    if (global)
        gbdt_predict(global, SIZE, rows, global_score);
    for (size_t i = 0; i < n; i++)
        best_us = fmin(best_us, r->time_us[i]);
    for (size_t i = 0; i < n; i++) {
        memcpy(x + i * KNOBS, rows + r->config[i] * KNOBS, sizeof *x * KNOBS);
        label[i] = isinf(r->time_us[i]) ? 0.0 : best_us / r->time_us[i];
        margin[i] = weight * global_score[r->config[i]];
    }
    struct gbdt *local = gbdt_fit(settings, n, KNOBS, x, label, label, weight > 0.0 ? margin : NULL);
    gbdt_predict(local, SIZE, rows, score);
    for (int c = 0; c < SIZE; c++)
        score[c] += weight * global_score[c];
    gbdt_free(local);
}

static void assert_same_scores(struct cost_model *model, const double *want)
{
    static double score[SIZE];
    cost_model_score(model, SIZE, all, score);
    for (int c = 0; c < SIZE; c++)
        assert_near(score[c], want[c], 1e-12);
}

/* ---- labels ---- */

TEST(a_label_is_the_best_time_over_the_time)
{
    double label[4];
    cost_model_labels(4, (double[]){ 20.0, 5.0, INFINITY, 10.0 }, label);
    assert_memory_equal(label, ((double[]){ 0.25, 1.0, 0.0, 0.5 }), sizeof label);
    cost_model_labels(2, (double[]){ INFINITY, INFINITY }, label);
    assert_memory_equal(label, ((double[]){ 0.0, 0.0 }), 2 * sizeof *label);
    cost_model_labels(0, NULL, NULL);
}

/* ---- fitting ---- */

TEST(the_model_is_a_gbdt_of_the_labels)
{
    struct records r = draw(0, 3);
    static double want[SIZE];
    for (enum gbdt_objective objective = GBDT_SQUARED; objective <= GBDT_RANK; objective++) {
        struct cost_model_settings settings = { .features = FEATURES_KNOB, .gbdt = gbdt_defaults(objective) };
        struct cost_model *model = model_of(&r, RECORDS, &settings);
        reference(&r, RECORDS, &settings.gbdt, NULL, 0.0, want);
        assert_same_scores(model, want);
        cost_model_free(model);
    }
}

TEST(the_default_ranks_by_program_features_where_there_are_any)
{
    const struct task tasks[] = { { square, matmul }, { square, space } };
    assert_int_equal(cost_model_defaults().gbdt.objective, GBDT_RANK);
    for (int t = 0; t < 2; t++) {
        struct cost_model *model = cost_model_new(&tasks[t], NULL);
        cost_model_fit(model);
        assert_int_equal(gbdt_features(cost_model_local(model)), t == 0 ? PROGRAM_FEATURES : KNOBS);
        cost_model_free(model);
    }
}

TEST(what_failed_is_data)
{
    struct records r = draw(1, 3);
    struct cost_model *model = model_of(&r, RECORDS, NULL);
    static double score[SIZE];
    cost_model_score(model, SIZE, all, score);
    double failing = 0.0, running = 0.0;
    for (uint32_t c = 0; c < SIZE; c++)
        *(isinf(look(c, 3).time_us) ? &failing : &running) += score[c];
    assert_true(failing / (SIZE / VALUES) < running / (SIZE - SIZE / VALUES) - 0.5);
    cost_model_free(model);
}

TEST(it_is_ready_once_it_has_something_to_say)
{
    struct task task = { square, space };
    struct cost_model *model = cost_model_new(&task, NULL);
    double score[2];
    assert_false(cost_model_ready(model));
    cost_model_score(model, 2, all, score); /* before the first fit */
    assert_same_bits(score[0], 0.0);
    cost_model_fit(model); /* without a record */
    assert_false(cost_model_ready(model));
    cost_model_score(model, 2, all, score);
    assert_same_bits(score[1], 0.0);
    struct measurement failed = { INFINITY, 1, 1.0 }, fine = { 5.0, 0, 1.0 };
    cost_model_add(model, 1, all, &failed);
    cost_model_fit(model);
    assert_false(cost_model_ready(model));
    cost_model_add(model, 1, all + 1, &fine);
    cost_model_fit(model);
    assert_true(cost_model_ready(model));
    cost_model_free(model);
}

/* ---- the memory of scores ---- */

TEST(no_score_outlives_its_fit)
{
    struct records r = draw(2, 1);
    static double want[SIZE], score[SIZE];
    struct gbdt_settings rank = gbdt_defaults(GBDT_RANK);
    struct cost_model *model = model_of(&r, 40, NULL);
    reference(&r, 40, &rank, NULL, 0.0, want);
    assert_same_scores(model, want);
    cost_model_add(model, 40, r.config + 40, r.result + 40);
    assert_same_scores(model, want); /* new records speak at the next fit */
    cost_model_fit(model);
    cost_model_score(model, 10, all + 100, score); /* a few first, so that the rest is mixed with them */
    reference(&r, 80, &rank, NULL, 0.0, want);
    assert_same_scores(model, want);
    cost_model_free(model);
}

/* ---- uncertainty ---- */

TEST(acquisition_by_hand)
{
    const double two[2] = { 1.0, 3.0 }, sure[2] = { 2.0, 2.0 };
    const double s = sqrt(3.0) / 3.14159265358979324; /* the two's sd is 1 */
    assert_near(cost_model_acquire(ACQUIRE_MEAN, 2, two, 9.0), 2.0, 1e-15);
    assert_near(cost_model_acquire(ACQUIRE_UCB, 2, two, 9.0), 3.0, 1e-15);
    assert_near(cost_model_acquire(ACQUIRE_EI, 2, two, 2.0), log(s * log(2.0)), 1e-14);
    assert_near(cost_model_acquire(ACQUIRE_EI, 2, two, 2.5), log(s * log(1.0 + exp(-0.5 / s))), 1e-14);
    assert_near(cost_model_acquire(ACQUIRE_EI, 2, two, -98.0), log(100.0), 1e-12); /* surely better: by the difference */
    assert_near(cost_model_acquire(ACQUIRE_EI, 2, sure, 1.5), log(0.5), 1e-14);
    assert_near(cost_model_acquire(ACQUIRE_EI, 2, sure, 2.5), -1e9, 0.0);
    double before = 10.0; /* the worse, the less; far below by e^(1 / s) for each that is lacking, without a step */
    for (double best = 0.0; best < 60.0; best += 0.5) {
        double now = cost_model_acquire(ACQUIRE_EI, 2, two, best);
        assert_true(now < before && (best < 12.0 || fabs(before - now - 0.5 / s) < 1e-6));
        before = now;
    }
}

/* Fits to resampled records disagree: their mean is not the one fit's, and the bound lies above it, most where nothing
 * was measured. */
TEST(bootstraps_disagree_where_little_is_known)
{
    static double one[SIZE], mean[SIZE], bound[SIZE], again[SIZE];
    static bool known[SIZE];
    struct records r = draw(4, 3);
    struct cost_model_settings settings = { FEATURES_KNOB, gbdt_defaults(GBDT_SQUARED), NULL, TRANSFER_SUM, 0, 0 };
    double *score[] = { one, mean, bound, again };
    for (int i = 0; i < 4; i++) {
        settings.bootstraps = i ? 8 : 0;
        settings.acquire = i == 2 ? ACQUIRE_UCB : ACQUIRE_MEAN;
        struct cost_model *model = model_of(&r, 60, &settings);
        cost_model_score(model, SIZE, all, score[i]);
        cost_model_free(model);
    }
    for (int i = 0; i < 60; i++)
        known[r.config[i]] = true;
    double width[2] = { 0.0, 0.0 };
    int count[2] = { 0, 0 }, differ = 0;
    for (uint32_t c = 0; c < SIZE; c++) {
        assert_same_bits(mean[c], again[c]);
        assert_true(bound[c] >= mean[c]);
        width[known[c]] += bound[c] - mean[c];
        count[known[c]]++;
        differ += mean[c] != one[c];
    }
    assert_true(differ > SIZE / 2);
    assert_true(width[0] / count[0] > width[1] / count[1]);
}

/* ---- transfer ---- */

TEST(the_weight_of_the_global_model)
{
    assert_same_bits(cost_model_global_weight(TRANSFER_SUM, 0), 1.0);
    assert_same_bits(cost_model_global_weight(TRANSFER_SUM, 100000), 1.0);
    assert_same_bits(cost_model_global_weight(TRANSFER_DECAY, 0), 1.0);
    assert_near(cost_model_global_weight(TRANSFER_DECAY, 64), 0.5, 1e-12);
    assert_near(cost_model_global_weight(TRANSFER_DECAY, 32), 1.0 / sqrt(2.0), 1e-12);
    assert_near(cost_model_global_weight(TRANSFER_DECAY, 256), 0.0625, 1e-12);
    assert_true(cost_model_global_weight(TRANSFER_DECAY, 276) >= 0.05);
    assert_same_bits(cost_model_global_weight(TRANSFER_DECAY, 277), 0.0);
}

static struct gbdt *global_of(const struct records *r, size_t tasks, const struct cost_model_settings *settings)
{
    struct task task[4];
    struct trace trace[4];
    for (size_t t = 0; t < tasks; t++) {
        task[t] = (struct task){ square, space };
        trace[t] = (struct trace){ RECORDS, xalloc(RECORDS, sizeof(struct trial)) };
        for (int i = 0; i < RECORDS; i++)
            trace[t].trial[i] = (struct trial){ .config = r[t].config[i], .measured_us = r[t].time_us[i] };
    }
    struct gbdt *global = cost_model_train_global(settings, tasks, task, trace);
    for (size_t t = 0; t < tasks; t++)
        free(trace[t].trial);
    return global;
}

TEST(transfer_is_the_global_model_and_a_local_one_that_starts_from_it)
{
    struct records history = draw(4, 2), r = draw(5, 3);
    static double want[SIZE];
    for (enum gbdt_objective objective = GBDT_SQUARED; objective <= GBDT_RANK; objective++)
        for (enum transfer transfer = TRANSFER_SUM; transfer <= TRANSFER_DECAY; transfer++) {
            struct cost_model_settings s = { .features = FEATURES_KNOB, .gbdt = gbdt_defaults(objective) };
            struct gbdt *global = global_of(&history, 1, &s);
            s.global = global;
            s.transfer = transfer;
            for (size_t n = 0; n <= RECORDS; n += 75) {
                struct cost_model *model = model_of(&r, n, &s);
                double decayed = n > 276 ? 0.0 : mathx_exp(-0.69314718055994531 * (double)n / 64.0);
                double weight = transfer == TRANSFER_SUM ? 1.0 : decayed;
                assert_true(cost_model_ready(model));
                reference(&r, n, &s.gbdt, global, weight, want);
                assert_same_scores(model, want);
                cost_model_free(model);
            }
            gbdt_free(global);
        }
}

/* Two tasks with the same valley, one of them a thousand times slower: with labels of their own they say the same. */
TEST(each_task_has_labels_of_its_own)
{
    struct cost_model_settings s = { .features = FEATURES_KNOB, .gbdt = gbdt_defaults(GBDT_SQUARED) };
    struct records both[2] = { draw(8, 4), draw(8, 4) };
    for (int i = 0; i < RECORDS; i++)
        both[1].time_us[i] *= 1000.0;
    struct gbdt *two = global_of(both, 2, &s);
    static float rows[SIZE * KNOBS];
    static double score[SIZE];
    features_fill(FEATURES_KNOB, square, space, SIZE, all, rows);
    gbdt_predict(two, SIZE, rows, score);
    double best_us = INFINITY;
    for (int i = 0; i < RECORDS; i++)
        best_us = fmin(best_us, both[0].time_us[i]);
    for (int i = 0; i < RECORDS; i++)
        assert_near(score[both[1].config[i]], isinf(both[1].time_us[i]) ? 0.0 : best_us / both[0].time_us[i], 0.1);
    gbdt_free(two);
}

TESTS("cost_model", set_up, tear_down)

/* test_evolution.c - how parents are chosen, what a round's children are, and what evolution asks for when its model
 * knows the truth. What one mutation or crossing does is in test_programs.c. */
#include "device/hypogpu.h"
#include "made_up.h"
#include "search/unseen.h"

/* ---- selection ---- */

TEST(parents_are_drawn_in_proportion_to_predicted_throughput)
{
    enum { N = 7, DRAWS = 20000 };
    static const struct {
        double score[N], share[N];
    } cases[] = {
        { { -3.0, 1.0, 0.0, 2.0, -0.5, 5.0, 0.0 }, { 0, 1.0 / 8, 0, 2.0 / 8, 0, 5.0 / 8, 0 } },
        { { -1.0, 0.0, -2.0, 0.0, -0.1, 0.0, -3 }, { 1.0 / 7, 1.0 / 7, 1.0 / 7, 1.0 / 7, 1.0 / 7, 1.0 / 7, 1.0 / 7 } },
    };
    struct rng rng = rng_stream(0, "parents", 0);
    for (int c = 0; c < 2; c++) {
        double sum[N];
        int drawn[N] = { 0 };
        evolution_fitness(N, cases[c].score, sum);
        for (int i = 0; i < DRAWS; i++)
            drawn[evolution_parent(N, sum, &rng)]++;
        for (int i = 0; i < N; i++)
            assert_near(drawn[i], DRAWS * cases[c].share[i], 4 * sqrt(DRAWS * cases[c].share[i]));
    }
}

/* ---- rounds ---- */

enum { KNOBS = 6, VALUES = 8 }; /* 262,144 configurations: far more than are ever scored here */

/* Knobs that interact: each should stand one above the one before; every step off costs a fifth or more. */
static double staircase(const struct space *space, uint32_t config)
{
    double score = 1.0;
    for (int k = 1; k < space->knobs; k++) {
        int step = space_position(space, config, k) - space_position(space, config, k - 1);
        score /= 1.0 + 0.25 * abs(step - 1);
    }
    return score;
}

/* Thousands of looks at 64 programs: the best that are left, in order. */
static void takes_the_models_best(struct evolution_settings settings)
{
    struct space *space = made_up_space(3, 4, anything_goes);
    struct gbdt *model = made_up_model(space, staircase, 1);
    settings.model = made_up_settings(model);
    settings.model.gbdt.trees = 0; /* what is measured here should not change the model's mind */
    settings.epsilon = 0.0;
    struct unseen unseen = unseen_new(space);
    void *evolution = strategy_evolution.open(&(struct task){ NULL, space }, 0, &settings);
    for (int round = 0; round < 8; round++) {
        uint32_t config[8];
        struct measurement result[8];
        assert_int_equal(strategy_evolution.ask(evolution, 8, config), 8);
        for (int i = 0; i < 8; i++) {
            uint32_t best = unseen.config[0];
            for (size_t u = 1; u < unseen.left; u++) {
                uint32_t other = unseen.config[u];
                double a = made_up_opinion(model, space, best), b = made_up_opinion(model, space, other);
                if (b > a || (b == a && other < best))
                    best = other;
            }
            assert_int_equal(config[i], best);
            unseen_take(&unseen, best);
            result[i] = (struct measurement){ 10.0 + i, 0, 1.0 };
        }
        strategy_evolution.tell(evolution, 8, config, result);
    }
    uint32_t none;
    assert_int_equal(strategy_evolution.ask(evolution, 1, &none), 0);
    strategy_evolution.close(evolution);
    unseen_free(&unseen);
    gbdt_free(model);
    space_free(space);
}

TEST(every_round_takes_the_model_and_never_what_was_measured)
{
    takes_the_models_best(evolution_defaults());
    takes_the_models_best(evolution_without_tuning(5000));
}

/* ---- a population of measured programs ---- */

static int different_knobs(const struct space *space, uint32_t a, uint32_t b)
{
    int n = 0;
    for (int k = 0; k < space->knobs; k++)
        n += space_position(space, a, k) != space_position(space, b, k);
    return n;
}

/* How many knobs of a child are of neither parent. */
static int odd_knobs(const struct space *space, uint32_t child, uint32_t mother, uint32_t father)
{
    int n = 0;
    for (int k = 0; k < space->knobs; k++) {
        int position = space_position(space, child, k);
        n += position != space_position(space, mother, k) && position != space_position(space, father, k);
    }
    return n;
}

/* Whether a child is one mutation away from one of n parents, or (crossed) has each knob from one of two of them. */
static bool descends(const struct space *space, uint32_t child, int n, const uint32_t *parent, bool crossed)
{
    for (int m = 0; m < n; m++) {
        if (!crossed && different_knobs(space, child, parent[m]) == 1)
            return true;
        for (int f = 0; f < m && crossed; f++)
            if (odd_knobs(space, child, parent[m], parent[f]) == 0)
                return true;
    }
    return false;
}

/* Of 40 random configurations ten run, one slower than the other, the rest fails. Then, with a population of ten and
 * one generation, how many of six descend from those ten, or from those of them in places `from` … to - 1? */
static int descendants(double measured, double mutation, uint64_t seed, int from, int to)
{
    struct space *space = made_up_space(KNOBS, VALUES, anything_goes);
    struct evolution_settings settings = evolution_defaults();
    settings.population = 10;
    settings.generations = 1;
    settings.measured = measured;
    settings.mutation = mutation;
    settings.epsilon = 0.0;
    void *evolution = strategy_evolution.open(&(struct task){ NULL, space }, seed, &settings);
    uint32_t config[40], child[6];
    struct measurement result[40];
    int found = 0;
    assert_int_equal(strategy_evolution.ask(evolution, 40, config), 40);
    for (int i = 0; i < 40; i++)
        result[i] = (struct measurement){ i < 10 ? 10.0 + i : INFINITY, i >= 10, 1.0 };
    strategy_evolution.tell(evolution, 40, config, result);
    assert_int_equal(strategy_evolution.ask(evolution, 6, child), 6);
    for (int c = 0; c < 6; c++)
        found += descends(space, child[c], to - from, config + from, mutation == 0.0);
    strategy_evolution.close(evolution);
    space_free(space);
    return found;
}

TEST(as_many_of_the_fastest_have_children_as_the_population_takes)
{
    int mutants = 0, crossed = 0, of_the_first = 0, of_the_others = 0, strangers = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        mutants += descendants(1.0, 1.0, seed, 0, 10);
        crossed += descendants(1.0, 0.0, seed, 0, 10);
        of_the_first += descendants(0.3, 1.0, seed, 0, 3);
        of_the_others += descendants(0.3, 1.0, seed, 3, 10);
        strangers += descendants(0.0, 1.0, seed, 0, 10);
    }
    assert_true(mutants >= 55 && crossed >= 55); /* of 60; if fewer than six are born, the rest is random */
    assert_true(of_the_first >= 20);             /* the other parents are random programs */
    assert_true(of_the_others <= 3 && strangers <= 3);
}

/* ---- in a tuning ---- */

typedef double clock_us(const int *values);

static double big_tiles_are_fast(const int *v) { return v[BLOCK_M] >= 64 ? 10.0 : 100.0; }
static double parts_are_fast(const int *v) { return v[SPLIT_K] >= 8 ? 10.0 : 100.0; }
static double big_tiles_fail(const int *v) { return v[BLOCK_M] >= 64 ? INFINITY : 100.0; }

/* How many of each batch of 64 have a big tile; how many of all have each SPLIT_K. */
struct tally {
    int big[5];
    int parts[33];
};

static struct tally tune(const struct space *space, const char *shape, clock_us *time, double epsilon)
{
    struct tally tally = { 0 };
    struct task task = { workload_find(shape), space };
    struct evolution_settings settings = evolution_defaults();
    settings.epsilon = epsilon;
    settings.model.features = FEATURES_KNOB;
    void *evolution = strategy_evolution.open(&task, 0, &settings);
    for (int batch = 0; batch < 5; batch++) {
        uint32_t config[64];
        struct measurement result[64];
        assert_int_equal(strategy_evolution.ask(evolution, 64, config), 64);
        for (int i = 0; i < 64; i++) {
            int v[MATMUL_KNOBS];
            space_values(space, config[i], v);
            tally.big[batch] += v[BLOCK_M] >= 64;
            tally.parts[v[SPLIT_K]]++;
            result[i] = (struct measurement){ time(v), isinf(time(v)), 1.0 };
        }
        strategy_evolution.tell(evolution, 64, config, result);
    }
    strategy_evolution.close(evolution);
    return tally;
}

TEST(after_a_random_batch_the_fast_kind_is_asked_for)
{
    struct device *gpu = hypogpu_new(HYPOGPU_UNMODELLED);
    struct tally none = tune(gpu->space, "square", big_tiles_are_fast, 0.0);
    struct tally half = tune(gpu->space, "square", big_tiles_are_fast, 0.5);
    struct tally failing = tune(gpu->space, "square", big_tiles_fail, 0.0);
    int random = 0;
    for (int batch = 1; batch < 5; batch++) {
        assert_int_equal(none.big[batch], 64);
        assert_true(failing.big[batch] <= 2);
        random += half.big[batch];
    }
    assert_between(none.big[0], 16, 56);
    assert_memory_equal(none.big, half.big, sizeof *none.big); /* the first batch does not depend on them */
    /* Half of 256 are random; of those as large a share is big as of the first batch. */
    assert_between(random, 128 + 128 * none.big[0] / 64.0 - 32, 128 + 128 * none.big[0] / 64.0 + 32);
    device_close(gpu);
}

TEST(a_search_stays_in_the_sketches_and_reaches_each)
{
    struct device *gpu = hypogpu_new(HYPOGPU_UNMODELLED);
    struct tally square = tune(gpu->space, "square", parts_are_fast, 0.05);
    struct tally wgrad = tune(gpu->space, "wgrad", parts_are_fast, 0.05);
    assert_int_equal(square.parts[1], 320);
    assert_between(wgrad.parts[1], 16, 80); /* half of the first batch and a few random ones */
    assert_true(wgrad.parts[8] > 20 && wgrad.parts[16] > 20 && wgrad.parts[32] > 20);
    device_close(gpu);
}

TESTS("evolution", NULL, NULL)

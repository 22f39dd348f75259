/* test_strategies.c - what every strategy must keep to, and what grid, random, genetic and annealing say of
 * themselves.
 *
 * Results come from made-up clocks, so that what a strategy should have learnt is known. */
#include "../05_strategies/pool_strategies.h"
#include "device/hypogpu.h"
#include "made_up.h"
#include <stdbool.h>

enum { KNOBS = 5, VALUES = 6, MOST = 4096 };

/* Every strategy there is; NULL ends the list. */
static const struct strategy *strategies[32] = { &strategy_pool_evolution, &strategy_pool_model };

static struct device *hypogpu;
static struct space *all_legal;  /* 5 knobs of 6 values, all 7,776 legal */
static struct space *corner;     /* the same knobs, 12 legal */
static struct space *single;     /* the same knobs, 1 legal */
static struct space *islands;    /* the same knobs, legal only with the first or the last value of the first */
static struct space *none;       /* the same knobs, none legal */
static struct space *restricted; /* HypoGPU's with three knobs fixed: 5 x 5 x 7 x 6, some illegal */
static const struct workload *square;

static int nothing_goes(const void *context, const int *v) { return (void)context, (void)v, 1; }
static int only_islands(const void *context, const int *v) { return (void)context, v[0] != 1 && v[0] != 32; }
static int only_corner(const void *context, const int *v)
{
    return (void)context, v[0] < 8 || v[1] < 16 || v[2] < 16 || v[3] != 4 || v[4] != 2;
}
static int only_one(const void *context, const int *v)
{
    return only_corner(context, v) || v[0] != 8 || v[1] != 32 || v[2] != 16;
}

static int set_up(void **state)
{
    for (int s = 0; strategy_list[s]; s++)
        strategies[2 + s] = strategy_list[s];
    hypogpu = hypogpu_new(HYPOGPU_UNMODELLED);
    square = workload_find("square");
    all_legal = made_up_space(KNOBS, VALUES, anything_goes);
    corner = made_up_space(KNOBS, VALUES, only_corner);
    single = made_up_space(KNOBS, VALUES, only_one);
    islands = made_up_space(KNOBS, VALUES, only_islands);
    none = made_up_space(KNOBS, VALUES, nothing_goes);
    struct space *two = space_restrict(hypogpu->space, "SPLIT_K", 1, (int[]){ 1 });
    struct space *one = space_restrict(two, "GROUP_M", 1, (int[]){ 8 });
    restricted = space_restrict(one, "num_warps", 1, (int[]){ 4 });
    space_free(one);
    space_free(two);
    return 0;
}

static int tear_down(void **state)
{
    space_free(restricted);
    space_free(none);
    space_free(islands);
    space_free(single);
    space_free(corner);
    space_free(all_legal);
    device_close(hypogpu);
    return 0;
}

/* ---- made-up clocks ---- */

typedef double clock_us(const struct space *space, uint32_t config);

/* Each knob has a best value of its own, in the middle; every step away from it costs 30 %. */
static double separable(const struct space *space, uint32_t config)
{
    double time_us = 100.0;
    for (int k = 0; k < space->knobs; k++) {
        int off = space_position(space, config, k) - space->knob[k].count / 2;
        for (int i = abs(off); i > 0; i--)
            time_us *= 1.3;
    }
    return time_us;
}

/* Only the first knob matters: the lower half of its values is ten times faster than the upper. */
static double first_knob(const struct space *space, uint32_t config)
{
    return 2 * space_position(space, config, 0) < space->knob[0].count ? 10.0 : 100.0;
}

static double always_fails(const struct space *space, uint32_t config)
{
    (void)space, (void)config;
    return INFINITY;
}

/* As separable, but the upper half of the second knob's values fails. */
static double half_fails(const struct space *space, uint32_t config)
{
    return 2 * space_position(space, config, 1) >= space->knob[1].count ? INFINITY : separable(space, config);
}

/* ---- running a strategy ---- */

struct run {
    size_t count;
    uint32_t config[MOST];
};

/* Asks for `batch` at a time until `total` are measured or nothing more comes; checks the rules on the way. */
static void run(struct run *run, const struct strategy *s, const struct space *space, uint64_t seed,
                const void *settings, size_t batch, size_t total, clock_us *time)
{
    struct task task = { square, space };
    void *self = s->open(&task, seed, settings);
    bool *asked = xalloc(space->size, sizeof *asked);
    uint32_t *configs = xalloc(batch, sizeof *configs);
    struct measurement *results = xalloc(batch, sizeof *results);
    assert_true(total <= MOST);
    run->count = 0;
    while (run->count < total) {
        size_t want = batch < total - run->count ? batch : total - run->count, n = s->ask(self, want, configs);
        size_t left = space->legal_count - run->count, expected = want < left ? want : left;
        if (n != expected)
            fail_msg("%s: asked for %zu, wanted %zu, of %zu left", s->name, n, want, left);
        for (size_t i = 0; i < n; i++) {
            if (configs[i] >= space->size || !space_is_legal(space, configs[i]) || asked[configs[i]])
                fail_msg("%s: trial %zu is illegal or was asked before", s->name, run->count);
            asked[configs[i]] = true;
            run->config[run->count++] = configs[i];
            double time_us = time(space, configs[i]);
            results[i] = (struct measurement){ time_us, isinf(time_us), 1.0 };
        }
        s->tell(self, n, configs, results);
        if (n == 0)
            break;
    }
    s->close(self);
    free(results);
    free(configs);
    free(asked);
}

static bool same_run(const struct run *a, const struct run *b)
{
    return a->count == b->count && !memcmp(a->config, b->config, a->count * sizeof *a->config);
}

/* ---- every strategy ---- */

TEST(each_asks_for_every_legal_configuration_once)
{
    const struct {
        const struct space *space;
        size_t batch, total;
    } cases[] = {
        { hypogpu->space, 64, 192 }, { hypogpu->space, 7, 21 }, { restricted, 64, MOST }, { all_legal, 64, 256 },
        { corner, 5, MOST },         { corner, 64, MOST },      { corner, 1, MOST },      { single, 1, MOST },
        { single, 16, MOST },        { none, 16, MOST },
    };
    clock_us *clocks[] = { separable, half_fails, always_fails };
    assert_int_equal(corner->legal_count, 12);
    assert_int_equal(single->legal_count, 1);
    assert_true(restricted->legal_count > 200 && restricted->legal_count < restricted->size);
    static struct run r;
    for (const struct strategy **s = strategies; *s; s++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            for (size_t t = 0; t < 3; t++) {
                size_t total = cases[c].total, legal = cases[c].space->legal_count;
                run(&r, *s, cases[c].space, 1, NULL, cases[c].batch, total, clocks[t]);
                assert_int_equal(r.count, total < legal ? total : legal);
            }
}

TEST(each_repeats_itself_for_a_seed)
{
    static struct run a, again, b;
    for (const struct strategy **s = strategies; *s; s++) {
        run(&a, *s, all_legal, 5, NULL, 32, 128, separable);
        run(&again, *s, all_legal, 5, NULL, 32, 128, separable);
        run(&b, *s, all_legal, 6, NULL, 32, 128, separable);
        assert_true(same_run(&a, &again));
        assert_int_equal(same_run(&a, &b), *s == &strategy_grid);
    }
}

/* ---- grid, random ---- */

TEST(grid_goes_in_lexicographic_order)
{
    static struct run r;
    run(&r, &strategy_grid, hypogpu->space, 0, NULL, 64, 1024, separable);
    for (size_t i = 0; i < r.count; i++)
        assert_int_equal(r.config[i], hypogpu->space->legal[i]);
    assert_int_equal(space_position(hypogpu->space, r.config[1023], BLOCK_M), 0); /* lecture 4.6 */
}

TEST(random_makes_each_equally_likely)
{
    enum { RUNS = 2400 };
    int first[12] = { 0 }, last[12] = { 0 };
    static struct run r;
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        run(&r, &strategy_random, corner, seed, NULL, 5, MOST, separable);
        for (int i = 0; i < 12; i++) {
            first[i] += r.config[0] == corner->legal[i];
            last[i] += r.config[11] == corner->legal[i];
        }
    }
    double mean = RUNS / 12.0, sd = sqrt(mean * 11.0 / 12.0);
    for (int i = 0; i < 12; i++) {
        assert_between(first[i], mean - 4 * sd, mean + 4 * sd);
        assert_between(last[i], mean - 4 * sd, mean + 4 * sd);
    }
}

/* ---- genetic ---- */

/* The knobs in which two configurations differ, and by how many values. */
static int differ(uint32_t a, uint32_t b, int *distance)
{
    int knobs = *distance = 0;
    for (int k = 0; k < KNOBS; k++) {
        int d = abs(space_position(all_legal, a, k) - space_position(all_legal, b, k));
        knobs += d > 0;
        *distance += d;
    }
    return knobs;
}

/* In how many knobs config differs from the nearest crossing of a and b: one's first knobs and the other's last. */
static int off_cross(const struct space *space, uint32_t config, uint32_t a, uint32_t b)
{
    int least = space->knobs;
    for (int cut = 0; cut <= space->knobs; cut++) {
        int ab = 0, ba = 0;
        for (int k = 0; k < space->knobs; k++) {
            int now = space_position(space, config, k);
            ab += now != space_position(space, k < cut ? a : b, k);
            ba += now != space_position(space, k < cut ? b : a, k);
        }
        least = ab < least ? ab : least;
        least = ba < least ? ba : least;
    }
    return least;
}

/* A generation whose clock says clock[i], in later ones all fails. config [population] = the first generation; returns
 * the first child of generation 1 + `later`. */
static uint32_t bred(uint64_t seed, struct genetic_settings settings, int later, const double *clock, uint32_t *config)
{
    enum { MOST_POPULATION = 20 };
    size_t n = (size_t)settings.population;
    struct task task = { square, all_legal };
    void *self = strategy_genetic.open(&task, seed, &settings);
    uint32_t child, next[MOST_POPULATION];
    for (int generation = 0; generation <= later; generation++) {
        struct measurement result[MOST_POPULATION];
        uint32_t *now = generation ? next : config;
        assert_int_equal(strategy_genetic.ask(self, n, now), n);
        for (size_t i = 0; i < n; i++)
            result[i] = (struct measurement){ generation ? INFINITY : clock[i], 0, 1.0 };
        strategy_genetic.tell(self, n, now, result);
    }
    assert_int_equal(strategy_genetic.ask(self, 1, &child), 1);
    strategy_genetic.close(self);
    return child;
}

/* Two run, all else fails. Mean distance of a child from a crossing of those two. */
static double crossing_error(int population, int later, double mutation, int elites)
{
    enum { SEEDS = 80 };
    double clock[] = { 10.0, 10.0, INFINITY, INFINITY };
    uint32_t config[4];
    int off = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct genetic_settings settings = { population, elites, mutation };
        uint32_t child = bred(seed, settings, later, clock, config);
        off += off_cross(all_legal, child, config[0], config[1]);
    }
    return (double)off / SEEDS;
}

TEST(genetic_children_cross_the_fast)
{
    double crossed = crossing_error(2, 0, 0.0, 0);
    assert_between(crossed, 0.0, 0.02); /* a crossing that repeats a parent is tried again, with another cut */
    assert_between(crossing_error(2, 0, 0.1, 0), crossed, 1.0);
    assert_between(crossing_error(2, 0, 1.0, 0), 2.8, 4.2);
}

TEST(genetic_elites_stay_parents)
{
    assert_between(crossing_error(4, 4, 0.0, 0), 1.6, 3.5);
    assert_between(crossing_error(4, 4, 0.0, 2), 0.8, 1.4);
}

/* Parents are drawn by rank: how much faster the fast are makes no difference, and the slow are hardly ever drawn. */
TEST(genetic_parents_are_drawn_by_rank)
{
    enum { N = 20, SEEDS = 200, QUARTER = N / 4 };
    double close[N], far[N];
    int like_fast = 0, like_slow = 0, distance;
    for (int i = 0; i < N; i++) {
        close[i] = 100.0 + 0.01 * i;
        far[i] = ldexp(1.0, i);
    }
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t config[N];
        struct genetic_settings settings = { N, 3, 0.0 };
        uint32_t child = bred(seed, settings, 0, close, config);
        assert_int_equal(bred(seed, settings, 0, far, config), child);
        for (int i = 0; i < QUARTER; i++) {
            like_fast += KNOBS - differ(child, config[i], &distance);
            like_slow += KNOBS - differ(child, config[N - 1 - i], &distance);
        }
    }
    /* By chance a knob in six is alike. The fastest quarter has 0.58 of either parent, the slowest 0.016. */
    assert_between((double)like_slow / (SEEDS * QUARTER), 0.73, 0.98);
    assert_between((double)like_fast / (SEEDS * QUARTER), 1.13, 1.45);
}

/* ---- annealing ---- */

TEST(acceptance_has_its_limits)
{
    assert_near(annealing_acceptance(-0.02, 0.05), 0.67032004603563933, 1e-12); /* e^-0.4 */
    assert_same_bits(annealing_acceptance(0.0, 0.5), 1.0);
    assert_same_bits(annealing_acceptance(3.0, 0.0), 1.0);
    assert_same_bits(annealing_acceptance(-1e-300, 0.0), 0.0);
    assert_same_bits(annealing_acceptance(-1e6, 0.05), 0.0);
}

TEST(annealing_learns_to_avoid_what_fails)
{
    static struct run r;
    int failed = 0;
    run(&r, &strategy_annealing, all_legal, 4, NULL, 64, 320, half_fails);
    for (size_t i = 128; i < r.count; i++)
        failed += isinf(half_fails(all_legal, r.config[i]));
    assert_true(failed <= 20); /* of 192; one in twenty is drawn at random, and half of those fail */
}

/* How many of n trials, after the first 128, are not of the kind that is fast. */
static int off_target(double epsilon, size_t batch, size_t n)
{
    enum { LEARN = 128 };
    struct annealing_settings s = annealing_defaults();
    s.epsilon = epsilon;
    s.diversity = 1.0;
    static struct run r;
    int off = 0;
    run(&r, &strategy_annealing, all_legal, 2, &s, batch, LEARN + n, first_knob);
    for (size_t i = LEARN; i < r.count; i++)
        off += first_knob(all_legal, r.config[i]) > 10.0;
    return off;
}

/* With this clock the model knows all there is to know by then, and never proposes a slow one. Half of the random
 * ones are slow; the bounds are 4 standard deviations away. */
TEST(annealing_draws_an_epsilon_at_random)
{
    assert_int_equal(off_target(0.0, 64, 512), 0);
    assert_between(off_target(0.25, 64, 512), 0.25 * 256 - 23, 0.25 * 256 + 23);
    assert_between(off_target(1.0, 64, 512), 256 - 46, 256 + 46);
    /* In small batches too: a twentieth of 8 is less than one, yet in the long run one in twenty is random. */
    assert_between(off_target(0.05, 8, 480), 12 - 9, 12 + 10);
}

/* A single chain; what it comes across is measured, best first. */
static struct annealing_settings one_chain(int steps, enum neighbourhood kind)
{
    struct annealing_settings s = annealing_defaults();
    s.chains = 1;
    s.steps = steps;
    s.step = kind;
    s.epsilon = 0.0;
    s.diversity = 1.0;
    return s;
}

/* A single step: after a random batch of two, the next two are where the chain was and what it was offered. */
TEST(a_step_changes_one_knob_and_honours_the_neighbourhood)
{
    static struct run r;
    for (enum neighbourhood kind = ADJACENT_VALUE; kind <= ANY_VALUE; kind++) {
        int far = 0, distance;
        struct annealing_settings s = one_chain(1, kind);
        for (uint64_t seed = 0; seed < 40; seed++) {
            run(&r, &strategy_annealing, all_legal, seed, &s, 2, 4, separable);
            assert_int_equal(differ(r.config[2], r.config[3], &distance), 1);
            far += distance > 1;
        }
        assert_true(kind == ADJACENT_VALUE ? far == 0 : far >= 10);
    }
}

/* Before anything was measured a model of another task leads, and `first_steps` counts: with one step the first two
 * are neighbours; with none the second is any. */
TEST(the_first_walk_has_its_own_steps)
{
    static struct run r;
    struct task task = { square, all_legal };
    struct trial trials[] = { { all_legal->legal[0], 0, 10.0, 1.0 }, { all_legal->legal[1], 0, 20.0, 1.0 } };
    struct annealing_settings s = one_chain(20, ADJACENT_VALUE);
    struct gbdt *global = cost_model_train_global(&s.model, 1, &task, &(struct trace){ 2, trials });
    int beside[2] = { 0, 0 }, distance;
    s.model.global = global;
    for (s.first_steps = 0; s.first_steps < 2; s.first_steps++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            run(&r, &strategy_annealing, all_legal, seed, &s, 2, 2, separable);
            beside[s.first_steps] += differ(r.config[0], r.config[1], &distance) == 1;
        }
    assert_int_equal(beside[1], 20);
    assert_true(beside[0] <= 2);
    gbdt_free(global);
}

TEST(chains_go_on_where_they_were_or_begin_anew)
{
    static struct run r;
    struct annealing_settings s = one_chain(1, ADJACENT_VALUE);
    int near[2] = { 0, 0 }, distance;
    for (uint64_t seed = 0; seed < 40; seed++) {
        bool beside = false;
        s.restart = seed >= 20;
        run(&r, &strategy_annealing, all_legal, seed, &s, 2, 6, separable);
        for (int before = 2; before < 4; before++) /* the chain is at one of these, the next offer beside it */
            for (int after = 4; after < 6; after++)
                beside |= differ(r.config[before], r.config[after], &distance) == 1;
        near[s.restart] += beside;
    }
    assert_true(near[false] >= 12); /* not all: an offer to go back is not measured again */
    assert_true(near[true] <= 4);
}

/* Two islands that no single step joins. All that one chain comes across lies on the island where it began. */
TEST(a_chain_does_not_walk_over_illegal_ground)
{
    static struct run r;
    struct annealing_settings s = one_chain(500, ADJACENT_VALUE);
    int on_first = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        int first = 0;
        run(&r, &strategy_annealing, islands, seed, &s, 16, 32, separable);
        for (size_t i = 16; i < 32; i++)
            first += space_position(islands, r.config[i], 0) == 0;
        assert_true(first == 0 || first == 16);
        on_first += first == 16;
    }
    assert_between(on_first, 1, 9);
}

TESTS("strategies", set_up, tear_down)

/* test_tuning.c - the loop: its budget, its random streams, going on after an interruption, running many side by
 * side; its judge; finalists. */
#include "../05_strategies/pool_strategies.h"
#include "check.h"
#include "experiment.h"
#include "traces.h"
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { TRIALS = 100, BATCH = 32 };

static struct device *hypogpu;
static struct space *pool; /* HypoGPU's with four knobs fixed: 5 x 5 x 7 */
static const struct workload *square, *wgrad;

static int set_up(void **state)
{
    static const char *const fixed[] = { "BLOCK_K", "num_warps", "GROUP_M", "SPLIT_K" };
    static const int to[] = { 32, 4, 8, 1 };
    hypogpu = hypogpu_new(HYPOGPU_UNMODELLED);
    square = workload_find("square");
    wgrad = workload_find("wgrad");
    for (int i = 0; i < 4; i++) {
        struct space *less = space_restrict(pool ? pool : hypogpu->space, fixed[i], 1, &to[i]);
        space_free(pool);
        pool = less;
    }
    return 0;
}

static int tear_down(void **state)
{
    space_free(pool);
    device_close(hypogpu);
    return 0;
}

static struct tuning of(const struct strategy *strategy)
{
    return (struct tuning){ .name = "test",
                            .strategy = strategy,
                            .device = hypogpu,
                            .task = { square, hypogpu->space },
                            .trials = TRIALS,
                            .batch = BATCH };
}

/* ---- the budget ---- */

/* Grid search that notes how often it was asked and told, and for how many. */
static size_t asked[16], told[16], asks, tells;
static size_t noting_ask(void *self, size_t want, uint32_t *configs)
{
    asked[asks++] = want;
    return strategy_grid.ask(self, want, configs);
}
static void noting_tell(void *self, size_t n, const uint32_t *configs, const struct measurement *results)
{
    told[tells++] = n;
    strategy_grid.tell(self, n, configs, results);
}

TEST(it_measures_what_it_may_in_batches)
{
    static const size_t batches[] = { BATCH, BATCH, BATCH, TRIALS - 3 * BATCH };
    struct strategy noting = strategy_grid;
    noting.ask = noting_ask;
    noting.tell = noting_tell;
    struct tuning t = of(&noting);
    tuning_run(&t);
    assert_int_equal(t.trace.count, TRIALS);
    assert_true(asks == 4 && tells == 4);
    assert_memory_equal(asked, batches, sizeof batches);
    assert_memory_equal(told, batches, sizeof batches);
    tuning_free(&t);
    assert_int_equal(t.trace.count, 0);
}

TEST(it_ends_when_the_space_is_exhausted)
{
    for (const struct strategy *const *s = strategy_list; *s; s++) {
        struct tuning t = of(*s);
        t.task.space = pool;
        t.trials = 500;
        assert_true(pool->legal_count > BATCH && pool->legal_count < t.trials);
        tuning_run(&t);
        assert_int_equal(t.trace.count, pool->legal_count);
        tuning_free(&t);
    }
}

/* ---- random streams ---- */

/* The factor that noise puts on trial i's time. */
static double noise_of(const struct tuning *t, size_t i)
{
    return t->trace.trial[i].measured_us / tuning_true_us(t, i);
}

TEST(streams_are_named_by_what_a_tuning_is)
{
    struct tuning base = of(&strategy_random), again = base, other[] = { base, base, base, base };
    other[0].name = "another";
    other[1].seed = 1;
    other[2].repeat = 1;
    other[3].task.workload = wgrad;
    tuning_run(&base);
    tuning_run(&again);
    assert_true(same_trace(&base.trace, &again.trace));
    for (int i = 0; i < 4; i++) {
        tuning_run(&other[i]);
        assert_false(same_configs(&base.trace, &other[i].trace));
        assert_true(fabs(noise_of(&base, 0) - noise_of(&other[i], 0)) > 1e-9);
        tuning_free(&other[i]);
    }
    tuning_free(&again);
    tuning_free(&base);
}

/* Variants of one strategy differ by their settings alone: trial n has the same noise, whatever it measures. */
TEST(variants_of_a_strategy_share_their_noise)
{
    struct annealing_settings greedy = annealing_defaults();
    greedy.diversity = 1.0;
    greedy.epsilon = 0.0;
    struct tuning a = of(&strategy_annealing), b = a;
    b.settings = &greedy;
    tuning_run(&a);
    tuning_run(&b);
    assert_false(same_configs(&a.trace, &b.trace));
    for (size_t i = 0; i < TRIALS; i++)
        assert_near(noise_of(&a, i), noise_of(&b, i), 1e-12);
    tuning_free(&b);
    tuning_free(&a);
}

TEST(the_noise_can_be_chosen)
{
    struct tuning usual = of(&strategy_random), small = usual, log_normal = usual;
    small.noise = 1e-9;
    log_normal.noise_kind = NOISE_LOG_NORMAL;
    tuning_run(&small);
    tuning_run(&usual);
    tuning_run(&log_normal);
    for (size_t i = 0; i < TRIALS; i++) {
        assert_near(noise_of(&small, i), 1.0, 1e-8);
        assert_near(noise_of(&log_normal, i), mathx_exp(noise_of(&usual, i) - 1.0), 1e-12);
    }
    tuning_free(&log_normal);
    tuning_free(&usual);
    tuning_free(&small);
}

/* ---- side by side ---- */

static void count_up(void *context, size_t done, size_t total)
{
    size_t *reported = context;
    assert_int_equal(done, ++*reported);
    assert_int_equal(total, 12);
}

TEST(a_tuning_is_the_same_alone_and_among_others)
{
    enum { MANY = 12 };
    const struct strategy *kinds[] = { &strategy_random, &strategy_genetic, &strategy_annealing };
    struct tuning alone[MANY], together[MANY];
    size_t reported = 0;
    for (int i = 0; i < MANY; i++) {
        alone[i] = of(kinds[i % 3]);
        alone[i].repeat = (uint64_t)i / 3;
        alone[i].task.workload = i % 2 ? square : wgrad;
        together[i] = alone[i];
        tuning_run(&alone[i]);
    }
#ifdef _OPENMP
    omp_set_num_threads(4);
#endif
    tuning_run_all(MANY, together, count_up, &reported);
    assert_int_equal(reported, MANY);
    for (int i = 0; i < MANY; i++) {
        assert_true(same_trace(&alone[i].trace, &together[i].trace));
        tuning_free(&together[i]);
        tuning_free(&alone[i]);
    }
}

/* What another experiment has run is taken, up to the trials asked for: only what differs in anything is run; and what
 * would end within a batch, for a smaller last batch is another one. */
TEST(an_experiment_takes_what_another_has_run)
{
    struct annealing_settings greedy = annealing_defaults();
    const struct variant variants[2] = { { .strategy = &strategy_random }, { .strategy = &strategy_annealing } },
                         other = { .strategy = &strategy_annealing, .settings = &greedy };
    struct experiment done = { .name = "test",
                               .device = hypogpu,
                               .workloads = 1,
                               .variants = 2,
                               .repeats = 2,
                               .workload = square,
                               .variant = variants,
                               .trials = TRIALS,
                               .batch = BATCH };
    struct experiment more = done, not_run = done, unlike[] = { done, done, done, done, done, done, done };
    more.repeats = 3;
    more.trials = 2 * BATCH;
    unlike[0].name = "another";
    unlike[1].workload = wgrad;
    unlike[2].batch = BATCH / 2;
    unlike[3].seed = 1;
    unlike[4].trials = TRIALS + 1;
    unlike[5].variant = &other;
    unlike[5].variants = 1;
    unlike[6].trials = BATCH + 1;
    experiment_run(&done, NULL, NULL);
    experiment_plan(&more);
    experiment_reuse(&more, NULL);
    experiment_reuse(&more, &not_run);
    experiment_reuse(&more, &done);
    for (int r = 0; r < 3; r++)
        assert_int_equal(experiment_tuning(&more, 0, 1, r)->trace.count, r < 2 ? 2 * BATCH : 0);
    struct tuning alone = *experiment_tuning(&more, 0, 1, 0);
    alone.trace = (struct trace){ 0 };
    tuning_run(&alone);
    experiment_run(&more, NULL, NULL);
    assert_true(same_trace(&alone.trace, &experiment_tuning(&more, 0, 1, 0)->trace));
    assert_int_equal(experiment_tuning(&more, 0, 1, 2)->trace.count, 2 * BATCH);
    for (int u = 0; u < 7; u++) {
        experiment_plan(&unlike[u]);
        experiment_reuse(&unlike[u], &done);
        for (size_t i = 0; i < experiment_tunings(&unlike[u]); i++)
            assert_int_equal(unlike[u].tuning[i].trace.count, 0);
        experiment_free(&unlike[u]);
    }
    tuning_free(&alone);
    experiment_free(&more);
    experiment_free(&done);
}

/* ---- in pieces, and after an interruption ---- */

TEST(steps_add_up_to_a_run)
{
    struct tuning whole = of(&strategy_annealing), pieces = whole;
    tuning_run(&whole);
    assert_true(tuning_step(&pieces, BATCH));
    assert_int_equal(pieces.trace.count, BATCH);
    assert_true(tuning_step(&pieces, 2 * BATCH));
    assert_false(tuning_step(&pieces, SIZE_MAX)); /* more than there is: to the end, and nothing is left */
    assert_false(tuning_step(&pieces, 1));
    tuning_close(&pieces);
    tuning_close(&pieces); /* once more does no harm */
    assert_true(same_trace(&whole.trace, &pieces.trace));
    tuning_free(&pieces);
    tuning_free(&whole);
}

TEST(an_interrupted_tuning_goes_on_to_the_same_end)
{
    const size_t broken_off[] = { 0, 1, BATCH - 1, BATCH, 2 * BATCH, 2 * BATCH + 5, TRIALS };
    const struct strategy *all[32] = { &strategy_pool_evolution, &strategy_pool_model };
    for (int s = 0; strategy_list[s]; s++)
        all[2 + s] = strategy_list[s];
    for (const struct strategy **s = all; *s; s++) {
        struct tuning whole = of(*s);
        whole.task.space = pool;
        tuning_run(&whole);
        for (size_t k = 0; k < sizeof broken_off / sizeof *broken_off; k++) {
            struct tuning rest = of(*s);
            rest.task.space = pool;
            rest.replay = (struct trace){ broken_off[k], whole.trace.trial };
            tuning_run(&rest);
            assert_true(same_trace(&whole.trace, &rest.trace));
            tuning_free(&rest);
        }
        tuning_free(&whole);
    }
}

/* A replayed time is taken as it is, and what follows from it changes: it is not measured anew. The configuration is
 * what the strategy asked for, so that another one in the replay can be told from it. */
TEST(replayed_results_are_believed_replayed_configurations_are_not)
{
    struct tuning whole = of(&strategy_annealing), rest = whole;
    tuning_run(&whole);
    struct trial altered[BATCH];
    for (int i = 0; i < BATCH; i++) {
        altered[i] = whole.trace.trial[i];
        altered[i].measured_us = 1.0 / altered[i].measured_us; /* what was fast is slow */
        altered[i].config++;
    }
    rest.replay = (struct trace){ BATCH, altered };
    tuning_run(&rest);
    assert_int_equal(rest.trace.count, TRIALS);
    for (int i = 0; i < BATCH; i++) {
        assert_same_bits(rest.trace.trial[i].measured_us, altered[i].measured_us);
        assert_int_equal(rest.trace.trial[i].config, whole.trace.trial[i].config);
    }
    assert_false(same_configs(&whole.trace, &rest.trace));
    tuning_free(&rest);
    tuning_free(&whole);
}

/* ---- the judge ---- */

static double true_time(const struct device *device, const struct workload *w, const int *values)
{
    return (void)device, (void)w, values[0];
}
static int all_legal(const void *context, const int *values) { return (void)context, (void)values, 0; }

/* Failures, a tie, a lucky clock. */
TEST(the_judge_looks_at_the_truth_behind_the_clock)
{
    static const int us[] = { 10, 20, 40, 80 }; /* the true time of configuration 0, 1, 2, 3 */
    static const struct knob knob = { "us", 4, us };
    struct space *space = space_new(1, &knob, 0, NULL, all_legal, NULL);
    struct device device = { .name = "made up", .space = space, .time_us = true_time };
    struct trial trial[] = { { 0, 1, INFINITY, 1 }, { 2, 0, 41, 1 }, { 1, 1, INFINITY, 2 }, { 1, 0, 30, 4 },
                             { 0, 0, 30, 8 },       { 3, 0, 25, 1 }, { 2, 0, 26, 1 } };
    static const size_t chosen[] = { 7, 7, 1, 1, 3, 3, 5, 5 };
    static const double share[] = { 0, 0, 25, 25, 50, 50, 12.5, 12.5 }, seconds[] = { 0, 1, 2, 4, 8, 16, 17, 18 };
    struct tuning t = { .device = &device, .task = { square, space }, .trace = { 7, trial } };
    for (size_t n = 0; n <= 7; n++) {
        assert_int_equal(trace_chosen(&t.trace, n), chosen[n]);
        assert_near(tuning_share(&t, n), share[n], 1e-12);
        assert_near(trace_seconds(&t.trace, n), seconds[n], 1e-12);
    }
    assert_int_equal(trace_chosen(&t.trace, 100), 5);
    assert_same_bits(tuning_true_us(&t, 5), 80.0);
    assert_int_equal(tuning_reached(&t, 5.0), 2);
    assert_int_equal(tuning_reached(&t, 25.0), 2);
    assert_int_equal(tuning_reached(&t, 50.0), 4); /* although it does not last */
    assert_int_equal(tuning_reached(&t, 50.1), 0);
    space_free(space);
}

/* ---- finalists ---- */

/* Measured fastest first: 80, 40, 20 and 10 us; without noise the mean of five is the truth. A tie goes to the earlier. */
TEST(finalists_are_measured_again_and_paid_for)
{
    static const int us[] = { 10, 20, 40, 80 };
    static const struct knob knob = { "us", 4, us };
    struct space *space = space_new(1, &knob, 0, NULL, all_legal, NULL);
    struct device device = { .name = "made up", .space = space, .time_us = true_time };
    struct trial trial[] = {
        { 1, 1, INFINITY, 1 }, { 1, 0, 30, 1 }, { 0, 0, 30, 1 }, { 3, 0, 25, 1 }, { 2, 0, 26, 1 }
    };
    static const size_t of_all[] = { 5, 3, 4, 1, 2, 2, 2 };
    struct tuning t = { .name = "test",
                        .strategy = &strategy_random,
                        .device = &device,
                        .noise = NOISE_NONE,
                        .task = { square, space },
                        .trace = { 5, trial } };
    double seconds, sum_us = 0;
    for (size_t f = 0; f < 7; f++) {
        assert_int_equal(tuning_finalist(&t, 5, f, &seconds), of_all[f]);
        sum_us += f == 1 ? 80 : f == 2 ? 40 : f == 3 ? 20 : f == 4 ? 10 : 0;
        size_t measured = f < 4 ? f : 4;
        assert_near(seconds, TUNING_RETESTS * ((double)measured + 100e-6 * sum_us), 1e-9);
    }
    assert_int_equal(tuning_finalist(&t, 4, 2, &seconds), 1); /* the last trial is not among the first four */
    assert_int_equal(tuning_finalist(&t, 1, 3, &seconds), 5); /* nothing ran */
    assert_near(seconds, 0, 0);
    assert_true(t.trace.count == 5 && trial[3].measured_us == 25);
    space_free(space);
}

/* With noise the second look is another one than the first, the same in every run, and mostly the better choice. */
TEST(finalists_are_seldom_worse_than_the_first_choice)
{
    int better = 0, worse = 0;
    for (uint64_t r = 0; r < 20; r++) {
        struct tuning t = of(&strategy_random);
        double seconds, again;
        t.repeat = r;
        t.noise = 0.2;
        tuning_run(&t);
        size_t first = trace_chosen(&t.trace, TRIALS), second = tuning_finalist(&t, TRIALS, 10, &seconds);
        assert_int_equal(tuning_finalist(&t, TRIALS, 10, &again), second);
        assert_same_bits(again, seconds);
        better += tuning_true_us(&t, second) < tuning_true_us(&t, first);
        worse += tuning_true_us(&t, second) > tuning_true_us(&t, first);
        tuning_free(&t);
    }
    assert_true(better >= 8 && better >= 3 * worse);
}

TESTS("tuning", set_up, tear_down)

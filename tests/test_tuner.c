/* test_tuner.c - the loop: its budget, its random streams, going on after an interruption, running many side by side;
 * and what is read off a trace, by brute force. */
#include "check.h"
#include "device/hypogpu.h"
#include "base/mathx.h"
#include "search/strategies.h"
#include "tuner.h"
#include "base/xalloc.h"
#include <stdbool.h>
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
    (void)state;
    static const char *const fixed[] = { "BLOCK_K", "num_warps", "GROUP_M", "SPLIT_K" };
    static const int to[] = { 32, 4, 8, 1 };
    hypogpu = hypogpu_new(HYPOGPU_UNMODELLED);
    square = workload_find("square");
    wgrad = workload_find("wgrad");
    pool = space_restrict(hypogpu->space, fixed[0], 1, &to[0]);
    for (int i = 1; i < 4; i++) {
        struct space *less = space_restrict(pool, fixed[i], 1, &to[i]);
        space_free(pool);
        pool = less;
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    space_free(pool);
    device_close(hypogpu);
    return 0;
}

static struct tuning of(const struct strategy *strategy)
{
    return (struct tuning){
        .experiment = "test",
        .strategy = strategy,
        .device = hypogpu,
        .workload = square,
        .space = hypogpu->space,
        .trials = TRIALS,
        .batch = BATCH,
    };
}

static bool same_trace(const struct trace *a, const struct trace *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        const struct trial *x = &a->trial[i], *y = &b->trial[i];
        same = x->config == y->config && x->why == y->why &&
               !memcmp(&x->measured_us, &y->measured_us, sizeof(double)) &&
               !memcmp(&x->seconds, &y->seconds, sizeof(double));
    }
    return same;
}

/* ---- the budget ---- */

static size_t heard[16], calls;
static void listen(const struct tuning *t, size_t before)
{
    assert_ptr_equal(t->listener, heard);
    assert_true(t->trace.count > before);
    heard[calls++] = before;
}

static void it_measures_what_it_may_in_batches(void **state)
{
    (void)state;
    struct tuning t = of(&strategy_random);
    t.after_batch = listen;
    t.listener = heard;
    calls = 0;
    assert_true(tuner_run(&t));
    assert_int_equal(t.trace.count, TRIALS);
    assert_int_equal(calls, 4);
    for (size_t i = 0; i < calls; i++)
        assert_int_equal(heard[i], i * BATCH);
    trace_free(&t.trace);
    assert_int_equal(t.trace.count, 0);
}

static void it_ends_when_the_space_is_exhausted(void **state)
{
    (void)state;
    for (const struct strategy *const *s = strategy_list; *s; s++) {
        struct tuning t = of(*s);
        t.space = pool;
        t.trials = 500;
        assert_true(pool->legal_count > BATCH && pool->legal_count < t.trials);
        assert_true(tuner_run(&t));
        assert_int_equal(t.trace.count, pool->legal_count);
        trace_free(&t.trace);
    }
}

/* ---- random streams ---- */

static bool same_configs(const struct trace *a, const struct trace *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = a->trial[i].config == b->trial[i].config;
    return same;
}

/* The factor that noise puts on trial i's time. */
static double noise_of(const struct tuning *t, size_t i)
{
    return t->trace.trial[i].measured_us / device_time_us(hypogpu, t->workload, t->space, t->trace.trial[i].config);
}

static void streams_are_named_by_what_a_tuning_is(void **state)
{
    (void)state;
    struct tuning base = of(&strategy_random), again = base, other[] = { base, base, base, base };
    other[0].experiment = "another";
    other[1].seed = 1;
    other[2].repeat = 1;
    other[3].workload = wgrad;
    tuner_run(&base);
    tuner_run(&again);
    assert_true(same_trace(&base.trace, &again.trace));
    for (int i = 0; i < 4; i++) {
        tuner_run(&other[i]);
        assert_false(same_configs(&base.trace, &other[i].trace));
        assert_true(fabs(noise_of(&base, 0) - noise_of(&other[i], 0)) > 1e-9);
        trace_free(&other[i].trace);
    }
    trace_free(&again.trace);
    trace_free(&base.trace);
}

/* Variants of one strategy differ by their settings alone: trial n has the same noise, whatever it measures. */
static void variants_of_a_strategy_share_their_noise(void **state)
{
    (void)state;
    struct annealing_settings greedy = annealing_defaults();
    greedy.diversity = 1.0;
    greedy.epsilon = 0.0;
    struct tuning a = of(&strategy_annealing), b = a;
    b.settings = &greedy;
    tuner_run(&a);
    tuner_run(&b);
    assert_false(same_configs(&a.trace, &b.trace));
    for (size_t i = 0; i < TRIALS; i++)
        assert_near(noise_of(&a, i), noise_of(&b, i), 1e-12);
    trace_free(&b.trace);
    trace_free(&a.trace);
}

static void the_noise_can_be_chosen(void **state)
{
    (void)state;
    struct tuning small = of(&strategy_random), usual = small, log_normal = small;
    small.noise = 1e-9;
    log_normal.noise_kind = NOISE_LOG_NORMAL;
    tuner_run(&small);
    tuner_run(&usual);
    tuner_run(&log_normal);
    double most = 0.0;
    for (size_t i = 0; i < TRIALS; i++) {
        double z = noise_of(&usual, i) - 1.0;
        assert_near(noise_of(&small, i), 1.0, 1e-8);
        assert_near(noise_of(&log_normal, i), mathx_exp(z), 1e-12);
        most = fmax(most, fabs(z));
    }
    assert_between(most, 1.5 * hypogpu->noise, 6.0 * hypogpu->noise);
    trace_free(&log_normal.trace);
    trace_free(&usual.trace);
    trace_free(&small.trace);
}

/* ---- side by side ---- */

static void count_up(void *context, size_t done, size_t total)
{
    size_t *reported = context;
    assert_int_equal(done, ++*reported);
    assert_int_equal(total, 12);
}

static void a_tuning_is_the_same_alone_and_among_others(void **state)
{
    (void)state;
    enum { MANY = 12 };
    const struct strategy *kinds[] = { &strategy_random, &strategy_genetic, &strategy_annealing };
    struct tuning alone[MANY], together[MANY];
    size_t reported = 0;
    for (int i = 0; i < MANY; i++) {
        alone[i] = of(kinds[i % 3]);
        alone[i].repeat = (uint64_t)i / 3;
        alone[i].workload = i % 2 ? square : wgrad;
        together[i] = alone[i];
        assert_true(tuner_run(&alone[i]));
    }
#ifdef _OPENMP
    omp_set_num_threads(4);
#endif
    tuner_run_all(MANY, together, count_up, &reported);
    assert_int_equal(reported, MANY);
    for (int i = 0; i < MANY; i++) {
        assert_true(same_trace(&alone[i].trace, &together[i].trace));
        trace_free(&together[i].trace);
        trace_free(&alone[i].trace);
    }
}

/* ---- in pieces, and after an interruption ---- */

static void steps_add_up_to_a_run(void **state)
{
    (void)state;
    struct tuning whole = of(&strategy_annealing), pieces = whole;
    tuner_run(&whole);
    struct tuner *tuner = tuner_open(&pieces);
    assert_true(tuner_step(tuner, BATCH));
    assert_int_equal(pieces.trace.count, BATCH);
    assert_true(tuner_step(tuner, 2 * BATCH));
    assert_false(tuner_step(tuner, TRIALS)); /* more than there is: to the end, and nothing is left */
    assert_false(tuner_step(tuner, 1));
    tuner_close(tuner);
    assert_true(same_trace(&whole.trace, &pieces.trace));
    trace_free(&pieces.trace);
    trace_free(&whole.trace);
}

static void an_interrupted_tuning_goes_on_to_the_same_end(void **state)
{
    (void)state;
    const size_t broken_off[] = { 0, 1, BATCH - 1, BATCH, 2 * BATCH, 2 * BATCH + 5, TRIALS };
    for (const struct strategy *const *s = strategy_list; *s; s++) {
        struct tuning whole = of(*s);
        whole.space = pool;
        assert_true(tuner_run(&whole));
        for (size_t k = 0; k < sizeof broken_off / sizeof *broken_off; k++) {
            struct tuning rest = whole;
            rest.replay = whole.trace.trial;
            rest.replayed = broken_off[k];
            assert_true(tuner_run(&rest));
            assert_true(same_trace(&whole.trace, &rest.trace));
            trace_free(&rest.trace);
        }
        trace_free(&whole.trace);
    }
}

/* A replayed time is taken as it is, and what follows from it changes: it is not measured anew. */
static void replayed_results_are_believed(void **state)
{
    (void)state;
    struct tuning whole = of(&strategy_annealing), rest = whole;
    tuner_run(&whole);
    struct trial altered[BATCH];
    memcpy(altered, whole.trace.trial, sizeof altered);
    for (int i = 0; i < BATCH; i++)
        altered[i].measured_us = 1.0 / whole.trace.trial[i].measured_us; /* what was fast is slow */
    rest.replay = altered;
    rest.replayed = BATCH;
    assert_true(tuner_run(&rest));
    assert_same_bits(rest.trace.trial[3].measured_us, altered[3].measured_us);
    assert_false(same_configs(&whole.trace, &rest.trace));
    trace_free(&rest.trace);
    trace_free(&whole.trace);
}

static void foreign_trials_are_refused(void **state)
{
    (void)state;
    struct tuning whole = of(&strategy_genetic);
    tuner_run(&whole);
    const size_t at[] = { 0, BATCH - 1, BATCH, 70 };
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        struct trial foreign[TRIALS];
        struct tuning rest = of(&strategy_genetic);
        memcpy(foreign, whole.trace.trial, sizeof foreign);
        foreign[at[k]].config = whole.trace.trial[(at[k] + 1) % TRIALS].config;
        rest.replay = foreign;
        rest.replayed = 80;
        assert_false(tuner_run(&rest));
        assert_true(rest.trace.count >= at[k] && rest.trace.count <= (at[k] / BATCH + 1) * BATCH);
        trace_free(&rest.trace);
    }
    trace_free(&whole.trace);
}

/* ---- reading a trace ---- */

/* A trace of made-up trials over 50 configurations; a fifth of them failed, or all. */
static struct trace random_trace(struct rng *rng, size_t count, bool all_fail, double *true_us)
{
    struct trace trace = { count, xalloc(count, sizeof *trace.trial) };
    for (int c = 0; c < 50; c++)
        true_us[c] = 10.0 + 90.0 * rng_uniform(rng);
    for (size_t i = 0; i < count; i++) {
        uint32_t config = rng_below(rng, 50);
        bool fails = rng_below(rng, 5) == 0;
        double measured = floor(true_us[config] * (0.8 + 0.4 * rng_uniform(rng))); /* whole, so that some tie */
        double seconds = 1.0 + rng_uniform(rng);
        fails = fails || all_fail;
        trace.trial[i] =
            (struct trial){ config, fails, fails ? INFINITY : measured, seconds, .true_us = true_us[config] };
    }
    return trace;
}

/* By definition: nothing before is as fast, nothing behind is faster. */
static size_t chosen_by_definition(const struct trace *t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool chosen = !isinf(t->trial[i].measured_us);
        for (size_t j = 0; j < n; j++)
            chosen = chosen && (j < i ? t->trial[j].measured_us > t->trial[i].measured_us
                                      : t->trial[j].measured_us >= t->trial[i].measured_us);
        if (chosen)
            return i;
    }
    return t->count;
}

static void what_is_read_off_a_trace_agrees_with_its_definition(void **state)
{
    (void)state;
    struct rng rng = rng_stream(0, "traces", 0);
    double true_us[50];
    for (int round = 0; round < 60; round++) {
        size_t count = rng_below(&rng, 40);
        struct trace t = random_trace(&rng, count, round % 10 == 9, true_us);
        double optimum_us = 8.0, seconds = 0.0;
        for (size_t n = 0; n <= count; n++) {
            size_t chosen = chosen_by_definition(&t, n);
            double share = chosen < count ? 100.0 * optimum_us / true_us[t.trial[chosen].config] : 0.0;
            assert_int_equal(trace_chosen(&t, n), chosen);
            assert_near(trace_share(&t, n, optimum_us), share, 1e-12);
            assert_near(trace_seconds(&t, n), seconds, 1e-9);
            seconds += n < count ? t.trial[n].seconds : 0.0;
        }
        assert_int_equal(trace_chosen(&t, count + 7), trace_chosen(&t, count));
        for (double share = 5.0; share < 90.0; share += 5.0) {
            size_t first = 0;
            for (size_t n = 1; n <= count && first == 0; n++)
                first = trace_share(&t, n, optimum_us) >= share ? n : 0;
            assert_int_equal(trace_reached(&t, share, optimum_us), first);
        }
        trace_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_measures_what_it_may_in_batches),
        cmocka_unit_test(it_ends_when_the_space_is_exhausted),
        cmocka_unit_test(streams_are_named_by_what_a_tuning_is),
        cmocka_unit_test(variants_of_a_strategy_share_their_noise),
        cmocka_unit_test(the_noise_can_be_chosen),
        cmocka_unit_test(a_tuning_is_the_same_alone_and_among_others),
        cmocka_unit_test(steps_add_up_to_a_run),
        cmocka_unit_test(an_interrupted_tuning_goes_on_to_the_same_end),
        cmocka_unit_test(replayed_results_are_believed),
        cmocka_unit_test(foreign_trials_are_refused),
        cmocka_unit_test(what_is_read_off_a_trace_agrees_with_its_definition),
    };
    return cmocka_run_group_tests_name("tuner", tests, set_up, tear_down);
}

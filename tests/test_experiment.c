/* test_experiment.c - an experiment is its tunings, each as if it had run alone; and what is read off them, by brute
 * force. */
#include "check.h"
#include "report/curves.h"
#include "traces.h"

enum { WORKLOADS = 2, VARIANTS = 3, REPEATS = 5, TRIALS = 100 };

static struct device *hypogpu;
static struct space *limited; /* HypoGPU's without split-K */
static struct workload shapes[WORKLOADS];
static struct variant variants[VARIANTS];
static struct experiment e;

static int set_up(void **state)
{
    static const int one = 1;
    hypogpu = hypogpu_new(HYPOGPU_UNMODELLED);
    limited = space_restrict(hypogpu->space, "SPLIT_K", 1, &one);
    shapes[0] = *workload_find("square");
    shapes[1] = *workload_find("wgrad");
    variants[0] = (struct variant){ &strategy_random, NULL, TEXT("random", "随机"), NULL };
    variants[1] = (struct variant){ &strategy_random, NULL, TEXT("limited", "有限"), limited };
    variants[2] = (struct variant){ &strategy_grid, NULL, TEXT("grid", "网格"), NULL };
    e = (struct experiment){ .name = "test",
                             .device = hypogpu,
                             .workloads = WORKLOADS,
                             .variants = VARIANTS,
                             .repeats = REPEATS,
                             .workload = shapes,
                             .variant = variants,
                             .trials = TRIALS,
                             .batch = 16,
                             .seed = 7 };
    experiment_plan(&e);
    experiment_run(&e, NULL, NULL);
    return 0;
}

static int tear_down(void **state)
{
    experiment_free(&e);
    space_free(limited);
    device_close(hypogpu);
    return 0;
}

TEST(each_tuning_is_as_if_alone)
{
    assert_int_equal(experiment_tunings(&e), WORKLOADS * VARIANTS * REPEATS);
    for (int w = 0; w < WORKLOADS; w++)
        for (int v = 0; v < VARIANTS; v++)
            for (int r = 0; r < REPEATS; r++) {
                struct tuning alone = { .name = "test",
                                        .seed = 7,
                                        .repeat = (uint64_t)r,
                                        .strategy = variants[v].strategy,
                                        .device = hypogpu,
                                        .task = { &shapes[w], v == 1 ? limited : hypogpu->space },
                                        .trials = TRIALS,
                                        .batch = 16 };
                tuning_run(&alone);
                assert_int_equal(alone.trace.count, TRIALS);
                assert_true(same_trace(&experiment_tuning(&e, w, v, r)->trace, &alone.trace));
                tuning_free(&alone);
            }
}

TEST(the_optimum_is_the_whole_spaces)
{
    for (int w = 0; w < WORKLOADS; w++) {
        struct landscape l = landscape_new(hypogpu, &shapes[w], hypogpu->space);
        assert_same_bits(experiment_tuning(&e, w, 0, 0)->optimum_us, l.best_us);
        landscape_free(&l);
    }
}

/* Percent of the optimum that one repeat's choice truly reaches after n trials. */
static double share_of(int w, int v, int r, size_t n)
{
    const struct trial *trial = experiment_tuning(&e, w, v, r)->trace.trial, *chosen = &trial[0];
    for (size_t i = 1; i < n; i++)
        chosen = trial[i].measured_us < chosen->measured_us ? &trial[i] : chosen;
    double true_us = device_time_us(hypogpu, &shapes[w], v == 1 ? limited : hypogpu->space, chosen->config);
    return 100.0 * experiment_tuning(&e, w, 0, 0)->optimum_us / true_us;
}

static int below(const double *of, double value)
{
    int count = 0;
    for (int r = 0; r < REPEATS; r++)
        count += of[r] < value;
    return count;
}

TEST(shares_spread_over_the_repeats)
{
    static const size_t counts[] = { 1, 16, 77, TRIALS };
    for (int w = 0; w < WORKLOADS; w++)
        for (int v = 0; v < VARIANTS; v++)
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                double share[REPEATS];
                struct spread spread = experiment_share(&e, w, v, counts[c]);
                for (int r = 0; r < REPEATS; r++)
                    share[r] = share_of(w, v, r, counts[c]);
                assert_int_equal(below(share, spread.low), 0);
                assert_true(below(share, spread.median) <= REPEATS / 2);
                assert_true(below(share, nextafter(spread.median, INFINITY)) > REPEATS / 2);
                assert_int_equal(below(share, nextafter(spread.high, INFINITY)), REPEATS);
                assert_true(below(share, spread.high) < REPEATS);
            }
}

/* How many trials one repeat takes to this share; TRIALS + 1: more than it has. */
static size_t reached_by(int w, int v, int r, double share)
{
    size_t n = 1;
    while (n <= TRIALS && share_of(w, v, r, n) < share)
        n++;
    return n;
}

TEST(trials_to_a_share_are_the_median_repeats)
{
    for (int w = 0; w < WORKLOADS; w++)
        for (int v = 0; v < VARIANTS; v++)
            for (double share = 10.0; share <= 100.0; share += 10.0) {
                size_t reached = experiment_reached(&e, w, v, share), sooner = 0, later = 0;
                if (reached == 0)
                    reached = TRIALS + 1;
                for (int r = 0; r < REPEATS; r++) {
                    sooner += reached_by(w, v, r, share) < reached;
                    later += reached_by(w, v, r, share) > reached;
                }
                assert_true(sooner <= REPEATS / 2 && later <= REPEATS / 2);
            }
}

TEST(hours_are_the_median_of_the_seconds)
{
    double hours[REPEATS], median = experiment_hours(&e, 1, 0);
    for (int r = 0; r < REPEATS; r++) {
        hours[r] = 0.0;
        for (size_t i = 0; i < TRIALS; i++)
            hours[r] += experiment_tuning(&e, 1, 0, r)->trace.trial[i].seconds / 3600.0;
    }
    assert_true(below(hours, median - 1e-9) <= REPEATS / 2 && below(hours, median + 1e-9) > REPEATS / 2);
    assert_true(median > TRIALS / 3600.0); /* a second of compiling each, at least */
}

TESTS("experiment", set_up, tear_down)

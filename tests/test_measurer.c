/* test_measurer.c - the door: what a look costs, what it says, how noisy it is, and that it closes when the budget is
 * spent. The device is a made-up one whose times are known. */
#include "check.h"
#include "device/device.h"
#include "device/measurer.h"

enum { COUNT = 6 };
static const int values[COUNT] = { 1, 2, 3, 4, 5, 6 };
static const double times_us[COUNT] = { 100.0, 5.5, 1e6, 0.25, 73.0, 12.0 };
static const struct text reasons[] = { { "odd", "怪" }, { "too large", "太大" } };

/* The third configuration is illegal for the first reason, the sixth for the second. */
static int rule(const void *context, const int *v)
{
    (void)context;
    return v[0] == 3 ? 1 : v[0] == 6 ? 2 : 0;
}

static double time_of(const struct device *device, const struct workload *w, const int *v)
{
    (void)device;
    return times_us[v[0] - 1] * w->m;
}

static struct space *space;
static struct device device;
static const struct workload workload = { .id = "w", .m = 2, .n = 1, .k = 1 };

static int set_up(void **state)
{
    space = space_new(1, (struct knob[]){ { "x", COUNT, values } }, 2, reasons, rule, NULL);
    device = (struct device){ .name = "made up", .space = space, .noise = 0.015, .time_us = time_of };
    return 0;
}

static int tear_down(void **state)
{
    space_free(space);
    return 0;
}

static struct measurer made(size_t budget, uint64_t noise_seed)
{
    return measurer_new(&device, &workload, space, budget, noise_seed);
}

/* ---- what it costs ---- */

/* Without noise; each costs its compile, what can run its runs as well. */
TEST(the_clock_says_the_truth_or_why_there_is_none)
{
    static const int why[COUNT] = { 0, 0, 1, 0, 0, 2 };
    for (int kind = NOISE_NORMAL; kind <= NOISE_LOG_NORMAL; kind++) {
        struct measurer m = made(COUNT, 0);
        struct measurement results[COUNT];
        double seconds = 0.0;
        m.noise = NOISE_NONE;
        m.noise_kind = (enum noise_kind)kind;
        assert_int_equal(measurer_measure(&m, COUNT, (uint32_t[]){ 0, 1, 2, 3, 4, 5 }, results), COUNT);
        assert_int_equal(m.trials, COUNT); /* a failure is a trial */
        for (int i = 0; i < COUNT; i++) {
            assert_int_equal(results[i].failure, why[i]);
            assert_same_bits(results[i].time_us, why[i] ? (double)INFINITY : 2.0 * times_us[i]);
            assert_near(results[i].seconds, why[i] ? 1.0 : 1.0 + 100 * 2.0 * times_us[i] * 1e-6, 1e-12);
            seconds += results[i].seconds;
        }
        assert_same_bits(m.seconds, seconds);
    }
}

/* ---- the budget ---- */

TEST(the_budget_is_never_exceeded)
{
    for (size_t budget = 0; budget < 40; budget++) {
        struct measurer m = made(budget, budget);
        for (size_t asked = 0; asked <= 8; asked++) { /* 36 in all */
            struct measurement results[8];
            size_t left = budget - m.trials, want = asked < left ? asked : left;
            for (int i = 0; i < 8; i++)
                results[i].failure = -1;
            assert_int_equal(measurer_measure(&m, asked, (uint32_t[]){ 0, 1, 2, 3, 4, 5, 0, 1 }, results), want);
            for (size_t i = 0; i < 8; i++)
                assert_int_equal(results[i].failure == -1, i >= want); /* the first ones, and no others */
        }
        assert_int_equal(m.trials, budget < 36 ? budget : 36);
    }
}

/* ---- the noise ---- */

TEST(the_same_seed_gives_the_same_results)
{
    struct measurer a = made(300, 5), b = made(300, 5), other = made(300, 6);
    uint32_t configs[300];
    struct measurement of_a[300], of_b[300], of_other[300];
    for (uint32_t i = 0; i < 300; i++)
        configs[i] = i % COUNT;
    measurer_measure(&a, 300, configs, of_a);
    for (size_t i = 0; i < 300; i += 3) /* whole or in batches: the same */
        measurer_measure(&b, 3, configs + i, of_b + i);
    measurer_measure(&other, 300, configs, of_other);
    int differ = 0;
    for (int i = 0; i < 300; i++) {
        assert_same_bits(of_a[i].time_us, of_b[i].time_us);
        assert_int_equal(of_a[i].failure, of_b[i].failure);
        differ += of_a[i].time_us != of_other[i].time_us;
    }
    assert_int_equal(differ, 200); /* all that ran */
}

/* A run that was interrupted after `known` trials and goes on is the run that was not. */
TEST(a_replayed_trial_moves_no_others_noise)
{
    enum { N = 20 };
    uint32_t configs[N];
    struct measurement whole[N], rest[N];
    struct measurer uninterrupted = made(N, 3);
    for (uint32_t i = 0; i < N; i++)
        configs[i] = i % COUNT;
    measurer_measure(&uninterrupted, N, configs, whole);
    for (size_t known = 0; known <= N; known++) {
        struct measurer m = made(N, 3);
        for (size_t i = 0; i < known; i++)
            measurer_replay(&m, configs[i], &whole[i]);
        assert_int_equal(m.trials, known);
        assert_int_equal(measurer_measure(&m, N, configs + known, rest), N - known);
        for (size_t i = known; i < N; i++) {
            assert_same_bits(rest[i - known].time_us, whole[i].time_us);
            assert_same_bits(rest[i - known].seconds, whole[i].seconds);
        }
        assert_same_bits(m.seconds, uninterrupted.seconds);
    }
}

/* Every trial has a stream of its own; neighbouring streams must not lean on each other. */
TEST(noise_of_one_trial_says_nothing_of_the_next)
{
    enum { N = 50000 };
    struct measurer m = made(N, 1);
    double last = 0.0, products = 0.0;
    for (int i = 0; i < N; i++) {
        struct measurement result;
        measurer_measure(&m, 1, (uint32_t[]){ 4 }, &result);
        double z = (result.time_us / (2.0 * times_us[4]) - 1.0) / 0.015;
        products += z * last;
        last = z;
    }
    assert_near(products / N, 0.0, 5.0 / sqrt(N));
}

/* Mean and sd of what 100,000 measurements of one configuration say, over its true time, less 1; or of the log. */
static void spread(struct measurer m, double *mean, double *sd)
{
    enum { N = 100000 };
    double sum = 0.0, squares = 0.0;
    m.budget = N;
    for (int i = 0; i < N; i++) {
        struct measurement result;
        measurer_measure(&m, 1, (uint32_t[]){ 4 }, &result);
        double x = result.time_us / (2.0 * times_us[4]);
        x = m.noise_kind == NOISE_LOG_NORMAL ? log(x) : x - 1.0;
        sum += x;
        squares += x * x;
    }
    *mean = sum / N;
    *sd = sqrt(squares / N - *mean * *mean);
}

/* The logarithm of a normal number with an sd of 0.3 would have a mean of -0.05. */
TEST(noise_has_its_mean_and_spread)
{
    static const struct {
        enum noise_kind kind;
        double noise, sd;
    } cases[] = {
        { NOISE_NORMAL, 0.0, 0.015 }, /* the device's */
        { NOISE_NORMAL, 0.1, 0.1 },
        { NOISE_LOG_NORMAL, 0.02, 0.02 },
        { NOISE_LOG_NORMAL, 0.3, 0.3 },
    };
    for (uint64_t c = 0; c < 4; c++) {
        struct measurer m = made(0, c);
        m.noise_kind = cases[c].kind;
        m.noise = cases[c].noise;
        double mean, sd, bound = 5.0 * cases[c].sd / sqrt(100000.0);
        spread(m, &mean, &sd);
        assert_near(mean, 0.0, bound);
        assert_near(sd, cases[c].sd, bound);
    }
}

TEST(a_clock_never_runs_backwards)
{
    struct measurer m = made(10000, 0);
    m.noise = 5.0; /* 2 of 5 draws would give a negative time */
    int low = 0;
    for (int i = 0; i < 10000; i++) {
        struct measurement result;
        measurer_measure(&m, 1, (uint32_t[]){ 0 }, &result);
        assert_true(result.time_us > 0.0 && result.seconds > 1.0);
        low += result.time_us < 10.0;
    }
    assert_true(low > 3000);
}

TESTS("measurer", set_up, tear_down)

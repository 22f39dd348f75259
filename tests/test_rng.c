/* test_rng.c - the generator against its publication, and every distribution against what it should be. The streams
 * are fixed, so a test passes always or never; the bounds are those of a fair generator (five standard deviations),
 * and where a tempting mistake exists the same bound is shown to catch it. */
#include "check.h"
#include "base/rng.h"
#include "base/xalloc.h"
#include <stdlib.h>

/* Sum over the cells of (seen - fair)^2 / fair. Fair generators give about cells - 1, with sd sqrt(2 (cells - 1)). */
static double chi_square(const uint32_t *seen, size_t cells)
{
    double total = 0.0, sum = 0.0;
    for (size_t i = 0; i < cells; i++)
        total += seen[i];
    for (size_t i = 0; i < cells; i++) {
        double off = seen[i] - total / (double)cells;
        sum += off * off;
    }
    return sum / (total / (double)cells);
}

static double chi_limit(size_t cells)
{
    double freedom = (double)cells - 1.0;
    return freedom + 5.0 * sqrt(2.0 * freedom) + 10.0;
}

/* ---- the generator ---- */

TEST(the_generator_gives_the_published_numbers)
{
    /* of the authors' C code from the state 1, 2, 3, 4; of splitmix64 from 1234567 */
    static const uint64_t reference[] = { 41943041u,
                                          58720359u,
                                          3588806011781223u,
                                          3591011842654386u,
                                          9228616714210784205u,
                                          9973669472204895162u,
                                          14011001112246962877u,
                                          12406186145184390807u,
                                          15849039046786891736u,
                                          10450023813501588000u };
    static const uint64_t mixed[] = { 6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                      4593380528125082431u, 16408922859458223821u };
    struct rng rng = { .s = { 1, 2, 3, 4 } };
    for (int i = 0; i < 10; i++)
        assert_true(rng_next(&rng) == reference[i]);
    for (uint64_t i = 0; i < 5; i++)
        assert_true(rng_mix(1234567 + (i + 1) * 0x9e3779b97f4a7c15u) == mixed[i]);
}

/* ---- streams ---- */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

TEST(streams_differ_by_seed_name_and_repeat)
{
    static const char *const names[] = { "", "a", "b", "ab", "ba", "aa", "annealing", "Annealing" };
    enum { SEEDS = 5, NAMES = 8, REPEATS = 40, DRAWS = 8, ALL = SEEDS * NAMES * REPEATS * DRAWS };
    uint64_t *seen = xalloc(ALL, sizeof *seen);
    size_t n = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (int name = 0; name < NAMES; name++)
            for (uint64_t repeat = 0; repeat < REPEATS; repeat++) {
                struct rng rng = rng_stream(seed, names[name], repeat);
                for (int i = 0; i < DRAWS; i++)
                    seen[n++] = rng_next(&rng);
            }
    qsort(seen, n, sizeof *seen, by_value);
    for (size_t i = 1; i < n; i++)
        assert_true(seen[i] != seen[i - 1]); /* by chance once in 10^11 */
    free(seen);
}

/* ---- whole numbers ---- */

TEST(every_number_below_n_is_equally_likely)
{
    static const uint32_t limits[] = { 2, 3, 5, 7, 24, 108, 1000 };
    struct rng rng = rng_stream(0, "below", 1);
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        uint32_t seen[1000] = { 0 };
        for (int i = 0; i < 100000; i++)
            seen[rng_below(&rng, limits[l])]++;
        assert_between(chi_square(seen, limits[l]), 0.0, chi_limit(limits[l]));
    }
}

/* With n = 3/4 of 2^32 four words fall on three numbers: unless some are refused, every third number comes twice as
 * often. */
TEST(large_n_has_no_bias)
{
    const uint32_t n = 0xc0000000u;
    struct rng rng = rng_stream(0, "below", 2), same = rng;
    uint32_t seen[3] = { 0 }, naive[3] = { 0 };
    for (int i = 0; i < 30000; i++) {
        seen[rng_below(&rng, n) % 3]++;
        uint64_t product = (rng_next(&same) >> 32) * n;
        naive[(product >> 32) % 3]++;
    }
    assert_between(chi_square(seen, 3), 0.0, chi_limit(3));
    assert_true(chi_square(naive, 3) > chi_limit(3)); /* the mistake is one that this test sees */
}

/* ---- uniform and normal ---- */

TEST(uniform_is_the_top_53_bits)
{
    struct rng rng = rng_stream(0, "uniform", 0), same = rng;
    uint32_t seen[64] = { 0 };
    for (int i = 0; i < 200000; i++) {
        double u = rng_uniform(&rng);
        assert_true(u >= 0.0 && u < 1.0);
        assert_same_bits(u * 0x1p53, (double)(rng_next(&same) >> 11));
        seen[(int)(u * 64.0)]++;
    }
    assert_between(chi_square(seen, 64), 0.0, chi_limit(64));
}

TEST(normal_has_the_moments_of_a_normal)
{
    enum { N = 200000 };
    struct rng rng = rng_stream(0, "normal", 0);
    double sum[5] = { 0.0 }, pairs = 0.0, last = 0.0, inside[3] = { 0.0 };
    for (int i = 0; i < N; i++) {
        double z = rng_normal(&rng), power = 1.0;
        for (int p = 1; p <= 4; p++)
            sum[p] += power *= z;
        for (int sd = 1; sd <= 3; sd++)
            inside[sd - 1] += fabs(z) < sd;
        pairs += z * last; /* every other product is of one polar pair */
        last = z;
    }
    assert_near(sum[1] / N, 0.0, 5.0 * sqrt(1.0 / N));
    assert_near(sum[2] / N, 1.0, 5.0 * sqrt(2.0 / N));
    assert_near(sum[3] / N, 0.0, 5.0 * sqrt(15.0 / N));
    assert_near(sum[4] / N, 3.0, 5.0 * sqrt(96.0 / N));
    assert_near(pairs / N, 0.0, 5.0 * sqrt(1.0 / N));
    static const double share[] = { 0.682689492, 0.954499736, 0.997300204 };
    for (int sd = 0; sd < 3; sd++)
        assert_near(inside[sd] / N, share[sd], 5.0 * sqrt(share[sd] * (1.0 - share[sd]) / N));
}

/* ---- shuffling ---- */

/* Swaps every place with any place: the usual mistake. 4^4 paths cannot fall evenly on 24 orders. */
static void mistaken_shuffle(struct rng *rng, uint32_t *items, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t j = rng_below(rng, (uint32_t)n), kept = items[i];
        items[i] = items[j];
        items[j] = kept;
    }
}

/* Shuffles 4 items 48,000 times and counts each order, written as a number of base 4. */
static double unevenness(void (*shuffle)(struct rng *, uint32_t *, size_t), uint64_t repeat)
{
    struct rng rng = rng_stream(0, "orders", repeat);
    uint32_t seen[256] = { 0 }, orders[24] = { 0 };
    for (int i = 0; i < 48000; i++) {
        uint32_t items[4] = { 0, 1, 2, 3 };
        shuffle(&rng, items, 4);
        seen[items[0] * 64 + items[1] * 16 + items[2] * 4 + items[3]]++;
    }
    size_t n = 0;
    for (int code = 0; code < 256; code++)
        if (seen[code])
            orders[n++] = seen[code];
    assert_int_equal(n, 24);
    return chi_square(orders, 24);
}

TEST(every_order_is_equally_likely)
{
    for (uint64_t repeat = 0; repeat < 4; repeat++) {
        assert_between(unevenness(rng_shuffle, repeat), 0.0, chi_limit(24));
        assert_true(unevenness(mistaken_shuffle, repeat) > chi_limit(24));
    }
}

TESTS("rng", NULL, NULL)

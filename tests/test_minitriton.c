/* test_minitriton.c - fp16 conversion against its definition, and that knobs decide how a product is computed, never
 * which product. */
#include "check.h"
#include "device/minitriton.h"
#include "base/rng.h"
#include "base/xalloc.h"
#include <float.h>
#include <stdbool.h>
#include <stdlib.h>

/* ---- fp16 ---- */

enum { INF = 0x7c00, SIGN = 0x8000, HALVES = 0x10000 };

/* IEEE 754's definition of a non-negative binary16; for infinity the number that would follow the largest, 65536. */
static double value_of(int bits)
{
    int exponent = bits >> 10, fraction = bits & 0x3ff;
    return exponent == 0 ? fraction * 0x1p-24 : (1024 + fraction) * ldexp(1, exponent - 25);
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool is_nan(half value) { return (value & 0x7fff) > INF; }

TEST(every_half_has_its_value_and_survives_a_round_trip)
{
    for (int bits = 0; bits < HALVES; bits++) {
        float value = half_to_float((half)bits);
        if (is_nan((half)bits)) {
            assert_true(isnan(value));
            assert_true(is_nan(half_from_float(value)));
            continue;
        }
        double magnitude = (bits & 0x7fff) == INF ? (double)INFINITY : value_of(bits & 0x7fff);
        assert_same_bits((double)value, bits & SIGN ? -magnitude : magnitude);
        assert_int_equal(half_from_float(value), bits);
    }
}

/* The nearer of the two neighbours; from the middle, the one whose last bit is 0. `value`: all halves, by bits. */
static half nearest(const double *value, float x)
{
    double magnitude = fabs((double)x);
    int low = 0, high = INF; /* value[low] <= magnitude; value[high] > magnitude, or high is infinity */
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (value[middle] <= magnitude)
            low = middle;
        else
            high = middle;
    }
    double twice = 2.0 * magnitude, sum = value[low] + value[high]; /* both exact: no distance is rounded */
    int rounded = twice < sum || (twice == sum && low % 2 == 0) ? low : high;
    return (half)(signbit(x) ? rounded | SIGN : rounded);
}

static void check_nearest(const double *value, uint32_t bits)
{
    float x = float_of(bits);
    if (isnan(x))
        assert_true(is_nan(half_from_float(x)));
    else if (half_from_float(x) != nearest(value, x))
        fail_msg("%a gives %04x, want %04x", (double)x, half_from_float(x), nearest(value, x));
}

TEST(a_float_becomes_the_nearest_half)
{
    double *value = xalloc(INF + 1, sizeof *value);
    for (int i = 0; i <= INF; i++)
        value[i] = value_of(i);

    /* Every half, every middle between two, and the floats just beside them; both signs. */
    for (int i = 0; i < INF; i++) {
        uint32_t exact = bits_of((float)value[i]), middle = bits_of((float)((value[i] + value[i + 1]) / 2.0));
        uint32_t probes[] = { exact, exact + 1, middle - 1, middle, middle + 1 };
        for (size_t p = 0; p < sizeof probes / sizeof *probes; p++) {
            check_nearest(value, probes[p]);
            check_nearest(value, probes[p] | 0x80000000u);
        }
    }
    /* Any floats at all, and more of those that halves can tell apart. */
    struct rng rng = rng_stream(1, "test halves", 0);
    for (int i = 0; i < 300000; i++) {
        uint32_t bits = (uint32_t)(rng_next(&rng) >> 32);
        check_nearest(value, bits);
        check_nearest(value, (bits & 0x807fffffu) | (100 + (bits >> 23 & 0xff) % 45) << 23);
    }
    assert_int_equal(half_from_float(NAN), half_from_float(-NAN));
    free(value);
}

/* ---- the kernel ---- */

struct product {
    struct workload w;
    half *a, *b, *c;
    double *ref;
};

static size_t area(int rows, int columns) { return (size_t)rows * (size_t)columns; }

static half *random_matrix(struct rng *rng, size_t size)
{
    half *matrix = xalloc(size, sizeof *matrix);
    for (size_t i = 0; i < size; i++) {
        double x = rng_normal(rng);
        matrix[i] = half_from_float((float)x);
    }
    return matrix;
}

/* Standard normal A and B, their product in float64, and a C in which every element is NaN. */
static struct product product_new(int m, int n, int k, uint64_t seed)
{
    struct rng rng = rng_stream(seed, "test minitriton", 0);
    struct product p = { .w = { .m = m, .n = n, .k = k } };
    p.a = random_matrix(&rng, area(m, k));
    p.b = random_matrix(&rng, area(k, n));
    p.c = xalloc(area(m, n), sizeof *p.c);
    memset(p.c, 0xff, area(m, n) * sizeof *p.c);
    p.ref = xalloc(area(m, n), sizeof *p.ref);
    minitriton_reference(&p.w, p.a, p.b, p.ref);
    return p;
}

static void product_free(struct product *p)
{
    free(p->a);
    free(p->b);
    free(p->c);
    free(p->ref);
}

static const int shape[][3] = {
    /* M, N, K */
    { 1, 1, 1 }, { 17, 33, 5 }, { 100, 70, 130 }, { 64, 32, 48 }, { 3, 200, 1 }, { 90, 1, 77 },
};

/* BLOCK_M, BLOCK_N, BLOCK_K, num_warps, num_stages, GROUP_M, SPLIT_K */
static const int knobs[][MATMUL_KNOBS] = {
    { 16, 16, 16, 4, 2, 1, 1 },    { 32, 64, 32, 4, 3, 8, 1 }, { 128, 256, 64, 8, 4, 4, 1 },
    { 64, 32, 16, 4, 2, 3, 4 },    { 16, 16, 32, 2, 2, 2, 7 }, { 7, 5, 3, 1, 1, 2, 3 },
    { 32, 16, 128, 4, 5, 5, 200 }, { 1, 1, 1, 1, 1, 1, 1 },    { 128, 128, 256, 8, 2, 16, 2 },
};
enum { SHAPES = sizeof shape / sizeof *shape, CONFIGS = sizeof knobs / sizeof *knobs };

/* One element as the header words it: steps of BLOCK_K, each summed by itself; SPLIT_K slices, summed in order. */
static half prescribed(const struct product *p, const int *values, int i, int j)
{
    float total = 0.0f;
    int slice = (p->w.k + values[SPLIT_K] - 1) / values[SPLIT_K], k = 0;
    for (int s = 0; s < values[SPLIT_K]; s++) {
        float partial = 0.0f;
        while (k < p->w.k && k < (s + 1) * slice) {
            float step = 0.0f;
            for (int left = values[BLOCK_K]; left > 0 && k < p->w.k && k < (s + 1) * slice; left--, k++)
                step += half_to_float(p->a[i * p->w.k + k]) * half_to_float(p->b[k * p->w.n + j]);
            partial += step;
        }
        total += partial;
    }
    return half_from_float(total);
}

/* Near the reference, and just the sum that BLOCK_K and SPLIT_K prescribe. */
TEST(every_configuration_computes_the_product)
{
    for (int s = 0; s < SHAPES; s++)
        for (int v = 0; v < CONFIGS; v++) {
            struct product p = product_new(shape[s][0], shape[s][1], shape[s][2], 3);
            minitriton_matmul(&p.w, knobs[v], p.a, p.b, p.c);
            assert_between(minitriton_error(&p.w, p.c, p.ref), 0.0, 0x1p-10); /* of one rounding to fp16: 2^-11 */
            for (int i = 0; i < p.w.m; i++)
                for (int j = 0; j < p.w.n; j++)
                    assert_int_equal(p.c[i * p.w.n + j], prescribed(&p, knobs[v], i, j));
            product_free(&p);
        }
}

/* A NaN or an infinity reaches its own row (of A) or column (of B) of C, and no other; and it reaches the error. An
 * infinity stays one: if a slice's mask let it in behind the slice's end, it would meet a masked 0 and become NaN. */
TEST(what_is_not_finite_is_not_swallowed)
{
    enum { M = 40, N = 30, K = 50 };
    const struct {
        int row, k, column;
        float value;
    } table[] = {
        { 0, 0, 0, NAN },           { 17, 31, 16, NAN },       { M - 1, K - 1, N - 1, NAN },
        { 0, 13, N - 1, INFINITY }, { 17, 27, 15, -INFINITY }, { M - 1, K - 1, 0, INFINITY },
    };
    for (size_t t = 0; t < sizeof table / sizeof *table; t++)
        for (int v = 0; v < 2 * CONFIGS; v++) {
            bool in_a = v < CONFIGS;
            struct product p = product_new(M, N, K, 7);
            half *bad = in_a ? p.a + table[t].row * K + table[t].k : p.b + table[t].k * N + table[t].column;
            *bad = half_from_float(table[t].value);
            minitriton_matmul(&p.w, knobs[v % CONFIGS], p.a, p.b, p.c);
            assert_false(minitriton_error(&p.w, p.c, p.ref) <= DBL_MAX); /* C is not finite, ref still is */
            minitriton_reference(&p.w, p.a, p.b, p.ref);
            assert_false(minitriton_error(&p.w, p.c, p.ref) <= DBL_MAX); /* neither is */
            for (int i = 0; i < M * N; i++) {
                bool hit = in_a ? i / N == table[t].row : i % N == table[t].column;
                assert_int_equal((p.c[i] & 0x7fff) >= INF, hit);
                assert_int_equal(is_nan(p.c[i]), hit && isnan(table[t].value));
            }
            product_free(&p);
        }
}

TEST(error_and_compare_measure_what_they_say)
{
    struct workload w = { .m = 2, .n = 2, .k = 1 };
    const half c[] = { 0x3c00, 0xc000, 0x0001, 0x8000 }, other[] = { 0x3c00, 0xc001, 0x8001, 0x0000 };
    const double ref[] = { 1.0, -2.5, 0.0, 0.0 }, zeros[4] = { 0 };
    assert_near(minitriton_error(&w, c, ref), 0.5 / 2.5, 1e-15);
    long by_one;
    assert_int_equal(minitriton_unlike(&w, c, other, &by_one), 2); /* -2 by one unit; 2^-24 and its opposite, by two; -0 is 0 */
    assert_int_equal(by_one, 1);
    const half nothing[4] = { 0 };
    assert_same_bits(minitriton_error(&w, nothing, zeros), 0.0);
    for (int i = 0; i < 4; i++) {
        half broken[4];
        memcpy(broken, c, sizeof broken);
        broken[i] = half_from_float(NAN);
        assert_true(isnan(minitriton_error(&w, broken, ref)));
    }
}

TESTS("minitriton", NULL, NULL)

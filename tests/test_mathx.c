/* test_mathx.c - exp, log and log2 beside libm's and at their ends. First of all a guard: if this build fuses or
 * reorders sums, every table of the suite differs, and here is the reason. */
#include "check.h"
#include "base/mathx.h"
#include "base/rng.h"
#include <float.h>

/* a*a - p is 0 when a*a is rounded as p was, and the rounding error if multiply and subtract are one instruction. */
TEST(the_build_does_not_fuse_multiply_and_add)
{
    volatile double a = 1.0 + 0x1p-30, p = a * a;
    double error = a * a - p;
    if (error != 0.0)
        fail_msg("this build fuses multiply and add: %s", "-ffp-contract=off must stand after CFLAGS");
    volatile double big = 1e16, one = 1.0;
    double x = big, y = one, sum = x + y - x; /* 1 is half a unit of 1e16, lost in x + y; a reordered sum gives 1 */
    if (sum != 0.0)
        fail_msg("this build reorders sums: %s", "-fno-fast-math must stand after CFLAGS");
}

/* ---- beside libm ---- */

static double unit_in_the_last_place(double x)
{
    int exponent;
    frexp(x, &exponent);
    return exponent < -1021 ? 0x1p-1074 : ldexp(1.0, exponent - 53);
}

static double units_apart(double a, double b) { return fabs(a - b) / unit_in_the_last_place(b); }

/* Two results within 1.8 and 0.6 units of the truth are at most two apart, and seldom that. */
static void compare(const char *name, double (*mine)(double), double (*libm)(double), double x, double *apart)
{
    double off = units_apart(mine(x), libm(x));
    if (!(off <= 2.0))
        fail_msg("%s(%a) = %a, libm says %a: %g units apart", name, x, mine(x), libm(x), off);
    *apart += off;
}

static double number_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

TEST(exp_is_as_accurate_as_libm)
{
    struct rng rng = rng_stream(0, "exp", 0);
    double apart = 0.0;
    int n = 200000;
    for (int i = 0; i < n; i++) {
        double u = rng_uniform(&rng), scale = i % 4 == 0 ? 0x1p-40 : i % 4 == 1 ? 1.0 : i % 4 == 2 ? 20.0 : 708.0;
        compare("exp", mathx_exp, exp, (2.0 * u - 1.0) * scale, &apart);
    }
    assert_between(apart / n, 0.0, 0.25); /* and most are the same double */
    for (int i = 0; i < 10000; i++)       /* beyond 709, where e^x is computed in two factors */
        compare("exp", mathx_exp, exp, 709.0 + 0.78 * i / 10000.0, &apart);
}

TEST(logarithms_are_as_accurate_as_libm)
{
    struct rng rng = rng_stream(0, "log", 0);
    double apart = 0.0, apart2 = 0.0;
    int n = 0;
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = rng_next(&rng);
        double any = number_of(bits & 0x7fffffffffffffffu), u = (double)(bits >> 11) * 0x1p-53;
        double x = i % 3 == 0 ? any : i % 3 == 1 ? 1.0 + (u - 0.5) * 0x1p-8 : 0.5 + 1.5 * u;
        if (!(x >= DBL_MIN && x <= DBL_MAX))
            continue;
        compare("log", mathx_log, log, x, &apart);
        compare("log2", mathx_log2, log2, x, &apart2);
        n++;
    }
    assert_true(n > 190000);
    assert_between(apart / n, 0.0, 0.25);
    assert_between(apart2 / n, 0.0, 0.35);
}

/* ---- exact values and ends ---- */

TEST(log2_of_a_power_of_two_is_exact)
{
    for (int k = -1022; k <= 1023; k++)
        assert_same_bits(mathx_log2(ldexp(1.0, k)), (double)k);
}

TEST(simple_values_are_exact)
{
    assert_same_bits(mathx_exp(0.0), 1.0);
    assert_same_bits(mathx_exp(-0.0), 1.0);
    assert_same_bits(mathx_log(1.0), 0.0);
    assert_same_bits(mathx_log(2.0), 0.6931471805599453);
    assert_same_bits(mathx_log(10.0), 2.302585092994046);
}

TEST(exp_ends_in_zero_and_infinity)
{
    assert_true(isfinite(mathx_exp(709.782)) && mathx_exp(709.782) > 1.79e308);
    assert_true(mathx_exp(709.79) == (double)INFINITY);
    assert_true(mathx_exp(1e300) == (double)INFINITY);
    assert_true(mathx_exp((double)INFINITY) == (double)INFINITY);
    assert_true(mathx_exp(-708.38) >= DBL_MIN);
    assert_same_bits(mathx_exp(-708.40), 0.0);
    assert_same_bits(mathx_exp(-1e300), 0.0);
    assert_same_bits(mathx_exp(-(double)INFINITY), 0.0);
    assert_true(isnan(mathx_exp((double)NAN)));
}

TESTS("mathx", NULL, NULL)

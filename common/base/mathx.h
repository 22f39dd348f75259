/* mathx.h - exp, log and log2 from + - x / alone.
 *
 * libm's results differ by one unit in the last place between C libraries and even between CPUs under one library,
 * and one such unit changes which of two equal configurations a tuner picks. These are about as accurate (under 2
 * units in the last place) and the same bits everywhere. sqrt and floor are exact in IEEE 754 and may come from libm.
 * They stand in the header so that the compiler can inline and vectorise a loop of them. */
#ifndef MATHX_H
#define MATHX_H

#include <stdint.h>
#include <string.h>

#ifdef __FAST_MATH__
#error "-ffast-math reorders sums: the tables would differ. The Makefile adds -fno-fast-math after your CFLAGS."
#endif

/* e^x. 0 below -708.39 (no subnormals), infinity above 709.78. Degree-13 Taylor sum on |r| <= ln2/2. */
static inline double mathx_exp(double x)
{
    double clamped = x < -708.39 ? -708.39 : x > 709.0 ? 709.0 : x;
    double shifted = clamped * 1.4426950408889634074 + 0x1.8p52; /* adding 1.5 * 2^52 rounds to an integer */
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    double k = shifted - 0x1.8p52;
    double r = (clamped - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33; /* ln 2 in two parts: k * hi is exact */
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = 1.0 + (r + r * r * p);
    uint64_t scale_bits = (bits + 1023) << 52; /* 2^k: the low bits of `shifted` hold k */
    double scale;
    memcpy(&scale, &scale_bits, sizeof scale);
    double result = p * scale;
    if (x > 709.0)
        result = x > 709.782712893384 ? 1e308 * 10.0 : result * (mathx_exp(x - 709.0));
    return x < -708.39 ? 0.0 : x != x ? x : result;
}

/* Split x = m * 2^e with m in [sqrt(1/2), sqrt(2)); x positive, finite and normal. */
static inline double mathx_split(double x, double *e)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += 0x3ff0000000000000u - 0x3fe6a09e667f3bcdu;
    *e = (double)((int64_t)(bits >> 52) - 1023);
    bits = (bits & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu;
    double m;
    memcpy(&m, &bits, sizeof m);
    return m;
}

/* log of m in [sqrt(1/2), sqrt(2)): with s = (m-1)/(m+1), log m = 2 (s + s^3/3 + s^5/5 + …), |s| < 0.1716. */
static inline double mathx_log_near_one(double m)
{
    double f = m - 1.0, s = f / (m + 1.0), z = s * s;
    double p = 2.0 / 23.0;
    p = p * z + 2.0 / 21.0;
    p = p * z + 2.0 / 19.0;
    p = p * z + 2.0 / 17.0;
    p = p * z + 2.0 / 15.0;
    p = p * z + 2.0 / 13.0;
    p = p * z + 2.0 / 11.0;
    p = p * z + 2.0 / 9.0;
    p = p * z + 2.0 / 7.0;
    p = p * z + 2.0 / 5.0;
    p = p * z + 2.0 / 3.0;
    double half = 0.5 * f * f;
    return f - (half - s * (half + p * z)); /* 2s = f - s f, arranged so that f, exact, leads */
}

/* Natural logarithm of a positive, normal, finite x. 0, negative and subnormal numbers give a finite wrong number. */
static inline double mathx_log(double x)
{
    double e, m = mathx_split(x, &e), l = mathx_log_near_one(m);
    return e * 0x1.62e42feep-1 + (e * 0x1.a39ef35793c76p-33 + l);
}

/* Base-2 logarithm of a positive, normal, finite x; exact when x is a power of two. */
static inline double mathx_log2(double x)
{
    double e, m = mathx_split(x, &e);
    return e + mathx_log_near_one(m) * 1.4426950408889634074;
}

#endif

/* check.h - what every test program includes: cmocka in the order it wants, and assertions for doubles.
 *
 * cmocka's assert_float_equal compares floats and lets NaN pass; these compare doubles, and NaN fails. */
#ifndef CHECK_H
#define CHECK_H

#pragma GCC diagnostic ignored "-Wunused-parameter" /* cmocka hands every test a state; few want it */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#define assert_near(a, b, tolerance)                                                                                 \
    do {                                                                                                             \
        double a_ = (a), b_ = (b);                                                                                   \
        if (!(fabs(a_ - b_) <= (tolerance)))                                                                         \
            fail_msg("%s = %.17g, want %.17g within %g", #a, a_, b_, (double)(tolerance));                           \
    } while (0)

#define assert_same_bits(a, b)                                                                                       \
    do {                                                                                                             \
        double a_ = (a), b_ = (b);                                                                                   \
        if (memcmp(&a_, &b_, sizeof a_))                                                                             \
            fail_msg("%s = %.17g, want the bits of %.17g", #a, a_, b_);                                              \
    } while (0)

#define assert_between(a, low, high)                                                                                 \
    do {                                                                                                             \
        double a_ = (a);                                                                                             \
        if (!(a_ >= (low) && a_ <= (high)))                                                                          \
            fail_msg("%s = %.17g, want %g … %g", #a, a_, (double)(low), (double)(high));                             \
    } while (0)

#endif

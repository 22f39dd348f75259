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

/* A test lists itself: TEST(what_holds) { … }, and at the end of the file TESTS("room", set_up, tear_down). */
static struct CMUnitTest check_tests[64] __attribute__((unused));
static int check_count __attribute__((unused));

#define TEST(name)                                                                                                   \
    static void name(void **state);                                                                                  \
    __attribute__((constructor)) static void list_##name(void)                                                       \
    {                                                                                                                \
        check_tests[check_count++] = (struct CMUnitTest)cmocka_unit_test(name);                                      \
    }                                                                                                                \
    static void name(void **state __attribute__((unused)))

#define TESTS(room, set_up, tear_down)                                                                               \
    int main(void) { return cmocka_run_group_tests_name(room, check_tests, set_up, tear_down); }

/* The same, but set up and torn down for each test anew. */
#define TESTS_ANEW(room, set_up, tear_down)                                                                          \
    int main(void)                                                                                                   \
    {                                                                                                                \
        for (int t = 0; t < check_count; t++) {                                                                      \
            check_tests[t].setup_func = set_up;                                                                      \
            check_tests[t].teardown_func = tear_down;                                                                \
        }                                                                                                            \
        return cmocka_run_group_tests_name(room, check_tests, NULL, NULL);                                           \
    }

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

/* timing.c - how long one call of a kernel takes: the processor time of this thread, which a busy machine moves far
 * less than the time on the wall. */
#include "cpu_gemm.h"
#include "base/clock.h"
#include "base/stats.h"
#include <math.h>

enum { SAMPLES = 5, SAMPLES_MOST = 15 };
static const double sample_s = 0.02; /* a sample is as many calls as take this long */
static const double steady = 0.02;   /* more samples are taken until the standard error is below this share … */
static const double patience_s = 1;  /* … or they took this long */

static double time_s(gemm_function *gemm, const struct problem *p, long calls)
{
    double begin = clock_thread_s();
    for (long call = 0; call < calls; call++)
        gemm(p->A, p->B, p->C);
    return clock_thread_s() - begin;
}

/* The standard error of the median of n values that scatter like a normal distribution. */
static double median_error(const double *v, int n)
{
    return 1.2533 * stats_deviation(v, (size_t)n) / sqrt(n);
}

struct timing timing_of(gemm_function *gemm, const struct problem *p)
{
    long calls = 1;
    double took, spent = 0, us[SAMPLES_MOST], wall_us[SAMPLES_MOST];
    while ((took = time_s(gemm, p, calls)) < sample_s / 2) /* warms up, too */
        calls *= 2;
    if (took < sample_s)
        calls = (long)ceil((double)calls * sample_s / took);
    struct timing timing = { 0 };
    for (int n = 0; n < SAMPLES_MOST; n++) {
        if (n >= SAMPLES && (timing.sd_us < steady * timing.us || spent > patience_s))
            break;
        double wall = clock_wall_s(), s = time_s(gemm, p, calls);
        wall_us[n] = 1e6 * (clock_wall_s() - wall) / (double)calls;
        spent += s;
        us[n] = 1e6 * s / (double)calls;
        if (n + 1 >= SAMPLES)
            timing =
                (struct timing){ stats_median(us, n + 1), median_error(us, n + 1), stats_median(wall_us, n + 1) };
    }
    return timing;
}

/* judge.c - how good a tuning's choice truly is: tuning.h's three functions that ask the device and pay nothing. */
#include "tuning.h"
#include <math.h>

double tuning_true_us(const struct tuning *t, size_t trial)
{
    return device_time_us(t->device, t->task.workload, t->task.space, t->trace.trial[trial].config);
}

static double optimum_us(struct tuning *t)
{
    if (t->optimum_us == 0.0)
        t->optimum_us = device_optimum_us(t->device, t->task.workload);
    return t->optimum_us;
}

double tuning_share(struct tuning *t, size_t n)
{
    size_t chosen = trace_chosen(&t->trace, n);
    return chosen < t->trace.count ? 100.0 * optimum_us(t) / tuning_true_us(t, chosen) : 0.0;
}

size_t tuning_reached(struct tuning *t, double share)
{
    double best_us = INFINITY;
    for (size_t i = 0; i < t->trace.count; i++)
        if (t->trace.trial[i].measured_us < best_us) {
            best_us = t->trace.trial[i].measured_us;
            if (100.0 * optimum_us(t) / tuning_true_us(t, i) >= share)
                return i + 1;
        }
    return 0;
}

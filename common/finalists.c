/* finalists.c - a second look at the few that were measured fastest, paid for at the measurer like the first. */
#include "tuning.h"
#include <math.h>
#include <stdlib.h>

/* The mean of fresh measurements, in us. */
static double measured_again(struct measurer *measurer, uint32_t config)
{
    double sum_us = 0.0;
    for (int k = 0; k < TUNING_RETESTS; k++) {
        struct measurement again;
        measurer_measure(measurer, 1, &config, &again);
        sum_us += again.time_us;
    }
    return sum_us / TUNING_RETESTS;
}

size_t tuning_finalist(const struct tuning *t, size_t n, size_t finalists, double *seconds)
{
    n = n < t->trace.count ? n : t->trace.count;
    char *name = xformat("%s/%s/%s/finalists", t->name, t->strategy->name, t->task.workload->id);
    struct rng rng = rng_stream(t->seed, name, t->repeat);
    struct measurer m = measurer_new(t->device, t->task.workload, t->task.space, finalists * TUNING_RETESTS,
                                     rng_next(&rng));
    uint32_t *order = xalloc(n, sizeof *order);
    double best_us = INFINITY;
    size_t chosen = t->trace.count;
    m.noise_kind = t->noise_kind;
    m.noise = t->noise;
    trace_order(&t->trace, n, order);
    for (size_t f = 0; f < finalists && f < n && isfinite(t->trace.trial[order[f]].measured_us); f++) {
        double us = measured_again(&m, t->trace.trial[order[f]].config);
        if (us < best_us) {
            best_us = us;
            chosen = order[f];
        }
    }
    *seconds = m.seconds;
    free(order);
    free(name);
    return chosen;
}

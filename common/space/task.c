/* task.c - what can be read off a trace without knowing the truth. */
#include "space/task.h"
#include "base/stats.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdlib.h>

void trace_free(struct trace *trace)
{
    free(trace->trial);
    *trace = (struct trace){ 0 };
}

double trace_seconds(const struct trace *trace, size_t n)
{
    double seconds = 0.0;
    for (size_t i = 0; i < n && i < trace->count; i++)
        seconds += trace->trial[i].seconds;
    return seconds;
}

size_t trace_chosen(const struct trace *trace, size_t n)
{
    size_t best = trace->count;
    double best_us = INFINITY;
    for (size_t i = 0; i < n && i < trace->count; i++)
        if (trace->trial[i].measured_us < best_us) {
            best = i;
            best_us = trace->trial[i].measured_us;
        }
    return best;
}

void trace_order(const struct trace *trace, size_t n, uint32_t *order)
{
    double *us = xalloc(n, sizeof *us);
    for (size_t i = 0; i < n; i++)
        us[i] = trace->trial[i].measured_us;
    stats_order(us, n, order);
    free(us);
}

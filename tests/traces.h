/* traces.h - when two traces are the same: trial by trial, bit by bit. */
#ifndef TRACES_H
#define TRACES_H

#include "space/task.h"
#include <string.h>

static inline bool same_configs(const struct trace *a, const struct trace *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = a->trial[i].config == b->trial[i].config;
    return same;
}

static inline bool same_trace(const struct trace *a, const struct trace *b)
{
    bool same = same_configs(a, b);
    for (size_t i = 0; same && i < a->count; i++) {
        const struct trial *x = &a->trial[i], *y = &b->trial[i];
        same = x->failure == y->failure && !memcmp(&x->measured_us, &y->measured_us, sizeof(double)) &&
               !memcmp(&x->seconds, &y->seconds, sizeof(double));
    }
    return same;
}

#endif

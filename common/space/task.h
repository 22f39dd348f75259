/* task.h - what is tuned, what one measurement says, and all that a tuning measured, in order. */
#ifndef TASK_H
#define TASK_H

#include "space/space.h"
#include "space/workload.h"

struct task { /* what is tuned, and where one may look */
    const struct workload *workload;
    const struct space *space;
};

struct measurement {
    double time_us; /* what the clock said; INFINITY if it failed */
    int failure;    /* 0, or why: a reason's number in the task's space */
    double seconds; /* what it cost, simulated */
};

struct trial {
    uint32_t config;
    int failure;        /* 0, or why: a reason of the space */
    double measured_us; /* INFINITY if it failed */
    double seconds;     /* what it cost, simulated */
};

struct trace { /* what happened, in order */
    size_t count;
    struct trial *trial; /* [count] */
};
void trace_free(struct trace *trace);

double trace_seconds(const struct trace *trace, size_t n); /* simulated seconds of the first n trials */

/* The fastest measured of the first n trials, of equals the first; trace->count if all failed. */
size_t trace_chosen(const struct trace *trace, size_t n);

/* order [n] = the first n trials, n <= trace->count, from the fastest measured on; equals in the order of trials. */
void trace_order(const struct trace *trace, size_t n, uint32_t *order);

#endif

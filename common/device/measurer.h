/* measurer.h - the door: the only way a tuner learns how fast a configuration is, and what each look costs.
 *
 * Lecture 0.4: a measurement costs 1 s of compiling and 100 runs, and comes back with 1.5 % of noise. A configuration
 * that cannot be launched costs its compile and comes back failed, with its reason. The clock is simulated: seconds
 * are counted, never waited. */
#ifndef MEASURER_H
#define MEASURER_H

#include "space/task.h"

struct device;

enum noise_kind { NOISE_NORMAL, NOISE_LOG_NORMAL }; /* time (1 + sd z), or time e^(sd z), z standard normal */

struct measurer {
    const struct device *device;
    const struct workload *workload;
    const struct space *space;
    enum noise_kind noise_kind;
    double noise;     /* sd over mean; 0: the device's, each configuration's own if it knows that; NOISE_NONE: none */
    double compile_s; /* a compile, s */
    int runs;         /* runs a measurement averages */
    size_t budget;    /* trials allowed */
    size_t trials;    /* trials done */
    double seconds;   /* simulated seconds spent */

    /* Names the streams of noise: trial number t draws from one of its own, so a replayed trial moves no other's. */
    uint64_t noise_seed;
};

#define NOISE_NONE (-1.0) /* as a noise: the clock tells the truth */
#define MEASURER_COMPILE_S 1.0
enum { MEASURER_RUNS = 100 };

/* A measurer for one tuning of `budget` trials with the lecture's costs and the device's noise, drawn from streams
 * under noise_seed. Keeps device, workload and space by reference. Change the fields afterwards for another noise or
 * cost. */
struct measurer measurer_new(const struct device *device, const struct workload *w, const struct space *space,
                             size_t budget, uint64_t noise_seed);

/* Measures configs[0 … n-1] in order until the budget is spent. Returns how many were measured; results has room for
 * n. */
size_t measurer_measure(struct measurer *m, size_t n, const uint32_t *configs, struct measurement *results);

/* Counts a trial whose result is known from an earlier, interrupted run, as if it had just been measured. */
void measurer_replay(struct measurer *m, const struct measurement *result);

#endif

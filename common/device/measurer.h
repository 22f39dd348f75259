/* measurer.h - the door: the only way a tuner learns how fast a configuration is, and what each look costs.
 *
 * Lecture 0.4: a measurement costs 1 s of compiling (or what a recording says) and 100 runs, and comes back with
 * 1.5 % of noise. A configuration that is illegal, or legal and fails, costs its compile and comes back failed,
 * with its reason. The clock is simulated: seconds are counted, never waited. A live device takes its time, and
 * has the noise that it has. */
#ifndef MEASURER_H
#define MEASURER_H

#include "space/task.h"

struct device;

enum noise_kind { NOISE_NORMAL, NOISE_LOG_NORMAL }; /* time (1 + sd z), or time e^(sd z), z standard normal */

#define NOISE_NONE (-1.0) /* as a noise: the clock tells the truth */
enum { MEASURER_RUNS = 100 }; /* that a measurement averages */

struct measurer {
    const struct device *device;
    const struct workload *workload;
    const struct space *space;
    enum noise_kind noise_kind;
    double noise;        /* sd over mean; 0: the device's, each configuration's own if it knows that; or NOISE_NONE */
    uint64_t noise_seed; /* trial t draws from a stream of its own under it, so a replayed trial moves no other's */
    size_t budget;       /* trials allowed */
    size_t trials;       /* trials done */
    double seconds;      /* spent; simulated, but on a live device */
};

/* A measurer for one tuning of `budget` trials, with the device's noise; keeps what it points to by reference. Change
 * noise and noise_kind afterwards. */
struct measurer measurer_new(const struct device *device, const struct workload *w, const struct space *space,
                             size_t budget, uint64_t noise_seed);

/* Measures configs[0 … n-1] in order until the budget is spent; a live device may do it in another order. Returns
 * how many; results has room for n. */
size_t measurer_measure(struct measurer *m, size_t n, const uint32_t *configs, struct measurement *results);

/* Whether a trial of a legal configuration can fail there. */
bool measurer_may_fail(const struct device *device);

/* Counts a trial whose result is known from an earlier, interrupted run, as if it had just been measured. */
void measurer_replay(struct measurer *m, uint32_t config, const struct measurement *result);

#endif

/* tuning.h - the lecture's loop: ask, measure, tell, note down (4.1; AutoTVM's Algorithm 1). Read this first.
 *
 * A program of your own, which prints how near 256 measurements come to the fastest of 157,500 configurations:
 *
 *     struct device *gpu = hypogpu_new(HYPOGPU_UNMODELLED);
 *     struct tuning t = { .device = gpu, .task = { workload_find("square"), gpu->space },
 *                         .strategy = &strategy_annealing, .trials = 256 };
 *     tuning_run(&t);
 *     printf("%.1f %% of the optimum\n", tuning_share(&t, t.trace.count));
 *
 * A tuning is described first and run later, so that many can run side by side: each has random streams of its own,
 * named by what it is, and its result does not depend on what runs beside it. */
#ifndef TUNING_H
#define TUNING_H

/* ---- base/: the same bits and the same words everywhere ---- */
#include "base/die.h"
#include "base/mathx.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/text.h"
#include "base/xalloc.h"

/* ---- space/: what is tuned, and where its search space comes from ---- */
#include "space/compute.h"
#include "space/matmul.h"
#include "space/sketch.h"
#include "space/space.h"
#include "space/task.h"
#include "space/workload.h"

/* ---- device/: where a configuration becomes a time, and the door that tuners pay at ---- */
#include "device/device.h"
#include "device/hypogpu.h"
#include "device/measurer.h"
#include "device/minitriton.h"
#include "device/terrain.h"

/* ---- model/: what a tuner thinks of a configuration that it has not measured ---- */
#include "model/cost_model.h"
#include "model/features.h"
#include "model/gbdt.h"

/* ---- search/: who says what is measured next ---- */
#include "search/scheduler.h"
#include "search/strategies.h"
#include "search/strategy.h"

struct tuning {
    const struct device *device;
    struct task task; /* its space: the device's, or a restriction of it */
    const struct strategy *strategy;
    size_t trials; /* measurements in all */

    /* What is left out, and therefore 0, is filled in by tuning_defaults when the tuning starts. */
    size_t batch;          /* measurements between two tells; 64 */
    const void *settings;  /* the strategy's own; NULL: its defaults */
    const char *name;      /* names the random streams, together with strategy, workload and …; "tuning" */
    uint64_t seed, repeat; /* … these */
    enum noise_kind noise_kind;
    double noise; /* sd over mean; 0: the device's; NOISE_NONE: none */

    /* An interrupted tuning goes on: its first trials are taken from here instead of being measured. The caller looks
     * whether the trace then has the same configurations: if not, another strategy made them. */
    struct trace replay;

    struct trace trace; /* the result */
    double optimum_us;  /* true time of the best configuration of device->space; 0 until somebody asks */
    struct loop *loop;  /* tuning.c's own; NULL: not begun, or closed */
};

void tuning_defaults(struct tuning *t);

/* Runs one tuning to its number of trials, or until the strategy has nothing more to ask. */
void tuning_run(struct tuning *t);

/* The same in pieces, for a scheduler that gives time now to one task, now to another: goes on for up to so many
 * further trials. False: there is nothing more to do. The trace can be read between steps. */
bool tuning_step(struct tuning *t, size_t trials);
void tuning_close(struct tuning *t); /* ends the strategy; the trace stays */
void tuning_free(struct tuning *t);  /* its result, and what tuning_close frees; not what the caller passed in */

/* Finalists: measures those `finalists` of the first n trials that were measured fastest TUNING_RETESTS times more and
 * returns the one with the least mean; trace.count if nothing ran. What that costs is in *seconds, simulated; the trace
 * does not change (finalists.c). */
enum { TUNING_RETESTS = 5 };
size_t tuning_finalist(const struct tuning *t, size_t n, size_t finalists, double *seconds);

/* ---- the judge, who may ask the device (judge.c) ---- */

double tuning_true_us(const struct tuning *t, size_t trial); /* of the trial's configuration; INFINITY: illegal */

/* The true share of the optimum, in percent, of what is chosen after n trials; 0 if nothing ran. */
double tuning_share(struct tuning *t, size_t n);

/* After how many trials the chosen one first has at least this true share (percent); 0: never. */
size_t tuning_reached(struct tuning *t, double share);

#endif

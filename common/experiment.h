/* experiment.h - several variants of tuning, on several workloads, several times: run side by side, then summarised.
 *
 * Variants that share a strategy share its random streams: they differ by what is compared alone. */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include "tuning.h"

struct variant {
    const struct strategy *strategy;
    const void *settings;      /* the strategy's own, or NULL */
    struct text name;          /* for tables */
    const struct space *space; /* where it may look; NULL: device_space */
};

/* Runs many tunings side by side, as experiment_run does. */
void tuning_run_all(size_t count, struct tuning *tunings, void (*progress)(void *context, size_t done, size_t total),
                    void *context);

struct experiment {
    const char *name; /* names the random streams */
    const struct device *device;
    int workloads, variants, repeats;
    const struct workload *workload; /* [workloads] */
    const struct variant *variant;   /* [variants] */
    size_t trials, batch;            /* of each tuning */
    uint64_t seed;
    struct tuning *tuning; /* [workloads][variants][repeats]; filled by experiment_plan, traces by _run */
};

/* Describes every tuning and finds the optima of the device's whole space, but for a live one's, which the judge
 * finds among what was measured; nothing runs yet. A budget that is larger than the largest space becomes that.
 * The caller has filled the fields above `tuning`, and keeps what they point to until experiment_free. */
void experiment_plan(struct experiment *e);

/* Takes the trials of planned tunings from another experiment that ran (NULL: none), where the same tuning is in
 * both. experiment_run runs the rest. */
void experiment_reuse(struct experiment *e, const struct experiment *done);

/* Plans them, if nobody did, and runs all tunings, several at a time where the compiler has OpenMP. progress (may be
 * NULL) is called with how many are done, by one thread at a time. */
void experiment_run(struct experiment *e, void (*progress)(void *context, size_t done, size_t total), void *context);
void experiment_free(struct experiment *e);

size_t experiment_tunings(const struct experiment *e); /* how many tunings */
struct tuning *experiment_tuning(const struct experiment *e, int workload, int variant, int repeat);

/* A global model for transfer (cost_model.h) from everything that one repeat of one variant measured on all
 * workloads. Free with gbdt_free. */
struct gbdt *experiment_global(const struct experiment *e, int variant, int repeat,
                               const struct cost_model_settings *settings);

/* Whether the budget is all of every variant's space. */
bool experiment_is_exhaustive(const struct experiment *e, int workload);

/* Over the repeats: the true share of the optimum, in percent, of what is chosen after n trials. */
struct spread experiment_share(const struct experiment *e, int workload, int variant, size_t n);

/* Median over the repeats of the trials that first bring the chosen one to this true share, in percent; 0: half of
 * them never do. */
size_t experiment_reached(const struct experiment *e, int workload, int variant, double share);

/* Median simulated hours of a tuning. */
double experiment_hours(const struct experiment *e, int workload, int variant);

/* Trial counts from `first`, doubling, and e->trials: counts [EXPERIMENT_COUNTS]; returns how many. */
enum { EXPERIMENT_COUNTS = 16 };
int experiment_counts(const struct experiment *e, size_t first, size_t *counts);

#endif

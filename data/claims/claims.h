/* claims.h - what is looked at on a device, and the lecture's claims that are held against it. */
#ifndef CLAIMS_H
#define CLAIMS_H

#include "experiment.h"
#include "report/program.h"
#include "tuning.h"

enum { SHAPES = 7, PAIRS = SHAPES * SHAPES, MOST_STAGES = 7, MOST_DEPTHS = 5 };
enum { M_VALUES = 8, TASKS = WORKLOAD_NETWORK };
extern const int claims_m[M_VALUES]; /* M = 16 … 256 */
enum { SQUARE, PREFILL_QKV, FFN_UP, FFN_DOWN, DECODE, WGRAD, SMALL }; /* the shapes, in the order of the recording */

/* What one device says. Everything is computed at the same M, N, K on both. */
struct findings {
    double within5_pct, median_slowdown;           /* square: share of the legal ones, %; their median */
    int depths, stages;                            /* values of BLOCK_K, of num_stages */
    double interaction[MOST_DEPTHS * MOST_STAGES]; /* square: slowdown [BLOCK_K][num_stages], others at the optimum */
    int best_stages[MOST_DEPTHS], distinct_stages; /* the best num_stages of each BLOCK_K; different ones */
    double list[SHAPES];                           /* best of the slides' 24 over the optimum */
    double no_split_pct;                           /* wgrad: best with SPLIT_K 1, share of the optimum */
    double cross[PAIRS], cross_median;             /* [tuned for][run on] slowdown; of two different shapes */
    int block_m[SHAPES], narrowest;                /* of the optimum; the least but for decode's */
    bool has_dynamic; /* C[M,14336], K 4096 was recorded at every M of claims_m */
    struct {
        int block_m;           /* of the optimum */
        double kept, bucketed; /* slowdown of M = 16's optimum, of that of M rounded up to a power of two */
    } dynamic[M_VALUES];
    bool has_network;         /* all tasks of workload_network were recorded */
    double task_us[TASKS];    /* at the optimum */
    double pass_us;           /* all their runs in one pass */
    double share_pct[TASKS];  /* a task's runs of that */
    double library_us[TASKS]; /* cuBLAS; 0: not recorded */
    uint32_t largest[TASKS];  /* by share */
    double autotvm256[2], random1024[2];           /* square, wgrad: share of the optimum, median of the repeats */
    double like16[2], unlike64[2]; /* prefill QKV after 16, wgrad after 64: without and with transfer */
    int optimistic;                /* shapes whose chosen one was, in the mean, measured faster than it is */
    double optimism_pct;           /* mean over the shapes and repeats */
};

/* Searches are repeated 5 times, whatever --repeats says. curves: name of a figure of those on the square; NULL:
 * none. */
struct findings findings_of(struct run *run, const struct device *device, const struct workload *shapes,
                            const char *curves);

/* How hard both terrains are for one knob at a time, on all shapes (descents.c). */
void descents_show(struct run *run, const struct device *const device[2], const struct workload *shapes);

/* Who needs how many trials, on whatever was recorded. Minutes: only --demo 8 runs it. */
void contest_show(struct run *run);

/* The table of claims: a row each, both devices, and whether it holds on the recording, the run's device, by its stated
 * condition. */
void claims_report(struct run *run, const struct findings *hypo, const struct findings *real);

#endif

/* cost_model.h - what a model-guided tuner keeps in mind: its results so far, a model fitted to them, and what that
 * model says of each configuration it was asked about (lecture 4.1 to 4.4, 4.7).
 *
 * A result's label is the best time so far over its time, 0 for a configuration that failed: it stays in the data, so
 * that the model learns to avoid its like (TVM's labels are the same). Every fit starts from scratch, since a new
 * best changes all labels.
 *
 * Transfer: a model of other tasks' results, `global`, speaks first, and this task's own model learns what it lacks,
 *     score(x) = weight * global(x) + local(x).
 * The lecture's weight is 1. TVM's code halves it with every 64 results of this task and drops the global model when
 * it is below 0.05, after 276. Both models should have the same objective, or their scores have no common unit.
 *
 * Uncertainty (4.5): several models, each fitted to as many records drawn with replacement, disagree where little is
 * known. From their mean, their standard deviation and the best mean among the records comes the score:
 *     UCB  mean + sd
 *     EI   log(s log(1 + e^((mean - best) / s))), s = sd sqrt(3) / pi: of the expected improvement, if scores are
 *          logistic, nearly normal and without erf. The logarithm keeps the order; a search weighs differences, and
 *          expected improvements differ by factors. */
#ifndef COST_MODEL_H
#define COST_MODEL_H

#include "model/features.h"
#include "model/gbdt.h"
#include "space/task.h"

enum transfer { TRANSFER_SUM, TRANSFER_DECAY };
enum acquisition { ACQUIRE_MEAN, ACQUIRE_UCB, ACQUIRE_EI };

struct cost_model_settings {
    enum features_kind features; /* FEATURES_PROGRAM; a space that has none gets its knobs instead */
    struct gbdt_settings gbdt;   /* gbdt_defaults(GBDT_RANK); with GBDT_WEIGHTED a record's weight is its label */
    const struct gbdt *global;   /* NULL. Borrowed; trained on the same kind of features */
    enum transfer transfer;      /* TRANSFER_SUM */
    int bootstraps;              /* 0: one fit to all records; else so many to resampled ones */
    enum acquisition acquire;    /* ACQUIRE_MEAN: of these fits */
};
struct cost_model_settings cost_model_defaults(void);

struct cost_model;

/* settings: NULL for the defaults. The task's workload and space are kept by reference. */
struct cost_model *cost_model_new(const struct task *task, const struct cost_model_settings *settings);
void cost_model_free(struct cost_model *model);

/* Takes note of results; what the model says changes at the next fit. */
void cost_model_add(struct cost_model *model, size_t n, const uint32_t *configs, const struct measurement *results);

/* Fits the model to all records and forgets every score. */
void cost_model_fit(struct cost_model *model);

/* Whether a fitted model has anything to say: there is a global model, or a record that did not fail. */
bool cost_model_ready(const struct cost_model *model);

/* score [n] = what the model says of configs [n], higher = better; 0 before the first fit. Features are computed
 * once, a score once a fit, however often asked for. Ask for many together: it is faster. */
void cost_model_score(struct cost_model *model, size_t n, const uint32_t *configs, double *score);

const struct gbdt *cost_model_local(const struct cost_model *model); /* this task's own, the first; NULL before a fit */

/* What `fits` models' scores of one configuration are worth. */
double cost_model_acquire(enum acquisition acquire, int fits, const double *score, double best);

/* label [n] = least time / time; 0 where time_us is INFINITY. */
void cost_model_labels(size_t n, const double *time_us, double *label);

/* The weight of the global model after n results of this task: 1, or 2^(-n/64), 0 once that is below 0.05. */
double cost_model_global_weight(enum transfer transfer, size_t n);

/* A global model from what was measured on several tasks: trace[i] on task[i], with labels within each task. Uses the
 * settings' features and gbdt (NULL: the defaults). With knob features all spaces must have equally many knobs. */
struct gbdt *cost_model_train_global(const struct cost_model_settings *settings, size_t tasks,
                                     const struct task *task, const struct trace *trace);

#endif

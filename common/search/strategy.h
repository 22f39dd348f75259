/* strategy.h - what every tuner is: ask and tell (as in Optuna, Nevergrad, scikit-optimize).
 *
 * A strategy never sees a device. It is asked for configurations worth measuring and told what the measurer said.
 * CONTRIBUTING.md says how to add one. */
#ifndef STRATEGY_H
#define STRATEGY_H

#include "space/task.h"

struct strategy {
    const char *name;  /* for options and logs: "annealing" */
    struct text title; /* for tables */

    /* settings: the strategy's own struct, NULL for its defaults. Never fails. */
    void *(*open)(const struct task *task, uint64_t seed, const void *settings);

    /* Writes up to `want` configurations to measure next and returns how many; fewer, down to 0, only when the space
     * is exhausted. Never one that it has asked for before, never an illegal one. */
    size_t (*ask)(void *self, size_t want, uint32_t *configs);

    /* The results of configurations that were asked for. */
    void (*tell)(void *self, size_t n, const uint32_t *configs, const struct measurement *results);

    void (*close)(void *self);
};

#endif

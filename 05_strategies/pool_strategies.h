/* pool_strategies.h - the second script's two strategies, beside random: for a space small enough to score whole.
 *
 * As all strategies they see no device (strategy.h); they have no settings. */
#ifndef POOL_STRATEGIES_H
#define POOL_STRATEGIES_H

#include "search/strategy.h"

enum { POOL_FIRST = 16 }; /* random measurements before anything is learnt */
extern const struct strategy strategy_pool_evolution, strategy_pool_model;

/* predicted [others] = what a ridge (ridge.h) says of other configurations, log time, that is fitted
 * to n measured ones by their knobs. A failed one (INFINITY) counts as twice the slowest. */
void pool_predict(const struct task *task, size_t n, const uint32_t *config, const double *time_us, size_t others,
                  const uint32_t *other, double *predicted);

#endif

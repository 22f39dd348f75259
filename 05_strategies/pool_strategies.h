/* pool_strategies.h - the second script's two strategies, beside random: for a space small enough to score whole.
 *
 * As all strategies they see no device (strategy.h); they have no settings. */
#ifndef POOL_STRATEGIES_H
#define POOL_STRATEGIES_H

#include "search/strategy.h"

enum { POOL_FIRST = 16 }; /* random measurements before anything is learnt */
extern const struct strategy strategy_pool_evolution, strategy_pool_model;

/* target [n] = log of the time; of a failed one (INFINITY) log of twice the slowest time seen. */
void pool_targets(size_t n, const double *time_us, double *target);

#endif

/* strategies.c - the list of all strategies. */
#include "search/strategies.h"

const struct strategy *const strategy_list[] = {
    &strategy_grid,      &strategy_random, &strategy_genetic, &strategy_annealing,
    &strategy_evolution, &strategy_beam,   NULL,
};

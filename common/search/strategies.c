/* strategies.c - the list of all strategies. */
#include "search/strategies.h"
#include <string.h>

const struct strategy *const strategy_list[] = {
    &strategy_grid,           &strategy_random,     &strategy_genetic,
    &strategy_annealing,      &strategy_evolution,  &strategy_beam,
    &strategy_pool_evolution, &strategy_pool_model, NULL,
};

const struct strategy *strategy_find(const char *name)
{
    const struct strategy *const *strategy = strategy_list;
    while (*strategy && strcmp((*strategy)->name, name))
        strategy++;
    return *strategy;
}

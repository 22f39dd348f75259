/* grid.c - grid search: the legal configurations in lexicographic order, the last knob fastest (lecture 4.6).
 *
 * No settings. It learns nothing; on HypoGPU its first 1024 configurations all have BLOCK_M = 16. */
#include "search/strategies.h"
#include "base/xalloc.h"
#include <stdlib.h>

struct grid_search {
    const struct space *space;
    size_t next; /* the place in space->legal of the next one to ask for */
};

static void *grid_open(const struct task *task, uint64_t seed, const void *settings)
{
    (void)seed, (void)settings;
    struct grid_search *grid = xalloc(1, sizeof *grid);
    grid->space = task->space;
    return grid;
}

static size_t grid_ask(void *self, size_t want, uint32_t *configs)
{
    struct grid_search *grid = self;
    size_t n = 0;
    while (n < want && grid->next < grid->space->legal_count)
        configs[n++] = grid->space->legal[grid->next++];
    return n;
}

static void grid_tell(void *self, size_t n, const uint32_t *configs, const struct measurement *results)
{
    (void)self, (void)n, (void)configs, (void)results;
}

const struct strategy strategy_grid = { "grid", { "Grid", "网格" }, grid_open, grid_ask, grid_tell, free };

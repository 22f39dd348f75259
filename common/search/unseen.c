/* unseen.c - a list one can draw from, with the place of each of its members. */
#include "search/unseen.h"
#include "base/xalloc.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct unseen unseen_new(const struct space *space)
{
    struct unseen unseen = { .left = space->legal_count };
    unseen.config = xalloc(space->legal_count, sizeof *unseen.config);
    unseen.place = xalloc(space->size, sizeof *unseen.place);
    memset(unseen.place, 0xff, space->size * sizeof *unseen.place);
    for (uint32_t i = 0; i < space->legal_count; i++) {
        unseen.config[i] = space->legal[i];
        unseen.place[space->legal[i]] = i;
    }
    return unseen;
}

void unseen_free(struct unseen *unseen)
{
    free(unseen->place);
    free(unseen->config);
}

void unseen_take(struct unseen *unseen, uint32_t config)
{
    assert(unseen_has(unseen, config));
    uint32_t hole = unseen->place[config], last = unseen->config[--unseen->left];
    unseen->config[hole] = last; /* the last one moves into the hole … */
    unseen->place[last] = hole;
    unseen->place[config] = UINT32_MAX; /* … also if it left the hole itself */
}

uint32_t unseen_draw(struct unseen *unseen, struct rng *rng)
{
    uint32_t config = unseen->config[rng_below(rng, (uint32_t)unseen->left)];
    unseen_take(unseen, config);
    return config;
}

size_t unseen_draw_many(struct unseen *unseen, size_t n, uint32_t *configs, struct rng *rng)
{
    size_t drawn = 0;
    while (drawn < n && unseen->left > 0)
        configs[drawn++] = unseen_draw(unseen, rng);
    return drawn;
}

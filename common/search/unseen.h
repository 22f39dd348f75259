/* unseen.h - the legal configurations that a strategy has not asked for yet: what keeps it from asking twice.
 *
 * A list of configurations and, for each, its place in the list: drawing one at random, taking out a given one and
 * asking whether one is still there cost the same few steps, however many are left. */
#ifndef UNSEEN_H
#define UNSEEN_H

#include "space/space.h"

struct unseen {
    size_t left;      /* how many */
    uint32_t *config; /* [left] them, in no order that means anything */
    uint32_t *place;  /* [space size] where each stands in config; at or above left: asked for, or illegal */
};

struct unseen unseen_new(const struct space *space); /* all legal configurations */
void unseen_free(struct unseen *unseen);

static inline bool unseen_has(const struct unseen *unseen, uint32_t config)
{
    return unseen->place[config] < unseen->left;
}

void unseen_take(struct unseen *unseen, uint32_t config);     /* it must be there */
uint32_t unseen_draw(struct unseen *unseen, struct rng *rng); /* takes any of them; left > 0 */

/* Draws up to n of them; returns how many, fewer only when none is left. */
size_t unseen_draw_many(struct unseen *unseen, size_t n, uint32_t *configs, struct rng *rng);

#endif

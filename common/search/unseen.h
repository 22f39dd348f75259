/* unseen.h - the legal configurations that a strategy has not asked for yet: what keeps it from asking twice.
 *
 * A list of configurations and, for each, its place in the list: drawing one at random, taking out a given one and
 * asking whether one is still there cost the same few steps, however many are left. It also keeps count of the random
 * measurements that an epsilon-greedy strategy still owes. */
#ifndef UNSEEN_H
#define UNSEEN_H

#include "space/space.h"

struct unseen {
    size_t left;      /* how many */
    uint32_t *config; /* [left] them, in no order that means anything */
    uint32_t *place;  /* [space size] where each stands in config; at or above left: asked for, or illegal */
    double owed;      /* random measurements due but not made, a fraction of one */
};

struct unseen unseen_new(const struct space *space); /* all legal configurations */
void unseen_free(struct unseen *unseen);

static inline bool unseen_has(const struct unseen *unseen, uint32_t config)
{
    return unseen->place[config] < unseen->left;
}

void unseen_take(struct unseen *unseen, uint32_t config);     /* it must be there */
uint32_t unseen_draw(struct unseen *unseen, struct rng *rng); /* takes any of them; left > 0 */

/* How many of the next `want` measurements to draw at random, so that a share epsilon (0 … 1) of all are; what is left
 * over after rounding down is drawn in a later batch. */
size_t unseen_random(struct unseen *unseen, double epsilon, size_t want);

/* Draws up to n of them; returns how many, fewer only when none is left. */
size_t unseen_draw_many(struct unseen *unseen, size_t n, uint32_t *configs, struct rng *rng);

#endif

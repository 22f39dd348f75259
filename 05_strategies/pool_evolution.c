/* pool_evolution.c - the second script's evolution: small mutations of the best few measured so far.
 *
 * After POOL_FIRST random configurations each new one is one of the PARENTS fastest with one knob set to another
 * value; no model, no crossover, no generations. If a mutant was asked for before, another is tried; after TRIES a
 * random configuration takes its place. */
#include "base/xalloc.h"
#include "pool_strategies.h"
#include "search/shortlist.h"
#include "search/unseen.h"
#include <math.h>
#include <stdlib.h>

enum { PARENTS = 8, TRIES = 64 };

struct pool_evolution {
    const struct space *space;
    struct unseen unseen;
    struct rng rng;
    struct shortlist fastest; /* PARENTS of them; score: -time */
    size_t asked;
};

static void *pool_evolution_open(const struct task *task, uint64_t seed, const void *settings)
{
    (void)settings;
    struct pool_evolution *p = xalloc(1, sizeof *p);
    p->space = task->space;
    p->unseen = unseen_new(task->space);
    p->rng = rng_stream(seed, "pool-evolution", 0);
    shortlist_clear(&p->fastest, PARENTS);
    return p;
}

static bool mutant(struct pool_evolution *p, uint32_t *config)
{
    for (int t = 0; t < TRIES && p->fastest.count > 0; t++) {
        uint32_t parent = p->fastest.best[rng_below(&p->rng, (uint32_t)p->fastest.count)].config;
        *config = space_random_neighbour(p->space, parent, ANY_VALUE, &p->rng);
        if (unseen_has(&p->unseen, *config))
            return true;
    }
    return false;
}

static size_t pool_evolution_ask(void *self, size_t want, uint32_t *configs)
{
    struct pool_evolution *p = self;
    size_t n = 0;
    for (; n < want && p->unseen.left > 0; n++, p->asked++) {
        if (p->asked >= POOL_FIRST && mutant(p, &configs[n]))
            unseen_take(&p->unseen, configs[n]);
        else
            configs[n] = unseen_draw(&p->unseen, &p->rng);
    }
    return n;
}

static void pool_evolution_tell(void *self, size_t n, const uint32_t *configs, const struct measurement *results)
{
    struct pool_evolution *p = self;
    for (size_t i = 0; i < n; i++)
        if (isfinite(results[i].time_us))
            shortlist_admit(&p->fastest, configs[i], -results[i].time_us);
}

static void pool_evolution_close(void *self)
{
    struct pool_evolution *p = self;
    unseen_free(&p->unseen);
    shortlist_free(&p->fastest);
    free(p);
}

const struct strategy strategy_pool_evolution = {
    "pool-evolution",    { "Evolution of the best few", "进化搜索（变异最好的几个）" },
    pool_evolution_open, pool_evolution_ask,
    pool_evolution_tell, pool_evolution_close,
};

/* genetic.c - a genetic algorithm, the baseline in AutoTVM's paper (figure 4): breed from what was fast.
 *
 * Every `population` results are a generation. A child takes the first few knobs of one parent and the rest of another,
 * both from the newest generation and its elites; then each knob mutates with a small chance. One that was asked for
 * before, or is illegal, is bred anew; if that fails again and again, its knobs get random values until it is new.
 * strategies.h says what is TVM's and what is Kernel Tuner's. */
#include "base/xalloc.h"
#include "search/shortlist.h"
#include "search/strategies.h"
#include "search/unseen.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { BREEDINGS = 100 }; /* of one child, before chance must make it new */

struct genetic {
    const struct space *space;
    struct genetic_settings settings;
    struct unseen unseen;
    struct rng rng;
    struct shortlist elites;  /* the best of all complete generations; score: -time */
    struct candidate *told;   /* [population] the results of the generation that is being measured; score: -time */
    size_t measured;          /* so many of them */
    struct candidate *parent; /* [parents] the elites before the newest complete generation, then that generation */
    size_t parents;           /* 0 until one is complete */
};

struct genetic_settings genetic_defaults(void)
{
    return (struct genetic_settings){ .population = 10, .elites = 3, .mutation = 0.05 };
}

static void *genetic_open(const struct task *task, uint64_t seed, const void *settings)
{
    struct genetic *g = xalloc(1, sizeof *g);
    g->space = task->space;
    g->settings = settings ? *(const struct genetic_settings *)settings : genetic_defaults();
    size_t population = (size_t)g->settings.population, elites = (size_t)g->settings.elites;
    assert(g->settings.population >= 2 && elites <= population);
    g->unseen = unseen_new(task->space);
    g->rng = rng_stream(seed, "genetic", 0);
    shortlist_clear(&g->elites, elites);
    g->told = xalloc(2 * population + elites, sizeof *g->told);
    g->parent = g->told + population;
    return g;
}

static void genetic_close(void *self)
{
    struct genetic *g = self;
    free(g->told);
    shortlist_free(&g->elites);
    unseen_free(&g->unseen);
    free(g);
}

/* ---- asking: children ---- */

/* A parent: the best of three drawn from all but one (NULL: from all), of equals the first drawn. So its place among
 * them by rank has the distribution beta(1, 3), as in Kernel Tuner. */
static const struct candidate *tournament(struct genetic *g, const struct candidate *except)
{
    const struct candidate *best = NULL;
    for (int drawn = 0; drawn < 3;) {
        const struct candidate *p = &g->parent[rng_below(&g->rng, (uint32_t)g->parents)];
        if (p == except)
            continue;
        drawn++;
        if (!best || p->score > best->score)
            best = p;
    }
    return best;
}

static uint32_t set_random_value(struct genetic *g, uint32_t config, int knob)
{
    int value = (int)rng_below(&g->rng, (uint32_t)g->space->knob[knob].count);
    return space_moved(g->space, config, knob, value);
}

static uint32_t bred(struct genetic *g)
{
    const struct candidate *mother = tournament(g, NULL), *father = tournament(g, mother);
    int knobs = g->space->knobs, cut = (int)rng_below(&g->rng, (uint32_t)knobs);
    uint32_t config = space_crossed(g->space, mother->config, father->config, cut);
    for (int k = 0; k < knobs; k++)
        if (rng_uniform(&g->rng) < g->settings.mutation)
            config = set_random_value(g, config, k);
    return config;
}

static uint32_t child(struct genetic *g)
{
    uint32_t config = bred(g);
    for (int n = 1; n < BREEDINGS && !unseen_has(&g->unseen, config); n++)
        config = bred(g);
    while (!unseen_has(&g->unseen, config))
        config = set_random_value(g, config, (int)rng_below(&g->rng, (uint32_t)g->space->knobs));
    return config;
}

static size_t genetic_ask(void *self, size_t want, uint32_t *configs)
{
    struct genetic *g = self;
    size_t n = 0;
    /* When no more than a generation is left, breeding has nothing to choose: take what there is. */
    while (n < want && g->parents > 0 && g->unseen.left > (size_t)g->settings.population) {
        configs[n] = child(g);
        unseen_take(&g->unseen, configs[n++]);
    }
    return n + unseen_draw_many(&g->unseen, want - n, configs + n, &g->rng);
}

/* ---- telling: generations ---- */

/* The generation that was just told becomes, with the elites, the parents of what is asked for from now on. */
static void next_generation(struct genetic *g)
{
    size_t elites = g->elites.count;
    for (size_t i = 0; i < elites; i++)
        g->parent[i] = g->elites.best[i];
    memcpy(g->parent + elites, g->told, g->measured * sizeof *g->parent);
    g->parents = elites + g->measured;
    for (; g->measured > 0; g->measured--)
        shortlist_admit(&g->elites, g->told[g->measured - 1].config, g->told[g->measured - 1].score);
}

static void genetic_tell(void *self, size_t n, const uint32_t *configs, const struct measurement *results)
{
    struct genetic *g = self;
    for (size_t i = 0; i < n; i++) {
        g->told[g->measured++] = (struct candidate){ configs[i], -results[i].time_us };
        if (g->measured == (size_t)g->settings.population)
            next_generation(g);
    }
}

const struct strategy strategy_genetic = {
    "genetic", { "Genetic", "遗传算法" }, genetic_open, genetic_ask, genetic_tell, genetic_close,
};

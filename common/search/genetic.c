/* genetic.c - a genetic algorithm, the baseline in AutoTVM's paper (figure 4): breed from what was fast.
 *
 * Settings from TVM's ga_tuner.py. Every `population` results are a generation. A child takes the first few knobs of
 * one parent and the rest of another, both drawn from the newest generation and its elites in proportion to their
 * throughput; then each knob mutates with a small chance. A child that was asked for before, or is illegal, gets one
 * knob after another at random until it is new. */
#include "base/xalloc.h"
#include "search/shortlist.h"
#include "search/strategies.h"
#include "search/unseen.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct genetic {
    const struct space *space;
    struct genetic_settings settings;
    struct unseen unseen;
    struct rng rng;
    struct candidate *told; /* [population] the results of the generation that is being measured; score: -time */
    int told_count;
    struct shortlist elites;  /* the best of all complete generations */
    struct candidate *parent; /* [parents] the elites before the newest complete generation, then that generation */
    int parents;              /* 0 until a generation is complete */
    double *fitness;          /* [parents] their throughput over the best one's */
};

struct genetic_settings genetic_defaults(void)
{
    return (struct genetic_settings){ .population = 100, .elites = 3, .mutation = 0.1 };
}

static void *genetic_open(const struct task *task, uint64_t seed, const void *settings)
{
    struct genetic *g = xalloc(1, sizeof *g);
    g->space = task->space;
    g->settings = settings ? *(const struct genetic_settings *)settings : genetic_defaults();
    assert(g->settings.population >= 2 && g->settings.elites >= 0 && g->settings.elites <= g->settings.population);
    g->unseen = unseen_new(task->space);
    g->rng = rng_stream(seed, "genetic", 0);
    size_t most = (size_t)g->settings.population + (size_t)g->settings.elites;
    shortlist_clear(&g->elites, (size_t)g->settings.elites);
    g->told = xalloc((size_t)g->settings.population, sizeof *g->told);
    g->parent = xalloc(most, sizeof *g->parent);
    g->fitness = xalloc(most, sizeof *g->fitness);
    return g;
}

static void genetic_close(void *self)
{
    struct genetic *g = self;
    free(g->fitness);
    free(g->parent);
    free(g->told);
    shortlist_free(&g->elites);
    unseen_free(&g->unseen);
    free(g);
}

/* ---- asking: children ---- */

/* Roulette: a parent's place, drawn in proportion to fitness from all but one (-1: from all). */
static int spin(struct genetic *g, int except)
{
    double sum = 0.0;
    for (int i = 0; i < g->parents; i++)
        sum += i == except ? 0.0 : g->fitness[i];
    double at = rng_uniform(&g->rng) * sum;
    int chosen = -1;
    for (int i = 0; i < g->parents && at >= 0.0; i++)
        if (i != except) {
            chosen = i;
            at -= g->fitness[i];
        }
    return chosen;
}

static uint32_t set_random_value(struct genetic *g, uint32_t config, int knob)
{
    int value = (int)rng_below(&g->rng, (uint32_t)g->space->knob[knob].count);
    return space_moved(g->space, config, knob, value);
}

static uint32_t child(struct genetic *g)
{
    int mother = spin(g, -1), father = spin(g, mother);
    int knobs = g->space->knobs, cut = (int)rng_below(&g->rng, (uint32_t)knobs);
    uint32_t config = space_crossed(g->space, g->parent[mother].config, g->parent[father].config, cut);
    for (int k = 0; k < knobs; k++)
        if (rng_uniform(&g->rng) < g->settings.mutation)
            config = set_random_value(g, config, k);
    while (!unseen_has(&g->unseen, config)) {
        int k = (int)rng_below(&g->rng, (uint32_t)knobs);
        config = set_random_value(g, config, k);
    }
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
    size_t elites = g->elites.count, population = (size_t)g->settings.population;
    for (size_t i = 0; i < elites; i++)
        g->parent[i] = g->elites.best[i];
    memcpy(&g->parent[elites], g->told, population * sizeof *g->told);
    g->parents = (int)(elites + population);
    g->told_count = 0;
    for (size_t i = 0; i < population; i++)
        shortlist_admit(&g->elites, g->told[i].config, g->told[i].score);
    double best = -INFINITY;
    for (int i = 0; i < g->parents; i++)
        best = fmax(best, g->parent[i].score);
    for (int i = 0; i < g->parents; i++) /* TVM's 1e-8 lets even those that failed have children, if all did */
        g->fitness[i] = (isinf(g->parent[i].score) ? 0.0 : best / g->parent[i].score) + 1e-8;
}

static void genetic_tell(void *self, size_t n, const uint32_t *configs, const struct measurement *results)
{
    struct genetic *g = self;
    for (size_t i = 0; i < n; i++) {
        g->told[g->told_count++] = (struct candidate){ configs[i], -results[i].time_us };
        if (g->told_count == g->settings.population)
            next_generation(g);
    }
}

const struct strategy strategy_genetic = {
    "genetic", { "Genetic", "遗传算法" }, genetic_open, genetic_ask, genetic_tell, genetic_close,
};

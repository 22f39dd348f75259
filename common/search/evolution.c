/* evolution.c - Ansor's search: complete programs evolve under the cost model, the best unmeasured ones are measured.
 *
 * Lecture 5.6; Ansor's section 5.1 with the settings of TVM's sketch_policy.cc. What a program is, and how one is
 * sampled, mutated and crossed, is in programs.h; here is what happens in a round: fit the model, populate, let
 * generations pass, keep the best that the model saw on the way. */
#include "base/xalloc.h"
#include "search/guided.h"
#include "search/strategies.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct evolution {
    struct guided guided; /* promising: of this round, the best programs that nobody measured */
    struct evolution_settings settings;
    struct shortlist measured;       /* the fastest so far, at most as many as go into a population; score: -time */
    uint32_t *population, *children; /* [settings.population] */
    double *score, *sum;             /* [settings.population] */
};

struct evolution_settings evolution_defaults(void)
{
    struct cost_model_settings model = cost_model_defaults();
    model.gbdt = gbdt_defaults(GBDT_WEIGHTED);
    return (struct evolution_settings){
        .model = model,
        .population = 2048,
        .generations = 4,
        .measured = 0.2,
        .mutation = 0.85,
        .tile = 0.9,
        .epsilon = 0.05,
    };
}

struct evolution_settings evolution_without_tuning(int candidates)
{
    struct evolution_settings settings = evolution_defaults();
    settings.population = candidates;
    settings.generations = 0;
    settings.measured = 0.0;
    return settings;
}

static void *evolution_open(const struct task *task, uint64_t seed, const void *settings)
{
    struct evolution *e = xalloc(1, sizeof *e);
    e->settings = settings ? *(const struct evolution_settings *)settings : evolution_defaults();
    const struct evolution_settings *s = &e->settings;
    assert(s->population > 0 && s->generations >= 0 && s->measured >= 0.0 && s->measured <= 1.0);
    assert(s->mutation >= 0.0 && s->mutation <= 1.0);
    guided_open(&e->guided, task, &s->model, s->epsilon, rng_stream(seed, "evolution", 0));
    e->guided.programs = programs_new(task, s->whole_space);
    size_t n = (size_t)s->population;
    shortlist_clear(&e->measured, (size_t)(s->measured * (double)n));
    e->population = xalloc(n, sizeof *e->population);
    e->children = xalloc(n, sizeof *e->children);
    e->score = xalloc(n, sizeof *e->score);
    e->sum = xalloc(n, sizeof *e->sum);
    return e;
}

static void evolution_close(void *self)
{
    struct evolution *e = self;
    guided_close(&e->guided);
    shortlist_free(&e->measured);
    free(e->sum);
    free(e->score);
    free(e->children);
    free(e->population);
    free(e);
}

/* ---- selection ---- */

void evolution_fitness(size_t n, const double *score, double *sum)
{
    double total = 0.0;
    for (size_t i = 0; i < n; i++) {
        total += score[i] > 0.0 ? score[i] : 0.0;
        sum[i] = total;
    }
}

size_t evolution_parent(size_t n, const double *sum, struct rng *rng)
{
    if (!(sum[n - 1] > 0.0))
        return rng_below(rng, (uint32_t)n);
    double at = rng_uniform(rng) * sum[n - 1];
    size_t low = 0; /* the first whose sum is above `at` is one of n from here; half of them go without a branch */
    for (size_t half; n > 1; n -= half) {
        half = n / 2;
        low += sum[low + half - 1] <= at ? half : 0;
    }
    return low;
}

/* ---- a round ---- */

static uint32_t child(struct evolution *e)
{
    struct guided *g = &e->guided;
    size_t n = (size_t)e->settings.population;
    uint32_t mother = e->population[evolution_parent(n, e->sum, &g->rng)];
    if (rng_uniform(&g->rng) < e->settings.mutation)
        return programs_mutated(&g->programs, mother, e->settings.tile, &g->rng);
    uint32_t father = e->population[evolution_parent(n, e->sum, &g->rng)];
    return programs_crossed(&g->programs, mother, father, &g->rng);
}

static void score_population(struct evolution *e)
{
    size_t n = (size_t)e->settings.population;
    cost_model_score(e->guided.model, n, e->population, e->score);
    guided_consider(&e->guided, n, e->population, e->score);
}

/* Lets a new population evolve and takes the best unmeasured programs that turned up in all its generations. */
static size_t evolution_search(void *self, size_t room, uint32_t *configs)
{
    struct evolution *e = self;
    size_t n = (size_t)e->settings.population;
    shortlist_clear(&e->guided.promising, room);
    programs_populate(&e->guided.programs, n, e->population, &e->measured, &e->guided.rng);
    score_population(e);
    for (int g = 0; g < e->settings.generations; g++) {
        evolution_fitness(n, e->score, e->sum);
        for (size_t i = 0; i < n; i++)
            e->children[i] = child(e);
        uint32_t *parents = e->population;
        e->population = e->children;
        e->children = parents;
        score_population(e);
    }
    return guided_take(&e->guided, room, configs);
}

static size_t evolution_ask(void *self, size_t want, uint32_t *configs)
{
    return guided_ask(self, evolution_search, want, configs);
}

static void evolution_tell(void *self, size_t n, const uint32_t *configs, const struct measurement *results)
{
    struct evolution *e = self;
    guided_tell(&e->guided, n, configs, results);
    for (size_t i = 0; i < n; i++)
        if (!isinf(results[i].time_us))
            shortlist_admit(&e->measured, configs[i], -results[i].time_us);
}

const struct strategy strategy_evolution = {
    "evolution", { "Ansor", "Ansor" }, evolution_open, evolution_ask, evolution_tell, evolution_close,
};

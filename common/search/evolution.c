/* evolution.c - Ansor's search: complete programs evolve under the cost model, the best unmeasured ones are measured.
 *
 * Lecture 5.6; Ansor's section 5.1 with the settings of TVM's sketch_policy.cc. What a program is, and how one is
 * sampled, mutated and crossed, is in programs.h; here is what happens in a round: populate, let generations pass,
 * keep the best that the model saw on the way. */
#include "base/xalloc.h"
#include "search/guided.h"
#include "search/strategies.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct evolution {
    struct guided guided; /* promising: of this round, the best programs that nobody measured */
    struct evolution_settings settings;
    struct shortlist measured;       /* the fastest so far, at most as many as go into a population; score: -time */
    uint32_t *population, *children; /* [settings.population] */
    double *score;                   /* [settings.population] */
};

struct evolution_settings evolution_defaults(void)
{
    return (struct evolution_settings){
        .model = beam_defaults().model,
        .population = 1024,
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

static uint32_t child(struct evolution *e, const double *sum)
{
    struct guided *g = &e->guided;
    size_t n = (size_t)e->settings.population;
    uint32_t mother = e->population[evolution_parent(n, sum, &g->rng)];
    if (rng_uniform(&g->rng) < e->settings.mutation)
        return programs_mutated(&g->programs, mother, e->settings.tile, &g->rng);
    uint32_t father = e->population[evolution_parent(n, sum, &g->rng)];
    return programs_crossed(&g->programs, mother, father, &g->rng);
}

/* Lets a new population, the fastest so far and random programs, evolve and takes the best unmeasured programs that
 * turned up in all its generations. */
static size_t evolution_search(void *self, size_t room, uint32_t *configs)
{
    struct evolution *e = self;
    struct guided *g = &e->guided;
    size_t n = (size_t)e->settings.population;
    shortlist_clear(&g->promising, room);
    for (size_t i = 0; i < n; i++) {
        bool known = i < e->measured.count;
        e->population[i] = known ? e->measured.best[i].config : programs_random(&g->programs, &g->rng);
    }
    for (int generation = 0;; generation++) {
        cost_model_score(g->model, n, e->population, e->score);
        guided_consider(g, n, e->population, e->score);
        if (generation == e->settings.generations)
            return guided_take(g, room, configs);
        evolution_fitness(n, e->score, e->score);
        for (size_t i = 0; i < n; i++)
            e->children[i] = child(e, e->score);
        memcpy(e->population, e->children, n * sizeof *e->children);
    }
}

static void evolution_tell(void *self, size_t n, const uint32_t *configs, const struct measurement *results)
{
    struct evolution *e = self;
    guided_tell(self, n, configs, results);
    for (size_t i = 0; i < n; i++)
        if (!isinf(results[i].time_us))
            shortlist_admit(&e->measured, configs[i], -results[i].time_us);
}

static void *evolution_open(const struct task *task, uint64_t seed, const void *settings)
{
    struct evolution_settings s = settings ? *(const struct evolution_settings *)settings : evolution_defaults();
    assert(s.population > 0 && s.generations >= 0 && s.measured >= 0.0 && s.measured <= 1.0);
    assert(s.mutation >= 0.0 && s.mutation <= 1.0);
    struct evolution *e =
        guided_open(sizeof *e, evolution_search, task, &s.model, s.epsilon, seed, "evolution");
    size_t n = (size_t)s.population;
    e->settings = s;
    e->guided.programs = programs_new(task, false);
    shortlist_clear(&e->measured, (size_t)(s.measured * (double)n));
    e->population = xalloc(2 * n, sizeof *e->population);
    e->children = e->population + n;
    e->score = xalloc(n, sizeof *e->score);
    return e;
}

static void evolution_close(void *self)
{
    struct evolution *e = self;
    shortlist_free(&e->measured);
    free(e->score);
    free(e->population);
    guided_close(self);
}

const struct strategy strategy_evolution = {
    "evolution", { "Ansor", "Ansor" }, evolution_open, guided_ask, evolution_tell, evolution_close,
};

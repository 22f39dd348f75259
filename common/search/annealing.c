/* annealing.c - AutoTVM's search: chains walk where the cost model promises speed, the best they saw is measured.
 *
 * Lecture 4.1 and 4.5; AutoTVM's Algorithm 1, with TVM's sa_model_optimizer.py and model_based_tuner.py where the
 * paper is silent. strategies.h says what is set and where the two differ. */
#include "base/mathx.h"
#include "search/shortlist.h"
#include "search/strategies.h"
#include "search/unseen.h"
#include "base/xalloc.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct annealing {
    struct annealing_settings settings;
    const struct space *space;
    struct cost_model *model;
    struct unseen unseen;
    struct rng rng;
    /* the chains */
    uint32_t *state, *offer;           /* [chains] where each is, and where it may go next */
    double *state_score, *offer_score; /* [chains] */
    struct shortlist list;             /* the best unmeasured configurations that the chains were offered */
};

struct annealing_settings annealing_defaults(void)
{
    return (struct annealing_settings){
        .model = cost_model_defaults(),
        .chains = 128,
        .steps = 500,
        .patience = 50,
        .step = ADJACENT_VALUE,
        .epsilon = 0.05,
        .diversity = 2.0,
        .coverage = 1.0,
    };
}

static void *annealing_open(const struct task *task, uint64_t seed, const void *settings)
{
    struct annealing *a = xalloc(1, sizeof *a);
    a->settings = settings ? *(const struct annealing_settings *)settings : annealing_defaults();
    const struct annealing_settings *s = &a->settings;
    assert(s->chains > 0 && s->steps >= 0 && s->epsilon >= 0.0 && s->epsilon <= 1.0 && s->diversity >= 1.0);
    a->space = task->space;
    a->model = cost_model_new(task, &s->model);
    a->unseen = unseen_new(task->space);
    a->rng = rng_stream(seed, "annealing", 0);
    size_t chains = (size_t)s->chains;
    a->state = xalloc(chains, sizeof *a->state);
    a->offer = xalloc(chains, sizeof *a->offer);
    a->state_score = xalloc(chains, sizeof *a->state_score);
    a->offer_score = xalloc(chains, sizeof *a->offer_score);
    for (size_t c = 0; c < chains && task->space->legal_count > 0; c++)
        a->state[c] = space_random(task->space, &a->rng);
    return a;
}

static void annealing_close(void *self)
{
    struct annealing *a = self;
    shortlist_free(&a->list);
    free(a->offer_score);
    free(a->state_score);
    free(a->offer);
    free(a->state);
    unseen_free(&a->unseen);
    cost_model_free(a->model);
    free(a);
}

/* ---- simulated annealing ---- */

double annealing_acceptance(double delta, double temperature)
{
    if (delta >= 0.0)
        return 1.0;
    return temperature > 0.0 ? mathx_exp(delta / temperature) : 0.0;
}

/* Considers one configuration a chain. Returns whether any is a new one among the best. */
static bool consider(struct annealing *a, const uint32_t *configs, const double *score)
{
    bool news = false;
    for (int c = 0; c < a->settings.chains; c++)
        if (shortlist_may_admit(&a->list, score[c]) && unseen_has(&a->unseen, configs[c]))
            news |= shortlist_admit(&a->list, configs[c], score[c]);
    return news;
}

/* One step of every chain: each is offered a neighbour, which is a candidate, and moves there or stays. A chain that
 * is offered something illegal stays. Returns whether there is a new candidate among the best. */
static bool step_all(struct annealing *a, double temperature)
{
    size_t chains = (size_t)a->settings.chains;
    for (size_t c = 0; c < chains; c++) {
        uint32_t from = a->state[c], to = space_random_neighbour(a->space, from, a->settings.step, &a->rng);
        a->offer[c] = space_is_legal(a->space, to) ? to : from;
    }
    cost_model_score(a->model, chains, a->offer, a->offer_score);
    for (size_t c = 0; c < chains; c++) {
        double delta = a->offer_score[c] - a->state_score[c];
        if (delta >= 0.0 || rng_uniform(&a->rng) < annealing_acceptance(delta, temperature)) {
            a->state[c] = a->offer[c];
            a->state_score[c] = a->offer_score[c];
        }
    }
    return consider(a, a->offer, a->offer_score);
}

/* Fills the list of the best `room` candidates with what the chains come across. */
static void anneal(struct annealing *a, size_t room)
{
    shortlist_clear(&a->list, room);
    cost_model_score(a->model, (size_t)a->settings.chains, a->state, a->state_score);
    consider(a, a->state, a->state_score);
    int changed = 0, steps = a->settings.steps;
    for (int step = 0; step < steps && step <= changed + a->settings.patience; step++)
        if (step_all(a, 1.0 - (double)step / steps))
            changed = step;
}

/* ---- picking a batch ---- */

/* Numbers all values of all knobs: value [list.count][knobs] = those of each candidate. Returns how many exist. */
static size_t number_values(const struct annealing *a, size_t *value)
{
    size_t knobs = (size_t)a->space->knobs, first = 0;
    for (size_t k = 0; k < knobs; first += (size_t)a->space->knob[k++].count)
        for (size_t c = 0; c < a->list.count; c++)
            value[c * knobs + k] = first + (size_t)space_position(a->space, a->list.best[c].config, (int)k);
    return first;
}

/* The paper's diversity: picks n of the candidates so that the sum of their scores and of the knob values they cover
 * is high, by taking what adds most, one after another. Coverage soon runs out; then the scores decide. */
static size_t pick(const struct annealing *a, size_t n, uint32_t *configs)
{
    size_t knobs = (size_t)a->space->knobs, picked = 0;
    size_t *value = xalloc(a->list.count * knobs, sizeof *value);
    bool *covered = xalloc(number_values(a, value), sizeof *covered), *taken = xalloc(a->list.count, sizeof *taken);
    for (; picked < n && picked < a->list.count; picked++) {
        size_t chosen = 0;
        double most = -INFINITY;
        for (size_t c = 0; c < a->list.count; c++) {
            double adds = a->list.best[c].score;
            for (size_t k = 0; k < knobs; k++)
                adds += covered[value[c * knobs + k]] ? 0.0 : a->settings.coverage;
            if (!taken[c] && adds > most) {
                most = adds;
                chosen = c;
            }
        }
        taken[chosen] = true;
        for (size_t k = 0; k < knobs; k++)
            covered[value[chosen * knobs + k]] = true;
        configs[picked] = a->list.best[chosen].config;
    }
    free(taken);
    free(covered);
    free(value);
    return picked;
}

static size_t annealing_ask(void *self, size_t want, uint32_t *configs)
{
    struct annealing *a = self;
    size_t n = 0;
    cost_model_fit(a->model);
    if (cost_model_ready(a->model)) {
        size_t random = unseen_random(&a->unseen, a->settings.epsilon, want);
        anneal(a, (size_t)ceil(a->settings.diversity * (double)(want - random)));
        n = pick(a, want - random, configs);
        for (size_t i = 0; i < n; i++)
            unseen_take(&a->unseen, configs[i]);
    }
    return n + unseen_draw_many(&a->unseen, want - n, configs + n, &a->rng);
}

static void annealing_tell(void *self, size_t n, const uint32_t *configs, const struct measurement *results)
{
    struct annealing *a = self;
    cost_model_add(a->model, n, configs, results);
}

const struct strategy strategy_annealing = {
    "annealing", { "AutoTVM", "AutoTVM" }, annealing_open, annealing_ask, annealing_tell, annealing_close,
};

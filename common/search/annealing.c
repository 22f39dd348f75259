/* annealing.c - AutoTVM's search: chains walk where the cost model promises speed, the best they saw is measured.
 *
 * Lecture 4.1 and 4.5; AutoTVM's Algorithm 1, with TVM's sa_model_optimizer.py and model_based_tuner.py where the
 * paper is silent. strategies.h says what is set and where the two differ. */
#include "base/mathx.h"
#include "base/xalloc.h"
#include "search/guided.h"
#include "search/strategies.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct annealing {
    struct guided guided;
    struct annealing_settings settings;
    uint32_t *state, *offer;           /* [chains] where each is, and where it may go next */
    double *state_score, *offer_score; /* [chains] */
};

struct annealing_settings annealing_defaults(void)
{
    return (struct annealing_settings){
        .model = cost_model_defaults(),
        .chains = 128,
        .steps = 10,
        .first_steps = 30,
        .patience = 50,
        .step = ADJACENT_VALUE,
        .epsilon = 0.05,
        .diversity = 2.0,
        .coverage = 1.0,
    };
}

/* ---- simulated annealing ---- */

double annealing_acceptance(double delta, double temperature)
{
    if (delta >= 0.0)
        return 1.0;
    return temperature > 0.0 ? mathx_exp(delta / temperature) : 0.0;
}

/* One step of every chain: each is offered a neighbour, which is a candidate, and moves there or stays. A chain that
 * is offered something illegal stays. Returns whether there is a new candidate among the best. */
static bool step_all(struct annealing *a, double temperature)
{
    struct guided *g = &a->guided;
    size_t chains = (size_t)a->settings.chains;
    for (size_t c = 0; c < chains; c++) {
        uint32_t from = a->state[c], to = space_random_neighbour(g->space, from, a->settings.step, &g->rng);
        a->offer[c] = space_is_legal(g->space, to) ? to : from;
    }
    cost_model_score(g->model, chains, a->offer, a->offer_score);
    for (size_t c = 0; c < chains; c++) {
        double delta = a->offer_score[c] - a->state_score[c];
        if (delta >= 0.0 || rng_uniform(&g->rng) < annealing_acceptance(delta, temperature)) {
            a->state[c] = a->offer[c];
            a->state_score[c] = a->offer_score[c];
        }
    }
    return guided_consider(g, chains, a->offer, a->offer_score);
}

static void place_chains(struct annealing *a)
{
    for (int c = 0; c < a->settings.chains && a->guided.space->legal_count > 0; c++)
        a->state[c] = space_random(a->guided.space, &a->guided.rng);
}

/* Fills the list of the best `room` candidates with what the chains come across. */
static void anneal(struct annealing *a, size_t room)
{
    size_t chains = (size_t)a->settings.chains;
    shortlist_clear(&a->guided.promising, room);
    if (a->settings.restart)
        place_chains(a);
    cost_model_score(a->guided.model, chains, a->state, a->state_score);
    guided_consider(&a->guided, chains, a->state, a->state_score);
    bool first = a->guided.unseen.left == a->guided.space->legal_count;
    int changed = 0, steps = first ? a->settings.first_steps : a->settings.steps;
    for (int step = 0; step < steps && step <= changed + a->settings.patience; step++)
        if (step_all(a, 1.0 - (double)step / steps))
            changed = step;
}

/* ---- picking a batch ---- */

/* How many of a candidate's knob values the batch lacks so far; with `taken` it has them from now on. covered: all
 * values of the first knob, all of the second, … */
static int lacking(const struct space *space, uint32_t config, bool *covered, bool taken)
{
    int lacking = 0;
    for (int k = 0; k < space->knobs; covered += space->knob[k++].count) {
        bool *value = &covered[space_position(space, config, k)];
        lacking += !*value;
        *value = *value || taken;
    }
    return lacking;
}

/* The paper's diversity: puts n of the candidates first so that the sum of their scores and of the knob values they
 * cover is high, by choosing what adds most, one after another. Coverage soon runs out; then the scores decide. */
static void diversify(struct annealing *a, size_t n)
{
    struct shortlist *list = &a->guided.promising;
    const struct space *space = a->guided.space;
    size_t values = 0;
    int lacks = 1;
    for (int k = 0; k < space->knobs; k++)
        values += (size_t)space->knob[k].count;
    bool *covered = xalloc(values, sizeof *covered);
    for (size_t picked = 0; picked < n && picked < list->count && lacks; picked++) {
        size_t chosen = picked;
        double most = -INFINITY;
        lacks = 0;
        for (size_t c = picked; c < list->count; c++) {
            int lack = lacking(space, list->best[c].config, covered, false);
            double adds = list->best[c].score + lack * a->settings.coverage;
            lacks |= lack;
            if (adds > most) {
                most = adds;
                chosen = c;
            }
        }
        struct candidate next = list->best[chosen];
        memmove(&list->best[picked + 1], &list->best[picked], (chosen - picked) * sizeof next);
        list->best[picked] = next; /* those not chosen stay best first: of equal gains the better is chosen */
        lacking(space, next.config, covered, true);
    }
    free(covered);
}

static size_t annealing_search(void *self, size_t n, uint32_t *configs)
{
    struct annealing *a = self;
    anneal(a, (size_t)ceil(a->settings.diversity * (double)n));
    diversify(a, n);
    return guided_take(&a->guided, n, configs);
}

static void *annealing_open(const struct task *task, uint64_t seed, const void *settings)
{
    struct annealing_settings s = settings ? *(const struct annealing_settings *)settings : annealing_defaults();
    assert(s.chains > 0 && s.steps >= 0 && s.first_steps >= 0 && s.diversity >= 1.0);
    struct annealing *a =
        guided_open(sizeof *a, annealing_search, task, &s.model, s.epsilon, seed, "annealing");
    size_t chains = (size_t)s.chains;
    a->settings = s;
    a->state = xalloc(2 * chains, sizeof *a->state);
    a->offer = a->state + chains;
    a->state_score = xalloc(2 * chains, sizeof *a->state_score);
    a->offer_score = a->state_score + chains;
    place_chains(a);
    return a;
}

static void annealing_close(void *self)
{
    struct annealing *a = self;
    free(a->state_score);
    free(a->state);
    guided_close(self);
}

const struct strategy strategy_annealing = {
    "annealing", { "AutoTVM", "AutoTVM" }, annealing_open, guided_ask, guided_tell, annealing_close,
};

/* beam.c - sequential construction: decide one knob after another, keep the few that the model scores best.
 *
 * Lecture 5.1 and 5.7; the variant of Ansor's figure 7 that prunes incomplete programs and tunes no complete one, as
 * Halide's auto-scheduler does. The model learns from complete programs, for only they can be measured. An incomplete
 * one is scored as if what is undecided were not transformed yet (beam_partial), which says little about what it can
 * still become (5.5). */
#include "base/xalloc.h"
#include "search/guided.h"
#include "search/strategies.h"
#include <assert.h>
#include <stdlib.h>

/* The lecture's order of decisions. */
static const int matmul_order[MATMUL_KNOBS] = { SPLIT_K, BLOCK_M, BLOCK_N, BLOCK_K, NUM_WARPS, NUM_STAGES, GROUP_M };

struct beam {
    struct guided guided; /* promising: the beam */
    size_t width;
};

struct beam_settings beam_defaults(void)
{
    struct cost_model_settings model = cost_model_defaults();
    model.gbdt = gbdt_defaults(GBDT_WEIGHTED);
    return (struct beam_settings){ .model = model, .width = 32, .epsilon = 0.05 };
}

/* ---- incomplete programs ---- */

int beam_knob(const struct space *space, int decision)
{
    return features_has_program(space) ? matmul_order[decision] : decision;
}

uint32_t beam_partial(const struct space *space, uint32_t config, int decisions)
{
    uint32_t partial = 0; /* every knob at its first value */
    for (int d = 0; d < decisions; d++) {
        int knob = beam_knob(space, d);
        partial = space_moved(space, partial, knob, space_position(space, config, knob));
    }
    return partial;
}

/* Whether an incomplete program can still become one that nobody measured. */
static bool alive(const struct guided *g, uint32_t partial, int decisions)
{
    if (decisions == g->space->knobs)
        return unseen_has(&g->unseen, partial);
    int knob = beam_knob(g->space, decisions);
    for (int v = 0; v < g->space->knob[knob].count; v++)
        if (alive(g, space_moved(g->space, partial, knob, v), decisions + 1))
            return true;
    return false;
}

void beam_start(struct guided *g)
{
    shortlist_clear(&g->promising, 1);
    shortlist_admit(&g->promising, 0, 0.0);
}

void beam_grow(struct guided *g, int decision, size_t width)
{
    int knob = beam_knob(g->space, decision);
    size_t n = 0, most = g->promising.count * (size_t)g->space->knob[knob].count;
    uint32_t *grown = xalloc(most, sizeof *grown);
    double *score = xalloc(most, sizeof *score);
    for (size_t i = 0; i < g->promising.count; i++)
        for (int v = 0; v < g->space->knob[knob].count; v++) {
            uint32_t partial = space_moved(g->space, g->promising.best[i].config, knob, v);
            if (programs_allow(&g->programs, partial) && alive(g, partial, decision + 1))
                grown[n++] = partial;
        }
    cost_model_score(g->model, n, grown, score);
    shortlist_clear(&g->promising, width);
    for (size_t i = 0; i < n; i++)
        shortlist_admit(&g->promising, grown[i], score[i]);
    free(score);
    free(grown);
}

/* Constructs programs from the first decision to the last and takes the best; again, until there are n or no sketch
 * has a program that nobody asked for. */
static size_t beam_search(void *self, size_t n, uint32_t *configs)
{
    struct beam *b = self;
    size_t found = 0;
    for (size_t more = 1; found < n && more > 0; found += more) {
        beam_start(&b->guided);
        for (int d = 0; d < b->guided.space->knobs; d++)
            beam_grow(&b->guided, d, b->width);
        more = guided_take(&b->guided, n - found, configs + found);
    }
    return found;
}

static void *beam_open(const struct task *task, uint64_t seed, const void *settings)
{
    struct beam_settings s = settings ? *(const struct beam_settings *)settings : beam_defaults();
    assert(s.width > 0);
    struct beam *b = guided_open(sizeof *b, beam_search, task, &s.model, s.epsilon, seed, "beam");
    b->guided.programs = programs_new(task, false);
    b->width = (size_t)s.width;
    return b;
}

const struct strategy strategy_beam = {
    "beam", { "Beam search", "束搜索" }, beam_open, guided_ask, guided_tell, guided_close,
};

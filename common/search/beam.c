/* beam.c - sequential construction: decide one knob after another, keep the few that the model scores best.
 *
 * Lecture 5.1 and 5.7; the variant of Ansor's figure 7 that prunes incomplete programs and tunes no complete one, as
 * Halide's auto-scheduler does. The model learns from complete programs, for only they can be measured. An incomplete
 * one is scored as if what is undecided were not transformed yet (beam_partial), which says little about what it can
 * still become (5.5). */
#include "search/programs.h"
#include "search/shortlist.h"
#include "search/strategies.h"
#include "base/xalloc.h"
#include <assert.h>
#include <stdlib.h>

/* The lecture's order of decisions. */
static const int matmul_order[MATMUL_KNOBS] = { SPLIT_K, BLOCK_M, BLOCK_N, BLOCK_K, NUM_WARPS, NUM_STAGES, GROUP_M };

struct beam {
    struct beam_settings settings;
    struct programs programs;
    struct cost_model *model;
    struct unseen unseen;
    struct rng rng;
    struct shortlist kept; /* the beam */
    uint32_t *grown;       /* [most] its programs with one more decision */
    double *score;         /* [most] */
};

struct beam_settings beam_defaults(void)
{
    struct cost_model_settings model = cost_model_defaults();
    model.gbdt = gbdt_defaults(GBDT_WEIGHTED);
    return (struct beam_settings){ .model = model, .width = 32, .epsilon = 0.05 };
}

static void *beam_open(const struct task *task, uint64_t seed, const void *settings)
{
    struct beam *b = xalloc(1, sizeof *b);
    b->settings = settings ? *(const struct beam_settings *)settings : beam_defaults();
    assert(b->settings.width > 0 && b->settings.epsilon >= 0.0 && b->settings.epsilon <= 1.0);
    b->programs = programs_new(task, b->settings.whole_space);
    b->model = cost_model_new(task, &b->settings.model);
    b->unseen = unseen_new(task->space);
    b->rng = rng_stream(seed, "beam", 0);
    int most = 0;
    for (int k = 0; k < task->space->knobs; k++)
        most = task->space->knob[k].count > most ? task->space->knob[k].count : most;
    b->grown = xalloc((size_t)most * (size_t)b->settings.width, sizeof *b->grown);
    b->score = xalloc((size_t)most * (size_t)b->settings.width, sizeof *b->score);
    return b;
}

static void beam_close(void *self)
{
    struct beam *b = self;
    free(b->score);
    free(b->grown);
    shortlist_free(&b->kept);
    unseen_free(&b->unseen);
    cost_model_free(b->model);
    programs_free(&b->programs);
    free(b);
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
static bool alive(const struct beam *b, uint32_t partial, int decisions)
{
    const struct space *space = b->programs.space;
    if (decisions == space->knobs)
        return unseen_has(&b->unseen, partial);
    int knob = beam_knob(space, decisions);
    for (int v = 0; v < space->knob[knob].count; v++)
        if (programs_allow(&b->programs, knob, v) && alive(b, space_moved(space, partial, knob, v), decisions + 1))
            return true;
    return false;
}

/* Takes one more decision in every program of the beam, in every way that leads to an unmeasured program, and keeps
 * the `width` best of what comes out. */
static void grow(struct beam *b, int decision)
{
    const struct space *space = b->programs.space;
    int knob = beam_knob(space, decision);
    size_t n = 0;
    for (size_t i = 0; i < b->kept.count; i++)
        for (int v = 0; v < space->knob[knob].count; v++) {
            uint32_t partial = space_moved(space, b->kept.best[i].config, knob, v);
            if (programs_allow(&b->programs, knob, v) && alive(b, partial, decision + 1))
                b->grown[n++] = partial;
        }
    cost_model_score(b->model, n, b->grown, b->score);
    shortlist_clear(&b->kept, (size_t)b->settings.width);
    for (size_t i = 0; i < n; i++)
        shortlist_admit(&b->kept, b->grown[i], b->score[i]);
}

/* Constructs programs from the first decision to the last and takes up to n of the best; returns how many, 0 only
 * when no sketch has a program that nobody asked for. */
static size_t construct(struct beam *b, size_t n, uint32_t *configs)
{
    size_t taken = 0;
    shortlist_clear(&b->kept, (size_t)b->settings.width);
    shortlist_admit(&b->kept, 0, 0.0);
    for (int d = 0; d < b->programs.space->knobs; d++)
        grow(b, d);
    for (; taken < n && taken < b->kept.count; taken++) {
        configs[taken] = b->kept.best[taken].config;
        unseen_take(&b->unseen, configs[taken]);
    }
    return taken;
}

static size_t beam_ask(void *self, size_t want, uint32_t *configs)
{
    struct beam *b = self;
    size_t n = 0;
    cost_model_fit(b->model);
    if (cost_model_ready(b->model)) {
        size_t random = unseen_random(&b->unseen, b->settings.epsilon, want), more = 1;
        for (; n < want - random && more > 0; n += more)
            more = construct(b, want - random - n, configs + n);
    }
    return n + programs_draw_many(&b->programs, &b->unseen, want - n, configs + n, &b->rng);
}

static void beam_tell(void *self, size_t n, const uint32_t *configs, const struct measurement *results)
{
    struct beam *b = self;
    cost_model_add(b->model, n, configs, results);
}

const struct strategy strategy_beam = {
    "beam", { "Beam search", "束搜索" }, beam_open, beam_ask, beam_tell, beam_close,
};

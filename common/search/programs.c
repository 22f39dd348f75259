/* programs.c - sampling, mutating and crossing programs on the knobs of a space. */
#include "search/programs.h"
#include "base/xalloc.h"
#include "model/features.h"
#include "space/sketch.h"
#include <assert.h>
#include <stdlib.h>

/* What the knobs of the matmul kernel are to a mutation and to crossover. */
static const struct {
    bool tile;
    int gene;
} matmul_role[MATMUL_KNOBS] = {
    [BLOCK_M] = { true, 0 },     [BLOCK_N] = { true, 0 },  [NUM_WARPS] = { true, 0 }, [BLOCK_K] = { true, 1 },
    [NUM_STAGES] = { false, 1 }, [GROUP_M] = { false, 2 }, [SPLIT_K] = { false, 3 },
};

/* ---- which programs there are ---- */

/* Whether a sketch lets SPLIT_K have the value at this position. */
static bool fits(const struct programs *p, enum programs_parts parts, int position)
{
    return parts == ANY_PARTS || (p->space->knob[SPLIT_K].values[position] > 1) == (parts == SEVERAL_PARTS);
}

/* Adds a sketch, if it has a legal program in the space. */
static void add_sketch(struct programs *p, enum programs_parts parts)
{
    const struct space *space = p->space;
    uint32_t *config = xalloc(space->legal_count, sizeof *config);
    size_t count = 0;
    for (uint32_t i = 0; i < space->legal_count; i++)
        if (parts == ANY_PARTS || fits(p, parts, space_position(space, space->legal[i], SPLIT_K)))
            config[count++] = space->legal[i];
    if (count == 0) {
        free(config);
        return;
    }
    p->sketch = xrealloc(p->sketch, (size_t)p->sketches + 1, sizeof *p->sketch);
    p->sketch[p->sketches++] = (struct sketch_programs){ parts, count, config };
}

/* The sketches of the task's product. Whether an operand is transposed, as in a weight gradient, changes none. */
static void add_sketches(struct programs *p, const struct workload *w)
{
    struct compute graph = compute_matmul(w->m, w->n, w->k);
    struct sketches sketches = sketch_generate(&graph, SKETCH_GPU, SKETCH_LECTURE);
    for (size_t i = 0; i < sketches.count; i++)
        if (!sketch_used(&sketches.sketch[i], RULE_CROSS_THREAD))
            add_sketch(p, sketch_used(&sketches.sketch[i], RULE_RFACTOR) ? SEVERAL_PARTS : ONE_PART);
    sketches_free(sketches);
}

struct programs programs_new(const struct task *task, bool whole_space)
{
    struct programs p = { .space = task->space, .matmul = features_has_program(task->space) };
    assert(task->space->knobs <= 64); /* programs_crossed draws a bit for each */
    if (p.matmul && !whole_space)
        add_sketches(&p, task->workload);
    if (p.sketches == 0)
        add_sketch(&p, ANY_PARTS);
    return p;
}

void programs_free(struct programs *p)
{
    for (int s = 0; s < p->sketches; s++)
        free(p->sketch[s].config);
    free(p->sketch);
}

bool programs_allow(const struct programs *p, int knob, int position)
{
    bool allowed = !p->matmul || knob != SPLIT_K;
    for (int s = 0; s < p->sketches && !allowed; s++)
        allowed = fits(p, p->sketch[s].parts, position);
    return allowed;
}

/* ---- sampling ---- */

uint32_t programs_random(const struct programs *p, struct rng *rng)
{
    const struct sketch_programs *sketch = &p->sketch[rng_below(rng, (uint32_t)p->sketches)];
    return sketch->config[rng_below(rng, (uint32_t)sketch->count)];
}

size_t programs_draw_many(const struct programs *p, struct unseen *unseen, size_t n, uint32_t *configs,
                          struct rng *rng)
{
    size_t drawn = 0;
    for (; drawn < n && unseen->left > 0; drawn++) {
        int tries = 0;
        do
            configs[drawn] = programs_random(p, rng);
        while (!unseen_has(unseen, configs[drawn]) && ++tries < PROGRAMS_TRIES);
        if (unseen_has(unseen, configs[drawn]))
            unseen_take(unseen, configs[drawn]);
        else
            configs[drawn] = unseen_draw(unseen, rng);
    }
    return drawn;
}

void programs_populate(const struct programs *p, size_t n, uint32_t *population, const struct shortlist *measured,
                       struct rng *rng)
{
    for (size_t i = 0; i < n; i++)
        population[i] = i < measured->count ? measured->best[i].config : programs_random(p, rng);
}

/* ---- changing ---- */

/* The knob that a mutation changes. */
static int mutated_knob(const struct programs *p, double tile, struct rng *rng)
{
    bool wanted = p->matmul && rng_uniform(rng) < tile;
    int knob;
    do
        knob = (int)rng_below(rng, (uint32_t)p->space->knobs);
    while (p->matmul && matmul_role[knob].tile != wanted);
    return knob;
}

uint32_t programs_mutated(const struct programs *p, uint32_t config, double tile, struct rng *rng)
{
    for (int tries = 0; tries < PROGRAMS_TRIES; tries++) {
        int knob = mutated_knob(p, tile, rng), position;
        if (p->matmul && knob == SPLIT_K)
            position = space_position(p->space, programs_random(p, rng), SPLIT_K);
        else
            position = (int)rng_below(rng, (uint32_t)p->space->knob[knob].count);
        uint32_t child = space_moved(p->space, config, knob, position);
        if (child != config && space_is_legal(p->space, child))
            return child;
    }
    return config;
}

uint32_t programs_crossed(const struct programs *p, uint32_t mother, uint32_t father, struct rng *rng)
{
    for (int tries = 0; tries < PROGRAMS_TRIES; tries++) {
        uint64_t from_father = rng_next(rng); /* a bit a gene */
        uint32_t child = mother;
        for (int k = 0; k < p->space->knobs; k++)
            if (from_father >> (p->matmul ? matmul_role[k].gene : k) & 1)
                child = space_moved(p->space, child, k, space_position(p->space, father, k));
        if (child != mother && space_is_legal(p->space, child))
            return child;
    }
    return mother;
}

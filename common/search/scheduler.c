/* scheduler.c - the gradient of the lecture's 6.2, the objectives of the paper's Table 2, and the rules beside them.
 *
 * TVM's auto_scheduler/task_scheduler.py and MetaSchedule's gradient_based.cc compute the same gradient; scheduler.h
 * says in which points they differ from the lecture and from each other. */
#include "search/scheduler.h"
#include "base/mathx.h"
#include "base/xalloc.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct progress {    /* of one task */
    int units;       /* t */
    double *best_us; /* [units] g after each of them */
    int improved;    /* the unit, from 1, that brought the last improvement */
    bool evicted;
};

struct scheduler {
    struct scheduler_settings settings;
    const struct objective *objective;
    int tasks;
    const struct scheduler_task *task;
    struct progress *progress; /* [tasks] */
    int last;                  /* the task that had the last unit */
    struct rng rng;
};

/* ---- objectives ---- */

static double network_us(const struct objective *o, int j, int tasks, const double *latency_us)
{
    double sum = 0.0;
    for (int i = 0; i < tasks; i++)
        sum += o->weight[j * tasks + i] * latency_us[i];
    return sum;
}

/* (product of B_j / T_j)^(1/m), by logarithms: a product of many ratios could leave the range of a double. */
static double geometric_mean_speedup(const struct objective *o, int tasks, const double *latency_us)
{
    double sum = 0.0;
    for (int j = 0; j < o->networks; j++) {
        double us = network_us(o, j, tasks, latency_us);
        sum += us > 0.0 ? mathx_log(o->target_us[j] / us) : 0.0;
    }
    return mathx_exp(sum / o->networks);
}

double objective_value(const struct objective *o, int tasks, const double *latency_us)
{
    if (o->kind == OBJECTIVE_SPEEDUP)
        return -geometric_mean_speedup(o, tasks, latency_us);
    double sum = 0.0;
    for (int j = 0; j < o->networks; j++) {
        double us = network_us(o, j, tasks, latency_us);
        sum += o->kind == OBJECTIVE_REQUIREMENT && us < o->target_us[j] ? o->target_us[j] : us;
    }
    return sum;
}

void objective_slope(const struct objective *o, int tasks, const double *latency_us, double *slope)
{
    double mean = o->kind == OBJECTIVE_SPEEDUP ? geometric_mean_speedup(o, tasks, latency_us) : 0.0;
    for (int i = 0; i < tasks; i++)
        slope[i] = 0.0;
    for (int j = 0; j < o->networks; j++) {
        double us = network_us(o, j, tasks, latency_us), outer = 1.0; /* df/dT_j */
        if (o->kind == OBJECTIVE_REQUIREMENT)
            outer = us > o->target_us[j] ? 1.0 : 0.0;
        else if (o->kind == OBJECTIVE_SPEEDUP)
            outer = us > 0.0 ? mean / (o->networks * us) : 0.0;
        for (int i = 0; i < tasks; i++)
            slope[i] += outer * o->weight[j * tasks + i];
    }
}

/* ---- the gradient ---- */

int scheduler_tag(double flop) { return (int)floor(mathx_log(flop + 1.0) / mathx_log(1.618)); }

struct scheduler_settings scheduler_defaults(enum similarity similarity)
{
    return (struct scheduler_settings){
        .rule = SCHEDULER_GRADIENT,
        .similarity = similarity,
        .alpha = 0.2,
        .beta = 2.0,
        .window = 3,
        .epsilon = 0.05,
    };
}

/* g_i; INFINITY before the first unit. */
static double best_so_far(const struct scheduler *s, int task)
{
    const struct progress *p = &s->progress[task];
    return p->units > 0 ? p->best_us[p->units - 1] : INFINITY;
}

static double flop_per_us(const struct scheduler *s, int i) { return s->task[i].flop / best_so_far(s, i); }

static bool is_similar(const struct scheduler *s, int i, int k)
{
    const struct scheduler_task *a = &s->task[i], *b = &s->task[k];
    if (i == k || a->op != b->op || s->progress[i].evicted || s->progress[k].evicted)
        return false;
    switch (s->settings.similarity) {
    case SIMILAR_NONE: return false;
    case SIMILAR_OP: return true;
    case SIMILAR_INTENSITY: return a->intensity < 4.0 * b->intensity && b->intensity < 4.0 * a->intensity;
    case SIMILAR_TAG: return scheduler_tag(a->flop) == scheduler_tag(b->flop);
    }
    return false;
}

/* The most FLOP/us among the task and those like it; 0 if there are none. */
static double best_of_similar(const struct scheduler *s, int task)
{
    double best = flop_per_us(s, task);
    bool any = false;
    for (int k = 0; k < s->tasks; k++)
        if (is_similar(s, task, k)) {
            any = true;
            best = fmax(best, flop_per_us(s, k));
        }
    return any ? best : 0.0;
}

static bool is_dead(const struct scheduler *s, int task)
{
    return s->progress[task].units > 0 && isinf(best_so_far(s, task));
}

static bool gets_more(const struct scheduler *s, int task)
{
    const struct progress *p = &s->progress[task];
    int patience = s->objective->patience;
    return !is_dead(s, task) && (patience == 0 || p->units - p->improved < patience);
}

static struct gradient gradient_of(const struct scheduler *s, int task, double chain)
{
    const struct progress *p = &s->progress[task];
    const struct scheduler_settings *set = &s->settings;
    double best_us = best_so_far(s, task), fastest = best_of_similar(s, task);
    struct gradient g = { .chain = chain, .alone = -best_us / p->units, .alike = INFINITY };
    if (p->units > set->window)
        g.backward = (best_us - p->best_us[p->units - 1 - set->window]) / set->window;
    if (fastest > 0.0)
        g.alike = set->beta * s->task[task].flop / fastest - best_us;
    g.total = chain * (set->alpha * g.backward + (1.0 - set->alpha) * fmin(g.alone, g.alike));
    return g;
}

void scheduler_gradients(const struct scheduler *s, struct gradient *gradient)
{
    size_t n = (size_t)s->tasks;
    double *latency_us = xalloc(n, sizeof *latency_us), *slope = xalloc(n, sizeof *slope);
    for (int i = 0; i < s->tasks; i++) {
        assert(s->progress[i].units > 0);
        latency_us[i] = is_dead(s, i) ? 0.0 : best_so_far(s, i);
    }
    objective_slope(s->objective, s->tasks, latency_us, slope);
    for (int i = 0; i < s->tasks; i++)
        gradient[i] = gets_more(s, i) ? gradient_of(s, i, slope[i]) : (struct gradient){ .alike = INFINITY };
    free(slope);
    free(latency_us);
}

/* ---- who is next ---- */

struct scheduler *scheduler_new(const struct scheduler_settings *settings, const struct objective *objective,
                                int tasks, const struct scheduler_task *task, struct rng rng)
{
    struct scheduler *s = xalloc(1, sizeof *s);
    assert(tasks > 0 && settings->window > 0);
    *s = (struct scheduler){ *settings, objective, tasks, task, .last = -1, .rng = rng };
    s->progress = xalloc((size_t)tasks, sizeof *s->progress);
    return s;
}

void scheduler_free(struct scheduler *s)
{
    for (int i = 0; i < s->tasks; i++)
        free(s->progress[i].best_us);
    free(s->progress);
    free(s);
}

/* The next task in turn that gets more, or -1. */
static int next_in_turn(const struct scheduler *s)
{
    for (int k = 1; k <= s->tasks; k++)
        if (gets_more(s, (s->last + k) % s->tasks))
            return (s->last + k) % s->tasks;
    return -1;
}

static int random_task(struct scheduler *s)
{
    uint32_t count = 0;
    for (int i = 0; i < s->tasks; i++)
        count += gets_more(s, i);
    if (count == 0)
        return -1;
    uint32_t nth = rng_below(&s->rng, count);
    int task = 0;
    for (; !gets_more(s, task) || nth > 0; task++)
        nth -= gets_more(s, task);
    return task;
}

static struct pick steepest(struct scheduler *s)
{
    struct gradient *gradient = xalloc((size_t)s->tasks, sizeof *gradient);
    struct pick pick = { -1, PICK_GRADIENT };
    double fall = 0.0;
    scheduler_gradients(s, gradient);
    for (int i = 0; i < s->tasks; i++)
        if (gradient[i].total < fall) {
            fall = gradient[i].total;
            pick.task = i;
        }
    free(gradient);
    if (pick.task >= 0 && s->settings.epsilon > 0.0 && rng_uniform(&s->rng) < s->settings.epsilon)
        pick = (struct pick){ random_task(s), PICK_CHANCE };
    return pick;
}

struct pick scheduler_next(struct scheduler *s)
{
    for (int i = 0; i < s->tasks; i++)
        if (s->progress[i].units == 0)
            return (struct pick){ i, PICK_WARM_UP };
    switch (s->settings.rule) {
    case SCHEDULER_ROUND_ROBIN: return (struct pick){ next_in_turn(s), PICK_TURN };
    case SCHEDULER_RANDOM: return (struct pick){ random_task(s), PICK_CHANCE };
    case SCHEDULER_GRADIENT: return steepest(s);
    }
    return (struct pick){ -1, PICK_GRADIENT };
}

/* TVM's _adjust_similarity_group. */
static void consider_eviction(struct scheduler *s, int task)
{
    int most = 0;
    for (int k = 0; k < s->tasks; k++)
        if (is_similar(s, task, k) && s->progress[k].units > most)
            most = s->progress[k].units;
    double fastest = best_of_similar(s, task);
    if (fastest > 0.0 && flop_per_us(s, task) < fastest / s->settings.beta && s->progress[task].units > 5 + most)
        s->progress[task].evicted = true;
}

void scheduler_tell(struct scheduler *s, int task, double best_us)
{
    struct progress *p = &s->progress[task];
    assert(best_us > 0.0 && best_us <= best_so_far(s, task));
    if (p->units == 0 || best_us < p->best_us[p->units - 1])
        p->improved = p->units + 1;
    p->best_us = xrealloc(p->best_us, (size_t)p->units + 1, sizeof *p->best_us);
    p->best_us[p->units++] = best_us;
    s->last = task;
    if (s->settings.evict)
        consider_eviction(s, task);
}

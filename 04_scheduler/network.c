/* network.c - tunes the network's tasks as far as somebody asks, and lets schedulers spend units on them. */
#include "network.h"
#include <math.h>
#include <stdlib.h>

enum { REPEATS = 5, BATCH = 64 };

struct curve {
    struct tuning tuning;
    int units;                     /* done */
    double *measured_us, *true_us; /* [units] of the configuration chosen after each */
};

/* ---- curves ---- */

static void curve_open(const struct network *n, int repeat, int task, struct curve *c)
{
    const struct space *space = n->device->space;
    c->tuning = (struct tuning){
        .name = "04.network",
        .seed = n->seed,
        .repeat = (uint64_t)repeat,
        .strategy = n->strategy,
        .device = n->device,
        .task = { &workload_network[task].workload, space },
        .trials = space->legal_count,
        .batch = BATCH,
        .noise = n->noise,
    };
}

/* One unit more; then what would be chosen, and how fast it really is. */
static void curve_step(struct curve *c, size_t unit)
{
    const struct tuning *t = &c->tuning;
    size_t room = (size_t)c->units + 1;
    tuning_step(&c->tuning, unit);
    c->measured_us = xrealloc(c->measured_us, room, sizeof *c->measured_us);
    c->true_us = xrealloc(c->true_us, room, sizeof *c->true_us);
    c->measured_us[c->units] = c->true_us[c->units] = INFINITY;
    size_t chosen = trace_chosen(&t->trace, t->trace.count);
    if (chosen < t->trace.count) {
        c->measured_us[c->units] = t->trace.trial[chosen].measured_us;
        c->true_us[c->units] = tuning_true_us(t, chosen);
    }
    c->units++;
}

/* A task's curve, tuned for at least so many units. */
static struct curve *curve_at(struct network *n, int repeat, int task, int units)
{
    struct curve *c = &n->curve[repeat * TASKS + task];
    if (!c->tuning.device)
        curve_open(n, repeat, task, c);
    while (c->units < units)
        curve_step(c, n->unit);
    return c;
}

static void curve_free(struct curve *c)
{
    tuning_free(&c->tuning);
    free(c->measured_us);
    free(c->true_us);
}

double network_measured_us(struct network *n, int repeat, int task, int units)
{
    return curve_at(n, repeat, task, units)->measured_us[units - 1];
}

double network_true_us(struct network *n, int repeat, int task, int units)
{
    return curve_at(n, repeat, task, units)->true_us[units - 1];
}

struct trace network_trace(struct network *n, int repeat, int task, int units, double **true_us)
{
    const struct tuning *t = &curve_at(n, repeat, task, units)->tuning;
    struct trace trace = t->trace;
    if (trace.count > n->unit * (size_t)units)
        trace.count = n->unit * (size_t)units;
    *true_us = xalloc(trace.count, sizeof **true_us);
    for (size_t i = 0; i < trace.count; i++)
        (*true_us)[i] = tuning_true_us(t, i);
    return trace;
}

/* ---- the network ---- */

struct network *network_new(const struct run *run, const struct strategy *strategy, int repeats, double noise)
{
    const struct options *o = run->options;
    struct network *n = xalloc(1, sizeof *n);
    *n = (struct network){ .device = run->device,
                           .strategy = strategy,
                           .seed = o->seed,
                           .repeats = repeats,
                           .noise = noise,
                           .unit = o->trials ? (size_t)o->trials : UNIT };
    n->curve = xalloc((size_t)repeats * TASKS, sizeof *n->curve);
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < TASKS; i++) {
        const struct workload *w = &workload_network[i].workload;
        n->task[i] = (struct scheduler_task){ workload_flop(w), workload_intensity(w), .op = 0 }; /* all alike */
        n->count[i] = workload_network[i].count;
        n->optimum_us[i] = device_time_us(n->device, w, n->device->space, device_optimum(n->device, w));
    }
    return n;
}

void network_free(struct network *n)
{
    for (int i = 0; i < n->repeats * TASKS; i++)
        curve_free(&n->curve[i]);
    free(n->curve);
    free(n);
}

struct network *network_shared(const struct run *run)
{
    static struct network *shared; /* until the program ends */
    if (!shared)
        shared = network_new(run, &NETWORK_TUNER, run->options->repeats ? run->options->repeats : REPEATS, 0.0);
    return shared;
}

void network_tune(const struct run *run, struct network *n, int units)
{
    size_t done = 0, total = (size_t)n->repeats * TASKS;
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < total; i++) {
        curve_at(n, (int)(i / TASKS), (int)(i % TASKS), units);
#pragma omp critical
        program_progress(run, TEXT("tuning", "调优"), ++done, total);
    }
}

/* ---- policies ---- */

/* epsilon: the lecture's scheduler has one, TVM's and MetaSchedule's have none. */
const struct policy policies[POLICIES] = {
    [ROUND_ROBIN] = { "round_robin",
                      { "round robin", "轮流" },
                      { "round\nrobin", "轮流" },
                      SCHEDULER_ROUND_ROBIN,
                      SIMILAR_NONE,
                      .epsilon = 0 },
    [RANDOM] = { "random", { "random", "随机" }, { "random", "随机" }, SCHEDULER_RANDOM, SIMILAR_NONE, .epsilon = 0 },
    [ALL_ALIKE] = { "all_alike",
                    { "all alike (paper)", "全部相似（论文）" },
                    { "all\nalike", "全部\n相似" },
                    SCHEDULER_GRADIENT,
                    SIMILAR_OP,
                    .epsilon = 0.05 },
    [ALL_EVICT] = { "all_evict",
                    { "all alike, evicting", "全部相似，可逐出" },
                    { "all,\nevict", "全部\n可逐出" },
                    SCHEDULER_GRADIENT,
                    SIMILAR_OP,
                    .evict = true,
                    .epsilon = 0.05 },
    [INTENSITY] = { "intensity",
                    { "intensity within 4x", "强度差 4 倍内" },
                    { "inten-\nsity", "强度\n相近" },
                    SCHEDULER_GRADIENT,
                    SIMILAR_INTENSITY,
                    .epsilon = 0.05 },
    [TAG_EVICT] = { "tag_evict",
                    { "TVM: tag, evicting", "TVM：标签，可逐出" },
                    { "TVM\ntag", "TVM\n标签" },
                    SCHEDULER_GRADIENT,
                    SIMILAR_TAG,
                    .evict = true,
                    .epsilon = 0 },
    [TAG] = { "tag",
              { "tag, not evicting", "标签，不逐出" },
              { "tag, no\nevict", "标签\n不逐出" },
              SCHEDULER_GRADIENT,
              SIMILAR_TAG,
              .epsilon = 0 },
    [METASCHEDULE] = { "metaschedule",
                       { "MetaSchedule: none", "MetaSchedule：无" },
                       { "Meta-\nSched.", "Meta-\nSched." },
                       SCHEDULER_GRADIENT,
                       SIMILAR_NONE,
                       .epsilon = 0 },
};

/* The optimum of the whole network over its true time, percent. */
static double network_share(const struct network *n, const struct objective *o, const double *true_us)
{
    double optimum = 0.0, now = 0.0;
    for (int j = 0; j < o->networks; j++)
        for (int i = 0; i < TASKS; i++) {
            optimum += o->weight[j * TASKS + i] * n->optimum_us[i];
            now += o->weight[j * TASKS + i] * true_us[i];
        }
    return 100.0 * optimum / now;
}

static struct scheduler *scheduler_of(const struct network *n, int repeat, const struct policy *policy,
                                      const struct objective *objective)
{
    struct scheduler_settings settings = scheduler_defaults(policy->similarity);
    settings.rule = policy->rule;
    settings.evict = policy->evict;
    settings.epsilon = policy->epsilon;
    char *stream = xformat("04.scheduler/%s", policy->id);
    struct rng rng = rng_stream(n->seed, stream, (uint64_t)repeat);
    free(stream);
    return scheduler_new(&settings, objective, TASKS, n->task, rng);
}

struct session session_run(struct network *n, int repeat, const struct policy *policy,
                           const struct objective *objective, int units)
{
    struct scheduler *scheduler = scheduler_of(n, repeat, policy, objective);
    size_t room = (size_t)units;
    struct session s = { .pick = xalloc(room, sizeof *s.pick),
                         .gradient = xalloc(room * TASKS, sizeof *s.gradient),
                         .share = xalloc(room, sizeof *s.share) };
    double true_us[TASKS] = { 0 };
    for (; s.units < units; s.units++) {
        struct pick pick = scheduler_next(scheduler);
        if (pick.task < 0)
            break;
        if (s.units >= TASKS)
            scheduler_gradients(scheduler, s.gradient + s.units * TASKS);
        int given = ++s.given[pick.task];
        scheduler_tell(scheduler, pick.task, network_measured_us(n, repeat, pick.task, given));
        true_us[pick.task] = network_true_us(n, repeat, pick.task, given);
        s.pick[s.units] = pick;
        s.share[s.units] = s.units + 1 < TASKS ? 0.0 : network_share(n, objective, true_us);
    }
    scheduler_free(scheduler);
    return s;
}

void session_free(struct session *s)
{
    free(s->pick);
    free(s->gradient);
    free(s->share);
}

struct session *sessions_run(const struct run *run, struct network *n, const struct objective *objective, int units)
{
    int repeats = n->repeats;
    size_t done = 0;
    struct session *sessions = xalloc((size_t)POLICIES * (size_t)repeats, sizeof *sessions);
    network_tune(run, n, units / TASKS); /* round robin wants that much, and it keeps all cores busy */
#pragma omp parallel for schedule(dynamic)
    for (int r = 0; r < repeats; r++) {
        for (int p = 0; p < POLICIES; p++)
            sessions[p * repeats + r] = session_run(n, r, &policies[p], objective, units);
#pragma omp critical
        program_progress(run, TEXT("scheduling", "调度"), ++done, (size_t)repeats);
    }
    return sessions;
}

void sessions_free(struct session *sessions, int repeats)
{
    for (int i = 0; i < POLICIES * repeats; i++)
        session_free(&sessions[i]);
    free(sessions);
}

double session_shares(const struct session *of_policy, int repeats, int units, double *share)
{
    for (int r = 0; r < repeats; r++)
        share[r] = of_policy[r].share[units - 1];
    return stats_median(share, (size_t)repeats);
}

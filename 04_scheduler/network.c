/* network.c - tunes the network's tasks as far as somebody asks, and lets schedulers spend units on them. */
#include "network.h"
#include <math.h>
#include <stdlib.h>

enum { REPEATS = 5, BATCH = 64 };

/* ---- the network ---- */

struct network *network_new(const struct run *run, const struct strategy *strategy, int repeats, double noise)
{
    const struct device *device = run->device;
    const struct options *o = run->options;
    struct network *n = xalloc(1, sizeof *n);
    *n = (struct network){ device, strategy, o->seed, repeats, .unit = o->unit ? (size_t)o->unit : UNIT };
    n->tuning = xalloc((size_t)repeats * TASKS, sizeof *n->tuning);
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < TASKS; i++) {
        const struct workload *w = &workload_network[i].workload;
        n->task[i] = (struct scheduler_task){ workload_flop(w), workload_intensity(w), .op = 0 }; /* all alike */
        n->count[i] = workload_network[i].count;
        n->optimum_us[i] = device_optimum_us(device, w);
        for (int r = 0; r < repeats; r++)
            n->tuning[r * TASKS + i] = (struct tuning){
                .name = "04.network",
                .seed = n->seed,
                .repeat = (uint64_t)r,
                .strategy = strategy,
                .device = device,
                .task = { w, device_space(device, w) },
                .trials = device_space(device, w)->legal_count,
                .batch = BATCH,
                .noise = noise,
            };
    }
    return n;
}

void network_free(struct network *n)
{
    for (int i = 0; i < n->repeats * TASKS; i++)
        tuning_free(&n->tuning[i]);
    free(n->tuning);
    free(n);
}

struct network *network_shared(struct run *run)
{
    if (!run->shared)
        run->shared = network_new(run, &NETWORK_TUNER, run->options->repeats ? run->options->repeats : REPEATS, 0.0);
    return run->shared;
}

const char *network_name(int task) { return tr_text(workload_network[task].workload.name); }

/* One unit at a time, so that batches end with them. */
const struct tuning *network_tuning(struct network *n, int repeat, int task, int units)
{
    struct tuning *t = &n->tuning[repeat * TASKS + task];
    while (t->trace.count < n->unit * (size_t)units && tuning_step(t, n->unit))
        ;
    return t;
}

struct choice network_choice(struct network *n, int repeat, int task, int units)
{
    const struct tuning *t = network_tuning(n, repeat, task, units);
    size_t chosen = trace_chosen(&t->trace, n->unit * (size_t)units);
    if (chosen == t->trace.count)
        return (struct choice){ INFINITY, INFINITY };
    return (struct choice){ t->trace.trial[chosen].measured_us, tuning_true_us(t, chosen) };
}

struct trace network_trace(struct network *n, int repeat, int task, int units, double **true_us)
{
    const struct tuning *t = network_tuning(n, repeat, task, units);
    struct trace trace = t->trace;
    if (trace.count > n->unit * (size_t)units)
        trace.count = n->unit * (size_t)units;
    *true_us = xalloc(trace.count, sizeof **true_us);
    for (size_t i = 0; i < trace.count; i++)
        (*true_us)[i] = tuning_true_us(t, i);
    return trace;
}

void network_tune(const struct run *run, struct network *n, int units)
{
    size_t done = 0, total = (size_t)n->repeats * TASKS;
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < total; i++) {
        network_tuning(n, (int)(i / TASKS), (int)(i % TASKS), units);
#pragma omp critical
        program_tuning_progress((void *)run, ++done, total);
    }
}

/* ---- policies ---- */

/* epsilon, the last number: the lecture's scheduler has one, TVM's and MetaSchedule's have none. */
/* clang-format off */
const struct policy policies[POLICIES] = {
    [ROUND_ROBIN] = { "round_robin", { "round robin", "轮流" }, { "round\nrobin", "轮流" },
                      SCHEDULER_ROUND_ROBIN, SIMILAR_NONE, false, 0 },
    [RANDOM] = { "random", { "random", "随机" }, { "random", "随机" }, SCHEDULER_RANDOM, SIMILAR_NONE, false, 0 },
    [ALL_ALIKE] = { "all_alike", { "all alike (paper)", "全部相似（论文）" }, { "all\nalike", "全部\n相似" },
                    SCHEDULER_GRADIENT, SIMILAR_OP, false, 0.05 },
    [ALL_EVICT] = { "all_evict", { "all alike, evicting", "全部相似，可逐出" }, { "all,\nevict", "全部\n可逐出" },
                    SCHEDULER_GRADIENT, SIMILAR_OP, true, 0.05 },
    [INTENSITY] = { "intensity", { "intensity within 4x", "强度差 4 倍内" }, { "inten-\nsity", "强度\n相近" },
                    SCHEDULER_GRADIENT, SIMILAR_INTENSITY, false, 0.05 },
    [TAG_EVICT] = { "tag_evict", { "TVM: tag, evicting", "TVM：标签，可逐出" }, { "TVM\ntag", "TVM\n标签" },
                    SCHEDULER_GRADIENT, SIMILAR_TAG, true, 0 },
    [TAG] = { "tag", { "tag, not evicting", "标签，不逐出" }, { "tag, no\nevict", "标签\n不逐出" },
              SCHEDULER_GRADIENT, SIMILAR_TAG, false, 0 },
    [METASCHEDULE] = { "metaschedule", { "MetaSchedule: none", "MetaSchedule：无" }, { "Meta-\nSched.", "Meta-\nSched." },
                       SCHEDULER_GRADIENT, SIMILAR_NONE, false, 0 },
};
/* clang-format on */

struct table *policies_table(struct text head, int decimals)
{
    struct column columns[POLICIES + 1] = { { head, TABLE_TEXT } };
    for (int p = 0; p < POLICIES; p++)
        columns[p + 1] = (struct column){ policies[p].head, decimals };
    return table_new(POLICIES + 1, columns);
}

/* ---- sessions ---- */

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

struct session session_run(struct network *n, int repeat, const struct policy *policy,
                           const struct objective *objective, int units)
{
    struct scheduler_settings settings = scheduler_defaults(policy->similarity);
    settings.rule = policy->rule;
    settings.evict = policy->evict;
    settings.epsilon = policy->epsilon;
    char *stream = xformat("04.scheduler/%s", policy->id);
    struct rng rng = rng_stream(n->seed, stream, (uint64_t)repeat);
    struct scheduler *scheduler = scheduler_new(&settings, objective, TASKS, n->task, rng);
    struct session s = { .step = xalloc((size_t)units, sizeof *s.step) };
    double true_us[TASKS] = { 0 };
    for (; s.units < units; s.units++) {
        struct step *step = &s.step[s.units];
        step->pick = scheduler_next(scheduler);
        int task = step->pick.task;
        if (task < 0)
            break;
        if (s.units >= TASKS)
            scheduler_gradients(scheduler, step->gradient);
        struct choice choice = network_choice(n, repeat, task, ++s.given[task]);
        scheduler_tell(scheduler, task, choice.measured_us);
        true_us[task] = choice.true_us;
        step->share = s.units + 1 < TASKS ? 0.0 : network_share(n, objective, true_us);
    }
    scheduler_free(scheduler);
    free(stream);
    return s;
}

struct sessions sessions_run(const struct run *run, struct network *n, const struct objective *objective, int units)
{
    size_t done = 0, repeats = (size_t)n->repeats;
    struct sessions all = { n->repeats, xalloc(repeats, sizeof *all.of) };
    network_tune(run, n, units / TASKS); /* round robin wants that much, and it keeps all cores busy */
#pragma omp parallel for schedule(dynamic)
    for (int r = 0; r < n->repeats; r++) {
        for (int p = 0; p < POLICIES; p++)
            all.of[r][p] = session_run(n, r, &policies[p], objective, units);
#pragma omp critical
        program_progress(run, TEXT("scheduling", "调度"), ++done, repeats);
    }
    return all;
}

void sessions_free(struct sessions *all)
{
    for (int r = 0; r < all->repeats; r++)
        for (int p = 0; p < POLICIES; p++)
            free(all->of[r][p].step);
    free(all->of);
}

double session_share(const struct session *s, int units) { return s->step[units - 1].share; }

double session_given(const struct session *s, int task) { return s->given[task]; }

double session_reached(const struct session *s, int percent)
{
    for (int u = 0; u < s->units; u++)
        if (s->step[u].share >= percent)
            return u + 1;
    return INFINITY;
}

struct spread sessions_spread(const struct sessions *all, int policy, session_number *number, int argument)
{
    size_t n = (size_t)all->repeats;
    double *value = xalloc(n, sizeof *value);
    for (size_t r = 0; r < n; r++)
        value[r] = number(&all->of[r][policy], argument);
    struct spread spread = stats_spread(value, n);
    free(value);
    return spread;
}

void sessions_medians(const struct sessions *all, int units, double *median)
{
    for (int p = 0; p < POLICIES; p++)
        median[p] = sessions_spread(all, p, session_share, units).median;
}

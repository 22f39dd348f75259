/* network.c - lets schedulers spend units on the network's tasks, and tunes each task as far as one of them asks. */
#include "network.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 5, BATCH = 64 };

/* ---- the network ---- */

const char *network_name(int task) { return tr_text(workload_network[task].workload.name); }

int network_part(int task) { return strncmp(workload_network[task].workload.id, "decode", 6) ? PREFILL : DECODE; }

static void check_recorded(const struct device *device)
{
    char *missing = xformat("%s", ""), shape[64];
    for (int i = 0; i < TASKS; i++) {
        const struct workload *w = &workload_network[i].workload;
        if (device_match(device, w))
            continue;
        char *longer = xformat("%s%s%s %s", missing, *missing ? ", " : "", w->id, workload_shape(w, shape, sizeof shape));
        free(missing);
        missing = longer;
    }
    if (*missing)
        die("--device: %s lacks %s; expected all %d tasks of the network (FILE,FILE joins recordings)", device->name,
            missing, TASKS);
    free(missing);
}

/* The paper's Table 2. Whatever speedups are counted over scales all their slopes alike: it moves no pick. */
static void set_goals(struct network *n)
{
    memcpy(n->heavy, n->count, sizeof n->heavy);
    n->heavy[n->order[0]] *= 10;
    for (int i = 0; i < TASKS; i++) {
        n->parts[network_part(i) * TASKS + i] = n->count[i];
        n->once_us[network_part(i)] += n->count[i] * n->optimum_us[i];
    }
    for (int j = 0; j < PARTS; j++)
        n->enough_us[j] = 1.1 * n->once_us[j];
    n->objective[AS_IS] = (struct objective){ OBJECTIVE_LATENCY, 1, n->count, NULL, 0 };
    n->objective[HEAVY] = (struct objective){ OBJECTIVE_LATENCY, 1, n->heavy, NULL, 0 };
    n->objective[REQUIREMENT] = (struct objective){ OBJECTIVE_REQUIREMENT, PARTS, n->parts, n->enough_us, 0 };
    n->objective[SPEEDUP] = (struct objective){ OBJECTIVE_SPEEDUP, PARTS, n->parts, n->once_us, 0 };
    n->objective[PATIENCE] = (struct objective){ OBJECTIVE_LATENCY, PARTS, n->parts, NULL, 3 };
}

struct network *network_new(const struct run *run, const struct device *device, int repeats)
{
    const struct options *o = run->options;
    struct network *n = xalloc(1, sizeof *n);
    size_t tunings = (size_t)repeats * TASKS;
    check_recorded(device);
    *n = (struct network){ device, o->seed, repeats, .unit = o->unit ? (size_t)o->unit : UNIT };
    n->tuning = xalloc(tunings, sizeof *n->tuning);
    n->known = xalloc(tunings, sizeof *n->known);
    n->session = xalloc((size_t)repeats * GOALS * POLICIES, sizeof *n->session);
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < TASKS; i++) {
        const struct workload *w = &workload_network[i].workload;
        n->task[i] = (struct scheduler_task){ workload_flop(w), workload_intensity(w), .op = 0 }; /* all alike */
        n->count[i] = workload_network[i].count;
        n->optimum_us[i] = device_optimum_us(device, w);
        for (int r = 0; r < repeats; r++)
            n->tuning[r * TASKS + i] = network_tuning(n, &NETWORK_TUNER, r, i, 0);
    }
    double flop = 0, bytes = 0, part_us[TASKS]; /* negative: stats_order puts the largest first */
    for (int i = 0; i < TASKS; i++) {
        part_us[i] = -n->count[i] * n->optimum_us[i];
        n->total_us -= part_us[i];
        flop = fmax(flop, n->task[i].flop / n->optimum_us[i]);
        bytes = fmax(bytes, workload_bytes(&workload_network[i].workload) / n->optimum_us[i]);
    }
    stats_order(part_us, TASKS, n->order);
    n->ridge = device->is_hypogpu ? HYPOGPU_SMS * HYPOGPU_FLOP_A_CYCLE * HYPOGPU_MHZ / HYPOGPU_DRAM_BYTES_A_US
                                  : flop / bytes;
    set_goals(n);
    return n;
}

struct tuning network_tuning(const struct network *n, const struct strategy *strategy, int repeat, int task,
                             double noise)
{
    const struct workload *w = &workload_network[task].workload;
    const struct space *space = device_space(n->device, w);
    return (struct tuning){
        .name = "04.network",
        .seed = n->seed,
        .repeat = (uint64_t)repeat,
        .strategy = strategy,
        .device = n->device,
        .task = { w, space },
        .trials = space->legal_count,
        .batch = BATCH,
        .noise = noise,
    };
}

void network_free(struct network *n)
{
    for (int i = 0; i < n->repeats * TASKS; i++)
        tuning_free(&n->tuning[i]);
    for (int i = 0; i < n->repeats * GOALS * POLICIES; i++)
        free(n->session[i].step);
    free(n->session);
    free(n->known);
    free(n->tuning);
    free(n);
}

struct network *network_shared(struct run *run)
{
    const struct options *o = run->options;
    if (!run->shared)
        run->shared = network_new(run, run->device, o->repeats ? o->repeats : REPEATS);
    return run->shared;
}

struct network *network_played(struct run *run)
{
    struct network *n = network_shared(run);
    if (!n->session[0].step)
        network_play(run, n, run->options->demo[4] ? GOALS : 1);
    return n;
}

struct choice network_choice(const struct network *n, int repeat, int task, int units)
{
    const struct tuning *t = &n->tuning[repeat * TASKS + task];
    size_t chosen = trace_chosen(&t->trace, n->unit * (size_t)units);
    if (chosen == t->trace.count)
        return (struct choice){ INFINITY, INFINITY };
    return (struct choice){ t->trace.trial[chosen].measured_us, tuning_true_us(t, chosen) };
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
    [ALL_EVICT] = { "all_evict", { "all alike, evicting", "全部相似，可淘汰" }, { "all,\nevict", "全部\n可淘汰" },
                    SCHEDULER_GRADIENT, SIMILAR_OP, true, 0.05 },
    [INTENSITY] = { "intensity", { "intensity within 4x", "强度差 4 倍内" }, { "inten-\nsity", "强度\n相近" },
                    SCHEDULER_GRADIENT, SIMILAR_INTENSITY, false, 0.05 },
    [TAG_EVICT] = { "tag_evict", { "TVM: tag, evicting", "TVM：标签，可淘汰" }, { "TVM\ntag", "TVM\n标签" },
                    SCHEDULER_GRADIENT, SIMILAR_TAG, true, 0 },
    [TAG] = { "tag", { "tag, not evicting", "标签，不淘汰" }, { "tag, no\nevict", "标签\n不淘汰" },
              SCHEDULER_GRADIENT, SIMILAR_TAG, false, 0 },
    [METASCHEDULE] = { "metaschedule", { "MetaSchedule: none", "MetaSchedule：无" }, { "Meta-\nSched.", "Meta-\nSched." },
                       SCHEDULER_GRADIENT, SIMILAR_NONE, false, 0 },
};
/* clang-format on */

/* ---- sessions ---- */

/* The optimum of the whole network over its true time, percent. */
static double share(const struct network *n, const struct objective *o, const double *true_us)
{
    double optimum = 0.0, now = 0.0;
    for (int j = 0; j < o->networks; j++)
        for (int i = 0; i < TASKS; i++) {
            optimum += o->weight[j * TASKS + i] * n->optimum_us[i];
            now += o->weight[j * TASKS + i] * true_us[i];
        }
    return 100.0 * optimum / now;
}

static void session_open(const struct network *n, int repeat, const struct policy *policy,
                         const struct objective *objective, struct session *s)
{
    struct scheduler_settings settings = scheduler_defaults(policy->similarity);
    settings.rule = policy->rule;
    settings.evict = policy->evict;
    settings.epsilon = policy->epsilon;
    char *stream = xformat("04.scheduler/%s", policy->id);
    struct rng rng = rng_stream(n->seed, stream, (uint64_t)repeat);
    *s = (struct session){ .step = xalloc(BUDGET, sizeof *s->step) };
    s->scheduler = scheduler_new(&settings, objective, TASKS, n->task, rng);
    free(stream);
}

/* Goes on as far as the tasks are known. Returns the task that it wants one more unit of; -1: it is over. */
static int session_go_on(const struct network *n, int repeat, const struct objective *objective, struct session *s)
{
    for (; s->scheduler && s->units < BUDGET; s->units++) {
        struct step *step = &s->step[s->units];
        if (!s->waits) {
            step->pick = scheduler_next(s->scheduler);
            if (step->pick.task < 0)
                break;
            if (s->units >= TASKS)
                scheduler_gradients(s->scheduler, step->gradient);
        }
        int task = step->pick.task;
        s->waits = n->known[repeat * TASKS + task] == s->given[task];
        if (s->waits)
            return task;
        struct choice choice = network_choice(n, repeat, task, ++s->given[task]);
        scheduler_tell(s->scheduler, task, choice.measured_us);
        s->true_us[task] = choice.true_us;
        step->share = s->units + 1 < TASKS ? 0.0 : share(n, objective, s->true_us);
    }
    if (s->scheduler)
        scheduler_free(s->scheduler);
    s->scheduler = NULL;
    return -1;
}

/* One unit at a time, so that batches end with them. */
static void tune(struct network *n, int repeat, const int *want)
{
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < TASKS; i++) {
        int *known = &n->known[repeat * TASKS + i];
        struct tuning *t = &n->tuning[repeat * TASKS + i];
        for (; *known < want[i]; ++*known)
            while (t->trace.count < n->unit * ((size_t)*known + 1) && tuning_step(t, n->unit))
                ;
    }
}

static bool is_played(int goals, int goal, int policy)
{
    return goal < goals && (goal <= HEAVY || policy == INTENSITY);
}

void network_play(const struct run *run, struct network *n, int goals)
{
    for (int r = 0; r < n->repeats; r++) {
        struct session *all = n->session + r * GOALS * POLICIES;
        int want[TASKS];
        for (int i = 0; i < TASKS; i++)
            want[i] = BUDGET / TASKS; /* round robin wants that much, and it keeps all cores busy */
        for (int s = 0; s < GOALS * POLICIES; s++)
            if (is_played(goals, s / POLICIES, s % POLICIES))
                session_open(n, r, &policies[s % POLICIES], &n->objective[s / POLICIES], &all[s]);
        for (bool more = true; more;) {
            tune(n, r, want);
            more = false;
            for (int s = 0; s < GOALS * POLICIES; s++) {
                int task = session_go_on(n, r, &n->objective[s / POLICIES], &all[s]);
                if (task >= 0)
                    want[task] = all[s].given[task] + 1;
                more |= task >= 0;
            }
        }
        for (int i = 0; i < TASKS; i++)
            tuning_close(&n->tuning[r * TASKS + i]);
        program_tuning_progress((void *)run, (size_t)r + 1, (size_t)n->repeats);
    }
}

const struct session *network_session(const struct network *n, int repeat, enum goal goal, int policy)
{
    return &n->session[(repeat * GOALS + (int)goal) * POLICIES + policy];
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

struct spread network_spread(const struct network *n, enum goal goal, int policy, session_number *number, int argument)
{
    double *value = xalloc((size_t)n->repeats, sizeof *value);
    for (int r = 0; r < n->repeats; r++)
        value[r] = number(network_session(n, r, goal, policy), argument);
    struct spread spread = stats_spread(value, (size_t)n->repeats);
    free(value);
    return spread;
}

void network_medians(const struct network *n, enum goal goal, int units, double *median)
{
    for (int p = 0; p < POLICIES; p++)
        median[p] = network_spread(n, goal, p, session_share, units).median;
}

static bool same_picks(const struct session *a, const struct session *b)
{
    bool same = a->units == b->units;
    for (int u = 0; u < a->units && same; u++)
        same = a->step[u].pick.task == b->step[u].pick.task;
    return same;
}

int network_twin(const struct network *n, enum goal goal, int policy)
{
    for (int p = 0; p < policy; p++) {
        bool same = true;
        for (int r = 0; r < n->repeats && same; r++)
            same = same_picks(network_session(n, r, goal, p), network_session(n, r, goal, policy));
        if (same)
            return p;
    }
    return policy;
}

struct table *policies_table(const struct network *n, struct text head, int decimals)
{
    struct column columns[POLICIES + 1] = { { head, TABLE_TEXT } };
    int count = 1;
    for (int p = 0; p < POLICIES; p++)
        if (network_twin(n, AS_IS, p) == p)
            columns[count++] = (struct column){ policies[p].head, decimals };
    return table_new(count, columns);
}

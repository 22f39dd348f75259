/* experiment.c - planning, judging and summarising many tunings. */
#include "experiment.h"
#include "base/stats.h"
#include "base/xalloc.h"
#include <stdlib.h>
#include <string.h>

size_t experiment_tunings(const struct experiment *e)
{
    return (size_t)e->workloads * (size_t)e->variants * (size_t)e->repeats;
}

struct tuning *experiment_tuning(const struct experiment *e, int w, int v, int r)
{
    return &e->tuning[((size_t)w * (size_t)e->variants + (size_t)v) * (size_t)e->repeats + (size_t)r];
}

static const struct space *space_of(const struct experiment *e, int w, int v)
{
    return e->variant[v].space ? e->variant[v].space : device_space(e->device, &e->workload[w]);
}

/* No budget is larger than what there is to measure. */
static size_t useful_trials(const struct experiment *e)
{
    size_t most = 0;
    for (int i = 0; i < e->workloads * e->variants; i++) {
        size_t legal = space_of(e, i / e->variants, i % e->variants)->legal_count;
        most = legal > most ? legal : most;
    }
    return e->trials < most ? e->trials : most;
}

void experiment_plan(struct experiment *e)
{
    e->tuning = xalloc(experiment_tunings(e), sizeof *e->tuning);
    e->trials = useful_trials(e);
    for (int w = 0; w < e->workloads; w++) {
        double optimum_us = e->device->measure ? 0 : device_optimum_us(e->device, &e->workload[w]);
        for (int v = 0; v < e->variants; v++)
            for (int r = 0; r < e->repeats; r++)
                *experiment_tuning(e, w, v, r) = (struct tuning){
                    .name = e->name,
                    .seed = e->seed,
                    .repeat = (uint64_t)r,
                    .strategy = e->variant[v].strategy,
                    .settings = e->variant[v].settings,
                    .device = e->device,
                    .task = { &e->workload[w], space_of(e, w, v) },
                    .trials = e->trials,
                    .batch = e->batch,
                    .optimum_us = optimum_us,
                };
    }
}

static bool go_the_same_way(const struct tuning *a, const struct tuning *b)
{
    const struct workload *v = a->task.workload, *w = b->task.workload;
    return a->device == b->device && a->strategy == b->strategy && a->settings == b->settings &&
           a->task.space == b->task.space && a->batch == b->batch && a->seed == b->seed && a->repeat == b->repeat &&
           v->m == w->m && v->n == w->n && v->k == w->k && !strcmp(v->id, w->id) && !strcmp(a->name, b->name);
}

void experiment_reuse(struct experiment *e, const struct experiment *done)
{
    size_t made = done && done->tuning ? experiment_tunings(done) : 0;
    for (size_t i = 0; i < experiment_tunings(e) * made; i++) {
        struct tuning *to = &e->tuning[i / made];
        const struct tuning *from = &done->tuning[i % made];
        bool whole_batches = to->trials == from->trials || to->trials % to->batch == 0;
        if (to->trace.count > 0 || from->trace.count < to->trials || !whole_batches || !go_the_same_way(to, from))
            continue;
        to->trace = (struct trace){ to->trials, xalloc(to->trials, sizeof *to->trace.trial) };
        memcpy(to->trace.trial, from->trace.trial, to->trials * sizeof *to->trace.trial);
    }
}

bool experiment_is_exhaustive(const struct experiment *e, int w)
{
    bool all = true;
    for (int v = 0; v < e->variants; v++)
        all = all && e->trials >= space_of(e, w, v)->legal_count;
    return all;
}

void tuning_run_all(size_t count, struct tuning *tunings, void (*progress)(void *, size_t, size_t), void *context)
{
    size_t done = 0;
    /* Side by side, live tunings would disturb each other. */
#pragma omp parallel for schedule(dynamic) if (!(count && tunings->device->measure))
    for (size_t i = 0; i < count; i++) {
        tuning_run(&tunings[i]);
#pragma omp critical
        if (progress)
            progress(context, ++done, count);
    }
}

void experiment_run(struct experiment *e, void (*progress)(void *, size_t, size_t), void *context)
{
    if (!e->tuning)
        experiment_plan(e);
    tuning_run_all(experiment_tunings(e), e->tuning, progress, context);
}

void experiment_free(struct experiment *e)
{
    for (size_t i = 0; e->tuning && i < experiment_tunings(e); i++) /* not planned: nothing to free */
        tuning_free(&e->tuning[i]);
    free(e->tuning);
}

struct gbdt *experiment_global(const struct experiment *e, int variant, int repeat,
                               const struct cost_model_settings *settings)
{
    struct task *tasks = xalloc((size_t)e->workloads, sizeof *tasks);
    struct trace *traces = xalloc((size_t)e->workloads, sizeof *traces);
    for (int w = 0; w < e->workloads; w++) {
        const struct tuning *t = experiment_tuning(e, w, variant, repeat);
        tasks[w] = t->task;
        traces[w] = t->trace;
    }
    struct gbdt *model = cost_model_train_global(settings, (size_t)e->workloads, tasks, traces);
    free(traces);
    free(tasks);
    return model;
}

/* Of one number of each repeat. */
static struct spread over_repeats(const struct experiment *e, int w, int v,
                                  double (*number)(struct tuning *t, double of), double of)
{
    double *each = xalloc((size_t)e->repeats, sizeof *each);
    for (int r = 0; r < e->repeats; r++)
        each[r] = number(experiment_tuning(e, w, v, r), of);
    struct spread spread = stats_spread(each, (size_t)e->repeats);
    free(each);
    return spread;
}

static double share_after(struct tuning *t, double n) { return tuning_share(t, (size_t)n); }

struct spread experiment_share(const struct experiment *e, int w, int v, size_t n)
{
    return over_repeats(e, w, v, share_after, (double)n);
}

static const double never = 1e18;

static double trials_to(struct tuning *t, double share)
{
    size_t trials = tuning_reached(t, share);
    return trials ? (double)trials : never;
}

size_t experiment_reached(const struct experiment *e, int w, int v, double share)
{
    double median = over_repeats(e, w, v, trials_to, share).median;
    return median < never / 2 ? (size_t)median : 0;
}

static double seconds_of(struct tuning *t, double n) { return trace_seconds(&t->trace, (size_t)n); }

double experiment_hours(const struct experiment *e, int w, int v)
{
    return over_repeats(e, w, v, seconds_of, (double)e->trials).median / 3600;
}

int experiment_counts(const struct experiment *e, size_t first, size_t *counts)
{
    int n = 0;
    for (size_t count = first; count < e->trials && n < EXPERIMENT_COUNTS - 1; count *= 2)
        counts[n++] = count;
    counts[n++] = e->trials;
    return n;
}

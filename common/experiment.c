/* experiment.c - planning, judging and summarising many tunings. */
#include "experiment.h"
#include "base/stats.h"
#include "base/xalloc.h"
#include <stdlib.h>

size_t experiment_tunings(const struct experiment *e)
{
    return (size_t)e->workloads * (size_t)e->variants * (size_t)e->repeats;
}

struct tuning *experiment_tuning(const struct experiment *e, int w, int v, int r)
{
    return &e->tuning[((size_t)w * (size_t)e->variants + (size_t)v) * (size_t)e->repeats + (size_t)r];
}

double experiment_optimum_us(const struct experiment *e, int w)
{
    return experiment_tuning(e, w, 0, 0)->optimum_us;
}

static const struct space *space_of(const struct experiment *e, int v)
{
    return e->variant[v].space ? e->variant[v].space : e->device->space;
}

void experiment_plan(struct experiment *e)
{
    e->tuning = xalloc(experiment_tunings(e), sizeof *e->tuning);
    for (int w = 0; w < e->workloads; w++) {
        const struct space *whole = e->device->space;
        double optimum_us =
            device_time_us(e->device, &e->workload[w], whole, device_optimum(e->device, &e->workload[w]));
        for (int v = 0; v < e->variants; v++)
            for (int r = 0; r < e->repeats; r++)
                *experiment_tuning(e, w, v, r) = (struct tuning){
                    .name = e->name,
                    .seed = e->seed,
                    .repeat = (uint64_t)r,
                    .strategy = e->variant[v].strategy,
                    .settings = e->variant[v].settings,
                    .device = e->device,
                    .task = { &e->workload[w], space_of(e, v) },
                    .trials = e->trials,
                    .batch = e->batch,
                    .optimum_us = optimum_us,
                };
    }
}

void tuning_run_all(size_t count, struct tuning *tunings, void (*progress)(void *, size_t, size_t), void *context)
{
    size_t done = 0;
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < count; i++) {
        tuning_run(&tunings[i]);
#pragma omp critical
        if (progress)
            progress(context, ++done, count);
    }
}

void experiment_run(struct experiment *e, void (*progress)(void *, size_t, size_t), void *context)
{
    tuning_run_all(experiment_tunings(e), e->tuning, progress, context);
}

void experiment_free(struct experiment *e)
{
    for (size_t i = 0; i < experiment_tunings(e); i++)
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

struct spread experiment_share(const struct experiment *e, int w, int v, size_t n)
{
    double *share = xalloc((size_t)e->repeats, sizeof *share);
    for (int r = 0; r < e->repeats; r++)
        share[r] = tuning_share(experiment_tuning(e, w, v, r), n);
    struct spread spread = stats_spread(share, (size_t)e->repeats);
    free(share);
    return spread;
}

size_t experiment_reached(const struct experiment *e, int w, int v, double share)
{
    double *trials = xalloc((size_t)e->repeats, sizeof *trials), never = 1e18;
    for (int r = 0; r < e->repeats; r++) {
        size_t reached = tuning_reached(experiment_tuning(e, w, v, r), share);
        trials[r] = reached ? (double)reached : never;
    }
    double median = stats_median(trials, (size_t)e->repeats);
    free(trials);
    return median < never / 2 ? (size_t)median : 0;
}

double experiment_hours(const struct experiment *e, int w, int v)
{
    double *hours = xalloc((size_t)e->repeats, sizeof *hours);
    for (int r = 0; r < e->repeats; r++)
        hours[r] = trace_seconds(&experiment_tuning(e, w, v, r)->trace, e->trials) / 3600;
    double median = stats_median(hours, (size_t)e->repeats);
    free(hours);
    return median;
}

int experiment_counts(const struct experiment *e, size_t first, size_t *counts)
{
    int n = 0;
    for (size_t count = first; count < e->trials && n < EXPERIMENT_COUNTS - 1; count *= 2)
        counts[n++] = count;
    counts[n++] = e->trials;
    return n;
}

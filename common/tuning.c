/* tuning.c - the loop is tuning_step. It sees the device through the measurer alone: each look costs something. */
#include "tuning.h"
#include <stdlib.h>

struct loop {   /* a tuning that has begun */
    void *self; /* the strategy's own */
    struct measurer measurer;
    uint32_t *configs;           /* [batch] what the strategy asked for */
    struct measurement *results; /* [batch] what it is told of them */
};

void tuning_defaults(struct tuning *t)
{
    t->batch = t->batch ? t->batch : 64;
    t->name = t->name ? t->name : "tuning";
}

/* Where its random numbers for one purpose begin: found by what it is, so that nothing beside it moves them. */
static uint64_t stream_seed(const struct tuning *t, const char *purpose)
{
    char *name = xformat("%s/%s/%s/%s", t->name, t->strategy->name, t->task.workload->id, purpose);
    struct rng rng = rng_stream(t->seed, name, t->repeat);
    free(name);
    return rng_next(&rng);
}

static struct loop *loop_open(struct tuning *t)
{
    struct loop *l = xalloc(1, sizeof *l);
    tuning_defaults(t);
    l->self = t->strategy->open(&t->task, stream_seed(t, "strategy"), t->settings);
    l->measurer = measurer_new(t->device, t->task.workload, t->task.space, t->trials, stream_seed(t, "noise"));
    l->measurer.noise_kind = t->noise_kind;
    l->measurer.noise = t->noise;
    l->configs = xalloc(t->batch, sizeof *l->configs);
    l->results = xalloc(t->batch, sizeof *l->results);
    return l;
}

/* The results of the n that were asked for: from an earlier run while it lasts, then measured. Returns how many. */
static size_t measure(const struct tuning *t, struct loop *l, size_t n)
{
    size_t done = 0, at = t->trace.count;
    for (; done < n && at + done < t->replay.count; done++) {
        const struct trial *old = &t->replay.trial[at + done];
        l->results[done] = (struct measurement){ old->measured_us, old->failure, old->seconds };
        measurer_replay(&l->measurer, old->config, &l->results[done]);
    }
    return done + measurer_measure(&l->measurer, n - done, l->configs + done, l->results + done);
}

static void note_down(struct trace *trace, const struct loop *l, size_t n)
{
    trace->trial = xrealloc(trace->trial, trace->count + n, sizeof *trace->trial);
    for (size_t i = 0; i < n; i++)
        trace->trial[trace->count++] =
            (struct trial){ l->configs[i], l->results[i].failure, l->results[i].time_us, l->results[i].seconds };
}

/* Algorithm 1. Strategies differ in what they ask for, and in what they learn when they are told; in nothing else. */
bool tuning_step(struct tuning *t, size_t trials)
{
    struct loop *l = t->loop = t->loop ? t->loop : loop_open(t);
    size_t end = trials < t->trials - t->trace.count ? t->trace.count + trials : t->trials;
    while (t->trace.count < end) {
        size_t left = end - t->trace.count;
        size_t n = t->strategy->ask(l->self, left < t->batch ? left : t->batch, l->configs);
        if (n == 0)
            return false; /* the space is exhausted */
        n = measure(t, l, n);
        t->strategy->tell(l->self, n, l->configs, l->results);
        note_down(&t->trace, l, n);
    }
    return t->trace.count < t->trials;
}

void tuning_run(struct tuning *t)
{
    if (t->trace.count < t->trials)
        tuning_step(t, t->trials);
    tuning_close(t);
}

void tuning_close(struct tuning *t)
{
    if (!t->loop)
        return;
    t->strategy->close(t->loop->self);
    free(t->loop->results);
    free(t->loop->configs);
    free(t->loop);
    t->loop = NULL;
}

void tuning_free(struct tuning *t)
{
    tuning_close(t);
    trace_free(&t->trace);
}

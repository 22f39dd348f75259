/* tuner.c - the ask-measure-tell loop and what can be read off its trace. */
#include "tuner.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number of this tuning's own for one purpose: the strategy's choices and the noise come from unrelated streams. */
static uint64_t stream_seed(const struct tuning *t, const char *purpose)
{
    char *name = xformat("%s/%s/%s/%s", t->experiment, t->strategy->name, t->workload->id, purpose);
    struct rng rng = rng_stream(t->seed, name, t->repeat);
    free(name);
    return rng_next(&rng);
}

struct tuner {
    struct tuning *t;
    struct measurer measurer;
    void *self;                  /* the strategy's own */
    uint32_t *configs;           /* [batch] asked for */
    struct measurement *results; /* [batch] */
    bool same;                   /* so far the replayed trials were those asked for */
};

/* Replays what is left of an earlier run, then measures. Returns how many results there are. */
static size_t look(struct tuner *tuner, size_t n)
{
    const struct tuning *t = tuner->t;
    size_t done = 0, at = t->trace.count;
    for (; done < n && at + done < t->replayed; done++) {
        const struct trial *old = &t->replay[at + done];
        tuner->same = tuner->same && old->config == tuner->configs[done];
        tuner->results[done] = (struct measurement){ old->measured_us, old->why, old->seconds };
        measurer_replay(&tuner->measurer, &tuner->results[done]);
    }
    return done + measurer_measure(&tuner->measurer, n - done, tuner->configs + done, tuner->results + done);
}

static void note(struct trace *trace, size_t n, const uint32_t *configs, const struct measurement *results)
{
    for (size_t i = 0; i < n; i++)
        trace->trial[trace->count++] =
            (struct trial){ configs[i], results[i].why, results[i].time_us, results[i].seconds, 0.0 };
}

struct tuner *tuner_open(struct tuning *t)
{
    struct tuner *tuner = xalloc(1, sizeof *tuner);
    struct task task = { t->workload, t->space };
    *tuner = (struct tuner){ .t = t,
                             .same = true,
                             .self = t->strategy->open(&task, stream_seed(t, "strategy"), t->settings) };
    tuner->measurer = measurer_new(t->device, t->workload, t->space, t->trials, stream_seed(t, "noise"));
    tuner->measurer.noise_kind = t->noise_kind;
    tuner->measurer.noise = t->noise > 0 ? t->noise : tuner->measurer.noise;
    tuner->configs = xalloc(t->batch, sizeof *tuner->configs);
    tuner->results = xalloc(t->batch, sizeof *tuner->results);
    t->trace = (struct trace){ .trial = xalloc(t->trials, sizeof(struct trial)) };
    return tuner;
}

bool tuner_step(struct tuner *tuner, size_t trials)
{
    struct tuning *t = tuner->t;
    size_t end = trials < t->trials - t->trace.count ? t->trace.count + trials : t->trials;
    while (tuner->same && t->trace.count < end) {
        size_t before = t->trace.count, left = end - before;
        size_t n = t->strategy->ask(tuner->self, left < t->batch ? left : t->batch, tuner->configs);
        if (n == 0)
            return false;
        n = look(tuner, n);
        t->strategy->tell(tuner->self, n, tuner->configs, tuner->results);
        note(&t->trace, n, tuner->configs, tuner->results);
        if (t->after_batch)
            t->after_batch(t, before);
    }
    return tuner->same && t->trace.count < t->trials;
}

void tuner_close(struct tuner *tuner)
{
    tuner->t->strategy->close(tuner->self);
    free(tuner->results);
    free(tuner->configs);
    free(tuner);
}

bool tuner_run(struct tuning *t)
{
    struct tuner *tuner = tuner_open(t);
    tuner_step(tuner, t->trials);
    bool same = tuner->same;
    tuner_close(tuner);
    return same;
}

void tuner_run_all(size_t count, struct tuning *tunings, void (*progress)(void *, size_t, size_t), void *context)
{
    size_t done = 0;
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < count; i++) {
        tuner_run(&tunings[i]);
#pragma omp critical
        if (progress)
            progress(context, ++done, count);
    }
}

void trace_free(struct trace *trace)
{
    free(trace->trial);
    *trace = (struct trace){ 0 };
}

double trace_seconds(const struct trace *trace, size_t n)
{
    double seconds = 0.0;
    for (size_t i = 0; i < n && i < trace->count; i++)
        seconds += trace->trial[i].seconds;
    return seconds;
}

size_t trace_chosen(const struct trace *trace, size_t n)
{
    size_t best = trace->count;
    double best_us = INFINITY;
    for (size_t i = 0; i < n && i < trace->count; i++)
        if (trace->trial[i].measured_us < best_us) {
            best = i;
            best_us = trace->trial[i].measured_us;
        }
    return best;
}

double trace_share(const struct trace *trace, size_t n, double optimum_us)
{
    size_t chosen = trace_chosen(trace, n);
    return chosen < trace->count ? 100.0 * optimum_us / trace->trial[chosen].true_us : 0.0;
}

size_t trace_reached(const struct trace *trace, double share, double optimum_us)
{
    double best_us = INFINITY;
    for (size_t i = 0; i < trace->count; i++)
        if (trace->trial[i].measured_us < best_us) {
            best_us = trace->trial[i].measured_us;
            if (100.0 * optimum_us / trace->trial[i].true_us >= share)
                return i + 1;
        }
    return 0;
}

/* cost_model.c - records, their labels, a fit, and a score for each configuration that is computed once. */
#include "model/cost_model.h"
#include "base/mathx.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/xalloc.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cost_model {
    struct task task;
    struct cost_model_settings settings;
    size_t features, room; /* room: for how many slots, and for how many records, there is memory */
    /* every configuration that was ever asked about or measured has a slot */
    uint32_t *slot_of; /* [space size] from 1; 0: none yet */
    size_t slots;
    float *x;       /* [slots][features] */
    double *global; /* [slots] the global model's score; 0 if there is none */
    double *score;  /* [slots] since the last fit; NaN: not computed yet */
    size_t records;
    size_t *record;  /* [records] its slot */
    double *time_us; /* [records] INFINITY: failed */
    /* the fit */
    struct gbdt **local; /* [fits] NULL: none yet */
    int fits;
    struct rng rng;      /* of the resampling */
    double best;         /* mean score among the records */
    double global_weight;
};

struct cost_model_settings cost_model_defaults(void)
{
    return (struct cost_model_settings){ .features = FEATURES_PROGRAM, .gbdt = gbdt_defaults(GBDT_RANK) };
}

static enum features_kind kind_for(enum features_kind wanted, const struct space *space)
{
    return features_has_program(space) ? wanted : FEATURES_KNOB;
}

struct cost_model *cost_model_new(const struct task *task, const struct cost_model_settings *settings)
{
    struct cost_model *m = xalloc(1, sizeof *m);
    m->task = *task;
    m->settings = settings ? *settings : cost_model_defaults();
    m->settings.features = kind_for(m->settings.features, task->space);
    m->features = (size_t)features_count(m->settings.features, task->space);
    assert(!m->settings.global || (size_t)gbdt_features(m->settings.global) == m->features);
    m->slot_of = xalloc(task->space->size, sizeof *m->slot_of);
    m->fits = m->settings.bootstraps > 0 ? m->settings.bootstraps : 1;
    m->local = xalloc((size_t)m->fits, sizeof *m->local);
    m->rng = rng_stream(m->settings.gbdt.seed, "bootstrap", 0);
    return m;
}

void cost_model_free(struct cost_model *m)
{
    for (int f = 0; f < m->fits; f++)
        gbdt_free(m->local[f]);
    free(m->local);
    free(m->time_us);
    free(m->record);
    free(m->score);
    free(m->global);
    free(m->x);
    free(m->slot_of);
    free(m);
}

/* ---- slots and records ---- */

/* Gives a slot to those of n configurations that have none, and computes what never changes about them. */
static void give_slots(struct cost_model *m, size_t n, const uint32_t *configs)
{
    size_t first = m->slots, used = m->slots > m->records ? m->slots : m->records;
    if (used + n > m->room) {
        m->room = 2 * m->room + n;
        m->x = xrealloc(m->x, m->room * m->features, sizeof *m->x);
        m->global = xrealloc(m->global, m->room, sizeof *m->global);
        m->score = xrealloc(m->score, m->room, sizeof *m->score);
        m->record = xrealloc(m->record, m->room, sizeof *m->record);
        m->time_us = xrealloc(m->time_us, m->room, sizeof *m->time_us);
    }
    uint32_t *fresh = xalloc(n, sizeof *fresh);
    for (size_t i = 0; i < n; i++)
        if (m->slot_of[configs[i]] == 0) {
            fresh[m->slots - first] = configs[i];
            m->global[m->slots] = 0.0;
            m->score[m->slots] = NAN;
            m->slot_of[configs[i]] = (uint32_t)++m->slots;
        }
    float *x = m->x + first * m->features;
    features_fill(m->settings.features, m->task.workload, m->task.space, m->slots - first, fresh, x);
    if (m->settings.global)
        gbdt_predict(m->settings.global, m->slots - first, x, m->global + first);
    free(fresh);
}

static size_t slot_of(const struct cost_model *m, uint32_t config) { return m->slot_of[config] - 1u; }

void cost_model_add(struct cost_model *m, size_t n, const uint32_t *configs, const struct measurement *results)
{
    give_slots(m, n, configs);
    for (size_t i = 0; i < n; i++) {
        m->record[m->records] = slot_of(m, configs[i]);
        m->time_us[m->records++] = results[i].time_us;
    }
}

static double least(size_t n, const double *time_us) { return n ? stats_min(time_us, n) : INFINITY; }

void cost_model_labels(size_t n, const double *time_us, double *label)
{
    double best_us = least(n, time_us);
    for (size_t i = 0; i < n; i++)
        label[i] = isinf(time_us[i]) ? 0.0 : best_us / time_us[i];
}

bool cost_model_ready(const struct cost_model *m)
{
    return m->local[0] && (m->settings.global || !isinf(least(m->records, m->time_us)));
}

/* ---- fitting ---- */

double cost_model_global_weight(enum transfer transfer, size_t n)
{
    if (transfer == TRANSFER_SUM)
        return 1.0;
    double weight = mathx_exp((double)n * (-0.69314718055994531 / 64.0)); /* ln 2: 2^(-n/64) */
    return weight < 0.05 ? 0.0 : weight;
}

/* to [n][features] = the features in n slots; from [n] = what the global model adds to each. */
static void gather(const struct cost_model *m, size_t n, const size_t *slot, float *to, double *from)
{
    for (size_t i = 0; i < n; i++) {
        memcpy(to + i * m->features, m->x + slot[i] * m->features, m->features * sizeof *to);
        from[i] = m->global_weight * m->global[slot[i]];
    }
}

/* The mean of what the fits say of n rows, and what is to be made of it. */
static void judge(const struct cost_model *m, size_t n, const float *x, enum acquisition acquire, double *score)
{
    double *each = xalloc(n * (size_t)m->fits, sizeof *each), *of_one = xalloc((size_t)m->fits, sizeof *of_one);
    for (int f = 0; f < m->fits && m->local[f]; f++)
        gbdt_predict(m->local[f], n, x, each + (size_t)f * n);
    for (size_t i = 0; i < n; i++) {
        for (int f = 0; f < m->fits; f++)
            of_one[f] = each[(size_t)f * n + i] + score[i];
        score[i] = cost_model_acquire(acquire, m->fits, of_one, m->best);
    }
    free(of_one);
    free(each);
}

static void fit_one(struct cost_model *m, int fit, size_t n, const size_t *slot, const double *label)
{
    float *x = xalloc(n * m->features, sizeof *x);
    double *margin = xalloc(n, sizeof *margin);
    gather(m, n, slot, x, margin);
    gbdt_free(m->local[fit]);
    m->local[fit] = gbdt_fit(&m->settings.gbdt, n, (int)m->features, x, label, label, margin);
    free(margin);
    free(x);
}

/* Fits to resampled records, and finds the best of the records' mean scores. */
static void fit_bootstraps(struct cost_model *m, const double *label)
{
    size_t n = m->records, *slot = xalloc(n, sizeof *slot);
    float *x = xalloc(n * m->features, sizeof *x);
    double *drawn = xalloc(n, sizeof *drawn);
    for (int f = 0; f < m->fits; f++) {
        for (size_t i = 0; i < n; i++) {
            uint32_t who = rng_below(&m->rng, (uint32_t)n);
            slot[i] = m->record[who];
            drawn[i] = label[who];
        }
        fit_one(m, f, n, slot, drawn);
    }
    gather(m, n, m->record, x, drawn);
    judge(m, n, x, ACQUIRE_MEAN, drawn);
    m->best = n ? stats_max(drawn, n) : 0.0;
    free(drawn);
    free(x);
    free(slot);
}

void cost_model_fit(struct cost_model *m)
{
    size_t n = m->records;
    double *label = xalloc(n, sizeof *label);
    m->global_weight = m->settings.global ? cost_model_global_weight(m->settings.transfer, n) : 0.0;
    cost_model_labels(n, m->time_us, label);
    if (m->settings.bootstraps > 0)
        fit_bootstraps(m, label);
    else
        fit_one(m, 0, n, m->record, label);
    for (size_t slot = 0; slot < m->slots; slot++)
        m->score[slot] = NAN;
    free(label);
}

const struct gbdt *cost_model_local(const struct cost_model *m) { return m->local[0]; }

/* All traces' records in one table, each task's labels its own. */
struct gbdt *cost_model_train_global(const struct cost_model_settings *settings, size_t tasks,
                                     const struct task *task, const struct trace *trace)
{
    struct cost_model_settings s = settings ? *settings : cost_model_defaults();
    s.features = kind_for(s.features, task[0].space);
    int features = features_count(s.features, task[0].space);
    size_t count = 0, at = 0;
    for (size_t t = 0; t < tasks; t++)
        count += trace[t].count;
    float *x = xalloc(count * (size_t)features, sizeof *x);
    double *time_us = xalloc(2 * count, sizeof *time_us), *label = time_us + count;
    for (size_t t = 0; t < tasks; at += trace[t++].count) {
        assert(features_count(s.features, task[t].space) == features);
        for (size_t i = at; i < at + trace[t].count; i++) {
            const struct trial *trial = &trace[t].trial[i - at];
            time_us[i] = trial->measured_us;
            features_fill(s.features, task[t].workload, task[t].space, 1, &trial->config, x + i * (size_t)features);
        }
        cost_model_labels(trace[t].count, time_us + at, label + at);
    }
    struct gbdt *global = gbdt_fit(&s.gbdt, count, features, x, label, label, NULL);
    free(time_us);
    free(x);
    return global;
}

/* ---- scoring ---- */

double cost_model_acquire(enum acquisition acquire, int fits, const double *score, double best)
{
    double mean = fits > 1 ? stats_mean(score, (size_t)fits) : score[0], square = 0.0;
    if (acquire == ACQUIRE_MEAN)
        return mean;
    for (int f = 0; f < fits; f++)
        square += (score[f] - mean) * (score[f] - mean);
    double sd = sqrt(square / fits);
    if (acquire == ACQUIRE_UCB)
        return mean + sd;
    double s = 0.55132889542179204 * sd, better = mean - best; /* sqrt(3) / pi */
    if (better > 30.0 * s)
        return mathx_log(better);
    if (s < 1e-100) /* all fits agree that it is none */
        return -1e9;
    double z = better / s; /* far below, log(1 + e^z) is e^z */
    return mathx_log(s) + (z < -20.0 ? z : mathx_log(mathx_log(1.0 + mathx_exp(z))));
}

/* Computes the scores of n slots. */
static void score_slots(struct cost_model *m, size_t n, const size_t *slot)
{
    float *x = xalloc(n * m->features, sizeof *x);
    double *score = xalloc(n, sizeof *score);
    gather(m, n, slot, x, score);
    judge(m, n, x, m->settings.acquire, score);
    for (size_t i = 0; i < n; i++)
        m->score[slot[i]] = score[i];
    free(score);
    free(x);
}

void cost_model_score(struct cost_model *m, size_t n, const uint32_t *configs, double *score)
{
    size_t *pending = xalloc(n, sizeof *pending), count = 0;
    give_slots(m, n, configs);
    for (size_t i = 0; i < n; i++) {
        size_t slot = slot_of(m, configs[i]);
        if (isnan(m->score[slot])) {
            m->score[slot] = 0.0; /* if it comes again, it waits already */
            pending[count++] = slot;
        }
    }
    score_slots(m, count, pending);
    for (size_t i = 0; i < n; i++)
        score[i] = m->score[slot_of(m, configs[i])];
    free(pending);
}

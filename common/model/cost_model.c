/* cost_model.c - records, their labels, a fit, and a score for each configuration that is computed once. */
#include "model/cost_model.h"
#include "base/mathx.h"
#include "base/xalloc.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 128 }; /* configurations that are scored together: the model is fastest so */

struct cost_model {
    struct task task;
    struct cost_model_settings settings;
    size_t features;
    /* every configuration that was ever asked about or measured has a slot */
    uint32_t *slot_of; /* [space size] from 1; 0: none yet */
    size_t slots, slots_room;
    uint32_t *config; /* [slots] */
    float *x;         /* [slots][features] */
    double *global;   /* [slots] the global model's score, if there is one */
    double *score;    /* [slots] since the last fit; NaN: not computed yet */
    /* the records */
    size_t records, records_room;
    size_t *record_slot; /* [records] */
    double *time_us;     /* [records] INFINITY: failed */
    double best_us;      /* the least of them; INFINITY: all failed */
    /* the fit */
    struct gbdt *local;
    double global_weight;
    float *block; /* [BLOCK][features] the rows that are scored together */
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
    m->block = xalloc(BLOCK * m->features, sizeof *m->block);
    m->best_us = INFINITY;
    return m;
}

void cost_model_free(struct cost_model *m)
{
    free(m->block);
    gbdt_free(m->local);
    free(m->time_us);
    free(m->record_slot);
    free(m->score);
    free(m->global);
    free(m->x);
    free(m->config);
    free(m->slot_of);
    free(m);
}

/* ---- slots ---- */

static void grow_slots(struct cost_model *m, size_t more)
{
    if (m->slots + more <= m->slots_room)
        return;
    m->slots_room = 2 * m->slots_room + more;
    m->config = xrealloc(m->config, m->slots_room, sizeof *m->config);
    m->x = xrealloc(m->x, m->slots_room * m->features, sizeof *m->x);
    m->global = xrealloc(m->global, m->slots_room, sizeof *m->global);
    m->score = xrealloc(m->score, m->slots_room, sizeof *m->score);
}

/* Gives a slot to those of n configurations that have none, and computes what never changes about them. */
static void give_slots(struct cost_model *m, size_t n, const uint32_t *configs)
{
    size_t first = m->slots;
    grow_slots(m, n);
    for (size_t i = 0; i < n; i++)
        if (m->slot_of[configs[i]] == 0) {
            m->config[m->slots] = configs[i];
            m->score[m->slots] = NAN;
            m->slot_of[configs[i]] = (uint32_t)++m->slots;
        }
    float *x = m->x + first * m->features;
    features_fill(m->settings.features, m->task.workload, m->task.space, m->slots - first, m->config + first, x);
    if (m->settings.global)
        gbdt_predict(m->settings.global, m->slots - first, x, m->global + first);
}

static size_t slot_of(const struct cost_model *m, uint32_t config) { return m->slot_of[config] - 1u; }

/* ---- records ---- */

void cost_model_add(struct cost_model *m, size_t n, const uint32_t *configs, const struct measurement *results)
{
    give_slots(m, n, configs);
    if (m->records + n > m->records_room) {
        m->records_room = 2 * m->records_room + n;
        m->record_slot = xrealloc(m->record_slot, m->records_room, sizeof *m->record_slot);
        m->time_us = xrealloc(m->time_us, m->records_room, sizeof *m->time_us);
    }
    for (size_t i = 0; i < n; i++) {
        m->record_slot[m->records] = slot_of(m, configs[i]);
        m->time_us[m->records++] = results[i].time_us;
        m->best_us = fmin(m->best_us, results[i].time_us);
    }
}

void cost_model_labels(size_t n, const double *time_us, double *label)
{
    double best_us = INFINITY;
    for (size_t i = 0; i < n; i++)
        best_us = fmin(best_us, time_us[i]);
    for (size_t i = 0; i < n; i++)
        label[i] = isinf(time_us[i]) ? 0.0 : best_us / time_us[i];
}

bool cost_model_ready(const struct cost_model *m) { return m->local && (m->settings.global || !isinf(m->best_us)); }

/* ---- fitting ---- */

double cost_model_global_weight(enum transfer transfer, size_t n)
{
    if (transfer == TRANSFER_SUM)
        return 1.0;
    double weight = mathx_exp((double)n * (-0.69314718055994531 / 64.0)); /* ln 2: 2^(-n/64) */
    return weight < 0.05 ? 0.0 : weight;
}

static double global_part(const struct cost_model *m, size_t slot)
{
    return m->global_weight > 0.0 ? m->global_weight * m->global[slot] : 0.0;
}

/* to [n][features] = the features in n slots. */
static void gather(const struct cost_model *m, size_t n, const size_t *slot, float *to)
{
    for (size_t i = 0; i < n; i++)
        memcpy(to + i * m->features, m->x + slot[i] * m->features, m->features * sizeof *to);
}

void cost_model_fit(struct cost_model *m)
{
    size_t n = m->records;
    float *x = xalloc(n * m->features, sizeof *x);
    double *label = xalloc(n, sizeof *label), *margin = xalloc(n, sizeof *margin);
    m->global_weight = m->settings.global ? cost_model_global_weight(m->settings.transfer, n) : 0.0;
    cost_model_labels(n, m->time_us, label);
    gather(m, n, m->record_slot, x);
    for (size_t i = 0; i < n; i++)
        margin[i] = global_part(m, m->record_slot[i]);
    gbdt_free(m->local);
    m->local = gbdt_fit(&m->settings.gbdt, n, (int)m->features, x, label, label, margin);
    for (size_t slot = 0; slot < m->slots; slot++)
        m->score[slot] = NAN;
    free(margin);
    free(label);
    free(x);
}

const struct gbdt *cost_model_local(const struct cost_model *m) { return m->local; }

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
    double *time_us = xalloc(count, sizeof *time_us), *label = xalloc(count, sizeof *label);
    uint32_t *config = xalloc(count, sizeof *config);
    for (size_t t = 0; t < tasks; at += trace[t++].count) {
        assert(features_count(s.features, task[t].space) == features);
        for (size_t i = 0; i < trace[t].count; i++) {
            config[at + i] = trace[t].trial[i].config;
            time_us[at + i] = trace[t].trial[i].measured_us;
        }
        float *rows = x + at * (size_t)features;
        features_fill(s.features, task[t].workload, task[t].space, trace[t].count, config + at, rows);
        cost_model_labels(trace[t].count, time_us + at, label + at);
    }
    struct gbdt *global = gbdt_fit(&s.gbdt, count, features, x, label, label, NULL);
    free(config);
    free(label);
    free(time_us);
    free(x);
    return global;
}

/* ---- scoring ---- */

/* Computes the scores of n slots, at most BLOCK. */
static void score_slots(struct cost_model *m, size_t n, const size_t *slot)
{
    double local[BLOCK] = { 0 };
    if (m->local) {
        gather(m, n, slot, m->block);
        gbdt_predict(m->local, n, m->block, local);
    }
    for (size_t i = 0; i < n; i++)
        m->score[slot[i]] = local[i] + global_part(m, slot[i]);
}

void cost_model_score(struct cost_model *m, size_t n, const uint32_t *configs, double *score)
{
    size_t pending[BLOCK], count = 0;
    give_slots(m, n, configs);
    for (size_t i = 0; i < n; i++) {
        size_t slot = slot_of(m, configs[i]);
        if (isnan(m->score[slot])) {
            m->score[slot] = 0.0; /* if it comes again, it waits already */
            pending[count++] = slot;
        }
        if (count == BLOCK || (count > 0 && i == n - 1)) {
            score_slots(m, count, pending);
            count = 0;
        }
    }
    for (size_t i = 0; i < n; i++)
        score[i] = m->score[slot_of(m, configs[i])];
}

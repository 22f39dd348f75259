/* cost_model.c - records, their labels, a fit, and a score for each configuration that is computed once. */
#include "model/cost_model.h"
#include "base/mathx.h"
#include "base/xalloc.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 128 }; /* configurations that are scored together: the model is fastest so */

struct opinion { /* what the fit of that number says of a configuration */
    double score;
    uint32_t fit;
};

struct cost_model {
    struct task task;
    struct cost_model_settings settings;
    size_t features;
    /* the configurations that were ever asked about or measured, in the order in which they turned up */
    uint32_t *place; /* [space size] where each stands in this order, from 1; 0: not yet */
    size_t met, room;
    uint32_t *config;        /* [met] */
    float *x;                /* [met][features] */
    double *global;          /* [met] the global model's score, if there is one */
    struct opinion *opinion; /* [met] */
    /* the records */
    size_t records, records_room;
    size_t *record;  /* [records] the place of what was measured, from 0 */
    double *time_us; /* [records] INFINITY: failed */
    /* the fit */
    uint32_t fits; /* how many there were: the number of this one */
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
    m->place = xalloc(task->space->size, sizeof *m->place);
    m->block = xalloc(BLOCK * m->features, sizeof *m->block);
    return m;
}

void cost_model_free(struct cost_model *m)
{
    free(m->block);
    gbdt_free(m->local);
    free(m->time_us);
    free(m->record);
    free(m->opinion);
    free(m->global);
    free(m->x);
    free(m->config);
    free(m->place);
    free(m);
}

static void make_room(struct cost_model *m, size_t more)
{
    if (m->met + more <= m->room)
        return;
    m->room = 2 * m->room + more;
    m->config = xrealloc(m->config, m->room, sizeof *m->config);
    m->x = xrealloc(m->x, m->room * m->features, sizeof *m->x);
    m->global = xrealloc(m->global, m->room, sizeof *m->global);
    m->opinion = xrealloc(m->opinion, m->room, sizeof *m->opinion);
}

/* Computes what never changes about those of n configurations that turn up for the first time. */
static void meet(struct cost_model *m, size_t n, const uint32_t *configs)
{
    size_t before = m->met;
    make_room(m, n);
    for (size_t i = 0; i < n; i++)
        if (m->place[configs[i]] == 0) {
            m->config[m->met] = configs[i];
            m->opinion[m->met] = (struct opinion){ 0.0, 0 };
            m->place[configs[i]] = (uint32_t)++m->met;
        }
    float *x = m->x + before * m->features;
    features_fill(m->settings.features, m->task.workload, m->task.space, m->met - before, m->config + before, x);
    if (m->settings.global)
        gbdt_predict(m->settings.global, m->met - before, x, m->global + before);
}

static size_t place_of(const struct cost_model *m, uint32_t config) { return m->place[config] - 1u; }

/* ---- records ---- */

void cost_model_add(struct cost_model *m, size_t n, const uint32_t *configs, const struct measurement *results)
{
    meet(m, n, configs);
    if (m->records + n > m->records_room) {
        m->records_room = 2 * m->records_room + n;
        m->record = xrealloc(m->record, m->records_room, sizeof *m->record);
        m->time_us = xrealloc(m->time_us, m->records_room, sizeof *m->time_us);
    }
    for (size_t i = 0; i < n; i++) {
        m->record[m->records] = place_of(m, configs[i]);
        m->time_us[m->records++] = results[i].time_us;
    }
}

/* The least of n times; INFINITY if all failed. */
static double least(size_t n, const double *time_us)
{
    double best_us = INFINITY;
    for (size_t i = 0; i < n; i++)
        best_us = time_us[i] < best_us ? time_us[i] : best_us;
    return best_us;
}

void cost_model_labels(size_t n, const double *time_us, double *label)
{
    double best_us = least(n, time_us);
    for (size_t i = 0; i < n; i++)
        label[i] = isinf(time_us[i]) ? 0.0 : best_us / time_us[i];
}

bool cost_model_ready(const struct cost_model *m)
{
    return m->local && (m->settings.global || !isinf(least(m->records, m->time_us)));
}

/* ---- fitting ---- */

/* What the global model adds to the score of the configuration at a place. */
static double global_part(const struct cost_model *m, size_t place)
{
    return m->global_weight > 0.0 ? m->global_weight * m->global[place] : 0.0;
}

double cost_model_global_weight(enum transfer transfer, size_t n)
{
    if (transfer == TRANSFER_SUM)
        return 1.0;
    double weight = mathx_exp((double)n * (-0.69314718055994531 / 64.0)); /* ln 2: 2^(-n/64) */
    return weight < 0.05 ? 0.0 : weight;
}

void cost_model_fit(struct cost_model *m)
{
    size_t n = m->records, row = m->features * sizeof *m->x;
    float *x = xalloc(n, row);
    double *label = xalloc(n, sizeof *label), *margin = xalloc(n, sizeof *margin);
    m->global_weight = m->settings.global ? cost_model_global_weight(m->settings.transfer, n) : 0.0;
    cost_model_labels(n, m->time_us, label);
    for (size_t i = 0; i < n; i++) {
        memcpy(x + i * m->features, m->x + m->record[i] * m->features, row);
        margin[i] = global_part(m, m->record[i]);
    }
    gbdt_free(m->local);
    m->local = gbdt_fit(&m->settings.gbdt, n, (int)m->features, x, label, label, margin);
    m->fits++; /* no opinion is of this fit yet */
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

/* Scores the configurations at n places, at most BLOCK. */
static void score_block(struct cost_model *m, size_t n, const size_t *place)
{
    double local[BLOCK] = { 0 };
    for (size_t i = 0; i < n; i++)
        memcpy(m->block + i * m->features, m->x + place[i] * m->features, m->features * sizeof *m->x);
    if (m->local)
        gbdt_predict(m->local, n, m->block, local);
    for (size_t i = 0; i < n; i++)
        m->opinion[place[i]].score = local[i] + global_part(m, place[i]);
}

void cost_model_score(struct cost_model *m, size_t n, const uint32_t *configs, double *score)
{
    size_t unknown[BLOCK], count = 0;
    meet(m, n, configs);
    for (size_t i = 0; i < n; i++) {
        struct opinion *opinion = &m->opinion[place_of(m, configs[i])];
        if (opinion->fit != m->fits) {
            opinion->fit = m->fits;
            unknown[count++] = place_of(m, configs[i]);
        }
        if (count == BLOCK || (count > 0 && i == n - 1)) {
            score_block(m, count, unknown);
            count = 0;
        }
    }
    for (size_t i = 0; i < n; i++)
        score[i] = m->opinion[place_of(m, configs[i])].score;
}

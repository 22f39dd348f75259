/* pool_model.c - the second script's model-guided search: a ridge regression scores the whole pool before each batch.
 *
 * After `first` random configurations every ask fits the ridge to the logarithm of all times so far and takes the
 * unmeasured configurations that it predicts fastest. A configuration that failed is recorded as twice the slowest
 * time seen. Scoring everything is possible because the pool is small (3,744); AutoTVM has to walk (annealing.c). */
#include "base/mathx.h"
#include "base/stats.h"
#include "base/xalloc.h"
#include "model/features.h"
#include "model/ridge.h"
#include "search/strategies.h"
#include "search/unseen.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pool_model {
    struct task task;
    struct pool_settings settings;
    struct unseen unseen;
    struct rng rng;
    int columns;
    size_t records;
    float *x;        /* [legal][columns] features of the records */
    double *time_us; /* [legal] their times; INFINITY: failed */
};

static void *pool_model_open(const struct task *task, uint64_t seed, const void *settings)
{
    struct pool_model *p = xalloc(1, sizeof *p);
    p->task = *task;
    p->settings = settings ? *(const struct pool_settings *)settings : pool_defaults();
    p->unseen = unseen_new(task->space);
    p->rng = rng_stream(seed, "pool-model", 0);
    p->columns = features_count(FEATURES_KNOB, task->space);
    p->x = xalloc((size_t)task->space->legal_count * (size_t)p->columns, sizeof *p->x);
    p->time_us = xalloc(task->space->legal_count, sizeof *p->time_us);
    return p;
}

void pool_targets(size_t n, const double *time_us, double *target)
{
    double slowest = 0.0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(time_us[i]))
            slowest = fmax(slowest, time_us[i]);
    double failed = slowest > 0.0 ? 2.0 * slowest : 2.0; /* if all failed, any will do */
    for (size_t i = 0; i < n; i++)
        target[i] = mathx_log(isfinite(time_us[i]) ? time_us[i] : failed);
}

/* The `want` unmeasured configurations that the model predicts fastest. */
static size_t best_of_pool(struct pool_model *p, size_t want, uint32_t *configs)
{
    size_t left = p->unseen.left;
    double *target = xalloc(p->records, sizeof *target), *predicted = xalloc(left, sizeof *predicted);
    float *x = xalloc(left * (size_t)p->columns, sizeof *x);
    uint32_t *order = xalloc(left, sizeof *order), *candidates = xalloc(left, sizeof *candidates);
    pool_targets(p->records, p->time_us, target);
    struct ridge *ridge = ridge_fit(p->records, p->columns, p->x, target, p->settings.lambda);
    memcpy(candidates, p->unseen.config, left * sizeof *candidates); /* taking one moves others */
    features_fill(FEATURES_KNOB, p->task.workload, p->task.space, left, candidates, x);
    ridge_predict(ridge, left, x, predicted);
    stats_order(predicted, left, order);
    size_t n = want < left ? want : left;
    for (size_t i = 0; i < n; i++) {
        configs[i] = candidates[order[i]];
        unseen_take(&p->unseen, configs[i]);
    }
    ridge_free(ridge);
    free(candidates);
    free(order);
    free(x);
    free(predicted);
    free(target);
    return n;
}

static size_t pool_model_ask(void *self, size_t want, uint32_t *configs)
{
    struct pool_model *p = self;
    if (p->records < (size_t)p->settings.first)
        return unseen_draw_many(&p->unseen, want, configs, &p->rng);
    return best_of_pool(p, want, configs);
}

static void pool_model_tell(void *self, size_t n, const uint32_t *configs, const struct measurement *results)
{
    struct pool_model *p = self;
    features_fill(FEATURES_KNOB, p->task.workload, p->task.space, n, configs, p->x + p->records * (size_t)p->columns);
    for (size_t i = 0; i < n; i++)
        p->time_us[p->records++] = results[i].time_us;
}

static void pool_model_close(void *self)
{
    struct pool_model *p = self;
    unseen_free(&p->unseen);
    free(p->time_us);
    free(p->x);
    free(p);
}

const struct strategy strategy_pool_model = {
    "pool-model",    { "Ridge model, best of the pool", "岭回归引导" },
    pool_model_open, pool_model_ask,
    pool_model_tell, pool_model_close,
};

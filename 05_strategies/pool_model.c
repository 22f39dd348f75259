/* pool_model.c - the second script's model-guided search: a ridge regression scores the whole pool before each batch.
 *
 * After POOL_FIRST random configurations every ask fits the ridge to all results so far and takes the unmeasured
 * configurations that it predicts fastest. Scoring everything is possible because the pool is small (3,744); AutoTVM
 * has to walk (annealing.c). */
#include "base/mathx.h"
#include "base/xalloc.h"
#include "model/features.h"
#include "pool_strategies.h"
#include "ridge.h"
#include "search/shortlist.h"
#include "search/unseen.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pool_model {
    struct task task;
    struct unseen unseen;
    struct rng rng;
    size_t records;
    uint32_t *config; /* [legal] what was measured */
    double *time_us;  /* [legal] and how long it took; INFINITY: it failed */
};

static void *pool_model_open(const struct task *task, uint64_t seed, const void *settings)
{
    (void)settings;
    struct pool_model *p = xalloc(1, sizeof *p);
    p->task = *task;
    p->unseen = unseen_new(task->space);
    p->rng = rng_stream(seed, "pool-model", 0);
    p->config = xalloc(task->space->legal_count, sizeof *p->config);
    p->time_us = xalloc(task->space->legal_count, sizeof *p->time_us);
    return p;
}

/* target [n] = log of the time; of a failed one log of twice the slowest time seen. */
static void fill_targets(size_t n, const double *time_us, double *target)
{
    double slowest = 0.0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(time_us[i]))
            slowest = fmax(slowest, time_us[i]);
    double failed = slowest > 0.0 ? 2.0 * slowest : 2.0; /* if all failed, any will do */
    for (size_t i = 0; i < n; i++)
        target[i] = mathx_log(isfinite(time_us[i]) ? time_us[i] : failed);
}

void pool_predict(const struct task *task, size_t n, const uint32_t *config, const double *time_us, size_t others,
                  const uint32_t *other, double *predicted)
{
    int columns = features_count(FEATURES_KNOB, task->space);
    float *x = xalloc((n > others ? n : others) * (size_t)columns, sizeof *x);
    double *target = xalloc(n, sizeof *target);
    features_fill(FEATURES_KNOB, task->workload, task->space, n, config, x);
    fill_targets(n, time_us, target);
    struct ridge *ridge = ridge_fit(n, columns, x, target, RIDGE_LAMBDA);
    features_fill(FEATURES_KNOB, task->workload, task->space, others, other, x);
    ridge_predict(ridge, others, x, predicted);
    ridge_free(ridge);
    free(target);
    free(x);
}

/* The `want` unmeasured configurations that the model predicts fastest. */
static size_t best_of_pool(struct pool_model *p, size_t want, uint32_t *configs)
{
    size_t left = p->unseen.left;
    double *predicted = xalloc(left, sizeof *predicted);
    uint32_t *candidates = xalloc(left, sizeof *candidates);
    struct shortlist fastest = { 0 }; /* of their places among the candidates */
    memcpy(candidates, p->unseen.config, left * sizeof *candidates); /* taking one moves others */
    pool_predict(&p->task, p->records, p->config, p->time_us, left, candidates, predicted);
    shortlist_clear(&fastest, want < left ? want : left);
    for (size_t i = 0; i < left; i++)
        if (shortlist_may_admit(&fastest, -predicted[i]))
            shortlist_admit(&fastest, (uint32_t)i, -predicted[i]);
    size_t n = fastest.count;
    for (size_t i = 0; i < n; i++) {
        configs[i] = candidates[fastest.best[i].config];
        unseen_take(&p->unseen, configs[i]);
    }
    shortlist_free(&fastest);
    free(candidates);
    free(predicted);
    return n;
}

static size_t pool_model_ask(void *self, size_t want, uint32_t *configs)
{
    struct pool_model *p = self;
    if (p->records < POOL_FIRST)
        return unseen_draw_many(&p->unseen, want, configs, &p->rng);
    return best_of_pool(p, want, configs);
}

static void pool_model_tell(void *self, size_t n, const uint32_t *configs, const struct measurement *results)
{
    struct pool_model *p = self;
    for (size_t i = 0; i < n; i++, p->records++) {
        p->config[p->records] = configs[i];
        p->time_us[p->records] = results[i].time_us;
    }
}

static void pool_model_close(void *self)
{
    struct pool_model *p = self;
    unseen_free(&p->unseen);
    free(p->time_us);
    free(p->config);
    free(p);
}

const struct strategy strategy_pool_model = {
    "pool-model",    { "Ridge model, best of the pool", "岭回归引导" },
    pool_model_open, pool_model_ask,
    pool_model_tell, pool_model_close,
};

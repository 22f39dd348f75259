/* gbdt_fit.c - the boosting loop: derivatives of the loss at the present F, one more tree (lecture 4.2, 4.4). */
#include "model/gbdt_model.h"
#include "base/xalloc.h"
#include <assert.h>
#include <stdlib.h>

struct gbdt_settings gbdt_defaults(enum gbdt_objective objective)
{
    return (struct gbdt_settings){
        .objective = objective,
        .trees = 60,
        .depth = 6,
        .eta = 0.2,
        .lambda = 1,
        .min_child_weight = 1,
        .gamma = 0,
        .bins = 32,
        .pairs = 32,
        .seed = 0,
    };
}

static void check(const struct gbdt_settings *s, int features)
{
    assert(s->trees >= 0 && s->trees <= GBDT_MAX_TREES);
    assert(s->depth >= 1 && s->depth <= GBDT_MAX_DEPTH);
    assert(s->bins >= 2 && s->bins <= GBDT_MAX_BINS);
    assert(s->eta > 0 && s->lambda >= 0 && s->min_child_weight > 0 && s->gamma >= 0);
    assert(s->pairs >= 1 || s->objective != GBDT_RANK);
    assert(features >= 1 && features <= GBDT_MAX_FEATURES);
}

/* GBDT_SQUARED and, with weights, GBDT_WEIGHTED. */
static void derive_squared(size_t n, const double *y, const double *w, const double *score, double *g, double *h)
{
    for (size_t i = 0; i < n; i++) {
        h[i] = w ? w[i] : 1;
        g[i] = h[i] * (score[i] - y[i]);
    }
}

/* The constant that fits y - margin best. */
static double squared_base(size_t n, const double *y, const double *w, const double *margin)
{
    double sum = 0, weight = 0;
    for (size_t i = 0; i < n; i++) {
        double wi = w ? w[i] : 1;
        sum += wi * (margin ? y[i] - margin[i] : y[i]);
        weight += wi;
    }
    return weight > 0 ? sum / weight : 0;
}

struct gbdt *gbdt_fit(const struct gbdt_settings *settings, size_t n, int features, const float *x, const double *y,
                      const double *weight, const double *margin)
{
    check(settings, features);
    const double *w = settings->objective == GBDT_WEIGHTED ? weight : NULL;
    bool ranks = settings->objective == GBDT_RANK;
    struct gbdt *model = gbdt_new(settings, n, features, x);
    model->base = ranks ? 0 : squared_base(n, y, w, margin);

    struct gbdt_grower *grower = gbdt_grower_new(settings, model, n, x);
    struct gbdt_rank *rank = ranks ? gbdt_rank_new(settings, n, y) : NULL;
    double *score = xalloc(3 * n, sizeof *score), *g = score + n, *h = g + n;
    for (size_t i = 0; i < n; i++)
        score[i] = model->base + (margin ? margin[i] : 0);
    for (int t = 0; t < settings->trees; t++) {
        if (ranks)
            gbdt_rank_derive(rank, score, g, h);
        else
            derive_squared(n, y, w, score, g, h);
        gbdt_grow(grower, g, h, &model->tree[t], score);
    }
    if (ranks)
        gbdt_rank_free(rank);
    gbdt_grower_free(grower);
    free(score);
    return model;
}

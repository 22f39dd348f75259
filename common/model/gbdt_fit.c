/* gbdt_fit.c - the boosting loop: derivatives of the loss at the present F, one more tree (lecture 4.2, 4.4). */
#include "model/gbdt_model.h"
#include "base/xalloc.h"
#include <assert.h>
#include <stdlib.h>

struct gbdt_settings gbdt_defaults(enum gbdt_objective objective)
{
    return (struct gbdt_settings){ .objective = objective, .trees = 60, .depth = 6, .eta = 0.2, .lambda = 1,
                                   .min_child_weight = 1, .bins = 32, .pairs = 32 };
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

struct gbdt *gbdt_fit(const struct gbdt_settings *settings, size_t n, int features, const float *x, const double *y,
                      const double *weight, const double *margin)
{
    check(settings, features);
    struct gbdt *model = gbdt_new(settings, n, features, x);
    struct gbdt_grower *grower = gbdt_grower_new(settings, model, n, x);
    struct gbdt_rank *rank = settings->objective == GBDT_RANK ? gbdt_rank_new(settings, n, y) : NULL;
    double *score = xalloc(3 * n, sizeof *score), *g = score + n, *h = g + n, sum = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
        score[i] = margin ? margin[i] : 0;
        h[i] = weight && settings->objective == GBDT_WEIGHTED ? weight[i] : 1;
        sum += h[i] * (y[i] - score[i]);
        total += h[i];
    }
    model->base = total > 0 && !rank ? sum / total : 0; /* the constant that fits y - margin best */
    for (size_t i = 0; i < n; i++)
        score[i] += model->base;
    for (int t = 0; t < settings->trees; t++) {
        if (rank)
            gbdt_rank_derive(rank, score, g, h);
        for (size_t i = 0; i < n && !rank; i++)
            g[i] = h[i] * (score[i] - y[i]);
        gbdt_grow(grower, g, h, &model->tree[t], score);
    }
    if (rank)
        gbdt_rank_free(rank);
    gbdt_grower_free(grower);
    free(score);
    return model;
}

/* gbdt.c - the boosting loop: derivatives of the loss at the present F, one more tree, a new F (lecture 4.2, 4.4). */
#include "model/gbdt_model.h"
#include "base/xalloc.h"
#include <assert.h>
#include <math.h>
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

double gbdt_leaf(double G, double H, double lambda) { return H + lambda > 0 ? -G / (H + lambda) : 0; }

double gbdt_split_gain(double GL, double HL, double GR, double HR, double lambda)
{
    double G = GL + GR, H = HL + HR;
    return GL * GL / (HL + lambda) + GR * GR / (HR + lambda) - G * G / (H + lambda);
}

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
    const double *w = settings->objective == GBDT_WEIGHTED ? weight : NULL;
    bool ranks = settings->objective == GBDT_RANK;
    struct gbdt *model = gbdt_new(features, settings->depth, settings->trees);
    for (int f = 0; f < features; f++)
        gbdt_choose_cuts(&model->column[f], settings->bins, n, x + f, (size_t)features);
    gbdt_number_questions(model);
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

struct gbdt *gbdt_new(int features, int depth, int trees)
{
    struct gbdt *model = xalloc(1, sizeof *model);
    *model = (struct gbdt){ .features = features, .depth = depth, .trees = trees };
    model->first = xalloc((size_t)features + 1, sizeof *model->first);
    model->column = xalloc((size_t)features, sizeof *model->column);
    model->tree = xalloc((size_t)trees + GBDT_GROUP - 1, sizeof *model->tree);
    return model;
}

void gbdt_number_questions(struct gbdt *model)
{
    for (int f = 0; f < model->features; f++)
        model->first[f + 1] = model->first[f] + model->column[f].cuts;
    model->questions = model->first[model->features];
}

void gbdt_free(struct gbdt *model)
{
    if (!model)
        return;
    free(model->first);
    free(model->column);
    free(model->tree);
    free(model);
}

int gbdt_features(const struct gbdt *model) { return model->features; }

void gbdt_gain(const struct gbdt *model, double *gain)
{
    for (int f = 0; f < model->features; f++)
        gain[f] = 0;
    for (int t = 0; t < model->trees; t++)
        for (int i = 0, f; i < GBDT_NODES; i++)
            if ((f = gbdt_feature_of(model, model->tree[t].question[i])) >= 0)
                gain[f] += model->tree[t].gain[i];
}

int gbdt_feature_of(const struct gbdt *model, int question)
{
    if (question >= model->questions)
        return -1;
    int f = 0;
    while (model->first[f + 1] <= question)
        f++;
    return f;
}

void gbdt_clear_tree(const struct gbdt *model, struct gbdt_tree *tree)
{
    for (int i = 0; i < GBDT_NODES; i++)
        tree->question[i] = (uint16_t)model->questions;
}

int gbdt_first_leaf(int depth, int node, int level) { return ((node + 1) << (depth - level)) - (1 << depth); }

void gbdt_set_leaf(struct gbdt_tree *tree, int depth, int node, int level, double value)
{
    for (int i = 0; i < 1 << (depth - level); i++)
        tree->leaf[gbdt_first_leaf(depth, node, level) + i] = value;
}

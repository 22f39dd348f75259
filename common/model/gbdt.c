/* gbdt.c - bins, the boosting loop (lecture 4.2, 4.4), and what a reader may ask of a model beside scores. */
#include "model/gbdt_model.h"
#include "base/text.h"
#include "base/xalloc.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- bins ---- */

struct value {
    float value;
    size_t count;
};

/* v = the different ones of n values, ascending; returns how many there are. */
static size_t differing(size_t n, const float *x, size_t stride, struct value *v)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        float value = x[i * stride] + 0.0f; /* -0 becomes 0 */
        size_t at = 0;
        for (size_t left = found, half; left > 0; left -= half) { /* halves without a branch to guess */
            half = (left + 1) / 2;
            at += (v[at + half - 1].value < value) * half;
        }
        if (at == found || v[at].value > value) {
            memmove(v + at + 1, v + at, (found++ - at) * sizeof *v);
            v[at] = (struct value){ value, 0 };
        }
        v[at].count++;
    }
    return found;
}

/* A cut between neighbours a < b: half way, so that unseen values fall to the nearer side. */
static float between(float a, float b)
{
    float middle = (float)(((double)a + (double)b) / 2);
    return middle > a ? middle : b;
}

/* A bin closes when it holds its share of what is left; with few different values each has its own. */
void gbdt_choose_cuts(struct gbdt_column *column, int bins, size_t n, const float *x, size_t stride)
{
    struct value *v = xalloc(n + 1, sizeof *v);
    size_t found = differing(n, x, stride, v), start = 0, at = 0;
    column->cuts = 0;
    for (size_t i = 1; i < found && column->cuts < bins - 1; i++) {
        at += v[i - 1].count;
        if (found <= (size_t)bins || (at - start) * (size_t)(bins - column->cuts) >= n - start) {
            column->cut[column->cuts++] = between(v[i - 1].value, v[i].value);
            start = at;
        }
    }
    free(v);
}

int gbdt_bin(const struct gbdt_column *column, float x)
{
    int bin = 0;
    for (int c = 0; c < column->cuts; c++)
        bin += x >= column->cut[c];
    return bin;
}

/* ---- boosting ---- */

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

/* A model of zeros, with the cuts of the rows. */
static struct gbdt *new_model(const struct gbdt_settings *settings, size_t n, int features, const float *x)
{
    struct gbdt *model = xalloc(1, sizeof *model);
    *model = (struct gbdt){ .features = features, .depth = settings->depth, .trees = settings->trees };
    model->column = xalloc((size_t)features + 1, sizeof *model->column);
    model->tree = xalloc((size_t)settings->trees + GBDT_GROUP - 1, sizeof *model->tree);
    for (int f = 0; f < features; f++) {
        gbdt_choose_cuts(&model->column[f], settings->bins, n, x + f, (size_t)features);
        model->column[f + 1].first = model->column[f].first + model->column[f].cuts + 1;
    }
    model->questions = model->column[features].first;
    return model;
}

struct gbdt *gbdt_fit(const struct gbdt_settings *settings, size_t n, int features, const float *x, const double *y,
                      const double *weight, const double *margin)
{
    check(settings, features);
    struct gbdt *model = new_model(settings, n, features, x);
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

struct gbdt *gbdt_fit_sums(const struct gbdt_settings *settings, size_t n, int features, const float *x,
                           const uint32_t *program, const double *y, const double *weight)
{
    check(settings, features);
    assert(settings->objective != GBDT_RANK);
    struct gbdt *model = new_model(settings, n, features, x);
    struct gbdt_grower *grower = gbdt_grower_new(settings, model, n, x);
    double *score = xalloc(5 * n, sizeof *score), *g = score + n, *h = g + n, *sum = h + n, *rows = sum + n;
    double up = 0, down = 0;
    for (size_t i = 0; i < n; i++) {
        h[i] = weight && settings->objective == GBDT_WEIGHTED ? weight[program[i]] : 1;
        rows[program[i]]++;
    }
    for (size_t i = 0; i < n; i++) { /* base: the constant a statement that fits the programs best */
        up += h[i] * y[program[i]];
        down += h[i] * rows[program[i]];
    }
    model->base = down > 0 ? up / down : 0;
    for (size_t i = 0; i < n; i++)
        score[i] = model->base;
    for (int t = 0; t < settings->trees; t++) {
        memset(sum, 0, n * sizeof *sum);
        for (size_t i = 0; i < n; i++)
            sum[program[i]] += score[i];
        for (size_t i = 0; i < n; i++)
            g[i] = h[i] * (sum[program[i]] - y[program[i]]);
        gbdt_grow(grower, g, h, &model->tree[t], score);
    }
    gbdt_grower_free(grower);
    free(score);
    return model;
}

void gbdt_free(struct gbdt *model)
{
    if (!model)
        return;
    free(model->column);
    free(model->tree);
    free(model);
}

/* ---- what was learned ---- */

int gbdt_features(const struct gbdt *model) { return model->features; }

int gbdt_feature_of(const struct gbdt *model, int question)
{
    int f = 0;
    while (model->column[f + 1].first <= question)
        f++;
    return f;
}

void gbdt_gain(const struct gbdt *model, double *gain)
{
    for (int f = 0; f < model->features; f++)
        gain[f] = 0;
    for (int t = 0; t < model->trees; t++)
        for (int i = 0; i < GBDT_NODES; i++)
            gain[gbdt_feature_of(model, model->tree[t].question[i])] += model->tree[t].gain[i];
}

static void print_node(const struct gbdt *model, const struct gbdt_tree *tree, int node, int level,
                       const char *const *name, FILE *out)
{
    fprintf(out, "%*s", 2 * level, "");
    if (level == model->depth || tree->gain[node] == 0) {
        fprintf(out, "%s %.4g\n", tr("leaf", "叶子"), tree->leaf[gbdt_first_leaf(model->depth, node, level)]);
        return;
    }
    int question = tree->question[node], f = gbdt_feature_of(model, question);
    float cut = model->column[f].cut[question - model->column[f].first];
    fprintf(out, "%s < %.4g  %s %.4g\n", name[f], (double)cut, tr("gain", "增益"), tree->gain[node]);
    print_node(model, tree, 2 * node + 1, level + 1, name, out);
    print_node(model, tree, 2 * node + 2, level + 1, name, out);
}

void gbdt_print(const struct gbdt *model, int tree, const char *const *name, FILE *out)
{
    assert(tree >= 0 && tree < model->trees);
    print_node(model, &model->tree[tree], 0, 0, name, out);
}

/* gbdt_model.c - a fitted model: its memory, and what a reader may ask of it beside scores. */
#include "model/gbdt_model.h"
#include "base/xalloc.h"
#include <assert.h>
#include <stdlib.h>

struct gbdt *gbdt_new(const struct gbdt_settings *settings, size_t n, int features, const float *x)
{
    struct gbdt *model = xalloc(1, sizeof *model);
    *model = (struct gbdt){ .features = features, .depth = settings->depth, .trees = settings->trees };
    model->first = xalloc((size_t)features + 1, sizeof *model->first);
    model->column = xalloc((size_t)features, sizeof *model->column);
    model->tree = xalloc((size_t)settings->trees + GBDT_GROUP - 1, sizeof *model->tree);
    for (int f = 0; f < features; f++) {
        gbdt_choose_cuts(&model->column[f], settings->bins, n, x + f, (size_t)features);
        model->first[f + 1] = model->first[f] + model->column[f].cuts;
    }
    model->questions = model->first[features];
    return model;
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

int gbdt_feature_of(const struct gbdt *model, int question)
{
    if (question >= model->questions)
        return -1;
    int f = 0;
    while (model->first[f + 1] <= question)
        f++;
    return f;
}

void gbdt_gain(const struct gbdt *model, double *gain)
{
    for (int f = 0; f < model->features; f++)
        gain[f] = 0;
    for (int t = 0; t < model->trees; t++)
        for (int i = 0, f; i < GBDT_NODES; i++)
            if ((f = gbdt_feature_of(model, model->tree[t].question[i])) >= 0)
                gain[f] += model->tree[t].gain[i];
}

static void print_node(const struct gbdt *model, const struct gbdt_tree *tree, int node, int level,
                       const char *const *name, FILE *out)
{
    int question = level < model->depth ? tree->question[node] : model->questions;
    int f = gbdt_feature_of(model, question);
    fprintf(out, "%*s", 2 * level, "");
    if (f < 0) {
        fprintf(out, "leaf %.4g\n", tree->leaf[gbdt_first_leaf(model->depth, node, level)]);
        return;
    }
    float cut = model->column[f].cut[question - model->first[f]];
    fprintf(out, "%s < %.4g  gain %.4g\n", name[f], (double)cut, tree->gain[node]);
    print_node(model, tree, 2 * node + 1, level + 1, name, out);
    print_node(model, tree, 2 * node + 2, level + 1, name, out);
}

void gbdt_print(const struct gbdt *model, int tree, const char *const *name, FILE *out)
{
    assert(tree >= 0 && tree < model->trees);
    print_node(model, &model->tree[tree], 0, 0, name, out);
}

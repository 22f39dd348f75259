/* gbdt_model.h - inside the gbdt room: the fitted model, and what the files gbdt*.c share. Not for others. */
#ifndef GBDT_MODEL_H
#define GBDT_MODEL_H

#include "model/gbdt.h"

enum {
    GBDT_NODES = (1 << GBDT_MAX_DEPTH) - 1,
    GBDT_LEAVES = 1 << GBDT_MAX_DEPTH,
    GBDT_GROUP = 4 /* trees that prediction adds at a time */
};

/* Four numbers side by side: the vector types of gcc and clang. A lane gives a lone number's bits, on every CPU. */
typedef float gbdt_floats __attribute__((vector_size(16)));
typedef int32_t gbdt_ints __attribute__((vector_size(16)));
enum { GBDT_LANES = 4 };

static inline gbdt_floats gbdt_all(float x) { return (gbdt_floats){ x, x, x, x }; }

/* In each lane a where the mask, a comparison's result, is true, else b. */
static inline gbdt_floats gbdt_select(gbdt_ints mask, gbdt_floats a, gbdt_floats b)
{
    return (gbdt_floats)((mask & (gbdt_ints)a) | (~mask & (gbdt_ints)b));
}

/* How one feature is binned: bin(x) is the number of cuts <= x. */
struct gbdt_column {
    int first;                    /* of the questions on it: one a cut, and x < infinity, which no tree asks */
    int cuts;                     /* 0: the feature was constant */
    float cut[GBDT_MAX_BINS - 1]; /* ascending */
};

/* A complete binary tree: node i has the children 2i+1 (x < cut) and 2i+2. Where a branch ended early, the
 * leaves below are equal: what is asked there does not matter. */
struct gbdt_tree {
    uint16_t question[GBDT_NODES]; /* numbered through all features */
    double gain[GBDT_NODES];       /* 0: the branch ended here or before */
    double leaf[GBDT_LEAVES]; /* eta included */
};

/* The first of the leaves under a node of a tree of this depth. */
static inline int gbdt_first_leaf(int depth, int node, int level)
{
    return ((node + 1) << (depth - level)) - (1 << depth);
}

struct gbdt {
    int features, depth, trees;
    double base;
    int questions;              /* on all features together */
    struct gbdt_column *column; /* [features], and one of which `first` alone is meant */
    struct gbdt_tree *tree;     /* [trees] and then as many of zeros as make a whole group */
};

/* The feature that a question is about. */
int gbdt_feature_of(const struct gbdt *model, int question);

/* Places at most bins - 1 cuts so that the bins hold about equally many of a feature's n values, x[i * stride]. */
void gbdt_choose_cuts(struct gbdt_column *column, int bins, size_t n, const float *x, size_t stride);

int gbdt_bin(const struct gbdt_column *column, float x);

/* Derivatives of GBDT_RANK's loss: the sum of each sample's mean over the `pairs` opponents that it drew. */
struct gbdt_rank;
struct gbdt_rank *gbdt_rank_new(const struct gbdt_settings *settings, size_t n, const double *y);
void gbdt_rank_derive(struct gbdt_rank *rank, const double *score, double *g, double *h);
void gbdt_rank_free(struct gbdt_rank *rank);

/* Grows trees on derivatives of a loss. score [n] gains the new tree's values of the training rows. */
struct gbdt_grower;
struct gbdt_grower *gbdt_grower_new(const struct gbdt_settings *settings, const struct gbdt *model, size_t n,
                                    const float *x);
void gbdt_grow(struct gbdt_grower *grower, const double *g, const double *h, struct gbdt_tree *tree, double *score);
void gbdt_grower_free(struct gbdt_grower *grower);

#endif

/* gbdt_model.h - inside the gbdt room: the fitted model, and what the files gbdt*.c share. Not for others. */
#ifndef GBDT_MODEL_H
#define GBDT_MODEL_H

#include "model/gbdt.h"

enum {
    GBDT_NODES = (1 << GBDT_MAX_DEPTH) - 1,
    GBDT_LEAVES = 1 << GBDT_MAX_DEPTH,
    GBDT_CELLS = 256,
    GBDT_BLOCK = 128, /* rows that binning and prediction handle at a time */
    GBDT_GROUP = 4    /* trees that prediction adds at a time */
};

/* Four numbers side by side: the vector types of gcc and clang. Each lane gives the same bits as a lone number would,
 * on every CPU, whether it has instructions for four or not. */
typedef float gbdt_floats __attribute__((vector_size(16)));
typedef int32_t gbdt_ints __attribute__((vector_size(16)));
enum { GBDT_LANES = 4 };

/* How one feature is binned: bin(x) is the number of cuts <= x. */
struct gbdt_column {
    int cuts;                  /* 0: the feature was constant */
    float cut[GBDT_MAX_BINS];  /* ascending, padded with NaN, which no x is >= to */
    float low, scale;          /* x lies in cell (x - low) scale of a grid of GBDT_CELLS equal cells */
    int steps;                 /* the most cuts in one cell */
    uint8_t start[GBDT_CELLS]; /* how many cuts lie in lower cells */
};

/* A complete binary tree: node i has the children 2i+1 (x < cut) and 2i+2. Where a branch ended early, the nodes
 * below ask the empty question, and their leaves are equal. */
struct gbdt_tree {
    uint16_t question[GBDT_NODES]; /* the cut's place among all cuts; gbdt.questions: the empty question */
    double gain[GBDT_NODES];
    double leaf[GBDT_LEAVES]; /* eta included */
};

struct gbdt {
    int features, depth, trees;
    double base;
    int questions;              /* cuts of all features together */
    int *first;                 /* [features + 1] the questions of feature f start here */
    struct gbdt_column *column; /* [features] */
    struct gbdt_tree *tree;     /* [trees] and then as many of zeros as make a whole group */
};

/* A model without trees for data of these cuts: first and questions follow from the columns' cuts. */
struct gbdt *gbdt_new(int features, int depth, int trees);
void gbdt_number_questions(struct gbdt *model);

/* Makes every node of a tree ask the empty question. */
void gbdt_clear_tree(const struct gbdt *model, struct gbdt_tree *tree);

/* The first of the leaves under a node of a tree of this depth; and all of them given one value. */
int gbdt_first_leaf(int depth, int node, int level);
void gbdt_set_leaf(struct gbdt_tree *tree, int depth, int node, int level, double value);

/* The feature that a question is about; -1 for the empty one. */
int gbdt_feature_of(const struct gbdt *model, int question);

/* Places at most bins - 1 cuts so that the bins hold about equally many of a feature's n values, x[i * stride]. */
void gbdt_choose_cuts(struct gbdt_column *column, int bins, size_t n, const float *x, size_t stride);
void gbdt_finish_column(struct gbdt_column *column); /* the grid of given cuts */

/* bin [n], 0 < n <= GBDT_BLOCK, of x[i * stride]. */
void gbdt_bin(const struct gbdt_column *column, size_t n, const float *x, size_t stride, uint8_t *bin);

/* Derivatives of GBDT_RANK's loss at the scores: the sum, over the samples, of each one's mean over the `pairs` opponents
 * that it drew. */
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

/* gbdt.h - gradient boosted decision trees, the cost model of AutoTVM and Ansor: a mini XGBoost.
 *
 * F(x) = base + sum over trees of eta * tree(x); a higher F means a better configuration. Each tree is grown on the
 * derivatives g and h of a loss at the present F (lecture 4.2; Chen and Guestrin 2016). Features are first sorted
 * into at most 32 bins, so a split is a feature and one of its cuts: x < cut goes left.
 *
 * Same input, same bits: g and h are rounded to integers whose absolute values add up to less than 2^30, so every sum
 * is exact in any order; of equally good splits the first feature wins, then the lowest cut. Several threads may use
 * one fitted model, and fit side by side. */
#ifndef GBDT_H
#define GBDT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum gbdt_objective {
    GBDT_SQUARED,  /* (F - y)^2 / 2: g = F - y, h = 1 */
    GBDT_WEIGHTED, /* w (F - y)^2 / 2: g = w (F - y), h = w; Ansor: w = y, fast ones count more */
    GBDT_RANK      /* log(1 + e^-(F_i - F_j)) of pairs with y_i > y_j (lecture 4.4), over the number of opponents */
};

struct gbdt_settings {
    enum gbdt_objective objective;
    int trees;               /* 60   0 … GBDT_MAX_TREES */
    int depth;               /* 6    1 … GBDT_MAX_DEPTH questions from the root to a leaf */
    double eta;              /* 0.2  shrinkage: the part of each tree that is added */
    double lambda;           /* 1    L2 regularisation of the leaves, >= 0 */
    double min_child_weight; /* 1    least sum of h in a child, > 0 */
    double gamma;            /* 0    least gain of a split (one below 1e-6 is never made), >= 0 */
    int bins;                /* 32   2 … GBDT_MAX_BINS a feature */
    int pairs;               /* 32   GBDT_RANK: opponents a sample, drawn anew for each tree, >= 1 */
    uint64_t seed;           /* 0    of those draws; the other objectives draw nothing */
};
/* Bins and pairs are the lecture's. AutoTVM has depth 3, eta 0.3, gamma 1e-4 and adds trees until the recall on the
 * training data stops rising; Ansor depth 10. */

enum { GBDT_MAX_TREES = 10000, GBDT_MAX_DEPTH = 6, GBDT_MAX_BINS = 32, GBDT_MAX_FEATURES = 256 };

struct gbdt_settings gbdt_defaults(enum gbdt_objective objective);

/* Lecture 4.2, exercise 2. G and H are the sums of g and h over the samples of a node; L and R its two halves. */
double gbdt_leaf(double G, double H, double lambda); /* -G / (H + lambda), or 0 */
double gbdt_split_gain(double GL, double HL, double GR, double HR, double lambda);

struct gbdt;

/* Fits n samples. x [n][features]: finite. y [n]: finite, higher = better.
 * weight [n], >= 0: GBDT_WEIGHTED's w. NULL, or another objective: 1.
 * margin [n]: what F starts from, for transfer (lecture 4.7); NULL: 0. The model learns what the margin lacks;
 * gbdt_predict does not add it. base is the mean of y - margin (0 for GBDT_RANK, which sees differences only).
 * n = 0 gives a model that answers 0, a constant y one that answers it. Settings out of range abort. */
struct gbdt *gbdt_fit(const struct gbdt_settings *settings, size_t n, int features, const float *x, const double *y,
                      const double *weight, const double *margin);

/* The same where several rows, the statements of a program, have one result: what is fitted to y is their sum (lecture
 * 5.6; Ansor, as TVM's XGBoost model does it). program [n]: whose statement a row is; y and weight are a program's,
 * by its number, which is below n. Not with GBDT_RANK. */
struct gbdt *gbdt_fit_sums(const struct gbdt_settings *settings, size_t n, int features, const float *x,
                           const uint32_t *program, const double *y, const double *weight);
void gbdt_free(struct gbdt *model);

/* score [n] = F of the rows x [n][features]; for GBDT_RANK only differences mean something. One row costs nearly as
 * much as 128 do: ask for many at once. */
void gbdt_predict(const struct gbdt *model, size_t n, const float *x, double *score);

/* gain [features] = the summed gain of all splits on each feature: what the model found useful. */
int gbdt_features(const struct gbdt *model);
void gbdt_gain(const struct gbdt *model, double *gain);

/* Prints a tree, a question a line; below it, indented, what follows yes and then no; name [features]: their names.
 *     K-steps < 6.5  gain 7.25
 *       leaf 0.2
 *       leaf -0.1 */
void gbdt_print(const struct gbdt *model, int tree, const char *const *name, FILE *out);

#endif

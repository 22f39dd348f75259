/* ridge.h - ridge regression on the logarithms of the knobs and their products: the second script's cost model.
 *
 * The features of a configuration are log2 of its knob values and all products of two of them (squares too), each
 * standardised over the training rows; the target is the logarithm of the time. Least squares with a penalty lambda
 * on the squared weights has a closed form, (X^T X + lambda I) w = X^T y, solved here by Cholesky's factorisation. */
#ifndef RIDGE_H
#define RIDGE_H

#include <stddef.h>

#define RIDGE_LAMBDA 1.0 /* on standardised features; the usual default, not tuned */

struct ridge;

/* Fits n rows x [n][columns] (log2 of knob values) to y [n]. n = 0 gives a model that answers 0; a feature that never
 * changes gets no weight. lambda > 0. */
struct ridge *ridge_fit(size_t n, int columns, const float *x, const double *y, double lambda);
void ridge_free(struct ridge *ridge);

/* out [n] = the predicted y of rows x [n][columns]. */
void ridge_predict(const struct ridge *ridge, size_t n, const float *x, double *out);

/* Solves the symmetric positive definite a w = b, both overwritten: a [n][n] by its Cholesky factor L (a = L L^T,
 * lower triangle), b [n] by w. */
void ridge_cholesky_solve(int n, double *a, double *b);

#endif

/* ridge.c - standardise, form the normal equations, factorise. */
#include "ridge.h"
#include "base/xalloc.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct ridge {
    int columns, terms;   /* columns of x; columns + columns (columns + 1) / 2 terms made of them */
    double *mean, *scale; /* [terms] of the training rows; scale 0: the term never changed */
    double *weight;       /* [terms] of a term less its mean */
    double base;          /* mean of y */
};

/* The columns themselves, then the product of each with itself and those behind it. */
static void expand(int columns, const float *x, double *term)
{
    int t = 0;
    for (int i = 0; i < columns; i++)
        term[t++] = x[i];
    for (int i = 0; i < columns; i++)
        for (int j = i; j < columns; j++)
            term[t++] = (double)x[i] * x[j];
}

static void standardise(const struct ridge *r, double *term)
{
    for (int t = 0; t < r->terms; t++)
        term[t] = r->scale[t] > 0 ? (term[t] - r->mean[t]) / r->scale[t] : 0;
}

static void moments(struct ridge *r, size_t n, const double *term)
{
    for (int t = 0; t < r->terms; t++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < n; i++)
            sum += term[i * (size_t)r->terms + (size_t)t];
        r->mean[t] = sum / (double)n;
        for (size_t i = 0; i < n; i++) {
            double d = term[i * (size_t)r->terms + (size_t)t] - r->mean[t];
            squares += d * d;
        }
        r->scale[t] = sqrt(squares / (double)n);
    }
}

void ridge_cholesky_solve(int n, double *a, double *b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++)
                sum -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
    for (int i = 0; i < n; i++) { /* L z = b */
        for (int k = 0; k < i; k++)
            b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) { /* L^T w = z */
        for (int k = i + 1; k < n; k++)
            b[i] -= a[k * n + i] * b[k];
        b[i] /= a[i * n + i];
    }
}

struct ridge *ridge_fit(size_t n, int columns, const float *x, const double *y, double lambda)
{
    assert(lambda > 0); /* else a column that never changes makes the matrix singular */
    struct ridge *r = xalloc(1, sizeof *r);
    r->columns = columns;
    r->terms = columns + columns * (columns + 1) / 2;
    size_t terms = (size_t)r->terms;
    r->mean = xalloc(3 * terms, sizeof *r->mean);
    r->scale = r->mean + terms;
    r->weight = r->scale + terms;
    if (n == 0)
        return r;
    double *term = xalloc(n * terms, sizeof *term), *normal = xalloc(terms * terms, sizeof *normal);
    for (size_t i = 0; i < n; i++) {
        expand(columns, x + i * (size_t)columns, term + i * terms);
        r->base += y[i] / (double)n;
    }
    moments(r, n, term);
    for (size_t i = 0; i < n; i++) {
        double *row = term + i * terms;
        standardise(r, row);
        for (size_t s = 0; s < terms; s++) {
            r->weight[s] += row[s] * (y[i] - r->base);
            for (size_t t = 0; t <= s; t++)
                normal[s * terms + t] += row[s] * row[t];
        }
    }
    for (size_t t = 0; t < terms; t++)
        normal[t * terms + t] += lambda;
    ridge_cholesky_solve(r->terms, normal, r->weight);
    for (size_t t = 0; t < terms; t++)
        r->weight[t] = r->scale[t] > 0 ? r->weight[t] / r->scale[t] : 0;
    free(normal);
    free(term);
    return r;
}

void ridge_free(struct ridge *r)
{
    free(r->mean);
    free(r);
}

void ridge_predict(const struct ridge *r, size_t n, const float *x, double *out)
{
    double *term = xalloc((size_t)r->terms, sizeof *term);
    for (size_t i = 0; i < n; i++) {
        expand(r->columns, x + i * (size_t)r->columns, term);
        out[i] = r->base;
        for (int t = 0; t < r->terms; t++)
            out[i] += r->weight[t] * (term[t] - r->mean[t]);
    }
    free(term);
}

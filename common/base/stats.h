/* stats.h - the few statistics that the tables need. */
#ifndef STATS_H
#define STATS_H

#include <stddef.h>
#include <stdint.h>

/* order [n] = the indices of v from the smallest to the largest, ties by index; v itself in that order. No NaN. */
void stats_order(const double *v, size_t n, uint32_t *order);
void stats_sort(double *v, size_t n);

/* rank[i]: the place of v[i] from 0, the mean place among equals. NaN is not allowed. */
void stats_ranks(const double *v, size_t n, double *rank);

/* All five: n > 0. The p-th percentile, 0 <= p <= 100, interpolates linearly between the two nearest ranks. */
double stats_percentile(const double *v, size_t n, double p);
double stats_median(const double *v, size_t n);
double stats_mean(const double *v, size_t n);
double stats_min(const double *v, size_t n);
double stats_max(const double *v, size_t n);

/* Of n > 1 values drawn at random, an estimate of the spread that they were drawn with; NAN of fewer. */
double stats_deviation(const double *v, size_t n);

size_t stats_up_to(const double *ascending, size_t n, double limit); /* how many are at most `limit` */

struct spread {
    double median, mean, low, high; /* low, high: the smallest and the largest */
};
struct spread stats_spread(const double *v, size_t n);

/* mean [width] of the n rows of each [n][width]: of many numbers from every repeat at once. */
void stats_mean_rows(size_t n, size_t width, const double *each, double *mean);

/* Spearman's rank correlation of a and b: 1 when they order the n items alike, 0 when unrelated, -1 when opposite.
 * Ties share the mean of their ranks. 0 when n < 2 or one side is constant. */
double stats_spearman(const double *a, const double *b, size_t n);

/* Share of the pairs with different truth that the prediction puts in the right order (a tied prediction counts
 * half); 0.5, a guess, if there is none. Higher must mean the same on both sides. Compares all n(n-1)/2 pairs. */
double stats_pairwise_accuracy(const double *predicted, const double *truth, size_t n);

/* recall@k, k <= n: of the k items with the highest truth, the share among the k with the highest prediction; 0 if k is.
 * average (NULL: not wanted): TVM's (autotvm/tuner/metric.py), the mean of recall@1 … recall@k. */
double stats_recall(const double *predicted, const double *truth, size_t n, size_t k, double *average);

#endif

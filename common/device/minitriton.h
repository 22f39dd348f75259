/* minitriton.h - runs a configuration's loops on real fp16 numbers, to prove that tuning changes how, never what
 * (2.1). Inputs and output are fp16, sums fp32; another configuration only groups the additions differently. */
#ifndef MINITRITON_H
#define MINITRITON_H

#include "base/rng.h"
#include "space/matmul.h"
#include "space/workload.h"
#include <stdint.h>

typedef uint16_t half; /* an IEEE 754 binary16, as its bits: C11 has no such type */

/* Round to nearest, ties to even; overflow to infinity, subnormals kept; every NaN becomes 0x7fff. */
half half_from_float(float value);
float half_to_float(half value); /* exact */

/* C = A B by the loops of the knob values [MATMUL_KNOBS]: blocks in GROUP_M order, tiles of BLOCK_M x BLOCK_N, K in
 * steps of BLOCK_K, SPLIT_K fp32 partial results that are then summed in order. Edges are masked: any M, N, K works.
 * A: [m][k], B: [k][n], C: [m][n], row by row. num_warps and num_stages decide who computes when, not what.
 * C overlaps neither A nor B; every knob is at least 1. */
void minitriton_matmul(const struct workload *w, const int *values, const half *a, const half *b, half *c);

/* The same product in float64, for reference: [m][n]. */
void minitriton_reference(const struct workload *w, const half *a, const half *b, double *c);

/* max |C - ref| / max |ref| over all m n elements; NaN or infinity if any is not finite: test error <= limit. */
double minitriton_error(const struct workload *w, const half *c, const double *ref);

/* How many elements of c and other differ; and by_one unit in the last place of fp16. -0 equals 0; a NaN is far off.
 * */
long minitriton_unlike(const struct workload *w, const half *c, const half *other, long *by_one);

/* What n configurations make of the same standard normal fp16 numbers, which are drawn from rng: A, then B. */
struct minitriton_outcome {
    double error;
    long unlike, by_one; /* the first one's outputs */
};
void minitriton_try(const struct workload *w, struct rng *rng, int n, const int (*values)[MATMUL_KNOBS],
                    struct minitriton_outcome *outcome);

#endif

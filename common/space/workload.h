/* workload.h - what is tuned: a matrix product C[M,N] = A[M,K] B[K,N], fp16 in and out; the lecture's e (1.2). */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "base/text.h"
#include <stdbool.h>
#include <stddef.h>

struct workload {
    const char *id;   /* "prefill_qkv": for files and options */
    struct text name; /* for tables */
    int m, n, k;      /* elements; 0 if a recording does not say */
};

enum { WORKLOAD_MAX_EXTENT = 1 << 20 }; /* of M, N or K: keeps M N and its like exact */

double workload_flop(const struct workload *w);      /* 2 M N K: a multiply and an add each */
double workload_bytes(const struct workload *w);     /* (M K + K N + M N) 2: each matrix moved once */
double workload_intensity(const struct workload *w); /* FLOP a byte */

/* "MxNxK" ("-": a recording did not say); "name, MxNxK" in a language (the name alone where there is no shape). */
const char *workload_shape(const struct workload *w, char *buf, size_t n);
const char *workload_label(const struct workload *w, enum lang lang, char *buf, size_t n);

bool workload_same(const struct workload *a, const struct workload *b); /* of one M, N and K */

/* Reads M, N and K, joined by the separator. False if they are not three integers from 1 to WORKLOAD_MAX_EXTENT and
 * nothing else. */
bool workload_parse(const char *text, char separator, struct workload *w);

/* The named shapes of the lecture and of the second script; NULL if there is none of that id. */
const struct workload *workload_find(const char *id);

/* Section 2's five: square, prefill QKV, decode, weight gradient, small. */
enum { WORKLOAD_FIVE = 5 };
extern const struct workload workload_five[WORKLOAD_FIVE];

/* A product of decoding whose M, the batch, changes at every step, C[M,14336] = A[M,4096] B for M = 1 … 256, and M's
 * bucket: its logarithm rounded up, so that bucket b ends at M = 2^b (2.4, exercise 8). */
enum { DYNAMIC_M = 256, DYNAMIC_BUCKETS = 9 };
struct workload workload_dynamic(int m);
int workload_bucket(int m);

/* Section 6.3's network, a 7B decoder: prefill of 512 tokens, one decode step of batch 16, rank-16 LoRA. */
struct network_task {
    struct workload workload;
    int count; /* times it runs in one pass */
};
enum { WORKLOAD_NETWORK = 11 };
extern const struct network_task workload_network[WORKLOAD_NETWORK];

#endif

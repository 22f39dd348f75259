/* compute.h - a small compute graph: what is computed, and nothing of how. Ansor's rules (sketch.h) read it.
 *
 * A node is one formula over named axes, C[i,j] = sum_k A[i,k] * B[k,j]: spatial axes i, j number its outputs, the
 * reduction axis k is summed over. What a read does not mention is what it can be reused along: A[i,k] lacks j, so
 * each value of A serves every j. A graph is a plain value. Lecture 5.3 and its exercise 6 give these in words. */
#ifndef COMPUTE_H
#define COMPUTE_H

#include <stdbool.h>

enum { COMPUTE_MAX_NODES = 12, COMPUTE_MAX_AXES = 7, COMPUTE_MAX_READS = 2, COMPUTE_MAX_DIMS = 4 };

struct compute_axis {
    const char *name;
    int extent;
};

struct compute_read {
    int node;                         /* what is read: a node before the reader */
    unsigned index[COMPUTE_MAX_DIMS]; /* one per spatial axis of it: bit a set if the reader's axis a moves it; two
                                       * bits are a sum, as the row h+kh of a convolution */
};

struct compute_node {
    const char *name;
    int spatial, axes; /* axis[0 … spatial-1] number the outputs, the rest are summed over */
    struct compute_axis axis[COMPUTE_MAX_AXES];
    const char *body; /* "$0 * $1": the value of read 0 times that of read 1 */
    int reads;        /* 0: an input */
    struct compute_read read[COMPUTE_MAX_READS];
    bool costly; /* an exp or a branch: computing it again at each use may not pay */
};

struct compute {
    int nodes;
    struct compute_node node[COMPUTE_MAX_NODES]; /* the last is the output */
};

/* Ready-made graphs. All extents are at least 1. */
struct compute compute_matmul(int m, int n, int k);    /* C[i,j] = sum_k A[i,k] * B[k,j] */
struct compute compute_wgrad(int m, int n, int k);     /* dW[i,j] = sum_k X[k,i] * dY[k,j]: X^T dY, k tokens */
struct compute compute_row_sum(int rows, int columns); /* S[i] = sum_k A[i,k] */
struct compute compute_conv(int images, int in, int out, int size, int kernel); /* size x size, zero-padded */

/* Put an element-wise step behind the output: + a bias for each value of the last axis; a scale and a shift for each
 * value of one spatial axis (batch normalisation at inference); max(., 0). */
void compute_add_bias(struct compute *graph);
void compute_add_norm(struct compute *graph, int axis);
void compute_add_relu(struct compute *graph);

bool compute_is_input(const struct compute *graph, int node);
bool compute_reduces(const struct compute *graph, int node);
long long compute_outputs(const struct compute *graph, int node); /* the product of spatial extents */
long long compute_reduced(const struct compute *graph, int node); /* values reduced into each; 1 if none are */

/* The only node that reads `node`; 0: none does; -1: several do. */
int compute_reader(const struct compute *graph, int node);

/* Whether `node` reads `producer` element by element: it reduces nothing, and [i,j] of it needs [i,j] alone. */
bool compute_elementwise(const struct compute *graph, int node, int producer);

/* "Has data reuse", the condition of Ansor's rules 3 to 5, TVM's test: a read lacks an axis of several values and the
 * node reduces, or two reads lack one. (A bias lacks one too, but a single such read is not worth tiles.) */
bool compute_reuses(const struct compute *graph, int node);

/* Into how many tiles of side x side the outputs fall: ceil(m/side) ceil(n/side) for a product, one a row for a row
 * sum: a side runs over the axes that one read lacks. */
long long compute_tiles(const struct compute *graph, int node, int side);

/* New strings. The whole graph, one line a formula; one element, "C_local[i,j]", or "C_part[part,i,j]" with an index
 * that goes first (NULL: none); and a formula without its sum, "A_shared[i,k] * B[k,j]". There suffix [nodes] is put
 * behind a node's name; NULL: it is inlined, its own formula stands in its place. */
char *compute_text(const struct compute *graph);
char *compute_element(const struct compute_node *node, const char *suffix, const char *first);
char *compute_body(const struct compute *graph, int node, const char *const *suffix);

#endif

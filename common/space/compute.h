/* compute.h - what is computed, and nothing of how: a graph of formulas. Ansor's rules (sketch.h) read it.
 *
 * A node is one formula over named axes, "C[i,j] = sum_k A[i,k] * B[k,j]": the spatial axes i, j number its outputs,
 * the reduction axis k is summed over. What a read does not mention is what it can be reused along: A[i,k] lacks j,
 * so each value of A serves every j. A graph is a plain value. */
#ifndef COMPUTE_H
#define COMPUTE_H

#include <stdbool.h>

enum { COMPUTE_MAX_NODES = 12, COMPUTE_MAX_AXES = 9, COMPUTE_MAX_READS = 2 };

struct compute_read {
    int node;                        /* what is read: a node before the reader */
    char axes[COMPUTE_MAX_AXES + 1]; /* that its index mentions: "nchrws" of [n,c,h+r,w+s] */
};

struct compute_node {
    const char *formula; /* the whole of it */
    const char *body;    /* what is behind '=' and the sum; NULL: an input */
    char name[8];
    char spatial[COMPUTE_MAX_AXES + 1], reduced[COMPUTE_MAX_AXES + 1]; /* "ij", "k" */
    int reads;
    struct compute_read read[COMPUTE_MAX_READS];
};

struct compute {
    const char *axes;             /* "ijk": all, a lower-case letter each */
    int extent[COMPUTE_MAX_AXES]; /* of each, at least 1 */
    int nodes;
    struct compute_node node[COMPUTE_MAX_NODES]; /* the last is the output */
};

/* A graph of these formulas, a list that NULL ends; keeps all strings by reference. Each stands behind those it reads;
 * one without '=' is an input. compute_add puts one more behind the output. What cannot be read so aborts. */
struct compute compute_of(const char *axes, const int *extent, const char *const *formulas);
void compute_add(struct compute *graph, const char *formula);

/* Ready-made ones. */
struct compute compute_matmul(int m, int n, int k);    /* C[i,j] = sum_k A[i,k] * B[k,j] */
struct compute compute_wgrad(int m, int n, int k);     /* dW[i,j] = sum_k X[k,i] * dY[k,j]: X^T dY, k tokens */
struct compute compute_row_sum(int rows, int columns); /* S[i] = sum_k A[i,k] */
/* A zero-padded convolution of size x size, normalised (in two steps, as in TVM: one that reads scale and shift would
 * pass for a node with data reuse), then relu. */
struct compute compute_conv(int images, int in, int out, int size, int kernel);

int compute_extent(const struct compute *graph, char axis);
long long compute_values(const struct compute *graph, const char *axes); /* the product of their extents; 1 of none */

/* The only node that reads `node`; 0: none does; -1: several do. */
int compute_reader(const struct compute *graph, int node);

/* Whether `node` reads `producer` element by element: it reduces nothing, and [i,j] of it needs [i,j] alone. */
bool compute_elementwise(const struct compute *graph, int node, int producer);

/* An exp or a branch: computing it again at each use may not pay. */
bool compute_costly(const struct compute_node *node);

/* "Has data reuse", the condition of Ansor's rules 3 to 5, TVM's test: a read lacks an axis of several values and the
 * node reduces, or two reads lack one. (A bias lacks one too, but a single such read is not worth tiles.) */
bool compute_reuses(const struct compute *graph, int node);

/* Into how many tiles of side x side the outputs fall: ceil(m/side) ceil(n/side) for a product, one a row for a row
 * sum: a side runs over the axes that one read lacks. */
long long compute_tiles(const struct compute *graph, int node, int side);

/* New strings. The whole graph, a line each formula; one element, "C_local[i,j]", or "C_part[part,i,j]" with an index
 * that goes first (NULL: none); and a formula without its sum, "A_shared[i,k] * B[k,j]". There suffix [nodes] is put
 * behind a node's name; NULL: it is inlined, its own formula stands in its place. */
char *compute_text(const struct compute *graph);
char *compute_element(const struct compute_node *node, const char *suffix, const char *first);
char *compute_body(const struct compute *graph, int node, const char *const *suffix);

#endif

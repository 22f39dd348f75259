/* test_compute.c - the compute graph says what is computed: its text, its reuse, its sizes. */
#include "check.h"
#include "space/compute.h"
#include <stdio.h>
#include <stdlib.h>

static struct compute matmul(void) { return compute_matmul(5, 4, 3); }
static struct compute wgrad(void) { return compute_wgrad(2, 4, 6); }
static struct compute row_sum(void) { return compute_row_sum(4, 7); }
static struct compute conv(void) { return compute_conv(2, 3, 4, 5, 3); }

static struct compute bias_relu(void)
{
    struct compute g = compute_matmul(5, 4, 3);
    compute_add_bias(&g);
    compute_add_relu(&g);
    return g;
}

static struct compute conv_norm_relu(void)
{
    struct compute g = compute_conv(2, 3, 4, 5, 3);
    compute_add_norm(&g, 1);
    compute_add_relu(&g);
    return g;
}

/* C[b,i,j] = sum_k A[b,i,k] * B[b,k,j]: an axis that both reads mention. */
static struct compute batch_matmul(void)
{
    struct compute_axis b = { "b", 3 }, i = { "i", 40 }, j = { "j", 70 }, k = { "k", 2 };
    return (struct compute){ 3, { { .name = "A", .spatial = 3, .axes = 3, .axis = { b, i, k } },
                                  { .name = "B", .spatial = 3, .axes = 3, .axis = { b, k, j } },
                                  { .name = "C", .spatial = 3, .axes = 4, .axis = { b, i, j, k }, .body = "$0 * $1",
                                    .reads = 2, .read = { { 0, { 1, 2, 8 } }, { 1, { 1, 8, 4 } } } } } };
}

/* P[i,j] = a[i] * b[j]: reuse without a reduction. */
static struct compute outer_product(int m, int n)
{
    struct compute_axis i = { "i", m }, j = { "j", n };
    return (struct compute){ 3, { { .name = "a", .spatial = 1, .axes = 1, .axis = { i } },
                                  { .name = "b", .spatial = 1, .axes = 1, .axis = { j } },
                                  { .name = "P", .spatial = 2, .axes = 2, .axis = { i, j }, .body = "$0 * $1",
                                    .reads = 2, .read = { { 0, { 1 } }, { 1, { 2 } } } } } };
}

static struct compute outer(void) { return outer_product(4, 3); }

static struct compute (*const all[])(void) = {
    matmul, wgrad, row_sum, conv, bias_relu, conv_norm_relu, batch_matmul, outer,
};
enum { ALL = sizeof all / sizeof *all };

/* The other graphs' formulas stand in EXPECTED.md. */
TEST(a_convolution_prints_its_formulas)
{
    struct compute g = conv_norm_relu();
    char *text = compute_text(&g);
    assert_string_equal(text, "padded[n,c,y,x] = pad(X[n,c,y,x])                   n 2, c 3, y 7, x 7\n"
                              "Y[n,f,h,w] = sum_c,kh,kw padded[n,c,h+kh,w+kw] * W[f,c,kh,kw]"
                              "  n 2, f 4, h 5, w 5, c 3, kh 3, kw 3\n"
                              "scaled[n,f,h,w] = Y[n,f,h,w] * scale[f]             n 2, f 4, h 5, w 5\n"
                              "shifted[n,f,h,w] = scaled[n,f,h,w] + shift[f]       n 2, f 4, h 5, w 5\n"
                              "relu[n,f,h,w] = max(shifted[n,f,h,w], 0)            n 2, f 4, h 5, w 5\n");
    free(text);
}

TEST(products_and_convolutions_reuse_and_nothing_else_does)
{
    for (int i = 0; i < ALL; i++) {
        struct compute g = all[i]();
        for (int node = 0; node < g.nodes; node++) {
            const char *name = g.node[node].name;
            bool product = !strcmp(name, "C") || !strcmp(name, "dW") || !strcmp(name, "Y") ||
                           (!strcmp(name, "P") && all[i] == outer);
            assert_int_equal(compute_reuses(&g, node), product);
        }
    }
}

/* The tiles that a product's outputs fall into, by visiting all outputs: [m][n] of each of `others`. */
static long visited_tiles(long others, long m, long n, int side)
{
    long wide = (n + side - 1) / side, tall = (m + side - 1) / side, count = 0;
    char *seen = calloc((size_t)(others * tall * wide), 1);
    for (long o = 0; o < others; o++)
        for (long i = 0; i < m; i++)
            for (long j = 0; j < n; j++) {
                char *tile = &seen[(o * tall + i / side) * wide + j / side];
                count += !*tile;
                *tile = 1;
            }
    free(seen);
    return count;
}

TEST(tiles_run_over_the_axes_that_one_read_lacks)
{
    static const int side[] = { 1, 3, 16, 128 };
    for (int s = 0; s < 4; s++) {
        struct compute square = compute_matmul(300, 129, 7), batch = batch_matmul(), c = conv(), sum = row_sum();
        assert_true(compute_tiles(&square, 2, side[s]) == visited_tiles(1, 300, 129, side[s]));
        assert_true(compute_tiles(&batch, 2, side[s]) == visited_tiles(3, 40, 70, side[s]));
        assert_true(compute_tiles(&c, 3, side[s]) == visited_tiles(1, 2 * 5 * 5, 4, side[s]));
        assert_true(compute_tiles(&sum, 1, side[s]) == 4);
    }
    struct compute g = compute_wgrad(512, 512, 32768);
    assert_true(compute_tiles(&g, 2, 128) == 16); /* lecture 2.2 */
}

TEST(element_wise_is_the_same_place_and_no_reduction)
{
    struct compute g = bias_relu(), c = conv();
    int c_node = 2, biased = 4, relu = 5;
    assert_true(compute_elementwise(&g, biased, c_node));
    assert_true(compute_elementwise(&g, relu, biased));
    assert_false(compute_elementwise(&g, relu, c_node)); /* not read */
    assert_false(compute_elementwise(&g, biased, 3));    /* the bias, one for all rows */
    assert_false(compute_elementwise(&g, c_node, 0));    /* a reduction */
    assert_true(compute_elementwise(&c, 2, 0));
    struct compute_node *node = &g.node[biased];
    node->read[0].index[0] = 2, node->read[0].index[1] = 1; /* a transposition */
    assert_false(compute_elementwise(&g, biased, c_node));
    node->read[0].index[0] = 1, node->read[0].index[1] = 2;
    node->axis[node->axes++] = (struct compute_axis){ "k", 2 }; /* the same place, twice */
    assert_false(compute_elementwise(&g, biased, c_node));
}

TEST(inlined_formulas_keep_their_meaning)
{
    struct compute g = compute_matmul(5, 4, 3), c = conv();
    compute_add_bias(&g);
    compute_add_norm(&g, 0);
    compute_add_relu(&g);
    struct {
        const struct compute *graph;
        const char *text;
    } cases[] = {
        { &g, "max(((C_x[i,j] + bias_x[j]) * scale_x[i]) + shift_x[i], 0)" },
        { &c, "pad(X_x[n,c,h+kh,w+kw]) * W_x[f,c,kh,kw]" },
    };
    for (int i = 0; i < 2; i++) {
        const struct compute *graph = cases[i].graph;
        const char *suffix[COMPUTE_MAX_NODES];
        for (int n = 0; n < graph->nodes; n++)
            suffix[n] = compute_is_input(graph, n) || compute_reduces(graph, n) ? "_x" : NULL;
        char *text = compute_body(graph, graph->nodes - 1, suffix);
        assert_string_equal(text, cases[i].text);
        free(text);
    }
}

TESTS("compute", NULL, NULL)

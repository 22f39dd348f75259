/* test_compute.c - the compute graph says what is computed: its text, its reuse, its sizes. */
#include "check.h"
#include "space/compute.h"
#include <stdio.h>
#include <stdlib.h>

#define GRAPH(axes, extents, ...) compute_of(axes, (int[])extents, (const char *[]){ __VA_ARGS__, NULL })
#define OF(...) { __VA_ARGS__ }

static struct compute matmul(void) { return compute_matmul(5, 4, 3); }
static struct compute wgrad(void) { return compute_wgrad(2, 4, 6); }
static struct compute row_sum(void) { return compute_row_sum(4, 7); }
static struct compute conv(void) { return compute_conv(2, 3, 4, 5, 3); }

static struct compute bias_norm_relu(void)
{
    return GRAPH("ijk", OF(5, 4, 3), "A[i,k]", "B[k,j]", "C[i,j] = sum_k A[i,k] * B[k,j]", "bias[j]",
                 "biased[i,j] = C[i,j] + bias[j]", "scale[i]", "scaled[i,j] = biased[i,j] * scale[i]", "shift[i]",
                 "shifted[i,j] = scaled[i,j] + shift[i]", "relu[i,j] = max(shifted[i,j], 0)");
}

static struct compute batch_matmul(void) /* an axis that both reads mention */
{
    return GRAPH("bijk", OF(3, 40, 70, 2), "A[b,i,k]", "B[b,k,j]", "C[b,i,j] = sum_k A[b,i,k] * B[b,k,j]");
}

static struct compute outer(void) /* reuse without a reduction */
{
    return GRAPH("ij", OF(4, 3), "a[i]", "b[j]", "P[i,j] = a[i] * b[j]");
}

static struct compute (*const all[])(void) = { matmul, wgrad, row_sum, conv, bias_norm_relu, batch_matmul, outer };
enum { ALL = sizeof all / sizeof *all };

/* The other graphs' formulas stand in EXPECTED.md. */
TEST(a_convolution_prints_its_formulas)
{
    struct compute g = conv();
    char *text = compute_text(&g);
    assert_string_equal(text, "padded[n,c,y,x] = pad(X[n,c,y,x])                   n 2, c 3, y 7, x 7\n"
                              "Y[n,f,h,w] = sum_c,r,s padded[n,c,h+r,w+s] * W[f,c,r,s]"
                              "  n 2, f 4, h 5, w 5, c 3, r 3, s 3\n"
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
    static const struct {
        const char *formula;
        bool elementwise;
    } cases[] = {
        { "R[i,j] = C[i,j] + A[i,k]", true },         { "R[i,j] = exp(A[i,k])", false }, /* not read */
        { "R[i,j] = C[j,i]", false },                 { "R[i,k] = C[i,k]", false },
        { "R[i,j] = sum_k C[i,j] * A[i,k]", false },  { "R[i,j] = C[i,j] + C[j,i]", false },
        { "R[i] = C[i,i]", false },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct compute g = matmul();
        compute_add(&g, cases[c].formula);
        assert_int_equal(compute_elementwise(&g, 3, 2), cases[c].elementwise);
    }
}

TEST(inlined_formulas_keep_their_meaning)
{
    struct compute g = bias_norm_relu();
    const char *suffix[COMPUTE_MAX_NODES];
    for (int n = 0; n < g.nodes; n++)
        suffix[n] = g.node[n].body && !*g.node[n].reduced ? NULL : "_x";
    char *text = compute_body(&g, g.nodes - 1, suffix);
    assert_string_equal(text, "max(((C_x[i,j] + bias_x[j]) * scale_x[i]) + shift_x[i], 0)");
    free(text);
}

TESTS("compute", NULL, NULL)

/* graphs.h - compute graphs that the tests of sketches and of loop nests share. */
#ifndef GRAPHS_H
#define GRAPHS_H

#include "check.h"
#include "space/sketch.h"

static struct compute square(void) { return compute_matmul(4096, 4096, 4096); }
static struct compute wgrad(void) { return compute_wgrad(512, 512, 32768); }
static struct compute row_sum(void) { return compute_row_sum(16, 1000000); }
static struct compute softmax(void) { return compute_softmax(2, 1024); }
static struct compute row_softmax(void) { return compute_softmax(1, 1024); }
static struct compute heads_softmax(void) { return compute_softmax(12 * 128, 128); }
static struct compute long_softmax(void) { return compute_softmax(16, 4096); }
static struct compute medium_product(void) { return compute_matmul(512, 512, 512); }
static struct compute small_product(void) { return compute_matmul(8, 8, 512); }
static struct compute smaller_product(void) { return compute_matmul(8, 8, 1024); }
static struct compute minimum(void) { return compute_row_sum(10, 1024); } /* a sum: to the rules the same */

static struct compute relu(void)
{
    struct compute g = square();
    compute_add_relu(&g);
    return g;
}

static struct compute bias_relu(void)
{
    struct compute g = square();
    compute_add_bias(&g);
    compute_add_relu(&g);
    return g;
}

static struct compute conv_norm_relu(int channels, int size)
{
    struct compute g = compute_conv(1, channels, channels, size, 3);
    compute_add_norm(&g, 1);
    compute_add_relu(&g);
    return g;
}

static struct compute small_relu(void) /* 4 tiles, 4096 values each: rule 6 applies, and there is a consumer */
{
    struct compute g = compute_matmul(256, 256, 4096);
    compute_add_relu(&g);
    return g;
}

static struct compute wide_conv(void) { return conv_norm_relu(512, 56); }
static struct compute late_conv(void) { return conv_norm_relu(512, 7); }

/* E = (A B) C */
static struct compute double_product(void)
{
    struct compute_axis i = { "i", 512 }, j = { "j", 512 }, k = { "k", 512 };
    struct compute g = compute_matmul(512, 512, 512);
    int third = compute_add(&g, (struct compute_node){ .name = "D", .spatial = 2, .axes = 2, .axis = { k, j } });
    compute_add(&g, (struct compute_node){ .name = "E",
                                           .spatial = 2,
                                           .axes = 3,
                                           .axis = { i, j, k },
                                           .body = "$0 * $1",
                                           .reads = 2,
                                           .read = { { 2, { 1, 4 } }, { third, { 4, 2 } } } });
    return g;
}

static struct compute sum_of_all(void) /* a node without spatial axes */
{
    struct compute_axis k = { "k", 128 };
    struct compute g = { 0 };
    compute_add(&g, (struct compute_node){ .name = "A", .spatial = 1, .axes = 1, .axis = { k } });
    compute_add(&g, (struct compute_node){ .name = "S",
                                           .spatial = 0,
                                           .axes = 1,
                                           .axis = { k },
                                           .body = "$0",
                                           .reads = 1,
                                           .read = { { 0, { 1 } } } });
    return g;
}

/* R = C + exp(X): the consumer of the product needs another node, too costly to inline on a CPU. */
static struct compute residual(void)
{
    struct compute_axis i = { "i", 256 }, j = { "j", 256 };
    struct compute g = compute_matmul(256, 256, 64);
    int x = compute_add(&g, (struct compute_node){ .name = "X", .spatial = 2, .axes = 2, .axis = { i, j } });
    int e = compute_add(&g, (struct compute_node){ .name = "T",
                                                   .spatial = 2,
                                                   .axes = 2,
                                                   .axis = { i, j },
                                                   .body = "exp($0)",
                                                   .costly = true,
                                                   .reads = 1,
                                                   .read = { { x, { 1, 2 } } } });
    compute_add(&g, (struct compute_node){ .name = "R",
                                           .spatial = 2,
                                           .axes = 2,
                                           .axis = { i, j },
                                           .body = "$0 + $1",
                                           .reads = 2,
                                           .read = { { 2, { 1, 2 } }, { e, { 1, 2 } } } });
    return g;
}

/* R = A B + A D: two products, of which one can be fused with the sum; and A has two readers. */
static struct compute two_products(void)
{
    struct compute_axis i = { "i", 256 }, j = { "j", 256 }, k = { "k", 64 };
    struct compute g = compute_matmul(256, 256, 64);
    int d = compute_add(&g, (struct compute_node){ .name = "D", .spatial = 2, .axes = 2, .axis = { k, j } });
    int f = compute_add(&g, (struct compute_node){ .name = "F",
                                                   .spatial = 2,
                                                   .axes = 3,
                                                   .axis = { i, j, k },
                                                   .body = "$0 * $1",
                                                   .reads = 2,
                                                   .read = { { 0, { 1, 4 } }, { d, { 4, 2 } } } });
    compute_add(&g, (struct compute_node){ .name = "R",
                                           .spatial = 2,
                                           .axes = 2,
                                           .axis = { i, j },
                                           .body = "$0 + $1",
                                           .reads = 2,
                                           .read = { { 2, { 1, 2 } }, { f, { 1, 2 } } } });
    return g;
}

static struct compute (*const all[])(void) = {
    square,        relu,         bias_relu,      wgrad,         row_sum,         softmax,      row_softmax,
    heads_softmax, long_softmax, medium_product, small_product, smaller_product, minimum,      small_relu,
    wide_conv,     late_conv,    double_product, sum_of_all,    residual,        two_products,
};
enum { ALL = sizeof all / sizeof *all };

/* ---- every sketch of every graph ---- */

typedef void property(const struct sketch *sketch);

static void for_all_sketches(property *holds)
{
    int looked_at = 0;
    for (int g = 0; g < ALL; g++)
        for (int t = 0; t < 4; t++) {
            struct compute graph = all[g]();
            struct sketches s = sketch_generate(&graph, t & 1, t >> 1);
            assert_true(s.count > 0);
            for (size_t i = 0; i < s.count; i++, looked_at++)
                holds(&s.sketch[i]);
            sketches_free(s);
        }
    assert_true(looked_at > 150);
}

#endif

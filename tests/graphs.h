/* graphs.h - compute graphs that the tests of sketches and of loop nests share. */
#ifndef GRAPHS_H
#define GRAPHS_H

#include "check.h"
#include "space/sketch.h"

#define INPUT(called, i, j) { .name = called, .spatial = 2, .axes = 2, .axis = { i, j } }
#define NODE(called, outputs, formula, costs, n, ...)                                                                \
    .name = called, .spatial = outputs, .body = formula, .costly = costs, .reads = n, .read = { __VA_ARGS__ }

/* By rows: the maximum (here a sum: to the rules the same), exp, the sum, the quotient. */
static struct compute softmax_of(int rows, int columns)
{
    struct compute_axis i = { "i", rows }, j = { "j", columns };
    return (struct compute){
        5,
        { INPUT("A", i, j),
          { NODE("top", 1, "$0", false, 1, { 0, { 1, 2 } }), .axes = 2, .axis = { i, j } },
          { NODE("E", 2, "exp($0 - $1)", true, 2, { 0, { 1, 2 } }, { 1, { 1 } }), .axes = 2, .axis = { i, j } },
          { NODE("total", 1, "$0", false, 1, { 2, { 1, 2 } }), .axes = 2, .axis = { i, j } },
          { NODE("P", 2, "$0 / $1", false, 2, { 2, { 1, 2 } }, { 3, { 1 } }), .axes = 2, .axis = { i, j } } }
    };
}

static struct compute square(void) { return compute_matmul(4096, 4096, 4096); }
static struct compute wgrad(void) { return compute_wgrad(512, 512, 32768); }
static struct compute row_sum(void) { return compute_row_sum(16, 1000000); }
static struct compute softmax(void) { return softmax_of(2, 1024); }
static struct compute row_softmax(void) { return softmax_of(1, 1024); }
static struct compute heads_softmax(void) { return softmax_of(12 * 128, 128); }
static struct compute long_softmax(void) { return softmax_of(16, 4096); }
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

/* E = (A B) D */
static struct compute double_product(void)
{
    struct compute_axis i = { "i", 512 }, j = { "j", 512 }, k = { "k", 512 };
    struct compute g = medium_product();
    g.node[3] = (struct compute_node)INPUT("D", k, j);
    g.node[4] = (struct compute_node){ NODE("E", 2, "$0 * $1", false, 2, { 2, { 1, 4 } }, { 3, { 4, 2 } }),
                                       .axes = 3, .axis = { i, j, k } };
    g.nodes = 5;
    return g;
}

static struct compute sum_of_all(void) /* a node without spatial axes */
{
    struct compute_axis k = { "k", 128 };
    return (struct compute){ 2, { { .name = "A", .spatial = 1, .axes = 1, .axis = { k } },
                                  { NODE("S", 0, "$0", false, 1, { 0, { 1 } }), .axes = 1, .axis = { k } } } };
}

/* R = C + exp(X): the consumer of the product needs another node, too costly to inline on a CPU. */
static struct compute residual(void)
{
    struct compute_axis i = { "i", 256 }, j = { "j", 256 };
    struct compute g = compute_matmul(256, 256, 64);
    g.node[3] = (struct compute_node)INPUT("X", i, j);
    g.node[4] = (struct compute_node){ NODE("T", 2, "exp($0)", true, 1, { 3, { 1, 2 } }),
                                       .axes = 2, .axis = { i, j } };
    g.node[5] = (struct compute_node){ NODE("R", 2, "$0 + $1", false, 2, { 2, { 1, 2 } }, { 4, { 1, 2 } }),
                                       .axes = 2, .axis = { i, j } };
    g.nodes = 6;
    return g;
}

/* R = A B + A D: two products, of which one can be fused with the sum; and A has two readers. */
static struct compute two_products(void)
{
    struct compute_axis i = { "i", 256 }, j = { "j", 256 }, k = { "k", 64 };
    struct compute g = compute_matmul(256, 256, 64);
    g.node[3] = (struct compute_node)INPUT("D", k, j);
    g.node[4] = (struct compute_node){ NODE("F", 2, "$0 * $1", false, 2, { 0, { 1, 4 } }, { 3, { 4, 2 } }),
                                       .axes = 3, .axis = { i, j, k } };
    g.node[5] = (struct compute_node){ NODE("R", 2, "$0 + $1", false, 2, { 2, { 1, 2 } }, { 4, { 1, 2 } }),
                                       .axes = 2, .axis = { i, j } };
    g.nodes = 6;
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

static inline void for_all_sketches(enum sketch_target target, property *holds)
{
    int seen = 0;
    for (int g = 0; g < ALL; g++)
        for (int conditions = SKETCH_LECTURE; conditions <= SKETCH_TVM; conditions++) {
            struct compute graph = all[g]();
            struct sketches s = sketch_generate(&graph, target, conditions);
            assert_true(s.count > 0);
            for (size_t i = 0; i < s.count; i++, seen++)
                holds(&s.sketch[i]);
            sketches_free(s);
        }
    assert_true(seen > 60);
}

#endif

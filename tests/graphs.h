/* graphs.h - compute graphs that the tests of sketches and of loop nests share. */
#ifndef GRAPHS_H
#define GRAPHS_H

#include "check.h"
#include "space/sketch.h"

/* A node that reads others: the formula and the reads are set by the caller. */
static int add_node(struct compute *g, struct compute_node node, const char *body, int reads,
                    const struct compute_read *read)
{
    node.body = body;
    node.reads = reads;
    memcpy(node.read, read, (size_t)reads * sizeof *read);
    return compute_add(g, node);
}
#define READS(n, ...) n, (const struct compute_read[]){ __VA_ARGS__ }

/* By rows: the maximum (here a sum: to the rules the same), exp, the sum, the quotient. */
static struct compute softmax_of(int rows, int columns)
{
    enum { I = 1, J = 2 };
    struct compute_axis i = { "i", rows }, j = { "j", columns };
    struct compute g = { 0 };
    struct compute_node vector = { .name = "top", .spatial = 1, .axes = 2, .axis = { i, j } }, matrix = vector;
    matrix.name = "E", matrix.spatial = 2;
    int a = compute_add(&g, (struct compute_node){ .name = "A", .spatial = 2, .axes = 2, .axis = { i, j } });
    int top = add_node(&g, vector, "$0", READS(1, { a, { I, J } }));
    matrix.costly = true;
    int e = add_node(&g, matrix, "exp($0 - $1)", READS(2, { a, { I, J } }, { top, { I } }));
    matrix.costly = false, matrix.name = "P", vector.name = "total";
    int total = add_node(&g, vector, "$0", READS(1, { e, { I, J } }));
    add_node(&g, matrix, "$0 / $1", READS(2, { e, { I, J } }, { total, { I } }));
    return g;
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

/* E = (A B) C */
static struct compute double_product(void)
{
    struct compute_axis i = { "i", 512 }, j = { "j", 512 }, k = { "k", 512 };
    struct compute g = compute_matmul(512, 512, 512);
    int third = compute_add(&g, (struct compute_node){ .name = "D", .spatial = 2, .axes = 2, .axis = { k, j } });
    struct compute_node e = { .name = "E", .spatial = 2, .axes = 3, .axis = { i, j, k } };
    add_node(&g, e, "$0 * $1", READS(2, { 2, { 1, 4 } }, { third, { 4, 2 } }));
    return g;
}

static struct compute sum_of_all(void) /* a node without spatial axes */
{
    struct compute_axis k = { "k", 128 };
    struct compute g = { 0 };
    compute_add(&g, (struct compute_node){ .name = "A", .spatial = 1, .axes = 1, .axis = { k } });
    add_node(&g, (struct compute_node){ .name = "S", .axes = 1, .axis = { k } }, "$0", READS(1, { 0, { 1 } }));
    return g;
}

/* R = C + exp(X): the consumer of the product needs another node, too costly to inline on a CPU. */
static struct compute residual(void)
{
    struct compute_axis i = { "i", 256 }, j = { "j", 256 };
    struct compute g = compute_matmul(256, 256, 64);
    struct compute_node node = { .name = "X", .spatial = 2, .axes = 2, .axis = { i, j } };
    int x = compute_add(&g, node);
    node.name = "T", node.costly = true;
    int e = add_node(&g, node, "exp($0)", READS(1, { x, { 1, 2 } }));
    node.name = "R", node.costly = false;
    add_node(&g, node, "$0 + $1", READS(2, { 2, { 1, 2 } }, { e, { 1, 2 } }));
    return g;
}

/* R = A B + A D: two products, of which one can be fused with the sum; and A has two readers. */
static struct compute two_products(void)
{
    struct compute_axis i = { "i", 256 }, j = { "j", 256 }, k = { "k", 64 };
    struct compute g = compute_matmul(256, 256, 64);
    int d = compute_add(&g, (struct compute_node){ .name = "D", .spatial = 2, .axes = 2, .axis = { k, j } });
    struct compute_node node = { .name = "F", .spatial = 2, .axes = 3, .axis = { i, j, k } };
    int f = add_node(&g, node, "$0 * $1", READS(2, { 0, { 1, 4 } }, { d, { 4, 2 } }));
    node.name = "R", node.axes = 2;
    add_node(&g, node, "$0 + $1", READS(2, { 2, { 1, 2 } }, { f, { 1, 2 } }));
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

static void for_all_sketches(enum sketch_target target, property *holds)
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

/* test_sketch.c - the rules fire where the lecture and TVM's own tests say; every sketch derives every node. The
 * sketches of the lecture's own graphs stand in EXPECTED.md. */
#include "check.h"
#include "space/sketch.h"
#include <stdlib.h>

#define GRAPHS_H

#include "check.h"
#include "space/sketch.h"

#define GRAPH(axes, extents, ...) compute_of(axes, (int[])extents, (const char *[]){ __VA_ARGS__, NULL })
#define OF(...) { __VA_ARGS__ }

/* By rows: the maximum (here a sum: to the rules the same), exp, the sum, the quotient. */
static struct compute softmax_of(int rows, int columns)
{
    return GRAPH("ij", OF(rows, columns), "A[i,j]", "top[i] = sum_j A[i,j]", "E[i,j] = exp(A[i,j] - top[i])",
                 "total[i] = sum_j E[i,j]", "P[i,j] = E[i,j] / total[i]");
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
    compute_add(&g, "relu[i,j] = max(C[i,j], 0)");
    return g;
}

static struct compute bias_relu(void)
{
    struct compute g = square();
    compute_add(&g, "bias[j]");
    compute_add(&g, "biased[i,j] = C[i,j] + bias[j]");
    compute_add(&g, "relu[i,j] = max(biased[i,j], 0)");
    return g;
}

static struct compute small_relu(void) /* 4 tiles, 4096 values each: rule 6 applies, and there is a consumer */
{
    struct compute g = compute_matmul(256, 256, 4096);
    compute_add(&g, "relu[i,j] = max(C[i,j], 0)");
    return g;
}

static struct compute wide_conv(void) { return compute_conv(1, 512, 512, 56, 3); }
static struct compute late_conv(void) { return compute_conv(1, 512, 512, 7, 3); }

static struct compute double_product(void) /* E = (A B) D */
{
    struct compute g = medium_product();
    compute_add(&g, "D[k,j]");
    compute_add(&g, "E[i,j] = sum_k C[i,k] * D[k,j]");
    return g;
}

static struct compute sum_of_all(void) /* a node without spatial axes */
{
    return GRAPH("k", OF(128), "A[k]", "S = sum_k A[k]");
}

/* The consumer of the product needs another node, too costly to inline on a CPU. */
static struct compute residual(void)
{
    return GRAPH("ijk", OF(256, 256, 64), "A[i,k]", "B[k,j]", "C[i,j] = sum_k A[i,k] * B[k,j]", "X[i,j]",
                 "T[i,j] = exp(X[i,j])", "R[i,j] = C[i,j] + T[i,j]");
}

/* Two products, of which one can be fused with the sum; and A has two readers. */
static struct compute two_products(void)
{
    return GRAPH("ijk", OF(256, 256, 64), "A[i,k]", "B[k,j]", "C[i,j] = sum_k A[i,k] * B[k,j]", "D[k,j]",
                 "F[i,j] = sum_k A[i,k] * D[k,j]", "R[i,j] = C[i,j] + F[i,j]");
}

static struct compute (*const all[])(void) = {
    square,        relu,         bias_relu,      wgrad,         row_sum,         softmax,      row_softmax,
    heads_softmax, long_softmax, medium_product, small_product, smaller_product, minimum,      small_relu,
    wide_conv,     late_conv,    double_product, sum_of_all,    residual,        two_products,
};
enum { ALL = sizeof all / sizeof *all };

/* ---- counts ---- */

static size_t count(struct compute g, enum sketch_target target, enum sketch_conditions conditions)
{
    struct sketches s = sketch_generate(&g, target, conditions);
    sketches_free(s);
    return s.count;
}

static size_t count_with(struct compute g, enum sketch_target target, enum sketch_conditions conditions, int rule)
{
    struct sketches s = sketch_generate(&g, target, conditions);
    size_t found = 0;
    for (size_t i = 0; i < s.count; i++)
        found += sketch_used(&s.sketch[i], rule);
    sketches_free(s);
    return found;
}

static void expect_histories(struct compute g, enum sketch_target target, enum sketch_conditions conditions, size_t n,
                             const char *const *history)
{
    struct sketches s = sketch_generate(&g, target, conditions);
    assert_int_equal(s.count, n);
    for (size_t i = 0; i < n; i++) {
        char *text = sketch_history(&s.sketch[i]);
        assert_string_equal(text, history[i]);
        free(text);
    }
    sketches_free(s);
}

/* The numbers that TVM's own tests/python/unittest/test_auto_scheduler_sketch_generation.py asserts. */
TEST(tvms_rules_give_the_counts_of_tvms_own_tests)
{
    static const struct {
        struct compute (*graph)(void);
        enum sketch_target target;
        size_t sketches;
    } cases[] = {
        { medium_product, SKETCH_CPU, 3 },  { small_product, SKETCH_CPU, 5 }, { double_product, SKETCH_CPU, 9 },
        { wide_conv, SKETCH_CPU, 3 },       { minimum, SKETCH_CPU, 3 },       { row_softmax, SKETCH_CPU, 9 },
        { heads_softmax, SKETCH_CPU, 9 },   { sum_of_all, SKETCH_CPU, 3 },    { medium_product, SKETCH_GPU, 1 },
        { smaller_product, SKETCH_GPU, 2 }, { wide_conv, SKETCH_GPU, 1 },     { double_product, SKETCH_GPU, 1 },
        { minimum, SKETCH_GPU, 2 },         { softmax, SKETCH_GPU, 4 },       { heads_softmax, SKETCH_GPU, 4 },
        { sum_of_all, SKETCH_GPU, 2 },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        assert_int_equal(count(cases[c].graph(), cases[c].target, SKETCH_TVM), cases[c].sketches);
    expect_histories(medium_product(), SKETCH_CPU, SKETCH_TVM, 3, (const char *[]){ "C 3", "C 5+4", "C 5+4" });
    expect_histories(wide_conv(), SKETCH_CPU, SKETCH_TVM, 3,
                     (const char *[]){ "relu 1, shifted 2, scaled 2, Y 4, padded 1",
                                       "relu 1, shifted 2, scaled 2, Y 4, padded 1",
                                       "relu 1, shifted 2, scaled 2, Y 3, padded 1" });
    expect_histories(wide_conv(), SKETCH_GPU, SKETCH_TVM, 1,
                     (const char *[]){ "relu 1, shifted 2, scaled 2, Y 4, padded 7+2, W 7" });
}

/* ---- conditions ---- */

static bool asks(struct compute g, enum sketch_target target, enum sketch_conditions conditions, int rule)
{
    struct sketch s = { .graph = &g, .target = target, .conditions = conditions };
    return sketch_ask(&s, rule, g.nodes - 1) != ANSWER_NO;
}

TEST(rfactor_fires_at_the_stated_limits)
{
    static const struct {
        int m, n, k;
        bool lecture, tvm;
    } products[] = {
        { 4096, 4096, 4096, false, false },
        { 512, 512, 32768, true, false },
        { 512, 12288, 4096, false, false },
        { 16, 4096, 4096, true, false },
        { 512, 512, 512, false, false },
        { 128, 107 * 128, 1025, true, false },
        { 128, 107 * 128 + 1, 1025, false, false }, /* 107 and 108 tiles */
        { 128, 107 * 128, 1024, false, false },
        { 8, 8, 64, false, true },
        { 8, 8, 63, false, false }, /* 64 outputs: no more than values, than 16 x 4 */
        { 5, 13, 100, false, false },
        { 8, 8, 2000, true, true },
    };
    for (size_t p = 0; p < sizeof products / sizeof *products; p++) {
        struct compute g = compute_matmul(products[p].m, products[p].n, products[p].k);
        for (int target = SKETCH_CPU; target <= SKETCH_GPU; target++)
            assert_int_equal(asks(g, target, SKETCH_LECTURE, RULE_RFACTOR), products[p].lecture);
        assert_int_equal(asks(g, SKETCH_CPU, SKETCH_TVM, RULE_RFACTOR), products[p].tvm);
        assert_false(asks(g, SKETCH_GPU, SKETCH_TVM, RULE_RFACTOR));
    }
    static const struct {
        int rows, columns;
        bool lecture, tvm;
    } sums[] = {
        { 16, 1000000, true, true }, { 107, 1025, true, true }, { 108, 1025, false, true },
        { 107, 1024, false, true },  { 4, 5, false, true },     { 4, 4, false, false },
    };
    for (size_t s = 0; s < sizeof sums / sizeof *sums; s++) {
        struct compute g = compute_row_sum(sums[s].rows, sums[s].columns);
        assert_int_equal(asks(g, SKETCH_GPU, SKETCH_LECTURE, RULE_RFACTOR), sums[s].lecture);
        assert_int_equal(asks(g, SKETCH_CPU, SKETCH_TVM, RULE_RFACTOR), sums[s].tvm);
    }
}

TEST(cross_thread_reduction_fires_at_the_stated_limits)
{
    static const struct {
        int m, n, k;
        bool fires;
    } products[] = {
        { 32, 32, 1025, true },
        { 32, 32, 1024, false },
        { 25, 41, 4096, false },
        { 512, 512, 32768, false },
    };
    for (int conditions = SKETCH_LECTURE; conditions <= SKETCH_TVM; conditions++) {
        for (size_t p = 0; p < sizeof products / sizeof *products; p++) {
            struct compute g = compute_matmul(products[p].m, products[p].n, products[p].k);
            assert_int_equal(asks(g, SKETCH_GPU, conditions, RULE_CROSS_THREAD), products[p].fires);
            assert_false(asks(g, SKETCH_CPU, conditions, RULE_CROSS_THREAD));
        }
        assert_true(asks(compute_row_sum(100000, 33), SKETCH_GPU, conditions, RULE_CROSS_THREAD));
        assert_false(asks(compute_row_sum(1, 32), SKETCH_GPU, conditions, RULE_CROSS_THREAD));
    }
}

TEST(tiling_needs_reuse_and_inlining_an_inner_element_wise_node)
{
    static const struct {
        struct compute (*graph)(void);
        bool tile, fuse, cache;
    } cases[] = {
        { square, true, false, true }, { wgrad, true, false, true },     { row_sum, false, false, false },
        { relu, false, false, false }, { softmax, false, false, false },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int t = 0; t < 4; t++) {
            struct compute g = cases[c].graph();
            assert_int_equal(asks(g, t & 1, t >> 1, RULE_TILE), cases[c].tile);
            assert_int_equal(asks(g, t & 1, t >> 1, RULE_FUSE), cases[c].fuse);
            assert_int_equal(asks(g, t & 1, t >> 1, RULE_CACHE_WRITE), cases[c].cache);
            assert_false(asks(g, t & 1, t >> 1, RULE_INLINE)); /* it is the output */
            assert_true(asks(g, t & 1, t >> 1, RULE_SKIP));
        }
    assert_int_equal(count_with(softmax(), SKETCH_CPU, SKETCH_LECTURE, RULE_INLINE), 0); /* exp is costly */
    assert_int_equal(count_with(softmax(), SKETCH_GPU, SKETCH_LECTURE, RULE_INLINE), 4);
}

TEST(a_consumer_is_fused_once_and_a_value_read_twice_is_not_cached)
{
    expect_histories(two_products(), SKETCH_GPU, SKETCH_LECTURE, 1, (const char *[]){ "R 1, F 4, D 7, C 5+3, B 7" });
    expect_histories(residual(), SKETCH_GPU, SKETCH_LECTURE, 1, (const char *[]){ "R 1, T 2, C 4, B 7, A 7" });
    expect_histories(residual(), SKETCH_CPU, SKETCH_LECTURE, 1, (const char *[]){ "R 1, T 1, C 4" });
}

TEST(the_parts_of_a_sum_are_not_passed_to_its_consumer)
{
    expect_histories(small_relu(), SKETCH_CPU, SKETCH_LECTURE, 2,
                     (const char *[]){ "relu 1, C 4", "relu 1, C 6+5+3" });
    expect_histories(small_relu(), SKETCH_GPU, SKETCH_LECTURE, 2,
                     (const char *[]){ "relu 1, C 4, B 7, A 7", "relu 1, C 6+5+3, B 7, A 7" });
}

/* ---- every sketch of every graph ---- */

/* By exactly one of the rules that always move on, or left in parts. */
static void derives_each_node_once(const struct sketch *s)
{
    for (int node = 0; node < s->graph->nodes; node++) {
        unsigned rules = s->stage[node].rules;
        int inlined_or_kept = 0;
        for (int rule = RULE_SKIP; rule <= RULE_FUSE; rule++)
            inlined_or_kept += sketch_applied(s, rule, node);
        bool left_in_parts = rules == 1u << RULE_RFACTOR || rules == 1u << RULE_CROSS_THREAD;
        assert_int_equal(inlined_or_kept, !left_in_parts);
    }
    assert_int_equal(s->next, -1);
}

TEST(every_sketch_derives_each_node_exactly_once)
{
    for (int i = 0; i < ALL * 4; i++) {
        struct compute g = all[i / 4]();
        struct sketches s = sketch_generate(&g, i & 1, i >> 1 & 1);
        assert_true(s.count > 0);
        for (size_t k = 0; k < s.count; k++)
            derives_each_node_once(&s.sketch[k]);
        sketches_free(s);
    }
}

/* ---- loop nests ---- */

static int occurrences(const char *text, const char *word)
{
    int n = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        n++;
    return n;
}

/* EXPECTED.md shows tiled nests, fused and split ones, and row sums; a sum of everything has no loop around it. */
TEST(a_sum_of_everything_reads_as_a_program)
{
    struct compute g = sum_of_all();
    struct sketches s = sketch_generate(&g, SKETCH_GPU, SKETCH_TVM);
    char *text = nest_text(&s.sketch[0]);
    assert_string_equal(text, "for thread in ?threads:                                 8 cross-thread reduction\n"
                              "  S_own[thread] = 0\n"
                              "  for k in thread, thread + ?threads, ... < 128:\n"
                              "    S_own[thread] += A[k]\n"
                              "S = 0\n"
                              "for thread in ?threads:\n"
                              "  S += S_own[thread]                                    8 cross-thread reduction\n");
    free(text);
    sketches_free(s);
}

TEST(a_fused_nest_stands_behind_all_that_its_consumer_needs)
{
    struct compute g = two_products(); /* R = C + F, fused with F: C must be there before */
    struct sketches s = sketch_generate(&g, SKETCH_GPU, SKETCH_LECTURE);
    char *text = nest_text(&s.sketch[0]);
    assert_true(strstr(text, "C[i,j] = C_local[i,j]") < strstr(text, "R[i,j] = C[i,j] + F_local[i,j]"));
    assert_int_equal(occurrences(text, "F_local[i,j] = 0"), 1);
    free(text);
    sketches_free(s);
}

/* As many loops as the structure says, three levels of S outside the sums on a GPU and two on a CPU. */
TEST(a_product_is_a_nest_of_ten_loops_on_a_cpu_and_thirteen_on_a_gpu)
{
    static const int loops[] = { [SKETCH_CPU] = 10, [SKETCH_GPU] = 13 };
    for (int target = SKETCH_CPU; target <= SKETCH_GPU; target++) {
        struct compute g = compute_matmul(4096, 4096, 4096);
        struct sketches s = sketch_generate(&g, target, SKETCH_LECTURE);
        char *text = nest_text(&s.sketch[0]), *sums = strstr(text, "C_local[i,j] = 0");
        assert_int_equal(2 * occurrences(text, "for i") + occurrences(text, "for k"), loops[target]);
        assert_int_equal(occurrences(text, "for i") - occurrences(sums, "for i"), target == SKETCH_GPU ? 3 : 2);
        assert_int_equal(occurrences(text, "_shared["), target == SKETCH_GPU ? 4 : 0);
        free(text);
        sketches_free(s);
    }
}

TESTS("sketch", NULL, NULL)

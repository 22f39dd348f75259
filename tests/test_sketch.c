/* test_sketch.c - the rules fire where the lecture and TVM's own tests say; every sketch derives every node. The
 * sketches of the lecture's own graphs stand in EXPECTED.md. */
#include "graphs.h"
#include "space/workload.h"
#include <stdlib.h>

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
    for_all_sketches(SKETCH_CPU, derives_each_node_once);
    for_all_sketches(SKETCH_GPU, derives_each_node_once);
}

TESTS("sketch", NULL, NULL)

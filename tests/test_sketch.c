/* test_sketch.c - the rules fire where the lecture and TVM's own tests say; every sketch is a whole program. */
#include "check.h"
#include "sketch.h"
#include "workload.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- the graphs ---- */

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
static struct compute minimum(void) { return compute_row_sum(10, 1024); }       /* a sum: to the rules the same */

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

static struct compute small_relu(void)      /* 4 tiles, 4096 values each: rule 6 applies, and there is a consumer */
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
    compute_add(&g, (struct compute_node){ .name = "E", .spatial = 2, .axes = 3, .axis = { i, j, k },
                                           .body = "$0 * $1", .reads = 2,
                                           .read = { { 2, { 1, 4 } }, { third, { 4, 2 } } } });
    return g;
}

static struct compute sum_of_all(void)      /* a node without spatial axes */
{
    struct compute_axis k = { "k", 128 };
    struct compute g = { 0 };
    compute_add(&g, (struct compute_node){ .name = "A", .spatial = 1, .axes = 1, .axis = { k } });
    compute_add(&g, (struct compute_node){ .name = "S", .spatial = 0, .axes = 1, .axis = { k }, .body = "$0",
                                           .reads = 1, .read = { { 0, { 1 } } } });
    return g;
}

/* R = C + exp(X): the consumer of the product needs another node, too costly to inline on a CPU. */
static struct compute residual(void)
{
    struct compute_axis i = { "i", 256 }, j = { "j", 256 };
    struct compute g = compute_matmul(256, 256, 64);
    int x = compute_add(&g, (struct compute_node){ .name = "X", .spatial = 2, .axes = 2, .axis = { i, j } });
    int e = compute_add(&g, (struct compute_node){ .name = "T", .spatial = 2, .axes = 2, .axis = { i, j },
                                                   .body = "exp($0)", .costly = true, .reads = 1,
                                                   .read = { { x, { 1, 2 } } } });
    compute_add(&g, (struct compute_node){ .name = "R", .spatial = 2, .axes = 2, .axis = { i, j }, .body = "$0 + $1",
                                           .reads = 2, .read = { { 2, { 1, 2 } }, { e, { 1, 2 } } } });
    return g;
}

/* R = A B + A D: two products, of which one can be fused with the sum; and A has two readers. */
static struct compute two_products(void)
{
    struct compute_axis i = { "i", 256 }, j = { "j", 256 }, k = { "k", 64 };
    struct compute g = compute_matmul(256, 256, 64);
    int d = compute_add(&g, (struct compute_node){ .name = "D", .spatial = 2, .axes = 2, .axis = { k, j } });
    int f = compute_add(&g, (struct compute_node){ .name = "F", .spatial = 2, .axes = 3, .axis = { i, j, k },
                                                   .body = "$0 * $1", .reads = 2,
                                                   .read = { { 0, { 1, 4 } }, { d, { 4, 2 } } } });
    compute_add(&g, (struct compute_node){ .name = "R", .spatial = 2, .axes = 2, .axis = { i, j }, .body = "$0 + $1",
                                           .reads = 2, .read = { { 2, { 1, 2 } }, { f, { 1, 2 } } } });
    return g;
}

static struct compute (*const all[])(void) = {
    square, relu, bias_relu, wgrad, row_sum, softmax, row_softmax, heads_softmax, long_softmax, medium_product,
    small_product, smaller_product, minimum, small_relu, wide_conv, late_conv, double_product, sum_of_all, residual,
    two_products,
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

static void the_lectures_three_products_give_1_1_and_2_sketches(void **state)
{
    (void)state;
    expect_histories(square(), SKETCH_CPU, SKETCH_LECTURE, 1, (const char *[]){ "C 5+3" });
    expect_histories(relu(), SKETCH_CPU, SKETCH_LECTURE, 1, (const char *[]){ "relu 1, C 4" });
    expect_histories(wgrad(), SKETCH_CPU, SKETCH_LECTURE, 2, (const char *[]){ "dW 5+3", "dW 6+5+3" });
    expect_histories(square(), SKETCH_GPU, SKETCH_LECTURE, 1, (const char *[]){ "C 5+3, B 7, A 7" });
    expect_histories(relu(), SKETCH_GPU, SKETCH_LECTURE, 1, (const char *[]){ "relu 1, C 4, B 7, A 7" });
    expect_histories(wgrad(), SKETCH_GPU, SKETCH_LECTURE, 2,
                     (const char *[]){ "dW 5+3, dY 7, X 7", "dW 6+5+3, dY 7, X 7" });
}

static void exercise_6a_relu_of_product_plus_bias_has_one_sketch_without_rfactor(void **state)
{
    (void)state;
    expect_histories(bias_relu(), SKETCH_CPU, SKETCH_LECTURE, 1, (const char *[]){ "relu 1, biased 2, C 4" });
    for (int conditions = SKETCH_LECTURE; conditions <= SKETCH_TVM; conditions++)
        expect_histories(bias_relu(), SKETCH_GPU, conditions, 1,
                         (const char *[]){ "relu 1, biased 2, C 4, B 7, A 7" });
}

static void exercise_6b_row_sum_is_not_tiled_and_gets_rfactor(void **state)
{
    (void)state;
    expect_histories(row_sum(), SKETCH_CPU, SKETCH_LECTURE, 2, (const char *[]){ "S 1", "S 6+1" });
    expect_histories(row_sum(), SKETCH_GPU, SKETCH_LECTURE, 3, (const char *[]){ "S 8", "S 1", "S 6+1" });
    expect_histories(row_sum(), SKETCH_CPU, SKETCH_TVM, 3, (const char *[]){ "S 6a", "S 6b", "S 1" });
    expect_histories(row_sum(), SKETCH_GPU, SKETCH_TVM, 2, (const char *[]){ "S 8", "S 1" });
    for (int rule = RULE_TILE; rule <= RULE_CACHE_WRITE; rule++)
        assert_int_equal(count_with(row_sum(), SKETCH_GPU, SKETCH_LECTURE, rule), 0);
}

/* The numbers that TVM's own tests/python/unittest/test_auto_scheduler_sketch_generation.py asserts. */
static void tvms_rules_give_the_counts_of_tvms_own_tests(void **state)
{
    (void)state;
    static const struct { struct compute (*graph)(void); enum sketch_target target; size_t sketches; } cases[] = {
        { medium_product, SKETCH_CPU, 3 }, { small_product, SKETCH_CPU, 5 },  { double_product, SKETCH_CPU, 9 },
        { wide_conv, SKETCH_CPU, 3 },      { minimum, SKETCH_CPU, 3 },        { row_softmax, SKETCH_CPU, 9 },
        { heads_softmax, SKETCH_CPU, 9 },  { sum_of_all, SKETCH_CPU, 3 },     { medium_product, SKETCH_GPU, 1 },
        { smaller_product, SKETCH_GPU, 2 }, { wide_conv, SKETCH_GPU, 1 },     { double_product, SKETCH_GPU, 1 },
        { minimum, SKETCH_GPU, 2 },        { softmax, SKETCH_GPU, 4 },        { heads_softmax, SKETCH_GPU, 4 },
        { sum_of_all, SKETCH_GPU, 2 },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        assert_int_equal(count(cases[c].graph(), cases[c].target, SKETCH_TVM), cases[c].sketches);
    expect_histories(medium_product(), SKETCH_CPU, SKETCH_TVM, 3, (const char *[]){ "C 3", "C 5+4a", "C 5+4b" });
    expect_histories(wide_conv(), SKETCH_CPU, SKETCH_TVM, 3,
                     (const char *[]){ "relu 1, shifted 2, scaled 2, Y 4a, padded 1",
                                       "relu 1, shifted 2, scaled 2, Y 4b, padded 1",
                                       "relu 1, shifted 2, scaled 2, Y 3, padded 1" });
    expect_histories(wide_conv(), SKETCH_GPU, SKETCH_TVM, 1,
                     (const char *[]){ "relu 1, shifted 2, scaled 2, Y 4, padded 7+2, W 7" });
}

static void wgrad_gets_rfactor_from_the_lecture_and_not_from_tvm(void **state)
{
    (void)state;
    assert_int_equal(count(wgrad(), SKETCH_GPU, SKETCH_TVM), 1);
    for (int target = SKETCH_CPU; target <= SKETCH_GPU; target++) {
        assert_int_equal(count_with(wgrad(), target, SKETCH_LECTURE, RULE_RFACTOR), 1);
        assert_int_equal(count_with(wgrad(), target, SKETCH_TVM, RULE_RFACTOR), 0);
        assert_int_equal(count_with(wgrad(), target, SKETCH_TVM, RULE_CROSS_THREAD), 0);
    }
}

/* ---- conditions ---- */

static bool asks(struct compute g, enum sketch_target target, enum sketch_conditions conditions, int rule)
{
    struct sketch s = { .graph = &g, .target = target, .conditions = conditions };
    return sketch_rule(rule)->ask(&s, g.nodes - 1) != ANSWER_NO;
}

static void rfactor_fires_at_the_stated_limits(void **state)
{
    (void)state;
    static const struct { int m, n, k; bool lecture, tvm; } products[] = {
        { 4096, 4096, 4096, false, false }, { 512, 512, 32768, true, false }, { 512, 12288, 4096, false, false },
        { 16, 4096, 4096, true, false },    { 512, 512, 512, false, false },
        { 128, 107 * 128, 1025, true, false }, { 128, 107 * 128 + 1, 1025, false, false },  /* 107 and 108 tiles */
        { 128, 107 * 128, 1024, false, false },
        { 8, 8, 64, false, true }, { 8, 8, 63, false, false },      /* 64 outputs: no more than values, than 16 x 4 */
        { 5, 13, 100, false, false }, { 8, 8, 2000, true, true },
    };
    for (size_t p = 0; p < sizeof products / sizeof *products; p++) {
        struct compute g = compute_matmul(products[p].m, products[p].n, products[p].k);
        for (int target = SKETCH_CPU; target <= SKETCH_GPU; target++)
            assert_int_equal(asks(g, target, SKETCH_LECTURE, RULE_RFACTOR), products[p].lecture);
        assert_int_equal(asks(g, SKETCH_CPU, SKETCH_TVM, RULE_RFACTOR), products[p].tvm);
        assert_false(asks(g, SKETCH_GPU, SKETCH_TVM, RULE_RFACTOR));
    }
    static const struct { int rows, columns; bool lecture, tvm; } sums[] = {
        { 16, 1000000, true, true }, { 107, 1025, true, true }, { 108, 1025, false, true },
        { 107, 1024, false, true },  { 4, 5, false, true },     { 4, 4, false, false },
    };
    for (size_t s = 0; s < sizeof sums / sizeof *sums; s++) {
        struct compute g = compute_row_sum(sums[s].rows, sums[s].columns);
        assert_int_equal(asks(g, SKETCH_GPU, SKETCH_LECTURE, RULE_RFACTOR), sums[s].lecture);
        assert_int_equal(asks(g, SKETCH_CPU, SKETCH_TVM, RULE_RFACTOR), sums[s].tvm);
    }
}

static void cross_thread_reduction_fires_at_the_stated_limits(void **state)
{
    (void)state;
    static const struct { int m, n, k; bool fires; } products[] = {
        { 32, 32, 1025, true }, { 32, 32, 1024, false }, { 25, 41, 4096, false }, { 512, 512, 32768, false },
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

static void no_shape_of_the_lecture_hangs_on_what_long_means(void **state)
{
    (void)state;
    struct workload shape[WORKLOAD_FIVE + WORKLOAD_NETWORK];
    int few = 0, longer = 0;
    memcpy(shape, workload_five, sizeof workload_five);
    for (int t = 0; t < WORKLOAD_NETWORK; t++)
        shape[WORKLOAD_FIVE + t] = workload_network[t].workload;
    for (int i = 0; i < WORKLOAD_FIVE + WORKLOAD_NETWORK; i++) {
        struct compute g = compute_matmul(shape[i].m, shape[i].n, shape[i].k);
        if (compute_tiles(&g, 2, SKETCH_TILE) >= SKETCH_SMS)
            continue;
        assert_true(shape[i].k <= 512 || shape[i].k >= 4096);
        few++;
        longer += shape[i].k > SKETCH_LONG;
    }
    assert_true(few > longer && longer > 0);
}

static void tiling_needs_reuse_and_inlining_an_inner_element_wise_node(void **state)
{
    (void)state;
    static const struct { struct compute (*graph)(void); bool tile, fuse, cache; } cases[] = {
        { square, true, false, true }, { wgrad, true, false, true }, { row_sum, false, false, false },
        { relu, false, false, false }, { softmax, false, false, false },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int t = 0; t < 4; t++) {
            struct compute g = cases[c].graph();
            assert_int_equal(asks(g, t & 1, t >> 1, RULE_TILE), cases[c].tile);
            assert_int_equal(asks(g, t & 1, t >> 1, RULE_FUSE), cases[c].fuse);
            assert_int_equal(asks(g, t & 1, t >> 1, RULE_CACHE_WRITE), cases[c].cache);
            assert_false(asks(g, t & 1, t >> 1, RULE_INLINE));      /* it is the output */
            assert_true(asks(g, t & 1, t >> 1, RULE_SKIP));
        }
    assert_int_equal(count_with(softmax(), SKETCH_CPU, SKETCH_LECTURE, RULE_INLINE), 0);        /* exp is costly */
    assert_int_equal(count_with(softmax(), SKETCH_GPU, SKETCH_LECTURE, RULE_INLINE), 4);
}

static void a_consumer_is_fused_once_and_a_value_read_twice_is_not_cached(void **state)
{
    (void)state;
    expect_histories(two_products(), SKETCH_GPU, SKETCH_LECTURE, 1,
                     (const char *[]){ "R 1, F 4, D 7, C 5+3, B 7" });
    expect_histories(residual(), SKETCH_GPU, SKETCH_LECTURE, 1, (const char *[]){ "R 1, T 2, C 4, B 7, A 7" });
    expect_histories(residual(), SKETCH_CPU, SKETCH_LECTURE, 1, (const char *[]){ "R 1, T 1, C 4" });
}

static void the_parts_of_a_sum_are_not_passed_to_its_consumer(void **state)
{
    (void)state;
    expect_histories(small_relu(), SKETCH_CPU, SKETCH_LECTURE, 2,
                     (const char *[]){ "relu 1, C 4", "relu 1, C 6+5+3" });
    expect_histories(small_relu(), SKETCH_GPU, SKETCH_LECTURE, 2,
                     (const char *[]){ "relu 1, C 4, B 7, A 7", "relu 1, C 6+5+3, B 7, A 7" });
}

static void the_table_holds_each_rule_once(void **state)
{
    (void)state;
    for (int number = RULE_SKIP; number <= SKETCH_RULES; number++) {
        int found = 0;
        for (int r = 0; r < SKETCH_RULES; r++)
            found += sketch_rules[r].number == number;
        assert_int_equal(found, 1);
        assert_int_equal(sketch_rule(number)->number, number);
    }
    assert_int_equal(sketch_rules[SKETCH_RULES - 1].number, RULE_SKIP);
}

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

static void derives_each_node_once(const struct sketch *s)
{
    int next = s->graph->nodes - 1, i = 0;
    while (i < s->steps) {
        unsigned rules = 0;
        int inlined_or_kept = 0;
        assert_int_equal(s->step[i].node, next);
        for (; i < s->steps && s->step[i].node == next; i++) {
            assert_false(rules & 1u << s->step[i].rule);        /* no rule twice */
            rules |= 1u << s->step[i].rule;
            inlined_or_kept += s->step[i].rule <= RULE_FUSE;    /* the rules that always move on */
        }
        bool left_in_parts = rules == 1u << RULE_RFACTOR || rules == 1u << RULE_CROSS_THREAD;
        assert_true(inlined_or_kept == 1 || (inlined_or_kept == 0 && left_in_parts));
        next--;
    }
    assert_int_equal(next, -1);
}

static void every_sketch_derives_each_node_exactly_once(void **state)
{
    (void)state;
    for_all_sketches(derives_each_node_once);
}

static int occurrences(const char *text, const char *word)
{
    int n = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        n++;
    return n;
}

/* Each tiled nest shows the structure's letters, one loop an axis and letter, and one equation an axis. */
static void shows_its_loops_and_holes(const struct sketch *s)
{
    char *text = sketch_text(s), word[64];
    const char *structure = sketch_structure(s->target);
    int tiled = 0, split = 0;
    for (int node = 0; node < s->graph->nodes; node++) {
        const struct compute_node *n = &s->graph->node[node];
        tiled += s->stage[node].tiled;
        split += s->stage[node].rfactor != PARTS_NONE;
        if (compute_is_input(s->graph, node))
            continue;
        for (int a = 0; a < n->axes; a++) {
            int levels = 0;
            for (const char *c = structure; *c && s->stage[node].tiled; c++)
                if ((*c == 'S') == (a < n->spatial)) {
                    snprintf(word, sizeof word, "?%s%d", n->axis[a].name, levels++);
                    assert_true(occurrences(text, word) >= 2);      /* in its loop, and in the equation */
                }
            snprintf(word, sizeof word, s->stage[node].tiled ? " = %d\n" : "%d", n->axis[a].extent);
            assert_true(s->stage[node].inlined || strstr(text, word));
        }
        snprintf(word, sizeof word, "%s", n->name);
        assert_true(s->stage[node].inlined || strstr(text, word));
    }
    int bound = occurrences(text, "S blockIdx") + occurrences(text, "S vthread") + occurrences(text, "S threadIdx");
    assert_int_equal(bound, s->target == SKETCH_GPU ? 3 * tiled : 0);
    assert_int_equal(occurrences(text, "  S\n") + bound, tiled * (s->target == SKETCH_CPU ? 4 : 5));
    assert_int_equal(occurrences(text, "  R\n"), tiled * (s->target == SKETCH_CPU ? 2 : 3));
    assert_int_equal(split > 0, strstr(text, "?split") != NULL);
    assert_null(strstr(text, "(null)"));
    free(text);
}

static void every_sketch_shows_all_loops_and_holes(void **state)
{
    (void)state;
    for_all_sketches(shows_its_loops_and_holes);
}

static void sketches_of_one_graph_all_differ(void **state)
{
    (void)state;
    for (int g = 0; g < ALL; g++)
        for (int t = 0; t < 4; t++) {
            struct compute graph = all[g]();
            struct sketches s = sketch_generate(&graph, t & 1, t >> 1);
            for (size_t i = 0; i < s.count; i++)
                for (size_t j = 0; j < i; j++) {
                    char *one = sketch_text(&s.sketch[i]), *other = sketch_text(&s.sketch[j]);
                    assert_string_not_equal(one, other);
                    free(one);
                    free(other);
                }
            sketches_free(s);
        }
}

/* ---- loops, text, knobs ---- */

static void a_products_3_loops_become_10_on_a_cpu_and_13_on_a_gpu(void **state)
{
    (void)state;
    assert_string_equal(sketch_structure(SKETCH_CPU), "SSRSRS");
    assert_string_equal(sketch_structure(SKETCH_GPU), "SSSRRSRS");
    struct compute g = wgrad(), r = bias_relu(), c = late_conv(), sum = row_sum();
    struct sketches cpu = sketch_generate(&g, SKETCH_CPU, SKETCH_LECTURE);
    struct sketches gpu = sketch_generate(&g, SKETCH_GPU, SKETCH_LECTURE);
    assert_int_equal(sketch_loops(&cpu.sketch[0], 2), 10);
    assert_int_equal(sketch_loops(&cpu.sketch[1], 2), 11);      /* and the one over the parts */
    assert_int_equal(sketch_loops(&gpu.sketch[0], 2), 13);
    assert_int_equal(sketch_loops(&gpu.sketch[0], 0), 0);
    sketches_free(cpu);
    sketches_free(gpu);
    struct sketches fused = sketch_generate(&r, SKETCH_CPU, SKETCH_LECTURE);
    assert_int_equal(sketch_loops(&fused.sketch[0], 2), 10);
    assert_int_equal(sketch_loops(&fused.sketch[0], 4), 0);     /* the bias is inlined */
    sketches_free(fused);
    struct sketches conv = sketch_generate(&c, SKETCH_CPU, SKETCH_LECTURE);
    assert_int_equal(sketch_loops(&conv.sketch[0], 3), 4 * 4 + 2 * 3);
    sketches_free(conv);
    struct sketches rows = sketch_generate(&sum, SKETCH_CPU, SKETCH_LECTURE);
    assert_int_equal(sketch_loops(&rows.sketch[0], 1), 2);
    assert_int_equal(sketch_loops(&rows.sketch[1], 1), 3);
    sketches_free(rows);
}

static void expect_text(struct compute g, enum sketch_target target, enum sketch_conditions conditions, size_t which,
                        const char *want)
{
    struct sketches s = sketch_generate(&g, target, conditions);
    assert_true(which < s.count);
    char *text = sketch_text(&s.sketch[which]);
    assert_string_equal(text, want);
    free(text);
    sketches_free(s);
}

static void tiled_nests_read_as_programs(void **state)
{
    (void)state;
    expect_text(bias_relu(), SKETCH_CPU, SKETCH_LECTURE, 0,
                "for i0, j0 in ?i0, ?j0:                                 S\n"
                "  for i1, j1 in ?i1, ?j1:                               S\n"
                "    C_local[i,j] = 0\n"
                "    for k0 in ?k0:                                      R\n"
                "      for i2, j2 in ?i2, ?j2:                           S\n"
                "        for k1 in ?k1:                                  R\n"
                "          for i3, j3 in ?i3, ?j3:                       S\n"
                "            C_local[i,j] += A[i,k] * B[k,j]\n"
                "    relu[i,j] = max(C_local[i,j] + bias[j], 0)          4 tiling with fusion\n"
                "where ?i0 * ?i1 * ?i2 * ?i3 = 4096\n"
                "where ?j0 * ?j1 * ?j2 * ?j3 = 4096\n"
                "where ?k0 * ?k1 = 4096\n");
    expect_text(wgrad(), SKETCH_GPU, SKETCH_LECTURE, 1,
                "for part in ?split:                                     6 rfactor, blockIdx\n"
                "  for i0, j0 in ?i0, ?j0:                               S blockIdx\n"
                "    for i1, j1 in ?i1, ?j1:                             S vthread\n"
                "      for i2, j2 in ?i2, ?j2:                           S threadIdx\n"
                "        dW_local[i,j] = 0\n"
                "        for k0 in ?k0:                                  R\n"
                "          X_shared[k,i] = X[k,i]                        7 cache read, ?stages deep\n"
                "          dY_shared[k,j] = dY[k,j]                      7 cache read, ?stages deep\n"
                "          for k1 in ?k1:                                R\n"
                "            for i3, j3 in ?i3, ?j3:                     S\n"
                "              for k2 in ?k2:                            R\n"
                "                for i4, j4 in ?i4, ?j4:                 S\n"
                "                  dW_local[i,j] += X_shared[k,i] * dY_shared[k,j]\n"
                "        dW_part[part,i,j] = dW_local[i,j]               5 cache write\n"
                "where ?i0 * ?i1 * ?i2 * ?i3 * ?i4 = 512\n"
                "where ?j0 * ?j1 * ?j2 * ?j3 * ?j4 = 512\n"
                "where ?split * ?k0 * ?k1 * ?k2 = 32768\n"
                "for i, j in 512 x 512:                                  a second kernel\n"
                "  dW[i,j] = 0\n"
                "  for part in ?split:\n"
                "    dW[i,j] += dW_part[part,i,j]                        6 rfactor\n");
}

static void untiled_reductions_read_as_programs(void **state)
{
    (void)state;
    expect_text(row_sum(), SKETCH_GPU, SKETCH_TVM, 0,
                "for i in 16:                                            blockIdx\n"
                "  for thread in ?threads:                               8 cross-thread reduction\n"
                "    S_own[thread,i] = 0\n"
                "    for k in thread, thread + ?threads, ... < 1000000:\n"
                "      S_own[thread,i] += A[i,k]\n"
                "  S[i] = 0\n"
                "  for thread in ?threads:\n"
                "    S[i] += S_own[thread,i]                             8 cross-thread reduction\n");
    expect_text(sum_of_all(), SKETCH_CPU, SKETCH_TVM, 0,
                "for part in ?split:                                     6 rfactor\n"
                "  S_part[part] = 0\n"
                "  for k in the part's 128/?split neighbours:\n"
                "    S_part[part] += A[k]\n"
                "S = 0\n"
                "for part in ?split:\n"
                "  S += S_part[part]                                     6 rfactor\n");
}

static void a_fused_nest_stands_behind_all_that_its_consumer_needs(void **state)
{
    (void)state;
    struct compute g = residual();
    struct sketches s = sketch_generate(&g, SKETCH_CPU, SKETCH_LECTURE);
    char *text = sketch_text(&s.sketch[0]);
    assert_true(strstr(text, "T[i,j] = exp(X[i,j])") < strstr(text, "R[i,j] = C_local[i,j] + T[i,j]"));
    assert_int_equal(occurrences(text, "C_local[i,j] = 0"), 1);
    free(text);
    sketches_free(s);
}

static void notes_are_translated_and_code_is_not(void **state)
{
    (void)state;
    struct compute g = wgrad();
    struct sketches s = sketch_generate(&g, SKETCH_GPU, SKETCH_LECTURE);
    text_set_lang(LANG_ZH);
    char *chinese = sketch_text(&s.sketch[1]);
    text_set_lang(LANG_EN);
    char *english = sketch_text(&s.sketch[1]);
    assert_non_null(strstr(chinese, "7 缓存读，?stages 级"));
    assert_non_null(strstr(chinese, "第二个内核"));
    for (const char *c = chinese, *e = english; *c && *e; c = strchr(c, '\n') + 1, e = strchr(e, '\n') + 1)
        assert_memory_equal(c, e, strcspn(e, "\n") < 56 ? strcspn(e, "\n") : 56);
    free(chinese);
    free(english);
    sketches_free(s);
}

static void only_a_split_reduction_leaves_split_k_open(void **state)
{
    (void)state;
    static const int parts[] = { 2, 4, 8, 16, 32 };
    struct compute g = wgrad();
    struct sketches s = sketch_generate(&g, SKETCH_GPU, SKETCH_LECTURE);
    const int *values;
    assert_int_equal(s.count, 2);
    assert_int_equal(sketch_split_k(&s.sketch[0], &values), 1);
    assert_int_equal(values[0], 1);
    assert_int_equal(sketch_split_k(&s.sketch[1], &values), 5);
    assert_memory_equal(values, parts, sizeof parts);
    sketches_free(s);
    struct compute c = smaller_product();       /* threads that share a reduction are no split-K */
    s = sketch_generate(&c, SKETCH_GPU, SKETCH_TVM);
    for (size_t i = 0; i < s.count; i++)
        assert_int_equal(sketch_split_k(&s.sketch[i], &values), 1);
    sketches_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lectures_three_products_give_1_1_and_2_sketches),
        cmocka_unit_test(exercise_6a_relu_of_product_plus_bias_has_one_sketch_without_rfactor),
        cmocka_unit_test(exercise_6b_row_sum_is_not_tiled_and_gets_rfactor),
        cmocka_unit_test(tvms_rules_give_the_counts_of_tvms_own_tests),
        cmocka_unit_test(wgrad_gets_rfactor_from_the_lecture_and_not_from_tvm),
        cmocka_unit_test(rfactor_fires_at_the_stated_limits),
        cmocka_unit_test(cross_thread_reduction_fires_at_the_stated_limits),
        cmocka_unit_test(no_shape_of_the_lecture_hangs_on_what_long_means),
        cmocka_unit_test(tiling_needs_reuse_and_inlining_an_inner_element_wise_node),
        cmocka_unit_test(a_consumer_is_fused_once_and_a_value_read_twice_is_not_cached),
        cmocka_unit_test(the_parts_of_a_sum_are_not_passed_to_its_consumer),
        cmocka_unit_test(the_table_holds_each_rule_once),
        cmocka_unit_test(every_sketch_derives_each_node_exactly_once),
        cmocka_unit_test(every_sketch_shows_all_loops_and_holes),
        cmocka_unit_test(sketches_of_one_graph_all_differ),
        cmocka_unit_test(a_products_3_loops_become_10_on_a_cpu_and_13_on_a_gpu),
        cmocka_unit_test(tiled_nests_read_as_programs),
        cmocka_unit_test(untiled_reductions_read_as_programs),
        cmocka_unit_test(a_fused_nest_stands_behind_all_that_its_consumer_needs),
        cmocka_unit_test(notes_are_translated_and_code_is_not),
        cmocka_unit_test(only_a_split_reduction_leaves_split_k_open),
    };
    return cmocka_run_group_tests_name("sketch", tests, NULL, NULL);
}

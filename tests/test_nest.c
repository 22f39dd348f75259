/* test_nest.c - every sketch reads as a whole program: all loops, all holes, every remark. */
#include "graphs.h"
#include "space/sketch.h"
#include <stdio.h>
#include <stdlib.h>

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
    char *text = nest_text(s), word[64];
    int tiled = 0, split = 0;
    for (int node = 0; node < s->graph->nodes; node++) {
        const struct compute_node *n = &s->graph->node[node];
        tiled += sketch_tiled(s, node);
        split += sketch_applied(s, RULE_RFACTOR, node);
        if (compute_is_input(s->graph, node))
            continue;
        for (int a = 0; a < n->axes; a++) {
            int levels = 0;
            for (const char *c = NEST_LEVELS; *c && sketch_tiled(s, node); c++)
                if ((*c == 'S') == (a < n->spatial)) {
                    snprintf(word, sizeof word, "?%s%d", n->axis[a].name, levels++);
                    assert_true(occurrences(text, word) >= 2); /* in its loop, and in the equation */
                }
            snprintf(word, sizeof word, sketch_tiled(s, node) ? " = %d\n" : "%d", n->axis[a].extent);
            assert_true(sketch_applied(s, RULE_INLINE, node) || strstr(text, word));
        }
        snprintf(word, sizeof word, "%s", n->name);
        assert_true(sketch_applied(s, RULE_INLINE, node) || strstr(text, word));
    }
    int bound = occurrences(text, "S blockIdx") + occurrences(text, "S vthread") + occurrences(text, "S threadIdx");
    assert_int_equal(bound, 3 * tiled);
    assert_int_equal(occurrences(text, "  S\n"), 2 * tiled);
    assert_int_equal(occurrences(text, "  R\n"), 3 * tiled);
    assert_int_equal(split > 0, strstr(text, "?split") != NULL);
    assert_null(strstr(text, "(null)"));
    free(text);
}

TEST(every_sketch_shows_all_loops_and_holes)
{
    for_all_sketches(SKETCH_GPU, shows_its_loops_and_holes);
}

TEST(sketches_of_one_graph_all_differ)
{
    for (int g = 0; g < ALL; g++)
        for (int conditions = SKETCH_LECTURE; conditions <= SKETCH_TVM; conditions++) {
            struct compute graph = all[g]();
            struct sketches s = sketch_generate(&graph, SKETCH_GPU, conditions);
            for (size_t i = 0; i < s.count; i++)
                for (size_t j = 0; j < i; j++) {
                    char *one = nest_text(&s.sketch[i]), *other = nest_text(&s.sketch[j]);
                    assert_string_not_equal(one, other);
                    free(one);
                    free(other);
                }
            sketches_free(s);
        }
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

TEST(remarks_are_translated_and_code_is_not)
{
    struct compute g = wgrad();
    struct sketches s = sketch_generate(&g, SKETCH_GPU, SKETCH_LECTURE);
    text_set_lang(LANG_ZH);
    char *chinese = nest_text(&s.sketch[1]);
    text_set_lang(LANG_EN);
    char *english = nest_text(&s.sketch[1]);
    assert_non_null(strstr(chinese, "7 缓存读，?stages 级"));
    assert_non_null(strstr(chinese, "第二个内核"));
    for (const char *c = chinese, *e = english; *c && *e; c = strchr(c, '\n') + 1, e = strchr(e, '\n') + 1)
        assert_memory_equal(c, e, strcspn(e, "\n") < 56 ? strcspn(e, "\n") : 56);
    free(chinese);
    free(english);
    sketches_free(s);
}

TESTS("nest", NULL, NULL)

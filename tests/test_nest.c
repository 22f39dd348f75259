/* test_nest.c - every sketch reads as a whole program: all loops, all holes, every remark. */
#include "graphs.h"
#include "space/nest.h"
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
        tiled += s->stage[node].tiled;
        split += s->stage[node].rfactor;
        if (compute_is_input(s->graph, node))
            continue;
        for (int a = 0; a < n->axes; a++) {
            int levels = 0;
            for (const char *c = NEST_LEVELS; *c && s->stage[node].tiled; c++)
                if ((*c == 'S') == (a < n->spatial)) {
                    snprintf(word, sizeof word, "?%s%d", n->axis[a].name, levels++);
                    assert_true(occurrences(text, word) >= 2); /* in its loop, and in the equation */
                }
            snprintf(word, sizeof word, s->stage[node].tiled ? " = %d\n" : "%d", n->axis[a].extent);
            assert_true(s->stage[node].inlined || strstr(text, word));
        }
        snprintf(word, sizeof word, "%s", n->name);
        assert_true(s->stage[node].inlined || strstr(text, word));
    }
    int bound = occurrences(text, "S blockIdx") + occurrences(text, "S vthread") + occurrences(text, "S threadIdx");
    assert_int_equal(bound, 3 * tiled);
    assert_int_equal(occurrences(text, "  S\n"), 2 * tiled);
    assert_int_equal(occurrences(text, "  R\n"), 3 * tiled);
    assert_int_equal(split > 0, strstr(text, "?split") != NULL);
    assert_null(strstr(text, "(null)"));
    free(text);
}

static void every_sketch_shows_all_loops_and_holes(void **state)
{
    (void)state;
    for_all_sketches(SKETCH_GPU, shows_its_loops_and_holes);
}

static void sketches_of_one_graph_all_differ(void **state)
{
    (void)state;
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
static void a_sum_of_everything_reads_as_a_program(void **state)
{
    (void)state;
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

static void a_fused_nest_stands_behind_all_that_its_consumer_needs(void **state)
{
    (void)state;
    struct compute g = two_products(); /* R = C + F, fused with F: C must be there before */
    struct sketches s = sketch_generate(&g, SKETCH_GPU, SKETCH_LECTURE);
    char *text = nest_text(&s.sketch[0]);
    assert_true(strstr(text, "C[i,j] = C_local[i,j]") < strstr(text, "R[i,j] = C[i,j] + F_local[i,j]"));
    assert_int_equal(occurrences(text, "F_local[i,j] = 0"), 1);
    free(text);
    sketches_free(s);
}

static void remarks_are_translated_and_code_is_not(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sketch_shows_all_loops_and_holes),
        cmocka_unit_test(sketches_of_one_graph_all_differ),
        cmocka_unit_test(a_sum_of_everything_reads_as_a_program),
        cmocka_unit_test(a_fused_nest_stands_behind_all_that_its_consumer_needs),
        cmocka_unit_test(remarks_are_translated_and_code_is_not),
    };
    return cmocka_run_group_tests_name("nest", tests, NULL, NULL);
}

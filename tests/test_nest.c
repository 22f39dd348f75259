/* test_nest.c - every sketch reads as a whole program: all loops, all holes, every note. */
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
                    assert_true(occurrences(text, word) >= 2); /* in its loop, and in the equation */
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
                    char *one = nest_text(&s.sketch[i]), *other = nest_text(&s.sketch[j]);
                    assert_string_not_equal(one, other);
                    free(one);
                    free(other);
                }
            sketches_free(s);
        }
}

static void expect_text(struct compute g, enum sketch_target target, enum sketch_conditions conditions, size_t which,
                        const char *want)
{
    struct sketches s = sketch_generate(&g, target, conditions);
    assert_true(which < s.count);
    char *text = nest_text(&s.sketch[which]);
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
    char *text = nest_text(&s.sketch[0]);
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
        cmocka_unit_test(tiled_nests_read_as_programs),
        cmocka_unit_test(untiled_reductions_read_as_programs),
        cmocka_unit_test(a_fused_nest_stands_behind_all_that_its_consumer_needs),
        cmocka_unit_test(notes_are_translated_and_code_is_not),
    };
    return cmocka_run_group_tests_name("nest", tests, NULL, NULL);
}

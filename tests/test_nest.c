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

TESTS("nest", NULL, NULL)

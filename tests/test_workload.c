/* test_workload.c - costs of a matrix product against sums written out, shapes as text, and the lists of shapes. */
#include "check.h"
#include "base/rng.h"
#include "space/matmul.h"
#include "space/workload.h"
#include <stdlib.h>

static struct workload shaped(int m, int n, int k) { return (struct workload){ .m = m, .n = n, .k = k }; }

/* ---- costs ---- */

TEST(the_largest_shape_does_not_overflow)
{
    struct workload w = shaped(WORKLOAD_MAX_EXTENT, WORKLOAD_MAX_EXTENT, WORKLOAD_MAX_EXTENT);
    assert_same_bits(workload_flop(&w), 0x1p61);
    assert_same_bits(workload_bytes(&w), 6.0 * 0x1p40);
    assert_near(workload_intensity(&w), 0x1p21 / 6.0, 1e-9);
}

TEST(shared_memory_holds_all_stages)
{
    for (int stages = 1; stages <= 7; stages++)
        for (int bm = 16; bm <= 256; bm *= 2)
            for (int bk = 16; bk <= 256; bk *= 2) {
                int values[MATMUL_KNOBS] = { bm, 64, bk, 4, stages, 8, 2 }, bytes = 0;
                for (int stage = 0; stage < stages; stage++)
                    bytes += bm * bk * 2 + 64 * bk * 2; /* a tile of A and a tile of B, fp16 */
                assert_int_equal(matmul_smem_bytes(values), bytes);
            }
}

/* ---- shapes as text ---- */

TEST(shapes_go_out_and_come_back)
{
    struct rng rng = rng_stream(0, "shapes", 0);
    for (int i = 0; i < 2000; i++) {
        struct workload w = shaped(0, 0, 0), back = { .id = "kept", .name = { "kept", "留着" } };
        int *extent[] = { &w.m, &w.n, &w.k };
        for (int e = 0; e < 3; e++)
            *extent[e] = 1 + (int)rng_below(&rng, i % 2 ? 20 : WORKLOAD_MAX_EXTENT);
        char text[32];
        assert_true(workload_parse(workload_shape(&w, text, sizeof text), 'x', &back));
        assert_int_equal(back.m, w.m);
        assert_int_equal(back.n, w.n);
        assert_int_equal(back.k, w.k);
        assert_string_equal(back.id, "kept");
    }
    struct workload largest = shaped(WORKLOAD_MAX_EXTENT, WORKLOAD_MAX_EXTENT, 1);
    char text[32];
    assert_string_equal(workload_shape(&largest, text, sizeof text), "1048576x1048576x1");
    assert_true(workload_parse(text, 'x', &largest));
    struct workload unknown = shaped(0, 0, 0); /* a recording that does not say */
    assert_string_equal(workload_shape(&unknown, text, sizeof text), "-");
}

TEST(malformed_shapes_are_refused)
{
    static const char *const refused[] = {
        "", "x", "4096", "4096x4096", "4096x4096x", "x4096x4096", "4096xx4096", "4096x4096x4096x4096",
        "4096x4096x4096 ", " 4096x4096x4096", "4096 x4096x4096", "4096x4096x-1", "4096x4096x+1", "4096x4096x0",
        "0x16x16", "16X16X16", "16x16x1048577", "99999999999999999999x16x16", "16x16x1.5", "16x16x0x10",
        "16,16,16", "square",
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct workload w;
        if (workload_parse(refused[i], 'x', &w))
            fail_msg("'%s' passes as a shape", refused[i]);
    }
}

/* ---- the lists ---- */

TEST(every_listed_shape_is_found_by_its_id)
{
    for (int i = 0; i < WORKLOAD_FIVE; i++)
        assert_ptr_equal(workload_find(workload_five[i].id), &workload_five[i]);
    for (int i = 0; i < WORKLOAD_NETWORK; i++) {
        const struct workload *w = &workload_network[i].workload, *found = workload_find(w->id);
        assert_non_null(found); /* may stand in several lists, but always as the same shape */
        assert_int_equal(found->m, w->m);
        assert_int_equal(found->n, w->n);
        assert_int_equal(found->k, w->k);
    }
    assert_null(workload_find("cube"));
    assert_null(workload_find(""));
}

TEST(labels_leave_out_a_shape_that_is_none)
{
    const struct workload conv = { "conv", TEXT("conv", "卷积"), 0, 0, 0 }, square = workload_five[0];
    char buf[64];
    assert_string_equal(workload_label(&square, LANG_EN, buf, sizeof buf), "square, 4096x4096x4096");
    assert_string_equal(workload_label(&square, LANG_ZH, buf, sizeof buf), "方阵，4096x4096x4096");
    assert_string_equal(workload_label(&conv, LANG_EN, buf, sizeof buf), "conv");
    assert_string_equal(workload_label(&conv, LANG_ZH, buf, sizeof buf), "卷积");
}

TESTS("workload", NULL, NULL)

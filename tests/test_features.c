/* test_features.c - features counted by hand for a few configurations, and what must hold for all legal ones. */
#include "made_up.h"
#include "device/hypogpu.h"
#include "base/mathx.h"

/* Of knob values in no space of ours: a space is made of them alone. */
static void features_of(const struct workload *w, const int *values, float out[PROGRAM_FEATURES])
{
    struct knob knob[MATMUL_KNOBS];
    for (int k = 0; k < MATMUL_KNOBS; k++)
        knob[k] = (struct knob){ matmul_knob_name[k], 1, &values[k] };
    struct space *space = space_new(MATMUL_KNOBS, knob, 0, NULL, anything_goes, NULL);
    features_fill(FEATURES_PROGRAM, w, space, 1, (const uint32_t[]){ 0 }, out);
    space_free(space);
}

TEST(program_features_counted_by_hand)
{
    static const struct {
        struct workload w;
        int values[MATMUL_KNOBS];
        double want[PROGRAM_FEATURES];
    } cases[] = {
        /* A grid of 64 x 32 tiles; two warps of 64 x 64 rather than 32 x 128. Products not yet in log2: */
        { { .m = 4096, .n = 4096, .k = 4096 },
          { 64, 128, 32, 2, 2, 2, 1 },
          { 64 * 32, 64, 24576, 128, 64, 64, 524288, 12288, 524288.0 / 12288, 128, 2, 12288, 1, 2, 1, 4096, 4096,
            4096 } },
        /* M = 16 fills a quarter of a tile; four warps of 64 x 32, not the mirrored 32 x 64; groups have one row. */
        { { .m = 16, .n = 4096, .k = 4096 },
          { 64, 128, 64, 4, 3, 8, 4 },
          { 32 * 4, 128, 73728, 64, 64, 32, 1048576, 24576, 1048576.0 / 24576, 16, 3, 49152, 0.25, 1, 4, 16, 4096,
            4096 } },
        /* Nothing divides: 4 x 4 tiles, 334 of K a part, 6 steps of 64. One stage: nothing in flight, seen as 2^0. */
        { { .m = 100, .n = 100, .k = 1000 },
          { 32, 32, 64, 1, 1, 8, 3 },
          { 48, 32, 8192, 32, 32, 32, 131072, 8192, 16, 6, 1, 1, 1e7 / (128.0 * 128 * 1152), 4, 3, 100, 100, 1000 } },
        /* Six warps are 2 x 3, the only way with a power of two in front and pieces of 16x8. */
        { { .m = 128, .n = 24, .k = 64 },
          { 128, 24, 32, 6, 2, 2, 1 },
          { 1, 192, 19456, 16, 64, 8, 196608, 9728, 196608.0 / 9728, 2, 2, 9728, 1, 1, 1, 128, 24, 64 } },
        /* 16 warps and two 16x8 pieces to share: illegal on any GPU, and still described. */
        { { .m = 512, .n = 512, .k = 512 },
          { 16, 16, 16, 16, 7, 32, 32 },
          { 32 * 32 * 32, 512, 7168, 0.5, 16, 8, 8192, 1024, 8, 1, 7, 6144, 1, 32, 32, 512, 512, 512 } },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        float out[PROGRAM_FEATURES];
        features_of(&cases[c].w, cases[c].values, out);
        for (int f = 0; f < PROGRAM_FEATURES; f++) {
            double found = (double)out[f];
            if (f != FEATURE_STAGES && f != FEATURE_PADDING)
                found = exp2(found);
            if (!(fabs(found - cases[c].want[f]) <= 1e-5 * cases[c].want[f]))
                fail_msg("case %zu, %s: %g, want %g", c, features_name(FEATURES_PROGRAM, NULL, f).en, found,
                         cases[c].want[f]);
        }
    }
}

TEST(a_split_product_has_a_second_statement_that_adds_up_its_parts)
{
    struct device *gpu = hypogpu_new(HYPOGPU_UNMODELLED);
    const struct workload *w = workload_find("wgrad");
    for (int split = 1; split <= 8; split *= 8) {
        float out[2 * PROGRAM_FEATURES], first[PROGRAM_FEATURES];
        uint32_t config;
        assert_true(space_index(gpu->space, (int[]){ 64, 128, 32, 2, 2, 2, split }, &config));
        features_fill(FEATURES_PROGRAM, w, gpu->space, 1, &config, first);
        assert_int_equal(features_statements(w, gpu->space, config, out), split > 1 ? 2 : 1);
        assert_memory_equal(out, first, sizeof first);
        assert_near((double)out[PROGRAM_FEATURES + FEATURE_STEPS], split > 1 ? 3 : 0, 0); /* 8 parts */
        assert_near((double)out[PROGRAM_FEATURES + FEATURE_BLOCKS], 11, 0.01); /* 512 x 512 outputs, 128 threads */
    }
    device_close(gpu);
}

TEST(context_features_counted_by_hand)
{
    /* 4096^3, a grid of 64 x 32 tiles of 64 x 128, 64 K-steps of 64; four warps of 32 x 64, three stages. */
    static const int values[MATMUL_KNOBS] = { 64, 128, 64, 4, 3, 8, 1 };
    const struct workload w = { .m = 4096, .n = 4096, .k = 4096 };
    struct knob knob[MATMUL_KNOBS];
    float out[CONTEXT_FEATURES];
    for (int k = 0; k < MATMUL_KNOBS; k++)
        knob[k] = (struct knob){ matmul_knob_name[k], 1, &values[k] };
    struct space *space = space_new(MATMUL_KNOBS, knob, 0, NULL, anything_goes, NULL);
    features_fill(FEATURES_CONTEXT, &w, space, 1, (const uint32_t[]){ 0 }, out);
    space_free(space);
    /* 2^8 and 2^10 bytes hold no loop. 2^14: a warp's piece of 16 deep, 2 (32 + 64) 16 + 4 32 64 = 11264 bytes; it is
     * run by the grid, 64 steps, 4 warps, 4 pieces. 2^18: a block's K-step, 3 x 24576 and 32768 of C; */
    assert_near((double)out[CONTEXT_WORK + 0], 0, 0);
    assert_near((double)out[CONTEXT_MOVED + 0], 0, 0);
    assert_near(exp2((double)out[CONTEXT_WORK + 3]), 32 * 64 * 16, 1);
    assert_near(exp2((double)out[CONTEXT_MOVED + 3]) / (2048.0 * 64 * 4 * 4 * 11264), 1, 1e-5);
    assert_near(exp2((double)out[CONTEXT_WORK + 5]), 64 * 128 * 64, 1);
    assert_near(exp2((double)out[CONTEXT_MOVED + 5]) / (2048.0 * 64 * (3 * 24576 + 32768)), 1, 1e-5);
    /* 2^26: a group of 8 rows and all columns, 2 (512 + 4096) 4096 + 4 512 4096 bytes, eight times. */
    assert_near(exp2((double)out[CONTEXT_WORK + 9]) / (512.0 * 4096 * 4096), 1, 1e-5);
    assert_near(exp2((double)out[CONTEXT_MOVED + 9]) / (8.0 * (2.0 * 4608 * 4096 + 4.0 * 512 * 4096)), 1, 1e-5);
    assert_near((double)out[CONTEXT_GRID], 11, 0);
    assert_near((double)out[CONTEXT_PARTS], 0, 0);
    assert_near((double)out[CONTEXT_THREADS], 7, 0);
    assert_near((double)out[CONTEXT_STAGES], 3, 0);
}

TEST(filling_is_one_row_after_the_other)
{
    struct device *gpu = hypogpu_new(HYPOGPU_UNMODELLED);
    const struct space *space = gpu->space;
    const struct workload *w = workload_find("wgrad");
    const uint32_t configs[4] = { 116514, 0, space->size - 1, 83454 };
    float programs[4 * PROGRAM_FEATURES], knobs[4 * MATMUL_KNOBS];
    assert_true(features_has_program(space));
    assert_int_equal(features_count(FEATURES_PROGRAM, space), 18);
    assert_int_equal(features_count(FEATURES_KNOB, space), 7);
    features_fill(FEATURES_PROGRAM, w, space, 4, configs, programs);
    features_fill(FEATURES_KNOB, w, space, 4, configs, knobs);
    for (int i = 0; i < 4; i++) {
        int v[MATMUL_KNOBS];
        float out[PROGRAM_FEATURES];
        space_values(space, configs[i], v);
        features_of(w, v, out);
        assert_memory_equal(out, programs + i * PROGRAM_FEATURES, sizeof out);
        for (int k = 0; k < MATMUL_KNOBS; k++)
            assert_near(exp2((double)knobs[i * MATMUL_KNOBS + k]), v[k], 1e-5 * v[k]);
    }
    device_close(gpu);
}

TEST(other_spaces_have_knob_features_alone)
{
    static const int flag[] = { -2, -1, 0, 1, 2, 3, 8 }, seven[] = { 7 };
    const struct knob knobs[2] = { { "flag", 7, flag }, { "seven", 1, seven } };
    struct space *space = space_new(2, knobs, 0, NULL, anything_goes, NULL);
    float out[7 * 2];
    assert_false(features_has_program(space));
    assert_int_equal(features_count(FEATURES_KNOB, space), 2);
    assert_string_equal(features_name(FEATURES_KNOB, space, 1).zh, "seven");
    features_fill(FEATURES_KNOB, NULL, space, 7, space->legal, out);
    const double want[7] = { -3, -2, -1, 0, 1, 1.58496250, 3 };
    for (int i = 0; i < 7; i++) {
        assert_near((double)out[2 * i], want[i], 1e-6);
        assert_near((double)out[2 * i + 1], 2.80735492, 1e-6);
    }
    space_free(space);
}

TEST(every_feature_has_a_name_of_its_own_in_both_languages)
{
    for (int f = 0; f < PROGRAM_FEATURES; f++) {
        struct text name = features_name(FEATURES_PROGRAM, NULL, f);
        assert_between(text_width(name.en), 1, 22);
        assert_between(text_width(name.zh), 1, 22);
        for (int g = 0; g < f; g++) {
            assert_string_not_equal(name.en, features_name(FEATURES_PROGRAM, NULL, g).en);
            assert_string_not_equal(name.zh, features_name(FEATURES_PROGRAM, NULL, g).zh);
        }
    }
    for (int f = 0; f < CONTEXT_FEATURES; f++)
        for (int g = 0; g <= f; g++) {
            struct text name = features_name(FEATURES_CONTEXT, NULL, f), other = features_name(FEATURES_CONTEXT, NULL, g);
            assert_int_equal(!strcmp(name.en, other.en), f == g);
            assert_int_equal(!strcmp(name.zh, other.zh), f == g);
        }
}

TESTS("features", NULL, NULL)

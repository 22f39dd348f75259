/* test_space.c - index and values, legality, neighbours and restriction, on a small space that is checked whole and
 * on HypoGPU's 157,500 configurations. */
#include "child.h"
#include "made_up.h"
#include "device/hypogpu.h"

/* ---- two spaces ---- */

static const int sizes[] = { -3, 5, 7 }, one[] = { 9 }, steps[] = { 0, 1, 2, 30 }, flags[] = { 0, 1 };
static const struct knob small_knobs[] = {
    { "size", 3, sizes },
    { "one", 1, one },
    { "steps", 4, steps },
    { "flag", 2, flags },
};
static const struct text small_reasons[] = { { "too much", "太多" }, { "forbidden", "禁止" } };
static const int small_limit = 100;

static int small_rule(const void *context, const int *values)
{
    if (values[0] * values[2] > *(const int *)context)
        return 1;
    return values[2] == 1 && values[3] == 1 ? 2 : 0;
}

static struct device *gpu;
static struct space *small;
static const struct space *spaces[2]; /* both */

static int set_up(void **state)
{
    gpu = hypogpu_new(HYPOGPU_UNMODELLED);
    spaces[0] = small = space_new(4, small_knobs, 2, small_reasons, small_rule, &small_limit);
    spaces[1] = gpu->space;
    return 0;
}

static int tear_down(void **state)
{
    space_free(small);
    device_close(gpu);
    return 0;
}

/* ---- index and values ---- */

TEST(values_advance_like_an_odometer)
{
    for (int s = 0; s < 2; s++) {
        const struct space *space = spaces[s];
        int position[MATMUL_KNOBS] = { 0 }, values[MATMUL_KNOBS];
        uint32_t config = 0, back = 0;
        for (int k = 0; k >= 0; config++) {
            space_values(space, config, values);
            for (k = 0; k < space->knobs; k++) {
                assert_int_equal(values[k], space->knob[k].values[position[k]]);
                assert_int_equal(space_position(space, config, k), position[k]);
            }
            assert_true(space_index(space, values, &back));
            assert_int_equal(back, config);
            for (k = space->knobs - 1; k >= 0 && ++position[k] == space->knob[k].count; k--)
                position[k] = 0; /* the last knob is the fastest; a carry from the first ends the walk */
        }
        assert_int_equal(config, space->size);
    }
    assert_int_equal(small->size, 3 * 1 * 4 * 2);
    assert_int_equal(gpu->space->size, 157500);
}

TEST(values_outside_have_no_index)
{
    uint32_t config = 77;
    assert_false(space_index(small, (int[]){ 5, 9, 3, 0 }, &config));
    assert_false(space_index(small, (int[]){ 5, 9, 2, 2 }, &config));
    assert_true(space_index(small, (int[]){ -3, 9, 0, 1 }, &config));
    assert_int_equal(config, 1);
}

TEST(a_knob_moves_and_moves_back)
{
    for (uint32_t config = 0; config < small->size; config++)
        for (int k = 0; k < small->knobs; k++)
            for (int to = 0; to < small->knob[k].count; to++) {
                uint32_t moved = space_moved(small, config, k, to);
                for (int other = 0; other < small->knobs; other++)
                    assert_int_equal(space_position(small, moved, other),
                                     other == k ? to : space_position(small, config, other));
                assert_int_equal(space_moved(small, moved, k, space_position(small, config, k)), config);
            }
}

/* ---- legality ---- */

TEST(legal_lists_what_is_not_illegal)
{
    for (int s = 0; s < 2; s++) {
        uint32_t n = 0;
        for (uint32_t config = 0; config < spaces[s]->size; config++) {
            assert_int_equal(space_is_legal(spaces[s], config), spaces[s]->illegal[config] == 0);
            assert_true(spaces[s]->illegal[config] <= spaces[s]->reasons);
            if (spaces[s]->illegal[config] == 0)
                assert_int_equal(spaces[s]->legal[n++], config);
        }
        assert_int_equal(spaces[s]->legal_count, n);
    }
    /* too much: 5 x 30 and 7 x 30, with both flags; forbidden: steps 1 with the flag, for three sizes */
    assert_int_equal(small->legal_count, 24 - 4 - 3);
}

/* HypoGPU's three limits as its document states them, in fractions rather than in whole numbers. */
static int illegal(double bm, double bn, double bk, double warps, double stages)
{
    if (stages * (bm + bn) * bk * 2.0 > 163.0 * 1024.0)
        return HYPOGPU_SMEM;
    if (warps > bm / 16.0 * (bn / 8.0))
        return HYPOGPU_WARPS;
    return bm * bn / (32.0 * warps) > 512.0 ? HYPOGPU_REGISTERS : HYPOGPU_LEGAL;
}

TEST(hypogpu_forbids_what_its_limits_forbid)
{
    const struct space *space = gpu->space;
    uint32_t config = 0, count[4] = { 0 }, counted[4] = { 0 };
    for (int bm = 16; bm <= 256; bm *= 2)
        for (int bn = 16; bn <= 256; bn *= 2)
            for (int bk = 16; bk <= 256; bk *= 2)
                for (int warps = 1; warps <= 16; warps *= 2)
                    for (int stages = 1; stages <= 7; stages++) {
                        int why = illegal(bm, bn, bk, warps, stages);
                        count[why] += 36; /* GROUP_M and SPLIT_K decide nothing */
                        for (int inner = 0; inner < 36; inner++, config++) {
                            assert_int_equal(space->illegal[config], why);
                            counted[space->illegal[config]]++;
                        }
                    }
    assert_memory_equal(count, counted, sizeof count);
    assert_int_equal(space->legal_count, 100908);
    for (int why = 0; why < 4; why++)
        assert_true(count[why] > 1000); /* none of the limits is idle */
}

/* ---- neighbours ---- */

/* Draws neighbours of one configuration: all must come, each as often as its knob (1 of 7) and its value say. */
static void check_random_neighbours(uint32_t config, enum neighbourhood kind)
{
    const struct space *space = gpu->space;
    enum { DRAWS = 70000 };
    struct rng rng = rng_stream(0, "neighbours", config);
    uint32_t *seen = xalloc(space->size, sizeof *seen);
    double total = 0.0;
    for (int i = 0; i < DRAWS; i++)
        seen[space_random_neighbour(space, config, kind, &rng)]++;
    for (int k = 0; k < space->knobs; k++) {
        int now = space_position(space, config, k), last = space->knob[k].count - 1;
        int choices = kind == ANY_VALUE ? last : (now > 0) + (now < last);
        double share = 1.0 / MATMUL_KNOBS / choices;
        for (int v = 0; v <= last; v++) {
            if (v == now || (kind == ADJACENT_VALUE && abs(v - now) > 1))
                continue;
            double times = seen[space_moved(space, config, k, v)];
            assert_near(times, DRAWS * share, 5.0 * sqrt(DRAWS * share * (1.0 - share)));
            total += times;
        }
    }
    assert_true(total == DRAWS); /* and nothing else came */
    free(seen);
}

TEST(random_neighbours_cover_all_neighbours)
{
    const uint32_t configs[] = { 0, 157499, 83454, 116514 };
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        check_random_neighbours(configs[i], ADJACENT_VALUE);
        check_random_neighbours(configs[i], ANY_VALUE);
    }
}

TEST(a_crossing_has_one_ones_knobs_before_the_cut_and_the_others_behind)
{
    for (uint32_t a = 0; a < small->size; a++)
        for (uint32_t b = 0; b < small->size; b++)
            for (int cut = 0; cut < small->knobs; cut++)
                for (int k = 0; k < small->knobs; k++)
                    assert_int_equal(space_position(small, space_crossed(small, a, b, cut), k),
                                     space_position(small, k < cut ? a : b, k));
}

TEST(a_space_of_one_configuration_has_no_neighbour)
{
    struct rng rng = rng_stream(0, "neighbours", 0);
    struct space *point = made_up_space(2, 1, anything_goes);
    assert_int_equal(point->size, 1);
    assert_int_equal(space_random_neighbour(point, 0, ANY_VALUE, &rng), 0);
    assert_int_equal(space_random_neighbour(point, 0, ADJACENT_VALUE, &rng), 0);
    space_free(point);
}

/* ---- random configurations ---- */

TEST(random_configurations_are_legal_and_even)
{
    struct rng rng = rng_stream(0, "configurations", 0);
    uint32_t seen[24] = { 0 };
    double n = 17000.0, share = 1.0 / small->legal_count;
    for (int i = 0; i < 17000; i++)
        seen[space_random(small, &rng)]++;
    for (uint32_t config = 0; config < small->size; config++)
        if (space_is_legal(small, config))
            assert_near(seen[config], n * share, 5.0 * sqrt(n * share * (1.0 - share)));
        else
            assert_int_equal(seen[config], 0);
}

/* ---- restriction ---- */

/* Every configuration of a part is one of the whole, with the same values and the same verdict. */
static void check_part(const struct space *part, const struct space *whole)
{
    int values[MATMUL_KNOBS];
    uint32_t in_whole = 0, last = 0;
    for (uint32_t config = 0; config < part->size; config++) {
        space_values(part, config, values);
        assert_true(space_index(whole, values, &in_whole));
        assert_int_equal(part->illegal[config], whole->illegal[in_whole]);
        assert_true(config == 0 || in_whole > last);
        last = in_whole;
    }
}

TEST(a_restriction_is_a_part_of_the_whole)
{
    static const struct {
        const char *name;
        int count, values[6];
    } keep[] = {
        { "BLOCK_M", 4, { 16, 32, 64, 128 } },
        { "BLOCK_K", 2, { 64, 128 } },
        { "num_stages", 6, { 1, 2, 3, 4, 5, 6 } },
        { "SPLIT_K", 1, { 4 } },
    };
    struct space *part = NULL;
    for (int i = 0; i < 4; i++) {
        struct space *next = space_restrict(part ? part : gpu->space, keep[i].name, keep[i].count, keep[i].values);
        space_free(part);
        part = next;
        assert_non_null(part);
        const struct knob *knob = &part->knob[space_knob(part, keep[i].name)];
        assert_int_equal(knob->count, keep[i].count);
        assert_memory_equal(knob->values, keep[i].values, (size_t)keep[i].count * sizeof(int));
        check_part(part, gpu->space);
    }
    assert_int_equal(part->size, 4 * 5 * 2 * 5 * 6 * 6);
    assert_int_equal(gpu->space->size, 157500);
    space_free(part);
}

TEST(what_is_not_in_the_space_cannot_be_kept)
{
    const struct {
        const char *name;
        int count, values[3];
    } refused[] = {
        { "speed", 1, { 1 } }, { "size", 1, { 6 } },    { "size", 2, { 5, 6 } },
        { "size", 0, { 0 } },  { "size", 2, { 7, 5 } }, { "size", 2, { 5, 5 } },
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_null(space_restrict(small, refused[i].name, refused[i].count, refused[i].values));
    assert_int_equal(space_knob(small, "steps"), 2);
    assert_int_equal(space_knob(small, "step"), -1);
}

TEST(malformed_knobs_make_no_space)
{
    struct knob many[29], alone[SPACE_MAX_KNOBS + 1]; /* alone: one configuration, however many knobs */
    for (int k = 0; k < 29; k++)
        many[k] = (struct knob){ "flag", 2, flags };
    for (int k = 0; k <= SPACE_MAX_KNOBS; k++)
        alone[k] = (struct knob){ "a", 1, flags };
    assert_null(space_new(29, many, 0, NULL, anything_goes, NULL)); /* 2^29: one doubling too many */
    assert_null(space_new(0, many, 0, NULL, anything_goes, NULL));
    assert_null(space_new(SPACE_MAX_KNOBS + 1, alone, 0, NULL, anything_goes, NULL));
    struct space *most = space_new(SPACE_MAX_KNOBS, alone, 0, NULL, anything_goes, NULL);
    assert_non_null(most);
    space_free(most);
    assert_null(space_new(2, (struct knob[]){ { "a", 2, flags }, { "b", 0, flags } }, 0, NULL, anything_goes, NULL));
    assert_null(space_new(1, (struct knob[]){ { "a", 2, (int[]){ 1, 1 } } }, 0, NULL, anything_goes, NULL));
    assert_null(space_new(1, (struct knob[]){ { "a", 3, (int[]){ 1, 3, 2 } } }, 0, NULL, anything_goes, NULL));
}

TEST(a_space_keeps_its_own_copy_of_the_knobs)
{
    int values[] = { 1, 2 };
    char name[] = "ab";
    struct space *space = space_new(1, (struct knob[]){ { name, 2, values } }, 0, NULL, anything_goes, NULL);
    values[0] = name[0] = 0;
    assert_int_equal(space->knob[0].values[0], 1);
    assert_string_equal(space->knob[0].name, "ab");
    space_free(space);
    space_free(NULL);
}

/* ---- as text ---- */

TEST(text_goes_out_and_comes_back)
{
    for (int s = 0; s < 2; s++)
        for (uint32_t config = 0; config < spaces[s]->size; config += s ? 7 : 1) {
            char text[64];
            space_format(spaces[s], config, ',', text, sizeof text);
            assert_int_equal(space_parse(spaces[s], text, ""), config);
        }
    char text[64];
    assert_string_equal(space_format(gpu->space, 83454, ',', text, sizeof text), "64,128,32,2,2,2,1");
    assert_string_equal(space_format(gpu->space, 116514, ' ', text, sizeof text), "128 128 64 4 3 8 1");
    for (size_t n = 1; n <= 18; n++) { /* a short buffer holds the beginning, and its 0 */
        memset(text, '#', sizeof text);
        assert_ptr_equal(space_format(gpu->space, 83454, ',', text, n), text);
        assert_int_equal(strlen(text), n - 1);
        assert_memory_equal(text, "64,128,32,2,2,2,1", n - 1);
        assert_int_equal(text[n], '#');
    }
}

static void parse(void *text) { space_parse(gpu->space, text, "there:"); }

TEST(malformed_text_is_refused_with_what_is_allowed)
{
    static const struct {
        const char *text, *complaint;
    } cases[] = {
        { "64,128,32,2,2,2", "expected 7 values joined by commas" },
        { "64,128,32,2,2,2,1,1", "expected 7 values joined by commas" },
        { "64 128 32 2 2 2 1", "expected 7 values joined by commas" },
        { "", "knob 1, BLOCK_M, must be one of 16 32 64 128 256" },
        { "64,,32,2,2,2,1", "knob 2, BLOCK_N, must be one of 16 32 64 128 256" },
        { "64,128,x,2,2,2,1", "knob 3, BLOCK_K, must be one of 16 32 64 128 256" },
        { "64,128,32,2,2,2,", "knob 7, SPLIT_K, must be one of 1 2 4 8 16 32" },
        { "99999999999999999999,1,1,1,1,1,1", "knob 1, BLOCK_M, must be one of" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char place[100];
        snprintf(place, sizeof place, "there: '%s'", cases[i].text);
        child_dies(parse, cases[i].text, place, cases[i].complaint);
    }
}

TESTS("space", set_up, tear_down)

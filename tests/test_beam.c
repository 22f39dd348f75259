/* test_beam.c - incomplete programs, and a beam search against one that is written here in the plainest way. */
#include "device/hypogpu.h"
#include "made_up.h"

/* ---- incomplete programs ---- */

TEST(the_lectures_order_is_split_k_tiles_warps_stages_group)
{
    static const char *const order[] = {
        "SPLIT_K", "BLOCK_M", "BLOCK_N", "BLOCK_K", "num_warps", "num_stages", "GROUP_M",
    };
    struct device *gpu = hypogpu_new(HYPOGPU_UNMODELLED);
    struct space *plain = made_up_space(5, 2, anything_goes);
    for (int d = 0; d < MATMUL_KNOBS; d++)
        assert_string_equal(gpu->space->knob[beam_knob(gpu->space, d)].name, order[d]);
    for (int d = 0; d < 5; d++)
        assert_int_equal(beam_knob(plain, d), d);
    space_free(plain);
    device_close(gpu);
}

TEST(what_is_undecided_has_its_smallest_value)
{
    struct device *gpu = hypogpu_new(HYPOGPU_UNMODELLED);
    const struct space *space = gpu->space;
    for (uint32_t config = 0; config < space->size; config += 997)
        for (int decisions = 0; decisions <= MATMUL_KNOBS; decisions++) {
            uint32_t partial = beam_partial(space, config, decisions);
            for (int d = 0; d < MATMUL_KNOBS; d++) {
                int knob = beam_knob(space, d), position = space_position(space, partial, knob);
                assert_int_equal(position, d < decisions ? space_position(space, config, knob) : 0);
            }
        }
    device_close(gpu);
}

/* ---- a beam search, the plainest ---- */

enum { KNOBS = 4, VALUES = 4, SIZE = VALUES * VALUES * VALUES * VALUES };

static int some_are_illegal(const void *context, const int *v)
{
    (void)context;
    return v[0] * v[3] > 16 || (v[1] == 8 && v[2] != 2);
}

/* Each knob has its own best value, whatever the others have. */
static double separable(const struct space *space, uint32_t config)
{
    static const int best[KNOBS] = { 2, 1, 3, 2 };
    double score = 1.0;
    for (int k = 0; k < KNOBS; k++)
        score -= 0.05 * (k + 1) * abs(space_position(space, config, k) - best[k]);
    return score;
}

/* The one good program looks bad until the last decision. */
static double hidden(const struct space *space, uint32_t config)
{
    double score = 0.5;
    for (int k = 0; k < KNOBS; k++)
        score -= 0.04 * space_position(space, config, k);
    return config == SIZE - 1 ? 1.0 : score;
}

static double rugged(const struct space *space, uint32_t config)
{
    (void)space;
    return (double)(rng_mix(config) >> 11) * 0x1p-53;
}

/* By score, of equal ones by index: whether a stands before b. */
static bool before(const double *score, uint32_t a, uint32_t b)
{
    return score[a] > score[b] || (score[a] == score[b] && a < b);
}

/* The programs that a beam of this width ends with, best first; unseen [SIZE]: legal and not asked for yet. */
static int plain_beam(const struct space *space, const double *score, const bool *unseen, int width, uint32_t *kept)
{
    int count = 1;
    kept[0] = 0;
    for (int decisions = 1; decisions <= KNOBS; decisions++) {
        uint32_t grown[SIZE];
        int n = 0;
        for (uint32_t partial = 0; partial < SIZE; partial++) { /* all that could stand in the next beam */
            bool grows = false, lives = false;
            for (int i = 0; i < count; i++)
                grows |= beam_partial(space, partial, decisions - 1) == kept[i];
            for (uint32_t c = 0; grows && c < SIZE; c++)
                lives |= unseen[c] && beam_partial(space, c, decisions) == partial;
            if (lives)
                grown[n++] = partial;
        }
        for (int i = 1; i < n; i++)
            for (int j = i; j > 0 && before(score, grown[j], grown[j - 1]); j--) {
                uint32_t swap = grown[j];
                grown[j] = grown[j - 1];
                grown[j - 1] = swap;
            }
        count = n < width ? n : width;
        memcpy(kept, grown, (size_t)count * sizeof *kept);
    }
    return count;
}

/* Asks for the whole space, `batch` at a time, without telling anything. */
static void follows_the_plain_one(made_up_score *truth, space_rule *rule, int width, size_t batch)
{
    struct space *space = made_up_space(KNOBS, VALUES, rule);
    struct gbdt *model = made_up_model(space, truth, 1);
    struct beam_settings settings = { made_up_settings(model), width, 0.0 };
    struct task task = { NULL, space };
    void *beam = strategy_beam.open(&task, 0, &settings);
    double score[SIZE];
    bool left[SIZE];
    size_t asked = 0;
    for (uint32_t c = 0; c < SIZE; c++) {
        score[c] = made_up_opinion(model, space, c);
        left[c] = space_is_legal(space, c);
    }
    while (asked < space->legal_count) {
        uint32_t config[SIZE], want[SIZE], kept[SIZE];
        size_t n = 0;
        while (n < batch && asked + n < space->legal_count) {
            size_t count = (size_t)plain_beam(space, score, left, width, kept);
            assert_true(count > 0 && count <= (size_t)width);
            for (size_t i = 0; i < count && n < batch; i++) {
                want[n++] = kept[i];
                left[kept[i]] = false;
            }
        }
        assert_int_equal(strategy_beam.ask(beam, batch, config), n);
        assert_memory_equal(config, want, n * sizeof *want);
        asked += n;
    }
    uint32_t none;
    assert_int_equal(strategy_beam.ask(beam, 1, &none), 0);
    strategy_beam.close(beam);
    gbdt_free(model);
    space_free(space);
}

TEST(each_level_keeps_the_best_few_that_can_still_become_something)
{
    made_up_score *const truths[] = { separable, hidden, rugged };
    for (int t = 0; t < 3; t++) {
        follows_the_plain_one(truths[t], some_are_illegal, 1, 40);
        follows_the_plain_one(truths[t], some_are_illegal, 3, 40);
        follows_the_plain_one(truths[t], some_are_illegal, 32, 7);
        follows_the_plain_one(truths[t], anything_goes, 5, 64);
        follows_the_plain_one(truths[t], anything_goes, SIZE, 64);
    }
}

/* ---- in a tuning ---- */

TEST(beam_stays_in_the_sketches_and_learns_from_results)
{
    struct device *gpu = hypogpu_new(HYPOGPU_UNMODELLED);
    struct task task = { workload_find("square"), gpu->space };
    void *beam = strategy_beam.open(&task, 0, NULL);
    int fast[4] = { 0 }; /* of each batch, how many have BLOCK_M 64 or more */
    for (int batch = 0; batch < 4; batch++) {
        uint32_t config[64];
        struct measurement result[64];
        assert_int_equal(strategy_beam.ask(beam, 64, config), 64);
        for (int i = 0; i < 64; i++) {
            int v[MATMUL_KNOBS];
            space_values(gpu->space, config[i], v);
            assert_int_equal(v[SPLIT_K], 1);
            fast[batch] += v[BLOCK_M] >= 64;
            result[i] = (struct measurement){ v[BLOCK_M] >= 64 ? 10.0 : 100.0, 0, 1.0 };
        }
        strategy_beam.tell(beam, 64, config, result);
    }
    assert_between(fast[0], 16, 56);
    for (int batch = 1; batch < 4; batch++)
        assert_true(fast[batch] >= 60); /* the random ones alone may be slow */
    strategy_beam.close(beam);
    device_close(gpu);
}

TESTS("beam", NULL, NULL)

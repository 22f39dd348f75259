/* test_terrain.c - descents on a space of nine that was walked by hand, PageRank by turning its handle until it stands
 * still, and minima that no single knob improves on. */
#include "made_up.h"
#include "base/stats.h"
#include "device/hypogpu.h"
#include "device/terrain.h"

/* ---- nine configurations, the middle one illegal ----
 *
 *     1 5 4
 *     6 x 8
 *     7 3 2 */

static int not_the_middle(const void *context, const int *values)
{
    (void)context;
    return values[0] == 2 && values[1] == 2;
}

static double times[9] = { 1, 5, 4, 6, INFINITY, 8, 7, 3, 2 };
static struct landscape nine;

static int set_up(void **state)
{
    nine = (struct landscape){ made_up_space(2, 3, not_the_middle), { .id = "nine" }, times, 0, 1.0 };
    return 0;
}

static int tear_down(void **state)
{
    space_free((struct space *)nine.space);
    return 0;
}

static void check_walk(enum neighbourhood kind, size_t minima, const double *slowdown, const double *ends, double moves)
{
    struct terrain t = terrain_new(&nine, kind);
    assert_int_equal(t.minima, minima);
    for (size_t i = 0; i < minima; i++) {
        assert_near(t.slowdown[i], slowdown[i], 0);
        assert_near(t.ends[i], ends[i], 1e-12);
    }
    assert_near(t.moves, moves, 1e-12);
    assert_near(terrain_within(&t, t.ends, 2), ends[0] + ends[1], 1e-12);
    assert_near(terrain_within(&t, t.ends, 1.99), ends[0], 1e-12);
    terrain_free(&t);
}

TEST(descents_end_where_they_do_by_hand)
{
    check_walk(ANY_VALUE, 2, (double[]){ 1, 2 }, (double[]){ 0.5, 0.5 }, 47.0 / 6 / 8);
    check_walk(ADJACENT_VALUE, 3, (double[]){ 1, 2, 4 }, (double[]){ 3.0 / 8, 3.0 / 8, 2.0 / 8 }, 6.0 / 8);
}

/* One turn: what does not follow an edge, or finds none, is spread over all eight. */
static void turn(enum neighbourhood kind, const double *from, double *to)
{
    double anew = 0;
    for (int c = 0; c < 9; c++)
        to[c] = 0;
    for (int c = 0; c < 9; c++) {
        int n = 0, faster[4];
        for (int o = 0; o < 9; o++) {
            int rows = abs(o / 3 - c / 3), columns = abs(o % 3 - c % 3);
            bool one_knob = (rows == 0) != (columns == 0), near = rows + columns == 1;
            if (one_knob && (near || kind == ANY_VALUE) && times[o] < times[c])
                faster[n++] = o;
        }
        anew += from[c] * (n ? 1 - 0.85 : 1);
        for (int i = 0; i < n; i++)
            to[faster[i]] += 0.85 * from[c] / n;
    }
    for (int c = 0; c < 9; c++)
        to[c] += times[c] < INFINITY ? anew / 8 : 0;
}

TEST(centrality_is_where_pagerank_stands_still)
{
    static const int minimum[] = { 0, 8, 2 };
    for (int kind = ADJACENT_VALUE; kind <= ANY_VALUE; kind++) {
        double rank[2][9] = { { 1 } }, all = 0;
        struct terrain t = terrain_new(&nine, kind);
        for (int i = 0; i < 400; i++)
            turn(kind, rank[i % 2], rank[(i + 1) % 2]);
        for (size_t i = 0; i < t.minima; i++)
            all += rank[0][minimum[i]];
        for (size_t i = 0; i < t.minima; i++)
            assert_near(t.centrality[i], rank[0][minimum[i]] / all, 1e-12);
        terrain_free(&t);
    }
}

/* ---- HypoGPU's ---- */

TEST(minima_are_what_no_knob_improves_on)
{
    struct device *gpu = hypogpu_new(HYPOGPU_UNMODELLED);
    struct landscape l = landscape_new(gpu, workload_find("small"), gpu->space);
    struct terrain t = terrain_new(&l, ANY_VALUE);
    size_t minima = 0;
    double all[2] = { 0 };
    for (uint32_t i = 0; i < gpu->space->legal_count; i++) {
        uint32_t config = gpu->space->legal[i];
        int k = 0;
        while (k < gpu->space->knobs && landscape_best_value(&l, config, k) == config)
            k++;
        minima += k == gpu->space->knobs;
    }
    assert_int_equal(t.minima, minima);
    assert_near(t.slowdown[0], 1, 0);
    for (size_t i = 0; i < minima; i++) {
        assert_true(i == 0 || t.slowdown[i] >= t.slowdown[i - 1]);
        assert_true(t.ends[i] >= 1.0 / gpu->space->legal_count * (1 - 1e-9)); /* those that start there */
        all[0] += t.ends[i];
        all[1] += t.centrality[i];
    }
    assert_near(all[0], 1, 1e-9);
    assert_near(all[1], 1, 1e-9);
    double end = landscape_slowdown(&l, landscape_descend(&l, gpu->space->legal[7])); /* is one of them */
    assert_true(stats_up_to(t.slowdown, minima, end) > stats_up_to(t.slowdown, minima, end * (1 - 1e-15)));
    terrain_free(&t);
    landscape_free(&l);
    device_close(gpu);
}

TESTS("terrain", set_up, tear_down)

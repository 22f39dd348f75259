/* test_hypogpu.c - the simulated GPU: its published check values, its formulas written a second time straight from
 * their description, and that all ways of asking (one by one, all at once, the optimum by a bound) agree. */
#include "check.h"
#include "device/hypogpu.h"
#include "base/rng.h"
#include "base/xalloc.h"
#include <stdlib.h>

static struct device *gpu;

static int set_up(void **state)
{
    gpu = hypogpu_new(HYPOGPU_UNMODELLED);
    return 0;
}

static int tear_down(void **state)
{
    device_close(gpu);
    return 0;
}

static struct workload shaped(int m, int n, int k) { return (struct workload){ .m = m, .n = n, .k = k }; }

static const struct workload extreme[] = {
    /* one tile, one row, one step; the longest of each */
    { .m = 1, .n = 1, .k = 1 },
    { .m = 1048576, .n = 16, .k = 16 },
    { .m = 16, .n = 1048576, .k = 16 },
    { .m = 16, .n = 16, .k = 1048576 },
    { .m = 17, .n = 257, .k = 1 },
    { .m = 1048576, .n = 1048576, .k = 1 },
    { .m = 1048576, .n = 1048576, .k = 1048576 },
};
enum { EXTREME = sizeof extreme / sizeof *extreme };

/* A shape of any size, small ones as likely as large ones, seldom a multiple of anything. */
static struct workload random_shape(struct rng *rng, int most_bits)
{
    int extent[3];
    for (int e = 0; e < 3; e++) {
        uint32_t bits = 1 + rng_below(rng, (uint32_t)most_bits);
        extent[e] = 1 + (int)rng_below(rng, 1u << bits);
    }
    return shaped(extent[0], extent[1], extent[2]);
}

/* ---- check values ---- */

TEST(times_and_occupancy_are_the_published_ones)
{
    static const char *const shapes[] = { "square", "prefill_qkv", "decode", "wgrad", "small", "ffn_down", "lora_a" };
    static const struct {
        int values[MATMUL_KNOBS];
        uint32_t index;
        int occupancy;
        double us[7];
    } rows[] = {
        /* clang-format off */
        { { 64, 128, 32, 2, 2, 2, 1 }, 83454, 5,
          { 467.626219, 212.538109, 72.980962, 558.631294, 12.274104, 232.741572, 72.980459 } },
        { { 128, 128, 64, 4, 3, 8, 1 }, 116514, 1,
          { 578.160146, 233.018910, 60.416893, 450.085740, 11.703553, 305.840620, 60.412685 } },
        { { 128, 256, 64, 8, 3, 8, 1 }, 123066, 1,
          { 543.471812, 219.084383, 110.930610, 846.953032, 18.927762, 288.364955, 110.930570 } },
        { { 16, 32, 64, 1, 5, 16, 1 }, 8988, 5,
          { 1968.938007, 740.191296, 25.295910, 257.218447, 7.431089, 655.583173, 14.903740 } },
        { { 64, 128, 16, 2, 3, 16, 16 }, 82252, 5,
          { 1806.428664, 661.846656, 44.807119, 95.719839, 40.427421, 323.206840, 25.156166 } },
        { { 256, 256, 16, 16, 5, 1, 1 }, 152352, 1,
          { 3597.004626, 1200.893674, 1200.893674, 9556.239053, 156.475502, 3215.128721, 1200.893674 } },
        { { 16, 16, 256, 1, 7, 32, 32 }, 5291, 1,
          { 57683.717836, 21643.420957, 99.801870, 6931.621497, 339.659743, 18799.526476, 49.426816 } },
        { { 64, 64, 64, 4, 4, 4, 1 }, 78744, 2,
          { 845.725534, 335.887388, 26.993489, 176.724321, 6.333793, 296.835639, 25.266017 } },
        { { 32, 64, 128, 8, 1, 1, 4 }, 48638, 5,
          { 1994.319359, 1251.200973, 44.312923, 229.227427, 28.506964, 626.309665, 29.884077 } },
    };
    /* clang-format on */
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        uint32_t config;
        assert_true(space_index(gpu->space, rows[r].values, &config));
        assert_int_equal(config, rows[r].index);
        assert_int_equal(hypogpu_explain(gpu, workload_find("square"), rows[r].values).occupancy, rows[r].occupancy);
        for (int s = 0; s < 7; s++) {
            const struct workload *w = workload_find(shapes[s]);
            assert_near(device_time_us(gpu, w, gpu->space, config), rows[r].us[s], 0.5000001e-6);
        }
    }
}

/* ---- the formulas, a second time ---- */

static double up(double a, double b) { return ceil(a / b); }

/* Cycles of a round of n blocks; the description's names. */
static double round_of(const double *v, double n, double wm, double wn, double acc, double spill, double steps)
{
    double bm = v[0], bn = v[1], bk = v[2], w = v[3], bytes = (bm + bn) * bk * 2.0, flop = 2.0 * bm * bn * bk;
    double work = flop / 2048.0 / (wm * wn / (wm * wn + 59.0)) * (1.0 + 10.3 * spill / acc);
    double alone = 4.0 * work / fmin(w, 4.0) + 9.27 + 3.67 * w + 15.5 * v[4];
    double latency = 500.0 + bytes / 48.0 + 0.331 * (n - 1.0) * bytes / 48.0;
    double pace = v[4] == 1.0 ? alone + latency : fmax(alone, latency / (v[4] - 1.0));
    double cores = 4.0 * n * work / fmin(4.0, n * w), smem = n * (w * (wm + wn) * bk * 2.0 + bytes) / 110.0;
    double step = fmax(fmax(cores, smem), fmax(n * bytes / 48.0, pace)), e = v[6] > 1.0 ? 4.0 : 2.0;
    return steps * step + 0.96 * (500.0 + bytes / 48.0) + n * bm * bn * e * 1.81 / 48.0;
}

static double time_by_the_book(const struct workload *shape, const int *values, uint32_t index)
{
    double v[MATMUL_KNOBS], m = shape->m, n = shape->n, k = shape->k, wm = 1e9, wn = 1e9;
    for (int i = 0; i < MATMUL_KNOBS; i++)
        v[i] = values[i];
    for (double a = 1.0; a <= v[3]; a *= 2.0) {
        double b = v[3] / a;
        if (v[0] / a >= 16.0 && v[1] / b >= 8.0 && v[0] / a + v[1] / b < wm + wn) {
            wm = v[0] / a;
            wn = v[1] / b;
        }
    }
    double gm = up(m, v[0]), gn = up(n, v[1]), slice = up(k, v[6]), steps = up(slice, v[2]), blocks = gm * gn * v[6];
    double threads = 32.0 * v[3], acc = v[0] * v[1] / threads, regs = acc + 30.2 + 6.99 * (wm + wn) / 32.0;
    double cap = fmin(255.0, 65536.0 / threads), spill = fmax(0.0, regs - cap);
    double smem = v[4] * (v[0] + v[1]) * v[2] * 2.0;
    double occ = fmin(floor(164.0 * 1024.0 / (smem + 1024.0)), floor(65536.0 / (fmin(regs, cap) * threads)));
    occ = fmax(1.0, fmin(fmin(occ, floor(2048.0 / threads)), 32.0));
    double q = up(blocks, 108.0), last = fmod(q, occ);
    double cycles = floor(q / occ) * round_of(v, occ, wm, wn, acc, spill, steps);
    if (last > 0.0)
        cycles += round_of(v, last, wm, wn, acc, spill, steps);
    double t_sm = cycles / 1410.0, slots = 108.0 * occ, waves = up(blocks, slots);
    double wide = fmax(1.0, fmin(blocks, slots) / v[6]), gh = fmin(v[5], gm), gw = up(wide, gh);
    if (gw > gn) {
        gw = gn;
        gh = fmin(gm, fmax(1.0, up(wide, gn)));
    }
    double read = fmax(waves * (fmin(gh * v[0], m) + fmin(gw * v[1], n)) * slice * v[6] * 2.0, (m * k + k * n) * 2.0);
    double t_dram = (read + m * n * (v[6] > 1.0 ? 4.0 * v[6] : 2.0)) / (2e6 * 0.824), longer = fmax(t_sm, t_dram);
    double t = longer * pow(1.0 + pow(fmin(t_sm, t_dram) / longer, 8.0), 0.125) + 2.61;
    t += v[6] > 1.0 ? 15.8 + m * n * (4.0 * v[6] + 2.0) / (2e6 * 0.824) : 0.0;
    uint64_t x = index + 11513u * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return t * (1.0 + 0.116 * sqrt((double)((x ^ x >> 31) >> 11) * 0x1p-53));
}

TEST(times_follow_the_written_formulas)
{
    struct rng rng = rng_stream(0, "formulas", 0);
    for (int i = 0; i < 40000; i++) {
        struct workload w = i % 100 < EXTREME ? extreme[i % 100] : random_shape(&rng, 15);
        uint32_t config = space_random(gpu->space, &rng);
        int values[MATMUL_KNOBS];
        space_values(gpu->space, config, values);
        double want = time_by_the_book(&w, values, config), got = gpu->time_us(gpu, &w, values);
        assert_true(isfinite(got) && got > 2.61);
        assert_near(got / want, 1.0, 1e-12);
    }
}

/* ---- every way of asking ---- */

static void check_landscape(const struct workload *w, const struct space *space)
{
    struct landscape l = landscape_new(gpu, w, space);
    uint32_t best = 0;
    for (uint32_t config = 0; config < space->size; config++) {
        assert_same_bits(l.time_us[config], device_time_us(gpu, w, space, config));
        assert_int_equal(isfinite(l.time_us[config]) != 0, space_is_legal(space, config));
        assert_true(landscape_slowdown(&l, config) >= 1.0);
        if (l.time_us[config] < l.time_us[best])
            best = config;
    }
    assert_int_equal(l.best, best);
    assert_same_bits(l.best_us, l.time_us[best]);
    assert_same_bits(landscape_slowdown(&l, best), 1.0);
    if (space == gpu->space)
        assert_int_equal(device_optimum(gpu, w), best);

    size_t runs;
    double *slowdowns = landscape_slowdowns(&l, &runs), sum = 0.0;
    assert_int_equal(runs, space->legal_count);
    for (uint32_t i = 0; i < space->legal_count; i++) {
        assert_true(i == 0 || slowdowns[i - 1] <= slowdowns[i]);
        sum += slowdowns[i] - landscape_slowdown(&l, space->legal[i]);
    }
    assert_same_bits(slowdowns[0], 1.0);
    assert_near(sum, 0.0, 1e-6); /* the same numbers in another order */
    free(slowdowns);
    landscape_free(&l);
}

TEST(the_landscape_is_what_one_by_one_gives)
{
    check_landscape(workload_find("square"), gpu->space);
    check_landscape(&extreme[0], gpu->space);
    struct space *a = space_restrict(gpu->space, "GROUP_M", 2, (int[]){ 1, 8 });
    struct space *b = space_restrict(a, "SPLIT_K", 3, (int[]){ 2, 8, 32 });
    struct space *c = space_restrict(b, "num_stages", 2, (int[]){ 2, 5 });
    check_landscape(workload_find("decode"), c);
    space_free(a);
    space_free(b);
    space_free(c);
}

TEST(the_bound_finds_the_optimum)
{
    struct rng rng = rng_stream(0, "optimum", 0);
    for (int i = 0; i < EXTREME + 30; i++) {
        struct workload w = i < EXTREME ? extreme[i] : random_shape(&rng, 14);
        struct landscape l = landscape_new(gpu, &w, gpu->space);
        if (device_optimum(gpu, &w) != l.best)
            fail_msg("%dx%dx%d: not the fastest", w.m, w.n, w.k);
        assert_true(isfinite(l.best_us));
        landscape_free(&l);
    }
}

/* A device that can only be asked one by one: device.c's own loops must do the rest. */
static double plain_time(const struct device *device, const struct workload *w, const int *values)
{
    (void)device;
    return fabs(values[0] - 4.5) + w->m; /* 4 and 5 are equally good */
}

static int refuse_four(const void *context, const int *values) { return values[0] == *(const int *)context; }

TEST(a_plain_device_is_asked_one_by_one)
{
    const int values[] = { 1, 2, 3, 4, 5, 6 }, none = 0, four = 4;
    const struct text reason = { "four", "四" };
    struct space *all = space_new(1, (struct knob[]){ { "x", 6, values } }, 1, &reason, refuse_four, &none);
    struct space *but_four = space_new(1, (struct knob[]){ { "x", 6, values } }, 1, &reason, refuse_four, &four);
    struct workload w = shaped(10, 1, 1);
    struct device device = { .name = "plain", .space = all, .time_us = plain_time };
    assert_int_equal(device_optimum(&device, &w), 3); /* of equals the first */
    assert_same_bits(device_time_us(&device, &w, all, 0), 13.5);
    device.space = but_four;
    assert_int_equal(device_optimum(&device, &w), 4);
    assert_true(device_time_us(&device, &w, but_four, 3) == (double)INFINITY);
    struct landscape l = landscape_new(&device, &w, but_four);
    assert_true(landscape_slowdown(&l, 3) == (double)INFINITY);
    assert_same_bits(landscape_slowdown(&l, 5), 11.5 / 10.5);
    landscape_free(&l);
    space_free(all);
    space_free(but_four);
}

TEST(what_the_device_says_of_itself)
{
    static const char *const names[] = { "BLOCK_M", "BLOCK_N", "BLOCK_K", "num_warps", "num_stages", "GROUP_M", "SPLIT_K" };
    for (int k = 0; k < MATMUL_KNOBS; k++)
        assert_int_equal(space_knob(gpu->space, names[k]), k);
    assert_int_equal(gpu->space->reasons, HYPOGPU_REGISTERS);
    for (int r = 0; r < gpu->space->reasons; r++)
        assert_true(*gpu->space->reason[r].en && *gpu->space->reason[r].zh);
    assert_same_bits(gpu->noise, 0.015);
}

/* ---- explanations ---- */

static void check_breakdown(const struct workload *w, const int *v, const struct hypogpu_breakdown *b)
{
    assert_same_bits(b->time_us, (b->combined_us + b->launch_us + b->reduction_us) * b->perturbation);
    assert_same_bits(b->time_us, gpu->time_us(gpu, w, v));
    assert_between(b->combined_us, fmax(b->sm_us, b->dram_us), 1.0906 * fmax(b->sm_us, b->dram_us)); /* 2^(1/8) */
    assert_between(b->perturbation, 1.0, 1.0 + HYPOGPU_UNMODELLED);
    assert_int_equal(b->reduction_us > 0.0, v[SPLIT_K] > 1);

    assert_true((long long)b->grid_m * v[BLOCK_M] >= w->m && (b->grid_m - 1LL) * v[BLOCK_M] < w->m);
    assert_true((long long)b->grid_n * v[BLOCK_N] >= w->n && (b->grid_n - 1LL) * v[BLOCK_N] < w->n);
    assert_true((long long)b->k_slice * v[SPLIT_K] >= w->k && b->k_steps * v[BLOCK_K] >= b->k_slice);
    assert_true(b->blocks == (long long)b->grid_m * b->grid_n * v[SPLIT_K]);
    assert_int_equal(b->warp_m * b->warp_n * v[NUM_WARPS], v[BLOCK_M] * v[BLOCK_N]);
    assert_true(b->warp_m >= 16 && b->warp_n >= 8 && b->smem_bytes <= HYPOGPU_SMEM_LIMIT);
    assert_true(b->accumulators <= HYPOGPU_ACC_LIMIT);

    assert_true(b->occupancy >= 1 && b->occupancy <= b->by_threads && b->by_smem >= b->occupancy);
    assert_true(b->full_rounds * b->occupancy + b->last.blocks == b->busiest && b->last.blocks < b->occupancy);
    assert_true(b->busiest * HYPOGPU_SMS >= b->blocks && (b->busiest - 1) * HYPOGPU_SMS < b->blocks);
    assert_int_equal(b->full.blocks, b->full_rounds ? b->occupancy : 0);
    assert_true(b->idle_share >= 0.0 && b->idle_share < 1.0);
    assert_true(b->read_bytes + b->written_bytes >= b->minimum_bytes);
    double cycles = (double)b->full_rounds * b->full.all + b->last.all;
    assert_near(cycles / HYPOGPU_MHZ / b->sm_us, 1.0, 1e-12);
}

TEST(explanations_add_up)
{
    struct rng rng = rng_stream(0, "explain", 0);
    for (int i = 0; i < 20000; i++) {
        struct workload w = i % 50 < EXTREME ? extreme[i % 50] : random_shape(&rng, 14);
        int values[MATMUL_KNOBS];
        space_values(gpu->space, space_random(gpu->space, &rng), values);
        struct hypogpu_breakdown b = hypogpu_explain(gpu, &w, values);
        check_breakdown(&w, values, &b);
    }
}

TEST(the_unmodelled_part_only_slows_down)
{
    struct device *plain = hypogpu_new(0.0), *rough = hypogpu_new(0.5);
    const struct workload *w = workload_find("square");
    for (uint32_t i = 0; i < gpu->space->legal_count; i += 97) {
        uint32_t config = gpu->space->legal[i];
        double without = device_time_us(plain, w, gpu->space, config);
        double with = device_time_us(gpu, w, gpu->space, config);
        double more = device_time_us(rough, w, gpu->space, config);
        assert_true(without < with && with < more && more <= 1.5 * without);
    }
    device_close(plain);
    device_close(rough);
}

TESTS("hypogpu", set_up, tear_down)

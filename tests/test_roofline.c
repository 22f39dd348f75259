/* test_roofline.c - the estimate by hand at a large and at a small product, and what it does not look at. */
#include "check.h"
#include "device/hypogpu.h"
#include "model/roofline.h"

static double estimate(const char *shape, int bm, int bn, int warps, int stages, int split)
{
    int values[MATMUL_KNOBS] = { bm, bn, 64, warps, stages, 8, split };
    return roofline_us(roofline_of("HypoGPU"), workload_find(shape), values);
}

TEST(devices_have_data_sheets_or_none)
{
    assert_near(roofline_of("HypoGPU")->sms, HYPOGPU_SMS, 0);
    assert_near(roofline_of("HypoGPU")->bytes_a_us, HYPOGPU_DRAM_BYTES_A_US, 0);
    assert_near(roofline_of("HypoGPU")->flop_a_us, HYPOGPU_SMS * HYPOGPU_FLOP_A_CYCLE * HYPOGPU_MHZ, 1e6);
    assert_null(roofline_of("abacus"));
}

TEST(the_square_computes_and_stores)
{
    /* 2 4096^3 FLOP at 312 TFLOP/s, then 2 4096^2 bytes at 60 % of 2 TB/s */
    assert_near(estimate("square", 128, 256, 4, 2, 1), 440.51 + 27.96, 0.01);
}

TEST(a_small_grid_has_few_of_the_sub_partitions)
{
    /* 16 blocks of four warps on 432; 16 of the 32 blocks that reach 95 % of DRAM, of which storing has 60 % */
    double compute_us = 2.0 * 512 * 512 * 32768 / 312e6 * 432 / 64, store_us = 512 * 512 * 2 / (0.6 * 0.95 / 2 * 2e6);
    assert_near(estimate("wgrad", 128, 128, 4, 2, 1), compute_us + store_us, 1e-6);
    assert_true(estimate("wgrad", 128, 128, 4, 2, 16) < estimate("wgrad", 128, 128, 4, 2, 1) / 3);
    assert_true(estimate("decode", 16, 128, 4, 2, 1) < estimate("decode", 128, 128, 4, 2, 1));
}

TEST(stages_are_not_looked_at)
{
    assert_same_bits(estimate("small", 64, 64, 4, 2, 1), estimate("small", 64, 64, 4, 7, 1));
}

static int place(const uint32_t *list, uint32_t config)
{
    int i = 0;
    while (list[i] != config)
        i++;
    return i;
}

TEST(the_order_keeps_what_fits_and_equals_as_listed)
{
    struct device *gpu = hypogpu_new(0);
    uint32_t list[TRITON_LIST], order[TRITON_LIST];
    double us[TRITON_LIST];
    assert_true(triton_list(gpu->space, list));
    const struct workload *w = workload_find("square");
    int n = roofline_order(roofline_of(gpu->name), w, gpu->space, TRITON_LIST, list, order, us);
    assert_int_equal(n, 12);
    for (int i = 0; i < n; i++) {
        int values[MATMUL_KNOBS];
        assert_true(space_is_legal(gpu->space, order[i]));
        space_values(gpu->space, order[i], values);
        assert_same_bits(us[i], roofline_us(roofline_of(gpu->name), w, values));
        int before = i ? place(list, order[i - 1]) : -1;
        assert_true(i == 0 || us[i] > us[i - 1] || (us[i] == us[i - 1] && place(list, order[i]) > before));
    }
    device_close(gpu);
}

TESTS("roofline", NULL, NULL)

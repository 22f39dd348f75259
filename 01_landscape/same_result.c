/* Demo 1: four configurations compute one product, for real, and agree to fp16's rounding (lecture 2.1). */
#include "landscape.h"

/* clang-format off */
const struct fact published_same_result[] = {
    { "correct.error_min", "§2.1", FACT_EXACT, { "3.8e-4", "3.8e-4" }, "0.00025", "0.00049",
      { "fp16 product: least error of four", "FP16 矩阵乘：4 个配置的最小误差" }, { 0 } },
    { "correct.error_max", "§2.1", FACT_EXACT, { "3.8e-4", "3.8e-4" }, "0.00025", "0.00049",
      { "fp16 product: largest of the four", "FP16 矩阵乘：4 个配置的最大误差" }, { 0 } },
    { 0 }
};
/* clang-format on */

enum { CONFIGURATIONS = 4 };

static const int values[CONFIGURATIONS][MATMUL_KNOBS] = {
    { 128, 128, 64, 4, 3, 8, 1 },
    { 64, 64, 32, 4, 2, 4, 1 },
    { 16, 32, 128, 1, 5, 1, 1 },
    { 64, 128, 32, 2, 2, 2, 4 },
};

void demo1_same_result(struct run *run)
{
    const struct workload w = { "correct", TEXT("200x300x100", "200x300x100"), 200, 300, 100 };
    struct minitriton_outcome outcome[CONFIGURATIONS];
    double error[CONFIGURATIONS];
    struct rng rng = rng_stream(run->options->seed, "01.same_result", 0);
    if (!program_needs_matmul(run))
        return;
    struct table *table = table_of({ TEXT("configuration", "配置"), TABLE_TEXT },
                                   { TEXT("error\n1e-4 of max|C|", "误差\n1e-4 x max|C|"), 2 },
                                   { TEXT("outputs unlike\nthe first's", "与第一个\n不同的输出"), 0 },
                                   { TEXT("of them by 1 unit\nin the last place", "其中差一个\n最小单位的"), 0 });
    minitriton_try(&w, &rng, CONFIGURATIONS, values, outcome);
    for (int i = 0; i < CONFIGURATIONS; i++) {
        const int *v = values[i];
        error[i] = outcome[i].error;
        table_text(table, "%d %d %d %d %d %d %d", v[0], v[1], v[2], v[3], v[4], v[5], v[6]);
        table_numbers(table, 1e4 * error[i], (double)outcome[i].unlike, (double)outcome[i].by_one);
    }
    report_say(
        run->report, "%s",
        tr("A configuration is seven numbers: BLOCK_M, BLOCK_N, BLOCK_K, num_warps, num_stages, GROUP_M, SPLIT_K. "
           "These four run their loops on the same fp16 numbers, standard normal, 200x300x100. Error: the largest difference from a "
           "float64 reference, over the largest output.",
           "一个配置是七个数：BLOCK_M、BLOCK_N、BLOCK_K、num_warps、num_stages、GROUP_M、SPLIT_K。下面四个配置真的按各自的循环算同一个 200x300x100 "
           "的 FP16 矩阵乘法（标准正态的输入）。误差：与 float64 参考之差的最大值，除以输出的最大绝对值。"));
    report_table(run->report, table, NULL);
    report_say(
        run->report,
        tr("Of %zu outputs a few differ, because a configuration groups the additions differently: BLOCK_K and SPLIT_K do, "
           "the tile and GROUP_M do not. The error is that of rounding the result to fp16 (at most 2^-11 = 4.9e-4), whoever computed it. "
           "Differences of more than one unit are of outputs near 0, where the units are tiny.",
           "%zu 个输出里有几个不同，因为配置只改变加法怎样分组：BLOCK_K 和 SPLIT_K 会，块的大小和 GROUP_M 不会。误差就是把结果舍入到 FP16 "
           "的误差（至多 2^-11 = 4.9e-4），与谁算的无关。差不止一个最小单位的都是接近 0 的输出，那里的单位极小。"),
        (size_t)w.m * w.n);
    facts_number(run->facts, "correct.error_min", stats_min(error, CONFIGURATIONS), 6);
    facts_number(run->facts, "correct.error_max", stats_max(error, CONFIGURATIONS), 6);
}

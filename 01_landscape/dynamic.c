/* Demo 5: in LLM decoding M, the batch, changes at every step: what a fixed configuration costs, what buckets save
 * (lecture 2.4). */
#include "landscape.h"
#include <stdio.h>

/* clang-format off */
const struct fact published_dynamic[] = {
    { "dynamic.block_m", "§2.4", FACT_MODEL, { "16 ... 64", "16 ... 64" }, "16 16 16 16 16 32 64 128 64", "",
      { "best BLOCK_M, M = 1, 2, 4 ... 256", "M = 1, 2 ... 256 时最好的 BLOCK_M" }, { 0 } },
    { "dynamic.m256_slowdown", "§2.4", FACT_MODEL, { "3.05", "3.05" }, "3.0", "3.1",
      { "M = 16's optimum used at M = 256", "M = 16 的最优配置用在 M = 256" }, { 0 } },
    { "dynamic.retune_seconds", "§2.4", FACT_EXACT, { "about 25", "约 25" }, "23", "27",
      { "seconds to measure the list anew", "重测一遍列表的秒数" }, { 0 } },
    { 0 }
};
/* clang-format on */

static double time_at(const struct device *device, int m, uint32_t config)
{
    struct workload w = workload_dynamic(m);
    return device_time_us(device, &w, device->space, config);
}

/* Seconds that autotune pays for a new M: each of the 24 is compiled, and those that can be launched run. */
static double retune_seconds(const struct device *device, int m)
{
    struct workload w = workload_dynamic(m);
    struct measurer measurer = measurer_new(device, &w, device->space, TRITON_LIST, 0);
    struct measurement results[TRITON_LIST];
    uint32_t list[TRITON_LIST];
    triton_list(device->space, list);
    measurer_measure(&measurer, TRITON_LIST, list, results);
    return measurer.seconds;
}

static void optimum_table(struct run *run, const uint32_t *optimum)
{
    const struct space *space = run->device->space;
    struct table *table =
        table_of({ TEXT("M", "M"), TABLE_TEXT }, { TEXT("optimum\nus", "最优\nus"), 1 },
                 { TEXT("the optimum", "最优配置"), TABLE_TEXT }, { TEXT("BLOCK_M", "BLOCK_M"), 0 },
                 { TEXT("with M = 16's\nus", "沿用 M = 16 的\nus"), 1 }, { TEXT("slowdown", "慢速比"), 2 });
    char blocks[64] = "", text[64];
    for (int b = 0, used = 0; b < DYNAMIC_BUCKETS; b++) {
        int m = 1 << b;
        double best = time_at(run->device, m, optimum[m]), kept = time_at(run->device, m, optimum[16]);
        table_text(table, "%d", m);
        table_number(table, best);
        table_text(table, "%s", space_format(space, optimum[m], ' ', text, sizeof text));
        int block_m = space_value(space, optimum[m], BLOCK_M);
        table_numbers(table, block_m, kept, kept / best);
        used += snprintf(blocks + used, sizeof blocks - (size_t)used, "%s%d", b ? " " : "", block_m);
        if (m == DYNAMIC_M)
            facts_number(run->facts, "dynamic.m256_slowdown", kept / best, 3);
    }
    facts_text(run->facts, "dynamic.block_m", blocks);
    report_table(run->report, table,
                 tr("C[M,14336] = A[M,4096] B: the optimum moves with M",
                    "C[M,14336] = A[M,4096] B：最优配置随 M 移动"));
}

/* Each bucket serves the M above the last bucket, up to its own, with the configuration tuned for its own. */
static void bucket_table(struct run *run, const double *regret)
{
    struct table *table = table_of({ TEXT("bucket", "桶"), TABLE_TEXT }, { TEXT("mean regret\n%", "平均遗憾\n%"), 1 },
                                   { TEXT("worst regret\n%", "最大遗憾\n%"), 1 }, { TEXT("at M =", "在 M ="), 0 });
    for (int b = 0; b <= DYNAMIC_BUCKETS; b++) {
        bool all = b == DYNAMIC_BUCKETS;
        int from = b == 0 || all ? 1 : (1 << (b - 1)) + 1, to = all ? DYNAMIC_M : 1 << b, worst = from;
        for (int m = from; m <= to; m++)
            worst = regret[m] > regret[worst] ? m : worst;
        if (all)
            table_text(table, "%s", tr("all", "全部"));
        else
            table_text(table, from < to ? "%d ... %d" : "%d", from, to);
        table_numbers(table, stats_mean(regret + from, (size_t)(to - from + 1)), regret[worst], worst);
    }
    report_table(
        run->report, table,
        tr("Buckets at the powers of two, tuned ahead; regret: how much longer than the optimum of M itself, over every M from 1 to 256",
           "按 2 的幂分桶、提前调好；遗憾：比这个 M 自己的最优多用的时间，M 从 1 到 256"));
}

static void draw(struct run *run, const uint32_t *optimum, const double *kept, const double *bucketed)
{
    double m[DYNAMIC_M], blocks[DYNAMIC_M];
    for (int i = 0; i < DYNAMIC_M; i++) {
        m[i] = i + 1;
        blocks[i] = space_value(run->device->space, optimum[i + 1], BLOCK_M);
    }
    const struct axis x = { TEXT("M, rows in the batch (log axis)", "M，批里的行数（对数轴）"), 1, DYNAMIC_M, 2,
                            "1,2,256" };
    figure_lines(run->figures, "dynamic_block_m",
                 TEXT("BLOCK_M of the optimum as the batch grows", "批变大时最优配置的 BLOCK_M"), x,
                 (struct axis){ TEXT("BLOCK_M", "BLOCK_M"), 8, 320, 2, "(16,32,64,128,256)" }, 1,
                 (struct series[]){ { TEXT("BLOCK_M", "BLOCK_M"), DYNAMIC_M, m, blocks, NULL, NULL } });
    figure_lines(run->figures, "dynamic_regret",
                 TEXT("Regret: one configuration for every M, and buckets", "遗憾：一个配置用到底，和分桶"), x,
                 (struct axis){ TEXT("time over the optimum's, %", "比最优多用的时间，%"), 0, 220, 0, "0,50,200" }, 2,
                 (struct series[]){ { TEXT("M = 16's optimum", "M = 16 的最优"), DYNAMIC_M, m, kept, NULL, NULL },
                                    { TEXT("buckets", "分桶"), DYNAMIC_M, m, bucketed, NULL, NULL } });
}

void demo5_dynamic_m(struct run *run)
{
    if (!program_needs_hypogpu(run))
        return;
    const struct device *device = run->device;
    uint32_t optimum[DYNAMIC_M + 1];
    double kept[DYNAMIC_M + 1], bucketed[DYNAMIC_M + 1]; /* by M, from 1 on */
#pragma omp parallel for schedule(dynamic)
    for (int m = 1; m <= DYNAMIC_M; m++) {
        struct workload w = workload_dynamic(m);
        optimum[m] = device_optimum(device, &w);
    }
    for (int m = 1, bucket = 1; m <= DYNAMIC_M; m++) {
        double best = time_at(device, m, optimum[m]);
        bucket = bucket < m ? 2 * bucket : bucket;
        kept[m] = 100 * (time_at(device, m, optimum[16]) / best - 1);
        bucketed[m] = 100 * (time_at(device, m, optimum[bucket]) / best - 1);
    }
    optimum_table(run, optimum);
    bucket_table(run, bucketed);
    double seconds = retune_seconds(device, DYNAMIC_M);
    report_say(
        run->report,
        tr("With M in the key, every new M costs %.1f s to measure the list of 24: not while a user waits. Buckets, tuned ahead, lose at most "
           "%.1f %% if each runs its true optimum (what a search finds instead costs more: exercise 8); one configuration for all M "
           "loses up to %.0f %%.",
           "如果 key 里有 M，每出现一个新的 M 都要花 %.1f 秒测一遍 24 个配置，不能让用户等着。"
           "提前调好的桶，若各用真正的最优，最多慢 %.1f%%（用搜索找到的会更慢：练习 8）；所有 M 用一个配置最多慢 %.0f%%。"),
        seconds, stats_max(bucketed + 1, DYNAMIC_M), stats_max(kept + 1, DYNAMIC_M));
    facts_number(run->facts, "dynamic.retune_seconds", seconds, 1);
    draw(run, optimum, kept + 1, bucketed + 1);
}

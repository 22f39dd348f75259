/* Demo 1: the network's tasks, and where its time goes when each is as fast as it can be (lecture 6.1, 6.3). */
#include "network.h"

/* clang-format off */
const struct fact published_tasks[] = {
    { "network.tasks", "§6.3", FACT_EXACT, { "11", "11" }, "11", "11",
      { "tasks of the toy network", "玩具网络的任务数" }, { 0 } },
    { "network.optimum_ms", "§6.3", FACT_MODEL, { "35.75", "35.75" }, "35.7", "35.8",
      { "end to end at the optimum, ms", "都取最优时的端到端，ms" }, { 0 } },
    { "network.top4_pct", "§6.3", FACT_MODEL, { "75", "75" }, "74.5", "75.5",
      { "share of the four largest, %", "最大四个任务的占比，%" },
      { "one of the three of 28 fitted values that miss by a hair. The four tasks are as published; QKV and FFN down, 0.1 % apart, have changed places.",
        "28 个拟合值里差一点的三个之一。四个任务与讲义一致；QKV 和 FFN 下只差 0.1%，换了位置。" } },
    { "network.low_intensity_min", "§6.3", FACT_EXACT, { "15", "15" }, "15", "15.9",
      { "least FLOP/byte, LoRA and decode", "LoRA 和解码的最低算术强度" }, { 0 } },
    { "network.low_intensity_max", "§6.3", FACT_EXACT, { "16", "16" }, "15.5", "16.4",
      { "most FLOP/byte, LoRA and decode", "LoRA 和解码的最高算术强度" }, { 0 } },
    { "network.prefill_intensity_min", "§6.3", FACT_EXACT, { "410", "410" }, "409", "411",
      { "least FLOP/byte, prefill", "预填充的最低算术强度" }, { 0 } },
    { "network.prefill_intensity_max", "§6.3", FACT_EXACT, { "449", "449" }, "448", "450",
      { "most FLOP/byte, prefill", "预填充的最高算术强度" }, { 0 } },
    { "network.ridge", "§6.3", FACT_EXACT, { "156", "156" }, "156", "156",
      { "ridge point of HypoGPU, FLOP/byte", "HypoGPU 的拐点，FLOP/字节" }, { 0 } },
    { 0 }
};
/* clang-format on */

/* Lecture 0.4: FLOP a us of all tensor cores over DRAM's bytes a us. Below it a product waits for memory. */
static double ridge(void)
{
    return (double)HYPOGPU_SMS * HYPOGPU_FLOP_A_CYCLE * HYPOGPU_MHZ / HYPOGPU_DRAM_BYTES_A_US;
}

static bool is_memory_bound(int task) { return workload_intensity(&workload_network[task].workload) < ridge(); }

static void task_table(struct run *run, const struct network *n, double total_us)
{
    struct table *table =
        table_of({ TEXT("task", "任务"), TABLE_TEXT }, { TEXT("M x N x K", "M x N x K"), TABLE_TEXT },
                 { TEXT("runs", "次数"), 0 }, { TEXT("GFLOP", "GFLOP"), 1 }, { TEXT("MB", "MB"), 0 },
                 { TEXT("FLOP/\nbyte", "FLOP/\n字节"), 1 }, { TEXT("bound", "受限于"), TABLE_TEXT },
                 { TEXT("best\nus", "最优\nus"), 1 }, { TEXT("total\nms", "合计\nms"), 2 },
                 { TEXT("share\n%", "占比\n%"), 1 });
    for (int i = 0; i < TASKS; i++) {
        const struct workload *w = &workload_network[i].workload;
        char shape[64];
        table_text(table, "%s", network_name(i));
        table_text(table, "%s", workload_shape(w, shape, sizeof shape));
        table_numbers(table, n->count[i], workload_flop(w) / 1e9, workload_bytes(w) / 1e6, workload_intensity(w));
        table_text(table, "%s", is_memory_bound(i) ? tr("memory", "访存") : tr("compute", "计算"));
        table_numbers(table, n->optimum_us[i], n->count[i] * n->optimum_us[i] / 1e3,
                      100 * n->count[i] * n->optimum_us[i] / total_us);
    }
    report_table(run->report, table, "%s",
                 tr("One run of each task, at its optimum; total and share: all its runs in one pass of the network",
                    "每个任务各取最优配置、运行一次；合计和占比按网络走一遍的全部次数算"));
}

/* Where the tasks' intensities lie on either side of the ridge. */
static void intensity_facts(struct run *run)
{
    double low[TASKS], high[TASKS];
    size_t lows = 0, highs = 0;
    for (int i = 0; i < TASKS; i++) {
        double intensity = workload_intensity(&workload_network[i].workload);
        if (is_memory_bound(i))
            low[lows++] = intensity;
        else
            high[highs++] = intensity;
    }
    report_say(
        run->report,
        tr("The ridge of HypoGPU, where computing and memory take equally long, is at %.0f FLOP a byte. LoRA and decode do %.1f to %.1f: they wait for memory, and "
           "no tuning lets them reach the FLOP/s of prefill, which does %.0f to %.0f. Remember this for demo 2.",
           "HypoGPU 的拐点（计算和访存一样久）是每字节 %.0f FLOP。LoRA 和解码只有 %.1f 到 %.1f：它们在等访存，怎么调也到不了预填充（%.0f "
           "到 %.0f）那样的 FLOP/s。演示 2 要用到这一点。"),
        ridge(), stats_min(low, lows), stats_max(low, lows), stats_min(high, highs), stats_max(high, highs));
    facts_number(run->facts, "network.ridge", ridge(), 0);
    facts_number(run->facts, "network.low_intensity_min", stats_min(low, lows), 1);
    facts_number(run->facts, "network.low_intensity_max", stats_max(low, lows), 1);
    facts_number(run->facts, "network.prefill_intensity_min", stats_min(high, highs), 0);
    facts_number(run->facts, "network.prefill_intensity_max", stats_max(high, highs), 0);
}

/* How much each task has of the network's FLOP, and how much of its time. */
static void draw(struct run *run, const struct network *n, double total_us)
{
    struct text names[TASKS], groups[2] = { TEXT("FLOP", "FLOP"), TEXT("time at the optimum", "最优时的时间") };
    double value[2 * TASKS], flop = 0;
    for (int i = 0; i < TASKS; i++)
        flop += n->count[i] * n->task[i].flop;
    for (int i = 0; i < TASKS; i++) {
        names[i] = workload_network[i].workload.name;
        value[i] = 100 * n->count[i] * n->task[i].flop / flop;
        value[TASKS + i] = 100 * n->count[i] * n->optimum_us[i] / total_us;
    }
    figure_stack(run->figures, "network_share",
                 TEXT("Each task's share of the network: of its FLOP, of its time",
                      "每个任务在网络里占多少：FLOP 和时间"),
                 (struct axis){ TEXT("share, %", "占比，%"), 0, 100, 0, "0,20,100" },
                 &(struct bars){ 2, TASKS, groups, names, value, 0 }, NULL);
}

void demo1_tasks(struct run *run)
{
    const struct network *n = network_shared(run);
    double total_us = 0, part_us[TASKS], top4_us = 0;
    uint32_t order[TASKS];
    for (int i = 0; i < TASKS; i++) {
        part_us[i] = -n->count[i] * n->optimum_us[i]; /* negative: stats_order puts the largest first */
        total_us -= part_us[i];
    }
    stats_order(part_us, TASKS, order);
    for (int k = 0; k < 4; k++)
        top4_us -= part_us[order[k]];

    report_say(
        run->report, "%s",
        tr("A 7B decoder of 32 layers: prefill of 512 tokens, one decode step of batch 16, rank-16 LoRA on 4 "
           "projections.",
           "一个 32 层的 7B 解码器：512 个 token 的预填充、批为 16 的一个解码步、4 个投影上秩为 16 的 LoRA。"));
    task_table(run, n, total_us);
    report_say(
        run->report,
        tr("With every task at its optimum one pass takes %.2f ms. Four tasks are %.1f %% of it: %s, %s, %s, %s.",
           "每个任务都取最优时，走一遍要 %.2f ms。其中四个任务占 %.1f%%：%s、%s、%s、%s。"),
        total_us / 1e3, 100 * top4_us / total_us, network_name((int)order[0]), network_name((int)order[1]),
        network_name((int)order[2]), network_name((int)order[3]));
    facts_number(run->facts, "network.tasks", TASKS, 0);
    facts_number(run->facts, "network.optimum_ms", total_us / 1e3, 2);
    facts_number(run->facts, "network.top4_pct", 100 * top4_us / total_us, 1);
    intensity_facts(run);
    draw(run, n, total_us);
}

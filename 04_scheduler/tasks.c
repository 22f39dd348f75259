/* Demo 1: the network's tasks, and where its time goes when each is as fast as it can be (lecture 6.1, 6.3). */
#include "network.h"
#include <math.h>
#include <stdlib.h>

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

static double share_pct(const struct network *n, int task)
{
    return 100 * n->count[task] * n->optimum_us[task] / n->total_us;
}

static void task_table(struct run *run, const struct network *n)
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
        table_text(table, "%s", n->task[i].intensity < n->ridge ? tr("memory", "访存") : tr("compute", "计算"));
        table_numbers(table, n->optimum_us[i], n->count[i] * n->optimum_us[i] / 1e3, share_pct(n, i));
    }
    report_table(run->report, table, "%s",
                 tr("One run of each task, at its optimum; total and share: all its runs in one pass of the network",
                    "每个任务各取最优配置、运行一次；合计和占比按网络走一遍的全部次数算"));
}

static double four_largest(const struct network *n)
{
    double pct = 0;
    for (int k = 0; k < 4; k++)
        pct += share_pct(n, (int)n->order[k]);
    return pct;
}

static void say_four(struct run *run, const struct network *n)
{
    const int k[4] = { (int)n->order[0], (int)n->order[1], (int)n->order[2], (int)n->order[3] };
    report_say(
        run->report,
        tr("%s: with every task at its optimum one pass takes %.2f ms. Four tasks are %.1f %% of it: %s, %s, %s, %s.",
           "%s：每个任务都取最优时，走一遍要 %.2f ms。其中四个任务占 %.1f%%：%s、%s、%s、%s。"),
        n->device->name, n->total_us / 1e3, four_largest(n), network_name(k[0]), network_name(k[1]),
        network_name(k[2]), network_name(k[3]));
}

/* Where the tasks' intensities lie on either side of the ridge. */
static void say_intensity(struct run *run, const struct network *n)
{
    double low[TASKS], high[TASKS];
    size_t lows = 0, highs = 0;
    for (int i = 0; i < TASKS; i++)
        if (n->task[i].intensity < n->ridge)
            low[lows++] = n->task[i].intensity;
        else
            high[highs++] = n->task[i].intensity;
    if (n->device->is_hypogpu)
        report_say(run->report,
                   tr("The ridge of HypoGPU, where computing and memory take equally long, is at %.0f FLOP a byte.",
                      "HypoGPU 的拐点（计算和访存一样久）是每字节 %.0f FLOP。"),
                   n->ridge);
    else
        report_say(run->report,
                   tr("The ridge of %s, as the optima show it, the most FLOP/s of any task over the most bytes/s of any, is at "
                      "%.0f FLOP a byte.",
                      "%s 的拐点按最优配置估计：各任务里最高的 FLOP/s 除以最高的字节/s，是每字节 %.0f FLOP。"),
                   n->device->name, n->ridge);
    if (lows == 0 || highs == 0)
        return;
    report_say(
        run->report,
        tr("Tasks bound by memory do %.1f to %.1f FLOP a byte: they wait for memory, and no tuning lets them reach the FLOP/s of "
           "those bound by computing, which do %.0f to %.0f. Remember this for demo 2.",
           "受访存限制的任务每字节只有 %.1f 到 %.1f FLOP：它们在等访存，怎么调也到不了受计算限制的任务（%.0f 到 %.0f）那样的 "
           "FLOP/s。演示 2 要用到这一点。"),
        stats_min(low, lows), stats_max(low, lows), stats_min(high, highs), stats_max(high, highs));
    facts_number(run->facts, "network.ridge", n->ridge, 0);
    facts_number(run->facts, "network.low_intensity_min", stats_min(low, lows), 1);
    facts_number(run->facts, "network.low_intensity_max", stats_max(low, lows), 1);
    facts_number(run->facts, "network.prefill_intensity_min", stats_min(high, highs), 0);
    facts_number(run->facts, "network.prefill_intensity_max", stats_max(high, highs), 0);
}

/* The names of the tasks on which the tuned kernel is faster than cuBLAS, or is not; NULL: on none. */
static char *names_beside_cublas(const struct network *n, const double *cublas_us, bool faster)
{
    char *names = NULL;
    for (int i = 0; i < TASKS; i++)
        if (!isnan(cublas_us[i]) && (n->optimum_us[i] < cublas_us[i]) == faster)
            xappend(&names, "%s%s", names ? tr(", ", "、") : "", network_name(i));
    return names;
}

/* A recording beside HypoGPU, and its tuned kernel beside cuBLAS. */
static void compare(struct run *run, const struct network *n, const struct network *hypo)
{
    double cublas_us[TASKS];
    struct table *table =
        table_of({ TEXT("task", "任务"), TABLE_TEXT }, { TEXT("share %\nhere", "占比 %\n这里"), 1 },
                 { TEXT("share %\nHypoGPU", "占比 %\nHypoGPU"), 1 }, { TEXT("best\nus", "最优\nus"), 1 },
                 { TEXT("HypoGPU's\nbest, us", "HypoGPU 的\n最优，us"), 1 }, { TEXT("cuBLAS\nus", "cuBLAS\nus"), 1 },
                 { TEXT("cuBLAS\nover best", "cuBLAS\n除以最优"), 2 });
    for (int i = 0; i < TASKS; i++) {
        cublas_us[i] = run->device->library_us ? run->device->library_us(run->device, &workload_network[i].workload) : 0;
        cublas_us[i] = cublas_us[i] > 0 ? cublas_us[i] : NAN;
        table_text(table, "%s", network_name(i));
        table_numbers(table, share_pct(n, i), share_pct(hypo, i), n->optimum_us[i], hypo->optimum_us[i], cublas_us[i],
                      cublas_us[i] / n->optimum_us[i]);
    }
    report_table(run->report, table,
                 tr("%s beside HypoGPU and beside cuBLAS (-: not recorded)", "%s 与 HypoGPU、与 cuBLAS 比（-：没有录）"),
                 run->device->name);
    say_four(run, hypo);
    char *faster = names_beside_cublas(n, cublas_us, true), *slower = names_beside_cublas(n, cublas_us, false);
    if (faster || slower)
        report_say(run->report,
                   tr("Beside cuBLAS the tuned kernel is faster on: %s. It is not on: %s.",
                      "与 cuBLAS 比，调好的内核更快的：%s。没有更快的：%s。"),
                   faster ? faster : "-", slower ? slower : "-");
    free(slower);
    free(faster);
}

/* How much each task has of the network's FLOP, and how much of its time on each of the devices. */
static void draw(struct run *run, int devices, const struct network *const *on)
{
    struct text names[TASKS], groups[3] = { TEXT("FLOP", "FLOP"), TEXT("time", "时间") };
    double value[3 * TASKS], flop = 0;
    for (int i = 0; i < TASKS; i++)
        flop += on[0]->count[i] * on[0]->task[i].flop;
    for (int d = 0; d < devices; d++)
        groups[d + 1] = text_format("time at the optimum, %s", "最优时的时间，%s", on[d]->device->name);
    for (int i = 0; i < TASKS; i++) {
        names[i] = workload_network[i].workload.name;
        value[i] = 100 * on[0]->count[i] * on[0]->task[i].flop / flop;
        for (int d = 0; d < devices; d++)
            value[(d + 1) * TASKS + i] = share_pct(on[d], i);
    }
    figure_stack(run->figures, devices > 1 ? "h200_network_share" : "network_share",
                 devices > 1 ? TEXT("Each task's share of the network's FLOP, and of its time on two GPUs, %",
                                    "每个任务占网络的 FLOP 和在两个 GPU 上的时间，%")
                             : TEXT("Each task's share of the network's FLOP and of its time, %",
                                    "每个任务占网络的 FLOP 和时间，%"),
                 (struct axis){ TEXT("share, %", "占比，%"), 0, 100, 0, "0,20,100" },
                 &(struct bars){ devices + 1, TASKS, groups, names, value, 0 }, NULL);
    for (int d = 0; d < devices; d++)
        text_free(groups[d + 1]);
}

void demo1_tasks(struct run *run)
{
    const struct network *n = network_shared(run);
    report_say(
        run->report, "%s",
        tr("A 7B decoder of 32 layers: prefill of 512 tokens, one decode step of batch 16, rank-16 LoRA on 4 "
           "projections.",
           "一个 32 层的 7B 解码器：512 个 token 的预填充、批为 16 的一个解码步、4 个投影上秩为 16 的 LoRA。"));
    task_table(run, n);
    say_four(run, n);
    facts_number(run->facts, "network.tasks", TASKS, 0);
    facts_number(run->facts, "network.optimum_ms", n->total_us / 1e3, 2);
    facts_number(run->facts, "network.top4_pct", four_largest(n), 1);
    say_intensity(run, n);
    if (run->device->is_hypogpu) {
        draw(run, 1, &n);
        return;
    }
    struct device *gpu = hypogpu_new(HYPOGPU_UNMODELLED);
    struct network *hypo = network_new(run, gpu, 1);
    compare(run, n, hypo);
    draw(run, 2, (const struct network *[]){ hypo, n });
    network_free(hypo);
    device_close(gpu);
}

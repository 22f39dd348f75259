/* --explain: where the time of one configuration goes, in the manner of a profiler's speed-of-light page. */
#include "landscape.h"
#include <math.h>

/* The parts add up to the whole: what the busiest SM does, what DRAM adds to that, launches, and the rest. */
static void time_table(struct run *run, const struct hypogpu_breakdown *b)
{
    double rounds = (double)b->full_rounds + (b->last.blocks > 0), fill = rounds * b->fill / HYPOGPU_MHZ;
    double store = ((double)b->full_rounds * b->full.store + b->last.store) / HYPOGPU_MHZ;
    double loop = b->sm_us - fill - store, modelled = b->time_us / b->perturbation;
    const struct {
        struct text name;
        double us;
    } parts[] = {
        { TEXT("K loop of the busiest SM", "最忙的 SM 走 K 循环"), loop },
        { TEXT("filling its pipeline", "填满流水线"), fill },
        { TEXT("storing its tiles", "写回结果块"), store },
        { TEXT("DRAM, beyond what the SM hides", "显存，SM 掩盖不了的部分"), b->combined_us - b->sm_us },
        { TEXT("launch", "启动内核"), b->launch_us },
        { TEXT("second kernel that sums SPLIT_K parts", "把 SPLIT_K 份相加的第二个内核"), b->reduction_us },
        { TEXT("what nobody modelled", "未建模的扰动"), b->time_us - modelled },
        { TEXT("all", "全部"), b->time_us },
    };
    struct table *table = table_of({ TEXT("part of the time", "时间的组成"), TABLE_TEXT }, { TEXT("us", "us"), 2 },
                                   { TEXT("share\n%", "比例\n%"), 1 });
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        table_text(table, "%s", tr_text(parts[i].name));
        table_numbers(table, parts[i].us, 100 * parts[i].us / b->time_us);
    }
    report_table(run->report, table, NULL);
}

/* A full round; the last, if none is full. */
static const struct hypogpu_round *main_round(const struct hypogpu_breakdown *b)
{
    return b->full_rounds ? &b->full : &b->last;
}

/* One K-step of a full SM: the slowest of the four sets the pace. */
static const char *pace_table(struct run *run, const struct hypogpu_breakdown *b)
{
    const struct hypogpu_round *r = main_round(b);
    bool latency = r->own_pace > b->alone;
    const struct {
        struct text name, bottleneck;
        double cycles;
    } needs[] = {
        { TEXT("tensor cores", "Tensor Core"), TEXT("tensor-core throughput", "Tensor Core 吞吐"), r->tensor },
        { TEXT("shared memory", "共享内存"), TEXT("shared-memory bandwidth", "共享内存带宽"), r->smem },
        { TEXT("L2", "L2"), TEXT("L2 bandwidth", "L2 带宽"), r->l2 },
        { latency ? TEXT("a load to arrive, over num_stages - 1", "等一次读取，除以 num_stages - 1")
                  : TEXT("one block's own work", "一个块自己的工作"),
          latency ? TEXT("load latency that too few stages expose", "级数太少、没有掩盖的读取延迟")
                  : TEXT("the pace of a single block: too few warps or blocks on an SM",
                         "单个块的步调：SM 上的 warp 或块太少"),
          r->own_pace },
    };
    struct table *table = table_of({ TEXT("one K-step needs", "一个 K 步需要"), TABLE_TEXT },
                                   { TEXT("cycles", "周期"), 1 }, { TEXT("of the pace\n%", "占步长\n%"), 1 });
    int slowest = 0;
    for (int i = 0; i < 4; i++) {
        slowest = needs[i].cycles > needs[slowest].cycles ? i : slowest;
        table_text(table, "%s", tr_text(needs[i].name));
        table_number(table, needs[i].cycles);
        table_number(table, 100 * needs[i].cycles / r->step);
        if (needs[i].cycles == r->step)
            table_best(table);
    }
    report_table(run->report, table,
                 tr("The slowest of four sets the pace (*), with the blocks of a full round on one SM",
                    "四者中最慢的决定步长（*），按一个 SM 上一整轮的块数算"));
    return tr_text(needs[slowest].bottleneck);
}

static void occupancy_table(struct run *run, const struct hypogpu_breakdown *b)
{
    struct table *table =
        table_of({ TEXT("blocks that fit on an SM", "一个 SM 上放得下几个块"), TABLE_TEXT },
                 { TEXT("blocks", "块"), 0 }, { TEXT("because a block takes", "因为每块占用"), TABLE_TEXT });
    table_text(table, "%s", tr("by shared memory", "按共享内存"));
    table_number(table, b->by_smem);
    table_text(table, tr("%.0f KB of the SM's 164", "SM 的 164 KB 中的 %.0f KB"), b->smem_bytes / 1024.0 + 1);
    table_text(table, "%s", tr("by registers", "按寄存器"));
    table_number(table, b->by_registers);
    table_text(table, tr("%.0f a thread, %d threads", "每线程 %.0f 个，%d 个线程"),
               fmin(b->registers, b->register_cap), b->threads);
    table_text(table, "%s", tr("by threads", "按线程"));
    table_number(table, b->by_threads);
    table_text(table, tr("%d of 2048 threads", "2048 个线程中的 %d 个"), b->threads);
    table_text(table, "%s", tr("occupancy: the least", "占用率：最小的"));
    table_number(table, b->occupancy);
    table_text(table, tr("%d of 64 warps", "64 个 warp 中的 %d 个"), b->occupancy * b->threads / 32);
    report_table(run->report, table, NULL);
}

static void machine(struct run *run, const struct workload *w, const struct hypogpu_breakdown *b)
{
    double peak = HYPOGPU_SMS * HYPOGPU_FLOP_A_CYCLE * HYPOGPU_MHZ; /* FLOP a us */
    report_say(
        run->report,
        tr("Waves: %lld blocks on %d SMs. The busiest SM runs %lld; full rounds: %lld of %d blocks, then %d more. SM time without a block: "
           "%.1f %%.",
           "波次：%lld 个块分给 %d 个 SM；最忙的 SM 跑 %lld 个：整轮 %lld 次、每次 %d 个，最后再跑 %d 个；SM 上没有块的时间占 %.1f%%。"),
        b->blocks, HYPOGPU_SMS, b->busiest, b->full_rounds, b->occupancy, b->last.blocks, 100 * b->idle_share);
    report_say(
        run->report,
        tr("DRAM: %.1f MB read and %.1f MB written, %.2f times the least possible (%.1f MB); %.1f us, %.0f %% of the time.",
           "显存：读 %.1f MB，写 %.1f MB，是最低限度的 %.2f 倍（最低 %.1f MB）；%.1f us，占 %.0f%%。"),
        b->read_bytes / 1e6, b->written_bytes / 1e6, (b->read_bytes + b->written_bytes) / b->minimum_bytes,
        b->minimum_bytes / 1e6, b->dram_us, 100 * b->dram_us / b->time_us);
    report_say(
        run->report,
        tr("Speed of light: %.1f TFLOP/s, %.0f %% of the tensor cores' peak; %.0f GB/s, %.0f %% of DRAM's.",
           "离硬件上限（speed of light）：%.1f TFLOP/s，Tensor Core 峰值的 %.0f%%；%.0f GB/s，显存峰值的 %.0f%%。"),
        workload_flop(w) / b->time_us / 1e6, 100 * workload_flop(w) / b->time_us / peak,
        (b->read_bytes + b->written_bytes) / b->time_us / 1e3,
        100 * (b->read_bytes + b->written_bytes) / b->time_us / HYPOGPU_DRAM_BYTES_A_US);
}

static void every_value(struct run *run, const struct hypogpu_breakdown *b)
{
    const struct {
        const char *name;
        double value;
        const char *unit;
    } values[] = {
        { "grid_m = ceil(M / BLOCK_M)", b->grid_m, "tiles" },
        { "grid_n = ceil(N / BLOCK_N)", b->grid_n, "tiles" },
        { "k_slice = ceil(K / SPLIT_K)", b->k_slice, "" },
        { "k_steps = ceil(k_slice / BLOCK_K)", b->k_steps, "" },
        { "blocks = grid_m grid_n SPLIT_K", (double)b->blocks, "" },
        { "threads = 32 num_warps", b->threads, "" },
        { "warp_m", b->warp_m, "rows" },
        { "warp_n", b->warp_n, "columns" },
        { "accumulators a thread", b->accumulators, "" },
        { "registers", b->registers, "a thread" },
        { "register_cap", b->register_cap, "a thread" },
        { "spilled", b->spilled, "a thread" },
        { "step_bytes", b->step_bytes, "bytes" },
        { "step_flop", b->step_flop, "FLOP" },
        { "efficiency of a warp tile", b->efficiency, "" },
        { "work", b->work, "cycles" },
        { "alone", b->alone, "cycles" },
        { "latency of a load", main_round(b)->latency, "cycles" },
        { "own_pace", main_round(b)->own_pace, "cycles" },
        { "step", main_round(b)->step, "cycles" },
        { "fill_cycles", b->fill, "cycles" },
        { "store_cycles of that round", main_round(b)->store, "cycles" },
        { "sm_us", b->sm_us, "us" },
        { "waves", (double)b->waves, "" },
        { "dram_us", b->dram_us, "us" },
        { "combined_us = (sm_us^8 + dram_us^8)^(1/8)", b->combined_us, "us" },
        { "perturbation", b->perturbation, "x" },
    };
    struct table *table = table_of({ TEXT("value (hypogpu.c)", "中间值（hypogpu.c）"), TABLE_TEXT },
                                   { TEXT("", ""), 4 }, { TEXT("unit", "单位"), TABLE_TEXT });
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        table_text(table, "%s", values[i].name);
        table_number(table, values[i].value);
        table_text(table, "%s", values[i].unit);
    }
    report_table(run->report, table,
                 tr("Every intermediate value; a K-step's are those of a full round",
                    "所有中间值；K 步的值按一整轮算"));
}

/* Says which knob's best value gains most, the others as they are; returns that knob. */
static int say_gain(struct run *run, const struct landscape *l, uint32_t config)
{
    uint32_t best = config;
    int helps = 0;
    for (int k = 0; k < l->space->knobs; k++) {
        uint32_t to = landscape_best_value(l, config, k);
        if (l->time_us[to] < l->time_us[best]) {
            best = to;
            helps = k;
        }
    }
    if (best == config)
        report_say(run->report, "%s",
                   tr("No single knob helps: a local minimum.", "改任何一个旋钮都不会更快：这是一个局部最优。"));
    else
        report_say(run->report,
                   tr("The single change that helps most: %s = %d, %.1f %% less time.",
                      "最有用的一处改动：%s = %d，时间少 %.1f%%。"),
                   l->space->knob[helps].name, space_value(l->space, best, helps),
                   100 * (1 - l->time_us[best] / l->time_us[config]));
    return helps;
}

/* For each knob the value that helps most, the others as they are. */
static void gain_table(struct run *run, const struct landscape *l, uint32_t config)
{
    struct table *table =
        table_of({ TEXT("change one knob", "改一个旋钮"), TABLE_TEXT }, { TEXT("now", "现在"), 0 },
                 { TEXT("best", "最好"), 0 }, { TEXT("us", "us"), 2 }, { TEXT("gain\n%", "收益\n%"), 1 });
    for (int k = 0; k < l->space->knobs; k++) {
        uint32_t to = landscape_best_value(l, config, k);
        table_text(table, "%s", l->space->knob[k].name);
        table_numbers(table, space_value(l->space, config, k), space_value(l->space, to, k), l->time_us[to],
                      100 * (1 - l->time_us[to] / l->time_us[config]));
    }
    report_table(run->report, table, NULL);
}

/* padding: the share of the tiles' outputs that lie outside the matrix, and are computed for nothing; helps: the knob
 * that gains most. Padding is what costs most where another tile gains most. */
static void say_bottleneck(struct run *run, const struct hypogpu_breakdown *b, double padding, int helps,
                           const char *pace)
{
    if (b->launch_us + b->reduction_us > fmax(b->sm_us, b->dram_us))
        report_say(run->report, "%s",
                   tr("Bottleneck: launching kernels; the shape is too small for its own work to matter.",
                      "瓶颈：启动内核；形状太小，计算本身不算什么。"));
    else if (b->dram_us > b->sm_us)
        report_say(run->report, "%s", tr("Bottleneck: DRAM bandwidth.", "瓶颈：显存带宽。"));
    else if (padding > 0.5 && helps <= BLOCK_N)
        report_say(run->report,
                   tr("Bottleneck: padding; %.0f %% of what the tiles compute lies outside the matrix. Besides, for %.0f %% of "
                      "the time an SM slot has no thread block. Within a block: %s.",
                      "瓶颈：填充，结果块算的有 %.0f%% 在矩阵之外。此外 %.0f%% 的时间 SM 上没有块可跑。块内：%s。"),
                   100 * padding, 100 * b->idle_share, pace);
    else if (b->idle_share > 0.5)
        report_say(
            run->report,
            tr("Bottleneck: too few thread blocks; for %.0f %% of the time an SM slot has none. Within a block: %s.",
               "瓶颈：线程块太少，%.0f%% 的时间 SM 上没有块可跑。块内：%s。"),
            100 * b->idle_share, pace);
    else
        report_say(run->report, tr("Bottleneck: %s.", "瓶颈：%s。"), pace);
}

void explain_configuration(struct run *run)
{
    const struct workload shape = program_shape(run, "square"), *w = &shape;
    const struct space *space = run->device->space;
    int v[MATMUL_KNOBS];
    if (!run->device->is_hypogpu)
        die("--explain needs the model of HypoGPU; a recording has times alone");
    uint32_t config = space_parse(space, run->options->explain, "--explain");
    space_values(space, config, v);
    if (!space_is_legal(space, config))
        die("--explain %s: illegal: %s (it asks for %.0f KB of shared memory)", run->options->explain,
            tr_text(space->reason[space->illegal[config] - 1]), matmul_smem_bytes(v) / 1024.0);
    struct hypogpu_breakdown b = hypogpu_explain(run->device, w, v);
    struct landscape l = landscape_new(run->device, w, space);
    double padding = 1 - (double)w->m * w->n / ((double)b.grid_m * v[BLOCK_M] * b.grid_n * v[BLOCK_N]);

    report_section(run->report, 0, TEXT("Where the time goes", "时间花在哪里"), NULL);
    report_say(run->report,
               tr("%s on %s, %dx%dx%d: %.2f us, %.2f times the optimum's.",
                  "%s 在%s（%dx%dx%d）上：%.2f us，是最优的 %.2f 倍。"),
               run->options->explain, tr_text(w->name), w->m, w->n, w->k, b.time_us, landscape_slowdown(&l, config));
    int helps = say_gain(run, &l, config);
    time_table(run, &b);
    const char *pace = pace_table(run, &b);
    occupancy_table(run, &b);
    machine(run, w, &b);
    say_bottleneck(run, &b, padding, helps, pace);
    gain_table(run, &l, config);
    if (run->options->verbose)
        every_value(run, &b);
    landscape_free(&l);
}

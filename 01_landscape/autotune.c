/* Demos 2 and 3: what @triton.autotune finds with the slides' list, and why it has a key (lecture 2.2, 2.3). */
#include "landscape.h"
#include <math.h>

/* clang-format off */
const struct fact published_autotune[] = {
    { "triton.configs", "§2.2", FACT_EXACT, { "24", "24" }, "24", "24",
      { "configurations in the slides' list", "slides 配置表里的配置数" }, { 0 } },
    { "triton.illegal", "§2.2", FACT_EXACT, { "12", "12" }, "12", "12",
      { "of them over 163 KB shared memory", "其中共享内存超过 163 KB 的" }, { 0 } },
    { "triton.smem_min_kb", "§2.2", FACT_EXACT, { "192", "192" }, "192", "192",
      { "least an illegal one asks for, KB", "不合法的最少要多少，KB" }, { 0 } },
    { "triton.smem_max_kb", "§2.2", FACT_EXACT, { "384", "384" }, "384", "384",
      { "most that one asks for, KB", "不合法的最多要多少，KB" }, { 0 } },
    { "triton.square", "§2.2", FACT_MODEL, { "already good", "已经很好" }, "1.0", "1.12",
      { "best of list / optimum, square", "配置表最好 / 最优：方阵" }, { 0 } },
    { "triton.prefill", "§2.2", FACT_MODEL, { "already good", "已经很好" }, "1.0", "1.12",
      { "best of list / optimum, prefill", "配置表最好 / 最优：预填充 QKV" }, { 0 } },
    { "triton.decode", "§2.2", FACT_MODEL, { "poor", "很差" }, "1.45", "3.5",
      { "best of list / optimum, decode", "配置表最好 / 最优：解码" }, { 0 } },
    { "triton.wgrad", "§2.2", FACT_MODEL, { "4.5", "4.5" }, "4.4", "4.6",
      { "best of list / optimum, wgrad", "配置表最好 / 最优：权重梯度" }, { 0 } },
    { "decode.padding_pct", "§2.2", FACT_EXACT, { "88", "88" }, "87", "88",
      { "padding in 128 rows at M = 16, %", "M = 16 时 128 行里的填充，%" }, { 0 } },
    { "decode.best_block_m", "§2.2", FACT_MODEL, { "16", "16" }, "16", "16",
      { "BLOCK_M of decode's optimum", "解码最优配置的 BLOCK_M" }, { 0 } },
    { "wgrad.blocks", "§2.2", FACT_EXACT, { "16", "16" }, "16", "16",
      { "128x128 blocks of wgrad's output", "权重梯度输出的 128x128 块数" }, { 0 } },
    { "wgrad.best_split_k", "§2.2", FACT_MODEL, { "16", "16" }, "16", "16",
      { "SPLIT_K of wgrad's optimum", "权重梯度最优配置的 SPLIT_K" }, { 0 } },
    { "cross.min", "§2.3", FACT_MODEL, { "1.06", "1.06" }, "1.05", "1.07",
      { "another shape's optimum: least", "最优配置拿到别的形状：最小慢速比" },
      { "one of the three of 28 fitted values that miss by a hair: a property of the reconstructed timing model, not of a tuner.",
        "28 个拟合值里差一点的三个之一：这是重建的耗时模型的性质，与调优器无关。" } },
    { "cross.median", "§2.3", FACT_MODEL, { "2.35", "2.35" }, "2.3", "2.4",
      { "the same: median of 20 pairs", "同上：20 对的中位数" }, { 0 } },
    { "cross.max", "§2.3", FACT_MODEL, { "6.66", "6.66" }, "6.55", "6.77",
      { "the same: largest", "同上：最大" }, { 0 } },
    { 0 }
};
/* clang-format on */

/* The shared memory that the 24 ask for: num_warps does not matter, so 12 cells. Returns how many are illegal. */
static int memory_table(struct run *run, const struct space *space, const uint32_t *list)
{
    struct table *table =
        table_of({ TEXT("BLOCK_N x BLOCK_K", "BLOCK_N x BLOCK_K"), TABLE_TEXT },
                 { TEXT("2 stages\nKB", "2 级\nKB"), TABLE_TEXT }, { TEXT("3 stages\nKB", "3 级\nKB"), TABLE_TEXT },
                 { TEXT("4 stages\nKB", "4 级\nKB"), TABLE_TEXT });
    int illegal = 0, least = 0, most = 0;
    for (int i = 0; i < TRITON_LIST; i++) {
        int v[MATMUL_KNOBS];
        space_values(space, list[i], v);
        int kb = matmul_smem_bytes(v) / 1024;
        bool fits = space_is_legal(space, list[i]);
        if (!fits) {
            illegal++;
            least = least == 0 || kb < least ? kb : least;
            most = kb > most ? kb : most;
        }
        if (i % 6 == 0)
            table_text(table, "%d x %d", v[BLOCK_N], v[BLOCK_K]);
        if (i % 2 == 0) /* its twin with 8 warps asks for the same */
            table_text(table, fits ? "%d" : tr("%d illegal", "%d 非法"), kb);
    }
    report_table(run->report, table,
                 tr("Shared memory that a block of 128 x BLOCK_N asks for (4 and 8 warps alike)",
                    "128 x BLOCK_N 的块要的共享内存（4 个和 8 个 warp 一样）"));
    facts_number(run->facts, "triton.configs", TRITON_LIST, 0);
    facts_number(run->facts, "triton.illegal", illegal, 0);
    facts_number(run->facts, "triton.smem_min_kb", least, 0);
    facts_number(run->facts, "triton.smem_max_kb", most, 0);
    return illegal;
}

enum { SQUARE, PREFILL, DECODE, WGRAD }; /* workload_five */

/* l: the terrains of section 2's shapes; returns how many of them the device has. */
static int terrains_open(struct run *run, struct landscape l[WORKLOAD_FIVE])
{
    struct workload shape[WORKLOAD_FIVE];
    const char *ids[WORKLOAD_FIVE];
    for (int i = 0; i < WORKLOAD_FIVE; i++)
        ids[i] = workload_five[i].id;
    int count = program_workloads(run, WORKLOAD_FIVE, ids, shape);
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < count; i++)
        l[i] = landscape_new(run->device, &shape[i], device_space(run->device, &shape[i]));
    return count;
}

static void terrains_close(int count, struct landscape *l)
{
    while (count > 0)
        landscape_free(&l[--count]);
}

static void share_table(struct run *run, int count, const struct landscape *l, const uint32_t *list)
{
    struct table *table =
        table_of({ TEXT("shape", "形状"), TABLE_TEXT }, { TEXT("M x N x K", "M x N x K"), TABLE_TEXT },
                 { TEXT("best of list\nus", "配置表最好\nus"), 1 }, { TEXT("optimum\nus", "最优\nus"), 1 },
                 { TEXT("slowdown", "慢速比"), 2 });
    for (; count > 0; count--, l++) {
        uint32_t best = landscape_best_of(l, TRITON_LIST, list);
        char text[64];
        table_text(table, "%s", tr_text(l->workload.name));
        table_text(table, "%s", workload_shape(&l->workload, text, sizeof text));
        table_numbers(table, l->time_us[best], l->best_us, landscape_slowdown(l, best));
    }
    report_table(run->report, table, NULL);
}

/* Of the list's choice and of the optimum: the rows that are padding and the thread blocks for the SMs. */
static void reason_table(struct run *run, int count, const struct landscape *l, const uint32_t *list)
{
    struct table *table =
        table_of({ TEXT("shape", "形状"), TABLE_TEXT }, { TEXT("best of the list\nknobs", "配置表里最好的\n旋钮"), TABLE_TEXT },
                 { TEXT("\npad, %", "\n填充，%"), 0 }, { TEXT("\nblocks", "\n块数"), 0 },
                 { TEXT("the optimum\nknobs", "最优配置\n旋钮"), TABLE_TEXT },
                 { TEXT("\npad, %", "\n填充，%"), 0 }, { TEXT("\nblocks", "\n块数"), 0 });
    for (; count > 0; count--, l++) {
        uint32_t which[2] = { landscape_best_of(l, TRITON_LIST, list), l->best };
        table_text(table, "%s", tr_text(l->workload.name));
        for (int k = 0; k < 2; k++) {
            int v[MATMUL_KNOBS];
            char text[64];
            space_values(l->space, which[k], v);
            double tiles_m = ceil((double)l->workload.m / v[BLOCK_M]),
                   tiles_n = ceil((double)l->workload.n / v[BLOCK_N]);
            table_text(table, "%s", space_format(l->space, which[k], ' ', text, sizeof text));
            table_numbers(table, 100 * (1 - l->workload.m / (tiles_m * v[BLOCK_M])), tiles_m * tiles_n * v[SPLIT_K]);
        }
    }
    report_table(run->report, table,
                 tr("Why it misses: the share of a block's rows that is padding, and thread blocks for the SMs",
                    "为什么会错过：块里的填充行所占的比例，以及分给各个 SM 的线程块"));
}

/* What the lecture says of HypoGPU, in its words and numbers. */
static void published(struct run *run, const struct landscape *l, const uint32_t *list)
{
    static const char *const fact[] = {
        [SQUARE] = "triton.square", [PREFILL] = "triton.prefill", [DECODE] = "triton.decode", [WGRAD] = "triton.wgrad"
    };
    int decode[MATMUL_KNOBS], wgrad[MATMUL_KNOBS], tiles = 512 / 128 * (512 / 128);
    double padding = 100.0 * (128 - 16) / 128;
    for (int i = SQUARE; i <= WGRAD; i++)
        facts_number(run->facts, fact[i], landscape_slowdown(&l[i], landscape_best_of(&l[i], TRITON_LIST, list)), 3);
    space_values(run->device->space, l[DECODE].best, decode);
    space_values(run->device->space, l[WGRAD].best, wgrad);
    report_say(
        run->report,
        tr("The list was written for large matrices. Decode has 16 rows, so a block of 128 rows is %.0f %% padding; the optimum "
           "takes BLOCK_M = %d. The weight gradient has only %d output tiles of 128x128 for 108 SMs; the optimum cuts K into %d "
           "(SPLIT_K), a structure that is not on the list. The small product has as few; its optimum takes smaller tiles. What is not on the list, autotune never finds.",
           "这个配置表是为大矩阵写的。解码只有 16 行，128 行的块有 %.0f%% 是填充；最优配置用 BLOCK_M = %d。权重梯度的输出只有 %d 个 "
           "128x128 的块，而 SM 有 108 个；最优配置把 K 切成 %d 段（SPLIT_K），配置表里没有这个结构。小矩阵也只有这么多块；它的最优配置用更小的块。配置表里没有的，autotune 永远找不到。"),
        padding, decode[BLOCK_M], tiles, wgrad[SPLIT_K]);
    facts_number(run->facts, "decode.padding_pct", padding, 1);
    facts_number(run->facts, "decode.best_block_m", decode[BLOCK_M], 0);
    facts_number(run->facts, "wgrad.blocks", tiles, 0);
    facts_number(run->facts, "wgrad.best_split_k", wgrad[SPLIT_K], 0);
}

void demo2_list_of_24(struct run *run)
{
    const struct space *space = run->device->space;
    uint32_t list[TRITON_LIST];
    if (!triton_list(space, list)) {
        report_say(run->report,
                   tr("%s does not have all the configurations of the list.", "%s 上没有配置表里的全部配置。"),
                   run->device->name);
        return;
    }
    struct landscape l[WORKLOAD_FIVE];
    int count = terrains_open(run, l);
    int illegal = memory_table(run, space, list);
    report_say(run->report,
               tr("%d of the 24 cannot be launched%s; autotune notes them as infinitely slow and goes on.",
                  "24 个里有 %d 个不能启动%s；autotune 把它们记为无穷慢，继续测别的。"),
               illegal,
               !run->device->is_hypogpu ? "" : tr(" (HypoGPU's limit is 163 KB)", "（HypoGPU 的上限是 163 KB）"));
    share_table(run, count, l, list);
    reason_table(run, count, l, list);
    if (run->device->is_hypogpu)
        published(run, l, list);
    prune_list(run, count, l, list);
    terrains_close(count, l);
}

enum { MOST_KEYS = 12 };

/* The lecture's five where all were recorded, else a recording's own columns: shapes, devices, whatever they are. */
static int keys_open(struct run *run, struct landscape *l)
{
    const struct device *device = run->device;
    const struct workload *key[MOST_KEYS];
    int count = 0;
    for (int i = 0; i < WORKLOAD_FIVE; i++)
        count += (key[i] = device_find(device, workload_five[i].id)) != NULL;
    if (count < WORKLOAD_FIVE)
        for (count = 0; count < device->workloads && count < MOST_KEYS; count++)
            key[count] = &device->workload[count];
    if (count < device->workloads && count == MOST_KEYS)
        report_say(run->report, tr("Of %d columns the first %d.", "共 %d 列，取前 %d 列。"), device->workloads, count);
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < count; i++)
        l[i] = landscape_new(device, key[i], device_space(device, key[i]));
    return count;
}

static void say_pairs(struct run *run, bool has_shapes, struct text what, size_t n, const double *pairs, size_t fail)
{
    if (n > 0)
        report_say(
            run->report,
            tr("Over the %zu pairs of two %ss: least %.2f, median %.2f, most %.2f. %s",
               "%zu 对不同的%s里，最小 %.2f，中位数 %.2f，最大 %.2f。%s"),
            n, tr_text(what), stats_min(pairs, n), stats_median(pairs, n), stats_max(pairs, n),
            has_shapes
                ? tr("What is best on one shape may be that much slower on another, so a new key (M, N, K) has to be tuned anew.",
                     "一个形状的最优配置，换一个形状可能慢这么多，所以 key（M、N、K）变了就要重新调。")
                : tr("What is best on one may be that much slower on another: each is tuned for itself.",
                     "一个的最优配置，换一个可能慢这么多：每一个都要各自调。"));
    if (fail > 0)
        report_say(run->report,
                   tr("Where there is a -, it fails or is illegal: %zu of these.", "标 - 的地方失败或不合法：共 %zu 处。"),
                   fail);
}

void demo3_key(struct run *run)
{
    struct landscape l[MOST_KEYS];
    int count = keys_open(run, l);
    struct text names[MOST_KEYS], what = run->device->of_devices ? TEXT("device", "设备")
                                         : l[0].workload.m       ? TEXT("shape", "形状")
                                                                 : TEXT("column", "列");
    double slowdown[MOST_KEYS * MOST_KEYS], pairs[MOST_KEYS * MOST_KEYS];
    const struct heat matrix = { count, count, names, names, slowdown, 1, 7, 2, 0 };
    size_t n = 0, fail = 0;
    if (count == 1) {
        report_say(run->report, tr("%s has one column alone: nothing to compare.", "%s 只有一列，无可比较。"),
                   run->device->name);
        terrains_close(count, l);
        return;
    }
    for (int from = 0; from < count; from++) {
        names[from] = l[from].workload.name;
        for (int on = 0; on < count; on++) {
            double *cell = &slowdown[from * count + on];
            *cell = landscape_slowdown(&l[on], l[from].best);
            if (from != on && *cell < INFINITY)
                pairs[n++] = *cell;
            fail += *cell == INFINITY;
        }
    }
    report_table(run->report, matrix_table(TEXT("optimum of", "谁的最优"), &matrix, false),
                 tr("Slowdown when the optimum of the row's %s runs on the column's %s",
                    "把行%s的最优配置拿到列%s上运行的慢速比"),
                 tr_text(what), tr_text(what));
    say_pairs(run, l[0].workload.m > 0, what, n, pairs, fail);
    if (n > 0) {
        facts_number(run->facts, "cross.min", stats_min(pairs, n), 3);
        facts_number(run->facts, "cross.median", stats_median(pairs, n), 3);
        facts_number(run->facts, "cross.max", stats_max(pairs, n), 3);
        struct text title = { xformat("Slowdown when one %s's optimum runs on another", what.en),
                              xformat("一个%s的最优配置拿到另一个上的慢速比", what.zh) };
        figure_heat(run->figures, "key_matrix", title, TEXT("run on", "在哪个上运行"),
                    TEXT("tuned for", "为哪个形状调优"), &matrix);
        text_free(title);
    }
    terrains_close(count, l);
}

/* Demo 5: in LLM decoding M, the batch, changes at every step: what a fixed configuration costs, what buckets save
 * (lecture 2.4). */
#include "landscape.h"
#include <stdlib.h>

/* clang-format off */
const struct fact published_dynamic[] = {
    { "dynamic.block_m", "§2.4", FACT_MODEL, { "16 ... 64", "16 ... 64" }, "16 16 16 16 16 32 64 128 64", "",
      { "best BLOCK_M, M = 1, 2, 4 ... 256", "M = 1, 2 ... 256 时最好的 BLOCK_M" }, { 0 } },
    { "dynamic.m256_slowdown", "§2.4", FACT_MODEL, { "3.05", "3.05" }, "3.0", "3.1",
      { "M = 16's optimum used at M = 256", "M = 16 的最优配置用在 M = 256" }, { 0 } },
    { "dynamic.retune_seconds", "§2.4", FACT_EXACT, { "about 25", "约 25" }, "23", "27",
      { "seconds to measure the list anew", "重测一遍配置表的秒数" }, { 0 } },
    { 0 }
};
/* clang-format on */

/* What is known of the batches that the device can be asked about, up to the largest power of two. */
struct batches {
    int count, m[DYNAMIC_M]; /* ascending */
    int at16;                /* where 16 stands; -1: nowhere */
    uint32_t optimum[DYNAMIC_M];
    double best_us[DYNAMIC_M];
    double kept[DYNAMIC_M], bucketed[DYNAMIC_M]; /* regret, %: of M = 16's optimum; of the bucket's */
};

static bool is_bucket(int m) { return m == 1 << workload_bucket(m); }

static double time_at(const struct device *device, int m, uint32_t config)
{
    struct workload w = workload_dynamic(m);
    return device_time_us(device, &w, device->space, config);
}

static struct batches batches_of(const struct device *device)
{
    struct batches b = { .count = device_dynamic(device, b.m), .at16 = -1 };
    while (b.count > 0 && !is_bucket(b.m[b.count - 1]))
        b.count--;
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < b.count; i++) {
        struct workload w = workload_dynamic(b.m[i]);
        b.optimum[i] = device_optimum(device, &w);
        b.best_us[i] = time_at(device, b.m[i], b.optimum[i]);
    }
    for (int i = 0; i < b.count; i++)
        b.at16 = b.m[i] == 16 ? i : b.at16;
    for (int i = b.count - 1, bucket = i; i >= 0 && b.at16 >= 0; i--) {
        bucket = is_bucket(b.m[i]) ? i : bucket;
        b.kept[i] = 100 * (time_at(device, b.m[i], b.optimum[b.at16]) / b.best_us[i] - 1);
        b.bucketed[i] = 100 * (time_at(device, b.m[i], b.optimum[bucket]) / b.best_us[i] - 1);
    }
    return b;
}

/* Seconds that autotune pays for a new M: each of the 24 is compiled, and those that can be launched run. */
static double retune_seconds(const struct device *device, int m, const uint32_t *list)
{
    struct workload w = workload_dynamic(m);
    struct measurer measurer = measurer_new(device, &w, device_space(device, &w), TRITON_LIST, 0);
    struct measurement results[TRITON_LIST];
    measurer_measure(&measurer, TRITON_LIST, list, results);
    return measurer.seconds;
}

/* Of the powers of two; where only some M were recorded, of all of them. */
static void optimum_table(struct run *run, const struct batches *b)
{
    const struct space *space = run->device->space;
    struct table *table =
        table_of({ TEXT("M", "M"), TABLE_TEXT }, { TEXT("optimum\nus", "最优\nus"), 1 },
                 { TEXT("the optimum", "最优配置"), TABLE_TEXT }, { TEXT("BLOCK_M", "BLOCK_M"), 0 },
                 { TEXT("with M = 16's\nus", "沿用 M = 16 的\nus"), 1 }, { TEXT("slowdown", "慢速比"), 2 });
    char *blocks = NULL, text[64];
    for (int i = 0; i < b->count; i++) {
        if (b->count == DYNAMIC_M && !is_bucket(b->m[i]))
            continue;
        int block_m = space_value(space, b->optimum[i], BLOCK_M);
        double slowdown = 1 + b->kept[i] / 100;
        table_text(table, "%d", b->m[i]);
        table_number(table, b->best_us[i]);
        table_text(table, "%s", space_format(space, b->optimum[i], ' ', text, sizeof text));
        table_numbers(table, block_m, slowdown * b->best_us[i], slowdown);
        xappend(&blocks, i ? " %d" : "%d", block_m);
    }
    facts_text(run->facts, "dynamic.block_m", blocks);
    facts_number(run->facts, "dynamic.m256_slowdown", 1 + b->kept[b->count - 1] / 100, 3);
    free(blocks);
    report_table(run->report, table,
                 tr("C[M,14336] = A[M,4096] B: the optimum moves with M",
                    "C[M,14336] = A[M,4096] B：最优配置随 M 移动"));
}

/* Of the batches in places from to to. */
static void regret_row(struct table *table, const struct batches *b, int from, int to, const char *name)
{
    int worst = from;
    for (int i = from; i <= to; i++)
        worst = b->bucketed[i] > b->bucketed[worst] ? i : worst;
    table_text(table, name, b->m[from], b->m[to]);
    table_numbers(table, stats_mean(b->bucketed + from, (size_t)(to - from + 1)), b->bucketed[worst], b->m[worst]);
}

/* Each bucket serves the M above the last bucket, up to its own, with the configuration tuned for its own. */
static void bucket_table(struct run *run, const struct batches *b)
{
    struct table *table =
        table_of({ TEXT("bucket", "桶"), TABLE_TEXT }, { TEXT("mean regret\n%", "平均多花的\n时间 %"), 1 },
                 { TEXT("worst regret\n%", "最多多花的\n时间 %"), 1 }, { TEXT("at M =", "在 M ="), 0 });
    for (int from = 0, to = 0; to < b->count; to++)
        if (is_bucket(b->m[to])) {
            regret_row(table, b, from, to, from < to ? "%d ... %d" : "%d");
            from = to + 1;
        }
    regret_row(table, b, 0, b->count - 1, tr("all", "全部"));
    report_table(
        run->report, table,
        b->count == DYNAMIC_M
            ? tr("Buckets at the powers of two, tuned ahead; regret: how much longer than the optimum of M itself, over every M from 1 to 256",
                 "按 2 的幂分桶、提前调好；比这个 M 自己的最优多花的时间，M 从 1 到 256")
            : tr("Buckets at the powers of two, tuned ahead; regret: how much longer than the optimum of M itself, over the M that were recorded",
                 "按 2 的幂分桶、提前调好；比这个 M 自己的最优多花的时间，只看录了的 M"));
}

/* Where BLOCK_M first falls as M grows: how many rows M's blocks compute with either. {0} if that does not explain it. */
static struct text explain_dip(const struct batches *b, const double *blocks)
{
    for (int i = 1; i < b->count; i++) {
        int m = b->m[i], less = (int)blocks[i], more = (int)blocks[i - 1];
        int rows = (m + less - 1) / less * less, padded = (m + more - 1) / more * more;
        if (less < more && rows < padded)
            return text_format("at M = %d blocks of %d rows compute %d rows, those of %d would compute %d",
                               "M = %d 时，%d 行的块共算 %d 行，%d 行的块要算 %d 行", m, less, rows, more, padded);
        if (less < more)
            break;
    }
    return (struct text){ 0 };
}

static void draw(struct run *run, const struct batches *b)
{
    double m[DYNAMIC_M], blocks[DYNAMIC_M], note_x = b->m[0] * 1.2, note_y = 200;
    size_t n = (size_t)b->count;
    for (int i = 0; i < b->count; i++) {
        m[i] = b->m[i];
        blocks[i] = space_value(run->device->space, b->optimum[i], BLOCK_M);
    }
    const struct axis x = { TEXT("M, rows in the batch (log axis)", "M，批里的行数（对数轴）"), b->m[0],
                            b->m[b->count - 1], 2, "1,2,256" };
    struct text note = explain_dip(b, blocks);
    figure_lines(run->figures, "dynamic_block_m",
                 TEXT("BLOCK_M of the optimum as the batch grows", "批变大时最优配置的 BLOCK_M"), x,
                 (struct axis){ TEXT("BLOCK_M", "BLOCK_M"), 8, 320, 2, "(16,32,64,128,256)" }, note.en ? 2 : 1,
                 (struct series[]){ { TEXT("BLOCK_M", "BLOCK_M"), n, m, blocks, .drawn = DRAWN_STEPS },
                                    { note, 1, &note_x, &note_y, .drawn = DRAWN_REMARK } });
    text_free(note);
    figure_lines(run->figures, "dynamic_regret",
                 TEXT("Regret: one configuration for every M, and buckets", "一个配置用到底和分桶：比最优多花的时间"),
                 x, (struct axis){ TEXT("time over the optimum's, %", "比最优多花的时间，%"), 0, 0, 0, NULL, 5 }, 2,
                 (struct series[]){ { TEXT("M = 16's optimum", "M = 16 的最优"), n, m, b->kept, NULL, NULL },
                                    { TEXT("buckets", "分桶"), n, m, b->bucketed, NULL, NULL } });
}

void demo5_dynamic_m(struct run *run)
{
    const struct device *device = run->device;
    const struct batches b = batches_of(device);
    uint32_t list[TRITON_LIST];
    if (b.at16 < 0 || !triton_list(device->space, list)) {
        report_say(run->report,
                   tr("This demo needs C[M,14336], K 4096 at M = 16, and the list of 24; on %s it is passed over.",
                      "这个演示需要 M = 16 的 C[M,14336]、K 4096 和 24 项的配置表，在 %s 上略过。"),
                   device->name);
        return;
    }
    if (b.count < DYNAMIC_M)
        report_say(run->report,
                   tr("Of the M only some were recorded on %s: those below.", "%s 上只录了一部分 M，见下表。"),
                   device->name);
    optimum_table(run, &b);
    bucket_table(run, &b);
    double seconds = retune_seconds(device, b.m[b.count - 1], list);
    report_say(
        run->report,
        tr("With M in the key, every new M costs %.1f s to measure the list of 24: not while a user waits. Buckets, tuned ahead, lose at most "
           "%.1f %% if each runs its true optimum (what a search finds instead costs more: exercise 8); one configuration for all M "
           "loses up to %.0f %%.",
           "如果 key 里有 M，每出现一个新的 M 都要花 %.1f 秒测一遍 24 个配置，不能让用户等着。"
           "提前调好的桶，若各用真正的最优，最多慢 %.1f%%（用搜索找到的会更慢：练习 8）；所有 M 用一个配置最多慢 %.0f%%。"),
        seconds, stats_max(b.bucketed, (size_t)b.count), stats_max(b.kept, (size_t)b.count));
    facts_number(run->facts, "dynamic.retune_seconds", seconds, 1);
    draw(run, &b);
}

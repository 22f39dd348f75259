/* features.c - counting; nothing in here knows how long anything takes. */
#include "model/features.h"
#include "base/mathx.h"
#include <assert.h>
#include <string.h>

static const struct text program_names[PROGRAM_FEATURES] = {
    [FEATURE_BLOCKS] = { "thread blocks", "线程块个数" },
    [FEATURE_THREADS] = { "threads a block", "每块线程数" },
    [FEATURE_SMEM] = { "shared memory a block", "每块共享内存" },
    [FEATURE_ACCUMULATORS] = { "accumulators a thread", "每线程累加器" },
    [FEATURE_WARP_ROWS] = { "warp tile rows", "warp 分块行数" },
    [FEATURE_WARP_COLUMNS] = { "warp tile columns", "warp 分块列数" },
    [FEATURE_STEP_FLOP] = { "FLOP a K-step", "每步 FLOP" },
    [FEATURE_STEP_BYTES] = { "bytes a K-step", "每步搬运字节" },
    [FEATURE_INTENSITY] = { "tile intensity", "分块算术强度" },
    [FEATURE_STEPS] = { "K-steps", "K 方向步数" },
    [FEATURE_STAGES] = { "pipeline stages", "流水线级数" },
    [FEATURE_IN_FLIGHT] = { "bytes in flight", "在途字节" },
    [FEATURE_PADDING] = { "padding efficiency", "填充效率" },
    [FEATURE_GROUP] = { "effective group", "有效分组大小" },
    [FEATURE_SPLIT_K] = { "SPLIT_K", "SPLIT_K" },
    [FEATURE_M] = { "M", "M" },
    [FEATURE_N] = { "N", "N" },
    [FEATURE_K] = { "K", "K" },
};

#define CONTEXT_NAMES(size)                                                                                         \
    [CONTEXT_WORK + (size - CONTEXT_FIRST) / 2] = { "work within 2^" #size " bytes", "2^" #size " 字节内的计算" },      \
    [CONTEXT_MOVED + (size - CONTEXT_FIRST) / 2] = { "moved to 2^" #size " bytes", "搬进 2^" #size " 字节" }
static const struct text context_names[CONTEXT_FEATURES] = {
    CONTEXT_NAMES(8),  CONTEXT_NAMES(10), CONTEXT_NAMES(12), CONTEXT_NAMES(14), CONTEXT_NAMES(16),
    CONTEXT_NAMES(18), CONTEXT_NAMES(20), CONTEXT_NAMES(22), CONTEXT_NAMES(24), CONTEXT_NAMES(26),
    [CONTEXT_GRID] = { "block loops", "线程块循环" },
    [CONTEXT_PARTS] = { "block loops over K", "沿 K 的线程块循环" },
    [CONTEXT_THREADS] = { "thread loops", "线程循环" },
    [CONTEXT_STAGES] = { "buffers of a K-step", "每步的缓冲个数" },
};

bool features_has_program(const struct space *space)
{
    if (space->knobs != MATMUL_KNOBS)
        return false;
    for (int i = 0; i < MATMUL_KNOBS; i++)
        if (strcmp(space->knob[i].name, matmul_knob_name[i]) != 0)
            return false;
    return true;
}

int features_count(enum features_kind kind, const struct space *space)
{
    return kind == FEATURES_PROGRAM ? PROGRAM_FEATURES : kind == FEATURES_CONTEXT ? CONTEXT_FEATURES : space->knobs;
}

struct text features_name(enum features_kind kind, const struct space *space, int feature)
{
    if (kind == FEATURES_PROGRAM)
        return program_names[feature];
    if (kind == FEATURES_CONTEXT)
        return context_names[feature];
    return TEXT(space->knob[feature].name, space->knob[feature].name);
}

/* Most of what is counted here are powers of two, whose logarithm is their exponent. */
static float log2_of(double x)
{
    double exponent;
    return (float)(mathx_split(x, &exponent) == 1.0 ? exponent : mathx_log2(x));
}

static int ceil_div(int a, int b) { return (a + b - 1) / b; }

static void fill_knobs(int n, const int *values, float *out)
{
    for (int i = 0; i < n; i++)
        out[i] = values[i] > 0 ? log2_of(values[i]) : (float)values[i] - 1;
}

static void fill_program(const struct workload *w, const int *values, float out[PROGRAM_FEATURES])
{
    int bm = values[BLOCK_M], bn = values[BLOCK_N], bk = values[BLOCK_K], stages = values[NUM_STAGES],
        split = values[SPLIT_K];
    int gm = ceil_div(w->m, bm), gn = ceil_div(w->n, bn), steps = ceil_div(ceil_div(w->k, split), bk);
    double threads = 32.0 * values[NUM_WARPS], tile = (double)bm * bn, rows, columns;
    double step_flop = 2 * tile * bk, step_bytes = 2.0 * (bm + bn) * bk;
    double computed = ((double)gm * bm) * ((double)gn * bn) * ((double)steps * bk * split);
    matmul_warp_tile(values, &rows, &columns);

    out[FEATURE_BLOCKS] = log2_of((double)gm * gn * split);
    out[FEATURE_THREADS] = log2_of(threads);
    out[FEATURE_SMEM] = log2_of(stages * step_bytes);
    out[FEATURE_ACCUMULATORS] = log2_of(tile / threads);
    out[FEATURE_WARP_ROWS] = log2_of(rows);
    out[FEATURE_WARP_COLUMNS] = log2_of(columns);
    out[FEATURE_STEP_FLOP] = log2_of(step_flop);
    out[FEATURE_STEP_BYTES] = log2_of(step_bytes);
    out[FEATURE_INTENSITY] = log2_of(step_flop / step_bytes);
    out[FEATURE_STEPS] = log2_of(steps);
    out[FEATURE_STAGES] = (float)stages;
    out[FEATURE_IN_FLIGHT] = stages > 1 ? log2_of((stages - 1) * step_bytes) : 0;
    out[FEATURE_PADDING] = (float)((double)w->m * w->n * w->k / computed);
    out[FEATURE_GROUP] = log2_of(values[GROUP_M] < gm ? values[GROUP_M] : gm);
    out[FEATURE_SPLIT_K] = log2_of(split);
    out[FEATURE_M] = log2_of(w->m);
    out[FEATURE_N] = log2_of(w->n);
    out[FEATURE_K] = log2_of(w->k);
}

struct loop {
    double length, rows, columns, depth; /* iterations; the part of C and of K that all of them cover */
    int copies;                          /* of the tiles of A and B */
};

/* The bytes of A and B, in fp16, and of C, in fp32, that a loop touches. */
static double touched(const struct loop *l)
{
    return 2 * l->copies * (l->rows + l->columns) * l->depth + 4 * l->rows * l->columns;
}

static void fill_context(const struct workload *w, const int *values, float out[CONTEXT_FEATURES])
{
    enum { PIECE_ROWS = 16, PIECE_COLUMNS = 8, PIECE_DEPTH = 16, LOOPS = 9 };
    int gm = ceil_div(w->m, values[BLOCK_M]), gn = ceil_div(w->n, values[BLOCK_N]), split = values[SPLIT_K];
    int group = values[GROUP_M] < gm ? values[GROUP_M] : gm, steps = ceil_div(ceil_div(w->k, split), values[BLOCK_K]);
    double bm = values[BLOCK_M], bn = values[BLOCK_N], bk = values[BLOCK_K], ks = steps * bk, rows, columns;
    matmul_warp_tile(values, &rows, &columns);
    const double groups = ceil_div(gm, group);
    const struct loop nest[LOOPS] = { /* outermost first */
        { split, gm * bm, gn * bn, ks * split, 1 },
        { groups, gm * bm, gn * bn, ks, 1 },
        { gn, group * bm, gn * bn, ks, 1 },
        { group, group * bm, bn, ks, 1 },
        { steps, bm, bn, ks, 1 },
        { values[NUM_WARPS], bm, bn, bk, values[NUM_STAGES] },
        { bk / PIECE_DEPTH, rows, columns, bk, 1 },
        { rows / PIECE_ROWS, rows, columns, PIECE_DEPTH, 1 },
        { columns / PIECE_COLUMNS, PIECE_ROWS, columns, PIECE_DEPTH, 1 },
    };
    for (int size = 0; size < CONTEXT_SIZES; size++) {
        double limit = (double)(1 << (CONTEXT_FIRST + 2 * size)), runs = 1;
        int l = 0;
        for (; l < LOOPS && touched(&nest[l]) > limit; l++)
            runs *= nest[l].length;
        out[CONTEXT_WORK + size] = l < LOOPS ? log2_of(nest[l].rows * nest[l].columns * nest[l].depth) : 0;
        out[CONTEXT_MOVED + size] = l < LOOPS ? log2_of(runs * touched(&nest[l])) : 0;
    }
    out[CONTEXT_GRID] = log2_of(split * groups * gn * group);
    out[CONTEXT_PARTS] = log2_of(split);
    out[CONTEXT_THREADS] = log2_of(32.0 * values[NUM_WARPS]);
    out[CONTEXT_STAGES] = (float)values[NUM_STAGES];
}

void features_fill(enum features_kind kind, const struct workload *w, const struct space *space, size_t n,
                   const uint32_t *configs, float *out)
{
    assert(kind == FEATURES_KNOB || features_has_program(space));
    size_t count = (size_t)features_count(kind, space);
    int values[SPACE_MAX_KNOBS];
    for (size_t i = 0; i < n; i++) {
        space_values(space, configs[i], values);
        if (kind == FEATURES_PROGRAM)
            fill_program(w, values, out + i * count);
        else if (kind == FEATURES_CONTEXT)
            fill_context(w, values, out + i * count);
        else
            fill_knobs(space->knobs, values, out + i * count);
    }
}

int features_statements(const struct workload *w, const struct space *space, uint32_t config, float *out)
{
    enum { THREADS = 128 };
    float *sum = out + PROGRAM_FEATURES;
    int values[MATMUL_KNOBS];
    assert(features_has_program(space));
    space_values(space, config, values);
    fill_program(w, values, out);
    memset(sum, 0, PROGRAM_FEATURES * sizeof *sum); /* 2^0 tiles, stages and bytes in flight */
    sum[FEATURE_BLOCKS] = log2_of(((double)w->m * w->n + THREADS - 1) / THREADS);
    sum[FEATURE_THREADS] = log2_of(THREADS);
    sum[FEATURE_STEP_BYTES] = log2_of(4); /* for one addition */
    sum[FEATURE_INTENSITY] = log2_of(0.25);
    sum[FEATURE_STEPS] = sum[FEATURE_K] = log2_of(values[SPLIT_K]);
    sum[FEATURE_STAGES] = sum[FEATURE_PADDING] = 1;
    sum[FEATURE_M] = log2_of(w->m);
    sum[FEATURE_N] = log2_of(w->n);
    return values[SPLIT_K] > 1 ? 2 : 1;
}

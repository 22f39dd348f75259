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
    return kind == FEATURES_PROGRAM ? PROGRAM_FEATURES : space->knobs;
}

struct text features_name(enum features_kind kind, const struct space *space, int feature)
{
    if (kind == FEATURES_PROGRAM)
        return program_names[feature];
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

/* hypogpu.c - HypoGPU's timing model, in the order in which it is computed.
 *
 * It is cut by what each part depends on: the kernel alone (tiles, warps, stages), then the shape and SPLIT_K, then
 * GROUP_M. Each part fills its fields of a hypogpu_breakdown; the landscape runs an outer part once for all
 * configurations that share it. */
#include "device/hypogpu.h"
#include "base/rng.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdlib.h>

struct hypogpu {
    struct device device; /* first: a struct device * is a struct hypogpu * */
    double unmodelled;
};

/* Cycles unless said otherwise. */
static const double smem_occupancy = 164 * 1024;   /* bytes of shared memory an SM shares among its blocks */
static const double smem_reserved = 1024;          /* bytes that each block takes on top */
static const double register_file = 65536;         /* registers an SM */
static const double register_base = 30.2;          /* registers a thread needs besides accumulators … */
static const double register_per_warp_edge = 6.99; /* … and for each 32 of its warp tile's two edges */
static const double warp_overhead = 59;            /* elements that a warp tile's fixed work is worth */
static const double spill_cost = 10.3;             /* slowdown when every accumulator is spilled */
static const double step_base = 9.27, step_a_warp = 3.67, step_a_stage = 15.5; /* of one K-step: loops, barriers */
static const double smem_bytes_a_cycle = 110;
static const double crowding = 0.331;  /* how much of each other block's transfer a load waits for */
static const double fill_cost = 0.96;  /* loads in sequence before the first step */
static const double store_cost = 1.81; /* an output byte against an input byte */
static const double dram_bytes_a_us = HYPOGPU_DRAM_BYTES_A_US * 0.824; /* the share of it that a matmul gets */
static const double launch_us = 2.61;
static const double reduction_launch_us = 15.8; /* SPLIT_K > 1: a second kernel */
static const uint64_t perturbation_seed = 11513;

static long long ceil_div(long long a, long long b) { return (a + b - 1) / b; }
static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }

/* ---- the space ---- */

static const int tile[] = { 16, 32, 64, 128, 256 }, warps[] = { 1, 2, 4, 8, 16 }, stages[] = { 1, 2, 3, 4, 5, 6, 7 },
                 powers[] = { 1, 2, 4, 8, 16, 32 };
/* clang-format off */
static const struct knob knobs[MATMUL_KNOBS] = {
    { "BLOCK_M", 5, tile },      { "BLOCK_N", 5, tile },  { "BLOCK_K", 5, tile },  { "num_warps", 5, warps },
    { "num_stages", 7, stages }, { "GROUP_M", 6, powers }, { "SPLIT_K", 6, powers },
};
/* clang-format on */

static const struct text reasons[] = {
    [HYPOGPU_SMEM - 1] = { "over 163 KB of shared memory", "共享内存超过 163 KB" },
    [HYPOGPU_WARPS - 1] = { "more warps than 16x8 pieces of the tile", "warp 数多于块里 16x8 的小片数" },
    [HYPOGPU_REGISTERS - 1] = { "over 512 accumulators a thread", "每线程累加器超过 512 个" },
};

static int rule(const void *context, const int *v)
{
    (void)context;
    if (matmul_smem_bytes(v) > HYPOGPU_SMEM_LIMIT)
        return HYPOGPU_SMEM;
    if (v[NUM_WARPS] > v[BLOCK_M] / 16 * (v[BLOCK_N] / 8))
        return HYPOGPU_WARPS;
    if (v[BLOCK_M] * v[BLOCK_N] > HYPOGPU_ACC_LIMIT * 32 * v[NUM_WARPS])
        return HYPOGPU_REGISTERS;
    return HYPOGPU_LEGAL;
}

/* ---- what depends on the kernel alone: BLOCK_M, BLOCK_N, BLOCK_K, num_warps, num_stages ---- */

static void kernel_part(struct hypogpu_breakdown *b, const int *v)
{
    double w = v[NUM_WARPS], rows, columns;
    matmul_warp_tile(v, &rows, &columns);
    b->warp_m = (int)rows;
    b->warp_n = (int)columns;
    b->threads = 32 * v[NUM_WARPS];
    b->smem_bytes = matmul_smem_bytes(v);

    /* Registers that do not fit spill; what a block takes limits how many live on an SM (the course's lecture 3). */
    b->accumulators = v[BLOCK_M] * v[BLOCK_N] / b->threads;
    b->registers = b->accumulators + register_base + register_per_warp_edge * (b->warp_m + b->warp_n) / 32;
    b->register_cap = least(255, register_file / b->threads);
    b->spilled = most(0, b->registers - b->register_cap);
    b->by_smem = (int)(smem_occupancy / (b->smem_bytes + smem_reserved));
    b->by_registers = (int)(register_file / (least(b->registers, b->register_cap) * b->threads));
    b->by_threads = 2048 / b->threads;
    b->occupancy = (int)most(1, least(least(b->by_smem, b->by_registers), least(b->by_threads, 32)));

    double tile_area = rows * columns;
    b->step_bytes = (double)(v[BLOCK_M] + v[BLOCK_N]) * v[BLOCK_K] * 2;
    b->step_flop = 2.0 * v[BLOCK_M] * v[BLOCK_N] * v[BLOCK_K];
    b->efficiency = tile_area / (tile_area + warp_overhead);
    b->work = b->step_flop / HYPOGPU_FLOP_A_CYCLE / b->efficiency * (1 + spill_cost * b->spilled / b->accumulators);
    b->alone = 4 * b->work / least(w, 4) + step_base + step_a_warp * w + step_a_stage * v[NUM_STAGES];
    b->fill = fill_cost * (HYPOGPU_LOAD_LATENCY + b->step_bytes / HYPOGPU_L2_BYTES_A_CYCLE);
}

/* ---- what depends on the shape and SPLIT_K as well ---- */

/* A round of n blocks on one SM: fill the pipeline, walk K, store the tile. A K-step takes as long as whichever of
 * four is slowest. Little's law (the course's lecture 6; exercise 1): num_stages - 1 loads are in flight, so a block
 * advances no faster than latency / (num_stages - 1). */
static struct hypogpu_round round_of(const struct hypogpu_breakdown *b, const int *v, int n)
{
    double transfer = b->step_bytes / HYPOGPU_L2_BYTES_A_CYCLE, w = v[NUM_WARPS];
    int output_bytes = v[SPLIT_K] > 1 ? 4 : 2; /* partial sums are fp32 */
    struct hypogpu_round r = { .blocks = n };
    r.tensor = 4 * n * b->work / least(4, n * w);
    r.smem = n * (w * (b->warp_m + b->warp_n) * v[BLOCK_K] * 2 + b->step_bytes) / smem_bytes_a_cycle;
    r.l2 = n * transfer;
    r.latency = HYPOGPU_LOAD_LATENCY + transfer + crowding * (n - 1) * transfer;
    r.own_pace = v[NUM_STAGES] == 1 ? b->alone + r.latency : most(b->alone, r.latency / (v[NUM_STAGES] - 1));
    r.step = most(most(r.tensor, r.smem), most(r.l2, r.own_pace));
    r.store = (double)n * v[BLOCK_M] * v[BLOCK_N] * output_bytes * store_cost / HYPOGPU_L2_BYTES_A_CYCLE;
    r.all = b->k_steps * r.step + b->fill + r.store;
    return r;
}

static void shape_part(struct hypogpu_breakdown *b, const struct workload *w, const int *v)
{
    b->grid_m = (int)ceil_div(w->m, v[BLOCK_M]);
    b->grid_n = (int)ceil_div(w->n, v[BLOCK_N]);
    b->k_slice = (int)ceil_div(w->k, v[SPLIT_K]);
    b->k_steps = (int)ceil_div(b->k_slice, v[BLOCK_K]);
    b->blocks = (long long)b->grid_m * b->grid_n * v[SPLIT_K];

    /* Wave quantisation: the SM with the most blocks decides; its last round may run with fewer. */
    static const struct hypogpu_round none;
    b->busiest = ceil_div(b->blocks, HYPOGPU_SMS);
    b->full_rounds = b->busiest / b->occupancy;
    int left = (int)(b->busiest % b->occupancy);
    b->full = b->full_rounds ? round_of(b, v, b->occupancy) : none;
    b->last = left ? round_of(b, v, left) : none;
    b->sm_us = (b->last.all + (double)b->full_rounds * b->full.all) / HYPOGPU_MHZ;

    double mn = (double)w->m * w->n;
    b->written_bytes = v[SPLIT_K] > 1 ? mn * 4 * v[SPLIT_K] : mn * 2;
    b->launch_us = launch_us;
    b->reduction_us = v[SPLIT_K] > 1 ? reduction_launch_us + mn * (4 * v[SPLIT_K] + 2) / dram_bytes_a_us : 0;
}

/* ---- and on GROUP_M ---- */

/* Blocks that run together and stand close, gh tiles high, share rows of A and columns of B (the course's lecture 8).
 * */
static void dram_part(struct hypogpu_breakdown *b, const struct workload *w, const int *v)
{
    long long slots = (long long)HYPOGPU_SMS * b->occupancy;
    long long concurrent = b->blocks < slots ? b->blocks : slots;
    long long gh = v[GROUP_M] < b->grid_m ? v[GROUP_M] : b->grid_m, gw = ceil_div(concurrent, v[SPLIT_K] * gh);
    if (gw > b->grid_n) {
        gw = b->grid_n;
        gh = ceil_div(concurrent, v[SPLIT_K] * gw); /* no more rows than the grid has: concurrent <= blocks */
    }
    b->waves = ceil_div(b->blocks, slots);
    double rows = least((double)gh * v[BLOCK_M], w->m), columns = least((double)gw * v[BLOCK_N], w->n);
    double inputs = ((double)w->m * w->k + (double)w->k * w->n) * 2;
    b->read_bytes = most((double)b->waves * (rows + columns) * b->k_slice * v[SPLIT_K] * 2, inputs);
    b->minimum_bytes = inputs + (double)w->m * w->n * 2;
    b->dram_us = (b->read_bytes + b->written_bytes) / dram_bytes_a_us;
}

static void total_part(struct hypogpu_breakdown *b, const struct device *device, const int *v)
{
    double longer = most(b->sm_us, b->dram_us), r = least(b->sm_us, b->dram_us) / longer;
    double r2 = r * r, r4 = r2 * r2;
    b->combined_us = longer * sqrt(sqrt(sqrt(1 + r4 * r4))); /* the 8-norm: near the longer, no kink */

    /* The part that nobody modelled: a factor that only the configuration's index decides. It only slows down. */
    uint32_t index = 0;
    space_index(device->space, v, &index);
    uint64_t x = rng_mix(index + perturbation_seed * 0x9e3779b97f4a7c15u);
    b->perturbation = 1 + ((const struct hypogpu *)device)->unmodelled * sqrt((double)(x >> 11) * 0x1p-53);
    b->time_us = (b->combined_us + b->launch_us + b->reduction_us) * b->perturbation;
}

/* ---- the device ---- */

struct hypogpu_breakdown hypogpu_explain(const struct device *device, const struct workload *w, const int *v)
{
    struct hypogpu_breakdown b;
    kernel_part(&b, v);
    shape_part(&b, w, v);
    dram_part(&b, w, v);
    total_part(&b, device, v);
    b.idle_share = 1 - (double)b.blocks / (HYPOGPU_SMS * ((double)b.full_rounds * b.occupancy + b.last.blocks));
    return b;
}

static double time_us(const struct device *device, const struct workload *w, const int *v)
{
    return hypogpu_explain(device, w, v).time_us;
}

/* The kernel part once for all GROUP_M and SPLIT_K, the last two knobs of the space. If only the fastest is wanted,
 * most is not looked at: a configuration takes at least its SM time and launches, whatever its GROUP_M, so a (kernel,
 * SPLIT_K) whose bound is above the best so far is passed over. Exact: a bound, not a guess. */
static uint32_t landscape(const struct device *device, const struct workload *w, const struct space *space,
                          double *out)
{
    const struct knob *group = &space->knob[GROUP_M], *split = &space->knob[SPLIT_K];
    uint32_t inner = space->stride[NUM_STAGES], best = 0;
    double best_us = INFINITY;
    for (uint32_t config = 0; out && config < space->size; config++)
        out[config] = INFINITY;
    for (uint32_t first = 0; first < space->size; first += inner) {
        struct hypogpu_breakdown b;
        int v[MATMUL_KNOBS];
        if (!space_is_legal(space, first)) /* no rule of HypoGPU looks at GROUP_M or SPLIT_K */
            continue;
        space_values(space, first, v);
        kernel_part(&b, v);
        for (int s = 0; s < split->count; s++) {
            v[SPLIT_K] = split->values[s];
            shape_part(&b, w, v);
            if (!out && b.sm_us + b.launch_us + b.reduction_us > best_us)
                continue;
            for (int g = 0; g < group->count; g++) {
                uint32_t config = first + (uint32_t)(g * split->count + s);
                v[GROUP_M] = group->values[g];
                dram_part(&b, w, v);
                total_part(&b, device, v);
                if (b.time_us < best_us || (b.time_us == best_us && config < best)) {
                    best = config;
                    best_us = b.time_us;
                }
                if (out)
                    out[config] = b.time_us;
            }
        }
    }
    return best;
}

static void close_hypogpu(struct device *device)
{
    space_free((struct space *)device->space);
    free(device);
}

struct device *hypogpu_new(double unmodelled)
{
    struct hypogpu *gpu = xalloc(1, sizeof *gpu);
    gpu->device = (struct device){
        .name = "HypoGPU",
        .noise = 0.015,
        .is_hypogpu = true,
        .time_us = time_us,
        .landscape = landscape,
        .close = close_hypogpu,
        .space = space_new(MATMUL_KNOBS, knobs, HYPOGPU_REGISTERS, reasons, rule, NULL),
    };
    gpu->unmodelled = unmodelled;
    return &gpu->device;
}

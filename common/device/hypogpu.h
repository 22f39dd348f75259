/* hypogpu.h - HypoGPU, the lecture's invented GPU (0.4): A100-like figures, a hidden timing model.
 *
 * The lecture states its capacities, which stand here; the formulas are a reconstruction from what it says of them.
 * The constants in hypogpu.c, and HYPOGPU_UNMODELLED, were fitted to the terrain that the lecture publishes, never to
 * a tuner's result. It predicts no real GPU. Its knobs are the seven of enum matmul_knob, in that order. A tuner may
 * not include this header; tests/test_door.sh proves that none does. */
#ifndef HYPOGPU_H
#define HYPOGPU_H

#include "device/device.h"
#include "space/matmul.h"

enum {
    HYPOGPU_SMS = 108,                 /* streaming multiprocessors */
    HYPOGPU_SMEM_LIMIT = 163 * 1024,   /* bytes of shared memory that one block may ask for */
    HYPOGPU_ACC_LIMIT = 512,           /* accumulators a thread */
    HYPOGPU_FLOP_A_CYCLE = 2048,       /* an SM's tensor cores, in 4 sub-partitions: 312 TFLOP/s in all */
    HYPOGPU_L2_BYTES_A_CYCLE = 48,     /* an SM's share of L2 bandwidth */
    HYPOGPU_LOAD_LATENCY = 500,        /* cycles of one load without its bytes */
    HYPOGPU_DRAM_BYTES_A_US = 2000000, /* 2 TB/s */
};
#define HYPOGPU_MHZ 1410.0 /* clock: cycles a us */

#define HYPOGPU_UNMODELLED 0.116 /* fitted: the most that the perturbation adds, a share of the time */

enum hypogpu_illegal { HYPOGPU_LEGAL, HYPOGPU_SMEM, HYPOGPU_WARPS, HYPOGPU_REGISTERS };

struct device *hypogpu_new(double unmodelled); /* HYPOGPU_UNMODELLED; 0 for a GPU whose model is complete */

/* Blocks that share an SM from their first step to their last; in cycles. */
struct hypogpu_round {
    int blocks;                        /* 0: there is no such round */
    double tensor, smem, l2, own_pace; /* what one K-step needs of each; the slowest is the step's time */
    double latency;                    /* of a load */
    double step, store, all;           /* one step; the epilogue; prologue, steps and epilogue */
};

/* Where the time of one configuration goes: every intermediate of the model, in the order in which it is computed. */
struct hypogpu_breakdown {
    int grid_m, grid_n;      /* output tiles along M and N */
    int k_slice, k_steps;    /* K of one of SPLIT_K slices; BLOCK_K steps in it */
    long long blocks;        /* thread blocks: grid_m grid_n SPLIT_K */
    int threads, smem_bytes; /* a block */
    int warp_m, warp_n;      /* the tile of one warp */

    int accumulators;                                 /* fp32 sums a thread keeps */
    double registers, register_cap, spilled;          /* a thread */
    int by_smem, by_registers, by_threads, occupancy; /* blocks an SM: each limit, and the least */

    double step_bytes, step_flop, efficiency; /* of one K-step of a block */
    double work, alone, fill;                 /* cycles: of the tensor cores; without waiting; the prologue */

    long long busiest;               /* blocks that fall to the busiest SM */
    long long full_rounds;           /* rounds of `occupancy` blocks there */
    struct hypogpu_round full, last; /* one of them; the one after them, of fewer blocks */
    double sm_us;                    /* time of the busiest SM */
    double idle_share;               /* SM time in which a slot had no block: the tail */

    long long waves;
    double read_bytes, written_bytes, minimum_bytes, dram_us; /* DRAM's */
    double combined_us, launch_us, reduction_us;
    double perturbation; /* factor, 1 … 1 + unmodelled */
    double time_us;
};
/* values: those of a legal configuration, in the order of enum matmul_knob. */
struct hypogpu_breakdown hypogpu_explain(const struct device *device, const struct workload *w, const int *values);

#endif

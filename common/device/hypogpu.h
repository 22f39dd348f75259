/* hypogpu.h - HypoGPU, the lecture's invented GPU (0.4): A100-like figures, a hidden timing model.
 *
 * The lecture states its capacities; its timing formulas were never published. This is a reconstruction from what the
 * lecture says of them: tensor-core, shared-memory and L2 throughput; load latency hidden by stages (Little's law);
 * register spilling and occupancy; wave quantisation; GROUP_M's effect on DRAM traffic; split-K's extra reduction;
 * and a perturbation that nobody modelled, which only slows down. It predicts no real GPU. The constants below come
 * from the lecture; those in hypogpu.c, and HYPOGPU_UNMODELLED, were fitted to the terrain that the lecture
 * publishes, never to a tuner's result.
 *
 * Its knobs are the seven of enum matmul_knob, in that order.
 * A tuner may not include this header; tests/test_door.sh proves that none does. */
#ifndef HYPOGPU_H
#define HYPOGPU_H

#include "device/device.h"
#include "space/matmul.h"

/* What the lecture states of it. */
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
void hypogpu_free(struct device *device);

/* Where the time of one configuration goes: every intermediate of the model, in the order in which it is computed. */
struct hypogpu_breakdown {
    /* geometry */
    int grid_m, grid_n;      /* output tiles along M and N */
    int k_slice, k_steps;    /* K of one of SPLIT_K slices; BLOCK_K steps in it */
    long long blocks;        /* thread blocks: grid_m grid_n SPLIT_K */
    int threads, smem_bytes; /* a block */
    int warp_m, warp_n;      /* the tile of one warp */
    /* registers and occupancy */
    int accumulators;                                 /* fp32 sums a thread keeps */
    double registers, register_cap, spilled;          /* a thread */
    int by_smem, by_registers, by_threads, occupancy; /* blocks an SM: each limit, and the least */
    /* one K-step of `resident` blocks on the busiest SM, cycles */
    double step_bytes, step_flop, efficiency, work;
    double alone, latency;
    int resident; /* blocks on an SM in a full round: occupancy, or fewer if there are not so many */
    double tensor, smem, l2, own_pace, step;
    /* waves */
    long long busiest;                /* blocks that fall to the busiest SM */
    long long full_rounds;            /* rounds of `occupancy` blocks there */
    int last_round;                   /* blocks in the round after them; 0: none */
    double fill_cycles, store_cycles; /* prologue and epilogue of a full round (of the last, if none is full) */
    double stores;                    /* epilogues of all rounds, cycles */
    double sm_us;                     /* time of the busiest SM */
    double idle_share;                /* SM time in which a slot had no block: the tail */
    /* DRAM */
    long long waves;
    double read_bytes, written_bytes, minimum_bytes;
    double dram_us;
    /* total */
    double combined_us, launch_us, reduction_us;
    double perturbation; /* factor, 1 … 1 + unmodelled */
    double time_us;
};
/* values: those of a legal configuration, in the order of enum matmul_knob. */
struct hypogpu_breakdown hypogpu_explain(const struct device *device, const struct workload *w, const int *values);

#endif

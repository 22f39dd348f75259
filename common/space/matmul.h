/* matmul.h - the kernel that computes the product: its seven knobs, in Triton's names and order (1.3). */
#ifndef MATMUL_H
#define MATMUL_H

#include "space/space.h"

enum matmul_knob { BLOCK_M, BLOCK_N, BLOCK_K, NUM_WARPS, NUM_STAGES, GROUP_M, SPLIT_K, MATMUL_KNOBS };
extern const char *const matmul_knob_name[MATMUL_KNOBS]; /* "BLOCK_M" … */

/* Bytes of shared memory that a block with these knob values [MATMUL_KNOBS] asks for:
 * num_stages (BLOCK_M + BLOCK_N) BLOCK_K 2. */
int matmul_smem_bytes(const int *values);

/* The piece of a block's tile that one warp computes, in rows and columns of C. The warps stand in a grid of a x b, a
 * being a power of two, so that no piece is smaller than a tensor-core instruction's 16x8: of these grids the one
 * whose pieces have the shortest edges, for then the warps read least from shared memory; of equals the one with the
 * smaller a. A tile that is too small for its warps: 16x8. */
void matmul_warp_tile(const int *values, double *rows, double *columns);

/* The list of configurations that the lecture's slides hand to @triton.autotune (2.2): BLOCK_M 128 x BLOCK_N 128, 256 x
 * BLOCK_K 64, 128 x num_stages 2, 3, 4 x num_warps 4, 8, with GROUP_M 8 and SPLIT_K 1. autotune measures each that can
 * be launched and keeps the fastest: what is not on the list is never found.
 * Fills in the list as indices of the space, in the order written above, the last fastest. False if the space lacks
 * one, or has other knobs than the matmul's. */
enum { TRITON_LIST = 24 };
bool triton_list(const struct space *space, uint32_t list[TRITON_LIST]);

#endif

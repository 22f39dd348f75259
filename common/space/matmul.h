/* matmul.h - the kernel that computes the product: its seven knobs, in Triton's names and order (1.3). */
#ifndef MATMUL_H
#define MATMUL_H

#include "space/space.h"

enum matmul_knob { BLOCK_M, BLOCK_N, BLOCK_K, NUM_WARPS, NUM_STAGES, GROUP_M, SPLIT_K, MATMUL_KNOBS };
extern const char *const matmul_knob_name[MATMUL_KNOBS]; /* "BLOCK_M" … */

/* Bytes of shared memory that a block with these knob values asks for: num_stages (BLOCK_M + BLOCK_N) BLOCK_K 2. */
int matmul_smem_bytes(const int *values);

/* The piece of a block's tile that one warp computes, in rows and columns of C. The warps stand in a grid of a x b, a
 * a power of two, no piece smaller than a tensor-core instruction's 16x8; of these the one with the shortest edges
 * (least to read from shared memory), of equals the smaller a. A tile too small for its warps: 16x8. */
void matmul_warp_tile(const int *values, double *rows, double *columns);

/* The list that the lecture's slides hand to @triton.autotune (2.2): BLOCK_M 128 x BLOCK_N 128, 256 x BLOCK_K 64, 128
 * x num_stages 2, 3, 4 x num_warps 4, 8, with GROUP_M 8 and SPLIT_K 1, as indices of the space in this order, the
 * last fastest. False if the space lacks one, or has other knobs. */
enum { TRITON_LIST = 24 };
bool triton_list(const struct space *space, uint32_t list[TRITON_LIST]);

#endif

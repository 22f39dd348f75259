/* triton.h - the list of configurations that the lecture's slides hand to @triton.autotune (2.2).
 *
 * BLOCK_M 128 x BLOCK_N 128, 256 x BLOCK_K 64, 128 x num_stages 2, 3, 4 x num_warps 4, 8, with GROUP_M 8 and SPLIT_K
 * 1. autotune measures each that can be launched and keeps the fastest: what is not on the list is never found. */
#ifndef TRITON_H
#define TRITON_H

#include "device/device.h"
#include "space/matmul.h"

enum { TRITON_LIST = 24 };

/* The list as indices of a space, in the order written above, the last fastest. Returns false if the space lacks one,
 * or has other knobs than the matmul's. */
bool triton_list(const struct space *space, uint32_t list[TRITON_LIST]);

/* Which of the list is truly fastest; the list must hold a legal one. */
uint32_t triton_best(const struct landscape *landscape, const uint32_t list[TRITON_LIST]);

#endif

/* roofline.h - an estimate without a measurement: the model that Triton hands to prune_configs_by (lecture 2.2).
 *
 * The formulas are those of estimate_matmul_time in Triton's matmul_perf_model.py: the larger of computing and loading,
 * then storing. It knows a GPU's data sheet and the tile, not num_stages, GROUP_M, BLOCK_K or what a warp can do. */
#ifndef ROOFLINE_H
#define ROOFLINE_H

#include "space/matmul.h"
#include "space/workload.h"

struct roofline { /* a data sheet */
    const char *gpu;
    double sms, flop_a_us, bytes_a_us; /* dense fp16; DRAM */
};

/* Of HypoGPU and of what was recorded, by the device's name; NULL: not known. */
const struct roofline *roofline_of(const char *device);

/* Time in us of the kernel with these values, in the order of enum matmul_knob. */
double roofline_us(const struct roofline *gpu, const struct workload *w, const int *values);

/* The legal ones of list [n], from the least estimate to the largest, of equals the first of the list, and their
 * estimates: order, us [n]; returns how many. */
int roofline_order(const struct roofline *gpu, const struct workload *w, const struct space *space, int n,
                   const uint32_t *list, uint32_t *order, double *us);

#endif

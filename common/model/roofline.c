/* roofline.c - how long a product takes at the least, by a data sheet and some rules of thumb, which are Triton's. */
#include "model/roofline.h"
#include "base/stats.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct roofline *roofline_of(const char *device)
{
    static const struct roofline known[] = {
        { "HypoGPU", 108, 312e6, 2.0e6 },
        { "H200", 132, 989e6, 4.8e6 },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].gpu, device))
            return &known[i];
    return NULL;
}

double roofline_us(const struct roofline *gpu, const struct workload *w, const int *values)
{
    double tiles_m = ceil((double)w->m / values[BLOCK_M]), tiles_n = ceil((double)w->n / values[BLOCK_N]);
    double split = values[SPLIT_K], blocks = tiles_m * tiles_n * split;
    double m = fmax(w->m, values[BLOCK_M]), n = fmax(w->n, values[BLOCK_N]), k = w->k;

    /* A sub-partition of an SM needs a warp to compute; a block keeps at most an SM's four. */
    double parts = 4 * gpu->sms, busy = fmin(1, blocks * fmin(4, values[NUM_WARPS]) / parts);
    double compute_us = 2 * m * n * k / (gpu->flop_a_us * busy);

    /* 32 blocks reach 95 % of DRAM's bandwidth, 108 all; L2 has four times that. Of every reading of A or B but the
     * first, L2 answers 80 %. */
    double reach = 0.95 * fmin(1, blocks / 32) + 0.05 * fmax(0, fmin(1, (blocks - 32) / (108 - 32)));
    double dram = gpu->bytes_a_us * reach, again = m * k * 2 * (tiles_n - 1) + n * k * 2 * (tiles_m - 1);
    double load_us = ((m + n) * k * 2 + 0.2 * again) / dram + 0.8 * again / (4 * dram);

    /* At 60 % of it; with SPLIT_K every slice is added to what was set to zero. */
    double store_us = m * n * 2 * (split > 1 ? split + 1 : 1) / (0.6 * dram);
    return fmax(compute_us, load_us) + store_us;
}

int roofline_order(const struct roofline *gpu, const struct workload *w, const struct space *space, int n,
                   const uint32_t *list, uint32_t *order, double *us)
{
    uint32_t *legal = xalloc((size_t)n, sizeof *legal);
    int count = 0;
    for (int i = 0; i < n; i++)
        if (space_is_legal(space, list[i])) {
            int values[MATMUL_KNOBS];
            space_values(space, list[i], values);
            us[count] = roofline_us(gpu, w, values);
            legal[count++] = list[i];
        }
    stats_order(us, (size_t)count, order);
    stats_sort(us, (size_t)count);
    for (int i = 0; i < count; i++)
        order[i] = legal[order[i]];
    free(legal);
    return count;
}

/* matmul.c - what the matmul kernel's knobs imply. */
#include "space/matmul.h"
#include <stdbool.h>

const char *const matmul_knob_name[MATMUL_KNOBS] = {
    "BLOCK_M", "BLOCK_N", "BLOCK_K", "num_warps", "num_stages", "GROUP_M", "SPLIT_K",
};

int matmul_smem_bytes(const int *values)
{
    return values[NUM_STAGES] * (values[BLOCK_M] + values[BLOCK_N]) * values[BLOCK_K] * 2;
}

void matmul_warp_tile(const int *values, double *rows, double *columns)
{
    enum { PIECE_ROWS = 16, PIECE_COLUMNS = 8 };
    int warps = values[NUM_WARPS];
    bool found = false;
    *rows = PIECE_ROWS;
    *columns = PIECE_COLUMNS;
    for (int a = 1; a <= warps && warps % a == 0; a *= 2) {
        double r = (double)values[BLOCK_M] / a, c = (double)values[BLOCK_N] * a / warps;
        if (r < PIECE_ROWS || c < PIECE_COLUMNS || (found && r + c >= *rows + *columns))
            continue;
        found = true;
        *rows = r;
        *columns = c;
    }
}

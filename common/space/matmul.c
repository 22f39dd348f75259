/* matmul.c - what the matmul kernel's knobs imply. */
#include "space/matmul.h"

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

bool triton_list(const struct space *space, uint32_t list[TRITON_LIST])
{
    int n = 0;
    if (space->knobs != MATMUL_KNOBS || space_knob(space, "BLOCK_M") != BLOCK_M) /* a recording of something else */
        return false;
    for (int bn = 128; bn <= 256; bn *= 2)
        for (int bk = 64; bk <= 128; bk *= 2)
            for (int stages = 2; stages <= 4; stages++)
                for (int warps = 4; warps <= 8; warps *= 2) {
                    int values[MATMUL_KNOBS] = { 128, bn, bk, warps, stages, 8, 1 };
                    if (!space_index(space, values, &list[n++]))
                        return false;
                }
    return true;
}

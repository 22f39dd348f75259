/* triton.c - the slides' list of 24. */
#include "space/triton.h"
#include "space/workload.h"

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

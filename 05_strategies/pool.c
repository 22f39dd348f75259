/* pool.c - the pool as a restriction of the device's space. */
#include "pool.h"

struct space *pool_space(const struct device *device)
{
    static const int tiles[] = { 16, 32, 64, 128 }, depths[] = { 64, 128 }, warps[] = { 2, 4, 8 }, stages[] = { 1, 2, 3, 4, 5, 6 },
                     groups[] = { 1, 8 }, splits[] = { 1, 2, 4, 8 };
    static const struct knob kept[MATMUL_KNOBS] = {
        { "BLOCK_M", 4, tiles }, { "BLOCK_N", 4, tiles }, { "BLOCK_K", 2, depths }, { "num_warps", 3, warps },
        { "num_stages", 6, stages }, { "GROUP_M", 2, groups }, { "SPLIT_K", 4, splits },
    };
    struct space *pool = space_restrict(device->space, kept[0].name, kept[0].count, kept[0].values);
    for (int k = 1; k < MATMUL_KNOBS && pool; k++) {
        struct space *smaller = space_restrict(pool, kept[k].name, kept[k].count, kept[k].values);
        space_free(pool);
        pool = smaller;
    }
    return pool;
}

double pool_optimum_us(const struct device *device, const struct workload *w, const struct space *pool)
{
    struct landscape l = landscape_new(device, w, pool);
    landscape_free(&l);
    return l.best_us;
}

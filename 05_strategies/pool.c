/* pool.c - the pool as a restriction of the device's space. */
#include "pool.h"

/* clang-format off */
const struct fact published_pool[] = {
    { "pool.configs", "s2", FACT_EXACT, { "3744", "3744" }, "3744", "3744",
      { "legal configurations of the pool", "候选池里的合法配置数" }, { 0 } },
    { "pool.within5", "s2", FACT_MODEL, { "a dozen or so", "十几个" }, "8", "19",
      { "of them within 5 % of the optimum", "其中离最优 5% 以内的" }, { 0 } },
    { 0 }
};
/* clang-format on */

enum { MOST_VALUES = 8 };

/* Which of the kept values a space's knob of that name has; returns how many. */
static int common_values(const struct space *space, const struct knob *kept, int *values)
{
    int which = space_knob(space, kept->name), n = 0;
    for (int i = 0; i < kept->count && which >= 0; i++)
        for (int v = 0; v < space->knob[which].count; v++)
            if (space->knob[which].values[v] == kept->values[i])
                values[n++] = kept->values[i];
    return n;
}

struct space *pool_space(const struct device *device, const struct workload *w)
{
    static const int tiles[] = { 16, 32, 64, 128 }, depths[] = { 64, 128 }, warps[] = { 2, 4, 8 },
                     stages[] = { 1, 2, 3, 4, 5, 6 }, groups[] = { 1, 8 }, splits[] = { 1, 2, 4, 8 };
    static const struct knob kept[MATMUL_KNOBS] = {
        { "BLOCK_M", 4, tiles },     { "BLOCK_N", 4, tiles },  { "BLOCK_K", 2, depths }, { "num_warps", 3, warps },
        { "num_stages", 6, stages }, { "GROUP_M", 2, groups }, { "SPLIT_K", 4, splits },
    };
    const struct space *all = device_space(device, w);
    struct space *pool = space_new(all->knobs, all->knob, all->reasons, all->reason, all->rule, all->context);
    for (int k = 0; k < MATMUL_KNOBS; k++) {
        int values[MOST_VALUES];
        int count = common_values(pool, &kept[k], values);
        struct space *smaller = count ? space_restrict(pool, kept[k].name, count, values) : NULL;
        if (smaller) {
            space_free(pool);
            pool = smaller;
        }
    }
    return pool;
}

double pool_optimum_us(const struct device *device, const struct workload *w, const struct space *pool)
{
    if (device->measure)
        return 0;
    struct landscape l = landscape_new(device, w, pool);
    landscape_free(&l);
    return l.best_us;
}

/* look.c - who is listed, and who takes what is left; names that would stand on each other, moved apart. */
#include "report/look.h"
#include "base/mathx.h"
#include "base/stats.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LOOKS = 8 }; /* linetypes of style.gp */
static const struct {
    const char *name;
    int look;
} named[] = {
    { "AutoTVM", 1 },
    { "program features", 1 },
    { "18 program features", 1 },
    { "intensity within 4x", 1 },
    { "buckets", 1 },
    { "the bucket's", 1 },
    { "rank", 1 },
    { "Ansor", 2 },
    { "all alike", 2 },
    { "guided by the ridge", 2 },
    { "measure 3", 2 },
    { "Random", 3 },
    { "no transfer", 3 },
    { "M = 16's optimum", 3 },
    { "Genetic", 4 },
    { "evolution of the best few", 4 },
    { "knob features", 4 },
    { "knobs", 4 },
    { "round robin", 4 },
    { "squared", 4 },
    { "best of them", 4 },
    { "Grid", 5 },
    { "Beam search", 6 },
    { "Triton's list", 7 },
};

/* Bytes of a name that say who it is: "Ansor (full)" and "Ansor, 5 %" are Ansor. */
static size_t who(const char *name)
{
    size_t n = strcspn(name, ",:(");
    while (n > 0 && name[n - 1] == ' ')
        n--;
    return n;
}

static bool same_who(const char *a, const char *b) { return who(a) == who(b) && !strncasecmp(a, b, who(a)); }

void look_find(size_t count, const struct text *name, int *look)
{
    static const int orders[2][LOOKS] = { { 1, 2, 3, 4, 5, 6, 7, 8 }, { 7, 8, 6, 5, 4, 3, 2, 1 } };
    bool taken[LOOKS + 1] = { false }, known = false;
    for (size_t i = 0; i < count; i++) {
        look[i] = 0;
        for (size_t k = 0; k < sizeof named / sizeof *named; k++)
            look[i] = same_who(name[i].en, named[k].name) ? named[k].look : look[i];
        taken[look[i]] = true;
        known |= look[i] > 0;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i && !look[i]; k++)
            look[i] = same_who(name[i].en, name[k].en) ? look[k] : 0;
        for (int k = 0; k < LOOKS && !look[i]; k++) /* beside those who are listed, not what is theirs */
            look[i] = taken[orders[known][k]] ? 0 : orders[known][k];
        look[i] = look[i] ? look[i] : LOOKS;
        taken[look[i]] = true;
    }
}

/* ---- where names stand ---- */

void look_places(struct axis y, size_t count, const struct series *series, double *at)
{
    const double apart = 0.065;
    uint32_t *order = xalloc(count, sizeof *order);
    for (size_t s = 0; s < count; s++) {
        double last = series[s].n ? series[s].y[series[s].n - 1] : y.low;
        at[s] = y.log > 0 ? mathx_log(last / y.low) / mathx_log(y.high / y.low) : (last - y.low) / (y.high - y.low);
        at[s] = at[s] > 1 ? 1 : at[s] >= 0 ? at[s] : 0;
    }
    stats_order(at, count, order);
    for (size_t i = 1; i < count; i++)
        if (at[order[i]] < at[order[i - 1]] + apart)
            at[order[i]] = at[order[i - 1]] + apart;
    double limit = 1; /* pushed beyond the top: push back down */
    for (size_t i = count; i-- > 0; limit = at[order[i]] - apart)
        at[order[i]] = at[order[i]] > limit ? limit : at[order[i]];
    free(order);
}

struct axis look_range(struct axis y, size_t count, const struct series *series)
{
    if (y.low < y.high)
        return y;
    y.low = INFINITY;
    y.high = -INFINITY;
    for (size_t s = 0; s < count; s++) {
        const double *const columns[] = { series[s].y, series[s].low, series[s].high };
        for (int c = 0; c < 3; c++)
            for (size_t i = 0; columns[c] && i < series[s].n; i++) {
                double v = columns[c][i];
                y.low = isfinite(v) && v < y.low ? v : y.low;
                y.high = isfinite(v) && v > y.high ? v : y.high;
            }
    }
    double margin = y.log > 0 ? 0 : (y.high - y.low) * 0.05;
    y.low -= margin;
    y.high += y.high > y.low ? margin : 1;
    return y;
}

/* gbdt_bins.c - where to cut a feature into bins, and which bin a value is in. */
#include "model/gbdt_model.h"
#include "base/xalloc.h"
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* A cut between neighbours a < b: half way, so that unseen values fall to the nearer side. */
static float between(float a, float b)
{
    float middle = (float)(((double)a + (double)b) / 2);
    return middle > a ? middle : b;
}

void gbdt_choose_cuts(struct gbdt_column *column, int bins, size_t n, const float *x, size_t stride)
{
    float *value = xalloc(n, sizeof *value);
    size_t distinct = n > 0, start = 0;
    for (size_t i = 0; i < n; i++)
        value[i] = x[i * stride] + 0.0f; /* -0 becomes 0: equal values are the same bits, so the sort has no ties */
    qsort(value, n, sizeof *value, by_value);
    for (size_t i = 1; i < n; i++)
        distinct += value[i] > value[i - 1];

    /* A bin closes when it holds its share of what is left; with few distinct values each has its own. */
    column->cuts = 0;
    for (size_t i = 1; i < n && column->cuts < bins - 1; i++) {
        size_t bins_left = (size_t)(bins - column->cuts);
        if (value[i] > value[i - 1] && (distinct <= (size_t)bins || (i - start) * bins_left >= n - start)) {
            column->cut[column->cuts++] = between(value[i - 1], value[i]);
            start = i;
        }
    }
    free(value);
}

int gbdt_bin(const struct gbdt_column *column, float x)
{
    int bin = 0;
    for (int c = 0; c < column->cuts; c++)
        bin += x >= column->cut[c];
    return bin;
}

/* gbdt_bins.c - where to cut a feature into bins, and which bin a value is in. */
#include "model/gbdt_model.h"
#include "base/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* A number whose order among all is that of the value; and the value. */
static uint32_t key_of(float value)
{
    uint32_t bits;
    value += 0.0f; /* -0 becomes 0 */
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 ? ~bits : bits | 1u << 31;
}

static float value_of(uint32_t key)
{
    uint32_t bits = key >> 31 ? key & ~(1u << 31) : ~key;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Ascending, byte by byte from the lowest; an even number of times there and back. */
static void sort(size_t n, uint32_t *key, uint32_t *spare)
{
    for (int shift = 0; shift < 32; shift += 8) {
        size_t start[257] = { 0 };
        for (size_t i = 0; i < n; i++)
            start[(key[i] >> shift & 255) + 1]++;
        for (int b = 0; b < 256; b++)
            start[b + 1] += start[b];
        for (size_t i = 0; i < n; i++)
            spare[start[key[i] >> shift & 255]++] = key[i];
        uint32_t *swap = key;
        key = spare, spare = swap;
    }
}

/* A cut between neighbours a < b: half way, so that unseen values fall to the nearer side. */
static float between(float a, float b)
{
    float middle = (float)(((double)a + (double)b) / 2);
    return middle > a ? middle : b;
}

void gbdt_choose_cuts(struct gbdt_column *column, int bins, size_t n, const float *x, size_t stride)
{
    uint32_t *key = xalloc(2 * n, sizeof *key);
    size_t distinct = n > 0, start = 0;
    for (size_t i = 0; i < n; i++)
        key[i] = key_of(x[i * stride]);
    sort(n, key, key + n);
    for (size_t i = 1; i < n; i++)
        distinct += key[i] > key[i - 1];

    /* A bin closes when it holds its share of what is left; with few distinct values each has its own. */
    column->cuts = 0;
    for (size_t i = 1; i < n && column->cuts < bins - 1; i++) {
        size_t bins_left = (size_t)(bins - column->cuts);
        if (key[i] > key[i - 1] && (distinct <= (size_t)bins || (i - start) * bins_left >= n - start)) {
            column->cut[column->cuts++] = between(value_of(key[i - 1]), value_of(key[i]));
            start = i;
        }
    }
    free(key);
}

int gbdt_bin(const struct gbdt_column *column, float x)
{
    int bin = 0;
    for (int c = 0; c < column->cuts; c++)
        bin += x >= column->cut[c];
    return bin;
}

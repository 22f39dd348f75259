/* gbdt_bins.c - where to cut a feature into bins, and which bin a value is in. */
#include "model/gbdt_model.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bits that sort as unsigned integers like the floats they came from; -0 and 0 are one value. */
static uint32_t key_of(float x)
{
    uint32_t bits;
    x += 0.0f;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}

static float float_of(uint32_t key)
{
    float x;
    key ^= key >> 31 ? 0x80000000u : 0xffffffffu;
    memcpy(&x, &key, sizeof x);
    return x;
}

/* Ascending, a byte at a time from the lowest: linear in n, and equal keys have no order to disagree about. */
static void sort_keys(uint32_t *key, uint32_t *scratch, size_t n)
{
    for (int shift = 0; shift < 32; shift += 8) {
        size_t place[256] = { 0 }, before = 0;
        for (size_t i = 0; i < n; i++)
            place[key[i] >> shift & 255]++;
        for (int b = 0; b < 256; b++) {
            size_t count = place[b];
            place[b] = before;
            before += count;
        }
        for (size_t i = 0; i < n; i++)
            scratch[place[key[i] >> shift & 255]++] = key[i];
        uint32_t *sorted = scratch;
        scratch = key;
        key = sorted;
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
    size_t distinct = n > 0;
    for (size_t i = 0; i < n; i++)
        key[i] = key_of(x[i * stride]);
    sort_keys(key, key + n, n);
    for (size_t i = 1; i < n; i++)
        distinct += key[i] != key[i - 1];

    /* A bin closes when it holds its share of what is left; with few distinct values each has its own. */
    column->cuts = 0;
    size_t start = 0;
    for (size_t i = 1; i < n && column->cuts < bins - 1; i++) {
        size_t bins_left = (size_t)(bins - column->cuts);
        if (key[i] != key[i - 1] && (distinct <= (size_t)bins || (i - start) * bins_left >= n - start)) {
            column->cut[column->cuts++] = between(float_of(key[i - 1]), float_of(key[i]));
            start = i;
        }
    }
    free(key);
    gbdt_finish_column(column);
}

static gbdt_ints cells_of(const struct gbdt_column *column, gbdt_floats x)
{
    const gbdt_floats last = (gbdt_floats){ 0 } + (GBDT_CELLS - 1);
    gbdt_floats at = (x - column->low) * column->scale;
    at = (gbdt_floats)((gbdt_ints)at & (at > 0));
    gbdt_ints inside = at < last;
    at = (gbdt_floats)(((gbdt_ints)at & inside) | ((gbdt_ints)last & ~inside));
    return __builtin_convertvector(at, gbdt_ints);
}

void gbdt_finish_column(struct gbdt_column *column)
{
    int cuts = column->cuts, in_cell[GBDT_CELLS] = { 0 }, before = 0;
    for (int c = cuts; c < GBDT_MAX_BINS; c++)
        column->cut[c] = NAN;
    column->low = cuts ? column->cut[0] : 0;
    double width = cuts ? (double)column->cut[cuts - 1] - (double)column->low : 0;
    column->scale = width > 1e-30 ? (float)((GBDT_CELLS - 1) / width) : 0;
    for (int c = 0; c < cuts; c++)
        in_cell[cells_of(column, (gbdt_floats){ column->cut[c] })[0]]++;
    column->steps = 0;
    for (int i = 0; i < GBDT_CELLS; i++) {
        column->start[i] = (uint8_t)before;
        before += in_cell[i];
        column->steps = in_cell[i] > column->steps ? in_cell[i] : column->steps;
    }
}

/* Subtraction, multiplication and rounding keep order, so cuts in lower cells are <= x and cuts in higher ones > x:
 * only the few in x's own cell, mostly one at most, remain to be compared. No branch depends on x. */
void gbdt_bin(const struct gbdt_column *column, size_t n, const float *x, size_t stride, uint8_t *bin)
{
    gbdt_floats value[GBDT_BLOCK / GBDT_LANES];
    gbdt_ints cell[GBDT_BLOCK / GBDT_LANES];
    float *v = (float *)value;
    const int32_t *at = (const int32_t *)cell;
    size_t vectors = (n + GBDT_LANES - 1) / GBDT_LANES;
    value[vectors - 1] = (gbdt_floats){ 0 };
    for (size_t i = 0; i < n; i++)
        v[i] = x[i * stride];
    for (size_t i = 0; i < vectors; i++)
        cell[i] = cells_of(column, value[i]);
#pragma GCC unroll 4
    for (size_t i = 0; i < n; i++) {
        int b = column->start[at[i]];
        bin[i] = (uint8_t)(b + (v[i] >= column->cut[b]));
    }
    for (int s = 1; s < column->steps; s++)
        for (size_t i = 0; i < n; i++)
            bin[i] = (uint8_t)(bin[i] + (v[i] >= column->cut[bin[i]]));
}

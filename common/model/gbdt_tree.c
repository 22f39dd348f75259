/* gbdt_tree.c - grows one regression tree on first and second derivatives (lecture 4.2), from histograms.
 *
 * g and h of a node's rows are summed by bin, for each feature; then every cut is tried, from low to high. Of two
 * siblings only the one with fewer rows is summed: the other's histogram is their parent's minus that one. All sums
 * are of integers, so the subtraction is exact. Four features stand side by side and are tried at once. */
#include "model/gbdt_model.h"
#include "base/xalloc.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double least_gain = 1e-6; /* as in XGBoost: below it a split only follows rounding errors */

struct cell {
    gbdt_ints g, h;
}; /* one bin of four features */
struct sums {
    int32_t g, h;
};

struct chunk {               /* four features side by side */
    int feature[GBDT_LANES]; /* the last chunk may have fewer: sums of 0, which never split */
    int first, bins;         /* its cells in a histogram; bins of the one that has most */
};

struct split {
    int chunk, lane, bin;
    struct sums left;
};

struct gbdt_grower {
    const struct gbdt_settings *settings;
    const struct gbdt *model;
    size_t n;
    int chunks, cells, columns; /* columns: features that are not constant */
    struct chunk *chunk;        /* [chunks] */
    struct cell *histogram;     /* [GBDT_MAX_DEPTH][cells] one a level: of a node or its sibling */
    uint16_t *slot;             /* [n][columns] where a row's bins are in a histogram, in int32s */
    struct sums *row;           /* [n] g and h of each row */
    uint32_t *order, *scratch;  /* [n] rows, those of a node together */
    double g_scale, h_scale;    /* integer = derivative * scale, powers of two */
    double lambda;
    struct gbdt_tree *tree;
    double *score;
};

enum { CELL_INTS = sizeof(struct cell) / sizeof(int32_t) };

/* Features with about equally many bins share a chunk: those with most bins come first. */
static void lay_out(struct gbdt_grower *grower)
{
    const struct gbdt *model = grower->model;
    grower->chunk = xalloc((size_t)model->features, sizeof *grower->chunk);
    for (int bins = GBDT_MAX_BINS; bins > 1; bins--)
        for (int f = 0; f < model->features; f++) {
            if (model->column[f].cuts + 1 != bins)
                continue;
            int lane = grower->columns++ % GBDT_LANES;
            if (lane == 0) {
                grower->chunk[grower->chunks++] = (struct chunk){ .first = grower->cells, .bins = bins };
                grower->cells += bins;
            }
            grower->chunk[grower->chunks - 1].feature[lane] = f;
        }
}

struct gbdt_grower *gbdt_grower_new(const struct gbdt_settings *settings, const struct gbdt *model, size_t n,
                                    const float *x)
{
    struct gbdt_grower *grower = xalloc(1, sizeof *grower);
    grower->settings = settings;
    grower->model = model;
    grower->n = n;
    lay_out(grower);
    size_t features = (size_t)model->features, columns = (size_t)grower->columns;
    grower->histogram = xalloc((size_t)grower->cells * GBDT_MAX_DEPTH, sizeof *grower->histogram);
    grower->slot = xalloc(n * columns, sizeof *grower->slot);
    grower->row = xalloc(n, sizeof *grower->row);
    grower->order = xalloc(n, sizeof *grower->order);
    grower->scratch = xalloc(n, sizeof *grower->scratch);
    for (size_t i = 0; i < n; i += GBDT_BLOCK) {
        uint8_t bin[GBDT_BLOCK];
        size_t count = n - i < GBDT_BLOCK ? n - i : GBDT_BLOCK;
        for (size_t k = 0; k < columns; k++) {
            const struct chunk *chunk = &grower->chunk[k / GBDT_LANES];
            int lane = (int)(k % GBDT_LANES), f = chunk->feature[lane];
            gbdt_bin(&model->column[f], count, x + i * features + f, features, bin);
            for (size_t r = 0; r < count; r++)
                grower->slot[(i + r) * columns + k] = (uint16_t)((chunk->first + bin[r]) * CELL_INTS + lane);
        }
    }
    return grower;
}

void gbdt_grower_free(struct gbdt_grower *grower)
{
    free(grower->chunk);
    free(grower->histogram);
    free(grower->slot);
    free(grower->row);
    free(grower->order);
    free(grower->scratch);
    free(grower);
}

/* The power of two that brings a sum of n absolute values just under 2^30. */
static double scale_for(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(v[i]);
    assert(isfinite(sum));
    int exponent;
    frexp(sum, &exponent);
    return sum > 1e-200 ? ldexp(1, 30 - exponent) : 0;
}

/* The nearest whole number: adding 1.5 * 2^52 leaves no bits for a fraction. */
static int32_t whole(double v) { return (int32_t)(v + 0x1.8p52 - 0x1.8p52); }

static void add_rows(const struct gbdt_grower *grower, const uint32_t *rows, size_t n, struct cell *histogram)
{
    size_t columns = (size_t)grower->columns;
    memset(histogram, 0, (size_t)grower->cells * sizeof *histogram);
    int32_t *sum = (int32_t *)histogram;
    for (size_t i = 0; i < n; i++) {
        const uint16_t *slot = grower->slot + rows[i] * columns;
        struct sums row = grower->row[rows[i]];
        for (size_t k = 0; k < columns; k++) {
            sum[slot[k]] += row.g;
            sum[slot[k] + GBDT_LANES] += row.h;
        }
    }
}

/* Lecture 4.2's gain of every cut of four features, but for the term that all cuts of a node share. Returns the best
 * of each feature and the last bin to its left; of equals the lowest. */
static gbdt_floats best_of_chunk(const struct gbdt_grower *grower, const struct cell *cell, int bins,
                                 struct sums node, gbdt_ints *best_bin)
{
    gbdt_ints zero = { 0 }, g = zero, h = zero, bin = zero, node_g = zero + node.g, node_h = zero + node.h;
    gbdt_floats lambda = (gbdt_floats){ 0 } + (float)grower->lambda, best = { 0 };
    int32_t least = (int32_t)ceil(grower->settings->min_child_weight * grower->h_scale);
    for (int b = 0; b < bins - 1; b++) {
        g += cell[b].g;
        h += cell[b].h;
        gbdt_ints right_g = node_g - g, right_h = node_h - h;
        gbdt_floats gl = __builtin_convertvector(g, gbdt_floats), gr = __builtin_convertvector(right_g, gbdt_floats);
        gbdt_floats hl = __builtin_convertvector(h, gbdt_floats), hr = __builtin_convertvector(right_h, gbdt_floats);
        gbdt_floats gain = gl * gl / (hl + lambda) + gr * gr / (hr + lambda);
        gbdt_ints better = (gain > best) & (h >= least) & (right_h >= least);
        best = (gbdt_floats)(((gbdt_ints)gain & better) | ((gbdt_ints)best & ~better));
        bin = ((zero + b) & better) | (bin & ~better);
    }
    *best_bin = bin;
    return best;
}

/* Of equals the lowest feature wins, wherever it stands. */
static bool find_split(const struct gbdt_grower *grower, const struct cell *histogram, struct sums node,
                       struct split *split)
{
    float best = 0;
    int feature = 0;
    for (int c = 0; c < grower->chunks; c++) {
        const struct chunk *chunk = &grower->chunk[c];
        gbdt_ints bin;
        gbdt_floats gain = best_of_chunk(grower, histogram + chunk->first, chunk->bins, node, &bin);
        for (int lane = 0; lane < GBDT_LANES; lane++)
            if (gain[lane] > best || (gain[lane] == best && chunk->feature[lane] < feature)) {
                best = gain[lane];
                feature = chunk->feature[lane];
                *split = (struct split){ .chunk = c, .lane = lane, .bin = bin[lane] };
            }
    }
    if (!(best > 0))
        return false;
    const struct cell *cell = histogram + grower->chunk[split->chunk].first;
    for (int b = 0; b <= split->bin; b++) {
        split->left.g += cell[b].g[split->lane];
        split->left.h += cell[b].h[split->lane];
    }
    return true;
}

/* Rows that go left to the front. Returns how many. */
static size_t partition(const struct gbdt_grower *grower, const struct split *split, uint32_t *rows, size_t n)
{
    size_t columns = (size_t)grower->columns, left = 0, right = 0;
    const uint16_t *slot = grower->slot + split->chunk * GBDT_LANES + split->lane;
    int last = (grower->chunk[split->chunk].first + split->bin) * CELL_INTS + split->lane;
    for (size_t i = 0; i < n; i++) {
        uint32_t row = rows[i];
        int goes_left = slot[row * columns] <= last;
        rows[left] = row;
        grower->scratch[right] = row;
        left += (size_t)goes_left;
        right += (size_t)!goes_left;
    }
    memcpy(rows + left, grower->scratch, right * sizeof *rows);
    return left;
}

/* A node without questions: all leaves below it get its value. */
static void make_leaf(struct gbdt_grower *grower, int node, int level, struct sums sums, const uint32_t *rows,
                      size_t n)
{
    const struct gbdt_settings *settings = grower->settings;
    double value = 0;
    if (sums.g)
        value = settings->eta * gbdt_leaf(sums.g / grower->g_scale, sums.h / grower->h_scale, settings->lambda);
    gbdt_set_leaf(grower->tree, settings->depth, node, level, value);
    for (size_t i = 0; i < n; i++)
        grower->score[rows[i]] += value;
}

static bool may_split(const struct gbdt_grower *grower, int level, struct sums sums, size_t n)
{
    double least = 2 * grower->settings->min_child_weight;
    return level < grower->settings->depth && n > 1 && sums.h / grower->h_scale >= least;
}

static double real_gain(const struct gbdt_grower *grower, struct sums left, struct sums right)
{
    double g = 1 / grower->g_scale, h = 1 / grower->h_scale;
    return gbdt_split_gain(left.g * g, left.h * h, right.g * g, right.h * h, grower->settings->lambda);
}

/* The subtree under `node`. `histogram` is the node's own if it may split; it may be overwritten. */
static void grow(struct gbdt_grower *grower, int node, int level, struct sums sums, uint32_t *rows, size_t n,
                 struct cell *histogram)
{
    struct split split = { 0 };
    struct sums right = { 0, 0 };
    double gain = 0;
    if (may_split(grower, level, sums, n) && find_split(grower, histogram, sums, &split)) {
        right = (struct sums){ sums.g - split.left.g, sums.h - split.left.h };
        gain = real_gain(grower, split.left, right);
    }
    if (!(gain > least_gain && gain > grower->settings->gamma)) {
        make_leaf(grower, node, level, sums, rows, n);
        return;
    }
    int feature = grower->chunk[split.chunk].feature[split.lane];
    grower->tree->question[node] = (uint16_t)(grower->model->first[feature] + split.bin);
    grower->tree->gain[node] = gain;
    size_t n_left = partition(grower, &split, rows, n), n_right = n - n_left;
    struct cell *small = grower->histogram + (size_t)(level + 1) * (size_t)grower->cells;
    bool left_is_small = n_left <= n_right;
    if (may_split(grower, level + 1, split.left, n_left) || may_split(grower, level + 1, right, n_right)) {
        add_rows(grower, left_is_small ? rows : rows + n_left, left_is_small ? n_left : n_right, small);
        for (int c = 0; c < grower->cells; c++) {
            histogram[c].g -= small[c].g;
            histogram[c].h -= small[c].h;
        }
    }
    grow(grower, 2 * node + 1, level + 1, split.left, rows, n_left, left_is_small ? small : histogram);
    grow(grower, 2 * node + 2, level + 1, right, rows + n_left, n_right, left_is_small ? histogram : small);
}

void gbdt_grow(struct gbdt_grower *grower, const double *g, const double *h, struct gbdt_tree *tree, double *score)
{
    size_t n = grower->n;
    grower->g_scale = scale_for(g, n);
    grower->h_scale = scale_for(h, n);
    grower->lambda = grower->settings->lambda * grower->h_scale;
    grower->tree = tree;
    grower->score = score;
    struct sums sums = { 0, 0 };
    for (size_t i = 0; i < n; i++) {
        struct sums row = { whole(g[i] * grower->g_scale), whole(h[i] * grower->h_scale) };
        grower->row[i] = row;
        grower->order[i] = (uint32_t)i;
        sums.g += row.g;
        sums.h += row.h;
    }
    gbdt_clear_tree(grower->model, tree);
    if (may_split(grower, 0, sums, n))
        add_rows(grower, grower->order, n, grower->histogram);
    grow(grower, 0, 0, sums, grower->order, n, grower->histogram);
}

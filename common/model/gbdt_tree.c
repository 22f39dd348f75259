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

double gbdt_leaf(double G, double H, double lambda) { return H + lambda > 0 ? -G / (H + lambda) : 0; }

double gbdt_split_gain(double GL, double HL, double GR, double HR, double lambda)
{
    double G = GL + GR, H = HL + HR;
    return GL * GL / (HL + lambda) + GR * GR / (HR + lambda) - G * G / (H + lambda);
}

struct sums {
    int32_t g, h;
};

struct cell { /* one bin of four features */
    gbdt_ints g, h;
};

struct chunk {               /* four features side by side */
    int feature[GBDT_LANES]; /* the last chunk may have fewer: sums of 0, which never split */
    int first, bins;         /* its cells in a histogram; bins of the one that has most */
};

struct node {
    int index, level;
    struct sums sums; /* over its rows */
    uint32_t *rows;   /* [n] */
    size_t n;
};

struct split {
    double gain; /* 0: none */
    int chunk, lane, bin;
    struct sums left, right;
};

struct gbdt_grower {
    const struct gbdt_settings *settings;
    const struct gbdt *model;
    size_t n;
    int chunks, cells, columns; /* columns: features that are not constant */
    struct chunk chunk[GBDT_MAX_FEATURES / GBDT_LANES];
    struct cell *histogram;    /* [GBDT_MAX_DEPTH][cells] one a level: of a node or its sibling */
    uint16_t *g_at;            /* [n][columns] where in a histogram, seen as int32s, a row's g belong */
    struct sums *row;          /* [n] g and h of each row */
    uint32_t *order, *scratch; /* [n] rows, those of a node together */
    double g_scale, h_scale;   /* integer = derivative * scale, powers of two */
    struct gbdt_tree *tree;
    double *score;
};

enum { CELL_INTS = sizeof(struct cell) / sizeof(int32_t) };

/* Features with about equally many bins share a chunk: those with most bins come first. */
static void lay_out(struct gbdt_grower *grower)
{
    const struct gbdt *model = grower->model;
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
    *grower = (struct gbdt_grower){ .settings = settings, .model = model, .n = n };
    lay_out(grower);
    size_t features = (size_t)model->features, columns = (size_t)grower->columns;
    grower->histogram = xalloc((size_t)grower->cells * GBDT_MAX_DEPTH, sizeof *grower->histogram);
    grower->g_at = xalloc(n * columns, sizeof *grower->g_at);
    grower->row = xalloc(n, sizeof *grower->row);
    grower->order = xalloc(2 * n, sizeof *grower->order);
    grower->scratch = grower->order + n;
    for (size_t k = 0; k < columns; k++) {
        const struct chunk *chunk = &grower->chunk[k / GBDT_LANES];
        int lane = (int)(k % GBDT_LANES), f = chunk->feature[lane];
        for (size_t i = 0; i < n; i++) {
            int bin = gbdt_bin(&model->column[f], x[i * features + (size_t)f]);
            grower->g_at[i * columns + k] = (uint16_t)((chunk->first + bin) * CELL_INTS + lane);
        }
    }
    return grower;
}

void gbdt_grower_free(struct gbdt_grower *grower)
{
    free(grower->histogram);
    free(grower->g_at);
    free(grower->row);
    free(grower->order);
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

/* Adding 1.5 * 2^52 leaves no bits for a fraction. */
static int32_t nearest(double v) { return (int32_t)(v + 0x1.8p52 - 0x1.8p52); }

static void add_rows(const struct gbdt_grower *grower, const uint32_t *rows, size_t n, struct cell *histogram)
{
    size_t columns = (size_t)grower->columns;
    memset(histogram, 0, (size_t)grower->cells * sizeof *histogram);
    int32_t *sum = (int32_t *)histogram;
    for (size_t i = 0; i < n; i++) {
        const uint16_t *g_at = grower->g_at + rows[i] * columns;
        struct sums row = grower->row[rows[i]];
        for (size_t k = 0; k < columns; k++) {
            sum[g_at[k]] += row.g;
            sum[g_at[k] + GBDT_LANES] += row.h;
        }
    }
}

static gbdt_floats floats(gbdt_ints v) { return __builtin_convertvector(v, gbdt_floats); }

/* Lecture 4.2's gain of every cut of four features, but for the term that all cuts of a node share. Returns the best
 * of each feature and the last bin to its left; of equals the lowest. */
static gbdt_floats best_of_chunk(const struct gbdt_grower *grower, const struct cell *cell, int bins,
                                 struct sums node, gbdt_floats *best_bin)
{
    const gbdt_floats lambda = gbdt_all((float)(grower->settings->lambda * grower->h_scale));
    const int32_t min_h = (int32_t)ceil(grower->settings->min_child_weight * grower->h_scale);
    gbdt_ints left_g = { 0 }, left_h = { 0 };
    gbdt_floats best = { 0 }, bin = { 0 };
    *best_bin = bin;
    for (int b = 0; b < bins - 1; b++, bin += gbdt_all(1)) {
        left_g += cell[b].g;
        left_h += cell[b].h;
        gbdt_ints right_g = node.g - left_g, right_h = node.h - left_h;
        gbdt_floats GL = floats(left_g), HL = floats(left_h), GR = floats(right_g), HR = floats(right_h);
        gbdt_floats gain = GL * GL / (HL + lambda) + GR * GR / (HR + lambda);
        gbdt_ints better = (gain > best) & (left_h >= min_h) & (right_h >= min_h);
        best = gbdt_select(better, gain, best);
        *best_bin = gbdt_select(better, bin, *best_bin);
    }
    return best;
}

/* Of equals the lowest feature wins, wherever it stands. */
static struct split find_split(const struct gbdt_grower *grower, const struct node *node,
                               const struct cell *histogram)
{
    struct split split = { 0 };
    float best = 0;
    int feature = 0;
    for (int c = 0; c < grower->chunks; c++) {
        const struct chunk *chunk = &grower->chunk[c];
        gbdt_floats bin;
        gbdt_floats gain = best_of_chunk(grower, histogram + chunk->first, chunk->bins, node->sums, &bin);
        for (int lane = 0; lane < GBDT_LANES; lane++)
            if (gain[lane] > best || (gain[lane] == best && chunk->feature[lane] < feature)) {
                best = gain[lane];
                feature = chunk->feature[lane];
                split = (struct split){ .chunk = c, .lane = lane, .bin = (int)bin[lane] };
            }
    }
    if (!(best > 0))
        return split;
    const struct cell *cell = histogram + grower->chunk[split.chunk].first;
    for (int b = 0; b <= split.bin; b++) {
        split.left.g += cell[b].g[split.lane];
        split.left.h += cell[b].h[split.lane];
    }
    split.right = (struct sums){ node->sums.g - split.left.g, node->sums.h - split.left.h };
    double g = 1 / grower->g_scale, h = 1 / grower->h_scale;
    split.gain = gbdt_split_gain(split.left.g * g, split.left.h * h, split.right.g * g, split.right.h * h,
                                 grower->settings->lambda);
    return split;
}

/* Rows that go left to the front. Returns how many. */
static size_t partition(const struct gbdt_grower *grower, const struct split *split, uint32_t *rows, size_t n)
{
    size_t columns = (size_t)grower->columns, left = 0, right = 0;
    const uint16_t *g_at = grower->g_at + split->chunk * GBDT_LANES + split->lane;
    int last = (grower->chunk[split->chunk].first + split->bin) * CELL_INTS + split->lane;
    for (size_t i = 0; i < n; i++) {
        uint32_t row = rows[i];
        int goes_left = g_at[row * columns] <= last;
        rows[left] = row;
        grower->scratch[right] = row;
        left += (size_t)goes_left;
        right += (size_t)!goes_left;
    }
    memcpy(rows + left, grower->scratch, right * sizeof *rows);
    return left;
}

/* A node without questions: all leaves below it get its value. */
static void make_leaf(struct gbdt_grower *grower, const struct node *node)
{
    const struct gbdt_settings *settings = grower->settings;
    double G = node->sums.g / grower->g_scale, H = node->sums.h / grower->h_scale;
    double value = node->sums.g ? settings->eta * gbdt_leaf(G, H, settings->lambda) : 0;
    double *leaf = grower->tree->leaf + gbdt_first_leaf(settings->depth, node->index, node->level);
    for (int i = 0; i < 1 << (settings->depth - node->level); i++)
        leaf[i] = value;
    for (size_t i = 0; i < node->n; i++)
        grower->score[node->rows[i]] += value;
}

static bool may_split(const struct gbdt_grower *grower, const struct node *node)
{
    const struct gbdt_settings *settings = grower->settings;
    double H = node->sums.h / grower->h_scale;
    return node->level < settings->depth && node->n > 1 && H >= 2 * settings->min_child_weight;
}

/* The subtree under a node. `histogram` is the node's own if it may split; it may be overwritten. */
static void grow(struct gbdt_grower *grower, struct node node, struct cell *histogram)
{
    struct split split = { 0 };
    if (may_split(grower, &node))
        split = find_split(grower, &node, histogram);
    if (!(split.gain > least_gain && split.gain > grower->settings->gamma)) {
        make_leaf(grower, &node);
        return;
    }
    int feature = grower->chunk[split.chunk].feature[split.lane];
    grower->tree->question[node.index] = (uint16_t)(grower->model->column[feature].first + split.bin);
    grower->tree->gain[node.index] = split.gain;
    size_t n_left = partition(grower, &split, node.rows, node.n);
    struct node left = { 2 * node.index + 1, node.level + 1, split.left, node.rows, n_left };
    struct node right = { 2 * node.index + 2, node.level + 1, split.right, node.rows + n_left, node.n - n_left };

    bool left_is_small = left.n <= right.n;
    const struct node *fewer = left_is_small ? &left : &right;
    struct cell *small = grower->histogram + (size_t)left.level * (size_t)grower->cells;
    if (may_split(grower, &left) || may_split(grower, &right)) {
        add_rows(grower, fewer->rows, fewer->n, small);
        for (int c = 0; c < grower->cells; c++) {
            histogram[c].g -= small[c].g;
            histogram[c].h -= small[c].h;
        }
    }
    grow(grower, left, left_is_small ? small : histogram);
    grow(grower, right, left_is_small ? histogram : small);
}

void gbdt_grow(struct gbdt_grower *grower, const double *g, const double *h, struct gbdt_tree *tree, double *score)
{
    size_t n = grower->n;
    grower->g_scale = scale_for(g, n);
    grower->h_scale = scale_for(h, n);
    grower->tree = tree;
    grower->score = score;
    struct node root = { .rows = grower->order, .n = n };
    for (size_t i = 0; i < n; i++) {
        struct sums row = { nearest(g[i] * grower->g_scale), nearest(h[i] * grower->h_scale) };
        grower->row[i] = row;
        grower->order[i] = (uint32_t)i;
        root.sums.g += row.g;
        root.sums.h += row.h;
    }
    for (int i = 0; i < GBDT_NODES; i++)
        tree->question[i] = (uint16_t)grower->model->questions; /* the empty one */
    if (may_split(grower, &root))
        add_rows(grower, root.rows, n, grower->histogram);
    grow(grower, root, grower->histogram);
}

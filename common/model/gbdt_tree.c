/* gbdt_tree.c - grows one regression tree on first and second derivatives (lecture 4.2), from histograms.
 *
 * A node's histogram holds, for each question x < cut, the sums of g and h of its rows that answer yes: a row is added
 * to the lowest cut above it, then each feature's sums run up over its cuts. So all splits that there are, of all
 * features, stand in one array and are tried in one loop, four at a time. Of two siblings only the one with fewer rows
 * is summed: the other's histogram is their parent's minus that one. All sums are of integers, so that is exact. */
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

struct histogram {
    int32_t *g, *h; /* [questions] of the rows that answer yes */
};

struct node {
    int index, level;
    struct sums sums; /* over its rows */
    uint32_t *rows;   /* [n] */
    size_t n;
};

struct split {
    double gain; /* 0: none */
    int question;
    struct sums left;
};

struct gbdt_grower {
    const struct gbdt_settings *settings;
    const struct gbdt *model;
    size_t n;
    int room;                                   /* of a histogram: questions, rounded up to whole lanes */
    struct histogram histogram[GBDT_MAX_DEPTH]; /* one a level: of a node or its sibling */
    uint16_t *question;                         /* [n][features] the first that the row answers yes */
    int64_t *row;                               /* [n] g * 2^32 + h of each row */
    int64_t *both;                              /* [questions] add_rows' own */
    uint32_t *order, *scratch;                  /* [n] rows, those of a node together */
    double g_scale, h_scale;                    /* integer = derivative * scale, powers of two */
    struct gbdt_tree *tree;
    double *score;
};

struct gbdt_grower *gbdt_grower_new(const struct gbdt_settings *settings, const struct gbdt *model, size_t n,
                                    const float *x)
{
    struct gbdt_grower *grower = xalloc(1, sizeof *grower);
    int room = (model->questions + GBDT_LANES - 1) / GBDT_LANES * GBDT_LANES;
    *grower = (struct gbdt_grower){ .settings = settings, .model = model, .n = n, .room = room };
    int32_t *sums = xalloc((size_t)room * GBDT_MAX_DEPTH * 2, sizeof *sums);
    for (int level = 0; level < GBDT_MAX_DEPTH; level++, sums += 2 * room)
        grower->histogram[level] = (struct histogram){ sums, sums + room };
    grower->question = xalloc(n * (size_t)model->features, sizeof *grower->question);
    grower->row = xalloc(n, sizeof *grower->row);
    grower->both = xalloc((size_t)room, sizeof *grower->both);
    grower->order = xalloc(2 * n, sizeof *grower->order);
    grower->scratch = grower->order + n;
    for (size_t i = 0; i < n * (size_t)model->features; i++) {
        const struct gbdt_column *column = &model->column[i % (size_t)model->features];
        grower->question[i] = (uint16_t)(column->first + gbdt_bin(column, x[i]));
    }
    return grower;
}

void gbdt_grower_free(struct gbdt_grower *grower)
{
    free(grower->histogram[0].g);
    free(grower->question);
    free(grower->row);
    free(grower->both);
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

/* While rows are added g and h share a number, g * 2^32 + h: h is never negative and no sum leaves 31 bits, so that
 * the two add up side by side. */
static void add_rows(const struct gbdt_grower *grower, const uint32_t *rows, size_t n, struct histogram sum)
{
    const struct gbdt *model = grower->model;
    size_t features = (size_t)model->features;
    int64_t *both = grower->both;
    memset(both, 0, (size_t)model->questions * sizeof *both);
    for (size_t i = 0; i < n; i++) {
        const uint16_t *question = grower->question + rows[i] * features;
        int64_t row = grower->row[rows[i]];
        for (size_t f = 0; f < features; f++)
            both[question[f]] += row;
    }
    for (const struct gbdt_column *column = model->column; column < model->column + model->features; column++) {
        int64_t below = 0;
        for (int q = column->first; q <= column->first + column->cuts; q++) {
            below += both[q];
            sum.g[q] = (int32_t)(below >> 32);
            sum.h[q] = (int32_t)below;
        }
    }
}

static gbdt_floats floats(gbdt_ints v) { return __builtin_convertvector(v, gbdt_floats); }

/* Lecture 4.2's gain of every split, but for the term that all splits of a node share. Of equals the first wins: the
 * lowest feature, then its lowest cut. */
static struct split find_split(const struct gbdt_grower *grower, struct sums node, struct histogram left)
{
    const gbdt_floats lambda = gbdt_all((float)(grower->settings->lambda * grower->h_scale));
    const int32_t min_h = (int32_t)ceil(grower->settings->min_child_weight * grower->h_scale);
    gbdt_floats best = { 0 };
    gbdt_ints best_at = { 0 }, at = { 0, 1, 2, 3 };
    for (int q = 0; q < grower->room; q += GBDT_LANES, at += GBDT_LANES) {
        gbdt_ints left_g = *(gbdt_ints *)(left.g + q), left_h = *(gbdt_ints *)(left.h + q);
        gbdt_ints right_g = node.g - left_g, right_h = node.h - left_h;
        gbdt_floats GL = floats(left_g), HL = floats(left_h), GR = floats(right_g), HR = floats(right_h);
        gbdt_floats gain = GL * GL / (HL + lambda) + GR * GR / (HR + lambda);
        gbdt_ints better = (gain > best) & (left_h >= min_h) & (right_h >= min_h);
        best = gbdt_select(better, gain, best);
        best_at = (better & at) | (~better & best_at);
    }
    int winner = 0;
    for (int lane = 1; lane < GBDT_LANES; lane++)
        if (best[lane] > best[winner] || (best[lane] == best[winner] && best_at[lane] < best_at[winner]))
            winner = lane;
    struct split split = { .question = best_at[winner] };
    if (!(best[winner] > 0))
        return split;
    split.left = (struct sums){ left.g[split.question], left.h[split.question] };
    double g = 1 / grower->g_scale, h = 1 / grower->h_scale;
    split.gain = gbdt_split_gain(split.left.g * g, split.left.h * h, (node.g - split.left.g) * g,
                                 (node.h - split.left.h) * h, grower->settings->lambda);
    return split;
}

/* Rows that go left to the front. Returns how many. */
static size_t partition(const struct gbdt_grower *grower, int question, uint32_t *rows, size_t n)
{
    size_t features = (size_t)grower->model->features, left = 0, right = 0;
    const uint16_t *lowest = grower->question + gbdt_feature_of(grower->model, question);
    for (size_t i = 0; i < n; i++) {
        uint32_t row = rows[i];
        int goes_left = lowest[row * features] <= question;
        rows[left] = row;
        grower->scratch[right] = row;
        left += (size_t)goes_left;
        right += (size_t)!goes_left;
    }
    memcpy(rows + left, grower->scratch, right * sizeof *rows);
    return left;
}

/* The end of a branch: all leaves below it get its value. */
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
static void grow(struct gbdt_grower *grower, struct node node, struct histogram histogram)
{
    struct split split = { 0 };
    if (may_split(grower, &node))
        split = find_split(grower, node.sums, histogram);
    if (!(split.gain > least_gain && split.gain > grower->settings->gamma)) {
        make_leaf(grower, &node);
        return;
    }
    grower->tree->question[node.index] = (uint16_t)split.question;
    grower->tree->gain[node.index] = split.gain;
    size_t n_left = partition(grower, split.question, node.rows, node.n);
    struct sums rest = { node.sums.g - split.left.g, node.sums.h - split.left.h };
    struct node left = { 2 * node.index + 1, node.level + 1, split.left, node.rows, n_left };
    struct node right = { 2 * node.index + 2, node.level + 1, rest, node.rows + n_left, node.n - n_left };

    bool left_is_small = left.n <= right.n;
    const struct node *fewer = left_is_small ? &left : &right;
    struct histogram small = histogram;
    if (may_split(grower, &left) || may_split(grower, &right)) {
        small = grower->histogram[left.level];
        add_rows(grower, fewer->rows, fewer->n, small);
        for (int i = 0; i < 2 * grower->room; i += GBDT_LANES) /* g, and h behind it */
            *(gbdt_ints *)(histogram.g + i) -= *(gbdt_ints *)(small.g + i);
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
        grower->row[i] = row.g * ((int64_t)1 << 32) + row.h;
        grower->order[i] = (uint32_t)i;
        root.sums.g += row.g;
        root.sums.h += row.h;
    }
    if (may_split(grower, &root))
        add_rows(grower, root.rows, n, grower->histogram[0]);
    grow(grower, root, grower->histogram[0]);
}

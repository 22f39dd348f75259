/* gbdt_predict.c - F of many rows, with no branch that depends on the data. For each row and tree it computes:
 *
 *     for (node = 0; node < nodes; node = 2 * node + 1 + (x[feature(question[node])] >= cut(question[node])))
 *         ;
 *     F += leaf[node - nodes];
 *
 * But a forest asks few different questions: at most 31 cuts a feature. Each is answered once for 128 rows, one bit a
 * row. A tree is then not walked but folded, from its lowest questions up: a node's answer chooses, in 128 rows at
 * once, between what its two children chose. One level (a question is x >= cut; a to d are words of the same bit of
 * the leaf numbers found below):
 *
 *        q0
 *      /    \                 at q1: a where the answer is no, b where it is yes: a ^ ((a ^ b) & answer(q1))
 *    q1      q2         ->    at q2:                                             c ^ ((c ^ d) & answer(q2))
 *   /  \    /  \
 *  a    b  c    d
 *
 * and the answers themselves are the leaf numbers' next higher bit. What remains at the root is each row's leaf
 * number, a word of 128 bits for each of its bits. */
#include "model/gbdt_model.h"
#include "base/xalloc.h"
#include <stdlib.h>
#include <string.h>

typedef uint8_t bytes __attribute__((vector_size(16), may_alias));
typedef bytes bits; /* seen as a bit for each of 128 rows: row r is bit r / 16 of byte r % 16 */
enum { BYTES = sizeof(bytes), ROWS = 8 * BYTES, VECTORS = ROWS / GBDT_LANES };

/* The answer to x >= cut. A true comparison sets all four bytes of a lane, of which vector 4 b + j is asked for the
 * j-th: its lane l holds row 16 b + 4 l + j. */
static bits compare(const gbdt_floats value[VECTORS], size_t rows, float cut)
{
    static const bits part[4] = { { 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0 },
                                  { 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0 },
                                  { 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0 },
                                  { 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255 } };
    const gbdt_floats all = gbdt_all(cut);
    bits word = { 0 };
    for (int b = (int)(rows - 1) / BYTES; b >= 0; b--) {
        bits yes = { 0 };
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++)
            yes |= (bits)(value[4 * b + j] >= all) & part[j];
        word = word + word - yes;
    }
    return word;
}

static void answer(const struct gbdt *model, size_t rows, const float *x, bits *answers)
{
    gbdt_floats value[VECTORS] = { { 0 } };
    for (int f = 0; f < model->features; f++) {
        for (size_t r = 0; r < rows; r++)
            value[r / BYTES * 4 + r % 4][r / 4 % 4] = x[r * (size_t)model->features + (size_t)f];
        for (int c = 0; c < model->column[f].cuts; c++)
            answers[model->column[f].first + c] = compare(value, rows, model->column[f].cut[c]);
    }
}

/* leaf[r] = the leaf that row r falls into. */
static void fold(const struct gbdt_tree *tree, int depth, const bits *answers, size_t rows, uint8_t *leaf)
{
    bits bit[GBDT_MAX_DEPTH][GBDT_LEAVES / 2]; /* [k][i]: bit k of the leaf chosen under the level's node i */
    for (int level = depth - 1, known = 0; level >= 0; level--, known++) {
        int nodes = 1 << level;
        const uint16_t *question = tree->question + nodes - 1;
        bits *yes = bit[known];
#pragma GCC unroll 4
        for (int i = 0; i < nodes; i++)
            yes[i] = answers[question[i]];
        for (int k = 0; k < known; k++)
#pragma GCC unroll 4
            for (int i = 0; i < nodes; i++)
                bit[k][i] = bit[k][2 * i] ^ ((bit[k][2 * i] ^ bit[k][2 * i + 1]) & yes[i]);
    }
    for (size_t b = 0; b * BYTES < rows; b++) {
        bytes one = (bytes){ 0 } + (uint8_t)(1 << b), number = { 0 };
#pragma GCC unroll 6
        for (int k = depth - 1; k >= 0; k--)
            number = number + number - (bytes)((bit[k][0] & one) == one);
        memcpy(leaf + b * BYTES, &number, sizeof number);
    }
}

/* Each row gains the values of its leaves in four trees. */
static void add(const struct gbdt_tree *tree, uint8_t leaf[GBDT_GROUP][ROWS], size_t rows, double *sum)
{
    for (size_t r = 0; r < rows; r++) {
        double two = sum[r] + tree[0].leaf[leaf[0][r]] + tree[1].leaf[leaf[1][r]];
        sum[r] = two + tree[2].leaf[leaf[2][r]] + tree[3].leaf[leaf[3][r]];
    }
}

void gbdt_predict(const struct gbdt *model, size_t n, const float *x, double *score)
{
    bits *answers = xalloc((size_t)model->questions, sizeof *answers);
    for (size_t done = 0; done < n; done += ROWS) {
        size_t rows = n - done < ROWS ? n - done : ROWS;
        double *sum = score + done;
        answer(model, rows, x + done * (size_t)model->features, answers);
        for (size_t r = 0; r < rows; r++)
            sum[r] = model->base;
        for (int first = 0; first < model->trees; first += GBDT_GROUP) {
            uint8_t leaf[GBDT_GROUP][ROWS];
            for (int t = 0; t < GBDT_GROUP; t++)
                fold(&model->tree[first + t], model->depth, answers, rows, leaf[t]);
            add(&model->tree[first], leaf, rows, sum);
        }
    }
    free(answers);
}

/* gbdt_predict.c - F of many rows, with no branch that depends on the data.
 *
 * A forest asks few different questions: at most 31 cuts a feature. Each is answered once for 128 rows, one bit a
 * row. A tree is then not walked but folded, from its lowest questions up: a node's answer chooses, in 128 rows at
 * once, between what its two children chose: left ^ ((left ^ right) & answer). What remains at the root is each row's
 * leaf number, a word of 128 bits for each of its bits. */
#include "model/gbdt_model.h"
#include "base/xalloc.h"
#include <stdlib.h>
#include <string.h>

typedef uint8_t bytes __attribute__((vector_size(16), may_alias));
typedef int8_t signed_bytes __attribute__((vector_size(16), may_alias));
typedef bytes bits; /* seen as a bit for each of 128 rows */
enum { BYTES = sizeof(bytes) };

/* Row r is bit r / 16 of byte r % 16: eight comparisons of 16 rows' bins make one word. */
static void answer(const struct gbdt *model, size_t n, const float *x, bits *answers)
{
    for (int f = 0; f < model->features; f++) {
        const struct gbdt_column *column = &model->column[f];
        if (column->cuts == 0)
            continue;
        signed_bytes bin[GBDT_BLOCK / BYTES] = { { 0 } };
        gbdt_bin(column, n, x + f, (size_t)model->features, (uint8_t *)bin);
        for (int c = 0; c < column->cuts; c++) {
            signed_bytes cut = (signed_bytes){ 0 } + (int8_t)c;
            bits word = { 0 };
#pragma GCC unroll 8
            for (int k = 7; k >= 0; k--)
                word = word + word - (bits)(bin[k] > cut);
            answers[model->first[f] + c] = word;
        }
    }
    answers[model->questions] = (bits){ 0 }; /* the empty question: always no */
}

/* leaf[r] = the leaf that row r falls into. */
static void fold(const struct gbdt_tree *tree, int depth, const bits *answers, size_t rows, uint8_t *leaf)
{
    bits bit[GBDT_MAX_DEPTH][GBDT_LEAVES / 2]; /* [k][i]: bit k of the leaf chosen under the level's node i */
    for (int level = depth - 1, known = 0; level >= 0; level--, known++) {
        int nodes = 1 << level;
        const uint16_t *question = tree->question + nodes - 1;
        bits *right = bit[known];
#pragma GCC unroll 4
        for (int i = 0; i < nodes; i++)
            right[i] = answers[question[i]];
        for (int k = 0; k < known; k++)
#pragma GCC unroll 4
            for (int i = 0; i < nodes; i++)
                bit[k][i] = bit[k][2 * i] ^ ((bit[k][2 * i] ^ bit[k][2 * i + 1]) & right[i]);
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
static void add(const struct gbdt_tree *tree, uint8_t leaf[GBDT_GROUP][GBDT_BLOCK], size_t rows, double *sum)
{
    for (size_t r = 0; r < rows; r++) {
        double two = sum[r] + tree[0].leaf[leaf[0][r]] + tree[1].leaf[leaf[1][r]];
        sum[r] = two + tree[2].leaf[leaf[2][r]] + tree[3].leaf[leaf[3][r]];
    }
}

void gbdt_predict(const struct gbdt *model, size_t n, const float *x, double *score)
{
    bits *answers = xalloc((size_t)model->questions + 1, sizeof *answers);
    for (size_t done = 0; done < n; done += GBDT_BLOCK) {
        size_t rows = n - done < GBDT_BLOCK ? n - done : GBDT_BLOCK;
        double sum[GBDT_BLOCK];
        answer(model, rows, x + done * (size_t)model->features, answers);
        for (int r = 0; r < GBDT_BLOCK; r++)
            sum[r] = model->base;
        for (int first = 0; first < model->trees; first += GBDT_GROUP) {
            uint8_t leaf[GBDT_GROUP][GBDT_BLOCK];
            for (int t = 0; t < GBDT_GROUP; t++)
                fold(&model->tree[first + t], model->depth, answers, rows, leaf[t]);
            add(&model->tree[first], leaf, rows, sum);
        }
        memcpy(score + done, sum, rows * sizeof *sum);
    }
    free(answers);
}

/* gbdt_predict.c - F of many rows, with no branch that depends on the data.
 *
 * A forest asks few different questions: at most 31 cuts a feature. Each is answered once for 128 rows at a time, one bit
 * a row. A tree is then not walked but folded, from its lowest questions up: node i's answer chooses, in all 128 rows at
 * once, between what its two children chose: left ^ ((left ^ right) & answer). What is left at the root is each row's
 * leaf number, spread over `depth` words of bits. */
#include "gbdt_model.h"
#include "xalloc.h"
#include <stdlib.h>
#include <string.h>

typedef uint32_t bits __attribute__((vector_size(16)));                 /* a bit for each of 128 rows */
typedef int8_t bytes __attribute__((vector_size(16), may_alias));
enum { BITS_BYTES = sizeof(bits) };

/* Row r is bit r / 16 of byte r % 16: eight comparisons of 16 rows' bins make one word. */
static void answer(const struct gbdt *model, size_t n, const float *x, bits *answers)
{
    for (int f = 0; f < model->features; f++) {
        const struct gbdt_column *column = &model->column[f];
        if (column->cuts == 0)
            continue;
        bytes bin[GBDT_BLOCK / BITS_BYTES];
        gbdt_bin(column, n, x + f, (size_t)model->features, (uint8_t *)bin);
        for (int c = 0; c < column->cuts; c++) {
            bytes cut = (bytes){ 0 } + (int8_t)c, word = { 0 };
            for (int k = 7; k >= 0; k--)
                word = word + word - (bin[k] > cut);
            answers[model->first[f] + c] = (bits)word;
        }
    }
    answers[model->questions] = (bits){ 0 };        /* the empty question: always no */
}

/* leaf_bit[k] = bit k of the rows' leaf numbers in a tree. */
static void fold(const struct gbdt_tree *tree, int depth, const bits *answers, bits *leaf_bit)
{
    bits bit[GBDT_MAX_DEPTH][GBDT_LEAVES / 2];      /* [k][i]: bit k of the number chosen under node i of the level */
    for (int level = depth - 1, known = 0; level >= 0; level--, known++) {
        int nodes = 1 << level;
        const uint16_t *question = tree->question + nodes - 1;
        for (int i = 0; i < nodes; i++) {
            bits right = answers[question[i]];
            for (int k = 0; k < known; k++)
                bit[k][i] = bit[k][2 * i] ^ ((bit[k][2 * i] ^ bit[k][2 * i + 1]) & right);
            bit[known][i] = right;
        }
    }
    for (int k = 0; k < depth; k++)
        leaf_bit[k] = bit[k][0];
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
        for (int t = 0; t < model->trees; t++) {
            const struct gbdt_tree *tree = &model->tree[t];
            bits leaf_bit[GBDT_MAX_DEPTH];
            bytes leaf[8] = { 0 };
            fold(tree, model->depth, answers, leaf_bit);
            for (int k = model->depth - 1; k >= 0; k--)
                for (int b = 0; b < 8; b++)
                    leaf[b] = leaf[b] + leaf[b] - (((bytes)leaf_bit[k] & (bytes)((bytes){ 0 } + (int8_t)(1 << b))) != 0);
            for (int r = 0; r < GBDT_BLOCK; r++)
                sum[r] += tree->leaf[((uint8_t *)leaf)[r]];
        }
        memcpy(score + done, sum, rows * sizeof *sum);
    }
    free(answers);
}

/* gbdt_text.c - a model as text that a person can read and gbdt_load reads back to the same bits.
 *
 *     gbdt 1                                   version of the format
 *     features 18 depth 6 trees 60 base 0.5
 *     cuts 1.5 2.5                             one line for each feature
 *     tree 0                                   each tree from the root, left branch first, indented by level
 *      x3 < 1.5 gain 7.25
 *       leaf -0.1
 *       leaf 0.2 */
#include "model/gbdt_model.h"
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

static void save_node(const struct gbdt *model, const struct gbdt_tree *tree, int node, int level, FILE *out)
{
    int question = level < model->depth ? tree->question[node] : model->questions, f;
    fprintf(out, "%*s", level + 1, "");
    if ((f = gbdt_feature_of(model, question)) < 0) {
        fprintf(out, "leaf %.17g\n", tree->leaf[gbdt_first_leaf(model->depth, node, level)]);
        return;
    }
    double cut = (double)model->column[f].cut[question - model->first[f]];
    fprintf(out, "x%d < %.9g gain %.17g\n", f, cut, tree->gain[node]);
    save_node(model, tree, 2 * node + 1, level + 1, out);
    save_node(model, tree, 2 * node + 2, level + 1, out);
}

bool gbdt_save(const struct gbdt *model, FILE *out)
{
    fprintf(out, "gbdt 1\nfeatures %d depth %d trees %d base %.17g\n", model->features, model->depth, model->trees,
            model->base);
    for (int f = 0; f < model->features; f++) {
        fputs("cuts", out);
        for (int c = 0; c < model->column[f].cuts; c++)
            fprintf(out, " %.9g", (double)model->column[f].cut[c]);
        fputc('\n', out);
    }
    for (int t = 0; t < model->trees; t++) {
        fprintf(out, "tree %d\n", t);
        save_node(model, &model->tree[t], 0, 0, out);
    }
    return fflush(out) == 0 && !ferror(out);
}

/* ---- reading ---- */

struct reader {
    FILE *in;
    int number; /* of the present line, from 1 */
    char line[1024];
    const char *at; /* what is left of it */
    char *error;
    size_t error_size;
};

static bool next_line(struct reader *reader)
{
    reader->number++;
    reader->at = reader->line;
    if (!fgets(reader->line, sizeof reader->line, reader->in))
        strcpy(reader->line, "");
    return reader->line[0] != 0;
}

/* Always false, so that a reading function can end with it. */
__attribute__((format(printf, 2, 3))) static bool fail(struct reader *reader, const char *format, ...)
{
    char what[200];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    reader->line[strcspn(reader->line, "\n")] = 0;
    snprintf(reader->error, reader->error_size, "line %d: expected %s, found '%.60s'", reader->number, what,
             reader->line);
    return false;
}

static void skip_blanks(struct reader *reader)
{
    while (isspace((unsigned char)*reader->at))
        reader->at++;
}

static bool word(struct reader *reader, const char *expected)
{
    size_t length = strlen(expected);
    skip_blanks(reader);
    if (strncmp(reader->at, expected, length) != 0)
        return false;
    reader->at += length;
    return true;
}

static bool number(struct reader *reader, double *value)
{
    char *end;
    *value = strtod(reader->at, &end);
    bool ok = end != reader->at && isfinite(*value);
    reader->at = end;
    return ok;
}

static bool whole(struct reader *reader, int low, int high, int *value)
{
    double v;
    if (!number(reader, &v) || !(v >= low && v <= high) || v != floor(v))
        return false;
    *value = (int)v;
    return true;
}

static bool at_end(struct reader *reader)
{
    skip_blanks(reader);
    return *reader->at == 0;
}

static struct gbdt *read_head(struct reader *reader)
{
    int features, depth, trees;
    double base;
    if (!next_line(reader) || !word(reader, "gbdt 1") || !at_end(reader)) {
        fail(reader, "'gbdt 1'");
        return NULL;
    }
    if (!next_line(reader) || !word(reader, "features") || !whole(reader, 1, GBDT_MAX_FEATURES, &features) ||
        !word(reader, "depth") || !whole(reader, 1, GBDT_MAX_DEPTH, &depth) || !word(reader, "trees") ||
        !whole(reader, 0, GBDT_MAX_TREES, &trees) || !word(reader, "base") || !number(reader, &base) ||
        !at_end(reader)) {
        fail(reader, "'features 1…%d depth 1…%d trees 0…%d base NUMBER'", GBDT_MAX_FEATURES, GBDT_MAX_DEPTH,
             GBDT_MAX_TREES);
        return NULL;
    }
    struct gbdt *model = gbdt_new(features, depth, trees);
    model->base = base;
    return model;
}

static bool read_cuts(struct reader *reader, int feature, struct gbdt_column *column)
{
    if (!next_line(reader) || !word(reader, "cuts"))
        return fail(reader, "the cuts of x%d, as in 'cuts 1.5 2.5'", feature);
    while (!at_end(reader)) {
        double cut;
        if (!number(reader, &cut) || column->cuts == GBDT_MAX_BINS - 1 ||
            (column->cuts && !((float)cut > column->cut[column->cuts - 1])))
            return fail(reader, "at most %d ascending cuts of x%d", GBDT_MAX_BINS - 1, feature);
        column->cut[column->cuts++] = (float)cut;
    }
    gbdt_finish_column(column);
    return true;
}

static bool read_node(struct reader *reader, const struct gbdt *model, struct gbdt_tree *tree, int node, int level)
{
    double value;
    int f, c = 0;
    next_line(reader);
    if (word(reader, "leaf") && number(reader, &value) && at_end(reader)) {
        gbdt_set_leaf(tree, model->depth, node, level, value);
        return true;
    }
    reader->at = reader->line;
    if (level == model->depth)
        return fail(reader, "'leaf NUMBER', since no question may follow %d others", level);
    if (!word(reader, "x") || !whole(reader, 0, model->features - 1, &f) || !word(reader, "<") ||
        !number(reader, &value) || !word(reader, "gain") || !number(reader, &tree->gain[node]) || !at_end(reader))
        return fail(reader, "'leaf NUMBER' or 'x0…%d < CUT gain NUMBER'", model->features - 1);
    while (c < model->column[f].cuts && model->column[f].cut[c] != (float)value)
        c++;
    if (c == model->column[f].cuts)
        return fail(reader, "one of the cuts of x%d", f);
    tree->question[node] = (uint16_t)(model->first[f] + c);
    return read_node(reader, model, tree, 2 * node + 1, level + 1) &&
           read_node(reader, model, tree, 2 * node + 2, level + 1);
}

static bool read_model(struct reader *reader, struct gbdt *model)
{
    for (int f = 0; f < model->features; f++)
        if (!read_cuts(reader, f, &model->column[f]))
            return false;
    gbdt_number_questions(model);
    for (int t = 0, named; t < model->trees; t++) {
        if (!next_line(reader) || !word(reader, "tree") || !whole(reader, t, t, &named) || !at_end(reader))
            return fail(reader, "'tree %d'", t);
        gbdt_clear_tree(model, &model->tree[t]);
        if (!read_node(reader, model, &model->tree[t], 0, 0))
            return false;
    }
    return true;
}

struct gbdt *gbdt_load(FILE *in, char *error, size_t n)
{
    struct reader reader = { .in = in, .error = error, .error_size = n };
    struct gbdt *model = read_head(&reader);
    if (model && !read_model(&reader, model)) {
        gbdt_free(model);
        model = NULL;
    }
    return model;
}

/* lattice.c - the different values of each knob column, in order, are its digits; a row's digits make its number. */
#include "device/lattice.h"
#include "base/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* Where a value is among a knob's, or would be. */
static int position(const struct knob *knob, int value)
{
    int low = 0, high = knob->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (knob->values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t lattice_row(const struct lattice *l, const int *values)
{
    uint32_t number = 0;
    for (int k = 0; k < l->knobs; k++) {
        const struct knob *knob = &l->knob[k];
        int at = position(knob, values[k]);
        if (at == knob->count || knob->values[at] != values[k])
            return 0;
        number = number * (uint32_t)knob->count + (uint32_t)at;
    }
    return l->row_of[number];
}

/* The different integers of a column, ascending, *count of them; NULL if *odd is no integer or one too many. */
static int *distinct(const struct tsv *t, int column, int *count, struct tsv_cell *odd)
{
    int room = 16, value;
    int *values = xalloc((size_t)room, sizeof *values);
    *count = 0;
    for (size_t row = 1; row <= t->rows; row++) {
        *odd = tsv_cell(t, row, column);
        int at = cell_int(*odd, &value) ? position(&(struct knob){ NULL, *count, values }, value) : -1;
        if (at >= 0 && at < *count && values[at] == value)
            continue;
        if (at < 0 || *count == LATTICE_MAX_VALUES) {
            free(values);
            return NULL;
        }
        if (*count == room)
            values = xrealloc(values, (size_t)(room *= 2), sizeof *values);
        memmove(values + at + 1, values + at, (size_t)(*count - at) * sizeof *values);
        values[at] = value;
        ++*count;
    }
    return values;
}

/* Makes a column the next knob: each row's number gains a digit. */
static bool add_knob(struct lattice *l, const struct tsv *t, int column, int count, int *values, uint32_t *number)
{
    struct tsv_cell name = tsv_cell(t, 0, column);
    l->knob = xrealloc(l->knob, (size_t)l->knobs + 1, sizeof *l->knob);
    struct knob *knob = &l->knob[l->knobs++];
    *knob = (struct knob){ xformat("%.*s", name.length, name.text), count, values };
    l->is_knob[column] = true;
    if (l->knobs > SPACE_MAX_KNOBS || (uint64_t)l->size * (uint64_t)count > SPACE_MAX_SIZE)
        return tsv_fail(t, t->header, column,
                        TEXT("with this knob there are over %d knobs or over %d combinations",
                             "加上此参数，参数多于 %d 个，或组合多于 %d 个"),
                        SPACE_MAX_KNOBS, SPACE_MAX_SIZE);
    l->size *= (uint32_t)count;
    for (size_t row = 0; row < t->rows; row++) {
        int value = 0;
        cell_int(tsv_cell(t, row + 1, column), &value);
        number[row] = number[row] * (uint32_t)count + (uint32_t)position(knob, value);
    }
    return true;
}

/* Fills row_of if no two rows have the same number; else returns false and these two rows. */
static bool tell_apart(struct lattice *l, const struct tsv *t, const uint32_t *number, size_t *first, size_t *second)
{
    l->row_of = xalloc(l->size, sizeof *l->row_of);
    for (size_t row = 1; row <= t->rows; row++) {
        uint32_t *holder = &l->row_of[number[row - 1]];
        if (*holder) {
            *first = *holder;
            *second = row;
            free(l->row_of);
            l->row_of = NULL;
            return false;
        }
        *holder = (uint32_t)row;
    }
    return true;
}

static bool named_knobs(struct lattice *l, const struct tsv *t, struct tsv_cell names, uint32_t *number)
{
    while (names.length > 0) {
        struct tsv_cell name = cell_take(&names, ' '), odd;
        int column = tsv_column(t, name), count;
        if (column < 0 || l->is_knob[column])
            return tsv_fail(t, name.text, -1,
                            TEXT("knob '%.*s': expected the name of a column, each once",
                                 "参数“%.*s”：应为列名，各出现一次"),
                            CELL_SHOWN(name));
        int *values = distinct(t, column, &count, &odd);
        if (!values)
            return tsv_fail(t, odd.text, column,
                            TEXT("'%.*s': expected an integer, one of at most %d different ones",
                                 "“%.*s”：应为整数，不同的值至多 %d 个"),
                            CELL_SHOWN(odd), LATTICE_MAX_VALUES);
        if (!add_knob(l, t, column, count, values, number))
            return false;
    }
    return true;
}

static bool leading_knobs(struct lattice *l, const struct tsv *t, uint32_t *number)
{
    struct tsv_cell odd = tsv_cell(t, 1, 0);
    size_t first, second;
    for (int column = 0, count; column < t->columns; column++) {
        int *values = distinct(t, column, &count, &odd);
        if (!values)
            break;
        if (count > 1 && l->size >= t->rows && tell_apart(l, t, number, &first, &second)) {
            free(values);
            return tsv_fail(t, t->header, column,
                            TEXT("a knob, or a time in whole numbers? Expected before the header: # knobs: %s …",
                                 "是参数，还是整数形式的时间？应在表头之前注明：# knobs: %s …"),
                            l->knob[0].name);
        }
        if (!add_knob(l, t, column, count, values, number))
            return false;
    }
    if (l->knobs == 0)
        return tsv_fail(t, odd.text, 0,
                        TEXT("'%.*s': expected an integer, the value of a knob", "“%.*s”：应为整数，即参数的值"),
                        CELL_SHOWN(odd));
    return true;
}

bool lattice_find(struct lattice *l, const struct tsv *t)
{
    struct tsv_cell names = tsv_comment(t, "knobs");
    uint32_t *number = xalloc(t->rows, sizeof *number);
    size_t first = 1, second = 1;
    *l = (struct lattice){ .size = 1, .is_knob = xalloc((size_t)t->columns, sizeof *l->is_knob) };
    bool found = names.length > 0 ? named_knobs(l, t, names, number) : leading_knobs(l, t, number);
    bool apart = found && tell_apart(l, t, number, &first, &second);
    free(number);
    if (found && !apart)
        tsv_fail(t, tsv_cell(t, second, 0).text, -1,
                 TEXT("the same knob values as in line %zu: expected each combination once",
                      "与第 %zu 行的参数值相同：每个组合应只出现一次"),
                 tsv_line(t, tsv_cell(t, first, 0).text));
    return apart;
}

void lattice_free(struct lattice *l)
{
    for (int k = 0; k < l->knobs; k++) {
        free((void *)l->knob[k].name);
        free((void *)l->knob[k].values);
    }
    free(l->knob);
    free(l->row_of);
    free(l->is_knob);
}

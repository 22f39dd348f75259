/* table.c - cells in row order. */
#include "report/table.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

struct table *table_new(int columns, const struct column *column)
{
    struct table *table = xalloc(1, sizeof *table);
    table->columns = columns;
    table->column = xalloc((size_t)columns, sizeof *column);
    for (int c = 0; c < columns; c++)
        table->column[c] = (struct column){ { xformat("%s", column[c].head.en), xformat("%s", column[c].head.zh) },
                                            column[c].decimals };
    return table;
}

void table_free(struct table *table)
{
    for (size_t i = 0; i < table->cells; i++)
        free(table->cell[i].text);
    for (int c = 0; c < table->columns; c++) {
        free((void *)table->column[c].head.en);
        free((void *)table->column[c].head.zh);
    }
    free(table->cell);
    free(table->column);
    free(table);
}

static void add(struct table *table, struct cell cell)
{
    table->cell = xrealloc(table->cell, table->cells + 1, sizeof *table->cell);
    table->cell[table->cells++] = cell;
}

void table_text(struct table *table, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add(table, (struct cell){ .text = xvformat(format, list) });
    va_end(list);
}

void table_number(struct table *table, double number)
{
    int decimals = table->column[table->cells % (size_t)table->columns].decimals;
    bool there = isfinite(number);
    add(table, (struct cell){ .text = there ? xformat("%.*f", decimals, number) : NULL, .is_number = there });
}

void table_add(struct table *table, size_t n, const double *numbers)
{
    for (size_t i = 0; i < n; i++)
        table_number(table, numbers[i]);
}

void table_none(struct table *table) { add(table, (struct cell){ 0 }); }

const char *table_shown(const struct cell *cell) { return cell->text ? cell->text : "-"; }

void table_best(struct table *table) { table->cell[table->cells - 1].best = true; }

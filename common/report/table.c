/* table.c - cells in row order, and how they stand on a terminal. */
#include "report/table.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

void table_best(struct table *table) { table->cell[table->cells - 1].best = true; }

/* ---- matrices ---- */

struct table *matrix_table(struct text corner, const struct heat *m, bool best)
{
    struct column *columns = xalloc((size_t)m->columns + 1, sizeof *columns);
    columns[0] = (struct column){ corner, TABLE_TEXT };
    for (int c = 0; c < m->columns; c++)
        columns[c + 1] = (struct column){ m->column_name[c], m->decimals };
    struct table *table = table_new(m->columns + 1, columns);
    for (int r = 0; r < m->rows; r++) {
        const double *row = m->value + r * m->columns;
        int least = 0;
        for (int c = 0; c < m->columns; c++)
            least = row[c] < row[least] ? c : least;
        table_text(table, "%s", tr_text(m->row_name[r]));
        for (int c = 0; c < m->columns; c++) {
            table_number(table, row[c]);
            if (best && c == least && isfinite(row[c]))
                table_best(table);
        }
    }
    free(columns);
    return table;
}

struct text *matrix_names(int count, const int *values)
{
    struct text *names = xalloc((size_t)count, sizeof *names);
    for (int i = 0; i < count; i++)
        names[i] = text_format("%d", "%d", values[i]);
    return names;
}

void matrix_names_free(int count, struct text *names)
{
    for (int i = 0; i < count; i++)
        text_free(names[i]);
    free(names);
}

/* ---- on a terminal ---- */

enum { INDENT = 2, GAP = 2 };

static int lines_of(const char *head)
{
    int lines = 1;
    for (; *head; head++)
        lines += *head == '\n';
    return lines;
}

/* What stands in row 0, 1, 2 …, or in the last line of the heads, -1, or the one above, -2 …; the caller's to free. */
static char *shown(const struct table *table, int row, int c)
{
    const char *head = tr_text(table->column[c].head);
    if (row >= 0) {
        const struct cell *cell = &table->cell[row * table->columns + c];
        return xformat("%s%s", cell->best ? "*" : "", cell->text ? cell->text : "-");
    }
    int line = lines_of(head) + row;
    for (int before = line; before > 0; before--)
        head = strchr(head, '\n') + 1;
    return xformat("%.*s", line >= 0 ? (int)strcspn(head, "\n") : 0, head);
}

/* One padded cell. Spaces are owed until something stands behind them, so that no line ends with one. */
static void padded(FILE *out, const char *text, int width, bool left, int *owed)
{
    int pad = width - text_width(text);
    *owed += left ? 0 : pad;
    if (*text) {
        fprintf(out, "%*s%s", *owed, "", text);
        *owed = 0;
    }
    *owed += left ? pad : 0;
}

void table_print(FILE *out, const struct table *table)
{
    int columns = table->columns, rows = (int)table->cells / columns, heads = 1;
    int *width = xalloc((size_t)columns, sizeof *width);
    for (int c = 0; c < columns; c++) {
        int lines = lines_of(tr_text(table->column[c].head));
        heads = lines > heads ? lines : heads;
    }
    for (int row = -heads; row < rows; row++)
        for (int c = 0; c < columns; c++) {
            char *text = shown(table, row, c);
            int w = text_width(text);
            width[c] = w > width[c] ? w : width[c];
            free(text);
        }
    for (int row = -heads; row < rows; row++) {
        int owed = INDENT;
        for (int c = 0; c < columns; c++, owed += GAP) {
            char *text = shown(table, row, c);
            padded(out, text, width[c], c == 0, &owed);
            free(text);
        }
        fputc('\n', out);
        for (int c = 0; row == -1 && c < columns; c++)
            for (int i = c ? -GAP : -INDENT; i < width[c]; i++)
                fputc(i < 0 ? ' ' : '-', out);
        fputs(row == -1 ? "\n" : "", out);
    }
    free(width);
}

/* matrix.c - the numbers of a matrix, a table's row a row. */
#include "report/matrix.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdlib.h>

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

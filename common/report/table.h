/* table.h - a table of cells, filled row by row; report prints it in the chosen format.
 *
 * Cells hold ASCII and Chinese: most other signs are one column wide in some terminals and two in others. The first
 * column is left-aligned, the others right-aligned with the same decimals in one column. */
#ifndef TABLE_H
#define TABLE_H

#include "base/text.h"
#include <stdbool.h>
#include <stddef.h>

struct column {
    struct text head; /* with its unit; '\n' breaks it over lines. One that begins with '\n' stands under the first line
                         of the head to its left, "\n\n" under two: its name in md, tsv and json begins with them */
    int decimals;     /* of its numbers; TABLE_TEXT if it holds words */
};
enum { TABLE_TEXT = -1 };

struct cell {
    char *text;     /* as shown; NULL: nothing there, shown as '-' */
    bool is_number; /* else words */
    bool best;      /* shown with a '*' before it */
};

struct table {
    int columns;
    struct column *column;
    size_t cells; /* a whole number of rows once filled */
    struct cell *cell;
};

/* An empty table; copies the columns and their heads. */
struct table *table_new(int columns, const struct column *column);
/* The same, the columns counted: table_of({ TEXT("shape", "形状"), TABLE_TEXT }, { TEXT("time\nus", "时间\nus"), 1 }). */
#define table_of(...)                                                                                                  \
    table_new(sizeof((struct column[]){ __VA_ARGS__ }) / sizeof(struct column), (struct column[]){ __VA_ARGS__ })
void table_free(struct table *table);

/* The next cell. table_text: printf-style words. table_number: a number with its column's decimals; one that is not
 * finite is shown as '-', as is table_none's cell. table_numbers: several numbers, the next cells. */
void table_text(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_number(struct table *table, double number);
#define table_numbers(table, ...)                                                                                    \
    table_add((table), sizeof((double[]){ __VA_ARGS__ }) / sizeof(double), (double[]){ __VA_ARGS__ })
void table_add(struct table *table, size_t n, const double *numbers);
void table_none(struct table *table);

/* Marks the cell added last as the best of its row or column. */
void table_best(struct table *table);

/* A matrix of numbers, for a table and for a figure. */
struct heat {
    int rows, columns;
    const struct text *row_name, *column_name;
    const double *value; /* [rows][columns] */
    double low, high;    /* ends of the colour scale; values beyond take the end's colour */
    int decimals;
    bool best; /* a figure frames the least of each row, of equals the first */
    int gap;   /* a column that a figure leaves empty, between two maps side by side of these names; 0: one map */
    struct text map[2];
};
/* corner is the head over the rows' names. best: marks the least of each row, of equals the first. */
struct table *matrix_table(struct text corner, const struct heat *matrix, bool best);

/* Numbers as names of rows or columns, the same in both languages. */
struct text *matrix_names(int count, const int *values);
void matrix_names_free(int count, struct text *names);

/* For a terminal: heads, bottom-aligned, a rule of '-', rows; indent 2, gap 2, no spaces at a line's end. */
void table_print(FILE *out, const struct table *table);

#endif

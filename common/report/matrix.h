/* matrix.h - a figure's matrix of numbers (figure.h) as a table: both show the same. */
#ifndef MATRIX_H
#define MATRIX_H

#include "report/figure.h"
#include "report/table.h"

/* corner is the head over the rows' names. best: marks the least of each row, of equals the first. */
struct table *matrix_table(struct text corner, const struct heat *matrix, bool best);

/* Numbers as names of rows or columns, the same in both languages. */
struct text *matrix_names(int count, const int *values);
void matrix_names_free(int count, struct text *names);

#endif

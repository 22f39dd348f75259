/* tsv.h - a file of tab-separated cells: where each cell stands, what is in it, and how to say that it is wrong.
 *
 * Lines that start with # are comments, empty lines are skipped. The first other line is the header, a name a column;
 * every line behind it is a row and has as many cells. Windows line ends and a UTF-8 byte order mark are accepted. */
#ifndef TSV_H
#define TSV_H

#include "base/text.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of the file's text, not terminated. text NULL: there is none. */
struct tsv_cell {
    const char *text;
    int length;
};

struct tsv {
    const char *path;
    char *text;         /* the whole file, a 0 behind it */
    size_t size;        /* its bytes */
    const char *header; /* the header line; comments that set something stand before it */
    int columns;
    size_t rows;     /* below the header */
    uint32_t *start; /* [rows + 1][columns + 1] where each cell starts; the last: where one more would */
    char *error;     /* tsv_fail writes here */
    size_t error_size;
};

/* Reads the file. On failure writes one line to error[n], frees everything and returns false. Refused: a file that
 * cannot be read, is empty, holds a zero byte (it is not text) or over 4 GB; a header alone; a name that is empty,
 * starts with a digit or stands twice; a row with more or fewer cells than the header. Keeps path and error by
 * reference. */
bool tsv_open(struct tsv *t, const char *path, char *error, size_t n);
void tsv_close(struct tsv *t);

/* The cell of a row and a column from 0; row 0 is the header. */
static inline struct tsv_cell tsv_cell(const struct tsv *t, size_t row, int column)
{
    const uint32_t *start = t->start + row * ((size_t)t->columns + 1) + (size_t)column;
    return (struct tsv_cell){ t->text + start[0], (int)(start[1] - start[0]) - 1 };
}

int tsv_column(const struct tsv *t, struct tsv_cell name);         /* the column of that name, or -1 */
struct tsv_cell tsv_comment(const struct tsv *t, const char *key); /* VALUE of the comment "# key: VALUE", any case */
size_t tsv_line(const struct tsv *t, const char *where);           /* the line, from 1, of a place in the text */

/* Writes "path:line: column 3 (name): message" to the error buffer and returns false. where: a place in the text, or
 * NULL: no line. column -1: the whole line. The message is a printf format in two languages. */
bool tsv_fail(const struct tsv *t, const char *where, int column, struct text message, ...);

/* The arguments of %.*s for a cell; a long one is cut. */
#define CELL_SHOWN(cell) ((cell).length < 40 ? (cell).length : 40), (cell).text

bool cell_is(struct tsv_cell cell, const char *text);
bool cell_int(struct tsv_cell cell, int *value); /* a decimal integer in int's range */

/* Cuts off the part before the separator, trimmed; all of it if there is no separator. */
struct tsv_cell cell_take(struct tsv_cell *rest, char separator);

/* The double nearest to a decimal number, the same that strtod gives, in any locale; NAN if it is none: only digits,
 * one point, a leading minus and an exponent are allowed, and at most 100 digits. */
double cell_number(struct tsv_cell cell);

#endif

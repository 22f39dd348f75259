/* tsv.h - a file of tab-separated cells: what is in each, and how to say that it is wrong.
 *
 * Lines that start with # are comments, empty lines are skipped. The first other line is the header, a name a column;
 * every line behind it is a row. Windows line ends and a UTF-8 byte order mark are accepted. */
#ifndef TSV_H
#define TSV_H

#include <stdbool.h>
#include <stddef.h>

struct tsv {
    const char *path;
    char *text; /* the whole file; a 0 ends each cell and each line */
    int columns;
    size_t rows;  /* below the header */
    char **cell;  /* [rows + 1][columns] row 0: the header */
    size_t *line; /* [rows + 1] of the file, from 1, on which a row stands */
    char **head;  /* [line[0] - 1] the lines before the header: comments that may set something */
};

/* Reads the file; keeps path by reference. A control character in a name is shown as '?'. Dies of one that cannot be
 * read, is empty or no UTF-8 text; a header alone; a name that is empty, starts with a digit or stands twice; a row
 * with another number of cells; what is over these limits, which endless files are at once. */
enum { TSV_MAX_COLUMNS = 1000, TSV_MAX_NAME = 255, TSV_MAX_LINE = 1 << 20, TSV_MAX_BYTES = 1 << 30 };
struct tsv tsv_open(const char *path);
void tsv_close(struct tsv *t); /* its cells and comments go with it */

static inline char *tsv_cell(const struct tsv *t, size_t row, int column)
{
    return t->cell[row * (size_t)t->columns + (size_t)column];
}

int tsv_column(const struct tsv *t, const char *name); /* the column of that name, or -1 */

/* VALUE of the first comment "# key: VALUE" before the header, any case, and its line (NULL: not wanted); or `otherwise`. */
char *tsv_comment(const struct tsv *t, const char *key, char *otherwise, size_t *line);

/* Dies with "path:line: column 3 (name): message", printf-style; line 0: none, column -1: the whole line. */
void tsv_die(const struct tsv *t, size_t line, int column, const char *message, ...)
    __attribute__((format(printf, 4, 5), noreturn));

/* The double nearest to a decimal number, such as -12.5e3; NAN if it is none (a leading +, a blank, inf, 0x10). */
double cell_number(const char *cell);
bool cell_int(const char *cell, int *value); /* a decimal integer in int's range, without point or exponent */

/* Cuts off the part before the separator, or all of it, and ends it with a 0; both parts without blanks around. */
char *cell_take(char **rest, char separator);

#endif

/* tsv.c - one pass over a file's text ends each cell with a 0; cells are read when they are asked for. */
#include "device/tsv.h"
#include "base/die.h"
#include "base/text.h"
#include "base/xalloc.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void tsv_die(const struct tsv *t, size_t line, int column, const char *message, ...)
{
    va_list list;
    va_start(list, message);
    char *text = xvformat(message, list), *place = line ? xformat(":%zu", line) : "";
    va_end(list);
    if (column >= 0)
        place = xformat("%s: column %d (%.40s)", place, column + 1, tsv_cell(t, 0, column));
    die("%s%s: %s", t->path, place, text);
}

/* ---- The file ---- */

static size_t line_of(const struct tsv *t, const char *where)
{
    size_t line = 1;
    for (const char *p = t->text; p < where; p++)
        line += *p == '\n';
    return line;
}

/* All of it, into memory that doubles: a pipe has no size to ask for. Returns its bytes. */
static size_t read_all(struct tsv *t)
{
    FILE *file = fopen(t->path, "rb");
    if (!file)
        tsv_die(t, 0, -1, "cannot be opened: %s", strerror(errno));
    size_t room = 1 << 20, size = 0;
    do {
        room *= 2;
        t->text = xrealloc(t->text, room + 1, 1);
        size += fread(t->text + size, 1, room - size, file);
    } while (size == room);
    t->text[size] = 0;
    if (ferror(file))
        tsv_die(t, 0, -1, "cannot be read: %s", strerror(errno));
    fclose(file);
    const char *zero = memchr(t->text, 0, size), *bad = t->text + text_prefix(t->text, size);
    if (zero)
        tsv_die(t, line_of(t, zero), -1, "a zero byte: expected text (is it compressed?)");
    if (bad < t->text + size)
        tsv_die(t, line_of(t, bad), -1, "byte 0x%02x: expected text in UTF-8", (unsigned)(unsigned char)*bad);
    return size;
}

/* Takes a line apart as row number `row`, of which `room` fit; the header says how many cells. */
static void add_row(struct tsv *t, char *text, size_t row, size_t line, size_t *room)
{
    int cells = 1;
    for (const char *p = text; *p; p++)
        cells += *p == '\t';
    if (row == 0)
        t->columns = cells;
    if (cells != t->columns)
        tsv_die(t, line, -1, "%d cells; expected %d, as in the header of line %zu", cells, t->columns, t->line[0]);
    if (row == *room) {
        *room = *room ? 2 * *room : 1024;
        t->cell = xrealloc(t->cell, *room * (size_t)cells, sizeof *t->cell);
        t->line = xrealloc(t->line, *room, sizeof *t->line);
    }
    t->line[row] = line;
    for (int c = 0; c < cells; c++) {
        t->cell[row * (size_t)cells + (size_t)c] = text;
        text += strcspn(text, "\t");
        *text++ = 0;
    }
}

static void find_rows(struct tsv *t, char *at, const char *file_end)
{
    size_t room = 0, lines = 0, rows = 0;
    for (char *end; at < file_end; at = end + 1) {
        lines++;
        end = at + strcspn(at, "\n");
        end[end > at && end[-1] == '\r' ? -1 : 0] = 0;
        if (*at && *at != '#') {
            add_row(t, at, rows++, lines, &room);
        } else if (rows == 0) {
            t->head = xrealloc(t->head, lines, sizeof *t->head);
            t->head[lines - 1] = at;
        }
    }
    if (rows == 0)
        tsv_die(t, 0, -1, "no table: expected a header of tab-separated names, then rows");
    t->rows = rows - 1;
}

static void check_header(const struct tsv *t)
{
    for (int c = 0; c < t->columns; c++) {
        const char *name = tsv_cell(t, 0, c);
        int first = tsv_column(t, name);
        if (*name == 0 || (*name >= '0' && *name <= '9'))
            tsv_die(t, t->line[0], -1, "'%.40s': expected the name of column %d (is the header missing?)", name,
                    c + 1);
        if (first != c)
            tsv_die(t, t->line[0], -1, "columns %d and %d are both named '%.40s': expected different names",
                    first + 1, c + 1, name);
    }
    if (t->rows == 0)
        tsv_die(t, t->line[0], -1, "a header alone: expected rows below it");
}

struct tsv tsv_open(const char *path)
{
    struct tsv t = { .path = path };
    size_t size = read_all(&t);
    find_rows(&t, strncmp(t.text, "\xef\xbb\xbf", 3) ? t.text : t.text + 3, t.text + size);
    check_header(&t);
    return t;
}

void tsv_close(struct tsv *t)
{
    free(t->text);
    free(t->head);
    free(t->cell);
    free(t->line);
    *t = (struct tsv){ 0 };
}

/* ---- What it says ---- */

int tsv_column(const struct tsv *t, const char *name)
{
    for (int c = 0; c < t->columns; c++)
        if (!strcmp(tsv_cell(t, 0, c), name))
            return c;
    return -1;
}

static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    for (size_t n = strlen(text); n > 0 && strchr(" \t", text[n - 1]); n--)
        text[n - 1] = 0;
    return text;
}

char *tsv_comment(const struct tsv *t, const char *key, size_t *line)
{
    size_t length = strlen(key);
    for (*line = 1; *line < t->line[0]; ++*line) {
        char *word = t->head[*line - 1];
        word += *word == '#';
        word += strspn(word, " \t");
        if (!strncasecmp(word, key, length) && word[length] == ':')
            return trimmed(word + length + 1);
    }
    return NULL;
}

char *cell_take(char **rest, char separator)
{
    char *piece = *rest, *cut = strchr(piece, separator);
    if (cut)
        *cut++ = 0;
    *rest = cut ? trimmed(cut) : piece + strlen(piece);
    return trimmed(piece);
}

double cell_number(const char *cell)
{
    char *end;
    if (cell[strspn(cell, "0123456789.eE+-")] != 0 || *cell == '+') /* no blank, inf, nan or 0x1p4 for strtod */
        return NAN;
    double value = strtod(cell, &end); /* no program calls setlocale: the point is a point */
    return end > cell && *end == 0 ? value : NAN;
}

bool cell_int(const char *cell, int *value)
{
    double number = cell[strspn(cell, "0123456789-")] == 0 ? cell_number(cell) : NAN;
    if (!(number >= INT_MIN && number <= INT_MAX))
        return false;
    *value = (int)number;
    return true;
}

static int ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int *tsv_integers(const struct tsv *t, int column, int most, int *count, size_t *odd)
{
    int *values = xalloc(t->rows, sizeof *values);
    *odd = 0;
    *count = 0;
    for (size_t row = 1; row <= t->rows && *odd == 0; row++)
        if (!cell_int(tsv_cell(t, row, column), &values[row - 1]))
            *odd = row;
    qsort(values, t->rows, sizeof *values, ascending);
    for (size_t i = 0; i < t->rows; i++)
        if (i == 0 || values[i] != values[*count - 1])
            values[(*count)++] = values[i];
    if (*odd == 0 && *count <= most)
        return values;
    free(values);
    return NULL;
}

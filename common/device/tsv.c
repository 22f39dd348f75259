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

/* What is no text, or has no line ends, shows early: a device without an end is not read until memory is. */
static void read_all(struct tsv *t)
{
    size_t size = 0, room = 0, line = 1, start = 0;
    FILE *file = fopen(t->path, "rb");
    if (!file)
        tsv_die(t, 0, -1, "cannot be opened: %s", strerror(errno));
    for (int c; (c = getc_unlocked(file)) != EOF; t->text[size++] = (char)c) {
        if (size + 1 >= room)
            t->text = xrealloc(t->text, room = 2 * room + (1 << 16), 1);
        if (c == 0)
            tsv_die(t, line, -1, "a zero byte: expected text (is it compressed?)");
        if ((size - start == TSV_MAX_LINE && c != '\n') || size == TSV_MAX_BYTES)
            tsv_die(t, line, -1, "expected lines of at most %d bytes, and %d in all", TSV_MAX_LINE, TSV_MAX_BYTES);
        line += c == '\n';
        start = c == '\n' ? size + 1 : start;
    }
    if (ferror(file))
        tsv_die(t, 0, -1, "cannot be read: %s", strerror(errno));
    fclose(file);
    t->text = xrealloc(t->text, size + 1, 1);
    t->text[size] = 0;
}

/* Takes a line apart as row number `row`. */
static void add_row(struct tsv *t, char *text, size_t row, size_t line)
{
    char **cell = t->cell + row * (size_t)t->columns;
    int cells = 0;
    for (char *next; text; text = next) {
        if (cells == TSV_MAX_COLUMNS)
            tsv_die(t, line, -1, "expected at most %d columns", TSV_MAX_COLUMNS);
        cell[cells++] = text;
        next = strchr(text, '\t');
        if (next)
            *next++ = 0;
    }
    t->line[row] = line;
    t->columns = row ? t->columns : cells;
    if (cells != t->columns)
        tsv_die(t, line, -1, "%d cells; expected %d, as in the header of line %zu", cells, t->columns, t->line[0]);
}

static void find_rows(struct tsv *t)
{
    size_t lines = 1, cells = 1, line = 0, rows = 0; /* at most so many lines and cells */
    char *at = t->text + (strncmp(t->text, "\xef\xbb\xbf", 3) ? 0 : 3), *end = at;
    for (; *end; end++) {
        lines += *end == '\n';
        cells += *end == '\n' || *end == '\t';
    }
    t->cell = xalloc(cells, sizeof *t->cell);
    t->line = xalloc(lines, sizeof *t->line);
    t->head = xalloc(lines, sizeof *t->head);
    for (char *stop; at < end; at = stop + 1) {
        line++;
        stop = at + strcspn(at, "\n");
        char *odd = at + text_prefix(at, (size_t)(stop - at));
        if (odd < stop)
            tsv_die(t, line, -1, "byte 0x%02x: expected text in UTF-8", (unsigned)(unsigned char)*odd);
        stop[stop > at && stop[-1] == '\r' ? -1 : 0] = 0;
        if (*at && *at != '#')
            add_row(t, at, rows++, line);
        else if (rows == 0)
            t->head[line - 1] = at;
    }
    if (rows == 0)
        tsv_die(t, 0, -1, "no table: expected a header of tab-separated names, then rows");
    t->rows = rows - 1;
}

static void check_header(const struct tsv *t)
{
    for (int c = 0; c < t->columns; c++) {
        char *name = tsv_cell(t, 0, c);
        text_clean(name);
        int first = tsv_column(t, name);
        if (strlen(name) > TSV_MAX_NAME)
            tsv_die(t, t->line[0], -1, "column %d: expected a name of at most %d bytes", c + 1, TSV_MAX_NAME);
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
    read_all(&t);
    find_rows(&t);
    check_header(&t);
    return t;
}

void tsv_close(struct tsv *t)
{
    free(t->text);
    free(t->head);
    free(t->cell);
    free(t->line);
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

char *tsv_comment(const struct tsv *t, const char *key, char *otherwise, size_t *line)
{
    size_t length = strlen(key);
    for (size_t at = 1; at < t->line[0]; at++) {
        char *word = t->head[at - 1];
        word += *word == '#';
        word += strspn(word, " \t");
        if (strncasecmp(word, key, length) || word[length] != ':')
            continue;
        if (line)
            *line = at;
        return trimmed(word + length + 1);
    }
    return otherwise;
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

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

static const char no_table[] = "no table: expected a header of tab-separated names, then rows";

static size_t line_of(const struct tsv *t, size_t place)
{
    size_t line = 1;
    for (size_t i = 0; i < place; i++)
        line += t->text[i] == '\n';
    return line;
}

/* What is no text shows early, so that a device without an end is not read until memory is. */
static void check_block(const struct tsv *t, size_t from, size_t size)
{
    size_t line = size;
    while (line > 0 && size - line <= TSV_MAX_LINE && t->text[line - 1] != '\n')
        line--;
    const char *zero = memchr(t->text + from, 0, size - from);
    if (zero)
        tsv_die(t, line_of(t, (size_t)(zero - t->text)), -1, "a zero byte: expected text (is it compressed?)");
    if (size - line > TSV_MAX_LINE || size > TSV_MAX_BYTES)
        tsv_die(t, line_of(t, size), -1, "expected lines of at most %d bytes, and %d in all", TSV_MAX_LINE,
                TSV_MAX_BYTES);
}

static void read_all(struct tsv *t)
{
    enum { BLOCK = 1 << 16 };
    size_t size = 0, room = 0;
    FILE *file = fopen(t->path, "rb");
    if (!file)
        tsv_die(t, 0, -1, "cannot be opened: %s", strerror(errno));
    for (size_t more = 1; more > 0; size += more) {
        if (room <= size + BLOCK)
            t->text = xrealloc(t->text, room = 2 * room + 2 * BLOCK, 1);
        more = fread(t->text + size, 1, BLOCK, file);
        check_block(t, size, size + more);
    }
    if (ferror(file))
        tsv_die(t, 0, -1, "cannot be read: %s", strerror(errno));
    fclose(file);
    t->text[size] = 0;
    size_t good = text_prefix(t->text, size);
    if (good < size)
        tsv_die(t, line_of(t, good), -1, "byte 0x%02x: expected text in UTF-8",
                (unsigned)(unsigned char)t->text[good]);
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
    char *at = strncmp(t->text, "\xef\xbb\xbf", 3) ? t->text : t->text + 3, *end = at;
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
        stop[stop > at && stop[-1] == '\r' ? -1 : 0] = 0;
        if (*at && *at != '#')
            add_row(t, at, rows++, line);
        else if (rows == 0)
            t->head[line - 1] = at;
    }
    if (rows == 0)
        tsv_die(t, 0, -1, no_table);
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
    for (*line = 1; *line < t->line[0]; ++*line) {
        char *word = t->head[*line - 1];
        word += *word == '#';
        word += strspn(word, " \t");
        if (!strncasecmp(word, key, length) && word[length] == ':')
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

/* layout.c - line breaking and column widths. */
#include "report/layout.h"
#include "base/xalloc.h"
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 88, INDENT = 2, GAP = 2 };

static void spaces(FILE *out, int n) { fprintf(out, "%*s", n > 0 ? n : 0, ""); }

int layout_gap(const char *left, const char *right)
{
    int gap = WIDTH - text_width(left) - text_width(right);
    return gap > 2 ? gap : 2;
}

/* ---- paragraphs ---- */

static bool starts_with_any(const char *s, const char *const *list)
{
    for (; *list; list++)
        if (!strncmp(s, *list, strlen(*list)))
            return true;
    return false;
}

/* Whether a line may end between two neighbouring characters. */
static bool may_break(const char *before, int before_columns, const char *after, int after_columns)
{
    static const char *const opening[] = { "（", "“", "《", "(", NULL };
    static const char *const closing[] = { "，", "。", "；", "：", "、", "）", "”", "！", "？", "》",
                                           "%",  ")",  ",",  ".",  ";",  ":",  "×", " ",  NULL };
    if (starts_with_any(after, closing) || starts_with_any(before, opening))
        return false;
    return *before == ' ' || before_columns == 2 || after_columns == 2;
}

/* Where the line that starts at s ends so that it fits `room` columns, or at its '\n', or at the end of the text. */
static const char *line_end(const char *s, int room)
{
    const char *at = s, *before = NULL, *end = NULL;
    int width = 0, before_columns = 0;
    while (*at && *at != '\n') {
        const char *start = at;
        int columns = text_columns(&at);
        if (before && may_break(before, before_columns, start, columns))
            end = start;
        width += columns;
        if (width > room && end && *start != ' ') /* a space at the end of a line needs no room */
            return end;
        before = start;
        before_columns = columns;
    }
    return at;
}

void layout_paragraph(FILE *out, const char *s)
{
    while (*s) {
        const char *end = line_end(s, WIDTH - INDENT), *last = end;
        while (last > s && last[-1] == ' ')
            last--;
        spaces(out, last > s ? INDENT : 0);
        fprintf(out, "%.*s\n", (int)(last - s), s);
        s = *end == '\n' ? end + 1 : end;
        while (*s == ' ')
            s++;
    }
}

/* ---- tables ---- */

/* A copy of the line of a head that stands so many lines above its last one; NULL if there is no such line. */
static char *head_line(const char *head, int above)
{
    int line = -above;
    for (const char *c = head; *c; c++)
        line += *c == '\n';
    if (line < 0)
        return NULL;
    for (; line > 0; line--)
        head = strchr(head, '\n') + 1;
    return xformat("%.*s", (int)strcspn(head, "\n"), head);
}

/* One padded cell. Spaces are owed until something stands behind them, so that no line ends with one. */
static void padded(FILE *out, const char *text, int width, bool left, int *owed)
{
    int pad = width - text_width(text);
    *owed += left ? 0 : pad;
    if (*text) {
        spaces(out, *owed);
        fputs(text, out);
        *owed = 0;
    }
    *owed += left ? pad : 0;
}

static int wider(int width, const char *text)
{
    int w = text_width(text);
    return w > width ? w : width;
}

/* The columns' widths, and the most lines of a head. */
static int *column_widths(const struct table *table, int *lines)
{
    int *width = xalloc((size_t)table->columns, sizeof *width);
    *lines = 1;
    for (int c = 0; c < table->columns; c++) {
        char *text;
        for (int line = 0; (text = head_line(tr_text(table->column[c].head), line)); line++) {
            width[c] = wider(width[c], text);
            *lines = line < *lines ? *lines : line + 1;
            free(text);
        }
    }
    for (size_t i = 0; i < table->cells; i++) {
        int *w = &width[i % (size_t)table->columns];
        *w = wider(*w - table->cell[i].best, table_shown(&table->cell[i])) + table->cell[i].best;
    }
    return width;
}

static void heads(FILE *out, const struct table *table, const int *width, int lines)
{
    for (int above = lines; above-- > 0;) {
        int owed = 0;
        for (int c = 0; c < table->columns; c++) {
            char *text = head_line(tr_text(table->column[c].head), above);
            owed += c ? GAP : INDENT;
            padded(out, text ? text : "", width[c], c == 0, &owed);
            free(text);
        }
        fputc('\n', out);
    }
    for (int c = 0; c < table->columns; c++) {
        spaces(out, c ? GAP : INDENT);
        for (int i = 0; i < width[c]; i++)
            fputc('-', out);
    }
    fputc('\n', out);
}

void layout_table(FILE *out, const struct table *table)
{
    int lines, *width = column_widths(table, &lines), owed = 0;
    heads(out, table, width, lines);
    for (size_t i = 0; i < table->cells; i++) {
        const struct cell *cell = &table->cell[i];
        int c = (int)(i % (size_t)table->columns), last = c == table->columns - 1;
        char *text = xformat("%s%s", cell->best ? "*" : "", table_shown(cell));
        owed = c ? owed + GAP : INDENT;
        padded(out, text, width[c], c == 0, &owed);
        fputs(last ? "\n" : "", out);
        free(text);
    }
    free(width);
}

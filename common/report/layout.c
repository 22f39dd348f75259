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
        return xformat("%s%s", cell->best ? "*" : "", table_shown(cell));
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
        spaces(out, *owed);
        fputs(text, out);
        *owed = 0;
    }
    *owed += left ? pad : 0;
}

static void rule(FILE *out, int columns, const int *width)
{
    for (int c = 0; c < columns; c++) {
        spaces(out, c ? GAP : INDENT);
        for (int i = 0; i < width[c]; i++)
            fputc('-', out);
    }
    fputc('\n', out);
}

void layout_table(FILE *out, const struct table *table)
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
        if (row == -1)
            rule(out, columns, width);
    }
    free(width);
}

/* report.c - the document, in four formats. */
#include "report/report.h"
#include "base/xalloc.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The lines of a text, each behind `before`; no spaces on an empty line. */
static void indented(FILE *out, const char *before, const char *lines)
{
    while (*lines) {
        int length = (int)strcspn(lines, "\n");
        fprintf(out, "%s%.*s\n", length || *before != ' ' ? before : "", length, lines);
        lines += length + (lines[length] == '\n');
    }
}

static void json_start(const struct report *report)
{
    fputs("{\"program\": ", report->out);
    text_json(report->out, report->program);
    fputs(", \"sections\": [", report->out);
}

/* Opens the next item of the section's list. */
static void json_item(struct report *report, const char *key)
{
    fprintf(report->out, "%s\n      {\"%s\": ", report->items++ ? "," : "", key);
}

/* ---- the document ---- */

struct report report_open(FILE *out, enum format format, bool color, const char *program)
{
    return (struct report){
        .out = out, .format = format, .program = program, .color = color, .label = { "Demo", "演示" }
    };
}

bool report_close(struct report *report)
{
    if (report->format == FORMAT_JSON && report->sections == 0)
        json_start(report);
    if (report->format == FORMAT_JSON)
        fputs(report->sections ? "]}\n]}\n" : "]}\n", report->out);
    return fflush(report->out) == 0 && !ferror(report->out);
}

void report_section(struct report *report, int number, struct text heading, const char *of_lecture)
{
    FILE *out = report->out;
    const char *title = tr_text(heading), *section = of_lecture ? of_lecture : "", *gap = report->sections ? "\n" : "";
    char *label = number ? xformat("%s %d", tr_text(report->label), number) : xformat("%s", "");
    char *left = xformat("%s%s%s", label, number ? tr("  ", "：") : "", title);
    char *right = xformat(*section ? "  [%s]" : "%s", section);
    int spaces = *section ? TEXT_COLUMNS - text_width(left) - text_width(right) : 0;
    switch (report->format) {
    case FORMAT_TEXT:
        fprintf(out, "%s%s%s%*s%s%s\n", gap, report->color ? "\033[1m" : "", left, spaces > 0 ? spaces : 0, "", right,
                report->color ? "\033[0m" : "");
        break;
    case FORMAT_MD:
        fprintf(out, "%s## %s%s%s", gap, label, number ? tr(": ", "：") : "", title);
        fprintf(out, *section ? " (%s)\n" : "\n", section);
        break;
    case FORMAT_TSV: fprintf(out, "# %s\n", left); break;
    case FORMAT_JSON:
        if (report->sections == 0)
            json_start(report);
        fprintf(out, "%s\n  {\"demo\": %d, \"title\": ", report->sections ? "]}," : "", number);
        text_json(out, title);
        fputs(", \"section\": ", out);
        text_json(out, section);
        fputs(", \"items\": [", out);
    }
    report->sections++;
    report->items = 0;
    free(label);
    free(left);
    free(right);
}

/* Words as a paragraph, or as they are. */
static void put(struct report *report, const char *words, bool as_they_are)
{
    FILE *out = report->out;
    switch (report->format) {
    case FORMAT_TEXT:
        fputc('\n', out);
        if (as_they_are)
            indented(out, "  ", words);
        else
            text_paragraph(out, words);
        break;
    case FORMAT_MD: fprintf(out, as_they_are ? "\n```\n%s```\n" : "\n%s\n", words); break;
    case FORMAT_TSV: indented(out, "# ", words); break;
    case FORMAT_JSON:
        json_item(report, as_they_are ? "lines" : "text");
        text_json(out, words);
        fputc('}', out);
    }
}

void report_verbatim(struct report *report, const char *lines) { put(report, lines, true); }

void report_say(struct report *report, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *said = xvformat(format, list);
    va_end(list);
    put(report, said, false);
    free(said);
}

/* ---- tables that are not laid out ---- */

/* A head or cell on one line: line breaks become spaces (nothing between Chinese characters). A '|' would end a cell
 * of Markdown, so there it is escaped. */
static void flat(FILE *out, const char *s, bool markdown)
{
    for (const char *c = s; *c; c++)
        if (*c != '\n')
            fprintf(out, markdown && *c == '|' ? "\\%c" : "%c", *c);
        else if ((unsigned char)c[-1] < 0x80 || (unsigned char)c[1] < 0x80)
            fputc(' ', out);
}

/* A head or a cell; words NULL: nothing there. */
static void entry(FILE *out, enum format format, const char *words, bool number, bool best)
{
    const char *bold = best && format == FORMAT_MD ? "**" : "";
    if (format == FORMAT_JSON && words && !number) {
        text_json(out, words);
        return;
    }
    fputs(bold, out);
    flat(out, words ? words : format == FORMAT_JSON ? "null" : "-", format == FORMAT_MD);
    fputs(bold, out);
}

/* A column's whole name; the caller's to free. One that begins with line breaks has its first lines from its left. */
static char *name_of(const struct table *table, int c)
{
    const char *head = tr_text(table->column[c].head);
    size_t shared = strspn(head, "\n"), n = 0;
    char *left = shared && c ? name_of(table, c - 1) : NULL;
    for (size_t lines = shared; left && left[n] && lines; n++)
        lines -= left[n] == '\n';
    char *name = xformat("%.*s%s", (int)n, left ? left : "", head + shared);
    free(left);
    return name;
}

/* The heads, then the rows. */
static void rows(FILE *out, enum format format, const struct table *table)
{
    enum { BEGIN, BETWEEN, NEXT_ROW, END };
    static const char *const mark[][4] = { [FORMAT_MD] = { "| ", " | ", " |\n| ", " |\n" },
                                           [FORMAT_TSV] = { "", "\t", "\n", "\n" },
                                           [FORMAT_JSON] = { "\n        [", ", ", "],\n        [", "]" } };
    const char *const *m = mark[format];
    for (int c = 0; c < table->columns; c++) {
        fputs(c ? m[BETWEEN] : format == FORMAT_MD ? "| " : "", out);
        char *name = name_of(table, c);
        entry(out, format, name, false, false);
        free(name);
    }
    fputs(format == FORMAT_JSON ? "], \"rows\": [" : m[END], out);
    for (int c = 0; format == FORMAT_MD && c < table->columns; c++)
        fprintf(out, "%s%s", c ? " --: |" : "| :-- |", c == table->columns - 1 ? "\n" : "");
    for (size_t i = 0; i < table->cells; i++) {
        const struct cell *cell = &table->cell[i];
        fputs(m[i == 0 ? BEGIN : i % (size_t)table->columns ? BETWEEN : NEXT_ROW], out);
        entry(out, format, cell->text, cell->is_number, cell->best);
    }
    fputs(table->cells ? m[END] : "", out);
}

void report_table(struct report *report, struct table *table, const char *format, ...)
{
    FILE *out = report->out;
    va_list list;
    va_start(list, format);
    char *title = format ? xvformat(format, list) : xformat("%s", "");
    va_end(list);
    switch (report->format) {
    case FORMAT_TEXT:
        if (*title)
            report_say(report, "%s", title);
        fputc('\n', out);
        table_print(out, table);
        break;
    case FORMAT_MD: fprintf(out, *title ? "\n**%s**\n\n" : "%s\n", title); break;
    case FORMAT_TSV: fprintf(out, "#%s%s\n", *title ? " " : "", title); break; /* tables stand apart */
    case FORMAT_JSON:
        json_item(report, "table");
        fputs("{\"title\": ", out);
        text_json(out, title);
        fputs(", \"columns\": [", out);
    }
    if (report->format != FORMAT_TEXT)
        rows(out, report->format, table);
    fputs(report->format == FORMAT_JSON ? "]}}" : "", out);
    table_free(table);
    free(title);
}

/* report.c - the document, in four formats. Each public function branches on the format; how text is laid out on a
 * terminal is layout's business. */
#include "report/report.h"
#include "report/layout.h"
#include "base/xalloc.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON ---- */

/* Opens the next item of the section's list. */
static void json_item(struct report *report, const char *key)
{
    fprintf(report->out, "%s\n      {\"%s\": ", report->items++ ? "," : "", key);
}

static void json_table(FILE *out, struct text title, const struct table *table)
{
    fputs("{\"title\": ", out);
    text_json(out, title.en ? tr_text(title) : "");
    fputs(", \"columns\": [", out);
    for (int c = 0; c < table->columns; c++) {
        fputs(c ? ", " : "", out);
        text_json(out, tr_text(table->column[c].head));
    }
    fputs("], \"rows\": [", out);
    for (size_t i = 0; i < table->cells; i++) {
        const struct cell *cell = &table->cell[i];
        bool first = i % (size_t)table->columns == 0;
        fputs(!first ? ", " : i ? "],\n        [" : "\n        [", out);
        if (cell->is_number)
            fputs(cell->text, out);
        else if (cell->text)
            text_json(out, cell->text);
        else
            fputs("null", out);
    }
    fputs(table->cells ? "]]}" : "]}", out);
}

/* ---- Markdown and TSV ---- */

/* A head or cell on one line: line breaks become spaces (nothing between Chinese characters). A '|' would end a cell
 * of Markdown, so there it is escaped. */
static void flat(FILE *out, const char *s, bool markdown)
{
    s += *s == '\n'; /* a head that stands under its neighbour's first line */
    for (const char *c = s; *c; c++)
        if (*c != '\n')
            fprintf(out, markdown && *c == '|' ? "\\%c" : "%c", *c);
        else if ((unsigned char)c[-1] < 0x80 || (unsigned char)c[1] < 0x80)
            fputc(' ', out);
}

static void ruled_table(FILE *out, const struct table *table, bool markdown)
{
    const char *between = markdown ? " | " : "\t", *before = markdown ? "| " : "", *after = markdown ? " |\n" : "\n";
    int columns = table->columns;
    for (int c = 0; c < columns; c++) {
        fputs(c ? between : before, out);
        flat(out, tr_text(table->column[c].head), markdown);
    }
    fputs(after, out);
    for (int c = 0; markdown && c < columns; c++)
        fputs(c ? " --: |" : "| :-- |", out);
    fputs(markdown ? "\n" : "", out);
    for (size_t i = 0; i < table->cells; i++) {
        const struct cell *cell = &table->cell[i];
        int c = (int)(i % (size_t)columns);
        fputs(c ? between : before, out);
        fputs(markdown && cell->best ? "**" : "", out);
        flat(out, table_shown(cell), markdown);
        fputs(markdown && cell->best ? "**" : "", out);
        fputs(c == columns - 1 ? after : "", out);
    }
}

/* ---- the document ---- */

/* The lines of a text, each behind `before`; no spaces on an empty line. */
static void indented(FILE *out, const char *before, const char *lines)
{
    while (*lines) {
        int length = (int)strcspn(lines, "\n");
        fprintf(out, "%s%.*s\n", length || *before != ' ' ? before : "", length, lines);
        lines += length + (lines[length] == '\n');
    }
}

struct report report_open(FILE *out, enum format format, bool color, const char *program)
{
    return (struct report){
        .out = out, .format = format, .program = program, .color = color, .label = { "Demo", "演示" }
    };
}

static void json_start(const struct report *report)
{
    fputs("{\"program\": ", report->out);
    text_json(report->out, report->program);
    fputs(", \"sections\": [", report->out);
}

bool report_close(struct report *report)
{
    if (report->format == FORMAT_JSON) {
        if (report->sections == 0)
            json_start(report);
        fputs(report->sections ? "]}\n]}\n" : "]}\n", report->out);
    }
    return fflush(report->out) == 0 && !ferror(report->out);
}

void report_section(struct report *report, int number, struct text title, const char *section)
{
    FILE *out = report->out;
    const char *name = tr_text(title);
    char *label = number ? xformat("%s %d", tr_text(report->label), number) : xformat("%s", "");
    switch (report->format) {
    case FORMAT_TEXT: {
        const char *bold = report->color ? "\033[1m" : "", *plain = report->color ? "\033[0m" : "";
        char *left = xformat("%s%s%s", label, number ? "  " : "", name),
             *right = section ? xformat("[%s]", section) : NULL;
        fprintf(out, "%s%s%s", report->sections ? "\n" : "", bold, left);
        if (right)
            fprintf(out, "%*s%s", layout_gap(left, right), "", right);
        fprintf(out, "%s\n", plain);
        free(left);
        free(right);
        break;
    }
    case FORMAT_MD:
        fprintf(out, "%s## %s%s%s", report->sections ? "\n" : "", label, number ? ": " : "", name);
        fprintf(out, section ? " (%s)\n" : "\n", section);
        break;
    case FORMAT_TSV: fprintf(out, "# %s%s%s\n", label, number ? "  " : "", name); break;
    case FORMAT_JSON:
        if (report->sections == 0)
            json_start(report);
        fprintf(out, "%s\n  {\"demo\": %d, \"title\": ", report->sections ? "]}," : "", number);
        text_json(out, name);
        fputs(", \"section\": ", out);
        text_json(out, section ? section : "");
        fputs(", \"items\": [", out);
        break;
    case FORMAT_NONE: break;
    }
    report->sections++;
    report->items = 0;
    free(label);
}

void report_say(struct report *report, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *said = xvformat(format, list);
    va_end(list);
    switch (report->format) {
    case FORMAT_TEXT:
        fputc('\n', report->out);
        layout_paragraph(report->out, said);
        break;
    case FORMAT_MD: fprintf(report->out, "\n%s\n", said); break;
    case FORMAT_TSV: indented(report->out, "# ", said); break;
    case FORMAT_JSON:
        json_item(report, "text");
        text_json(report->out, said);
        fputc('}', report->out);
        break;
    case FORMAT_NONE: break;
    }
    free(said);
}

void report_verbatim(struct report *report, const char *lines)
{
    FILE *out = report->out;
    if (report->format == FORMAT_NONE)
        return;
    if (report->format == FORMAT_JSON) {
        json_item(report, "lines");
        text_json(out, lines);
        fputc('}', out);
        return;
    }
    fputs(report->format == FORMAT_MD ? "\n```\n" : report->format == FORMAT_TEXT ? "\n" : "", out);
    indented(out, report->format == FORMAT_TSV ? "# " : report->format == FORMAT_TEXT ? "  " : "", lines);
    fputs(report->format == FORMAT_MD ? "```\n" : "", out);
}

void report_table(struct report *report, struct text title, const struct table *table)
{
    FILE *out = report->out;
    bool titled = title.en != NULL;
    switch (report->format) {
    case FORMAT_TEXT:
        fputc('\n', out);
        if (titled) {
            layout_paragraph(out, tr_text(title));
            fputc('\n', out);
        }
        layout_table(out, table);
        break;
    case FORMAT_MD:
        fprintf(out, titled ? "\n**%s**\n\n" : "%s\n", titled ? tr_text(title) : "");
        ruled_table(out, table, true);
        break;
    case FORMAT_TSV:
        fprintf(out, "#%s%s\n", titled ? " " : "", titled ? tr_text(title) : ""); /* tables stand apart */
        ruled_table(out, table, false);
        break;
    case FORMAT_JSON:
        json_item(report, "table");
        json_table(out, title, table);
        fputc('}', out);
        break;
    case FORMAT_NONE: break;
    }
}

void report_print(struct report *report, struct table *table, const char *format, ...)
{
    char *title = NULL;
    va_list list;
    va_start(list, format);
    if (format)
        title = xvformat(format, list);
    va_end(list);
    report_table(report, (struct text){ title, title }, table);
    table_free(table);
    free(title);
}

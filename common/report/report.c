/* report.c - the document, in four formats: each is five functions. How text is laid out on a terminal is layout's
 * business. */
#include "report/report.h"
#include "base/xalloc.h"
#include "report/layout.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct form {
    void (*section)(struct report *report, const char *label, int number, const char *title, const char *section);
    void (*say)(struct report *report, const char *said);
    void (*verbatim)(struct report *report, const char *lines);
    void (*table)(struct report *report, const char *title, const struct table *table); /* "": it has none */
    void (*close)(struct report *report); /* NULL: nothing to do */
};

/* The lines of a text, each behind `before`; no spaces on an empty line. */
static void indented(FILE *out, const char *before, const char *lines)
{
    while (*lines) {
        int length = (int)strcspn(lines, "\n");
        fprintf(out, "%s%.*s\n", length || *before != ' ' ? before : "", length, lines);
        lines += length + (lines[length] == '\n');
    }
}

/* ---- text ---- */

static void text_section(struct report *report, const char *label, int number, const char *title,
                         const char *section)
{
    const char *bold = report->color ? "\033[1m" : "", *plain = report->color ? "\033[0m" : "";
    char *left = xformat("%s%s%s", label, number ? "  " : "", title);
    char *right = section ? xformat("[%s]", section) : xformat("%s", "");
    fprintf(report->out, "%s%s%s%*s%s%s\n", report->sections ? "\n" : "", bold, left,
            section ? layout_gap(left, right) : 0, "", right, plain);
    free(left);
    free(right);
}

static void text_say(struct report *report, const char *said)
{
    fputc('\n', report->out);
    layout_paragraph(report->out, said);
}

static void text_verbatim(struct report *report, const char *lines)
{
    fputc('\n', report->out);
    indented(report->out, "  ", lines);
}

static void text_table(struct report *report, const char *title, const struct table *table)
{
    if (*title)
        text_say(report, title);
    fputc('\n', report->out);
    layout_table(report->out, table);
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

static void md_section(struct report *report, const char *label, int number, const char *title, const char *section)
{
    fprintf(report->out, "%s## %s%s%s", report->sections ? "\n" : "", label, number ? ": " : "", title);
    fprintf(report->out, section ? " (%s)\n" : "\n", section);
}

static void md_say(struct report *report, const char *said) { fprintf(report->out, "\n%s\n", said); }

static void md_verbatim(struct report *report, const char *lines)
{
    fputs("\n```\n", report->out);
    indented(report->out, "", lines);
    fputs("```\n", report->out);
}

static void md_table(struct report *report, const char *title, const struct table *table)
{
    fprintf(report->out, *title ? "\n**%s**\n\n" : "%s\n", title);
    ruled_table(report->out, table, true);
}

static void tsv_section(struct report *report, const char *label, int number, const char *title, const char *section)
{
    (void)section;
    fprintf(report->out, "# %s%s%s\n", label, number ? "  " : "", title);
}

static void tsv_lines(struct report *report, const char *lines) { indented(report->out, "# ", lines); }

static void tsv_table(struct report *report, const char *title, const struct table *table)
{
    fprintf(report->out, "#%s%s\n", *title ? " " : "", title); /* tables stand apart */
    ruled_table(report->out, table, false);
}

/* ---- JSON ---- */

static void json_start(const struct report *report)
{
    fputs("{\"program\": ", report->out);
    text_json(report->out, report->program);
    fputs(", \"sections\": [", report->out);
}

static void json_section(struct report *report, const char *label, int number, const char *title,
                         const char *section)
{
    (void)label;
    if (report->sections == 0)
        json_start(report);
    fprintf(report->out, "%s\n  {\"demo\": %d, \"title\": ", report->sections ? "]}," : "", number);
    text_json(report->out, title);
    fputs(", \"section\": ", report->out);
    text_json(report->out, section ? section : "");
    fputs(", \"items\": [", report->out);
}

/* Opens the next item of the section's list. */
static void json_item(struct report *report, const char *key)
{
    fprintf(report->out, "%s\n      {\"%s\": ", report->items++ ? "," : "", key);
}

static void json_words(struct report *report, const char *key, const char *words)
{
    json_item(report, key);
    text_json(report->out, words);
    fputc('}', report->out);
}

static void json_say(struct report *report, const char *said) { json_words(report, "text", said); }
static void json_verbatim(struct report *report, const char *lines) { json_words(report, "lines", lines); }

static void json_table(struct report *report, const char *title, const struct table *table)
{
    FILE *out = report->out;
    json_item(report, "table");
    fputs("{\"title\": ", out);
    text_json(out, title);
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
    fputs(table->cells ? "]]}}" : "]}}", out);
}

static void json_close(struct report *report)
{
    if (report->sections == 0)
        json_start(report);
    fputs(report->sections ? "]}\n]}\n" : "]}\n", report->out);
}

/* ---- the document ---- */

static const struct form forms[] = {
    [FORMAT_TEXT] = { text_section, text_say, text_verbatim, text_table, NULL },
    [FORMAT_MD] = { md_section, md_say, md_verbatim, md_table, NULL },
    [FORMAT_TSV] = { tsv_section, tsv_lines, tsv_lines, tsv_table, NULL },
    [FORMAT_JSON] = { json_section, json_say, json_verbatim, json_table, json_close },
};

struct report report_open(FILE *out, enum format format, bool color, const char *program)
{
    return (struct report){
        .out = out, .form = &forms[format], .program = program, .color = color, .label = { "Demo", "演示" }
    };
}

bool report_close(struct report *report)
{
    if (report->form->close)
        report->form->close(report);
    return fflush(report->out) == 0 && !ferror(report->out);
}

void report_section(struct report *report, int number, struct text title, const char *section)
{
    char *label = number ? xformat("%s %d", tr_text(report->label), number) : xformat("%s", "");
    report->form->section(report, label, number, tr_text(title), section);
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
    report->form->say(report, said);
    free(said);
}

void report_verbatim(struct report *report, const char *lines) { report->form->verbatim(report, lines); }

void report_table(struct report *report, struct text title, const struct table *table)
{
    report->form->table(report, title.en ? tr_text(title) : "", table);
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

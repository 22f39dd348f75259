/* report.h - what a program says on stdout: demos, paragraphs and tables, as text, Markdown, TSV or JSON.
 *
 * stdout is the golden text: the same bytes on every machine, so no times, dates, paths or addresses. */
#ifndef REPORT_H
#define REPORT_H

#include "report/table.h"
#include <stdio.h>

enum format { FORMAT_TEXT, FORMAT_MD, FORMAT_TSV, FORMAT_JSON };

struct report {
    FILE *out;
    enum format format;
    const char *program; /* its name, for JSON */
    bool color;          /* headings in bold: only on a terminal */
    struct text label;   /* what a numbered section is: "Demo" */
    int sections;        /* written so far */
    int items;           /* in the section, for JSON's commas */
};

/* Writes nothing yet: who finds the command line wrong before the first section leaves stdout empty. */
struct report report_open(FILE *out, enum format format, bool color, const char *program);

/* Ends the document and flushes it. Returns false if anything could not be written (a full disk). */
bool report_close(struct report *report);

/* Starts a section: "Demo 2  The slides' list of 24  [§2.2]". number 0: the title alone. section: may be NULL. */
void report_section(struct report *report, int number, struct text title, const char *section);

/* A paragraph, printf-style, wrapped at 88 columns. */
void report_say(struct report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whole lines, printed as they are (a loop nest, a drawing): indented in text, fenced in Markdown. */
void report_verbatim(struct report *report, const char *lines);

/* Writes the table under a title, printf-style (NULL: none), and frees it. */
void report_table(struct report *report, struct table *table, const char *title, ...)
    __attribute__((format(printf, 3, 4)));

#endif

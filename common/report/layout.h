/* layout.h - paragraphs and tables on a terminal of 90 columns, Chinese characters two columns wide. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "report/table.h"
#include <stdio.h>

/* Wraps at 88 columns behind an indent of 2: at spaces, and between Chinese characters but before no closing mark. A
 * '\n' in the text starts a new line. */
void layout_paragraph(FILE *out, const char *utf8);

/* Heads (bottom-aligned when they have several lines), a rule of '-', rows; indent 2, gap 2, no trailing spaces. */
void layout_table(FILE *out, const struct table *table);

/* Spaces between left and right so that right ends at column 88; at least 2. */
int layout_gap(const char *left, const char *right);

#endif

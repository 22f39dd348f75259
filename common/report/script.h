/* script.h - a gnuplot script being written: what figure's kinds of figures are made of. Nobody else needs it.
 *
 * A script is written beside its place and moved there when whole; what cannot be written ends the program with one
 * line and exit status 2. */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "report/figure.h"
#include <stdio.h>

struct script {
    FILE *out;
    char *path, *partial;
};

/* Begins NAME.gp: how to run it, the look, the title. */
struct script script_figure(struct figures figures, const char *name, struct text title);
void script_finish(struct script script);

void script_quoted(FILE *out, const char *s);                   /* "s", as gnuplot quotes */
void script_label(FILE *out, struct text text);                 /* T("中文", "English") */
void script_set(FILE *out, const char *what, struct text text); /* set WHAT and the label */
void script_axis(FILE *out, char which, struct axis axis);      /* label, range, scale and tics of x or y */
void script_tics(FILE *out, char which, int count, const struct text *names); /* names at 0, 1, 2 … */
void script_line(FILE *out, size_t n, const double *v); /* one line of a data block; NaN where not finite */

#define SCRIPT_COLUMN 0.0122        /* the share of the picture's width that a column of text takes */
int script_width(struct text name); /* columns of the wider of the two languages */
int script_longest(int count, const struct text *names); /* the most of them */

#endif

/* figure.h - figures as gnuplot scripts: self-contained files that a lecturer can open, relabel and run again.
 *
 * A figure NAME becomes DIR/NAME.gp: the look (plots/style.gp), its labels and data, and how its kind is drawn
 * (plots/KIND.gp). `make figures` renders each to SVG and PNG in both languages. Labels are written as
 * T('中文', 'English') and chosen by gnuplot; whatever stands in them, gnuplot runs none of it. */
#ifndef FIGURE_H
#define FIGURE_H

#include "report/table.h"

/* Where figures go: dir, which is made if absent (not its parents). A folder or file that cannot be written ends the
 * program with one line and exit status 2; a script is written beside its place and renamed, so none is ever half.
 * NULL: nothing is drawn, and every figure_ call that draws returns at once. */
const char *figure_folder(const char *dir);

struct axis {
    struct text label;
    double low, high; /* the range; equal: gnuplot's own */
    double log;       /* base of a logarithmic axis; 0: linear */
    const char *tics; /* gnuplot's tic list, "(1,2,5)" or "0,20,100"; NULL: gnuplot's own */
};

/* Curves y(x), each named at its right end, with a band from low to high: all of them or the first ones. */
struct series {
    struct text name;
    size_t n;
    const double *x, *y;
    const double *low, *high; /* both NULL: no band */
};
void figure_lines(const char *dir, const char *name, struct text title, struct axis x, struct axis y, size_t count,
                  const struct series *series);

/* A cloud of points (x, y). */
void figure_scatter(const char *dir, const char *name, struct text title, struct axis x, struct axis y,
                    const struct series *cloud);

/* A matrix (table.h) as coloured cells; NaN is drawn hatched with a ×. The first row is at the top. */
void figure_heat(const char *dir, const char *name, struct text title, struct text x, struct text y,
                 const struct heat *heat);

/* Bars: `groups` clusters of `bars` each, value[group][bar]; NaN: no bar. The number stands above each. */
struct bars {
    int groups, bars;
    const struct text *group_name, *bar_name;
    const double *value;
    int decimals;
};
void figure_bars(const char *dir, const char *name, struct text title, struct axis y, const struct bars *bars);

/* Horizontal stacked bars: one a group, one segment a bar, and a closing text at the right (may be NULL). */
void figure_stack(const char *dir, const char *name, struct text title, struct axis x, const struct bars *bars,
                  const char *const *closing);

/* A histogram over log-spaced bins with its cumulative curve on a second axis, and one marked limit. */
struct histogram {
    size_t bins;
    const double *edge;  /* [bins + 1] */
    const double *count; /* [bins] */
    double mark;         /* a vertical line at this x, with the text beside it */
    struct text mark_text;
};
void figure_histogram(const char *dir, const char *name, struct text title, struct axis x, struct text y,
                      const struct histogram *histogram);

/* Draws every script of dir in the terminal with gnuplot; says a word on stderr if there is none. */
void figure_show(const char *dir);

/* A new empty folder for figure_show: the program's only one, gone when the program is, also when it dies. */
const char *figure_temporary(void);

#endif

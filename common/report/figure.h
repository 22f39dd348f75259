/* figure.h - figures as gnuplot scripts: self-contained files that a lecturer can open, relabel and run again.
 *
 * A figure NAME becomes DIR/NAME.gp: the look (plots/style.gp), its labels and data, and how its kind is drawn
 * (plots/KIND.gp). `make figures` renders each to SVG and PNG in both languages; the suffix of `out` picks the format,
 * title=0 leaves the title to the slide. Labels are written as T('中文', 'English') and chosen by gnuplot; whatever
 * stands in them, gnuplot runs none of it.
 *
 * A strategy looks the same in all figures (look.h): who is first in its list, who is talked about, is solid and drawn
 * on top. */
#ifndef FIGURE_H
#define FIGURE_H

#include "report/table.h"

/* Where figures go: dir, which is made if absent (not its parents). A folder or file that cannot be written ends the
 * program with one line and exit status 2; a script is written beside its place and renamed, so none is ever half.
 * NULL: nothing is drawn, and every figure_ call that draws returns at once. */
const char *figure_folder(const char *dir);

struct axis {
    struct text label;
    double low, high;   /* the range; equal: gnuplot's own */
    double log;         /* base of a logarithmic axis; 0: linear */
    const char *tics;   /* gnuplot's tic list, "(1,2,5)" or "0,20,100"; NULL: gnuplot's own */
    double zoom;        /* figure_lines' y: an inset shows 0 … zoom; 0: none */
    struct text second; /* figure_lines' y: what a second panel shows, beside the first; {0}: there is one panel */
};

/* Curves y(x), each named at its right end; of two panels, which share the names, in the second. Where low and high are given,
 * the two who are talked about have a band from low to high, the others whiskers. */
enum drawn { DRAWN_CURVE, DRAWN_STEPS, DRAWN_POINTS, DRAWN_REMARK /* the name, as text at x[0], y[0] */ };
struct series {
    struct text name;
    size_t n;
    const double *x, *y;
    const double *low, *high; /* both NULL: no spread */
    enum drawn drawn;
    int dash;    /* 1 solid, 2 dashed, 3 dotted, for several that share a colour; 0: the name's own */
    bool second; /* in the second panel; these come last */
};
void figure_lines(const char *dir, const char *name, struct text title, struct axis x, struct axis y, size_t count,
                  const struct series *series);

/* A cloud of points (x, y); its name is what is said of it, at the top left. */
void figure_scatter(const char *dir, const char *name, struct text title, struct axis x, struct axis y,
                    const struct series *cloud);

/* A matrix (table.h) as coloured cells; NaN is drawn hatched with a ×. The first row is at the top. Of the best of each
 * row, see struct heat. */
void figure_heat(const char *dir, const char *name, struct text title, struct text x, struct text y,
                 const struct heat *heat);

/* Bars: `groups` clusters of `bars` each, value[group][bar]; NaN: no bar. The number stands above each, and where low
 * and high [group][bar] are given, there are whiskers. */
struct bars {
    int groups, bars;
    const struct text *group_name, *bar_name;
    const double *value;
    int decimals;
    const double *low, *high;
};
void figure_bars(const char *dir, const char *name, struct text title, struct axis y, const struct bars *bars);

/* Horizontal stacked bars: one a group, one segment a bar with its number where there is room, and a closing text at
 * the right (may be NULL). */
void figure_stack(const char *dir, const char *name, struct text title, struct axis x, const struct bars *bars,
                  const char *const *closing);

/* A histogram over log-spaced bins with its cumulative curve on a second axis, and two marked limits. */
enum { HISTOGRAM_MARKS = 2 };
struct histogram {
    size_t bins;
    const double *edge;           /* [bins + 1] */
    const double *count;          /* [bins] */
    double mark[HISTOGRAM_MARKS]; /* a vertical line at each x, with its text beside it */
    struct text mark_text[HISTOGRAM_MARKS];
};
void figure_histogram(const char *dir, const char *name, struct text title, struct axis x, struct text y,
                      const struct histogram *histogram);

/* Draws every script of dir in the terminal with gnuplot; says a word on stderr if there is none. */
void figure_show(const char *dir);

/* A new empty folder for figure_show: the program's only one, gone when the program is, also when it dies. */
const char *figure_temporary(void);

#endif

/* look.h - how curves are told apart: one colour, dash and marker for one strategy in all figures, and where its name
 * stands. */
#ifndef LOOK_H
#define LOOK_H

#include "report/figure.h"

/* look [count]: linetypes 1 to 8 of plots/style.gp, found by the English name up to a comma, colon or bracket. Those who
 * are not listed take linetypes that are left, in order, and share one if they share such a beginning. */
void look_find(size_t count, const struct text *name, int *look);

/* The axis with a range: its own, or the data's, for gnuplot's is not known here. at [count]: where the curves' names
 * stand beside it, as shares from its low end: at their last y, moved apart. */
struct axis look_range(struct axis y, size_t count, const struct series *series);
void look_places(struct axis y, size_t count, const struct series *series, double *at);

#endif

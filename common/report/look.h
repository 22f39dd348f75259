/* look.h - one colour, dash and marker for one strategy in all figures: the linetype of its name. */
#ifndef LOOK_H
#define LOOK_H

#include "base/text.h"

/* look [count]: linetypes 1 to 8 of plots/style.gp, found by the English name up to a comma, colon or bracket. Those who
 * are not listed take linetypes that are left, in order, and share one if they share such a beginning. */
void look_find(size_t count, const struct text *name, int *look);

#endif

/* curves.h - the share of the optimum as measurements are spent: an experiment's tables and its figure. */
#ifndef CURVES_H
#define CURVES_H

#include "experiment.h"
#include "report/figure.h"
#include "report/report.h"

/* An empty table: this head over the rows' names, then a column a count, of numbers with one decimal. */
struct table *curves_counts_table(struct text head, int counts, const size_t *count);

/* One workload: a row of medians and a row of "low..high" a variant, a column a count; each one's best is marked. */
struct table *curves_table(const struct experiment *e, int workload, int counts, const size_t *count);
extern const struct text curves_legend; /* how to read it, for a paragraph before the first one */

/* How many measurements bring the choice to 95 and 99 % (experiment_reached): a row a workload and variant. */
struct table *curves_reached_table(const struct experiment *e);
extern const struct text curves_reached_title;

/* curves_table as curves with bands or whiskers. */
void curves_figure(const struct experiment *e, int workload, int counts, const size_t *count, const char *dir,
                   const char *name, struct text title);

/* Both of one workload from `first` trials on: the table, and (of several counts) the figure NAME_workload. title and
 * caption stand before the workload's name in the table's title and in the figure's. */
void curves_show(const struct experiment *e, int workload, size_t first, struct report *report,
                 const char *dir, const char *name, struct text title, struct text caption);

#endif

/* curves.h - the share of the optimum as measurements are spent: an experiment's tables and its figure. */
#ifndef CURVES_H
#define CURVES_H

#include "experiment.h"
#include "report/figure.h"
#include "report/report.h"

/* An empty table: this head over the rows' names, then a column a count, of numbers with one decimal. */
struct table *curves_counts_table(struct text head, int counts, const size_t *count);

/* One workload: a row of medians and (of several repeats) one of "low..high" a variant, a column a count; each one's best is marked. */
struct table *curves_table(const struct experiment *e, int workload, int counts, const size_t *count);
/* How to read it: a paragraph before the first one, that begins with `before`. */
void curves_say_legend(struct report *report, const char *before, const struct device *device, int repeats);

/* What shares are of: "the optimum"; "the best found" on a live device, where nobody knows it. */
struct text curves_goal(const struct device *device);

/* How many measurements bring the choice to 95 and 99 % (experiment_reached): a row a workload and variant. */
struct table *curves_reached_table(const struct experiment *e);
#define CURVES_REACHED_TITLE /* its title, to be followed by curves_goal's text */                                        \
    tr("Measurements until the choice first reaches this share of %s (median; -: at least half of the repeats never do)", \
       "选中的配置第一次达到%s的这个百分比时测了几次（中位数；-：至少一半的重复做不到）")

/* curves_table as curves with bands or whiskers. */
void curves_figure(const struct experiment *e, int workload, int counts, const size_t *count, const char *dir,
                   const char *name, struct text title);

/* Both of one workload from `first` trials on: the table, and (of several counts) the figure NAME_workload. title and
 * caption stand before the workload's name in the table's title and in the figure's. */
void curves_show(const struct experiment *e, int workload, size_t first, struct report *report,
                 const char *dir, const char *name, struct text title, struct text caption);

#endif

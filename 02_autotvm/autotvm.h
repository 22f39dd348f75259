/* autotvm.h - the demos of 02_autotvm, and what several of them use. */
#ifndef AUTOTVM_H
#define AUTOTVM_H

#include "experiment.h"
#include "report/program.h"
#include "tuning.h"

extern const struct fact published_cost[], published_quality[], published_search[], published_transfer[],
    published_why[];

void demo1_search(struct run *run);
void demo2_cost_model(struct run *run);
void demo3_transfer(struct run *run);
void demo4_cost(struct run *run);
void demo5_why(struct run *run);
void demo6_convolution(struct run *run);
void demo7_uncertainty(struct run *run);
void demo8_spaces(struct run *run);

/* Demo 2's first tables: one tree, and how many it takes. */
void autotvm_trees(struct run *run, const struct workload *w);

/* Reads --strategies: ends the program with one line if it names one that does not exist. finish frees what prepare
 * and search keep in run->shared. */
void autotvm_prepare(struct run *run);
void autotvm_finish(struct run *run);

/* Demo 1's tunings of its shapes by its strategies; run at the first call. */
const struct experiment *autotvm_search(struct run *run);

/* The square and the weight gradient, those that were recorded; if none was, or `own` and there is a --shape,
 * program_shape. Returns how many. */
int autotvm_shapes(struct run *run, bool own, struct workload shapes[2]);

#endif

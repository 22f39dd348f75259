/* autotvm.h - the demos of 02_autotvm. */
#ifndef AUTOTVM_H
#define AUTOTVM_H

#include "tuning.h"
#include "report/program.h"

extern const struct fact published_cost[], published_quality[], published_search[], published_transfer[];

void demo1_search(struct run *run);
void demo2_cost_model(struct run *run);
void demo3_transfer(struct run *run);
void demo4_cost(struct run *run);
void demo5_why(struct run *run);

/* Demo 1's tunings: [square, weight gradient][grid, random, genetic, annealing][repeats]; run at the first call. */
const struct experiment *autotvm_search(struct run *run);

/* Ends the program with one line if --strategies names one that does not exist. */
void autotvm_check(const struct run *run);

#endif

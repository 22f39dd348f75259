/* landscape.h - the demos of 01_landscape, and the question that replaces them. */
#ifndef LANDSCAPE_H
#define LANDSCAPE_H

#include "report/program.h"
#include "tuning.h"

extern const struct fact published_terrain[], published_same_result[], published_autotune[], published_dynamic[];

void demo1_same_result(struct run *run);
void demo2_list_of_24(struct run *run);
void demo3_key(struct run *run);
void demo4_terrain(struct run *run);
void demo5_dynamic_m(struct run *run);

/* Demo 2's last table, of `count` shapes (prune.c); demo 4's, whose n slowdowns are known (descent.c). */
void prune_list(struct run *run, int count, const struct landscape *l, const uint32_t *list);
void descent(struct run *run, const struct landscape *l, size_t n, const double *slowdown);

/* --explain: where the time of one configuration goes. */
void explain_configuration(struct run *run);

#endif

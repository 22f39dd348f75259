/* landscape.h - the demos of 01_landscape, and the question that replaces them. */
#ifndef LANDSCAPE_H
#define LANDSCAPE_H

#include "report/program.h"
#include "tuning.h"
#include "report/program.h"

extern const struct fact published_terrain[], published_same_result[], published_autotune[], published_dynamic[];

void demo1_same_result(struct run *run);
void demo2_list_of_24(struct run *run);
void demo3_key(struct run *run);
void demo4_terrain(struct run *run);
void demo5_dynamic_m(struct run *run);

/* --explain: where the time of one configuration goes. */
void explain_configuration(struct run *run);

#endif

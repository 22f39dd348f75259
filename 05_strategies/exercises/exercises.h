/* exercises.h - the lecture's eight exercises, answered. */
#ifndef EXERCISES_H
#define EXERCISES_H

#include "report/program.h"
#include "tuning.h"
#include "report/program.h"

void exercise8_dynamic_m(struct run *run); /* the open one, built */

#endif

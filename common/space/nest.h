/* nest.h - sketches for a GPU as programs to read: loop nests with holes (lecture 5.3). */
#ifndef NEST_H
#define NEST_H

#include "space/sketch.h"

/* How deep the loops of a tiled node are split: each S is one level of all spatial loops, each R of all reduction
 * loops, so that a product's 3 become 13. (On CPUs "SSRSRS", 10.) */
#define NEST_LEVELS "SSSRRSRS"

/* The program as loop nests with holes: ?i0 is the extent of loop i0, ?split the number of parts, ?threads that of
 * the threads that share a reduction, ?stages that of a cache's buffers; `where` says what must multiply to what. A
 * remark at the right names the rule, or the letter of NEST_LEVELS, that made the line. An i without a number stands
 * for its loops i0, i1, … together. A new string. */
char *nest_text(const struct sketch *sketch);

#endif

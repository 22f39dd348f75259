/* nest.h - sketches as programs to read: loop nests with holes (lecture 5.3). */
#ifndef NEST_H
#define NEST_H

#include "space/sketch.h"

/* The program as loop nests with holes: ?i0 is the extent of loop i0, ?split the number of parts, ?threads that of
 * the threads that share a reduction, ?stages that of a cache's buffers; `where` says what must multiply to what. A
 * note at the right names the rule, or the letter of the structure, that made the line. An i without a number stands
 * for its loops i0, i1, … together. A new string. */
char *nest_text(const struct sketch *sketch);

#endif

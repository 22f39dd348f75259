/* lattice.h - which columns of a table are knobs, and which row holds which combination of their values.
 *
 * Knobs are the columns that a comment before the header names, "# knobs: BM BN BK w s G S", in that order. Without
 * it they are the columns at the left that hold nothing but integers. If fewer of these tell all rows apart, then
 * the next one that varies may be a time in whole numbers: the table is refused until it names its knobs. */
#ifndef LATTICE_H
#define LATTICE_H

#include "space/space.h"
#include "device/tsv.h"

enum { LATTICE_MAX_VALUES = 1 << 16 };

struct lattice {
    int knobs;
    struct knob *knob; /* [knobs] names and values are the lattice's own */
    uint32_t size;     /* combinations of the knobs' values */
    uint32_t *row_of;  /* [size] the row that holds a combination, from 1; 0: none */
    bool *is_knob;     /* [columns of the table] */
};

/* The lattice of a table's knobs; lattice_free it, also after a failure. On failure says why by tsv_fail and returns
 * false: no knob, a cell that is no integer, over SPACE_MAX_KNOBS knobs, LATTICE_MAX_VALUES values of one or
 * SPACE_MAX_SIZE combinations, two rows with the same values. */
bool lattice_find(struct lattice *l, const struct tsv *t);
void lattice_free(struct lattice *l);

uint32_t lattice_row(const struct lattice *l, const int *values); /* the row of these values, from 1; 0: none */

#endif

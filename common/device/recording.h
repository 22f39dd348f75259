/* recording.h - recorded.c's own: what one file of measurements says; recorded.h describes the format. */
#ifndef RECORDING_H
#define RECORDING_H

#include "device/reasons.h"
#include "device/tsv.h"

struct point { /* what a row says of a workload */
    double us;                    /* INFINITY: none */
    struct conditions conditions; /* its failure: why there is no time */
    int rule;                     /* the same, if it is known before a trial; else 0 */
};

struct column { /* a workload's times */
    struct workload workload;
    const struct recording *file;
    struct point *point; /* [rows] */
    size_t legal;        /* rows that no rule excludes */
    struct space *own;   /* recorded.c's: where its legality is its own; NULL: not asked for yet */
    double library_us;   /* what cuBLAS takes; 0: not recorded */
};

struct recording {
    struct tsv table; /* ids are its cells */
    char *name;       /* of its device */
    bool of_devices;  /* its columns are one problem on several devices */
    bool compiles;    /* it says of some column what compiling took */
    int knobs, knob_column[SPACE_MAX_KNOBS];
    struct knob knob[SPACE_MAX_KNOBS];
    uint32_t size;    /* combinations of the knobs' values */
    uint32_t *row_of; /* [size] the row that holds a combination, from 1; 0: none */
    enum { TIME, KNOB, BESIDE } *role; /* [table.columns] BESIDE: it says something of others */
    int columns;
    struct column *column; /* [columns] */
    struct point missing;  /* what is said of a combination without a row */
};

/* Reads the file, or one of its columns; dies as recorded_open says. New reasons join the list. */
struct recording *recording_open(const char *path, const char *column, struct reasons *reasons);
void recording_close(struct recording *recording);

/* The number of a combination of knob values. */
uint32_t recording_number(const struct recording *recording, const int *values);

#endif

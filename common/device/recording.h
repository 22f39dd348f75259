/* recording.h - recorded.c's own: what one file of measurements says; recorded.h describes the format. */
#ifndef RECORDING_H
#define RECORDING_H

#include "device/recorded.h"
#include "device/tsv.h"

struct reasons { /* why there is no time: the words of all files, each once; numbered from 1 */
    int count;
    struct text text[RECORDED_MAX_REASONS];
};

struct recording;
struct column { /* a workload's times */
    struct workload workload;
    const struct recording *file;
    double *us;        /* [rows] INFINITY: none */
    uint8_t *reason;   /* [rows] 0, or why there is none */
    double *noise;     /* [rows] relative; NULL: the file's */
    double *compile_s; /* [rows] 0: not recorded; NULL: in no row */
    size_t legal;      /* rows that no rule excludes */
    double cublas_us;  /* NAN: not recorded */
};

struct recording {
    struct tsv table; /* ids are its cells */
    char *name;       /* of its device */
    bool of_devices;  /* its columns are one problem on several devices */
    double noise;     /* relative */
    int knobs, knob_column[SPACE_MAX_KNOBS];
    struct knob knob[SPACE_MAX_KNOBS];
    uint32_t size;    /* combinations of the knobs' values */
    uint32_t *row_of; /* [size] the row that holds a combination, from 1; 0: none */
    int columns;
    struct column *column;               /* [columns] */
    bool rule[RECORDED_MAX_REASONS + 1]; /* a reason's number: known before a trial, without a row too */
    int missing;                         /* the number of "not recorded"; 0: every combination has a row */
};

/* Reads the file, or one of its columns; dies as recorded_open says. New reasons join the list. */
struct recording *recording_open(const char *path, const char *column, struct reasons *reasons);
void recording_close(struct recording *recording);

/* Where row_of keeps a combination of knob values. */
uint32_t recording_number(const struct recording *recording, const int *values);

/* Why the combination of that number has no time in a column; 0: it has one. And whether that is known before. */
int column_reason(const struct column *column, uint32_t number);
int column_rule(const struct column *column, uint32_t number);

#endif

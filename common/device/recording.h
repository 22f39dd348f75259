/* recording.h - what recorded keeps of a table, and the reading of it. Nobody but these two needs it. */
#ifndef RECORDING_H
#define RECORDING_H

#include "device/lattice.h"
#include "device/recorded.h"

struct recording {
    struct device device;      /* first: a pointer to it is one to the recording */
    struct lattice lattice;    /* which row holds which knob values */
    int columns;               /* time columns read */
    struct workload *workload; /* [columns] */
    double *time_us;           /* [rows][columns] */
    double *noise;             /* [rows][columns] relative; NULL: there is no NAME_sd */
    uint8_t *why;              /* [rows] 0: legal; else reason[why - 1] */
    struct text *reason;       /* [reasons] the first is "not recorded" where rows are missing */
    int reasons;
    bool matmul; /* the knobs are the matmul's seven, and can be */
    bool shapes; /* the table says the shape of each column */
};

/* Reads the table in the file into a zeroed recording, as recorded_open promises, and fills in all but the device's
 * space and functions. On failure writes one line to error[n] and returns false; what was filled in is to be freed by
 * recorded_close either way. */
bool recording_read(struct recording *r, const char *path, const char *column, char *error, size_t n);

#endif

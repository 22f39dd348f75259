/* trial_line.h - what the lines of a log say: one JSON object each, written the same way by every machine.
 *
 * The first line says which run it is: the program and its version, the device, the spaces, the tunings. Every other
 * line is a trial, here broken in two:
 *
 *     {"tuning":3,"workload":"square","repeat":0,"seed":0,"trial":17,"config":[64,128,32,2,2,8,1],
 *      "measured_us":471.25,"seconds":1.047125,"error":null}
 *
 * A trial that failed has "measured_us":null, and its reason in English as "error". Numbers have as many digits as it
 * takes to read back the same bits. A space has a hash of all that it is: knobs, values, legality. */
#ifndef TRIAL_LINE_H
#define TRIAL_LINE_H

#include "tuner.h"
#include <stdio.h>

struct trial_source {
    const char *program, *version; /* whose run it is */
    const char *device;            /* the name of the tunings' device */
};

/* The first line, without its end; so are all lines here. */
void trial_line_put_header(FILE *out, struct trial_source source, size_t count, const struct tuning *tunings);

/* The line of trial number `at` of tuning number i, which is t. */
void trial_line_put(FILE *out, size_t i, const struct tuning *t, size_t at, const struct trial *trial);

/* The trial that such a line holds. Returns false, with one line in error, if this program would not have written it,
 * down to the last digit: another trial, an unknown key, a value that the knob has not, text behind a number. */
bool trial_line_take(const char *line, size_t i, const struct tuning *t, size_t at, struct trial *trial, char *error,
                     size_t n);

/* True if the lines are the same, else error says where they first differ: found "seed":1; expected "seed":0 */
bool trial_line_same(const char *line, const char *expected, char *error, size_t n);

#endif

/* trial_line.h - trial_log.c's own: a log's lines as new strings, without their ends. */
#ifndef TRIAL_LINE_H
#define TRIAL_LINE_H

#include "trial_log.h"

/* The first line. A space that tunings share is written once. */
char *trial_header(struct trial_source source, size_t count, const struct tuning *tunings);

/* Tuning i's trial number `at`; trial NULL: only the beginning, which is known before it is measured. */
char *trial_line(size_t i, const struct tuning *tuning, size_t at, const struct trial *trial);

#endif

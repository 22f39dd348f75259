/* trial_log.h - a run's measurements in a file, so that an interrupted run goes on where it stopped (TVM's users ask
 * for it: apache/tvm issues 2560, 7725).
 *
 * A log is lines of JSON. The first says which run it is: program and version, device, spaces (each with a hash of its
 * knobs, values and legality), tunings. Then a line a trial, the tunings one after another; here broken in two:
 *
 *     {"tuning":3,"workload":"square","repeat":0,"seed":0,"trial":17,"config":[64,128,32,2,2,8,1],
 *      "measured_us":471.25,"seconds":1.047125,"error":null}
 *
 * One that failed has "measured_us":null, and its reason in English as "error". Numbers read back to the same bits.
 *
 * A run that resumes replays what the log holds and measures the rest; then log and tables are byte for byte those of
 * an uninterrupted run, for random numbers are drawn by what a tuning is and by a trial's number, never by what ran
 * before. Every batch is flushed before its strategy is told. What is wrong with the file ends the program with one
 * line, "file:line: what was found; what is expected", and leaves it as it was. One run at a time may have it open. */
#ifndef TRIAL_LOG_H
#define TRIAL_LOG_H

#include "tuning.h"

struct trial_source {
    const char *program, *version;   /* whose run it is */
    const char *device;              /* the name of the tunings' device */
    const struct device_word *about; /* what a live one says of itself; NULL: it is none */
    int part, parts;                 /* runs every parts-th repeat alone, from the part-th on; 0: all */
    const char *merge;               /* logs of parts, joined by commas (text_take_file), that a new log begins with; NULL: none */
};

struct trial_log;

/* Prepares a run of these tunings, in this order; keeps path and tunings by reference and sets their replay.
 *
 * resume false: starts a new file. One that holds anything is refused; a device or a pipe is not. With source.merge it
 * begins with what the logs of parts hold, and is in the end byte for byte the log of one run. Of the same trial in
 * two of them the second is refused.
 *
 * resume true: goes on with an earlier one; tuning[i].replay.count says how much of it is done. A last line without
 * its end is dropped, with a word on stderr. Any other line that this program would not have written there, down to
 * the last digit, is refused. What the first line does not tell, a strategy's settings or the inside of a device,
 * must not change under one version. */
struct trial_log *trial_log_open(const char *path, bool resume, struct trial_source source, size_t count,
                                 struct tuning *tunings);

/* Whether a tuning belongs to the part that is run. The others' traces stay empty. */
bool trial_log_runs(struct trial_source source, const struct tuning *tuning);

/* The running tuning's next trial: its line at once, before its batch is told. It is not written again. */
void trial_log_row(struct trial_log *log, const int *values, const struct measurement *result);

/* Runs the tunings one after another, writes down what is new and closes the log; they keep their traces, not their
 * replay. progress (may be NULL) is called with how many are done. Dies if the file cannot be written, if another cut,
 * wrote or deleted it meanwhile, or if a strategy does not ask for what the log holds. */
void trial_log_run(struct trial_log *log, void (*progress)(void *context, size_t done, size_t total), void *context);

#endif

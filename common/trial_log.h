/* trial_log.h - a run's measurements in a file, so that an interrupted run goes on where it stopped.
 *
 * A log is lines of JSON. The first says which run it is: the program and its version, the device, the spaces (each
 * with a hash of all that it is: knobs, values, legality), the tunings. Then a line a trial, the tunings one after
 * another; here broken in two:
 *
 *     {"tuning":3,"workload":"square","repeat":0,"seed":0,"trial":17,"config":[64,128,32,2,2,8,1],
 *      "measured_us":471.25,"seconds":1.047125,"error":null}
 *
 * A trial that failed has "measured_us":null, and its reason in English as "error". Numbers have as many digits as it
 * takes to read back the same bits.
 *
 * A run that resumes replays what the log holds and measures the rest; then the log, and all that is computed from
 * the traces, is byte for byte what an uninterrupted run leaves. That works because random numbers are drawn by what
 * a tuning is and by a trial's number (tuning.h, measurer.h), never by what ran before. Every batch is flushed: what
 * a strategy was told is in the file when the program is killed. TVM's users ask for this (apache/tvm issues 2560,
 * 7725).
 *
 * Whatever is wrong with the file ends the program with one line, "file:line: what was found; what is expected", and
 * leaves it as it was. One run at a time may have it open. */
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

/* Prepares a run of these tunings, in this order; keeps path and tunings by reference and sets their replay. A
 * tuning's strategy must end as strategy.h promises: after its number of trials, or with the last legal
 * configuration.
 *
 * resume false: starts a new file. One that holds anything is refused; a device or a pipe is not.
 *
 * With source.merge, it begins with what the logs of parts hold, and is in the end byte for byte the log of one
 * run. Of the same trial in two of them the second is refused.
 *
 * resume true: goes on with an earlier one; tuning[i].replay.count then says how much of it is done. A last line
 * without its end is dropped, with a word on stderr. Refused: a first line that is not these tunings', a trial
 * that is missing, out of order or one too many, and any other line that this program would not have written, down
 * to the last digit. What the first line does not tell, a strategy's settings or the inside of a device, must not
 * change under one version. */
struct trial_log *trial_log_open(const char *path, bool resume, struct trial_source source, size_t count,
                                 struct tuning *tunings);

/* Whether a tuning belongs to the part that is run. The others are planned, so that the logs of all parts begin
 * alike, and their traces stay empty. */
bool trial_log_runs(struct trial_source source, const struct tuning *tuning);

/* A trial of the running tuning, the next one's: a line of its own at once, before its batch is told. What is
 * written so is not written again. */
void trial_log_row(struct trial_log *log, const int *values, const struct measurement *result);

/* Runs the tunings one after another, writes down what is new and closes the log; they keep their traces, not their
 * replay. progress (may be NULL) is called with how many are done. Ends the program if the file cannot be written, if
 * another cut, wrote or deleted it meanwhile, or if the strategy does not ask for what the log holds: it is of
 * another version of this program. */
void trial_log_run(struct trial_log *log, void (*progress)(void *context, size_t done, size_t total), void *context);

#endif

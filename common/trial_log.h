/* trial_log.h - a run's measurements in a file, so that an interrupted run goes on where it stopped.
 *
 * A log is a line that says which run it is, then one line a trial (trial_line.h), the tunings one after another. A
 * run that resumes replays what the log holds and measures the rest; then the log, and all that is computed from the
 * traces, is byte for byte what an uninterrupted run leaves. That works because random numbers are drawn by what a
 * tuning is and by a trial's number (tuner.h, measurer.h), never by what ran before.
 *
 * Every batch is flushed: what a strategy was told is in the file when the program is killed. (A machine that loses
 * its power may lose more, but again only the file's end.) TVM's users ask for this: its log does not say whether it
 * is complete, and a run that was interrupted starts anew (apache/tvm issues 2560, 7725). */
#ifndef TRIAL_LOG_H
#define TRIAL_LOG_H

#include "trial_line.h"

struct trial_log;

/* Both prepare a run of these tunings, in this order. The log takes over their replay, replayed, after_batch and
 * listener; it keeps path, tunings and error by reference. On failure they leave file and tunings as they are, write
 * one line to error[n], "file:line: what was found; what is expected", and return NULL. A tuning's strategy must end
 * as strategy.h promises: after its number of trials, or with the last legal configuration.
 *
 * create starts a new file. One that exists is refused, unless it is a device or a pipe.
 *
 * resume goes on with an earlier one; tuning[i].replayed then says how much of it is done. A last line that was cut
 * off is dropped from the file, with a word on stderr. Refused: a first line that is not these tunings', a trial that
 * is missing, out of order or one too many, and any other line that this program would not have written. What the
 * first line does not tell, a strategy's settings or the inside of a device, must not change under one version. */
struct trial_log *trial_log_create(const char *path, struct trial_source source, size_t count, struct tuning *tunings,
                                   char *error, size_t n);
struct trial_log *trial_log_resume(const char *path, struct trial_source source, size_t count, struct tuning *tunings,
                                   char *error, size_t n);

/* Runs the tunings one after another and writes down what is new; once only. progress (may be NULL) is called with
 * how many are done. Returns false, with one line in error, after the tuning in which the file could not be written
 * (what is in it can be resumed) or in which the strategy did not ask for what the log holds: then the log is of
 * another version of this program, and nothing was added to it. The traces are the caller's to free either way. */
bool trial_log_run(struct trial_log *log, void (*progress)(void *context, size_t done, size_t total), void *context);

void trial_log_close(struct trial_log *log); /* the tunings keep their traces, not their replay; NULL is fine */

#endif

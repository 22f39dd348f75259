/* live.h - a command as a device: each trial is compiled, verified and timed by it, now.
 *
 * It reads questions from stdin and answers on stdout, in lines that are flushed one by one; fields are joined by
 * commas, names are letters, digits and _ . + -. Its chatter goes to stderr. When stdin ends, so does it, with
 * status 0.
 *
 *     Space               lines key=value: device, compiler, flags, kernel, workload (a name; of a matrix product
 *                         with MxNxK behind it), any other; then a line a knob, NAME:v1,v2,... (integers,
 *                         ascending); then an empty line
 *     Check 2             a question's rows: the knobs' names, then two configurations. Answered by
 *     MR,NR,KC            MR,NR,KC,invalidity
 *     6,16,256            6,16,256,correct
 *     96,96,256           96,96,256,constraints           what its own rules exclude, before anything is built: of a
 *                                                         space of up to LIVE_CHECKED all at the start, of a
 *                                                         larger one those that are new in a batch
 *     Request 2           to be measured, none that is excluded. Answered by
 *     MR,NR,KC            MR,NR,KC,time_us,sd_us,compile_s,invalidity
 *     6,16,256            building 6,16,256
 *     8,24,256            running 6,16,256
 *                         6,16,256,4481.2,12.1,0.31,correct
 *                         building 8,24,256
 *                         8,24,256,,,0.02,compile
 *
 * Rows of an answer repeat their configuration and may come in any order. `building` and `running`, each at most
 * once, say when its limits begin. time_us is the mean or median of one trial's runs, sd_us that number's standard
 * error, compile_s the seconds that building took. Invalidity is correct, or why there is no time: constraints,
 * compile, runtime, timeout, correctness. A failure costs its trial and is no number.
 *
 * A configuration is measured once in a run; who asks again is told the same. There are no true times: time_us
 * says what was measured, device_optimum what is the best of that. */
#ifndef LIVE_H
#define LIVE_H

#include "device/device.h"

enum { LIVE_CHECKED = 100000 };
struct live_settings {          /* what is 0 has its default */
    double compile_s, run_s;    /* limits of a configuration; 60 */
    int workers;                /* so many of the command, with WORKER=0 … in their environment; 1 */
    const char *record;         /* a new file for what is measured, in the form of recorded.h; none */
};

/* Starts the command (sh -c). Dies with one line if it does not answer as above, then or later. A command that
 * ends is started again and the row tried once more, alone; one that is over a limit is ended, with all of its
 * process group (process.h). Call it before threads start. */
struct device *live_open(const char *command, struct live_settings settings);

#endif

/* program.h - what all programs have in common: read the command line, run the demos, print what was published. A
 * demo includes tuning.h for what it computes and this for what it shows. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "report/curves.h"
#include "report/facts.h"
#include "report/figure.h"
#include "report/options.h"
#include "report/report.h"
#include "report/table.h"

enum { PROGRAM_LEFT_OUT = 32 };
struct program;
struct run { /* what a demo is given */
    const struct program *program;
    const struct options *options;
    struct report *report;
    struct facts *facts;
    const char *figures; /* where they go; NULL: nowhere (figure_folder) */
    const struct device *device;
    void *shared; /* what the demos of a program hand to each other; made at first use, freed by its main */

    /* program_workloads' own: the shapes that it has called missing. */
    int left_out;
    const char *left_out_id[PROGRAM_LEFT_OUT];

    /* Of a live device: how many trials are to be asked for, and were; when the first was; the log that takes each
     * as it comes (NULL: none). program_live sets the first and the last. */
    size_t trials, came;
    double began_s;
    struct trial_log *log;
    bool introduced; /* the device has said what it is */
};

struct demo {
    struct text title;
    const char *section; /* of the lecture: "§2.1" */
    void (*show)(struct run *run);
};

struct program {
    int number;       /* 1 … 5; 6: the claims; 7: the exercises */
    const char *name; /* "01_landscape" */
    int demos, on_request; /* its last so many demos take long: only --demo runs them */
    const struct demo *demo;
    const struct fact *const *published; /* lists of rows, ended by NULL; NULL: nothing was */
    const char *live; /* "23": only demos 2 and 3 are shown where nothing is known but what was measured; NULL: none */
    struct text label;                   /* what they are called; {0}: demos */

    /* Answers another question than the demos do (--explain); false: it was not asked. NULL: there is none. */
    bool (*instead)(struct run *run);
    void (*finish)(struct run *run); /* frees run->shared; NULL: there is none */
};

/* Shows the demo of that number under its heading; on a live device where it cannot says that it is passed over. */
void program_show(struct run *run, int number);

/* main() of a program. Returns the exit status: 0, or 2 if stdout could not be written. */
int program_main(const struct program *program, int argc, char **argv);

/* The strategies of the list, ended by NULL, that --strategies names, else those of `fallback`, as variants
 * [PROGRAM_STRATEGIES] with their titles; returns how many. A name that is not in the list ends the program. */
enum { PROGRAM_STRATEGIES = 32 };
int program_strategies(const struct run *run, const struct strategy *const *list, const char *fallback,
                       struct variant *variants);

/* The shapes of these ids, as the device has them (device_find); returns how many are there. Says in one line which
 * are left out, those that are not recorded, of each once a program; ids are kept by reference. */
int program_workloads(struct run *run, int count, const char *const *ids, struct workload *out);

/* The one shape that a demo looks at: --shape's, else this id's, else the device's first. A --shape that is none, or
 * was not recorded, ends the program with one line and exit status 2. */
struct workload program_shape(struct run *run, const char *id);

/* A live device's trials are about to begin, so many, and go to the log (NULL: none) one by one: how many is
 * said on stderr, after the first batch how long they will take, and then progress. Of another device: nothing. */
void program_live(struct run *run, size_t trials, struct trial_log *log);

/* For a demo that only HypoGPU can show: true there; else says in one line that it is passed over. */
bool program_needs_hypogpu(struct run *run);

/* For a demo that only a matrix product with the lecture's knobs can show: the same. */
bool program_needs_matmul(struct run *run);

/* A wall-clock remark, printf-style, on stderr behind a ⏱; nothing with --quiet or --facts. */
void program_clock(const struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Progress on stderr: only on a terminal, only half a second after the program's first call; nothing with --quiet.
 * done == total ends the line. One thread at a time may call it. */
void program_progress(const struct run *run, struct text what, size_t done, size_t total);

/* The same for tunings, in the form that experiments call: `run` is a struct run. */
void program_tuning_progress(void *run, size_t done, size_t total);

int program_repeats(const struct run *run); /* --repeats, or 5 */

/* An experiment as most demos describe it: on the run's device with its seed, --batch or 64, program_repeats. */
struct experiment program_experiment(const struct run *run, const char *name, int workloads,
                                     const struct workload *workload, int variants, const struct variant *variant,
                                     size_t trials);

#endif

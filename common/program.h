/* program.h - what the five programs have in common: read the command line, run the demos, print what was published. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "device.h"
#include "facts.h"
#include "figure.h"
#include "options.h"

struct run {                            /* what a demo is given */
    const struct options *options;
    struct report *report;
    struct facts *facts;
    struct figures figures;
    const struct device *device;
};

struct demo {
    struct text title;
    const char *section;                /* of the lecture: "§2.1" */
    void (*show)(struct run *run);
};

struct program {
    int number;                         /* 1 … 5 */
    const char *name;                   /* "01_landscape" */
    int demos;
    const struct demo *demo;
    struct text label;                  /* what they are called; {0}: demos */
    bool (*instead)(struct run *run);   /* answers another question than the demos (--explain); false: not asked. NULL: none */
};

/* main() of a program. Returns the exit status: 0, or 2 if stdout could not be written. */
int program_main(const struct program *program, int argc, char **argv);

/* A wall-clock remark, printf-style, on stderr behind a ⏱; nothing with --quiet. */
void program_clock(const struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Progress on stderr: only on a terminal, only once a run has lasted over half a second. done == total ends the line. */
void program_progress(const struct run *run, struct text what, size_t done, size_t total);

#endif

/* options.h - the command line, the same for all five programs. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "report/report.h"
#include <stdint.h>

#define OPTIONS_VERSION "1.1.0" /* of the programs; a trial log is of one version */

enum { OPTIONS_MAX_DEMOS = 16 };

struct options {
    bool demo[OPTIONS_MAX_DEMOS + 1]; /* [1 … demos] which to run */
    bool all_demos;                   /* none was named: a default run, which ends with "Published and here" */
    int lang, format;                 /* enum lang, enum format */
    const char *figures;              /* folder for gnuplot scripts; NULL: none */
    bool plot_terminal;               /* draw them in the terminal */
    const char *device;               /* "hypogpu", FILE[:COLUMN] or run:COMMAND; and of a live one: */
    double timeout_s[2];              /* limits of building and of running; 0: the default */
    int workers;                      /* 0: 1 */
    const char *record;               /* file for what is measured; NULL: none */
    int repeats, trials;              /* 0: the demo's own */
    int batch, finalists;             /* 02, 05: measurements between two tells; 0: the demo's own. 02: --finalists */
    int unit;                         /* --unit: 04's measurements a unit; 0: 64 */
    uint64_t seed;
    int jobs;   /* threads; 0: as many as there are cores */
    bool facts; /* print only id<TAB>value */
    int color;  /* whether headings are in bold */
    bool quiet, verbose, help, version;
    const char *shape;        /* --shape MxNxK or a shape's name; NULL: not given. program_shape finds it */
    const char *strategies;   /* --strategies a,b (program_strategies); NULL: the demo's own */
    const char *log, *resume; /* files of trials; NULL: none. Both: resume's, joined by commas, merge into log */
    int part[2];              /* --part K/N: 02 runs every N-th repeat, from the K-th on; 0: all */
    const char *explain;      /* --explain: knob values; NULL: not asked */
    bool nests;               /* --nests: 03's demo 1 shows all loop nests */
    bool why;                 /* --why: 04's demo 2 shows both terms of the gradient at every pick */
    const char *policy;       /* --policy: the same of this policy alone; NULL: not given */
};

/* Reads argv for the program of this number (1 … 7) with so many demos, as in program.h, and sets the language. --help
 * and --version print and exit 0; bad usage prints one line that says what was wrong and what is allowed, and exits 2.
 * So does an option that would change nothing: which demos each counts in stands in the table of options.c. */
struct options options_parse(int program, const char *name, int demos, int on_request, int argc, char **argv);

#endif

/* workers.h - live.c's own: one command, run once or several times side by side, and what it says of
 * configurations. */
#ifndef WORKERS_H
#define WORKERS_H

#include "space/space.h"

/* The words of a device's last field; but for CORRECT, reasons of its space. */
enum outcome { CORRECT, CONSTRAINTS, COMPILE, RUNTIME, TIMEOUT, CORRECTNESS };
enum { OUTCOMES = CORRECTNESS };
extern const struct text outcome_text[OUTCOMES]; /* [outcome - 1] */

struct row { /* a configuration that was asked for */
    uint32_t config;
    enum { WAITING, ASKED, BUILDING, RUNNING, ANSWERED } state;
    enum outcome outcome;
    double time_us, sd_us, compile_s; /* NAN: there is none */
    double seconds;                   /* what it cost */

    /* While it is asked: which worker, since when it is in that state; whether the worker ended at it, so that it
     * is asked for once more, alone. */
    int worker;
    double since;
    bool alone;
};

struct rows { /* all that were, in the order in which they were asked for first */
    const struct space *space;
    size_t count, room;
    struct row *row;
    uint32_t *place; /* [space->size] its number among them, from 1; 0: none */
};
struct row *rows_find(const struct rows *rows, uint32_t config); /* NULL: not yet asked for */
struct row *rows_add(struct rows *rows, uint32_t config);

/* Starts `count` of the command, and asks for their space. Limits are in seconds: without a word while it builds, or
 * neither builds nor runs; while one configuration runs. */
struct workers *workers_open(const char *command, int count, double compile_s, double run_s);
void workers_close(struct workers *workers);

/* What they answered: lines key=value, then knobs, then an empty one. Dies if it is not the same of all, now or after
 * a new start. */
const char *workers_about(const struct workers *workers);
void workers_refuse(const struct workers *workers, const char *line, const char *expected)
    __attribute__((noreturn)); /* dies: what was said is not what is expected */

/* Asks the first one which of n configurations its own rules exclude; none must stand there twice. verdict
 * [space->size]: an enum verdict each; these become ALLOWED or EXCLUDED. */
enum verdict { UNKNOWN, ASKED_FOR, ALLOWED, EXCLUDED };
void workers_check(struct workers *workers, const struct space *space, size_t n, const uint32_t *configs,
                   unsigned char *verdict);

/* Measures all rows from number `from` on. answered(context) is called whenever more of them are. One that ended
 * is started again, and what it was at is tried once more, alone. Dies if WORKERS_ENDS rows in turn ended it, and
 * it answered none of the batch. */
enum { WORKERS_ENDS = 5 };
void workers_measure(struct workers *workers, struct rows *rows, size_t from, void (*answered)(void *context),
                     void *context);

#endif

/* workers_own.h - what workers.c (each one's life and words) and batch.c (the rows among them) share. Not for others. */
#ifndef WORKERS_OWN_H
#define WORKERS_OWN_H

#include "device/dialogue.h"
#include "device/process.h"
#include "device/workers.h"

#define PATIENCE_S 0.2 /* for the status of a process that closed its stdout */

struct worker {
    struct process process;
    size_t left;  /* rows of its Request without an answer; 0: it has nothing to do */
    bool header;  /* the answer's first line has come */
    double heard; /* when it last said something, or was asked */
};

struct workers {
    const char *command;
    double compile_s, run_s;
    int count;
    struct worker *worker;  /* [count] */
    struct dialogue *talk;  /* [count] with each */
    char *about;            /* NULL: none has answered yet */
    int ends;               /* in turn, without an answer between them */
    size_t answers;         /* in this batch */
};

/* Another life for one whose process was ended; workers_replace ends it first. */
void workers_renew(struct workers *all, int i);
void workers_replace(struct workers *all, int i);

/* Asks worker i "Check" or "Request", the word, for n rows. */
void workers_ask(struct workers *all, int i, const char *word, const struct space *space, size_t n,
                 const uint32_t *configs);

/* "MR,NR,KC", and what an answer's first line has behind it; the caller's to free. */
char *workers_header(const struct space *space, const char *more);

/* The configuration that a text begins with, taken from it; false: there is none. */
bool workers_config(const struct space *space, char **text, uint32_t *config);

/* CORRECT or another outcome; -1: none of that name. */
int workers_outcome(const char *word);

#endif

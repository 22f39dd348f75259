/* facts.h - what the lecture and the second script publish, held against what a program found. Each row stands beside
 * the demo that computes it. After a default run a program prints its rows under "Published and here". */
#ifndef FACTS_H
#define FACTS_H

#include "report/report.h"

enum fact_kind {
    FACT_EXACT,  /* arithmetic */
    FACT_MODEL,  /* a deterministic property of HypoGPU */
    FACT_SEARCH, /* a seeded experiment */
    FACT_TIME    /* wall clock: no band, and never on stdout; the program says on stderr what it was */
};

/* The band is the reproduction's, not the lecture's: as wide as the last digit published, or as the spread of the
 * seeds of an experiment. */
struct fact {
    const char *id;      /* "cross.median"; NULL ends a list */
    const char *section; /* of the lecture; "s2": the second script */
    enum fact_kind kind;
    struct text lecture;    /* as published */
    const char *low, *high; /* the band, ends included; high empty: the value must be the text low (or FACT_TIME) */
    struct text what;
    struct text why; /* for those that do not come out: why not; {0} for the others */
};

struct facts { /* a program's rows, in the order of its lists */
    int count;
    struct found {
        const struct fact *fact;
        char value[40]; /* what this run found, as printed; empty: not looked at */
    } *row;
};

/* lists: ended by NULL; NULL: there are none. */
struct facts facts_new(const struct fact *const *lists);
void facts_free(struct facts *facts);

/* Records what was found, as it will be printed. The id must be in a list (else the program aborts). */
void facts_number(struct facts *facts, const char *id, double value, int decimals);
void facts_text(struct facts *facts, const char *id, const char *value);

/* Whether `value` lies in the fact's band. It judges the printed digits, so that mark and number never disagree. */
bool facts_inside(const struct fact *fact, const char *value);

/* The table "Published and here", and why some rows do not come out. */
void facts_report(const struct facts *facts, struct report *report);

/* One line "id<TAB>value" for each row that was looked at, wall-clock times left out. */
void facts_list(const struct facts *facts, FILE *out);

#endif

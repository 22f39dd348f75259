/* facts.h - every value that the lecture and the second script publish, the band inside which we count it reproduced,
 * and what a program found. After a default run a program prints its rows under "Published and here". */
#ifndef FACTS_H
#define FACTS_H

#include "report/report.h"

enum fact_kind {
    FACT_EXACT,  /* arithmetic */
    FACT_MODEL,  /* a deterministic property of HypoGPU */
    FACT_SEARCH, /* a seeded experiment */
    FACT_TIME    /* wall clock: no band, and never on stdout; the program says on stderr what it was */
};

struct fact {
    const char *id;      /* "cross.median" */
    int program;         /* 1 … 5: which program reproduces it */
    const char *section; /* of the lecture; "s2": the second script */
    enum fact_kind kind;
    struct text lecture;    /* as published */
    const char *low, *high; /* the band, ends included; high empty: the value must be the text low (or FACT_TIME) */
    struct text what;
    struct text why; /* for those that do not come out: why not; {0} for the others */
};
extern const struct fact facts_published[];
extern const int facts_count;

struct facts {
    char (*value)[40]; /* [facts_count] what this run found, as printed; empty: not looked at */
};

struct facts facts_new(void);
void facts_free(struct facts *facts);

/* Records what was found, as it will be printed. The id must be in the table (else the program aborts). */
void facts_number(struct facts *facts, const char *id, double value, int decimals);
void facts_text(struct facts *facts, const char *id, const char *value);

/* Whether `value` lies in the fact's band. It judges the printed digits, so that mark and number never disagree. */
bool facts_inside(const struct fact *fact, const char *value);

/* The table "Published and here" with the rows of one program. */
void facts_report(const struct facts *facts, int program, struct report *report);

/* One line "id<TAB>value" for each row of the program that was looked at, wall-clock times left out. */
void facts_list(const struct facts *facts, int program, FILE *out);

#endif

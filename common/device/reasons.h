/* reasons.h - recorded.c's own: why there is no time. The words of all files, each once, numbered from 1. */
#ifndef REASONS_H
#define REASONS_H

#include "device/recorded.h"

#define REASON_ILLEGAL "illegal"
#define REASON_NOT_RECORDED "not recorded"

struct reasons {
    int count;
    struct text text[RECORDED_MAX_REASONS];
};

/* The number of a word; 0: there are too many. A new one is added, as it is shown; kept by reference. */
int reasons_number(struct reasons *reasons, char *word);

#endif

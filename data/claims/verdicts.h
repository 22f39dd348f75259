/* verdicts.h - whether claims hold on devices, each by a condition that is stated beside it: said and shown. */
#ifndef VERDICTS_H
#define VERDICTS_H

#include "base/text.h"
#include "report/report.h"
#include <stdbool.h>

struct claim {
    struct text says, condition; /* condition: what is shown, and when it holds (and when in part) */
};
enum verdict { FAILS, IN_PART, HOLDS, UNKNOWN };
struct judged { /* a claim on one device */
    enum verdict verdict;
    char shown[64];
};
struct judged judged(bool holds, bool in_part, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Adds words to what is shown. */
void judged_add(struct judged *j, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum verdicts { VERDICT_WORDS, VERDICT_MARKS }; /* of the last device, in a column; of each, before what is shown */
/* A table of judged [devices][claims] under the devices' names, then one of the conditions. Captions may be NULL. */
void verdicts_show(struct report *report, int claims, const struct claim *claim, int devices,
                   const char *const *name, const struct judged *judged, enum verdicts as, const char *caption,
                   const char *conditions);

#endif

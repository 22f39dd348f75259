/* shortlist.h - the best few of many candidates, best first, of equal scores the lowest index first. */
#ifndef SHORTLIST_H
#define SHORTLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct candidate {
    uint32_t config;
    double score;
}; /* score: higher = better */

struct shortlist { /* start with {0} */
    size_t count, room;
    struct candidate *best; /* [room] the first `count` are filled */
};

/* Empties the list and gives it room for so many. */
void shortlist_clear(struct shortlist *list, size_t room);
void shortlist_free(struct shortlist *list);

/* Whether shortlist_admit might let in a candidate of this score: one look at the worst turns nearly all away. */
static inline bool shortlist_may_admit(const struct shortlist *list, double score)
{
    return list->count < list->room || (list->room > 0 && score >= list->best[list->count - 1].score);
}

/* Lets a candidate in if it is good enough and not there yet; the worst falls out of a full list. Within one list a
 * configuration must always come with the same score. Returns whether it was let in. */
bool shortlist_admit(struct shortlist *list, uint32_t config, double score);

#endif

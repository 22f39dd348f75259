/* shortlist.c - sorted by insertion: few of many candidates get past one look at the worst. */
#include "search/shortlist.h"
#include "base/xalloc.h"
#include <stdlib.h>
#include <string.h>

void shortlist_clear(struct shortlist *list, size_t room)
{
    if (room > list->room)
        list->best = xrealloc(list->best, room, sizeof *list->best);
    list->room = room;
    list->count = 0;
}

void shortlist_free(struct shortlist *list) { free(list->best); }

static bool is_better(struct candidate a, struct candidate b)
{
    return a.score > b.score || (a.score == b.score && a.config < b.config);
}

bool shortlist_admit(struct shortlist *list, uint32_t config, double score)
{
    struct candidate new = { config, score };
    size_t at = list->count;
    while (at > 0 && is_better(new, list->best[at - 1]))
        at--; /* its equal, if it is there, stands right before this place */
    if (at == list->room || (at > 0 && list->best[at - 1].config == config))
        return false;
    list->count += list->count < list->room;
    memmove(&list->best[at + 1], &list->best[at], (list->count - 1 - at) * sizeof new);
    list->best[at] = new;
    return true;
}

/* look.c - who is listed, and who takes what is left. */
#include "report/look.h"
#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { LOOKS = 8 }; /* linetypes of style.gp */
static const struct {
    const char *name;
    int look;
} named[] = {
    { "AutoTVM", 1 },
    { "program features", 1 },
    { "18 program features", 1 },
    { "intensity within 4x", 1 },
    { "buckets", 1 },
    { "the bucket's", 1 },
    { "rank", 1 },
    { "Ansor", 2 },
    { "all alike", 2 },
    { "guided by the ridge", 2 },
    { "measure 3", 2 },
    { "Random", 3 },
    { "no transfer", 3 },
    { "M = 16's optimum", 3 },
    { "Genetic", 4 },
    { "evolution of the best few", 4 },
    { "knob features", 4 },
    { "knobs", 4 },
    { "round robin", 4 },
    { "squared", 4 },
    { "best of them", 4 },
    { "Grid", 5 },
    { "Beam search", 6 },
    { "Triton's list", 7 },
};

/* Bytes of a name that say who it is: "Ansor (full)" and "Ansor, 5 %" are Ansor. */
static size_t who(const char *name)
{
    size_t n = strcspn(name, ",:(");
    while (n > 0 && name[n - 1] == ' ')
        n--;
    return n;
}

static bool same_who(const char *a, const char *b) { return who(a) == who(b) && !strncasecmp(a, b, who(a)); }

void look_find(size_t count, const struct text *name, int *look)
{
    static const int orders[2][LOOKS] = { { 1, 2, 3, 4, 5, 6, 7, 8 }, { 7, 8, 6, 5, 4, 3, 2, 1 } };
    bool taken[LOOKS + 1] = { false }, known = false;
    for (size_t i = 0; i < count; i++) {
        look[i] = 0;
        for (size_t k = 0; k < sizeof named / sizeof *named; k++)
            look[i] = same_who(name[i].en, named[k].name) ? named[k].look : look[i];
        taken[look[i]] = true;
        known |= look[i] > 0;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i && !look[i]; k++)
            look[i] = same_who(name[i].en, name[k].en) ? look[k] : 0;
        for (int k = 0; k < LOOKS && !look[i]; k++) /* beside those who are listed, not what is theirs */
            look[i] = taken[orders[known][k]] ? 0 : orders[known][k];
        look[i] = look[i] ? look[i] : LOOKS;
        taken[look[i]] = true;
    }
}

/* solution.c - one answer to assignments/strategy: asks for neighbours, in one knob, of the ten best measured so far, and at
 * random where those are all known. FAULT=1 … 5 breaks one promise each. */
#include "tuning.h"
#include "search/unseen.h"
#include <stdlib.h>

#ifndef FAULT
#define FAULT 0
#endif

enum { ELITE = 10 };

struct mine {
    const struct space *space;
    struct unseen unseen;
    struct rng rng;
    struct {
        uint32_t config;
        double us;
    } elite[ELITE]; /* the best, ascending */
    int known;      /* how many there are */
};

static void *mine_open(const struct task *task, uint64_t seed, const void *settings)
{
    static uint64_t opened;
    (void)settings;
    struct mine *mine = xalloc(1, sizeof *mine);
    *mine = (struct mine){ task->space, unseen_new(task->space), rng_stream(seed, "mine", 0), { { 0 } }, 0 };
    if (FAULT == 5)
        mine->rng = rng_stream(seed, "mine", opened++);
    return mine;
}

static size_t mine_ask(void *self, size_t want, uint32_t *configs)
{
    struct mine *mine = self;
    size_t n = 0;
    for (size_t tries = 0; n < want && tries < 8 * want && mine->known; tries++) {
        uint32_t parent = mine->elite[rng_below(&mine->rng, (uint32_t)mine->known)].config;
        uint32_t next = space_random_neighbour(mine->space, parent, ANY_VALUE, &mine->rng);
        if (unseen_has(&mine->unseen, next)) {
            unseen_take(&mine->unseen, next);
            configs[n++] = next;
        }
    }
    n += unseen_draw_many(&mine->unseen, want - n, configs + n, &mine->rng);
    if (FAULT == 1 && n > 0)
        configs[0] = mine->space->size;
    if (FAULT == 2 && n > 1)
        configs[1] = configs[0];
    if (FAULT == 3)
        configs[n++] = configs[0];
    return FAULT == 4 && mine->unseen.left < 9 ? 0 : n;
}

static void mine_tell(void *self, size_t n, const uint32_t *configs, const struct measurement *results)
{
    struct mine *mine = self;
    for (size_t i = 0; i < n; i++) {
        int at = mine->known < ELITE ? mine->known++ : ELITE; /* the last falls out */
        for (; at > 0 && results[i].time_us < mine->elite[at - 1].us; at--)
            if (at < ELITE)
                mine->elite[at] = mine->elite[at - 1];
        if (at < ELITE) {
            mine->elite[at].config = configs[i];
            mine->elite[at].us = results[i].time_us;
        }
    }
}

static void mine_close(void *self)
{
    struct mine *mine = self;
    unseen_free(&mine->unseen);
    free(mine);
}

const struct strategy strategy_mine = { "mine", { "Yours", "你的" }, mine_open, mine_ask, mine_tell, mine_close };

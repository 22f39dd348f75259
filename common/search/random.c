/* random.c - random search: legal configurations in random order, each equally likely to be next (lecture 1.3, 4.6).
 *
 * No settings. It learns nothing, yet it is the measure of every search: whoever learns must beat it. */
#include "search/strategies.h"
#include "search/unseen.h"
#include "base/xalloc.h"
#include <stdlib.h>

struct random_search {
    struct unseen unseen;
    struct rng rng;
};

static void *random_open(const struct task *task, uint64_t seed, const void *settings)
{
    (void)settings;
    struct random_search *search = xalloc(1, sizeof *search);
    *search = (struct random_search){ unseen_new(task->space), rng_stream(seed, "random", 0) };
    return search;
}

static size_t random_ask(void *self, size_t want, uint32_t *configs)
{
    struct random_search *search = self;
    return unseen_draw_many(&search->unseen, want, configs, &search->rng);
}

static void random_tell(void *self, size_t n, const uint32_t *configs, const struct measurement *results)
{
    (void)self, (void)n, (void)configs, (void)results;
}

static void random_close(void *self)
{
    struct random_search *search = self;
    unseen_free(&search->unseen);
    free(search);
}

const struct strategy strategy_random = {
    "random", { "Random", "随机" }, random_open, random_ask, random_tell, random_close,
};

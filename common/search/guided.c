/* guided.c - one opening, asking, telling and closing for all strategies that a cost model guides. */
#include "search/guided.h"
#include "base/xalloc.h"
#include <assert.h>
#include <stdlib.h>

void *guided_open(size_t size, guided_search *search, const struct task *task,
                  const struct cost_model_settings *model, double epsilon, uint64_t seed, const char *name)
{
    assert(epsilon >= 0.0 && epsilon <= 1.0);
    struct guided *g = xalloc(1, size);
    g->search = search;
    g->space = task->space;
    g->model = cost_model_new(task, model);
    g->unseen = unseen_new(task->space);
    g->rng = rng_stream(seed, name, 0);
    g->epsilon = epsilon;
    return g;
}

void guided_close(void *self)
{
    struct guided *g = self;
    shortlist_free(&g->promising);
    programs_free(&g->programs);
    unseen_free(&g->unseen);
    cost_model_free(g->model);
    free(g);
}

bool guided_consider(struct guided *g, size_t n, const uint32_t *configs, const double *score)
{
    bool news = false;
    for (size_t i = 0; i < n; i++)
        if (shortlist_may_admit(&g->promising, score[i]) && unseen_has(&g->unseen, configs[i]))
            news |= shortlist_admit(&g->promising, configs[i], score[i]);
    return news;
}

size_t guided_take(struct guided *g, size_t n, uint32_t *configs)
{
    size_t taken = 0;
    for (; taken < n && taken < g->promising.count; taken++) {
        configs[taken] = g->promising.best[taken].config;
        unseen_take(&g->unseen, configs[taken]);
    }
    return taken;
}

size_t guided_ask(void *self, size_t want, uint32_t *configs)
{
    struct guided *g = self;
    size_t n = 0;
    if (g->told - g->fitted >= g->fitted / 16) { /* TVM waits for a fifth, where it waits (adaptive training) */
        cost_model_fit(g->model);
        g->fitted = g->told;
    }
    if (cost_model_ready(g->model) && g->unseen.left > 0) {
        g->owed += g->epsilon * (double)want;
        size_t random = (size_t)g->owed; /* the fraction left over is drawn in a later batch */
        g->owed -= (double)random;
        n = g->search(self, want - random, configs);
    }
    if (g->programs.sketches > 0)
        return n + programs_draw_many(&g->programs, &g->unseen, want - n, configs + n, &g->rng);
    return n + unseen_draw_many(&g->unseen, want - n, configs + n, &g->rng);
}

void guided_tell(void *self, size_t n, const uint32_t *configs, const struct measurement *results)
{
    struct guided *g = self;
    cost_model_add(g->model, n, configs, results);
    g->told += n;
}

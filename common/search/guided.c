/* guided.c - one opening, asking, telling and closing for all strategies that a cost model guides. */
#include "search/guided.h"
#include <assert.h>

void guided_open(struct guided *g, const struct task *task, const struct cost_model_settings *model, double epsilon,
                 struct rng rng)
{
    assert(epsilon >= 0.0 && epsilon <= 1.0);
    *g = (struct guided){
        .space = task->space,
        .model = cost_model_new(task, model),
        .unseen = unseen_new(task->space),
        .rng = rng,
        .epsilon = epsilon,
    };
}

void guided_close(struct guided *g)
{
    shortlist_free(&g->promising);
    programs_free(&g->programs);
    unseen_free(&g->unseen);
    cost_model_free(g->model);
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

/* How many of the next `want` to draw at random; what is left over after rounding down is drawn in a later batch. */
static size_t random_share(struct guided *g, size_t want)
{
    g->owed += g->epsilon * (double)want;
    size_t random = (size_t)g->owed;
    g->owed -= (double)random;
    return random;
}

size_t guided_ask(void *self, guided_search *search, size_t want, uint32_t *configs)
{
    struct guided *g = self;
    size_t n = 0;
    cost_model_fit(g->model);
    if (cost_model_ready(g->model) && g->unseen.left > 0)
        n = search(self, want - random_share(g, want), configs);
    if (g->programs.sketches > 0)
        return n + programs_draw_many(&g->programs, &g->unseen, want - n, configs + n, &g->rng);
    return n + unseen_draw_many(&g->unseen, want - n, configs + n, &g->rng);
}

void guided_tell(void *self, size_t n, const uint32_t *configs, const struct measurement *results)
{
    cost_model_add(((struct guided *)self)->model, n, configs, results);
}

/* guided.h - what annealing, evolution and beam share (AutoTVM's Algorithm 1): results make a model, the model
 * guides a search, and a batch is the best unmeasured configurations that it finds and a share of random ones.
 *
 * A guided strategy's own struct begins with a struct guided, which so is its `self`. */
#ifndef GUIDED_H
#define GUIDED_H

#include "model/cost_model.h"
#include "search/programs.h"

struct guided {
    const struct space *space;
    struct cost_model *model;
    struct unseen unseen;
    struct programs programs;   /* random ones are drawn from these; {0}: from all legal configurations */
    struct shortlist promising; /* the best that the search has come across */
    struct rng rng;
    double epsilon; /* share of the measurements that is drawn at random, 0 … 1 … */
    double owed;    /* … and those due but not made yet, a fraction of one */
};

void guided_open(struct guided *guided, const struct task *task, const struct cost_model_settings *model,
                 double epsilon, struct rng rng);
void guided_close(struct guided *guided); /* frees programs, too */

/* Lets those candidates [n] that nobody measured into `promising`, if their scores are good enough for its room.
 * Returns whether any is new there. */
bool guided_consider(struct guided *guided, size_t n, const uint32_t *configs, const double *score);

/* Takes up to n of the promising, best first; returns how many. They must be unmeasured. */
size_t guided_take(struct guided *guided, size_t n, uint32_t *configs);

/* Fits the model and asks the search for all but the random ones: it takes up to n configurations that nobody
 * measured and returns how many. The rest, and all while the model has nothing to say, is random. */
typedef size_t guided_search(void *self, size_t n, uint32_t *configs);
size_t guided_ask(void *self, guided_search *search, size_t want, uint32_t *configs);

void guided_tell(void *self, size_t n, const uint32_t *configs, const struct measurement *results);

#endif

/* guided.h - what annealing, evolution and beam share (AutoTVM's Algorithm 1): results make a model, the model
 * guides a search, and a batch is the best unmeasured configurations that it finds and a share of random ones.
 *
 * A guided strategy's own struct begins with a struct guided, which so is its `self`; its ask is guided_ask. */
#ifndef GUIDED_H
#define GUIDED_H

#include "model/cost_model.h"
#include "search/programs.h"

/* A strategy's search by a fitted model: takes up to n configurations that nobody measured and returns how many. */
typedef size_t guided_search(void *self, size_t n, uint32_t *configs);

struct guided {
    guided_search *search;
    const struct space *space;
    struct cost_model *model;
    struct unseen unseen;
    struct programs programs;   /* random ones are drawn from these; {0}: from all legal configurations */
    struct shortlist promising; /* the best that the search has come across */
    struct rng rng;
    double epsilon; /* share of the measurements that is drawn at random, 0 … 1 … */
    double owed;    /* … and those due but not made yet, a fraction of one */
    size_t told, fitted; /* results so far, and at the last fit */
};

/* A strategy's struct of this size, zero but for its struct guided; rng: the stream of this name. */
void *guided_open(size_t size, guided_search *search, const struct task *task,
                  const struct cost_model_settings *model, double epsilon, uint64_t seed, const char *name);
void guided_close(void *self); /* frees programs and the strategy's struct, too */

/* Lets those candidates [n] that nobody measured into `promising`, if their scores are good enough for its room.
 * Returns whether any is new there. */
bool guided_consider(struct guided *guided, size_t n, const uint32_t *configs, const double *score);

/* Takes up to n of the promising, best first; returns how many. They must be unmeasured. */
size_t guided_take(struct guided *guided, size_t n, uint32_t *configs);

/* A strategy's ask: the search's finds and random ones; all are random while the model has nothing to say. */
size_t guided_ask(void *self, size_t want, uint32_t *configs);
void guided_tell(void *self, size_t n, const uint32_t *configs, const struct measurement *results);

#endif

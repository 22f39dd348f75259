/* strategies.h - every way of searching, each a struct strategy, and what can be set about it.
 *
 * Defaults are the lecture's and the papers'. Where a comment gives TVM's value beside another one, ours was chosen by
 * the trials to 95 % of the optimum, median of 120 repeats, on HypoGPU's square, decode and FFN down and the H200's
 * square and wgrad together (`make bench-search` reports all shapes). */
#ifndef STRATEGIES_H
#define STRATEGIES_H

#include "model/cost_model.h"
#include "search/strategy.h"

extern const struct strategy *const strategy_list[]; /* all of them; NULL ends the list */

extern const struct strategy strategy_grid, strategy_random; /* no settings */

/* ---- genetic: as TVM's ga_tuner.py, but for its generations and parents ----
 *
 * TVM breeds a generation of 100, parents in proportion to throughput. Ours draws parents by rank, as Kernel Tuner; it
 * learns after every ten results; and a child that was asked for before is bred anew, where Kernel Tuner, which
 * asks again for nothing, lets it pass. In batches of 8, without noise, trials to 95 % (200 repeats; in brackets with a
 * generation of 20, mutation 0.1 and random knobs instead of new parents): chosen on HypoGPU's square 157 (205),
 * decode 73 (99), FFN down 214 (238), the H200's square 146 (160), decode 58 (66); on the others 114 (153), 133 (186),
 * 118 (166), 114 (152), a convolution 77 (103), pnpoly 38 (50). A generation of 6 to 14 differs little. */

struct genetic_settings {
    int population;  /* 10   results that make a generation, >= 2 */
    int elites;      /* 3    the best of all earlier generations that stay parents, 0 … population */
    double mutation; /* 0.05 chance that a knob of a child gets a random value */
};
struct genetic_settings genetic_defaults(void);
extern const struct strategy strategy_genetic;

/* ---- annealing: AutoTVM (lecture 4.5) ----
 *
 * Each batch (guided.h): chains walk through the space by simulated annealing with the model's score as energy; the
 * best configurations that they were offered and nobody measured are taken. As the lecture: TVM steps to any value of a
 * knob and has no diversity (where it is switched on, coverage alone decides). Where the lecture is silent as TVM; but
 * a chain that is offered an illegal configuration stays, and negative scores are not dropped: a rank model has no
 * zero. After TVM's 500 steps all chains stand where the model is surest, and a batch asks one thing 64 times
 * (02_autotvm, demo 5). */
struct annealing_settings {
    struct cost_model_settings model;
    int chains;              /* 128  chains; they keep their places from batch to batch … */
    bool restart;            /* false … or begin anew */
    int steps;               /* 10   most steps of each chain a batch; the temperature falls from 1 to 0 */
    int first_steps;         /* 30   the same, before the first measurement: only with a global model */
    int patience;            /* 50   stop after so many steps without a new one among the best candidates */
    enum neighbourhood step; /* ADJACENT_VALUE */
    double epsilon;          /* 0.05 share of the measurements that is drawn at random, 0 … 1 */
    double diversity;        /* 2    lambda >= 1: a batch of b is picked from the best lambda b candidates, by
                                     score and coverage; 1: off. The paper tries 1, 2 and 4 */
    double coverage;         /* 1    what covering one more knob value is worth, in units of the score */
};
struct annealing_settings annealing_defaults(void);
extern const struct strategy strategy_annealing;

/* The probability of moving to a configuration whose predicted score is higher by delta (lecture 4.5, exercise 4):
 * 1 if delta >= 0, else e^(delta / temperature), 0 at temperature 0. */
double annealing_acceptance(double delta, double temperature);

/* ---- evolution: Ansor (lecture 5.6) ----
 *
 * Each batch (guided.h): a population of random programs and of the best measured ones; some generations, in which
 * parents are drawn in proportion to the throughput that the model predicts and have a child each, by mutation or by
 * crossover (programs.h); the best unmeasured programs that turned up are taken. TVM's code has no crossover and puts
 * the measured programs beside a full population of random ones. Lecture 5.7's "no fine-tuning" is
 * evolution_without_tuning(1280): the model picks the best of so many random programs a batch. */
struct evolution_settings {
    struct cost_model_settings model; /* cost_model_defaults with GBDT_WEIGHTED: fast programs count more */
    int population;   /* 1024 TVM's 2048 takes twice the time, and saves no shape a tenth of its trials; 512 is too few
                              for the H200's wgrad */
    int generations;  /* 4    children of children; 15 in the paper's own code. 0: the random ones must do */
    double measured;  /* 0.2  most of a population that is already measured, 0 … 1 */
    double mutation;  /* 0.85 chance that a child comes from mutation, not from crossover */
    double tile;      /* 0.9  chance that a mutation changes a tile size (on GPUs; TVM's rest is unrolling) */
    double epsilon;   /* 0.05 share of the measurements that are random programs, 0 … 1 */
};
struct evolution_settings evolution_defaults(void);
struct evolution_settings evolution_without_tuning(int candidates);
extern const struct strategy strategy_evolution;

/* Selection. sum [n] (may be score) = the scores up to each one, negative ones counted as 0; then a parent's place,
 * drawn in proportion to its score, or uniformly if no score is positive; n > 0. */
void evolution_fitness(size_t n, const double *score, double *sum);
size_t evolution_parent(size_t n, const double *sum, struct rng *rng);

/* ---- beam: sequential construction (lecture 5.1, 5.7) ----
 *
 * Each batch (guided.h): decide one knob after another, in every way, in each of the programs that were kept, and
 * keep the `width` best; again, if what is complete in the end is less than a batch. Programs and model are evolution's. */
struct beam_settings {
    struct cost_model_settings model;
    int width;        /* 32   the default of Halide's auto-scheduler; Ansor's paper names none */
    double epsilon;   /* 0.05 */
};
struct beam_settings beam_defaults(void);
extern const struct strategy strategy_beam;

/* The knob that is decided at a place, 0 … knobs - 1: in the lecture's order (5.5) SPLIT_K, BLOCK_M, BLOCK_N,
 * BLOCK_K, num_warps, num_stages, GROUP_M; in other spaces in the space's own. */
int beam_knob(const struct space *space, int decision);

/* An incomplete program as the model sees it: the first `decisions` of these knobs as in config, the others at their
 * smallest value, as if nothing had been transformed. It need not be legal. */
uint32_t beam_partial(const struct space *space, uint32_t config, int decisions);

/* The steps of a batch. The beam is guided->promising: at first the one program without decisions; each step takes one
 * more in all of them, in every way that leads to an unmeasured program of a sketch, and keeps the `width` best. */
struct guided;
void beam_start(struct guided *guided);
void beam_grow(struct guided *guided, int decision, size_t width);

#endif

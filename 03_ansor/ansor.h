/* ansor.h - the demos of 03_ansor, and what several of them need. */
#ifndef ANSOR_H
#define ANSOR_H

#include "search/programs.h"
#include "report/program.h"
#include "tuning.h"

extern const struct fact published_sketches[], published_annotate[], published_partial[], published_ablation[],
    published_three[];

void demo1_sketches(struct run *run);
void demo2_annotation(struct run *run);
void demo3_partial(struct run *run);
void demo4_ablation(struct run *run);
void demo5_three_ways(struct run *run);
void demo6_fine_tuning(struct run *run);
void demo7_misconceptions(struct run *run);

/* program_workloads for the demos that know what each of the kernel's seven knobs does. Of a recording of something
 * else, or without SPLIT_K 1, it says in one line that the demo is passed over and returns 0. */
int ansor_workloads(struct run *run, int count, const char *const *ids, struct workload *out);

/* The two shapes that most demos look at, the square and the weight gradient, as far as there are any. */
enum { ANSOR_PAIR = 2 };
int ansor_pair(struct run *run, struct workload *out);

/* How many programs the sketches of a shape have in all. */
size_t ansor_programs(const struct run *run, const struct workload *w);

/* The device's space without rfactor: SPLIT_K is 1. Free with space_free. */
struct space *ansor_template(const struct run *run);

/* Demo 4's runs, the two shapes by the four variants; tuned when first asked for. */
enum { ABLATION_FULL, ABLATION_BEAM, ABLATION_NO_TUNING, ABLATION_LIMITED, ABLATION_VARIANTS };
const struct experiment *ansor_parts(struct run *run);

/* What demo 4 has run, for who tunes the same (experiment_reuse); NULL: nothing yet. ansor_finish frees it. */
const struct experiment *ansor_made(const struct run *run);
void ansor_finish(struct run *run);

/* program_experiment, run but for what ansor_made has; --repeats and --trials replace the demo's own numbers. */
enum { ANSOR_BATCH = 64 };
struct experiment ansor_tune(struct run *run, int shapes, const struct workload *shape,
                             int variants, const struct variant *variant, int repeats, int trials);

/* chain.c, for demo 3: a beam of each width takes decision after decision, pruned by the model; left = the share of the
 * optimum, %, of the truly fastest program that is still in it after so many. best: chain_best's, to be freed. Then the
 * means of the repeats as a table. */
enum { CHAIN_WIDTHS = 5, CHAIN_KEPT = MATMUL_KNOBS + 1 };
double *chain_best(const struct device *device, const struct task *task);
void chain_walk(const struct task *task, struct cost_model *model, const double *best,
                double left[CHAIN_WIDTHS][CHAIN_KEPT]);
void chain_table(struct run *run, const struct workload *shape, int trained, int repeats,
                 double left[CHAIN_WIDTHS][CHAIN_KEPT]);

/* Whether this run may count as a reproduction: the lecture's GPU and its number of measurements. */
bool ansor_published(const struct run *run);

#endif

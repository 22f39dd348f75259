/* pool.h - the second script's pool, and the demos of 05_strategies. */
#ifndef POOL_H
#define POOL_H

#include "pool_strategies.h"
#include "report/program.h"
#include "tuning.h"

extern const struct fact published_pool[], published_model[], published_search[], published_cost[];

#define POOL_NOISE 0.02 /* log-normal, sd of the logarithm of one measurement */

void demo1_ridge(struct run *run);
void demo2_budgets(struct run *run);
void demo3_trials(struct run *run);
void demo4_cost(struct run *run);
void demo5_numbers(struct run *run);

/* The pool: BLOCK_M, BLOCK_N in 16 32 64 128; BLOCK_K 64 128; num_warps 2 4 8; num_stages 1 … 6; GROUP_M 1 8; SPLIT_K
 * 1 2 4 8: 4,608 configurations on HypoGPU, 3,744 of them legal. On a recording those of the values that it has; a
 * knob with none of them, or of another name, keeps its values. Legal for w. space_free it. */
struct space *pool_space(const struct device *device, const struct workload *w);

/* The GPU of demos 1 to 3: in HypoGPU's place one without its unmodelled part, since the second script's own GPU is
 * smoother than the lecture's; a recording is itself. pool_introduce says so, as a demo's first line. */
const struct device *pool_device(const struct run *run);
void pool_introduce(struct run *run);

/* pool_prepare makes run->shared: that GPU, and what demos 2 and 3 tune by --strategies (random, evolution, model, and
 * the model on HypoGPU itself); pool_finish frees it. The tunings, [square][strategies][repeats], run at the first call
 * of pool_experiment. */
bool pool_prepare(struct run *run);
const struct experiment *pool_experiment(struct run *run);
void pool_finish(struct run *run);

/* The pool's optimum for a shape, us; 0 on a live device, where the judge looks among what was measured. */
double pool_optimum_us(const struct device *device, const struct workload *w, const struct space *pool);

#endif

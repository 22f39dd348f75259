/* answers.c - each exercise asks the room that implements what it is about; nothing is typed in but the question. */
#include "answers.h"
#include <stdlib.h>

/* clang-format off */
const struct fact published_answers[] = {
    { "ex1.stages_bk16", "ex. 1", FACT_EXACT, { "3.5", "3.5" }, "3.4", "3.6",
      { "stages to hide latency, BLOCK_K 16", "掩盖延迟要几级，BLOCK_K 16" }, { 0 } },
    { "ex1.stages_bk32", "ex. 1", FACT_EXACT, { "2.5", "2.5" }, "2.4", "2.6",
      { "stages to hide latency, BLOCK_K 32", "掩盖延迟要几级，BLOCK_K 32" }, { 0 } },
    { "ex2.gain", "ex. 2", FACT_EXACT, { "6", "6" }, "6", "6",
      { "gain of the split in the middle", "中间切分的增益" }, { 0 } },
    { "ex2.left_leaf", "ex. 2", FACT_EXACT, { "1", "1" }, "1", "1",
      { "value of the left leaf", "左叶子的值" }, { 0 } },
    { "ex4.hot_pct", "ex. 4", FACT_EXACT, { "67", "67" }, "66.5", "67.5",
      { "acceptance at T = 0.05, %", "T = 0.05 的接受概率，%" }, { 0 } },
    { "ex4.cold_pct", "ex. 4", FACT_EXACT, { "1.8", "1.8" }, "1.7", "1.9",
      { "acceptance at T = 0.005, %", "T = 0.005 的接受概率，%" }, { 0 } },
    { "ex7.task1", "ex. 7", FACT_EXACT, { "-1296", "-1296" }, "-1296", "-1296",
      { "gradient of task 1, us a unit", "任务 1 的梯度，us/单位" }, { 0 } },
    { "ex7.task2", "ex. 7", FACT_EXACT, { "-921.6", "-921.6" }, "-921.6", "-921.6",
      { "gradient of task 2, us a unit", "任务 2 的梯度，us/单位" }, { 0 } },
    { 0 }
};
/* clang-format on */

/* Little's law: num_stages - 1 loads are on their way at once, so (num_stages - 1) compute >= latency hides one. */
static void exercise1(struct answers *a)
{
    for (int i = 0; i < 2; i++) {
        double bk = 16 << i, flop = 2.0 * 64 * 128 * bk, bytes = (64 + 128) * bk * 2;
        a->little[i].compute = flop / HYPOGPU_FLOP_A_CYCLE * 4 / 2; /* 2 warps on 2 of 4 sub-partitions */
        a->little[i].latency = HYPOGPU_LOAD_LATENCY + bytes / HYPOGPU_L2_BYTES_A_CYCLE;
        a->little[i].stages = 1 + a->little[i].latency / a->little[i].compute;
    }
}

static void exercise2(struct answers *a)
{
    const double g[] = { -2, -1, 1, 2 }, lambda = 1;
    double left = g[0] + g[1], right = g[2] + g[3];
    a->gain = gbdt_split_gain(left, 2, right, 2, lambda);
    a->left_leaf = gbdt_leaf(left, 2, lambda);
    a->right_leaf = gbdt_leaf(right, 2, lambda);
}

static void exercise3(struct answers *a)
{
    const double truth[] = { 1.0, 1.1, 5.0 }, model[2][3] = { { 1.05, 1.04, 4.9 }, { 0.5, 0.8, 2.0 } };
    for (int m = 0; m < 2; m++) {
        uint32_t order[3];
        a->squared_error[m] = 0;
        for (int i = 0; i < 3; i++)
            a->squared_error[m] += (model[m][i] - truth[i]) * (model[m][i] - truth[i]);
        a->pair_accuracy[m] = stats_pairwise_accuracy(model[m], truth, 3);
        stats_order(model[m], 3, order);
        a->chosen_ms[m] = truth[order[0]];
    }
}

static void exercise5(struct answers *a, const struct device *device)
{
    struct landscape square = landscape_new(device, &workload_five[0], device->space);
    double *slowdown = landscape_slowdowns(&square);
    uint32_t good = 0;
    while (good < device->space->legal_count && slowdown[good] <= 1.05)
        good++;
    a->good_share = (double)good / device->space->legal_count;
    double log_miss = mathx_log(1 - a->good_share);
    a->hit1024 = 1 - mathx_exp(1024 * log_miss);
    a->trials95 = mathx_log(0.05) / log_miss;
    free(slowdown);
    landscape_free(&square);
}

static void exercise6(struct answers *a)
{
    struct compute graph[2] = { compute_matmul(4096, 4096, 4096), compute_row_sum(16, 1000000) };
    compute_add_bias(&graph[0]);
    compute_add_relu(&graph[0]);
    for (int i = 0; i < 2; i++) {
        struct sketches s = sketch_generate(&graph[i], SKETCH_GPU, SKETCH_LECTURE);
        a->sketches[i] = s.count;
        for (size_t k = 0; k < s.count; k++)
            a->rfactor[i] = a->rfactor[i] || sketch_used(&s.sketch[k], RULE_RFACTOR);
        a->history[i] = sketch_history(&s.sketch[s.count - 1]);
        sketches_free(s);
    }
}

static void exercise7(struct answers *a)
{
    static const double history[2][4] = { { 210, 205, 202, 200 }, { 9 } }; /* us after each unit */
    static const int units[2] = { 4, 1 };
    const double weight[2] = { 32, 128 };
    const struct scheduler_task tasks[2] = { { 0 } }; /* similar to nobody: FLOP do not matter */
    const struct objective latency = { .kind = OBJECTIVE_LATENCY, .networks = 1, .weight = weight };
    struct scheduler_settings settings = scheduler_defaults(SIMILAR_NONE);
    settings.alpha = 0.2;
    settings.window = 2;
    settings.epsilon = 0;
    struct scheduler *scheduler = scheduler_new(&settings, &latency, 2, tasks, rng_stream(0, "exercise 7", 0));
    for (int t = 0; t < 2; t++)
        for (int u = 0; u < units[t]; u++)
            scheduler_tell(scheduler, t, history[t][u]);
    struct gradient gradient[2];
    scheduler_gradients(scheduler, gradient);
    a->gradient[0] = gradient[0].total;
    a->gradient[1] = gradient[1].total;
    a->next = scheduler_next(scheduler).task;
    scheduler_free(scheduler);
}

struct answers answers_compute(const struct device *device)
{
    struct answers a = { 0 };
    exercise1(&a);
    exercise2(&a);
    exercise3(&a);
    a.acceptance[0] = annealing_acceptance(0.78 - 0.80, 0.05);
    a.acceptance[1] = annealing_acceptance(0.78 - 0.80, 0.005);
    exercise5(&a, device);
    exercise6(&a);
    exercise7(&a);
    return a;
}

void answers_free(struct answers *answers)
{
    free(answers->history[0]);
    free(answers->history[1]);
}

void answers_record(const struct answers *a, struct facts *facts)
{
    facts_number(facts, "ex1.stages_bk16", a->little[0].stages, 2);
    facts_number(facts, "ex1.stages_bk32", a->little[1].stages, 2);
    facts_number(facts, "ex2.gain", a->gain, 1);
    facts_number(facts, "ex2.left_leaf", a->left_leaf, 1);
    facts_number(facts, "ex4.hot_pct", 100 * a->acceptance[0], 1);
    facts_number(facts, "ex4.cold_pct", 100 * a->acceptance[1], 2);
    facts_number(facts, "ex7.task1", a->gradient[0], 1);
    facts_number(facts, "ex7.task2", a->gradient[1], 1);
}

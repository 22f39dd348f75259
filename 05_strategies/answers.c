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
struct little answer1(int block_k)
{
    double flop = 2.0 * 64 * 128 * block_k, bytes = (64 + 128) * block_k * 2;
    double compute = flop / HYPOGPU_FLOP_A_CYCLE * 4 / 2; /* 2 warps on 2 of 4 sub-partitions */
    double latency = HYPOGPU_LOAD_LATENCY + bytes / HYPOGPU_L2_BYTES_A_CYCLE;
    return (struct little){ compute, latency, 1 + latency / compute };
}

struct split answer2(void)
{
    const double g[] = { -2, -1, 1, 2 }, lambda = 1;
    double left = g[0] + g[1], right = g[2] + g[3];
    return (struct split){ gbdt_split_gain(left, 2, right, 2, lambda), gbdt_leaf(left, 2, lambda),
                           gbdt_leaf(right, 2, lambda) };
}

struct ranking answer3(int model)
{
    const double truth[] = { 1.0, 1.1, 5.0 }, models[2][3] = { { 1.05, 1.04, 4.9 }, { 0.5, 0.8, 2.0 } };
    const double *predicted = models[model];
    uint32_t order[3];
    double squared_error = 0;
    for (int i = 0; i < 3; i++)
        squared_error += (predicted[i] - truth[i]) * (predicted[i] - truth[i]);
    stats_order(predicted, 3, order);
    return (struct ranking){ squared_error, stats_pairwise_accuracy(predicted, truth, 3), truth[order[0]] };
}

double answer4(double temperature) { return annealing_acceptance(0.78 - 0.80, temperature); }

struct luck answer5(const struct device *device)
{
    struct landscape square = landscape_new(device, &workload_five[0], device->space);
    size_t legal;
    double *slowdown = landscape_slowdowns(&square, &legal), good = (double)stats_up_to(slowdown, legal, 1.05);
    free(slowdown);
    landscape_free(&square);
    double share = good / (double)legal, log_miss = mathx_log(1 - share);
    return (struct luck){ share, 1 - mathx_exp(1024 * log_miss), mathx_log(0.05) / log_miss };
}

struct derivation answer6(int graph)
{
    struct compute g = graph ? compute_row_sum(16, 1000000) : compute_matmul(4096, 4096, 4096);
    if (graph == 0) {
        compute_add(&g, "bias[j]");
        compute_add(&g, "biased[i,j] = C[i,j] + bias[j]");
        compute_add(&g, "relu[i,j] = max(biased[i,j], 0)");
    }
    struct sketches s = sketch_generate(&g, SKETCH_GPU, SKETCH_LECTURE);
    struct derivation answer = { .sketches = s.count, .history = sketch_history(&s.sketch[s.count - 1]) };
    for (size_t k = 0; k < s.count; k++)
        answer.rfactor = answer.rfactor || sketch_used(&s.sketch[k], RULE_RFACTOR);
    sketches_free(s);
    return answer;
}

struct turn answer7(void)
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
    struct turn turn = { { gradient[0].total, gradient[1].total }, scheduler_next(scheduler).task };
    scheduler_free(scheduler);
    return turn;
}

void answers_record(struct facts *facts)
{
    struct split split = answer2();
    struct turn turn = answer7();
    facts_number(facts, "ex1.stages_bk16", answer1(16).stages, 2);
    facts_number(facts, "ex1.stages_bk32", answer1(32).stages, 2);
    facts_number(facts, "ex2.gain", split.gain, 1);
    facts_number(facts, "ex2.left_leaf", split.left_leaf, 1);
    facts_number(facts, "ex4.hot_pct", 100 * answer4(0.05), 1);
    facts_number(facts, "ex4.cold_pct", 100 * answer4(0.005), 2);
    facts_number(facts, "ex7.task1", turn.gradient[0], 1);
    facts_number(facts, "ex7.task2", turn.gradient[1], 1);
}

/* Demo 4: the bill of tuning for an inference service, and four ways to lower it, each measured. */
#include "pool.h"
#include <math.h>
#include <stdlib.h>

/* clang-format off */
const struct fact published_cost[] = {
    { "strategies.hours_random", "s2", FACT_EXACT, { "20.5", "20.5" }, "20.4", "20.6",
      { "hours: 96 shapes x 256 x 3 s", "小时数：96 个形状 x 256 x 3 秒" }, { 0 } },
    { "strategies.hours_model", "s2", FACT_EXACT, { "3.8", "3.8" }, "3.8", "3.9",
      { "hours: 96 shapes x 48 x 3 s", "小时数：96 个形状 x 48 x 3 秒" }, { 0 } },
    { "strategies.minutes256", "s2", FACT_EXACT, { "13", "13" }, "12.7", "13.0",
      { "minutes for 256 at 3 s", "256 次、每次 3 秒的分钟数" }, { 0 } },
    { 0 }
};
/* clang-format on */

enum { SHAPES = 4 * 16 + 4 * 8, TRIAL_S = 3, RANDOM_TRIALS = 256, MODEL_TRIALS = 48 };

static double hours(double trials) { return SHAPES * trials * TRIAL_S / 3600; }

static void way(struct table *table, const char *name, double trials)
{
    table_text(table, "%s", name);
    table_numbers(table, trials, SHAPES, hours(trials));
}

/* The script's trials, and those that demo 3's strategies took here. */
static void bill(struct run *run)
{
    const struct experiment *e = pool_experiment(run);
    struct table *table =
        table_of({ TEXT("way", "做法"), TABLE_TEXT }, { TEXT("trials\na shape", "每个形状\n实测次数"), 0 },
                 { TEXT("shapes", "形状数"), 0 }, { TEXT("hours at\n3 s a trial", "小时数\n每次 3 秒"), 2 });
    bool all = true;
    way(table, tr("the script: random search, to within 5 %", "脚本：随机搜索（到 5% 以内）"), RANDOM_TRIALS);
    way(table, tr("the script: guided by the model", "脚本：模型引导"), MODEL_TRIALS);
    for (int v = 0; v < e->variants; v++) {
        size_t trials = experiment_reached(e, 0, v, 100 / 1.05);
        char *name = xformat(tr("here, as in demo 3: %s", "这里，同演示 3：%s"),
                             tr_text(e->variant[v].name));
        way(table, name, trials ? (double)trials : NAN);
        all &= trials > 0;
        free(name);
    }
    way(table, tr("heuristics or tables tuned ahead", "启发式或预先调好的表"), 0);
    report_table(
        run->report, table, "%s",
        tr("An inference service: 4 products a layer x (16 decode batch sizes + 8 prefill lengths) = 96 shapes",
           "一个推理服务：每层 4 种矩阵乘法 x（16 种解码批大小 + 8 种预填充长度）= 96 个形状"));
    if (!all)
        report_say(run->report, "%s",
                   tr("-: at least half of the repeats do not get there within demo 3's budget.",
                      "-：至少一半的重复在演示 3 的预算里到不了。"));
    facts_number(run->facts, "strategies.hours_random", hours(RANDOM_TRIALS), 2);
    facts_number(run->facts, "strategies.hours_model", hours(MODEL_TRIALS), 2);
    facts_number(run->facts, "strategies.minutes256", RANDOM_TRIALS * TRIAL_S / 60.0, 1);
}

/* ---- cache and buckets: decoding with a batch that changes at every step ---- */

/* Distinct keys among `steps` decode steps whose batch is drawn from 1 … 256: as they are, or rounded up to a power
 * of two. */
static int distinct_keys(const struct run *run, int steps, bool bucketed)
{
    bool seen[DYNAMIC_M + 1] = { 0 };
    struct rng rng = rng_stream(run->options->seed, "05.steps", 0);
    int keys = 0;
    for (int i = 0; i < steps; i++) {
        int m = 1 + (int)rng_below(&rng, DYNAMIC_M), key = bucketed ? 1 << workload_bucket(m) : m;
        keys += !seen[key];
        seen[key] = true;
    }
    return keys;
}

/* Mean over M of the time with the bucket's optimum over the own optimum's, minus 1, in percent. */
static double bucket_loss(const struct device *device)
{
    uint32_t optimum[DYNAMIC_BUCKETS];
    double loss[DYNAMIC_M];
    for (int b = 0; b < DYNAMIC_BUCKETS; b++) {
        struct workload w = workload_dynamic(1 << b);
        optimum[b] = device_optimum(device, &w);
    }
#pragma omp parallel for schedule(dynamic)
    for (int m = 1; m <= DYNAMIC_M; m++) {
        struct workload w = workload_dynamic(m);
        double own = device_optimum_us(device, &w);
        loss[m - 1] = 100 * (device_time_us(device, &w, device->space, optimum[workload_bucket(m)]) / own - 1);
    }
    return stats_mean(loss, DYNAMIC_M);
}

/* ---- hot tasks and a prior list: the network of 04_scheduler ---- */

struct network {
    struct landscape task[WORKLOAD_NETWORK];
    uint32_t untuned;
};

static double end_to_end_ms(const struct network *net, const uint32_t *choice)
{
    double us = 0;
    for (int t = 0; t < WORKLOAD_NETWORK; t++)
        us += workload_network[t].count * net->task[t].time_us[choice[t]];
    return us / 1e3;
}

/* What one would run untuned: the list's best for the square, on every shape. */
static struct network network_new(const struct device *device)
{
    struct network net;
    uint32_t list[TRITON_LIST];
    struct landscape square = landscape_new(device, &workload_five[0], device->space);
    triton_list(device->space, list);
    net.untuned = landscape_best_of(&square, TRITON_LIST, list);
    landscape_free(&square);
#pragma omp parallel for schedule(dynamic)
    for (int t = 0; t < WORKLOAD_NETWORK; t++)
        net.task[t] = landscape_new(device, &workload_network[t].workload, device->space);
    return net;
}

/* The tasks by their share of the untuned time, largest first. */
static void by_cost(const struct network *net, uint32_t order[WORKLOAD_NETWORK])
{
    double negated[WORKLOAD_NETWORK];
    for (int t = 0; t < WORKLOAD_NETWORK; t++)
        negated[t] = -workload_network[t].count * net->task[t].time_us[net->untuned];
    stats_order(negated, WORKLOAD_NETWORK, order);
}

/* AutoTVM on the tasks, 256 measurements each, so many times; what it would run of each: [repeats][tasks], the
 * caller's to free. */
static uint32_t *tune_all(struct run *run, int repeats)
{
    static const struct variant autotvm = { .strategy = &strategy_annealing };
    struct workload task[WORKLOAD_NETWORK];
    uint32_t *choice = xalloc((size_t)repeats * WORKLOAD_NETWORK, sizeof *choice), *next = choice;
    for (int t = 0; t < WORKLOAD_NETWORK; t++)
        task[t] = workload_network[t].workload;
    struct experiment e = program_experiment(run, "05.hot", WORKLOAD_NETWORK, task, 1, &autotvm, RANDOM_TRIALS);
    e.repeats = repeats;
    e.batch = 64;
    experiment_run(&e, program_tuning_progress, run);
    for (int r = 0; r < repeats; r++)
        for (int t = 0; t < WORKLOAD_NETWORK; t++) {
            const struct trace *trace = &experiment_tuning(&e, t, 0, r)->trace;
            *next++ = trace->trial[trace_chosen(trace, RANDOM_TRIALS)].config;
        }
    experiment_free(&e);
    return choice;
}

/* The best for a task of a list of other tasks' tuned configurations: a prior list, each entry measured once. */
static uint32_t best_of_others(const struct network *net, int task, const uint32_t *tuned)
{
    uint32_t best = net->untuned;
    for (int t = 0; t < WORKLOAD_NETWORK; t++)
        if (t != task && net->task[task].time_us[tuned[t]] < net->task[task].time_us[best])
            best = tuned[t];
    return best;
}

enum { PRIOR_LIST = -1 };

/* End to end when the `hot` hottest tasks run what was tuned for them, the others untuned; or all by the list. */
static double network_ms(const struct network *net, const uint32_t *order, int hot, const uint32_t *tuned)
{
    uint32_t choice[WORKLOAD_NETWORK];
    for (int i = 0; i < WORKLOAD_NETWORK; i++)
        choice[order[i]] = hot == PRIOR_LIST ? best_of_others(net, (int)order[i], tuned)
                           : i < hot         ? tuned[order[i]]
                                             : net->untuned;
    return end_to_end_ms(net, choice);
}

static void add_row(struct table *table, const char *name, double trials, const struct spread *ms, double optimum_ms)
{
    table_text(table, "%s", name);
    table_numbers(table, trials, trials * TRIAL_S / 60, ms->median, 100 * optimum_ms / ms->median);
    table_text(table, "%.1f..%.1f", 100 * optimum_ms / ms->high, 100 * optimum_ms / ms->low);
}

static void fill(struct run *run, const struct network *net, int repeats, struct table *table)
{
    static const int hot[] = { 0, 2, 4, 7, WORKLOAD_NETWORK, PRIOR_LIST };
    uint32_t *tuned = tune_all(run, repeats), optimum[WORKLOAD_NETWORK], order[WORKLOAD_NETWORK];
    double *ms = xalloc((size_t)repeats, sizeof *ms);
    for (int t = 0; t < WORKLOAD_NETWORK; t++)
        optimum[t] = net->task[t].best;
    by_cost(net, order);
    for (size_t i = 0; i < sizeof hot / sizeof *hot; i++) {
        for (int r = 0; r < repeats; r++)
            ms[r] = network_ms(net, order, hot[i], tuned + r * WORKLOAD_NETWORK);
        struct spread spread = stats_spread(ms, (size_t)repeats);
        char *name = hot[i] == PRIOR_LIST ? xformat("%s", tr("prior list: best of the others' ten", "先验配置表：那十个里最好的"))
                     : hot[i] == WORKLOAD_NETWORK ? xformat("%s", tr("all tuned", "全部调"))
                     : hot[i] ? xformat(tr("only the %d hottest tuned", "只调最热的 %d 个"), hot[i])
                              : xformat("%s", tr("untuned: the list's best for the square", "不调：都用配置表里方阵最好的"));
        double trials = hot[i] == PRIOR_LIST ? WORKLOAD_NETWORK * (WORKLOAD_NETWORK - 1) : hot[i] * RANDOM_TRIALS;
        add_row(table, name, trials, &spread, end_to_end_ms(net, optimum));
        free(name);
    }
    free(ms);
    free(tuned);
}

static void network_table(struct run *run)
{
    int repeats = program_repeats(run);
    struct network net = network_new(run->device);
    struct table *table =
        table_of({ TEXT("network of 11 tasks", "11 个任务的网络"), TABLE_TEXT }, { TEXT("trials", "实测次数"), 0 },
                 { TEXT("minutes at\n3 s a trial", "分钟数\n每次 3 秒"), 0 },
                 { TEXT("end to\nend, ms", "端到端\nms"), 2 }, { TEXT("of the\noptimum, %", "达到最优的\n%"), 1 },
                 { TEXT("worst..best", "最差..最好"), TABLE_TEXT });
    fill(run, &net, repeats, table);
    report_table(
        run->report, table,
        tr("Hot tasks only, and a prior list: each task tries what was tuned for the other ten (04_scheduler's network; AutoTVM, 256 "
           "measurements a tuned task; median of %d)",
           "只调热点，以及先验配置表：每个任务试一遍别的十个任务调好的配置（04_scheduler 的网络；AutoTVM，每个任务测 256 次；%d 次的中位数）"),
        repeats);
    report_say(run->report, "%s",
               tr("All tuned is 04_scheduler's round robin, as many measurements of each task; but there Ansor "
                  "searches, here AutoTVM. What the medians differ by is the tuner and, as the worst and the best show, "
                  "luck.",
                  "“全部调”就是 04_scheduler 的轮流，每个任务测的次数一样多；但那里用 Ansor 搜索，这里用 AutoTVM。两边中位数的差别来自调优器，"
                  "也来自运气（看最差和最好）。"));
    for (int t = 0; t < WORKLOAD_NETWORK; t++)
        landscape_free(&net.task[t]);
}

void demo4_cost(struct run *run)
{
    enum { STEPS = 1000 };
    if (!program_needs_matmul(run))
        return;
    bill(run);
    if (!program_needs_hypogpu(run))
        return;
    report_say(
        run->report,
        tr("Cache: of %d decode steps with a batch between 1 and 256, %d have a key never seen before; tuned once and kept, the other steps cost nothing. "
           "Buckets: rounded up to a power of two there are %d keys, and the mean step is %.1f %% slower than with its own optimum, if each key runs its bucket's true one.",
           "缓存：批大小在 1 到 256 之间的 %d 个解码步里，只有 %d 步的 key 是没见过的；调一次、存起来，其余的不花时间。"
           "分桶：向上取到 2 的幂就只有 %d 个 key，每个 key 用所在桶真正的最优时，平均每步只比各自的最优慢 %.1f%%。"),
        STEPS, distinct_keys(run, STEPS, false), distinct_keys(run, STEPS, true), bucket_loss(run->device));
    network_table(run);
}

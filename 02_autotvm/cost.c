/* Demo 4: what a fit, a prediction and a measurement cost, and what that makes of demo 1 (lecture 4.1). */
#include "autotvm.h"
#include "base/clock.h"
#include <math.h>
#include <stdlib.h>

/* clang-format off */
const struct fact published_cost[] = {
    { "cost.train_ms", "§4.1", FACT_TIME, { "100", "100" }, "", "",
      { "fit on 512 records, ms", "用 512 条记录训练，ms" }, { 0 } },
    { "cost.predict_us", "§4.1", FACT_TIME, { "1-2", "1-2" }, "", "",
      { "predict one configuration, us", "预测一个配置，us" }, { 0 } },
    { "cost.measure_s", "§4.1", FACT_MODEL, { "1.4", "1.4" }, "1.3", "1.5",
      { "simulated seconds a measurement", "一次模拟实测的秒数" }, { 0 } },
    { 0 }
};
/* clang-format on */

/* Fits to random records and predicts every legal configuration for real, on the wall clock: stderr only. */
static void clock_model(const struct run *run, const struct workload *w, double measure_s)
{
    enum { RECORDS = 512 };
    const struct space *space = device_space(run->device, w);
    struct rng rng = rng_stream(run->options->seed, "02.cost", 0);
    struct cost_model *model = cost_model_new(&(struct task){ w, space }, NULL);
    uint32_t config[RECORDS];
    struct measurement result[RECORDS] = { 0 };
    double *score = xalloc(space->legal_count, sizeof *score);
    for (int i = 0; i < RECORDS; i++) {
        config[i] = space_random(space, &rng);
        result[i].time_us = device_time_us(run->device, w, space, config[i]);
    }

    double start = clock_process_s();
    cost_model_add(model, RECORDS, config, result);
    cost_model_fit(model);
    double fit_s = clock_process_s() - start;
    start = clock_process_s();
    cost_model_score(model, space->legal_count, space->legal, score);
    double predict_s = (clock_process_s() - start) / space->legal_count;
    program_clock(
        run,
        tr("fit on %d records %.1f ms (lecture: about 100); predict one configuration, features included, %.2f us (lecture: 1-2); a measurement costs %.1e predictions",
           "用 %d 条记录训练 %.1f ms（讲义：约 100）；预测一个配置（含特征）%.2f us（讲义：1–2）；一次实测抵得上 %.1e 次预测"),
        RECORDS, fit_s * 1e3, predict_s * 1e6, measure_s / predict_s);
    free(score);
    cost_model_free(model);
}

/* What a measurement of a legal configuration costs on average: compiling, and 100 runs if it does not fail. */
static double mean_measurement_s(const struct run *run, const struct workload *w)
{
    const struct space *space = device_space(run->device, w);
    struct landscape l = landscape_new(run->device, w, space);
    double runs = 0, compile_s = 0;
    for (uint32_t i = 0; i < space->legal_count; i++) {
        compile_s += device_conditions(run->device, w, space, space->legal[i]).compile_s;
        if (l.time_us[space->legal[i]] < INFINITY)
            runs += l.time_us[space->legal[i]] * 1e-6 * MEASURER_RUNS;
    }
    landscape_free(&l);
    return (compile_s + runs) / space->legal_count;
}

void demo4_cost(struct run *run)
{
    const struct experiment *e = autotvm_search(run);
    const struct workload shape = program_shape(run, "square");
    struct column columns[] = {
        { TEXT("strategy", "策略"), TABLE_TEXT },
        { e->workload[0].name, 2 },
        { e->workload[e->workloads - 1].name, 2 },
    };
    struct table *table = table_new(1 + e->workloads, columns);
    for (int v = 0; v < e->variants; v++) {
        table_text(table, "%s", tr_text(e->variant[v].name));
        for (int w = 0; w < e->workloads; w++)
            table_number(table, experiment_hours(e, w, v));
    }
    double measure_s = mean_measurement_s(run, &shape);
    report_table(run->report, table,
                 tr("Simulated hours of demo 1's %zu measurements (median of %d)",
                    "演示 1 的 %zu 次实测要几个模拟小时（%d 次的中位数）"),
                 e->trials, e->repeats);
    report_say(
        run->report,
        tr("A measurement of %s takes %.2f simulated seconds on average (%s, 100 runs). Who searches well also measures faster "
           "kernels and saves running time. What the fit and a prediction take on this machine is on stderr, behind the clock sign: about a million "
           "predictions cost as much as one measurement, which is why a tuner asks its model first.",
           "在%s上一次实测平均 %.2f 模拟秒（%s，运行 100 遍）。搜得好的策略测到的内核也更快，运行时间也省。训练和预测在本机用的时间写在 stderr（⏱ 之后）：一次实测"
           "抵得上约一百万次预测，所以调优器先问模型。"),
        tr_text(shape.name), measure_s,
        run->device->compiles ? tr("compiling as recorded", "编译按记录的时间")
                              : tr("1 s of compiling", "编译 1 秒"));
    facts_number(run->facts, "cost.measure_s", measure_s, 2);
    facts_text(run->facts, "cost.train_ms", tr("on stderr", "见 stderr"));
    facts_text(run->facts, "cost.predict_us", tr("on stderr", "见 stderr"));
    if (!run->options->quiet && !run->options->facts)
        clock_model(run, &shape, measure_s);
}

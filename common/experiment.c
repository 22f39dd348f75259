/* experiment.c - planning, judging and summarising many tunings. */
#include "experiment.h"
#include "base/stats.h"
#include "base/xalloc.h"
#include <stdlib.h>

size_t experiment_tunings(const struct experiment *e)
{
    return (size_t)e->workloads * (size_t)e->variants * (size_t)e->repeats;
}

struct tuning *experiment_tuning(const struct experiment *e, int w, int v, int r)
{
    return &e->tuning[((size_t)w * (size_t)e->variants + (size_t)v) * (size_t)e->repeats + (size_t)r];
}

double experiment_optimum_us(const struct experiment *e, int w)
{
    return experiment_tuning(e, w, 0, 0)->optimum_us;
}

static const struct space *space_of(const struct experiment *e, int v)
{
    return e->variant[v].space ? e->variant[v].space : e->device->space;
}

void experiment_plan(struct experiment *e)
{
    e->tuning = xalloc(experiment_tunings(e), sizeof *e->tuning);
    for (int w = 0; w < e->workloads; w++) {
        const struct space *whole = e->device->space;
        double optimum_us =
            device_time_us(e->device, &e->workload[w], whole, device_optimum(e->device, &e->workload[w]));
        for (int v = 0; v < e->variants; v++)
            for (int r = 0; r < e->repeats; r++)
                *experiment_tuning(e, w, v, r) = (struct tuning){
                    .name = e->name,
                    .seed = e->seed,
                    .repeat = (uint64_t)r,
                    .strategy = e->variant[v].strategy,
                    .settings = e->variant[v].settings,
                    .device = e->device,
                    .task = { &e->workload[w], space_of(e, v) },
                    .trials = e->trials,
                    .batch = e->batch,
                    .optimum_us = optimum_us,
                };
    }
}

void tuning_run_all(size_t count, struct tuning *tunings, void (*progress)(void *, size_t, size_t), void *context)
{
    size_t done = 0;
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < count; i++) {
        tuning_run(&tunings[i]);
#pragma omp critical
        if (progress)
            progress(context, ++done, count);
    }
}

void experiment_run(struct experiment *e, void (*progress)(void *, size_t, size_t), void *context)
{
    tuning_run_all(experiment_tunings(e), e->tuning, progress, context);
}

void experiment_free(struct experiment *e)
{
    for (size_t i = 0; i < experiment_tunings(e); i++)
        tuning_free(&e->tuning[i]);
    free(e->tuning);
}

struct gbdt *experiment_global(const struct experiment *e, int variant, int repeat,
                               const struct cost_model_settings *settings)
{
    struct task *tasks = xalloc((size_t)e->workloads, sizeof *tasks);
    struct trace *traces = xalloc((size_t)e->workloads, sizeof *traces);
    for (int w = 0; w < e->workloads; w++) {
        const struct tuning *t = experiment_tuning(e, w, variant, repeat);
        tasks[w] = t->task;
        traces[w] = t->trace;
    }
    struct gbdt *model = cost_model_train_global(settings, (size_t)e->workloads, tasks, traces);
    free(traces);
    free(tasks);
    return model;
}

struct spread experiment_share(const struct experiment *e, int w, int v, size_t n)
{
    double *share = xalloc((size_t)e->repeats, sizeof *share);
    for (int r = 0; r < e->repeats; r++)
        share[r] = tuning_share(experiment_tuning(e, w, v, r), n);
    struct spread spread = stats_spread(share, (size_t)e->repeats);
    free(share);
    return spread;
}

size_t experiment_reached(const struct experiment *e, int w, int v, double share)
{
    double *trials = xalloc((size_t)e->repeats, sizeof *trials), never = 1e18;
    for (int r = 0; r < e->repeats; r++) {
        size_t reached = tuning_reached(experiment_tuning(e, w, v, r), share);
        trials[r] = reached ? (double)reached : never;
    }
    double median = stats_median(trials, (size_t)e->repeats);
    free(trials);
    return median < never / 2 ? (size_t)median : 0;
}

double experiment_hours(const struct experiment *e, int w, int v)
{
    double *hours = xalloc((size_t)e->repeats, sizeof *hours);
    for (int r = 0; r < e->repeats; r++)
        hours[r] = trace_seconds(&experiment_tuning(e, w, v, r)->trace, e->trials) / 3600;
    double median = stats_median(hours, (size_t)e->repeats);
    free(hours);
    return median;
}

int experiment_counts(const struct experiment *e, size_t first, size_t *counts)
{
    int n = 0;
    for (size_t count = first; count < e->trials && n < EXPERIMENT_COUNTS - 1; count *= 2)
        counts[n++] = count;
    counts[n++] = e->trials;
    return n;
}

struct table *experiment_counts_table(struct text head, int counts, const size_t *count)
{
    struct column columns[EXPERIMENT_COUNTS + 1] = { { head, TABLE_TEXT } };
    for (int c = 0; c < counts; c++) {
        const char *number = xformat("%zu", count[c]);
        columns[c + 1] = (struct column){ { number, number }, 1 };
    }
    struct table *table = table_new(counts + 1, columns);
    for (int c = 0; c < counts; c++)
        free((void *)columns[c + 1].head.en);
    return table;
}

struct table *experiment_table(const struct experiment *e, int w, int counts, const size_t *count)
{
    double best[EXPERIMENT_COUNTS] = { 0 };
    for (int c = 0; c < counts; c++)
        for (int v = 0; v < e->variants; v++) {
            double median = experiment_share(e, w, v, count[c]).median;
            best[c] = median > best[c] ? median : best[c];
        }
    struct table *table = experiment_counts_table(TEXT("measurements", "实测次数"), counts, count);
    for (int v = 0; v < e->variants; v++) {
        table_text(table, "%s", tr_text(e->variant[v].name));
        for (int c = 0; c < counts; c++) {
            double median = experiment_share(e, w, v, count[c]).median;
            table_number(table, median);
            if (median >= best[c])
                table_best(table);
        }
        table_text(table, "%s", tr("  worst..best", "  最差..最好"));
        for (int c = 0; c < counts; c++) {
            struct spread spread = experiment_share(e, w, v, count[c]);
            table_text(table, "%.0f..%.0f", spread.low, spread.high);
        }
    }
    return table;
}

const struct text experiment_reached_title = {
    "Measurements until the choice first reaches this share of the optimum (median; -: at least half of the repeats never do)",
    "选中的配置第一次达到最优的这个百分比时测了几次（中位数；-：至少一半的重复做不到）",
};

const struct text experiment_legend = {
    "Share of the optimum: the optimum's time over that of the configuration chosen so far, both true; 50 % is twice as "
    "slow. Medians over the repeats, below them the worst and the best repeat; * marks the best median of a column.",
    "达到最优的百分比：最优配置的耗时除以目前选中的配置的耗时，都用真实耗时；50% 就是耗时翻倍。每格是各次重复的中位数，下面一行是最差和最好的一次；"
    "* 标出该列最好的。",
};

struct table *experiment_reached_table(const struct experiment *e)
{
    const struct column columns[] = {
        { TEXT("measurements needed", "需要的实测次数"), TABLE_TEXT },
        { TEXT("95 %", "95%"), 0 },
        { TEXT("99 %", "99%"), 0 },
    };
    struct table *table = table_new(3, columns);
    for (int w = 0; w < e->workloads; w++)
        for (int v = 0; v < e->variants; v++) {
            table_text(table, "%s%s%s", tr_text(e->workload[w].name), tr(": ", "："), tr_text(e->variant[v].name));
            for (int share = 95; share <= 99; share += 4) {
                size_t trials = experiment_reached(e, w, v, share);
                if (trials)
                    table_number(table, (double)trials);
                else
                    table_none(table);
            }
        }
    return table;
}

void experiment_figure(const struct experiment *e, int w, int counts, const size_t *count, struct figures figures,
                       const char *name, struct text title, double low)
{
    struct series *series = xalloc((size_t)e->variants, sizeof *series);
    double *x = xalloc((size_t)counts * (size_t)(1 + 3 * e->variants), sizeof *x);
    for (int c = 0; c < counts; c++)
        x[c] = (double)count[c];
    for (int v = 0; v < e->variants; v++) {
        double *median = x + counts * (1 + 3 * v), *least = median + counts, *most = least + counts;
        for (int c = 0; c < counts; c++) {
            struct spread spread = experiment_share(e, w, v, count[c]);
            median[c] = spread.median;
            least[c] = spread.low;
            most[c] = spread.high;
        }
        series[v] = (struct series){ e->variant[v].name, (size_t)counts, x, median, least, most };
    }
    char *tics = xformat("%.0f,2,%.0f", x[0], x[counts - 1]);
    figure_lines(figures, name, title,
                 (struct axis){ TEXT("measurements (log axis)", "实测次数（对数轴）"), x[0], x[counts - 1], 2, tics },
                 (struct axis){ TEXT("share of the optimum, %", "达到最优的 %"), low, 100, 0, NULL },
                 (size_t)e->variants, series);
    free(tics);
    free(x);
    free(series);
}

/* curves.c - what an experiment's repeats make of each variant, as tables and as curves. */
#include "report/curves.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdlib.h>

struct table *curves_counts_table(struct text head, int counts, const size_t *count)
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

/* [variants][counts] */
static struct spread *all_shares(const struct experiment *e, int w, int counts, const size_t *count)
{
    struct spread *share = xalloc((size_t)(e->variants * counts), sizeof *share);
    for (int i = 0; i < e->variants * counts; i++)
        share[i] = experiment_share(e, w, i / counts, count[i % counts]);
    return share;
}

struct table *curves_table(const struct experiment *e, int w, int counts, const size_t *count)
{
    struct spread *shares = all_shares(e, w, counts, count);
    struct table *table = curves_counts_table(TEXT("measurements", "实测次数"), counts, count);
    for (int v = 0; v < e->variants; v++) {
        const struct spread *share = shares + v * counts;
        table_text(table, "%s", tr_text(e->variant[v].name));
        for (int c = 0; c < counts; c++) {
            bool best = true;
            for (int other = 0; other < e->variants; other++)
                best = best && share[c].median >= shares[other * counts + c].median;
            table_number(table, share[c].median);
            if (best)
                table_best(table);
        }
        if (e->repeats == 1)
            continue;
        table_text(table, "%s", tr("  worst..best", "  最差..最好"));
        for (int c = 0; c < counts; c++)
            table_text(table, "%.0f..%.0f", share[c].low, share[c].high);
    }
    free(shares);
    return table;
}

struct text curves_goal(const struct device *device)
{
    return device->measure ? TEXT("the best found", "已找到的最好") : TEXT("the optimum", "最优");
}

void curves_say_legend(struct report *report, const char *before, const struct device *device, int repeats)
{
    report_say(
        report, "%s%s%s", before,
        device->measure
            ? tr("Share of the best found: the least time that anyone measured in this run over that of the "
                 "configuration chosen so far, both as measured; 50 % is twice as slow. The optimum is not known.",
                 "达到已找到的最好的百分比：这次运行里测到的最短耗时除以目前选中的配置的耗时，都用实测值；50% 就是耗时翻倍。真正的最优不知道。")
            : tr("Share of the optimum: the optimum's time over that of the configuration chosen so far, both true; "
                 "50 % is twice as slow.",
                 "达到最优的百分比：最优配置的耗时除以目前选中的配置的耗时，都用真实耗时；50% 就是耗时翻倍。"),
        repeats == 1
            ? tr(" * marks the best of a column.", "* 标出该列最好的。")
            : tr(" Medians over the repeats, below them the worst and the best repeat; * marks the best median of a "
                 "column.",
                 "每格是各次重复的中位数，下面一行是最差和最好的一次；* 标出该列最好的。"));
}

struct table *curves_reached_table(const struct experiment *e)
{
    struct table *table = table_of({ TEXT("measurements needed", "需要的实测次数"), TABLE_TEXT },
                                   { TEXT("95 %", "95%"), 0 }, { TEXT("99 %", "99%"), 0 });
    for (int w = 0; w < e->workloads; w++)
        for (int v = 0; v < e->variants; v++) {
            table_text(table, "%s%s%s", tr_text(e->workload[w].name), tr(": ", "："), tr_text(e->variant[v].name));
            for (int share = 95; share <= 99; share += 4) {
                size_t trials = experiment_reached(e, w, v, share);
                table_number(table, trials ? (double)trials : NAN);
            }
        }
    return table;
}

void curves_figure(const struct experiment *e, int w, int counts, const size_t *count, const char *dir,
                   const char *name, struct text title)
{
    size_t n = (size_t)counts, variants = (size_t)e->variants;
    struct series *series = xalloc(variants, sizeof *series);
    struct spread *share = all_shares(e, w, counts, count);
    double *x = xalloc(n * (1 + 3 * variants), sizeof *x), *y = x + n;
    for (size_t c = 0; c < n; c++)
        x[c] = (double)count[c];
    for (size_t v = 0; v < variants; v++, y += 3 * n) {
        for (size_t c = 0; c < n; c++) {
            y[c] = share[v * n + c].median;
            y[n + c] = share[v * n + c].low;
            y[2 * n + c] = share[v * n + c].high;
        }
        series[v] = (struct series){ e->variant[v].name, n, x, y, y + n, y + 2 * n };
    }
    double low = 100;
    for (size_t i = 0; i < n * variants; i++)
        low = fmin(low, 10 * floor(share[i].low / 10));
    char *tics = xformat("%.0f,2,%.0f", x[0], x[n - 1]);
    figure_lines(dir, name, title,
                 (struct axis){ TEXT("measurements (log axis)", "实测次数（对数轴）"), x[0], x[n - 1], 2, tics },
                 (struct axis){ e->device->measure ? TEXT("share of the best found, %", "达到已找到的最好的 %")
                                                     : TEXT("share of the optimum, %", "达到最优的 %"), low, 100, 0, NULL }, variants,
                 series);
    free(tics);
    free(x);
    free(share);
    free(series);
}

void curves_show(const struct experiment *e, int workload, size_t first, struct report *report, const char *dir,
                 const char *name, struct text title, struct text caption)
{
    const struct workload *w = &e->workload[workload];
    size_t counts[EXPERIMENT_COUNTS];
    int n = experiment_counts(e, first, counts);
    char label[128], *file = xformat("%s_%s", name, w->id);
    bool one = e->repeats == 1;
    struct text goal = curves_goal(e->device),
                median = one ? text_format("one repeat", "只跑一次")
                             : text_format("median of %d", "%d 次的中位数", e->repeats),
                spread = one ? median
                             : text_format("median; worst to best of %d", "中位数；%d 次里最差到最好", e->repeats),
                whole = { xformat("%s%s: share of %s (%s)", caption.en, w->name.en, goal.en, spread.en),
                          xformat("%s%s：达到%s的百分比（%s）", caption.zh, w->name.zh, goal.zh, spread.zh) };
    char all[64] = "";
    if (experiment_is_exhaustive(e, workload))
        snprintf(all, sizeof all, tr("; all %zu measured", "；%zu 个全部测完"), e->trials);
    report_table(report, curves_table(e, workload, n, counts),
                 tr("%s%s: share of %s, %%; %s%s", "%s%s：达到%s的百分比；%s%s"), tr_text(title),
                 workload_label(w, text_lang(), label, sizeof label), tr_text(goal), tr_text(median), all);
    if (n > 1)
        curves_figure(e, workload, n, counts, dir, file, whole);
    text_free(whole);
    if (!one)
        text_free(spread);
    text_free(median);
    free(file);
}

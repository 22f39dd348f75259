/* curves.c - what an experiment's repeats make of each variant, as tables and as curves. */
#include "report/curves.h"
#include "base/xalloc.h"
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

struct table *curves_table(const struct experiment *e, int w, int counts, const size_t *count)
{
    double best[EXPERIMENT_COUNTS] = { 0 };
    for (int c = 0; c < counts; c++)
        for (int v = 0; v < e->variants; v++) {
            double median = experiment_share(e, w, v, count[c]).median;
            best[c] = median > best[c] ? median : best[c];
        }
    struct table *table = curves_counts_table(TEXT("measurements", "实测次数"), counts, count);
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

const struct text curves_reached_title = {
    "Measurements until the choice first reaches this share of the optimum (median; -: at least half of the repeats never do)",
    "选中的配置第一次达到最优的这个百分比时测了几次（中位数；-：至少一半的重复做不到）",
};

const struct text curves_legend = {
    "Share of the optimum: the optimum's time over that of the configuration chosen so far, both true; 50 % is twice as "
    "slow. Medians over the repeats, below them the worst and the best repeat; * marks the best median of a column.",
    "达到最优的百分比：最优配置的耗时除以目前选中的配置的耗时，都用真实耗时；50% 就是耗时翻倍。每格是各次重复的中位数，下面一行是最差和最好的一次；"
    "* 标出该列最好的。",
};

struct table *curves_reached_table(const struct experiment *e)
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

void curves_figure(const struct experiment *e, int w, int counts, const size_t *count, struct figures figures,
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

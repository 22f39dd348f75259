/* Demo 4: the terrain of one shape: how rare good configurations are, how knobs interact, what that costs (lecture
 * 1.3). */
#include "landscape.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* clang-format off */
const struct fact published_terrain[] = {
    { "space.configs", "§1.3", FACT_EXACT, { "157500", "157500" }, "157500", "157500",
      { "configurations in the 7-knob space", "7 个旋钮的空间里的配置数" }, { 0 } },
    { "landscape.legal", "§1.3", FACT_MODEL, { "about 100,000", "约 10 万" }, "98000", "102600",
      { "legal configurations, square", "合法配置数，方阵" }, { 0 } },
    { "landscape.within5", "§1.3", FACT_MODEL, { "24", "24" }, "24", "24",
      { "of them within 5 % of the optimum", "其中离最优 5% 以内的" }, { 0 } },
    { "landscape.within5_pct", "§1.3", FACT_MODEL, { "0.024", "0.024" }, "0.0234", "0.0245",
      { "their share, %", "它们的比例，%" }, { 0 } },
    { "landscape.median_slowdown", "§1.3", FACT_MODEL, { "5", "5" }, "4.75", "5.25",
      { "median slowdown of a legal one", "合法配置慢速比的中位数" }, { 0 } },
    { "landscape.hit1000_pct", "§1.3", FACT_EXACT, { "22", "22" }, "20.5", "22.5",
      { "1,000 random ones hit one, %", "随机 1000 个碰到一个的概率，%" }, { 0 } },
    { "landscape.samples_for_95", "ex. 5", FACT_EXACT, { "12500", "12500" }, "12200", "12800",
      { "random trials for a 95 % chance", "要有 95% 把握的随机测量数" }, { 0 } },
    { "landscape.exhaustive_hours", "§1.3", FACT_EXACT, { "28", "28" }, "27.5", "28.5",
      { "hours to compile them all at 1 s", "全部编译一遍的小时数（每个 1 秒）" }, { 0 } },
    { "landscape.bk16_best_stages", "§1.3", FACT_MODEL, { "3", "3" }, "3", "3",
      { "best num_stages at BLOCK_K 16", "BLOCK_K 16 时最好的 num_stages" }, { 0 } },
    { "landscape.bk32_best_stages", "§1.3", FACT_MODEL, { "2", "2" }, "2", "2",
      { "best num_stages at BLOCK_K 32", "BLOCK_K 32 时最好的 num_stages" }, { 0 } },
    { "landscape.bk64_best_stages", "§1.3", FACT_MODEL, { "2", "2" }, "2", "2",
      { "best num_stages at BLOCK_K 64", "BLOCK_K 64 时最好的 num_stages" }, { 0 } },
    { "landscape.bk128_best_stages", "§1.3", FACT_MODEL, { "1", "1" }, "1", "1",
      { "best num_stages at BLOCK_K 128", "BLOCK_K 128 时最好的 num_stages" }, { 0 } },
    { "landscape.bk16_s2", "ex. 1", FACT_MODEL, { "1.36", "1.36" }, "1.32", "1.4",
      { "slowdown at BLOCK_K 16, 2 stages", "慢速比：BLOCK_K 16，2 级" }, { 0 } },
    { "landscape.bk16_s3", "ex. 1", FACT_MODEL, { "1.09", "1.09" }, "1.07", "1.11",
      { "slowdown at BLOCK_K 16, 3 stages", "慢速比：BLOCK_K 16，3 级" },
      { "hypogpu.c was fitted to 28 published values of the terrain; 25 lie in their bands and this one misses by a hair (best stages are 3, as published).",
        "hypogpu.c 按讲义公布的 28 个地形数值拟合；25 个落在范围内，这个差一点（最好的级数是 3，和讲义一致）。" } },
    { "landscape.bk32_s2", "ex. 1", FACT_MODEL, { "1.00", "1.00" }, "1.0", "1.0",
      { "slowdown at BLOCK_K 32, 2 stages", "慢速比：BLOCK_K 32，2 级" }, { 0 } },
    { 0 }
};
/* clang-format on */

/* What a trial tells of legal configurations stands below these; the rest was known before. */
static void count_table(struct run *run, const struct workload *w, const struct space *space)
{
    uint32_t illegal[UINT8_MAX + 1] = { 0 }, fails[UINT8_MAX + 1] = { 0 };
    for (uint32_t config = 0; config < space->size; config++) {
        illegal[space->illegal[config]]++;
        if (run->device->conditions && space_is_legal(space, config))
            fails[device_conditions(run->device, w, space, config).failure]++;
    }
    struct table *table = table_of({ TEXT("configurations", "配置"), TABLE_TEXT }, { TEXT("count", "个数"), 0 },
                                   { TEXT("share\n%", "比例\n%"), 1 });
    table_text(table, "%s", tr("legal", "合法"));
    table_numbers(table, illegal[0], 100.0 * illegal[0] / space->size);
    for (int r = 1; r <= space->reasons; r++)
        if (fails[r]) {
            table_text(table, tr("  of them fail: %s", "  其中失败：%s"), tr_text(space->reason[r - 1]));
            table_numbers(table, fails[r], 100.0 * fails[r] / space->size);
        }
    for (int r = 1; r <= space->reasons; r++)
        if (illegal[r]) {
            table_text(table, "%s", tr_text(space->reason[r - 1]));
            table_numbers(table, illegal[r], 100.0 * illegal[r] / space->size);
        }
    table_text(table, "%s", tr("all", "全部"));
    table_numbers(table, space->size, 100);
    report_table(run->report, table,
                 tr("Which configurations can be launched (the first reason counts)",
                    "哪些配置能启动（多个原因记第一个）"));
}

static void rarity_table(struct run *run, const double *slowdown, size_t n)
{
    static const double percents[] = { 1, 2, 5, 10, 20, 50 };
    struct table *table =
        table_of({ TEXT("slower than the\noptimum by at most", "比最优最多慢"), TABLE_TEXT },
                 { TEXT("legal\nconfigurations", "合法配置数"), 0 }, { TEXT("share\n%", "比例\n%"), 3 });
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        size_t count = stats_up_to(slowdown, n, 1 + percents[i] / 100);
        table_text(table, tr("%.0f %%", "%.0f%%"), percents[i]);
        table_numbers(table, (double)count, 100.0 * (double)count / (double)n);
    }
    report_table(run->report, table, NULL);
}

static void percentile_table(struct run *run, const double *slowdown, size_t n)
{
    static const double percents[] = { 0, 1, 10, 25, 50, 75, 90, 99, 100 };
    struct table *table =
        table_of({ TEXT("percentile", "百分位"), TABLE_TEXT }, { TEXT("best", "最好"), 2 }, { TEXT("1", "1"), 2 },
                 { TEXT("10", "10"), 2 }, { TEXT("25", "25"), 2 }, { TEXT("50", "50"), 2 }, { TEXT("75", "75"), 2 },
                 { TEXT("90", "90"), 2 }, { TEXT("99", "99"), 2 }, { TEXT("worst", "最差"), 2 });
    table_text(table, "%s", tr("slowdown", "慢速比"));
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++)
        table_number(table, stats_percentile(slowdown, n, percents[i]));
    report_table(run->report, table, NULL);
}

enum { MOST_VALUES = 32 };

/* What the lecture publishes of HypoGPU's table: BLOCK_K 16, 32, 64, 128 down; num_stages 1 … 7 across. */
static void interaction_facts(struct run *run, const struct landscape *l, const double *slowdown)
{
    static const char *const fact[] = { "landscape.bk16_best_stages", "landscape.bk32_best_stages",
                                        "landscape.bk64_best_stages", "landscape.bk128_best_stages" };
    for (int r = 0; r < 4; r++) {
        uint32_t best = landscape_best_value(l, space_moved(l->space, l->best, BLOCK_K, r), NUM_STAGES);
        facts_number(run->facts, fact[r], space_value(l->space, best, NUM_STAGES), 0);
    }
    facts_number(run->facts, "landscape.bk16_s2", slowdown[1], 3);
    facts_number(run->facts, "landscape.bk16_s3", slowdown[2], 3);
    facts_number(run->facts, "landscape.bk32_s2", slowdown[l->space->knob[NUM_STAGES].count + 1], 3);
}

/* BLOCK_K down, num_stages across, the other knobs at the optimum; the best of each row is marked. */
static void interaction_table(struct run *run, const struct landscape *l, bool published)
{
    int down = space_knob(l->space, "BLOCK_K"), across = space_knob(l->space, "num_stages");
    if (down < 0 || across < 0 || l->space->knob[down].count > MOST_VALUES ||
        l->space->knob[across].count > MOST_VALUES)
        return; /* a recording of something else */
    const struct knob *rows = &l->space->knob[down], *columns = &l->space->knob[across];
    struct text *row_names = matrix_names(rows->count, rows->values);
    struct text *column_names = matrix_names(columns->count, columns->values);
    double slowdown[MOST_VALUES * MOST_VALUES];
    const struct heat matrix = { rows->count, columns->count, row_names, column_names, slowdown, 1, 2.5, 2, true };
    for (int r = 0; r < rows->count; r++) {
        uint32_t row = space_moved(l->space, l->best, down, r);
        for (int c = 0; c < columns->count; c++)
            slowdown[r * columns->count + c] = landscape_slowdown(l, space_moved(l->space, row, across, c));
    }
    report_table(
        run->report, matrix_table(TEXT("BLOCK_K", "BLOCK_K"), &matrix, true),
        tr("Knobs interact: slowdown by num_stages (across), other knobs at the optimum (-: illegal, *: best of the row)",
           "旋钮相互影响：随 num_stages（横）变化的慢速比，其余旋钮取最优（-：非法，*：该行最好）"));
    if (published)
        interaction_facts(run, l, slowdown);
    struct text shape = l->workload.name, title = {
        xformat("%s: slowdown (frame: best of the row; ×: illegal)", shape.en),
        xformat("%s：慢速比（框：该行最好；×：非法）", shape.zh),
    };
    figure_heat(run->figures, "bk_stages", title, TEXT("num_stages", "num_stages"), TEXT("BLOCK_K", "BLOCK_K"),
                &matrix);
    text_free(title);
    matrix_names_free(columns->count, column_names);
    matrix_names_free(rows->count, row_names);
}

/* 1 - (1 - p)^n, the chance that n random trials hit a share p at least once, in percent. */
static double hit_percent(double p, double n) { return 100 * (1 - mathx_exp(n * mathx_log(1 - p))); }

static void luck_table(struct run *run, const struct landscape *l, double good, bool published)
{
    const struct space *space = l->space;
    double p = good / space->legal_count, trials95 = mathx_log(0.05) / mathx_log(1 - p), compile_s = 0, run_s = 0;
    struct table *table =
        table_of({ TEXT("random search, and measuring everything", "随机搜索，以及全部测一遍"), TABLE_TEXT },
                 { TEXT("", ""), TABLE_TEXT });
    for (uint32_t i = 0; i < space->legal_count; i++) {
        double us = l->time_us[space->legal[i]];
        compile_s += device_conditions(run->device, &l->workload, space, space->legal[i]).compile_s;
        run_s += us < INFINITY ? MEASURER_RUNS * us * 1e-6 : 0;
    }
    table_text(table, "%s",
               tr("chance that 1,000 trials hit one within 5 %", "测 1000 次至少碰到一个 5% 以内的概率"));
    table_text(table, tr("%.1f %%", "%.1f%%"), hit_percent(p, 1000));
    table_text(table, "%s", tr("chance that 1,024 trials do", "测 1024 次的概率"));
    table_text(table, tr("%.1f %%", "%.1f%%"), hit_percent(p, 1024));
    table_text(table, "%s", tr("trials for a chance of 95 %", "要有 95% 的把握，测几次"));
    table_text(table, "%.0f", trials95);
    table_text(table, "%s",
               run->device->compiles ? tr("compiling every legal one, as recorded", "编译所有合法配置（按记录的时间）")
                                     : tr("compiling every legal one at 1 s", "编译所有合法配置（每个 1 秒）"));
    table_text(table, tr("%.1f hours", "%.1f 小时"), compile_s / 3600);
    table_text(table, "%s", tr("compiling and running each 100 times", "编译并各运行 100 遍"));
    table_text(table, tr("%.1f hours", "%.1f 小时"), (compile_s + run_s) / 3600);
    report_table(run->report, table, NULL);
    if (published) {
        facts_number(run->facts, "landscape.hit1000_pct", hit_percent(p, 1000), 1);
        facts_number(run->facts, "landscape.samples_for_95", trials95, 0);
        facts_number(run->facts, "landscape.exhaustive_hours", compile_s / 3600, 2);
    }
}

static void histogram(struct run *run, const struct workload *w, const double *slowdown, size_t n)
{
    enum { BINS = 36 };
    double edge[BINS + 1], count[BINS] = { 0 };
    for (int b = 0; b <= BINS; b++)
        edge[b] = mathx_exp(b * mathx_log(100.0) / BINS);
    for (size_t i = 0, b = 0; i < n; i++) {
        while (b + 1 < BINS && slowdown[i] >= edge[b + 1])
            b++;
        count[b] += 1;
    }
    size_t good = stats_up_to(slowdown, n, 1.05);
    char en[128], zh[128];
    struct text mark = text_format("within 5 %%: %zu (%.3f %%)", "5%% 以内：%zu 个（%.3f%%）", good,
                                   100.0 * (double)good / (double)n);
    double middle = stats_median(slowdown, n);
    struct text median = text_format("median: %.1f", "中位数：%.1f", middle);
    struct text title = { xformat("Slowdown of all legal configurations: %s",
                                  workload_label(w, LANG_EN, en, sizeof en)),
                          xformat("所有合法配置的慢速比：%s", workload_label(w, LANG_ZH, zh, sizeof zh)) };
    figure_histogram(run->figures, "slowdown", title,
                     (struct axis){ TEXT("slowdown relative to the optimum (log axis)", "相对最优的慢速比（对数轴）"),
                                    1, 100, 10, "(1,1.5,2,3,5,10,20,50,100)" },
                     TEXT("configurations", "配置数"),
                     &(struct histogram){ BINS, edge, count, { 1.05, middle }, { mark, median } });
    text_free(title);
    text_free(mark);
    text_free(median);
}

/* What the numbers of a configuration are; the caller's to free. */
static char *knob_names(const struct space *space)
{
    if (features_has_program(space))
        return xformat("%s", tr("as in demo 1", "顺序同演示 1"));
    char *names = xformat("%s%s", tr("", " "), space->knob[0].name);
    for (int k = 1; k < space->knobs; k++)
        xappend(&names, ",%s", space->knob[k].name);
    return names;
}

void demo4_terrain(struct run *run)
{
    const struct workload shape = program_shape(run, "square"), *w = &shape;
    const struct space *space = device_space(run->device, w);
    bool published = !run->options->shape && run->device->is_hypogpu;
    struct landscape l = landscape_new(run->device, w, space);
    size_t n;
    double *slowdown = landscape_slowdowns(&l, &n);
    size_t good = stats_up_to(slowdown, n, 1.05);
    char config[1024], label[128], *knobs = knob_names(space);

    report_say(run->report,
               w->m ? tr("Shape: %s. Its optimum: %s (knobs %s), %.1f us.", "形状：%s。最优配置：%s（旋钮%s），%.1f us。")
                    : tr("%s. Its optimum: %s (knobs %s), %.1f us.", "%s。最优配置：%s（旋钮%s），%.1f us。"),
               workload_label(w, text_lang(), label, sizeof label),
               space_format(space, l.best, ',', config, sizeof config), knobs, l.best_us);
    free(knobs);
    count_table(run, w, space);
    rarity_table(run, slowdown, n);
    percentile_table(run, slowdown, n);
    interaction_table(run, &l, published);
    luck_table(run, &l, (double)good, published);
    descent(run, &l, n, slowdown);
    histogram(run, w, slowdown, n);
    if (published) {
        facts_number(run->facts, "space.configs", space->size, 0);
        facts_number(run->facts, "landscape.legal", (double)n, 0);
        facts_number(run->facts, "landscape.within5", (double)good, 0);
        facts_number(run->facts, "landscape.within5_pct", 100.0 * (double)good / (double)n, 4);
        facts_number(run->facts, "landscape.median_slowdown", stats_median(slowdown, n), 3);
    }
    free(slowdown);
    landscape_free(&l);
}

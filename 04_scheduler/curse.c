/* Demo 3: what measured fastest was lucky in part: how much, and what re-measuring repairs (lecture 6.4). */
#include "network.h"
#include <math.h>
#include <stdlib.h>

/* clang-format off */
const struct fact published_curse[] = {
    { "noise.optimistic_tasks", "§6.4", FACT_SEARCH, { "11", "11" }, "11", "11",
      { "tasks measured faster than true", "实测比真实快的任务数" },
      { "this is one round robin, the first; of 20 (--repeats 20) eleven have all 11, eight 10 and one 9.",
        "这只是一次轮流，第一次；20 次（--repeats 20）里 11 个全是的有 11 次，10 个的有 8 次，9 个的有 1 次。" } },
    { "noise.mean_optimism_pct", "§6.4", FACT_SEARCH, { "2.4", "2.4" }, "1.8", "3.0",
      { "mean optimism, %", "平均乐观偏差，%" },
      { "all optimistic, but less so: few configurations of the prefill products are nearly as fast as the best, so luck has little choice there (demo 3).",
        "都偏乐观，只是少一些：预填充的任务里和最好的差不多快的配置很少，运气可挑的不多（演示 3）。" } },
    { "noise.retest_better", "§6.4", FACT_SEARCH, { "6", "6" }, "4", "8",
      { "tasks better after re-measuring", "重测后变好的任务数" }, { 0 } },
    { "noise.retest_worse", "§6.4", FACT_SEARCH, { "0", "0" }, "0", "1",
      { "tasks worse after re-measuring", "重测后变差的任务数" },
      { "they lose a few tenths of a percent: a mean of 5 measurements still has 0.7 % of noise, more than such finalists differ by.",
        "变差的只慢百分之零点几：5 次的平均还有 0.7% 的噪声，比这些候选之间的差别还大。" } },
    { "noise.retest_best_gain_pct", "§6.4", FACT_SEARCH, { "1.0", "1.0" }, "0.4", "2.0",
      { "largest gain of re-measuring, %", "重测的最大改善，%" }, { 0 } },
    { "noise.largest_search_gap_pct", "§6.4", FACT_SEARCH, { "23", "23" }, "15", "31",
      { "largest gap that search left, %", "搜索留下的最大差距，%" },
      { "the luck of the search: it differs from round robin to round robin by more than the band is wide (most search, in demo 3).",
        "搜索的运气：各次轮流之间的差别比范围还宽（演示 3 的“最大搜索”一列）。" } },
    { 0 }
};
/* clang-format on */

enum { FINALISTS = 5 };

/* ---- one round robin, and its finalists measured again ---- */

struct verdict { /* on the choice for one task */
    struct choice first;
    double retested_us; /* true time of the choice after the finalists were measured again */
    double seen_us;     /* the fastest true time among all that was measured */
};

static struct verdict judge(const struct network *n, int repeat, int task)
{
    const int units = BUDGET / TASKS;
    const struct tuning *t = &n->tuning[repeat * TASKS + task];
    size_t count = n->unit * (size_t)units < t->trace.count ? n->unit * (size_t)units : t->trace.count;
    double seconds;
    size_t kept = tuning_finalist(t, count, FINALISTS, &seconds);
    struct verdict v = { network_choice(n, repeat, task, units), INFINITY, INFINITY };
    if (kept < t->trace.count)
        v.retested_us = tuning_true_us(t, kept);
    for (size_t i = 0; i < count; i++)
        v.seen_us = fmin(v.seen_us, tuning_true_us(t, i));
    return v;
}

static void task_table(struct run *run, const struct network *n, const struct verdict *verdicts)
{
    struct table *table = table_of({ TEXT("task", "任务"), TABLE_TEXT }, { TEXT("measured\nus", "实测\nus"), 1 },
                                   { TEXT("true\nus", "真实\nus"), 1 }, { TEXT("optimism\n%", "乐观偏差\n%"), 1 },
                                   { TEXT("retested\nus", "重测后\nus"), 1 }, { TEXT("gain\n%", "改善\n%"), 1 },
                                   { TEXT("gap\n%", "差距\n%"), 1 }, { TEXT("of it\nnoise", "其中\n噪声"), 1 },
                                   { TEXT("of it\nsearch", "其中\n搜索"), 1 });
    for (int i = 0; i < TASKS; i++) {
        const struct verdict *v = &verdicts[i];
        double optimum_us = n->optimum_us[i];
        table_text(table, "%s", network_name(i));
        table_numbers(table, v->first.measured_us, v->first.true_us, choice_optimism(v->first), v->retested_us,
                      100 * (1 - v->retested_us / v->first.true_us), 100 * (v->retested_us / optimum_us - 1),
                      100 * (v->retested_us - v->seen_us) / optimum_us, 100 * (v->seen_us / optimum_us - 1));
    }
    report_table(
        run->report, table, "%s",
        tr("Round robin, first repeat. Retested: the true time after the best 5 were measured 5 times more. Gap: "
           "what is then still over the optimum; noise: a faster one was measured, but not chosen; search: no "
           "faster one was measured",
           "轮流，第一次重复。重测后：最好的 5 个各再测 5 次、重选之后的真实耗时。差距：此时仍比最优多用的时间；噪"
           "声：测过更快的，没选中；搜索：没有测到过更快的"));
}

/* One round robin in numbers. */
enum { OPTIMISTIC, MEAN_OPTIMISM, BETTER, UNCHANGED, WORSE, MOST_GAIN, MOST_SEARCH, END_TO_END, RETESTED, TALLIES };

static void tally(const struct network *n, const struct verdict *verdicts, double out[TALLIES])
{
    double optimum = 0, now = 0, retested = 0;
    for (int i = 0; i < TASKS; i++) {
        const struct verdict *v = &verdicts[i];
        out[OPTIMISTIC] += v->first.measured_us < v->first.true_us;
        out[MEAN_OPTIMISM] += choice_optimism(v->first) / TASKS;
        out[BETTER] += v->retested_us < v->first.true_us;
        out[UNCHANGED] += v->retested_us == v->first.true_us;
        out[WORSE] += v->retested_us > v->first.true_us;
        out[MOST_GAIN] = fmax(out[MOST_GAIN], 100 * (1 - v->retested_us / v->first.true_us));
        out[MOST_SEARCH] = fmax(out[MOST_SEARCH], 100 * (v->seen_us / n->optimum_us[i] - 1));
        optimum += n->count[i] * n->optimum_us[i];
        now += n->count[i] * v->first.true_us;
        retested += n->count[i] * v->retested_us;
    }
    out[END_TO_END] = 100 * optimum / now;
    out[RETESTED] = 100 * optimum / retested;
}

static void tally_facts(struct run *run, const double median[TALLIES])
{
    facts_number(run->facts, "noise.optimistic_tasks", median[OPTIMISTIC], 0);
    facts_number(run->facts, "noise.mean_optimism_pct", median[MEAN_OPTIMISM], 1);
    facts_number(run->facts, "noise.retest_better", median[BETTER], 0);
    facts_number(run->facts, "noise.retest_worse", median[WORSE], 0);
    facts_number(run->facts, "noise.retest_best_gain_pct", median[MOST_GAIN], 1);
    facts_number(run->facts, "noise.largest_search_gap_pct", median[MOST_SEARCH], 0);
}

static void tally_table(struct run *run, const struct network *n, const struct verdict *verdicts)
{
    struct table *table =
        table_of({ TEXT("repeat", "重复"), TABLE_TEXT }, { TEXT("tasks\noptimistic", "偏乐观的\n任务"), 0 },
                 { TEXT("mean\noptimism, %", "平均\n乐观偏差，%"), 1 }, { TEXT("retest:\nbetter", "重测：\n变好"), 0 },
                 { TEXT("\nunchanged", "\n不变"), 0 }, { TEXT("\nworse", "\n变差"), 0 },
                 { TEXT("most\ngain, %", "最大\n改善，%"), 1 }, { TEXT("most\nsearch, %", "最大\n搜索，%"), 1 },
                 { TEXT("end to\nend, %", "端到端\n%"), 1 }, { TEXT("after\nretest", "重测\n后"), 1 });
    size_t repeats = (size_t)n->repeats;
    double(*each)[TALLIES] = xalloc(repeats, sizeof *each), *one = xalloc(repeats, sizeof *one), median[TALLIES];
    for (size_t r = 0; r < repeats; r++) {
        tally(n, verdicts + r * TASKS, each[r]);
        table_text(table, "%zu", r + 1);
        table_add(table, TALLIES, each[r]);
    }
    for (int t = 0; t < TALLIES; t++) {
        for (size_t r = 0; r < repeats; r++)
            one[r] = each[r][t];
        median[t] = stats_median(one, repeats);
    }
    table_text(table, "%s", tr("median", "中位数"));
    table_add(table, TALLIES, median);
    report_table(run->report, table, "%s",
                 tr("The same in every repeat, over its tasks; most search: the largest gap that search left; end to end: "
                    "share of the network's optimum",
                    "每次重复的汇总；最大搜索：搜索留下的最大差距；端到端：达到网络最优的百分比"));
    if (n->unit == UNIT)
        tally_facts(run, median);
    free(one);
    free(each);
}

/* The mean gap to the optimum over all tasks and repeats: before and after the retest, and what search left of it. */
static void say_gap(struct run *run, const struct network *n, const struct verdict *verdicts)
{
    double before = 0, after = 0, search = 0;
    int count = n->repeats * TASKS;
    for (int j = 0; j < count; j++) {
        double optimum_us = n->optimum_us[j % TASKS];
        before += 100 * (verdicts[j].first.true_us / optimum_us - 1) / count;
        after += 100 * (verdicts[j].retested_us / optimum_us - 1) / count;
        search += 100 * (verdicts[j].seen_us / optimum_us - 1) / count;
    }
    report_say(
        run->report,
        tr("The least of many noisy numbers is one whose noise went down. To measure the finalists again costs %d "
           "measurements a task; over all tasks and repeats the mean gap to the optimum is %.1f %% before that and %.1f %% "
           "after. Of that, %.1f is search: nothing faster was ever measured, and no retest can help.",
           "很多个带噪声的数里最小的那个，多半是噪声往下偏的。对候选重测，每个任务只多花 %d 次实测：所有任务、所有重复平均，与最优的"
           "差距原来是 %.1f%%，重测后 %.1f%%。其中 %.1f 是搜索：从来没有测到过更快的，重测帮不上。"),
        FINALISTS * TUNING_RETESTS, before, after, search);
}

static void finalists(struct run *run, const struct network *n)
{
    struct verdict *verdicts = xalloc((size_t)n->repeats * TASKS, sizeof *verdicts);
#pragma omp parallel for schedule(dynamic)
    for (int j = 0; j < n->repeats * TASKS; j++)
        verdicts[j] = judge(n, j / TASKS, j % TASKS);
    task_table(run, n, verdicts);
    tally_table(run, n, verdicts);
    say_gap(run, n, verdicts);
    free(verdicts);
}

void demo3_winners_curse(struct run *run)
{
    const struct network *n = network_played(run);
    finalists(run, n);
    curse_growth(run, n);
}

/* Demo 2: eight ways to share out 44 units, and what comes of each (6.2, 6.3). */
#include "../05_strategies/answers.h"
#include "network.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
const struct fact published_policies[] = {
    { "schedule.units", "§6.3", FACT_EXACT, { "44", "44" }, "44", "44",
      { "units of 64 measurements", "每个 64 次实测的时间单位数" }, { 0 } },
    { "schedule.round_robin_pct", "§6.3", FACT_SEARCH, { "97.6", "97.6" }, "96.6", "98.6",
      { "round robin, end to end, %", "轮流，端到端，%" },
      { "the luck of five repeats, which scatter more than the band is wide (demo 2): over 20 (--repeats 20) the median lies inside it. What a poor repeat lacks is search: after 256 measurements a prefill product is now and then still far off (demo 3).",
        "五次重复的运气，它们之间的差别比范围还宽（演示 2）：重复 20 次（--repeats 20）的中位数落在范围内。差的那几次缺的是搜索：测 256 次后，预填充的任务有时还差得远（演示 3）。" } },
    { "schedule.two_units_pct", "§6.3", FACT_SEARCH, { "about 95", "95 左右" }, "92", "97",
      { "after two units a task, %", "每个任务两个单位后，%" },
      { "after 128 measurements the prefill products are not yet near their optima, and they weigh most; see round robin in demo 4's first table.",
        "测 128 次后预填充的任务离最优还远，而它们占的时间最多；见演示 4 第一张表的“轮流”。" } },
    { "schedule.paper_units_decode_up", "§6.3", FACT_SEARCH, { "25", "25" }, "20", "30",
      { "paper's formula: units to decode up", "照论文公式给解码 FFN 上的单位" }, { 0 } },
    { "schedule.paper_minus_rr", "§6.3", FACT_SEARCH, { "negative", "负" }, "-20", "0",
      { "paper's formula - round robin, points", "论文公式减轮流，百分点" }, { 0 } },
    { "schedule.intensity_pct", "§6.3", FACT_SEARCH, { "97.7", "97.7" }, "96.7", "98.7",
      { "similar = intensity within 4x, %", "相似 = 强度差 4 倍内，%" },
      { "as round robin: the repeats scatter, and the prefill products decide.", "同轮流：各次重复很分散，起决定作用的是预填充的任务。" } },
    { 0 }
};
/* clang-format on */

/* A policy a line: they are named for what they take for similar. */
static void policy_table(struct run *run)
{
    static const struct text next[] = { [SCHEDULER_ROUND_ROBIN] = { "in turn", "轮着来" },
                                        [SCHEDULER_RANDOM] = { "any", "任意一个" },
                                        [SCHEDULER_GRADIENT] = { "by gradient", "梯度最陡的" } },
                             alike[] = { [SIMILAR_NONE] = { "none", "没有" },
                                         [SIMILAR_OP] = { "all matrix products", "所有矩阵乘法" },
                                         [SIMILAR_INTENSITY] = { "FLOP/byte within 4x", "FLOP/字节差 4 倍内" },
                                         [SIMILAR_TAG] = { "FLOP within 1.6x or so", "FLOP 差约 1.6 倍内" } };
    struct table *table = table_of({ TEXT("policy", "策略"), TABLE_TEXT }, { TEXT("--policy", "--policy"), TABLE_TEXT },
                                   { TEXT("who is next", "下一个是谁"), TABLE_TEXT },
                                   { TEXT("its similar tasks", "它的相似任务"), TABLE_TEXT },
                                   { TEXT("evicts", "淘汰"), TABLE_TEXT }, { TEXT("random\n%", "随机\n%"), 0 });
    for (const struct policy *p = policies; p < policies + POLICIES; p++) {
        bool looks = p->rule == SCHEDULER_GRADIENT;
        table_text(table, "%s", tr_text(p->name));
        table_text(table, "%s", looks ? p->id : "-");
        table_text(table, "%s", tr_text(next[p->rule]));
        table_text(table, "%s", looks ? tr_text(alike[p->similarity]) : "-");
        table_text(table, "%s", !looks ? "-" : p->evict ? tr("yes", "是") : tr("no", "否"));
        table_number(table, looks ? 100 * p->epsilon : NAN);
    }
    report_table(run->report, table, "%s", tr("The policies; random: how often one is drawn by chance all the same", "各种策略；随机：有多少次仍随机抽一个"));
}

/* The policies that the tables leave out: twins of an earlier one. */
static void say_twins(struct run *run, const struct network *n)
{
    for (int p = 0; p < POLICIES; p++) {
        char *same = NULL;
        for (int q = p + 1; q < POLICIES; q++)
            if (network_twin(n, AS_IS, q) == p)
                xappend(&same, " = %s", tr_text(policies[q].name));
        if (same)
            report_say(run->report,
                       tr("The same picks in every repeat, so the tables show the first alone: %s%s.",
                          "每次重复的选择都一样，所以表里只列第一个：%s%s。"),
                       tr_text(policies[p].name), same);
        free(same);
    }
}

static void introduce(struct run *run, const struct network *n)
{
    int pairs = 0;
    for (int i = 0; i < TASKS; i++)
        for (int k = 0; k < i; k++)
            pairs += scheduler_tag(n->task[i].flop) == scheduler_tag(n->task[k].flop);
    report_say(run->report,
               tr("%d units of %zu measurements, %d repeats, tuned by %s. First each task gets one unit; who gets the next?",
                  "%d 个单位，每个实测 %zu 次，重复 %d 次，用 %s 调。先每个任务给一个单位；下一个给谁？"),
               BUDGET, n->unit, n->repeats, tr_text(NETWORK_TUNER.title));
    policy_table(run);
    report_say(
        run->report,
        tr("Round robin and random do not look. The gradient guesses how much faster the network gets by one more unit, also from "
           "how fast similar tasks are already; what is similar, the paper leaves open: all, as one may read it; intensity, the "
           "lecture's change; TVM's tag, here %d pairs; or none. Evicts: a task leaves its similar ones once it has had over 5 "
           "units more than any of them and is still over twice as slow, in FLOP/s, as the fastest.",
           "轮流和随机不看情况。梯度估计再给一个单位网络能快多少，也参考相似任务已经多快；什么算相似，论文没有说死：可以读成全部相似；强度是"
           "讲义的改法；TVM 看标签，这里有 %d 对；也可以都不相似。淘汰：任务比任何相似任务都多得 5 个以上单位、FLOP/s 仍不到最快的一半，"
           "就不再和它们相似。"),
        pairs);
    say_twins(run, n);
}

static void units_table(struct run *run, const struct network *n)
{
    struct table *table = policies_table(n, TEXT("units for", "分到的单位"), 0);
    for (int i = 0; i < TASKS; i++) {
        table_text(table, "%s", network_name(i));
        for (int p = 0; p < POLICIES; p++)
            if (network_twin(n, AS_IS, p) == p)
                table_number(table, network_spread(n, AS_IS, p, session_given, i).median);
    }
    report_table(run->report, table,
                 tr("Units that each task got, of %d; median of %d", "每个任务分到的单位，共 %d 个；%d 次的中位数"),
                 BUDGET, n->repeats);
}

/* Simulated minutes that the units of a policy took, mean over the repeats. */
static double minutes(const struct network *n, int policy)
{
    double seconds = 0;
    for (int r = 0; r < n->repeats; r++)
        for (int i = 0; i < TASKS; i++) {
            const struct trace *trace = &n->tuning[r * TASKS + i].trace;
            size_t given = n->unit * (size_t)network_session(n, r, AS_IS, policy)->given[i];
            for (size_t t = 0; t < given && t < trace->count; t++)
                seconds += trace->trial[t].seconds;
        }
    return seconds / 60 / n->repeats;
}

static void share_table(struct run *run, const struct network *n)
{
    struct table *table =
        table_of({ TEXT("policy", "策略"), TABLE_TEXT }, { TEXT("median\n%", "中位数\n%"), 1 },
                 { TEXT("worst\n%", "最差\n%"), 1 }, { TEXT("best\n%", "最好\n%"), 1 },
                 { TEXT("over round\nrobin, points", "比轮流\n百分点"), 1 },
                 { TEXT("repeats\nbetter", "更好的\n次数"), 0 }, { TEXT("90 % at\nunit", "到 90%\n的单位"), 0 },
                 { TEXT("95 % at\nunit", "到 95%\n的单位"), 0 }, { TEXT("takes\nmin", "用时\n分钟"), 1 });
    double median[POLICIES];
    network_medians(n, AS_IS, BUDGET, median);
    for (int p = 0; p < POLICIES; p++) {
        if (network_twin(n, AS_IS, p) != p)
            continue;
        struct spread share = network_spread(n, AS_IS, p, session_share, BUDGET);
        double over = p == ROUND_ROBIN ? NAN : median[p] - median[ROUND_ROBIN], better = p == ROUND_ROBIN ? NAN : 0;
        for (int r = 0; r < n->repeats; r++)
            better += session_share(network_session(n, r, AS_IS, p), BUDGET) >
                      session_share(network_session(n, r, AS_IS, ROUND_ROBIN), BUDGET);
        table_text(table, "%s", tr_text(policies[p].name));
        table_number(table, median[p]);
        if (median[p] == stats_max(median, POLICIES))
            table_best(table);
        table_numbers(table, share.low, share.high, over, better,
                      network_spread(n, AS_IS, p, session_reached, 90).median,
                      network_spread(n, AS_IS, p, session_reached, 95).median, minutes(n, p));
    }
    report_table(
        run->report, table, "%s",
        tr("End to end: share of the network's optimum truly reached; how many repeats end better than round robin's; the unit at "
           "which 90 and 95 % are first reached (-: at least half of the repeats never do; *: the best); minutes of compiling "
           "(1 s each where not recorded) and running",
           "端到端：真正达到网络最优的百分比；有几次重复比轮流好；第几个单位时首次到 90% 和 95%（-：至少一半的重复没有达到，*：最好的）；编译（没有录的按每次 1 秒）加运行的分钟数"));
}

/* ---- a recording beside HypoGPU ---- */

struct outcome { /* on one device */
    double robin, apart; /* the share that round robin reaches, median; how far its repeats lie apart, points */
    double over;         /* the intensity rule's over it, points */
    double decode;       /* mean units that all alike gives the four decode tasks */
    struct most {
        int task;
        double units;
    } alike, intensity; /* who gets most of these two policies, in the mean */
};

static struct most most_of(const struct network *n, enum policy_name policy)
{
    struct most most = { 0, 0 };
    for (int i = 0; i < TASKS; i++) {
        double units = network_spread(n, AS_IS, policy, session_given, i).mean;
        if (units > most.units)
            most = (struct most){ i, units };
    }
    return most;
}

static struct outcome outcome_of(const struct network *n)
{
    struct spread robin = network_spread(n, AS_IS, ROUND_ROBIN, session_share, BUDGET);
    struct outcome o = { .robin = robin.median, .apart = robin.high - robin.low };
    o.over = network_spread(n, AS_IS, INTENSITY, session_share, BUDGET).median - robin.median;
    for (int i = 0; i < TASKS; i++)
        o.decode += network_part(i) == DECODE ? network_spread(n, AS_IS, ALL_ALIKE, session_given, i).mean : 0;
    o.alike = most_of(n, ALL_ALIKE);
    o.intensity = most_of(n, INTENSITY);
    return o;
}

static void answer(struct run *run, const struct network *n)
{
    struct device *gpu = hypogpu_new(HYPOGPU_UNMODELLED);
    struct network *hypo = network_new(run, gpu, n->repeats);
    network_play(run, hypo, 1);
    struct outcome here = outcome_of(n), there = outcome_of(hypo);
    report_say(
        run->report,
        tr("Does the paper's formula pour units into decode here? %s: all alike gives the four decode tasks %.1f of the %d units in "
           "the mean, on HypoGPU %.1f (round robin: %d). Most go to %s, %.1f; on HypoGPU to %s, %.1f.",
           "论文的公式在这里也把单位倒给解码吗？%s：“全部相似”平均给四个解码任务 %.1f 个单位，共 %d 个；HypoGPU 上是 "
           "%.1f（轮流：%d）。最多的是%s，%.1f 个；HypoGPU 上是%s，%.1f 个。"),
        here.decode > BUDGET / 2.0 ? tr("Yes, over half", "是，超过一半") : tr("No", "不"), here.decode, BUDGET,
        there.decode, 4 * BUDGET / TASKS, network_name(here.alike.task), here.alike.units,
        network_name(there.alike.task), there.alike.units);
    report_say(
        run->report,
        tr("Does the intensity rule pay more than on HypoGPU? %s: against round robin it ends at %+.1f points here, %+.1f there, "
           "and gives most to %s, %.1f units; there to %s, %.1f. Round robin itself reaches %.1f %% here and %.1f there, its "
           "repeats %.1f and %.1f points apart: what is left to win is %.1f points here, %.1f there.",
           "强度规则在这里比在 HypoGPU 上更划算吗？%s：它与轮流相差 %+.1f 个百分点，HypoGPU 上是 %+.1f；它给得最多的是%s，%.1f "
           "个单位，HypoGPU 上是%s，%.1f 个。轮流自己在这里达到 %.1f%%，那里 %.1f%%，各次重复相差 %.1f 和 %.1f 个百分点：还能争"
           "取的只有 %.1f 和 %.1f 个百分点。"),
        here.over > there.over ? tr("Yes", "是") : tr("No", "不"), here.over, there.over,
        network_name(here.intensity.task), here.intensity.units, network_name(there.intensity.task),
        there.intensity.units, here.robin, there.robin, here.apart, there.apart, 100 - here.robin, 100 - there.robin);
    network_free(hypo);
    device_close(gpu);
}

/* ---- figures ---- */

/* A row a policy; those that shared out alike are one row. */
static void draw_allocation(struct run *run, const struct network *n)
{
    struct text row[POLICIES], names[TASKS];
    double value[POLICIES * TASKS];
    char *closing[POLICIES];
    int rows = 0;
    for (int p = 0; p < POLICIES; p++) {
        double *units = value + rows * TASKS;
        char *share = xformat("%.1f%%", network_spread(n, AS_IS, p, session_share, BUDGET).median);
        for (int i = 0; i < TASKS; i++)
            units[i] = network_spread(n, AS_IS, p, session_given, i).mean;
        if (rows && !memcmp(units, units - TASKS, TASKS * sizeof *units) && !strcmp(share, closing[rows - 1])) {
            struct text one = row[rows - 1], more = policies[p].name;
            row[rows - 1] = (struct text){ xformat("%s\n%s", one.en, more.en), xformat("%s\n%s", one.zh, more.zh) };
            text_free(one);
            free(share);
        } else {
            closing[rows] = share;
            row[rows++] = (struct text){ xformat("%s", policies[p].name.en), xformat("%s", policies[p].name.zh) };
        }
    }
    for (int i = 0; i < TASKS; i++)
        names[i] = workload_network[i].workload.name;
    struct text title = text_format("%s: who gets the %d units (mean); share of the optimum (median)",
                                    "%s：%d 个单位给了谁（平均）；达到最优的百分比（中位数）", n->device->name, BUDGET);
    figure_stack(run->figures, n->device->is_hypogpu ? "allocation" : "h200_allocation", title,
                 (struct axis){ TEXT("units", "单位"), 0, BUDGET, 0, "0,11,44" },
                 &(struct bars){ rows, TASKS, row, names, value, 0 }, (const char *const *)closing);
    text_free(title);
    for (int r = 0; r < rows; r++) {
        text_free(row[r]);
        free(closing[r]);
    }
}

static void draw_progress(struct run *run, const struct network *n)
{
    enum { POINTS = BUDGET - TASKS + 1, DRAWN = 4 };
    static const enum policy_name drawn[DRAWN] = { ROUND_ROBIN, RANDOM, ALL_ALIKE, INTENSITY };
    double x[POINTS], y[DRAWN][POINTS], low[DRAWN][POINTS], high[DRAWN][POINTS];
    struct series series[DRAWN];
    for (int d = 0; d < DRAWN; d++) {
        for (int i = 0; i < POINTS; i++) {
            struct spread share = network_spread(n, AS_IS, drawn[d], session_share, TASKS + i);
            x[i] = TASKS + i;
            y[d][i] = share.median;
            low[d][i] = share.low;
            high[d][i] = share.high;
        }
        series[d] = (struct series){ policies[drawn[d]].name, POINTS, x, y[d], low[d], high[d] };
    }
    struct text title = text_format("%s: share of the network's optimum (median; worst to best)",
                                    "%s：达到网络最优的百分比（中位数；最差到最好）", n->device->name);
    figure_lines(run->figures, n->device->is_hypogpu ? "schedule" : "h200_schedule", title,
                 (struct axis){ TEXT("units given", "已分的单位"), TASKS, BUDGET, 0, "11,11,44" },
                 (struct axis){ TEXT("share of the network's optimum, %", "达到网络最优的百分比"), 0, 0, 0, NULL },
                 DRAWN, series);
    text_free(title);
}

static void set_facts(struct run *run, const struct network *n)
{
    double median[POLICIES];
    int decode_up = 0;
    network_medians(n, AS_IS, BUDGET, median);
    while (strcmp(workload_network[decode_up].workload.id, "decode_ffn_up"))
        decode_up++;
    facts_number(run->facts, "schedule.units", BUDGET, 0);
    facts_number(run->facts, "schedule.round_robin_pct", median[ROUND_ROBIN], 1);
    facts_number(run->facts, "schedule.two_units_pct",
                 network_spread(n, AS_IS, ROUND_ROBIN, session_share, 2 * TASKS).median, 1);
    facts_number(run->facts, "schedule.paper_units_decode_up",
                 network_spread(n, AS_IS, ALL_ALIKE, session_given, decode_up).median, 0);
    facts_number(run->facts, "schedule.paper_minus_rr", median[ALL_ALIKE] - median[ROUND_ROBIN], 1);
    facts_number(run->facts, "schedule.intensity_pct", median[INTENSITY], 1);
}

void demo2_policies(struct run *run)
{
    const struct network *n = network_played(run);
    struct turn exercise = answer7();
    report_say(run->report,
               tr("Exercise 7 (make exercises), by the formula at the end of this demo: the gradients are %.1f and %.1f us a unit, so task %d is next.",
                  "练习 7（make exercises），按本演示末尾的公式：两个任务的梯度是 %.1f 和 %.1f us/单位，下一个单位给任务 %d。"),
               exercise.gradient[0], exercise.gradient[1], exercise.next + 1);
    introduce(run, n);
    units_table(run, n);
    share_table(run, n);
    gradient_explain(run, n);
    if (!run->device->is_hypogpu)
        answer(run, n);
    gradient_picks(run, n);
    if (n->unit == UNIT)
        set_facts(run, n);
    draw_allocation(run, n);
    draw_progress(run, n);
}

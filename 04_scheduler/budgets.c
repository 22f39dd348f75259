/* Demo 4, beyond the lecture: with how much time, and in which network, a scheduler is worth having (6.3), and what
 * changes when something else than the sum of latencies shall become small (Ansor paper, Table 2). */
#include "network.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEP = 4 };
static const int budgets[SWEEP] = { TASKS, 2 * TASKS, 3 * TASKS, BUDGET };

/* A difference in percentage points, without "-0.0". */
static double points(double a, double b) { return fabs(a - b) < 0.05 ? 0.0 : a - b; }

static void sweep_table(struct run *run, const struct network *n)
{
    double apart[SWEEP], ahead[SWEEP], worst = 0;
    struct table *table = policies_table(n, TEXT("units", "单位"), 1);
    for (int b = 0; b < SWEEP; b++) {
        struct spread round_robin = network_spread(n, AS_IS, ROUND_ROBIN, session_share, budgets[b]);
        double median[POLICIES];
        network_medians(n, AS_IS, budgets[b], median);
        apart[b] = round_robin.high - round_robin.low;
        ahead[b] = points(median[INTENSITY], median[ROUND_ROBIN]);
        worst = fmin(worst, median[ALL_ALIKE] - median[ROUND_ROBIN]);
        table_text(table, "%d", budgets[b]);
        for (int p = 0; p < POLICIES; p++) {
            if (network_twin(n, AS_IS, p) != p)
                continue;
            table_number(table, median[p]);
            if (b > 0 && median[p] == stats_max(median, POLICIES))
                table_best(table);
        }
    }
    report_table(run->report, table,
                 tr("Share of the network's optimum by budget, %%; median of %d (*: the best of the row)",
                    "不同预算下达到网络最优的百分比；%d 次的中位数（*：该行最好）"),
                 n->repeats);
    report_say(
        run->report,
        tr("At %d units no policy has chosen yet. Over round robin, intensity within 4x is %+.1f, %+.1f and %+.1f "
           "points at %d, %d and %d units, while round robin's own repeats lie %.1f, %.1f and %.1f apart.",
           "%d 个单位时，哪种策略都还没做过选择。强度差 4 倍内比轮流多 %+.1f、%+.1f、%+.1f 个百分点（%d、%d、%d 个单位时），"
           "而轮流自己的几次重复就相差 %.1f、%.1f、%.1f。"),
        budgets[0], ahead[1], ahead[2], ahead[3], budgets[1], budgets[2], budgets[3], apart[1], apart[2], apart[3]);
    if (stats_max(ahead + 1, SWEEP - 1) < stats_max(apart + 1, SWEEP - 1) && worst < -1)
        report_say(run->report,
                   tr("Each task is near its best after a few units, whoever gives them; then the luck of search and noise is "
                      "larger than what a scheduler moves. What it can lose is larger: all alike up to %.1f points.",
                      "每个任务分到几个单位就接近自己的最好了，不管是谁给的；之后搜索和噪声的运气比调度器能挪动的还大。它造成的损失可以更"
                      "大：“全部相似”最多 %.1f 个百分点。"),
                   -worst);
}

static void weight_table(struct run *run, const struct network *n)
{
    double as_is[POLICIES], heavy[POLICIES];
    network_medians(n, AS_IS, BUDGET, as_is);
    network_medians(n, HEAVY, BUDGET, heavy);
    struct table *table =
        table_of({ TEXT("policy", "策略"), TABLE_TEXT }, { TEXT("as it is:\nreached, %", "原来：\n达到 %"), 1 },
                 { TEXT("\nover robin", "\n比轮流"), 1 }, { TEXT("10 times:\nreached, %", "10 倍：\n达到 %"), 1 },
                 { TEXT("\nover robin", "\n比轮流"), 1 }, { TEXT("\nits units", "\n它的单位"), 1 });
    double least = BUDGET; /* units that a gradient gives the largest */
    for (int p = 0; p < POLICIES; p++) {
        double units = network_spread(n, HEAVY, p, session_given, (int)n->order[0]).mean;
        least = policies[p].rule == SCHEDULER_GRADIENT ? fmin(least, units) : least;
        if (network_twin(n, AS_IS, p) != p && network_twin(n, HEAVY, p) == network_twin(n, AS_IS, p))
            continue;
        table_text(table, "%s", tr_text(policies[p].name));
        table_numbers(table, as_is[p], p == ROUND_ROBIN ? NAN : points(as_is[p], as_is[ROUND_ROBIN]), heavy[p],
                      p == ROUND_ROBIN ? NAN : points(heavy[p], heavy[ROUND_ROBIN]),
                      units);
    }
    report_table(run->report, table,
                 tr("The network as it is, and with its largest task, %s, running 10 times as often; %d units, "
                    "median of %d. Over robin: points more than round robin; its units: what the largest gets, mean",
                    "原来的网络，以及最大的任务（%s）运行次数变成 10 倍的网络；%d 个单位，%d 次的中位数。比轮流：比轮流多的百分点；它的单位：最大的任务分到的，平均"),
                 network_name((int)n->order[0]), BUDGET, n->repeats);
    if (least > BUDGET / 2)
        report_say(run->report, "%s",
                   tr("With one large bottleneck every gradient gives it most of the time, for w g/t stays the steepest; round "
                      "robin and random do not look at weights.",
                      "有一个大瓶颈时，每种梯度都把大部分时间给它，因为 w g/t 一直最陡；轮流和随机不看权重。"));
    report_say(run->report,
               tr("What that wins is what more units still bring to this one task, less what the others miss: the best of the "
                  "gradients ends at %+.1f points against round robin.",
                  "收益是更多单位还能给这一个任务带来的改善，减去别的任务少得的：最好的梯度与轮流相差 %+.1f 个百分点。"),
               points(stats_max(heavy + ALL_ALIKE, POLICIES - ALL_ALIKE), heavy[ROUND_ROBIN]));
}

/* True latencies of the two networks and the units they got, means over the repeats; returns decode's units. */
static double goal_row(struct table *table, const struct network *n, const char *name, enum goal goal)
{
    double ms[PARTS] = { 0 }, units[PARTS] = { 0 }, unspent = 0;
    for (int r = 0; r < n->repeats; r++) {
        const struct session *s = network_session(n, r, goal, INTENSITY);
        unspent += (double)(BUDGET - s->units) / n->repeats;
        for (int i = 0; i < TASKS; i++) {
            units[network_part(i)] += (double)s->given[i] / n->repeats;
            ms[network_part(i)] += n->count[i] * s->true_us[i] / 1e3 / n->repeats;
        }
    }
    table_text(table, "%s", name);
    table_numbers(table, units[PREFILL], units[DECODE], unspent, ms[PREFILL], ms[DECODE], ms[PREFILL] + ms[DECODE]);
    return units[DECODE];
}

static void goal_table(struct run *run, const struct network *n)
{
    char *enough = xformat(tr("f2: %.1f and %.1f ms are enough", "f2：%.1f 和 %.1f ms 就够"), n->enough_us[PREFILL] / 1e3,
                           n->enough_us[DECODE] / 1e3);
    struct table *table =
        table_of({ TEXT("what shall become small", "优化什么"), TABLE_TEXT },
                 { TEXT("units to\nprefill", "预填充\n单位"), 1 }, { TEXT("units to\ndecode", "解码\n单位"), 1 },
                 { TEXT("not\nspent", "未用的\n单位"), 1 }, { TEXT("prefill\nms", "预填充\nms"), 2 },
                 { TEXT("decode\nms", "解码\nms"), 2 }, { TEXT("sum\nms", "合计\nms"), 2 });
    double f1 = goal_row(table, n, tr("f1: sum of latencies", "f1：延迟之和"), AS_IS);
    goal_row(table, n, enough, REQUIREMENT);
    double f3 = goal_row(table, n, tr("f3: geometric mean speedup", "f3：几何平均加速"), SPEEDUP);
    goal_row(table, n, tr("f4: f1, 3 units of patience", "f4：f1，3 个单位没进步就停"), PATIENCE);
    free(enough);
    report_table(run->report, table,
                 tr("The paper's objectives, for prefill (with LoRA) and decode as two networks: intensity within "
                    "4x, true latencies, mean of %d (enough: 10 %% over the optimum)",
                    "论文里的几种目标，把预填充（含 LoRA）和解码当成两个网络：强度差 4 倍内，真实延迟，%d 次的平均（够：比最优多 10%%）"),
                 n->repeats);
    report_say(
        run->report,
        tr("f2 stops when the measured latencies are low enough: the true ones may still be a little higher (demo "
           "3). f3 is the geometric mean of the speedups: a halved latency counts the same in both networks, however "
           "short they are%s. f4 gives nothing more to a task that stands still.",
           "f2 在实测延迟够低时就停：真实的可能还高一点（演示 3）。f3 是加速比的几何平均：两个网络延迟减半的价值一样，不"
           "管网络长短%s。f4 不再给停滞的任务分单位。"),
        f3 > f1 ? tr(", so decode gets more than in f1", "，所以解码分到的比 f1 多") : "");
}

void demo4_budgets(struct run *run)
{
    const struct network *n = network_played(run);
    sweep_table(run, n);
    weight_table(run, n);
    goal_table(run, n);
}

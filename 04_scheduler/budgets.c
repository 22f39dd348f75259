/* Demo 4, beyond the lecture: with how much time, and in which network, a scheduler is worth having (6.3), and what
 * changes when something else than the sum of latencies shall become small (Ansor paper, Table 2). */
#include "network.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEP = 4 };
static const int budgets[SWEEP] = { TASKS, 2 * TASKS, 4 * TASKS, 8 * TASKS };

/* median [POLICIES] of the shares after so many units. */
static void medians(const struct sessions *all, int units, double *median)
{
    for (int p = 0; p < POLICIES; p++)
        median[p] = sessions_spread(all, p, session_share, units).median;
}

/* A difference in percentage points, without "-0.0". */
static double points(double a, double b) { return fabs(a - b) < 0.05 ? 0.0 : a - b; }

/* ---- how much time ---- */

static void sweep_table(struct run *run, struct network *n)
{
    const struct objective objective = { OBJECTIVE_LATENCY, 1, n->count, NULL, 0 };
    struct sessions all = sessions_run(run, n, &objective, budgets[SWEEP - 1]);
    double apart[SWEEP], ahead[SWEEP];
    struct table *table = policies_table(TEXT("units", "单位"), 1);
    for (int b = 0; b < SWEEP; b++) {
        struct spread round_robin = sessions_spread(&all, ROUND_ROBIN, session_share, budgets[b]);
        double median[POLICIES];
        medians(&all, budgets[b], median);
        apart[b] = round_robin.high - round_robin.low;
        ahead[b] = points(median[INTENSITY], median[ROUND_ROBIN]);
        table_text(table, "%d", budgets[b]);
        for (int p = 0; p < POLICIES; p++) {
            table_number(table, median[p]);
            if (b > 0 && median[p] == stats_max(median, POLICIES))
                table_best(table);
        }
    }
    report_print(run->report, table,
                 tr("Share of the network's optimum by budget, %%; median of %d (*: the best of the row)",
                    "不同预算下达到网络最优的百分比；%d 次的中位数（*：该行最好）"),
                 n->repeats);
    report_say(
        run->report,
        tr("At %d units no policy has chosen yet. Over round robin, intensity within 4x is %+.1f, %+.1f and %+.1f "
           "points at %d, %d and %d units, while round robin's own repeats lie %.1f, %.1f and %.1f apart. Each task "
           "is near its best after a few units, whoever gives them; then the luck of search and noise is larger than "
           "what a scheduler moves. What it can lose is large: see all alike.",
           "%d 个单位时，哪种策略都还没做过选择。强度差 4 倍内比轮流多 %+.1f、%+.1f、%+.1f 个百分点（%d、%d、%d 个单位时），"
           "而轮流自己的几次重复就相差 %.1f、%.1f、%.1f。每个任务分到几个单位就接近自己的最好了，不管是谁给的；之后搜"
           "索和噪声的运气比调度器能挪动的还大。但它造成的损失可以很大：看“全部相似”。"),
        budgets[0], ahead[1], ahead[2], ahead[3], budgets[1], budgets[2], budgets[3], apart[1], apart[2], apart[3]);
    sessions_free(&all);
}

/* ---- which network ---- */

static int largest_task(const struct network *n)
{
    int largest = 0;
    for (int i = 1; i < TASKS; i++)
        if (n->count[i] * n->optimum_us[i] > n->count[largest] * n->optimum_us[largest])
            largest = i;
    return largest;
}

static void weight_table(struct run *run, struct network *n)
{
    const struct column columns[] = {
        { TEXT("policy", "策略"), TABLE_TEXT },
        { TEXT("as it is\n%", "原来\n%"), 1 },
        { TEXT("over round\nrobin, points", "比轮流\n百分点"), 1 },
        { TEXT("10 times\n%", "10 倍\n%"), 1 },
        { TEXT("over round\nrobin, points", "比轮流\n百分点"), 1 },
        { TEXT("units that\nit gets", "它分到的\n单位"), 1 },
    };
    int largest = largest_task(n);
    double weight[TASKS], as_is[POLICIES], heavy[POLICIES];
    memcpy(weight, n->count, sizeof weight);
    weight[largest] *= 10;
    const struct objective once = { OBJECTIVE_LATENCY, 1, n->count, NULL, 0 };
    const struct objective ten = { OBJECTIVE_LATENCY, 1, weight, NULL, 0 };
    struct sessions before = sessions_run(run, n, &once, BUDGET), after = sessions_run(run, n, &ten, BUDGET);
    medians(&before, BUDGET, as_is);
    medians(&after, BUDGET, heavy);
    struct table *table = table_new(6, columns);
    for (int p = 0; p < POLICIES; p++) {
        table_text(table, "%s", tr_text(policies[p].name));
        table_numbers(table, as_is[p], p == ROUND_ROBIN ? NAN : points(as_is[p], as_is[ROUND_ROBIN]), heavy[p],
                      p == ROUND_ROBIN ? NAN : points(heavy[p], heavy[ROUND_ROBIN]),
                      sessions_spread(&after, p, session_given, largest).mean);
    }
    report_print(run->report, table,
                 tr("The network as it is, and with its largest task, %s, running 10 times as often; %d units, "
                    "median of %d",
                    "原来的网络，以及最大的任务（%s）运行次数变成 10 倍的网络；%d 个单位，%d 次的中位数"),
                 network_name(largest), BUDGET, n->repeats);
    report_say(
        run->report, "%s",
        tr("With one large bottleneck every gradient gives it most of the time, for w g/t stays the steepest; round "
           "robin and random do not look at weights. What that wins is what more units still bring to this one task, "
           "less what the others miss.",
           "有一个大瓶颈时，每种梯度都把大部分时间给它，因为 w g/t 一直最陡；轮流和随机不看权重。收益是更多单位还能给"
           "这一个任务带来的改善，减去别的任务少得的。"));
    sessions_free(&after);
    sessions_free(&before);
}

/* ---- what shall become small ---- */

enum { PREFILL, DECODE, NETWORKS }; /* two networks that a server tunes together; LoRA runs in the prefill */

static int network_of(int task)
{
    return strncmp(workload_network[task].workload.id, "decode", 6) ? PREFILL : DECODE;
}

/* What @triton.autotune finds with the slides' list of 24: the latencies that speedups are counted from. */
static void reference_us(const struct network *n, double *us)
{
    const struct space *space = n->device->space;
    uint32_t list[TRITON_LIST];
    triton_list(space, list);
    us[PREFILL] = us[DECODE] = 0;
    for (int i = 0; i < TASKS; i++) {
        double best_us = INFINITY;
        for (int k = 0; k < TRITON_LIST; k++)
            best_us = fmin(best_us, device_time_us(n->device, &workload_network[i].workload, space, list[k]));
        us[network_of(i)] += n->count[i] * best_us;
    }
}

/* True latencies of the two networks and the units they got, means over the repeats. */
static void objective_row(struct table *table, struct network *n, struct text name, const struct objective *objective)
{
    int repeats = n->repeats;
    double ms[NETWORKS] = { 0 }, units[NETWORKS] = { 0 }, unspent = 0;
    struct session *sessions = xalloc((size_t)repeats, sizeof *sessions);
#pragma omp parallel for schedule(dynamic)
    for (int r = 0; r < repeats; r++)
        sessions[r] = session_run(n, r, &policies[INTENSITY], objective, BUDGET);
    for (int r = 0; r < repeats; r++) {
        unspent += (double)(BUDGET - sessions[r].units) / repeats;
        for (int i = 0; i < TASKS; i++) {
            int given = sessions[r].given[i];
            units[network_of(i)] += (double)given / repeats;
            ms[network_of(i)] += n->count[i] * network_choice(n, r, i, given).true_us / 1e3 / repeats;
        }
        session_free(&sessions[r]);
    }
    free(sessions);
    table_text(table, "%s", tr_text(name));
    table_numbers(table, units[PREFILL], units[DECODE], unspent, ms[PREFILL], ms[DECODE], ms[PREFILL] + ms[DECODE]);
}

static void objective_table(struct run *run, struct network *n)
{
    const struct column columns[] = {
        { TEXT("what shall become small", "优化什么"), TABLE_TEXT },
        { TEXT("units to\nprefill", "预填充\n单位"), 1 },
        { TEXT("units to\ndecode", "解码\n单位"), 1 },
        { TEXT("not\nspent", "没用的\n单位"), 1 },
        { TEXT("prefill\nms", "预填充\nms"), 2 },
        { TEXT("decode\nms", "解码\nms"), 2 },
        { TEXT("sum\nms", "合计\nms"), 2 },
    };
    static const double required_us[NETWORKS] = { 30e3, 10e3 };
    double weight[NETWORKS * TASKS] = { 0 }, references[NETWORKS];
    for (int i = 0; i < TASKS; i++)
        weight[network_of(i) * TASKS + i] = n->count[i];
    reference_us(n, references);
    struct table *table = table_new(7, columns);
    objective_row(table, n, TEXT("f1: sum of latencies", "f1：延迟之和"),
                  &(struct objective){ OBJECTIVE_LATENCY, NETWORKS, weight, NULL, 0 });
    objective_row(table, n, TEXT("f2: 30 ms and 10 ms are enough", "f2：30 ms 和 10 ms 就够"),
                  &(struct objective){ OBJECTIVE_REQUIREMENT, NETWORKS, weight, required_us, 0 });
    objective_row(table, n, TEXT("f3: mean speedup over Triton", "f3：相对 Triton 的平均加速"),
                  &(struct objective){ OBJECTIVE_SPEEDUP, NETWORKS, weight, references, 0 });
    objective_row(table, n, TEXT("f4: f1, 3 units of patience", "f4：f1，3 个单位没进步就停"),
                  &(struct objective){ OBJECTIVE_LATENCY, NETWORKS, weight, NULL, 3 });
    report_print(run->report, table,
                 tr("The paper's objectives, for prefill (with LoRA) and decode as two networks: intensity within "
                    "4x, true latencies, mean of %d",
                    "论文里的几种目标，把预填充（含 LoRA）和解码当成两个网络：强度差 4 倍内，真实延迟，%d 次的平均"),
                 n->repeats);
    report_say(
        run->report, "%s",
        tr("f2 stops when the measured latencies are low enough: the true ones may still be a little higher (demo "
           "3). f3 counts a halved latency the same in both networks, however short they are, so decode gets more "
           "than in f1. f4 gives nothing more to a task that stands still.",
           "f2 在实测延迟够低时就停：真实的可能还高一点（演示 3）。f3 里两个网络延迟减半的价值一样，不管网络长短，所"
           "以解码分到的比 f1 多。f4 不再给停滞的任务分单位。"));
}

void demo4_budgets(struct run *run)
{
    if (!program_needs_hypogpu(run))
        return;
    struct network *n = network_shared(run);
    sweep_table(run, n);
    weight_table(run, n);
    objective_table(run, n);
}

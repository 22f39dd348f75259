/* Demo 2's last part: why the paper's rule keeps giving to a task that cannot get faster. The gradient (6.2) taken
 * apart: of one pick, and with --why or --policy of every pick. */
#include "network.h"
#include "base/die.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Both terms of every task as they stood before one pick. */
static struct table *gradient_table(const struct network *n, const struct session *s, int unit)
{
    struct table *table =
        table_of({ TEXT("task", "任务"), TABLE_TEXT }, { TEXT("w", "w"), 0 }, { TEXT("t", "t"), 0 },
                 { TEXT("g\nus", "g\nus"), 1 }, { TEXT("looking back\nus", "向后看\nus"), 1 },
                 { TEXT("-g/t\nus", "-g/t\nus"), 1 }, { TEXT("as the similar\nus", "像相似任务\nus"), 1 },
                 { TEXT("gradient\nus/unit", "梯度\nus/单位"), 0 });
    int given[TASKS] = { 0 };
    for (int u = 0; u < unit; u++)
        given[s->step[u].pick.task]++;
    for (int i = 0; i < TASKS; i++) {
        const struct gradient *g = &s->step[unit].gradient[i];
        table_text(table, "%s", network_name(i));
        table_numbers(table, n->count[i], given[i], -g->alone * given[i], g->backward, g->alone, g->alike, g->total);
        if (i == s->step[unit].pick.task)
            table_best(table);
    }
    return table;
}

/* The lecture's formula and, below it, its numbers for the task that got a unit. */
static void show_formula(struct run *run, const struct network *n, const struct session *s, int unit)
{
    const struct scheduler_settings set = scheduler_defaults(SIMILAR_OP);
    const int i = s->step[unit].pick.task, window = set.window;
    const struct gradient *g = &s->step[unit].gradient[i];
    double now = -g->alone, like = g->alike, hope = fmin(g->alone, g->alike);
    int given = 0;
    for (int u = 0; u < unit; u++)
        given += s->step[u].pick.task == i;
    now *= given;
    char *text = xformat("df/dt = w (a (g(t) - g(t - %d)) / %d + (1 - a) min(-g(t) / t, b C / V - g(t)))\n"
                         "      = %.0f (%.1f (%.1f - %.1f) / %d + %.1f min(-%.1f / %d, %.1f - %.1f))\n"
                         "      = %.0f (%.1f x %.1f + %.1f min(%.1f, %.1f))\n"
                         "      = %.0f (%.1f - %.1f) = %.0f\n",
                         window, window, g->chain, set.alpha, now, now - window * g->backward, window, 1 - set.alpha,
                         now, given, like + now, now, g->chain, set.alpha, g->backward, 1 - set.alpha, g->alone, like,
                         g->chain, set.alpha * g->backward, -(1 - set.alpha) * hope, g->total);
    report_say(run->report,
               tr("The formula (6.2) with its numbers for %s, in us a unit: a = %.1f; b = %.0f; C = %.2f GFLOP, what the "
                  "task computes; V = %.0f TFLOP/s, the most of any similar task, so that b C / V = %.1f us, the time at "
                  "1/b of that speed:",
                  "公式（6.2）代入%s的数，单位 us/单位：a = %.1f；b = %.0f；C = %.2f GFLOP，任务的计算量；V = %.0f TFLOP/s，相"
                  "似任务里最高的吞吐，所以 b C / V = %.1f us，即只有它 1/b 的速度时的时间："),
               network_name(i), set.alpha, set.beta, n->task[i].flop / 1e9,
               set.beta * n->task[i].flop / (like + now) / 1e6, like + now);
    report_verbatim(run->report, text);
    free(text);
}

/* The paper's reading at its last choice in the first repeat that was not drawn by chance. */
void gradient_explain(struct run *run, const struct network *n)
{
    const struct session *s = network_session(n, 0, AS_IS, ALL_ALIKE);
    int unit = s->units - 1;
    while (unit >= TASKS && s->step[unit].pick.reason != PICK_GRADIENT)
        unit--;
    if (unit < TASKS)
        return;
    report_table(
        run->report, gradient_table(n, s, unit),
        tr("All alike, first repeat: what the scheduler saw before it gave away unit %d (w: runs in one pass, t: units so far, g: "
           "latency, looking back: change a unit over the last 3, 0 until there are more, *: its choice)",
           "全部相似，第一次重复：调度器分第 %d 个单位之前看到的（w：一遍里运行几次，t：已得的单位，g：延迟，向后看：最近 3 个单位里每单位的变化，不足时为 0，*：它的选择）"),
        unit + 1);
    show_formula(run, n, s, unit);
    int choice = s->step[unit].pick.task, above = 0;
    const struct gradient *all = s->step[unit].gradient, *g = &all[choice];
    for (int i = 1; i < TASKS; i++)
        above = all[i].alike > all[above].alike ? i : above;
    report_say(
        run->report,
        tr("gradient = w (0.2 looking back + 0.8 the lower, the more negative, of the next two columns). The choice is %s: with "
           "half the FLOP/s of the fastest task it would be %.0f us faster.",
           "梯度 = w（0.2 x 向后看 + 0.8 x 后两列里更低、也就是更负的那个）。选中的是%s：就算只达到最快任务一半的 FLOP/s，它也该快 %.0f us。"),
        network_name(choice), -g->alike);
    if (all[above].alike > 0)
        report_say(run->report,
                   tr("A positive entry, such as %s's %.1f: the task already does more than half of the fastest one's FLOP/s and "
                      "would be slower with half, so the comparison promises nothing, and -g/t, always negative, counts.",
                      "正数，例如%s的 %.1f：这个任务的 FLOP/s 已经超过最快任务的一半，降到一半反而更慢，所以和别人比没有盼头，算数的是 -g/t，"
                      "它总是负的。"),
                   network_name(above), all[above].alike);
    if (g->alike < g->alone && n->task[choice].intensity < n->ridge)
        report_say(run->report, "%s",
                   tr("A task bound by memory never gets there, so its hope stays as it is, while -g/t shrinks with every unit: "
                      "such a task goes on getting units for nothing.",
                      "受访存限制的任务永远到不了，所以它的期望一直不变，而 -g/t 每得一个单位就变小：这样的任务会一直白白得到单位。"));
}

/* ---- every pick ---- */

/* The task whose gradient is the steepest but for the chosen one's. */
static int runner_up(const struct session *s, int unit)
{
    int second = -1;
    for (int i = 0; i < TASKS; i++)
        if (i != s->step[unit].pick.task &&
            (second < 0 || s->step[unit].gradient[i].total < s->step[unit].gradient[second].total))
            second = i;
    return second;
}

/* --why: one row a pick. */
static void pick_table(struct run *run, const struct policy *policy, const struct session *s)
{
    struct table *table =
        table_of({ TEXT("unit", "单位"), TABLE_TEXT }, { TEXT("goes to", "给"), TABLE_TEXT }, { TEXT("t", "t"), 0 },
                 { TEXT("looking\nback, us", "向后看\nus"), 1 }, { TEXT("-g/t\nus", "-g/t\nus"), 1 },
                 { TEXT("as the\nsimilar, us", "像相似任务\nus"), 1 },
                 { TEXT("gradient\nus/unit", "梯度\nus/单位"), 0 }, { TEXT("next best", "第二名"), TABLE_TEXT });
    int given[TASKS] = { 0 };
    for (int u = 0; u < s->units; u++) {
        struct pick pick = s->step[u].pick;
        const struct gradient *g = &s->step[u].gradient[pick.task];
        int t = given[pick.task]++;
        if (pick.reason == PICK_WARM_UP)
            continue;
        table_text(table, "%d", u + 1);
        table_text(table, "%s%s", network_name(pick.task), pick.reason == PICK_CHANCE ? " ?" : "");
        table_numbers(table, t, g->backward, g->alone, g->alike, g->total);
        table_text(table, "%s", network_name(runner_up(s, u)));
    }
    report_table(run->report, table,
                 tr("%s, first repeat: every pick after the warm-up (?: drawn by chance)",
                    "%s，第一次重复：热身之后的每一次选择（?：随机抽到的）"),
                 tr_text(policy->name));
}

/* --policy: one of those that follow the gradient; another name ends the program. */
void gradient_check(const char *name)
{
    char *names = NULL;
    for (const struct policy *p = policies; p < policies + POLICIES; p++)
        if (p->rule == SCHEDULER_GRADIENT) {
            if (!strcmp(name, p->id))
                return;
            xappend(&names, "%s%s", names ? ", " : "", p->id);
        }
    die("--policy %s: expected one of %s", name, names);
}

static bool wants_picks(const struct options *o, const struct policy *p)
{
    return o->policy ? !strcmp(o->policy, p->id) : o->why;
}

void gradient_picks(struct run *run, const struct network *n)
{
    for (int p = 0; p < POLICIES; p++)
        if (policies[p].rule == SCHEDULER_GRADIENT && wants_picks(run->options, &policies[p]))
            pick_table(run, &policies[p], network_session(n, 0, AS_IS, p));
}

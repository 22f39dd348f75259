/* Demo 4, its last table: where a search that turns one knob at a time ends (lecture 1.3). */
#include "landscape.h"
#include "device/terrain.h"
#include <math.h>
#include <stdlib.h>

enum { STARTS = 1000 };

/* Ends of 1000 descents that set one knob after another to its best value: their slowdowns, ascending; returns how many
 * differ. */
static int turns(struct run *run, const struct landscape *l, double *slowdown)
{
    struct rng rng = rng_stream(run->options->seed, "01.descent", 0);
    uint32_t ends[STARTS], *runs = xalloc(l->space->legal_count, sizeof *runs), count = 0;
    int distinct = 0;
    for (uint32_t i = 0; i < l->space->legal_count; i++)
        if (l->time_us[l->space->legal[i]] < INFINITY)
            runs[count++] = l->space->legal[i];
    for (int i = 0; i < STARTS; i++) {
        ends[i] = landscape_descend(l, runs[rng_below(&rng, count)]);
        slowdown[i] = landscape_slowdown(l, ends[i]);
        int j = 0;
        while (ends[j] != ends[i])
            j++;
        distinct += j == i;
    }
    free(runs);
    stats_sort(slowdown, STARTS);
    return distinct;
}

static double percent_up_to(const double *ascending, size_t n, double limit)
{
    return 100.0 * (double)stats_up_to(ascending, n, limit) / (double)n;
}

static const double limits[] = { 1.05, 1.1, 1.2 };

static void add_terrain(struct table *table, const struct terrain *t, const char *name)
{
    const double *of[] = { t->ends, t->centrality };
    for (int i = 0; i < 2; i++) {
        table_text(table, "%s", i ? tr("  by PageRank", "  按 PageRank") : name);
        if (i)
            table_none(table);
        else
            table_number(table, (double)t->minima);
        for (int k = 0; k < 3; k++)
            table_number(table, 100 * terrain_within(t, of[i], limits[k]));
    }
}

void descent(struct run *run, const struct landscape *l, size_t n, const double *slowdown)
{
    struct terrain any = terrain_new(l, ANY_VALUE), next = terrain_new(l, ADJACENT_VALUE);
    double ends[STARTS];
    int distinct = turns(run, l, ends);
    struct table *table =
        table_of({ TEXT("one knob at a time", "一次只动一个旋钮"), TABLE_TEXT }, { TEXT("ends", "终点数"), 0 },
                 { TEXT("within 5 %\n%", "5% 以内\n%"), 2 }, { TEXT("within 10 %\n%", "10% 以内\n%"), 2 },
                 { TEXT("within 20 %\n%", "20% 以内\n%"), 2 });
    table_text(table, "%s", tr("no descent: a random one that runs", "不下降：随机取一个能运行的"));
    table_none(table);
    for (int k = 0; k < 3; k++)
        table_number(table, percent_up_to(slowdown, n, limits[k]));
    table_text(table, tr("knobs in turn, to the best value (%d starts)", "逐个旋钮调到最好（%d 个起点）"), STARTS);
    table_number(table, distinct);
    for (int k = 0; k < 3; k++)
        table_number(table, percent_up_to(ends, STARTS, limits[k]));
    add_terrain(table, &any, tr("to any faster value", "换成任意更快的取值"));
    add_terrain(table, &next, tr("to a faster next value", "换成更快的相邻取值"));
    report_table(run->report, table,
                 tr("Descents by exact times from random starts: share that ends within so much of the optimum",
                    "从随机起点按精确耗时下降：停在离最优多近以内的比例"));
    report_say(
        run->report,
        tr("A local minimum is where no change of one knob helps: %zu, or %zu if a knob moves only to its next value. A descent goes "
           "to a faster neighbour, each as likely, until it is in one; chance and length (%.1f moves, %.1f) are exact, without a "
           "draw. PageRank: the same walk, but with chance %.2f a move it starts anew; its share on good minima is "
           "Schoonhoven et al.'s measure of how easy a space is. With knobs in turn, the median end takes %.2f times the optimum's "
           "time, the worst %.2f.%s",
           "局部最优：只改一个旋钮怎么改都不会更快的配置，共 %zu 个；旋钮只能换成相邻取值时有 %zu 个。下降：每步等概率换到一个更快的邻居，直到停在局部最优；"
           "概率和步数（%.1f 步、%.1f 步）都是精确算出的，没有抽样。PageRank：同样的走法，但每步以 %.2f 的概率重新开始；"
           "它落在好的局部最优上的比例，就是 Schoonhoven 等人衡量空间难易的指标。逐个旋钮时终点慢速比的中位数是 %.2f，最差 %.2f。%s"),
        any.minima, next.minima, any.moves, next.moves, 1 - TERRAIN_DAMPING, stats_median(ends, STARTS),
        ends[STARTS - 1],
        any.minima == 1 ? ""
                        : tr(" So a tuner that turns knobs singly gets stuck in local minima.",
                             "一个旋钮一个旋钮地调会卡在局部最优。"));
    terrain_free(&next);
    terrain_free(&any);
}

/* descents.c - where one knob at a time ends on both devices, shape by shape (lecture 1.3). */
#include "claims.h"
#include "device/terrain.h"

enum { BOTH = 2, LIMITS = 3 };
static const double limits[LIMITS] = { 1.05, 1.1, 1.2 };

/* What is left of a terrain. */
struct descents {
    size_t minima;
    double ends[LIMITS], centrality[LIMITS]; /* %, within each limit */
};

static struct descents look(const struct device *device, const struct workload *w)
{
    struct landscape l = landscape_new(device, w, device->space);
    struct terrain t = terrain_new(&l, ANY_VALUE);
    struct descents d = { .minima = t.minima };
    for (int i = 0; i < LIMITS; i++) {
        d.ends[i] = 100 * terrain_within(&t, t.ends, limits[i]);
        d.centrality[i] = 100 * terrain_within(&t, t.centrality, limits[i]);
    }
    terrain_free(&t);
    landscape_free(&l);
    return d;
}

static void say(struct run *run, const struct device *const device[BOTH], const struct workload *shapes,
                const struct descents (*d)[BOTH])
{
    int fewer = 0, easier = 0, hardest[BOTH] = { 0 };
    for (int s = 0; s < SHAPES; s++) {
        fewer += d[s][1].minima < d[s][0].minima;
        easier += d[s][1].ends[1] > d[s][0].ends[1];
        for (int i = 0; i < BOTH; i++)
            if (d[s][i].ends[1] < d[hardest[i]][i].ends[1])
                hardest[i] = s;
    }
    report_say(
        run->report,
        tr("Descents go to a faster value of any one knob, each as likely, from a random start, and end in local minima "
           "(exact; 01_landscape, demo 4). On %d of the %d shapes the recording has fewer of them, in a space of %u "
           "instead of %u configurations; on %d more of its descents end within 10 %%. Hardest by that: %s on %s, %s "
           "on %s.",
           "下降：从随机起点出发，每步等概率换成某一个旋钮的更快取值，停在局部最优（精确值；01_landscape 演示 4）。%d 个（共 %d 个）"
           "形状上录制的 GPU 局部最优更少，它的空间有 %u 个配置，另一个有 %u 个；%d 个形状上它停在 10%% 以内的下降更多。按这个算最难的："
           "%s（%s）和%s（%s）。"),
        fewer, SHAPES, device[1]->space->size, device[0]->space->size, easier, tr_text(shapes[hardest[0]].name),
        device[0]->name, tr_text(shapes[hardest[1]].name), device[1]->name);
}

void descents_show(struct run *run, const struct device *const device[2], const struct workload *shapes)
{
    struct descents d[SHAPES][BOTH];
    struct text names[SHAPES], bars[BOTH];
    double within10[SHAPES * BOTH];
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < SHAPES * BOTH; i++)
        d[i / BOTH][i % BOTH] = look(device[i % BOTH], &shapes[i / BOTH]);
    struct table *table =
        table_of({ TEXT("shape", "形状"), TABLE_TEXT }, { TEXT("local\nminima", "局部\n最优"), 0 },
                 { TEXT("ends, %\nin 5 %", "终点 %\n5% 内"), 1 }, { TEXT("ends, %\nin 10 %", "终点 %\n10% 内"), 1 },
                 { TEXT("ends, %\nin 20 %", "终点 %\n20% 内"), 1 },
                 { TEXT("rank, %\nin 5 %", "PageRank %\n5% 内"), 1 },
                 { TEXT("rank, %\nin 10 %", "PageRank %\n10% 内"), 1 },
                 { TEXT("rank, %\nin 20 %", "PageRank %\n20% 内"), 1 });
    for (int i = 0; i < SHAPES * BOTH; i++) {
        const struct descents *at = &d[i / BOTH][i % BOTH];
        const struct device *on = device[i % BOTH];
        names[i / BOTH] = TEXT(shapes[i / BOTH].id, shapes[i / BOTH].name.zh);
        bars[i % BOTH] = TEXT(on->name, on->name);
        within10[i] = at->ends[1];
        table_text(table, "%s%s%s", tr_text(shapes[i / BOTH].name), tr(": ", "："), on->name);
        table_number(table, (double)at->minima);
        table_add(table, LIMITS, at->ends);
        table_add(table, LIMITS, at->centrality);
    }
    report_table(
        run->report, table,
        tr("One knob at a time: the share of descents that end within so much of the optimum, and of the PageRank",
           "一次只动一个旋钮：停在离最优多近以内的下降的比例，和 PageRank 的比例"));
    say(run, device, shapes, (const struct descents(*)[BOTH])d);
    figure_bars(run->figures, "h200_descents",
                TEXT("One knob at a time: descents that end within 10 % of the optimum",
                     "一次只动一个旋钮：停在离最优 10% 以内的下降"),
                (struct axis){ TEXT("share of random starts, %", "占随机起点的 %"), 0, 100, 0, NULL },
                &(struct bars){ SHAPES, BOTH, names, bars, within10, 0 });
}

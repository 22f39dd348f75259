/* Demo 2, its last table: a model that has measured nothing picks five of the list, as Triton's prune_configs_by does
 * (lecture 2.2). */
#include "landscape.h"
#include "model/roofline.h"
#include <math.h>

enum { KEPT = 5 };

/* What measuring them costs: each is compiled, and what can be launched runs. */
static double seconds_of(const struct device *device, const struct landscape *l, int n, const uint32_t *list)
{
    struct measurer measurer = measurer_new(device, &l->workload, l->space, (size_t)n, 0);
    struct measurement results[TRITON_LIST];
    measurer_measure(&measurer, (size_t)n, list, results);
    return measurer.seconds;
}

/* One shape's row; slower: by how many percent the best of the five is slower than the best of the list, and by how
 * many if of equal estimates the wrong ones had come first. */
static void prune_row(struct table *table, const struct device *device, const struct roofline *gpu,
                      const struct landscape *l, const uint32_t *list, double slower[2])
{
    uint32_t order[TRITON_LIST], best = landscape_best_of(l, TRITON_LIST, list);
    double estimate[TRITON_LIST], equal_us[TRITON_LIST], surely_us = INFINITY;
    int legal = roofline_order(gpu, &l->workload, l->space, TRITON_LIST, list, order, estimate);
    int kept = legal < KEPT ? legal : KEPT, place = 0, sure = 0, equal = 0;
    for (int i = 0; i < legal; i++) {
        double us = l->time_us[order[i]];
        place = order[i] == best ? i + 1 : place;
        if (estimate[i] < estimate[kept - 1]) {
            surely_us = fmin(surely_us, us);
            sure++;
        } else if (estimate[i] == estimate[kept - 1])
            equal_us[equal++] = us;
    }
    stats_sort(equal_us, (size_t)equal);
    slower[0] = 100 * (l->time_us[landscape_best_of(l, (size_t)kept, order)] / l->time_us[best] - 1);
    slower[1] = 100 * (fmin(surely_us, equal_us[equal - (kept - sure)]) / l->time_us[best] - 1);
    table_text(table, "%s", tr_text(l->workload.name));
    table_numbers(table, l->time_us[best], place, equal, slower[0], slower[1],
                  seconds_of(device, l, TRITON_LIST, list), seconds_of(device, l, kept, order));
}

void prune_list(struct run *run, int count, const struct landscape *l, const uint32_t *list)
{
    const struct roofline *gpu = roofline_of(run->device->name);
    if (!gpu)
        return;
    struct table *table =
        table_of({ TEXT("shape", "形状"), TABLE_TEXT }, { TEXT("best of 24\nus", "24 个最好\nus"), 1 },
                 { TEXT("its place\nof legal", "它在合法的\n里排第几"), 0 },
                 { TEXT("equal to\nthe fifth", "与第五个\n估得一样"), 0 }, { TEXT("slower by\n%", "慢\n%"), 1 },
                 { TEXT("unlucky\n%", "不走运\n%"), 1 }, { TEXT("24 take\ns", "测 24 个\n秒"), 1 },
                 { TEXT("five take\ns", "测 5 个\n秒"), 1 });
    double most[2] = { 0 };
    for (int i = 0; i < count; i++) {
        double slower[2];
        prune_row(table, run->device, gpu, &l[i], list, slower);
        most[0] = fmax(most[0], slower[0]);
        most[1] = fmax(most[1], slower[1]);
    }
    report_table(run->report, table,
                 tr("Pruned: what does not fit is dropped, and of the rest a model's best five are measured. Its place: where the "
                    "model ranks the list's best; equal: that have the fifth's estimate; slower: the best of the five than that "
                    "of the list; unlucky: had the wrong equals come first",
                    "剪枝：放不下的先去掉，其余的由模型挑最好的 5 个去实测。排第几：模型把 24 个里最好的排在第几；估得一样：和第五个估值相同的有几个；"
                    "慢：5 个里最好的比 24 个里最好的慢多少；不走运：一样的里偏偏取到差的"));
    report_say(
        run->report,
        tr("prune_configs_by, with the model that Triton ships: the larger of computing and loading, then storing, from a data "
           "sheet (%.0f SMs, %.0f TFLOP/s, %.1f TB/s) and the tile. It has measured nothing and does not look at num_stages, so "
           "many estimates are equal; of equals, the first of the list are kept. Four fifths of the time are saved. The best "
           "of the five is at most %.1f %% slower than the best of the list; had the wrong equals come first (unlucky), %.1f %%. "
           "What is not on the list, a model does not bring either.",
           "prune_configs_by，用 Triton 自带的模型：计算和读入取大的，再加写出，只看规格表（%.0f 个 SM，%.0f TFLOP/s，%.1f TB/s）和分块。"
           "它什么也没测过，也不看 num_stages，所以很多估得一样；一样的取配置表里靠前的。时间省下约五分之四。5 个里最好的比配置表里最好的"
           "最多慢 %.1f%%；要是一样的里偏偏取到差的（不走运），慢 %.1f%%。配置表里没有的，模型也变不出来。"),
        gpu->sms, gpu->flop_a_us / 1e6, gpu->bytes_a_us / 1e6, most[0], most[1]);
}

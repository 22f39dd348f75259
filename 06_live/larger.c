/* Demo 5: the lecture explains that Ansor hardly needs its fine-tuning by a space small enough to sample. All values
 * of all knobs make ten million here: is it needed now? */
#include "live.h"
#include "device/live.h"
#include <stdlib.h>

enum { TRIALS = 24, BATCH = 8, REPEATS = 3, CANDIDATES = 1280 };
enum { TUNED, PICKED, VARIANTS };

static void progress(void *run, size_t done, size_t total)
{
    program_progress(run, TEXT("tuning", "调优"), done, total);
}

/* Two rows: with fine-tuning and without, in this device's whole space. */
static void look_at(struct run *run, const struct device *device, const struct workload *w, struct table *table)
{
    const struct options *o = run->options;
    const struct evolution_settings picked = evolution_without_tuning(CANDIDATES);
    const struct variant variant[VARIANTS] = {
        [TUNED] = { .strategy = &strategy_evolution, .name = TEXT("fine-tuned", "微调") },
        [PICKED] = { .strategy = &strategy_evolution, .settings = &picked, .name = TEXT("picked", "只挑") },
    };
    struct experiment e = program_experiment(run, "06.larger", 1, w, VARIANTS, variant,
                                             o->trials ? (size_t)o->trials : TRIALS);
    e.device = device;
    e.batch = o->batch ? (size_t)o->batch : BATCH;
    e.repeats = o->repeats ? o->repeats : REPEATS;
    experiment_run(&e, progress, run);
    for (int v = 0; v < VARIANTS; v++) {
        struct spread early = experiment_share(&e, 0, v, e.trials / 2), all = experiment_share(&e, 0, v, e.trials);
        table_text(table, "%s", device->is_hypogpu ? "HypoGPU" : tr("here", "这里"));
        table_number(table, (double)device_space(device, w)->size);
        table_text(table, "%s", tr_text(variant[v].name));
        table_numbers(table, early.median, all.median, all.low, all.high);
    }
    experiment_free(&e);
}

void demo5_larger(struct run *run)
{
    const struct options *o = run->options;
    if (!live_needs_gemm(run))
        return;
    struct device *gpu = device_open("hypogpu", NULL);
    struct device *here = live_open(live_gemm, (struct live_settings){ o->timeout_s[0], o->timeout_s[1], 1, NULL });
    struct table *table =
        table_of({ TEXT("machine", "机器"), TABLE_TEXT }, { TEXT("configurations", "配置数"), 0 },
                 { TEXT("random programs", "随机程序"), TABLE_TEXT },
                 { TEXT("half of the\ntrials, %", "一半实测\n%"), 1 },
                 { TEXT("all,\n%", "全部\n%"), 1 }, { TEXT("worst,\n%", "最差\n%"), 1 },
                 { TEXT("best,\n%", "最好\n%"), 1 });
    look_at(run, gpu, device_find(gpu, "square"), table);
    look_at(run, here, &here->workload[0], table);
    report_table(run->report, table,
                 tr("Share of the optimum (HypoGPU), of the best found (here), after %d trials in each of %d repeats",
                    "占最优（HypoGPU）、占找到的最好（这里）的百分比，每次调优实测 %d 次，重复 %d 次"),
                 o->trials ? o->trials : TRIALS, o->repeats ? o->repeats : REPEATS);
    report_say(run->report,
               tr("Picked: each batch is the best by the model's score of %d new random programs. Fine-tuned: Ansor's "
                  "evolution goes on from random programs and from the best measured. Fine-tuning is worth its time "
                  "where its row is ahead by more than the repeats differ.",
                  "只挑：每批在 %d 个新的随机程序里取模型打分最高的。微调：Ansor 的演化从随机程序和实测最好的继续。"
                  "微调的一行领先超过重复之间的差别，才算值得。"),
               CANDIDATES);
    device_close(here);
    device_close(gpu);
}

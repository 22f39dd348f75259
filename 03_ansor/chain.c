/* Demo 3's second half: how the errors of a model that judges half-made programs add up along a chain of decisions
 * (lecture 5.1, 5.5). */
#include "ansor.h"
#include "search/guided.h"
#include <math.h>
#include <stdlib.h>

static const int widths[CHAIN_WIDTHS] = { 1, 4, 16, 32, 128 };

/* Of each program, and of each number of its first decisions, the fastest that begins with them. */
double *chain_best(const struct device *device, const struct task *task)
{
    struct landscape l = landscape_new(device, task->workload, task->space);
    struct programs programs = programs_new(task, false);
    double *best = xalloc(CHAIN_KEPT * task->space->size, sizeof *best);
    for (uint32_t i = 0; i < task->space->legal_count; i++) {
        uint32_t config = task->space->legal[i];
        double share = 100 / landscape_slowdown(&l, config);
        for (int kept = 0; kept < CHAIN_KEPT && programs_allow(&programs, config); kept++) {
            double *at = &best[(size_t)kept * task->space->size + beam_partial(task->space, config, kept)];
            *at = fmax(*at, share);
        }
    }
    programs_free(&programs);
    landscape_free(&l);
    return best;
}

void chain_walk(const struct task *task, struct cost_model *model, const double *best,
                double left[CHAIN_WIDTHS][CHAIN_KEPT])
{
    struct guided g = { .space = task->space, .model = model, .unseen = unseen_new(task->space),
                        .programs = programs_new(task, false) };
    for (int w = 0; w < CHAIN_WIDTHS; w++) {
        beam_start(&g);
        for (int kept = 0; kept < CHAIN_KEPT; kept++) {
            if (kept > 0)
                beam_grow(&g, kept - 1, (size_t)widths[w]);
            left[w][kept] = 0;
            for (size_t i = 0; i < g.promising.count; i++)
                left[w][kept] = fmax(left[w][kept], best[(size_t)kept * g.space->size + g.promising.best[i].config]);
        }
    }
    shortlist_free(&g.promising);
    programs_free(&g.programs);
    unseen_free(&g.unseen);
}

void chain_table(struct run *run, const struct workload *shape, int trained, int repeats,
                 double left[CHAIN_WIDTHS][CHAIN_KEPT])
{
    struct table *table =
        table_of({ TEXT("decisions\ntaken", "已做的\n决策"), TABLE_TEXT }, { TEXT("width\n1", "束宽\n1"), 1 },
                 { TEXT("\n4", "\n4"), 1 }, { TEXT("\n16", "\n16"), 1 },
                 { TEXT("\n32", "\n32"), 1 }, { TEXT("\n128", "\n128"), 1 });
    for (int kept = 1; kept < CHAIN_KEPT; kept++) {
        table_text(table, "%d + %s", kept, run->device->space->knob[beam_knob(run->device->space, kept - 1)].name);
        for (int w = 0; w < CHAIN_WIDTHS; w++)
            table_number(table, left[w][kept]);
    }
    report_table(run->report, table,
                 tr("Errors add up: %s; the fastest program that is still in a beam of this width, as a share of the optimum, %%; the "
                    "model is fitted to %d complete programs, mean of %d",
                    "误差累积：%s；这么宽的束里还留着的最快程序，达到最优的 %%；模型用 %d 个完整程序训练，%d 次的平均"),
                 tr_text(shape->name), trained, repeats);
}

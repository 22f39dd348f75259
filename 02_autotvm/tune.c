/* tune.c - which shapes the demos of this program tune, and how they show the curves. */
#include "autotvm.h"
#include <stdlib.h>

int autotvm_shapes(struct run *run, bool own, struct workload shapes[2])
{
    int count = 0;
    if (!own || !run->options->shape)
        count = program_workloads(run, 2, (const char *const[]){ "square", "wgrad" }, shapes);
    if (count > 0)
        return count;
    shapes[0] = program_shape(run, "");
    return 1;
}

void autotvm_curves(struct run *run, const struct experiment *e, int workload, size_t first, const char *name,
                    struct text title, struct text caption)
{
    const struct workload *w = &e->workload[workload];
    size_t counts[EXPERIMENT_COUNTS];
    int n = experiment_counts(e, first, counts);
    char label[128], *file = xformat("%s_%s", name, w->id);
    struct text whole = {
        xformat("%s%s: share of the optimum (median, band: worst to best of %d)", caption.en, w->name.en, e->repeats),
        xformat("%s%s：达到最优的百分比（中位数；色带：%d 次里最差到最好）", caption.zh, w->name.zh, e->repeats),
    };
    report_print(run->report, curves_table(e, workload, n, counts),
                 tr("%s%s: share of the optimum, %%; median of %d", "%s%s：达到最优的百分比；%d 次的中位数"),
                 tr_text(title), workload_label(w, text_lang(), label, sizeof label), e->repeats);
    curves_figure(e, workload, n, counts, run->figures, file, whole, 0);
    text_free(whole);
    free(file);
}

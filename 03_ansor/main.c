/* 03_ansor - a search space that nobody wrote, and evolution in it; then three tuners side by side (lecture 5, 7). */
#include "ansor.h"

static const struct demo demos[] = {
    { { "Sketches: rules derive the structure", "草图：规则推出程序的结构" }, "§5.2, §5.3", demo1_sketches },
    { { "Random annotation: a chance for each structure", "随机标注：每个结构都有机会" }, "§5.4", demo2_annotation },
    { { "Why not to prune incomplete programs", "为什么不在半成品上剪枝" }, "§5.5", demo3_partial },
    { { "Ablation: which part of Ansor matters", "消融：Ansor 的哪一部分最重要" }, "§5.6, §5.7", demo4_ablation },
    { { "Three ways: Triton, AutoTVM, Ansor", "三种做法：Triton、AutoTVM、Ansor" }, "§7", demo5_three_ways },
    { { "Fine-tuning taken apart", "拆开看微调" }, "§5.6", demo6_fine_tuning },
    { { "Common misconceptions, refuted", "常见误区，用数字反驳" }, "§10", demo7_misconceptions },
};

struct space *ansor_template(const struct run *run)
{
    static const int one = 1;
    return space_restrict(run->device->space, "SPLIT_K", 1, &one);
}

int ansor_workloads(struct run *run, int count, const char *const *ids, struct workload *out)
{
    struct space *template = features_has_program(run->device->space) ? ansor_template(run) : NULL;
    bool fits = template && template->legal_count > 0;
    if (template)
        space_free(template);
    if (!fits)
        report_say(run->report,
                   tr("This demo needs the matrix product's seven knobs, SPLIT_K 1 among their values; "
                      "on %s it is passed over.",
                      "这个演示需要矩阵乘法的 7 个旋钮，且 SPLIT_K 可取 1，在 %s 上略过。"),
                   run->device->name);
    return fits ? program_workloads(run, count, ids, out) : 0;
}

int ansor_pair(struct run *run, struct workload *out)
{
    return ansor_workloads(run, ANSOR_PAIR, (const char *const[]){ "square", "wgrad" }, out);
}

size_t ansor_programs(const struct run *run, const struct workload *w)
{
    struct programs programs = programs_new(&(struct task){ w, device_space(run->device, w) }, false);
    size_t count = 0;
    for (int s = 0; s < programs.sketches; s++)
        count += programs.sketch[s].count;
    programs_free(&programs);
    return count;
}

struct experiment ansor_tune(struct run *run, int shapes, const struct workload *shape,
                             int variants, const struct variant *variant, int repeats, int trials)
{
    const struct options *o = run->options;
    size_t measurements = (size_t)(o->trials ? o->trials : trials);
    struct experiment e = program_experiment(run, "03.tune", shapes, shape, variants, variant, measurements);
    e.repeats = o->repeats ? o->repeats : repeats;
    experiment_plan(&e);
    experiment_reuse(&e, ansor_made(run));
    experiment_run(&e, program_tuning_progress, run);
    return e;
}

/* In the lecture's order. */
static const struct fact *const published[] = { published_sketches, published_annotate, published_partial,
                                                published_ablation, published_three,    NULL };

bool ansor_published(const struct run *run) { return run->device->is_hypogpu && !run->options->trials; }

int main(int argc, char **argv)
{
    const struct program program = {
        .number = 3,
        .name = "03_ansor",
        .demos = sizeof demos / sizeof *demos,
        .demo = demos,
        .published = published,
        .live = "17",
        .finish = ansor_finish,
    };
    return program_main(&program, argc, argv);
}

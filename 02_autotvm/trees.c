/* Demo 2's beginning: what one tree asks, and what sixty of them add up to (lecture 4.2). */
#include "autotvm.h"
#include <math.h>
#include <stdlib.h>

enum { RECORDS = 512, UNSEEN = 3000, DEPTH = 3 };

/* Records to learn from, and unseen configurations with their true labels. */
struct lesson {
    struct task task;
    uint32_t config[RECORDS + UNSEEN];
    struct measurement result[RECORDS];
    double label[RECORDS + UNSEEN]; /* 1: as fast as the fastest record */
};

static void draw_lesson(const struct run *run, const struct workload *w, struct lesson *l)
{
    double time_us[RECORDS];
    struct rng rng = rng_stream(run->options->seed, "02.trees", 0);
    l->task = (struct task){ w, device_space(run->device, w) };
    for (int i = 0; i < RECORDS + UNSEEN; i++)
        l->config[i] = space_random(l->task.space, &rng);
    struct measurer m = measurer_new(run->device, w, l->task.space, RECORDS, rng_next(&rng));
    measurer_measure(&m, RECORDS, l->config, l->result);
    for (int i = 0; i < RECORDS; i++)
        time_us[i] = l->result[i].time_us;
    cost_model_labels(RECORDS, time_us, l->label);
    double best_us = stats_min(time_us, RECORDS);
    for (int i = RECORDS; i < RECORDS + UNSEEN; i++)
        l->label[i] = best_us / device_time_us(run->device, w, l->task.space, l->config[i]);
}

static struct cost_model *learn(const struct lesson *l, int trees, int depth)
{
    struct cost_model_settings s = cost_model_defaults();
    s.gbdt = gbdt_defaults(GBDT_SQUARED);
    s.gbdt.trees = trees;
    s.gbdt.depth = depth;
    struct cost_model *model = cost_model_new(&l->task, &s);
    cost_model_add(model, RECORDS, l->config, l->result);
    cost_model_fit(model);
    return model;
}

static void show_tree(struct run *run, const struct lesson *l)
{
    const struct space *space = l->task.space;
    enum features_kind kind = features_has_program(space) ? FEATURES_PROGRAM : FEATURES_KNOB;
    const char *name[GBDT_MAX_FEATURES];
    for (int f = 0; f < features_count(kind, space); f++)
        name[f] = tr_text(features_name(kind, space, f));
    struct cost_model *model = learn(l, 1, DEPTH);
    char *lines = NULL;
    size_t size;
    FILE *out = open_memstream(&lines, &size);
    gbdt_print(cost_model_local(model), 0, name, out);
    fclose(out);
    report_say(run->report,
               tr("The first tree of a model of %d measurements of %s, squared loss, of at most %d questions one after another "
                  "(AutoTVM's depth; elsewhere here 6). Below a question stands, indented, what follows yes, then what follows no. "
                  "Most numbers are log2: SPLIT_K < 2.5 asks for 4 or less. A leaf is added to the mean label (1: as fast as the fastest "
                  "measured), already multiplied by eta, 0.2.",
                  "一个模型（%d 次实测，%s，平方损失）的第一棵树，一路至多问 %d 个问题（AutoTVM 的深度；本程序别处是 6）。每个问题下面缩进的"
                  "先是答“是”之后，再是答“否”之后。数值大多取了 log2：SPLIT_K < 2.5 就是不超过 4。叶子的值加到平均标签上"
                  "（1：和测到的最快的一样快），已经乘了 eta = 0.2。"),
               RECORDS, tr_text(l->task.workload->name), DEPTH);
    report_verbatim(run->report, lines);
    free(lines);
    cost_model_free(model);
}

static double error(const double *score, const double *label, int n)
{
    double square = 0;
    for (int i = 0; i < n; i++)
        square += (score[i] - label[i]) * (score[i] - label[i]);
    return sqrt(square / n);
}

static void error_table(struct run *run, const struct lesson *l)
{
    static const int trees[] = { 0, 1, 2, 5, 10, 20, 40, 60, 200 };
    struct table *table = table_of(
        { TEXT("trees", "树的棵数"), TABLE_TEXT }, { TEXT("error\nmeasured", "误差\n测过的"), 3 },
        { TEXT("\nunseen", "\n没见过的"), 3 }, { TEXT("rho\nunseen", "rho\n没见过的"), 3 },
        { TEXT("recall@30\nunseen", "recall@30\n没见过的"), 2 });
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        double score[RECORDS + UNSEEN];
        struct cost_model *model = learn(l, trees[i], gbdt_defaults(GBDT_SQUARED).depth);
        cost_model_score(model, RECORDS + UNSEEN, l->config, score);
        table_text(table, "%d", trees[i]);
        const double *unseen = score + RECORDS, *truth = l->label + RECORDS;
        table_numbers(table, error(score, l->label, RECORDS), error(unseen, truth, UNSEEN));
        table_number(table, trees[i] ? stats_spearman(unseen, truth, UNSEEN) : NAN); /* all alike: no order */
        table_number(table, trees[i] ? stats_recall(unseen, truth, UNSEEN, 30, NULL) : NAN);
        cost_model_free(model);
    }
    report_table(run->report, table,
                 tr("Each tree corrects what those before it lack: root mean square error of the label, on the %d measured and on "
                    "%d unseen configurations (0 trees: the mean label), and the order of the unseen",
                    "每棵树修正前面所有树的误差：标签的均方根误差（%d 个测过的，%d 个没见过的；0 棵：平均标签），以及没见过的配置的排序"),
                 RECORDS, UNSEEN);
}

void autotvm_trees(struct run *run, const struct workload *w)
{
    struct lesson *l = xalloc(1, sizeof *l);
    draw_lesson(run, w, l);
    show_tree(run, l);
    error_table(run, l);
    free(l);
}

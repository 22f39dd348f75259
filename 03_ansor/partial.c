/* Demo 3: what a cost model fitted to complete programs says of incomplete ones (lecture 5.5, Ansor's figure 3). */
#include "ansor.h"
#include <math.h>
#include <stdlib.h>

/* clang-format off */
const struct fact published_partial[] = {
    { "partial.half_accuracy_pct", "§5.5", FACT_SEARCH, { "62", "62" }, "57", "67",
      { "pairwise accuracy, half decided, %", "决定一半时的成对准确率，%" }, { 0 } },
    { "partial.none_accuracy_pct", "§5.5", FACT_SEARCH, { "50", "50" }, "48", "52",
      { "pairwise accuracy, none decided, %", "一个都没决定时的成对准确率，%" }, { 0 } },
    { "partial.half_recall10", "§5.5", FACT_SEARCH, { "almost 0", "几乎是 0" }, "0", "0.1",
      { "recall@10, half decided", "决定一半时的 recall@10" }, { 0 } },
    { "partial.recall10_incomplete_max", "§5.5", FACT_SEARCH, { "almost 0", "几乎是 0" }, "0", "0.1",
      { "recall@10, largest of the incomplete", "半成品里最大的 recall@10" },
      { "with six decisions of seven only GROUP_M is open, which changes little: such programs are nearly complete. Ansor's own curve has risen by then, too (demo 3).",
        "七个决策定了六个时只剩 GROUP_M，它影响不大：这样的程序几乎是完整的。Ansor 论文的曲线到这里也已经升高（演示 3）。" } },
    { 0 }
};
/* clang-format on */

enum { SETS = ANSOR_PAIR + 1, KEPT = CHAIN_KEPT, POINTS = 21 };
enum { TRAIN = 2000, OTHERS = 1000, TOP = 10, REPEATS = 10 };

/* Where the programs come from: drawn sketch by sketch (5.4), or evenly from the whole space. The lecture does not
 * name its shape, but its decisions begin with SPLIT_K, so its programs are of no one sketch: they come from the whole
 * space. What is published is compared with the weight gradient's, drawn evenly; on the square the rules leave SPLIT_K no
 * choice. */
struct set {
    struct workload shape;
    bool evenly;
    double *best; /* chain_best's; NULL: not wanted */
};
struct sets {
    int count;
    struct set set[SETS];
};

/* How well the model's scores order programs: the share of the pairs in order, and of the true ten best among its. */
enum { ACCURACY, RECALL, QUALITIES };
typedef double results[SETS][KEPT][QUALITIES]; /* [k]: of programs whose first k decisions are kept */

/* Ansor's figure 3 (OSDI 2020) as its authors published it (plot_partial_estimation.py of their artefact): programs
 * of ResNet-50's tasks whose last transformations were left out; 0, 5, … 100 % of them kept. */
static const double ansor[QUALITIES][POINTS] = {
    { .494, .507, .529, .486, .502, .524, .512, .515, .550, .575, .622,
      .627, .630, .643, .690, .695, .685, .770, .821, .858, .871 },
    { .007, .009, .015, .006, .011, .009, .011, .054, .052, .061, .076,
      .093, .143, .175, .194, .199, .288, .454, .690, .784, .873 },
};

/* The curve at a share of the decisions, between two points by a straight line. */
static double ansor_at(int quality, double share)
{
    const double *curve = ansor[quality];
    double at = share * (POINTS - 1);
    int i = at < POINTS - 2 ? (int)at : POINTS - 2;
    return curve[i] + (at - i) * (curve[i + 1] - curve[i]);
}

/* Ansor's cost model, fitted to what the measurer says of n complete programs. */
static struct cost_model *train(const struct run *run, const struct task *task, size_t n, const uint32_t *config,
                                struct rng *rng)
{
    struct evolution_settings settings = evolution_defaults();
    struct cost_model *model = cost_model_new(task, &settings.model);
    struct measurement *result = xalloc(n, sizeof *result);
    struct measurer m = measurer_new(run->device, task->workload, task->space, n, rng_next(rng));
    measurer_measure(&m, n, config, result);
    cost_model_add(model, n, config, result);
    cost_model_fit(model);
    free(result);
    return model;
}

/* What the model says of n programs by their first `kept` decisions, against how fast they are in the end. */
static void judge(struct cost_model *model, const struct space *space, int kept, size_t n, const uint32_t *config,
                  const double *truth, double out[QUALITIES])
{
    uint32_t partial[OTHERS];
    double score[OTHERS];
    for (size_t i = 0; i < n; i++)
        partial[i] = beam_partial(space, config[i], kept);
    cost_model_score(model, n, partial, score);
    out[ACCURACY] = stats_pairwise_accuracy(score, truth, n);
    out[RECALL] = stats_recall(score, truth, n, n < TOP ? n : TOP, NULL);
}

/* One set, one repeat. Two thirds of the programs train: fewer than 2000 only where a recording has no more. */
static void judge_set(const struct run *run, const struct set *set, uint64_t repeat, double out[KEPT][QUALITIES],
                      double left[CHAIN_WIDTHS][KEPT])
{
    const struct task task = { &set->shape, device_space(run->device, &set->shape) };
    struct programs programs = programs_new(&task, set->evenly);
    struct unseen unseen = unseen_new(task.space);
    struct rng rng = rng_stream(run->options->seed, "03.partial", repeat);
    uint32_t config[TRAIN + OTHERS];
    double truth[OTHERS];
    size_t all = programs_draw_many(&programs, &unseen, TRAIN + OTHERS, config, &rng);
    size_t n = all * TRAIN / (TRAIN + OTHERS);
    struct cost_model *model = train(run, &task, n, config, &rng);
    for (size_t i = n; i < all; i++)
        truth[i - n] = 1 / device_time_us(run->device, &set->shape, task.space, config[i]);
    for (int kept = 0; kept < KEPT; kept++)
        judge(model, task.space, kept, all - n, config + n, truth, out[kept]);
    if (set->best)
        chain_walk(&task, model, set->best, left);
    cost_model_free(model);
    unseen_free(&unseen);
    programs_free(&programs);
}

struct outcome {
    results quality;
    double left[SETS][CHAIN_WIDTHS][KEPT];
};

static void run_all(struct run *run, const struct sets *sets, int repeats, struct outcome *mean)
{
    struct outcome *each = xalloc((size_t)repeats, sizeof *each);
    size_t done = 0;
#pragma omp parallel for schedule(dynamic)
    for (int r = 0; r < repeats; r++) {
        for (int s = 0; s < sets->count; s++)
            judge_set(run, &sets->set[s], (uint64_t)r, each[r].quality[s], each[r].left[s]);
#pragma omp critical
        program_tuning_progress(run, ++done, (size_t)repeats);
    }
    stats_mean_rows((size_t)repeats, sizeof *each / sizeof(double), (double *)each, (double *)mean);
    free(each);
}

/* Two groups of columns, each under one head. */
static struct table *empty_table(const struct sets *sets)
{
    struct column columns[1 + 2 * (SETS + 1)] = { { TEXT("decisions kept", "保留的决策"), TABLE_TEXT } };
    int n = sets->count + 1;
    for (int c = 0; c < 2 * n; c++) {
        const struct set *set = &sets->set[c % n];
        const char *over = c == 0 ? tr("accuracy, %", "准确率 %") : c == n ? "recall@10" : "";
        const char *head = xformat("%s\n%s", over,
                                   c % n == sets->count ? "Ansor"
                                   : set->evenly        ? tr("evenly", "均匀抽")
                                                        : tr(set->shape.id, set->shape.name.zh));
        columns[1 + c] = (struct column){ { head, head }, c < n ? 1 : 2 };
    }
    struct table *table = table_new(1 + 2 * n, columns);
    for (int c = 1; c <= 2 * n; c++)
        free((void *)columns[c].head.en);
    return table;
}

static void quality_table(struct run *run, const struct sets *sets, results mean, int repeats)
{
    const struct space *space = run->device->space;
    struct table *table = empty_table(sets);
    for (int kept = 0; kept < KEPT; kept++) {
        double share = (double)kept / MATMUL_KNOBS;
        const char *last = kept ? space->knob[beam_knob(space, kept - 1)].name : "";
        table_text(table, "%d%s%s", kept, kept ? " + " : "", last);
        for (int q = 0; q < QUALITIES; q++) {
            double unit = q == ACCURACY ? 100 : 1;
            for (int s = 0; s < sets->count; s++)
                table_number(table, unit * mean[s][kept][q]);
            table_number(table, unit * ansor_at(q, share));
        }
    }
    report_table(
        run->report, table,
        tr("A model fitted to %d complete programs compares %d others by the decisions that it sees: "
           "pairwise accuracy (50: guessing) and recall@10 (the share of the true ten best among its ten), mean of %d; "
           "evenly: %s, programs drawn evenly from all instead of sketch by sketch; Ansor: its figure 3",
           "用 %d 个完整程序训练的模型，只看已做的决策来比较另外 %d 个程序：成对准确率（50：瞎猜）和 "
           "recall@10（真正最好的 10 个有多少在模型的前 10 个里），%d 次的平均；均匀抽：%s，但不按草图、从全部程序里均"
           "匀抽；Ansor：论文图 3"),
        TRAIN, OTHERS, repeats, tr_text(sets->set[sets->count - 1].shape.name));
}

/* The mean curves of the sets that were drawn by sketch, and Ansor's. */
static void draw(struct run *run, const struct sets *sets, results mean)
{
    static const struct text ansors = { "Ansor (figure 3)", "Ansor（论文图 3）" };
    double x[KEPT], y[QUALITIES][ANSOR_PAIR][KEPT], ansor_x[POINTS];
    struct series series[QUALITIES * (ANSOR_PAIR + 1)];
    size_t n = 0;
    for (int i = 0; i < POINTS; i++)
        ansor_x[i] = (double)i / (POINTS - 1);
    for (int q = 0; q < QUALITIES; q++) {
        for (int s = 0; s < ANSOR_PAIR && sets->count == SETS; s++) {
            for (int kept = 0; kept < KEPT; kept++) {
                x[kept] = (double)kept / MATMUL_KNOBS;
                y[q][s][kept] = mean[s][kept][q];
            }
            series[n++] = (struct series){ sets->set[s].shape.name, KEPT, x, y[q][s], .second = q == RECALL };
        }
        series[n++] = (struct series){ ansors, POINTS, ansor_x, ansor[q], .second = q == RECALL };
    }
    figure_lines(run->figures, "partial",
                 TEXT("A cost model of complete programs looks at incomplete ones",
                      "用完整程序训练的代价模型怎样看半成品"),
                 (struct axis){ TEXT("share of the decisions made", "已做的决策占比"), 0, 1, 0, NULL },
                 (struct axis){ TEXT("pairwise accuracy", "成对准确率"), 0, 1, 0, NULL, 0,
                                TEXT("recall@10", "recall@10") },
                 n, series);
}

/* Half of seven decisions lies between three and four. */
static double halfway(double of[KEPT][QUALITIES], int quality) { return (of[3][quality] + of[4][quality]) / 2; }

enum { SQUARE, WGRAD, EVENLY };

/* The best recall of a program that is not complete. */
static double incomplete_recall(double of[KEPT][QUALITIES])
{
    double most = 0;
    for (int kept = 0; kept < MATMUL_KNOBS; kept++)
        most = fmax(most, of[kept][RECALL]);
    return most;
}

static void say_half(struct run *run, results mean)
{
    double right[SETS], recall[SETS];
    for (int s = 0; s < SETS; s++) {
        right[s] = 100 * halfway(mean[s], ACCURACY);
        recall[s] = halfway(mean[s], RECALL);
    }
    report_say(
        run->report,
        tr("Half of seven decisions lies between 3 and 4: the mean of those two rows. There the model is right on %.0f %% of the "
           "pairs of the weight gradient's programs, drawn evenly: the lecture's decisions begin with SPLIT_K, so its programs come from the whole space, and it says "
           "about 62; Ansor's own figure %.0f (its authors' script tests on the programs that the model was fitted to). Drawn "
           "by sketch it is %.0f %%, for SPLIT_K alone tells the sketches apart and is right on %.0f %%; on the square "
           "%.0f %%. Of the ten best it finds %.1f (evenly), %.1f (by sketch) and %.1f (square). It never saw a half-made program: only complete ones can "
           "be measured.",
           "七个决策的一半在 3 和 4 之间，取那两行的平均。这时模型在权重梯度均匀抽的程序里判断对 %.0f%% 的程序对：讲义的决策从 SPLIT_K 开始，所以它的程序来自整个空间，它说约 62；"
           "Ansor 论文的图是 %.0f（作者的脚本在训练用过的程序上测）。按草图抽是 %.0f%%，因为只凭 SPLIT_K 分出两个草图就判断对 %.0f%%；方阵是 %.0f%%。"
           "最好的 10 个里模型找到 %.1f（均匀抽）、%.1f（按草图）和 %.1f（方阵）个。它没见过半成品：只有完整的程序能测。"),
        right[EVENLY], 100 * ansor_at(ACCURACY, 0.5), right[WGRAD], 100 * mean[WGRAD][1][ACCURACY], right[SQUARE],
        TOP * recall[EVENLY], TOP * recall[WGRAD], TOP * recall[SQUARE]);
    facts_number(run->facts, "partial.half_accuracy_pct", right[EVENLY], 1);
    facts_number(run->facts, "partial.none_accuracy_pct", 100 * mean[EVENLY][0][ACCURACY], 1);
    facts_number(run->facts, "partial.half_recall10", recall[EVENLY], 3);
    facts_number(run->facts, "partial.recall10_incomplete_max", incomplete_recall(mean[EVENLY]), 2);
}

void demo3_partial(struct run *run)
{
    int repeats = run->options->repeats ? run->options->repeats : REPEATS;
    struct workload shapes[ANSOR_PAIR];
    int count = ansor_pair(run, shapes);
    if (count == 0)
        return;
    struct sets sets = { .count = count + 1 };
    for (int s = 0; s < sets.count; s++)
        sets.set[s] = (struct set){ shapes[s < count ? s : count - 1], s == count, NULL };
    for (int s = 0; s < count; s++)
        sets.set[s].best = chain_best(run->device, &(struct task){ &shapes[s], device_space(run->device, &shapes[s]) });
    struct outcome mean;
    run_all(run, &sets, repeats, &mean);
    quality_table(run, &sets, mean.quality, repeats);
    draw(run, &sets, mean.quality);
    if (run->device->is_hypogpu)
        say_half(run, mean.quality);
    for (int s = 0; s < count; s++)
        chain_table(run, &shapes[s], TRAIN, repeats, mean.left[s]);
    for (int s = 0; s < count; s++)
        free(sets.set[s].best);
}

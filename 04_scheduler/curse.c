/* Demo 3: what measured fastest was lucky in part: how much, and what re-measuring repairs (lecture 6.4). */
#include "network.h"
#include <math.h>
#include <stdlib.h>

/* clang-format off */
const struct fact published_curse[] = {
    { "noise.optimistic_tasks", "§6.4", FACT_SEARCH, { "11", "11" }, "11", "11",
      { "tasks measured faster than true", "实测比真实快的任务数" },
      { "this is one round robin, the first; of 20 (--repeats 20) eleven have all 11, eight 10 and one 9.",
        "这只是一次轮流，第一次；20 次（--repeats 20）里 11 个全是的有 11 次，10 个的有 8 次，9 个的有 1 次。" } },
    { "noise.mean_optimism_pct", "§6.4", FACT_SEARCH, { "2.4", "2.4" }, "1.8", "3.0",
      { "mean optimism, %", "平均乐观偏差，%" },
      { "all optimistic, but less so: few configurations of the prefill products are nearly as fast as the best, so luck has little choice there (demo 3).",
        "都偏乐观，只是少一些：预填充的任务里和最好的差不多快的配置很少，运气可挑的不多（演示 3）。" } },
    { "noise.retest_better", "§6.4", FACT_SEARCH, { "6", "6" }, "4", "8",
      { "tasks better after re-measuring", "重测后变好的任务数" }, { 0 } },
    { "noise.retest_worse", "§6.4", FACT_SEARCH, { "0", "0" }, "0", "1",
      { "tasks worse after re-measuring", "重测后变差的任务数" },
      { "they lose a few tenths of a percent: a mean of 5 measurements still has 0.7 % of noise, more than such finalists differ by.",
        "变差的只慢百分之零点几：5 次的平均还有 0.7% 的噪声，比这些候选之间的差别还大。" } },
    { "noise.retest_best_gain_pct", "§6.4", FACT_SEARCH, { "1.0", "1.0" }, "0.4", "2.0",
      { "largest gain of re-measuring, %", "重测的最大改善，%" }, { 0 } },
    { "noise.largest_search_gap_pct", "§6.4", FACT_SEARCH, { "23", "23" }, "15", "31",
      { "largest gap that search left, %", "搜索留下的最大差距，%" },
      { "the luck of the search: it differs from round robin to round robin by more than the band is wide (most search, in demo 3).",
        "搜索的运气：各次轮流之间的差别比范围还宽（演示 3 的“最大搜索”一列）。" } },
    { 0 }
};
/* clang-format on */

enum { FINALISTS = 5 };

/* ---- one round robin, and its finalists measured again ---- */

struct verdict { /* on the choice for one task */
    struct choice first;
    double retested_us; /* true time of the choice after the finalists were measured again */
    double seen_us;     /* the fastest true time among all that was measured */
};

static struct verdict judge(const struct network *n, int repeat, int task)
{
    const int units = BUDGET / TASKS;
    const struct tuning *t = &n->tuning[repeat * TASKS + task];
    size_t count = n->unit * (size_t)units < t->trace.count ? n->unit * (size_t)units : t->trace.count;
    double seconds;
    size_t kept = tuning_finalist(t, count, FINALISTS, &seconds);
    struct verdict v = { network_choice(n, repeat, task, units), INFINITY, INFINITY };
    if (kept < t->trace.count)
        v.retested_us = tuning_true_us(t, kept);
    for (size_t i = 0; i < count; i++)
        v.seen_us = fmin(v.seen_us, tuning_true_us(t, i));
    return v;
}

static double optimism(struct choice c) { return 100 * (1 - c.measured_us / c.true_us); }

static void task_table(struct run *run, const struct network *n, const struct verdict *verdicts)
{
    struct table *table = table_of({ TEXT("task", "任务"), TABLE_TEXT }, { TEXT("measured\nus", "实测\nus"), 1 },
                                   { TEXT("true\nus", "真实\nus"), 1 }, { TEXT("optimism\n%", "乐观偏差\n%"), 1 },
                                   { TEXT("retested\nus", "重测后\nus"), 1 }, { TEXT("gain\n%", "改善\n%"), 1 },
                                   { TEXT("gap\n%", "差距\n%"), 1 }, { TEXT("of it\nnoise", "其中\n噪声"), 1 },
                                   { TEXT("of it\nsearch", "其中\n搜索"), 1 });
    for (int i = 0; i < TASKS; i++) {
        const struct verdict *v = &verdicts[i];
        double optimum_us = n->optimum_us[i];
        table_text(table, "%s", network_name(i));
        table_numbers(table, v->first.measured_us, v->first.true_us, optimism(v->first), v->retested_us,
                      100 * (1 - v->retested_us / v->first.true_us), 100 * (v->retested_us / optimum_us - 1),
                      100 * (v->retested_us - v->seen_us) / optimum_us, 100 * (v->seen_us / optimum_us - 1));
    }
    report_table(
        run->report, table, "%s",
        tr("Round robin, first repeat. Retested: the true time after the best 5 were measured 5 times more. Gap: "
           "what is then still over the optimum; noise: a faster one was measured, but not chosen; search: no "
           "faster one was measured",
           "轮流，第一次重复。重测后：最好的 5 个各再测 5 次、重选之后的真实耗时。差距：此时仍比最优多用的时间；噪"
           "声：测过更快的，没选中；搜索：没有测到过更快的"));
}

/* One round robin in numbers. */
enum { OPTIMISTIC, MEAN_OPTIMISM, BETTER, UNCHANGED, WORSE, MOST_GAIN, MOST_SEARCH, END_TO_END, RETESTED, TALLIES };

static void tally(const struct network *n, const struct verdict *verdicts, double out[TALLIES])
{
    double optimum = 0, now = 0, retested = 0;
    for (int i = 0; i < TASKS; i++) {
        const struct verdict *v = &verdicts[i];
        out[OPTIMISTIC] += v->first.measured_us < v->first.true_us;
        out[MEAN_OPTIMISM] += optimism(v->first) / TASKS;
        out[BETTER] += v->retested_us < v->first.true_us;
        out[UNCHANGED] += v->retested_us == v->first.true_us;
        out[WORSE] += v->retested_us > v->first.true_us;
        out[MOST_GAIN] = fmax(out[MOST_GAIN], 100 * (1 - v->retested_us / v->first.true_us));
        out[MOST_SEARCH] = fmax(out[MOST_SEARCH], 100 * (v->seen_us / n->optimum_us[i] - 1));
        optimum += n->count[i] * n->optimum_us[i];
        now += n->count[i] * v->first.true_us;
        retested += n->count[i] * v->retested_us;
    }
    out[END_TO_END] = 100 * optimum / now;
    out[RETESTED] = 100 * optimum / retested;
}

static void tally_facts(struct run *run, const double median[TALLIES])
{
    facts_number(run->facts, "noise.optimistic_tasks", median[OPTIMISTIC], 0);
    facts_number(run->facts, "noise.mean_optimism_pct", median[MEAN_OPTIMISM], 1);
    facts_number(run->facts, "noise.retest_better", median[BETTER], 0);
    facts_number(run->facts, "noise.retest_worse", median[WORSE], 0);
    facts_number(run->facts, "noise.retest_best_gain_pct", median[MOST_GAIN], 1);
    facts_number(run->facts, "noise.largest_search_gap_pct", median[MOST_SEARCH], 0);
}

static void tally_table(struct run *run, const struct network *n, const struct verdict *verdicts)
{
    struct table *table =
        table_of({ TEXT("repeat", "重复"), TABLE_TEXT }, { TEXT("tasks\noptimistic", "偏乐观的\n任务"), 0 },
                 { TEXT("mean\noptimism, %", "平均\n乐观偏差，%"), 1 }, { TEXT("retest:\nbetter", "重测：\n变好"), 0 },
                 { TEXT("\nunchanged", "\n不变"), 0 }, { TEXT("\nworse", "\n变差"), 0 },
                 { TEXT("most\ngain, %", "最大\n改善，%"), 1 }, { TEXT("most\nsearch, %", "最大\n搜索，%"), 1 },
                 { TEXT("end to\nend, %", "端到端\n%"), 1 }, { TEXT("after\nretest", "重测\n后"), 1 });
    size_t repeats = (size_t)n->repeats;
    double(*each)[TALLIES] = xalloc(repeats, sizeof *each), *one = xalloc(repeats, sizeof *one), median[TALLIES];
    for (size_t r = 0; r < repeats; r++) {
        tally(n, verdicts + r * TASKS, each[r]);
        table_text(table, "%zu", r + 1);
        table_add(table, TALLIES, each[r]);
    }
    for (int t = 0; t < TALLIES; t++) {
        for (size_t r = 0; r < repeats; r++)
            one[r] = each[r][t];
        median[t] = stats_median(one, repeats);
    }
    table_text(table, "%s", tr("median", "中位数"));
    table_add(table, TALLIES, median);
    report_table(run->report, table, "%s",
                 tr("The same in every repeat, over its tasks; most search: the largest gap that search left; end to end: "
                    "share of the network's optimum",
                    "每次重复的汇总；最大搜索：搜索留下的最大差距；端到端：达到网络最优的百分比"));
    if (n->unit == UNIT)
        tally_facts(run, median);
    free(one);
    free(each);
}

/* The mean gap to the optimum over all tasks and repeats: before and after the retest, and what search left of it. */
static void say_gap(struct run *run, const struct network *n, const struct verdict *verdicts)
{
    double before = 0, after = 0, search = 0;
    int count = n->repeats * TASKS;
    for (int j = 0; j < count; j++) {
        double optimum_us = n->optimum_us[j % TASKS];
        before += 100 * (verdicts[j].first.true_us / optimum_us - 1) / count;
        after += 100 * (verdicts[j].retested_us / optimum_us - 1) / count;
        search += 100 * (verdicts[j].seen_us / optimum_us - 1) / count;
    }
    report_say(
        run->report,
        tr("The least of many noisy numbers is one whose noise went down. To measure the finalists again costs %d "
           "measurements a task; over all tasks and repeats the mean gap to the optimum is %.1f %% before that and %.1f %% "
           "after. Of that, %.1f is search: nothing faster was ever measured, and no retest can help.",
           "很多个带噪声的数里最小的那个，多半是噪声往下偏的。对候选重测，每个任务只多花 %d 次实测：所有任务、所有重复平均，与最优的"
           "差距原来是 %.1f%%，重测后 %.1f%%。其中 %.1f 是搜索：从来没有测到过更快的，重测帮不上。"),
        FINALISTS * TUNING_RETESTS, before, after, search);
}

static void finalists(struct run *run, const struct network *n)
{
    struct verdict *verdicts = xalloc((size_t)n->repeats * TASKS, sizeof *verdicts);
#pragma omp parallel for schedule(dynamic)
    for (int j = 0; j < n->repeats * TASKS; j++)
        verdicts[j] = judge(n, j / TASKS, j % TASKS);
    task_table(run, n, verdicts);
    tally_table(run, n, verdicts);
    say_gap(run, n, verdicts);
    free(verdicts);
}

/* ---- more trials, more noise ----
 *
 * A tuning is run at each noise; then its choice is made DRAWS times over, with the clock read anew, so that the
 * means are not themselves a matter of luck. */

enum { NOISES = 3, COUNTS = 6, MOST_TRIALS = 16 << (COUNTS - 1), DRAWS = 20 }; /* 16, 32 … 512 trials */

/* The k-th noise, sd over mean; on a recording the first is its own. */
static double noise_of(const struct device *device, int k)
{
    static const double noises[NOISES] = { 0.005, 0.015, 0.05 };
    return k == 0 && !device->is_hypogpu ? device->noise : noises[k];
}

static struct text noise_name(const struct device *device, int k)
{
    return k == 0 && !device->is_hypogpu ? text_format("own%s", "自身%s", "")
                                         : text_format("%g %%", "%g%%", 100 * noise_of(device, k));
}

enum { OPTIMISM, NOISE, SEARCH, BIASES };
typedef double bias[COUNTS][BIASES]; /* percent, means over tasks, repeats and draws */

struct look { /* at one trial's configuration */
    double true_us, noise; /* noise: the device's */
};

/* Adds one reading of the clock to sum. noise: as a tuning has it. */
static void read_clock(size_t trials, const struct look *look, double noise, double optimum_us, struct rng *rng,
                       bias sum)
{
    double best_us = INFINITY, chosen_us = INFINITY, seen_us = INFINITY;
    size_t i = 0;
    for (int c = 0; c < COUNTS; c++) {
        for (; i < (size_t)16 << c && i < trials; i++) {
            double measured_us = look[i].true_us * (1 + (noise > 0 ? noise : look[i].noise) * rng_normal(rng));
            seen_us = fmin(seen_us, look[i].true_us);
            if (measured_us < best_us) {
                best_us = measured_us;
                chosen_us = look[i].true_us;
            }
        }
        sum[c][OPTIMISM] += optimism((struct choice){ best_us, chosen_us }) / DRAWS;
        sum[c][NOISE] += 100 * (chosen_us - seen_us) / optimum_us / DRAWS;
        sum[c][SEARCH] += 100 * (seen_us / optimum_us - 1) / DRAWS;
    }
}

/* What a tuning tries: [*trials], the caller's to free. */
static struct look *looks(struct tuning t, size_t *trials)
{
    const struct device *device = t.device;
    struct look *look = xalloc(MOST_TRIALS, sizeof *look);
    while (t.trace.count < MOST_TRIALS && tuning_step(&t, UNIT))
        ;
    *trials = t.trace.count;
    for (size_t i = 0; i < *trials; i++) {
        int values[SPACE_MAX_KNOBS];
        space_values(t.task.space, t.trace.trial[i].config, values);
        look[i].true_us = tuning_true_us(&t, i);
        look[i].noise = device->conditions ? device->conditions(device, t.task.workload, values).noise : device->noise;
    }
    tuning_free(&t);
    return look;
}

/* The mean biases of a strategy's tunings in the network's first `repeats` repeats. */
static void measure_bias(const struct network *n, const struct strategy *strategy, int repeats, bias mean[NOISES])
{
    int jobs = repeats * TASKS;
    bias(*each)[NOISES] = xalloc((size_t)jobs, sizeof *each);
#pragma omp parallel for schedule(dynamic)
    for (int j = 0; j < jobs; j++) {
        int repeat = j / TASKS, task = j % TASKS;
        char *stream = xformat("04.clock/%s/%s", strategy->name, workload_network[task].workload.id);
        struct look *look = NULL;
        size_t trials = 0;
        for (int k = 0; k < NOISES; k++) {
            double noise = noise_of(n->device, k) == n->device->noise ? 0 : noise_of(n->device, k);
            if (k == 0 || strategy != &strategy_random) { /* which ignores the clock: one run serves all noises */
                free(look);
                look = looks(network_tuning(n, strategy, repeat, task, noise), &trials);
            }
            struct rng rng = rng_stream(n->seed, stream, (uint64_t)repeat); /* the same luck at every noise */
            for (int draw = 0; draw < DRAWS; draw++)
                read_clock(trials, look, noise, n->optimum_us[task], &rng, each[j][k]);
        }
        free(look);
        free(stream);
    }
    stats_mean_rows((size_t)jobs, NOISES * COUNTS * BIASES, &each[0][0][0][0], &mean[0][0][0]);
    free(each);
}

/* The optimism in standard deviations if all trials were equally fast: what is expected of the least of n normals. */
static void limit(uint64_t seed, double *deviations)
{
    enum { LIMIT_DRAWS = 400 };
    struct rng rng = rng_stream(seed, "04.limit", 0);
    for (int draw = 0; draw < LIMIT_DRAWS; draw++) {
        double least = 0;
        for (int c = 0, i = 0; c < COUNTS; c++) {
            for (; i < 16 << c; i++) {
                double z = rng_normal(&rng);
                least = i == 0 ? z : fmin(least, z);
            }
            deviations[c] -= least / LIMIT_DRAWS;
        }
    }
}

enum { SEARCHES = 2, SHOWN = 3 };
static const int shown[SHOWN] = { 2, 4, 5 }; /* of the counts: 64, 256, 512 */

static void bias_table(struct run *run, bias of[SEARCHES][NOISES], const double *deviations)
{
    static const struct text parts[BIASES] = { { "optim.", "乐观偏差" }, { "noise", "噪声" }, { "search", "搜索" } };
    const struct text names[SEARCHES] = { strategy_random.title, NETWORK_TUNER.title };
    struct column column[2 + BIASES * NOISES] = { { TEXT("search", "搜索"), TABLE_TEXT }, { TEXT("trials", "实测数"), 0 } };
    for (int i = 0; i < BIASES * NOISES; i++) {
        struct text part = parts[i / NOISES], noise = noise_name(run->device, i % NOISES);
        column[2 + i].head.en = xformat("%s\n%s", part.en, noise.en);
        column[2 + i].head.zh = xformat("%s\n%s", part.zh, noise.zh);
        column[2 + i].decimals = 1;
        text_free(noise);
    }
    struct table *table = table_new(2 + BIASES * NOISES, column);
    for (int i = 0; i < BIASES * NOISES; i++)
        text_free(column[2 + i].head);
    for (int s = 0; s < SEARCHES; s++)
        for (int i = 0; i < SHOWN; i++) {
            table_text(table, "%s", tr_text(names[s]));
            table_number(table, 16 << shown[i]);
            for (int part = 0; part < BIASES; part++)
                for (int k = 0; k < NOISES; k++)
                    table_number(table, of[s][k][shown[i]][part]);
        }
    for (int i = 0; i < SHOWN; i++) {
        table_text(table, "%s", tr("all equal", "全部一样快"));
        table_number(table, 16 << shown[i]);
        for (int k = 0; k < NOISES; k++)
            table_number(table, 100 * noise_of(run->device, k) * deviations[shown[i]]);
        for (int k = 0; k < 2 * NOISES; k++)
            table_none(table);
    }
    report_table(
        run->report, table,
        tr("By the noise of a measurement%s: optimism of the choice, and its gap to the optimum in two parts, noise "
           "and search, as above; all in %%, mean over the tasks. All equal: the optimism if all configurations "
           "were equally fast",
           "按一次实测的噪声分列%s：选中的乐观偏差；它与最优的差距分成噪声和搜索两部分（同上）。单位都是 %%，各任务"
           "的平均。全部一样快：假如所有配置一样快时的乐观偏差"),
        run->device->is_hypogpu ? "" : tr(" (own: what was recorded)", "（自身：录下的）"));
}

static void draw_bias(struct run *run, bias of[SEARCHES][NOISES])
{
    enum { LINES = SEARCHES * NOISES };
    double x[COUNTS], y[LINES][COUNTS];
    struct series series[LINES];
    for (int l = 0; l < LINES; l++) {
        int s = SEARCHES - 1 - l / NOISES, k = NOISES - 1 - l % NOISES; /* the tuner first, then random */
        struct text search = s ? NETWORK_TUNER.title : strategy_random.title, noise = noise_name(run->device, k);
        struct text name = { xformat("%s, %s", search.en, noise.en), xformat("%s，%s", search.zh, noise.zh) };
        text_free(noise);
        for (int c = 0; c < COUNTS; c++) {
            x[c] = 16 << c;
            y[l][c] = of[s][k][c][OPTIMISM];
        }
        series[l] = (struct series){ name, COUNTS, x, y[l], .dash = 1 + l % NOISES };
    }
    figure_lines(run->figures, run->device->is_hypogpu ? "optimism" : "h200_optimism",
                 TEXT("How much faster than true the choice was measured, by the noise",
                      "噪声不同时，选中的配置测得比真实快多少"),
                 (struct axis){ TEXT("measurements (log axis)", "实测次数（对数轴）"), 16, MOST_TRIALS, 2, NULL },
                 (struct axis){ TEXT("optimism, %", "乐观偏差，%"), 0, 0, 0, NULL }, LINES, series);
    for (int l = 0; l < LINES; l++)
        text_free(series[l].name);
}

/* What the table shows at 1.5 % of noise, where it shows it. */
static void say_growth(struct run *run, bias of[SEARCHES][NOISES])
{
    enum { FEW = 2, MANY = COUNTS - 1 };
    bias *random = &of[0][1], *tuner = &of[1][1];
    const double *end = (*tuner)[MANY], *random_end = (*random)[MANY];
    report_say(
        run->report,
        tr("At 1.5 %% of noise, the optimism of %s's choice goes from %.1f %% after %d measurements to %.1f after %d; random "
           "search's from %.1f to %.1f.",
           "噪声 1.5%% 时，%s 选中的乐观偏差从 %.1f%%（测 %d 次）变到 %.1f%%（测 %d 次）；随机搜索从 %.1f%% 变到 %.1f%%。"),
        tr_text(NETWORK_TUNER.title), (*tuner)[FEW][OPTIMISM], 16 << FEW, end[OPTIMISM], MOST_TRIALS,
        (*random)[FEW][OPTIMISM], random_end[OPTIMISM]);
    if (end[OPTIMISM] > random_end[OPTIMISM] && end[SEARCH] < random_end[SEARCH])
        report_say(run->report, "%s",
                   tr("A tuner that learns measures many configurations that are nearly equally fast, and among equals luck alone "
                      "decides. Random search meets few good ones, so its choice is honest, and slow.",
                      "会学习的调优器测了很多几乎一样快的配置，一样快的里面只有运气起作用。随机搜索碰到的好配置很少，所以选出来的比较诚"
                      "实，但是慢。"));
    if (end[NOISE] < end[OPTIMISM])
        report_say(run->report,
                   tr("What noise costs is less, %.1f %%: the one chosen by luck is nearly as fast as the best.",
                      "噪声的代价没有那么大，%.1f%%：靠运气选中的和最好的差不多快。"),
                   end[NOISE]);
    if (!run->device->is_hypogpu)
        report_say(run->report,
                   tr("With the noise that was recorded its choice is %.1f %% optimistic after %d measurements; with HypoGPU's 1.5 %% "
                      "it would be %.1f.",
                      "按录下的噪声，选中的乐观偏差是 %.1f%%（测 %d 次）；如果噪声是 HypoGPU 的 1.5%%，就会是 %.1f%%。"),
                   of[1][0][MANY][OPTIMISM], MOST_TRIALS, end[OPTIMISM]);
}

static void growth(struct run *run, const struct network *n)
{
    bias of[SEARCHES][NOISES];
    double deviations[COUNTS] = { 0 };
    measure_bias(n, &strategy_random, n->repeats, of[0]);
    measure_bias(n, &NETWORK_TUNER, 1, of[1]);
    limit(run->options->seed, deviations);
    bias_table(run, of, deviations);
    draw_bias(run, of);
    say_growth(run, of);
}

void demo3_winners_curse(struct run *run)
{
    const struct network *n = network_played(run);
    finalists(run, n);
    growth(run, n);
}

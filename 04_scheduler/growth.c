/* Demo 3's second half: the curse grows with the trials and with the noise. A tuning is run at each noise; then its
 * choice is made DRAWS times over, with the clock read anew, so that the means are not themselves matters of luck. */
#include "network.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdlib.h>

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
        sum[c][OPTIMISM] += choice_optimism((struct choice){ best_us, chosen_us }) / DRAWS;
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

void curse_growth(struct run *run, const struct network *n)
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

/* contest.c - who needs how many trials: four strategies, one also with another's loss and steps, three batch sizes,
 * every column of any recording, without noise. It takes minutes, so only --demo 8 runs it (make bench-search). */
#include "claims.h"
#include <math.h>
#include <stdlib.h>

enum { STRATEGIES = 6, BATCHES = 3, GOALS = 2, COLUMNS = BATCHES * GOALS, REPEATS = 40, TRIALS = 512 };
static const size_t batches[BATCHES] = { 8, 16, 64 };
static const double goals[GOALS] = { 95, 99 };

/* Runs a tuning until its choice is as good as the last goal, or it has no trials left. */
static void run_to_goal(struct tuning *t)
{
    tuning_defaults(t);
    while (!tuning_reached(t, goals[GOALS - 1]) && tuning_step(t, t->batch))
        ;
    tuning_close(t);
}

/* needed [STRATEGIES][COLUMNS] on one workload: medians, the goals one after another; NaN: half never do. */
static void needed_on(const struct run *run, const struct workload *w, int repeats, const struct variant *variants,
                      double (*needed)[COLUMNS])
{
    for (int b = 0; b < BATCHES; b++) {
        struct experiment e = program_experiment(run, "claims.contest", 1, w, STRATEGIES, variants, TRIALS);
        e.repeats = repeats;
        e.batch = batches[b];
        experiment_plan(&e);
#pragma omp parallel for schedule(dynamic)
        for (size_t i = 0; i < experiment_tunings(&e); i++) {
            e.tuning[i].noise = NOISE_NONE;
            run_to_goal(&e.tuning[i]);
        }
        for (int s = 0; s < STRATEGIES; s++)
            for (int g = 0; g < GOALS; g++) {
                size_t trials = experiment_reached(&e, 0, s, goals[g]);
                needed[s][g * BATCHES + b] = trials ? (double)trials : NAN;
            }
        experiment_free(&e);
    }
}

void contest_show(struct run *run)
{
    const struct device *d = run->device;
    struct annealing_settings weighted = annealing_defaults(), any = weighted;
    weighted.model.gbdt = any.model.gbdt = gbdt_defaults(GBDT_WEIGHTED);
    any.step = ANY_VALUE;
    const struct variant variants[STRATEGIES] = {
        { .strategy = &strategy_random, .name = strategy_random.title },
        { .strategy = &strategy_genetic, .name = strategy_genetic.title },
        { .strategy = &strategy_annealing, .name = strategy_annealing.title },
        { &strategy_annealing, &weighted, TEXT("AutoTVM, Ansor's loss", "AutoTVM，用 Ansor 的损失"), NULL },
        { &strategy_annealing, &any, TEXT("  and steps to any value", "  且一步可到任意值"), NULL },
        { .strategy = &strategy_evolution, .name = strategy_evolution.title },
    };
    int repeats = run->options->repeats ? run->options->repeats : REPEATS;
    struct table *table = table_of(
        { TEXT("trials needed", "需要的实测次数"), TABLE_TEXT }, { TEXT("95 %\nof 8", "95%\n每批 8"), 0 },
        { TEXT("\nof 16", "\n每批 16"), 0 }, { TEXT("\nof 64", "\n每批 64"), 0 }, { TEXT("99 %\nof 8", "99%\n每批 8"), 0 },
        { TEXT("\nof 16", "\n每批 16"), 0 }, { TEXT("\nof 64", "\n每批 64"), 0 });
    for (int w = 0; w < d->workloads; w++) {
        double needed[STRATEGIES][COLUMNS], least[COLUMNS];
        needed_on(run, &d->workload[w], repeats, variants, needed);
        for (int c = 0; c < COLUMNS; c++) {
            least[c] = INFINITY;
            for (int s = 0; s < STRATEGIES; s++)
                least[c] = fmin(least[c], needed[s][c]);
        }
        for (int s = 0; s < STRATEGIES; s++) {
            table_text(table, "%s%s%s", tr_text(d->workload[w].name), tr(": ", "："), tr_text(variants[s].name));
            for (int c = 0; c < COLUMNS; c++) {
                table_number(table, needed[s][c]);
                if (needed[s][c] == least[c])
                    table_best(table);
            }
        }
        program_progress(run, TEXT("shape", "形状"), (size_t)w + 1, (size_t)d->workloads);
    }
    report_table(run->report, table,
                 tr("%s, without noise: trials until the choice is within 95 and 99 %% of the optimum, in batches of 8, 16 "
                    "and 64; median of %d (*: the fewest, -: at least half of the repeats need more than %d)",
                    "%s，没有噪声：选中的达到最优的 95%% 和 99%% 时测了几次，每批 8、16、64 个；%d 次的中位数（*：最少；-：至少一半的重复超过 %d 次）"),
                 d->name, repeats, TRIALS);
}

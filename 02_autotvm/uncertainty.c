/* Demo 7, on request: what AutoTVM's paper tried against getting stuck (lecture 4.5), often enough to tell: expected
 * improvement and upper confidence bounds by bootstrap, no random ones, chains that begin anew, no diversity. */
#include "autotvm.h"
#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { PLAIN, MEAN, UCB, EI, SQUARED, SQUARED_UCB, SQUARED_EI, NO_EPSILON, RESTART, GREEDY, CHOICES };
enum { FITS = 5, REPEATS = 40, TRIALS = 512, EARLY = 128, LATE = 256, SHAPES = 2 };

/* Of which the first is demo 1's; settings [CHOICES]. */
static void find_choices(struct annealing_settings *s, struct variant *variant)
{
    static const struct text name[CHOICES] = {
        { "demo 1's settings", "演示 1 的设置" },
        { "mean of 5 fits", "5 次拟合的均值" },
        { "UCB of 5 fits", "5 次拟合，UCB" },
        { "EI of 5 fits", "5 次拟合，EI" },
        { "squared loss", "平方损失" },
        { "  UCB of 5 fits", "  5 次拟合，UCB" },
        { "  EI of 5 fits", "  5 次拟合，EI" },
        { "epsilon 0", "ε = 0" },
        { "chains begin anew", "每批重新开始走链" },
        { "no diversity", "不兼顾多样性" },
    };
    for (int i = 0; i < CHOICES; i++) {
        s[i] = annealing_defaults();
        variant[i] = (struct variant){ &strategy_annealing, &s[i], name[i], NULL };
    }
    for (int i = SQUARED; i <= SQUARED_EI; i++)
        s[i].model.gbdt = gbdt_defaults(GBDT_SQUARED);
    for (int i = MEAN; i <= SQUARED_EI; i++)
        s[i].model.bootstraps = i == SQUARED ? 0 : FITS;
    s[UCB].model.acquire = s[SQUARED_UCB].model.acquire = ACQUIRE_UCB;
    s[EI].model.acquire = s[SQUARED_EI].model.acquire = ACQUIRE_EI;
    s[NO_EPSILON].epsilon = 0;
    s[RESTART].restart = true;
    s[GREEDY].diversity = 1;
}

/* In how many repeats a choice is better or worse after n than the one it changes is in the same repeat. */
static void compare(const struct experiment *e, int w, int v, size_t n, double *better, double *worse)
{
    int base = v > SQUARED && v <= SQUARED_EI ? SQUARED : PLAIN;
    *better = *worse = 0;
    for (int r = 0; r < e->repeats; r++) {
        double share = tuning_share(experiment_tuning(e, w, v, r), n);
        double first = tuning_share(experiment_tuning(e, w, base, r), n);
        *better += share > first;
        *worse += share < first;
    }
}

static void show(struct run *run, const struct experiment *e, int w)
{
    struct table *table = table_of(
        { TEXT("one choice changed", "只改一处"), TABLE_TEXT }, { TEXT("share after\n128, %", "测 128 次后\n%"), 1 },
        { TEXT("after 256\n%", "256 次后\n%"), 1 }, { TEXT("better", "更好"), 0 },
        { TEXT("worse", "更差"), 0 }, { TEXT("trials to\n95 %", "达到 95%\n测几次"), 0 },
        { TEXT("\n99 %", "\n99%"), 0 }, { TEXT("fits\na batch", "每批\n拟合"), 0 });
    for (int v = 0; v < e->variants; v++) {
        const struct annealing_settings *s = e->variant[v].settings;
        double better, worse;
        int fits = s->model.bootstraps;
        compare(e, w, v, LATE, &better, &worse);
        table_text(table, "%s", tr_text(e->variant[v].name));
        table_numbers(table, experiment_share(e, w, v, EARLY).median, experiment_share(e, w, v, LATE).median,
                      v ? better : NAN, v ? worse : NAN);
        for (int share = 95; share <= 99; share += 4) {
            size_t trials = experiment_reached(e, w, v, share);
            table_number(table, trials ? (double)trials : NAN);
        }
        table_number(table, fits > 0 ? fits : 1);
    }
    char label[128];
    report_table(run->report, table,
                 tr("%s: share of the optimum, median of %d; in how many repeats it is better or worse after 256 than the first "
                    "row, if set in than squared loss, in the same repeat; trials needed (-: at least half never do)",
                    "%s：达到最优的百分比，%d 次的中位数；测 256 次后有几次重复比第一行（缩进的比“平方损失”）的同一次更好、更差；需要的实测次数（-：至少一半做不到）"),
                 workload_label(&e->workload[w], text_lang(), label, sizeof label), e->repeats);
}

/* Runs one variant after another, each on the clock: what it costs is the CPU's time, not the GPU's. */
static void run_on_clock(struct run *run, struct experiment *e)
{
    for (int v = 0; v < e->variants; v++) {
        clock_t start = clock();
        for (int w = 0; w < e->workloads; w++)
            tuning_run_all((size_t)e->repeats, experiment_tuning(e, w, v, 0), NULL, NULL);
        double tunings = (double)e->workloads * e->repeats;
        program_clock(run, tr("%s: %.3f s a tuning", "%s：每次调优 %.3f s"), tr_text(e->variant[v].name),
                      (double)(clock() - start) / CLOCKS_PER_SEC / tunings);
    }
}

void demo7_uncertainty(struct run *run)
{
    struct annealing_settings s[CHOICES];
    struct variant variant[CHOICES];
    struct workload shape[SHAPES];
    int shapes = autotvm_shapes(run, true, shape);
    find_choices(s, variant);
    struct experiment e = program_experiment(run, "02.search", shapes, shape, CHOICES, variant,
                                             run->options->trials ? (size_t)run->options->trials : TRIALS);
    e.repeats = run->options->repeats ? run->options->repeats : REPEATS;
    experiment_plan(&e);
    run_on_clock(run, &e);
    report_say(run->report,
               tr("A fit is of %d records or fewer; 5 fits are each of as many drawn with replacement, and disagree where little is known. UCB: their "
                  "mean and one standard deviation; EI: the expected improvement over the best record. Where a choice changes nothing, better and "
                  "worse are alike but for luck: of 40 repeats it makes 27 to 13 or more once in 26 times.",
                  "一次拟合用到至多 %d 条记录；5 次拟合各用有放回抽出的同样多条，在知道得少的地方意见不一。UCB：均值加一倍标准差；EI：比最好的记录期望好多少。"
                  "如果改动毫无作用，更好和更差的次数只差在运气：40 次重复里，26 回才有 1 回凭运气到 27 比 13 或更悬殊。"),
               (int)e.trials);
    for (int w = 0; w < shapes; w++)
        show(run, &e, w);
    experiment_free(&e);
}

/* Demo 7, on request: what AutoTVM's paper tried against getting stuck (lecture 4.5), often enough to tell: expected
 * improvement and upper confidence bounds by bootstrap, no random ones, chains that begin anew, no diversity. */
#include "autotvm.h"
#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { CHOICES = 10, FITS = 5, REPEATS = 40, TRIALS = 512, EARLY = 128, LATE = 256, SHAPES = 2 };

/* Of which the first is demo 1's; settings [CHOICES]. */
static void find_choices(struct annealing_settings *s, struct variant *variant)
{
    static const struct text name[CHOICES] = {
        { "demo 1's settings", "演示 1 的设置" },
        { "mean of 5 fits", "5 次拟合的均值" },
        { "UCB of 5 fits", "5 次拟合，UCB" },
        { "EI of 5 fits", "5 次拟合，EI" },
        { "squared loss", "平方损失" },
        { "squared, UCB", "平方损失，UCB" },
        { "squared, EI", "平方损失，EI" },
        { "epsilon 0", "ε = 0" },
        { "chains begin anew", "每批重新开始走链" },
        { "no diversity", "不兼顾多样性" },
    };
    for (int i = 0; i < CHOICES; i++) {
        s[i] = annealing_defaults();
        variant[i] = (struct variant){ &strategy_annealing, &s[i], name[i], NULL };
    }
    for (int i = 1; i <= 3; i++) {
        s[i].model.bootstraps = FITS;
        s[i].model.acquire = (enum acquisition)(i - 1);
    }
    for (int i = 4; i <= 6; i++)
        s[i].model.gbdt = gbdt_defaults(GBDT_SQUARED);
    for (int i = 5; i <= 6; i++) {
        s[i].model.bootstraps = FITS;
        s[i].model.acquire = (enum acquisition)(i - 4);
    }
    s[7].epsilon = 0;
    s[8].restart = true;
    s[9].diversity = 1;
}

/* In how many repeats a choice is better or worse after n than the first is in the same repeat. */
static void compare(const struct experiment *e, int w, int v, size_t n, double *better, double *worse)
{
    *better = *worse = 0;
    for (int r = 0; r < e->repeats; r++) {
        double share = tuning_share(experiment_tuning(e, w, v, r), n);
        double first = tuning_share(experiment_tuning(e, w, 0, r), n);
        *better += share > first;
        *worse += share < first;
    }
}

static void show(struct run *run, const struct experiment *e, int w)
{
    struct table *table = table_of(
        { TEXT("one choice changed", "只改一处"), TABLE_TEXT }, { TEXT("share after\n128, %", "测 128 次后\n%"), 1 },
        { TEXT("after 256\n%", "256 次后\n%"), 1 }, { TEXT("better\nthan", "好于\n第一行"), 0 },
        { TEXT("worse\nthe first", "差于\n第一行"), 0 }, { TEXT("trials to\n95 %", "达到 95%\n测几次"), 0 },
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
                 tr("%s: share of the optimum, median of %d; in how many repeats it is better or worse after 256 than the first row in "
                    "the same repeat; trials needed (-: at least half never do)",
                    "%s：达到最优的百分比，%d 次的中位数；测 256 次后有几次重复好于、差于第一行的同一次；需要的实测次数（-：至少一半做不到）"),
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
                  "mean and one standard deviation; EI: the expected improvement over the best record. If a choice changed nothing, better and "
                  "worse would be alike: of 40 repeats, 27 to 13 or more comes by luck once in 26.",
                  "一次拟合用到至多 %d 条记录；5 次拟合各用有放回抽出的同样多条，在知道得少的地方意见不一。UCB：均值加一倍标准差；EI：比最好的记录期望好多少。"
                  "如果改动毫无作用，好于和差于的次数应该差不多：40 次重复里，27 比 13 或更悬殊只凭运气是 26 次里有 1 次。"),
               (int)e.trials);
    for (int w = 0; w < shapes; w++)
        show(run, &e, w);
    experiment_free(&e);
}

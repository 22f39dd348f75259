/* judge.c - judges the assignment: does the strategy keep its promises (strategy.h), and does it beat luck?
 *
 * The promises are tried by asking and telling by hand, with made-up times, on spaces that are small enough to be
 * exhausted. How good it is, an experiment says, as in 02_autotvm. */
#include "experiment.h"
#include "report/program.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct strategy strategy_mine;

enum { PROMISES = 5, MOST_BATCH = 64, ROOM = 64 * MOST_BATCH, SEED = 7 };
enum { SHAPES = 3, TRIALS = 512, REPEATS = 20, GOAL = 95 };
enum promise { LEGAL, NEVER_TWICE, NO_MORE, EXHAUSTS, SAME_SEED };

static const struct text promises[PROMISES] = {
    [LEGAL] = { "asks for legal configurations only", "只问合法的配置" },
    [NEVER_TWICE] = { "never asks for one twice", "同一个不问两次" },
    [NO_MORE] = { "never asks for more than are wanted", "不多问" },
    [EXHAUSTS] = { "goes on until all were asked for, then ends", "问完所有的才停" },
    [SAME_SEED] = { "asks the same when the seed is the same", "种子相同，问的也相同" },
};

static int tried, held; /* conditions: of how many, how many hold */

static const char *verdict(bool holds)
{
    tried++;
    held += holds;
    return holds ? tr("yes", "是") : tr("no", "否");
}

/* ---- promises ---- */

/* The square's space with all knobs but the tile and the warps fixed; and the same with one configuration. */
static struct space *small_space(const struct space *whole, bool one)
{
    static const struct {
        const char *knob;
        int value;
    } fixed[] = { { "BLOCK_K", 32 },  { "num_stages", 2 }, { "GROUP_M", 8 },  { "SPLIT_K", 1 },
                  { "BLOCK_M", 64 }, { "BLOCK_N", 64 },   { "num_warps", 4 } };
    struct space *space = NULL;
    for (int i = 0; i < (one ? 7 : 4); i++) {
        struct space *next = space_restrict(space ? space : whole, fixed[i].knob, 1, &fixed[i].value);
        if (space)
            space_free(space);
        space = next;
    }
    return space;
}

/* What is told: a time that only the configuration decides, and a failure for one in eight. */
static struct measurement made_up(uint32_t config)
{
    struct rng rng = rng_stream(config, "assignment", 0);
    double us = 100 + 900 * rng_uniform(&rng);
    return config % 8 == 5 ? (struct measurement){ INFINITY, 1, 1 } : (struct measurement){ us, 0, 1 };
}

/* One run over a space, from the first question to the last. */
struct inquiry {
    const struct space *space;
    size_t batch, count;    /* trials so far */
    bool *seen;             /* [space->size] */
    uint32_t *asked;        /* [count] in order */
    char *place[PROMISES];  /* where each promise was broken first; NULL: nowhere */
};

static void breaks(struct inquiry *q, enum promise promise, const char *what)
{
    if (!q->place[promise])
        q->place[promise] =
            xformat(tr("batches of %zu, after %zu trials: %s", "每批 %zu，测了 %zu 次后：%s"), q->batch, q->count, what);
}

/* False: nothing more is to be learnt, for the question was wrong. */
static bool question_holds(struct inquiry *q, uint32_t config)
{
    char text[128] = "";
    bool there = config < q->space->size;
    if (there)
        space_format(q->space, config, ',', text, sizeof text);
    if (!there || !space_is_legal(q->space, config))
        breaks(q, LEGAL, there ? text : tr("a number that is no configuration", "不是配置的编号"));
    else if (q->seen[config])
        breaks(q, NEVER_TWICE, text);
    else {
        q->seen[config] = true;
        q->asked[q->count++] = config;
        return true;
    }
    return false;
}

/* Asks until nothing comes, and tells a made-up time for each. */
static void exhaust(struct inquiry *q)
{
    static uint32_t configs[ROOM];
    static struct measurement results[ROOM];
    struct task task = { workload_find("square"), q->space };
    void *self = strategy_mine.open(&task, SEED, NULL);
    size_t n;
    do {
        n = strategy_mine.ask(self, q->batch, configs);
        if (n > q->batch) {
            breaks(q, NO_MORE, "ask");
            break;
        }
        size_t good = 0;
        while (good < n && question_holds(q, configs[good])) {
            results[good] = made_up(configs[good]);
            good++;
        }
        if (good < n)
            break;
        strategy_mine.tell(self, n, configs, results);
    } while (n == q->batch);
    if (n < q->batch && q->count < q->space->legal_count)
        breaks(q, EXHAUSTS, tr("ended too early", "停得太早"));
    strategy_mine.close(self);
}

/* Twice the same run on one space; keeps what was broken first. */
static void try_promises(const struct space *space, size_t batch, char *place[PROMISES])
{
    struct inquiry q[2];
    for (int i = 0; i < 2; i++) {
        q[i] = (struct inquiry){ .space = space, .batch = batch };
        q[i].seen = xalloc(space->size, sizeof *q[i].seen);
        q[i].asked = xalloc(space->legal_count, sizeof *q[i].asked);
        exhaust(&q[i]);
    }
    if (q[0].count != q[1].count || memcmp(q[0].asked, q[1].asked, q[0].count * sizeof *q[0].asked))
        breaks(&q[0], SAME_SEED, tr("another order", "顺序不同"));
    for (int p = 0; p < PROMISES; p++) {
        if (!place[p])
            place[p] = q[0].place[p];
        else
            free(q[0].place[p]);
        free(q[1].place[p]);
    }
    for (int i = 0; i < 2; i++) {
        free(q[i].seen);
        free(q[i].asked);
    }
}

static void judge_promises(struct run *run)
{
    char *place[PROMISES] = { NULL };
    struct device *gpu = hypogpu_new(HYPOGPU_UNMODELLED);
    for (int one = 0; one <= 1; one++) {
        struct space *space = small_space(gpu->space, one);
        for (size_t batch = 1; batch <= MOST_BATCH; batch *= 8)
            try_promises(space, batch, place);
        space_free(space);
    }
    device_close(gpu);
    struct table *table = table_of({ TEXT("the strategy", "策略"), TABLE_TEXT }, { TEXT("kept", "做到"), TABLE_TEXT },
                                   { TEXT("where not", "哪里没做到"), TABLE_TEXT });
    for (int p = 0; p < PROMISES; p++) {
        table_text(table, "%s", tr_text(promises[p]));
        table_text(table, "%s", verdict(!place[p]));
        if (place[p])
            table_text(table, "%s", place[p]);
        else
            table_none(table);
        free(place[p]);
    }
    report_table(run->report, table, "%s",
                 tr("What strategy.h asks of every strategy, tried on a space of dozens of configurations and on one of 1",
                    "strategy.h 对每个策略的要求，在有几十个配置和只有 1 个配置的空间上检查"));
}

/* ---- and is it any good? ---- */

static bool is_earlier(size_t trials, size_t than) { return trials && (!than || trials < than); }

static void judge_search(struct run *run)
{
    enum { YOURS, RANDOM, VARIANTS = 3 };
    const struct variant variants[VARIANTS] = { [YOURS] = { .strategy = &strategy_mine, .name = strategy_mine.title },
                                                [RANDOM] = { .strategy = &strategy_random, .name = { "Random", "随机" } },
                                                { .strategy = &strategy_annealing, .name = { "AutoTVM", "AutoTVM" } } };
    struct workload shapes[SHAPES];
    if (held < tried) {
        report_say(run->report, "%s", tr("First keep what part 1 asks for.", "先做到部分 1 的要求。"));
        tried += SHAPES;
        return;
    }
    int count = program_workloads(run, SHAPES, (const char *const[]){ "square", "decode", "wgrad" }, shapes);
    struct experiment e = program_experiment(run, "assignment", count, shapes, VARIANTS, variants, TRIALS);
    e.repeats = run->options->repeats ? run->options->repeats : REPEATS;
    experiment_run(&e, program_tuning_progress, run);
    curves_say_legend(run->report, "", run->device, e.repeats);
    for (int w = 0; w < count; w++)
        curves_show(&e, w, 16, run->report, run->figures, "assignment", TEXT("", ""), TEXT("Your strategy on ", "你的策略，"));
    struct table *table = table_of({ TEXT("trials to 95 %", "达到 95% 的实测次数"), TABLE_TEXT }, { TEXT("yours", "你的"), 0 },
                                   { TEXT("random", "随机"), 0 }, { TEXT("AutoTVM", "AutoTVM"), 0 },
                                   { TEXT("ahead\nof luck", "胜过\n运气"), TABLE_TEXT });
    for (int w = 0; w < count; w++) {
        size_t needed[VARIANTS];
        table_text(table, "%s", tr_text(shapes[w].name));
        for (int v = 0; v < VARIANTS; v++) {
            needed[v] = experiment_reached(&e, w, v, GOAL);
            table_number(table, needed[v] ? (double)needed[v] : NAN);
        }
        table_text(table, "%s", verdict(is_earlier(needed[YOURS], needed[RANDOM])));
    }
    report_table(run->report, table,
                 tr("After how many of %d trials the choice is within 95 %% of the optimum; median of %d (-: half of them "
                    "never are)",
                    "测了几次（最多 %d 次）之后，选中的达到最优的 95%%；%d 次的中位数（-：至少一半达不到）"),
                 TRIALS, e.repeats);
    experiment_free(&e);
}

static void conclude(struct run *run)
{
    if (!run->options->quiet)
        fprintf(stderr, tr("%d of %d conditions hold.\n", "%d 个条件成立（共 %d 个）。\n"), held, tried);
}

int main(int argc, char **argv)
{
    static const struct demo demos[] = {
        { { "Is it a strategy?", "它是一个策略吗？" }, "strategy.h", judge_promises },
        { { "Is it better than luck?", "它比运气好吗？" }, "§4.6", judge_search },
    };
    const struct program program = {
        .number = 8, .name = "assignment", .demos = 2, .demo = demos, .finish = conclude, .label = { "Part", "部分" }
    };
    int status = program_main(&program, argc, argv);
    return status ? status : held < tried;
}

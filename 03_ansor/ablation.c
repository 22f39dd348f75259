/* Demo 4: Ansor with one part taken away at a time (lecture 5.7), and a test of the lecture's explanation of why it
 * costs so little here to take fine-tuning away. */
#include "ansor.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
const struct fact published_ablation[] = {
    { "ablation.limited_wgrad_pct", "§5.7", FACT_SEARCH, { "56.6", "56.6" }, "56.0", "57.0",
      { "limited space, wgrad at 1024, %", "有限空间，权重梯度 1024 次，%" }, { 0 } },
    { "ablation.beam_wgrad_256_pct", "§5.7", FACT_SEARCH, { "76.6", "76.6" }, "68", "86",
      { "beam search, wgrad at 256, %", "束搜索，权重梯度 256 次，%" }, { 0 } },
    { "ablation.limited_minus_full_square", "§5.7", FACT_SEARCH, { "0", "0" }, "-1", "1",
      { "limited - full, square, points", "有限空间减完整，方阵，百分点" }, { 0 } },
    { "ablation.notuning_over_full_to99_square", "§5.7", FACT_SEARCH, { "even faster", "甚至更快" }, "0", "1.0",
      { "to 99 %, square: no tuning / full", "方阵到 99%：不微调 / 完整" },
      { "five repeats are few, and both have found the few good tiles by then (the table of measurements needed, demo 4).",
        "五次重复太少，而且那时两者都已找到那几种好的分块（演示 4 里“要测几次”的表）。" } },
    { "ablation.candidates_per_round", "§5.7", FACT_EXACT, { "1280", "1280" }, "1280", "1280",
      { "random programs a round", "不微调时每轮随机程序数" }, { 0 } },
    { 0 }
};
/* clang-format on */

enum { REPEATS = 5, TRIALS = 1024 };
enum { FULL = ABLATION_FULL, BEAM = ABLATION_BEAM, NO_TUNING = ABLATION_NO_TUNING, LIMITED = ABLATION_LIMITED,
       VARIANTS = ABLATION_VARIANTS };
enum { CANDIDATES = 1280 };

static void say_parts(struct run *run, const struct experiment *e)
{
    const size_t end = e->trials;
    double limited = experiment_share(e, 1, LIMITED, end).median, full = experiment_share(e, 1, FULL, end).median;
    double beam = experiment_share(e, 1, BEAM, 256).median, same = experiment_share(e, 1, FULL, 256).median;
    double square = experiment_share(e, 0, NO_TUNING, end).median;
    double wgrad = experiment_share(e, 1, NO_TUNING, end).median;
    double loss = experiment_share(e, 0, LIMITED, end).median - experiment_share(e, 0, FULL, end).median;
    report_say(
        run->report,
        tr("The space matters most. Without the sketch with rfactor the weight gradient ends at "
           "%.1f %% instead of %.1f: what is not in the space no search finds. For the square the rules derive no "
           "such sketch, so its limited space is the full one, and the two rows are the same runs. Beam search "
           "prunes half-made programs by scores that demo 3 shows to be poor: after 256 measurements of the weight "
           "gradient it is at %.1f, the full Ansor at %.1f. Without fine-tuning Ansor ends at %.1f on the square and "
           "%.1f on the weight gradient, the larger space.",
           "搜索空间最重要。没有 rfactor 草图，权重梯度停在 %.1f%%，有则到 %.1f%%：空间里没有的，怎么搜也找不到。方阵本"
           "来就推不出这种草图，所以它的有限空间就是完整空间，两行是同一批运行。束搜索按演示 3 里那种不准的分数剪掉半"
           "成品：权重梯度测 256 次时它是 %.1f%%，完整的 Ansor 是 %.1f%%。不微调时方阵到 %.1f%%，"
           "空间更大的权重梯度到 %.1f%%。"),
        limited, full, beam, same, square, wgrad);
    facts_number(run->facts, "ablation.limited_wgrad_pct", limited, 1);
    facts_number(run->facts, "ablation.beam_wgrad_256_pct", beam, 1);
    facts_number(run->facts, "ablation.limited_minus_full_square", loss, 1);
    double sooner = (double)experiment_reached(e, 0, NO_TUNING, 99), full99 = (double)experiment_reached(e, 0, FULL, 99);
    facts_number(run->facts, "ablation.notuning_over_full_to99_square",
                 sooner == 0 ? INFINITY : full99 == 0 ? 0 : sooner / full99, 2);
    facts_number(run->facts, "ablation.candidates_per_round", evolution_without_tuning(CANDIDATES).population, 0);
}

static void say_variants(struct run *run)
{
    struct evolution_settings full = evolution_defaults();
    report_say(
        run->report,
        tr("Full: %d programs, random ones and the best measured, evolve for %d generations "
           "under the cost model; the best that turn up are measured, %d a round. Beam search decides knob after "
           "knob and keeps the %d half-made programs that the model likes best. No fine-tuning: the model picks from "
           "%d random programs a round. Limited space: evolution in a template's space, which has no rfactor.",
           "完整：%d 个程序（随机的，加上实测最好的）在代价模型下进化 %d 代，出现过的最好的拿去实测，每轮 %d 个。束搜"
           "索：一个旋钮一个旋钮地定，每步留下模型最看好的 %d 个半成品。不微调：每轮让模型从 %d 个随机程序里挑。有限"
           "空间：在没有 rfactor 的模板空间里进化。"),
        full.population, full.generations, ANSOR_BATCH, beam_defaults().width, CANDIDATES);
}

/* The four ways, and what their experiment refers to: demo 5 and the table of fewer candidates tune some of it, too. */
struct parts {
    struct workload shape[ANSOR_PAIR];
    struct space *template;
    struct evolution_settings no_tuning;
    struct variant variant[VARIANTS];
    struct experiment e;
};

const struct experiment *ansor_made(const struct run *run)
{
    const struct parts *parts = run->shared;
    return parts ? &parts->e : NULL;
}

void ansor_finish(struct run *run)
{
    struct parts *p = run->shared;
    if (p) {
        experiment_free(&p->e);
        space_free(p->template);
        free(p);
    }
}

const struct experiment *ansor_parts(struct run *run)
{
    struct workload shape[ANSOR_PAIR];
    int shapes = run->shared ? 0 : ansor_pair(run, shape);
    if (shapes == 0)
        return ansor_made(run);
    struct parts *p = xalloc(1, sizeof *p);
    memcpy(p->shape, shape, sizeof shape);
    p->template = ansor_template(run);
    p->no_tuning = evolution_without_tuning(CANDIDATES);
    const struct variant variants[VARIANTS] = {
        [FULL] = { &strategy_evolution, NULL, TEXT("Ansor (full)", "Ansor（完整）"), NULL },
        [BEAM] = { &strategy_beam, NULL, TEXT("beam search", "束搜索"), NULL },
        [NO_TUNING] = { &strategy_evolution, &p->no_tuning, TEXT("no fine-tuning", "不微调"), NULL },
        [LIMITED] = { &strategy_evolution, NULL, TEXT("limited space", "有限空间"), p->template },
    };
    memcpy(p->variant, variants, sizeof variants);
    p->e = ansor_tune(run, shapes, p->shape, VARIANTS, p->variant, REPEATS, TRIALS);
    run->shared = p;
    return &p->e;
}

static void show_parts(struct run *run, const struct experiment *e)
{
    say_variants(run);
    curves_say_legend(run->report, "", run->device, e->repeats);
    for (int w = 0; w < e->workloads; w++)
        curves_show(e, w, ANSOR_BATCH, run->report, run->figures, "ablation", TEXT("", ""), TEXT("Ablation on ", "消融，"));
    report_table(run->report, curves_reached_table(e), CURVES_REACHED_TITLE, tr_text(curves_goal(run->device)));
    if (ansor_published(run))
        say_parts(run, e);
}

/* ---- fewer candidates ----
 *
 * The lecture says that no fine-tuning holds its own because so many random programs a round cover so small a space.
 * If so, it must fall behind as the samples get fewer, and evolution, whose population shrinks as well, must not. */
enum { LEVELS = 4, SWEEP_REPEATS = 10, SWEEP_TRIALS = 512 };
static const int levels[LEVELS] = { CANDIDATES, 320, 80, 20 };

/* After n measurements with level l; rounded as it is printed, so that marks and numbers never disagree. */
static double shown(const struct experiment *e, int w, int l, bool evolution, size_t n)
{
    return floor(10 * experiment_share(e, w, 2 * l + evolution, n).median + 0.5) / 10;
}

static void sweep_table(struct run *run, const struct experiment *e, int w)
{
    size_t programs = ansor_programs(run, &e->workload[w]);
    size_t rounds = (e->trials - 1) / ANSOR_BATCH; /* that ask the model: all but the first */
    const size_t at[2] = { e->trials / 2, e->trials };
    struct text middle = text_format("after %zu\nno tuning", "测 %zu 次后\n不微调", at[0]);
    struct text end = text_format("after %zu\nno tuning", "测 %zu 次后\n不微调", at[1]);
    struct table *table = table_of({ TEXT("candidates\na round", "每轮候选"), TABLE_TEXT },
                                   { TEXT("draws / programs\nof the space", "抽取数\n/ 空间程序数"), 3 }, { middle, 1 },
                                   { TEXT("\nevolution", "\n进化"), 1 }, { end, 1 }, { TEXT("\nevolution", "\n进化"), 1 });
    text_free(middle);
    text_free(end);
    for (int l = 0; l < LEVELS; l++) {
        table_text(table, "%d", levels[l]);
        table_number(table, (double)levels[l] * (double)rounds / (double)programs);
        for (int i = 0; i < 4; i++) {
            double share = shown(e, w, l, i % 2, at[i / 2]);
            table_number(table, share);
            if (share >= shown(e, w, l, !(i % 2), at[i / 2]))
                table_best(table);
        }
    }
    report_table(
        run->report, table,
        tr("Fewer candidates: %s; share of the optimum after %zu and %zu measurements, %%; median of %d. Draws: candidates "
           "a round x %zu rounds, beside the %zu programs of the space",
           "减少候选：%s；测 %zu 次和 %zu 次后达到最优的 %%；%d 次的中位数。抽取数：每轮候选 x %zu 轮，空间里有 %zu 个程序"),
        tr_text(e->workload[w].name), at[0], at[1], e->repeats, rounds, programs);
}

/* Where evolution with fewer candidates ends ahead: of as many random ones, and of the level above, four times as
 * many. */
static void say_verdict(struct run *run, const struct experiment *e)
{
    int same = 0, more = 0, cases = (LEVELS - 1) * e->workloads;
    for (int w = 0; w < e->workloads; w++)
        for (int l = 1; l < LEVELS; l++) {
            double evolution = shown(e, w, l, true, e->trials);
            same += evolution > shown(e, w, l, false, e->trials);
            more += evolution > shown(e, w, l - 1, false, e->trials);
        }
    bool does = 2 * same > cases;
    report_say(
        run->report,
        tr("The lecture found no fine-tuning as good as the full Ansor, and explains it: %d "
           "random programs a round cover so small a space. With fewer it must then fall behind, and %s: evolution, "
           "whose population shrinks as well, ends ahead in %d of %d cases below %d. It looks at five generations, the "
           "first and four bred from it, but beside four times as many random candidates it is still ahead in %d of %d.%s",
           "讲义发现“不微调”不比完整的 Ansor 差，并解释说：每轮随机采 %d 个，已把这么小的空间覆盖得很密。那么候选减少"
           "时它就该落后，%s：进化的种群也同样缩小，在 %d/%d 种情形（候选少于 %d）里最后领先。进化看了五代程序（最初一代加繁殖的四代），但和"
           "四倍的随机候选相比，仍有 %d/%d 种领先。%s"),
        CANDIDATES, does ? tr("it does", "确实如此") : tr("here it does not", "这里没有看到"), same, cases,
        CANDIDATES, more, cases,
        does
            ? tr(" Where samples are thin, the neighbours of good programs are the better place to look; real spaces are "
                 "larger by orders of magnitude.",
                 "样本稀疏时，到好程序的邻居里去找更好；真实的空间要大几个数量级。")
            : "");
}

static void run_sweep(struct run *run, const struct parts *parts)
{
    struct evolution_settings settings[2 * LEVELS];
    struct variant variants[2 * LEVELS];
    for (int l = 0; l < LEVELS; l++) {
        settings[2 * l] = evolution_without_tuning(levels[l]);
        settings[2 * l + 1] = evolution_defaults();
        settings[2 * l + 1].population = levels[l];
    }
    for (int v = 0; v < 2 * LEVELS; v++)
        variants[v] = (struct variant){ &strategy_evolution, v ? &settings[v] : &parts->no_tuning,
                                        strategy_evolution.title, NULL };
    struct experiment e =
        ansor_tune(run, parts->e.workloads, parts->shape, 2 * LEVELS, variants, SWEEP_REPEATS, SWEEP_TRIALS);
    for (int w = 0; w < e.workloads; w++)
        sweep_table(run, &e, w);
    say_verdict(run, &e);
    experiment_free(&e);
}

void demo4_ablation(struct run *run)
{
    const struct experiment *e = ansor_parts(run);
    if (!e)
        return;
    show_parts(run, e);
    run_sweep(run, run->shared);
}

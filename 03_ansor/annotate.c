/* Demo 2: sketches with their holes filled at random: how good such programs are, and whether each sketch gets its
 * chance (lecture 5.4). */
#include "ansor.h"
#include <stdlib.h>

/* clang-format off */
const struct fact published_annotate[] = {
    { "annotate.square_median_pct", "§5.4", FACT_SEARCH, { "31", "31" }, "29.5", "32.5",
      { "median random program, square, %", "随机程序的中位数，方阵，%" }, { 0 } },
    { "annotate.wgrad_median_pct", "§5.4", FACT_SEARCH, { "28", "28" }, "26.5", "29.5",
      { "median random program, wgrad, %", "随机程序的中位数，权重梯度，%" }, { 0 } },
    { 0 }
};
/* clang-format on */

enum { PROGRAMS = 1000 };

static const double percents[] = { 0, 25, 50, 75, 90, 99, 100 };
enum { PERCENTS = sizeof percents / sizeof *percents };

/* Random programs of one shape, and which sketch each belongs to. */
struct sample {
    struct programs programs;
    double share[PROGRAMS]; /* true share of the optimum, percent */
    int sketch[PROGRAMS];
};

static void draw_sample(const struct run *run, const struct workload *w, struct sample *s)
{
    const struct space *space = device_space(run->device, w);
    struct landscape l = landscape_new(run->device, w, space);
    struct rng rng = rng_stream(run->options->seed, "03.annotate", 0);
    int *owner = xalloc(space->size, sizeof *owner);
    s->programs = programs_new(&(struct task){ w, space }, false);
    for (int k = 0; k < s->programs.sketches; k++)
        for (size_t i = 0; i < s->programs.sketch[k].count; i++)
            owner[s->programs.sketch[k].config[i]] = k;
    for (int i = 0; i < PROGRAMS; i++) {
        uint32_t config = programs_random(&s->programs, &rng);
        s->share[i] = 100 / landscape_slowdown(&l, config);
        s->sketch[i] = owner[config];
    }
    free(owner);
    landscape_free(&l);
}

static void add_row(struct table *table, const char *name, double of_space, size_t n, const double *share)
{
    table_text(table, "%s", name);
    table_numbers(table, of_space, (double)n);
    for (int p = 0; p < PERCENTS; p++)
        table_number(table, stats_percentile(share, n, percents[p]));
}

/* A row for all programs and, if there are several sketches, one for each. */
static void add_rows(struct table *table, const struct workload *w, const struct sample *s)
{
    int sketches = s->programs.sketches;
    double all = 0;
    for (int k = 0; k < sketches; k++)
        all += (double)s->programs.sketch[k].count;
    add_row(table, tr_text(w->name), 100, PROGRAMS, s->share);
    for (int k = 0; k < sketches && sketches > 1; k++) {
        char *name = xformat(tr("  sketch %d", "  草图 %d"), k + 1);
        double own[PROGRAMS];
        size_t n = 0;
        for (int i = 0; i < PROGRAMS; i++)
            if (s->sketch[i] == k)
                own[n++] = s->share[i];
        if (n > 0)
            add_row(table, name, 100 * (double)s->programs.sketch[k].count / all, n, own);
        free(name);
    }
}

void demo2_annotation(struct run *run)
{
    const struct column columns[3 + PERCENTS] = {
        { TEXT("share of the optimum, %,\nat this percentile", "达到最优的 %，\n按百分位"), TABLE_TEXT },
        { TEXT("of all\nprograms, %", "占全部\n程序 %"), 1 },
        { TEXT("drawn", "抽到"), 0 },
        { TEXT("worst", "最差"), 1 },
        { TEXT("25", "25"), 1 },
        { TEXT("50", "50"), 1 },
        { TEXT("75", "75"), 1 },
        { TEXT("90", "90"), 1 },
        { TEXT("99", "99"), 1 },
        { TEXT("best", "最好"), 1 },
    };
    static const char *const fact[ANSOR_PAIR] = { "annotate.square_median_pct", "annotate.wgrad_median_pct" };
    struct workload shapes[ANSOR_PAIR];
    int count = ansor_pair(run, shapes);
    if (count == 0)
        return;
    struct table *table = table_new(3 + PERCENTS, columns);
    for (int i = 0; i < count; i++) {
        struct sample s;
        draw_sample(run, &shapes[i], &s);
        add_rows(table, &shapes[i], &s);
        if (ansor_published(run))
            facts_number(run->facts, fact[i], stats_median(s.share, PROGRAMS), 1);
        programs_free(&s.programs);
    }
    report_table(run->report, table, "%s",
                 tr("1000 random programs: first a sketch, uniformly, then what stands in its holes",
                    "1000 个随机程序：先均匀地抽草图，再填它的空"));
    if (count == ANSOR_PAIR)
        report_say(
            run->report, "%s",
            tr("Most of the weight gradient's programs belong to the sketch with rfactor, "
               "yet each sketch is drawn about every second time: every structure gets its chance. Drawn evenly from "
               "all programs, a sketch would be drawn as often as it has programs. Most random programs are poor: sampling is "
               "where the search starts, not where it ends.",
               "权重梯度的程序大多属于有 rfactor 的草图，但两个草图大约各抽到一半：每个结构都有机会。如果从全部程序里均"
               "匀地抽，每个草图只能得到自己那一份。随机程序大多很差：采样只是起点，不是终点。"));
}

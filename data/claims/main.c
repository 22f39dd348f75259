/* claims - the lecture's claims, HypoGPU beside a recording of a real GPU (make h200).
 *
 * HypoGPU is evaluated at the recording's own M, N, K. Both devices keep their own space, legality and noise. */
#include "claims.h"
#include <math.h>
#include <stdlib.h>

enum { HYPO, REAL, DEVICES };
enum { CONTEST = 6 }; /* the number of the demo that needs no shapes */

/* What the demos share: the two devices, the seven shapes, and what was found on each device. */
struct comparison {
    const struct device *device[DEVICES];
    struct workload shape[SHAPES];
    struct findings found[DEVICES];
    bool asked;
};

/* With findings: looking takes a while and is done once. */
static const struct comparison *compared(struct run *run)
{
    struct comparison *c = run->shared;
    if (!c->asked) {
        c->found[HYPO] = findings_of(run, c->device[HYPO], c->shape, NULL);
        c->found[REAL] = findings_of(run, c->device[REAL], c->shape, "h200_search");
    }
    c->asked = true;
    return c;
}

static void show_claims(struct run *run)
{
    const struct comparison *c = compared(run);
    claims_report(run, &c->found[HYPO], &c->found[REAL]);
}

static void likeness(struct run *run)
{
    const struct comparison *c = run->shared;
    const struct device *hypogpu = c->device[HYPO];
    const struct space *space = run->device->space;
    struct table *table =
        table_of({ TEXT("shape", "形状"), TABLE_TEXT }, { TEXT("M x N x K", "M x N x K"), TABLE_TEXT },
                 { TEXT("common legal\nconfigurations", "共同的\n合法配置"), 0 },
                 { TEXT("Spearman's\nrho", "Spearman\nrho"), 3 },
                 { TEXT("HypoGPU's optimum\nrun there, slowdown", "HypoGPU 的最优\n拿到那里的慢速比"), 2 });
    double *a = xalloc(space->legal_count, sizeof *a), *b = xalloc(space->legal_count, sizeof *b);
    for (int s = 0; s < SHAPES; s++) {
        const struct workload *w = &c->shape[s];
        struct landscape l = landscape_new(run->device, w, space);
        double best = INFINITY, there = NAN;
        size_t n = 0;
        for (uint32_t i = 0; i < space->legal_count; i++) {
            int v[MATMUL_KNOBS];
            uint32_t config;
            space_values(space, space->legal[i], v);
            if (!space_index(hypogpu->space, v, &config) || !space_is_legal(hypogpu->space, config) ||
                l.time_us[space->legal[i]] == INFINITY)
                continue;
            a[n] = hypogpu->time_us(hypogpu, w, v);
            b[n] = l.time_us[space->legal[i]];
            if (a[n] < best) {
                best = a[n];
                there = b[n] / l.best_us;
            }
            n++;
        }
        char text[64];
        table_text(table, "%s", tr_text(w->name));
        table_text(table, "%s", workload_shape(w, text, sizeof text));
        table_numbers(table, (double)n, stats_spearman(a, b, n), there);
        landscape_free(&l);
    }
    report_table(run->report, table, NULL);
    report_say(
        run->report, "%s",
        tr("The invented GPU orders configurations much as the real one does, and still its optimum is not the other's: an order carries over, the best one does not.",
           "造出来的 GPU 给配置排的顺序和真的很像，可它的最优并不是另一个的最优：顺序能照搬，最优不能。"));
    free(b);
    free(a);
}

/* Both maps side by side, a gap between them. */
static void draw_interaction(struct run *run, const struct comparison *c)
{
    enum { COLUMNS = 2 * MOST_STAGES + 1 };
    const struct knob *knob = run->device->space->knob;
    struct text *depths = matrix_names(MOST_DEPTHS, knob[BLOCK_K].values);
    struct text *stages = matrix_names(MOST_STAGES, knob[NUM_STAGES].values), columns[COLUMNS];
    struct text title =
        text_format("Slowdown by BLOCK_K and num_stages: HypoGPU left, %s right (× = illegal)",
                    "随 BLOCK_K 和 num_stages 的慢速比：左 HypoGPU，右 %s（× = 非法）", run->device->name);
    double slowdown[MOST_DEPTHS * COLUMNS];
    columns[MOST_STAGES] = TEXT("", "");
    for (int d = 0; d < MOST_DEPTHS; d++) {
        double *left = slowdown + d * COLUMNS, *right = left + MOST_STAGES + 1;
        left[MOST_STAGES] = NAN;
        for (int i = 0; i < MOST_STAGES; i++) {
            left[i] = c->found[HYPO].interaction[d * MOST_STAGES + i];
            right[i] = c->found[REAL].interaction[d * MOST_STAGES + i];
            columns[i] = columns[MOST_STAGES + 1 + i] = stages[i];
        }
    }
    figure_heat(run->figures, "h200_bk_stages", title, TEXT("num_stages", "num_stages"), TEXT("BLOCK_K", "BLOCK_K"),
                &(struct heat){ MOST_DEPTHS, COLUMNS, depths, columns, slowdown, 1, 4, 2, MOST_STAGES });
    text_free(title);
    matrix_names_free(MOST_STAGES, stages);
    matrix_names_free(MOST_DEPTHS, depths);
}

static void show_interaction(struct run *run)
{
    const struct comparison *c = compared(run);
    bool whole = true; /* all values of both knobs on both devices */
    for (int d = 0; d < DEVICES; d++) {
        struct findings f = c->found[d];
        const struct knob *knob = c->device[d]->space->knob;
        struct text *depths = matrix_names(f.depths, knob[BLOCK_K].values);
        struct text *stages = matrix_names(f.stages, knob[NUM_STAGES].values);
        const struct heat map = { f.depths, f.stages, depths, stages, f.interaction, 1, 4, 2, 0 };
        report_table(
            run->report, matrix_table(TEXT("BLOCK_K", "BLOCK_K"), &map, true),
            tr("%s: slowdown on the square by num_stages (across), other knobs at its optimum (-: illegal, *: best of the row)",
               "%s：方阵上随 num_stages（横）变化的慢速比，其余旋钮取它的最优（-：非法，*：该行最好）"),
            c->device[d]->name);
        matrix_names_free(f.stages, stages);
        matrix_names_free(f.depths, depths);
        whole = whole && f.stages == MOST_STAGES && f.depths == MOST_DEPTHS;
    }
    if (whole)
        draw_interaction(run, c);
}

static void show_matrix(struct run *run)
{
    const struct comparison *c = compared(run);
    struct text names[SHAPES];
    for (int s = 0; s < SHAPES; s++)
        names[s] = TEXT(c->shape[s].id, c->shape[s].name.zh);
    for (int d = 0; d < DEVICES; d++) {
        const struct heat matrix = { SHAPES, SHAPES, names, names, c->found[d].cross, 1, 7, 2, 0 };
        report_table(run->report, matrix_table(TEXT("optimum of", "谁的最优"), &matrix, false),
                     tr("%s: slowdown when the row's optimum runs on the column's shape",
                        "%s：行形状的最优配置拿到列形状上的慢速比"),
                     c->device[d]->name);
    }
}

/* Both terrains of the square, as a table and as cumulative curves. */
static void show_terrain(struct run *run)
{
    enum { POINTS = 60, ROWS = 7 };
    static const double percents[ROWS] = { 1, 5, 10, 20, 50, 100, 400 };
    const struct comparison *c = run->shared;
    double x[POINTS], y[DEVICES][POINTS], share[DEVICES][ROWS];
    for (int i = 0; i < POINTS; i++)
        x[i] = mathx_exp(mathx_log(100.0) * i / (POINTS - 1));
    for (int d = 0; d < DEVICES; d++) {
        struct landscape l = landscape_new(c->device[d], &c->shape[SQUARE], c->device[d]->space);
        size_t n;
        double *slowdown = landscape_slowdowns(&l, &n);
        for (int i = 0; i < POINTS; i++)
            y[d][i] = 100 * (double)stats_up_to(slowdown, n, x[i]) / (double)n;
        for (int i = 0; i < ROWS; i++)
            share[d][i] = 100 * (double)stats_up_to(slowdown, n, 1 + percents[i] / 100) / (double)n;
        free(slowdown);
        landscape_free(&l);
    }
    struct table *table = table_of({ TEXT("slower by at most", "比最优最多慢"), TABLE_TEXT },
                                   { TEXT("HypoGPU\n% of the legal", "HypoGPU\n占合法的 %"), 3 },
                                   { TEXT("recording\n% of the legal", "录制\n占合法的 %"), 3 });
    for (int i = 0; i < ROWS; i++) {
        table_text(table, tr("%.0f %%", "%.0f%%"), percents[i]);
        table_numbers(table, share[HYPO][i], share[REAL][i]);
    }
    report_table(run->report, table, NULL);
    figure_lines(
        run->figures, "h200_terrain",
        TEXT("Two terrains: slowdown of the square's legal configurations", "两种地形：方阵合法配置的慢速比"),
        (struct axis){ TEXT("slowdown relative to the own optimum (log axis)", "相对各自最优的慢速比（对数轴）"), 1,
                       100, 10, "(1,2,5,10,20,50,100)" },
        (struct axis){ TEXT("cumulative, % of the legal", "累计，占合法的 %"), 0, 100, 0, NULL }, DEVICES,
        (struct series[]){ { TEXT("HypoGPU", "HypoGPU"), POINTS, x, y[HYPO], NULL, NULL },
                           { TEXT(run->device->name, run->device->name), POINTS, x, y[REAL], NULL, NULL } });
    descents_show(run, c->device, c->shape);
}

static const struct demo demos[] = {
    { { "The lecture's claims on a real GPU", "讲义的论断在真实 GPU 上" }, NULL, show_claims },
    { { "How like a real GPU is the invented one", "造出来的 GPU 有多像真的" }, NULL, likeness },
    { { "Rare on both: the terrain of the square", "两边都稀少：方阵的地形" }, "§1.3", show_terrain },
    { { "Knobs interact on both", "两边的旋钮都相互影响" }, "§1.3", show_interaction },
    { { "Optima do not carry over", "最优不能照搬" }, "§2.3", show_matrix },
    { { "Who needs how many trials", "谁要测几次" }, "§4.6", contest_show },
};

/* Finds the recording's shapes before anything is printed. */
static bool prepare(struct run *run)
{
    static const char *const ids[SHAPES] = {
        "square", "prefill_qkv", "ffn_up", "ffn_down", "decode", "wgrad", "small"
    };
    struct comparison *c = run->shared = xalloc(1, sizeof *c);
    if (run->device->is_hypogpu)
        die("--device: name a recording, such as data/h200_matmul.tsv");
    c->device[HYPO] = hypogpu_new(HYPOGPU_UNMODELLED);
    c->device[REAL] = run->device;
    bool contest_alone = run->options->demo[CONTEST];
    for (int d = 1; d < CONTEST; d++)
        contest_alone = contest_alone && !run->options->demo[d];
    if (contest_alone) /* any recording will do */
        return false;
    for (int s = 0; s < SHAPES; s++) {
        const struct workload *w = device_find(run->device, ids[s]);
        if (!w || !features_has_program(run->device->space))
            die("--device %s: expected the seven shapes of a matmul; %s is missing", run->options->device,
                w ? "its seven knobs" : ids[s]);
        c->shape[s] = *w;
    }
    return false;
}

static void finish(struct run *run)
{
    struct comparison *c = run->shared;
    device_close((struct device *)c->device[HYPO]);
    free(c);
}

int main(int argc, char **argv)
{
    const struct program program = { .number = 6,
                                     .name = "claims",
                                     .label = { "Table", "表" },
                                     .demos = sizeof demos / sizeof *demos,
                                     .demo = demos,
                                     .on_request = 1,
                                     .instead = prepare,
                                     .finish = finish };
    return program_main(&program, argc, argv);
}

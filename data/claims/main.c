/* claims - the lecture's claims, HypoGPU beside a recording of a real GPU (make h200).
 *
 * HypoGPU is evaluated at the recording's own M, N, K. Both devices keep their own space, legality and noise. */
#include "claims.h"
#include <math.h>
#include <stdlib.h>

static const char *const ids[SHAPES] = { "square", "prefill_qkv", "ffn_up", "ffn_down", "decode", "wgrad", "small" };

static struct workload shape[SHAPES];
static struct device *hypogpu;
static struct findings hypo, real;

static void ask_both(struct run *run)
{
    static bool asked;
    if (asked)
        return;
    hypo = findings_of(run, hypogpu, shape, NULL);
    real = findings_of(run, run->device, shape, "h200_search");
    asked = true;
}

static void show_claims(struct run *run)
{
    ask_both(run);
    claims_report(run, &hypo, &real, run->device->name);
}

/* ---- how like are they? ---- */

static void likeness(struct run *run)
{
    const struct column columns[] = {
        { TEXT("shape", "形状"), TABLE_TEXT },
        { TEXT("M x N x K", "M x N x K"), TABLE_TEXT },
        { TEXT("common legal\nconfigurations", "共同的\n合法配置"), 0 },
        { TEXT("Spearman's\nrho", "Spearman\nrho"), 3 },
        { TEXT("HypoGPU's optimum\nrun there, slowdown", "HypoGPU 的最优\n拿到那里的慢速比"), 2 },
    };
    const struct space *space = run->device->space;
    struct table *table = table_new(5, columns);
    double *a = xalloc(space->legal_count, sizeof *a), *b = xalloc(space->legal_count, sizeof *b);
    for (int s = 0; s < SHAPES; s++) {
        struct landscape l = landscape_new(run->device, &shape[s], space);
        double best = INFINITY, there = NAN;
        size_t n = 0;
        for (uint32_t i = 0; i < space->legal_count; i++) {
            int v[MATMUL_KNOBS];
            uint32_t config;
            space_values(space, space->legal[i], v);
            if (!space_index(hypogpu->space, v, &config) || !space_is_legal(hypogpu->space, config))
                continue;
            a[n] = hypogpu->time_us(hypogpu, &shape[s], v);
            b[n] = l.time_us[space->legal[i]];
            if (a[n] < best) {
                best = a[n];
                there = b[n] / l.best_us;
            }
            n++;
        }
        char text[64];
        table_text(table, "%s", tr_text(shape[s].name));
        table_text(table, "%s", workload_shape(&shape[s], text, sizeof text));
        table_number(table, (double)n);
        table_number(table, stats_spearman(a, b, n));
        table_number(table, there);
        landscape_free(&l);
    }
    report_table(run->report, (struct text){ 0 }, table);
    report_say(
        run->report, "%s",
        tr("The invented GPU orders configurations much as the real one does, and still its optimum is not the other's: an order carries over, the best one does not.",
           "造出来的 GPU 给配置排的顺序和真的很像，可它的最优并不是另一个的最优：顺序能照搬，最优不能。"));
    free(b);
    free(a);
    table_free(table);
}

/* ---- the maps and matrices ---- */

static void interaction(struct run *run, const struct findings *f, const struct space *space, const char *name)
{
    struct column columns[MOST_STAGES + 1] = { { TEXT("BLOCK_K", "BLOCK_K"), TABLE_TEXT } };
    static const char *const stages[] = { "1", "2", "3", "4", "5", "6", "7" };
    for (int s = 0; s < f->stages; s++)
        columns[s + 1] = (struct column){ { stages[s], stages[s] }, 2 };
    struct table *table = table_new(f->stages + 1, columns);
    for (int d = 0; d < f->depths; d++) {
        table_text(table, "%d", space->knob[BLOCK_K].values[d]);
        for (int s = 0; s < f->stages; s++) {
            table_number(table, f->interaction[d * f->stages + s]);
            if (space->knob[NUM_STAGES].values[s] == f->best_stages[d] && isfinite(f->interaction[d * f->stages + s]))
                table_best(table);
        }
    }
    char *en = xformat(
        "%s: slowdown on the square by num_stages (across), other knobs at its optimum (-: illegal, *: best of the row)",
        name);
    char *zh = xformat("%s：方阵上随 num_stages（横）变化的慢速比，其余旋钮取它的最优（-：非法，*：该行最好）", name);
    report_table(run->report, (struct text){ en, zh }, table);
    free(zh);
    free(en);
    table_free(table);
}

static void draw_interaction(struct run *run)
{
    enum { COLUMNS = 2 * MOST_STAGES + 1 };
    struct text row[MOST_DEPTHS] = { { "16", "16" },
                                     { "32", "32" },
                                     { "64", "64" },
                                     { "128", "128" },
                                     { "256", "256" } },
                column[COLUMNS];
    static const char *const stages[] = { "1", "2", "3", "4", "5", "6", "7", "", "1", "2", "3", "4", "5", "6", "7" };
    double value[MOST_DEPTHS * COLUMNS];
    for (int c = 0; c < COLUMNS; c++)
        column[c] = (struct text){ stages[c], stages[c] };
    for (int d = 0; d < MOST_DEPTHS; d++)
        for (int c = 0; c < COLUMNS; c++)
            value[d * COLUMNS + c] = c == MOST_STAGES  ? NAN
                                     : c < MOST_STAGES ? hypo.interaction[d * MOST_STAGES + c]
                                                       : real.interaction[d * MOST_STAGES + c - MOST_STAGES - 1];
    char *en = xformat("Slowdown by BLOCK_K and num_stages: HypoGPU left, %s right (× = illegal)", run->device->name);
    char *zh = xformat("随 BLOCK_K 和 num_stages 的慢速比：左 HypoGPU，右 %s（× = 非法）", run->device->name);
    figure_heat(run->figures, "h200_bk_stages", (struct text){ en, zh }, TEXT("num_stages", "num_stages"),
                TEXT("BLOCK_K", "BLOCK_K"),
                &(struct heat){ MOST_DEPTHS, COLUMNS, row, column, value, 1, 4, 2, MOST_STAGES });
    free(zh);
    free(en);
}

static void show_interaction(struct run *run)
{
    ask_both(run);
    interaction(run, &hypo, hypogpu->space, hypogpu->name);
    interaction(run, &real, run->device->space, run->device->name);
    if (hypo.stages == MOST_STAGES && real.stages == MOST_STAGES && hypo.depths == MOST_DEPTHS &&
        real.depths == MOST_DEPTHS)
        draw_interaction(run);
}

static void show_matrix(struct run *run)
{
    struct column columns[SHAPES + 1] = { { TEXT("optimum of", "谁的最优"), TABLE_TEXT } };
    ask_both(run);
    for (int s = 0; s < SHAPES; s++)
        columns[s + 1] = (struct column){ { shape[s].id, shape[s].name.zh }, 2 };
    for (int device = 0; device < 2; device++) {
        const struct findings *f = device ? &real : &hypo;
        struct table *table = table_new(SHAPES + 1, columns);
        for (int from = 0; from < SHAPES; from++) {
            table_text(table, "%s", tr(shape[from].id, shape[from].name.zh));
            for (int on = 0; on < SHAPES; on++)
                table_number(table, f->cross[from * SHAPES + on]);
        }
        char *en = xformat("%s: slowdown when the row's optimum runs on the column's shape",
                           device ? run->device->name : hypogpu->name);
        char *zh = xformat("%s：行形状的最优配置拿到列形状上的慢速比", device ? run->device->name : hypogpu->name);
        report_table(run->report, (struct text){ en, zh }, table);
        free(zh);
        free(en);
        table_free(table);
    }
}

/* Both terrains of the square as cumulative curves. */
static void show_terrain(struct run *run)
{
    enum { POINTS = 60 };
    const struct column columns[] = { { TEXT("slower by at most", "比最优最多慢"), TABLE_TEXT },
                                      { TEXT("HypoGPU\n% of the legal", "HypoGPU\n占合法的 %"), 3 },
                                      { TEXT("recording\n% of the legal", "录制\n占合法的 %"), 3 } };
    static const double percents[] = { 1, 5, 10, 20, 50, 100, 400 };
    const struct device *devices[2] = { hypogpu, run->device };
    double x[POINTS], y[2][POINTS], share[2][7];
    for (int i = 0; i < POINTS; i++)
        x[i] = mathx_exp(mathx_log(100.0) * i / (POINTS - 1));
    for (int d = 0; d < 2; d++) {
        struct landscape l = landscape_new(devices[d], &shape[SQUARE], devices[d]->space);
        double *slowdown = landscape_slowdowns(&l), n = l.space->legal_count;
        for (int i = 0; i < POINTS + 7; i++) {
            double limit = i < POINTS ? x[i] : 1 + percents[i - POINTS] / 100;
            uint32_t count = 0;
            while (count < l.space->legal_count && slowdown[count] <= limit)
                count++;
            *(i < POINTS ? &y[d][i] : &share[d][i - POINTS]) = 100 * count / n;
        }
        free(slowdown);
        landscape_free(&l);
    }
    struct table *table = table_new(3, columns);
    for (int i = 0; i < 7; i++) {
        table_text(table, tr("%.0f %%", "%.0f%%"), percents[i]);
        table_number(table, share[0][i]);
        table_number(table, share[1][i]);
    }
    report_table(run->report, (struct text){ 0 }, table);
    table_free(table);
    const struct text name = { run->device->name, run->device->name };
    figure_lines(
        run->figures, "h200_terrain",
        TEXT("Two terrains: slowdown of the square's legal configurations", "两种地形：方阵合法配置的慢速比"),
        (struct axis){ TEXT("slowdown relative to the own optimum (log axis)", "相对各自最优的慢速比（对数轴）"), 1,
                       100, 10, "(1,2,5,10,20,50,100)" },
        (struct axis){ TEXT("cumulative, % of the legal", "累计，占合法的 %"), 0, 100, 0, NULL }, 2,
        (struct series[]){ { TEXT("HypoGPU", "HypoGPU"), POINTS, x, y[0], NULL, NULL },
                           { name, POINTS, x, y[1], NULL, NULL } });
}

static const struct demo demos[] = {
    { { "The lecture's claims on a real GPU", "讲义的论断在真实 GPU 上" }, NULL, show_claims },
    { { "How like a real GPU is the invented one", "造出来的 GPU 有多像真的" }, NULL, likeness },
    { { "Rare on both: the terrain of the square", "两边都稀少：方阵的地形" }, "§1.3", show_terrain },
    { { "Knobs interact on both", "两边的旋钮都相互影响" }, "§1.3", show_interaction },
    { { "Optima do not carry over", "最优不能照搬" }, "§2.3", show_matrix },
};

/* Finds the recording's shapes before anything is printed. */
static bool prepare(struct run *run)
{
    if (run->device->is_hypogpu)
        die("--device: name a recording, such as data/h200_matmul.tsv");
    if (program_workloads(run, SHAPES, ids, shape) < SHAPES || !features_has_program(run->device->space))
        die("--device %s: the claims need all seven shapes of a matmul", run->options->device);
    hypogpu = hypogpu_new(HYPOGPU_UNMODELLED);
    return false;
}

int main(int argc, char **argv)
{
    const struct program program = { .number = 6,
                                     .name = "claims",
                                     .label = { "Table", "表" },
                                     .demos = sizeof demos / sizeof *demos,
                                     .demo = demos,
                                     .instead = prepare };
    int status = program_main(&program, argc, argv);
    if (hypogpu)
        device_close(hypogpu);
    return status;
}

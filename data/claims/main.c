/* claims - the lecture's claims, HypoGPU beside a recording of a real GPU (make h200).
 *
 * HypoGPU is evaluated at the recording's own M, N, K. Both devices keep their own space, legality and noise. */
#include "claims.h"
#include <math.h>
#include <stdlib.h>

enum { HYPO, REAL, DEVICES };
enum { CONTEST = 8 }; /* the number of the demo that needs no shapes */

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

struct alike { /* one shape on both devices, of the configurations that are legal on both */
    double configurations, rho;
    double slowdown; /* HypoGPU's optimum among them, on the other: its time over the best there */
};

static struct alike alike_on(const struct device *hypogpu, const struct device *real, const struct workload *w)
{
    struct landscape l = landscape_new(real, w, device_space(real, w));
    double *a = xalloc(l.space->legal_count, sizeof *a), *b = xalloc(l.space->legal_count, sizeof *b);
    double best = INFINITY, there = NAN;
    size_t n = 0;
    for (uint32_t i = 0; i < l.space->legal_count; i++) {
        int v[MATMUL_KNOBS];
        uint32_t config;
        b[n] = l.time_us[l.space->legal[i]];
        space_values(l.space, l.space->legal[i], v);
        if (b[n] == INFINITY || !space_index(hypogpu->space, v, &config) || !space_is_legal(hypogpu->space, config))
            continue;
        a[n] = hypogpu->time_us(hypogpu, w, v);
        there = a[n] < best ? b[n] / l.best_us : there;
        best = fmin(best, a[n++]);
    }
    struct alike alike = { (double)n, stats_spearman(a, b, n), there };
    landscape_free(&l);
    free(b);
    free(a);
    return alike;
}

static void likeness(struct run *run)
{
    const struct comparison *c = run->shared;
    size_t n = (size_t)run->device->workloads;
    struct table *table =
        table_of({ TEXT("shape", "形状"), TABLE_TEXT }, { TEXT("M x N x K", "M x N x K"), TABLE_TEXT },
                 { TEXT("common legal\nconfigurations", "共同的\n合法配置"), 0 },
                 { TEXT("Spearman's\nrho", "Spearman\nrho"), 3 },
                 { TEXT("HypoGPU's optimum\nrun there, slowdown", "HypoGPU 的最优\n拿到那里的慢速比"), 2 });
    struct alike *alike = xalloc(n, sizeof *alike);
    double *rho = xalloc(n, sizeof *rho), *slowdown = xalloc(n, sizeof *slowdown);
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < n; i++)
        alike[i] = alike_on(c->device[HYPO], run->device, &run->device->workload[i]);
    for (size_t i = 0; i < n; i++) {
        const struct workload *w = &run->device->workload[i];
        char text[64];
        rho[i] = alike[i].rho;
        slowdown[i] = alike[i].slowdown;
        table_text(table, "%s", tr_text(w->name));
        table_text(table, "%s", workload_shape(w, text, sizeof text));
        table_numbers(table, alike[i].configurations, rho[i], slowdown[i]);
    }
    report_table(run->report, table, NULL);
    report_say(
        run->report,
        tr("How alike the order: rho %.2f to %.2f. How alike the best: HypoGPU's takes %.2f to %.2f times as long there as the best there.",
           "顺序有多像：rho %.2f 到 %.2f。最优有多像：HypoGPU 的最优拿过去，要用那里最优的 %.2f 到 %.2f 倍时间。"),
        stats_min(rho, n), stats_max(rho, n), stats_min(slowdown, n), stats_max(slowdown, n));
    free(slowdown);
    free(rho);
    free(alike);
}

/* Both maps side by side, a gap between them. */
static void draw_interaction(struct run *run, const struct comparison *c)
{
    enum { COLUMNS = 2 * MOST_STAGES + 1 };
    const struct knob *knob = run->device->space->knob;
    struct text *depths = matrix_names(MOST_DEPTHS, knob[BLOCK_K].values);
    struct text *stages = matrix_names(MOST_STAGES, knob[NUM_STAGES].values), columns[COLUMNS];
    struct text title =
        text_format("square: slowdown on %s and %s (frame: best of the row; ×: illegal)",
                    "方阵：%s 和 %s 上的慢速比（框：该行最好；×：非法）", c->device[HYPO]->name, run->device->name);
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
                &(struct heat){ MOST_DEPTHS,
                                COLUMNS,
                                depths,
                                columns,
                                slowdown,
                                1,
                                4,
                                2,
                                true,
                                MOST_STAGES,
                                { TEXT(c->device[HYPO]->name, c->device[HYPO]->name),
                                  TEXT(run->device->name, run->device->name) } });
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

static void draw_dynamic(struct run *run, const struct findings *found)
{
    double m[M_VALUES], block_m[DEVICES][M_VALUES], kept[DEVICES][M_VALUES], bucketed[DEVICES][M_VALUES];
    struct series blocks[DEVICES], regret[2 * DEVICES];
    const char *const names[DEVICES] = { "HypoGPU", run->device->name };
    struct text name[2 * DEVICES];
    for (int i = 0; i < M_VALUES; i++)
        m[i] = claims_m[i];
    for (int d = 0; d < DEVICES; d++) {
        for (int i = 0; i < M_VALUES; i++) {
            block_m[d][i] = found[d].dynamic[i].block_m;
            kept[d][i] = 100 * (found[d].dynamic[i].kept - 1);
            bucketed[d][i] = 100 * (found[d].dynamic[i].bucketed - 1);
        }
        name[d] = text_format("%s, M = 16's", "%s，M = 16 的最优", names[d]);
        name[DEVICES + d] = text_format("%s, buckets", "%s，分桶", names[d]);
        blocks[d] = (struct series){ TEXT(names[d], names[d]), M_VALUES, m, block_m[d], NULL, NULL };
        regret[d] = (struct series){ name[d], M_VALUES, m, kept[d], .dash = 1 };
        regret[DEVICES + d] = (struct series){ name[DEVICES + d], M_VALUES, m, bucketed[d], .dash = 3 };
    }
    const struct axis x = { TEXT("M, rows in the batch (log axis)", "M，批里的行数（对数轴）"), 16, 256, 2,
                            "16,2,256" };
    figure_lines(run->figures, "h200_block_m",
                 TEXT("BLOCK_M of the optimum as the batch grows, on both", "批变大时最优配置的 BLOCK_M，两边对照"),
                 x, (struct axis){ TEXT("BLOCK_M", "BLOCK_M"), 8, 320, 2, "(16,32,64,128,256)" }, DEVICES, blocks);
    figure_lines(run->figures, "h200_regret",
                 TEXT("Regret of one configuration for every M, and of buckets, on both",
                      "一个配置用到底和分桶：比最优多花的时间，两边对照"),
                 x, (struct axis){ TEXT("time over the optimum's, %", "比最优多花的时间，%"), 0, 0, 0, NULL },
                 2 * DEVICES, regret);
    for (int i = 0; i < 2 * DEVICES; i++)
        text_free(name[i]);
}

static void show_dynamic(struct run *run)
{
    const struct comparison *c = compared(run);
    const struct findings *hypo = &c->found[HYPO], *real = &c->found[REAL];
    if (!real->has_dynamic) {
        report_say(
            run->report,
            tr("C[M,14336], K 4096 was not recorded on %s at M = 16, 32, 48, 64, 96, 128, 192 and 256: passed over.",
               "%s 上没有录 M = 16、32、48、64、96、128、192、256 的 C[M,14336]、K 4096，略过。"),
            run->device->name);
        return;
    }
    struct table *table =
        table_of({ TEXT("M", "M"), TABLE_TEXT }, { TEXT("best BLOCK_M\nHypoGPU", "最好的 BLOCK_M\nHypoGPU"), 0 },
                 { TEXT("\nrecording", "\n录制"), 0 },
                 { TEXT("M = 16's, slowdown\nHypoGPU", "M = 16 的，慢速比\nHypoGPU"), 2 },
                 { TEXT("\nrecording", "\n录制"), 2 },
                 { TEXT("bucket's, regret %\nHypoGPU", "桶的，多花的\n时间 %\nHypoGPU"), 1 },
                 { TEXT("\nrecording", "\n录制"), 1 });
    for (int i = 0; i < M_VALUES; i++) {
        table_text(table, "%d", claims_m[i]);
        table_numbers(table, hypo->dynamic[i].block_m, real->dynamic[i].block_m, hypo->dynamic[i].kept,
                      real->dynamic[i].kept, 100 * (hypo->dynamic[i].bucketed - 1),
                      100 * (real->dynamic[i].bucketed - 1));
    }
    report_table(
        run->report, table,
        tr("C[M,14336], K 4096: the best BLOCK_M; what M = 16's optimum costs; what the optimum of M rounded up to a power of two costs",
           "C[M,14336]、K 4096：最好的 BLOCK_M；沿用 M = 16 的最优要多久；用 M 向上取 2 的幂的最优多用多久"));
    draw_dynamic(run, c->found);
}

static void show_network(struct run *run)
{
    const struct comparison *c = compared(run);
    const struct findings *hypo = &c->found[HYPO], *real = &c->found[REAL];
    if (!real->has_network) {
        report_say(run->report,
                   tr("Not all tasks of the network were recorded on %s: passed over.",
                      "%s 上没有录全网络的任务，略过。"),
                   run->device->name);
        return;
    }
    struct table *table = table_of({ TEXT("task", "任务"), TABLE_TEXT }, { TEXT("HypoGPU\nus", "HypoGPU\nus"), 1 },
                                   { TEXT("\nshare, %", "\n占比 %"), 1 }, { TEXT("recording\nus", "录制\nus"), 1 },
                                   { TEXT("\nshare, %", "\n占比 %"), 1 }, { TEXT("cuBLAS\nus", "cuBLAS\nus"), 1 });
    for (int i = 0; i < TASKS; i++) {
        double library = real->library_us[i] > 0 ? real->library_us[i] : NAN;
        table_text(table, "%s", tr_text(workload_network[i].workload.name));
        table_numbers(table, hypo->task_us[i], hypo->share_pct[i], real->task_us[i]);
        if (real->task_us[i] < library)
            table_best(table);
        table_numbers(table, real->share_pct[i], library);
    }
    report_table(
        run->report, table,
        tr("One run of each task at its optimum, and all its runs' share of a pass (*: faster than cuBLAS there)",
           "每个任务取最优运行一次的时间，以及全部次数在一遍里的占比（*：比那里的 cuBLAS 快）"));
    report_say(run->report,
               tr("One pass takes %.2f ms on HypoGPU, %.2f ms on %s.",
                  "走一遍在 HypoGPU 上要 %.2f ms，另一边 %.2f ms（%s）。"),
               hypo->pass_us / 1e3, real->pass_us / 1e3, run->device->name);
}

static const struct demo demos[] = {
    { { "The lecture's claims on a real GPU", "讲义的论断在真实 GPU 上" }, NULL, show_claims },
    { { "How like a real GPU is the invented one", "造出来的 GPU 有多像真的" }, NULL, likeness },
    { { "Rare on both: the terrain of the square", "两边都稀少：方阵的地形" }, "§1.3", show_terrain },
    { { "Knobs interact on both", "两边的旋钮都相互影响" }, "§1.3", show_interaction },
    { { "Optima do not carry over", "最优不能照搬" }, "§2.3", show_matrix },
    { { "Dynamic M on both", "两边的动态 M" }, "§2.4", show_dynamic },
    { { "The network on both", "两边的网络" }, "§6.3", show_network },
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

/* Demo 4: some of the lecture's claims on this processor, by experiments so small that they take a minute; HypoGPU
 * and a recorded H200 go through the same ones, with the same few trials, and noise of their own. */
#include "live.h"
#include "device/live.h"
#include "../data/claims/verdicts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHAPES = 5, PAIRS = SHAPES * (SHAPES - 1), SAMPLED = 16, BATCH = 8, AGAIN = 5, ROWS_MOST = 8 };
enum { LIKE, DEEP, LEARNED }; /* of `shapes`: where a model is at work; the second is like no other */
enum { MACHINES = 3 };
enum { RARE, SLOW, INTERACT, CARRY, LEARN, TEACH, CURSE, CLAIMS };

static const char *const recorded = "data/h200_matmul.tsv";
static const struct {
    int m, n, k;
    const char *gpu; /* what stands for it on a GPU */
} shapes[SHAPES] = {
    { 256, 256, 256, "square" }, { 64, 64, 2048, "wgrad" }, { 16, 768, 256, "decode_qkv" },
    { 768, 48, 256, "ffn_up" },  { 96, 96, 96, "small" },
};
static const char part[] = "MR=1,2,4,6,8,12 KC=32,64,128 MC=24,48,96 NC=64,128,256 UNROLL=1,4 ORDER=0,3 AHEAD=0,8";

struct machine {
    const char *name, *knob[2]; /* the two that are looked at together */
    struct device *device[SHAPES];
    const struct workload *shape[SHAPES];
    char *gemm[SHAPES];          /* the live devices' program and sizes; NULL: others */
    char *command[SHAPES];
    struct trace sample[SHAPES]; /* the same random configurations on every shape */
    double best_us[SHAPES];      /* of all that was measured there … */
    uint32_t best[SHAPES];
    struct judged judged[CLAIMS];
};

static const struct space *space_of(const struct machine *m, int s)
{
    return device_space(m->device[s], m->shape[s]);
}

/* ---- trials ---- */

static void note_best(struct machine *m, int s, const struct trace *trace)
{
    for (size_t i = 0; i < trace->count; i++)
        if (m->best_us[s] == 0 || trace->trial[i].measured_us < m->best_us[s]) {
            m->best_us[s] = trace->trial[i].measured_us;
            m->best[s] = trace->trial[i].config;
        }
}

static struct trace measured(struct machine *m, int s, size_t n, const uint32_t *configs, uint64_t noise_seed)
{
    struct trace trace = { n, xalloc(n, sizeof *trace.trial) };
    struct measurement *results = xalloc(n, sizeof *results);
    struct measurer door = measurer_new(m->device[s], m->shape[s], space_of(m, s), n, noise_seed);
    measurer_measure(&door, n, configs, results);
    for (size_t i = 0; i < n; i++)
        trace.trial[i] = (struct trial){ configs[i], results[i].failure, results[i].time_us, results[i].seconds };
    note_best(m, s, &trace);
    free(results);
    return trace;
}

/* A configuration in another shape's space: each value, or the largest below it that there is. */
static uint32_t carried(const struct space *from, uint32_t config, const struct space *to)
{
    uint32_t there = 0;
    for (int k = 0; k < to->knobs; k++) {
        int v = to->knob[k].count - 1;
        while (v > 0 && to->knob[k].values[v] > space_value(from, config, k))
            v--;
        there = space_moved(to, there, k, v);
    }
    return there;
}

static void take_samples(const struct run *run, struct machine *m)
{
    struct rng rng = rng_stream(run->options->seed, "06.claims", 0);
    uint32_t drawn[SAMPLED], config[SAMPLED];
    for (int i = 0; i < SAMPLED; i++)
        drawn[i] = space_random(space_of(m, 0), &rng);
    for (int s = 0; s < SHAPES; s++) {
        for (int i = 0; i < SAMPLED; i++)
            config[i] = carried(space_of(m, 0), drawn[i], space_of(m, s));
        m->sample[s] = measured(m, s, SAMPLED, config, (uint64_t)s);
        program_progress(run, TEXT("shapes", "形状"), (size_t)s, SHAPES);
    }
}

/* Of the first n trials. */
static double least_us(const struct trace *trace, size_t n)
{
    size_t chosen = trace_chosen(trace, n);
    return chosen < trace->count ? trace->trial[chosen].measured_us : INFINITY;
}

/* The least time after so many trials of AutoTVM, with what it was taught (NULL: nothing). */
static double learned_us(const struct run *run, struct machine *m, int s, size_t trials, const struct gbdt *global)
{
    struct annealing_settings settings = annealing_defaults();
    settings.model.global = global;
    struct tuning t = { .device = m->device[s], .task = { m->shape[s], space_of(m, s) }, .trials = trials,
                        .strategy = &strategy_annealing, .settings = &settings, .batch = BATCH,
                        .name = "06.claims", .seed = run->options->seed };
    tuning_run(&t);
    double us = least_us(&t.trace, t.trace.count);
    note_best(m, s, &t.trace);
    tuning_free(&t);
    return us;
}

/* ---- claims ---- */

/* A model beside luck, on two shapes; and what the four other shapes' samples teach it. */
static void learning(const struct run *run, struct machine *m)
{
    enum { MODEL, LUCK, TAUGHT, ALONE, WAYS };
    double pct[LEARNED][WAYS]; /* share of the best found; until that is known, us */
    int ahead = 0, better = 0;
    for (int s = 0; s < LEARNED; s++) {
        struct cost_model_settings settings = annealing_defaults().model;
        struct task tasks[SHAPES];
        struct trace traces[SHAPES];
        size_t n = 0;
        for (int other = 0; other < SHAPES; other++)
            if (other != s) {
                tasks[n] = (struct task){ m->shape[other], space_of(m, other) };
                traces[n++] = m->sample[other];
            }
        struct gbdt *global = cost_model_train_global(&settings, n, tasks, traces);
        pct[s][TAUGHT] = learned_us(run, m, s, BATCH, global);
        pct[s][MODEL] = learned_us(run, m, s, SAMPLED, NULL);
        pct[s][LUCK] = least_us(&m->sample[s], SAMPLED);
        pct[s][ALONE] = least_us(&m->sample[s], BATCH);
        for (int w = 0; w < WAYS; w++)
            pct[s][w] = 100 * m->best_us[s] / pct[s][w];
        ahead += pct[s][MODEL] >= pct[s][LUCK];
        better += pct[s][TAUGHT] >= pct[s][ALONE] + 10;
        gbdt_free(global);
    }
    const double *like = pct[LIKE], *deep = pct[DEEP];
    m->judged[LEARN] = judged(ahead == LEARNED, ahead > 0, "%.0f/%.0f, %.0f/%.0f", like[MODEL], like[LUCK],
                              deep[MODEL], deep[LUCK]);
    m->judged[TEACH] = judged(better == LEARNED, better > 0, "%.0f>%.0f, %.0f>%.0f", like[ALONE], like[TAUGHT],
                              deep[ALONE], deep[TAUGHT]);
}

/* The best value of the second knob for each of the first, the others as in the best that was found. */
static void interaction(struct machine *m)
{
    const struct space *space = space_of(m, 0);
    int row = space_knob(space, m->knob[0]), column = space_knob(space, m->knob[1]), rows = space->knob[row].count,
        columns = space->knob[column].count, best[ROWS_MOST], kinds = 0, found = 0;
    char *list = NULL;
    uint32_t at = m->best[0];
    for (int r = 0; r < rows && found < ROWS_MOST; r++) {
        uint32_t config[64];
        size_t n = 0;
        for (int c = 0; c < columns && n < 64; c++) {
            uint32_t moved = space_moved(space, space_moved(space, at, row, r), column, c);
            if (space_is_legal(space, moved))
                config[n++] = moved;
        }
        if (n == 0)
            continue;
        struct trace trace = measured(m, 0, n, config, SHAPES + (uint64_t)r);
        size_t chosen = trace_chosen(&trace, n);
        if (chosen < n) {
            int same = 0;
            best[found] = space_value(space, trace.trial[chosen].config, column);
            while (best[same] != best[found])
                same++;
            kinds += same == found;
            xappend(&list, "%s%d", found ? " " : "", best[found]);
            found++;
        }
        trace_free(&trace);
    }
    m->judged[INTERACT] = judged(kinds >= 3, kinds == 2, "%s", list ? list : "");
    free(list);
}

/* Of the sampled: how many are good, how slow most are, and what another shape's best costs. */
static void terrain(struct machine *m)
{
    double slowdown[SHAPES * SAMPLED], pair[PAIRS];
    size_t n = 0, good = 0, pairs = 0;
    for (int s = 0; s < SHAPES; s++)
        for (int i = 0; i < SAMPLED; i++) {
            double us = m->sample[s].trial[i].measured_us;
            if (us < INFINITY)
                slowdown[n++] = us / m->best_us[s];
            good += us < 1.05 * m->best_us[s] && m->sample[s].trial[i].config != m->best[s];
        }
    for (int s = 0; s < SHAPES; s++)
        for (int on = 0; on < SHAPES; on++)
            if (s != on)
                pair[pairs++] = m->sample[on].trial[trace_chosen(&m->sample[s], SAMPLED)].measured_us /
                                least_us(&m->sample[on], SAMPLED);
    double good_pct = 100.0 * (double)good / (double)n, median = stats_median(slowdown, n),
           cross = stats_median(pair, PAIRS);
    m->judged[RARE] = judged(good_pct < 2, good_pct < 5, tr("%zu of %zu", "%zu/%zu"), good, n);
    m->judged[SLOW] = judged(median >= 3, median >= 2, "%.1fx", median);
    m->judged[CARRY] = judged(cross >= 1.5, cross >= 1.1, "%.2fx", cross);
}

/* What the winner takes truly; of a live device: measured again. */
static double again_us(const struct machine *m, int s)
{
    char row[LIVE_ROW];
    if (!m->gemm[s])
        return device_time_us(m->device[s], m->shape[s], space_of(m, s), m->best[s]);
    space_format(space_of(m, s), m->best[s], ',', row, sizeof row);
    return live_again_us(m->gemm[s], row, AGAIN);
}

static void curse(struct machine *m)
{
    double optimism = 0;
    int cursed = 0;
    for (int s = 0; s < SHAPES; s++) {
        double slower = again_us(m, s) / m->best_us[s] - 1;
        cursed += slower > 0;
        optimism += 100 * slower / SHAPES;
    }
    m->judged[CURSE] = judged(cursed >= 4, cursed == 3, tr("%d of 5, %.1f %%", "%d/5, %.1f%%"), cursed, optimism);
}

/* ---- machines ---- */

static void look_at(const struct run *run, struct machine *m)
{
    take_samples(run, m);
    learning(run, m);
    interaction(m);
    terrain(m);
    curse(m);
    program_progress(run, TEXT("shapes", "形状"), SHAPES, SHAPES);
    for (int s = 0; s < SHAPES; s++)
        trace_free(&m->sample[s]);
}

/* A GPU at the recording's shapes; false: it is not here. */
static bool gpu_at(struct machine *m, struct device *gpu, const struct device *table)
{
    *m = (struct machine){ .name = gpu->name, .knob = { matmul_knob_name[BLOCK_K], matmul_knob_name[NUM_STAGES] } };
    for (int s = 0; s < SHAPES; s++) {
        m->device[s] = gpu;
        m->shape[s] = device_find(table, shapes[s].gpu);
        if (!m->shape[s])
            return false;
    }
    return true;
}

static void processor_here(struct machine *m, const struct options *o)
{
    const struct live_settings settings = { .compile_s = o->timeout_s[0], .run_s = o->timeout_s[1] };
    *m = (struct machine){ .name = tr("here", "这里"), .knob = { "NR", "MR" } };
    for (int s = 0; s < SHAPES; s++) {
        m->gemm[s] = xformat("%s %d %d %d", live_program, shapes[s].m, shapes[s].n, shapes[s].k);
        m->command[s] = xformat("%s %s", m->gemm[s], part);
        m->device[s] = live_open(m->command[s], settings);
        m->shape[s] = &m->device[s]->workload[0];
    }
}

static const struct claim claims[CLAIMS] = {
    [RARE] = { { "§1.3 good ones are rare", "§1.3 好配置极少" },
               { "random ones within 5 % of the best: under 2 % (5 %)", "随机的里离最好 5% 以内的：不到 2%（5%）" } },
    [SLOW] = { { "§1.3 a random one is slow", "§1.3 随手挑的很慢" },
               { "their median slowdown: at least 3 (2)", "它们慢速比的中位数：至少 3（2）" } },
    [INTERACT] = { { "§1.3 knobs interact", "§1.3 旋钮相互影响" },
                   { "best num_stages by BLOCK_K, MR by NR: 3 values (2)",
                     "各 BLOCK_K 最好的 num_stages，各 NR 最好的 MR：3 种（2）" } },
    [CARRY] = { { "§2.3 optima do not carry over", "§2.3 最优不能照搬" },
                { "median slowdown of 20 pairs: at least 1.5 (1.1)", "20 对慢速比的中位数：至少 1.5（1.1）" } },
    [LEARN] = { { "§4.6 a model beats luck", "§4.6 模型胜过运气" },
                { "AutoTVM/random after 16, %: not less, twice (once)",
                  "AutoTVM/随机，各测 16 次，%：两次都不低（一次）" } },
    [TEACH] = { { "§4.7 other shapes teach", "§4.7 别的形状有帮助" },
                { "8 trials, alone>taught, %: 10 points, twice (once)",
                  "测 8 次，不迁移>迁移，%：多 10 点，两次（一次）" } },
    [CURSE] = { { "§6.4 the winner's curse", "§6.4 赢家诅咒" },
                { "winners measured faster than they are: 4 (3)", "测得比真实快的赢家：4 个（3 个）" } },
};

static void show(struct run *run, const struct machine *machine, int machines)
{
    const char *name[MACHINES];
    struct judged found[MACHINES * CLAIMS];
    for (int m = 0; m < machines; m++) {
        name[m] = machine[m].name;
        memcpy(found + m * CLAIMS, machine[m].judged, sizeof machine[m].judged);
    }
    verdicts_show(run->report, CLAIMS, claims, machines, name, found, VERDICT_MARKS,
                  tr("The same small experiments on each machine (+ holds, ~ in part, - not)",
                     "每台机器上同样的小实验（+ 成立，~ 部分成立，- 不成立）"),
                  NULL);
    char *sizes = NULL;
    for (int s = 0; s < SHAPES; s++)
        xappend(&sizes, "%s%dx%dx%d", s ? tr(", ", "、") : "", shapes[s].m, shapes[s].n, shapes[s].k);
    report_say(
        run->report,
        tr("Five shapes, %d random configurations each, the same on all; here %s. \"Best\" is the best that was "
           "measured. Two shapes: the square, then the one with a deep K. With so few trials a verdict may "
           "change with --seed.",
           "五个形状，每个 %d 个随机配置，各形状相同；这里是 %s。“最好”指测到的最好。两个数时，先方阵，再是 K 很深的。"
           "实测这么少，换 --seed 结论可能会变。"),
        SAMPLED, sizes);
    free(sizes);
}

void demo4_claims(struct run *run)
{
    struct machine machine[MACHINES];
    struct device *gpu[2] = { NULL, NULL };
    int machines = 0;
    if (!live_needs_gemm(run))
        return;
    if (access(recorded, R_OK) == 0) {
        gpu[0] = device_open("hypogpu", NULL);
        gpu[1] = device_open(recorded, NULL);
        for (int g = 0; g < 2; g++)
            machines += gpu_at(&machine[machines], gpu[g], gpu[1]);
    }
    processor_here(&machine[machines++], run->options);
    for (int m = 0; m < machines; m++)
        look_at(run, &machine[m]);
    show(run, machine, machines);
    for (int s = 0; s < SHAPES; s++) {
        device_close(machine[machines - 1].device[s]);
        free(machine[machines - 1].command[s]);
        free(machine[machines - 1].gemm[s]);
    }
    device_close(gpu[0]);
    device_close(gpu[1]);
}

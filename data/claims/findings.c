/* findings.c - looks at a device: its terrain exactly, its tuners by running them. */
#include "claims.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { REPEATS = 5 };

static void look_at_terrain(struct findings *f, const struct landscape *l)
{
    const struct space *space = l->space;
    size_t n;
    double *slowdown = landscape_slowdowns(l, &n);
    f->within5_pct = 100.0 * (double)stats_up_to(slowdown, n, 1.05) / (double)n;
    f->median_slowdown = stats_median(slowdown, n);
    free(slowdown);
    f->depths = space->knob[BLOCK_K].count;
    f->stages = space->knob[NUM_STAGES].count;
    for (int d = 0; d < f->depths; d++) {
        uint32_t row = space_moved(space, l->best, BLOCK_K, d), best = landscape_best_value(l, row, NUM_STAGES);
        for (int s = 0; s < f->stages; s++)
            f->interaction[d * f->stages + s] = landscape_slowdown(l, space_moved(space, row, NUM_STAGES, s));
        f->best_stages[d] = space_value(space, best, NUM_STAGES);
        int same = 0;
        while (f->best_stages[same] != f->best_stages[d])
            same++;
        f->distinct_stages += same == d;
    }
}

static void look_at_shapes(struct findings *f, const struct landscape *l)
{
    const struct space *space = l[0].space;
    uint32_t list[TRITON_LIST];
    bool has_list = triton_list(space, list);
    double pairs[PAIRS];
    size_t n = 0;
    f->narrowest = INT_MAX;
    for (int s = 0; s < SHAPES; s++) {
        f->list[s] = has_list ? landscape_slowdown(&l[s], landscape_best_of(&l[s], TRITON_LIST, list)) : NAN;
        f->block_m[s] = space_value(space, l[s].best, BLOCK_M);
        if (s != DECODE && f->block_m[s] < f->narrowest)
            f->narrowest = f->block_m[s];
        for (int on = 0; on < SHAPES; on++) {
            f->cross[s * SHAPES + on] = landscape_slowdown(&l[on], l[s].best);
            if (on != s)
                pairs[n++] = f->cross[s * SHAPES + on];
        }
    }
    f->cross_median = stats_median(pairs, n);
    double best = INFINITY;
    for (uint32_t i = 0; i < space->legal_count; i++)
        if (space_position(space, space->legal[i], SPLIT_K) == 0)
            best = fmin(best, landscape_slowdown(&l[WGRAD], space->legal[i]));
    f->no_split_pct = 100 / best;
}

const int claims_m[M_VALUES] = { 16, 32, 48, 64, 96, 128, 192, 256 };

static void look_at_dynamic(struct findings *f, const struct device *device)
{
    struct landscape l[M_VALUES];
    for (int b = 0; b < M_VALUES; b++) {
        struct workload w = workload_dynamic(claims_m[b]);
        if (!device_match(device, &w))
            return;
    }
    f->has_dynamic = true;
#pragma omp parallel for schedule(dynamic)
    for (int b = 0; b < M_VALUES; b++) {
        struct workload w = workload_dynamic(claims_m[b]);
        l[b] = landscape_new(device, &w, device_space(device, &w));
    }
    for (int b = M_VALUES - 1, bucket = b; b >= 0; b--) {
        int m = claims_m[b];
        bucket = m == 1 << workload_bucket(m) ? b : bucket;
        f->dynamic[b].block_m = space_value(l[b].space, l[b].best, BLOCK_M);
        f->dynamic[b].kept = landscape_slowdown(&l[b], l[0].best);
        f->dynamic[b].bucketed = landscape_slowdown(&l[b], l[bucket].best);
    }
    for (int b = 0; b < M_VALUES; b++)
        landscape_free(&l[b]);
}

static void look_at_network(struct findings *f, const struct device *device)
{
    double part[TASKS];
    const struct workload *task[TASKS];
    for (int i = 0; i < TASKS; i++) {
        task[i] = device_match(device, &workload_network[i].workload);
        if (!task[i])
            return;
    }
    f->has_network = true;
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < TASKS; i++) {
        f->task_us[i] = device_optimum_us(device, task[i]);
        part[i] = workload_network[i].count * f->task_us[i];
        f->library_us[i] = device->library_us ? device->library_us(device, task[i]) : 0;
    }
    for (int i = 0; i < TASKS; i++)
        f->pass_us += part[i];
    for (int i = 0; i < TASKS; i++) {
        f->share_pct[i] = 100 * part[i] / f->pass_us;
        part[i] = -part[i];
    }
    stats_order(part, TASKS, f->largest); /* negative: the largest first */
}

/* On this device, and always as often. */
static struct experiment described(const struct run *run, const struct device *device, const char *name,
                                   int workloads, const struct workload *workload, int variants,
                                   const struct variant *variant, size_t trials)
{
    struct experiment e = program_experiment(run, name, workloads, workload, variants, variant, trials);
    e.device = device;
    e.repeats = REPEATS;
    return e;
}

/* Random and AutoTVM on square and wgrad; and the curves of the square, which genetic search joins, if they have a
 * name. */
static void look_at_search(struct findings *f, struct run *run, const struct device *device,
                           const struct workload *shapes, const char *curves)
{
    enum { RANDOM, GENETIC, AUTOTVM, VARIANTS };
    static const struct variant variants[VARIANTS] = {
        [RANDOM] = { .strategy = &strategy_random, .name = { "Random", "随机" } },
        [GENETIC] = { .strategy = &strategy_genetic, .name = { "Genetic", "遗传算法" } },
        [AUTOTVM] = { .strategy = &strategy_annealing, .name = { "AutoTVM", "AutoTVM" } },
    };
    const struct workload two[] = { shapes[SQUARE], shapes[WGRAD] };
    struct experiment e = described(run, device, "claims.search", 2, two, VARIANTS, variants, 1024);
    size_t counts[EXPERIMENT_COUNTS];
    experiment_run(&e, program_tuning_progress, run);
    for (int w = 0; w < 2; w++) {
        f->random1024[w] = experiment_share(&e, w, RANDOM, 1024).median;
        f->autotvm256[w] = experiment_share(&e, w, AUTOTVM, 256).median;
    }
    if (curves) {
        int n = experiment_counts(&e, 16, counts);
        curves_figure(&e, 0, n, counts, run->figures, curves,
                      TEXT("The same tuners on a real GPU, square (median; worst to best of 5)",
                           "同样的调优器在真实 GPU 上，方阵（中位数；5 次里最差到最好）"));
    }
    experiment_free(&e);
}

/* Random search on every shape: is the winner's measured time below its true one? */
static void look_at_noise(struct findings *f, struct run *run, const struct device *device,
                          const struct workload *shapes)
{
    const struct variant variant = { .strategy = &strategy_random, .name = TEXT("random", "随机") };
    struct experiment e = described(run, device, "claims.noise", SHAPES, shapes, 1, &variant, 1024);
    experiment_run(&e, program_tuning_progress, run);
    for (int s = 0; s < SHAPES; s++) {
        double mean = 0;
        for (int r = 0; r < REPEATS; r++) {
            const struct tuning *t = experiment_tuning(&e, s, 0, r);
            size_t chosen = trace_chosen(&t->trace, t->trace.count);
            mean += 100 * (tuning_true_us(t, chosen) / t->trace.trial[chosen].measured_us - 1) / REPEATS;
        }
        f->optimism_pct += mean / SHAPES;
        f->optimistic += mean > 0;
    }
    experiment_free(&e);
}

/* Four sources, 512 trials each; prefill QKV and wgrad in batches of 16 without and with what they taught. */
static void look_at_transfer(struct findings *f, struct run *run, const struct device *device,
                             const struct workload *shapes)
{
    static const struct variant plain = { .strategy = &strategy_annealing, .name = { "AutoTVM", "AutoTVM" } };
    const struct workload sources[] = { shapes[SQUARE], shapes[FFN_UP], shapes[SMALL], shapes[DECODE] },
                          targets[] = { shapes[PREFILL_QKV], shapes[WGRAD] };
    const struct variant variants[] = { plain, plain };
    struct experiment learn = described(run, device, "claims.sources", 4, sources, 1, &plain, 512);
    struct experiment e = described(run, device, "claims.transfer", 2, targets, 2, variants, 64);
    struct annealing_settings settings[REPEATS];
    e.batch = 16;
    experiment_run(&learn, program_tuning_progress, run);
    experiment_plan(&e);
    for (int r = 0; r < REPEATS; r++) {
        settings[r] = annealing_defaults();
        settings[r].model.global = experiment_global(&learn, 0, r, &settings[r].model);
        for (int w = 0; w < 2; w++)
            experiment_tuning(&e, w, 1, r)->settings = &settings[r];
    }
    experiment_run(&e, program_tuning_progress, run);
    for (int with = 0; with < 2; with++) {
        f->like16[with] = experiment_share(&e, 0, with, 16).median;
        f->unlike64[with] = experiment_share(&e, 1, with, 64).median;
    }
    for (int r = 0; r < REPEATS; r++)
        gbdt_free((struct gbdt *)settings[r].model.global);
    experiment_free(&e);
    experiment_free(&learn);
}

struct findings findings_of(struct run *run, const struct device *device, const struct workload *shapes,
                            const char *curves)
{
    struct findings f = { 0 };
    struct landscape l[SHAPES];
#pragma omp parallel for schedule(dynamic)
    for (int s = 0; s < SHAPES; s++)
        l[s] = landscape_new(device, &shapes[s], device_space(device, &shapes[s]));
    look_at_terrain(&f, &l[SQUARE]);
    look_at_shapes(&f, l);
    look_at_dynamic(&f, device);
    look_at_network(&f, device);
    look_at_search(&f, run, device, shapes, curves);
    look_at_transfer(&f, run, device, shapes);
    look_at_noise(&f, run, device, shapes);
    for (int s = 0; s < SHAPES; s++)
        landscape_free(&l[s]);
    return f;
}

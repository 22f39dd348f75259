/* bench.c - `make bench`: how fast, and how good, beside a peer that others know.
 *
 * One tab-separated line a measurement: name, ours, peer, unit, peer/ours. Each is the median of 11 runs, ours and
 * the peer's in turn, in CPU time, so that neighbours on the machine disturb little; '-' where there is no peer.
 * fit.*: a model of 60 trees of depth 6 from so many rows of 18 features; every run has data of its own. rho.*: the
 * fits' Spearman correlation on 3,000 other rows. predict.row: a row's share of 100,000, from a fit on 512.
 * hypogpu.landscape: all configurations, the peer one after another; hypogpu.optimum: by a bound, the peer by looking
 * through the landscape. program.NN: a program's default run in CPU seconds of all threads; program.NN.fits: as many
 * fits of 512 squared records that would take, the peer's where there is one. */
#include "bench_xgboost.h"
#include "device/hypogpu.h"
#include "base/clock.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { RUNS = 11, FEATURES = 18, UNSEEN = 3000, MANY = 100000 };

/* ---- measuring and printing ---- */

struct runs {
    double ours[RUNS], peer[RUNS];
}; /* peer: NaN where there is none */

static double cpu_ms(void) { return 1e3 * clock_process_s(); }

static void print(const char *name, const struct runs *runs, const char *unit)
{
    double ours = stats_median(runs->ours, RUNS);
    if (isnan(runs->peer[0])) {
        printf("%s\t%.4g\t-\t%s\t-\n", name, ours, unit);
    } else {
        double peer = stats_median(runs->peer, RUNS);
        printf("%s\t%.4g\t%.4g\t%s\t%.3g\n", name, ours, peer, unit, peer / ours);
    }
    fflush(stdout);
}

/* ---- the data: 18 even features, of which six matter ---- */

struct rows {
    size_t n;
    float *x, *label;
    double *y;
}; /* x: [n][FEATURES]; label: y as the peer wants it */

static double even(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    return (double)(rng_mix(*state) >> 11) * 0x1p-53;
}

static struct rows rows_new(size_t n, uint64_t *state)
{
    struct rows rows = { .n = n };
    rows.x = xalloc(n * FEATURES, sizeof *rows.x);
    rows.label = xalloc(n, sizeof *rows.label);
    rows.y = xalloc(n, sizeof *rows.y);
    for (size_t i = 0; i < n; i++) {
        double x[FEATURES];
        for (int f = 0; f < FEATURES; f++)
            x[f] = (double)(rows.x[i * FEATURES + (size_t)f] = (float)even(state));
        double noise = even(state);
        double y = sin(6 * x[0]) + 2 * x[1] * x[2] + (x[3] > 0.5) + 0.5 * x[4] / (0.1 + x[5]) + 0.05 * noise;
        rows.label[i] = (float)y;
        rows.y[i] = (double)rows.label[i];
    }
    return rows;
}

static void rows_free(struct rows *rows)
{
    free(rows->x);
    free(rows->label);
    free(rows->y);
}

/* ---- boosting ---- */

/* Returns what one fit takes, in ms: the peer's, where there is one. */
static double bench_fit(const char *objective_name, enum gbdt_objective objective, size_t n)
{
    struct runs time, rho;
    struct gbdt_settings settings = gbdt_defaults(objective);
    double *score = xalloc(UNSEEN, sizeof *score);
    for (int run = 0; run < RUNS; run++) {
        uint64_t state = 1 + (uint64_t)run;
        struct rows seen = rows_new(n, &state), unseen = rows_new(UNSEEN, &state);
        double start = cpu_ms();
        struct gbdt *model = gbdt_fit(&settings, n, FEATURES, seen.x, seen.y, NULL, NULL);
        double middle = cpu_ms();
        struct peer *peer = peer_fit(&settings, n, FEATURES, seen.x, seen.label);
        double end = cpu_ms();
        time.ours[run] = middle - start;
        time.peer[run] = peer ? end - middle : NAN;
        gbdt_predict(model, UNSEEN, unseen.x, score);
        rho.ours[run] = stats_spearman(score, unseen.y, UNSEEN);
        rho.peer[run] = NAN;
        gbdt_free(model);
        if (peer) {
            peer_predict(peer, UNSEEN, FEATURES, unseen.x, score);
            rho.peer[run] = stats_spearman(score, unseen.y, UNSEEN);
            peer_free(peer);
        }
        rows_free(&seen);
        rows_free(&unseen);
    }
    char name[40];
    snprintf(name, sizeof name, "fit.%s.%zu", objective_name, n);
    print(name, &time, "ms");
    snprintf(name, sizeof name, "rho.%s.%zu", objective_name, n);
    print(name, &rho, "rho");
    free(score);
    return stats_median(isnan(time.peer[0]) ? time.ours : time.peer, RUNS);
}

static void bench_predict(void)
{
    struct runs time;
    struct gbdt_settings settings = gbdt_defaults(GBDT_SQUARED);
    uint64_t state = 1;
    struct rows seen = rows_new(512, &state), many = rows_new(MANY, &state);
    struct gbdt *model = gbdt_fit(&settings, seen.n, FEATURES, seen.x, seen.y, NULL, NULL);
    struct peer *peer = peer_fit(&settings, seen.n, FEATURES, seen.x, seen.label);
    double *score = xalloc(MANY, sizeof *score);
    for (int run = 0; run < RUNS; run++) {
        double start = cpu_ms();
        gbdt_predict(model, MANY, many.x, score);
        double middle = cpu_ms();
        if (peer)
            peer_predict(peer, MANY, FEATURES, many.x, score);
        time.ours[run] = (middle - start) * 1e3 / MANY;
        time.peer[run] = peer ? (cpu_ms() - middle) * 1e3 / MANY : NAN;
    }
    print("predict.row", &time, "us");
    free(score);
    gbdt_free(model);
    if (peer)
        peer_free(peer);
    rows_free(&seen);
    rows_free(&many);
}

/* ---- HypoGPU: beside the same model, one configuration after another ---- */

static void bench_hypogpu(void)
{
    struct device *gpu = hypogpu_new(HYPOGPU_UNMODELLED);
    const struct space *space = gpu->space;
    const struct workload *w = &workload_five[0];
    struct runs config, landscape, optimum;
    double sum = 0;
    for (int r = 0; r < RUNS; r++) {
        double start = cpu_ms();
        struct landscape l = landscape_new(gpu, w, space);
        landscape.ours[r] = cpu_ms() - start;
        start = cpu_ms();
        for (uint32_t i = 0; i < space->legal_count; i++)
            sum += device_time_us(gpu, w, space, space->legal[i]);
        landscape.peer[r] = cpu_ms() - start;
        config.ours[r] = landscape.peer[r] * 1e6 / space->legal_count;
        config.peer[r] = NAN;
        start = cpu_ms();
        uint32_t best = device_optimum(gpu, w);
        optimum.ours[r] = cpu_ms() - start;
        optimum.peer[r] = landscape.ours[r];
        if (best != l.best || !(sum > 0))
            abort();
        landscape_free(&l);
    }
    print("hypogpu.config", &config, "ns");
    print("hypogpu.landscape", &landscape, "ms");
    print("hypogpu.optimum", &optimum, "ms");
    device_close(gpu);
}

/* ---- whole programs with the default demos ---- */

static double children_s(void) /* CPU seconds of all that was run */
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

/* Runs build/NN_name as program.NN, its output thrown away. */
static void bench_program(const char *path, double fit_ms)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char *command = xformat("'%s' --quiet >/dev/null", path),
         *name = xformat("program.%.*s", (int)strcspn(base, "_"), base), *fits = xformat("%s.fits", name);
    struct runs runs, in_fits;
    for (int r = 0; r < RUNS; r++) {
        double start = children_s();
        if (system(command))
            abort();
        runs.ours[r] = children_s() - start;
        in_fits.ours[r] = runs.ours[r] * 1e3 / fit_ms;
        runs.peer[r] = in_fits.peer[r] = NAN;
    }
    print(name, &runs, "CPU s");
    print(fits, &in_fits, "fits");
    free(fits);
    free(name);
    free(command);
}

int main(int argc, char **argv)
{
    printf("name\tours\tpeer\tunit\tpeer/ours\n");
    double fit_ms = 0;
    for (size_t n = 512; n <= 4096; n *= n == 512 ? 2 : 4) {
        double ms = bench_fit("squared", GBDT_SQUARED, n);
        fit_ms = n == 512 ? ms : fit_ms;
        bench_fit("rank", GBDT_RANK, n);
    }
    bench_predict();
    bench_hypogpu();
    for (int i = 1; i < argc; i++)
        bench_program(argv[i], fit_ms);
    return 0;
}

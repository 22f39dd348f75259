/* 06_live - the lecture's tuners on kernels that are compiled, verified and timed here and now. */
#include "live.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct demo demos[] = {
    { { "The door: what a trial is, and what it costs", "门：一次实测是什么，花多少时间" }, "§3.1", demo1_door },
    { { "Search: who finds a fast kernel on this processor", "搜索：谁在这个处理器上找到快的内核" },
      "§4.6",
      demo2_search },
    { { "Noise: two clocks, and the winner's curse", "噪声：两种时钟，和赢家的诅咒" }, "§6.4", demo3_noise },
    { { "Is it true here? The lecture's claims on this processor", "在这里成立吗：讲义的结论放到这个处理器上" },
      "§1–6",
      demo4_claims },
    { { "A larger space: is fine-tuning needed now", "更大的空间：这下要微调了吗" }, "§5.7", demo5_larger },
};

const char *live_program, *live_gemm;

/* Some 67,000 configurations, few enough to be asked about before anything is built. */
const char live_knobs[] = "KC=64,128,256,512 MC=48,96,192,384 NC=128,256,512 UNROLL=1,4 ORDER=0,3 AHEAD=0,8";

FILE *live_ask(const char *gemm, const char *options, const char *question)
{
    char *command = xformat("printf '%s' | %s %s 2>&1", question ? question : "", gemm, options);
    FILE *answer = popen(command, "r");
    if (!answer)
        die("%s: cannot be started", gemm);
    free(command);
    return answer;
}

bool live_needs_gemm(struct run *run)
{
    if (!live_gemm)
        report_say(run->report, "%s", tr("This demo is about cpu_gemm.", "这个演示看的是 cpu_gemm。"));
    return live_gemm != NULL;
}

double live_gflops(const struct run *run, double us)
{
    const struct workload *w = &run->device->workload[0];
    return 2e-3 * w->m * w->n * w->k / us;
}

int live_watch(const char *gemm, const char *row, int times, double *us, double *wall_us)
{
    char *options = xformat("--watch %s --times %d", row, times);
    FILE *answer = live_ask(gemm, options, NULL);
    int n = 0;
    while (n < times && fscanf(answer, "%lf %lf", &us[n], &wall_us[n]) == 2)
        n++;
    pclose(answer);
    free(options);
    return n;
}

double live_again_us(const char *gemm, const char *row, int times)
{
    double *us = xalloc(2 * (size_t)times, sizeof *us), median = INFINITY;
    int n = live_watch(gemm, row, times, us, us + times);
    if (n > 0)
        median = stats_median(us, (size_t)n);
    free(us);
    return median;
}

static bool needs_live(struct run *run)
{
    if (!run->device->measure)
        die("--device %s, --shape %s: expected run:'COMMAND', or MxNxK for a device of our own", run->options->device,
            run->options->shape ? run->options->shape : "-");
    return false;
}

/* Without --device it is the cpu_gemm beside this program, for --shape's sizes. */
int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/'), *shape = "512x512x512";
    bool own = true;
    for (int i = 1; i < argc; i++) {
        own &= strncmp(argv[i], "--device", 8) != 0;
        if (strcmp(argv[i], "--shape") == 0 && i + 1 < argc)
            shape = argv[i + 1];
    }
    struct workload w;
    char **words = xalloc((size_t)argc + 3, sizeof *words), *command = NULL;
    memcpy(words, argv, (size_t)argc * sizeof *words);
    if (own && workload_parse(shape, 'x', &w)) {
        live_program = xformat("'%.*scpu_gemm'", slash ? (int)(slash - argv[0]) + 1 : 0, argv[0]);
        live_gemm = xformat("%s %d %d %d", live_program, w.m, w.n, w.k);
        command = xformat("run:%s %s", live_gemm, live_knobs);
        words[argc++] = "--device";
        words[argc++] = command;
    }
    const struct program program = { .number = 9,
                                     .name = "06_live",
                                     .demos = sizeof demos / sizeof *demos,
                                     .demo = demos,
                                     .live = "12345",
                                     .instead = needs_live,
                                     .finish = live_finish };
    int status = program_main(&program, argc, words);
    free(command);
    free(words);
    return status;
}

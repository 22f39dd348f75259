/* program.c - the life of a program: options, demos, published values, one check that everything was written. */
#include "report/program.h"
#include "device/live.h"
#include "trial_log.h"
#include "model/features.h"
#include "base/clock.h"
#include "base/die.h"
#include "base/xalloc.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>

static void *pass(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* OpenMP ends the program in its own words if it gets fewer threads than it wants. So it wants as many as there is
 * memory for, and makes them now: the output does not depend on it. */
static void use_threads(int wanted)
{
    static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    enum { MOST = 255 };
    pthread_t other[MOST];
    int others = 0;
    pthread_mutex_lock(&gate);
    while (others < MOST && others + 1 < wanted && !pthread_create(&other[others], NULL, pass, &gate))
        others++;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < others; i++)
        pthread_join(other[i], NULL);
    omp_set_num_threads(others + 1);
#pragma omp parallel
    {
    }
}
#endif

void program_clock(const struct run *run, const char *format, ...)
{
    if (run->options->quiet || run->options->facts)
        return;
    va_list list;
    va_start(list, format);
    char *text = xvformat(format, list);
    va_end(list);
    text_clean(text); /* a log's name may stand in it */
    fprintf(stderr, "⏱ %s\n", text);
    free(text);
}

void program_progress(const struct run *run, struct text what, size_t done, size_t total)
{
    static double started; /* of the program's first wait; progress shows half a second after it */
    if (run->options->quiet || !isatty(STDERR_FILENO))
        return;
    if (started == 0.0)
        started = clock_wall_s();
    if (done == total)
        fputs("\r\033[K", stderr);
    else if (clock_wall_s() - started > 0.5)
        fprintf(stderr, "\r\033[K%s %zu/%zu", tr_text(what), done, total);
    fflush(stderr);
}

void program_tuning_progress(void *run, size_t done, size_t total)
{
    if (!((struct run *)run)->device->measure) /* whose trials are told one by one */
        program_progress(run, TEXT("tuning", "调优"), done, total);
}

/* So many of a live device's trials tell how long all will take. */
static size_t first_trials(const struct run *run)
{
    size_t batch = run->options->batch ? (size_t)run->options->batch : 8;
    return batch < run->trials ? batch : run->trials;
}

/* Each of them, as it comes. */
static void on_trial(void *context, const int *values, const struct measurement *result)
{
    struct run *run = context;
    if (run->log)
        trial_log_row(run->log, values, result);
    if (run->came++ == 0 || run->trials == 0)
        return;
    double each_s = (clock_wall_s() - run->began_s) / (double)run->came, all_s = each_s * (double)run->trials;
    if (run->came == first_trials(run))
        program_clock(run, tr("%zu trials of %.2g s: about %.0f %s", "实测 %zu 次，每次 %.2g 秒：约 %.0f %s"), run->trials,
                      each_s, all_s < 120 ? all_s : all_s / 60, all_s < 120 ? tr("s", "秒") : tr("minutes", "分钟"));
    program_progress(run, TEXT("measured", "已测"), run->came, run->trials);
}

void program_live(struct run *run, size_t trials, struct trial_log *log)
{
    run->trials = trials;
    run->came = 0;
    run->began_s = clock_wall_s();
    run->log = log;
    if (run->device->measure && trials > 0)
        program_clock(run, tr("up to %zu trials; the first %zu tell how long they take", "最多实测 %zu 次；测完前 %zu 次就知道要多久"),
                      trials, first_trials(run));
}

int program_repeats(const struct run *run) { return run->options->repeats ? run->options->repeats : 5; }

struct experiment program_experiment(const struct run *run, const char *name, int workloads,
                                     const struct workload *workload, int variants, const struct variant *variant,
                                     size_t trials)
{
    return (struct experiment){ .name = name,
                                .device = run->device,
                                .workloads = workloads,
                                .workload = workload,
                                .variants = variants,
                                .variant = variant,
                                .repeats = program_repeats(run),
                                .trials = trials,
                                .batch = run->options->batch ? (size_t)run->options->batch : 64,
                                .seed = run->options->seed };
}

/* "grid, random, …" */
static char *strategy_names(const struct strategy *const *list)
{
    char *names = NULL;
    for (; *list; list++)
        xappend(&names, "%s%s", names ? ", " : "", (*list)->name);
    return names;
}

int program_strategies(const struct run *run, const struct strategy *const *list, const char *fallback,
                       struct variant *variants)
{
    const char *wanted = run->options->strategies, *at = wanted ? wanted : fallback;
    for (int n = 0;; at++) {
        size_t length = strcspn(at, ",");
        const struct strategy *const *s = list;
        while (*s && (strncmp((*s)->name, at, length) || (*s)->name[length]))
            s++;
        if (!*s || n == PROGRAM_STRATEGIES)
            die("--strategies %s: expected at most %d of %s, joined by commas", wanted, PROGRAM_STRATEGIES,
                strategy_names(list));
        variants[n++] = (struct variant){ .strategy = *s, .name = (*s)->title };
        at += length;
        if (!*at)
            return n;
    }
}

/* True the first time. */
static bool is_news(struct run *run, const char *id)
{
    for (int i = 0; i < run->left_out; i++)
        if (!strcmp(run->left_out_id[i], id))
            return false;
    if (run->left_out < PROGRAM_LEFT_OUT)
        run->left_out_id[run->left_out++] = id;
    return true;
}

int program_workloads(struct run *run, int count, const char *const *ids, struct workload *out)
{
    const struct device *device = run->device;
    bool first = run->left_out == 0;
    char *news = NULL;
    int found = 0;
    for (int i = 0; i < count; i++) {
        const struct workload *w = device_find(device, ids[i]);
        if (w)
            out[found++] = *w;
        else if (is_news(run, ids[i]))
            xappend(&news, "%s%s", news ? ", " : "", ids[i]);
    }
    if (news && device->measure)
        ; /* it has one, and says so itself */
    else if (news && device->workload[0].m)
        report_say(run->report, tr("Not recorded on %s, so left out: %s.", "%s 上没有录这些形状，略去：%s。"),
                   device->name, news);
    else if (news && first)
        report_say(run->report,
                   tr("%s is no recording of the lecture's kernel; what is shown is its %s.",
                      "%s 录的不是讲义的内核，下面看的是其中的 %s。"),
                   device->name, tr_text(device->workload[0].name));
    free(news);
    return found;
}

struct workload program_shape(struct run *run, const char *id)
{
    const char *text = run->options->shape;
    struct workload typed = { "shape", TEXT("this shape", "这个形状"), 0, 0, 0 };
    const struct workload *w = device_find(run->device, text ? text : id);
    if (text && !w && !workload_parse(text, 'x', &typed))
        die("--shape %s: expected MxNxK, each from 1 to %d, or a name such as square, decode, wgrad", text,
            WORKLOAD_MAX_EXTENT);
    if (text && !w && !(w = device_match(run->device, &typed)))
        die(run->device->measure ? "--shape %s: is not what %s measures" : "--shape %s: was not recorded on %s", text,
            run->device->name);
    return w ? *w : run->device->workload[0];
}

bool program_needs_hypogpu(struct run *run)
{
    if (!run->device->is_hypogpu)
        report_say(run->report,
                   tr("This demo needs the simulated GPU; on %s it is passed over.",
                      "这个演示需要模拟的 GPU，在 %s 上略过。"),
                   run->device->name);
    return run->device->is_hypogpu;
}

bool program_needs_matmul(struct run *run)
{
    bool matmul = features_has_program(run->device->space);
    if (!matmul)
        report_say(run->report,
                   tr("This demo is about the lecture's matrix product; on %s it is passed over.",
                      "这个演示讲的是讲义的矩阵乘法，在 %s 上略过。"),
                   run->device->name);
    return matmul;
}

/* A live device in its own words, before the first demo. */
static void introduce(struct run *run)
{
    char *line = NULL;
    if (!run->device->measure || run->introduced)
        return;
    run->introduced = true;
    for (const struct device_word *word = run->device->about; word->key; word++)
        xappend(&line, "%s%s=%s", line ? "; " : "", word->key, word->value);
    report_say(run->report, tr("Measured live: %s.", "当场实测：%s。"), line);
    free(line);
}

void program_show(struct run *run, int number)
{
    const struct demo *demo = &run->program->demo[number - 1];
    const char *live = run->program->live;
    report_section(run->report, number, demo->title, demo->section);
    if (run->device->measure && !(live && strchr(live, '0' + number))) {
        report_say(run->report, "%s",
                   tr("This demo needs the times of the whole space, or several shapes. A live device has one shape, and "
                      "knows only what it measured: passed over.",
                      "这个演示要知道整个空间的耗时，或要几个形状。当场实测只有一个形状，只知道测过的：略过。"));
        return;
    }
    introduce(run);
    demo->show(run);
}

static void run_demos(const struct program *program, struct run *run)
{
    for (int d = 0; d < program->demos; d++)
        if (run->options->demo[d + 1] && !(run->options->all_demos && d >= program->demos - program->on_request))
            program_show(run, d + 1);
    if (program->published && run->options->all_demos && !run->options->facts && run->device->is_hypogpu)
        facts_report(run->facts, run->report);
}

int program_main(const struct program *program, int argc, char **argv)
{
    struct options options = options_parse(program->number, program->name, program->demos, program->on_request, argc, argv);
    const struct live_settings live = { options.timeout_s[0], options.timeout_s[1], options.workers, options.record };
    struct device *device = device_open(options.device, &live); /* before there are threads */
#ifdef _OPENMP
    use_threads(options.jobs ? options.jobs : omp_get_max_threads());
#endif
    const char *figures = options.plot_terminal ? figure_temporary() : figure_folder(options.figures);
    FILE *out = options.facts ? fopen("/dev/null", "w") : stdout;
    if (!out)
        die("/dev/null: cannot be opened: %s", strerror(errno));
    struct report report = report_open(out, (enum format)options.format, options.color, program->name);
    struct facts facts = facts_new(program->published);
    report.label = program->label.en ? program->label : report.label;
    struct run run = { program, &options, &report, &facts, figures, device, NULL, 0, { NULL }, 0, 0, 0, NULL, false };
    device->came = on_trial;
    device->context = &run;

    if (options.shape)
        program_shape(&run, ""); /* ends here if it is wrong, before anything is printed */
    if (!program->instead || !program->instead(&run))
        run_demos(program, &run);
    bool written = report_close(&report);
    if (options.facts)
        facts_list(&facts, stdout);
    if (options.plot_terminal)
        figure_show(figures);
    if (program->finish)
        program->finish(&run);
    facts_free(&facts);
    device_close(device);
    if (!written || fflush(stdout) || ferror(stdout))
        die("stdout: could not be written");
    return 0;
}

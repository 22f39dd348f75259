/* program.c - the life of a program: options, demos, published values, one check that everything was written. */
#include "program.h"
#include "hypogpu.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void program_clock(const struct run *run, const char *format, ...)
{
    if (run->options->quiet || run->options->facts)
        return;
    va_list list;
    va_start(list, format);
    fputs("⏱ ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}

void program_progress(const struct run *run, struct text what, size_t done, size_t total)
{
    static double started;                  /* of the program's first wait; progress shows half a second after it */
    if (run->options->quiet || !isatty(STDERR_FILENO))
        return;
    if (started == 0.0)
        started = seconds_now();
    if (done == total)
        fputs("\r\033[K", stderr);
    else if (seconds_now() - started > 0.5)
        fprintf(stderr, "\r\033[K%s %zu/%zu", tr_text(what), done, total);
    fflush(stderr);
}

static const struct device *open_device(const char *name)
{
    if (strcmp(name, "hypogpu"))
        options_die("--device %s: expected hypogpu", name);
    return hypogpu_new(HYPOGPU_UNMODELLED);
}

static void run_demos(const struct program *program, struct run *run)
{
    for (int d = 0; d < program->demos; d++)
        if (run->options->demo[d + 1]) {
            report_section(run->report, d + 1, program->demo[d].title, program->demo[d].section);
            program->demo[d].show(run);
        }
    if (run->options->all_demos && !run->options->facts)
        facts_report(run->facts, program->number, run->report);
}

int program_main(const struct program *program, int argc, char **argv)
{
    struct options options = options_parse(program->number, program->name, program->demos, argc, argv);
#ifdef _OPENMP
    if (options.jobs)
        omp_set_num_threads(options.jobs);
#endif
    const struct device *device = open_device(options.device);
    struct figures figures = options.plot_terminal ? figure_temporary() : figure_folder(options.figures);
    struct report report = report_open(stdout, options.facts ? FORMAT_NONE : options.format, options.color, program->name);
    struct facts facts = facts_new();
    report.label = program->label.en ? program->label : report.label;
    struct run run = { &options, &report, &facts, figures, device };

    if (!program->instead || !program->instead(&run))
        run_demos(program, &run);
    bool written = report_close(&report);
    if (options.facts)
        facts_list(&facts, program->number, stdout);
    if (options.plot_terminal) {
        figure_show(figures);
        figure_remove(figures);
    }
    facts_free(&facts);
    hypogpu_free((struct device *)device);
    if (!written || fflush(stdout) || ferror(stdout))
        options_die("stdout: could not be written");
    return 0;
}

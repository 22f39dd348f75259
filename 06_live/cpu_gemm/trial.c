/* trial.c - one kernel built, verified and timed. All of it happens in a child process: a kernel may crash, hang or
 * write where it likes, and only its trial is lost. */
#include "cpu_gemm.h"
#include "base/clock.h"
#include "base/die.h"
#include "base/xalloc.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMPILE_LIMIT_S = 60 };

static void write_source(const struct bench *bench, const char *path, const int *values)
{
    FILE *out = fopen(path, "w");
    if (!out)
        die("%s: cannot be written", path);
    if (bench->fault)
        fputs("#define gemm right\n", out);
    bench->family->write(out, bench->shape, &bench->processor, values);
    if (bench->fault)
        fault_write(out, bench->fault);
    if (fclose(out))
        die("%s: cannot be written", path);
}

/* $CC and the flags are words of a shell, as in a Makefile. */
static bool compile(const char *flags, const char *source, const char *object)
{
    pid_t compiler = fork();
    if (compiler == 0) {
        const struct rlimit limit = { COMPILE_LIMIT_S, COMPILE_LIMIT_S };
        setrlimit(RLIMIT_CPU, &limit);
        dup2(STDERR_FILENO, STDOUT_FILENO); /* stdout is the tuner's */
        char *command = xformat("exec ${CC:-cc} %s -shared -fPIC \"$1\" -o \"$2\"", flags);
        execl("/bin/sh", "sh", "-c", command, "sh", source, object, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    return compiler > 0 && waitpid(compiler, &status, 0) == compiler && status == 0;
}

/* Other tuners on this host wait as long as we hold it; it goes back when this process ends, whatever ends it. */
static void lock_host(int file)
{
    struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    if (fcntl(file, F_SETLKW, &whole) != 0)
        die("the lock for timing cannot be had");
}

static void say(int to, const struct report *report)
{
    if (write(to, report, sizeof *report) != sizeof *report)
        _exit(1);
}

static bool right(gemm_function *gemm, const struct bench *bench)
{
    struct problem problem = bench->problem;
    problem_clear(&problem);
    gemm(problem.A, problem.B, problem.C);
    const char *wrong = bench->family->unverified ? NULL : problem_verdict(&problem);
    if (wrong)
        die_warn("%s", wrong);
    return !wrong;
}

void trial_run(const struct bench *bench, const char *source, const char *object, bool built, const int *values,
               int to)
{
    struct report report = { .outcome = COMPILE };
    double begin = clock_wall_s();
    void *library = NULL;
    if (!built)
        write_source(bench, source, values);
    if (built || compile(bench->processor.flags, source, object))
        library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    report.compile_s = clock_wall_s() - begin;
    gemm_function *gemm = NULL;
    if (library)
        *(void **)&gemm = dlsym(library, "gemm"); /* as POSIX would have it */
    if (gemm) {
        lock_host(bench->lock);
        say(to, &report);
        alarm(bench->limit_s);
        report.outcome = CORRECTNESS;
        if (right(gemm, bench)) {
            report.timing = timing_of(gemm, &bench->problem);
            if (right(gemm, bench)) /* it still computes what it was timed for */
                report.outcome = CORRECT;
        }
        alarm(0);
    }
    report.ended = true;
    say(to, &report);
    _exit(0);
}

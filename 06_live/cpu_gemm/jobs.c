/* jobs.c - trials in child processes, side by side, each in a slot of its own; and what must be gone at the end, also
 * if that comes by a signal: their processes and their files. */
#include "cpu_gemm.h"
#include "base/die.h"
#include "base/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLOTS_MOST = 8, ALONE = SLOTS_MOST }; /* more trials at once would only wait for the lock */

static struct job {
    pid_t child; /* 0: none */
    int from;    /* its pipe */
    size_t row;
    struct report report;
} jobs[SLOTS_MOST + 1];
static char *folder, *files[SLOTS_MOST + 1][2];
static pid_t owner;

static void remove_files(void)
{
    if (getpid() != owner) /* a trial's process that ends is not the end */
        return;
    for (int slot = 0; slot <= SLOTS_MOST; slot++) {
        unlink(files[slot][0]);
        unlink(files[slot][1]);
    }
    rmdir(folder);
}

static void end_by(int number)
{
    for (int slot = 0; slot <= SLOTS_MOST; slot++)
        if (jobs[slot].child > 0)
            kill(jobs[slot].child, SIGKILL);
    remove_files();
    _exit(128 + number);
}

static void on_signals(void (*handler)(int))
{
    const int number[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
    for (int n = 0; n < 4; n++)
        signal(number[n], handler);
}

void jobs_open(struct bench *bench)
{
    const char *above = getenv("TMPDIR") && *getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    char *lock = xformat("%s/cpu_gemm.lock", above);
    bench->lock = open(lock, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (bench->lock < 0 && errno == ENOENT) {
        bench->lock = open(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        fchmod(bench->lock, 0666); /* whatever the umask: it is everybody's */
    }
    folder = bench->folder = xformat("%s/cpu_gemm.XXXXXX", above);
    if (bench->lock < 0 || !mkdtemp(folder))
        die("%s: expected a folder that can be written in TMPDIR", above);
    free(lock);
    for (int slot = 0; slot <= SLOTS_MOST; slot++) {
        files[slot][0] = xformat("%s/%d.c", folder, slot);
        files[slot][1] = xformat("%s/%d.so", folder, slot);
    }
    owner = getpid();
    on_signals(end_by);
    atexit(remove_files);
}

int jobs_slot(void)
{
    long processors = 1;
#ifdef _SC_NPROCESSORS_ONLN
    processors = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    for (int slot = 0; slot < SLOTS_MOST && (slot == 0 || slot < processors); slot++)
        if (!jobs[slot].child)
            return slot;
    return -1;
}

static void start(const struct bench *bench, int slot, bool built, const int *values)
{
    struct job *job = &jobs[slot];
    int ends[2];
    fflush(stdout); /* or both processes would print it */
    if (pipe(ends) != 0 || (job->child = fork()) < 0)
        die("no process or pipe is left for a trial");
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    if (job->child == 0) {
        on_signals(SIG_DFL);
        close(ends[0]);
        trial_run(bench, files[slot][0], files[slot][1], built, values, ends[1]);
    }
    close(ends[1]);
    job->from = ends[0];
    job->report = (struct report){ .outcome = COMPILE };
}

void jobs_start(const struct bench *bench, int slot, const int *values, size_t row)
{
    jobs[slot].row = row;
    start(bench, slot, false, values);
}

/* Waits for a job to say something. One that ends without a word was killed: by the alarm or by its fault. */
static void hear(struct job *job)
{
    struct report report;
    if (read(job->from, &report, sizeof report) == sizeof report) {
        job->report = report;
        if (!report.ended)
            return;
    }
    int status = 0;
    close(job->from);
    waitpid(job->child, &status, 0);
    job->child = 0;
    if (!job->report.ended)
        job->report.outcome = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? TIMEOUT : RUNTIME;
    job->report.ended = true;
}

bool jobs_hear(void (*heard)(void *context, size_t row, const struct report *report), void *context)
{
    struct pollfd ready[SLOTS_MOST];
    bool any = false;
    for (int slot = 0; slot < SLOTS_MOST; slot++) {
        any |= jobs[slot].child != 0;
        ready[slot] = (struct pollfd){ jobs[slot].child ? jobs[slot].from : -1, POLLIN, 0 };
    }
    if (any)
        poll(ready, SLOTS_MOST, -1);
    for (int slot = 0; slot < SLOTS_MOST; slot++)
        if (ready[slot].revents) {
            hear(&jobs[slot]);
            heard(context, jobs[slot].row, &jobs[slot].report);
        }
    return any;
}

struct report jobs_alone(const struct bench *bench, bool built, const int *values)
{
    start(bench, ALONE, built, values);
    do
        hear(&jobs[ALONE]);
    while (!jobs[ALONE].report.ended);
    return jobs[ALONE].report;
}

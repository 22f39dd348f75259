/* main.c - the device's side of the dialogue (common/device/live.h): which configurations there are, which are allowed,
 * and how fast those are that are asked for. Kernels are built side by side and timed one at a time. */
#include "cpu_gemm.h"
#include "base/die.h"
#include "base/stats.h"
#include "base/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS_MOST = 8, REFERENCE = SLOTS_MOST }; /* more trials at once would only wait for the lock */
static const double reference_every_s = 2, drift = 0.05;

struct device {
    struct bench bench;
    struct knob knob[KNOBS_MOST];
    int reference[KNOBS_MOST], slots;
    double first_us, last_s; /* the reference: its time at the start, and when it was last looked at */
};

static const char *const words[] = {
    [CORRECT] = "correct", [CONSTRAINTS] = "constraints", [COMPILE] = "compile",
    [RUNTIME] = "runtime", [TIMEOUT] = "timeout",         [CORRECTNESS] = "correctness",
};

struct job { /* a trial in a child process */
    pid_t child; /* 0: none */
    int from;    /* its pipe */
    size_t row;
    struct report report;
};

/* ---- what must be gone at the end, also if that comes by a signal: temporary files, and trials ---- */

static char *temporary[2 * (SLOTS_MOST + 1)], *folder;
static struct job jobs[SLOTS_MOST + 1];
static pid_t owner;
static const int ends_by[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };

static void remove_files(void)
{
    if (getpid() != owner) /* a trial's process that ends is not the end */
        return;
    for (size_t n = 0; n < sizeof temporary / sizeof *temporary; n++)
        unlink(temporary[n]);
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
    for (size_t n = 0; n < sizeof ends_by / sizeof *ends_by; n++)
        signal(ends_by[n], handler);
}

static void make_folder(struct bench *bench)
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
    for (int slot = 0; slot <= SLOTS_MOST; slot++) {
        temporary[2 * slot] = xformat("%s/%d.c", folder, slot);
        temporary[2 * slot + 1] = xformat("%s/%d.so", folder, slot);
    }
    free(lock);
    owner = getpid();
    on_signals(end_by);
    atexit(remove_files);
}

/* ---- trials ---- */

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
        trial_run(bench, slot, built, values, ends[1]);
    }
    close(ends[1]);
    job->from = ends[0];
    job->report = (struct report){ .outcome = COMPILE };
}

/* Waits for the job to say something. True: it has ended, and job->report says how. */
static bool hear(struct job *job)
{
    struct report report;
    if (read(job->from, &report, sizeof report) == sizeof report) {
        job->report = report;
        if (!report.ended)
            return false;
    }
    int status = 0;
    close(job->from);
    waitpid(job->child, &status, 0);
    job->child = 0;
    if (!job->report.ended)
        job->report.outcome = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? TIMEOUT : RUNTIME;
    return true;
}

/* The reference is built once, without a fault, and timed before a batch: what it takes longer, all others do. */
static void time_reference(struct device *device)
{
    struct bench bench = device->bench;
    struct job *job = &jobs[REFERENCE];
    double now = timing_wall_s();
    if (device->last_s > 0 && (device->first_us <= 0 || now - device->last_s < reference_every_s))
        return;
    bench.fault = NULL;
    start(&bench, REFERENCE, device->last_s > 0, device->reference);
    while (!hear(job))
        ;
    device->last_s = timing_wall_s();
    double us = job->report.timing.us, change = us / device->first_us - 1;
    if (job->report.outcome != CORRECT)
        die_warn("the reference kernel: %s", words[job->report.outcome]);
    else if (device->first_us <= 0)
        device->first_us = us;
    else if (change > drift || change < -drift)
        die_warn("the reference kernel takes %.1f us, at the start it took %.1f: times have drifted by %+.0f %%", us,
                 device->first_us, 100 * change);
}

/* ---- the dialogue ---- */

static void print_values(const struct device *device, const char *before, const int *values, const char *after)
{
    fputs(before, stdout);
    for (int k = 0; k < device->bench.family->knobs; k++)
        printf("%s%d", k ? "," : "", values[k]);
    fputs(after, stdout);
}

static void print_names(const struct device *device, const char *after)
{
    for (int k = 0; k < device->bench.family->knobs; k++)
        printf("%s%s", k ? "," : "", device->knob[k].name);
    fputs(after, stdout);
}

static bool allowed(const struct device *device, const int *values)
{
    const struct family *family = device->bench.family;
    for (int k = 0; k < family->knobs; k++) {
        int v = 0;
        while (v < device->knob[k].count && device->knob[k].value[v] != values[k])
            v++;
        if (v == device->knob[k].count)
            return false;
    }
    return !family->allowed || family->allowed(&device->bench.processor, values);
}

/* A kernel's name changes with what the generator writes: times of another generator's kernels are not ours. */
static uint32_t hash_of_text(const struct device *device)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        die("no memory is left");
    device->bench.family->write(out, device->bench.shape, &device->bench.processor, device->reference);
    fclose(out);
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t n = 0; n < bytes; n++)
        hash = (hash ^ (unsigned char)text[n]) * 16777619u;
    free(text);
    return hash;
}

static void answer_space(const struct device *device)
{
    const struct bench *b = &device->bench;
    printf("device=%s\ncompiler=%s\nflags=%s\nkernel=%s-%08x\nworkload=%dx%dx%d\n", b->processor.name,
           b->processor.compiler, b->processor.flags, b->family->name, hash_of_text(device), b->shape.M, b->shape.N,
           b->shape.K);
    printf("vector=%d floats\nregisters=%d\nL1=%ld bytes\nL2=%ld bytes\n", b->processor.vector,
           b->processor.registers, b->processor.l1_bytes, b->processor.l2_bytes);
    for (int k = 0; k < b->family->knobs; k++)
        for (int v = 0; v < device->knob[k].count; v++)
            printf("%s%s%d%s", v ? "" : device->knob[k].name, v ? "," : ":", device->knob[k].value[v],
                   v + 1 < device->knob[k].count ? "" : "\n");
    puts("");
}

static void answer_check(const struct device *device, size_t rows, const int *values)
{
    print_names(device, ",invalidity\n");
    for (size_t row = 0; row < rows; row++, values += device->bench.family->knobs)
        print_values(device, "", values, allowed(device, values) ? ",correct\n" : ",constraints\n");
}

static void print_report(const struct device *device, const int *values, const struct report *report)
{
    print_values(device, "", values, ",");
    if (report->outcome == CORRECT)
        printf("%.4f,%.4f,%.3f,correct\n", report->timing.us, report->timing.sd_us, report->compile_s);
    else
        printf(",,%.3f,%s\n", report->compile_s, words[report->outcome]);
}

/* One of the running jobs says something; what it says is passed on. */
static void listen(const struct device *device, const int *values)
{
    struct pollfd ready[SLOTS_MOST];
    for (int slot = 0; slot < device->slots; slot++)
        ready[slot] = (struct pollfd){ jobs[slot].child ? jobs[slot].from : -1, POLLIN, 0 };
    poll(ready, device->slots, -1);
    for (int slot = 0; slot < device->slots; slot++) {
        if (!ready[slot].revents)
            continue;
        const int *row = values + jobs[slot].row * device->bench.family->knobs;
        if (hear(&jobs[slot]))
            print_report(device, row, &jobs[slot].report);
        else
            print_values(device, "running ", row, "\n");
    }
    fflush(stdout);
}

static void answer_request(struct device *device, size_t rows, const int *values)
{
    int running = 0, knobs = device->bench.family->knobs;
    print_names(device, ",time_us,sd_us,compile_s,invalidity\n");
    problem_draw(&device->bench.problem);
    if (rows > 1)
        time_reference(device);
    for (size_t next = 0; next < rows || running > 0;) {
        running = 0;
        for (int slot = 0; slot < device->slots; slot++) {
            while (!jobs[slot].child && next < rows) {
                const int *row = values + knobs * next;
                jobs[slot].row = next++;
                if (!allowed(device, row)) {
                    print_values(device, "", row, ",,,,constraints\n");
                    continue;
                }
                print_values(device, "building ", row, "\n");
                start(&device->bench, slot, false, row);
            }
            running += jobs[slot].child != 0;
        }
        if (running > 0)
            listen(device, values);
    }
}

/* knobs integers, separated by commas, and no more. */
static bool parse_row(const char *line, int knobs, int *values)
{
    for (int k = 0; k < knobs; k++) {
        char *end;
        errno = 0;
        long value = strtol(line, &end, 10);
        if (end == line || errno || value < 0 || value > 1000000000 || *end != (k + 1 < knobs ? ',' : '\0'))
            return false;
        values[k] = (int)value;
        line = end + 1;
    }
    return true;
}

/* The next line without its end; NULL: there is none. */
static char *read_line(void)
{
    static char *line;
    static size_t room;
    ssize_t bytes = getline(&line, &room, stdin);
    if (bytes < 1)
        return NULL;
    if (line[bytes - 1] == '\n')
        line[--bytes] = '\0';
    return line;
}

static int *read_rows(const struct device *device, size_t rows)
{
    int knobs = device->bench.family->knobs, *values = NULL;
    size_t room = 0;
    const char *at = read_line();
    for (int k = 0; k < knobs && at; k++) { /* the header */
        size_t bytes = strlen(device->knob[k].name);
        at = strncmp(at, device->knob[k].name, bytes) || at[bytes] != (k + 1 < knobs ? ',' : '\0') ? NULL : at + bytes + 1;
    }
    if (!at)
        die("expected a header with the names of all knobs, in the order of Space");
    for (size_t row = 0; row < rows; row++) {
        if (row == room)
            values = xrealloc(values, room = 2 * room + 16, knobs * sizeof *values);
        const char *line = read_line();
        if (!line || !parse_row(line, knobs, values + row * knobs))
            die("row %zu of %zu: '%s': expected %d integers, separated by commas", row + 1, rows, line ? line : "",
                knobs);
    }
    return values;
}

static void talk(struct device *device)
{
    for (char *line; (line = read_line()) != NULL; fflush(stdout)) {
        size_t rows = 0;
        char word[8] = "", rest;
        int parts = sscanf(line, "%7s %zu %c", word, &rows, &rest);
        if (strcmp(line, "Space") == 0) {
            answer_space(device);
        } else if (parts == 2 && (strcmp(word, "Check") == 0 || strcmp(word, "Request") == 0)) {
            int *values = read_rows(device, rows);
            (*word == 'C' ? answer_check(device, rows, values) : answer_request(device, rows, values));
            free(values);
        } else {
            die("'%s': expected Space, Check N or Request N", line);
        }
    }
}

/* ---- the command line ---- */

static const char usage[] =
    "usage: cpu_gemm M N K [tiled|naive|blas] [OPTION]... [KNOB=VALUE,...]...\n"
    "Matrix products C[M][N] = A[M][K] B[K][N] on this processor, as a device that speaks on stdin and stdout:\n"
    "  build/02_autotvm --device run:'build/cpu_gemm 512 512 512'\n"
    "tiled (default): kernels that are generated; naive: three loops; blas: OpenBLAS. KNOB=VALUE,... keeps only these.\n"
    "  --flags FLAGS     how $CC (cc) compiles a kernel (-O3 -march=native)\n"
    "  --limit SECONDS   a kernel that runs longer has hung (20)\n"
    "  --print V1,V2,... the text of the kernel with these knob values, and nothing else\n"
    "  --fault NAME      makes every kernel wrong, to see it caught: %s\n";

static int number(const char *text, int most)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end || value < 1 || value > most)
        die("'%s': expected a number from 1 to %d", text, most);
    return (int)value;
}

/* KNOB=VALUE,...: only these of the knob's values remain. */
static void keep(struct device *device, const char *word)
{
    size_t bytes = strcspn(word, "=");
    int k = 0, kept = 0;
    while (k < device->bench.family->knobs &&
           (strlen(device->knob[k].name) != bytes || strncmp(device->knob[k].name, word, bytes)))
        k++;
    struct knob *knob = &device->knob[k];
    for (int v = 0; k < device->bench.family->knobs && word[bytes] == '=' && v < knob->count; v++) {
        char *value = xformat(",%d,", knob->value[v]), *list = xformat(",%s,", word + bytes + 1);
        if (strstr(list, value))
            knob->value[kept++] = knob->value[v];
        free(value), free(list);
    }
    if (kept == 0)
        die("'%s': expected tiled, naive, blas, an option or KNOB=VALUE,... with knobs and values of Space", word);
    knob->count = kept;
}

static void open_device(struct device *device, const char *flags)
{
    struct bench *b = &device->bench;
    b->processor = processor_here(flags);
    b->family->space(b->shape, &b->processor, device->knob);
    for (int k = 0; k < b->family->knobs; k++) {
        int last = device->knob[k].count - 1, v = b->family->reference[k];
        device->reference[k] = device->knob[k].value[v < last ? v : last];
    }
#ifdef _SC_NPROCESSORS_ONLN
    device->slots = (int)sysconf(_SC_NPROCESSORS_ONLN);
#endif
    device->slots = device->slots < 1 ? 1 : device->slots > SLOTS_MOST ? SLOTS_MOST : device->slots;
}

static void print_kernel(const struct device *device, const char *row)
{
    const struct bench *b = &device->bench;
    int values[KNOBS_MOST];
    if (!parse_row(row, b->family->knobs, values) || !allowed(device, values))
        die("--print %s: expected the values of an allowed configuration, as Space lists them", row);
    b->family->write(stdout, b->shape, &b->processor, values);
}

int main(int argc, char **argv)
{
    struct device device = { .bench = { .family = &tiled, .limit_s = 20 } };
    struct bench *b = &device.bench;
    const char *flags = "-O3 -march=native", *print = NULL, *words_left[64];
    int left = 0;
    die_name("cpu_gemm");
    if (argc < 4 || strcmp(argv[1], "--help") == 0) {
        fprintf(argc < 2 || argv[1][0] != '-' ? stderr : stdout, usage, fault_names());
        return argc < 2 || argv[1][0] != '-' ? 2 : 0;
    }
    b->shape = (struct shape){ number(argv[1], SIZE_MN), number(argv[2], SIZE_MN), number(argv[3], SIZE_K) };
    const struct family *const families[] = { &tiled, &naive, &blas };
    for (int n = 4; n < argc; n++) {
        bool option = strncmp(argv[n], "--", 2) == 0, family = false;
        for (int f = 0; f < 3; f++)
            if (strcmp(argv[n], families[f]->name) == 0)
                b->family = families[f], family = true;
        if (option && n + 1 == argc)
            die("%s: expected a value behind it", argv[n]);
        if (strcmp(argv[n], "--flags") == 0)
            flags = argv[++n];
        else if (strcmp(argv[n], "--limit") == 0)
            b->limit_s = number(argv[++n], 3600);
        else if (strcmp(argv[n], "--print") == 0)
            print = argv[++n];
        else if (strcmp(argv[n], "--fault") == 0)
            b->fault = argv[++n];
        else if (!family && left < 64)
            words_left[left++] = argv[n];
    }
    open_device(&device, flags);
    for (int n = 0; n < left; n++)
        keep(&device, words_left[n]);
    if (print) {
        print_kernel(&device, print);
        return 0;
    }
    b->problem = problem_new(b->shape);
    make_folder(b);
    talk(&device);
    return 0;
}

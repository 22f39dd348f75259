/* main.c - the device's side of the dialogue (common/device/live.h): which configurations there are, which of them
 * are allowed, and how fast those are that are asked for. */
#include "cpu_gemm.h"
#include "base/clock.h"
#include "base/die.h"
#include "base/xalloc.h"
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double reference_every_s = 2, drift = 0.05;

struct device {
    struct bench bench;
    struct knob knob[KNOBS_MOST];
    char *header; /* the knobs' names */
    int reference[KNOBS_MOST];
    double first_us, last_s; /* the reference: its time at the start, and when it was last looked at */
};

static const char *const words[] = {
    [CORRECT] = "correct", [CONSTRAINTS] = "constraints", [COMPILE] = "compile",
    [RUNTIME] = "runtime", [TIMEOUT] = "timeout",         [CORRECTNESS] = "correctness",
};

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

/* The reference is built once, without a fault, and timed before a batch: what it takes longer, all others do. */
static void time_reference(struct device *device)
{
    struct bench bench = device->bench;
    if (device->last_s > 0 && (device->first_us <= 0 || clock_wall_s() - device->last_s < reference_every_s))
        return;
    bench.fault = NULL;
    struct report report = jobs_alone(&bench, device->last_s > 0, device->reference);
    device->last_s = clock_wall_s();
    double us = report.timing.us, change = us / device->first_us - 1;
    if (report.outcome != CORRECT)
        die_warn("the reference kernel: %s", words[report.outcome]);
    else if (device->first_us <= 0)
        device->first_us = us;
    else if (change > drift || change < -drift)
        die_warn("the reference kernel takes %.3f us, at the start it took %.3f: times have drifted by %+.0f %%", us,
                 device->first_us, 100 * change);
}

/* ---- the dialogue ---- */

static void flush(void)
{
    if (fflush(stdout) || ferror(stdout))
        die("stdout: could not be written");
}

static void print_values(const struct device *device, const char *before, const int *values, const char *after)
{
    fputs(before, stdout);
    for (int k = 0; k < device->bench.family->knobs; k++)
        printf("%s%d", k ? "," : "", values[k]);
    fputs(after, stdout);
}

static void answer_space(const struct device *device)
{
    const struct bench *b = &device->bench;
    const struct processor *p = &b->processor;
    printf("device=%s\ncompiler=%s\nflags=%s\nkernel=%s-%08x\nworkload=%dx%dx%d\n", p->name, p->compiler, p->flags,
           b->family->name, hash_of_text(device), b->shape.M, b->shape.N, b->shape.K);
    printf("vector=%d floats\nregisters=%d\nL1=%ld bytes\nL2=%ld bytes\n", p->vector, p->registers, p->l1_bytes,
           p->l2_bytes);
    for (int k = 0; k < b->family->knobs; k++)
        for (int v = 0; v < device->knob[k].count; v++)
            printf("%s%s%d%s", v ? "" : device->knob[k].name, v ? "," : ":", device->knob[k].value[v],
                   v + 1 < device->knob[k].count ? "" : "\n");
    puts("");
}

static void answer_check(const struct device *device, size_t rows, const int *values)
{
    printf("%s,invalidity\n", device->header);
    for (size_t row = 0; row < rows; row++, values += device->bench.family->knobs)
        print_values(device, "", values, allowed(device, values) ? ",correct\n" : ",constraints\n");
}

struct request {
    const struct device *device;
    const int *values; /* of all rows */
};

static void print_report(void *context, size_t row, const struct report *report)
{
    const struct request *request = context;
    const int *values = request->values + row * request->device->bench.family->knobs;
    print_values(request->device, report->ended ? "" : "running ", values, report->ended ? "," : "\n");
    if (report->ended && report->outcome == CORRECT)
        printf("%.4f,%.4f,%.3f,correct\n", report->timing.us, report->timing.sd_us, report->compile_s);
    else if (report->ended)
        printf(",,%.3f,%s\n", report->compile_s, words[report->outcome]);
    flush();
}

static void answer_request(struct device *device, size_t rows, const int *values)
{
    struct request request = { device, values };
    size_t next = 0;
    printf("%s,time_us,sd_us,compile_s,invalidity\n", device->header);
    problem_draw(&device->bench.problem);
    if (rows > 1)
        time_reference(device);
    do
        for (int slot; next < rows && (slot = jobs_slot()) >= 0; next++) {
            const int *row = values + next * device->bench.family->knobs;
            bool builds = allowed(device, row);
            print_values(device, builds ? "building " : "", row, builds ? "\n" : ",,,,constraints\n");
            if (builds)
                jobs_start(&device->bench, slot, row, next);
        }
    while (jobs_hear(print_report, &request));
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
    const char *line = read_line();
    if (!line || strcmp(line, device->header) != 0)
        die("'%s': expected the header %s", line ? line : "", device->header);
    for (size_t row = 0; row < rows; row++) {
        if (row == room)
            values = xrealloc(values, room = 2 * room + 16, knobs * sizeof *values);
        line = read_line();
        if (!line || !parse_row(line, knobs, values + row * knobs))
            die("row %zu of %zu: '%s': expected %d integers, separated by commas", row + 1, rows, line ? line : "",
                knobs);
    }
    return values;
}

static void talk(struct device *device)
{
    for (char *line; (line = read_line()) != NULL; flush()) {
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
    "usage: cpu_gemm M N K [tiled|naive|blas|peak] [OPTION]... [KNOB=VALUE,...]...\n"
    "Matrix products C[M][N] = A[M][K] B[K][N] on this processor, as a device that speaks on stdin and stdout:\n"
    "  build/02_autotvm --device run:'build/cpu_gemm 512 512 512'\n"
    "tiled (default): kernels that are generated; naive: three loops; blas: OpenBLAS;\n"
    "peak: nothing but arithmetic. KNOB=VALUE,... keeps only these values.\n"
    "  --flags FLAGS     how $CC (cc) compiles a kernel (-O3 -march=native)\n"
    "  --limit SECONDS   a kernel that runs longer has hung (20)\n"
    "  --print V1,V2,... the text of the kernel with these knob values, and nothing else\n"
    "  --watch V1,V2,... that kernel timed --times N times (100): us by processor time and by the wall's clock\n"
    "  --fault NAME      makes every kernel wrong, to see it caught: %s\n";

static int number(const char *text, int most)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end || value < 1 || value > most)
        die("'%s': expected a number from 1 to %d", text, most);
    return (int)value;
}

/* The place of a value in the knob; -1: none. A block larger than the matrix is the last. */
static int place_of(const struct knob *knob, long value)
{
    int v = 0, last = knob->count - 1;
    while (v < last && knob->value[v] != value)
        v++;
    return knob->value[v] == value || (knob->block && value > knob->value[last]) ? v : -1;
}

/* KNOB=VALUE,...: only these of the knob's values remain. */
static void keep(struct device *device, const char *word)
{
    size_t bytes = strcspn(word, "=");
    int k = 0, kept = 0, knobs = device->bench.family->knobs;
    bool wanted[VALUES_MOST] = { false };
    while (k < knobs && (strlen(device->knob[k].name) != bytes || strncmp(device->knob[k].name, word, bytes)))
        k++;
    if (k == knobs || word[bytes] != '=')
        die("'%s': expected tiled, naive, blas, peak, an option or KNOB=VALUE,... with a knob of Space: %s", word,
            device->header);
    struct knob *knob = &device->knob[k];
    const char *list = word + bytes;
    do {
        char *end;
        long value = strtol(++list, &end, 10);
        int v = end == list || (*end && *end != ',') ? -1 : place_of(knob, value);
        if (v < 0)
            die("'%s': expected values of %s that Space lists, joined by commas", word, knob->name);
        wanted[v] = true;
        list = end;
    } while (*list);
    for (int v = 0; v < knob->count; v++)
        if (wanted[v])
            knob->value[kept++] = knob->value[v];
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
        xappend(&device->header, "%s%s", k ? "," : "", device->knob[k].name);
    }
}

static void print_kernel(const struct device *device, const char *row)
{
    const struct bench *b = &device->bench;
    int values[KNOBS_MOST];
    if (!parse_row(row, b->family->knobs, values) || !allowed(device, values))
        die("--print %s: expected the values of an allowed configuration, as Space lists them", row);
    b->family->write(stdout, b->shape, &b->processor, values);
}

/* One kernel, timed again and again: a line each of its time in us by the processor's clock and by the wall's. */
static void watch(struct device *device, const char *row, int times)
{
    int values[KNOBS_MOST];
    if (!parse_row(row, device->bench.family->knobs, values) || !allowed(device, values))
        die("--watch %s: expected the values of an allowed configuration, as Space lists them", row);
    problem_draw(&device->bench.problem);
    for (int n = 0; n < times; n++) {
        struct report report = jobs_alone(&device->bench, n > 0, values);
        if (report.outcome != CORRECT)
            die("--watch %s: %s", row, words[report.outcome]);
        printf("%.4f\t%.4f\n", report.timing.us, report.timing.wall_us);
        flush();
    }
}

struct command { /* what is left of the command line when the device is described */
    const char *flags, *print, *watch, *keep[64];
    int kept, times;
};

static struct command read_options(struct bench *b, int argc, char **argv)
{
    struct command command = { .flags = "-O3 -march=native", .times = 100 };
    const struct family *const families[] = { &tiled, &naive, &blas, &peak };
    b->shape = (struct shape){ number(argv[1], SIZE_MN), number(argv[2], SIZE_MN), number(argv[3], SIZE_K) };
    for (int n = 4; n < argc; n++) {
        const char *word = argv[n], *value = strncmp(word, "--", 2) ? "" : argv[++n];
        int f = 0;
        if (!value)
            die("%s: expected a value behind it", word);
        while (f < 4 && strcmp(word, families[f]->name) != 0)
            f++;
        if (f < 4)
            b->family = families[f];
        else if (strcmp(word, "--flags") == 0)
            command.flags = value;
        else if (strcmp(word, "--limit") == 0)
            b->limit_s = number(value, 3600);
        else if (strcmp(word, "--print") == 0)
            command.print = value;
        else if (strcmp(word, "--watch") == 0)
            command.watch = value;
        else if (strcmp(word, "--times") == 0)
            command.times = number(value, 100000);
        else if (strcmp(word, "--fault") == 0)
            b->fault = value;
        else if (command.kept < 64)
            command.keep[command.kept++] = word; /* is refused where it is no knob */
    }
    if (b->fault && !fault_write(NULL, b->fault))
        die("--fault %s: expected one of %s", b->fault, fault_names());
    return command;
}

int main(int argc, char **argv)
{
    struct device device = { .bench = { .family = &tiled, .limit_s = 20 } };
    bool help = argc > 1 && strcmp(argv[1], "--help") == 0;
    die_name("cpu_gemm");
    if (argc < 4) {
        fprintf(help ? stdout : stderr, usage, fault_names());
        flush();
        return help ? 0 : 2;
    }
    struct command command = read_options(&device.bench, argc, argv);
    open_device(&device, command.flags);
    for (int n = 0; n < command.kept; n++)
        keep(&device, command.keep[n]);
    if (command.print) {
        print_kernel(&device, command.print);
        flush();
        return 0;
    }
    device.bench.problem = problem_new(device.bench.shape);
    jobs_open(&device.bench);
    if (command.watch)
        watch(&device, command.watch, command.times);
    else {
        if (isatty(STDIN_FILENO))
            die_warn("waits on stdin for Space, Check N or Request N, as a tuner asks them; --help says more");
        talk(&device);
    }
    return 0;
}

/* test_trial_log.c - however a run is interrupted, resuming it leaves the same file and the same traces; and no log
 * is continued that is not the run's own. */
#include "check.h"
#include "child.h"
#include "device/device.h"
#include "search/strategies.h"
#include "trial_log.h"
#include "base/xalloc.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a made-up device, and a run on it ---- */

static const int x_values[] = { 1, 2, 3, 4, 5, 6 }, y_values[] = { 8, 16, 32 }, z_values[] = { 1, 2 };
static const struct knob knobs[] = { { "X", 6, x_values }, { "Y", 3, y_values }, { "Z", 2, z_values } };
static const struct text reasons[] = { { "X \"times\" Y is over 100", "X 乘 Y 超过 100" } };

static int over_100(const void *context, const int *values)
{
    (void)context;
    return values[0] * values[1] > 100;
}
/* As many, but 4 32 is legal and 3 32 is not. */
static int over_100_but(const void *context, const int *values)
{
    return over_100(context, values) ? values[0] != 4 : values[0] * values[1] == 96 && values[0] == 3;
}

static double time_us(const struct device *device, const struct workload *w, const int *values)
{
    (void)device;
    return 50.0 + 700.0 / (values[0] * values[1]) + 3.0 * values[2] + 1e-3 * w->m;
}

static struct device device = { .name = "made up", .noise = 0.015, .time_us = time_us };
static const struct workload square = { "square", { "square", "方阵" }, 4096, 4096, 4096 };
static const struct workload other = { "other", { "other", "另一个" }, 16, 4096, 4096 };
static struct space *whole_space, *small_space; /* 30 legal of 36, 6 of 12 */

/* Measures every configuration from the last one down, whether it is legal or not; settings: how many (size_t). */
struct careless {
    uint32_t next;
    size_t left;
};
static void *careless_open(const struct task *task, uint64_t seed, const void *settings)
{
    (void)seed;
    struct careless *c = xalloc(1, sizeof *c);
    *c = (struct careless){ task->space->size, settings ? *(const size_t *)settings : SIZE_MAX };
    return c;
}
static size_t careless_ask(void *self, size_t want, uint32_t *configs)
{
    struct careless *c = self;
    size_t n = 0;
    for (; n < want && c->left > 0; c->left--)
        configs[n++] = --c->next;
    return n;
}
static void careless_tell(void *self, size_t n, const uint32_t *configs, const struct measurement *results)
{
    (void)self, (void)n, (void)configs, (void)results;
}
static const struct strategy careless = {
    "careless", { "careless", "粗心" }, careless_open, careless_ask, careless_tell, free,
};

enum { TUNINGS = 5, TRIALS = 10 + 9 + 12 + 6 + 6 }; /* what each of them comes to */

struct run {
    struct trial_source source;
    size_t count;
    struct tuning t[TUNINGS + 1];
};

static struct run run_new(void)
{
    static const struct genetic_settings few = { .population = 4, .elites = 1, .mutation = 0.1 };
    struct run run = {
        .source = { "02_autotvm", "1.0.0", "made up" }, .count = TUNINGS,
        .t = {
            { .strategy = &careless, .space = whole_space, .trials = 10, .batch = 4 },
            { .strategy = &strategy_random, .space = whole_space, .trials = 9, .batch = 4 },
            { .strategy = &strategy_genetic, .settings = &few, .space = whole_space, .trials = 12, .batch = 5 },
            { .strategy = &strategy_grid, .space = small_space, .trials = 100, .batch = 4 },
            { .strategy = &strategy_random, .space = small_space, .trials = 100, .batch = 64 },
        },
    };
    for (size_t i = 0; i < TUNINGS; i++) {
        run.t[i].experiment = "search";
        run.t[i].seed = 3;
        run.t[i].repeat = i == 2 || i == 4;
        run.t[i].device = &device;
        run.t[i].workload = i == 3 ? &other : &square;
    }
    return run;
}

static void run_free(struct run *run)
{
    for (size_t i = 0; i < run->count; i++)
        trace_free(&run->t[i].trace);
}

/* ---- files ---- */

static char folder[] = "/tmp/trial_log_XXXXXX", path[64], error[900];

struct bytes {
    char *text;
    size_t n;
};

static struct bytes file_read(void)
{
    struct bytes b = { xalloc(1 << 16, 1), 0 };
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    b.n = fread(b.text, 1, (1 << 16) - 1, file);
    fclose(file);
    return b;
}

static void file_write(const char *text, size_t n)
{
    unlink(path); /* some file systems are slow when a file is written anew */
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

static void check_file(struct bytes expected)
{
    struct bytes now = file_read();
    assert_int_equal(now.n, expected.n);
    assert_memory_equal(now.text, expected.text, now.n);
    free(now.text);
}

static struct bytes whole;         /* the log of an uninterrupted run */
static size_t line_at[TRIALS + 3]; /* where its lines start; the last: its end */
static struct run plain;           /* the same run without a log */

static struct trial_log *resume(struct run *run)
{
    return trial_log_resume(path, run->source, run->count, run->t, error, sizeof error);
}

static int set_up(void **state)
{
    (void)state;
    whole_space = space_new(3, knobs, 1, reasons, over_100, NULL);
    small_space = space_restrict(whole_space, "Y", 1, (int[]){ 32 });
    assert_int_equal(whole_space->legal_count, 30);
    assert_int_equal(small_space->legal_count, 6);
    device.space = whole_space;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/log", folder);

    plain = run_new();
    for (size_t i = 0; i < TUNINGS; i++)
        assert_true(tuner_run(&plain.t[i]));
    struct run run = run_new();
    struct trial_log *log = trial_log_create(path, run.source, run.count, run.t, error, sizeof error);
    assert_non_null(log);
    assert_true(trial_log_run(log, NULL, NULL));
    trial_log_close(log);
    run_free(&run);
    whole = file_read();
    size_t lines = 0;
    for (size_t at = 0; at < whole.n && lines < TRIALS + 2; at += strcspn(whole.text + at, "\n") + 1)
        line_at[lines++] = at;
    assert_int_equal(lines, 1 + TRIALS);
    line_at[lines] = whole.n;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    rmdir(folder);
    free(whole.text);
    run_free(&plain);
    space_free(small_space);
    space_free(whole_space);
    return 0;
}

static void check_traces(const struct run *run)
{
    for (size_t i = 0; i < TUNINGS; i++) {
        const struct trace *a = &run->t[i].trace, *b = &plain.t[i].trace;
        assert_int_equal(a->count, b->count);
        for (size_t at = 0; at < a->count; at++) {
            assert_int_equal(a->trial[at].config, b->trial[at].config);
            assert_int_equal(a->trial[at].why, b->trial[at].why);
            assert_same_bits(a->trial[at].measured_us, b->trial[at].measured_us);
            assert_same_bits(a->trial[at].seconds, b->trial[at].seconds);
        }
    }
}

/* ---- what stderr is told ---- */

static int true_stderr;
static FILE *told;

static void listen(void)
{
    fflush(stderr);
    true_stderr = dup(STDERR_FILENO);
    told = tmpfile();
    dup2(fileno(told), STDERR_FILENO);
}

static void check_told(const char *expected)
{
    char text[300];
    fflush(stderr);
    dup2(true_stderr, STDERR_FILENO);
    close(true_stderr);
    child_take(told, text, sizeof text);
    assert_string_equal(text, expected);
}

/* ---- the log of a whole run ---- */

/* Every line is the trace's trial, written as test_trial_line says. */
static void a_log_holds_every_trial_in_order(void **state)
{
    (void)state;
    static char *text;
    size_t size, failed = 0;
    FILE *out = open_memstream(&text, &size);
    trial_line_put_header(out, plain.source, TUNINGS, plain.t);
    fputc('\n', out);
    for (size_t i = 0; i < TUNINGS; i++)
        for (size_t at = 0; at < plain.t[i].trace.count; at++) {
            trial_line_put(out, i, &plain.t[i], at, &plain.t[i].trace.trial[at]);
            fputc('\n', out);
            failed += plain.t[i].trace.trial[at].why != 0;
        }
    fclose(out);
    assert_int_equal(size, whole.n);
    assert_memory_equal(text, whole.text, size);
    assert_int_equal(failed, 4); /* so the logs of these tests hold trials of both kinds */
    free(text);
}

static void a_log_changes_no_trace(void **state)
{
    (void)state;
    struct run run = run_new();
    assert_int_equal(unlink(path), 0);
    struct trial_log *log = trial_log_create(path, run.source, run.count, run.t, error, sizeof error);
    assert_non_null(log);
    assert_true(trial_log_run(log, NULL, NULL));
    trial_log_close(log);
    check_traces(&run);
    check_file(whole);
    run_free(&run);
}

static void note_progress(void *context, size_t done, size_t total)
{
    size_t *calls = context;
    assert_int_equal(done, ++*calls);
    assert_int_equal(total, TUNINGS);
}

static void progress_counts_tunings(void **state)
{
    (void)state;
    struct run run = run_new();
    size_t calls = 0;
    file_write(whole.text, whole.n);
    struct trial_log *log = resume(&run);
    assert_non_null(log);
    assert_true(trial_log_run(log, note_progress, &calls));
    assert_int_equal(calls, TUNINGS);
    trial_log_close(log);
    run_free(&run);
}

/* A strategy that looks into the file: when it is asked again, what it was told is there. */
static size_t asked;
static size_t watching_ask(void *self, size_t want, uint32_t *configs)
{
    struct bytes b = file_read();
    size_t lines = 0;
    for (size_t i = 0; i < b.n; i++)
        lines += b.text[i] == '\n';
    assert_int_equal(lines, 1 + asked);
    assert_int_equal(b.text[b.n - 1], '\n');
    free(b.text);
    size_t n = careless_ask(self, want, configs);
    asked += n;
    return n;
}

static void every_batch_is_in_the_file_before_the_next(void **state)
{
    (void)state;
    struct strategy watching = careless;
    watching.ask = watching_ask;
    struct run run = run_new();
    run.t[0].strategy = &watching;
    run.t[0].trials = 30;
    assert_int_equal(unlink(path), 0);
    struct trial_log *log = trial_log_create(path, run.source, 1, run.t, error, sizeof error);
    assert_non_null(log);
    assert_true(trial_log_run(log, NULL, NULL));
    assert_int_equal(asked, 30);
    trial_log_close(log);
    run_free(&run);
}

/* ---- interrupted and resumed ---- */

/* Resumes from the log's first n bytes, of which `lines` whole lines. */
static void check_resumed(size_t n, size_t lines)
{
    struct run run = run_new();
    char word[120] = "";
    size_t replayed = 0;
    if (n > line_at[lines])
        snprintf(word, sizeof word, "%s:%zu: the last line was cut off: dropped\n", path, lines + 1);
    file_write(whole.text, n);
    listen();
    struct trial_log *log = resume(&run);
    check_told(word);
    if (!log)
        fail_msg("%zu bytes: %s", n, error);
    for (size_t i = 0; i < TUNINGS; i++)
        replayed += run.t[i].replayed;
    assert_int_equal(replayed, lines > 0 ? lines - 1 : 0);
    assert_true(trial_log_run(log, NULL, NULL));
    trial_log_close(log);
    check_traces(&run);
    check_file(whole);
    run_free(&run);
}

static void a_run_resumes_after_any_line(void **state)
{
    (void)state;
    for (size_t lines = 0; lines <= 1 + TRIALS; lines++)
        check_resumed(line_at[lines], lines);
}

/* Of the first line, of a failed trial, of the one that ends a tuning, of one that begins one, of the last. */
static void a_run_resumes_after_any_byte_of_a_line(void **state)
{
    (void)state;
    static const size_t lines[] = { 0, 1, 10, 11, TRIALS };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (size_t n = line_at[lines[i]]; n < line_at[lines[i] + 1]; n++)
            check_resumed(n, lines[i]);
}

/* What else a crash may leave at the end: zeros where the file system had no data yet, a line cut before its end. */
static void other_torn_ends_are_dropped(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
    } ends[] = {
        { "\0\0\0\0\0\0\0", 7 },
        { "{\"tuning\":0,\0\0\0", 15 },
        { "{\"tuning\":0,\n", 13 },
        { "\n", 1 },
    };
    static const size_t lines[] = { 1, 7, 1 + TRIALS };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        for (size_t j = 0; j < 3; j++) {
            struct run run = run_new();
            size_t n = line_at[lines[j]];
            char *text = xalloc(n + ends[i].n, 1), word[120];
            memcpy(text, whole.text, n);
            memcpy(text + n, ends[i].text, ends[i].n);
            file_write(text, n + ends[i].n);
            free(text);
            snprintf(word, sizeof word, "%s:%zu: the last line was cut off: dropped\n", path, lines[j] + 1);
            listen();
            struct trial_log *log = resume(&run);
            check_told(word);
            assert_non_null(log);
            assert_true(trial_log_run(log, NULL, NULL));
            trial_log_close(log);
            check_traces(&run);
            check_file(whole);
            run_free(&run);
        }
}

static void a_resumed_run_may_be_interrupted_again(void **state)
{
    (void)state;
    file_write(whole.text, line_at[1]);
    for (size_t lines = 1; lines <= 1 + TRIALS; lines += 6) {
        struct run run = run_new();
        assert_int_equal(truncate(path, (off_t)line_at[lines]), 0);
        struct trial_log *log = resume(&run);
        assert_non_null(log);
        assert_true(trial_log_run(log, NULL, NULL));
        trial_log_close(log);
        check_file(whole);
        run_free(&run);
    }
}

/* ---- a disk that is full ---- */

static void a_full_disk_is_a_failure_that_can_be_resumed(void **state)
{
    (void)state;
    struct rlimit old, low;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_IGN);
    for (size_t room = 0; room < whole.n; room += 97) {
        struct run run = run_new();
        assert_int_equal(unlink(path), 0);
        low = (struct rlimit){ room, old.rlim_max };
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
        struct trial_log *log = trial_log_create(path, run.source, run.count, run.t, error, sizeof error);
        bool good = log && trial_log_run(log, NULL, NULL);
        trial_log_close(log);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        assert_false(good);
        assert_int_equal(log != NULL, room >= line_at[1]);
        char *expected = xformat("%s: cannot be written: %s", path, strerror(EFBIG));
        assert_string_equal(error, expected);
        free(expected);
        run_free(&run);

        struct bytes left = file_read();
        assert_true(left.n <= room);
        assert_memory_equal(left.text, whole.text, left.n);
        free(left.text);
        size_t lines = 0;
        while (line_at[lines + 1] <= left.n)
            lines++;
        check_resumed(left.n, lines);
    }
    signal(SIGXFSZ, SIG_DFL);
}

static void a_device_that_is_full_is_a_failure(void **state)
{
    (void)state;
    struct run run = run_new();
    if (access("/dev/full", W_OK))
        skip();
    assert_null(trial_log_create("/dev/full", run.source, run.count, run.t, error, sizeof error));
    char *expected = xformat("/dev/full: cannot be written: %s", strerror(ENOSPC));
    assert_string_equal(error, expected);
    free(expected);
    assert_null(trial_log_resume("/dev/full", run.source, run.count, run.t, error, sizeof error));
    assert_string_equal(error, "/dev/full: cannot be resumed: expected a regular file");
    assert_int_equal(access("/dev/full", W_OK), 0);
}

/* ---- what is refused ---- */

/* The file is not taken for the run's log; neither file nor tunings change. */
static void check_refused(struct run *run, size_t line, const char *wanted)
{
    struct bytes before = file_read();
    char place[100];
    snprintf(place, sizeof place, "%s:%zu: ", path, line);
    *error = 0;
    if (resume(run))
        fail_msg("taken; wanted %s%s", place, wanted);
    if (strncmp(error, place, strlen(place)) || !strstr(error, wanted) || strchr(error, '\n'))
        fail_msg("error was: %s\nwanted:    %s ... %s", error, place, wanted);
    check_file(before);
    free(before.text);
    for (size_t i = 0; i < run->count; i++)
        assert_true(!run->t[i].replay && !run->t[i].replayed && !run->t[i].after_batch && !run->t[i].listener);
}

static struct space *strange_space; /* for run_change; freed by who asked for it */

static struct space *space_with(const char *name, int last, space_rule *rule)
{
    int values[] = { 1, 2, 3, 4, 5, last };
    struct knob changed[] = { { name, 6, values }, knobs[1], knobs[2] };
    return strange_space = space_new(3, changed, 1, reasons, rule, NULL);
}

enum change {
    PROGRAM,
    VERSION,
    DEVICE,
    EXPERIMENT,
    STRATEGY,
    WORKLOAD,
    SHAPE,
    SEED,
    REPEAT,
    REPEATS,
    NUMBER_OF_TRIALS,
    BATCH,
    NOISE,
    NOISE_KIND,
    FEWER,
    MORE,
    ORDER,
    SPACE,
    KNOB_NAME,
    KNOB_VALUE,
    LEGALITY,
    CHANGES
};

/* Makes the run another one; the log is of the run as it was. */
static void run_change(struct run *run, enum change change)
{
    static const struct workload longer = { "square", { "square", "方阵" }, 4096, 4096, 4097 };
    struct tuning *t = &run->t[1], first = run->t[0];
    switch (change) {
    case PROGRAM: run->source.program = "05_strategies"; break;
    case VERSION: run->source.version = "1.0.1"; break;
    case DEVICE: run->source.device = "made up, too"; break;
    case EXPERIMENT: t->experiment = "transfer"; break;
    case STRATEGY: t->strategy = &strategy_grid; break;
    case WORKLOAD: t->workload = &other; break;
    case SHAPE: t->workload = &longer; break;
    case SEED: t->seed = 4; break;
    case REPEAT: t->repeat = 1; break;
    case REPEATS: t->repeat = 2; break;
    case NUMBER_OF_TRIALS: t->trials = 16; break;
    case BATCH: t->batch = 5; break;
    case NOISE: t->noise = 0.1; break;
    case NOISE_KIND: t->noise_kind = NOISE_LOG_NORMAL; break;
    case FEWER: run->count--; break;
    case MORE: run->t[run->count++] = first; break;
    case ORDER: run->t[0] = *t, *t = first; break;
    case SPACE: t->space = small_space; break;
    case KNOB_NAME: run->t[0].space = space_with("XX", 6, over_100); break;
    case KNOB_VALUE: run->t[0].space = space_with("X", 7, over_100); break;
    case LEGALITY: run->t[0].space = space_with("X", 6, over_100_but); break;
    case CHANGES: break;
    }
}

static void the_log_of_another_run_is_refused(void **state)
{
    (void)state;
    static const char *const wanted[CHANGES] = {
        [PROGRAM] = "found \"program\":\"02_autotvm\"; expected \"program\":\"05_strategies\"",
        [VERSION] = "found \"version\":\"1.0.0\"; expected \"version\":\"1.0.1\"",
        [DEVICE] = "found \"device\":\"made up\"; expected \"device\":\"made up, too\"",
        [EXPERIMENT] = "found \"experiment\":\"search\"; expected \"experiment\":\"transfer\"",
        [STRATEGY] = "found \"strategy\":\"random\"; expected \"strategy\":\"grid\"",
        [WORKLOAD] = "found \"workload\":\"square\"; expected \"workload\":\"other\"",
        [SHAPE] = "found \"shape\":\"4096x4096x4096\"; expected \"shape\":\"4096x4096x4097\"",
        [SEED] = "found \"seed\":3; expected \"seed\":4",
        [REPEAT] = "found \"repeat\":0; expected \"repeat\":1",
        [REPEATS] = "found \"repeats\":2; expected \"repeats\":3",
        [NUMBER_OF_TRIALS] = "found \"trials\":9; expected \"trials\":16",
        [BATCH] = "found \"batch\":4; expected \"batch\":5",
        [NOISE] = "found \"noise\":0}; expected \"noise\":0.1}",
        [NOISE_KIND] = "found \"noise_kind\":\"normal\"; expected \"noise_kind\":\"log-normal\"",
        [FEWER] = "found \"noise\":0},{\"tuning\":4; expected \"noise\":0}]}",
        [MORE] = "found \"noise\":0}]}; expected \"noise\":0},{\"tuning\":5",
        [ORDER] = "found \"strategy\":\"careless\"; expected \"strategy\":\"random\"",
        [SPACE] = "found \"space\":0; expected \"space\":1",
        [KNOB_NAME] = "found \"X\":[1; expected \"XX\":[1",
        [KNOB_VALUE] = "found \"X\":[1,2,3,4,5,6]; expected \"X\":[1,2,3,4,5,7]",
        [LEGALITY] = "found \"hash\":\"",
    };
    file_write(whole.text, whole.n);
    for (int change = 0; change < CHANGES; change++) {
        struct run run = run_new();
        run_change(&run, (enum change)change);
        check_refused(&run, 1, wanted[change]);
        space_free(strange_space);
        strange_space = NULL;
    }
}

static void what_is_no_log_is_refused_and_kept(void **state)
{
    (void)state;
    static const struct {
        const char *text, *found;
    } cases[] = {
        { "some text", "found some text;" }, { "some text\n", "found some text;" },
        { "\n\n", "found ; expected {" },    { "{}\n", "found {};" },
        { "\177ELF\2\1", "found ?ELF??;" },  { "{\"format\":2,", "found \"format\":2;" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run run = run_new();
        file_write(cases[i].text, strlen(cases[i].text));
        check_refused(&run, 1, cases[i].found);
    }
}

/* The log with `drop` bytes at a place replaced by others. */
static void file_edit(size_t at, size_t drop, const char *with, size_t n)
{
    char *text = xalloc(whole.n + n, 1);
    memcpy(text, whole.text, at);
    memcpy(text + at, with, n);
    memcpy(text + at + n, whole.text + at + drop, whole.n - at - drop);
    file_write(text, whole.n - drop + n);
    free(text);
}

static void gaps_repeats_and_additions_are_refused(void **state)
{
    (void)state;
    for (size_t line = 0; line <= TRIALS; line++) {
        struct run run = run_new();
        size_t at = line_at[line], n = line_at[line + 1] - at;
        file_edit(at, 0, whole.text + at, n); /* twice */
        check_refused(&run, line + 2, line < TRIALS ? "found " : "expected the end");
        if (line < TRIALS) {
            file_edit(at, n, "", 0); /* missing */
            check_refused(&run, line + 1, "found ");
            file_edit(at + n - 1, 1, "", 0); /* joined to the next */
            check_refused(&run, line + 1, "found ");
            file_edit(at + n, 0, "\n", 1); /* an empty line behind it */
            check_refused(&run, line + 2, "expected {\"tuning\":");
        }
        if (line > 0 && line < TRIALS) {
            size_t next = line_at[line + 2] - at - n; /* changes places with the next */
            char *swapped = xformat("%.*s%.*s", (int)next, whole.text + at + n, (int)n, whole.text + at);
            file_edit(at, n + next, swapped, n + next);
            check_refused(&run, line + 1, "found ");
            free(swapped);
        }
    }
}

static void a_line_that_was_changed_is_refused(void **state)
{
    (void)state;
    for (size_t line = 0; line < TRIALS; line++) {
        struct run run = run_new();
        size_t last = line_at[line + 1] - 2; /* the closing brace */
        file_edit(last, 1, ",\"more\":1}", 10);
        check_refused(&run, line + 1, "\"more\":1}; expected ");
        file_edit(last, 1, "}\r", 2);
        check_refused(&run, line + 1, "}?; expected ");
        file_edit(last, 1, "}\0", 2);
        check_refused(&run, line + 1, "}?; expected ");
    }
    struct run run = run_new();
    const char *config = strstr(whole.text + line_at[5], "\"config\":[");
    file_edit((size_t)(config - whole.text) + strlen("\"config\":["), 1, "9", 1);
    check_refused(&run, 6, "knob 1, X, must be one of 1 2 3 4 5 6");
}

/* A legal configuration in the place of the one that was asked for: for every trial of the log, which ends there. */
static void a_trial_that_is_not_asked_for_is_refused(void **state)
{
    (void)state;
    size_t line = 1;
    for (size_t i = 0; i < TUNINGS; i++)
        for (size_t at = 0; at < plain.t[i].trace.count; at++, line++) {
            struct trial trial = plain.t[i].trace.trial[at];
            const uint32_t *legal = plain.t[i].space->legal;
            trial.config = trial.config == legal[0] ? legal[1] : legal[0];
            trial.measured_us = 100.0;
            trial.why = 0;
            FILE *file = fopen(path, "wb");
            assert_non_null(file);
            fwrite(whole.text, 1, line_at[line], file);
            trial_line_put(file, i, &plain.t[i], at, &trial);
            fputc('\n', file);
            fclose(file);
            struct bytes before = file_read();

            struct run run = run_new();
            struct trial_log *log = resume(&run);
            assert_non_null(log);
            assert_false(trial_log_run(log, NULL, NULL));
            trial_log_close(log);
            char *expected = xformat("%s:%zu: the strategy does not ask for this trial: "
                                     "the log is of another version of this program",
                                     path, line + 1);
            assert_string_equal(error, expected);
            free(expected);
            check_file(before);
            free(before.text);
            run_free(&run);
        }
}

static void a_strategy_that_asks_for_less_is_noticed(void **state)
{
    (void)state;
    static const size_t seven = 7;
    struct run run = run_new();
    run.t[0].settings = &seven;
    file_write(whole.text, whole.n);
    struct trial_log *log = resume(&run);
    assert_non_null(log);
    assert_false(trial_log_run(log, NULL, NULL));
    trial_log_close(log);
    char *place = xformat("%s:9: the strategy does not ask", path);
    assert_memory_equal(error, place, strlen(place));
    free(place);
    check_file(whole);
    run_free(&run);
}

static void a_log_is_never_overwritten(void **state)
{
    (void)state;
    struct run run = run_new();
    static const size_t sizes[] = { 0, 20 };
    for (size_t i = 0; i < 2; i++) {
        file_write(whole.text, sizes[i]);
        assert_null(trial_log_create(path, run.source, run.count, run.t, error, sizeof error));
        char *expected = xformat("%s: exists; --resume continues it", path);
        assert_string_equal(error, expected);
        free(expected);
        check_file((struct bytes){ whole.text, sizes[i] });
    }
}

static void check_blamed(const char *name, const char *what, int number)
{
    char *expected = xformat("%s: %s: %s", name, what, strerror(number));
    assert_string_equal(error, expected);
    free(expected);
}

static void a_file_that_cannot_be_used_is_refused(void **state)
{
    (void)state;
    struct run run = run_new();
    char missing[100];
    snprintf(missing, sizeof missing, "%s/no/log", folder);
    assert_null(trial_log_resume(missing, run.source, run.count, run.t, error, sizeof error));
    check_blamed(missing, "cannot be opened", ENOENT);
    assert_null(trial_log_create(missing, run.source, run.count, run.t, error, sizeof error));
    check_blamed(missing, "cannot be created", ENOENT);
    assert_null(trial_log_resume(folder, run.source, run.count, run.t, error, sizeof error));
    check_blamed(folder, "cannot be opened", EISDIR);
    assert_null(trial_log_create(folder, run.source, run.count, run.t, error, sizeof error));
    check_blamed(folder, "cannot be created", EISDIR);
    file_write(whole.text, line_at[3]);
    for (mode_t mode = 0; mode <= 0444 && geteuid() != 0; mode += 0444) { /* unreadable; not writable */
        assert_int_equal(chmod(path, mode), 0);
        assert_null(resume(&run));
        check_blamed(path, "cannot be opened", EACCES);
    }
    assert_int_equal(chmod(path, 0644), 0);
}

static void errors_come_in_chinese_too(void **state)
{
    (void)state;
    struct run run = run_new();
    run.t[1].seed = 4;
    file_write(whole.text, whole.n);
    text_set_lang(LANG_ZH);
    struct trial_log *log = resume(&run);
    text_set_lang(LANG_EN);
    assert_null(log);
    char *expected = xformat("%s:1：内容为 \"seed\":3；应为 \"seed\":4", path);
    assert_string_equal(error, expected);
    free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_log_holds_every_trial_in_order),
        cmocka_unit_test(a_log_changes_no_trace),
        cmocka_unit_test(progress_counts_tunings),
        cmocka_unit_test(every_batch_is_in_the_file_before_the_next),
        cmocka_unit_test(a_run_resumes_after_any_line),
        cmocka_unit_test(a_run_resumes_after_any_byte_of_a_line),
        cmocka_unit_test(other_torn_ends_are_dropped),
        cmocka_unit_test(a_resumed_run_may_be_interrupted_again),
        cmocka_unit_test(a_full_disk_is_a_failure_that_can_be_resumed),
        cmocka_unit_test(a_device_that_is_full_is_a_failure),
        cmocka_unit_test(the_log_of_another_run_is_refused),
        cmocka_unit_test(what_is_no_log_is_refused_and_kept),
        cmocka_unit_test(gaps_repeats_and_additions_are_refused),
        cmocka_unit_test(a_line_that_was_changed_is_refused),
        cmocka_unit_test(a_trial_that_is_not_asked_for_is_refused),
        cmocka_unit_test(a_strategy_that_asks_for_less_is_noticed),
        cmocka_unit_test(a_log_is_never_overwritten),
        cmocka_unit_test(a_file_that_cannot_be_used_is_refused),
        cmocka_unit_test(errors_come_in_chinese_too),
    };
    return cmocka_run_group_tests_name("trial_log", tests, set_up, tear_down);
}

/* test_trial_log.c - a log says what its header promises; however a run is interrupted, resuming it leaves the same
 * file and the same traces; and no file is continued that is not the run's own, down to the last digit. */
#include "check.h"
#include "child.h"
#include "traces.h"
#include "trial_log.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* ---- a made-up device, and a run of five tunings on it ---- */

static const int b_values[] = { 16, 32 };
static const struct text reasons[] = { { "odd", "奇数" }, { "4\t\"by\" \\32", "太大" } };
static const struct workload square = { "square", { "square", "方阵" }, 4096, 512, 16 };
static const struct workload other = { "other", { "other", "另一个" }, 16, 4096, 4096 };

static int four_by_32(const void *context, const int *v) { return (void)context, v[0] == 4 && v[1] == 32 ? 2 : 0; }
static int odd_by_32(const void *context, const int *v) { return four_by_32(context, v) / 2; } /* another reason */

static double time_us(const struct device *device, const struct workload *w, const int *v)
{
    static const double us[9][2] = { [1] = { 7.5, 123456.789 }, [2] = { 1e-7, 471.25 }, [4] = { 1e22, 0 },
                                     [8] = { 0.1 + 0.2, 1.0 / 3.0 } };
    return (void)device, (void)w, us[v[0]][v[1] == 32];
}
static struct device device = { .name = "a \"GPU\"\\\n", .time_us = time_us };
static struct space *whole_space, *part_space; /* 7 legal of 8, 4 of 4 */

static struct space *space_with(const char *name, space_rule *rule)
{
    int values[] = { 1, 2, 4, 8 };
    struct knob knobs[] = { { name, 4, values }, { "B", 2, b_values } };
    return space_new(2, knobs, 2, reasons, rule, NULL);
}

/* Measures every configuration from the last one down, legal or not; settings: how many (size_t). */
struct careless {
    uint32_t next;
    size_t left;
};
static void *careless_open(const struct task *task, uint64_t seed, const void *settings)
{
    struct careless *c = xalloc(1, sizeof *c);
    *c = (struct careless){ task->space->size, settings ? *(const size_t *)settings : SIZE_MAX };
    return (void)seed, c;
}
static void (*meddle)(void); /* what happens to the file before each batch but the first */
static size_t careless_ask(void *self, size_t want, uint32_t *configs)
{
    struct careless *c = self;
    size_t n = 0;
    if (meddle && c->next < whole_space->size)
        meddle();
    for (; n < want && c->left > 0; c->left--)
        configs[n++] = --c->next;
    return n;
}
static void careless_tell(void *self, size_t n, const uint32_t *configs, const struct measurement *results)
{
    (void)self, (void)n, (void)configs, (void)results;
}
static const struct strategy careless = { "careless",   { "careless", "粗心" }, careless_open,
                                          careless_ask, careless_tell,          free };

enum { TUNINGS = 5, TRIALS = 7 + 5 + 7 + 4 + 4 }; /* what each of them comes to */

struct run {
    const char *path;
    bool old; /* to be resumed */
    size_t count;
    struct trial_source source;
    struct tuning t[TUNINGS + 1];
};

static char folder[] = "/tmp/trial_log_XXXXXX", path[64];
static struct run plain; /* run without a log */

static struct run run_new(void)
{
    static const struct genetic_settings few = { .population = 4, .elites = 1, .mutation = 0.1 };
    struct run run = { .path = path, .count = TUNINGS, .source = { "02_autotvm", "1.0.0", device.name },
                       .t = { { &device, { &square, whole_space }, &careless, 7, 2, .name = "search", .seed = 7 },
                              { &device, { &square, whole_space }, &strategy_random, 5, .batch = 2 },
                              { &device, { &square, whole_space }, &strategy_genetic, 7, 3, &few, .repeat = 1 },
                              { &device, { &other, part_space }, &strategy_grid, 100, 4, .repeat = 4 },
                              { &device, { &square, part_space }, &strategy_random, .trials = 100 } } };
    for (int i = 1; i < TUNINGS; i++)
        run.t[i].noise = 0.015;
    run.t[4].noise_kind = NOISE_LOG_NORMAL;
    run.t[TUNINGS] = run.t[1]; /* not counted */
    return run;
}

static void run_free(struct run *run)
{
    for (size_t i = 0; i < run->count; i++)
        tuning_free(&run->t[i]);
}

/* Also for children: exit status 3 says that the traces are others than without a log. */
static void run_logged(void *argument)
{
    struct run *run = argument;
    trial_log_run(trial_log_open(run->path, run->old, run->source, run->count, run->t), NULL, NULL);
    for (size_t i = 0; i < run->count; i++)
        if (!same_trace(&run->t[i].trace, &plain.t[i].trace))
            exit(3);
    run_free(run);
}

/* ---- files ---- */

struct bytes {
    char text[10000];
    size_t n, lines, line_at[TRIALS + 2]; /* where they start; the last: the end */
};
static struct bytes whole; /* the log of an uninterrupted run */

static struct bytes file_read(void)
{
    struct bytes b = { .n = 0 };
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    b.n = fread(b.text, 1, sizeof b.text - 1, file);
    fclose(file);
    for (size_t i = 0; i < b.n && b.lines <= TRIALS; i++)
        if (b.text[i] == '\n')
            b.line_at[++b.lines] = i + 1;
    return b;
}

/* The log with `drop` bytes at a place replaced by others. */
static void file_edit(size_t at, size_t drop, const char *with, size_t n)
{
    unlink(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(whole.text, 1, at, file);
    fwrite(with, 1, n, file);
    fwrite(whole.text + at + drop, 1, whole.n - at - drop, file);
    assert_int_equal(fclose(file), 0);
}

static void file_cut(size_t n) { file_edit(n, whole.n - n, "", 0); }

static void check_file(const struct bytes *expected)
{
    struct bytes now = file_read();
    assert_int_equal(now.n, expected->n);
    assert_memory_equal(now.text, expected->text, now.n);
}

static int set_up(void **state)
{
    device.space = whole_space = space_with("A", four_by_32);
    part_space = space_restrict(whole_space, "B", 1, (int[]){ 16 });
    plain = run_new();
    for (size_t i = 0; i < TUNINGS; i++)
        tuning_run(&plain.t[i]);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/log", folder);
    struct run run = run_new();
    text_set_lang(LANG_ZH); /* a log is in English all the same */
    run_logged(&run);
    text_set_lang(LANG_EN);
    whole = file_read();
    assert_true(whole.lines == 1 + TRIALS && whole.n == whole.line_at[1 + TRIALS]);
    return 0;
}

static int tear_down(void **state)
{
    run_free(&plain);
    unlink(path);
    rmdir(folder);
    space_free(part_space);
    space_free(whole_space);
    return 0;
}

/* ---- what is in a log ---- */

/* Lines full of quotes are easier to read with ' in the place of ". */
static char *quoted(const char *text)
{
    char *copy = xformat("%s", text);
    for (char *c = copy; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    return copy;
}

/* Of all that is hashed: letters, counts and values, then why each configuration is illegal. */
static uint64_t hash_of(size_t n, const uint64_t *all)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ all[i]) * 1099511628211u;
    return hash;
}

#define TRIAL(n, config, measured)                                                                                   \
    "{'tuning':0,'workload':'square','repeat':0,'seed':7,'trial':" n ",'config':[" config "]," measured "}\n"

TEST(a_log_is_written_as_the_header_says)
{
    static const uint64_t both[] = { 'A', 4 << 8, 1, 2, 4, 8, 'B', 2 << 8, 16, 32, 0, 0, 0, 0, 0, 2, 0, 0 };
    static const uint64_t part[] = { 'A', 4 << 8, 1, 2, 4, 8, 'B', 1 << 8, 16, 0, 0, 0, 0 };
    char *text = xformat(
        "{'format':1,'program':'02_autotvm','version':'1.0.0','device':'a \\'GPU\\'\\\\\\u000a','repeats':5,"
        "'spaces':[{'knobs':{'A':[1,2,4,8],'B':[16,32]},'legal':7,'hash':'%016" PRIx64 "'},"
        "{'knobs':{'A':[1,2,4,8],'B':[16]},'legal':4,'hash':'%016" PRIx64 "'}],'tunings':["
        "{'tuning':0,'experiment':'search','strategy':'careless','workload':'square','shape':'4096x512x16',"
        "'space':0,'repeat':0,'seed':7,'trials':7,'batch':2,'noise_kind':'normal','noise':0},"
        "{'tuning':1,'experiment':'tuning','strategy':'random','workload':'square','shape':'4096x512x16',"
        "'space':0,'repeat':0,'seed':0,'trials':5,'batch':2,'noise_kind':'normal','noise':0.015},"
        "{'tuning':2,'experiment':'tuning','strategy':'genetic','workload':'square','shape':'4096x512x16',"
        "'space':0,'repeat':1,'seed':0,'trials':7,'batch':3,'noise_kind':'normal','noise':0.015},"
        "{'tuning':3,'experiment':'tuning','strategy':'grid','workload':'other','shape':'16x4096x4096',"
        "'space':1,'repeat':4,'seed':0,'trials':100,'batch':4,'noise_kind':'normal','noise':0.015},"
        "{'tuning':4,'experiment':'tuning','strategy':'random','workload':'square','shape':'4096x512x16',"
        "'space':1,'repeat':0,'seed':0,'trials':100,'batch':64,'noise_kind':'log-normal','noise':0.015}]}\n"
        TRIAL("0", "8,32", "'measured_us':0.3333333333333333,'seconds':1.0000333333333333,'error':null")
        TRIAL("1", "8,16", "'measured_us':0.30000000000000004,'seconds':1.00003,'error':null")
        TRIAL("2", "4,32", "'measured_us':null,'seconds':1,'error':'4\\u0009\\'by\\' \\\\32'")
        TRIAL("3", "4,16", "'measured_us':1e+22,'seconds':1e+18,'error':null")
        TRIAL("4", "2,32", "'measured_us':471.25,'seconds':1.047125,'error':null")
        TRIAL("5", "2,16", "'measured_us':1e-07,'seconds':1.00000000001,'error':null")
        TRIAL("6", "1,32", "'measured_us':123456.789,'seconds':13.3456789,'error':null"),
        hash_of(sizeof both / sizeof *both, both), hash_of(sizeof part / sizeof *part, part));
    char *expected = quoted(text), *written = xformat("%.*s", (int)whole.line_at[8], whole.text);
    assert_string_equal(written, expected);
    free(written);
    free(expected);
    free(text);
}

/* ---- interrupted and resumed ---- */

/* Resumes a file of so many whole lines, and perhaps some of another one. */
static void check_resumed(size_t lines, bool torn)
{
    struct run run = run_new();
    run.old = true;
    struct ending ending = child_run(run_logged, &run);
    char word[120] = "";
    if (torn)
        snprintf(word, sizeof word, "%s:%zu: the last line was cut off: dropped\n", path, lines + 1);
    assert_string_equal(ending.err, word);
    assert_int_equal(ending.status, 0);
    check_file(&whole);
}

/* Also behind zeros, as a crash leaves them where the file system had no data yet, and inside a line: the first one,
 * one of a failed trial, one that begins a tuning. */
TEST(a_run_resumes_after_any_line)
{
    for (size_t lines = 0; lines <= 1 + TRIALS; lines++) {
        size_t at = whole.line_at[lines];
        file_cut(at);
        check_resumed(lines, false);
        file_edit(at, whole.n - at, "{\"tuning\":0,\0\0\0", lines ? 15 : 0);
        check_resumed(lines, lines);
        if (lines != 0 && lines != 3 && lines != 8)
            continue;
        for (size_t n = at + 1; n < whole.line_at[lines + 1]; n += lines ? 4 : 101) {
            file_cut(n);
            check_resumed(lines, true);
        }
    }
}

/* ---- a run watched ---- */

static size_t batches;
static void look_into_it(void)
{
    struct bytes now = file_read();
    assert_true(now.lines == 1 + 2 * ++batches && now.n == now.line_at[now.lines]);
}

static void count_up(void *context, size_t done, size_t total)
{
    size_t *calls = context;
    assert_int_equal(done, ++*calls);
    assert_int_equal(total, TUNINGS);
}

TEST(every_batch_is_in_the_file_before_the_next)
{
    struct run run = run_new();
    size_t calls = 0;
    unlink(path);
    meddle = look_into_it;
    trial_log_run(trial_log_open(path, false, run.source, run.count, run.t), count_up, &calls);
    meddle = NULL;
    assert_true(batches == 3 && calls == TUNINGS);
    run_free(&run);
}

/* ---- what is refused ---- */

/* The file is not taken for the run's log, because of this line; and it stays as it is. */
static void check_refused(struct run run, size_t line, const char *wanted)
{
    struct bytes before = file_read();
    char *place = xformat("%s:%zu: ", path, line), *words = quoted(wanted);
    run.old = true;
    child_dies(run_logged, &run, place, words);
    check_file(&before);
    free(words);
    free(place);
}

/* The first line is compared as a whole; here, a word, a number, a space, and more or fewer tunings. */
TEST(the_log_of_another_run_is_refused)
{
#define CHECK_OTHER(wanted, field, value) run = run_new(), run.field = value, check_refused(run, 1, wanted)
    struct run run;
    struct space *strange[] = { space_with("AA", four_by_32), space_with("A", odd_by_32) };
    file_cut(whole.n);
    CHECK_OTHER("found 'program':'02_autotvm'; expected 'program':'05'", source.program, "05");
    CHECK_OTHER("found 'device':'a \\'GPU\\'\\\\\\u000a'; expected 'device':'b'", source.device, "b");
    CHECK_OTHER("found 'A':[1; expected 'AA':[1", t[0].task.space, strange[0]);
    CHECK_OTHER("found 'hash':'", t[0].task.space, strange[1]);
    CHECK_OTHER("found 'experiment':'tuning'; expected 'experiment':'more'", t[1].name, "more");
    CHECK_OTHER("found 'workload':'square'; expected 'workload':'other'", t[1].task.workload, &other);
    CHECK_OTHER("found 'space':0; expected 'space':1", t[1].task.space, part_space);
    CHECK_OTHER("found 'repeats':5; expected 'repeats':8", t[1].repeat, 7);
    CHECK_OTHER("found 'noise_kind':'normal'; expected 'noise_kind':'log-", t[1].noise_kind, NOISE_LOG_NORMAL);
    CHECK_OTHER("found 'noise':0.015},{'tuning':4; expected 'noise':0.015}]}", count, TUNINGS - 1);
    CHECK_OTHER("found 'noise':0.015}]}; expected 'noise':0.015},{'tuning':5", count, TUNINGS + 1);
    for (int i = 0; i < 2; i++)
        space_free(strange[i]);
}

TEST(what_is_no_log_is_refused_and_kept)
{
    static const char *const cases[][2] = {
        { "some text", "found some text;" }, { "some text\n", "found some text;" },
        { "\n\n", "found ; expected {" },    { "{}\n", "found {};" },
        { "\177ELF\2\1", "found ?ELF??;" },  { "{\"format\":2,", "found 'format':2;" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        file_edit(0, whole.n, cases[i][0], strlen(cases[i][0]));
        check_refused(run_new(), 1, cases[i][1]);
    }
}

TEST(gaps_repeats_and_additions_are_refused)
{
    for (size_t line = 0; line <= TRIALS; line += line ? 5 : 1) {
        size_t at = whole.line_at[line], n = whole.line_at[line + 1] - at;
        file_edit(at, 0, whole.text + at, n); /* twice */
        check_refused(run_new(), line + 2, line < TRIALS ? "found " : "expected the end");
        file_edit(at + n, 0, "\n", 1); /* an empty line behind it */
        check_refused(run_new(), line + 2, line < TRIALS ? "expected {'tuning':" : "expected the end");
        file_edit(at + n - 2, 1, "}\0", 2);
        check_refused(run_new(), line + 1, "}?; expected ");
        file_edit(at + n - 2, 1, ",\"more\":1}", 10);
        check_refused(run_new(), line + 1, "'more':1}; expected ");
        if (line == TRIALS)
            continue;
        file_edit(at, n, "", 0); /* missing */
        check_refused(run_new(), line + 1, "found ");
        file_edit(at + n - 1, 1, "", 0); /* joined to the next */
        check_refused(run_new(), line + 1, "found ");
    }
}

/* Of two lines of the known log: the fifth trial, which was good, and the third, which failed. */
static const struct {
    size_t line;
    const char *from, *to, *error;
} edits[] = {
    { 5, "'seed':7", "'seed':70", "found 'seed':70; expected 'seed':7" },
    { 5, "'trial':4", "'trial':5", "found 'trial':5; expected 'trial':4" },
    { 5, "'seconds'", "'more':1,'seconds'", "found 'more':1; expected 'seconds':1.047125" },
    { 5, "null}", "null}\r", "found 'error':null}?; expected 'error':null}" },
    { 5, "{", "\033[31m{", "found ?[31m{" },
    { 5, "[2,32]", "[2,64]", "knob 2, B, must be one of 16 32" },
    { 5, "[2,32]", "[3,32]", "knob 1, A, must be one of 1 2 4 8" },
    { 5, "[2,32]", "[2,32x]", "expected 2 values" },
    { 5, "[2,32]", "[4,32]", "expected 'measured_us':null" },
    { 5, "[2,32]", "[2,16]", "the strategy does not ask for this trial" },
    { 5, "471.25", "471.25us", "found 'measured_us':471.25us; expected 'measured_us':471.25" },
    { 5, "471.25", "1e999", "'measured_us': expected a number above 0" },
    { 5, "471.25", "0", "'measured_us': expected a number above 0" },
    { 5, "471.25", "", "'measured_us': expected a number above 0" },
    { 5, "471.25", "471.25000000000001", "expected 'measured_us':471.25" },
    { 5, ",'seconds':1.047125", "", "'seconds': expected a number above 0" },
    { 3, "'measured_us':null", "'measured_us':471.25", "found 'measured_us':471.25; expected 'measured_us':null" },
    { 3, "'error':'4\\u0009\\'by\\' \\\\32'", "'error':'odd'", "found 'error':'odd'}; expected 'error':'4\\u0009" },
    { 3, "[4,32]", "[2,32]", "'measured_us': expected a number above 0" },
};

TEST(an_edited_line_is_refused)
{
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        char *from = quoted(edits[i].from), *to = quoted(edits[i].to);
        const char *at = strstr(whole.text + whole.line_at[edits[i].line], from);
        assert_true(at && at < whole.text + whole.line_at[edits[i].line + 1]);
        file_edit((size_t)(at - whole.text), strlen(from), to, strlen(to));
        check_refused(run_new(), edits[i].line + 1, edits[i].error);
        free(to);
        free(from);
    }
    for (size_t at = whole.line_at[5]; at < whole.line_at[6] - 1; at += 3) { /* a part of it that looks whole */
        file_edit(at, whole.n - at, "\n", 1);
        check_refused(run_new(), 6, "");
    }
}

/* A legal configuration in the place of the one that was asked for: for every trial of the log, which ends there. */
TEST(a_trial_that_is_not_asked_for_is_refused)
{
    for (size_t line = 1; line <= TRIALS; line += 2) {
        const char *at = strstr(whole.text + whole.line_at[line], "\"config\":[");
        size_t start = (size_t)(at - whole.text);
        char *instead = xformat("\"config\":[%d,16],\"measured_us\":100,\"seconds\":1.01,\"error\":null}\n",
                                strncmp(at + 10, "8,16]", 5) ? 8 : 4);
        file_edit(start, whole.n - start, instead, strlen(instead));
        check_refused(run_new(), line + 1, "the strategy does not ask for this trial: "
                                           "the log is of another version of this program");
        free(instead);
    }
    static const size_t three = 3; /* and a strategy that asks for less */
    struct run run = run_new();
    run.t[0].settings = &three;
    file_cut(whole.n);
    check_refused(run, 5, "the strategy does not ask");
}

/* ---- the file ---- */

static size_t room;
static void run_with_little_room(void *run)
{
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){ room, room }) == 0)
        run_logged(run);
}

TEST(a_full_disk_is_a_failure_that_can_be_resumed)
{
    for (room = 0; room < whole.n; room += 997) {
        struct run run = run_new();
        unlink(path);
        assert_int_equal(child_run(run_with_little_room, &run).status, 2);
        struct bytes left = file_read();
        assert_true(left.n <= room);
        assert_memory_equal(left.text, whole.text, left.n);
        check_resumed(left.lines, left.n > left.line_at[left.lines]);
    }
    struct run run = run_new();
    run.path = "/dev/full";
    child_dies(run_logged, &run, "/dev/full: cannot be written: ", strerror(ENOSPC));
}

TEST(a_file_that_cannot_be_used_is_refused)
{
    char missing[100];
    snprintf(missing, sizeof missing, "%s/no/log", folder);
    const struct {
        const char *path;
        bool old;
        const char *wanted, *reason;
    } cases[] = {
        { missing, true, "cannot be opened: ", strerror(ENOENT) },
        { missing, false, "cannot be created: ", strerror(ENOENT) },
        { folder, true, "cannot be opened: ", strerror(EISDIR) },
        { folder, false, "cannot be created: ", strerror(EISDIR) },
        { "/dev/null", true, "cannot be resumed: expected a regular file", "" },
        { path, true, "cannot be opened: ", strerror(EACCES) }, /* the last two: not as root */
        { path, false, "cannot be created: ", strerror(EACCES) },
    };
    file_cut(whole.line_at[3]);
    struct bytes before = file_read();
    chmod(path, 0444);
    for (size_t i = 0; i < sizeof cases / sizeof *cases - (geteuid() ? 0 : 2); i++) {
        struct run run = run_new();
        run.path = cases[i].path;
        run.old = cases[i].old;
        char *place = xformat("%s: %s", cases[i].path, cases[i].wanted);
        child_dies(run_logged, &run, place, cases[i].reason);
        free(place);
    }
    check_file(&before);
}

TEST(devices_pipes_and_links_can_be_written)
{
    struct run run = run_new(), linked = run_new();
    char link[80], text[1 << 15];
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    int pipe = open(path, O_RDONLY | O_NONBLOCK);
    assert_int_equal(child_run(run_logged, &run).status, 0);
    assert_int_equal(read(pipe, text, sizeof text), whole.n);
    assert_memory_equal(text, whole.text, whole.n);
    close(pipe);
    unlink(path);

    snprintf(link, sizeof link, "%s/link", folder);
    assert_int_equal(symlink(path, link), 0); /* to nothing */
    linked.path = link;
    for (int i = 0; i < 2; i++, linked.old = true) {
        assert_int_equal(child_run(run_logged, &linked).status, 0);
        check_file(&whole);
        assert_int_equal(truncate(path, (off_t)whole.line_at[9]), 0);
    }
    struct bytes left = file_read();
    linked.old = false;
    child_dies(run_logged, &linked, link, "exists; --resume continues it");
    check_file(&left);
    unlink(link);
}

TEST(only_one_run_at_a_time_may_have_it)
{
    struct run holder = run_new(), second = run_new();
    unlink(path);
    struct trial_log *log = trial_log_open(path, false, holder.source, holder.count, holder.t);
    for (int old = 0; old < 2; old++) {
        second.old = old;
        child_dies(run_logged, &second, path, "another run is writing it; wait for its end, or name another file");
    }
    trial_log_run(log, NULL, NULL);
    check_file(&whole);
    run_free(&holder);
    check_resumed(whole.lines, false);
}

static void (*at_end)(void);
static void meddle_at_end(void *context, size_t done, size_t total)
{
    (void)context;
    if (done == total && at_end)
        at_end();
}
static void run_meddled_with(void *run_)
{
    struct run *run = run_;
    trial_log_run(trial_log_open(path, false, run->source, run->count, run->t), meddle_at_end, NULL);
}

static void delete_it(void) { unlink(path); }
static void cut_all(void) { assert_int_equal(truncate(path, 0), 0); }
static void cut_some(void) { assert_int_equal(truncate(path, (off_t)whole.line_at[1] - 5), 0); }
static void add_to_it(void)
{
    int file = open(path, O_WRONLY | O_APPEND);
    assert_int_equal(write(file, "{}\n", 3), 3);
    close(file);
}

TEST(what_others_do_to_the_file_during_the_run_is_noticed)
{
    static void (*const deeds[])(void) = { delete_it, cut_all, cut_some, add_to_it };
    for (int i = 0; i < 8; i++) {
        struct run run = run_new();
        meddle = i < 4 ? deeds[i] : NULL;
        at_end = i < 4 ? NULL : deeds[i - 4];
        unlink(path);
        struct ending ending = child_run(run_meddled_with, &run);
        meddle = at_end = NULL;
        const char *deed = i % 4 ? "cut or written by another" : "deleted";
        char *expected = xformat("%s: was %s during the run\n", path, deed);
        assert_string_equal(ending.err, expected);
        assert_int_equal(ending.status, 2);
        free(expected);
    }
}

TESTS("trial_log", set_up, tear_down)

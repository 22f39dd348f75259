/* trial_log.c - the file of a log: begun, read back, cut behind its last whole line, appended to by the batch. */
#include "trial_log.h"
#include "base/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct trial_log {
    const char *path;
    FILE *file; /* NULL: not open */
    size_t count;
    struct tuning *tuning; /* [count] */
    struct trace *held;    /* [count] what an earlier run left in the file */
    bool failed;
    char *error; /* fail writes here */
    size_t error_size;
};

/* Writes "path:line: message" to the error buffer and returns false. Line 0: the file as a whole. */
static bool fail(struct trial_log *log, size_t line, const char *message)
{
    char place[32] = "";
    if (line)
        snprintf(place, sizeof place, ":%zu", line);
    snprintf(log->error, log->error_size, tr("%s%s: %s", "%s%s：%s"), log->path, place, message);
    log->failed = true;
    return false;
}

/* The same for what the system refused. */
static bool fail_system(struct trial_log *log, const char *message)
{
    char *text = xformat("%s: %s", message, strerror(errno));
    fail(log, 0, text);
    free(text);
    return false;
}

static bool fail_to_write(struct trial_log *log) { return fail_system(log, tr("cannot be written", "无法写入")); }

/* How many trials a tuning comes to. */
static size_t trials_of(const struct tuning *t)
{
    return t->trials < t->space->legal_count ? t->trials : t->space->legal_count;
}

/* ---- reading ---- */

/* The line must be the next trial. */
static bool take_trial(struct trial_log *log, size_t line, const char *text)
{
    char wrong[600];
    size_t i = 0;
    while (i < log->count && log->held[i].count == trials_of(&log->tuning[i]))
        i++;
    if (i == log->count)
        return fail(log, line,
                    tr("expected the end: the run has no more trials", "应到此结束：这次运行没有更多测量"));
    struct trace *held = &log->held[i];
    if (!trial_line_take(text, i, &log->tuning[i], held->count, &held->trial[held->count], wrong, sizeof wrong))
        return fail(log, line, wrong);
    held->count++;
    return true;
}

/* The first line must be the header; one that was cut off, its beginning. */
static bool take_header(struct trial_log *log, const char *text, const char *header, bool cut)
{
    char wrong[600];
    if ((cut && !strncmp(text, header, strlen(text))) || trial_line_same(text, header, wrong, sizeof wrong))
        return true;
    return fail(log, 1, wrong);
}

/* Takes all lines of the text, whose line ends become zeros. *kept: how many of its bytes are whole lines. */
static bool take_lines(struct trial_log *log, char *text, size_t size, const char *header, size_t *kept)
{
    size_t line = 1;
    for (char *at = text, *end = text + size, *stop; at < end; at = stop + 1, line++) {
        stop = memchr(at, '\n', (size_t)(end - at));
        bool last = !stop || stop + 1 == end, cut = last && (!stop || stop == at || stop[-1] != '}');
        if (stop)
            *stop = 0;
        if (line == 1 && !take_header(log, at, header, cut))
            return false;
        if (cut) {
            fprintf(stderr, tr("%s:%zu: the last line was cut off: dropped\n", "%s:%zu：最后一行不完整，已舍去\n"),
                    log->path, line);
            return true;
        }
        if (line > 1 && !take_trial(log, line, at))
            return false;
        *kept = (size_t)(stop + 1 - text);
    }
    return true;
}

/* Opens an earlier log, takes its lines, and leaves it open behind the last whole one. */
static bool old_file(struct trial_log *log, const char *header, size_t *kept)
{
    struct stat status;
    log->file = fopen(log->path, "r+");
    if (!log->file || fstat(fileno(log->file), &status))
        return fail_system(log, tr("cannot be opened", "无法打开"));
    if (!S_ISREG(status.st_mode))
        return fail(log, 0, tr("cannot be resumed: expected a regular file", "无法继续：应为普通文件"));
    size_t size = (size_t)status.st_size;
    char *text = xalloc(size + 1, 1);
    bool good = fread(text, 1, size, log->file) == size || fail_system(log, tr("cannot be read", "无法读取"));
    for (size_t i = 0; i < size; i++) /* a zero, as a crash may leave, is no text: it must end no line */
        text[i] = text[i] ? text[i] : '\1';
    good = good && take_lines(log, text, size, header, kept);
    free(text);
    if (good && ((*kept < size && ftruncate(fileno(log->file), (off_t)*kept)) || fseek(log->file, 0, SEEK_END)))
        return fail_to_write(log);
    return good;
}

/* ---- writing ---- */

static bool new_file(struct trial_log *log)
{
    struct stat status;
    log->file = fopen(log->path, "wx");
    if (!log->file && errno == EEXIST && !stat(log->path, &status) && S_ISREG(status.st_mode))
        return fail(log, 0, tr("exists; --resume continues it", "已存在；可用 --resume 继续"));
    if (!log->file)
        log->file = fopen(log->path, "w");
    return log->file || fail_system(log, tr("cannot be created", "无法创建"));
}

static bool flush(struct trial_log *log)
{
    return (fflush(log->file) == 0 && !ferror(log->file)) || fail_to_write(log);
}

/* The strategy of tuning i did not ask for trial number `at`, which the log holds. */
static void refuse(struct trial_log *log, size_t i, size_t at)
{
    size_t line = 2 + at;
    for (size_t before = 0; before < i; before++)
        line += log->held[before].count;
    fail(log, line,
         tr("the strategy does not ask for this trial: the log is of another version of this program",
            "搜索策略没有要求这次测量：日志出自本程序的另一版本"));
}

/* Listens to every batch: what was replayed must be what was asked for, what is new is written. */
static void append(const struct tuning *t, size_t before)
{
    struct trial_log *log = t->listener;
    size_t i = (size_t)(t - log->tuning);
    for (size_t at = before; at < t->trace.count && !log->failed && !ferror(log->file); at++) {
        const struct trial *trial = &t->trace.trial[at];
        if (at >= t->replayed) {
            assert(trial->why == t->space->illegal[trial->config]); /* the reader relies on it */
            trial_line_put(log->file, i, t, at, trial);
            fputc('\n', log->file);
        } else if (trial->config != t->replay[at].config) {
            refuse(log, i, at);
        }
    }
    if (!log->failed)
        flush(log);
}

/* ---- a run ---- */

static struct trial_log *open_log(const char *path, bool old, struct trial_source source, size_t count,
                                  struct tuning *tunings, char *error, size_t n)
{
    struct trial_log *log = xalloc(1, sizeof *log);
    *log = (struct trial_log){ .path = path, .count = count, .tuning = tunings, .error = error, .error_size = n };
    log->held = xalloc(count, sizeof *log->held);
    for (size_t i = 0; i < count; i++)
        log->held[i].trial = xalloc(trials_of(&tunings[i]), sizeof(struct trial));
    char *header;
    size_t size, kept = 0;
    FILE *out = open_memstream(&header, &size);
    trial_line_put_header(out, source, count, tunings);
    fclose(out);
    bool good = old ? old_file(log, header, &kept) : new_file(log);
    if (good && kept == 0) {
        fprintf(log->file, "%s\n", header);
        good = flush(log);
    }
    free(header);
    if (!good) {
        trial_log_close(log);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        tunings[i].replay = log->held[i].trial;
        tunings[i].replayed = log->held[i].count;
        tunings[i].after_batch = append;
        tunings[i].listener = log;
    }
    return log;
}

struct trial_log *trial_log_create(const char *path, struct trial_source source, size_t count, struct tuning *tunings,
                                   char *error, size_t n)
{
    return open_log(path, false, source, count, tunings, error, n);
}

struct trial_log *trial_log_resume(const char *path, struct trial_source source, size_t count, struct tuning *tunings,
                                   char *error, size_t n)
{
    return open_log(path, true, source, count, tunings, error, n);
}

bool trial_log_run(struct trial_log *log, void (*progress)(void *, size_t, size_t), void *context)
{
    for (size_t i = 0; i < log->count; i++) {
        struct tuning *t = &log->tuning[i];
        bool same = tuner_run(t) && t->trace.count >= t->replayed;
        if (!same && !log->failed)
            refuse(log, i, t->trace.count);
        if (log->failed)
            return false;
        assert(t->trace.count == trials_of(t));
        if (progress)
            progress(context, i + 1, log->count);
    }
    FILE *file = log->file;
    log->file = NULL;
    return fclose(file) == 0 || fail_to_write(log);
}

void trial_log_close(struct trial_log *log)
{
    if (!log)
        return;
    if (log->file)
        fclose(log->file);
    for (size_t i = 0; i < log->count; i++)
        trace_free(&log->held[i]);
    free(log->held);
    free(log);
}

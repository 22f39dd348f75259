/* trial_log.c - the lines of a log, taken back; its file, locked, cut behind its last whole line and appended to by the
 * batch.
 *
 * There is no JSON parser here. All of a trial's line is known beforehand but three things: which configuration, how
 * long it took, what that cost. The reader takes these three from the line, writes the line anew and compares. */
#include "trial_line.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct trial_log {
    const char *path;
    FILE *file;
    struct trial_source source;
    size_t count;
    struct tuning *tuning; /* [count] */
    size_t at, written;    /* the one that runs, and how many of its trials the file holds */
};

/* ---- lines, taken back ---- */

/* How many bytes to show: up to the comma behind place `at`. */
static int excerpt(const char *text, size_t at)
{
    size_t behind = text[at] ? 1 + strcspn(text + at + 1, ",") : 0;
    return (int)(at + (behind < 40 ? behind : 40));
}

/* Refuses a line that is not the expected one, from the name of the key on in which they first differ. */
static void expect(const struct trial_log *log, size_t line, const char *found, const char *expected)
{
    size_t at = 0, key = 0;
    if (!strcmp(found, expected))
        return;
    for (; found[at] == expected[at]; at++)
        if (at > 0 && found[at] == '"' && (found[at - 1] == ',' || found[at - 1] == '{'))
            key = at;
    found += key, expected += key, at -= key;
    die("%s:%zu: found %.*s; expected %.*s", log->path, line, excerpt(found, at), found, excerpt(expected, at),
        expected);
}

static double take_number(const struct trial_log *log, size_t line, const char *text, const char *key)
{
    const char *at = strstr(text, key); /* in a string its quotes would be escaped */
    at = at ? at + strlen(key) : "";
    double value = *at >= '0' && *at <= '9' ? strtod(at, NULL) : 0.0;
    if (!(value > 0.0) || isinf(value))
        die("%s:%zu: %s expected a number above 0", log->path, line, key);
    return value;
}

/* Takes from a trial's line what is not known before. Why a legal one failed: the reason that makes it this line. */
static void take_measured(const struct trial_log *log, size_t line, const char *text, size_t i, struct trial *trial)
{
    const struct tuning *t = &log->tuning[i];
    const struct space *space = t->task.space;
    const char *values = strstr(text, "\"config\":[") + strlen("\"config\":[");
    char *config = xformat("%.*s", (int)strcspn(values, "]"), values), *source = xformat("%s:%zu:", log->path, line);
    bool failed = measurer_may_fail(t->device) && strstr(text, "\"measured_us\":null");
    trial->config = space_parse(space, config, source);
    trial->seconds = take_number(log, line, text, "\"seconds\":");
    trial->failure = space->illegal[trial->config];
    for (int reason = 1; failed && !trial->failure && reason <= space->reasons; reason++) {
        struct trial tried = { trial->config, reason, INFINITY, trial->seconds };
        char *expected = trial_line(i, t, t->replay.count, &tried);
        trial->failure = strcmp(text, expected) ? 0 : reason;
        free(expected);
    }
    trial->measured_us = trial->failure ? INFINITY : take_number(log, line, text, "\"measured_us\":");
    free(source);
    free(config);
}

/* How many trials a tuning comes to. */
static size_t trials_of(const struct tuning *t)
{
    return t->trials < t->task.space->legal_count ? t->trials : t->task.space->legal_count;
}

bool trial_log_runs(struct trial_source source, const struct tuning *t)
{
    return !source.parts || t->repeat % (uint64_t)source.parts == (uint64_t)source.part - 1;
}

/* The line must be the next trial; of logs to be merged, its tuning's next. */
static void take_trial(const struct trial_log *log, size_t line, const char *text)
{
    static const char begin[] = "{\"tuning\":";
    size_t i = 0, n = sizeof begin - 1;
    if (log->source.merge && !strncmp(text, begin, n) && text[n] >= '0' && text[n] <= '9')
        i = strtoul(text + n, NULL, 10);
    while (i < log->count && (!trial_log_runs(log->source, &log->tuning[i]) ||
                              log->tuning[i].replay.count == trials_of(&log->tuning[i])))
        i++;
    if (i >= log->count)
        die("%s:%zu: expected the end: the run has no more trials", log->path, line);
    struct trace *replay = &log->tuning[i].replay;
    struct trial *trial = &replay->trial[replay->count];
    char *expected = trial_line(i, &log->tuning[i], replay->count, NULL);
    if (!strncmp(text, expected, strlen(expected))) {
        free(expected);
        take_measured(log, line, text, i, trial);
        expected = trial_line(i, &log->tuning[i], replay->count, trial);
    }
    expect(log, line, text, expected);
    free(expected);
    replay->count++;
}

/* Takes all lines of the text, whose line ends become zeros. Returns how many of its bytes are whole lines. */
static size_t take_lines(const struct trial_log *log, char *text, size_t size, const char *header)
{
    size_t line = 1;
    for (char *at = text, *end = text + size, *stop; at < end; at = stop + 1, line++) {
        stop = memchr(at, '\n', (size_t)(end - at));
        if (stop)
            *stop = 0;
        if (line == 1 && (stop || strncmp(at, header, strlen(at))))
            expect(log, line, at, header);
        if (!stop) {
            die_warn("%s:%zu: the last line was cut off: dropped", log->path, line);
            return (size_t)(at - text);
        }
        if (line > 1)
            take_trial(log, line, at);
    }
    return size;
}

/* ---- the file ---- */

static void fail(const struct trial_log *log, const char *what)
{
    die("%s: %s: %s", log->path, what, strerror(errno));
}

static void flush(const struct trial_log *log)
{
    if (fflush(log->file) || ferror(log->file))
        fail(log, "cannot be written");
}

static bool is_regular(const struct trial_log *log, struct stat *status)
{
    return !fstat(fileno(log->file), status) && S_ISREG(status->st_mode);
}

/* The lock holds off only who asks for it. */
static void check_untouched(const struct trial_log *log)
{
    struct stat status;
    if (is_regular(log, &status) && (status.st_nlink == 0 || status.st_size != ftell(log->file)))
        die("%s: was %s during the run", log->path, status.st_nlink == 0 ? "deleted" : "cut or written by another");
}

/* Takes the lines of an earlier log. Returns how many of its bytes are whole ones. */
static size_t take_file(const struct trial_log *log, const char *header)
{
    struct stat status;
    if (!is_regular(log, &status))
        die("%s: cannot be resumed: expected a regular file", log->path);
    size_t size = (size_t)status.st_size;
    char *text = xalloc(size + 1, 1);
    if (fread(text, 1, size, log->file) != size)
        fail(log, "cannot be read");
    for (size_t i = 0; i < size; i++) /* a zero, as a crash may leave, is no text: it must end no line */
        text[i] = text[i] ? text[i] : '\1';
    size_t kept = take_lines(log, text, size, header);
    free(text);
    return kept;
}

static void take_parts(struct trial_log *log, const char *header)
{
    const struct trial_log whole = *log;
    char *paths = xformat("%s", log->source.merge), *next = paths;
    while (next) {
        log->path = text_take_file(&next);
        if (!(log->file = fopen(log->path, "r")))
            fail(log, "cannot be opened");
        take_file(log, header);
        fclose(log->file);
    }
    free(paths);
    *log = whole;
}

/* What a file holds stays until it is locked (a pipe or a device need not be) and known to be nothing or ours. */
static void open_file(struct trial_log *log, bool resume, const char *header)
{
    struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    struct stat status;
    int file = open(log->path, O_CLOEXEC | (resume ? O_RDWR : O_WRONLY | O_CREAT), 0666);
    log->file = file < 0 ? NULL : fdopen(file, resume ? "r+" : "w");
    if (!log->file)
        fail(log, resume ? "cannot be opened" : "cannot be created");
    if (fcntl(file, F_SETLK, &all) && (errno == EAGAIN || errno == EACCES))
        die("%s: another run is writing it; wait for its end, or name another file", log->path);
    if (is_regular(log, &status) && !resume && status.st_size > 0)
        die("%s: exists; --resume continues it", log->path);
    size_t kept = resume ? take_file(log, header) : 0;
    if (resume && ((kept < (size_t)status.st_size && ftruncate(file, (off_t)kept)) ||
                   fseek(log->file, (long)kept, SEEK_SET)))
        fail(log, "cannot be written");
    if (kept == 0)
        fprintf(log->file, "%s\n", header);
    flush(log);
}

/* ---- a run ---- */

struct trial_log *trial_log_open(const char *path, bool resume, struct trial_source source, size_t count,
                                 struct tuning *tunings)
{
    struct trial_log *log = xalloc(1, sizeof *log);
    *log = (struct trial_log){ .path = path, .source = source, .count = count, .tuning = tunings };
    for (size_t i = 0; i < count; i++) {
        tuning_defaults(&tunings[i]);
        tunings[i].replay = (struct trace){ 0, xalloc(trials_of(&tunings[i]), sizeof(struct trial)) };
    }
    char *header = trial_header(source, count, tunings);
    if (source.merge) /* first: where a part is refused, no new log is left behind */
        take_parts(log, header);
    open_file(log, resume, header);
    free(header);
    return log;
}

/* The strategy of tuning i did not ask for trial number `at`, which the log holds. */
static void refuse_replayed(const struct trial_log *log, size_t i, size_t at)
{
    size_t line = 2 + at;
    for (size_t before = 0; before < i; before++)
        line += log->tuning[before].replay.count;
    die("%s:%zu: the strategy does not ask for this trial: the log is of another version of this program", log->path,
        line);
}

static void write_trial(const struct trial_log *log, size_t i, size_t at, const struct trial *trial)
{
    char *line = trial_line(i, &log->tuning[i], at, trial);
    fprintf(log->file, "%s\n", line);
    free(line);
}

void trial_log_row(struct trial_log *log, const int *values, const struct measurement *result)
{
    struct trial trial = { 0, result->failure, result->time_us, result->seconds };
    check_untouched(log);
    space_index(log->tuning[log->at].task.space, values, &trial.config);
    write_trial(log, log->at, log->written++, &trial);
    flush(log);
}

/* Of the trials from number `from` on, what was replayed must be what was asked for, what is new is written. */
static void write_down(struct trial_log *log, size_t i, size_t from)
{
    const struct tuning *t = &log->tuning[i];
    check_untouched(log);
    for (size_t at = from; at < t->trace.count; at++) {
        const struct trial *trial = &t->trace.trial[at];
        if (at >= log->written)
            write_trial(log, i, at, trial);
        else if (at < t->replay.count && trial->config != t->replay.trial[at].config)
            refuse_replayed(log, i, at);
    }
    log->written = t->trace.count > log->written ? t->trace.count : log->written;
    flush(log);
}

void trial_log_run(struct trial_log *log, void (*progress)(void *, size_t, size_t), void *context)
{
    for (size_t i = 0; i < log->count; i++) {
        struct tuning *t = &log->tuning[i];
        if (!trial_log_runs(log->source, t))
            continue;
        log->at = i;
        for (size_t at = 0; log->source.merge && at < t->replay.count; at++)
            write_trial(log, i, at, &t->replay.trial[at]);
        flush(log);
        log->written = t->replay.count;
        for (bool more = true; more;) {
            size_t from = t->trace.count;
            more = tuning_step(t, t->batch);
            write_down(log, i, from);
        }
        tuning_close(t);
        if (t->trace.count < t->replay.count)
            refuse_replayed(log, i, t->trace.count);
        assert(t->trace.count == trials_of(t));
        if (progress)
            progress(context, i + 1, log->count);
    }
    check_untouched(log);
    if (fclose(log->file))
        fail(log, "cannot be written");
    for (size_t i = 0; i < log->count; i++)
        trace_free(&log->tuning[i].replay);
    free(log);
}

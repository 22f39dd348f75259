/* workers.c - who is asked for which row, what the answers mean, and what becomes of a row whose worker ended or is
 * late. The dialogue is described in live.h. */
#include "device/workers.h"
#include "device/dialogue.h"
#include "device/process.h"
#include "device/tsv.h"
#include "base/die.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_US 1e-3 /* what a clock of nanoseconds can tell */

const struct text outcome_text[OUTCOMES] = {
    { "constraints", "违反约束" }, { "compile", "编译失败" },     { "runtime", "运行失败" },
    { "timeout", "超时" },         { "correctness", "结果错误" },
};

struct worker {
    struct process process;
    struct dialogue talk;
    size_t left;  /* rows of its Request without an answer; 0: it has nothing to do */
    bool header;  /* the answer's first line has come */
    double heard; /* when it last said something, or was asked */
};

struct workers {
    const char *command;
    double compile_s, run_s;
    int count;
    struct worker *worker;      /* [count] */
    struct dialogue **dialogue; /* [count] theirs */
    char *about;                /* NULL: none has answered yet */
    size_t ends;                /* rows in turn that ended their worker */
};

/* ---- rows ---- */

struct row *rows_find(const struct rows *rows, uint32_t config)
{
    return rows->place[config] ? &rows->row[rows->place[config] - 1] : NULL;
}

struct row *rows_add(struct rows *rows, uint32_t config)
{
    if (rows->count == rows->room)
        rows->row = xrealloc(rows->row, rows->room = 2 * rows->room + 64, sizeof *rows->row);
    rows->row[rows->count] = (struct row){ .config = config, .time_us = NAN, .sd_us = NAN, .compile_s = NAN };
    rows->place[config] = (uint32_t)++rows->count;
    return &rows->row[rows->count - 1];
}

/* ---- one worker's life ---- */

void workers_refuse(const struct workers *all, const char *line, const char *expected)
{
    die("device 'run:%.60s': said '%.80s'; expected %s", all->command, line, expected);
}

static void start(struct workers *all, struct worker *w)
{
    w->process = process_start(all->command, (int)(w - all->worker));
    w->talk = dialogue_open(w->process.to, w->process.from);
    w->left = 0;
    dialogue_say(&w->talk, xformat("Space\n"));
}

/* The next line of an answer that must come. */
static char *hear(const struct workers *all, struct worker *w, const char *question)
{
    struct dialogue *talk = &w->talk;
    double until = dialogue_now() + all->compile_s;
    char *line, how[PROCESS_HOW];
    while (!(line = dialogue_line(talk))) {
        if (talk->ended) {
            process_end(&w->process, 0.2, how);
            die("device 'run:%.60s': ended (%s) before it had answered %s", all->command, how, question);
        }
        if (dialogue_now() > until)
            die("device 'run:%.60s': no answer to %s for %g s; --timeout allows more", all->command, question,
                all->compile_s);
        dialogue_wait(1, &talk, until);
    }
    return line;
}

/* Takes the answer to Space, up to the empty line. */
static void describe(struct workers *all, struct worker *w)
{
    enum { MOST = 1 << 20 }; /* bytes */
    char *about = xformat("%s", ""), *line;
    for (size_t bytes = 0; *(line = hear(all, w, "Space")); xappend(&about, "%s\n", line))
        if ((bytes += strlen(line)) > MOST)
            workers_refuse(all, line, "an empty line behind the knobs");
    if (!all->about) {
        all->about = about;
        return;
    }
    for (char *now = about, *first = all->about; *now || *first; now += *now == '\n', first += *first == '\n') {
        size_t n = strcspn(now, "\n"), m = strcspn(first, "\n");
        if (n != m || strncmp(now, first, n) != 0)
            die("device 'run:%.60s': worker %d describes itself as '%.*s'; expected '%.*s', as the first did",
                all->command, (int)(w - all->worker), (int)n, now, (int)m, first);
        now += n;
        first += m;
    }
    free(about);
}

/* Another life for one whose process was ended. */
static void renew(struct workers *all, struct worker *w)
{
    dialogue_close(&w->talk);
    start(all, w);
    describe(all, w);
}

struct workers *workers_open(const char *command, int count, double compile_s, double run_s)
{
    struct workers *all = xalloc(1, sizeof *all);
    *all = (struct workers){ .command = command, .compile_s = compile_s, .run_s = run_s, .count = count };
    all->worker = xalloc((size_t)count, sizeof *all->worker);
    all->dialogue = xalloc((size_t)count, sizeof(struct dialogue *));
    for (int i = 0; i < count; i++) {
        start(all, &all->worker[i]);
        all->dialogue[i] = &all->worker[i].talk;
    }
    for (int i = 0; i < count; i++)
        describe(all, &all->worker[i]);
    return all;
}

void workers_close(struct workers *all)
{
    char how[PROCESS_HOW];
    for (int i = 0; i < all->count; i++) {
        process_end(&all->worker[i].process, 2, how);
        dialogue_close(&all->worker[i].talk);
    }
    free(all->worker);
    free(all->dialogue);
    free(all->about);
    free(all);
}

const char *workers_about(const struct workers *all) { return all->about; }

/* ---- questions ---- */

/* "MR,NR,KC", and what an answer's first line has behind it. */
static char *header_of(const struct space *space, const char *more)
{
    char *header = NULL;
    for (int k = 0; k < space->knobs; k++)
        xappend(&header, k ? ",%s" : "%s", space->knob[k].name);
    xappend(&header, "%s", more);
    return header;
}

struct question { /* its text, written into memory */
    char *text;
    size_t size;
    FILE *out;
};

static void question_open(struct question *q, const char *word, size_t count, const struct space *space)
{
    char *header = header_of(space, "");
    q->out = open_memstream(&q->text, &q->size);
    if (!q->out)
        die("out of memory");
    fprintf(q->out, "%s %zu\n%s\n", word, count, header);
    free(header);
}

static void question_row(struct question *q, const struct space *space, uint32_t config)
{
    for (int k = 0; k < space->knobs; k++)
        fprintf(q->out, k ? ",%d" : "%d", space_value(space, config, k));
    fputc('\n', q->out);
}

static void question_say(struct question *q, struct worker *w)
{
    if (fclose(q->out))
        die("out of memory");
    dialogue_say(&w->talk, q->text);
    w->heard = dialogue_now();
}

/* The configuration at the beginning of a text, and what stands behind it; false: there is none. */
static bool take_config(const struct space *space, char **text, uint32_t *config)
{
    int values[SPACE_MAX_KNOBS];
    for (int k = 0; k < space->knobs; k++)
        if (!cell_int(cell_take(text, ','), &values[k]))
            return false;
    return space_index(space, values, config);
}

/* Of CORRECT and the outcomes; -1: none of that name. */
static int outcome_of(const char *word)
{
    for (int i = 0; i < OUTCOMES; i++)
        if (!strcmp(word, outcome_text[i].en))
            return i + 1;
    return strcmp(word, "correct") ? -1 : CORRECT;
}

/* `n` configurations from `from` on. */
static void check_some(struct workers *all, const struct space *space, uint32_t from, uint32_t n, bool *excluded)
{
    struct question q;
    struct worker *w = all->worker;
    bool *told = xalloc(n, sizeof *told);
    char *header = header_of(space, ",invalidity"), *line = NULL;
    question_open(&q, "Check", n, space);
    for (uint32_t i = 0; i < n; i++)
        question_row(&q, space, from + i);
    question_say(&q, w);
    if (strcmp(line = hear(all, w, "Check"), header) != 0)
        workers_refuse(all, line, header);
    for (uint32_t i = 0, config; i < n; i++) {
        char *copy = xformat("%s", line = hear(all, w, "Check")), *rest = copy;
        bool known = take_config(space, &rest, &config) && config >= from && config - from < n;
        int outcome = known ? outcome_of(rest) : -1;
        if (!known || told[config - from] || outcome < 0 || outcome > CONSTRAINTS)
            workers_refuse(all, line, "each row of Check once, and behind it correct or constraints");
        told[config - from] = true;
        excluded[config] = outcome == CONSTRAINTS;
        free(copy);
    }
    free(header);
    free(told);
}

void workers_check(struct workers *all, const struct space *space, bool *excluded)
{
    enum { AT_ONCE = 4096 };
    for (uint32_t from = 0, n; from < space->size; from += n) {
        n = space->size - from < AT_ONCE ? space->size - from : AT_ONCE;
        check_some(all, space, from, n, excluded);
    }
}

/* ---- a batch ---- */

struct batch {
    struct workers *all;
    const struct rows *rows;
    size_t n;
    struct row *row; /* [n] */
    char *header;    /* that every answer begins with */
};

/* A worker without work gets its share of the rows that wait, or one that must be alone. */
static void hand_out(const struct batch *b, struct worker *w)
{
    size_t together = 0, alone = 0, share, given = 0;
    for (size_t i = 0; i < b->n; i++)
        if (b->row[i].state == WAITING)
            *(b->row[i].alone ? &alone : &together) += 1;
    if (together + alone == 0)
        return;
    if (w->talk.ended) {
        char how[PROCESS_HOW];
        process_end(&w->process, 0.2, how);
        renew(b->all, w);
    }
    share = together ? (together + (size_t)b->all->count - 1) / (size_t)b->all->count : 1;
    struct question q;
    question_open(&q, "Request", share, b->rows->space);
    for (size_t i = 0; i < b->n && given < share; i++) {
        struct row *row = &b->row[i];
        if (row->state != WAITING || row->alone == (together > 0))
            continue;
        row->state = ASKED;
        row->worker = (int)(w - b->all->worker);
        question_row(&q, b->rows->space, row->config);
        given++;
    }
    w->left = share;
    w->header = false;
    question_say(&q, w);
}

/* A row's end, at this time, with what it cost: building, as the device says or as we saw, and running. */
static void settle(struct row *row, enum outcome outcome, double now)
{
    double seconds = now - row->since;
    if (row->state == RUNNING)
        seconds += row->compile_s >= 0 ? row->compile_s : row->built_s;
    else if (row->compile_s >= 0)
        seconds = row->compile_s;
    row->seconds = fmax(floor(seconds * 1e6 + 0.5), 1) / 1e6;
    row->outcome = outcome;
    row->state = ANSWERED;
}

/* An optional number of an answer; false: it is none, or below `least`. */
static bool take_optional(char **rest, double least, double *value)
{
    char *cell = cell_take(rest, ',');
    *value = *cell ? cell_number(cell) : NAN;
    return !*cell || (*value >= least && *value < INFINITY);
}

/* What stands behind an answer's configuration. */
static void take_answer(const struct batch *b, struct worker *w, struct row *row, const char *line, char *rest)
{
    double time_us = NAN, sd_us = NAN, compile_s = NAN;
    bool numbers = take_optional(&rest, LEAST_US, &time_us);
    numbers = take_optional(&rest, 0, &sd_us) && numbers;
    numbers = take_optional(&rest, 0, &compile_s) && numbers;
    int outcome = outcome_of(rest);
    if (outcome < 0)
        workers_refuse(b->all, line, "at its end correct, constraints, compile, runtime, timeout or correctness");
    if (outcome == CORRECT && !(numbers && time_us >= LEAST_US))
        workers_refuse(b->all, line, "time_us of at least 0.001 and below infinity, sd_us and compile_s from 0 on");
    if (outcome == CORRECT) {
        row->time_us = time_us;
        row->sd_us = sd_us;
        b->all->ends = 0;
    }
    row->compile_s = numbers ? compile_s : NAN;
    if (row->state == ASKED)
        row->since = w->heard;
    settle(row, (enum outcome)outcome, dialogue_now());
    w->left--;
}

static void take_line(const struct batch *b, struct worker *w, const char *line)
{
    char *copy = xformat("%s", line), *rest = copy;
    bool builds = !strncmp(line, "building ", 9), runs = !strncmp(line, "running ", 8);
    uint32_t config;
    if (w->left == 0)
        workers_refuse(b->all, line, "nothing: all rows of Request are answered");
    if (!w->header && strcmp(line, b->header) != 0)
        workers_refuse(b->all, line, b->header);
    if (w->header) {
        rest += builds ? 9 : runs ? 8 : 0;
        struct row *row = take_config(b->rows->space, &rest, &config) ? rows_find(b->rows, config) : NULL;
        if (!row || row < b->row || row->worker != w - b->all->worker || row->state < ASKED)
            workers_refuse(b->all, line, "building, running or an answer, and a row of Request");
        if (row->state == ANSWERED || ((builds || runs) && (*rest || row->state >= (builds ? BUILDING : RUNNING))))
            workers_refuse(b->all, line, "building and running at most once, before the row's one answer");
        if (builds || runs) {
            row->built_s = row->state == BUILDING ? dialogue_now() - row->since : 0;
            row->state = builds ? BUILDING : RUNNING;
            row->since = dialogue_now();
        } else {
            take_answer(b, w, row, line, rest);
        }
    }
    w->header = true;
    w->heard = dialogue_now();
    free(copy);
}

/* ---- a worker that ended, or is late ---- */

/* When a worker's row that is built or runs must be done. */
static double due(const struct batch *b, const struct row *row)
{
    return row->since + (row->state == BUILDING ? b->all->compile_s : b->all->run_s);
}

static bool is_at(const struct batch *b, const struct worker *w, const struct row *row)
{
    return row->worker == w - b->all->worker && (row->state == BUILDING || row->state == RUNNING);
}

/* By when it must have said something. */
static double limit(const struct batch *b, const struct worker *w)
{
    double first = INFINITY;
    for (size_t i = 0; i < b->n; i++)
        if (is_at(b, w, &b->row[i]))
            first = fmin(first, due(b, &b->row[i]));
    return first < INFINITY ? first : w->heard + b->all->compile_s;
}

static void count_end(struct workers *all, bool late, const char *how)
{
    if (++all->ends == WORKERS_ENDS)
        die("device 'run:%.60s': %s (%s) at %d configurations in turn", all->command, late ? "said nothing" : "ended",
            how, WORKERS_ENDS);
}

/* The worker ended, or was silent, at this row: once is forgiven. */
static void suspect(const struct batch *b, struct row *row, bool late, double now, const char *how)
{
    if (!row->alone) {
        row->alone = true;
        row->state = WAITING;
        return;
    }
    if (row->state == ASKED)
        row->since = b->all->worker[row->worker].heard;
    settle(row, late ? TIMEOUT : row->state == BUILDING ? COMPILE : RUNTIME, now);
    count_end(b->all, late, how);
}

static bool is_open(const struct batch *b, const struct worker *w, const struct row *row)
{
    return row->worker == w - b->all->worker && row->state != WAITING && row->state != ANSWERED;
}

/* Of a worker that ended or is late. Rows over their limit have had their time; others wait for its new life. */
static void lose(const struct batch *b, struct worker *w)
{
    double now = dialogue_now();
    bool late = !w->talk.ended;
    char how[PROCESS_HOW];
    struct row *first = NULL, *end = b->row + b->n;
    size_t guilty = 0;
    process_end(&w->process, late ? 0 : 0.2, how);
    for (struct row *row = b->row; row < end; row++)
        if (is_open(b, w, row)) {
            first = first ? first : row;
            if (!is_at(b, w, row) || (late && now < due(b, row)))
                continue;
            guilty++;
            if (late)
                settle(row, TIMEOUT, now);
            else
                suspect(b, row, late, now, how);
        }
    if (!late && !w->header) /* it may have ended before it was asked: no row's fault */
        count_end(b->all, late, how);
    else if (guilty == 0)
        suspect(b, first, late, now, how);
    for (struct row *row = b->row; row < end; row++)
        if (is_open(b, w, row))
            row->state = WAITING;
    renew(b->all, w);
}

void workers_measure(struct workers *all, struct rows *rows, size_t from, void (*answered)(void *), void *context)
{
    struct batch b = { all, rows, rows->count - from, rows->row + from,
                       header_of(rows->space, ",time_us,sd_us,compile_s,invalidity") };
    double until = 0; /* at first it is only seen whether one ended, or said more, since it was last asked */
    for (size_t busy = 1; busy > 0;) {
        dialogue_wait(all->count, all->dialogue, until);
        busy = 0;
        until = INFINITY;
        for (int i = 0; i < all->count; i++) {
            struct worker *w = &all->worker[i];
            for (char *line; (line = dialogue_line(&w->talk));)
                take_line(&b, w, line);
            if (w->left > 0 && (w->talk.ended || dialogue_now() >= limit(&b, w)))
                lose(&b, w);
            if (w->left == 0)
                hand_out(&b, w);
            busy += w->left > 0;
            until = w->left > 0 ? fmin(until, limit(&b, w)) : until;
        }
        answered(context);
    }
    free(b.header);
}

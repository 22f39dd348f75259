/* batch.c - who is asked for which row, what the answers mean, and what becomes of a row whose worker ended or is late.
 * live.h describes the dialogue. */
#include "device/workers_own.h"
#include "device/tsv.h"
#include "base/clock.h"
#include "base/die.h"
#include "base/xalloc.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_US 1e-3 /* what a clock of nanoseconds can tell */

struct batch {
    struct workers *all;
    const struct rows *rows;
    struct row *begin, *end;
    char *header; /* that every answer begins with */
};

/* A worker without work gets its share of the rows that wait, or one that must be alone. */
static void hand_out(const struct batch *b, int i)
{
    struct worker *w = &b->all->worker[i];
    size_t waiting[2] = { 0, 0 }; /* together, alone */
    for (struct row *row = b->begin; row < b->end; row++)
        waiting[row->alone] += row->state == WAITING;
    bool alone = waiting[0] == 0;
    size_t share = alone ? waiting[1] > 0 : (waiting[0] - 1) / (size_t)b->all->count + 1;
    if (share == 0)
        return;
    if (b->all->talk[i].ended)
        workers_replace(b->all, i);
    uint32_t *configs = xalloc(share, sizeof *configs);
    for (struct row *row = b->begin; w->left < share; row++)
        if (row->state == WAITING && row->alone == alone) {
            row->state = ASKED;
            row->worker = i;
            configs[w->left++] = row->config;
        }
    w->header = false;
    workers_ask(b->all, i, "Request", b->rows->space, share, configs);
    free(configs);
}

/* A row's end, and what it cost: building, as the device says or, if it says nothing of it, as we saw; and
 * running. */
static void settle(const struct batch *b, struct row *row, enum outcome outcome)
{
    double seen = clock_wall_s() - (row->state == ASKED ? b->all->worker[row->worker].heard : row->since);
    bool told = row->compile_s >= 0;
    double seconds = (told ? row->compile_s : 0) + (row->state == RUNNING || !told ? seen : 0);
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
static void take_answer(const struct batch *b, struct row *row, const char *line, char *rest)
{
    bool time = take_optional(&rest, LEAST_US, &row->time_us), sd = take_optional(&rest, 0, &row->sd_us);
    bool compile = take_optional(&rest, 0, &row->compile_s);
    int outcome = workers_outcome(rest);
    if (outcome < 0)
        workers_refuse(b->all, line, "at its end correct, constraints, compile, runtime, timeout or correctness");
    if (outcome == CORRECT && !(time && sd && compile && row->time_us > 0))
        workers_refuse(b->all, line, "time_us of at least 0.001 and below infinity, sd_us and compile_s from 0 on");
    if (!compile)
        row->compile_s = NAN;
    settle(b, row, (enum outcome)outcome);
    b->all->worker[row->worker].left--;
    b->all->answers++;
    b->all->ends = 0;
}

/* A line behind the header: building, running, or an answer. */
static void take_row(const struct batch *b, int i, const char *line)
{
    char *copy = xformat("%s", line), *rest = copy;
    int state = !strncmp(line, "building ", 9) ? BUILDING : !strncmp(line, "running ", 8) ? RUNNING : ANSWERED;
    uint32_t config;
    rest += state == BUILDING ? 9 : state == RUNNING ? 8 : 0;
    struct row *row = workers_config(b->rows->space, &rest, &config) ? rows_find(b->rows, config) : NULL;
    if (!row || row < b->begin || row->worker != i || row->state == WAITING)
        workers_refuse(b->all, line, "building, running or an answer, and a row of Request");
    if ((int)row->state >= state || (state != ANSWERED && *rest))
        workers_refuse(b->all, line, "building and running at most once, before the row's one answer");
    if (state == ANSWERED) {
        take_answer(b, row, line, rest);
    } else {
        row->state = state == BUILDING ? BUILDING : RUNNING;
        row->since = clock_wall_s();
    }
    free(copy);
}

static void take_line(const struct batch *b, int i, const char *line)
{
    struct worker *w = &b->all->worker[i];
    if (w->left == 0)
        workers_refuse(b->all, line, "nothing: all rows of Request are answered");
    if (!w->header && strcmp(line, b->header) != 0)
        workers_refuse(b->all, line, b->header);
    if (w->header)
        take_row(b, i, line);
    w->header = true;
    w->heard = clock_wall_s();
}

/* ---- a worker that ended, or is late ---- */

static bool is_open(const struct row *row, int i)
{
    return row->worker == i && row->state != WAITING && row->state != ANSWERED;
}

/* When a worker's row that is built or runs must be done; INFINITY: it is neither. */
static double due(const struct batch *b, const struct row *row, int i)
{
    if (!is_open(row, i) || row->state == ASKED)
        return INFINITY;
    return row->since + (row->state == BUILDING ? b->all->compile_s : b->all->run_s);
}

/* By when it must have said something. */
static double limit(const struct batch *b, int i)
{
    double first = INFINITY;
    for (const struct row *row = b->begin; row < b->end; row++)
        first = fmin(first, due(b, row, i));
    return first < INFINITY ? first : b->all->worker[i].heard + b->all->compile_s;
}

/* The worker ended, or was silent. Once is forgiven a row; row NULL: it is no row's fault. */
static void suspect(const struct batch *b, struct row *row, bool late, const char *how)
{
    if (row && !row->alone) {
        row->alone = true;
        row->state = WAITING;
        return;
    }
    if (row)
        settle(b, row, late ? TIMEOUT : row->state == BUILDING ? COMPILE : RUNTIME);
    if (++b->all->ends >= WORKERS_ENDS && b->all->answers == 0)
        die("device 'run:%.60s': %s (%s) at %d configurations in turn", b->all->command, late ? "said nothing" : "ended",
            how, b->all->ends);
}

/* Of a worker that ended or is late. Rows over their limit have had their time; others wait for its new life. If
 * it ended without a word, it may have ended before it was asked. */
static void lose(const struct batch *b, int i)
{
    bool late = !b->all->talk[i].ended, found = false;
    double by = late ? clock_wall_s() : DBL_MAX; /* of one that ended: all rows that it built or ran */
    char how[PROCESS_HOW];
    struct row *first = NULL;
    process_end(&b->all->worker[i].process, late ? 0 : PATIENCE_S, how);
    for (struct row *row = b->begin; row < b->end; row++) {
        if (!first && is_open(row, i))
            first = row;
        if (due(b, row, i) > by)
            continue;
        found = true;
        if (late)
            settle(b, row, TIMEOUT);
        else
            suspect(b, row, late, how);
    }
    if (!found)
        suspect(b, late || b->all->worker[i].header ? first : NULL, late, how);
    for (struct row *row = b->begin; row < b->end; row++)
        if (is_open(row, i))
            row->state = WAITING;
    workers_renew(b->all, i);
}

void workers_measure(struct workers *all, struct rows *rows, size_t from, void (*answered)(void *), void *context)
{
    struct batch b = { all, rows, rows->row + from, rows->row + rows->count,
                       workers_header(rows->space, ",time_us,sd_us,compile_s,invalidity") };
    all->answers = 0;
    double until = 0; /* at first it is only seen whether one ended, or said more, since it was last asked */
    for (int busy = 1; busy > 0;) {
        dialogue_wait(all->count, all->talk, until);
        double now = clock_wall_s(); /* one that is lost takes time, in which others may say what is not read yet */
        busy = 0;
        until = INFINITY;
        for (int i = 0; i < all->count; i++) {
            struct worker *w = &all->worker[i];
            for (char *line; (line = dialogue_line(&all->talk[i]));)
                take_line(&b, i, line);
            if (w->left > 0 && (all->talk[i].ended || now >= limit(&b, i)))
                lose(&b, i);
            if (w->left == 0)
                hand_out(&b, i);
            busy += w->left > 0;
            until = w->left > 0 ? fmin(until, limit(&b, i)) : until;
        }
        answered(context);
    }
    free(b.header);
}

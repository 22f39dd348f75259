/* workers.c - each worker's life, and the words in which it is asked for its space and its rules. live.h describes the
 * dialogue; batch.c measures. */
#include "device/workers_own.h"
#include "device/tsv.h"
#include "base/clock.h"
#include "base/die.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct text outcome_text[OUTCOMES] = {
    { "constraints", "违反约束" }, { "compile", "编译失败" },     { "runtime", "运行失败" },
    { "timeout", "超时" },         { "correctness", "结果错误" },
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

static void start(struct workers *all, int i)
{
    struct worker *w = &all->worker[i];
    *w = (struct worker){ .process = process_start(all->command, i) };
    all->talk[i] = dialogue_open(w->process.to, w->process.from);
    dialogue_say(&all->talk[i], xformat("Space\n"));
}

/* The next line of an answer that must come; NULL: it ended. */
static char *hear_or_end(const struct workers *all, int i, const char *question)
{
    double until = clock_wall_s() + all->compile_s;
    char *line;
    while (!(line = dialogue_line(&all->talk[i])) && !all->talk[i].ended) {
        if (clock_wall_s() > until)
            die("device 'run:%.60s': no answer to %s for %g s; --timeout allows more", all->command, question,
                all->compile_s);
        dialogue_wait(1, &all->talk[i], until);
    }
    return line;
}

static char *hear(const struct workers *all, int i, const char *question)
{
    char *line = hear_or_end(all, i, question), how[PROCESS_HOW];
    if (!line) {
        process_end(&all->worker[i].process, PATIENCE_S, how);
        die("device 'run:%.60s': ended (%s) before it had answered %s", all->command, how, question);
    }
    return line;
}

/* Takes the answer to Space, its empty line too. All must say what the first did. */
static void describe(struct workers *all, int i)
{
    enum { MOST = 1 << 20 }; /* bytes */
    char *about = NULL;
    size_t at = 0, bytes;
    do {
        const char *line = hear(all, i, "Space"), *first = all->about ? all->about + at : NULL;
        bytes = strlen(line) + 1;
        xappend(&about, "%s\n", line);
        if (at + bytes > MOST)
            workers_refuse(all, line, "an empty line behind the knobs");
        if (first && strncmp(about + at, first, bytes) != 0)
            die("device 'run:%.60s': worker %d describes itself as '%s'; expected '%.*s', as before", all->command, i,
                line, (int)strcspn(first, "\n"), first);
        at += bytes;
    } while (bytes > 1);
    if (all->about)
        free(about);
    else
        all->about = about;
}

void workers_renew(struct workers *all, int i)
{
    dialogue_close(&all->talk[i]);
    start(all, i);
    describe(all, i);
}

void workers_replace(struct workers *all, int i)
{
    char how[PROCESS_HOW];
    process_end(&all->worker[i].process, PATIENCE_S, how);
    workers_renew(all, i);
}

struct workers *workers_open(const char *command, int count, double compile_s, double run_s)
{
    struct workers *all = xalloc(1, sizeof *all);
    *all = (struct workers){ .command = command, .compile_s = compile_s, .run_s = run_s, .count = count };
    all->worker = xalloc((size_t)count, sizeof *all->worker);
    all->talk = xalloc((size_t)count, sizeof *all->talk);
    for (int i = 0; i < count; i++)
        start(all, i);
    for (int i = 0; i < count; i++)
        describe(all, i);
    return all;
}

void workers_close(struct workers *all)
{
    char how[PROCESS_HOW];
    for (int i = 0; i < all->count; i++) {
        process_end(&all->worker[i].process, 2, how);
        dialogue_close(&all->talk[i]);
    }
    free(all->worker);
    free(all->talk);
    free(all->about);
    free(all);
}

const char *workers_about(const struct workers *all) { return all->about; }

/* ---- questions and answers ---- */

char *workers_header(const struct space *space, const char *more)
{
    char *header = NULL;
    for (int k = 0; k < space->knobs; k++)
        xappend(&header, k ? ",%s" : "%s", space->knob[k].name);
    xappend(&header, "%s", more);
    return header;
}

void workers_ask(struct workers *all, int i, const char *word, const struct space *space, size_t n,
                const uint32_t *configs)
{
    char *text, *header = workers_header(space, ""), row[16 * SPACE_MAX_KNOBS];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        die("out of memory");
    fprintf(out, "%s %zu\n%s\n", word, n, header);
    for (size_t c = 0; c < n; c++)
        fprintf(out, "%s\n", space_format(space, configs[c], ',', row, sizeof row));
    if (fclose(out))
        die("out of memory");
    free(header);
    dialogue_say(&all->talk[i], text);
    all->worker[i].heard = clock_wall_s();
}

bool workers_config(const struct space *space, char **text, uint32_t *config)
{
    int values[SPACE_MAX_KNOBS];
    for (int k = 0; k < space->knobs; k++)
        if (!cell_int(cell_take(text, ','), &values[k]))
            return false;
    return space_index(space, values, config);
}

int workers_outcome(const char *word)
{
    for (int i = 0; i < OUTCOMES; i++)
        if (!strcmp(word, outcome_text[i].en))
            return i + 1;
    return strcmp(word, "correct") ? -1 : CORRECT;
}

void workers_check(struct workers *all, const struct space *space, size_t n, const uint32_t *configs,
                   unsigned char *verdict)
{
    if (n == 0)
        return;
    char *header = workers_header(space, ",invalidity"), *line;
    workers_ask(all, 0, "Check", space, n, configs);
    if (!(line = hear_or_end(all, 0, "Check"))) { /* once, for it may have ended before it was asked */
        workers_replace(all, 0);
        workers_ask(all, 0, "Check", space, n, configs);
        line = hear(all, 0, "Check");
    }
    if (strcmp(line, header) != 0)
        workers_refuse(all, line, header);
    free(header);
    for (size_t c = 0; c < n; c++)
        verdict[configs[c]] = ASKED_FOR;
    for (; n > 0; n--) {
        char *copy = xformat("%s", line = hear(all, 0, "Check")), *rest = copy;
        uint32_t config;
        bool asked = workers_config(space, &rest, &config) && verdict[config] == ASKED_FOR;
        int outcome = workers_outcome(rest);
        if (!asked || outcome < 0 || outcome > CONSTRAINTS)
            workers_refuse(all, line, "each row of Check once, and behind it correct or constraints");
        verdict[config] = outcome == CORRECT ? ALLOWED : EXCLUDED;
        free(copy);
    }
}

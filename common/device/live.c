/* live.c - a command's space and what was measured of it, as a device; and the recording of that. Who is asked,
 * and what may go wrong, is in workers.c and batch.c. */
#include "device/live.h"
#include "device/tsv.h"
#include "device/workers.h"
#include "space/matmul.h"
#include "base/die.h"
#include "base/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct live {
    struct device device; /* first: a pointer to it is one to this */
    struct workers *workers;
    char *lines; /* that it said to Space, cut into words */
    struct device_word *words;
    struct workload workload;
    struct space *all; /* with nothing excluded; its indices are the rows' */
    unsigned char *verdict; /* [all->size] of the device's own rules, an enum verdict; NULL: none is known yet */
    struct rows rows;
    const char *record;
    FILE *file;      /* the recording; NULL: none */
    size_t recorded; /* rows written to it */
};

static struct live *live_of(const struct device *device) { return (struct live *)device; }

/* ---- what it says of itself ---- */

static const char name_bytes[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-";

static bool is_name(const char *text)
{
    bool letter = *text && (*text < '0' || *text > '9');
    return letter && text[strspn(text, name_bytes)] == 0 && strlen(text) <= TSV_MAX_NAME;
}

/* The value of a key; NULL: it is not said. */
static const char *value_of(const struct live *l, const char *key)
{
    const struct device_word *word = l->words;
    while (word->key && strcmp(word->key, key) != 0)
        word++;
    return word->value;
}

/* "key=value", which it cuts in two. */
static void take_word(struct live *l, int n, char *line)
{
    char *value = strchr(line, '=');
    *value++ = 0;
    if (!is_name(line))
        workers_refuse(l->workers, line, "as a key a name that begins with a letter");
    l->words = xrealloc(l->words, (size_t)n + 2, sizeof *l->words);
    l->words[n] = (struct device_word){ line, value };
    l->words[n + 1] = (struct device_word){ NULL, NULL };
}

/* A line NAME:v1,v2,... as a knob, its values in room that is the caller's. */
static struct knob take_knob(const struct live *l, const char *line)
{
    const char *expected = "key=value or NAME:v1,v2,... with ascending integers";
    char *rest = xformat("%s", line);
    struct knob knob = { .name = rest };
    int *values = xalloc(strlen(line) / 2 + 1, sizeof *values);
    cell_take(&rest, ':');
    do
        if (!cell_int(cell_take(&rest, ','), &values[knob.count++]) ||
            (knob.count > 1 && values[knob.count - 1] <= values[knob.count - 2]))
            workers_refuse(l->workers, line, expected);
    while (*rest);
    if (!is_name(knob.name))
        workers_refuse(l->workers, line, expected);
    knob.values = values;
    return knob;
}

static int own_rule(const void *context, const int *values)
{
    const struct live *l = context;
    uint32_t config;
    return l->verdict && space_index(l->all, values, &config) && l->verdict[config] == EXCLUDED ? CONSTRAINTS : 0;
}

/* The lines behind those with a key become knobs; the former stay, as words. */
static void take_space(struct live *l)
{
    struct knob knob[SPACE_MAX_KNOBS];
    int knobs = 0, words = 0;
    char *rest = l->lines = xformat("%s", workers_about(l->workers));
    l->words = xalloc(1, sizeof *l->words);
    while (*rest != '\n') {
        char *line = rest;
        rest += strcspn(rest, "\n");
        *rest++ = 0;
        if (line[strcspn(line, "=:")] == '=' && knobs == 0)
            take_word(l, words++, line);
        else if (knobs < SPACE_MAX_KNOBS)
            knob[knobs++] = take_knob(l, line);
        else
            workers_refuse(l->workers, line, "at most 64 knobs");
        for (int k = 0; k + 1 < knobs; k++)
            if (!strcmp(knob[k].name, knob[knobs - 1].name))
                workers_refuse(l->workers, line, "each knob once");
    }
    l->all = knobs ? space_new(knobs, knob, OUTCOMES, outcome_text, own_rule, l) : NULL;
    if (!l->all)
        workers_refuse(l->workers, "Space", "a line a knob, and at most 2^28 configurations");
    for (int k = 0; k < knobs; k++) {
        free((void *)knob[k].name);
        free((void *)knob[k].values);
    }
}

/* Tuners know the lecture's seven knobs by their names, and reckon with a matmul's shape and tile. */
static bool misleads(const struct live *l)
{
    bool sound = l->workload.m > 0;
    for (int k = 0; k < l->all->knobs; k++) {
        const struct knob *knob = &l->all->knob[k];
        if (l->all->knobs != MATMUL_KNOBS || strcmp(knob->name, matmul_knob_name[k]) != 0)
            return false;
        sound = sound && knob->values[0] >= 1 && knob->values[knob->count - 1] <= WORKLOAD_MAX_EXTENT;
    }
    return !sound;
}

/* "square 4096x4096x4096", "stencil", "512x512x512": the id may be a column's name. */
static void take_workload(struct live *l)
{
    const char *text = value_of(l, "workload");
    l->device.about = l->words;
    l->device.name = value_of(l, "device");
    if (!l->device.name || !*l->device.name || !text || !*text)
        workers_refuse(l->workers, "Space", "lines device=... and workload=... in the answer to Space");
    char *copy = xformat("%s", text), *rest = copy, *id = NULL;
    while (*rest) {
        char *word = cell_take(&rest, ' ');
        struct workload shape = { 0 };
        if (!l->workload.m && workload_parse(word, 'x', &shape))
            l->workload = shape;
        else
            xappend(&id, id ? "_%s" : "%s", word);
    }
    if (!id)
        id = xformat("matmul");
    for (char *at = id; *at; at++)
        *at = strchr(name_bytes, *at) ? *at : '_';
    if (!is_name(id) || space_knob(l->all, id) >= 0)
        workers_refuse(l->workers, text, "a workload's name that begins with a letter and is no knob's");
    if (misleads(l))
        workers_refuse(l->workers, text, "workload=NAME MxNxK and values from 1 on, for these are the matmul's seven knobs");
    l->workload.id = id;
    l->workload.name = TEXT(id, id);
    free(copy);
}

/* Without what its own rules exclude, where that are not too many questions at once. */
static struct space *legal_part(struct live *l)
{
    const struct space *all = l->all;
    struct space *space = l->all;
    l->verdict = xalloc(all->size, sizeof *l->verdict);
    if (all->size <= LIVE_CHECKED) {
        workers_check(l->workers, all, all->legal_count, all->legal, l->verdict); /* it excludes none itself */
        space = space_new(all->knobs, all->knob, OUTCOMES, outcome_text, own_rule, l);
    }
    if (space->legal_count == 0)
        workers_refuse(l->workers, "constraints", "at least one configuration that is not excluded");
    return space;
}

/* ---- the recording ---- */

static void record_flush(const struct live *l)
{
    if (fflush(l->file) || ferror(l->file))
        die("%s: cannot be written: %s", l->record, strerror(errno));
}

static void record_open(struct live *l, const char *path)
{
    const struct workload *w = &l->workload;
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    l->file = file < 0 ? NULL : fdopen(file, "w");
    l->record = path;
    if (!l->file)
        die("--record %s: %s", path, errno == EEXIST ? "exists; expected the name of a new file" : strerror(errno));
    fputs("# unit: us\n# rules: constraints\n# knobs:", l->file);
    for (int k = 0; k < l->all->knobs; k++)
        fprintf(l->file, " %s", l->all->knob[k].name);
    if (w->m)
        fprintf(l->file, "\n# Shapes M,N,K: %s %d,%d,%d", w->id, w->m, w->n, w->k);
    fputc('\n', l->file);
    for (const struct device_word *word = l->words; word->key; word++)
        fprintf(l->file, "# %s: %s\n", word->key, word->value);
    for (int k = 0; k < l->all->knobs; k++)
        fprintf(l->file, "%s\t", l->all->knob[k].name);
    fprintf(l->file, "%s\t%s_sd\t%s_compile_s\n", w->id, w->id, w->id);
    record_flush(l);
}

static void put_cell(FILE *file, double value) { fprintf(file, value >= 0 ? "\t%.9g" : "\tx", value); }

/* The rows in their order, as far as they are answered. */
static void record_rows(struct live *l)
{
    if (!l->file)
        return;
    for (; l->recorded < l->rows.count && l->rows.row[l->recorded].state == ANSWERED; l->recorded++) {
        const struct row *row = &l->rows.row[l->recorded];
        for (int k = 0; k < l->all->knobs; k++)
            fprintf(l->file, k ? "\t%d" : "%d", space_value(l->all, row->config, k));
        if (row->outcome)
            fprintf(l->file, "\t%s", outcome_text[row->outcome - 1].en);
        else
            put_cell(l->file, row->time_us);
        put_cell(l->file, row->outcome ? NAN : row->sd_us);
        put_cell(l->file, row->compile_s);
        fputc('\n', l->file);
    }
    record_flush(l);
}

/* ---- what is asked ---- */

static struct row *row_of(struct live *l, const int *values)
{
    uint32_t config = 0;
    space_index(l->all, values, &config);
    struct row *row = rows_find(&l->rows, config);
    return row ? row : rows_add(&l->rows, config);
}

static struct measurement result_of(const struct row *row)
{
    return (struct measurement){ row->outcome ? INFINITY : row->time_us, (int)row->outcome, row->seconds };
}

struct batch_of { /* one that is being measured */
    struct live *live;
    size_t n, at; /* results that are there */
    const int *values;
    struct measurement *results;
};

/* Hands on the results that are there, in the batch's order. */
static void hand_on(void *context)
{
    struct batch_of *b = context;
    struct live *l = b->live;
    for (; b->at < b->n; b->at++) {
        const int *values = b->values + b->at * (size_t)l->all->knobs;
        const struct row *row = row_of(l, values);
        if (row->state != ANSWERED)
            break;
        b->results[b->at] = result_of(row);
        if (l->device.came)
            l->device.came(l->device.context, values, &b->results[b->at]);
    }
    record_rows(l);
}

/* The rows from number `from` on are new: what the device's own rules exclude needs no Request. */
static void ask_rules(struct live *l, size_t from)
{
    size_t n = 0;
    uint32_t *configs = xalloc(l->rows.count - from, sizeof *configs);
    for (size_t r = from; r < l->rows.count; r++)
        if (l->verdict[l->rows.row[r].config] == UNKNOWN)
            configs[n++] = l->rows.row[r].config;
    workers_check(l->workers, l->all, n, configs, l->verdict);
    free(configs);
    for (size_t r = from; r < l->rows.count; r++) {
        struct row *row = &l->rows.row[r];
        if (l->verdict[row->config] == EXCLUDED) {
            row->state = ANSWERED;
            row->outcome = CONSTRAINTS;
            row->seconds = 1e-6;
        }
    }
}

static void measure(const struct device *device, size_t n, const int *values, struct measurement *results)
{
    struct live *l = live_of(device);
    struct batch_of b = { l, n, 0, values, results };
    size_t from = l->rows.count;
    for (size_t i = 0; i < n; i++)
        row_of(l, values + i * (size_t)l->all->knobs);
    ask_rules(l, from);
    workers_measure(l->workers, &l->rows, from, hand_on, &b);
}

static void known(const struct device *device, const int *values, const struct measurement *result)
{
    struct row *row = row_of(live_of(device), values);
    if (row->state == ANSWERED)
        return;
    row->state = ANSWERED;
    row->outcome = (enum outcome)result->failure;
    row->time_us = result->time_us;
    row->seconds = result->seconds;
}

/* ---- what was measured up to now, for the judge ---- */

static double time_us(const struct device *device, const struct workload *w, const int *values)
{
    const struct live *l = live_of(device);
    uint32_t config;
    const struct row *row = space_index(l->all, values, &config) ? rows_find(&l->rows, config) : NULL;
    (void)w;
    return row && row->state == ANSWERED ? result_of(row).time_us : INFINITY;
}

/* The best alone, of the whole space: no time of most others is known. */
static uint32_t best_found(const struct device *device, const struct workload *w, const struct space *space,
                           double *us)
{
    const struct live *l = live_of(device);
    const struct row *best = NULL;
    (void)w;
    assert(space == device->space && !us);
    for (const struct row *row = l->rows.row; row < l->rows.row + l->rows.count; row++)
        if (!row->outcome && (!best || row->time_us < best->time_us))
            best = row;
    return best ? best->config : 0;
}

/* ---- its life ---- */

static void close_live(struct device *device)
{
    struct live *l = live_of(device);
    workers_close(l->workers);
    if (l->file && fclose(l->file))
        die("%s: cannot be written: %s", l->record, strerror(errno));
    if (device->space != l->all)
        space_free((struct space *)device->space);
    space_free(l->all);
    free(l->verdict);
    free(l->rows.row);
    free(l->rows.place);
    free((void *)l->workload.id);
    free(l->words);
    free(l->lines);
    free(l);
}

struct device *live_open(const char *command, struct live_settings s)
{
    struct live *l = xalloc(1, sizeof *l);
    l->workers = workers_open(command, s.workers ? s.workers : 1, s.compile_s > 0 ? s.compile_s : 60,
                              s.run_s > 0 ? s.run_s : 60);
    l->device = (struct device){ .measure = measure, .known = known, .time_us = time_us, .landscape = best_found,
                                 .workloads = 1, .workload = &l->workload, .close = close_live };
    take_space(l);
    take_workload(l);
    l->device.space = legal_part(l);
    l->rows = (struct rows){ .space = l->all, .place = xalloc(l->all->size, sizeof *l->rows.place) };
    if (s.record)
        record_open(l, s.record);
    return &l->device;
}

/* recorded.c - a table becomes a device: its knob columns span the space, its rows say what is legal and how long it
 * takes. What a tuner asks is looked up, never interpolated. */
#include "device/recorded.h"
#include "device/tsv.h"
#include "space/matmul.h"
#include "base/xalloc.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct clocked {
    double us, noise; /* noise: relative */
};

struct recorded {
    struct device device; /* first: a pointer to it is one to this */
    struct tsv table;     /* names are its cells */
    int knobs, knob_column[SPACE_MAX_KNOBS];
    struct knob knob[SPACE_MAX_KNOBS];
    uint32_t size;           /* combinations of the knobs' values */
    uint32_t *row_of;        /* [size] the row that holds a combination, from 1; 0: none */
    struct workload *shape;  /* [device.workloads] what device.workload points to */
    struct clocked *clocked; /* [rows][device.workloads] */
    uint8_t *why;            /* [rows] 0: legal; else reason[why - 1] */
    int reasons;             /* the first is "not recorded" where rows are missing */
    struct text reason[RECORDED_MAX_REASONS];
};

/* ---- Which columns are knobs, and which row holds which combination of their values ---- */

static int ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Where row_of keeps a combination: each knob's position is a digit. */
static uint32_t *row_of(const struct recorded *r, const int *values)
{
    uint32_t number = 0;
    for (int k = 0; k < r->knobs; k++) {
        const int *all = r->knob[k].values;
        const int *place = bsearch(&values[k], all, (size_t)r->knob[k].count, sizeof *all, ascending);
        number = number * (uint32_t)r->knob[k].count + (uint32_t)(place - all);
    }
    return &r->row_of[number];
}

/* Fills row_of; returns 0, or a row whose knobs have the same values as the row *first has. */
static size_t index_rows(struct recorded *r, size_t *first)
{
    free(r->row_of);
    r->row_of = xalloc(r->size, sizeof *r->row_of);
    for (size_t row = 1; row <= r->table.rows; row++) {
        int values[SPACE_MAX_KNOBS];
        for (int k = 0; k < r->knobs; k++)
            cell_int(tsv_cell(&r->table, row, r->knob_column[k]), &values[k]);
        uint32_t *holder = row_of(r, values);
        if (*holder) {
            *first = *holder;
            return row;
        }
        *holder = (uint32_t)row;
    }
    return 0;
}

/* The column as a knob: its different integers. False if it is none and need not be. */
static bool read_knob(const struct tsv *t, int column, bool must, struct knob *knob)
{
    int *values = xalloc(t->rows, sizeof *values), count = 0;
    size_t odd = 0;
    for (size_t row = 1; row <= t->rows && odd == 0; row++)
        if (!cell_int(tsv_cell(t, row, column), &values[row - 1]))
            odd = row;
    qsort(values, t->rows, sizeof *values, ascending);
    for (size_t i = 0; i < t->rows; i++)
        if (i == 0 || values[i] != values[count - 1])
            values[count++] = values[i];
    *knob = (struct knob){ tsv_cell(t, 0, column), count, values };
    if (odd == 0 && count <= RECORDED_MAX_VALUES)
        return true;
    if (must)
        tsv_die(t, t->line[odd], column, "'%.40s': expected an integer, one of at most %d different ones",
                tsv_cell(t, odd, column), RECORDED_MAX_VALUES);
    free(values);
    return false;
}

static void add_knob(struct recorded *r, int column, struct knob knob)
{
    if (r->knobs == SPACE_MAX_KNOBS || (uint64_t)r->size * (uint64_t)knob.count > SPACE_MAX_SIZE)
        tsv_die(&r->table, r->table.line[0], column, "with this knob there are over %d knobs or over %d combinations",
                SPACE_MAX_KNOBS, SPACE_MAX_SIZE);
    r->knob_column[r->knobs] = column;
    r->knob[r->knobs++] = knob;
    r->size *= (uint32_t)knob.count;
}

static bool is_knob(const struct recorded *r, int column)
{
    for (int k = 0; k < r->knobs; k++)
        if (r->knob_column[k] == column)
            return true;
    return false;
}

static void find_knobs(struct recorded *r)
{
    const struct tsv *t = &r->table;
    struct knob knob;
    size_t line, first, second;
    char *names = tsv_comment(t, "knobs", "", &line);
    bool named = *names;
    r->size = 1;
    while (named && *names) {
        const char *name = cell_take(&names, ' ');
        int column = tsv_column(t, name);
        if (column < 0 || is_knob(r, column))
            tsv_die(t, line, -1, "knob '%.40s': expected the name of a column, each once", name);
        read_knob(t, column, true, &knob);
        add_knob(r, column, knob);
    }
    for (int column = 0; !named && column < t->columns && read_knob(t, column, column == 0, &knob); column++) {
        if (knob.count > 1 && r->size >= t->rows && index_rows(r, &first) == 0)
            tsv_die(t, t->line[0], column,
                    "a knob, or a time in whole numbers? Expected before the header: # knobs: %s …", r->knob[0].name);
        add_knob(r, column, knob);
    }
    second = index_rows(r, &first);
    if (second)
        tsv_die(t, t->line[second], -1, "the same knob values as in line %zu: expected each combination once",
                t->line[first]);
}

/* The matmul's seven get the long names if they can be one's, by which tuners know what they mean; else the short
 * ones: program features of a shape or value that there is not would be no numbers. */
static void name_matmul_knobs(struct recorded *r)
{
    static const char *const brief[] = { "BM", "BN", "BK", "w", "s", "G", "S" };
    bool can = r->shape[0].m > 0;
    if (r->knobs != MATMUL_KNOBS)
        return;
    for (int k = 0; k < MATMUL_KNOBS; k++) {
        const struct knob *knob = &r->knob[k];
        if (strcmp(knob->name, brief[k]) != 0 && strcmp(knob->name, matmul_knob_name[k]) != 0)
            return;
        can = can && knob->values[0] >= 1 && knob->values[knob->count - 1] <= WORKLOAD_MAX_EXTENT;
    }
    for (int k = 0; k < MATMUL_KNOBS; k++)
        r->knob[k].name = can ? matmul_knob_name[k] : brief[k];
}

/* ---- Time columns and their workloads ---- */

/* The column NAME_sd of a column NAME; -1: there is none, or it is a knob. */
static int deviation_of(const struct recorded *r, int column)
{
    char *name = xformat("%s_sd", tsv_cell(&r->table, 0, column));
    int deviation = tsv_column(&r->table, name);
    free(name);
    return deviation >= 0 && is_knob(r, deviation) ? -1 : deviation;
}

/* What is neither a knob nor why nor the NAME_sd of another is a column of times. */
static bool is_time(const struct recorded *r, int column)
{
    char *name = xformat("%s", tsv_cell(&r->table, 0, column)), *end = strrchr(name, '_');
    bool other = is_knob(r, column) || !strcmp(name, "why");
    if (end && !strcmp(end, "_sd")) {
        *end = 0;
        other = other || tsv_column(&r->table, name) >= 0;
    }
    free(name);
    return !other;
}

/* All of them, or the one of that name. */
static void find_times(struct recorded *r, const char *only)
{
    const struct tsv *t = &r->table;
    char *found = "";
    int n = 0;
    r->shape = xalloc((size_t)t->columns, sizeof *r->shape);
    for (int c = 0; c < t->columns; c++) {
        const char *name = tsv_cell(t, 0, c);
        if (is_time(r, c) && (!only || !strcmp(name, only)))
            r->shape[n++] = (struct workload){ .id = name, .name = { name, name } };
    }
    for (int c = 0; c < t->columns && n == 0; c++)
        if (is_time(r, c))
            found = xformat("%s %.40s", found, tsv_cell(t, 0, c));
    if (n == 0 && only)
        tsv_die(t, t->line[0], -1, "no time column '%s': expected one of%.200s", only, found);
    if (n == 0)
        tsv_die(t, t->line[0], -1, "no time column beside %d knobs: expected one, or the comment '# knobs: …' above",
                r->knobs);
    r->device.workloads = n;
    r->device.workload = r->shape;
}

/* "4096,4096,4096" */
static struct workload parse_shape(const struct tsv *t, size_t line, const char *text)
{
    struct workload w = { 0 };
    int *extent[] = { &w.m, &w.n, &w.k };
    char *copy = xformat("%s", text), *rest = copy;
    bool good = true;
    for (int i = 0; i < 3; i++)
        good = good && cell_int(cell_take(&rest, ','), extent[i]) && *extent[i] >= 1 &&
               *extent[i] <= WORKLOAD_MAX_EXTENT;
    if (!good || *rest)
        tsv_die(t, line, -1, "shape '%.40s': expected NAME M,N,K, each from 1 to %d", text, WORKLOAD_MAX_EXTENT);
    free(copy);
    return w;
}

/* "# Shapes M,N,K: square 4096,4096,4096; …": each column must have a shape of its own; it gets the words that the
 * lecture has for its name. Columns that are not read may be named too. */
static void find_shapes(struct recorded *r)
{
    const struct tsv *t = &r->table;
    size_t line;
    char *list = tsv_comment(t, "Shapes M,N,K", NULL, &line);
    if (!list)
        return;
    while (*list) {
        char *extents = cell_take(&list, ';');
        const char *name = cell_take(&extents, ' ');
        struct workload shape = parse_shape(t, line, extents);
        const struct workload *known = workload_find(name);
        for (struct workload *w = r->shape; w < r->shape + r->device.workloads; w++)
            if (!strcmp(name, w->id))
                *w = (struct workload){ w->id, known ? known->name : w->name, shape.m, shape.n, shape.k };
    }
    for (int c = 0; c < r->device.workloads; c++)
        if (r->shape[c].m == 0 || device_match(&r->device, &r->shape[c]) != &r->shape[c])
            tsv_die(t, t->line[0], tsv_column(t, r->shape[c].id),
                    "the comment 'Shapes M,N,K' does not give this column a shape of its own");
}

/* ---- Rows ---- */

/* One time of the table's unit, in us. */
static double find_unit(const struct tsv *t)
{
    static const char *const units[] = { "ns", "us", "ms", "s" };
    static const double us[] = { 1e-3, 1, 1e3, 1e6 };
    size_t line;
    const char *unit = tsv_comment(t, "unit", "us", &line);
    for (int i = 0; i < 4; i++)
        if (!strcmp(unit, units[i]))
            return us[i];
    tsv_die(t, line, -1, "unit '%.40s': expected ns, us, ms or s", unit);
}

/* A share, from a percentage. */
static double find_noise(const struct tsv *t)
{
    size_t line;
    const char *noise = tsv_comment(t, "noise", "0.4%", &line);
    char digits[32];
    int end = 0;
    sscanf(noise, "%31[0-9.eE+-] %%%n", digits, &end);
    double percent = end ? cell_number(digits) : NAN;
    if (!(percent >= 0 && percent < 100) || noise[end])
        tsv_die(t, line, -1, "noise '%.40s': expected a percentage, such as 0.4%%", noise);
    return percent / 100;
}

/* The number of a reason, from 1; 0: too many. A new one is added. */
static int reason_number(struct recorded *r, const char *word)
{
    static const struct text known[] = {
        { "oom_smem", "共享内存不足" },    { "spill", "寄存器溢出" },      { "compile_error", "编译失败" },
        { "compile_timeout", "编译超时" }, { "launch_error", "启动失败" }, { "run_error", "运行失败" },
        { "wrong", "结果错误" },           { "invalid", "违反约束" },      { "failed", "失败" },
        { "illegal", "不合法" },           { "not recorded", "未记录" },
    };
    for (int i = 0; i < r->reasons; i++)
        if (!strcmp(word, r->reason[i].en))
            return i + 1;
    if (r->reasons == RECORDED_MAX_REASONS)
        return 0;
    struct text *text = &r->reason[r->reasons++];
    *text = (struct text){ word, word };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].en, word))
            *text = known[i];
    return r->reasons;
}

/* A word can be a reason; infinity and not-a-number cannot: whoever wrote them took them for times. */
static bool is_word(const char *cell)
{
    unsigned char c = (unsigned char)*cell;
    return ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80) && strcasecmp(cell, "nan") != 0 &&
           strcasecmp(cell, "inf") != 0 && strcasecmp(cell, "infinity") != 0;
}

/* One time of one row in us; INFINITY if there is none, and why[row - 1] says why. */
static double read_time(struct recorded *r, size_t row, int column, int why_column, double to_us)
{
    const struct tsv *t = &r->table;
    const char *cell = tsv_cell(t, row, column), *reason = cell;
    double time = cell_number(cell), us = to_us < 1 ? time / 1000 : time * to_us; /* 1e-3 is not exact, 1000 is */
    if (us > 0 && us < INFINITY)
        return us;
    if (!isnan(time) || !is_word(cell))
        tsv_die(t, t->line[row], column, "'%.40s': expected a time above 0, x or a reason", cell);
    if (!strcmp(cell, "x")) {
        const char *why = why_column < 0 ? "" : tsv_cell(t, row, why_column);
        reason = is_word(why) ? why : "illegal";
    }
    int number = reason_number(r, reason);
    if (number == 0)
        tsv_die(t, t->line[row], column, "'%.40s': expected a time, x or one of the %d reasons so far", reason,
                RECORDED_MAX_REASONS);
    if (r->why[row - 1] == 0)
        r->why[row - 1] = (uint8_t)number;
    return INFINITY;
}

/* The times of workload w, and their noise. */
static void read_column(struct recorded *r, int w, double to_us)
{
    const struct tsv *t = &r->table;
    int why_column = tsv_column(t, "why"), column = tsv_column(t, r->shape[w].id), sd = deviation_of(r, column);
    size_t times = 0;
    for (size_t row = 1; row <= t->rows; row++) {
        struct clocked *c = &r->clocked[(row - 1) * (size_t)r->device.workloads + (size_t)w];
        *c = (struct clocked){ read_time(r, row, column, why_column, to_us), r->device.noise };
        times += c->us < INFINITY;
        if (sd < 0 || c->us == INFINITY)
            continue;
        double deviation = cell_number(tsv_cell(t, row, sd));
        if (!(deviation >= 0 && deviation < INFINITY))
            tsv_die(t, t->line[row], sd, "'%.40s': expected a standard deviation, 0 or above", tsv_cell(t, row, sd));
        c->noise = deviation / cell_number(tsv_cell(t, row, column));
    }
    if (times == 0)
        tsv_die(t, t->line[0], column, "no time in any of %zu rows: expected some", t->rows);
}

static void read_rows(struct recorded *r)
{
    size_t rows = r->table.rows;
    double to_us = find_unit(&r->table);
    r->device.noise = find_noise(&r->table);
    r->clocked = xalloc(rows * (size_t)r->device.workloads, sizeof *r->clocked);
    r->why = xalloc(rows, 1);
    if (rows < r->size)
        reason_number(r, "not recorded");
    for (int w = 0; w < r->device.workloads; w++)
        read_column(r, w, to_us);
    if (!memchr(r->why, 0, rows))
        tsv_die(&r->table, r->table.line[0], -1, "no row has a time in all %d columns: read one alone, FILE:COLUMN",
                r->device.workloads);
}

/* ---- The device ---- */

static int rule(const void *context, const int *values)
{
    const struct recorded *r = context;
    uint32_t row = *row_of(r, values);
    return row ? r->why[row - 1] : 1; /* 1: "not recorded" */
}

static const struct clocked *look_up(const struct device *device, const struct workload *w, const int *values)
{
    const struct recorded *r = (const struct recorded *)device;
    const struct workload *recorded = device_match(device, w);
    assert(recorded);
    return &r->clocked[(*row_of(r, values) - 1) * (size_t)device->workloads + (size_t)(recorded - r->shape)];
}

static double time_us(const struct device *device, const struct workload *w, const int *values)
{
    return look_up(device, w, values)->us;
}

static double noise_of(const struct device *device, const struct workload *w, const int *values)
{
    return look_up(device, w, values)->noise;
}

static void close_recorded(struct device *device)
{
    struct recorded *r = (struct recorded *)device;
    for (int k = 0; k < r->knobs; k++)
        free((void *)r->knob[k].values);
    space_free((struct space *)device->space);
    tsv_close(&r->table);
    free((void *)device->name);
    free(r->row_of);
    free(r->shape);
    free(r->clocked);
    free(r->why);
    free(r);
}

/* "data/h200_matmul.tsv" is called h200_matmul, unless it says its device's name. */
static char *device_name(const struct tsv *t)
{
    size_t line;
    const char *name = tsv_comment(t, "device", "", &line), *slash = strrchr(t->path, '/');
    if (*name)
        return xformat("%s", name);
    name = slash ? slash + 1 : t->path;
    const char *dot = strrchr(name, '.');
    return xformat("%.*s", dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

struct device *recorded_open(const char *path, const char *column)
{
    struct recorded *r = xalloc(1, sizeof *r);
    r->table = tsv_open(path);
    r->device = (struct device){
        .name = device_name(&r->table), .time_us = time_us, .noise_of = noise_of, .close = close_recorded
    };
    find_knobs(r);
    find_times(r, column);
    find_shapes(r);
    read_rows(r);
    name_matmul_knobs(r);
    r->device.space = space_new(r->knobs, r->knob, r->reasons, r->reason, rule, r);
    assert(r->device.space); /* values ascend, and combinations are not too many */
    return &r->device;
}

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

struct recorded {
    struct device device; /* first: a pointer to it is one to this */
    struct tsv table;     /* names are its cells */
    struct column {
        bool knob, time;
        int sd;              /* the column NAME_sd; -1: none */
    } * column;              /* [table.columns] */
    int knobs, *knob_column; /* [knobs] */
    struct knob *knob;       /* [knobs] */
    uint32_t size;           /* combinations of the knobs' values */
    uint32_t *row_of;        /* [size] the row that holds a combination, from 1; 0: none */
    int *time_column;        /* [device.workloads] */
    struct workload *shape;  /* [device.workloads] what device.workload points to */
    double *time_us, *noise; /* [rows][device.workloads] noise: relative; NULL: there is no NAME_sd */
    uint8_t *why;            /* [rows] 0: legal; else reason[why - 1] */
    struct text reason[RECORDED_MAX_REASONS];
    int reasons; /* the first is "not recorded" where rows are missing */
};

/* ---- Which columns are knobs, and which row holds which combination of their values ---- */

/* Where row_of keeps a combination: each knob's position is a digit. NULL: a value is not a knob's. */
static uint32_t *row_of(const struct recorded *r, const int *values)
{
    uint32_t number = 0;
    for (int k = 0; k < r->knobs; k++) {
        const struct knob *knob = &r->knob[k];
        int low = 0, high = knob->count; /* a binary search: the values ascend */
        while (high - low > 1) {
            int middle = (low + high) / 2;
            if (values[k] < knob->values[middle])
                high = middle;
            else
                low = middle;
        }
        if (knob->values[low] != values[k])
            return NULL;
        number = number * (uint32_t)knob->count + (uint32_t)low;
    }
    return &r->row_of[number];
}

static void add_knob(struct recorded *r, int column, int count, const int *values)
{
    if (r->knobs == SPACE_MAX_KNOBS || (uint64_t)r->size * (uint64_t)count > SPACE_MAX_SIZE)
        tsv_die(&r->table, r->table.line[0], column, "with this knob there are over %d knobs or over %d combinations",
                SPACE_MAX_KNOBS, SPACE_MAX_SIZE);
    r->knob_column[r->knobs] = column;
    r->knob[r->knobs++] = (struct knob){ tsv_cell(&r->table, 0, column), count, values };
    r->size *= (uint32_t)count;
    r->column[column].knob = true;
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

static void named_knobs(struct recorded *r, char *names, size_t line)
{
    const struct tsv *t = &r->table;
    while (*names) {
        const char *name = cell_take(&names, ' ');
        int column = tsv_column(t, name), count;
        size_t odd;
        if (column < 0 || r->column[column].knob)
            tsv_die(t, line, -1, "knob '%.40s': expected the name of a column, each once", name);
        int *values = tsv_integers(t, column, RECORDED_MAX_VALUES, &count, &odd);
        if (!values)
            tsv_die(t, t->line[odd], column, "'%.40s': expected an integer, one of at most %d different ones",
                    tsv_cell(t, odd, column), RECORDED_MAX_VALUES);
        add_knob(r, column, count, values);
    }
}

static void leading_knobs(struct recorded *r)
{
    const struct tsv *t = &r->table;
    size_t odd, first;
    for (int column = 0, count; column < t->columns; column++) {
        int *values = tsv_integers(t, column, RECORDED_MAX_VALUES, &count, &odd);
        if (!values && column == 0)
            tsv_die(t, t->line[odd], 0, "'%.40s': expected an integer, the value of a knob", tsv_cell(t, odd, 0));
        if (!values)
            return;
        if (count > 1 && r->size >= t->rows && index_rows(r, &first) == 0)
            tsv_die(t, t->line[0], column,
                    "a knob, or a time in whole numbers? Expected before the header: # knobs: %s …", r->knob[0].name);
        add_knob(r, column, count, values);
    }
}

static void find_knobs(struct recorded *r)
{
    const struct tsv *t = &r->table;
    size_t line, first, second;
    char *names = tsv_comment(t, "knobs", &line);
    r->size = 1;
    if (names && *names)
        named_knobs(r, names, line);
    else
        leading_knobs(r);
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

/* What is neither a knob nor why nor the NAME_sd of another is a column of times. */
static void mark_columns(struct recorded *r)
{
    const struct tsv *t = &r->table;
    for (int c = 0; c < t->columns; c++)
        r->column[c].time = !r->column[c].knob && strcmp(tsv_cell(t, 0, c), "why") != 0;
    for (int c = 0; c < t->columns; c++) {
        char *name = xformat("%s_sd", tsv_cell(t, 0, c));
        int sd = tsv_column(t, name);
        free(name);
        r->column[c].sd = sd >= 0 && !r->column[sd].knob ? sd : -1;
        if (sd >= 0)
            r->column[sd].time = false;
    }
}

/* Dies because there is no time column, or none of that name. */
static void die_of_no_time(const struct recorded *r, const char *only)
{
    const struct tsv *t = &r->table;
    char *times = "";
    if (!only)
        tsv_die(t, t->line[0], -1, "no time column beside %d knobs: expected one, or the comment '# knobs: …' above",
                r->knobs);
    for (int c = 0; c < t->columns; c++)
        if (r->column[c].time)
            times = xformat("%s %.40s", times, tsv_cell(t, 0, c));
    tsv_die(t, t->line[0], -1, "no time column '%s': expected one of%.200s", only, times);
}

static void find_times(struct recorded *r, const char *only)
{
    mark_columns(r);
    for (int c = 0; c < r->table.columns; c++) {
        const char *name = tsv_cell(&r->table, 0, c);
        if (r->column[c].time && (!only || !strcmp(name, only))) {
            r->time_column[r->device.workloads] = c;
            r->shape[r->device.workloads++] = (struct workload){ .id = name, .name = { name, name } };
        }
    }
    if (r->device.workloads == 0)
        die_of_no_time(r, only);
}

/* "4096,4096,4096" */
static struct workload parse_shape(const struct tsv *t, size_t line, const char *text)
{
    int extent[3] = { 0 };
    char *copy = xformat("%s", text), *rest = copy;
    bool good = true;
    for (int i = 0; i < 3; i++)
        good =
            good && cell_int(cell_take(&rest, ','), &extent[i]) && extent[i] >= 1 && extent[i] <= WORKLOAD_MAX_EXTENT;
    if (!good || *rest)
        tsv_die(t, line, -1, "shape '%.40s': expected NAME M,N,K, each from 1 to %d", text, WORKLOAD_MAX_EXTENT);
    free(copy);
    return (struct workload){ .m = extent[0], .n = extent[1], .k = extent[2] };
}

/* Gives the column of that name its shape, and the words that the lecture has for it. Columns that are not read may
 * be named too. */
static void assign_shape(struct recorded *r, const char *name, struct workload shape)
{
    for (int c = 0; c < r->device.workloads; c++) {
        struct workload *w = &r->shape[c];
        const struct workload *known = workload_find(name);
        if (!strcmp(name, w->id))
            *w = (struct workload){ w->id, known ? known->name : w->name, shape.m, shape.n, shape.k };
    }
}

/* "# Shapes M,N,K: square 4096,4096,4096; …": each column must have a shape of its own. */
static void find_shapes(struct recorded *r)
{
    const struct tsv *t = &r->table;
    size_t line;
    char *list = tsv_comment(t, "Shapes M,N,K", &line);
    if (!list)
        return;
    while (*list) {
        char *extents = cell_take(&list, ';');
        const char *name = cell_take(&extents, ' ');
        assign_shape(r, name, parse_shape(t, line, extents));
    }
    for (int c = 0; c < r->device.workloads; c++)
        if (r->shape[c].m == 0 || device_match(&r->device, &r->shape[c]) != &r->shape[c])
            tsv_die(t, t->line[0], r->time_column[c],
                    "the comment 'Shapes M,N,K' does not give this column a shape of its own");
}

/* ---- Rows ---- */

/* One time of the table's unit, in us. */
static double find_unit(const struct tsv *t)
{
    static const char *const units[] = { "ns", "us", "ms", "s" };
    static const double us[] = { 1e-3, 1, 1e3, 1e6 };
    size_t line;
    const char *unit = tsv_comment(t, "unit", &line);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(unit ? unit : "us", units[i]))
            return us[i];
    tsv_die(t, line, -1, "unit '%.40s': expected ns, us, ms or s", unit);
}

/* A share, from a percentage. */
static double find_noise(const struct tsv *t)
{
    size_t line;
    const char *noise = tsv_comment(t, "noise", &line);
    char *text = xformat("%s", noise ? noise : "0.4%"), *rest = text;
    bool ends = *text && text[strlen(text) - 1] == '%';
    double percent = cell_number(cell_take(&rest, '%'));
    if (!(percent >= 0 && percent < 100) || *rest || !ends)
        tsv_die(t, line, -1, "noise '%.40s': expected a percentage, such as 0.4%%", noise);
    free(text);
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

static void read_column(struct recorded *r, int c, double to_us)
{
    const struct tsv *t = &r->table;
    int why_column = tsv_column(t, "why"), time = r->time_column[c], sd = r->column[time].sd;
    size_t times = 0;
    for (size_t row = 1; row <= t->rows; row++) {
        size_t at = (row - 1) * (size_t)r->device.workloads + (size_t)c;
        r->time_us[at] = read_time(r, row, time, why_column, to_us);
        times += r->time_us[at] < INFINITY;
        if (r->noise)
            r->noise[at] = r->device.noise;
        if (sd < 0 || r->time_us[at] == INFINITY)
            continue;
        double deviation = cell_number(tsv_cell(t, row, sd));
        if (!(deviation >= 0 && deviation < INFINITY))
            tsv_die(t, t->line[row], sd, "'%.40s': expected a standard deviation, 0 or above", tsv_cell(t, row, sd));
        r->noise[at] = deviation / cell_number(tsv_cell(t, row, time));
    }
    if (times == 0)
        tsv_die(t, t->line[0], time, "no time in any of %zu rows: expected some", t->rows);
}

static void read_rows(struct recorded *r)
{
    int columns = r->device.workloads;
    size_t rows = r->table.rows, cells = rows * (size_t)columns, legal = 0;
    double to_us = find_unit(&r->table);
    r->device.noise = find_noise(&r->table);
    r->time_us = xalloc(cells, sizeof *r->time_us);
    r->why = xalloc(rows, 1);
    if (rows < r->size)
        reason_number(r, "not recorded");
    for (int c = 0; c < columns; c++)
        if (r->column[r->time_column[c]].sd >= 0 && !r->noise)
            r->noise = xalloc(cells, sizeof *r->noise);
    for (int c = 0; c < columns; c++)
        read_column(r, c, to_us);
    for (size_t row = 0; row < rows; row++)
        legal += r->why[row] == 0;
    if (legal == 0)
        tsv_die(&r->table, r->table.line[0], -1, "no row has a time in all %d columns: read one alone, FILE:COLUMN",
                columns);
}

/* ---- The device ---- */

static int rule(const void *context, const int *values)
{
    const struct recorded *r = context;
    const uint32_t *row = row_of(r, values);
    return row && *row ? r->why[*row - 1] : 1; /* 1: "not recorded" */
}

/* The entry of a legal configuration in a list [rows][workloads]. */
static double look_up(const struct device *device, const double *list, const struct workload *w, const int *values)
{
    const struct recorded *r = (const struct recorded *)device;
    const struct workload *recorded = device_match(device, w);
    assert(recorded);
    return list[(*row_of(r, values) - 1) * (size_t)device->workloads + (size_t)(recorded - device->workload)];
}

static double time_us(const struct device *device, const struct workload *w, const int *values)
{
    const struct recorded *r = (const struct recorded *)device;
    return rule(r, values) ? INFINITY : look_up(device, r->time_us, w, values);
}

static double noise_of(const struct device *device, const struct workload *w, const int *values)
{
    const struct recorded *r = (const struct recorded *)device;
    return !r->noise || rule(r, values) ? device->noise : look_up(device, r->noise, w, values);
}

static void close_recorded(struct device *device)
{
    struct recorded *r = (struct recorded *)device;
    for (int k = 0; k < r->knobs; k++)
        free((void *)r->knob[k].values);
    space_free((struct space *)device->space);
    tsv_close(&r->table);
    free((void *)device->name);
    free(r->column);
    free(r->knob);
    free(r->knob_column);
    free(r->row_of);
    free(r->time_column);
    free(r->shape);
    free(r->time_us);
    free(r->noise);
    free(r->why);
    free(r);
}

/* "data/h200_matmul.tsv" is called h200_matmul, unless it says its device's name. */
static char *device_name(const struct tsv *t)
{
    size_t line;
    const char *name = tsv_comment(t, "device", &line);
    if (name && *name)
        return xformat("%s", name);
    const char *slash = strrchr(t->path, '/'), *base = slash ? slash + 1 : t->path, *dot = strrchr(base, '.');
    return xformat("%.*s", dot > base ? (int)(dot - base) : (int)strlen(base), base);
}

struct device *recorded_open(const char *path, const char *column)
{
    struct recorded *r = xalloc(1, sizeof *r);
    r->table = tsv_open(path);
    size_t columns = (size_t)r->table.columns;
    r->column = xalloc(columns, sizeof *r->column);
    r->knob = xalloc(columns, sizeof *r->knob);
    r->knob_column = xalloc(columns, sizeof *r->knob_column);
    r->time_column = xalloc(columns, sizeof *r->time_column);
    r->shape = xalloc(columns, sizeof *r->shape);
    r->device = (struct device){ .name = device_name(&r->table),
                                 .workload = r->shape,
                                 .time_us = time_us,
                                 .noise_of = noise_of,
                                 .close = close_recorded };
    find_knobs(r);
    find_times(r, column);
    find_shapes(r);
    read_rows(r);
    name_matmul_knobs(r);
    r->device.space = space_new(r->knobs, r->knob, r->reasons, r->reason, rule, r);
    assert(r->device.space); /* values ascend, and combinations are not too many */
    return &r->device;
}

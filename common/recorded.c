/* recorded.c - a table of measurements becomes a device: its knob columns span the space, its rows say what is legal and
 * how long it takes. What a tuner asks is looked up, never interpolated. */
#include "recorded.h"
#include "tsv.h"
#include "xalloc.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_KNOBS = 64, MOST_VALUES = 1 << 16, MOST_REASONS = 64 };

struct recording {
    struct device device;           /* first: a pointer to it is one to the recording */
    struct space *space;
    int knobs;
    struct knob *knob;              /* [MOST_KNOBS + 1] values in arrays of our own */
    uint32_t size;                  /* combinations of the knobs' values */
    uint32_t *row_of;               /* [size] the row of a combination, from 1; 0: not recorded */
    int columns;                    /* time columns read */
    struct workload *workload;      /* [columns] */
    double *time_us;                /* [rows][columns] */
    double *noise;                  /* [rows][columns] relative; NULL: there is no NAME_sd */
    uint8_t *why;                   /* [rows] 0: legal; else reason[why - 1] */
    struct text *reason;            /* [MOST_REASONS] the first is "not recorded" where rows are missing */
    int reasons;
    bool matmul_knobs, shapes;
};

/* What is needed only while the table is read. */
struct loader {
    struct tsv table;
    struct recording *r;
    bool *is_knob;                  /* [table.columns] */
    uint32_t *index;                /* [table.rows] mixed-radix number of the knob values seen so far */
    int *time_column, *sd_column;   /* [r->columns] sd -1: none */
    int why_column;                 /* -1: none */
};

static char *copied(struct cell cell) { return xformat("%.*s", cell.length, cell.text); }

/* ---- Knobs ---- */

/* Where a value is among a knob's, or would be. */
static int position(const struct knob *knob, int value)
{
    int low = 0, high = knob->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (knob->values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The different integers of a column, ascending. Returns an array of `room` of them, or NULL if *odd is no integer or one
 * value too many. */
static int *distinct(const struct loader *l, int column, int *count, struct cell *odd)
{
    int room = 16, value;
    struct knob knob = { .count = 0 };
    int *values = xalloc((size_t)room, sizeof *values);
    knob.values = values;
    for (size_t row = 1; row <= l->table.rows; row++) {
        *odd = tsv_cell(&l->table, row, column);
        if (!cell_int(*odd, &value) || knob.count > MOST_VALUES) {
            free(values);
            return NULL;
        }
        int at = position(&knob, value);
        if (at < knob.count && values[at] == value)
            continue;
        if (knob.count == room)
            knob.values = values = xrealloc(values, (size_t)(room *= 2), sizeof *values);
        memmove(values + at + 1, values + at, (size_t)(knob.count - at) * sizeof *values);
        values[at] = value;
        knob.count++;
    }
    *count = knob.count;
    return values;
}

/* Makes a column the next knob: each row's index gains a digit. */
static bool add_knob(struct loader *l, int column, int count, int *values)
{
    struct recording *r = l->r;
    struct knob *knob = &r->knob[r->knobs++];
    *knob = (struct knob){ copied(tsv_cell(&l->table, 0, column)), count, values };
    l->is_knob[column] = true;
    if (r->knobs > MOST_KNOBS || (uint64_t)r->size * (uint64_t)count > SPACE_MAX_SIZE)
        return tsv_fail(&l->table, l->table.header, column,
                        TEXT("the knobs up to here span over 2^28 combinations, or are more than %d",
                             "到此列为止的参数组合超过 2^28 个，或参数多于 %d 个"), MOST_KNOBS);
    r->size *= (uint32_t)count;
    for (size_t row = 0; row < l->table.rows; row++) {
        int value = 0;
        cell_int(tsv_cell(&l->table, row + 1, column), &value);
        l->index[row] = l->index[row] * (uint32_t)count + (uint32_t)position(knob, value);
    }
    return true;
}

/* Fills row_of if no two rows have the same index; else returns false and the two rows. */
static bool tell_apart(struct loader *l, size_t *first, size_t *second)
{
    struct recording *r = l->r;
    r->row_of = xalloc(r->size, sizeof *r->row_of);
    for (size_t row = 0; row < l->table.rows; row++) {
        uint32_t *seen = &r->row_of[l->index[row]];
        if (*seen) {
            *first = *seen;
            *second = row + 1;
            free(r->row_of);
            r->row_of = NULL;
            return false;
        }
        *seen = (uint32_t)row + 1;
    }
    return true;
}

static bool named_knobs(struct loader *l, struct cell names)
{
    while (names.length > 0) {
        struct cell name = cell_take(&names, ' '), odd;
        int column = tsv_column(&l->table, name), count = 0;
        if (column < 0 || l->is_knob[column])
            return tsv_fail(&l->table, name.text, -1, TEXT("knob '%.*s' is not a column, or is named twice",
                                                           "参数“%.*s”不是任何一列，或重复出现"), CELL_SHOWN(name));
        int *values = distinct(l, column, &count, &odd);
        if (!values)
            return tsv_fail(&l->table, odd.text, column, TEXT("'%.*s': expected an integer (of at most %d different ones)",
                                                              "“%.*s”：应为整数（至多 %d 个不同的值）"), CELL_SHOWN(odd), MOST_VALUES);
        if (!add_knob(l, column, count, values))
            return false;
    }
    return true;
}

/* The columns of integers at the left. One that varies behind those that already tell all rows apart may be a time. */
static bool leading_knobs(struct loader *l)
{
    struct cell odd;
    size_t first, second;
    for (int column = 0, count, *values; column < l->table.columns; column++) {
        values = distinct(l, column, &count, &odd);
        if (!values)
            break;
        if (count > 1 && l->r->size >= l->table.rows && tell_apart(l, &first, &second)) {
            free(values);
            return tsv_fail(&l->table, l->table.header, column,
                            TEXT("a knob, or a time in whole numbers? Name the knobs before the header: # knobs: A B C",
                                 "是参数，还是整数形式的时间？请在表头之前写明参数：# knobs: A B C"));
        }
        if (!add_knob(l, column, count, values))
            return false;
    }
    if (l->r->knobs == 0)
        return tsv_fail(&l->table, odd.text, 0, TEXT("'%.*s': expected a knob column, of integers",
                                                     "“%.*s”：应为整数的参数列"), CELL_SHOWN(odd));
    return true;
}

/* The matmul's seven by their short names get the long ones; true if these are the seven. */
static bool name_matmul_knobs(struct recording *r)
{
    static const char *const names[MATMUL_KNOBS][2] = {
        { "BM", "BLOCK_M" },   { "BN", "BLOCK_N" }, { "BK", "BLOCK_K" }, { "w", "num_warps" }, { "s", "num_stages" },
        { "G", "GROUP_M" }, { "S", "SPLIT_K" },
    };
    for (int k = 0; k < MATMUL_KNOBS; k++)
        if (r->knobs != MATMUL_KNOBS || (strcmp(r->knob[k].name, names[k][0]) && strcmp(r->knob[k].name, names[k][1])))
            return false;
    for (int k = 0; k < MATMUL_KNOBS; k++) {
        free((void *)r->knob[k].name);
        r->knob[k].name = xformat("%s", names[k][1]);
    }
    return true;
}

static bool find_knobs(struct loader *l)
{
    struct cell names = tsv_comment(&l->table, "knobs");
    size_t first, second;
    if (!(names.length > 0 ? named_knobs(l, names) : leading_knobs(l)))
        return false;
    if (!tell_apart(l, &first, &second)) {
        const char *one = tsv_cell(&l->table, first, 0).text, *two = tsv_cell(&l->table, second, 0).text;
        return tsv_fail(&l->table, two, -1, TEXT("the same knob values as in line %zu", "与第 %zu 行的参数值相同"),
                        tsv_line(&l->table, one));
    }
    l->r->matmul_knobs = name_matmul_knobs(l->r);
    return true;
}

/* ---- Time columns and their workloads ---- */

/* "NAME_sd" of a column that is there: that column, else -1. */
static int sd_of(const struct tsv *t, struct cell name)
{
    if (name.length < 4 || memcmp(name.text + name.length - 3, "_sd", 3))
        return -1;
    return tsv_column(t, (struct cell){ name.text, name.length - 3 });
}

static bool find_times(struct loader *l, const char *only)
{
    struct tsv *t = &l->table;
    struct recording *r = l->r;
    l->why_column = tsv_column(t, (struct cell){ "why", 3 });
    for (int c = 0; c < t->columns; c++) {
        struct cell name = tsv_cell(t, 0, c);
        if (l->is_knob[c] || c == l->why_column || sd_of(t, name) >= 0 || (only && !cell_is(name, only)))
            continue;
        l->time_column[r->columns] = c;
        l->sd_column[r->columns] = -1;
        for (int other = 0; other < t->columns; other++)
            if (!l->is_knob[other] && sd_of(t, tsv_cell(t, 0, other)) == c)
                l->sd_column[r->columns] = other;
        char *id = copied(name);
        r->workload[r->columns++] = (struct workload){ .id = id, .name = { id, id } };
    }
    if (r->columns == 0)
        return tsv_fail(t, t->header, -1, TEXT("no time column %s: expected one that is neither knob nor why nor NAME_sd",
                                               "没有时间列 %s：应有一列既非参数，也非 why 或 NAME_sd"), only ? only : "");
    return true;
}

/* "# Shapes M,N,K: square 4096,4096,4096; …": fills in the columns that are read; others may be named too. */
static bool find_shapes(struct loader *l)
{
    struct recording *r = l->r;
    struct cell list = tsv_comment(&l->table, "Shapes M,N,K");
    r->shapes = list.text != NULL;
    while (list.length > 0) {
        struct cell shape = cell_take(&list, ';'), name = cell_take(&shape, ' '), extents = shape;
        int extent[3] = { 0, 0, 0 };
        for (int i = 0; i < 3; i++)
            if (!cell_int(cell_take(&extents, ','), &extent[i]) || extent[i] < 1 || extent[i] > WORKLOAD_MAX_EXTENT)
                return tsv_fail(&l->table, name.text, -1, TEXT("shape '%.*s': expected NAME M,N,K, each from 1 to %d",
                                                               "形状“%.*s”：应为 NAME M,N,K，各为 1 到 %d"),
                                CELL_SHOWN(shape), WORKLOAD_MAX_EXTENT);
        for (int c = 0; c < r->columns; c++) {
            struct workload *w = &r->workload[c];
            const struct workload *known = workload_find(w->id);
            if (!cell_is(name, w->id))
                continue;
            w->m = extent[0], w->n = extent[1], w->k = extent[2];
            if (known)
                w->name = known->name;
        }
    }
    for (int c = 0; c < r->columns && r->shapes; c++)
        if (r->workload[c].m == 0 || recorded_match(&r->device, &r->workload[c]) != &r->workload[c])
            return tsv_fail(&l->table, l->table.header, l->time_column[c],
                            TEXT("the comment 'Shapes M,N,K' does not give this column a shape of its own",
                                 "注释 Shapes M,N,K 没有给出此列独有的形状"));
    return true;
}

static bool find_unit(const struct loader *l, double *to_us)
{
    static const struct { const char *name; double us; } units[] = { { "ns", 1e-3 }, { "us", 1 }, { "ms", 1e3 }, { "s", 1e6 } };
    struct cell unit = tsv_comment(&l->table, "unit");
    *to_us = unit.text ? 0 : 1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (cell_is(unit, units[i].name))
            *to_us = units[i].us;
    return *to_us > 0 || tsv_fail(&l->table, unit.text, -1, TEXT("unit '%.*s': expected ns, us, ms or s",
                                                                 "单位“%.*s”：应为 ns、us、ms 或 s"), CELL_SHOWN(unit));
}

static bool find_noise(const struct loader *l)
{
    struct cell noise = tsv_comment(&l->table, "noise"), rest = noise;
    double percent = noise.text ? cell_number(cell_take(&rest, '%')) : 0.4;
    if (!(percent >= 0 && percent < 100) || rest.length > 0 || (noise.text && noise.text[noise.length - 1] != '%'))
        return tsv_fail(&l->table, noise.text, -1, TEXT("noise '%.*s': expected a percentage, such as 0.4%%",
                                                        "噪声“%.*s”：应为百分数，例如 0.4%%"), CELL_SHOWN(noise));
    l->r->device.noise = percent / 100;
    return true;
}

/* ---- Rows ---- */

/* The number of a reason, from 1; 0: too many. A new one is added. */
static int reason_number(struct recording *r, struct cell word)
{
    static const struct text known[] = {
        { "oom_smem", "共享内存不足" }, { "spill", "寄存器溢出" },     { "compile_error", "编译失败" },
        { "compile_timeout", "编译超时" }, { "launch_error", "启动失败" }, { "run_error", "运行失败" },
        { "wrong", "结果错误" },        { "invalid", "违反约束" },     { "illegal", "不合法" },
        { "not recorded", "未记录" },
    };
    for (int i = 0; i < r->reasons; i++)
        if (cell_is(word, r->reason[i].en))
            return i + 1;
    if (r->reasons == MOST_REASONS)
        return 0;
    char *own = copied(word);
    struct text *text = &r->reason[r->reasons++];
    *text = (struct text){ own, own };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].en, own))
            text->zh = known[i].zh;
    return r->reasons;
}

/* A word can be a reason; the spellings of strtod's infinity and not-a-number cannot: they are failed measurements. */
static bool is_word(struct cell cell)
{
    unsigned char c = cell.length > 0 ? (unsigned char)*cell.text : 0;
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
    return letter && strncasecmp(cell.text, "nan", 3) && strncasecmp(cell.text, "inf", 3);
}

/* One time of one row, or why there is none. */
static bool read_time(struct loader *l, size_t row, int c, double to_us)
{
    struct recording *r = l->r;
    struct cell cell = tsv_cell(&l->table, row, l->time_column[c]);
    double time = cell_number(cell), *us = &r->time_us[(row - 1) * (size_t)r->columns + (size_t)c];
    *us = to_us < 1 ? time / 1000 : time * to_us;           /* rounded once: 1e-3 is not exact, 1000 is */
    if (*us > 0 && *us < INFINITY)
        return true;
    if (!isnan(time) || !is_word(cell))
        return tsv_fail(&l->table, cell.text, l->time_column[c], TEXT("'%.*s': expected a time above 0, x or a reason",
                                                                      "“%.*s”：应为大于 0 的时间、x 或原因"), CELL_SHOWN(cell));
    *us = INFINITY;
    if (cell_is(cell, "x")) {
        struct cell why = l->why_column < 0 ? (struct cell){ "", 0 } : tsv_cell(&l->table, row, l->why_column);
        cell = is_word(why) ? why : (struct cell){ "illegal", 7 };
    }
    int number = reason_number(r, cell);
    if (number == 0)
        return tsv_fail(&l->table, tsv_cell(&l->table, row, 0).text, l->time_column[c],
                        TEXT("'%.*s' is another reason behind %d: expected times", "“%.*s”是第 %d 种之后的又一种原因：应为时间"),
                        CELL_SHOWN(cell), MOST_REASONS);
    if (r->why[row - 1] == 0)
        r->why[row - 1] = (uint8_t)number;
    return true;
}

static bool read_sd(struct loader *l, size_t row, int c)
{
    struct tsv *t = &l->table;
    struct cell cell = tsv_cell(t, row, l->sd_column[c]);
    double sd = cell_number(cell);
    if (!(sd >= 0 && sd < INFINITY))
        return tsv_fail(t, cell.text, l->sd_column[c], TEXT("'%.*s': expected a standard deviation, 0 or above",
                                                            "“%.*s”：应为不小于 0 的标准差"), CELL_SHOWN(cell));
    l->r->noise[(row - 1) * (size_t)l->r->columns + (size_t)c] = sd / cell_number(tsv_cell(t, row, l->time_column[c]));
    return true;
}

/* All of NAME_sd, for the rows that are legal; where a column has none, the noise of the whole table. */
static bool read_noise(struct loader *l)
{
    struct recording *r = l->r;
    size_t cells = l->table.rows * (size_t)r->columns;
    for (int c = 0; c < r->columns; c++) {
        if (l->sd_column[c] < 0)
            continue;
        if (!r->noise) {
            r->noise = xalloc(cells, sizeof *r->noise);
            for (size_t i = 0; i < cells; i++)
                r->noise[i] = r->device.noise;
        }
        for (size_t row = 1; row <= l->table.rows; row++)
            if (r->why[row - 1] == 0 && !read_sd(l, row, c))
                return false;
    }
    return true;
}

static bool read_rows(struct loader *l)
{
    struct recording *r = l->r;
    size_t legal = 0;
    double to_us;
    if (!find_unit(l, &to_us) || !find_noise(l))
        return false;
    r->time_us = xalloc(l->table.rows * (size_t)r->columns, sizeof *r->time_us);
    r->why = xalloc(l->table.rows, 1);
    if (l->table.rows < r->size)
        reason_number(r, (struct cell){ "not recorded", 12 });
    for (size_t row = 1; row <= l->table.rows; row++) {
        for (int c = 0; c < r->columns; c++)
            if (!read_time(l, row, c, to_us))
                return false;
        legal += r->why[row - 1] == 0;
    }
    if (legal == 0)
        return tsv_fail(&l->table, l->table.header, l->time_column[0],
                        TEXT("expected a row with a time in each of the %d columns that are read; there is none",
                             "应有在所读的 %d 列中都有时间的行；一行也没有"), r->columns);
    return read_noise(l);
}

/* ---- The device ---- */

/* The row, from 1, with these knob values; 0: none. */
static uint32_t row_at(const struct recording *r, const int *values)
{
    uint32_t index = 0;
    for (int k = 0; k < r->knobs; k++) {
        const struct knob *knob = &r->knob[k];
        int at = position(knob, values[k]);
        if (at == knob->count || knob->values[at] != values[k])
            return 0;
        index = index * (uint32_t)knob->count + (uint32_t)at;
    }
    return r->row_of[index];
}

static int rule(const void *context, const int *values)
{
    const struct recording *r = context;
    uint32_t row = row_at(r, values);
    return row ? r->why[row - 1] : 1;           /* 1: "not recorded" */
}

/* Where the table has this workload and configuration; the workload must be a recorded one. False: no such row. */
static bool look_up(const struct recording *r, const struct workload *w, const int *values, size_t *at)
{
    const struct workload *recorded = recorded_match(&r->device, w);
    assert(recorded);
    uint32_t row = row_at(r, values);
    if (row)
        *at = ((size_t)row - 1) * (size_t)r->columns + (size_t)(recorded - r->workload);
    return row != 0;
}

static double time_us(const struct device *device, const struct workload *w, const int *values)
{
    const struct recording *r = (const struct recording *)device;
    size_t at;
    return look_up(r, w, values, &at) ? r->time_us[at] : INFINITY;
}

double recorded_noise(const struct device *device, const struct workload *w, const int *values)
{
    const struct recording *r = (const struct recording *)device;
    size_t at;
    return r->noise && look_up(r, w, values, &at) ? r->noise[at] : device->noise;
}

/* "data/h200_matmul.tsv" is called h200_matmul, unless it says its device's name. */
static char *device_name(const struct tsv *t)
{
    struct cell name = tsv_comment(t, "device");
    if (name.length > 0)
        return copied(name);
    const char *slash = strrchr(t->path, '/'), *base = slash ? slash + 1 : t->path, *dot = strrchr(base, '.');
    return copied((struct cell){ base, dot > base ? (int)(dot - base) : (int)strlen(base) });
}

struct device *recorded_open(const char *path, const char *column, char *error, size_t n)
{
    struct recording *r = xalloc(1, sizeof *r);
    struct loader l = { .r = r };
    if (!tsv_open(&l.table, path, error, n)) {
        free(r);
        return NULL;
    }
    size_t columns = (size_t)l.table.columns;
    r->size = 1;
    r->knob = xalloc(MOST_KNOBS + 1, sizeof *r->knob);
    r->workload = xalloc(columns, sizeof *r->workload);
    r->reason = xalloc(MOST_REASONS, sizeof *r->reason);
    l.is_knob = xalloc(columns, sizeof *l.is_knob);
    l.time_column = xalloc(columns, sizeof *l.time_column);
    l.sd_column = xalloc(columns, sizeof *l.sd_column);
    l.index = xalloc(l.table.rows, sizeof *l.index);
    bool good = find_knobs(&l) && find_times(&l, column) && find_shapes(&l) && read_rows(&l);
    r->device.name = device_name(&l.table);
    r->device.time_us = time_us;
    free(l.is_knob);
    free(l.time_column);
    free(l.sd_column);
    free(l.index);
    tsv_close(&l.table);
    if (good) {
        r->space = space_new(r->knobs, r->knob, r->reasons, r->reason, rule, r);
        r->device.space = r->space;
        return &r->device;
    }
    recorded_close(&r->device);
    return NULL;
}

void recorded_close(struct device *device)
{
    struct recording *r = (struct recording *)device;
    if (!r)
        return;
    for (int k = 0; k < r->knobs; k++) {
        free((void *)r->knob[k].name);
        free((void *)r->knob[k].values);
    }
    for (int c = 0; c < r->columns; c++)
        free((void *)r->workload[c].id);
    for (int i = 0; i < r->reasons; i++)
        free((void *)r->reason[i].en);
    space_free(r->space);
    free((void *)device->name);
    free(r->knob);
    free(r->workload);
    free(r->reason);
    free(r->row_of);
    free(r->time_us);
    free(r->noise);
    free(r->why);
    free(r);
}

const struct workload *recorded_workloads(const struct device *device, int *count)
{
    const struct recording *r = (const struct recording *)device;
    *count = r->columns;
    return r->workload;
}

const struct workload *recorded_find(const struct device *device, const char *id)
{
    const struct recording *r = (const struct recording *)device;
    for (int c = 0; c < r->columns; c++)
        if (!strcmp(r->workload[c].id, id))
            return &r->workload[c];
    return NULL;
}

const struct workload *recorded_match(const struct device *device, const struct workload *w)
{
    const struct recording *r = (const struct recording *)device;
    if (!r->shapes)
        return recorded_find(device, w->id);
    for (int c = 0; c < r->columns; c++)
        if (r->workload[c].m == w->m && r->workload[c].n == w->n && r->workload[c].k == w->k)
            return &r->workload[c];
    return NULL;
}

bool recorded_is_matmul(const struct device *device)
{
    const struct recording *r = (const struct recording *)device;
    return r->matmul_knobs && r->shapes;
}

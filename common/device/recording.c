/* recording.c - a table of measurements is read: which columns are times, of which shapes, in which unit; then the
 * rows. What is wrong is said with its line and column. */
#include "device/recording.h"
#include "device/tsv.h"
#include "space/matmul.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_REASONS = 64 };

/* What is needed only while the table is read. */
struct loader {
    struct tsv table;
    struct recording *r;
    int *time_column, *sd_column; /* [r->columns] sd -1: none */
    int why_column;               /* -1: none */
};

static char *copied(struct tsv_cell cell) { return xformat("%.*s", cell.length, cell.text); }

/* True if these are the matmul's seven. If they can be one's, they get the long names, by which tuners know what they
 * mean; else the short ones: program features of a shape or value that there is not would be no numbers. */
static bool name_matmul_knobs(struct lattice *lattice, bool shapes)
{
    static const char *const brief[] = { "BM", "BN", "BK", "w", "s", "G", "S" };
    bool can = shapes;
    for (int k = 0; k < MATMUL_KNOBS; k++)
        if (lattice->knobs != MATMUL_KNOBS ||
            (strcmp(lattice->knob[k].name, brief[k]) && strcmp(lattice->knob[k].name, matmul_knob_name[k])))
            return false;
    for (int k = 0; k < MATMUL_KNOBS; k++) { /* the values ascend */
        const struct knob *knob = &lattice->knob[k];
        can = can && knob->values[0] >= 1 && knob->values[knob->count - 1] <= WORKLOAD_MAX_EXTENT;
    }
    for (int k = 0; k < MATMUL_KNOBS; k++) {
        free((void *)lattice->knob[k].name);
        lattice->knob[k].name = xformat("%s", can ? matmul_knob_name[k] : brief[k]);
    }
    return can;
}

/* ---- Time columns and their workloads ---- */

/* "NAME_sd" of a column that is there: that column, else -1. */
static int sd_of(const struct tsv *t, struct tsv_cell name)
{
    if (name.length < 4 || memcmp(name.text + name.length - 3, "_sd", 3))
        return -1;
    return tsv_column(t, (struct tsv_cell){ name.text, name.length - 3 });
}

static bool is_time(const struct loader *l, int column)
{
    struct tsv_cell name = tsv_cell(&l->table, 0, column);
    return !l->r->lattice.is_knob[column] && !cell_is(name, "why") && sd_of(&l->table, name) < 0;
}

/* The time columns there are, for an error message. */
static void list_times(const struct loader *l, char *buf, size_t n)
{
    size_t used = 0;
    buf[0] = 0;
    for (int c = 0; c < l->table.columns && used < n; c++)
        if (is_time(l, c))
            used += (size_t)snprintf(buf + used, n - used, " %.*s", CELL_SHOWN(tsv_cell(&l->table, 0, c)));
}

static bool find_times(struct loader *l, const char *only)
{
    struct tsv *t = &l->table;
    struct recording *r = l->r;
    l->why_column = tsv_column(t, (struct tsv_cell){ "why", 3 });
    for (int c = 0; c < t->columns; c++) {
        struct tsv_cell name = tsv_cell(t, 0, c);
        if (!is_time(l, c) || (only && !cell_is(name, only)))
            continue;
        l->time_column[r->columns] = c;
        l->sd_column[r->columns] = -1;
        for (int other = 0; other < t->columns; other++)
            if (!r->lattice.is_knob[other] && sd_of(t, tsv_cell(t, 0, other)) == c)
                l->sd_column[r->columns] = other;
        char *id = copied(name);
        r->workload[r->columns++] = (struct workload){ .id = id, .name = { id, id } };
    }
    char times[200];
    list_times(l, times, sizeof times);
    if (r->columns == 0 && only)
        return tsv_fail(t, t->header, -1,
                        TEXT("no time column '%s': expected one of%s", "没有时间列“%s”：应为%s 之一"), only, times);
    if (r->columns == 0)
        return tsv_fail(t, t->header, -1,
                        TEXT("no time column beside %d knobs: expected one, or the comment '# knobs: …' above",
                             "%d 个参数列之外没有时间列：应有一列，或在上方注明 # knobs: …"),
                        r->lattice.knobs);
    return true;
}

/* "# Shapes M,N,K: square 4096,4096,4096; …": fills in the columns that are read; others may be named too. */
static bool find_shapes(struct loader *l)
{
    struct recording *r = l->r;
    struct tsv_cell list = tsv_comment(&l->table, "Shapes M,N,K");
    r->shapes = list.text != NULL;
    while (list.length > 0) {
        struct tsv_cell shape = cell_take(&list, ';'), name = cell_take(&shape, ' '), extents = shape;
        int extent[3] = { 0, 0, 0 };
        bool good = true;
        for (int i = 0; i < 3; i++)
            good = good && cell_int(cell_take(&extents, ','), &extent[i]) && extent[i] >= 1 &&
                   extent[i] <= WORKLOAD_MAX_EXTENT;
        if (!good || extents.length > 0)
            return tsv_fail(&l->table, name.text, -1,
                            TEXT("shape '%.*s': expected NAME M,N,K, each from 1 to %d",
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
    static const char *const units[] = { "ns", "us", "ms", "s" };
    static const double us[] = { 1e-3, 1, 1e3, 1e6 };
    struct tsv_cell unit = tsv_comment(&l->table, "unit");
    *to_us = unit.text ? 0 : 1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (cell_is(unit, units[i]))
            *to_us = us[i];
    return *to_us > 0 || tsv_fail(&l->table, unit.text, -1,
                                  TEXT("unit '%.*s': expected ns, us, ms or s", "单位“%.*s”：应为 ns、us、ms 或 s"),
                                  CELL_SHOWN(unit));
}

static bool find_noise(const struct loader *l)
{
    struct tsv_cell noise = tsv_comment(&l->table, "noise"), rest = noise;
    double percent = noise.text ? cell_number(cell_take(&rest, '%')) : 0.4;
    if (!(percent >= 0 && percent < 100) || rest.length > 0 || (noise.text && noise.text[noise.length - 1] != '%'))
        return tsv_fail(&l->table, noise.text, -1,
                        TEXT("noise '%.*s': expected a percentage, such as 0.4%%",
                             "噪声“%.*s”：应为百分数，例如 0.4%%"),
                        CELL_SHOWN(noise));
    l->r->device.noise = percent / 100;
    return true;
}

/* ---- Rows ---- */

/* The number of a reason, from 1; 0: too many. A new one is added. */
static int reason_number(struct recording *r, struct tsv_cell word)
{
    static const struct text known[] = {
        { "oom_smem", "共享内存不足" },    { "spill", "寄存器溢出" },      { "compile_error", "编译失败" },
        { "compile_timeout", "编译超时" }, { "launch_error", "启动失败" }, { "run_error", "运行失败" },
        { "wrong", "结果错误" },           { "invalid", "违反约束" },      { "failed", "失败" },
        { "illegal", "不合法" },           { "not recorded", "未记录" },
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

/* A word can be a reason; infinity and not-a-number cannot: whoever wrote them took them for times. */
static bool is_word(struct tsv_cell cell)
{
    static const char *const number[] = { "nan", "inf", "infinity" };
    unsigned char c = cell.length > 0 ? (unsigned char)*cell.text : 0;
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if ((size_t)cell.length == strlen(number[i]) && !strncasecmp(cell.text, number[i], (size_t)cell.length))
            return false;
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
}

/* One time of one row, or why there is none. */
static bool read_time(struct loader *l, size_t row, int c, double to_us)
{
    struct recording *r = l->r;
    struct tsv_cell cell = tsv_cell(&l->table, row, l->time_column[c]);
    double time = cell_number(cell), *us = &r->time_us[(row - 1) * (size_t)r->columns + (size_t)c];
    *us = to_us < 1 ? time / 1000 : time * to_us; /* rounded once: 1e-3 is not exact, 1000 is */
    if (*us > 0 && *us < INFINITY)
        return true;
    if (!isnan(time) || !is_word(cell))
        return tsv_fail(&l->table, cell.text, l->time_column[c],
                        TEXT("'%.*s': expected a time above 0, x or a reason", "“%.*s”：应为大于 0 的时间、x 或原因"),
                        CELL_SHOWN(cell));
    *us = INFINITY;
    if (cell_is(cell, "x")) {
        struct tsv_cell why =
            l->why_column < 0 ? (struct tsv_cell){ "", 0 } : tsv_cell(&l->table, row, l->why_column);
        cell = is_word(why) ? why : (struct tsv_cell){ "illegal", 7 };
    }
    int number = reason_number(r, cell);
    if (number == 0)
        return tsv_fail(&l->table, tsv_cell(&l->table, row, 0).text, l->time_column[c],
                        TEXT("'%.*s': expected a time, x or one of the %d reasons so far",
                             "“%.*s”：应为时间、x 或已有的 %d 种原因之一"),
                        CELL_SHOWN(cell), MOST_REASONS);
    if (r->why[row - 1] == 0)
        r->why[row - 1] = (uint8_t)number;
    return true;
}

static bool read_sd(struct loader *l, size_t row, int c)
{
    struct tsv *t = &l->table;
    struct tsv_cell cell = tsv_cell(t, row, l->sd_column[c]);
    double sd = cell_number(cell), time = cell_number(tsv_cell(t, row, l->time_column[c]));
    if (!(sd >= 0 && sd < INFINITY))
        return tsv_fail(t, cell.text, l->sd_column[c],
                        TEXT("'%.*s': expected a standard deviation, 0 or above", "“%.*s”：应为不小于 0 的标准差"),
                        CELL_SHOWN(cell));
    l->r->noise[(row - 1) * (size_t)l->r->columns + (size_t)c] = sd / time;
    return true;
}

static bool read_column(struct loader *l, int c, double to_us)
{
    struct recording *r = l->r;
    size_t times = 0;
    for (size_t row = 1; row <= l->table.rows; row++) {
        if (!read_time(l, row, c, to_us))
            return false;
        bool timed = r->time_us[(row - 1) * (size_t)r->columns + (size_t)c] < INFINITY;
        if (timed && l->sd_column[c] >= 0 && !read_sd(l, row, c))
            return false;
        times += timed;
    }
    return times > 0 || tsv_fail(&l->table, l->table.header, l->time_column[c],
                                 TEXT("no time in any of %zu rows: expected some", "%zu 行中没有任何时间：应有若干"),
                                 l->table.rows);
}

static bool read_rows(struct loader *l)
{
    struct recording *r = l->r;
    size_t cells = l->table.rows * (size_t)r->columns, legal = 0;
    double to_us;
    if (!find_unit(l, &to_us) || !find_noise(l))
        return false;
    r->time_us = xalloc(cells, sizeof *r->time_us);
    r->why = xalloc(l->table.rows, 1);
    if (l->table.rows < r->lattice.size)
        reason_number(r, (struct tsv_cell){ "not recorded", 12 });
    for (int c = 0; c < r->columns; c++)
        if (l->sd_column[c] >= 0 && !r->noise)
            r->noise = xalloc(cells, sizeof *r->noise);
    for (size_t i = 0; r->noise && i < cells; i++)
        r->noise[i] = r->device.noise;
    for (int c = 0; c < r->columns; c++)
        if (!read_column(l, c, to_us))
            return false;
    for (size_t row = 0; row < l->table.rows; row++)
        legal += r->why[row] == 0;
    return legal > 0 || tsv_fail(&l->table, l->table.header, -1,
                                 TEXT("no row has a time in all %d columns: read one alone, FILE:COLUMN",
                                      "没有任何一行在全部 %d 列中都有时间：请只读一列，FILE:COLUMN"),
                                 r->columns);
}

/* ---- The whole ---- */

/* "data/h200_matmul.tsv" is called h200_matmul, unless it says its device's name. */
static char *device_name(const struct tsv *t)
{
    struct tsv_cell name = tsv_comment(t, "device");
    if (name.length > 0)
        return copied(name);
    const char *slash = strrchr(t->path, '/'), *base = slash ? slash + 1 : t->path, *dot = strrchr(base, '.');
    return copied((struct tsv_cell){ base, dot > base ? (int)(dot - base) : (int)strlen(base) });
}

bool recording_read(struct recording *r, const char *path, const char *column, char *error, size_t n)
{
    struct loader l = { .r = r };
    if (!tsv_open(&l.table, path, error, n))
        return false;
    size_t columns = (size_t)l.table.columns;
    r->workload = xalloc(columns, sizeof *r->workload);
    r->reason = xalloc(MOST_REASONS, sizeof *r->reason);
    r->device.name = device_name(&l.table);
    l.time_column = xalloc(columns, sizeof *l.time_column);
    l.sd_column = xalloc(columns, sizeof *l.sd_column);
    bool good = lattice_find(&r->lattice, &l.table) && find_times(&l, column) && find_shapes(&l) && read_rows(&l);
    if (good)
        r->matmul = name_matmul_knobs(&r->lattice, r->shapes);
    free(l.time_column);
    free(l.sd_column);
    tsv_close(&l.table);
    return good;
}

/* recording.c - reads one file: which columns are knobs, which row holds which combination of their values, and what
 * the other columns say of it. */
#include "device/recording.h"
#include "base/die.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Which columns are knobs, and which row holds which combination of their values ---- */

static int ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Each knob's position is a digit. */
uint32_t recording_number(const struct recording *r, const int *values)
{
    uint32_t number = 0;
    for (int k = 0; k < r->knobs; k++) {
        const int *all = r->knob[k].values;
        const int *place = bsearch(&values[k], all, (size_t)r->knob[k].count, sizeof *all, ascending);
        number = number * (uint32_t)r->knob[k].count + (uint32_t)(place - all);
    }
    return number;
}

/* Fills row_of; returns 0, or a row whose knobs have the same values as the row *first has. */
static size_t index_rows(struct recording *r, size_t *first)
{
    free(r->row_of);
    r->row_of = xalloc(r->size, sizeof *r->row_of);
    for (size_t row = 1; row <= r->table.rows; row++) {
        int values[SPACE_MAX_KNOBS];
        for (int k = 0; k < r->knobs; k++)
            cell_int(tsv_cell(&r->table, row, r->knob_column[k]), &values[k]);
        uint32_t *holder = &r->row_of[recording_number(r, values)];
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
    size_t odd = 0, runs = 0; /* equal neighbours, of which there are many, count once */
    for (size_t row = 1; row <= t->rows && odd == 0; row++) {
        if (!cell_int(tsv_cell(t, row, column), &values[runs]))
            odd = row;
        runs += runs == 0 || values[runs] != values[runs - 1];
    }
    qsort(values, runs, sizeof *values, ascending);
    for (size_t i = 0; i < runs; i++)
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

static void add_knob(struct recording *r, int column, struct knob knob)
{
    uint64_t size = (uint64_t)r->size * (uint64_t)knob.count;
    if (r->knobs == SPACE_MAX_KNOBS || size > SPACE_MAX_SIZE)
        tsv_die(&r->table, r->table.line[0], column, "with this knob there are over %d knobs or over %d combinations",
                SPACE_MAX_KNOBS, SPACE_MAX_SIZE);
    if (size > RECORDED_SPARSE && size / RECORDED_SPARSITY > r->table.rows)
        tsv_die(&r->table, r->table.line[0], column,
                "with this knob there are %llu combinations for %zu rows: over a million, at least 1 in %d must have one",
                (unsigned long long)size, r->table.rows, RECORDED_SPARSITY);
    r->knob_column[r->knobs] = column;
    r->knob[r->knobs++] = knob;
    r->size *= (uint32_t)knob.count;
}

static bool is_knob(const struct recording *r, int column)
{
    for (int k = 0; k < r->knobs; k++)
        if (r->knob_column[k] == column)
            return true;
    return false;
}

static void find_knobs(struct recording *r)
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

/* ---- Columns of times and their workloads ---- */

/* The column of what is said of NAME beside its times, or -1: NAME_sd, NAME_compile_s. */
static const char *const beside[] = { "_sd", "_compile_s" };
static int column_beside(const struct recording *r, int column, const char *suffix)
{
    char *name = xformat("%s%s", tsv_cell(&r->table, 0, column), suffix);
    int found = tsv_column(&r->table, name);
    free(name);
    return found >= 0 && is_knob(r, found) ? -1 : found;
}

/* What is neither a knob nor why nor beside another column is one of times. */
static bool is_time(const struct recording *r, int column)
{
    char *name = xformat("%s", tsv_cell(&r->table, 0, column));
    size_t length = strlen(name);
    bool other = is_knob(r, column) || !strcmp(name, "why");
    for (int i = 0; i < 2; i++) {
        size_t tail = strlen(beside[i]);
        if (length <= tail || strcmp(name + length - tail, beside[i]) != 0)
            continue;
        name[length - tail] = 0;
        other = other || tsv_column(&r->table, name) >= 0;
        name[length - tail] = beside[i][0];
    }
    free(name);
    return !other;
}

/* A name as tables show it: not too long. */
static char *shown(const char *name)
{
    size_t cut = text_cut(name, RECORDED_NAME);
    return xformat("%.*s%s", (int)cut, name, name[cut] ? "…" : "");
}

/* All of them, or the one of that name. */
static void find_times(struct recording *r, const char *only)
{
    const struct tsv *t = &r->table;
    char *found = "";
    r->column = xalloc((size_t)t->columns, sizeof *r->column);
    for (int c = 0; c < t->columns; c++) {
        const char *id = tsv_cell(t, 0, c);
        if (is_time(r, c) && (!only || !strcmp(id, only))) {
            const char *name = shown(id);
            r->column[r->columns++] =
                (struct column){ { .id = id, .name = { name, name } }, .file = r, .cublas_us = NAN };
        }
    }
    for (int c = 0; c < t->columns && r->columns == 0 && strlen(found) < DIE_BYTES; c++)
        if (is_time(r, c))
            found = xformat("%s %.40s", found, tsv_cell(t, 0, c));
    if (r->columns == 0 && only)
        tsv_die(t, t->line[0], -1, "no time column '%.60s': expected one of%.200s", only, found);
    if (r->columns == 0)
        tsv_die(t, t->line[0], -1, "no time column beside %d knobs: expected one, or the comment '# knobs: …' above",
                r->knobs);
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

/* "# Shapes M,N,K: square 4096,4096,4096; …": every column must have one. Columns that are not read may be named
 * too. The lecture's words are those for the name, else for a task of its network of that shape. */
static void find_shapes(struct recording *r)
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
        for (int i = 0; i < WORKLOAD_NETWORK && !known; i++)
            if (workload_same(&workload_network[i].workload, &shape))
                known = &workload_network[i].workload;
        for (struct column *c = r->column; c < r->column + r->columns; c++)
            if (!strcmp(name, c->workload.id)) {
                if (known && c->workload.m == 0) {
                    free((void *)c->workload.name.en);
                    c->workload.name = (struct text){ xformat("%s", known->name.en), known->name.zh };
                }
                c->workload.m = shape.m, c->workload.n = shape.n, c->workload.k = shape.k;
            }
    }
    for (int c = 0; c < r->columns; c++)
        if (r->column[c].workload.m == 0)
            tsv_die(t, t->line[0], tsv_column(t, r->column[c].workload.id),
                    "the comment 'Shapes M,N,K' does not give this column a shape of its own");
}

/* "# cuBLAS (torch.mm) us: square 177.3; …": of any columns. */
static void find_cublas(struct recording *r)
{
    size_t line;
    char *list = tsv_comment(&r->table, "cuBLAS (torch.mm) us", "", &line);
    while (*list) {
        char *number = cell_take(&list, ';');
        const char *name = cell_take(&number, ' ');
        double us = cell_number(number);
        if (!(us >= RECORDED_LEAST_US && us <= RECORDED_MOST_US))
            tsv_die(&r->table, line, -1, "'%.40s' of '%.40s': expected NAME TIME, in us", number, name);
        for (int c = 0; c < r->columns; c++)
            if (!strcmp(name, r->column[c].workload.id))
                r->column[c].cublas_us = us;
    }
}

/* ---- What the cells say ---- */

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

static char not_recorded[] = "not recorded", illegal[] = "illegal";

/* The number of a reason, from 1; 0: too many. A new one is added, as it is shown. */
static int reason_number(struct reasons *r, char *word)
{
    static const struct text known[] = {
        { "oom_smem", "共享内存不足" },    { "spill", "寄存器溢出" },      { "compile_error", "编译失败" },
        { "compile_timeout", "编译超时" }, { "launch_error", "启动失败" }, { "run_error", "运行失败" },
        { "wrong", "结果错误" },           { "invalid", "违反约束" },      { "failed", "失败" },
        { illegal, "不合法" },             { not_recorded, "未记录" },     { "constraints", "违反约束" },
        { "compile", "编译失败" },         { "runtime", "运行失败" },      { "timeout", "超时" },
        { "correctness", "结果错误" },
    };
    text_clean(word);
    word[text_cut(word, RECORDED_NAME)] = 0;
    word = strcmp(word, "not_recorded") ? word : not_recorded;
    for (int i = 0; i < r->count; i++)
        if (!strcmp(word, r->text[i].en))
            return i + 1;
    if (r->count == RECORDED_MAX_REASONS)
        return 0;
    struct text *text = &r->text[r->count++];
    *text = (struct text){ word, word };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].en, word))
            *text = known[i];
    return r->count;
}

/* A word can be a reason; infinity and not-a-number cannot: whoever wrote them took them for times. */
static bool is_word(const char *cell)
{
    unsigned char c = (unsigned char)*cell;
    return ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80) && strcasecmp(cell, "nan") != 0 &&
           strcasecmp(cell, "inf") != 0 && strcasecmp(cell, "infinity") != 0;
}

/* One time of one row in us; INFINITY if there is none, and *reason says why. */
static double read_time(const struct tsv *t, size_t row, int column, int why_column, double to_us,
                        struct reasons *reasons, uint8_t *reason)
{
    char *cell = tsv_cell(t, row, column), *word = cell;
    double time = cell_number(cell), us = to_us < 1 ? time / 1000 : time * to_us; /* 1e-3 is not exact, 1000 is */
    if (us >= RECORDED_LEAST_US && us <= RECORDED_MOST_US)
        return us;
    if (!isnan(time) || !is_word(cell))
        tsv_die(t, t->line[row], column, "'%.40s': expected a time above 0 (%g to %g us), x or a reason", cell,
                RECORDED_LEAST_US, RECORDED_MOST_US);
    if (!strcmp(cell, "x")) {
        char *why = why_column < 0 ? illegal : tsv_cell(t, row, why_column);
        word = is_word(why) ? why : illegal;
    }
    *reason = (uint8_t)reason_number(reasons, word);
    if (*reason == 0)
        tsv_die(t, t->line[row], column, "'%.40s': expected a time, x or one of the %d reasons so far", word,
                RECORDED_MAX_REASONS);
    return INFINITY;
}

/* The number in the column beside, from `least` to `most`; NAN: an x. */
static double read_beside(const struct tsv *t, size_t row, int column, const char *what, double least, double most)
{
    const char *cell = tsv_cell(t, row, column);
    double value = cell_number(cell);
    if (strcmp(cell, "x") != 0 && !(value >= least && value <= most))
        tsv_die(t, t->line[row], column, "'%.40s': expected %s, %g to %g, or x", cell, what, least, most);
    return value;
}

static void read_column(struct recording *r, struct column *c, double to_us, struct reasons *reasons)
{
    const struct tsv *t = &r->table;
    int column = tsv_column(t, c->workload.id), sd = column_beside(r, column, beside[0]);
    int compile = column_beside(r, column, beside[1]), why = tsv_column(t, "why");
    size_t times = 0;
    c->us = xalloc(t->rows, sizeof *c->us);
    c->reason = xalloc(t->rows, sizeof *c->reason);
    c->noise = sd < 0 ? NULL : xalloc(t->rows, sizeof *c->noise);
    c->compile_s = compile < 0 ? NULL : xalloc(t->rows, sizeof *c->compile_s);
    for (size_t i = 0, row = 1; i < t->rows; i++, row++) {
        c->us[i] = read_time(t, row, column, why, to_us, reasons, &c->reason[i]);
        times += c->us[i] < INFINITY;
        if (c->noise && c->us[i] < INFINITY) {
            double error = read_beside(t, row, sd, "a standard error", 0, RECORDED_MOST_US);
            c->noise[i] = isnan(error) ? r->noise : fmin(error / cell_number(tsv_cell(t, row, column)), 1);
        }
        if (c->compile_s) {
            double seconds = read_beside(t, row, compile, "seconds", 1e-12, 1e6);
            c->compile_s[i] = isnan(seconds) ? 0 : seconds;
        }
    }
    if (times == 0)
        tsv_die(t, t->line[0], column, "no time in any of %zu rows: expected some", t->rows);
}

/* "# rules: WORD …": which of the reasons so far a space's own rules give. */
static void find_rules(struct recording *r, const struct reasons *reasons)
{
    size_t line;
    char standard[] = "constraints invalid spill oom_smem", *words = tsv_comment(&r->table, "rules", standard, &line);
    for (int i = 1; i <= reasons->count; i++)
        r->rule[i] = !strcmp(reasons->text[i - 1].en, not_recorded) || !strcmp(reasons->text[i - 1].en, illegal);
    while (*words) {
        const char *word = cell_take(&words, ' ');
        for (int i = 1; i <= reasons->count; i++)
            r->rule[i] = r->rule[i] || !strcmp(reasons->text[i - 1].en, word);
    }
}

static void read_rows(struct recording *r, struct reasons *reasons)
{
    double to_us = find_unit(&r->table);
    r->noise = find_noise(&r->table);
    if (r->table.rows < r->size)
        r->missing = reason_number(reasons, not_recorded);
    for (struct column *c = r->column; c < r->column + r->columns; c++)
        read_column(r, c, to_us, reasons);
    find_rules(r, reasons);
    for (struct column *c = r->column; c < r->column + r->columns; c++)
        for (size_t i = 0; i < r->table.rows; i++)
            c->legal += !r->rule[c->reason[i]];
}

int column_reason(const struct column *column, uint32_t number)
{
    uint32_t row = column->file->row_of[number];
    return row ? column->reason[row - 1] : column->file->missing;
}

int column_rule(const struct column *column, uint32_t number)
{
    int reason = column_reason(column, number);
    return column->file->rule[reason] ? reason : 0;
}

/* ---- The file ---- */

/* "data/h200_matmul.tsv" is called h200_matmul, unless it says its device's name. */
static char *device_name(const struct tsv *t)
{
    size_t line;
    char *name = tsv_comment(t, "device", "", &line), *slash = strrchr(t->path, '/');
    char *file = xformat("%s", slash ? slash + 1 : t->path), *dot = strrchr(file, '.');
    if (dot > file)
        *dot = 0;
    name = *name ? name : file;
    text_clean(name);
    name = shown(name);
    free(file);
    return name;
}

struct recording *recording_open(const char *path, const char *column, struct reasons *reasons)
{
    struct recording *r = xalloc(1, sizeof *r);
    size_t line;
    r->table = tsv_open(path);
    r->name = device_name(&r->table);
    r->of_devices = !strcmp(tsv_comment(&r->table, "columns", "", &line), "devices");
    find_knobs(r);
    find_times(r, column);
    find_shapes(r);
    find_cublas(r);
    read_rows(r, reasons);
    return r;
}

void recording_close(struct recording *r)
{
    for (int k = 0; k < r->knobs; k++)
        free((void *)r->knob[k].values);
    for (struct column *c = r->column; c < r->column + r->columns; c++) {
        free((void *)c->workload.name.en);
        free(c->us);
        free(c->reason);
        free(c->noise);
        free(c->compile_s);
    }
    tsv_close(&r->table);
    free(r->name);
    free(r->column);
    free(r->row_of);
    free(r);
}

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

static const char sd[] = "_sd", compile_s[] = "_compile_s"; /* endings of columns that stand beside one of times */
static char not_recorded[] = REASON_NOT_RECORDED, illegal[] = REASON_ILLEGAL; /* not literals: words are cut in place */

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

/* Fills row_of. False if two rows hold the same combination, which must not be. */
static bool index_rows(struct recording *r, bool must)
{
    const struct tsv *t = &r->table;
    free(r->row_of);
    r->row_of = xalloc(r->size, sizeof *r->row_of);
    for (size_t row = 1; row <= t->rows; row++) {
        int values[SPACE_MAX_KNOBS];
        for (int k = 0; k < r->knobs; k++)
            cell_int(tsv_cell(t, row, r->knob_column[k]), &values[k]);
        uint32_t *holder = &r->row_of[recording_number(r, values)];
        if (*holder && must)
            tsv_die(t, t->line[row], -1, "the same knob values as in line %zu: expected each combination once",
                    t->line[*holder]);
        if (*holder)
            return false;
        *holder = (uint32_t)row;
    }
    return true;
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
    r->role[column] = KNOB;
    r->knob_column[r->knobs] = column;
    r->knob[r->knobs++] = knob;
    r->size *= (uint32_t)knob.count;
}

static void find_knobs(struct recording *r)
{
    const struct tsv *t = &r->table;
    struct knob knob;
    size_t line;
    char *names = tsv_comment(t, "knobs", "", &line);
    bool named = *names;
    r->size = 1;
    while (named && *names) {
        const char *name = cell_take(&names, ' ');
        int column = tsv_column(t, name);
        if (column < 0 || r->role[column] == KNOB)
            tsv_die(t, line, -1, "knob '%.40s': expected the name of a column, each once", name);
        read_knob(t, column, true, &knob);
        add_knob(r, column, knob);
    }
    for (int column = 0; !named && column < t->columns && read_knob(t, column, column == 0, &knob); column++) {
        if (knob.count > 1 && r->size >= t->rows && index_rows(r, false))
            tsv_die(t, t->line[0], column,
                    "a knob, or a time in whole numbers? Expected before the header: # knobs: %s …", r->knob[0].name);
        add_knob(r, column, knob);
    }
    index_rows(r, true);
}

/* ---- Columns of times and their workloads ---- */

/* The column NAME_sd or NAME_compile_s, in which something is said of column NAME; -1: none. */
static int column_beside(const struct recording *r, int column, const char *ending)
{
    char *name = xformat("%s%s", tsv_cell(&r->table, 0, column), ending);
    int found = tsv_column(&r->table, name);
    free(name);
    return found >= 0 && r->role[found] != KNOB ? found : -1;
}

/* What is neither a knob nor why nor beside another column is one of times. */
static void find_roles(struct recording *r)
{
    int why = tsv_column(&r->table, "why");
    if (why >= 0 && r->role[why] != KNOB)
        r->role[why] = BESIDE;
    for (int c = 0; c < r->table.columns; c++)
        for (int i = 0; i < 2; i++) {
            int beside = column_beside(r, c, i ? compile_s : sd);
            if (beside >= 0)
                r->role[beside] = BESIDE;
        }
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
    char *found = xalloc(1, 1);
    r->column = xalloc((size_t)t->columns, sizeof *r->column);
    for (int c = 0; c < t->columns; c++) {
        const char *id = tsv_cell(t, 0, c);
        if (r->role[c] != TIME)
            continue;
        if (strlen(found) < DIE_BYTES)
            xappend(&found, " %.40s", id);
        if (!only || !strcmp(id, only)) {
            const char *name = shown(id);
            r->column[r->columns++] = (struct column){ { .id = id, .name = { name, name } }, .file = r };
        }
    }
    if (r->columns == 0 && only)
        tsv_die(t, t->line[0], -1, "no time column '%.60s': expected one of%.200s", only, found);
    if (r->columns == 0)
        tsv_die(t, t->line[0], -1, "no time column beside %d knobs: expected one, or the comment '# knobs: …' above",
                r->knobs);
    free(found);
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
        const struct workload *known = workload_find(name);
        struct workload shape;
        if (!workload_parse(extents, ',', &shape))
            tsv_die(t, line, -1, "shape '%.40s': expected NAME M,N,K, each from 1 to %d", extents,
                    WORKLOAD_MAX_EXTENT);
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

/* "# cuBLAS (torch.mm) us: square 177.3; …": of some columns, or none. */
static void find_library(struct recording *r)
{
    size_t line;
    char *list = tsv_comment(&r->table, "cuBLAS (torch.mm) us", "", &line);
    while (*list) {
        char *time = cell_take(&list, ';'), *name = cell_take(&time, ' ');
        double us = cell_number(time);
        if (!(us > 0))
            tsv_die(&r->table, line, -1, "cuBLAS's '%.40s' of %.40s: expected a time above 0", time, name);
        for (int c = 0; c < r->columns; c++)
            if (!strcmp(name, r->column[c].workload.id))
                r->column[c].library_us = us;
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

/* A word can be a reason; infinity and not-a-number cannot: whoever wrote them took them for times. */
static bool is_word(const char *cell)
{
    unsigned char c = (unsigned char)*cell;
    return ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80) && strcasecmp(cell, "nan") != 0 &&
           strcasecmp(cell, "inf") != 0 && strcasecmp(cell, "infinity") != 0;
}

/* A row's time in us, or why there is none. */
static void read_time(const struct tsv *t, size_t row, int column, double to_us, struct reasons *reasons,
                      struct point *point)
{
    char *cell = tsv_cell(t, row, column), *word = cell;
    double time = cell_number(cell), us = to_us < 1 ? time / 1000 : time * to_us; /* 1e-3 is not exact, 1000 is */
    point->us = us;
    if (us >= RECORDED_LEAST_US && us <= RECORDED_MOST_US)
        return;
    if (!isnan(time) || !is_word(cell))
        tsv_die(t, t->line[row], column, "'%.40s': expected a time above 0 (%g to %g us), x or a reason", cell,
                RECORDED_LEAST_US, RECORDED_MOST_US);
    if (!strcmp(cell, "x")) {
        int why = tsv_column(t, "why");
        word = why >= 0 && is_word(tsv_cell(t, row, why)) ? tsv_cell(t, row, why) : illegal;
    }
    point->us = INFINITY;
    point->conditions.failure = reasons_number(reasons, word);
    if (point->conditions.failure == 0)
        tsv_die(t, t->line[row], column, "'%.40s': expected a time, x or one of the %d reasons so far", word,
                RECORDED_MAX_REASONS);
}

/* The number in the column beside, from `least` to `most`; NAN: an x, or no such column. */
static double read_beside(const struct tsv *t, size_t row, int column, const char *what, double least, double most)
{
    const char *cell = column < 0 ? "x" : tsv_cell(t, row, column);
    double value = cell_number(cell);
    if (strcmp(cell, "x") != 0 && !(value >= least && value <= most))
        tsv_die(t, t->line[row], column, "'%.40s': expected %s, %g to %g, or x", cell, what, least, most);
    return value;
}

static void read_column(struct recording *r, struct column *c, double to_us, struct reasons *reasons)
{
    const struct tsv *t = &r->table;
    int column = tsv_column(t, c->workload.id), errors = column_beside(r, column, sd);
    int compiles = column_beside(r, column, compile_s);
    size_t times = 0;
    r->compiles = r->compiles || compiles >= 0;
    c->point = xalloc(t->rows, sizeof *c->point);
    for (size_t row = 1; row <= t->rows; row++) {
        struct point *point = &c->point[row - 1];
        point->conditions = (struct conditions){ 0, r->missing.conditions.noise, DEVICE_COMPILE_S };
        read_time(t, row, column, to_us, reasons, point);
        times += point->us < INFINITY;
        double error = NAN, seconds = read_beside(t, row, compiles, "seconds", 1e-12, 1e6);
        if (point->us < INFINITY)
            error = read_beside(t, row, errors, "a standard error", 0, RECORDED_MOST_US);
        if (!isnan(error))
            point->conditions.noise = fmin(error / cell_number(tsv_cell(t, row, column)), 1);
        if (!isnan(seconds))
            point->conditions.compile_s = seconds;
    }
    if (times == 0)
        tsv_die(t, t->line[0], column, "no time in any of %zu rows: expected some", t->rows);
}

/* "# rules: WORD …": which of the reasons so far a space's own rules give. */
static void apply_rules(struct recording *r, const struct reasons *reasons)
{
    char standard[] = "constraints invalid spill oom_smem", *words = tsv_comment(&r->table, "rules", standard, NULL);
    bool rule[RECORDED_MAX_REASONS + 1] = { false };
    for (int i = 1; i <= reasons->count; i++)
        rule[i] = !strcmp(reasons->text[i - 1].en, not_recorded) || !strcmp(reasons->text[i - 1].en, illegal);
    while (*words) {
        const char *word = cell_take(&words, ' ');
        for (int i = 1; i <= reasons->count; i++)
            rule[i] = rule[i] || !strcmp(reasons->text[i - 1].en, word);
    }
    for (struct column *c = r->column; c < r->column + r->columns; c++)
        for (size_t i = 0; i < r->table.rows; i++) {
            int failure = c->point[i].conditions.failure;
            c->point[i].rule = rule[failure] ? failure : 0;
            c->legal += !rule[failure];
        }
}

static void read_rows(struct recording *r, struct reasons *reasons)
{
    double to_us = find_unit(&r->table);
    r->missing = (struct point){ INFINITY, { 0, find_noise(&r->table), DEVICE_COMPILE_S }, 0 };
    if (r->table.rows < r->size)
        r->missing.conditions.failure = r->missing.rule = reasons_number(reasons, not_recorded);
    for (struct column *c = r->column; c < r->column + r->columns; c++)
        read_column(r, c, to_us, reasons);
    apply_rules(r, reasons);
}

/* ---- The file ---- */

/* "data/h200_matmul.tsv" is called h200_matmul, unless it says its device's name. */
static char *device_name(const struct tsv *t)
{
    const char *said = tsv_comment(t, "device", "", NULL), *slash = strrchr(t->path, '/');
    const char *file = slash ? slash + 1 : t->path, *dot = strrchr(file, '.');
    char *text = *said ? xformat("%s", said) : xformat("%.*s", (int)(dot > file ? dot - file : TSV_MAX_NAME), file);
    text_clean(text);
    char *name = shown(text);
    free(text);
    return name;
}

struct recording *recording_open(const char *path, const char *column, struct reasons *reasons)
{
    struct recording *r = xalloc(1, sizeof *r);
    r->table = tsv_open(path);
    r->name = device_name(&r->table);
    r->of_devices = !strcmp(tsv_comment(&r->table, "columns", "", NULL), "devices");
    r->role = xalloc((size_t)r->table.columns, sizeof *r->role);
    find_knobs(r);
    find_roles(r);
    find_times(r, column);
    find_shapes(r);
    find_library(r);
    read_rows(r, reasons);
    r->table.cell = xrealloc(r->table.cell, (size_t)r->table.columns, sizeof *r->table.cell); /* names are still asked for */
    return r;
}

void recording_close(struct recording *r)
{
    for (int k = 0; k < r->knobs; k++)
        free((void *)r->knob[k].values);
    for (struct column *c = r->column; c < r->column + r->columns; c++) {
        free((void *)c->workload.name.en);
        free(c->point);
    }
    tsv_close(&r->table);
    free(r->name);
    free(r->column);
    free(r->role);
    free(r->row_of);
    free(r);
}

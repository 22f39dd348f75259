/* recorded.c - one or several files of measurements (recording.c) become a device: what a tuner asks is looked up, never
 * interpolated. */
#include "device/recording.h"
#include "space/matmul.h"
#include "base/die.h"
#include "base/xalloc.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct recorded {
    struct device device; /* first: a pointer to it is one to this */
    int files;
    struct recording **file;    /* [files] */
    struct reasons reasons;     /* of all files */
    struct workload *shape;     /* [device.workloads] what device.workload points to */
    struct column **time;       /* [device.workloads] */
};

/* ---- Several files, one space ---- */

/* The matmul's seven get the long names if they can be one's, by which tuners know what they mean; else the short
 * ones: program features of a shape or value that there is not would be no numbers. */
static void name_matmul_knobs(const struct recorded *r, struct knob *knobs)
{
    static const char *const brief[] = { "BM", "BN", "BK", "w", "s", "G", "S" };
    bool can = true;
    if (r->file[0]->knobs != MATMUL_KNOBS)
        return;
    for (int w = 0; w < r->device.workloads; w++)
        can = can && r->shape[w].m > 0;
    for (int k = 0; k < MATMUL_KNOBS; k++) {
        const struct knob *knob = &knobs[k];
        if (strcmp(knob->name, brief[k]) != 0 && strcmp(knob->name, matmul_knob_name[k]) != 0)
            return;
        can = can && knob->values[0] >= 1 && knob->values[knob->count - 1] <= WORKLOAD_MAX_EXTENT;
    }
    for (int k = 0; k < MATMUL_KNOBS; k++)
        knobs[k].name = can ? matmul_knob_name[k] : brief[k];
}

static void check_alike(const struct recording *a, const struct recording *b)
{
    for (int k = 0; k < (a->knobs > b->knobs ? a->knobs : b->knobs); k++) {
        const struct knob *x = &a->knob[k], *y = &b->knob[k];
        if (k == a->knobs || k == b->knobs || strcmp(x->name, y->name) != 0)
            die("%s and %s: knob %d is '%.40s' and '%.40s'; expected the same knobs in the same order", a->table.path,
                b->table.path, k + 1, k < a->knobs ? x->name : "none", k < b->knobs ? y->name : "none");
        if (x->count != y->count || memcmp(x->values, y->values, (size_t)x->count * sizeof *x->values) != 0)
            die("%s and %s: knob '%.40s' has other values; expected the same kernel, measured over the same space",
                a->table.path, b->table.path, x->name);
    }
}

/* A workload stands once, by its name and by its shape. */
static void check_once(const struct recorded *r, int w)
{
    const struct workload *new = &r->shape[w];
    const struct tsv *t = &r->time[w]->file->table;
    for (int i = 0; i < w; i++)
        if (!strcmp(new->id, r->shape[i].id) || (new->m && workload_same(new, &r->shape[i])))
            tsv_die(t, t->line[0], tsv_column(t, new->id), "%s has it too, as '%.60s': expected a shape of its own",
                    r->time[i]->file->table.path, r->shape[i].id);
}

static void join_columns(struct recorded *r)
{
    int columns = 0, w = 0;
    for (int f = 0; f < r->files; f++)
        columns += r->file[f]->columns;
    r->shape = xalloc((size_t)columns, sizeof *r->shape);
    r->time = xalloc((size_t)columns, sizeof *r->time);
    r->device.workloads = columns;
    r->device.workload = r->shape;
    for (int f = 0; f < r->files; f++)
        for (int c = 0; c < r->file[f]->columns; c++, w++) {
            r->time[w] = &r->file[f]->column[c];
            r->shape[w] = r->time[w]->workload;
            check_once(r, w);
        }
}

/* The different names of the files' devices, joined. */
static char *join_names(const struct recorded *r)
{
    char *names = xformat("%s", r->file[0]->name);
    for (int f = 1; f < r->files; f++)
        if (!strstr(names, r->file[f]->name))
            xappend(&names, " + %s", r->file[f]->name);
    return names;
}

/* ---- What is looked up ---- */

/* What a column says of a combination. */
static const struct point *column_point(const struct column *column, uint32_t number)
{
    uint32_t row = column->file->row_of[number];
    return row ? &column->point[row - 1] : &column->file->missing;
}

static struct column *column_of(const struct device *device, const struct workload *w)
{
    const struct workload *recorded = device_match(device, w);
    assert(recorded);
    return ((const struct recorded *)device)->time[recorded - device->workload];
}

static const struct point *look_up(const struct device *device, const struct workload *w, const int *values)
{
    const struct column *column = column_of(device, w);
    return column_point(column, recording_number(column->file, values));
}

static double time_us(const struct device *device, const struct workload *w, const int *values)
{
    return look_up(device, w, values)->us;
}

static struct conditions conditions(const struct device *device, const struct workload *w, const int *values)
{
    return look_up(device, w, values)->conditions;
}

static double library_us(const struct device *device, const struct workload *w)
{
    return column_of(device, w)->library_us;
}

/* ---- Legality ---- */

/* The whole device's: what no column's rules allow. */
static int common_rule(const void *context, const int *values)
{
    const struct recorded *r = context;
    uint32_t number = recording_number(r->file[0], values);
    for (int w = 0; w < r->device.workloads; w++)
        if (column_point(r->time[w], number)->rule == 0)
            return 0;
    return column_point(r->time[0], number)->rule;
}

static int own_rule(const void *context, const int *values)
{
    const struct column *column = context;
    return column_point(column, recording_number(column->file, values))->rule;
}

static const struct space *space_of(const struct device *device, const struct workload *w)
{
    const struct reasons *reasons = &((const struct recorded *)device)->reasons;
    struct column *column = column_of(device, w);
    if (column->legal == device->space->legal_count) /* the whole device's are these and maybe more */
        return device->space;
    const struct space *space;
#pragma omp critical(recorded_own)
    {
        if (!column->own)
            column->own = space_new(device->space->knobs, device->space->knob, reasons->count, reasons->text,
                                    own_rule, column);
        space = column->own;
    }
    return space;
}

/* ---- Its life ---- */

static void close_recorded(struct device *device)
{
    struct recorded *r = (struct recorded *)device;
    for (int w = 0; w < device->workloads; w++)
        space_free(r->time[w]->own);
    space_free((struct space *)device->space);
    for (int f = 0; f < r->files; f++)
        recording_close(r->file[f]);
    free((void *)device->name);
    free(r->file);
    free(r->time);
    free(r->shape);
    free(r);
}

struct device *recorded_open(int files, const char *const *path, const char *const *column)
{
    struct recorded *r = xalloc(1, sizeof *r);
    struct knob knob[SPACE_MAX_KNOBS];
    r->file = xalloc((size_t)files, sizeof *r->file);
    for (; r->files < files; r->files++) {
        r->file[r->files] = recording_open(path[r->files], column[r->files], &r->reasons);
        check_alike(r->file[0], r->file[r->files]);
    }
    const struct recording *first = r->file[0];
    r->device = (struct device){ .name = join_names(r),
                                 .noise = first->missing.conditions.noise,
                                 .of_devices = files == 1 && first->of_devices,
                                 .time_us = time_us,
                                 .conditions = conditions,
                                 .library_us = library_us,
                                 .space_of = space_of,
                                 .close = close_recorded };
    join_columns(r);
    for (int f = 0; f < files; f++)
        r->device.compiles |= r->file[f]->compiles;
    memcpy(knob, first->knob, sizeof knob);
    name_matmul_knobs(r, knob);
    r->device.space = space_new(first->knobs, knob, r->reasons.count, r->reasons.text, common_rule, r);
    assert(r->device.space); /* values ascend, and combinations are not too many */
    return &r->device;
}

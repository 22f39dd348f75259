/* recorded.c - a recording becomes a device: its knob columns span the space, its rows say what is legal and how long
 * it takes. What a tuner asks is looked up, never interpolated. */
#include "device/recorded.h"
#include "device/recording.h"
#include "base/xalloc.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int rule(const void *context, const int *values)
{
    const struct recording *r = context;
    uint32_t row = lattice_row(&r->lattice, values);
    return row ? r->why[row - 1] : 1; /* 1: "not recorded" */
}

/* Where the table has a recorded workload and a configuration; false if that is illegal. */
static bool look_up(const struct recording *r, const struct workload *w, const int *values, size_t *at)
{
    const struct workload *recorded = recorded_match(&r->device, w);
    uint32_t row = lattice_row(&r->lattice, values);
    assert(recorded);
    if (row == 0 || r->why[row - 1])
        return false;
    *at = ((size_t)row - 1) * (size_t)r->columns + (size_t)(recorded - r->workload);
    return true;
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

struct device *recorded_open(const char *path, const char *column, char *error, size_t n)
{
    struct recording *r = xalloc(1, sizeof *r);
    r->device.time_us = time_us;
    r->device.noise_of = recorded_noise;
    if (!recording_read(r, path, column, error, n)) {
        recorded_close(&r->device);
        return NULL;
    }
    r->device.space = space_new(r->lattice.knobs, r->lattice.knob, r->reasons, r->reason, rule, r);
    assert(r->device.space); /* the lattice is ascending and not too large */
    return &r->device;
}

void recorded_close(struct device *device)
{
    struct recording *r = (struct recording *)device;
    if (!r)
        return;
    for (int c = 0; c < r->columns; c++)
        free((void *)r->workload[c].id);
    for (int i = 0; i < r->reasons; i++)
        free((void *)r->reason[i].en);
    space_free((struct space *)device->space);
    lattice_free(&r->lattice);
    free((void *)device->name);
    free(r->workload);
    free(r->reason);
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

bool recorded_is_matmul(const struct device *device) { return ((const struct recording *)device)->matmul; }

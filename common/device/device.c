/* device.c - what can be asked of any hardware: one time, all times, the optimum. */
#include "device/device.h"
#include "base/stats.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void device_close(struct device *device)
{
    if (device && device->close)
        device->close(device);
}

const struct workload *device_find(const struct device *device, const char *id)
{
    size_t length = strlen(id);
    if (!device->workload)
        return workload_find(id);
    const struct workload *begins = NULL, *known = workload_find(id);
    for (int i = device->workloads - 1; i >= 0; i--) {
        const struct workload *w = &device->workload[i];
        if (!strcmp(w->id, id))
            return w;
        if (!strncmp(w->id, id, length) && w->id[length] == '_')
            begins = w;
    }
    known = known ? device_match(device, known) : NULL;
    return known ? known : begins;
}

const struct workload *device_match(const struct device *device, const struct workload *w)
{
    if (!device->workload)
        return w;
    for (int i = 0; i < device->workloads; i++) {
        const struct workload *has = &device->workload[i];
        if (has->m ? workload_same(has, w) : !strcmp(has->id, w->id))
            return has;
    }
    return NULL;
}

int device_dynamic(const struct device *device, int *m)
{
    int count = 0;
    for (int i = 1; i <= DYNAMIC_M; i++) {
        const struct workload w = workload_dynamic(i), *has = device_match(device, &w);
        if (has && has->m)
            m[count++] = i;
    }
    return count;
}

double device_time_us(const struct device *device, const struct workload *w, const struct space *space,
                      uint32_t config)
{
    int values[SPACE_MAX_KNOBS];
    if (!space_is_legal(space, config))
        return INFINITY;
    space_values(space, config, values);
    return device->time_us(device, w, values);
}

const struct space *device_space(const struct device *device, const struct workload *w)
{
    return device->space_of ? device->space_of(device, w) : device->space;
}

struct conditions device_conditions(const struct device *device, const struct workload *w, const struct space *space,
                                    uint32_t config)
{
    int values[SPACE_MAX_KNOBS];
    struct conditions c = { 0, device->noise, DEVICE_COMPILE_S };
    if (device->conditions) {
        space_values(space, config, values);
        c = device->conditions(device, w, values);
    }
    if (!space_is_legal(space, config))
        c.failure = space->illegal[config];
    return c;
}

/* struct device's landscape, for any. */
static uint32_t walk(const struct device *device, const struct workload *w, const struct space *space,
                     double *time_us)
{
    if (device->landscape)
        return device->landscape(device, w, space, time_us);
    uint32_t best = 0;
    double best_us = INFINITY;
    for (uint32_t config = 0; config < space->size; config++) {
        double us = device_time_us(device, w, space, config);
        if (time_us)
            time_us[config] = us;
        if (us < best_us) {
            best = config;
            best_us = us;
        }
    }
    return best;
}

uint32_t device_optimum(const struct device *device, const struct workload *w)
{
    return walk(device, w, device->space, NULL);
}

double device_optimum_us(const struct device *device, const struct workload *w)
{
    return device_time_us(device, w, device->space, device_optimum(device, w));
}

struct landscape landscape_new(const struct device *device, const struct workload *w, const struct space *space)
{
    struct landscape l = { .space = space, .workload = *w };
    l.time_us = xalloc(space->size, sizeof *l.time_us);
    l.best = walk(device, w, space, l.time_us);
    l.best_us = l.time_us[l.best];
    return l;
}

void landscape_free(struct landscape *landscape)
{
    free(landscape->time_us);
    landscape->time_us = NULL;
}

uint32_t landscape_best_of(const struct landscape *landscape, size_t count, const uint32_t *list)
{
    uint32_t best = list[0];
    for (size_t i = 1; i < count; i++)
        if (landscape->time_us[list[i]] < landscape->time_us[best])
            best = list[i];
    return best;
}

double landscape_slowdown(const struct landscape *landscape, uint32_t config)
{
    return landscape->time_us[config] / landscape->best_us;
}

double *landscape_slowdowns(const struct landscape *landscape, size_t *count)
{
    const struct space *space = landscape->space;
    double *slowdown = xalloc(space->legal_count, sizeof *slowdown);
    *count = 0;
    for (uint32_t i = 0; i < space->legal_count; i++)
        if (landscape->time_us[space->legal[i]] < INFINITY)
            slowdown[(*count)++] = landscape_slowdown(landscape, space->legal[i]);
    stats_sort(slowdown, *count);
    return slowdown;
}

uint32_t landscape_best_value(const struct landscape *landscape, uint32_t config, int knob)
{
    const struct space *space = landscape->space;
    uint32_t best = config;
    for (int v = 0; v < space->knob[knob].count; v++) {
        uint32_t moved = space_moved(space, config, knob, v);
        if (landscape->time_us[moved] < landscape->time_us[best])
            best = moved;
    }
    return best;
}

uint32_t landscape_descend(const struct landscape *landscape, uint32_t at)
{
    uint32_t before;
    do {
        before = at;
        for (int k = 0; k < landscape->space->knobs; k++)
            at = landscape_best_value(landscape, at, k);
    } while (at != before);
    return at;
}

/* device.c - what can be asked of any hardware: one time, all times, the optimum. */
#include "device/device.h"
#include "base/stats.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdlib.h>

double device_time_us(const struct device *device, const struct workload *w, const struct space *space,
                      uint32_t config)
{
    int values[SPACE_MAX_KNOBS];
    if (!space_is_legal(space, config))
        return INFINITY;
    space_values(space, config, values);
    return device->time_us(device, w, values);
}

struct landscape landscape_new(const struct device *device, const struct workload *w, const struct space *space)
{
    struct landscape l = { .space = space, .workload = *w, .best_us = INFINITY };
    l.time_us = xalloc(space->size, sizeof *l.time_us);
    if (device->landscape) {
        device->landscape(device, w, space, l.time_us);
    } else {
        for (uint32_t config = 0; config < space->size; config++)
            l.time_us[config] = device_time_us(device, w, space, config);
    }
    for (uint32_t config = 0; config < space->size; config++)
        if (l.time_us[config] < l.best_us) {
            l.best = config;
            l.best_us = l.time_us[config];
        }
    return l;
}

void landscape_free(struct landscape *landscape)
{
    free(landscape->time_us);
    landscape->time_us = NULL;
}

double landscape_slowdown(const struct landscape *landscape, uint32_t config)
{
    return landscape->time_us[config] / landscape->best_us;
}

double *landscape_slowdowns(const struct landscape *landscape)
{
    const struct space *space = landscape->space;
    double *slowdown = xalloc(space->legal_count, sizeof *slowdown);
    for (uint32_t i = 0; i < space->legal_count; i++)
        slowdown[i] = landscape_slowdown(landscape, space->legal[i]);
    stats_sort(slowdown, space->legal_count);
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

uint32_t device_optimum(const struct device *device, const struct workload *w)
{
    if (device->optimum)
        return device->optimum(device, w);
    struct landscape landscape = landscape_new(device, w, device->space);
    landscape_free(&landscape);
    return landscape.best;
}

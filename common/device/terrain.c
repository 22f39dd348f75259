/* terrain.c - chance flows down the fitness flow graph, from every configuration to its faster neighbours. */
#include "device/terrain.h"
#include "base/stats.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdlib.h>

/* The neighbours of `config` that are faster; returns how many. */
static size_t faster(const struct landscape *l, enum neighbourhood kind, uint32_t config, uint32_t *out)
{
    const struct space *space = l->space;
    double us = l->time_us[config];
    size_t n = 0;
    for (int k = 0; k < space->knobs; k++) {
        int at = space_position(space, config, k), last = space->knob[k].count - 1;
        bool next = kind == ADJACENT_VALUE;
        uint32_t stride = space->stride[k], first = config - (uint32_t)at * stride;
        for (int v = next && at > 0 ? at - 1 : 0; v <= (next && at < last ? at + 1 : last); v++)
            if (l->time_us[first + (uint32_t)v * stride] < us)
                out[n++] = first + (uint32_t)v * stride;
    }
    return n;
}

/* The configurations that run, from the slowest to the fastest. */
static uint32_t *downhill(const struct landscape *l, size_t *count)
{
    const struct space *space = l->space;
    double *speed = xalloc(space->legal_count, sizeof *speed);
    uint32_t *runs = xalloc(space->legal_count, sizeof *runs), *order = xalloc(space->legal_count, sizeof *order);
    size_t n = 0;
    for (uint32_t i = 0; i < space->legal_count; i++)
        if (l->time_us[space->legal[i]] < INFINITY) {
            speed[n] = -l->time_us[space->legal[i]];
            runs[n++] = space->legal[i];
        }
    stats_order(speed, n, order);
    for (size_t i = 0; i < n; i++)
        order[i] = runs[order[i]];
    free(runs);
    free(speed);
    *count = n;
    return order;
}

struct terrain terrain_new(const struct landscape *l, enum neighbourhood kind)
{
    size_t count, most = 0, minima = 0;
    uint32_t *order = downhill(l, &count);
    double *chance = xalloc(l->space->size, sizeof *chance), *rank = xalloc(l->space->size, sizeof *rank), all = 0;
    for (int k = 0; k < l->space->knobs; k++)
        most += (size_t)l->space->knob[k].count;
    uint32_t *to = xalloc(most, sizeof *to);
    struct terrain t = { .moves = 0 };
    for (size_t i = 0; i < count; i++) {
        uint32_t at = order[i];
        size_t n = faster(l, kind, at, to);
        chance[at] += 1.0 / (double)count;
        rank[at] += 1.0 / (double)count; /* a walk that stands still or jumps starts anew anywhere */
        t.moves += n ? chance[at] : 0.0;
        for (size_t j = 0; j < n; j++) {
            chance[to[j]] += chance[at] / (double)n;
            rank[to[j]] += TERRAIN_DAMPING * rank[at] / (double)n;
        }
        if (n == 0)
            order[minima++] = at; /* i >= minima: read before */
    }
    t.minima = minima;
    t.slowdown = xalloc(3 * minima, sizeof *t.slowdown);
    t.ends = t.slowdown + minima;
    t.centrality = t.ends + minima;
    for (size_t i = 0; i < minima; i++)
        all += rank[order[i]];
    for (size_t i = 0, last = minima; i < minima; i++) { /* the fastest was found last */
        uint32_t at = order[--last];
        t.slowdown[i] = landscape_slowdown(l, at);
        t.ends[i] = chance[at];
        t.centrality[i] = rank[at] / all;
    }
    free(to);
    free(rank);
    free(chance);
    free(order);
    return t;
}

void terrain_free(struct terrain *terrain)
{
    free(terrain->slowdown);
    *terrain = (struct terrain){ 0 };
}

double terrain_within(const struct terrain *terrain, const double *of, double slowdown)
{
    double sum = 0;
    for (size_t i = 0; i < terrain->minima && terrain->slowdown[i] <= slowdown; i++)
        sum += of[i];
    return sum;
}

/* space.c - configurations as lexicographic indices, their legality, and how one moves among them. */
#include "space/space.h"
#include "base/die.h"
#include "base/xalloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The stride of each knob and the size of the whole; false if that is too large or a knob is malformed. */
static bool lay_out(struct space *space)
{
    uint64_t size = 1;
    for (int k = space->knobs - 1; k >= 0; k--) {
        const struct knob *knob = &space->knob[k];
        space->stride[k] = (uint32_t)size;
        for (int v = 1; v < knob->count; v++)
            if (knob->values[v] <= knob->values[v - 1])
                return false;
        if (knob->count < 1 || (size *= (uint64_t)knob->count) > SPACE_MAX_SIZE)
            return false;
    }
    space->size = (uint32_t)size;
    return space->knobs > 0 && space->knobs <= SPACE_MAX_KNOBS;
}

/* Asks the rule about every configuration, once; the values advance like an odometer. */
static void judge(struct space *space)
{
    space->illegal = xalloc(space->size, 1);
    space->legal = xalloc(space->size, sizeof *space->legal);
    int values[SPACE_MAX_KNOBS];
    for (uint32_t config = 0; config < space->size; config++) {
        space_values(space, config, values);
        space->illegal[config] = (uint8_t)space->rule(space->context, values);
        if (space->illegal[config] == 0)
            space->legal[space->legal_count++] = config;
    }
    space->legal = xrealloc(space->legal, space->legal_count, sizeof *space->legal);
}

struct space *space_new(int knobs, const struct knob *knob, int reasons, const struct text *reason, space_rule *rule,
                        const void *context)
{
    struct space *space = xalloc(1, sizeof *space);
    *space = (struct space){ .knobs = knobs, .reasons = reasons, .reason = reason, .rule = rule, .context = context };
    space->knob = xalloc((size_t)knobs, sizeof *space->knob);
    space->stride = xalloc((size_t)knobs, sizeof *space->stride);
    for (int k = 0; k < knobs; k++) {
        int *values = xalloc((size_t)knob[k].count, sizeof *values);
        memcpy(values, knob[k].values, (size_t)knob[k].count * sizeof *values);
        space->knob[k] = (struct knob){ xformat("%s", knob[k].name), knob[k].count, values };
    }
    if (!lay_out(space)) {
        space_free(space);
        return NULL;
    }
    judge(space);
    return space;
}

/* Where the value stands among the knob's; -1: nowhere. */
static int place_of(const struct knob *knob, long value)
{
    for (int v = 0; v < knob->count; v++)
        if (knob->values[v] == value)
            return v;
    return -1;
}

struct space *space_restrict(const struct space *space, const char *name, int count, const int *values)
{
    int which = space_knob(space, name);
    if (which < 0)
        return NULL;
    for (int i = 0; i < count; i++)
        if (place_of(&space->knob[which], values[i]) < 0)
            return NULL;
    struct knob knob[SPACE_MAX_KNOBS];
    memcpy(knob, space->knob, (size_t)space->knobs * sizeof *knob);
    knob[which] = (struct knob){ name, count, values };
    return space_new(space->knobs, knob, space->reasons, space->reason, space->rule, space->context);
}

void space_free(struct space *space)
{
    if (!space)
        return;
    for (int k = 0; k < space->knobs; k++) {
        free((void *)space->knob[k].name);
        free((void *)space->knob[k].values);
    }
    free(space->knob);
    free(space->stride);
    free(space->illegal);
    free(space->legal);
    free(space);
}

void space_values(const struct space *space, uint32_t config, int *values)
{
    for (int k = space->knobs - 1; k >= 0; k--) {
        uint32_t count = (uint32_t)space->knob[k].count;
        values[k] = space->knob[k].values[config % count];
        config /= count;
    }
}

bool space_index(const struct space *space, const int *values, uint32_t *config)
{
    *config = 0;
    for (int k = 0; k < space->knobs; k++) {
        int v = place_of(&space->knob[k], values[k]);
        if (v < 0)
            return false;
        *config += (uint32_t)v * space->stride[k];
    }
    return true;
}

int space_knob(const struct space *space, const char *name)
{
    for (int k = 0; k < space->knobs; k++)
        if (!strcmp(space->knob[k].name, name))
            return k;
    return -1;
}

uint32_t space_random_neighbour(const struct space *space, uint32_t config, enum neighbourhood kind, struct rng *rng)
{
    if (space->size == 1)
        return config;
    int k;
    do
        k = (int)rng_below(rng, (uint32_t)space->knobs);
    while (space->knob[k].count == 1);
    int now = space_position(space, config, k), last = space->knob[k].count - 1, to;
    if (kind == ANY_VALUE) {
        to = (int)rng_below(rng, (uint32_t)last);
        to += to >= now;
    } else if (now == 0 || now == last) {
        to = now == 0 ? 1 : last - 1;
    } else {
        to = rng_below(rng, 2) ? now + 1 : now - 1;
    }
    return config + (uint32_t)(to - now) * space->stride[k]; /* space_moved, which would find `now` once more */
}

uint32_t space_random(const struct space *space, struct rng *rng)
{
    return space->legal[rng_below(rng, space->legal_count)];
}

const char *space_format(const struct space *space, uint32_t config, char separator, char *buf, size_t n)
{
    size_t used = 0;
    buf[0] = 0;
    for (int k = 0; k < space->knobs && used < n; k++)
        used += (size_t)snprintf(buf + used, n - used, "%.*s%d", k > 0, &separator, space_value(space, config, k));
    return buf;
}

static _Noreturn void refuse(const char *source, const char *text, int k, const struct knob *knob)
{
    char *allowed = NULL;
    for (int v = 0; v < knob->count; v++)
        xappend(&allowed, " %d", knob->values[v]);
    die("%s '%s': knob %d, %s, must be one of%s", source, text, k + 1, knob->name, allowed);
}

uint32_t space_parse(const struct space *space, const char *text, const char *source)
{
    uint32_t config = 0;
    const char *at = text;
    for (int k = 0; k < space->knobs; k++) {
        char first = at[*at == '-'], *end = NULL;
        int v = first >= '0' && first <= '9' ? place_of(&space->knob[k], strtol(at, &end, 10)) : -1;
        if (v < 0)
            refuse(source, text, k, &space->knob[k]);
        if (*end != (k + 1 < space->knobs ? ',' : '\0'))
            die("%s '%s': expected %d values joined by commas", source, text, space->knobs);
        config += (uint32_t)v * space->stride[k];
        at = end + 1;
    }
    return config;
}

/* trial_line.c - lines of a log, written and taken back.
 *
 * There is no JSON parser here. All of a trial's line is known beforehand but three things: which configuration, how
 * long it took, what that cost. The reader takes these three from the line, writes the line anew and compares. */
#include "trial_line.h"
#include "base/xalloc.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

static void put_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, ",\"%s\":", key);
    text_json(out, text);
}

/* With as few digits as read back to the same bits; 17 do for every double. */
static void put_number(FILE *out, const char *key, double value)
{
    char text[32];
    int digits = 15;
    do
        snprintf(text, sizeof text, "%.*g", digits, value);
    while (strtod(text, NULL) != value && digits++ < 17);
    fprintf(out, ",\"%s\":%s", key, text);
}

/* FNV-1a, a value a step, of all that makes a space. */
static uint64_t space_hash(const struct space *space)
{
    const uint64_t prime = 0x100000001b3u;
    uint64_t hash = 0xcbf29ce484222325u;
    for (int k = 0; k < space->knobs; k++) {
        const struct knob *knob = &space->knob[k];
        for (const char *c = knob->name; *c; c++)
            hash = (hash ^ (unsigned char)*c) * prime;
        hash = (hash ^ (uint64_t)knob->count << 8) * prime; /* << 8: no letter, so it ends the name */
        for (int v = 0; v < knob->count; v++)
            hash = (hash ^ (uint32_t)knob->values[v]) * prime;
    }
    for (uint32_t config = 0; config < space->size; config++) /* legal, or for which reason not */
        hash = (hash ^ space->illegal[config]) * prime;
    return hash;
}

static void put_space(FILE *out, const struct space *space)
{
    fputs("{\"knobs\":{", out);
    for (int k = 0; k < space->knobs; k++) {
        fputs(k ? "," : "", out);
        text_json(out, space->knob[k].name);
        for (int v = 0; v < space->knob[k].count; v++)
            fprintf(out, v ? ",%d" : ":[%d", space->knob[k].values[v]);
        fputc(']', out);
    }
    fprintf(out, "},\"legal\":%" PRIu32 ",\"hash\":\"%016" PRIx64 "\"}", space->legal_count, space_hash(space));
}

static void put_tuning(FILE *out, size_t i, const struct tuning *t, size_t space)
{
    char shape[64];
    fprintf(out, "{\"tuning\":%zu", i);
    put_text(out, "experiment", t->experiment);
    put_text(out, "strategy", t->strategy->name);
    put_text(out, "workload", t->workload->id);
    put_text(out, "shape", workload_shape(t->workload, shape, sizeof shape));
    fprintf(out, ",\"space\":%zu,\"repeat\":%" PRIu64 ",\"seed\":%" PRIu64, space, t->repeat, t->seed);
    fprintf(out, ",\"trials\":%zu,\"batch\":%zu", t->trials, t->batch);
    put_text(out, "noise_kind", t->noise_kind == NOISE_LOG_NORMAL ? "log-normal" : "normal");
    put_number(out, "noise", t->noise);
    fputc('}', out);
}

/* Writes each space once, however many tunings share it; number [count] = which of them a tuning has. */
static void put_spaces(FILE *out, size_t count, const struct tuning *tunings, size_t *number)
{
    size_t spaces = 0;
    for (size_t i = 0; i < count; i++) {
        size_t first = 0;
        while (tunings[first].space != tunings[i].space)
            first++;
        number[i] = first < i ? number[first] : spaces++;
        fputs(first == i && i > 0 ? "," : "", out);
        if (first == i)
            put_space(out, tunings[i].space);
    }
}

void trial_line_put_header(FILE *out, struct trial_source source, size_t count, const struct tuning *tunings)
{
    size_t *space = xalloc(count, sizeof *space);
    uint64_t repeats = 0;
    for (size_t i = 0; i < count; i++)
        if (tunings[i].repeat >= repeats)
            repeats = tunings[i].repeat + 1;
    fputs("{\"format\":1", out);
    put_text(out, "program", source.program);
    put_text(out, "version", source.version);
    put_text(out, "device", source.device);
    fprintf(out, ",\"repeats\":%" PRIu64 ",\"spaces\":[", repeats);
    put_spaces(out, count, tunings, space);
    fputs("],\"tunings\":[", out);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? "," : "", out);
        put_tuning(out, i, &tunings[i], space[i]);
    }
    fputs("]}", out);
    free(space);
}

/* What is known of a trial's line before it is measured, and the rest. */
static void put_place(FILE *out, size_t i, const struct tuning *t, size_t at)
{
    fprintf(out, "{\"tuning\":%zu", i);
    put_text(out, "workload", t->workload->id);
    fprintf(out, ",\"repeat\":%" PRIu64 ",\"seed\":%" PRIu64, t->repeat, t->seed);
    fprintf(out, ",\"trial\":%zu,\"config\":[", at);
}

static void put_result(FILE *out, const struct space *space, const struct trial *trial)
{
    for (int k = 0; k < space->knobs; k++)
        fprintf(out, k ? ",%d" : "%d", space->knob[k].values[space_position(space, trial->config, k)]);
    fputc(']', out);
    if (trial->why)
        fputs(",\"measured_us\":null", out);
    else
        put_number(out, "measured_us", trial->measured_us);
    put_number(out, "seconds", trial->seconds);
    if (trial->why)
        put_text(out, "error", space->reason[trial->why - 1].en);
    else
        fputs(",\"error\":null", out);
    fputc('}', out);
}

void trial_line_put(FILE *out, size_t i, const struct tuning *t, size_t at, const struct trial *trial)
{
    put_place(out, i, t, at);
    put_result(out, t->space, trial);
}

/* ---- reading ---- */

/* A copy of a line's first n bytes that can be shown: nobody knows what is in a file. */
static char *shown(const char *text, size_t n)
{
    char *copy = xformat("%.*s", (int)n, text);
    for (char *c = copy; *c; c++)
        *c = (unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c;
    return copy;
}

/* Up to the comma behind place `at`. */
static char *excerpt(const char *text, size_t at)
{
    size_t behind = text[at] ? 1 + strcspn(text + at + 1, ",") : 0;
    return shown(text, at + (behind < 40 ? behind : 40));
}

bool trial_line_same(const char *line, const char *expected, char *error, size_t n)
{
    size_t at = 0, key = 0; /* where they differ, and the name of the key that differs */
    if (!strcmp(line, expected))
        return true;
    for (; line[at] == expected[at]; at++)
        if (at > 0 && line[at] == '"' && (line[at - 1] == ',' || line[at - 1] == '{'))
            key = at;
    char *wrong = excerpt(line + key, at - key), *right = excerpt(expected + key, at - key);
    snprintf(error, n, tr("found %s; expected %s", "内容为 %s；应为 %s"), wrong, right);
    free(right);
    free(wrong);
    return false;
}

static bool take_number(const char *line, const char *key, double *value, char *error, size_t n)
{
    const char *at = strstr(line, key); /* in a string its quotes would be escaped */
    at = at ? at + strlen(key) : "";
    *value = *at >= '0' && *at <= '9' ? strtod(at, NULL) : 0.0;
    if (*value > 0.0 && !isinf(*value))
        return true;
    snprintf(error, n, tr("%s expected a number above 0", "%s 应为大于 0 的数"), key);
    return false;
}

static bool take_result(const char *line, const struct space *space, struct trial *trial, char *error, size_t n)
{
    char *values = shown(line, strcspn(line, "]"));
    bool good = space_parse(space, values, &trial->config, error, n);
    free(values);
    if (!good)
        return false;
    trial->why = space->illegal[trial->config];
    trial->measured_us = INFINITY;
    return (trial->why || take_number(line, "\"measured_us\":", &trial->measured_us, error, n)) &&
           take_number(line, "\"seconds\":", &trial->seconds, error, n);
}

bool trial_line_take(const char *line, size_t i, const struct tuning *t, size_t at, struct trial *trial, char *error,
                     size_t n)
{
    char *expected;
    size_t size;
    FILE *out = open_memstream(&expected, &size);
    *trial = (struct trial){ 0 };
    put_place(out, i, t, at);
    fflush(out);
    bool placed = !strncmp(line, expected, size);
    bool taken = placed && take_result(line + size, t->space, trial, error, n);
    if (taken)
        put_result(out, t->space, trial);
    fclose(out);
    bool same = (taken || !placed) && trial_line_same(line, expected, error, n);
    free(expected);
    return same;
}

/* trial_line.c - a trial log's two kinds of line, written. */
#include "trial_line.h"
#include <inttypes.h>
#include <stdlib.h>

/* A line is made in memory, to be written to the file or to be compared. */
static FILE *line_open(char **text, size_t *size)
{
    FILE *out = open_memstream(text, size);
    if (!out)
        die("out of memory");
    return out;
}

static void line_close(FILE *out)
{
    if (fclose(out))
        die("out of memory");
}

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
    put_text(out, "experiment", t->name);
    put_text(out, "strategy", t->strategy->name);
    put_text(out, "workload", t->task.workload->id);
    put_text(out, "shape", workload_shape(t->task.workload, shape, sizeof shape));
    fprintf(out, ",\"space\":%zu,\"repeat\":%" PRIu64 ",\"seed\":%" PRIu64, space, t->repeat, t->seed);
    fprintf(out, ",\"trials\":%zu,\"batch\":%zu", t->trials, t->batch);
    put_text(out, "noise_kind", t->noise_kind == NOISE_LOG_NORMAL ? "log-normal" : "normal");
    put_number(out, "noise", t->noise);
    fputc('}', out);
}

static void put_about(FILE *out, const struct device_word *about)
{
    fputs(",\"about\":{\"live\":true", out);
    for (; about->key; about++)
        put_text(out, about->key, about->value);
    fputc('}', out);
}

char *trial_header(struct trial_source source, size_t count, const struct tuning *tunings)
{
    char *text;
    size_t size;
    FILE *out = line_open(&text, &size);
    size_t *number = xalloc(count, sizeof *number), spaces = 0; /* which of the spaces a tuning has */
    uint64_t repeats = 0;
    for (size_t i = 0; i < count; i++)
        if (tunings[i].repeat >= repeats)
            repeats = tunings[i].repeat + 1;
    fputs("{\"format\":1", out);
    put_text(out, "program", source.program);
    put_text(out, "version", source.version);
    put_text(out, "device", source.device);
    if (source.about)
        put_about(out, source.about);
    fprintf(out, ",\"repeats\":%" PRIu64 ",\"spaces\":[", repeats);
    for (size_t i = 0, first = 0; i < count; i++, first = 0) {
        while (tunings[first].task.space != tunings[i].task.space)
            first++;
        number[i] = first < i ? number[first] : spaces++;
        if (first < i)
            continue;
        fputs(i ? "," : "", out);
        put_space(out, tunings[i].task.space);
    }
    fputs("],\"tunings\":[", out);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? "," : "", out);
        put_tuning(out, i, &tunings[i], number[i]);
    }
    fputs("]}", out);
    line_close(out);
    free(number);
    return text;
}

static void put_measured(FILE *out, const struct space *space, const struct trial *trial)
{
    for (int k = 0; k < space->knobs; k++)
        fprintf(out, k ? ",%d" : "%d", space_value(space, trial->config, k));
    fputc(']', out);
    if (trial->failure)
        fputs(",\"measured_us\":null", out);
    else
        put_number(out, "measured_us", trial->measured_us);
    put_number(out, "seconds", trial->seconds);
    if (trial->failure)
        put_text(out, "error", space->reason[trial->failure - 1].en);
    else
        fputs(",\"error\":null", out);
    fputc('}', out);
}

char *trial_line(size_t i, const struct tuning *t, size_t at, const struct trial *trial)
{
    char *text;
    size_t size;
    FILE *out = line_open(&text, &size);
    fprintf(out, "{\"tuning\":%zu", i);
    put_text(out, "workload", t->task.workload->id);
    fprintf(out, ",\"repeat\":%" PRIu64 ",\"seed\":%" PRIu64 ",\"trial\":%zu,\"config\":[", t->repeat, t->seed, at);
    if (trial)
        put_measured(out, t->task.space, trial);
    line_close(out);
    return text;
}

/* space.h - a search space, lecture 1.2's S_e: named knobs, their values, and which combinations are legal.
 *
 * A configuration is a number, its lexicographic index: the last knob changes fastest. What is illegal, and why, a
 * rule says that the space's maker passes (hypogpu: hardware limits; a recording: its rows). */
#ifndef SPACE_H
#define SPACE_H

#include "base/rng.h"
#include "base/text.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct knob {
    const char *name;  /* "BLOCK_M" */
    int count;         /* how many values */
    const int *values; /* them, ascending */
};

/* A rule looks at a configuration's values, an int a knob, and answers 0 (legal) or a reason's number, 1 … 255. */
typedef int space_rule(const void *context, const int *values);

struct space {
    int knobs;         /* how many knobs */
    struct knob *knob; /* [knobs] */
    uint32_t *stride;  /* [knobs] the index moves by this when the knob moves one value up */
    uint32_t size;     /* all configurations: the product of the counts */
    uint32_t *legal;   /* [legal_count] the legal ones, ascending */
    uint32_t legal_count;
    uint8_t *illegal; /* [size] 0: legal; r: illegal for reason[r - 1] */
    const struct text *reason;
    int reasons;
    space_rule *rule;
    const void *context; /* what the rule is called with */
};

enum { SPACE_MAX_KNOBS = 64, SPACE_MAX_SIZE = 1 << 28 };

/* Copies the knobs and their values; keeps reason, rule and context by reference. NULL if a knob has no value, values
 * do not ascend, or there are no knobs, over SPACE_MAX_KNOBS or over SPACE_MAX_SIZE configurations. */
struct space *space_new(int knobs, const struct knob *knob, int reasons, const struct text *reason, space_rule *rule,
                        const void *context);

/* The part in which one knob keeps only `count` of its values (1 fixes it). Same rule, indices of its own. NULL if
 * the knob is unknown or has not all these values. */
struct space *space_restrict(const struct space *space, const char *knob, int count, const int *values);

void space_free(struct space *space);

void space_values(const struct space *space, uint32_t config, int *values);       /* values: [knobs] */
bool space_index(const struct space *space, const int *values, uint32_t *config); /* false: not in the space */
int space_knob(const struct space *space, const char *name);                      /* its position, or -1 */

/* The position, 0 … count-1, of a knob's value in a configuration; the value; config with that position changed. */
static inline int space_position(const struct space *space, uint32_t config, int knob)
{
    return (int)(config / space->stride[knob] % (uint32_t)space->knob[knob].count);
}
static inline int space_value(const struct space *space, uint32_t config, int knob)
{
    return space->knob[knob].values[space_position(space, config, knob)];
}
static inline uint32_t space_moved(const struct space *space, uint32_t config, int knob, int position)
{
    int now = space_position(space, config, knob);
    return config + (uint32_t)(position - now) * space->stride[knob]; /* unsigned wrap-around makes minus work */
}
/* One configuration's knobs before the cut, the other's from there on. */
static inline uint32_t space_crossed(const struct space *space, uint32_t before, uint32_t behind, int cut)
{
    uint32_t low = cut == 0 ? space->size : space->stride[cut - 1]; /* so many share their knobs before the cut */
    return before - before % low + behind % low;
}
static inline bool space_is_legal(const struct space *space, uint32_t config) { return space->illegal[config] == 0; }

/* Configurations that differ in one knob: by one step (the lecture's walk, 4.5) or by any value (TVM's, space.py). */
enum neighbourhood { ADJACENT_VALUE, ANY_VALUE };

/* A uniformly drawn knob moved to a uniformly drawn other value; may be illegal. Where no knob has two: config. */
uint32_t space_random_neighbour(const struct space *space, uint32_t config, enum neighbourhood kind, struct rng *rng);

/* A uniformly drawn legal configuration; the space must have one. */
uint32_t space_random(const struct space *space, struct rng *rng);

/* "64,128,32,2,2,8,1". Writes at most n > 0 bytes, always ends with a 0, returns buf. */
const char *space_format(const struct space *space, uint32_t config, char separator, char *buf, size_t n);

/* The configuration written as above (commas). Dies, with the source of the text in front, if it is none. */
uint32_t space_parse(const struct space *space, const char *text, const char *source);

#endif

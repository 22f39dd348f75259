/* device.h - what a piece of hardware looks like from outside: it takes a workload and knob values and has a true
 * time. Only the measurer, and the demos when they judge a result, may ask. */
#ifndef DEVICE_H
#define DEVICE_H

#include "space/task.h"

#define DEVICE_COMPILE_S 1.0 /* lecture 0.4 */

struct device_word { /* of what a live device says of itself */
    const char *key, *value;
};

struct conditions { /* what a trial of a configuration meets */
    int failure;      /* 0, or why it fails, illegal or not: a reason's number in the device's space */
    double noise;     /* standard deviation of one measurement over its mean */
    double compile_s; /* seconds that compiling takes */
};

struct device {
    const char *name;
    const struct space *space; /* its knobs, and which configurations it can launch */
    double noise;              /* standard deviation of one measurement over its mean */
    bool is_hypogpu;           /* the lecture's own: what it publishes is about this device */
    bool compiles;             /* a recording of what compiling took, too */
    bool of_devices;           /* a recording of several devices: each is a workload of this one */

    /* What it can be asked about; NULL: every shape. */
    int workloads;
    const struct workload *workload; /* [workloads] */

    /* True time in us of a legal configuration, given by its knob values in the order of `space`; no noise. INFINITY:
     * it fails. */
    double (*time_us)(const struct device *device, const struct workload *w, const int *values);

    /* Each legal configuration's own conditions; only a trial tells that it fails. No measurement is over 3 of such a
     * noise away. NULL: none fails, all have `noise` and DEVICE_COMPILE_S. */
    struct conditions (*conditions)(const struct device *device, const struct workload *w, const int *values);

    /* What the vendor's library takes, us; 0, or no function: not recorded. */
    double (*library_us)(const struct device *device, const struct workload *w);

    /* device_space; NULL: one for all. */
    const struct space *(*space_of)(const struct device *device, const struct workload *w);

    /* time_us [space->size]: the time of every configuration of a space with these knobs in this order; INFINITY
     * where illegal or failing. time_us NULL: only the result is wanted, the fastest, of equals the first. Without
     * this function they are asked one by one. */
    uint32_t (*landscape)(const struct device *device, const struct workload *w, const struct space *space,
                          double *time_us);

    /* A live device (live.h) measures, with its own noise: results [n] of values [n][knobs]. NULL: it is simulated. A
     * live one knows no true time: time_us says what was measured up to now, device_optimum the best of that; it has no
     * landscape. known: takes a result of an earlier run. came (NULL: nobody listens) is called with each result as
     * soon as it and all before it are there. about: ended by a key NULL. */
    void (*measure)(const struct device *device, size_t n, const int *values, struct measurement *results);
    void (*known)(const struct device *device, const int *values, const struct measurement *result);
    void (*came)(void *context, const int *values, const struct measurement *result);
    void *context;
    const struct device_word *about;

    void (*close)(struct device *device); /* frees it; NULL: there is nothing to free */
};

/* A device by its name, as --device gives it (device_open.c): "hypogpu"; or run:COMMAND, live with these settings
 * (NULL: the defaults); or FILE[:COLUMN][,FILE[:COLUMN] …] for a recording (recorded.h), where commas and colons of
 * files that are there are part of their names (text_take_file). Dies if it cannot be read. */
struct live_settings;
struct device *device_open(const char *name, const struct live_settings *settings);
void device_close(struct device *device); /* of any kind, or NULL */

/* The device's workload of that id, or the recorded one of the shape that the lecture calls so, or the first whose id
 * begins with it and '_' (decode_qkv for decode). NULL: it has none. */
const struct workload *device_find(const struct device *device, const char *id);

/* What stands for w: w itself if the device takes every shape; else its workload with w's M, N and K, or with w's id
 * where shapes were not recorded. NULL: the device must not be asked about w. */
const struct workload *device_match(const struct device *device, const struct workload *w);

/* m [DYNAMIC_M]: the M from 1 to DYNAMIC_M of section 2.4's product that it can be asked about, ascending; returns
 * how many. */
int device_dynamic(const struct device *device, int *m);

/* Where one may look for w: the device's space, or one of the same knobs and indices in which what w's own rules
 * exclude is illegal too. */
const struct space *device_space(const struct device *device, const struct workload *w);

/* Of one configuration of `space`, w's or a restriction of it: its true time in us, INFINITY if it is illegal or
 * fails; and what a trial of it meets. */
double device_time_us(const struct device *device, const struct workload *w, const struct space *space,
                      uint32_t config);
struct conditions device_conditions(const struct device *device, const struct workload *w, const struct space *space,
                                    uint32_t config);

/* The fastest configuration of the device's own space, of equals the first; and its time. */
uint32_t device_optimum(const struct device *device, const struct workload *w);
double device_optimum_us(const struct device *device, const struct workload *w);

/* The true times of a whole space: what an exhaustive search would know. Lecture 1.3's terrain. */
struct landscape {
    const struct space *space;
    struct workload workload;
    double *time_us; /* [space->size] INFINITY: illegal, or fails */
    uint32_t best;   /* the fastest; of equals the first */
    double best_us;
};
struct landscape landscape_new(const struct device *device, const struct workload *w, const struct space *space);
void landscape_free(struct landscape *landscape);

/* The truly fastest of `count` > 0 configurations, of equals the first: @triton.autotune's with an exact clock. */
uint32_t landscape_best_of(const struct landscape *landscape, size_t count, const uint32_t *list);

/* Time of config over the optimum's, >= 1; INFINITY if it is illegal or fails. Its inverse is the "share of the
 * optimum". */
double landscape_slowdown(const struct landscape *landscape, uint32_t config);

/* The slowdowns of the `count` legal configurations that do not fail, ascending; the caller's to free. */
double *landscape_slowdowns(const struct landscape *landscape, size_t *count);

/* config with one knob at its fastest value, the others as they are; config itself if no other value is faster. */
uint32_t landscape_best_value(const struct landscape *landscape, uint32_t config, int knob);

/* One knob at a time (what section 1.3 warns of): sets each in turn to its best value, until a whole turn changes
 * nothing. Returns where it ends: no single knob improves on that. start must be legal. */
uint32_t landscape_descend(const struct landscape *landscape, uint32_t start);

#endif

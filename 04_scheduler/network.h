/* network.h - the demos of 04_scheduler, and the network that they share: 11 tasks, tuned unit by unit, a few times.
 *
 * A task's trials depend on the task, the repeat and the noise alone, so what is known of it is a function of how many
 * units it has had, whoever gave them and whatever came between. Each task is tuned once a repeat, as far as any
 * scheduler wants, and every policy, budget and set of weights reads these curves. This is exact as long as tasks
 * share nothing (TVM's Ansor has one cost model for all; here each has its own). It couples the policies: within a
 * repeat all have the same luck, so that their differences are less noisy than they themselves. */
#ifndef NETWORK_H
#define NETWORK_H

#include "report/program.h"
#include "tuning.h"

enum {
    TASKS = WORKLOAD_NETWORK,
    UNIT = 64,         /* measurements, lecture 6.3 */
    BUDGET = 4 * TASKS /* units in all, there: 44 */
};

struct network {
    const struct device *device;
    const struct strategy *strategy; /* what tunes each task */
    uint64_t seed;
    int repeats;
    size_t unit;                       /* measurements in a unit: UNIT, or --unit */
    struct scheduler_task task[TASKS]; /* of workload_network, what the scheduler may know */
    double count[TASKS];               /* times each runs in one pass */
    double optimum_us[TASKS];
    struct tuning *tuning; /* [repeats][TASKS] each as far as somebody asked */
};

/* noise: sd over mean of a measurement; 0: the device's. Nothing is tuned yet. */
struct network *network_new(const struct run *run, const struct strategy *strategy, int repeats, double noise);
void network_free(struct network *network);

/* The network that all demos share, run->shared: NETWORK_TUNER, the device's noise. main frees it. */
#define NETWORK_TUNER strategy_evolution
struct network *network_shared(struct run *run);

const char *network_name(int task); /* in the chosen language */

/* Tunes every task in every repeat for at least so many units, several at a time. */
void network_tune(const struct run *run, struct network *network, int units);

/* What is chosen for a task after so many units; tunes on if need be. Different repeats may be asked from different
 * threads. */
struct choice {
    double measured_us, true_us; /* INFINITY: nothing ran */
};
struct choice network_choice(struct network *network, int repeat, int task, int units);

/* A task's tuning, after at least so many units. */
const struct tuning *network_tuning(struct network *network, int repeat, int task, int units);

/* The trials of a task's first units, valid until its tuning goes on; *true_us [their number], what each truly takes,
 * is the caller's to free. */
struct trace network_trace(struct network *network, int repeat, int task, int units, double **true_us);

/* ---- policies, and what each does with a budget ---- */

struct policy {
    const char *id;         /* names its random stream */
    struct text name, head; /* for rows and for columns */
    enum scheduler_rule rule;
    enum similarity similarity; /* the rest is for SCHEDULER_GRADIENT alone */
    bool evict;
    double epsilon;
};

enum policy_name { ROUND_ROBIN, RANDOM, ALL_ALIKE, ALL_EVICT, INTENSITY, TAG_EVICT, TAG, METASCHEDULE, POLICIES };
extern const struct policy policies[POLICIES];

struct session {      /* one policy in one repeat */
    int units;        /* spent; fewer than allowed if the scheduler saw nothing to gain */
    int given[TASKS]; /* units that each task got */
    struct step {     /* a unit */
        struct pick pick;
        struct gradient gradient[TASKS]; /* as they stood before the pick; zeros in the warm-up */
        double share;                    /* the network's optimum over its true time, percent; warm-up: 0 */
    } * step;                            /* [units] the caller's to free */
};

/* Lets one policy spend the units. The share counts each task by its weight in all networks of the objective. */
struct session session_run(struct network *network, int repeat, const struct policy *policy,
                           const struct objective *objective, int units);

struct sessions { /* every policy in every repeat */
    int repeats;
    struct session (*of)[POLICIES]; /* [repeats] */
};
struct sessions sessions_run(const struct run *run, struct network *network, const struct objective *objective,
                             int units); /* several repeats at a time */
void sessions_free(struct sessions *sessions);

/* One number of a session, and what it is over the repeats of a policy. */
typedef double session_number(const struct session *session, int argument);
session_number session_share;   /* after so many units */
session_number session_given;   /* units that this task got */
session_number session_reached; /* the unit after which the share first has so many percent; INFINITY: never */
struct spread sessions_spread(const struct sessions *sessions, int policy, session_number *number, int argument);

/* median [POLICIES] of the shares after so many units. */
void sessions_medians(const struct sessions *sessions, int units, double *median);

/* An empty table: this head over the rows' names, then a column a policy. */
struct table *policies_table(struct text head, int decimals);

/* ---- demos ---- */

extern const struct fact published_tasks[], published_policies[], published_curse[];

void demo1_tasks(struct run *run);
void demo2_policies(struct run *run);
void demo3_winners_curse(struct run *run);
void demo4_budgets(struct run *run);

#endif

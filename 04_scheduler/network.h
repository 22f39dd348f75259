/* network.h - the demos of 04_scheduler, and the network that they share: 11 tasks, tuned unit by unit, a few times.
 *
 * A task's trials depend on the task, the repeat and the noise alone: they name its random streams, and a tuning
 * that goes on in pieces does what an uninterrupted one does. So what is known of a task is a function of how many
 * units it has had, whoever gave them and whatever came between. Each task is tuned once a repeat, as far as any
 * scheduler wants, and every policy, budget and set of weights reads these curves. This is exact as long as tasks
 * share nothing (TVM's Ansor has one cost model for all of them; here each has its own). It couples the policies:
 * within a repeat all have the same luck, so that their differences are less noisy than they themselves. Repeats
 * stay independent of each other. */
#ifndef NETWORK_H
#define NETWORK_H

#include "tuning.h"
#include "report/program.h"

enum {
    TASKS = WORKLOAD_NETWORK,
    UNIT = 64,         /* measurements, lecture 6.3 */
    BUDGET = 4 * TASKS /* units in all, there: 44 */
};

struct curve; /* one task in one repeat */

struct network {
    const struct device *device;
    const struct strategy *strategy; /* what tunes each task */
    uint64_t seed;
    int repeats;
    size_t unit;                       /* measurements in a unit: UNIT, or --trials */
    double noise;                      /* sd over mean; 0: the device's */
    struct scheduler_task task[TASKS]; /* of workload_network, what the scheduler may know */
    double count[TASKS];               /* times each runs in one pass */
    double optimum_us[TASKS];
    struct curve *curve; /* [repeats][TASKS] */
};

struct network *network_new(const struct run *run, const struct strategy *strategy, int repeats, double noise);
void network_free(struct network *network);

/* The network that all demos share: NETWORK_TUNER, the device's noise. Its curves are kept from demo to demo. */
#define NETWORK_TUNER strategy_evolution
struct network *network_shared(const struct run *run);

/* Tunes every task in every repeat for at least so many units, several at a time. */
void network_tune(const struct run *run, struct network *network, int units);

/* A task after so many units; tunes on if need be. Different repeats may be asked from different threads. */
double network_measured_us(struct network *network, int repeat, int task, int units); /* the best; INFINITY: none */
double network_true_us(struct network *network, int repeat, int task, int units);     /* the true time of that */

/* The trials of a task's first units, judged by true times; valid until its curve goes on. */
struct trace network_trace(struct network *network, int repeat, int task, int units);

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

struct session {               /* one policy in one repeat */
    int units;                 /* spent; fewer than allowed if the scheduler saw nothing to gain */
    struct pick *pick;         /* [units] */
    struct gradient *gradient; /* [units][TASKS] as they stood before each pick; zeros in the warm-up */
    double *share;             /* [units] the network's optimum over its true time, percent; warm-up: 0 */
    int given[TASKS];          /* units that each task got */
};

/* Lets one policy spend the units. The share counts each task by its weight in all networks of the objective. */
struct session session_run(struct network *network, int repeat, const struct policy *policy,
                           const struct objective *objective, int units);
void session_free(struct session *session);

/* Every policy in every repeat, several repeats at a time: [POLICIES][repeats]. */
struct session *sessions_run(const struct run *run, struct network *network, const struct objective *objective,
                             int units);
void sessions_free(struct session *sessions, int repeats);

/* share [repeats] = one policy's shares after so many units; returns their median. */
double session_shares(const struct session *of_policy, int repeats, int units, double *share);

/* ---- demos ---- */

extern const struct fact published_tasks[], published_policies[], published_curse[];

void demo1_tasks(struct run *run);
void demo2_policies(struct run *run);
void demo3_winners_curse(struct run *run);
void demo4_budgets(struct run *run);

#endif

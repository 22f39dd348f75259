/* network.h - the demos of 04_scheduler, and what they share: 11 tasks, tuned unit by unit, and who gets the units.
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

/* What shall become small: the latency of the network as it is, or with its largest task 10 times as often; and the
 * paper's objectives for prefill (with LoRA) and decode as two networks that a server tunes together. */
enum goal { AS_IS, HEAVY, REQUIREMENT, SPEEDUP, PATIENCE, GOALS };
enum { PREFILL, DECODE, PARTS };
int network_part(int task); /* PREFILL or DECODE */

struct network {
    const struct device *device;
    uint64_t seed;
    int repeats;
    size_t unit;                       /* measurements in a unit: UNIT, or --unit */
    struct scheduler_task task[TASKS]; /* of workload_network, what the scheduler may know */
    double count[TASKS];               /* times each runs in one pass */
    double optimum_us[TASKS];
    double total_us;                   /* of one pass, all at their optima */
    uint32_t order[TASKS];             /* the tasks by their share of that, largest first */
    double ridge; /* FLOP a byte at which computing and memory take equally long (0.4): below it a task waits for
                     memory. Of a recording, what its optima show: the most FLOP/s of any over the most bytes/s */
    struct objective objective[GOALS];
    double heavy[TASKS], parts[PARTS * TASKS], enough_us[PARTS], once_us[PARTS]; /* what they point to */

    struct tuning *tuning;   /* [repeats][TASKS] each as far as somebody asked */
    int *known;              /* [repeats][TASKS] units that it has had */
    struct session *session; /* [repeats][GOALS][POLICIES] as far as they were played */
};

/* The network on a device; nothing is tuned yet. Dies with one line that names what a recording lacks of it: tasks are
 * known by M, N and K. */
struct network *network_new(const struct run *run, const struct device *device, int repeats);
void network_free(struct network *network);

/* The network that all demos share, run->shared; main frees it. The first that asks for it played lets the goals be played
 * that the chosen demos need: AS_IS, and for demo 4 all. */
struct network *network_shared(struct run *run);
struct network *network_played(struct run *run);

/* Lets policies spend BUDGET units in every repeat, for the first so many goals: all of them for AS_IS and HEAVY, INTENSITY
 * alone for the others. One repeat at a time, its tasks side by side; then their tuners are closed, for each keeps
 * megabytes in mind, and the traces stay. */
void network_play(const struct run *run, struct network *network, int goals);

const char *network_name(int task); /* in the chosen language */

/* A task's tuning as it is described: by the network's tuner or by another, with this noise (0: the device's). */
#define NETWORK_TUNER strategy_evolution
struct tuning network_tuning(const struct network *network, const struct strategy *strategy, int repeat, int task,
                             double noise);

/* What is chosen for a task after so many units; they must be known, as what a session gave is. */
struct choice {
    double measured_us, true_us; /* INFINITY: nothing ran */
};
struct choice network_choice(const struct network *network, int repeat, int task, int units);

/* By how many percent of its true time a choice was measured too fast. */
static inline double choice_optimism(struct choice c) { return 100 * (1 - c.measured_us / c.true_us); }

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
    int units;        /* spent; fewer than BUDGET if the scheduler saw nothing to gain */
    int given[TASKS]; /* units that each task got */
    struct step {     /* a unit */
        struct pick pick;
        struct gradient gradient[TASKS]; /* as they stood before the pick; zeros in the warm-up */
        double share;                    /* the network's optimum over its true time, percent; warm-up: 0 */
    } * step;                            /* [BUDGET] */
    double true_us[TASKS];               /* of each task's choice */
    struct scheduler *scheduler;         /* while it is played */
    bool waits;                          /* for its pick's unit to be tuned */
};
const struct session *network_session(const struct network *network, int repeat, enum goal goal, int policy);

/* One number of a session, and what it is over the repeats of a policy. */
typedef double session_number(const struct session *session, int argument);
session_number session_share;   /* after so many units; counts each task by its weight in all networks of the goal */
session_number session_given;   /* units that this task got */
session_number session_reached; /* the unit after which the share first has so many percent; INFINITY: never */
struct spread network_spread(const struct network *network, enum goal goal, int policy, session_number *number,
                             int argument);

/* median [POLICIES] of the shares after so many units. */
void network_medians(const struct network *network, enum goal goal, int units, double *median);

/* The first policy that made the same picks in every repeat; itself, if no earlier one did. Tables show it alone. */
int network_twin(const struct network *network, enum goal goal, int policy);

/* An empty table: this head over the rows' names, then a column a policy, without AS_IS's twins. */
struct table *policies_table(const struct network *network, struct text head, int decimals);

/* ---- demos ---- */

extern const struct fact published_tasks[], published_policies[], published_curse[];

void demo1_tasks(struct run *run);
void demo2_policies(struct run *run);
void gradient_explain(struct run *run, const struct network *network); /* its last table and the formula below it */
void gradient_picks(struct run *run, const struct network *network);   /* what --why and --policy add */
void gradient_check(const char *policy);                               /* dies if --policy's is none that has a gradient */
void demo3_winners_curse(struct run *run);
void curse_growth(struct run *run, const struct network *network); /* its second half */
void demo4_budgets(struct run *run);

#endif

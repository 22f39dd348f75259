/* scheduler.h - which task gets the next unit of tuning time (lecture 6.2; Ansor paper, section 6).
 *
 * Bookkeeping alone: the scheduler is told each task's best measured latency g_i after every unit spent on it, and
 * answers which task is next. It sees no device, no strategy and no clock, so any history can be put before it.
 *
 * f(g_1 … g_n) is what shall become small. How it falls with the time t_i of task i, in units, is estimated by
 *     df/dt_i ~ df/dg_i (alpha backward_i + (1 - alpha) min(alone_i, alike_i)),     in us a unit, negative = faster:
 *     backward_i = (g_i(t_i) - g_i(t_i - window)) / window    what its last units brought; 0 while t_i <= window
 *     alone_i    = -g_i / t_i                                 as much time again may bring as much again
 *     alike_i    = beta C_i / max (C_k / g_k) - g_i           it may become as fast (FLOP/s) as the tasks k like it
 * and the task with the steepest fall is next. Each task gets one unit first. */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include "base/rng.h"
#include <stdbool.h>

struct scheduler_task {
    double flop;      /* C_i */
    double intensity; /* FLOP a byte; only SIMILAR_INTENSITY looks at it */
    int op;           /* the kind of operator: tasks of different kinds are never similar */
};

/* ---- what shall become small: Ansor paper, Table 2. T_j = sum over i of w_ji g_i, the latency of network j ---- */

struct objective {
    enum objective_kind {
        OBJECTIVE_LATENCY,     /* f1: sum of T_j. One network: the lecture's f */
        OBJECTIVE_REQUIREMENT, /* f2: sum of max(T_j, L_j): below its requirement a network gains nothing */
        OBJECTIVE_SPEEDUP      /* f3: -(product of B_j / T_j)^(1/m), speedups over references; 1 where T_j = 0 */
    } kind;
    int networks;            /* m */
    const double *weight;    /* [networks][tasks] w_ji: times that task i runs in network j */
    const double *target_us; /* [networks] L_j or B_j; NULL for OBJECTIVE_LATENCY */
    int patience; /* f4, TVM's early stopping of a task: most units without improvement; 0: never stopped */
};

/* slope [tasks] = df/dg_i, the chain rule's factor, exactly (TVM: a finite difference); at f2's kink from below: 0. */
void objective_slope(const struct objective *objective, int tasks, const double *latency_us, double *slope);

/* ---- who is next ---- */

enum scheduler_rule { SCHEDULER_ROUND_ROBIN, SCHEDULER_RANDOM, SCHEDULER_GRADIENT };

/* N(i): whose FLOP/s does task i hope for? */
enum similarity {
    SIMILAR_NONE,      /* nobody's: MetaSchedule dropped the term (gradient_based.cc) */
    SIMILAR_OP,        /* every task of its kind: the paper's reading, all matrix products are alike */
    SIMILAR_INTENSITY, /* of its kind, and arithmetic intensity within 4x: the lecture's change */
    SIMILAR_TAG        /* of its kind, and the same scheduler_tag: TVM */
};
int scheduler_tag(double flop); /* floor(log(FLOP + 1) / log 1.618), as in TVM's task_scheduler.py */

struct scheduler_settings {
    enum scheduler_rule rule;
    enum similarity similarity;
    bool evict;     /* a task leaves its like, for good, once it is over beta times slower (FLOP/s) than the fastest
                       of them and has had over 5 units more than any: TVM's _adjust_similarity_group */
    double alpha;   /* 0.2   TVM, MetaSchedule, lecture's exercise 7 */
    double beta;    /* 2     TVM; the code of the paper's time had 4 */
    int window;     /* 3     units; TVM and MetaSchedule. Exercise 7 takes 2 */
    double epsilon; /* 0.05  chance of a random task instead (lecture 6.2). TVM, MetaSchedule: none; the code of the
                             paper's time never reads its own */
};
struct scheduler_settings scheduler_defaults(enum similarity similarity); /* the gradient, without eviction */

/* The parts of a task's gradient. */
struct gradient {
    double chain;           /* df/dg_i; 0 for a task that gets no more units */
    double backward, alone; /* us a unit */
    double alike;           /* us a unit; INFINITY if no task is like this one */
    double total;           /* chain (alpha backward + (1 - alpha) min(alone, alike)), in units of f a unit */
};

struct pick {
    int task;
    enum pick_reason { PICK_WARM_UP, PICK_TURN, PICK_CHANCE, PICK_GRADIENT } reason;
};

struct scheduler;

/* Keeps task and objective by reference. rng: draws SCHEDULER_RANDOM's tasks and epsilon's. */
struct scheduler *scheduler_new(const struct scheduler_settings *settings, const struct objective *objective,
                                int tasks, const struct scheduler_task *task, struct rng rng);
void scheduler_free(struct scheduler *scheduler);

/* Who is next, of equals the first; the caller spends a unit on it and tells. task is -1 when nothing can be gained:
 * every task is dead (nothing of it ran in its first unit) or out of patience, or f is flat (all requirements met). */
struct pick scheduler_next(struct scheduler *scheduler);

/* The best latency that was measured for the task so far; INFINITY: nothing of it ran, the task is dead. */
void scheduler_tell(struct scheduler *scheduler, int task, double best_us);

/* gradient [tasks] as it stands now. Every task must have had its first unit. Dead tasks count as 0 us in f. */
void scheduler_gradients(const struct scheduler *scheduler, struct gradient *gradient);

#endif

/* tuner.h - the loop that every tuner shares: ask, measure, tell, note down (lecture 4.1, AutoTVM's Algorithm 1).
 *
 * A tuning is described first and run later, so that many can run side by side: each has random streams of its own,
 * named by what it is, and its result does not depend on what runs beside it. */
#ifndef TUNER_H
#define TUNER_H

#include "device/measurer.h"
#include "search/strategy.h"

struct trial {
    uint32_t config;
    int why;            /* 0, or why it failed: a reason of the space */
    double measured_us; /* INFINITY if it failed */
    double seconds;     /* what it cost, simulated */
    double true_us;     /* 0 until a judge who may see the device writes it down: experiment_judge */
};

struct trace { /* what happened, in order */
    size_t count;
    struct trial *trial; /* [count] */
};

struct tuning {
    const char *experiment; /* names its random streams, together with the strategy, the workload and … */
    uint64_t seed, repeat;  /* … these */
    const struct strategy *strategy;
    const void *settings; /* the strategy's own, or NULL */
    const struct device *device;
    const struct workload *workload;
    const struct space *space;
    size_t trials, batch; /* measurements in all, and between two tells */
    enum noise_kind noise_kind;
    double noise; /* sd over mean; 0: the device's */

    /* An interrupted tuning goes on: its first `replayed` results are taken from here instead of being measured. */
    const struct trial *replay;
    size_t replayed;

    /* Called after each batch with the number of trials that the trace held before it; NULL: nobody listens. */
    void (*after_batch)(const struct tuning *tuning, size_t before);
    void *listener;

    struct trace trace; /* the result; free with trace_free */
};

/* Runs one tuning to its number of trials, or until the strategy has nothing more to ask. Returns false, leaving the
 * trace up to there, if the replayed trials are not those that the strategy asks for. */
bool tuner_run(struct tuning *tuning);

/* The same in pieces, for a scheduler that gives time now to one task, now to another: tuner_step goes on for up to
 * so many further trials. It returns false when there is nothing more to do or the replayed trials are not those
 * asked for. The tuning must outlive its tuner; its trace can be read between steps, and stays after tuner_close. */
struct tuner;
struct tuner *tuner_open(struct tuning *tuning);
bool tuner_step(struct tuner *tuner, size_t trials);
void tuner_close(struct tuner *tuner);

/* Runs them all, several at a time where the compiler has OpenMP; none may have a replay. progress (may be NULL) is
 * called with how many are done, by one thread at a time. */
void tuner_run_all(size_t count, struct tuning *tunings, void (*progress)(void *context, size_t done, size_t total),
                   void *context);

void trace_free(struct trace *trace);

double trace_seconds(const struct trace *trace, size_t n); /* simulated seconds of the first n trials */

/* Which of the first n trials a tuner would choose: the fastest measured, of equals the first; trace->count if all
 * failed. */
size_t trace_chosen(const struct trace *trace, size_t n);

/* The true share of the optimum, in percent, of what is chosen after n trials; 0 if nothing ran. Needs true_us. */
double trace_share(const struct trace *trace, size_t n, double optimum_us);

/* After how many trials the chosen one first has at least this true share (percent); 0: never. Needs true_us. */
size_t trace_reached(const struct trace *trace, double share, double optimum_us);

#endif

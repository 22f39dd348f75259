/* cpu_gemm.h - C = A B on the reader's own processor, as a device (common/device/live.h has the dialogue).
 *
 * generate.c writes a kernel as C text (plain.c: those that need no generator; faults.c: wrong ones, on purpose),
 * check.c knows what is right, timing.c looks at the clock, trial.c makes, verifies and times one kernel in a process
 * of its own, jobs.c has several at a time, processor.c says what it all runs on, main.c talks with the tuner. */
#ifndef CPU_GEMM_H
#define CPU_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct shape { /* A [M][K], B [K][N], C [M][N]: single precision, row-major, without gaps */
    int M, N, K;
};
enum { SIZE_MN = 16384, SIZE_K = 4096 };                              /* the largest; of K: check.c */
typedef void gemm_function(const float *A, const float *B, float *C); /* a kernel's one symbol, `gemm` */

/* ---- processor.c ---- */

struct processor {
    char name[80], compiler[80];
    const char *flags;       /* how kernels are compiled */
    int vector, registers;   /* floats in a vector register; how many of these there are */
    long l1_bytes, l2_bytes; /* caches of one core */
};
/* Asks the system, and $CC (cc) what it would compile for. Dies if there is no such compiler. */
struct processor processor_here(const char *flags);

/* ---- generate.c, plain.c, faults.c: kernels as text ---- */

enum { KNOBS_MOST = 9, VALUES_MOST = 12 };
struct knob {
    const char *name;
    int count, value[VALUES_MOST]; /* ascending */
    bool block; /* its value is a block's size, of which one as large as the matrix is enough: the last */
};

struct family {
    const char *name;
    int knobs;
    const int *reference; /* a plain configuration: timed again and again, it shows when the machine changes */

    /* Sets knob [knobs]: the values that make sense for the shape on this processor. */
    void (*space)(struct shape shape, const struct processor *processor, struct knob *knob);
    /* The rules that exclude a configuration before it is built. NULL: there are none. */
    bool (*allowed)(const struct processor *processor, const int *values);
    void (*write)(FILE *out, struct shape shape, const struct processor *processor, const int *values);
    bool unverified; /* computes as much as C = A B, but not that */
};
extern const struct family tiled, naive, blas, peak;

/* Behind a kernel's text: turns it into one with this fault. out NULL: only asks. False: there is no such fault. */
bool fault_write(FILE *out, const char *fault);
const char *fault_names(void);

/* ---- check.c ---- */

struct problem {
    struct shape shape;
    float *A, *B, *C;     /* each between guard zones */
    double *right, *band; /* [M][N] what C should be, and by how much rounding alone may move it */
};
struct problem problem_new(struct shape shape); /* its inputs are drawn anew after each problem_draw */
void problem_draw(struct problem *problem);
void problem_clear(struct problem *problem); /* C and the guard zones as they are before a kernel runs */
/* NULL, or what is wrong with C or a guard zone; the text is valid until the next call. */
const char *problem_verdict(const struct problem *problem);

/* ---- timing.c ---- */

struct timing {
    double us, sd_us; /* of one call, by processor time: the median, and its standard error */
    double wall_us;   /* the same calls by the clock on the wall: their median */
};
struct timing timing_of(gemm_function *gemm, const struct problem *problem);

/* ---- trial.c ---- */

enum outcome { CORRECT, CONSTRAINTS, COMPILE, RUNTIME, TIMEOUT, CORRECTNESS };

struct bench { /* what all trials of a run share */
    struct shape shape;
    const struct family *family;
    struct processor processor;
    const char *fault; /* NULL: none */
    int limit_s;       /* a kernel that runs longer has hung */
    char *folder;      /* of temporary files */
    int lock;          /* the host's: who holds it times a kernel, and nobody else does */
    struct problem problem;
};

/* What a trial says, through a pipe: first that it runs, unless it could not be built; then how it ended. */
struct report {
    bool ended;
    enum outcome outcome;
    double compile_s;
    struct timing timing;
};
/* Compiles `source` to `object`, unless it is built, verifies and times it; in a child process, which then ends. */
void trial_run(const struct bench *bench, const char *source, const char *object, bool built, const int *values,
               int report) __attribute__((noreturn));

/* ---- jobs.c ---- */

void jobs_open(struct bench *bench); /* makes its folder and lock; the folder is gone when the program ends */
int jobs_slot(void);                 /* a free one, of as many as there are processors; -1: there is none */
void jobs_start(const struct bench *bench, int slot, const int *values, size_t row);

/* Waits until one or more trials say something, and passes it on. False: there is none. */
bool jobs_hear(void (*heard)(void *context, size_t row, const struct report *report), void *context);
/* One trial, waited for; its object stays for the next time. */
struct report jobs_alone(const struct bench *bench, bool built, const int *values);

#endif

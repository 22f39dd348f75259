/* live.h - the demos of 06_live, and the device that they share: build/cpu_gemm (cpu_gemm/), beside this program. */
#ifndef LIVE_DEMOS_H
#define LIVE_DEMOS_H

#include "tuning.h"
#include "report/program.h"

void demo1_door(struct run *run);
void demo2_search(struct run *run);
void demo3_noise(struct run *run);
void demo4_claims(struct run *run);
void demo5_larger(struct run *run);

extern const char *live_program; /* "'build/cpu_gemm'"; NULL: another device */
extern const char
    *live_gemm; /* the command without its options, "'build/cpu_gemm' 512 512 512"; NULL: another device */
/* For a demo that is about cpu_gemm: true there; else says that it is. */
bool live_needs_gemm(struct run *run);

enum { LIVE_ROW = 128 }; /* bytes of a configuration of cpu_gemm, "6,16,256,..." */
extern const char live_knobs[]; /* the part of its space that the demos look at */

/* What cpu_gemm, called by this command, prints with these options, when this stands on its stdin (NULL: nothing); pclose it. */
FILE *live_ask(const char *gemm, const char *options, const char *question);

double live_gflops(const struct run *run, double us); /* of the device's one workload */

/* The kernel timed so many times, a trial each: us by processor time and by the wall's clock. Returns how many. */
int live_watch(const char *gemm, const char *row, int times, double *us, double *wall_us);
/* The median of these us by processor time; INFINITY if it does not run. */
double live_again_us(const char *gemm, const char *row, int times);

/* What demo 2 measured, now if it was not yet. */
const struct experiment *live_search(struct run *run);
void live_finish(struct run *run);

#endif

/* answers.h - the numbers of the lecture's exercises 1 to 7 (section 11), computed with the library. */
#ifndef ANSWERS_H
#define ANSWERS_H

#include "report/program.h"
#include "tuning.h"
#include "report/program.h"

extern const struct fact published_answers[];

struct little {                      /* 1: one block of 64x128 with 2 warps */
    double compute, latency, stages; /* cycles of a K-step, of a load; stages that hide it */
};
struct little answer1(int block_k);

struct split { /* 2: g = (-2, -1, 1, 2), h = 1, lambda = 1, split in the middle */
    double gain, left_leaf, right_leaf;
};
struct split answer2(void);

struct ranking {          /* 3: true times 1.0, 1.1, 5.0 ms */
    double squared_error; /* sum over the three, ms^2 */
    double pair_accuracy; /* share of the pairs in the right order */
    double chosen_ms;     /* true time of the program that the model calls fastest */
};
struct ranking answer3(int model); /* 0: A, 1: B */

double answer4(double temperature); /* how likely a chain goes from 0.80 to 0.78 */

struct luck { /* 5: the share of good ones, and what random search makes of it */
    double good_share, hit1024, trials95;
};
struct luck answer5(const struct device *device);

struct derivation { /* 6 */
    size_t sketches;
    bool rfactor;  /* does rule 6 have a part in any of them? */
    char *history; /* of the last of them; the caller's to free */
};
struct derivation answer6(int graph); /* 0: relu(A B + bias), 4096^3; 1: row sums of 16 x 1,000,000 */

struct turn { /* 7: the gradients of the two tasks, us a unit, and who is next (0 or 1) */
    double gradient[2];
    int next;
};
struct turn answer7(void);

/* Records the published values of exercises 1, 2, 4 and 7. */
void answers_record(struct facts *facts);

#endif

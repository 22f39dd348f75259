/* answers.h - the numbers of the lecture's exercises 1 to 7 (section 11), computed with the library. */
#ifndef ANSWERS_H
#define ANSWERS_H

#include "tuning.h"
#include "report/program.h"

extern const struct fact published_answers[];

struct answers {
    /* 1: one block of 64x128 with 2 warps; for BLOCK_K 16 and 32 */
    struct {
        double compute, latency, stages;
    } little[2]; /* cycles of a K-step, of a load; stages that hide it */
    /* 2: g = (-2, -1, 1, 2), h = 1, lambda = 1, split in the middle */
    double gain, left_leaf, right_leaf;
    /* 3: true times 1.0, 1.1, 5.0 ms; models A and B */
    double squared_error[2]; /* sum over the three, ms^2 */
    double pair_accuracy[2]; /* share of the pairs in the right order */
    double chosen_ms[2];     /* true time of the program that the model calls fastest */
    /* 4: from 0.80 to 0.78 at temperatures 0.05 and 0.005 */
    double acceptance[2];
    /* 5: the share of good ones, and what random search makes of it */
    double good_share, hit1024, trials95;
    /* 6: relu(A B + bias), 4096^3; row sums of 16 x 1,000,000 */
    size_t sketches[2];
    bool rfactor[2];  /* does rule 6 have a part in any of them? */
    char *history[2]; /* of the last of them */
    /* 7: the gradients of the two tasks, us a unit, and who is next (0 or 1) */
    double gradient[2];
    int next;
};

struct answers answers_compute(const struct device *device);
void answers_free(struct answers *answers);

/* Records the published values of exercises 1, 2, 4 and 7. */
void answers_record(const struct answers *answers, struct facts *facts);

#endif

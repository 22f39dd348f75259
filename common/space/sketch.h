/* sketch.h - Ansor's sketches: a search space that nobody wrote. Lecture 5.2 and 5.3; Ansor's table 1.
 *
 * A sketch is a program with holes: it says which loops are tiled, what is fused, what is cached, whether a reduction
 * is split; but no tile size, no number of stages or parts. Rules derive it from the graph, going from the output to
 * the inputs. A rule looks at one node and answers: not for me; apply; apply, and no rule after me. Where two rules
 * apply there are two sketches. Annotation then fills the holes at random (5.4).
 *
 * "The rules" differ between the paper, the lecture and TVM. SKETCH_LECTURE is what the lecture teaches, SKETCH_TVM
 * what TVM ran (src/auto_scheduler/search_policy/sketch_policy_rules.cc, removed in 2025). Where they part:
 *
 * rule 3, 5   In the paper and TVM rule 5 adds a cache node, whose copy is a consumer; then rule 4 fuses the two.
 *             The lecture calls the same program "rules 3 and 5": its rule 3 takes a copy along.
 * rule 4, 5   On CPUs TVM also keeps the version without cache, also the one without fusion, and fuses at two
 *             depths: C = A B has 1 sketch in the lecture and under TVM's rules for GPUs, 3 under those for CPUs.
 * rule 6      When? Paper: the reduction offers more parallelism. Lecture: a small output, a long reduction, taken
 *             here as: fewer output tiles of 128 x 128 than the lecture's GPU has SMs, so that some would idle, and
 *             over 1024 values to reduce, so that even 32 parts have over 32 each. Of a node that is not tiled every
 *             output is a tile. The 1024 is ours; any limit from 512 to 4095 decides the same for every shape of the
 *             lecture. A rule of thumb: 128 tiles on 108 SMs (FFN down) pass as enough.
 *             TVM on CPUs: outputs <= values to reduce, and <= 16 cores; of a node not tiled: values > cores. For the
 *             lecture's wgrad, 262,144 outputs of 32,768 values, it never fires. TVM on GPUs: never. There is rule 8.
 *             What then? TVM makes two sketches, parts of neighbours and parts that interleave, and like the paper
 *             leaves them untiled. The lecture's is split-K, 1 sketch: the parts are tiled as any product is (the
 *             node is looked at again), and a second kernel adds them up.
 * rule 7, 8   The paper's two for GPUs, which it does not number. 8: threads of one block share a reduction. TVM: if
 *             the node is to be tiled, outputs <= 1024 (threads of a block) and < values; else values > 32 (a warp).
 *             The lecture names no condition, so SKETCH_LECTURE has this one too. Its exercise 6 calls rule 8 the
 *             form that rule 6 takes on a GPU; here the row sum gets both, for they differ: its 16 rows keep 16
 *             blocks busy by rule 8, and 16 times the number of parts by rule 6.
 *
 * Left out, since no graph here needs them: TVM's rules for constant tensors and special compute locations, and that
 * on CPUs its rule 2 spares transpositions. What sets apart two sketches that one rule makes on a CPU (depths,
 * parts) is not written down, for they are counted only. */
#ifndef SKETCH_H
#define SKETCH_H

#include "space/compute.h"
#include "base/text.h"
#include <stddef.h>

/* What the conditions compare with. */
enum {
    SKETCH_SMS = 108,            /* the lecture's GPU */
    SKETCH_TILE = 128,           /* side of the tile that rule 6 counts with */
    SKETCH_LONG = 1024,          /* a reduction over more values is long */
    SKETCH_CORES = 4,            /* TVM's num_cores; 4 in its own tests of these rules */
    SKETCH_BLOCK_THREADS = 1024, /* TVM's max_threads_per_block */
    SKETCH_WARP = 32             /* TVM's warp_size */
};

enum sketch_target { SKETCH_CPU, SKETCH_GPU };
enum sketch_conditions { SKETCH_LECTURE, SKETCH_TVM };

/* The rules by the paper's numbers, then its two for GPUs. */
enum {
    RULE_SKIP = 1,
    RULE_INLINE,
    RULE_TILE,
    RULE_FUSE,
    RULE_CACHE_WRITE,
    RULE_RFACTOR,
    RULE_CACHE_READ,
    RULE_CROSS_THREAD,
    SKETCH_RULES = RULE_CROSS_THREAD
};

struct sketch_stage {  /* what the rules made of one node; {0}: nothing, plain loops over its axes */
    bool inlined;      /* rule 2: computed wherever it is read */
    bool tiled;        /* rule 3 or 4: its loops are split into levels */
    int fused;         /* the node that is computed in its loops (itself: the copy of rule 5); 0: none */
    bool cache_write;  /* rule 5 */
    bool rfactor;      /* rule 6 */
    bool cache_read;   /* rule 7: its reader loads it through shared memory */
    bool cross_thread; /* rule 8 */
};

struct sketch {
    const struct compute *graph;
    enum sketch_target target;
    enum sketch_conditions conditions;
    struct sketch_stage stage[COMPUTE_MAX_NODES];
    int steps;
    struct sketch_step { /* the rules that made it, in the order of derivation */
        int rule, node;
    } step[4 * COMPUTE_MAX_NODES];
};

enum sketch_answer { ANSWER_NO, ANSWER_APPLY, ANSWER_APPLY_AND_STOP };

struct sketch_rule {
    int number;
    struct text name, when; /* when: the condition in words */
    enum sketch_answer (*ask)(const struct sketch *sketch, int node);
    int tvm_cpu; /* how many sketches it makes of one with TVM's rules for CPUs; else 1 */
};
extern const struct sketch_rule sketch_rules[SKETCH_RULES]; /* in the order in which they are asked */
const struct sketch_rule *sketch_rule(int number);

struct sketches {
    size_t count;
    struct sketch *sketch; /* [count] */
};

/* All sketches of a graph, those of the fewest steps first. Keeps the graph by reference. Free with sketches_free. */
struct sketches sketch_generate(const struct compute *graph, enum sketch_target target,
                                enum sketch_conditions conditions);
void sketches_free(struct sketches sketches);

/* Whether a rule had a part in the sketch. */
bool sketch_used(const struct sketch *sketch, int rule);

/* Which rules made what, node by node from the output: "relu 1, biased 2, C 4, B 7, A 7", or "dW 6+5+3". Inputs that
 * were only passed over are left out. A new string. */
char *sketch_history(const struct sketch *sketch);

#endif

/* sketch.h - Ansor's sketches: a search space that nobody wrote. Lecture 5.2 and 5.3; Ansor's table 1.
 *
 * A sketch is a program with holes: which loops are tiled, what is fused and cached, whether a reduction is split;
 * but no sizes. Rules derive it from the graph, from the output to the inputs: each looks at one node and answers:
 * not for me; apply; apply, and no rule after me. Two that apply make two sketches. 5.4 fills the holes at random.
 *
 * SKETCH_LECTURE is what the lecture teaches, SKETCH_TVM what TVM ran (sketch_policy_rules.cc of its auto_scheduler,
 * removed in 2025). Where they and the paper part:
 * rule 3, 5   In the paper and TVM rule 5 adds a cache node, whose copy rule 4 fuses; the lecture's rule 3 does both.
 * rule 4, 5   On CPUs TVM also keeps the versions without cache and without fusion, and fuses at two depths.
 * rule 6      When? Paper: the reduction offers more parallelism. Lecture: a small output, a long reduction, taken
 *             here as fewer tiles (compute_tiles) than SMs, and over 1024 values; any limit from 512 to 4095 decides
 *             the same for every shape of the lecture. TVM: sketch_ask; on GPUs never.
 *             What then? TVM and the paper leave the parts untiled (TVM in two sketches, parts of neighbours and
 *             interleaved ones). The lecture's is split-K: tiled as any product is, a second kernel adds up.
 * rule 7, 8   The paper's two for GPUs, unnumbered there. 8: threads of one block share a reduction; the lecture names
 *             no condition, so it has TVM's.
 * Left out: TVM's rules for constant tensors and special compute locations; and that on CPUs its rule 2 spares
 * transpositions. Sketches that one rule makes on a CPU are counted, not written down. */
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
enum { RULE_SKIP = 1, RULE_INLINE, RULE_TILE, RULE_FUSE, RULE_CACHE_WRITE, RULE_RFACTOR, RULE_CACHE_READ,
       RULE_CROSS_THREAD, SKETCH_RULES = RULE_CROSS_THREAD };

struct sketch {
    const struct compute *graph;
    enum sketch_target target;
    enum sketch_conditions conditions;
    struct sketch_stage { /* what the rules made of one node */
        unsigned rules;   /* bit r: rule r had a part in it */
        int fused;        /* the node that is computed in its loops (itself: the copy of rule 5); 0: none */
    } stage[COMPUTE_MAX_NODES];
    int next; /* the node to look at next; -1: done */
};

/* Whether a rule had a part in a node; in any. Whether rule 3 or 4 split the node's loops into levels. */
bool sketch_applied(const struct sketch *sketch, int rule, int node);
bool sketch_used(const struct sketch *sketch, int rule);
bool sketch_tiled(const struct sketch *sketch, int node);

/* What a rule says of a node. */
enum sketch_answer { ANSWER_NO, ANSWER_APPLY, ANSWER_APPLY_AND_STOP };
enum sketch_answer sketch_ask(const struct sketch *sketch, int rule, int node);

struct sketch_rule {
    int number;
    struct text name, when; /* when: the condition in words */
    int tvm_cpu; /* how many sketches it makes of one with TVM's rules for CPUs; else 1 */
};
extern const struct sketch_rule sketch_rules[SKETCH_RULES]; /* in the order in which they are asked */
const struct sketch_rule *sketch_rule(int number);

struct sketches {
    size_t count;
    struct sketch *sketch; /* [count] */
};

/* All sketches of a graph, those of the fewest steps first. Keeps the graph by reference. */
struct sketches sketch_generate(const struct compute *graph, enum sketch_target target,
                                enum sketch_conditions conditions);
void sketches_free(struct sketches sketches);

/* Which rules made what, node by node from the output: "relu 1, biased 2, C 4, B 7, A 7", or "dW 6+5+3". Inputs that
 * were only passed over are left out. A new string. */
char *sketch_history(const struct sketch *sketch);

/* How deep the loops of a tiled node are split: each S is one level of all spatial loops, each R of all reduction
 * loops. "SSSRRSRS" makes 13 of a product's 3; "SSRSRS", on CPUs, 10. */
const char *nest_levels(enum sketch_target target);

/* The program as loop nests with holes: ?i0 is the extent of loop i0, ?split the number of parts, ?threads that of
 * the threads that share a reduction, ?stages that of a cache's buffers; `where` says what must multiply to what. At
 * the right stands the rule, or the letter of nest_levels, that made the line. Not of
 * TVM's sketches for CPUs. A new string. */
char *nest_text(const struct sketch *sketch);

#endif

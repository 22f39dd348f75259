/* features.h - what a cost model is told about a configuration (lecture 4.3); nothing about time.
 *
 * Knob features: log2 of each knob value; any space has them. Program features: 18 numbers that a compiler can count
 * in the loop program of a matrix product; they mean the same for every shape, which is what makes transfer between
 * shapes possible (4.7).
 *
 * Context features: AutoTVM's "context relation features", which know loops instead of knobs. Each loop of the kernel's
 * nest (the grid's: parts of K, groups, columns, rows; K-steps; warps; pieces of a warp's tile) has a length and the
 * bytes that it touches, in all of its iterations; for each threshold, 2^8, 2^10 … 2^26 bytes, they tell how much the
 * loops that touch no more compute, and how much is moved to where so much fits. A nest of another template
 * has the same. */
#ifndef FEATURES_H
#define FEATURES_H

#include "space/space.h"
#include "base/text.h"
#include "space/matmul.h"
#include "space/workload.h"

enum features_kind { FEATURES_KNOB, FEATURES_PROGRAM, FEATURES_CONTEXT };

/* gm = M/BLOCK_M, gn = N/BLOCK_N, Ks = K/SPLIT_K and steps = Ks/BLOCK_K, all rounded up. */
enum program_feature {
    FEATURE_BLOCKS,       /* log2 of thread blocks in the grid: gm gn SPLIT_K */
    FEATURE_THREADS,      /* log2 of threads a block: 32 num_warps */
    FEATURE_SMEM,         /* log2 of bytes of shared memory a block: num_stages times the bytes of a K-step */
    FEATURE_ACCUMULATORS, /* log2 of fp32 accumulators a thread: BLOCK_M BLOCK_N / threads */
    FEATURE_WARP_ROWS,    /* log2 of rows of C that one warp computes (matmul_warp_tile) */
    FEATURE_WARP_COLUMNS, /* log2 of its columns */
    FEATURE_STEP_FLOP,    /* log2 of FLOP of a block in one K-step: 2 BLOCK_M BLOCK_N BLOCK_K */
    FEATURE_STEP_BYTES,   /* log2 of bytes it loads for that: 2 (BLOCK_M + BLOCK_N) BLOCK_K */
    FEATURE_INTENSITY,    /* log2 of the tile's arithmetic intensity, FLOP a byte: their ratio */
    FEATURE_STEPS,        /* log2 of K-steps a block runs: steps */
    FEATURE_STAGES,       /* num_stages, a count: K-steps whose data fit in shared memory at once */
    FEATURE_IN_FLIGHT,    /* log2 of bytes on their way while a block computes: num_stages - 1 K-steps; or 0 */
    FEATURE_PADDING,      /* padding efficiency, 0 … 1: M N K over what the tiles that cover it compute */
    FEATURE_GROUP,        /* log2 of the effective group size, in block rows: min(GROUP_M, gm) */
    FEATURE_SPLIT_K,      /* log2 of SPLIT_K, the parts that K is cut into */
    FEATURE_M,            /* log2 of the shape's M, */
    FEATURE_N,            /* N */
    FEATURE_K,            /* and K */
    PROGRAM_FEATURES
};

/* Of the outermost loop that touches at most 2^CONTEXT_FIRST bytes, four times as many, …; 0 if there is none: */
enum { CONTEXT_FIRST = 8, CONTEXT_SIZES = 10 };
enum context_feature {
    CONTEXT_WORK,                                  /* [SIZES] log2 of the multiply-adds in all its iterations */
    CONTEXT_MOVED = CONTEXT_WORK + CONTEXT_SIZES,  /* [SIZES] log2 of the bytes it touches times how often it starts */
    CONTEXT_GRID = CONTEXT_MOVED + CONTEXT_SIZES,  /* log2 of the iterations that are blocks, */
    CONTEXT_PARTS,                                 /* of those that share a sum, */
    CONTEXT_THREADS,                               /* of those that are threads */
    CONTEXT_STAGES,                                /* buffers of a K-step's tiles */
    CONTEXT_FEATURES
};

/* Whether the space's knobs are the seven of matmul.h, in their order: only then has it program and context
 * features. */
bool features_has_program(const struct space *space);

/* How many features a configuration has, and the name of one of them. The space matters to knob features only. */
int features_count(enum features_kind kind, const struct space *space);
struct text features_name(enum features_kind kind, const struct space *space, int feature);

/* out [n][features_count]: the features of n configurations, legal or not. A knob's 0 becomes -1 and a negative v
 * becomes v - 1, so that order is kept. A space without program features may be asked for its knobs alone. */
void features_fill(enum features_kind kind, const struct workload *w, const struct space *space, size_t n,
                   const uint32_t *configs, float *out);

/* The same for each innermost statement, as Ansor has it: the product's, whose features are those above, and, if
 * SPLIT_K is over 1, that of the second kernel, in which each thread adds up the parts of one output. out
 * [2][PROGRAM_FEATURES]; returns how many. */
int features_statements(const struct workload *w, const struct space *space, uint32_t config, float *out);

#endif

/* programs.h - complete programs, as Ansor samples and changes them: a sketch and a value in each of its holes.
 *
 * On the matmul kernel's knobs a sketch decides what SPLIT_K may be: 1, or more if rule 6 split the reduction; all
 * other knobs are holes. The sketches are the lecture's for a product on a GPU (5.3), without threads that share a
 * reduction, which the kernel cannot express. A space with other knobs has one sketch, all of it holes.
 * As in 5.4 and TVM a sketch is drawn uniformly, then a legal program of it, however many it has. */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include "search/shortlist.h"
#include "search/strategy.h"
#include "search/unseen.h"

struct programs {
    const struct space *space;
    bool matmul; /* its knobs are the seven */
    int sketches;
    struct sketch_programs {
        enum programs_parts { ONE_PART, SEVERAL_PARTS, ANY_PARTS } parts; /* what SPLIT_K may be */
        size_t count;
        uint32_t *config; /* [count] its legal programs, ascending */
    } sketch[2];          /* [sketches] each has at least one */
};

/* The programs of a task's sketches. whole_space: every configuration, as the programs of one sketch; so it is too if
 * no sketch has a legal program in the space. */
struct programs programs_new(const struct task *task, bool whole_space);
void programs_free(struct programs *programs);

/* Whether any sketch lets SPLIT_K have the value that it has here. */
bool programs_allow(const struct programs *programs, uint32_t config);

/* A random program; the space must have a legal configuration. */
uint32_t programs_random(const struct programs *programs, struct rng *rng);

/* Takes up to n random programs that nobody asked for; returns how many, fewer only when the space is exhausted. After
 * PROGRAMS_TRIES in a row that were asked for before, whatever the space still has will do. */
size_t programs_draw_many(const struct programs *programs, struct unseen *unseen, size_t n, uint32_t *configs,
                          struct rng *rng);

/* ---- evolution's operations (lecture 5.6; Ansor's section 5.1) ----
 *
 * A child is legal and a program of some sketch. If PROGRAMS_TRIES attempts in a row (MetaSchedule's
 * genetic_max_fail_count) are illegal or change nothing, it is its parent once more. */
enum { PROGRAMS_TRIES = 10 };

/* Takes one decision anew, uniformly: with probability `tile` a tile's size (BLOCK_M, BLOCK_N, BLOCK_K, num_warps);
 * else num_stages, GROUP_M, or the sketch and with it SPLIT_K. */
uint32_t programs_mutated(const struct programs *programs, uint32_t config, double tile, struct rng *rng);

/* Takes decisions that depend on each other from the same parent, either equally likely: the tile and who computes it
 * (BLOCK_M, BLOCK_N, num_warps), the pipeline that feeds it (BLOCK_K, num_stages), GROUP_M, the sketch (SPLIT_K). In
 * other spaces each knob is a group. */
uint32_t programs_crossed(const struct programs *programs, uint32_t mother, uint32_t father, struct rng *rng);

#endif

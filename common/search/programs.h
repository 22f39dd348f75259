/* programs.h - complete programs, as Ansor samples and changes them: a sketch and a value in each of its holes.
 *
 * On the seven knobs of the matmul kernel a sketch decides what SPLIT_K may be: 1, or more if rule 6 split the
 * reduction into parts. All other knobs are holes of every sketch. Which sketches there are comes from the
 * lecture's rules, applied to the task's product on a GPU (5.3); those that the kernel cannot express (threads that
 * share a reduction) are left out. A space with other knobs has one sketch, all of it holes.
 *
 * A program is sampled as the lecture's 5.4 and TVM do it: a sketch uniformly, then its holes uniformly until the
 * program is legal. So each sketch has the same chance, however many programs it has. */
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
    } * sketch;           /* [sketches] each has at least one */
};

/* The programs of a task's sketches. whole_space: every configuration, as the programs of one sketch; so it is too if
 * no sketch has a legal program in the space. */
struct programs programs_new(const struct task *task, bool whole_space);
void programs_free(struct programs *programs);

/* Whether any sketch lets this knob have the value at this position. */
bool programs_allow(const struct programs *programs, int knob, int position);

/* A random program; the space must have a legal configuration. */
uint32_t programs_random(const struct programs *programs, struct rng *rng);

/* Takes up to n random programs that nobody asked for; returns how many, fewer only when the space is exhausted. If
 * PROGRAMS_TRIES in a row were asked for before, hardly any are left, and whatever the space still has will do. */
size_t programs_draw_many(const struct programs *programs, struct unseen *unseen, size_t n, uint32_t *configs,
                          struct rng *rng);

/* A population of n: first the best that were measured, as many as the list has (at most n), then random programs. */
void programs_populate(const struct programs *programs, size_t n, uint32_t *population,
                       const struct shortlist *measured, struct rng *rng);

/* ---- evolution's operations (lecture 5.6; Ansor's section 5.1) ----
 *
 * A child is legal and a program of some sketch. If PROGRAMS_TRIES attempts in a row (MetaSchedule's
 * genetic_max_fail_count) are illegal or change nothing, it is its parent once more. */
enum { PROGRAMS_TRIES = 10 };

/* Takes one decision anew, uniformly: with probability `tile` the size of a block's or a warp's tile (BLOCK_M,
 * BLOCK_N, BLOCK_K, num_warps); else num_stages, GROUP_M, or the sketch and with it SPLIT_K. Ansor divides the size
 * of one level of tiles by a factor and multiplies another's with it; so here: what a block loses, the grid gains. */
uint32_t programs_mutated(const struct programs *programs, uint32_t config, double tile, struct rng *rng);

/* Ansor's crossover takes all decisions about one node of the graph from the same parent, because they depend on each
 * other. Here one node computes, and what depends on each other is a group of its knobs: the tile and who computes it
 * (BLOCK_M, BLOCK_N, num_warps); the pipeline that feeds it (BLOCK_K, num_stages); the order of blocks (GROUP_M); the
 * sketch (SPLIT_K). Each group comes from one parent, both equally likely. In other spaces each knob is a group. */
uint32_t programs_crossed(const struct programs *programs, uint32_t mother, uint32_t father, struct rng *rng);

#endif

/* rng.h - random numbers that are the same bits on every machine.
 *
 * xoshiro256++ (Blackman and Vigna 2019) seeded by splitmix64. A stream belongs to one (experiment, repeat), never to
 * a thread, so results do not depend on how many threads ran. One draw per statement: the order in which C evaluates
 * arguments is the compiler's choice. */
#ifndef RNG_H
#define RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
    uint64_t s[4]; /* xoshiro's state */
    double spare;  /* the second normal of a polar pair, if has_spare */
    int has_spare;
};

/* splitmix64's output function (Steele, Lea and Flood 2014): 64 well-mixed bits of x. */
uint64_t rng_mix(uint64_t x);

/* The stream named (experiment, repeat) under a run's seed. Different names give unrelated streams. */
struct rng rng_stream(uint64_t seed, const char *experiment, uint64_t repeat);

uint64_t rng_next(struct rng *rng);                           /* 64 uniform bits */
uint32_t rng_below(struct rng *rng, uint32_t n);              /* uniform in 0 … n-1, without bias; n > 0 */
double rng_uniform(struct rng *rng);                          /* uniform in [0, 1): the top 53 bits */
double rng_normal(struct rng *rng);                           /* standard normal, Marsaglia's polar method */
void rng_shuffle(struct rng *rng, uint32_t *items, size_t n); /* every order equally likely (Fisher-Yates) */

#endif

/* rng.c - xoshiro256++, its seeding, and the distributions drawn from it. */
#include "base/rng.h"
#include "base/mathx.h"
#include <math.h>

static const uint64_t golden = 0x9e3779b97f4a7c15u; /* 2^64 over the golden ratio: splitmix64's step */

uint64_t rng_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

struct rng rng_stream(uint64_t seed, const char *experiment, uint64_t repeat)
{
    uint64_t name = 0xcbf29ce484222325u; /* FNV-1a of the experiment's name */
    for (const char *c = experiment; *c; c++)
        name = (name ^ (unsigned char)*c) * 0x100000001b3u;
    uint64_t state = rng_mix(seed + golden);
    state = rng_mix(state ^ name);
    state = rng_mix(state + repeat * golden);
    struct rng rng = { .has_spare = 0 };
    for (int i = 0; i < 4; i++)
        rng.s[i] = rng_mix(state += golden);
    return rng;
}

static uint64_t rotate(uint64_t x, int by) { return x << by | x >> (64 - by); }

uint64_t rng_next(struct rng *rng)
{
    uint64_t *s = rng->s, result = rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint32_t rng_below(struct rng *rng, uint32_t n)
{
    /* Lemire 2019: the high word of a product is uniform once the few biased low words are refused. */
    uint64_t product = (rng_next(rng) >> 32) * n;
    if ((uint32_t)product < n) {
        uint32_t refuse = (0u - n) % n;
        while ((uint32_t)product < refuse)
            product = (rng_next(rng) >> 32) * n;
    }
    return (uint32_t)(product >> 32);
}

double rng_uniform(struct rng *rng) { return (double)(rng_next(rng) >> 11) * 0x1p-53; }

double rng_normal(struct rng *rng)
{
    if (rng->has_spare) {
        rng->has_spare = 0;
        return rng->spare;
    }
    double x, y, r2;
    do { /* a uniform point inside the unit circle, not its centre */
        x = 2.0 * rng_uniform(rng) - 1.0;
        y = 2.0 * rng_uniform(rng) - 1.0;
        r2 = x * x + y * y;
    } while (r2 >= 1.0 || r2 < 1e-300);
    double scale = sqrt(-2.0 * mathx_log(r2) / r2);
    rng->spare = y * scale;
    rng->has_spare = 1;
    return x * scale;
}

void rng_shuffle(struct rng *rng, uint32_t *items, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        uint32_t j = rng_below(rng, (uint32_t)i), kept = items[i - 1];
        items[i - 1] = items[j];
        items[j] = kept;
    }
}

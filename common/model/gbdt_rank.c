/* gbdt_rank.c - derivatives of the pairwise logistic loss (lecture 4.4).
 *
 * All samples sit in a circle, in random order. Each competes with those who sit d_1 … d_32 places further on; the
 * distances are drawn anew for every tree. So each sample has 32 opponents, and neighbours compete with neighbours:
 * four pairs are computed at once. A pair needs no exponential of its own, since 1 / (1 + e^(F_j - F_i)) =
 * E_i / (E_i + E_j) with E = e^F: n exponentials a tree instead of 32 n. */
#include "model/gbdt_model.h"
#include "base/mathx.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef gbdt_floats unaligned __attribute__((aligned(4)));

struct gbdt_rank {
    size_t n, seats; /* seats: n rounded up to whole lanes */
    int pairs;
    struct rng rng;
    uint32_t *sample;   /* [n] who sits where */
    uint32_t *distance; /* [pairs] */
    /* By seat, twice around, so that a place beyond the last seat needs no wrapping: */
    float *level;    /* the label's place among all labels, one for equal labels */
    float *strength; /* E */
    float *g, *h;    /* derivatives gathered as somebody's opponent */
    /* By seat, once around: */
    float *own_level;     /* NaN in a seat nobody has: neither above nor below anyone */
    float *own_g, *own_h; /* derivatives from one's own 32 pairs */
};

struct gbdt_rank *gbdt_rank_new(const struct gbdt_settings *settings, size_t n, const double *y)
{
    struct gbdt_rank *rank = xalloc(1, sizeof *rank);
    size_t seats = (n + GBDT_LANES - 1) / GBDT_LANES * GBDT_LANES;
    *rank = (struct gbdt_rank){ .n = n, .seats = seats, .pairs = settings->pairs };
    rank->rng = rng_stream(settings->seed, "gbdt.rank", 0);
    rank->sample = xalloc(n + (size_t)rank->pairs, sizeof *rank->sample);
    rank->distance = rank->sample + n;
    float *block = xalloc(11 * seats, sizeof *block);
    rank->level = block;
    rank->strength = block + 2 * seats;
    rank->g = block + 4 * seats;
    rank->h = block + 6 * seats;
    rank->own_level = block + 8 * seats;
    rank->own_g = block + 9 * seats;
    rank->own_h = block + 10 * seats;
    for (size_t i = 0; i < n; i++)
        rank->sample[i] = (uint32_t)i;
    rng_shuffle(&rank->rng, rank->sample, n);
    double *place = xalloc(n, sizeof *place);
    stats_ranks(y, n, place);
    for (size_t i = 0; i < seats; i++) /* halves below 2^23: exact */
        rank->own_level[i] = i < n ? (float)place[rank->sample[i]] : NAN;
    free(place);
    for (size_t i = 0; i < 2 * n; i++)
        rank->level[i] = rank->own_level[i % n];
    return rank;
}

void gbdt_rank_free(struct gbdt_rank *rank)
{
    free(rank->sample);
    free(rank->level);
    free(rank);
}

/* E of everybody over the strongest's. Those further below than single precision reaches are taken as equal. */
static void find_strengths(struct gbdt_rank *rank, const double *score)
{
    size_t n = rank->n;
    double highest = score[0];
    for (size_t i = 1; i < n; i++)
        highest = score[i] > highest ? score[i] : highest;
    for (size_t i = 0; i < n; i++) {
        double below = score[rank->sample[i]] - highest;
        rank->strength[i] = rank->strength[i + n] = (float)mathx_exp(below > -80 ? below : -80);
    }
}

/* Four neighbours against all their opponents. wins: how likely the model takes them to win; g and h of each pair are
 * those of log(1 + e^-(F_above - F_below)): wins - 1 or wins, and wins (1 - wins); 0 between equals. */
static void compete(struct gbdt_rank *rank, size_t seat)
{
    const gbdt_floats zero = gbdt_all(0), one = gbdt_all(1);
    const gbdt_floats strength = *(unaligned *)(rank->strength + seat),
                      level = *(unaligned *)(rank->own_level + seat);
    gbdt_floats own_g = zero, own_h = zero;
    for (int d = 0; d < rank->pairs; d++) {
        size_t other = seat + rank->distance[d];
        gbdt_floats other_level = *(unaligned *)(rank->level + other);
        gbdt_floats wins = strength / (strength + *(unaligned *)(rank->strength + other));
        gbdt_ints above = level > other_level, below = level < other_level;
        gbdt_floats g = gbdt_select(above, wins - one, gbdt_select(below, wins, zero));
        gbdt_floats h = gbdt_select(above | below, wins * (one - wins), zero);
        own_g += g;
        own_h += h;
        *(unaligned *)(rank->g + other) -= g;
        *(unaligned *)(rank->h + other) += h;
    }
    *(unaligned *)(rank->own_g + seat) = own_g;
    *(unaligned *)(rank->own_h + seat) = own_h;
}

void gbdt_rank_derive(struct gbdt_rank *rank, const double *score, double *g, double *h)
{
    size_t n = rank->n;
    if (n < 2)
        return;
    find_strengths(rank, score);
    for (int d = 0; d < rank->pairs; d++)
        rank->distance[d] = 1 + rng_below(&rank->rng, (uint32_t)(n - 1));
    memset(rank->g, 0, 4 * rank->seats * sizeof *rank->g);
    for (size_t seat = 0; seat < rank->seats; seat += GBDT_LANES)
        compete(rank, seat);
    for (size_t i = 0; i < n; i++) {
        uint32_t who = rank->sample[i];
        g[who] = (rank->own_g[i] + rank->g[i] + rank->g[i + n]) / (double)rank->pairs;
        h[who] = (rank->own_h[i] + rank->h[i] + rank->h[i + n]) / (double)rank->pairs;
    }
}

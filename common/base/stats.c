/* stats.c - order statistics, rank correlation and ranking quality. */
#include "base/stats.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct keyed {
    double key;
    uint32_t index;
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* By key; equal ones stay as they are. room [n / 2] */
static void sort_keyed(struct keyed *v, size_t n, struct keyed *room)
{
    size_t half = n / 2, left = 0, right = half;
    if (n < 2)
        return;
    sort_keyed(v, half, room);
    sort_keyed(v + half, n - half, room);
    memcpy(room, v, half * sizeof *v);
    for (size_t at = 0; left < half; at++)
        v[at] = right < n && v[right].key < room[left].key ? v[right++] : room[left++];
}

void stats_order(const double *v, size_t n, uint32_t *order)
{
    struct keyed *keyed = xalloc(n + n / 2, sizeof *keyed);
    for (size_t i = 0; i < n; i++)
        keyed[i] = (struct keyed){ v[i], (uint32_t)i };
    sort_keyed(keyed, n, keyed + n);
    for (size_t i = 0; i < n; i++)
        order[i] = keyed[i].index;
    free(keyed);
}

void stats_sort(double *v, size_t n) { qsort(v, n, sizeof *v, by_value); } /* equal doubles are the same: no ties */

double stats_percentile(const double *v, size_t n, double p)
{
    double *sorted = xalloc(n, sizeof *sorted);
    memcpy(sorted, v, n * sizeof *sorted);
    stats_sort(sorted, n);
    double rank = p / 100.0 * (double)(n - 1);
    size_t below = (size_t)rank;
    double share = rank - (double)below, low = sorted[below], high = sorted[below + 1 < n ? below + 1 : below];
    free(sorted);
    return share > 0.0 && low < high ? low + share * (high - low) : low; /* no inf - inf between two infinities */
}

double stats_median(const double *v, size_t n) { return stats_percentile(v, n, 50.0); }

double stats_mean(const double *v, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return sum / (double)n;
}

double stats_deviation(const double *v, size_t n)
{
    double mean = stats_mean(v, n), squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += (v[i] - mean) * (v[i] - mean);
    return n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
}

void stats_mean_rows(size_t n, size_t width, const double *each, double *mean)
{
    for (size_t i = 0; i < width; i++) {
        mean[i] = 0.0;
        for (size_t row = 0; row < n; row++)
            mean[i] += each[row * width + i] / (double)n;
    }
}

double stats_min(const double *v, size_t n)
{
    double least = v[0];
    for (size_t i = 1; i < n; i++)
        least = v[i] < least ? v[i] : least;
    return least;
}

double stats_max(const double *v, size_t n)
{
    double most = v[0];
    for (size_t i = 1; i < n; i++)
        most = v[i] > most ? v[i] : most;
    return most;
}

size_t stats_up_to(const double *ascending, size_t n, double limit)
{
    size_t count = 0;
    while (count < n && ascending[count] <= limit)
        count++;
    return count;
}

struct spread stats_spread(const double *v, size_t n)
{
    return (struct spread){ stats_median(v, n), stats_mean(v, n), stats_min(v, n), stats_max(v, n) };
}

void stats_ranks(const double *v, size_t n, double *rank)
{
    uint32_t *order = xalloc(n, sizeof *order);
    stats_order(v, n, order);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && v[order[j]] == v[order[i]];)
            j++;
        for (size_t t = i; t < j; t++)
            rank[order[t]] = ((double)i + (double)(j - 1)) / 2.0;
    }
    free(order);
}

double stats_spearman(const double *a, const double *b, size_t n)
{
    double *ra = xalloc(2 * n, sizeof *ra), *rb = ra + n, mean = ((double)n - 1.0) / 2.0;
    stats_ranks(a, n, ra);
    stats_ranks(b, n, rb);
    double ab = 0.0, aa = 0.0, bb = 0.0;
    for (size_t i = 0; i < n; i++) {
        ab += (ra[i] - mean) * (rb[i] - mean);
        aa += (ra[i] - mean) * (ra[i] - mean);
        bb += (rb[i] - mean) * (rb[i] - mean);
    }
    free(ra);
    return aa > 0.0 && bb > 0.0 ? ab / sqrt(aa * bb) : 0.0;
}

double stats_pairwise_accuracy(const double *predicted, const double *truth, size_t n)
{
    int64_t agree = 0, pairs = 0; /* agree: right ones less wrong ones */
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) { /* without branches, which no processor could guess here */
            int faster = (truth[i] > truth[j]) - (truth[i] < truth[j]);
            agree += faster * ((predicted[i] > predicted[j]) - (predicted[i] < predicted[j]));
            pairs += faster * faster;
        }
    return pairs > 0 ? (double)(pairs + agree) / 2.0 / (double)pairs : 0.5;
}

/* place[i]: how many items come before i when the highest value is first, of equals the first; k if k or more do. */
static void places(const double *v, size_t n, size_t k, uint32_t *place)
{
    double *low = xalloc(n, sizeof *low);
    uint32_t *order = xalloc(n, sizeof *order);
    for (size_t i = 0; i < n; i++)
        low[i] = -v[i];
    stats_order(low, n, order);
    for (size_t i = 0; i < n; i++)
        place[order[i]] = (uint32_t)(i < k ? i : k);
    free(order);
    free(low);
}

double stats_recall(const double *predicted, const double *truth, size_t n, size_t k, double *average)
{
    uint32_t *p = xalloc(2 * n, sizeof *p), *t = p + n;
    double *entered = xalloc(k + 1, sizeof *entered); /* how many items are in both firsts from this cut on */
    places(predicted, n, k, p);
    places(truth, n, k, t);
    for (size_t i = 0; i < n; i++) {
        uint32_t later = p[i] > t[i] ? p[i] : t[i];
        if (later < k)
            entered[later + 1] += 1.0;
    }
    double both = 0.0, sum = 0.0;
    for (size_t cut = 1; cut <= k; cut++) {
        both += entered[cut];
        sum += both / (double)cut;
    }
    free(entered);
    free(p);
    if (average)
        *average = k ? sum / (double)k : 0.0;
    return k ? both / (double)k : 0.0;
}

/* test_stats.c - every statistic against its definition, written here in the slowest and plainest way. The data is
 * random with many ties, because ties are where such functions go wrong. */
#include "check.h"
#include <math.h>
#include "base/rng.h"
#include "base/stats.h"
#include <stdbool.h>

enum { MOST = 60, ROUNDS = 300 };

/* n numbers of which many are equal (few kinds) or nearly none (many kinds). */
static size_t draw(struct rng *rng, double *a, double *b)
{
    size_t n = 1 + rng_below(rng, MOST);
    uint32_t kinds_a = 1 + rng_below(rng, 100), kinds_b = 1 + rng_below(rng, 100);
    for (size_t i = 0; i < n; i++) {
        a[i] = (double)rng_below(rng, kinds_a) - 20.0;
        b[i] = a[i] * 0.5 + 0.125 * (double)rng_below(rng, kinds_b);
    }
    return n;
}

/* ---- order, percentiles, ends ---- */

TEST(order_ascends_and_ties_keep_their_places)
{
    struct rng rng = rng_stream(0, "order", 0);
    for (int round = 0; round < ROUNDS; round++) {
        double v[MOST], unused[MOST];
        uint32_t order[MOST], seen[MOST] = { 0 };
        size_t n = draw(&rng, v, unused);
        stats_order(v, n, order);
        for (size_t i = 0; i < n; i++) {
            seen[order[i]]++;
            if (i)
                assert_true(v[order[i - 1]] <= v[order[i]]);
            if (i && v[order[i - 1]] == v[order[i]])
                assert_true(order[i - 1] < order[i]);
        }
        for (size_t i = 0; i < n; i++)
            assert_int_equal(seen[i], 1);
    }
}

/* The value at a whole rank: the one with at most `rank` smaller ones and more than `rank` not larger ones. */
static double at_rank(const double *v, size_t n, size_t rank)
{
    for (size_t i = 0; i < n; i++) {
        size_t smaller = 0, not_larger = 0;
        for (size_t j = 0; j < n; j++) {
            smaller += v[j] < v[i];
            not_larger += v[j] <= v[i];
        }
        if (smaller <= rank && rank < not_larger)
            return v[i];
    }
    return (double)NAN;
}

TEST(percentiles_interpolate_between_ranks)
{
    struct rng rng = rng_stream(0, "percentile", 0);
    for (int round = 0; round < ROUNDS; round++) {
        double v[MOST], unused[MOST];
        size_t n = draw(&rng, v, unused);
        for (int p = 0; p <= 100; p += 5) {
            size_t hundredths = (size_t)p * (n - 1), below = hundredths / 100; /* the rank in whole numbers */
            double share = (double)(hundredths % 100) / 100.0, low = at_rank(v, n, below);
            double want = share > 0.0 ? (1.0 - share) * low + share * at_rank(v, n, below + 1) : low;
            assert_near(stats_percentile(v, n, p), want, 1e-11);
        }
        assert_near(stats_median(v, n), (at_rank(v, n, (n - 1) / 2) + at_rank(v, n, n / 2)) / 2.0, 1e-12);
        assert_same_bits(stats_min(v, n), at_rank(v, n, 0));
        assert_same_bits(stats_max(v, n), at_rank(v, n, n - 1));
        assert_same_bits(stats_percentile(v, n, 0.0), stats_min(v, n));
        assert_same_bits(stats_percentile(v, n, 100.0), stats_max(v, n));
    }
}

TEST(infinity_in_the_data_makes_no_nan)
{
    const double v[] = { 3.0, (double)INFINITY, 1.0, (double)INFINITY, 2.0 };
    assert_same_bits(stats_median(v, 5), 3.0);
    assert_same_bits(stats_percentile(v, 5, 25.0), 2.0);
    assert_true(stats_percentile(v, 5, 75.0) == (double)INFINITY);
    assert_true(stats_percentile(v, 5, 100.0) == (double)INFINITY);
    assert_true(stats_percentile(v, 5, 60.0) == (double)INFINITY); /* between a number and infinity */
    assert_true(stats_percentile(v, 5, 85.0) == (double)INFINITY); /* between two infinities */
}

TEST(the_mean_is_the_sum_in_order_over_n)
{
    const double v[] = { 1e16, 1.0, -1e16 }; /* 0 in this order, 1/3 in another */
    assert_same_bits(stats_mean(v, 3), 0.0);
    assert_same_bits(stats_mean(v, 2), (1e16 + 1.0) / 2.0);
    assert_same_bits(stats_mean(v + 1, 1), 1.0);
}

/* ---- Spearman ---- */

/* Pearson's correlation of the ranks. An item's rank: how many are smaller, and half of the others that are equal. */
static double spearman_by_definition(const double *a, const double *b, size_t n)
{
    double ra[MOST], rb[MOST], sa = 0.0, sb = 0.0, ab = 0.0, aa = 0.0, bb = 0.0;
    for (size_t i = 0; i < n; i++) {
        ra[i] = rb[i] = -0.5; /* every item equals itself: takes away that half */
        for (size_t j = 0; j < n; j++) {
            ra[i] += a[j] < a[i] ? 1.0 : a[j] == a[i] ? 0.5 : 0.0;
            rb[i] += b[j] < b[i] ? 1.0 : b[j] == b[i] ? 0.5 : 0.0;
        }
        sa += ra[i];
        sb += rb[i];
    }
    for (size_t i = 0; i < n; i++) {
        double da = ra[i] - sa / (double)n, db = rb[i] - sb / (double)n;
        ab += da * db;
        aa += da * da;
        bb += db * db;
    }
    return aa > 0.0 && bb > 0.0 ? ab / sqrt(aa) / sqrt(bb) : 0.0;
}

TEST(the_deviation_of_a_few_is_that_of_what_they_were_drawn_from)
{
    static const double v[] = { 2, 4, 4, 4, 5, 5, 7, 9 }; /* mean 5, squares 32 */
    assert_same_bits(stats_deviation(v, 8), sqrt(32.0 / 7.0));
    assert_same_bits(stats_deviation(v + 1, 3), 0.0);
    assert_true(isnan(stats_deviation(v, 1)));
}

TEST(spearman_is_the_correlation_of_ranks)
{
    struct rng rng = rng_stream(0, "spearman", 0);
    for (int round = 0; round < ROUNDS; round++) {
        double a[MOST], b[MOST], cubed[MOST], opposite[MOST];
        size_t n = draw(&rng, a, b);
        for (size_t i = 0; i < n; i++) {
            cubed[i] = b[i] * b[i] * b[i] + 7.0; /* rises with b: the same ranks */
            opposite[i] = -b[i];
        }
        double rho = stats_spearman(a, b, n);
        assert_near(rho, spearman_by_definition(a, b, n), 1e-12);
        assert_same_bits(stats_spearman(a, cubed, n), rho);
        assert_near(stats_spearman(b, a, n), rho, 1e-15);
        assert_near(stats_spearman(a, opposite, n), -rho, 1e-15);
        assert_same_bits(stats_spearman(a, b, 1), 0.0);
        assert_same_bits(stats_spearman(a, b, 0), 0.0);
    }
}

/* ---- quality of a ranking ---- */

static int sign(double x) { return (x > 0.0) - (x < 0.0); }

TEST(pairwise_accuracy_counts_pairs)
{
    struct rng rng = rng_stream(0, "pairs", 0);
    for (int round = 0; round < ROUNDS; round++) {
        double truth[MOST], predicted[MOST], opposite[MOST];
        size_t n = draw(&rng, truth, predicted);
        int agree = 0, tied = 0, pairs = 0;
        for (size_t i = 0; i < n; i++) {
            opposite[i] = -predicted[i];
            for (size_t j = i + 1; j < n; j++) {
                int t = sign(truth[i] - truth[j]), p = sign(predicted[i] - predicted[j]);
                pairs += t != 0;
                tied += t != 0 && p == 0;
                agree += t != 0 && p == t;
            }
        }
        double accuracy = stats_pairwise_accuracy(predicted, truth, n);
        assert_near(accuracy, pairs ? (agree + 0.5 * tied) / pairs : 0.5, 1e-14);
        assert_near(stats_pairwise_accuracy(opposite, truth, n), 1.0 - accuracy, 1e-14);
        if (pairs)
            assert_same_bits(stats_pairwise_accuracy(truth, truth, n), 1.0);
    }
}

/* Whether item i is among the k highest; of equals those with the smaller index come first. */
static bool among(const double *v, size_t n, size_t k, size_t i)
{
    size_t before = 0;
    for (size_t j = 0; j < n; j++)
        before += v[j] > v[i] || (v[j] == v[i] && j < i);
    return before < k;
}

TEST(recall_counts_who_is_in_both_tops)
{
    struct rng rng = rng_stream(0, "recall", 0);
    for (int round = 0; round < ROUNDS / 3; round++) {
        double truth[MOST], predicted[MOST], sum = 0.0;
        size_t n = draw(&rng, truth, predicted);
        for (size_t k = 1; k <= n; k++) {
            int both = 0;
            for (size_t i = 0; i < n; i++)
                both += among(truth, n, k, i) && among(predicted, n, k, i);
            double average, recall = stats_recall(predicted, truth, n, k, &average);
            assert_near(recall, (double)both / (double)k, 1e-15);
            sum += recall;
            assert_near(average, sum / (double)k, 1e-13);
        }
        double none, all;
        assert_same_bits(stats_recall(predicted, truth, n, n, NULL), 1.0);
        assert_same_bits(stats_recall(predicted, truth, n, 0, &none), 0.0);
        stats_recall(truth, truth, n, n, &all);
        assert_same_bits(none, 0.0);
        assert_same_bits(all, 1.0);
    }
}

TESTS("stats", NULL, NULL)

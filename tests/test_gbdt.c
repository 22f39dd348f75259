/* test_gbdt.c - boosting against its definition: every split of every tree is compared with all splits there are,
 * every leaf with its formula, prediction with a walk down every tree. Exercise 2. */
#include "check.h"
#include "model/gbdt_model.h"
#include "base/mathx.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/xalloc.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- data ---- */

enum { MOST_ROWS = 600, MOST_FEATURES = 6 };

struct data {
    size_t n;
    int features;
    float x[MOST_ROWS * MOST_FEATURES];
    double y[MOST_ROWS], weight[MOST_ROWS];
};

/* Features 0, 2, … have `distinct` values, the others many; y depends on all; where feature 0 is 0, it failed. */
static struct data draw(size_t n, int features, uint32_t distinct, uint64_t seed)
{
    struct data d = { .n = n, .features = features };
    struct rng rng = rng_stream(seed, "test.gbdt", n);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (int f = 0; f < features; f++) {
            double v = f % 2 ? rng_uniform(&rng) : (double)rng_below(&rng, distinct) / distinct;
            d.x[i * (size_t)features + (size_t)f] = (float)v;
            sum += f % 3 ? (v - 0.4) * (v - 0.4) : v;
        }
        d.y[i] = d.x[i * (size_t)features] > 0 ? sum / features : 0;
        d.weight[i] = rng_uniform(&rng);
    }
    return d;
}

static double *predict(const struct gbdt *model, size_t n, const float *x)
{
    double *score = xalloc(n, sizeof *score);
    gbdt_predict(model, n, x, score);
    return score;
}

static void assert_same_scores(const struct gbdt *a, const float *xa, const struct gbdt *b, const float *xb, size_t n)
{
    double *sa = predict(a, n, xa), *sb = predict(b, n, xb);
    for (size_t i = 0; i < n; i++)
        assert_same_bits(sa[i], sb[i]);
    free(sa);
    free(sb);
}

/* ---- a fit, and a walk, in the plainest way ---- */

static struct gbdt *fit(const struct gbdt_settings *settings, const struct data *d, const double *margin)
{
    return gbdt_fit(settings, d->n, d->features, d->x, d->y, d->weight, margin);
}

struct question {
    int feature; /* -1: none, a leaf */
    float cut;
};

static struct question question_of(const struct gbdt *model, int tree, int node)
{
    int nodes = (1 << model->depth) - 1, q = node < nodes ? model->tree[tree].question[node] : model->questions;
    int f = gbdt_feature_of(model, q);
    return f < 0 ? (struct question){ -1, 0 } : (struct question){ f, model->column[f].cut[q - model->first[f]] };
}

/* From where a branch ends early on, always to the right: all leaves below are equal. */
static double walk(const struct gbdt *model, int tree, const float *row)
{
    int nodes = (1 << model->depth) - 1, node = 0;
    while (node < nodes) {
        struct question q = question_of(model, tree, node);
        node = 2 * node + (q.feature >= 0 && row[q.feature] < q.cut ? 1 : 2);
    }
    return model->tree[tree].leaf[node - nodes];
}

/* ---- exercise 2 ---- */

static void exercise_2_gain_is_6_and_leaves_are_1_and_minus_1(void **state)
{
    (void)state;
    assert_near(gbdt_split_gain(-2 + -1, 2, 1 + 2, 2, 1), 6, 0);
    assert_near(gbdt_leaf(-3, 2, 1), 1, 0);
    assert_near(gbdt_leaf(3, 2, 1), -1, 0);

    /* The same out of a fit: at F = 0, y = (2, 1, -1, -2) has g = F - y = (-2, -1, 1, 2). */
    struct gbdt_settings settings = gbdt_defaults(GBDT_SQUARED);
    settings.trees = settings.depth = 1;
    settings.eta = 1;
    const float x[4] = { 10, 20, 30, 40 };
    const double y[4] = { 2, 1, -1, -2 }, want[4] = { 1, 1, -1, -1 };
    struct gbdt *model = gbdt_fit(&settings, 4, 1, x, y, NULL, NULL);
    double *score = predict(model, 4, x), gain = 0;
    for (int i = 0; i < 4; i++)
        assert_near(score[i], want[i], 0);
    gbdt_gain(model, &gain);
    assert_near(gain, 6, 0);
    free(score);
    gbdt_free(model);
}

/* ---- every node against the definition ---- */

struct reference {
    const struct data *data;
    const struct gbdt *model;
    const struct gbdt_settings *settings;
    double g[MOST_ROWS], h[MOST_ROWS], total_h;
    int splits, leaves;
};

/* -INFINITY if a side has less than `least` of h. */
static double gain_of_cut(const struct reference *r, const size_t *rows, size_t n, int feature, float cut,
                          double least)
{
    double gl = 0, hl = 0, gr = 0, hr = 0, lambda = r->settings->lambda;
    for (size_t i = 0; i < n; i++) {
        bool left = r->data->x[rows[i] * (size_t)r->data->features + (size_t)feature] < cut;
        *(left ? &gl : &gr) += r->g[rows[i]];
        *(left ? &hl : &hr) += r->h[rows[i]];
    }
    if (hl < least || hr < least)
        return -INFINITY;
    return gl * gl / (hl + lambda) + gr * gr / (hr + lambda) - (gl + gr) * (gl + gr) / (hl + hr + lambda);
}

static double best_gain(const struct reference *r, const size_t *rows, size_t n, int level, double least)
{
    double best = -INFINITY;
    for (int f = 0; f < r->data->features && level < r->settings->depth; f++)
        for (int c = 0; c < r->model->column[f].cuts; c++)
            best = fmax(best, gain_of_cut(r, rows, n, f, r->model->column[f].cut[c], least));
    return best;
}

static void assert_node(struct reference *r, int tree, int node, int level, const size_t *rows, size_t n)
{
    struct question q = question_of(r->model, tree, node);
    double g = 0, h = 0, lambda = r->settings->lambda, tolerance = 1e-5; /* sums are good to 2^-29 of sum |g| */
    for (size_t i = 0; i < n; i++) {
        g += r->g[rows[i]];
        h += r->h[rows[i]];
    }
    /* With weights, a sum that all but equals the least may fall on either side of it. */
    double least = r->settings->min_child_weight;
    double slack = r->settings->objective == GBDT_WEIGHTED ? 1e-7 * r->total_h : 0;
    double must = best_gain(r, rows, n, level, least + slack), may = best_gain(r, rows, n, level, least - slack);
    if (q.feature < 0) {
        double leaf = walk(r->model, tree, r->data->x + rows[0] * (size_t)r->data->features);
        assert_near(leaf, -r->settings->eta * g / (h + lambda), 1e-6);
        assert_true(must <= fmax(1e-6, r->settings->gamma) + tolerance);
        r->leaves++;
        return;
    }
    double gain = r->model->tree[tree].gain[node];
    assert_between(gain, must - tolerance, may + tolerance);
    assert_true(gain > r->settings->gamma);
    size_t *side = xalloc(2 * n, sizeof *side), left = 0, right = 0;
    for (size_t i = 0; i < n; i++) {
        bool goes_left = r->data->x[rows[i] * (size_t)r->data->features + (size_t)q.feature] < q.cut;
        *(goes_left ? &side[left++] : &side[n + right++]) = rows[i];
    }
    assert_true(left > 0 && right > 0);
    r->splits++;
    assert_node(r, tree, 2 * node + 1, level + 1, side, left);
    assert_node(r, tree, 2 * node + 2, level + 1, side + n, right);
    free(side);
}

/* Boosts beside the model: F of the training rows from the trees before, its derivatives, and then the next tree. */
static void assert_boosted(const struct gbdt_settings *settings, const struct data *data)
{
    struct gbdt *model = fit(settings, data, NULL);
    struct reference r = { .data = data, .model = model, .settings = settings };
    size_t rows[MOST_ROWS];
    double score[MOST_ROWS], sum = 0, weight = 0;
    for (size_t i = 0; i < data->n; i++) {
        rows[i] = i;
        r.h[i] = settings->objective == GBDT_WEIGHTED ? data->weight[i] : 1;
        sum += r.h[i] * data->y[i];
        weight += r.h[i];
    }
    r.total_h = weight;
    assert_near(model->base, sum / weight, 1e-12);
    for (size_t i = 0; i < data->n; i++)
        score[i] = model->base;
    for (int t = 0; t < model->trees; t++) {
        for (size_t i = 0; i < data->n; i++)
            r.g[i] = r.h[i] * (score[i] - data->y[i]);
        assert_node(&r, t, 0, 0, rows, data->n);
        for (size_t i = 0; i < data->n; i++)
            score[i] += walk(model, t, data->x + i * (size_t)data->features);
    }
    assert_true(r.splits > model->trees && r.leaves == r.splits + model->trees);
    gbdt_free(model);
}

static void every_split_is_the_best_of_all_and_every_leaf_is_newtons_step(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        int features, depth, bins;
        double lambda, least, gamma;
    } cases[] = {
        { 9, 1, 6, 32, 1, 1, 0 },   { 30, 2, 3, 32, 0, 1, 0 },     { 30, 5, 6, 4, 1, 0.3, 0 },
        { 200, 3, 6, 32, 1, 1, 0 }, { 200, 4, 6, 32, 2, 5, 0 },    { 200, 6, 2, 2, 1, 1, 0 },
        { 600, 4, 6, 32, 1, 1, 0 }, { 200, 4, 6, 16, 1, 1, 0.01 },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int objective = GBDT_SQUARED; objective <= GBDT_WEIGHTED; objective++) {
            struct gbdt_settings settings = gbdt_defaults((enum gbdt_objective)objective);
            settings.trees = 4;
            settings.depth = cases[c].depth;
            settings.bins = cases[c].bins;
            settings.lambda = cases[c].lambda;
            settings.min_child_weight = cases[c].least;
            settings.gamma = cases[c].gamma;
            struct data data = draw(cases[c].n, cases[c].features, 5, c);
            assert_boosted(&settings, &data);
        }
}

static void of_equal_splits_the_first_feature_and_the_lowest_cut_win(void **state)
{
    (void)state;
    struct gbdt_settings settings = gbdt_defaults(GBDT_SQUARED);
    settings.trees = settings.depth = 1;
    /* Feature 2 is feature 1 mirrored; both may be cut behind the first or the third row; feature 0 splits worse. */
    const struct data data = {
        .n = 4, .features = 3, .x = { 1, 1, 4, /**/ 2, 2, 3, /**/ 1, 3, 2, /**/ 2, 4, 1 }, .y = { 1, 0, 0, -1 }
    };
    const struct reference r = { .data = &data, .settings = &settings, .g = { -1, 0, 0, 1 }, .h = { 1, 1, 1, 1 } };
    const size_t rows[4] = { 0, 1, 2, 3 };
    double first = gain_of_cut(&r, rows, 4, 1, 1.5f, 1);
    assert_same_bits(first, gain_of_cut(&r, rows, 4, 1, 3.5f, 1));
    assert_same_bits(first, gain_of_cut(&r, rows, 4, 2, 1.5f, 1));
    assert_true(first > gain_of_cut(&r, rows, 4, 0, 1.5f, 1) && first > gain_of_cut(&r, rows, 4, 1, 2.5f, 1));
    struct gbdt *model = gbdt_fit(&settings, 4, 3, data.x, data.y, NULL, NULL);
    struct question q = question_of(model, 0, 0);
    assert_int_equal(q.feature, 1);
    assert_near((double)q.cut, 1.5, 0);
    assert_near(model->tree[0].gain[0], first, 1e-12);
    gbdt_free(model);
}

static void copies_of_columns_change_nothing(void **state)
{
    (void)state;
    struct data data = draw(300, 3, 5, 7);
    static float twice[300 * 6];
    for (size_t i = 0; i < 300; i++)
        for (size_t f = 0; f < 6; f++)
            twice[i * 6 + f] = data.x[i * 3 + f % 3];
    for (int objective = GBDT_SQUARED; objective <= GBDT_RANK; objective++) {
        struct gbdt_settings settings = gbdt_defaults((enum gbdt_objective)objective);
        struct gbdt *one = gbdt_fit(&settings, 300, 3, data.x, data.y, data.weight, NULL);
        struct gbdt *two = gbdt_fit(&settings, 300, 6, twice, data.y, data.weight, NULL);
        double gain_one[3], gain_two[6];
        assert_same_scores(one, data.x, two, twice, 300);
        gbdt_gain(one, gain_one);
        gbdt_gain(two, gain_two);
        assert_true(gain_one[0] > 0);
        for (int f = 0; f < 3; f++) {
            assert_same_bits(gain_two[f], gain_one[f]);
            assert_same_bits(gain_two[f + 3], 0.0);
        }
        gbdt_free(one);
        gbdt_free(two);
    }
}

/* ---- losses ---- */

static double mean_square(const struct gbdt *model, const struct data *data)
{
    double *score = predict(model, data->n, data->x), sum = 0;
    for (size_t i = 0; i < data->n; i++)
        sum += (score[i] - data->y[i]) * (score[i] - data->y[i]);
    free(score);
    return sum / (double)data->n;
}

static void each_tree_lowers_the_squared_error(void **state)
{
    (void)state;
    struct data data = draw(400, 4, 6, 3);
    double last = INFINITY, first = 0;
    for (int trees = 0; trees <= 40; trees += trees < 5 ? 1 : 5) {
        struct gbdt_settings settings = gbdt_defaults(GBDT_SQUARED);
        settings.trees = trees;
        struct gbdt *model = gbdt_fit(&settings, data.n, data.features, data.x, data.y, NULL, NULL);
        double error = mean_square(model, &data);
        assert_true(error < last);
        first = trees ? first : error;
        last = error;
        gbdt_free(model);
    }
    assert_true(last < first / 20);
}

/* Half the sum over ordered pairs of log(1 + e^-(F_better - F_worse)): each pair once. */
static double rank_loss(size_t n, const double *y, const double *score)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (y[i] > y[j])
                sum += mathx_log(1 + mathx_exp(score[j] - score[i]));
    return sum;
}

/* With three samples a distance of 1 and one of 2 both make each pair once: whatever is drawn, the mean is exact. */
static void rank_derivatives_are_those_of_the_pairwise_loss(void **state)
{
    (void)state;
    static const struct {
        double y[3], score[3];
    } cases[] = {
        { { 0.1, 0.2, 0.3 }, { 0, 0, 0 } }, { { 3, 1, 2 }, { 0.5, -1, 2 } }, { { 1, 1, 0 }, { 2, -0.25, 0.75 } },
        { { 0, 5, 5 }, { 3, 2, 1 } },       { { 2, 2, 2 }, { 1, 2, 3 } },    { { 1, 2, 3 }, { 20, 10, -20 } },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const double *y = cases[c].y, step = 1e-4;
        struct gbdt_settings settings = gbdt_defaults(GBDT_RANK);
        struct gbdt_rank *rank = gbdt_rank_new(&settings, 3, y);
        double g[3], h[3], score[3];
        gbdt_rank_derive(rank, cases[c].score, g, h);
        memcpy(score, cases[c].score, sizeof score);
        for (int i = 0; i < 3; i++) {
            double here = rank_loss(3, y, score);
            score[i] += step;
            double above = rank_loss(3, y, score);
            score[i] -= 2 * step;
            double below = rank_loss(3, y, score);
            score[i] = cases[c].score[i];
            assert_near(g[i], (above - below) / (2 * step), 1e-6);
            assert_near(h[i], (above - 2 * here + below) / (step * step), 1e-5);
        }
        gbdt_rank_free(rank);
    }
}

/* With more, the mean over many draws comes near 2 / (n - 1) of the loss over all pairs: a pair has two ends. */
static void opponents_are_drawn_evenly(void **state)
{
    (void)state;
    enum { N = 11, ROUNDS = 400 };
    double y[N], score[N], g[N], h[N], mean[N] = { 0 };
    struct rng rng = rng_stream(4, "test.gbdt.opponents", 0);
    for (int i = 0; i < N; i++) {
        y[i] = rng_uniform(&rng);
        score[i] = rng_normal(&rng);
    }
    struct gbdt_settings settings = gbdt_defaults(GBDT_RANK);
    struct gbdt_rank *rank = gbdt_rank_new(&settings, N, y);
    for (int k = 0; k < ROUNDS; k++) {
        double sum = 0;
        gbdt_rank_derive(rank, score, g, h);
        for (int i = 0; i < N; i++) {
            sum += g[i];
            mean[i] += g[i] / ROUNDS;
        }
        assert_near(sum, 0, 1e-5);
    }
    for (int i = 0; i < N; i++) {
        double want = 0;
        for (int j = 0; j < N; j++)
            if (j != i)
                want += (1 / (1 + mathx_exp(score[j] - score[i])) - (y[i] > y[j])) * 2 / (N - 1);
        assert_near(mean[i], want, 0.01);
    }
    gbdt_rank_free(rank);
}

static void rank_sees_only_the_order_of_the_labels(void **state)
{
    (void)state;
    struct data data = draw(300, 4, 6, 5);
    double cubed[MOST_ROWS];
    for (size_t i = 0; i < data.n; i++)
        cubed[i] = 1000 * data.y[i] * data.y[i] * data.y[i] - 7;
    struct gbdt_settings settings = gbdt_defaults(GBDT_RANK);
    struct gbdt *a = gbdt_fit(&settings, data.n, 4, data.x, data.y, NULL, NULL);
    struct gbdt *b = gbdt_fit(&settings, data.n, 4, data.x, cubed, NULL, NULL);
    assert_same_scores(a, data.x, b, data.x, data.n);
    gbdt_free(a);
    gbdt_free(b);
}

static void every_objective_orders_rows_it_has_not_seen(void **state)
{
    (void)state;
    struct data seen = draw(500, 4, 8, 11), unseen = draw(400, 4, 8, 12);
    for (int objective = GBDT_SQUARED; objective <= GBDT_RANK; objective++) {
        struct gbdt_settings settings = gbdt_defaults((enum gbdt_objective)objective);
        struct gbdt *model = gbdt_fit(&settings, seen.n, 4, seen.x, seen.y, NULL, NULL);
        double *score = predict(model, unseen.n, unseen.x);
        assert_between(stats_spearman(score, unseen.y, unseen.n), 0.9, 1);
        free(score);
        gbdt_free(model);
    }
}

/* ---- records that failed, and data with nothing in it ---- */

static void failed_records_teach_to_avoid_their_like(void **state)
{
    (void)state;
    enum { N = 200 };
    float x[N * 2];
    double y[N];
    struct rng rng = rng_stream(0, "test.gbdt.failed", 0);
    for (int i = 0; i < N; i++) {
        x[2 * i] = (float)rng_uniform(&rng);
        x[2 * i + 1] = (float)rng_below(&rng, 4);
        y[i] = x[2 * i + 1] == 3 ? 0 : 0.5 + (double)x[2 * i] / 2;
    }
    const float probe[2 * 2] = { 0.9f, 3, 0.1f, 2 }; /* the first looks fast but for its kind, which fails */
    for (int objective = GBDT_SQUARED; objective <= GBDT_RANK; objective++) {
        struct gbdt_settings settings = gbdt_defaults((enum gbdt_objective)objective);
        struct gbdt *model = gbdt_fit(&settings, N, 2, x, y, NULL, NULL);
        double score[2];
        gbdt_predict(model, 2, probe, score);
        assert_true(score[0] < score[1]);
        gbdt_free(model);
    }
}

static void little_or_constant_data_give_constant_models(void **state)
{
    (void)state;
    const float x[4] = { 1, 2, 3, 4 }, same[4] = { 5, 5, 5, 5 }, probe[3] = { -1e30f, 2.5f, 1e30f };
    const double zero[4] = { 0 }, third[4] = { 0.3, 0.3, 0.3, 0.3 }, mixed[4] = { 0, 0.25, 0.5, 0.25 };
    const struct {
        size_t n;
        const float *x;
        const double *y;
        double want;
    } cases[] = {
        { 0, x, zero, 0 }, { 1, x, third, 0.3 }, { 4, x, zero, 0 }, { 4, x, third, 0.3 }, { 4, same, mixed, 0.25 },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int objective = GBDT_SQUARED; objective <= GBDT_RANK; objective++) {
            struct gbdt_settings settings = gbdt_defaults((enum gbdt_objective)objective);
            struct gbdt *model = gbdt_fit(&settings, cases[c].n, 1, cases[c].x, cases[c].y, NULL, NULL);
            double *score = predict(model, 3, probe), gain = -1;
            for (int i = 0; i < 3; i++)
                assert_near(score[i], objective == GBDT_RANK ? 0 : cases[c].want, 1e-12);
            gbdt_gain(model, &gain);
            assert_near(gain, 0, 0);
            free(score);
            gbdt_free(model);
        }
}

static void rows_of_no_weight_might_as_well_be_absent(void **state)
{
    (void)state;
    enum { N = 120 };
    float x[2 * N];
    double y[N], weight[N];
    struct rng rng = rng_stream(1, "test.gbdt.weight", 0);
    for (int i = 0; i < N; i++) { /* the second half repeats the first half's x: the cuts agree */
        for (int f = 0; f < 2; f++)
            x[2 * i + f] = i < N / 2 ? (float)rng_below(&rng, 6) : x[2 * (i - N / 2) + f];
        y[i] = rng_uniform(&rng);
        weight[i] = i < N / 2 ? 1 : 0;
    }
    struct gbdt_settings weighted = gbdt_defaults(GBDT_WEIGHTED), squared = gbdt_defaults(GBDT_SQUARED);
    struct gbdt *all = gbdt_fit(&weighted, N, 2, x, y, weight, NULL);
    struct gbdt *half = gbdt_fit(&squared, N / 2, 2, x, y, weight, NULL);
    struct gbdt *ignored = gbdt_fit(&squared, N, 2, x, y, weight, NULL);
    double *a = predict(all, N, x), *b = predict(ignored, N, x), apart = 0;
    assert_same_scores(all, x, half, x, N / 2);
    for (int i = 0; i < N; i++)
        apart = fmax(apart, fabs(a[i] - b[i]));
    assert_true(apart > 0.1);
    free(a);
    free(b);
    gbdt_free(all);
    gbdt_free(half);
    gbdt_free(ignored);
}

/* ---- margins ---- */

static void a_perfect_margin_leaves_nothing_to_learn(void **state)
{
    (void)state;
    struct data data = draw(200, 3, 6, 2);
    struct gbdt_settings squared = gbdt_defaults(GBDT_SQUARED), rank = gbdt_defaults(GBDT_RANK);
    double level[MOST_ROWS], steep[MOST_ROWS];
    for (size_t i = 0; i < data.n; i++) {
        level[i] = floor(10 * data.y[i]);
        steep[i] = 20 * level[i]; /* e^-20: hardly a doubt is left about any pair */
    }
    assert_between(stats_max(level, data.n), 2, 4);
    struct gbdt *a = gbdt_fit(&squared, data.n, 3, data.x, data.y, NULL, data.y);
    struct gbdt *b = gbdt_fit(&rank, data.n, 3, data.x, level, NULL, steep);
    double *score_a = predict(a, data.n, data.x), *score_b = predict(b, data.n, data.x);
    for (size_t i = 0; i < data.n; i++) {
        assert_near(score_a[i], 0, 1e-12);
        assert_near(score_b[i], 0, 1e-6);
    }
    free(score_a);
    free(score_b);
    gbdt_free(a);
    gbdt_free(b);
}

/* A global model's scores as margin, a local model on top: together they fit what the global one alone does not. */
static void a_margin_is_corrected_by_what_is_learned(void **state)
{
    (void)state;
    struct data data = draw(300, 3, 6, 6);
    double margin[MOST_ROWS], before = 0, after = 0;
    struct gbdt_settings settings = gbdt_defaults(GBDT_SQUARED);
    for (size_t i = 0; i < data.n; i++)
        margin[i] = 1 - data.y[i]; /* as wrong as can be */
    struct gbdt *model = gbdt_fit(&settings, data.n, 3, data.x, data.y, NULL, margin);
    double *score = predict(model, data.n, data.x);
    for (size_t i = 0; i < data.n; i++) {
        before += (margin[i] - data.y[i]) * (margin[i] - data.y[i]);
        after += (margin[i] + score[i] - data.y[i]) * (margin[i] + score[i] - data.y[i]);
    }
    assert_true(after < before / 50);
    free(score);
    gbdt_free(model);
}

/* ---- bins ---- */

static void draw_column(int kind, size_t n, float *x)
{
    struct rng rng = rng_stream((uint64_t)kind, "test.gbdt.bins", n);
    for (size_t i = 0; i < n; i++) {
        double u = rng_uniform(&rng), v = rng_normal(&rng);
        float tail = (float)mathx_exp(8 * v);
        x[i] = kind == 0   ? (float)u
               : kind == 1 ? tail
               : kind == 2 ? (i % 50 ? (float)v : 1e30f)
               : kind == 3 ? (float)(int)(20 * u) - 10
               : kind == 4 ? (u < 0.9 ? 0.0f : -(float)v)
               : kind == 5 ? 1 + (float)(int)(40 * u) * 0x1p-23f /* neighbouring numbers */
               : u < 0.5   ? -0.0f
                           : 0.0f;
    }
}

static void cuts_ascend_and_tell_neighbours_apart(void **state)
{
    (void)state;
    static const size_t sizes[] = { 1, 2, 31, 128, 500 };
    static const int bins[] = { 2, 7, 32 };
    float x[500];
    for (int kind = 0; kind < 7; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t b = 0; b < sizeof bins / sizeof *bins; b++) {
                struct gbdt_column column;
                draw_column(kind, sizes[s], x);
                gbdt_choose_cuts(&column, bins[b], sizes[s], x, 1);
                assert_between(column.cuts, 0, bins[b] - 1);
                assert_true(column.cuts > 0 || sizes[s] == 1 || kind >= 2);
                assert_true(column.cuts == 0 || kind < 6); /* -0 is 0 */
                for (int c = 0; c < column.cuts; c++) {
                    assert_true(c == 0 || column.cut[c - 1] < column.cut[c]);
                    assert_int_equal(gbdt_bin(&column, column.cut[c]), c + 1);
                    assert_int_equal(gbdt_bin(&column, nextafterf(column.cut[c], -INFINITY)), c);
                }
                assert_int_equal(gbdt_bin(&column, -INFINITY), 0);
                assert_int_equal(gbdt_bin(&column, INFINITY), column.cuts);
            }
}

static void few_values_have_a_bin_each_and_many_share_evenly(void **state)
{
    (void)state;
    float x[3000];
    struct gbdt_column column;
    draw_column(3, 3000, x); /* 20 whole numbers */
    gbdt_choose_cuts(&column, 32, 3000, x, 1);
    assert_int_equal(column.cuts, 19);
    for (int c = 0; c < column.cuts; c++)
        assert_near((double)column.cut[c] - floor((double)column.cut[c]), 0.5, 0);
    for (int kind = 0; kind < 2; kind++) { /* even and heavy-tailed */
        int count[GBDT_MAX_BINS] = { 0 };
        draw_column(kind, 3000, x);
        gbdt_choose_cuts(&column, 32, 3000, x, 1);
        assert_int_equal(column.cuts, 31);
        for (int i = 0; i < 3000; i++)
            count[gbdt_bin(&column, x[i])]++;
        for (int b = 0; b < 32; b++)
            assert_between(count[b], 3000 / 32 - 1, 3000 / 32 + 2);
    }
}

/* ---- prediction and print ---- */

static void prediction_is_a_walk_down_every_tree(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        int features, depth, trees;
    } cases[] = {
        { 1, 3, 6, 60 },   { 127, 3, 6, 7 }, { 128, 2, 5, 8 }, { 129, 1, 1, 3 },
        { 600, 6, 6, 61 }, { 300, 6, 3, 2 }, { 5, 2, 4, 0 },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int objective = GBDT_SQUARED; objective <= GBDT_RANK; objective++) {
            size_t n = cases[c].n, width = (size_t)cases[c].features;
            struct data seen = draw(400, cases[c].features, 9, c), rows = draw(n, cases[c].features, 13, c + 100);
            struct gbdt_settings settings = gbdt_defaults((enum gbdt_objective)objective);
            settings.depth = cases[c].depth;
            settings.trees = cases[c].trees;
            struct gbdt *model = fit(&settings, &seen, NULL);
            for (size_t i = 0; i < n; i += 5) /* some rows lie exactly on a cut, some far outside */
                rows.x[i * width] = i % 2 ? model->column[0].cut[0] : 1e30f;
            double *score = predict(model, n, rows.x);
            for (size_t i = 0; i < n; i++) {
                double want = model->base;
                for (int t = 0; t < model->trees; t++)
                    want += walk(model, t, rows.x + i * width);
                assert_same_bits(score[i], want);
            }
            free(score);
            gbdt_free(model);
        }
}

static void a_tree_prints_as_questions_and_leaves(void **state)
{
    (void)state;
    struct gbdt_settings settings = gbdt_defaults(GBDT_SQUARED);
    settings.eta = settings.trees = 1;
    settings.depth = 2;
    settings.lambda = 0;
    const float x[2 * 4] = { 1, 5, 2, 5, 3, 5, 3, 9 };
    const double y[4] = { 2, 1, -1, -2 };
    struct gbdt *model = gbdt_fit(&settings, 4, 2, x, y, NULL, NULL);
    char text[200] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    gbdt_print(model, 0, (const char *const[]){ "steps", "stages" }, out);
    fclose(out);
    assert_string_equal(text, "steps < 2.5  gain 9\n"
                              "  steps < 1.5  gain 0.5\n"
                              "    leaf 2\n"
                              "    leaf 1\n"
                              "  stages < 7  gain 0.5\n"
                              "    leaf -1\n"
                              "    leaf -2\n");
    gbdt_free(model);
}

/* ---- the same bits ---- */

static void seeds_matter_to_rank_alone(void **state)
{
    (void)state;
    struct data data = draw(200, 3, 6, 8);
    for (int objective = GBDT_SQUARED; objective <= GBDT_RANK; objective++) {
        struct gbdt_settings settings = gbdt_defaults((enum gbdt_objective)objective), other = settings;
        other.seed = 1;
        struct gbdt *a = gbdt_fit(&settings, data.n, 3, data.x, data.y, NULL, NULL);
        struct gbdt *b = gbdt_fit(&settings, data.n, 3, data.x, data.y, NULL, NULL);
        struct gbdt *c = gbdt_fit(&other, data.n, 3, data.x, data.y, NULL, NULL);
        double *score_a = predict(a, data.n, data.x), *score_c = predict(c, data.n, data.x);
        assert_same_scores(a, data.x, b, data.x, data.n);
        assert_int_equal(memcmp(score_a, score_c, data.n * sizeof *score_a) != 0, objective == GBDT_RANK);
        free(score_a);
        free(score_c);
        gbdt_free(a);
        gbdt_free(b);
        gbdt_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exercise_2_gain_is_6_and_leaves_are_1_and_minus_1),
        cmocka_unit_test(every_split_is_the_best_of_all_and_every_leaf_is_newtons_step),
        cmocka_unit_test(of_equal_splits_the_first_feature_and_the_lowest_cut_win),
        cmocka_unit_test(copies_of_columns_change_nothing),
        cmocka_unit_test(each_tree_lowers_the_squared_error),
        cmocka_unit_test(rank_derivatives_are_those_of_the_pairwise_loss),
        cmocka_unit_test(opponents_are_drawn_evenly),
        cmocka_unit_test(rank_sees_only_the_order_of_the_labels),
        cmocka_unit_test(every_objective_orders_rows_it_has_not_seen),
        cmocka_unit_test(failed_records_teach_to_avoid_their_like),
        cmocka_unit_test(little_or_constant_data_give_constant_models),
        cmocka_unit_test(rows_of_no_weight_might_as_well_be_absent),
        cmocka_unit_test(a_perfect_margin_leaves_nothing_to_learn),
        cmocka_unit_test(a_margin_is_corrected_by_what_is_learned),
        cmocka_unit_test(cuts_ascend_and_tell_neighbours_apart),
        cmocka_unit_test(few_values_have_a_bin_each_and_many_share_evenly),
        cmocka_unit_test(prediction_is_a_walk_down_every_tree),
        cmocka_unit_test(a_tree_prints_as_questions_and_leaves),
        cmocka_unit_test(seeds_matter_to_rank_alone),
    };
    return cmocka_run_group_tests_name("gbdt", tests, NULL, NULL);
}

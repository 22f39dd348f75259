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

struct scores {
    double of[MOST_ROWS];
};

static struct scores predict(const struct gbdt *model, size_t n, const float *x)
{
    struct scores score;
    gbdt_predict(model, n, x, score.of);
    return score;
}

/* ---- a fit, and a walk, in the plainest way ---- */

struct question {
    int feature; /* -1: none, a leaf */
    float cut;
};

static struct question question_of(const struct gbdt *model, int tree, int node)
{
    if (node >= (1 << model->depth) - 1 || model->tree[tree].gain[node] == 0)
        return (struct question){ -1, 0 };
    int q = model->tree[tree].question[node], f = gbdt_feature_of(model, q);
    return (struct question){ f, model->column[f].cut[q - model->column[f].first] };
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

TEST(exercise_2_gain_is_6_and_leaves_are_1_and_minus_1)
{
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
    struct scores score = predict(model, 4, x);
    double gain = 0;
    assert_memory_equal(score.of, want, sizeof want);
    gbdt_gain(model, &gain);
    assert_near(gain, 6, 0);
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
static void assert_boosted(const struct gbdt_settings *settings, const struct data *data, const double *margin)
{
    struct gbdt *model =
        gbdt_fit(settings, data->n, data->features, data->x, data->y, data->weight, margin);
    struct reference r = { .data = data, .model = model, .settings = settings };
    size_t rows[MOST_ROWS];
    double score[MOST_ROWS], sum = 0, weight = 0;
    for (size_t i = 0; i < data->n; i++) {
        rows[i] = i;
        r.h[i] = settings->objective == GBDT_WEIGHTED ? data->weight[i] : 1;
        score[i] = margin ? margin[i] : 0;
        sum += r.h[i] * (data->y[i] - score[i]);
        weight += r.h[i];
    }
    r.total_h = weight;
    assert_near(model->base, sum / weight, 1e-12);
    for (size_t i = 0; i < data->n; i++)
        score[i] += model->base;
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

TEST(every_split_is_the_best_of_all_and_every_leaf_is_newtons_step)
{
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
            assert_boosted(&settings, &data, c % 2 ? data.weight : NULL); /* a margin as wrong as can be */
        }
}

TEST(of_equal_splits_the_first_feature_and_the_lowest_cut_win)
{
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

/* ---- sums of statements ---- */

/* With one row a program it is gbdt_fit, bit for bit; with two, no row alone has the program's result, their sum has. */
TEST(what_is_fitted_to_a_program_is_the_sum_of_its_statements)
{
    enum { N = 200, HALF = N / 2 };
    struct gbdt_settings settings = gbdt_defaults(GBDT_WEIGHTED);
    struct data data = draw(N, 4, 5, 3);
    uint32_t own[N], pair[N];
    double y[N], target = 0, off = 0;
    for (uint32_t i = 0; i < N; i++) {
        own[i] = i;
        pair[i] = i % HALF;
    }
    struct gbdt *plain = gbdt_fit(&settings, N, 4, data.x, data.y, data.weight, NULL);
    struct gbdt *alone = gbdt_fit_sums(&settings, N, 4, data.x, own, data.y, data.weight);
    struct scores a = predict(plain, N, data.x), b = predict(alone, N, data.x);
    for (int i = 0; i < N; i++)
        assert_same_bits(a.of[i], b.of[i]);
    settings = gbdt_defaults(GBDT_SQUARED);
    settings.trees = 200;
    for (int i = 0; i < HALF; i++)
        y[i] = data.x[4 * i] + 2 * data.x[4 * (i + HALF)];
    struct gbdt *sums = gbdt_fit_sums(&settings, N, 4, data.x, pair, y, NULL);
    struct scores s = predict(sums, N, data.x);
    for (int i = 0; i < HALF; i++) {
        target += (y[i] - 1.5) * (y[i] - 1.5);
        off += (s.of[i] + s.of[i + HALF] - y[i]) * (s.of[i] + s.of[i + HALF] - y[i]);
    }
    assert_true(off < 0.05 * target);
    gbdt_free(plain);
    gbdt_free(alone);
    gbdt_free(sums);
}

/* ---- losses ---- */

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
TEST(rank_derivatives_are_those_of_the_pairwise_loss)
{
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
TEST(opponents_are_drawn_evenly)
{
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

/* ---- data with nothing in it ---- */

TEST(little_or_constant_data_give_constant_models)
{
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
            struct scores score = predict(model, 3, probe);
            double gain = -1;
            for (int i = 0; i < 3; i++)
                assert_near(score.of[i], objective == GBDT_RANK ? 0 : cases[c].want, 1e-12);
            gbdt_gain(model, &gain);
            assert_near(gain, 0, 0);
            gbdt_free(model);
        }
}

/* ---- bins ---- */

enum column { EVEN, TAILED, WHOLE, MOSTLY_0, NEIGHBOURS, ZEROS, COLUMNS };

static void draw_column(enum column kind, size_t n, float *x)
{
    struct rng rng = rng_stream(kind, "test.gbdt.bins", n);
    for (size_t i = 0; i < n; i++) {
        double u = rng_uniform(&rng), v = rng_normal(&rng);
        const double drawn[COLUMNS] = {
            [EVEN] = u, [TAILED] = mathx_exp(8 * v), [WHOLE] = (int)(20 * u) - 10, [MOSTLY_0] = u < 0.9 ? 0 : -v,
            [NEIGHBOURS] = 1 + (int)(40 * u) * 0x1p-23, [ZEROS] = u < 0.5 ? -0.0 : 0.0,
        };
        x[i] = (float)drawn[kind];
    }
}

TEST(cuts_ascend_and_tell_neighbours_apart)
{
    static const size_t sizes[] = { 1, 2, 31, 128, 500 };
    static const int bins[] = { 2, 7, 32 };
    float x[500];
    for (int kind = 0; kind < COLUMNS; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t b = 0; b < sizeof bins / sizeof *bins; b++) {
                struct gbdt_column column;
                draw_column((enum column)kind, sizes[s], x);
                gbdt_choose_cuts(&column, bins[b], sizes[s], x, 1);
                assert_between(column.cuts, 0, bins[b] - 1);
                assert_true(column.cuts > 0 || sizes[s] == 1 || kind > TAILED);
                assert_true(column.cuts == 0 || kind != ZEROS); /* -0 is 0 */
                for (int c = 0; c < column.cuts; c++) {
                    assert_true(c == 0 || column.cut[c - 1] < column.cut[c]);
                    assert_int_equal(gbdt_bin(&column, column.cut[c]), c + 1);
                    assert_int_equal(gbdt_bin(&column, nextafterf(column.cut[c], -INFINITY)), c);
                }
                assert_int_equal(gbdt_bin(&column, -INFINITY), 0);
                assert_int_equal(gbdt_bin(&column, INFINITY), column.cuts);
            }
}

TEST(few_values_have_a_bin_each_and_many_share_evenly)
{
    float x[3000];
    struct gbdt_column column;
    draw_column(WHOLE, 3000, x); /* 20 whole numbers */
    gbdt_choose_cuts(&column, 32, 3000, x, 1);
    assert_int_equal(column.cuts, 19);
    for (int c = 0; c < column.cuts; c++)
        assert_near((double)column.cut[c] - floor((double)column.cut[c]), 0.5, 0);
    for (int kind = EVEN; kind <= TAILED; kind++) {
        int count[GBDT_MAX_BINS] = { 0 };
        draw_column((enum column)kind, 3000, x);
        gbdt_choose_cuts(&column, 32, 3000, x, 1);
        assert_int_equal(column.cuts, 31);
        for (int i = 0; i < 3000; i++)
            count[gbdt_bin(&column, x[i])]++;
        for (int b = 0; b < 32; b++)
            assert_between(count[b], 3000 / 32 - 1, 3000 / 32 + 2);
    }
}

/* ---- prediction and print ---- */

TEST(prediction_is_a_walk_down_every_tree)
{
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
            struct gbdt *model = gbdt_fit(&settings, seen.n, seen.features, seen.x, seen.y, NULL, NULL);
            for (size_t i = 0; i < n; i += 5) /* some rows lie exactly on a cut, some far outside */
                rows.x[i * width] = i % 2 ? model->column[0].cut[0] : 1e30f;
            struct scores score = predict(model, n, rows.x);
            for (size_t i = 0; i < n; i++) {
                double want = model->base;
                for (int t = 0; t < model->trees; t++)
                    want += walk(model, t, rows.x + i * width);
                assert_same_bits(score.of[i], want);
            }
            gbdt_free(model);
        }
}

TEST(a_tree_prints_as_questions_and_leaves)
{
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

TEST(seeds_matter_to_rank_alone)
{
    struct data data = draw(200, 3, 6, 8);
    for (int objective = GBDT_SQUARED; objective <= GBDT_RANK; objective++) {
        struct gbdt_settings settings = gbdt_defaults((enum gbdt_objective)objective);
        struct scores score[3];
        for (int i = 0; i < 3; i++) {
            settings.seed = i == 2;
            struct gbdt *model = gbdt_fit(&settings, data.n, 3, data.x, data.y, NULL, NULL);
            score[i] = predict(model, data.n, data.x);
            gbdt_free(model);
        }
        assert_memory_equal(score[0].of, score[1].of, data.n * sizeof(double));
        assert_int_equal(memcmp(score[0].of, score[2].of, data.n * sizeof(double)) != 0, objective == GBDT_RANK);
    }
}

TESTS("gbdt", NULL, NULL)

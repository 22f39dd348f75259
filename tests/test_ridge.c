/* test_ridge.c - Cholesky's factor multiplied out again, fits against closed forms worked out by hand, and what a
 * model of nothing says. */
#include "check.h"
#include "../05_strategies/ridge.h"
#include "base/rng.h"

enum { N = 12, ROWS = 200 };

TEST(cholesky_solves_and_leaves_its_factor)
{
    struct rng rng = rng_stream(0, "cholesky", 0);
    double root[N][N], a[N][N], factor[N][N], b[N], w[N];
    for (int i = 0; i < N; i++) {
        w[i] = b[i] = rng_normal(&rng);
        for (int j = 0; j < N; j++)
            root[i][j] = rng_normal(&rng);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) { /* positive definite: a root times itself, and the identity */
            a[i][j] = i == j;
            for (int k = 0; k < N; k++)
                a[i][j] += root[i][k] * root[j][k];
            factor[i][j] = a[i][j];
        }
    ridge_cholesky_solve(N, &factor[0][0], w);
    for (int i = 0; i < N; i++) {
        double product = 0.0;
        for (int j = 0; j < N; j++)
            product += a[i][j] * w[j];
        assert_near(product, b[i], 1e-9);
        for (int j = 0; j <= i; j++) {
            double again = 0.0;
            for (int k = 0; k <= j; k++)
                again += factor[i][k] * factor[j][k];
            assert_near(again, a[i][j], 1e-9);
        }
    }
}

/* A column of zeros and ones is its own square. Standardised both are z, with the same weight w for reasons of
 * symmetry, and the sum of (y - mean - 2 w z)^2 + 2 lambda w^2 is least at w = (sum of z y) / (2 n + lambda). */
TEST(the_penalty_shrinks_as_worked_out_by_hand)
{
    static const double lambdas[] = { 0.01, 1.0, 30.0, 1e9 };
    float x[ROWS], both[2] = { 0, 1 };
    double y[ROWS], ones = 0.0, mean = 0.0, zy = 0.0, predicted[2];
    struct rng rng = rng_stream(0, "penalty", 0);
    for (int i = 0; i < ROWS; i++) {
        x[i] = (float)rng_below(&rng, 2);
        y[i] = 5.0 + 2.0 * x[i];
        y[i] += rng_normal(&rng);
        ones += x[i];
        mean += y[i] / ROWS;
    }
    double p = ones / ROWS, sd = sqrt(p * (1.0 - p));
    for (int i = 0; i < ROWS; i++)
        zy += (x[i] - p) / sd * y[i];
    for (size_t l = 0; l < sizeof lambdas / sizeof *lambdas; l++) {
        struct ridge *ridge = ridge_fit(ROWS, 1, x, y, lambdas[l]);
        double w = zy / (2.0 * ROWS + lambdas[l]);
        ridge_predict(ridge, 2, both, predicted);
        for (int i = 0; i < 2; i++)
            assert_near(predicted[i], mean + 2.0 * w * (i - p) / sd, 1e-9);
        ridge_free(ridge);
    }
}

TEST(what_never_changed_has_no_say_and_nothing_says_0)
{
    const float same[3] = { 7, 7, 7 }, other[2] = { 7, 1000 };
    const double y[3] = { 1, 2, 6 };
    for (size_t rows = 0; rows <= 3; rows += 3) {
        double predicted[2] = { 1, 1 };
        struct ridge *ridge = ridge_fit(rows, 1, same, y, RIDGE_LAMBDA);
        ridge_predict(ridge, 2, other, predicted);
        for (int i = 0; i < 2; i++)
            assert_near(predicted[i], rows ? 3.0 : 0.0, rows ? 1e-12 : 0.0);
        ridge_free(ridge);
    }
}

TESTS("ridge", NULL, NULL)

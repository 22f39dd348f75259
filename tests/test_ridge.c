/* test_ridge.c - Cholesky's factor multiplied out again, fits against closed forms worked out by hand, and what a
 * model of nothing says. */
#include "check.h"
#include "model/ridge.h"
#include "base/rng.h"

enum { N = 12, ROWS = 200 };

static void cholesky_solves_and_leaves_its_factor(void **state)
{
    (void)state;
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

/* Rows of two columns, -4 … 4, and a y that is quadratic in them. */
static void draw(struct rng *rng, float x[][2], double *y)
{
    for (int i = 0; i < ROWS; i++) {
        double a = 8.0 * rng_uniform(rng) - 4.0, b = 8.0 * rng_uniform(rng);
        x[i][0] = (float)a;
        x[i][1] = (float)(b - 4.0);
        a = x[i][0], b = x[i][1];
        y[i] = 3.0 + 2.0 * a - b + 0.5 * a * b - 0.25 * b * b;
    }
}

static void a_quadratic_is_learnt(void **state)
{
    (void)state;
    struct rng rng = rng_stream(0, "quadratic", 0);
    float x[ROWS][2];
    double y[ROWS], predicted[ROWS];
    draw(&rng, x, y);
    struct ridge *ridge = ridge_fit(ROWS, 2, &x[0][0], y, 1e-9);
    draw(&rng, x, y); /* others than it was fitted to */
    ridge_predict(ridge, ROWS, &x[0][0], predicted);
    for (int i = 0; i < ROWS; i++)
        assert_near(predicted[i], y[i], 1e-6);
    ridge_free(ridge);
}

/* A column of zeros and ones is its own square. Standardised both are z, with the same weight w for reasons of
 * symmetry, and the sum of (y - mean - 2 w z)^2 + 2 lambda w^2 is least at w = (sum of z y) / (2 n + lambda). */
static void the_penalty_shrinks_as_worked_out_by_hand(void **state)
{
    (void)state;
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

static void what_never_changed_has_no_say(void **state)
{
    (void)state;
    const float same[3] = { 7, 7, 7 }, other[2] = { 7, 1000 };
    const double y[3] = { 1, 2, 6 };
    double predicted[2];
    struct ridge *ridge = ridge_fit(3, 1, same, y, RIDGE_LAMBDA);
    ridge_predict(ridge, 2, other, predicted);
    assert_near(predicted[0], 3.0, 1e-12);
    assert_near(predicted[1], 3.0, 1e-12);
    ridge_free(ridge);
}

static void without_rows_the_answer_is_0(void **state)
{
    (void)state;
    const float x[2] = { 1, 2 };
    double predicted = 1.0;
    struct ridge *ridge = ridge_fit(0, 2, NULL, NULL, RIDGE_LAMBDA);
    ridge_predict(ridge, 1, x, &predicted);
    assert_same_bits(predicted, 0.0);
    ridge_free(ridge);
    ridge_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cholesky_solves_and_leaves_its_factor),
        cmocka_unit_test(a_quadratic_is_learnt),
        cmocka_unit_test(the_penalty_shrinks_as_worked_out_by_hand),
        cmocka_unit_test(what_never_changed_has_no_say),
        cmocka_unit_test(without_rows_the_answer_is_0),
    };
    return cmocka_run_group_tests_name("ridge", tests, NULL, NULL);
}

/* check.c - whether a kernel computes C = A B: each element of C against a sum in double precision, within what the
 * rounding of K additions in single precision explains, gamma_K (|A| |B|)_ij (Higham, Accuracy and Stability of
 * Numerical Algorithms, section 3.5). That grows with K squared, and must stay below a single product that is left
 * out: inputs have sizes from 1/2 to 1, so up to K = 2700 it does for each product, up to SIZE_K for one in two. */
#include "cpu_gemm.h"
#include "base/rng.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { GUARD = 1024, ALIGN = 64 }; /* floats on either side of a matrix; bytes */
static const float guard = 0x1.5a5a5ap+77f;

static float *guarded(size_t floats)
{
    char *raw = xalloc(1, (floats + 2 * GUARD) * sizeof(float) + ALIGN);
    float *zone = (float *)(raw + (ALIGN - (size_t)raw % ALIGN) % ALIGN);
    for (size_t n = 0; n < GUARD; n++)
        zone[n] = zone[GUARD + floats + n] = guard;
    return zone + GUARD;
}

static bool untouched(const float *matrix, size_t floats)
{
    for (size_t n = 0; n < GUARD; n++)
        if (memcmp(matrix - GUARD + n, &guard, sizeof guard) || memcmp(matrix + floats + n, &guard, sizeof guard))
            return false;
    return true;
}

struct problem problem_new(struct shape shape)
{
    size_t M = shape.M, N = shape.N, K = shape.K;
    return (struct problem){ shape,
                             guarded(M * K),
                             guarded(K * N),
                             guarded(M * N),
                             xalloc(M * N, sizeof(double)),
                             xalloc(M * N, sizeof(double)) };
}

static void draw(struct rng *rng, float *matrix, size_t floats)
{
    for (size_t n = 0; n < floats; n++) {
        double u = rng_uniform(rng);
        matrix[n] = (float)(u < 0.5 ? u - 1 : u);
    }
}

void problem_draw(struct problem *p)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct rng rng = rng_stream((uint64_t)now.tv_sec * 1000000000u + now.tv_nsec, "inputs", getpid());
    size_t M = p->shape.M, N = p->shape.N, K = p->shape.K;
    draw(&rng, p->A, M * K);
    draw(&rng, p->B, K * N);
    memset(p->right, 0, M * N * sizeof(double));
    memset(p->band, 0, M * N * sizeof(double));
    for (size_t i = 0; i < M; i++)
        for (size_t k = 0; k < K; k++) {
            const double a = p->A[i * K + k], size = fabs(a);
            const float *B = p->B + k * N;
            double *right = p->right + i * N, *band = p->band + i * N;
            for (size_t j = 0; j < N; j++) {
                right[j] += a * B[j];
                band[j] += size * fabsf(B[j]);
            }
        }
    const double u = 0x1p-24, gamma = (double)K * u / (1 - (double)K * u);
    for (size_t n = 0; n < M * N; n++)
        p->band[n] *= gamma;
}

void problem_clear(struct problem *p)
{
    for (size_t n = 0; n < (size_t)p->shape.M * p->shape.N; n++)
        p->C[n] = NAN;
}

const char *problem_verdict(const struct problem *p)
{
    static char text[160];
    size_t M = p->shape.M, N = p->shape.N, K = p->shape.K;
    if (!untouched(p->A, M * K) || !untouched(p->B, K * N) || !untouched(p->C, M * N))
        return "it writes outside of C";
    for (size_t n = 0; n < M * N; n++)
        if (!(fabs(p->C[n] - p->right[n]) <= p->band[n])) { /* so that NaN is wrong, too */
            snprintf(text, sizeof text, "C[%zu][%zu] is %g, expected %g within %.2g", n / N, n % N, p->C[n],
                     p->right[n], p->band[n]);
            return text;
        }
    return NULL;
}

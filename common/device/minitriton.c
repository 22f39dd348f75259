/* minitriton.c - a Triton matmul kernel in plain C: the names, the steps and the masks of the Python one.
 *
 * Where Triton has one expression for a tile, or a GPU runs all program ids at once, here is a loop. Every sum has
 * one fixed order: the innermost loop runs over columns, each a sum of its own, so that a compiler may do several at
 * once. */
#include "device/minitriton.h"
#include "base/xalloc.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* fp16: sign, 5 bits of exponent (bias 15), 10 of fraction. fp32: sign, 8 bits (bias 127), 23. */
enum { FRACTION_SHIFT = 23 - 10, BIAS_SHIFT = (127 - 15) << 23, HALF_INFINITY = 0x7c00, HALF_NAN = 0x7fff };

half half_from_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff, exponent = magnitude >> 23;
    if (magnitude > 0x7f800000)
        return HALF_NAN; /* one NaN for all: whose sign and payload survive a sum, each CPU decides */
    if (exponent >= 127 + 16)
        return (half)(sign | HALF_INFINITY);
    uint32_t exact = magnitude - BIAS_SHIFT, shift = FRACTION_SHIFT;
    if (exponent < 127 - 14) { /* subnormal: in units of 2^-24, the leading 1 written out */
        exact = (magnitude & 0x7fffff) | 0x800000;
        shift = exponent < 127 - 25 ? 25 : 126 - exponent; /* by 25, every 24-bit number rounds to 0 */
    }
    uint32_t kept = exact >> shift, dropped = exact & ((1u << shift) - 1), tie = 1u << (shift - 1);
    if (dropped > tie || (dropped == tie && (kept & 1)))
        kept++; /* a carry goes into the exponent, up to infinity: just what rounding asks for */
    return (half)(sign | kept);
}

float half_to_float(half value)
{
    uint32_t sign = (value & 0x8000u) << 16, magnitude = value & 0x7fffu;
    if (magnitude < 0x400)
        return (float)magnitude * (sign ? -0x1p-24f : 0x1p-24f);               /* subnormal */
    uint32_t rebias = magnitude < HALF_INFINITY ? BIAS_SHIFT : 2 * BIAS_SHIFT; /* exponent 31 becomes 255 */
    uint32_t bits = sign | ((magnitude << FRACTION_SHIFT) + rebias);
    float result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

static int cdiv(int a, int b) { return (a + b - 1) / b; } /* a / b, rounded up */
static int least(int a, int b) { return a < b ? a : b; }

/* One launch: the kernel's arguments, and the memory that a block has on the chip. */
struct launch {
    const struct workload *w;
    const int *values; /* [MATMUL_KNOBS] */
    const half *a, *b;
    float *partial;         /* [SPLIT_K][m][n] what each slice of K gives */
    float *a_tile, *b_tile; /* shared memory: [BLOCK_M][BLOCK_K], [BLOCK_K][BLOCK_N] */
    float *acc, *sum;       /* registers: [BLOCK_M][BLOCK_N], and one row of it */
};

/* tl.load(ptr + offs, mask = offs < end, other = 0): a rows x columns tile, unpacked to fp32. ptr: its first element;
 * stride: from one row of the matrix to the next; height x width: how much of the tile lies inside the matrix. */
static void load_tile(float *tile, int rows, int columns, const half *ptr, int stride, int height, int width)
{
    memset(tile, 0, (size_t)rows * columns * sizeof *tile);
    for (int i = 0; i < least(rows, height); i++)
        for (int j = 0; j < least(columns, width); j++)
            tile[i * columns + j] = half_to_float(ptr[(size_t)i * stride + j]);
}

/* acc += tl.dot(a, b): the BLOCK_K products of one step are summed by themselves, then added. */
static void add_dot(const struct launch *l)
{
    int block_n = l->values[BLOCK_N], block_k = l->values[BLOCK_K];
    float *sum = l->sum;
    for (int i = 0; i < l->values[BLOCK_M]; i++) {
        memset(sum, 0, block_n * sizeof *sum);
        for (int k = 0; k < block_k; k++) {
            float a = l->a_tile[i * block_k + k];
            const float *b = l->b_tile + k * block_n;
            for (int j = 0; j < block_n; j++)
                sum[j] += a * b[j];
        }
        for (int j = 0; j < block_n; j++)
            l->acc[i * block_n + j] += sum[j];
    }
}

/* tl.store(ptr + offs, acc, mask = offs < end): into this slice's result. */
static void store_tile(const struct launch *l, int offs_m, int offs_n, int pid_k)
{
    int m = l->w->m, n = l->w->n, block_n = l->values[BLOCK_N];
    for (int i = 0; i < least(l->values[BLOCK_M], m - offs_m); i++)
        for (int j = 0; j < least(block_n, n - offs_n); j++)
            l->partial[((size_t)pid_k * m + offs_m + i) * n + offs_n + j] = l->acc[i * block_n + j];
}

/* The @triton.jit function: what the block with these two program ids does. */
static void matmul_kernel(const struct launch *l, int pid, int pid_k)
{
    int m = l->w->m, n = l->w->n, k = l->w->k;
    int block_m = l->values[BLOCK_M], block_n = l->values[BLOCK_N], block_k = l->values[BLOCK_K];
    /* Grouped order: pids go down GROUP_M tiles before they go right. So blocks that run together lie in a patch, not
     * in a stripe, and share rows of A and columns of B in the L2 cache. The last group may be lower. */
    int num_pid_m = cdiv(m, block_m), num_pid_n = cdiv(n, block_n);
    int num_pid_in_group = l->values[GROUP_M] * num_pid_n;
    int group_id = pid / num_pid_in_group, first_pid_m = group_id * l->values[GROUP_M];
    int group_size_m = least(num_pid_m - first_pid_m, l->values[GROUP_M]);
    int pid_m = first_pid_m + pid % num_pid_in_group % group_size_m;
    int pid_n = pid % num_pid_in_group / group_size_m;

    int offs_m = pid_m * block_m, offs_n = pid_n * block_n;
    int k_slice = cdiv(k, l->values[SPLIT_K]), k_end = least(k, (pid_k + 1) * k_slice); /* last: fewer */
    memset(l->acc, 0, (size_t)block_m * block_n * sizeof *l->acc);
    for (int offs_k = pid_k * k_slice; offs_k < k_end; offs_k += block_k) {
        const half *a_ptr = l->a + (size_t)offs_m * k + offs_k, *b_ptr = l->b + (size_t)offs_k * n + offs_n;
        load_tile(l->a_tile, block_m, block_k, a_ptr, k, m - offs_m, k_end - offs_k);
        load_tile(l->b_tile, block_k, block_n, b_ptr, n, k_end - offs_k, n - offs_n);
        add_dot(l);
    }
    store_tile(l, offs_m, offs_n, pid_k);
}

void minitriton_matmul(const struct workload *w, const int *values, const half *a, const half *b, half *c)
{
    for (int i = 0; i < MATMUL_KNOBS; i++)
        assert(values[i] > 0);
    size_t block_m = values[BLOCK_M], block_n = values[BLOCK_N], block_k = values[BLOCK_K];
    size_t size = (size_t)w->m * w->n;
    float *partial = xalloc(values[SPLIT_K] * size, sizeof *partial);
    float *a_tile = xalloc(block_m * block_k + block_k * block_n + block_m * block_n + block_n, sizeof *a_tile);
    float *b_tile = a_tile + block_m * block_k, *acc = b_tile + block_k * block_n, *sum = acc + block_m * block_n;
    struct launch l = { w, values, a, b, partial, a_tile, b_tile, acc, sum };

    int pids = cdiv(w->m, values[BLOCK_M]) * cdiv(w->n, values[BLOCK_N]);
    for (int pid_k = 0; pid_k < values[SPLIT_K]; pid_k++) /* matmul_kernel[(pids, SPLIT_K)](a, b, c) */
        for (int pid = 0; pid < pids; pid++)
            matmul_kernel(&l, pid, pid_k);
    for (size_t i = 0; i < size; i++) { /* split-K's second kernel; Triton stores a single slice in fp16 at once */
        for (int s = 1; s < values[SPLIT_K]; s++)
            partial[i] += partial[s * size + i];
        c[i] = half_from_float(partial[i]);
    }
    free(partial);
    free(a_tile);
}

void minitriton_reference(const struct workload *w, const half *a, const half *b, double *c)
{
    size_t m = w->m, n = w->n, depth = w->k;
    memset(c, 0, m * n * sizeof *c);
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < depth; k++) {
            double a_ik = half_to_float(a[i * depth + k]);
            for (size_t j = 0; j < n; j++)
                c[i * n + j] += a_ik * half_to_float(b[k * n + j]);
        }
}

double minitriton_error(const struct workload *w, const half *c, const double *ref)
{
    double worst = 0.0, largest = 0.0;
    for (size_t i = 0; i < (size_t)w->m * w->n; i++) {
        double error = fabs(half_to_float(c[i]) - ref[i]);
        worst = error > worst || isnan(error) ? error : worst; /* a NaN stays: nothing is greater */
        largest = fabs(ref[i]) > largest ? fabs(ref[i]) : largest;
    }
    return worst == 0.0 ? 0.0 : worst / largest;
}

/* Neighbouring fp16 numbers have neighbouring ranks; those of -0 and 0 are equal. */
static int rank(half value) { return value & 0x8000 ? -(value & 0x7fff) : value; }

long minitriton_unlike(const struct workload *w, const half *c, const half *other, long *by_one)
{
    long unlike = *by_one = 0;
    for (size_t i = 0; i < (size_t)w->m * w->n; i++) {
        int ulp = abs(rank(c[i]) - rank(other[i]));
        unlike += ulp > 0;
        *by_one += ulp == 1;
    }
    return unlike;
}

static half *random_matrix(struct rng *rng, size_t n)
{
    half *matrix = xalloc(n, sizeof *matrix);
    for (size_t i = 0; i < n; i++)
        matrix[i] = half_from_float((float)rng_normal(rng));
    return matrix;
}

void minitriton_try(const struct workload *w, struct rng *rng, int n, const int (*values)[MATMUL_KNOBS],
                    struct minitriton_outcome *outcome)
{
    size_t outputs = (size_t)w->m * w->n;
    half *a = random_matrix(rng, (size_t)w->m * w->k), *b = random_matrix(rng, (size_t)w->k * w->n);
    half *c = xalloc(2 * outputs, sizeof *c);
    double *ref = xalloc(outputs, sizeof *ref);
    minitriton_reference(w, a, b, ref);
    for (int i = 0; i < n; i++) {
        half *out = i ? c + outputs : c;
        minitriton_matmul(w, values[i], a, b, out);
        outcome[i].error = minitriton_error(w, out, ref);
        outcome[i].unlike = minitriton_unlike(w, out, c, &outcome[i].by_one);
    }
    free(ref);
    free(c);
    free(b);
    free(a);
}

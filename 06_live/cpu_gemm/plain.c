/* plain.c - what the tiled kernels are held against: the three loops as one writes them, somebody's library, and what
 * the processor does at most. */
#include "cpu_gemm.h"

static const char *const orders[] = { "ijk", "ikj", "jik", "jki", "kij", "kji" };

static void naive_space(struct shape shape, const struct processor *processor, struct knob *knob)
{
    (void)shape, (void)processor;
    *knob = (struct knob){ "ORDER", 6, { 0, 1, 2, 3, 4, 5 } };
}

static void naive_write(FILE *out, struct shape shape, const struct processor *processor, const int *values)
{
    (void)processor;
    fprintf(out,
            "enum { M = %d, N = %d, K = %d };\n"
            "void gemm(const float *restrict A, const float *restrict B, float *restrict C)\n{\n"
            "    for (long n = 0; n < (long)M * N; n++)\n        C[n] = 0;\n",
            shape.M, shape.N, shape.K);
    for (int depth = 0; depth < 3; depth++) {
        char x = orders[values[0]][depth];
        fprintf(out, "%*sfor (long %c = 0; %c < %c; %c++)\n", 4 * depth + 4, "", x, x, "MNK"[x - 'i'], x);
    }
    fprintf(out, "%*sC[i * N + j] += A[i * K + k] * B[k * N + j];\n}\n", 16, "");
}
const struct family naive = { "naive", 1, (const int[]){ 1 }, naive_space, NULL, naive_write, false };

/* OpenBLAS is looked for when the kernel runs: where it is missing, that fails, and nothing else. One that is older
 * than the processor takes kernels of another; it can be told to use wide vectors. */
static void blas_space(struct shape shape, const struct processor *processor, struct knob *knob)
{
    (void)shape;
    knob[0] = (struct knob){ "THREADS", 1, { 1 } };
    knob[1] = (struct knob){ "AVX512", processor->vector == 16 ? 2 : 1, { 0, 1 } }; /* 0: as it thinks best */
}

static void blas_write(FILE *out, struct shape shape, const struct processor *processor, const int *values)
{
    (void)processor;
    fprintf(out,
            "#include <dlfcn.h>\n#include <stdlib.h>\nenum { M = %d, N = %d, K = %d };\n"
            "static void (*sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int,\n"
            "                     float, float *, int);\n"
            "void gemm(const float *A, const float *B, float *C)\n{\n"
            "    if (!sgemm) {\n"
            "        setenv(\"OPENBLAS_NUM_THREADS\", \"%d\", 1);\n"
            "        if (%d)\n"
            "            setenv(\"OPENBLAS_CORETYPE\", \"SkylakeX\", 1);\n"
            "        void *library = dlopen(\"libopenblas.so.0\", RTLD_NOW);\n"
            "        if (!library || !(sgemm = dlsym(library, \"cblas_sgemm\")))\n"
            "            abort();\n"
            "    }\n"
            "    sgemm(101, 111, 111, M, N, K, 1, A, K, B, N, 0, C, N); /* row-major, nothing transposed */\n"
            "}\n",
            shape.M, shape.N, shape.K, values[0], values[1]);
}
const struct family blas = { "blas", 2, (const int[]){ 0, 0 }, blas_space, NULL, blas_write, false };

static void peak_space(struct shape shape, const struct processor *processor, struct knob *knob)
{
    (void)shape, (void)processor;
    *knob = (struct knob){ "THREADS", 1, { 1 } };
}

/* As many multiplications and additions as C = A B has, on registers alone; enough chains that none waits. */
static void peak_write(FILE *out, struct shape shape, const struct processor *processor, const int *values)
{
    enum { CHAINS = 12 };
    (void)values;
    fprintf(out,
            "typedef float vec __attribute__((vector_size(%d), aligned(4), may_alias));\n"
            "void gemm(const float *A, const float *B, float *C)\n{\n"
            "    vec c[%d] = { 0 }, a = A[0] + (vec){ 0 }, b = B[0] + (vec){ 0 };\n"
            "    for (long n = 0; n < %.0f; n++) {\n",
            4 * processor->vector, CHAINS, (double)shape.M * shape.N * shape.K / processor->vector / CHAINS);
    for (int c = 0; c < CHAINS; c++)
        fprintf(out, "        c[%d] = c[%d] * a + b;\n", c, c);
    fprintf(out, "    }\n    for (int n = 1; n < %d; n++)\n        c[0] += c[n];\n    C[0] = c[0][0];\n}\n", CHAINS);
}
const struct family peak = { "peak", 1, (const int[]){ 0 }, peak_space, NULL, peak_write, true };

/* generate.c - a tiled matrix product as C text: small enough to read, different for every configuration.
 *
 * The scheme is Goto's: a tile of C, MR x NR, stays in vector registers while KC steps of k add to it; the tiles of a
 * block share inputs that stay in the caches. Vectors are gcc's vector extensions, so that one text serves every
 * processor; how many floats they hold is all that the processor decides. Nothing needs to divide anything:
 * a tile at an edge is computed whole, from inputs filled up with zeros, and stored in part. */
#include "cpu_gemm.h"
#include <string.h>

/* In the order of `values`. */
enum { MR, NR, KC, MC, NC, UNROLL, PACK, ORDER, AHEAD, KNOBS };

static const struct knob all[KNOBS] = {
    [MR] = { "MR", 11, { 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14 } }, /* rows of a tile */
    [NR] = { "NR", 4, { 1, 2, 3, 4 } },                          /* its columns; here in vectors */
    [KC] = { "KC", 12, { 32, 64, 96, 128, 160, 192, 256, 320, 384, 512, 768, 1024 }, true },
    [MC] = { "MC", 11, { 24, 48, 72, 96, 144, 192, 288, 384, 576, 768, 1536 }, true },
    [NC] = { "NC", 10, { 64, 96, 128, 192, 256, 384, 512, 1024, 2048, 4096 }, true },
    [UNROLL] = { "UNROLL", 4, { 1, 2, 4, 8 } },     /* steps of k in one turn of the innermost loop */
    [PACK] = { "PACK", 4, { 0, 1, 2, 3 } },         /* copied in the order of use: 1: A, 2: B, 3: both */
    [ORDER] = { "ORDER", 6, { 0, 1, 2, 3, 4, 5 } }, /* of the loops over blocks, see `orders` */
    [AHEAD] = { "AHEAD", 4, { 0, 4, 8, 16 } },      /* rows of B that prefetching is ahead; 0: none */
};
static const char *const orders[] = { "jki", "jik", "kji", "kij", "ijk", "ikj" }; /* outermost first */

static void space(struct shape shape, const struct processor *processor, struct knob *knob)
{
    memcpy(knob, all, sizeof all);
    for (int v = 0; v < knob[NR].count; v++)
        knob[NR].value[v] *= processor->vector;
    const int most[][2] = { { KC, shape.K }, { MC, shape.M }, { NC, shape.N } };
    for (int b = 0; b < 3; b++) { /* of blocks as large as the matrix, one is enough */
        struct knob *block = &knob[most[b][0]];
        int count = 1;
        while (count < block->count && block->value[count - 1] < most[b][1])
            count++;
        block->count = count;
    }
}

/* A tile, a row of B and a number of A stay in registers; a block of A and a panel of B in the second cache. */
static bool allowed(const struct processor *processor, const int *v)
{
    int vectors = v[NR] / processor->vector;
    return v[MR] * vectors + vectors + 1 <= processor->registers &&
           (long)sizeof(float) * v[KC] * (v[MC] + v[NR]) <= processor->l2_bytes;
}

static const char head[] = "typedef float vec __attribute__((vector_size(4 * V), aligned(4), may_alias));\n"
                           "#define MIN(a, b) ((a) < (b) ? (a) : (b))\n"
                           "#define TO(i) ((vec *)(c + (i) * row))\n"
                           "#define TILES(size, tile) (((size) + (tile) - 1) / (tile))\n\n";

/* The innermost loops: one line a row of the tile. */
static void write_tile(FILE *out, const int *v, int vectors)
{
    fprintf(out, "/* One k: a column of A times a row of B is added to the tile. */\n#define STEP \\\n");
    if (v[AHEAD])
        for (int at = 0; at < v[NR]; at += 16) /* a cache line of 64 bytes */
            fprintf(out, "    __builtin_prefetch(b + AHEAD * B_STEP + %d); \\\n", at);
    for (int j = 0; j < vectors; j++)
        fprintf(out, "    vec b%d = ((const vec *)b)[%d]; \\\n", j, j);
    for (int i = 0; i < v[MR]; i++) {
        fprintf(out, "    ");
        for (int j = 0; j < vectors; j++)
            fprintf(out, "c%d_%d += a[%d * A_ROW] * b%d%s", i, j, i, j, j + 1 < vectors ? ", " : "; \\\n");
    }
    fprintf(out, "    a += A_STEP, b += B_STEP;\n\n"
                 "/* c [MR][row] = (first ? 0 : c) + kc steps. */\n"
                 "__attribute__((noinline))\n"
                 "static void tile(const float *a, const float *b, long kc, float *c, long row, int first)\n{\n");
    for (int i = 0; i < v[MR]; i++) {
        fprintf(out, "    vec ");
        for (int j = 0; j < vectors; j++)
            fprintf(out, "c%d_%d = { 0 }%s", i, j, j + 1 < vectors ? ", " : ";\n");
    }
    fprintf(out, "    long k = 0;\n    for (; k + UNROLL <= kc; k += UNROLL) {\n");
    for (int u = 0; u < v[UNROLL]; u++)
        fprintf(out, "        { STEP }\n");
    fprintf(out, "    }\n    for (; k < kc; k++) { STEP }\n    if (!first) {\n");
    for (int i = 0; i < v[MR]; i++) {
        fprintf(out, "        ");
        for (int j = 0; j < vectors; j++)
            fprintf(out, "c%d_%d += TO(%d)[%d]%s", i, j, i, j, j + 1 < vectors ? ", " : ";\n");
    }
    fprintf(out, "    }\n");
    for (int i = 0; i < v[MR]; i++) {
        fprintf(out, "    ");
        for (int j = 0; j < vectors; j++)
            fprintf(out, "TO(%d)[%d] = c%d_%d%s", i, j, i, j, j + 1 < vectors ? ", " : ";\n");
    }
    fprintf(out, "}\n\n");
}

/* Where a tile finds its inputs. Copied: the block's in the order of use, with zeros behind an edge. In place: only
 * at an edge of the matrix a copy, laid out as the matrix is. */
static const char a_packed[] = "enum { A_ROW = 1, A_STEP = MR };\n"
                               "static float a_copy[TILES(MC, MR) * MR * KC] __attribute__((aligned(64)));\n"
                               "static void pack_a(const float *A, long i0, long mc, long k0, long kc)\n{\n"
                               "    float *to = a_copy;\n"
                               "    for (long i = i0; i < i0 + mc; i += MR, to += MR * KC)\n"
                               "        for (long r = 0; r < MR; r++)\n"
                               "            for (long k = 0; k < kc; k++)\n"
                               "                to[k * MR + r] = i + r < i0 + mc ? A[(i + r) * K + k0 + k] : 0;\n}\n"
                               "static const float *tile_a(const float *A, long i0, long i, long k0, long kc)\n{\n"
                               "    return a_copy + i / MR * MR * KC;\n}\n\n";
static const char a_in_place[] = "enum { A_ROW = K, A_STEP = 1 };\n"
                                 "static float a_edge[MR * K];\n"
                                 "static const float *tile_a(const float *A, long i0, long i, long k0, long kc)\n{\n"
                                 "    const float *a = A + (i0 + i) * K + k0;\n"
                                 "    if (i0 + i + MR <= M)\n"
                                 "        return a;\n"
                                 "    for (long r = 0; i0 + i + r < M; r++)\n"
                                 "        for (long k = 0; k < kc; k++)\n"
                                 "            a_edge[r * K + k] = a[r * K + k];\n"
                                 "    return a_edge;\n}\n\n";
static const char b_packed[] = "enum { B_STEP = NR };\n"
                               "static float b_copy[TILES(NC, NR) * NR * KC] __attribute__((aligned(64)));\n"
                               "static void pack_b(const float *B, long j0, long nc, long k0, long kc)\n{\n"
                               "    float *to = b_copy;\n"
                               "    for (long j = j0; j < j0 + nc; j += NR, to += NR * KC)\n"
                               "        for (long k = 0; k < kc; k++) {\n"
                               "            const float *from = B + (k0 + k) * N + j;\n"
                               "            if (j + NR <= j0 + nc)\n"
                               "                for (long q = 0; q < NR; q++)\n"
                               "                    to[k * NR + q] = from[q];\n"
                               "            else\n"
                               "                for (long q = 0; q < NR; q++)\n"
                               "                    to[k * NR + q] = j + q < j0 + nc ? from[q] : 0;\n"
                               "        }\n}\n"
                               "static const float *tile_b(const float *B, long j0, long j, long k0, long kc)\n{\n"
                               "    return b_copy + j / NR * NR * KC;\n}\n\n";
static const char b_in_place[] = "enum { B_STEP = N };\n"
                                 "static float b_edge[KC * N + NR];\n"
                                 "static const float *tile_b(const float *B, long j0, long j, long k0, long kc)\n{\n"
                                 "    const float *b = B + k0 * N + j0 + j;\n"
                                 "    if (j0 + j + NR <= N)\n"
                                 "        return b;\n"
                                 "    for (long k = 0; k < kc; k++)\n"
                                 "        for (long q = 0; j0 + j + q < N; q++)\n"
                                 "            b_edge[k * N + q] = b[k * N + q];\n"
                                 "    return b_edge;\n}\n\n";

/* `cold`, or the compiler takes a third of its time for what hardly ever runs. */
static const char block[] =
    "/* A tile at an edge is computed beside C and stored in part. */\n"
    "__attribute__((cold, noinline))\n"
    "static void store_part(const float *part, float *c, long rows, long columns, int first)\n{\n"
    "    for (long r = 0; r < rows; r++)\n"
    "        for (long q = 0; q < columns; q++)\n"
    "            c[r * N + q] = (first ? 0 : c[r * N + q]) + part[r * NR + q];\n}\n\n"
    "/* The tiles of a block. */\n"
    "static void block(const float *A, const float *B, float *C, long i0, long mc, long j0, long nc, long k0,\n"
    "                  long kc)\n{\n"
    "    for (long j = 0; j < nc; j += NR) {\n"
    "        const float *b = tile_b(B, j0, j, k0, kc);\n"
    "        for (long i = 0; i < mc; i += MR) {\n"
    "            const float *a = tile_a(A, i0, i, k0, kc);\n"
    "            float *c = C + (i0 + i) * N + j0 + j;\n"
    "            if (i + MR <= mc && j + NR <= nc) {\n"
    "                tile(a, b, kc, c, N, k0 == 0);\n"
    "                continue;\n"
    "            }\n"
    "            static float part[MR * NR];\n"
    "            tile(a, b, kc, part, NR, 1);\n"
    "            store_part(part, c, MIN(MR, mc - i), MIN(NR, nc - j), k0 == 0);\n"
    "        }\n    }\n}\n\n";

/* The loops over blocks. A block of A is copied where i and k are known and one of them is new; so is one of B. */
static void write_loops(FILE *out, const int *v)
{
    const char *order = orders[v[ORDER]], *size = "MNK";
    fprintf(out, "void gemm(const float *A, const float *B, float *C)\n{\n");
    for (int depth = 0; depth < 3; depth++) {
        char x = order[depth], known[4] = "";
        int d = x == 'i' ? 0 : x == 'j' ? 1 : 2;
        char S = size[d], s = "mnk"[d];
        int pad = 4 * depth + 4;
        fprintf(out, "%*sfor (long %c = 0; %c < %c; %c += %cC) {\n", pad, "", x, x, S, x, S);
        fprintf(out, "%*slong %cc = MIN(%cC, %c - %c);\n", pad + 4, "", s, S, S, x);
        memcpy(known, order, depth + 1);
        if (v[PACK] & 1 && x != 'j' && strchr(known, 'i') && strchr(known, 'k'))
            fprintf(out, "%*spack_a(A, i, mc, k, kc);\n", pad + 4, "");
        if (v[PACK] & 2 && x != 'i' && strchr(known, 'j') && strchr(known, 'k'))
            fprintf(out, "%*spack_b(B, j, nc, k, kc);\n", pad + 4, "");
    }
    fprintf(out, "%*sblock(A, B, C, i, mc, j, nc, k, kc);\n", 16, "");
    for (int depth = 2; depth >= 0; depth--)
        fprintf(out, "%*s}\n", 4 * depth + 4, "");
    fprintf(out, "}\n");
}

static void write_tiled(FILE *out, struct shape shape, const struct processor *processor, const int *v)
{
    fprintf(out,
            "/* C = A B in single precision, row-major: a kernel written by cpu_gemm. */\n"
            "enum { M = %d, N = %d, K = %d, V = %d };\nenum { ",
            shape.M, shape.N, shape.K, processor->vector);
    for (int n = 0; n < KNOBS; n++)
        fprintf(out, "%s = %d%s", all[n].name, v[n], n + 1 < KNOBS ? ", " : " };\n");
    fputs(head, out);
    fputs(v[PACK] & 1 ? a_packed : a_in_place, out);
    fputs(v[PACK] & 2 ? b_packed : b_in_place, out);
    write_tile(out, v, v[NR] / processor->vector);
    fputs(block, out);
    write_loops(out, v);
}

static const int reference[KNOBS] = { 3, 1, 3, 1, 2, 2, 3, 0, 0 };
const struct family tiled = { "tiled", KNOBS, reference, space, allowed, write_tiled, false };

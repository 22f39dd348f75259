/* faults.c - kernels that are wrong on purpose, to see them caught. Each spoils what the right one does. */
#include "cpu_gemm.h"
#include <string.h>

static const struct {
    const char *name, *body;
} faults[] = {
    { "half", "right(A, B, all); for (long n = 0; n < (long)M * N / 2; n++) C[n] = all[n];" },
    { "past", "right(A, B, C); C[(long)M * N] = 0;" },
    { "add", "right(A, B, all); for (long n = 0; n < (long)M * N; n++) C[n] += all[n];" },
    { "skip", "right(A, B, C); for (long i = 0; i < M; i++) for (long j = 0; j < N; j++)"
              " C[i * N + j] -= A[i * K + K / 2] * B[K / 2 * N + j];" }, /* leaves out one k */
    { "once", "static int calls; if (!calls++) right(A, B, C);" },       /* fast from the second call on */
    { "crash", "*(volatile int *)8 = 0;" },
    { "hang", "for (volatile int n = 0;; n = n);" },
    { "text", "no C at all" },
};
enum { FAULTS = sizeof faults / sizeof *faults };

const char *fault_names(void) { return "half, past, add, skip, once, crash, hang, text"; }

bool fault_write(FILE *out, const char *fault)
{
    for (int f = 0; f < FAULTS; f++)
        if (strcmp(faults[f].name, fault) == 0) {
            if (!out)
                return true;
            fprintf(out,
                    "\n/* The fault '%s'. */\n#undef gemm\nvoid gemm(const float *A, const float *B, float *C)\n"
                    "{\n    static float all[(long)M * N];\n    (void)all;\n    %s\n}\n",
                    fault, faults[f].body);
            return true;
        }
    return false;
}

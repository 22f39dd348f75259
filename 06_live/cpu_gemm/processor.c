/* processor.c - what the kernels run on: its name, its caches, and how wide the compiler makes a vector for it. */
#include "cpu_gemm.h"
#include "base/die.h"
#include "base/xalloc.h"
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* What stands behind `word` in the first line of a command's output that begins with it, or "". */
static void line_of(const char *command, const char *word, char *line, int bytes)
{
    FILE *pipe = popen(command, "r");
    char one[1000];
    *line = '\0';
    while (pipe && fgets(one, sizeof one, pipe))
        if (!*line && strncmp(one, word, strlen(word)) == 0)
            snprintf(line, bytes, "%s", one + strlen(word) + strspn(one + strlen(word), "\t :"));
    line[strcspn(line, "\n")] = '\0';
    if (pipe)
        pclose(pipe);
}

/* What the compiler says it compiles for: the macros that it defines. False: it does not compile. */
static bool ask_compiler(struct processor *here)
{
    char *command = xformat("${CC:-cc} %s -dM -E -x c /dev/null 2>/dev/null", here->flags), line[1000];
    FILE *macros = popen(command, "r");
    bool avx = false, avx512 = false, arm = false;
    while (macros && fgets(line, sizeof line, macros)) {
        avx |= strncmp(line, "#define __AVX__ ", 16) == 0;
        avx512 |= strncmp(line, "#define __AVX512F__ ", 20) == 0;
        arm |= strncmp(line, "#define __aarch64__ ", 20) == 0;
    }
    here->vector = avx512 ? 16 : avx ? 8 : 4;
    here->registers = avx512 || arm ? 32 : 16;
    free(command);
    return macros && pclose(macros) == 0;
}

static long cache_bytes(int name, long otherwise)
{
    long bytes = name < 0 ? 0 : sysconf(name);
    return bytes > 0 ? bytes : otherwise; /* not every system says */
}

struct processor processor_here(const char *flags)
{
    struct processor here = { .flags = flags };
    struct utsname system;
    line_of("cat /proc/cpuinfo 2>/dev/null", "model name", here.name, sizeof here.name);
    if (!*here.name && uname(&system) == 0)
        snprintf(here.name, sizeof here.name, "%.30s %.30s", system.machine, system.sysname);
    line_of("${CC:-cc} --version", "", here.compiler, sizeof here.compiler);
    if (!ask_compiler(&here))
        die("'%s %s' does not compile: expected a C compiler in CC and its options in --flags",
            getenv("CC") ? getenv("CC") : "cc", flags);
#ifdef _SC_LEVEL1_DCACHE_SIZE
    here.l1_bytes = cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 << 10);
    here.l2_bytes = cache_bytes(_SC_LEVEL2_CACHE_SIZE, 512 << 10);
#else
    here.l1_bytes = cache_bytes(-1, 32 << 10);
    here.l2_bytes = cache_bytes(-1, 512 << 10);
#endif
    return here;
}

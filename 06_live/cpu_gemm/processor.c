/* processor.c - what the kernels run on: its name, its caches, and how wide the compiler makes a vector for it. */
#include "cpu_gemm.h"
#include "base/die.h"
#include "base/xalloc.h"
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The first line of a command's output that contains `word`, from behind `after` on; "" if there is none. */
static void line_of(const char *command, const char *word, const char *after, char *line, int bytes)
{
    FILE *pipe = popen(command, "r");
    char all[1000], *found = NULL;
    *line = '\0';
    while (pipe && fgets(all, sizeof all, pipe))
        if (!found && strstr(all, word) && (found = strstr(all, after)) != NULL)
            snprintf(line, bytes, "%s", found + strlen(after) + strspn(found + strlen(after), " \t"));
    line[strcspn(line, "\n")] = '\0';
    if (pipe)
        pclose(pipe);
}

static bool defines(const char *flags, const char *macro)
{
    char line[80], *command = xformat("${CC:-cc} %s -dM -E -x c /dev/null 2>/dev/null", flags);
    line_of(command, macro, "#define", line, sizeof line);
    free(command);
    return *line;
}

static long cache_bytes(int name, long otherwise)
{
    long bytes = name < 0 ? 0 : sysconf(name);
    return bytes > 0 ? bytes : otherwise; /* not every system says */
}

struct processor processor_here(const char *flags)
{
    struct processor here = { .flags = flags, .vector = 4, .registers = 16 };
    struct utsname system;
    line_of("cat /proc/cpuinfo 2>/dev/null", "model name", ":", here.name, sizeof here.name);
    if (!*here.name && uname(&system) == 0)
        snprintf(here.name, sizeof here.name, "%.30s %.30s", system.machine, system.sysname);
    line_of("${CC:-cc} --version", "", "", here.compiler, sizeof here.compiler);
    if (!*here.compiler || !defines(flags, "__STDC__ "))
        die("'%s %s' does not compile: expected a C compiler in CC and its options in --flags",
            getenv("CC") ? getenv("CC") : "cc", flags);
    if (defines(flags, "__AVX512F__ "))
        here.vector = 16, here.registers = 32;
    else if (defines(flags, "__AVX__ "))
        here.vector = 8;
    else if (defines(flags, "__aarch64__ "))
        here.registers = 32;
#ifdef _SC_LEVEL1_DCACHE_SIZE
    here.l1_bytes = cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 << 10);
    here.l2_bytes = cache_bytes(_SC_LEVEL2_CACHE_SIZE, 512 << 10);
#else
    here.l1_bytes = cache_bytes(-1, 32 << 10);
    here.l2_bytes = cache_bytes(-1, 512 << 10);
#endif
    return here;
}

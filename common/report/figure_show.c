/* figure_show.c - figures in the terminal: gnuplot's dumb terminal draws what is in a folder. */
#include "report/figure.h"
#include "base/die.h"
#include "base/xalloc.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct figures figure_temporary(void)
{
    const char *base = getenv("TMPDIR");
    char *dir = xformat("%s/figures-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(dir))
        die("%s: cannot be made: %s", dir, strerror(errno));
    return figure_folder(dir);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The names in a folder, sorted; each and the list are the caller's to free. */
static char **list(const char *dir, size_t *count)
{
    char **names = NULL;
    DIR *open = opendir(dir);
    *count = 0;
    for (struct dirent *e; open && (e = readdir(open));)
        if (e->d_name[0] != '.') {
            names = xrealloc(names, *count + 1, sizeof *names);
            names[(*count)++] = xformat("%s", e->d_name);
        }
    if (open)
        closedir(open);
    if (names)
        qsort(names, *count, sizeof *names, by_name);
    return names;
}

void figure_show(struct figures figures)
{
    size_t count;
    char **names = list(figures.dir, &count);
    bool there = system("command -v gnuplot >/dev/null 2>&1") == 0;
    if (!there)
        fputs(tr("no gnuplot here: the figures were not drawn (make setup installs it)\n",
                 "没有 gnuplot，图没有画（make setup 会安装）\n"),
              stderr);
    setenv("FIGURES", figures.dir, 1);
    for (size_t i = 0; i < count; i++) {
        if (there) {
            /* The shell takes the names from the environment: who knows what is in them. UTF-8, or gnuplot warns that
             * it has no degree sign. */
            setenv("FIGURE", names[i], 1);
            FILE *drawn = popen("cd \"$FIGURES\" && LC_ALL=C.UTF-8 gnuplot ./\"$FIGURE\"", "r");
            for (int c; drawn && (c = fgetc(drawn)) != EOF;)
                if (c != '\f')
                    putchar(c);
            if (!drawn || pclose(drawn))
                fprintf(stderr, "gnuplot could not draw %s\n", names[i]);
        }
        free(names[i]);
    }
    free(names);
}

void figure_remove(struct figures figures)
{
    size_t count;
    char **names = list(figures.dir, &count);
    for (size_t i = 0; i < count; i++) {
        char *path = xformat("%s/%s", figures.dir, names[i]);
        unlink(path);
        free(path);
        free(names[i]);
    }
    free(names);
    rmdir(figures.dir);
    free((void *)figures.dir);
}

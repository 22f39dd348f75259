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

char *figure_temporary(void)
{
    const char *base = getenv("TMPDIR");
    char *dir = xformat("%s/figures-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(dir))
        die("%s: cannot be made: %s", dir, strerror(errno));
    return dir;
}

void figure_show(const char *dir)
{
    if (system("command -v gnuplot >/dev/null 2>&1")) {
        fputs(tr("no gnuplot here: the figures were not drawn (make setup installs it)\n",
                 "没有 gnuplot，图没有画（make setup 会安装）\n"),
              stderr);
        return;
    }
    setenv("FIGURES", dir, 1); /* the shell takes it from the environment, whatever is in it */
    FILE *drawn = popen("cd \"$FIGURES\" && export LC_ALL=C.UTF-8 && for f in *.gp; do [ ! -e \"$f\" ] ||"
                        " gnuplot ./\"$f\" || echo \"gnuplot could not draw $f\" >&2; done",
                        "r"); /* UTF-8: gnuplot would miss its degree sign */
    for (int c; drawn && (c = fgetc(drawn)) != EOF;)
        if (c != '\f')
            putchar(c);
    if (!drawn || pclose(drawn))
        fprintf(stderr, "gnuplot could not draw %s\n", dir);
}

void figure_remove(char *dir)
{
    struct dirent **entry = NULL;
    int count = scandir(dir, &entry, NULL, NULL);
    for (int i = 0; i < count; i++) {
        char *path = xformat("%s/%s", dir, entry[i]->d_name);
        unlink(path);
        free(path);
        free(entry[i]);
    }
    free(entry);
    rmdir(dir);
    free(dir);
}

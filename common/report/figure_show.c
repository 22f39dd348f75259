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

static int visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

/* The shell takes the names from the environment: who knows what is in them. UTF-8, or gnuplot warns that it has no
 * degree sign. */
static void draw(const char *name)
{
    setenv("FIGURE", name, 1);
    FILE *drawn = popen("cd \"$FIGURES\" && LC_ALL=C.UTF-8 gnuplot ./\"$FIGURE\"", "r");
    for (int c; drawn && (c = fgetc(drawn)) != EOF;)
        if (c != '\f')
            putchar(c);
    if (!drawn || pclose(drawn))
        die_warn("gnuplot could not draw %s", name);
}

void figure_show(const char *dir)
{
    struct dirent **entry = NULL;
    if (system("command -v gnuplot >/dev/null 2>&1")) {
        die_warn("%s", tr("no gnuplot here: the figures were not drawn (make setup installs it)",
                          "没有 gnuplot，图没有画（make setup 会安装）"));
        return;
    }
    setenv("FIGURES", dir, 1);
    int count = scandir(dir, &entry, visible, alphasort);
    if (count < 0)
        die("%s: cannot be read: %s", dir, strerror(errno));
    for (int i = 0; i < count; i++) {
        draw(entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
}

void figure_remove(char *dir)
{
    struct dirent **entry = NULL;
    int count = scandir(dir, &entry, visible, NULL);
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

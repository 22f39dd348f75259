/* figure_show.c - the folder that figures go to; and in the terminal: gnuplot's dumb one draws what is in it. */
#include "report/figure.h"
#include "base/die.h"
#include "base/xalloc.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *figure_folder(const char *dir)
{
    if (dir && mkdir(dir, 0777) && errno != EEXIST)
        die("--figures %s: the folder cannot be made: %s", dir, strerror(errno));
    char *inside = xformat("%s/.", dir ? dir : "");
    if (dir && access(inside, W_OK | X_OK))
        die("--figures %s: cannot be written: %s", dir, strerror(errno));
    free(inside);
    return dir;
}

static void each(const char *dir, int (*act)(const char *path))
{
    struct dirent **entry = NULL;
    int count = scandir(dir, &entry, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char *path = xformat("%s/%s", dir, entry[i]->d_name);
        act(path);
        free(path);
        free(entry[i]);
    }
    free(entry);
}

/* gnuplot takes a Chinese character for one column: of the spaces before such words, and then of those behind them, as
 * many are left out as there are characters, but one. */
static void print_straight(const char *line)
{
    for (size_t owed = 0; *line;) {
        size_t gap = strspn(line, " "), kept;
        const char *word = line + gap, *end = word;
        while (*end && *end != '\n' && strncmp(end, "  ", 2))
            owed += text_columns(&end) == 2;
        if (end == word)
            break;
        kept = owed < gap ? gap - owed : gap > 0;
        owed -= gap - kept;
        printf("%*s%.*s", (int)kept, "", (int)(end - word), word);
        line = end;
    }
    putchar('\n');
}

/* The shell takes the names from the environment: who knows what is in them. UTF-8, or gnuplot warns that it has no
 * degree sign. */
static int draw(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    if (*name == '.')
        return 0;
    setenv("FIGURE", name, 1);
    FILE *drawn = popen("cd \"$FIGURES\" && LC_ALL=C.UTF-8 gnuplot -e \"lang='$LANGUAGE'\" ./\"$FIGURE\"", "r");
    char *line = NULL;
    size_t room = 0;
    while (drawn && getline(&line, &room, drawn) >= 0)
        print_straight(line + strspn(line, "\f"));
    free(line);
    if (!drawn || pclose(drawn))
        die_warn("gnuplot could not draw %s", name);
    return 0;
}

void figure_show(const char *dir)
{
    if (system("command -v gnuplot >/dev/null 2>&1")) {
        die_warn("%s", tr("no gnuplot here: the figures were not drawn (make setup installs it)",
                          "没有 gnuplot，图没有画（make setup 会安装）"));
        return;
    }
    setenv("FIGURES", dir, 1);
    setenv("LANGUAGE", tr("en", "zh"), 1);
    each(dir, draw);
}

static char *temporary;

static void remove_temporary(void)
{
    each(temporary, unlink);
    rmdir(temporary);
    free(temporary);
}

const char *figure_temporary(void)
{
    const char *base = getenv("TMPDIR");
    temporary = xformat("%s/figures-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(temporary))
        die("%s: cannot be made: %s", temporary, strerror(errno));
    atexit(remove_temporary);
    return temporary;
}

/* script.c - gnuplot scripts as files, and the pieces that every figure is made of. */
#include "report/script.h"
#include "base/die.h"
#include "base/xalloc.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const style[] = {
#include "style_gp.h" /* plots/style.gp, a C string a line: see the Makefile */
};

/* ---- files ---- */

static struct script begin(struct figures figures, const char *file)
{
    struct script s = { .path = xformat("%s/%s", figures.dir, file),
                        .partial = xformat("%s/.%s.part", figures.dir, file) };
    s.out = fopen(s.partial, "w");
    if (!s.out)
        die("%s: cannot be written: %s", s.path, strerror(errno));
    return s;
}

void script_finish(struct script s)
{
    bool good = !ferror(s.out);
    good = fclose(s.out) == 0 && good && rename(s.partial, s.path) == 0;
    if (!good) {
        int reason = errno;
        unlink(s.partial);
        die("%s: cannot be written: %s", s.path, strerror(reason));
    }
    free(s.path);
    free(s.partial);
}

struct figures figure_folder(const char *dir)
{
    struct figures figures = { dir };
    if (!dir)
        return figures;
    if (mkdir(dir, 0777) && errno != EEXIST)
        die("--figures %s: the folder cannot be made: %s", dir, strerror(errno));
    struct script s = begin(figures, "style.gp");
    for (size_t i = 0; i < sizeof style / sizeof *style; i++)
        fprintf(s.out, "%s\n", style[i]);
    script_finish(s);
    return figures;
}

/* ---- pieces of a script ---- */

void script_quoted(FILE *out, const char *s)
{
    fputc('"', out);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            fputc('\\', out);
        fputc(*s == '\n' ? ' ' : *s, out);
    }
    fputc('"', out);
}

/* T("中文", "English") */
void script_label(FILE *out, struct text text)
{
    fputs("T(", out);
    script_quoted(out, text.zh ? text.zh : "");
    fputs(", ", out);
    script_quoted(out, text.en ? text.en : "");
    fputc(')', out);
}

void script_set(FILE *out, const char *what, struct text text)
{
    fprintf(out, "set %s ", what);
    script_label(out, text);
    fputc('\n', out);
}

struct script script_figure(struct figures figures, const char *name, struct text title)
{
    char *file = xformat("%s.gp", name);
    for (char *c = file; *c; c++) /* a recording's column may be called anything */
        *c = *c == '/' ? '_' : *c;
    struct script s = begin(figures, file);
    fprintf(s.out, "# gnuplot -e \"out='%s.svg'; lang='en'\" %s\nload 'style.gp'\n", name, file);
    fputs("name = ", s.out); /* centred on the picture, not on what the margins leave of it */
    script_label(s.out, title);
    fputs("\nif (ascii) { set title name } else { "
          "set label 99 name at screen .5, screen .94 center font \",22\" textcolor rgb ink }\n",
          s.out);
    free(file);
    return s;
}

void script_axis(FILE *out, char which, struct axis axis)
{
    char what[8];
    snprintf(what, sizeof what, "%clabel", which);
    script_set(out, what, axis.label);
    if (axis.log > 0)
        fprintf(out, "set logscale %c %g\n", which, axis.log);
    if (axis.low < axis.high)
        fprintf(out, "set %crange [%g:%g]\n", which, axis.low, axis.high);
    if (axis.tics)
        fprintf(out, "set %ctics %s\n", which, axis.tics);
}

static void number(FILE *out, double v)
{
    if (isfinite(v))
        fprintf(out, "%.10g", v);
    else
        fputs("NaN", out);
}

/* One tab-separated line of a data block. */
void script_line(FILE *out, size_t n, const double *v)
{
    for (size_t i = 0; i < n; i++) {
        fputs(i ? "\t" : "", out);
        number(out, v[i]);
    }
    fputc('\n', out);
}

void script_tics(FILE *out, char which, int count, const struct text *names)
{
    fprintf(out, "set %ctics (", which);
    for (int i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        script_label(out, names[i]);
        fprintf(out, " %d", i);
    }
    fputs(") scale 0\n", out);
}

int script_width(struct text name)
{
    int en = text_width(name.en), zh = text_width(name.zh);
    return en > zh ? en : zh;
}

int script_longest(int count, const struct text *names)
{
    int longest = 0;
    for (int i = 0; i < count; i++)
        longest = script_width(names[i]) > longest ? script_width(names[i]) : longest;
    return longest;
}

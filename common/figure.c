/* figure.c - writes gnuplot scripts. Each kind of figure is: the data as named blocks, then the plot command. */
#include "figure.h"
#include "mathx.h"
#include "options.h"
#include "stats.h"
#include "xalloc.h"
#include <dirent.h>
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

/* A script is written beside its place and moved there when whole. */
struct script {
    FILE *out;
    char *path, *partial;
};

static struct script begin(struct figures figures, const char *file)
{
    struct script s = { .path = xformat("%s/%s", figures.dir, file),
                        .partial = xformat("%s/.%s.part", figures.dir, file) };
    s.out = fopen(s.partial, "w");
    if (!s.out)
        options_die("%s: cannot be written: %s", s.path, strerror(errno));
    return s;
}

static void finish(struct script s)
{
    bool good = !ferror(s.out);
    good = fclose(s.out) == 0 && good && rename(s.partial, s.path) == 0;
    if (!good) {
        int reason = errno;
        unlink(s.partial);
        options_die("%s: cannot be written: %s", s.path, strerror(reason));
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
        options_die("--figures %s: the folder cannot be made: %s", dir, strerror(errno));
    struct script s = begin(figures, "style.gp");
    for (size_t i = 0; i < sizeof style / sizeof *style; i++)
        fprintf(s.out, "%s\n", style[i]);
    finish(s);
    return figures;
}

/* ---- pieces of a script ---- */

static void quoted(FILE *out, const char *s)
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
static void label(FILE *out, struct text text)
{
    fputs("T(", out);
    quoted(out, text.zh ? text.zh : "");
    fputs(", ", out);
    quoted(out, text.en ? text.en : "");
    fputc(')', out);
}

static void set_label(FILE *out, const char *what, struct text text)
{
    fprintf(out, "set %s ", what);
    label(out, text);
    fputc('\n', out);
}

static struct script figure(struct figures figures, const char *name, struct text title)
{
    char *file = xformat("%s.gp", name);
    struct script s = begin(figures, file);
    fprintf(s.out, "# gnuplot -e \"out='%s.svg'; lang='en'\" %s\nload 'style.gp'\n", name, file);
    fputs("name = ", s.out); /* centred on the picture, not on what the margins leave of it */
    label(s.out, title);
    fputs("\nif (ascii) { set title name } else { "
          "set label 99 name at screen .5, screen .94 center font \",22\" textcolor rgb ink }\n",
          s.out);
    free(file);
    return s;
}

static void set_axis(FILE *out, char which, struct axis axis)
{
    char what[8];
    snprintf(what, sizeof what, "%clabel", which);
    set_label(out, what, axis.label);
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
static void line(FILE *out, size_t n, const double *v)
{
    for (size_t i = 0; i < n; i++) {
        fputs(i ? "\t" : "", out);
        number(out, v[i]);
    }
    fputc('\n', out);
}

static void named_tics(FILE *out, char which, int count, const struct text *names)
{
    fprintf(out, "set %ctics (", which);
    for (int i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        label(out, names[i]);
        fprintf(out, " %d", i);
    }
    fputs(") scale 0\n", out);
}

#define COLUMN 0.0122 /* the share of the picture's width that a column of text takes */

static int name_width(struct text name)
{
    int en = text_width(name.en), zh = text_width(name.zh);
    return en > zh ? en : zh;
}

static int longest_name(int count, const struct text *names)
{
    int longest = 0;
    for (int i = 0; i < count; i++)
        longest = name_width(names[i]) > longest ? name_width(names[i]) : longest;
    return longest;
}

static void series_blocks(FILE *out, size_t count, const struct series *series)
{
    for (size_t s = 0; s < count; s++) {
        const struct series *one = &series[s];
        fprintf(out, "$d%zu << EOD\n", s + 1);
        for (size_t i = 0; i < one->n; i++)
            line(out, 4,
                 (double[]){ one->x[i], one->y[i], one->low ? one->low[i] : NAN, one->high ? one->high[i] : NAN });
        fputs("EOD\n", out);
    }
}

/* ---- curves ---- */

/* Where the curves' names stand, as shares of the axis from its low end: at their last y, moved apart to be legible. */
static void place_names(struct axis y, size_t count, const struct series *series, double *at)
{
    const double apart = 0.065;
    uint32_t *order = xalloc(count, sizeof *order);
    for (size_t s = 0; s < count; s++) {
        double last = series[s].n ? series[s].y[series[s].n - 1] : y.low;
        at[s] = y.log > 0 ? mathx_log(last / y.low) / mathx_log(y.high / y.low) : (last - y.low) / (y.high - y.low);
        at[s] = at[s] > 1 ? 1 : at[s] >= 0 ? at[s] : 0;
    }
    stats_order(at, count, order);
    for (size_t i = 1; i < count; i++)
        if (at[order[i]] < at[order[i - 1]] + apart)
            at[order[i]] = at[order[i - 1]] + apart;
    double over = count ? at[order[count - 1]] - 1 : 0; /* pushed beyond the top: push back down */
    for (size_t i = count; over > 0 && i-- > 0;) {
        double limit = i + 1 < count ? at[order[i + 1]] - apart : 1;
        at[order[i]] = at[order[i]] > limit ? limit : at[order[i]];
    }
    free(order);
}

/* gnuplot's own range, when none was given, is not known here: take the data's. */
static struct axis with_range(struct axis y, size_t count, const struct series *series)
{
    if (y.low < y.high)
        return y;
    y.low = INFINITY;
    y.high = -INFINITY;
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < series[s].n; i++) {
            double low = series[s].low ? series[s].low[i] : series[s].y[i],
                   high = series[s].high ? series[s].high[i] : series[s].y[i];
            y.low = isfinite(low) && low < y.low ? low : y.low;
            y.high = isfinite(high) && high > y.high ? high : y.high;
        }
    double margin = y.log > 0 ? 0 : (y.high - y.low) * 0.05;
    y.low -= margin;
    y.high += margin > 0 || y.high > y.low ? margin : 1;
    return y;
}

void figure_lines(struct figures figures, const char *name, struct text title, struct axis x, struct axis y,
                  size_t count, const struct series *series)
{
    if (!figures.dir)
        return;
    struct script s = figure(figures, name, title);
    FILE *out = s.out;
    y = with_range(y, count, series);
    set_axis(out, 'x', x);
    set_axis(out, 'y', y);
    series_blocks(out, count, series);

    double *at = xalloc(count, sizeof *at);
    place_names(y, count, series, at);
    int longest = 4;
    for (size_t i = 0; i < count; i++)
        longest = name_width(series[i].name) > longest ? name_width(series[i].name) : longest;
    fprintf(out, "if (!ascii) { set rmargin at screen %.3f; unset key }     # curves are named at their right ends\n",
            0.965 - COLUMN * longest);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "if (!ascii) { set label %zu ", i + 1);
        label(out, series[i].name);
        fprintf(out, " at graph 1.015, graph %.4f left textcolor lt %zu }\n", at[i], i + 1);
    }
    free(at);
    fputs("if (ascii) {\n  plot ", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s$d%zu using 1:2 with linespoints lt %zu pt \"%c\" title ", i ? ", \\\n    " : "", i + 1,
                i + 1, (int)('A' + i));
        label(out, series[i].name);
    }
    fputs("\n} else {\n  plot ", out);
    for (size_t i = 0; i < count; i++)
        if (series[i].low)
            fprintf(out,
                    "$d%zu using 1:3:4 with filledcurves lt %zu fs transparent solid .18 noborder notitle, \\\n    ",
                    i + 1, i + 1);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s$d%zu using 1:2 with %s lt %zu notitle", i ? ", \\\n    " : "", i + 1,
                series[i].n > 40 ? "lines" : "linespoints", i + 1);
    fputs("\n}\n", out);
    finish(s);
}

/* ---- heat map ---- */

void figure_heat(struct figures figures, const char *name, struct text title, struct text x, struct text y,
                 const struct heat *heat)
{
    if (!figures.dir)
        return;
    struct script s = figure(figures, name, title);
    FILE *out = s.out;
    set_label(out, "xlabel", x);
    set_label(out, "ylabel", y);
    named_tics(out, 'x', heat->columns, heat->column_name);
    named_tics(out, 'y', heat->rows, heat->row_name);
    fprintf(out, "set xrange [-.5:%g]; set yrange [%g:-.5]; set cbrange [%g:%g]\n", heat->columns - .5,
            heat->rows - .5, heat->low, heat->high);
    fputs("$legal << EOD\n", out);
    for (int i = 0; i < heat->rows * heat->columns; i++)
        if (isfinite(heat->value[i]))
            line(out, 3, (double[]){ i % heat->columns, i / heat->columns, heat->value[i] });
    fputs("EOD\n$illegal << EOD\n-9\t-9\n", out); /* one cell out of sight: an empty block is an error */
    for (int i = 0; i < heat->rows * heat->columns; i++)
        if (!isfinite(heat->value[i]) && (heat->gap == 0 || i % heat->columns != heat->gap))
            line(out, 2, (double[]){ i % heat->columns, i / heat->columns });
    fprintf(out, "EOD\nfg(v) = v < %g ? 0x000000 : 0xFFFFFF       # black on light cells, white on dark\n",
            heat->low + 0.45 * (heat->high - heat->low));
    fprintf(out,
            "unset key; unset grid; set border 0\n"
            "if (!ascii) { set lmargin at screen %.3f; set rmargin at screen .84; "
            "set colorbox user origin screen .87, screen .175 size screen .025, screen .705 }\n",
            0.10 + COLUMN * longest_name(heat->rows, heat->row_name));
    if (longest_name(heat->columns, heat->column_name) > 9)
        fputs("set xtics font \",15\"\n", out);
    fprintf(
        out,
        "plot $legal using 1:2:(.5):(.5):3 with boxxyerror lc palette lw 2 fs solid 1 border lc rgb \"white\", \\\n"
        "    $illegal using 1:2:(.47):(.46) with boxxyerror lc rgb \"#9A9A9A\" lw 1 dt 1 fs pattern 4, \\\n"
        "    $illegal using 1:2:(\"×\") with labels font \",24\" textcolor rgb \"#8A1C1C\", \\\n"
        "    $legal using 1:2:(sprintf(\"%%.%df\", $3)):(fg($3)) with labels font \",%d\" textcolor rgb variable\n",
        heat->decimals,
        heat->columns > 10  ? 13
        : heat->columns > 6 ? 17
                            : 21);
    finish(s);
}

/* ---- bars ---- */

static void bar_block(FILE *out, const struct bars *bars)
{
    fputs("$d << EOD\n", out);
    for (int g = 0; g < bars->groups; g++)
        line(out, (size_t)bars->bars, bars->value + g * bars->bars);
    fputs("EOD\n", out);
}

void figure_bars(struct figures figures, const char *name, struct text title, struct axis y, const struct bars *bars)
{
    if (!figures.dir)
        return;
    struct script s = figure(figures, name, title);
    FILE *out = s.out;
    set_axis(out, 'y', y);
    named_tics(out, 'x', bars->groups, bars->group_name);
    bar_block(out, bars);
    fprintf(out, "set xrange [-.5:%g]; set style fill solid 1 noborder; w = .86/%d\n", bars->groups - .5, bars->bars);
    fputs(bars->bars > 1 ? "set key top left horizontal samplen 1\n" : "unset key\n", out);
    fputs("plot ", out);
    for (int b = 0; b < bars->bars; b++) {
        double shift = b - (bars->bars - 1) / 2.0;
        fprintf(out, "%s$d using ($0+w*(%g)):%d:(w*.94) with boxes dt 1 lc rgb bar[%d] title ", b ? ", \\\n    " : "",
                shift, b + 1, b + 1);
        label(out, bars->bar_name[b]);
        fprintf(
            out,
            ", \\\n    $d using ($0+w*(%g)):%d:(sprintf(\"%%.%df\", $%d)) with labels offset 0,.6 font \",14\" notitle",
            shift, b + 1, bars->decimals, b + 1);
    }
    fputc('\n', out);
    finish(s);
}

void figure_stack(struct figures figures, const char *name, struct text title, struct axis x, const struct bars *bars,
                  const char *const *closing)
{
    if (!figures.dir)
        return;
    struct script s = figure(figures, name, title);
    FILE *out = s.out;
    set_axis(out, 'x', x);
    named_tics(out, 'y', bars->groups, bars->group_name);
    bar_block(out, bars);
    fprintf(out, "set yrange [%g:-.6]; unset grid; set border 1; set style fill solid 1 border lc rgb \"white\"\n",
            bars->groups - .4);
    fprintf(out, "if (!ascii) { set lmargin at screen %.3f; set rmargin at screen .90 }\n",
            0.03 + COLUMN * longest_name(bars->groups, bars->group_name));
    fputs(bars->bars == 1
              ? "unset key\n"
              : "if (!ascii) { set bmargin at screen .33; "
                "set key at screen .5, screen .1 center center maxrows 3 samplen 1 spacing 1.2 font \",15\" }\n",
          out);
    fputs("cum(k) = sum [j=1:k] column(j)\nplot ", out);
    for (int b = 1; b <= bars->bars; b++) {
        fprintf(
            out,
            "%s$d using (cum(%d)):0:(cum(%d)-column(%d)):(cum(%d)):($0-.38):($0+.38) with boxxyerror dt 1 lw 1 fc rgb shade[%d] title ",
            b > 1 ? ", \\\n    " : "", b, b, b, b, b);
        label(out, bars->bar_name[b - 1]);
    }
    for (int g = 0; closing && g < bars->groups; g++) {
        fprintf(out, ", \\\n    '+' using (%g):(%d):(", x.high, g);
        quoted(out, closing[g]);
        fputs(") every ::0::0 with labels left offset 1,0 notitle", out);
    }
    fputc('\n', out);
    finish(s);
}

/* ---- histogram and scatter ---- */

void figure_histogram(struct figures figures, const char *name, struct text title, struct axis x, struct text y,
                      const struct histogram *h)
{
    if (!figures.dir)
        return;
    struct script s = figure(figures, name, title);
    FILE *out = s.out;
    set_axis(out, 'x', x);
    set_label(out, "ylabel", y);
    set_label(out, "y2label", TEXT("cumulative %", "累计 %"));
    double total = 0, sum = 0;
    for (size_t i = 0; i < h->bins; i++)
        total += h->count[i];
    fprintf(out, "set yrange [0:%g]\n", 1.2 * stats_max(h->count, h->bins)); /* room for the mark's text */
    fputs("$d << EOD\n", out);
    for (size_t i = 0; i < h->bins; i++) {
        sum += h->count[i];
        line(out, 4, (double[]){ h->edge[i], h->edge[i + 1], h->count[i], 100 * sum / total });
    }
    fputs("EOD\nset y2range [0:100]; set y2tics 25; set ytics format \"%.0s%c\"\n"
          "if (!ascii) { set border 11; set rmargin at screen .88; set key at graph .98, graph .62 }\n"
          "set style fill solid .6 border lc rgb \"white\"\n",
          out);
    fprintf(
        out,
        "set arrow 1 from %g, graph 0 to %g, graph .9 nohead lw 2 dt (4,4) lc rgb \"#D55E00\" front\nset label 1 ",
        h->mark, h->mark);
    label(out, h->mark_text);
    fprintf(out, " at %g, graph .95 textcolor rgb \"#B34700\" front\n", h->mark);
    fputs(
        "plot $d using (sqrt($1*$2)):(0):1:2:(0):3 with boxxyerror lc rgb \"#56B4E9\" title T(\"直方图（左轴）\", \"histogram (left axis)\"), \\\n"
        "    $d using 2:4 axes x1y2 with lines lt 1 title T(\"累计分布（右轴）\", \"cumulative (right axis)\")\n",
        out);
    finish(s);
}

void figure_scatter(struct figures figures, const char *name, struct text title, struct axis x, struct axis y,
                    size_t count, const struct series *series, bool diagonal)
{
    if (!figures.dir)
        return;
    struct script s = figure(figures, name, title);
    FILE *out = s.out;
    set_axis(out, 'x', x);
    set_axis(out, 'y', y);
    series_blocks(out, count, series);
    fputs(count > 1 ? "set key top left\nplot " : "unset key\nplot ", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s$d%zu using 1:2 with points lt %zu ps .35 title ", i ? ", \\\n    " : "", i + 1, i + 1);
        label(out, series[i].name);
    }
    fputs(diagonal ? ", \\\n    x with lines lt 8 lw 1 dt (4,4) notitle\n" : "\n", out);
    finish(s);
}

/* ---- in the terminal ---- */

struct figures figure_temporary(void)
{
    const char *base = getenv("TMPDIR");
    char *dir = xformat("%s/figures-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(dir))
        options_die("%s: cannot be made: %s", dir, strerror(errno));
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
    for (size_t i = 0; i < count; i++) {
        if (there && strcmp(names[i], "style.gp")) {
            /* UTF-8, or gnuplot warns that it has no degree sign */
            char *command = xformat("cd '%s' && LC_ALL=C.UTF-8 gnuplot '%s'", figures.dir, names[i]);
            FILE *drawn = popen(command, "r");
            for (int c; drawn && (c = fgetc(drawn)) != EOF;)
                if (c != '\f')
                    putchar(c);
            if (!drawn || pclose(drawn))
                fprintf(stderr, "gnuplot could not draw %s\n", names[i]);
            free(command);
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

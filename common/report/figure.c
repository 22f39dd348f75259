/* figure.c - a script is: the look, labels and data of this figure, then how its kind is drawn. */
#include "report/figure.h"
#include "base/die.h"
#include "base/mathx.h"
#include "base/stats.h"
#include "base/xalloc.h"
#include "plots.h" /* plots/NAME.gp, a string a line, as NAME_gp: see the Makefile */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- pieces of a script ---- */

static void lines(FILE *out, const char *const *fragment)
{
    for (; *fragment; fragment++)
        fprintf(out, "%s\n", *fragment);
}

/* In single quotes, where gnuplot takes everything but a quote as it is: in double quotes it would run what stands in
 * backquotes. As the name of a tic, % is doubled: there it begins a number's format. */
static void quoted(FILE *out, const char *s, bool tic)
{
    fputc('\'', out);
    for (; s && *s; s++)
        if (*s == '\n')
            fputc(' ', out);
        else if ((unsigned char)*s >= ' ' && *s != 0x7f) {
            fputs(*s == '\'' ? "'" : tic && *s == '%' ? "%" : "", out);
            fputc(*s, out);
        }
    fputc('\'', out);
}

/* T('中文', 'English') */
static void label(FILE *out, struct text text, bool tic)
{
    fputs("T(", out);
    quoted(out, text.zh, tic);
    fputs(", ", out);
    quoted(out, text.en, tic);
    fputc(')', out);
}

static void set(FILE *out, const char *what, struct text text)
{
    fprintf(out, "%s ", what);
    label(out, text, false);
    fputc('\n', out);
}

static void axis(FILE *out, char which, struct axis axis)
{
    fprintf(out, "set %c", which);
    set(out, "label", axis.label);
    if (axis.log > 0)
        fprintf(out, "set logscale %c %g\n", which, axis.log);
    if (axis.low < axis.high)
        fprintf(out, "set %crange [%g:%g]\n", which, axis.low, axis.high);
    if (axis.tics)
        fprintf(out, "set %ctics %s\n", which, axis.tics);
}

/* Names at 0, 1, 2 … of an axis. */
static void tics(FILE *out, char which, int count, const struct text *names)
{
    fprintf(out, "set %ctics (", which);
    for (int i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        label(out, names[i], true);
        fprintf(out, " %d", i);
    }
    fputs(") scale 0\n", out);
}

/* The array `label` of the fragments. */
static void labels(FILE *out, size_t count, const struct text *names)
{
    fprintf(out, "array label[%zu] = [", count);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        label(out, names[i], false);
    }
    fputs("]\n", out);
}

/* One tab-separated line of a data block. */
static void line(FILE *out, size_t n, const double *v)
{
    for (size_t i = 0; i < n; i++) {
        fputs(i ? "\t" : "", out);
        if (isfinite(v[i]))
            fprintf(out, "%.10g", v[i]);
        else
            fputs("NaN", out);
    }
    fputc('\n', out);
}

#define COLUMN 0.0122 /* the share of the picture's width that a column of text takes */

/* Columns of the longest name, in either language. */
static int longest(size_t count, const struct text *names)
{
    int most = 0;
    for (size_t i = 0; i < count; i++) {
        int en = text_width(names[i].en), zh = text_width(names[i].zh);
        most = en > most ? en : most;
        most = zh > most ? zh : most;
    }
    return most;
}

/* ---- a script as a file ---- */

struct figures figure_folder(const char *dir)
{
    struct stat is;
    if (dir && mkdir(dir, 0777) && errno != EEXIST)
        die("--figures %s: the folder cannot be made: %s", dir, strerror(errno));
    if (dir && stat(dir, &is) == 0 && !S_ISDIR(is.st_mode))
        errno = ENOTDIR;
    else if (!dir || access(dir, W_OK | X_OK) == 0)
        return (struct figures){ dir };
    die("--figures %s: cannot be written: %s", dir, strerror(errno));
}

struct script {
    FILE *out;
    char *path, *partial;
};

static void failed(const struct script *s) { die("%s: cannot be written: %s", s->path, strerror(errno)); }

/* Begins NAME.gp: how to run it, the look, the title. The partial file is made anew: it follows no link. */
static struct script begin(struct figures figures, const char *name, struct text title)
{
    char *file = xformat("%s.gp", name);
    for (char *c = file; *c; c++) /* a recording's column may be called anything */
        *c = *c == '/' || (unsigned char)*c < ' ' ? '_' : *c;
    struct script s = { NULL, xformat("%s/%s", figures.dir, file), xformat("%s/.%s.part", figures.dir, file) };
    unlink(s.partial);
    int made = open(s.partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
    s.out = made >= 0 ? fdopen(made, "w") : NULL;
    if (!s.out)
        failed(&s);
    fprintf(s.out, "# gnuplot -e \"out='FILE.svg'; lang='en'\" %s\n", file);
    lines(s.out, style_gp);
    set(s.out, "\nname =", title);
    lines(s.out, title_gp);
    free(file);
    return s;
}

static void finish(struct script s, const char *const *fragment)
{
    lines(s.out, fragment);
    bool good = !ferror(s.out);
    if (fclose(s.out) || !good || rename(s.partial, s.path)) {
        int reason = errno;
        unlink(s.partial);
        errno = reason;
        failed(&s);
    }
    free(s.path);
    free(s.partial);
}

/* ---- curves and points ---- */

/* Where the curves' names stand, as shares of the axis from its low end: at their last y, moved apart to be
 * legible. */
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
    double limit = 1; /* pushed beyond the top: push back down */
    for (size_t i = count; i-- > 0; limit = at[order[i]] - apart)
        at[order[i]] = at[order[i]] > limit ? limit : at[order[i]];
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

/* The blocks of $d, two empty lines between them, and their names. */
static void series_data(FILE *out, size_t count, const struct series *series)
{
    struct text *names = xalloc(count, sizeof *names);
    fputs("$d << EOD\n", out);
    for (size_t s = 0; s < count; s++) {
        const struct series *one = &series[s];
        fputs(s ? "\n\n" : "", out);
        for (size_t i = 0; i < one->n; i++)
            line(out, 4,
                 (double[]){ one->x[i], one->y[i], one->low ? one->low[i] : NAN, one->high ? one->high[i] : NAN });
        names[s] = one->name;
    }
    fputs("EOD\n", out);
    labels(out, count, names);
    int columns = longest(count, names);
    fprintf(out, "right = %.3f\n", 0.965 - COLUMN * (columns > 4 ? columns : 4));
    free(names);
}

void figure_lines(struct figures figures, const char *name, struct text title, struct axis x, struct axis y,
                  size_t count, const struct series *series)
{
    if (!figures.dir)
        return;
    struct script s = begin(figures, name, title);
    double *at = xalloc(count, sizeof *at);
    size_t bands = 0, points = 0;
    y = with_range(y, count, series);
    place_names(y, count, series, at);
    axis(s.out, 'x', x);
    axis(s.out, 'y', y);
    series_data(s.out, count, series);
    fprintf(s.out, "array at[%zu] = [", count);
    for (size_t i = 0; i < count; i++) {
        fprintf(s.out, "%s%.4f", i ? ", " : "", at[i]);
        bands += series[i].low != NULL;
        points = series[i].n > points ? series[i].n : points;
    }
    fprintf(s.out, "]\ncurves = %zu; bands = %zu; drawn = '%s'\n", count, bands,
            points > 40 ? "lines" : "linespoints");
    free(at);
    finish(s, lines_gp);
}

void figure_scatter(struct figures figures, const char *name, struct text title, struct axis x, struct axis y,
                    const struct series *cloud)
{
    if (!figures.dir)
        return;
    struct script s = begin(figures, name, title);
    axis(s.out, 'x', x);
    axis(s.out, 'y', y);
    series_data(s.out, 1, cloud);
    finish(s, scatter_gp);
}

/* ---- cells ---- */

void figure_heat(struct figures figures, const char *name, struct text title, struct text x, struct text y,
                 const struct heat *heat)
{
    if (!figures.dir)
        return;
    struct script s = begin(figures, name, title);
    int rows = heat->rows, columns = heat->columns;
    set(s.out, "set xlabel", x);
    set(s.out, "set ylabel", y);
    tics(s.out, 'x', columns, heat->column_name);
    tics(s.out, 'y', rows, heat->row_name);
    fputs("$legal << EOD\n", s.out);
    for (int i = 0; i < rows * columns; i++)
        if (isfinite(heat->value[i]))
            line(s.out, 3, (double[]){ i % columns, i / columns, heat->value[i] });
    fputs("EOD\n$illegal << EOD\n-9\t-9\n", s.out); /* one cell out of sight: an empty block is an error */
    for (int i = 0; i < rows * columns; i++)
        if (!isfinite(heat->value[i]) && (heat->gap == 0 || i % columns != heat->gap))
            line(s.out, 2, (double[]){ i % columns, i / columns });
    fprintf(s.out, "EOD\nrows = %d; columns = %d; low = %g; high = %g; form = '\"%%.%df\"'\n", rows, columns,
            heat->low, heat->high, heat->decimals);
    fprintf(s.out, "left = %.3f; longest = %d\n", 0.10 + COLUMN * longest((size_t)rows, heat->row_name),
            longest((size_t)columns, heat->column_name));
    finish(s, heat_gp);
}

/* ---- bars ---- */

static void bars_data(FILE *out, const struct bars *bars)
{
    fputs("$d << EOD\n", out);
    for (int g = 0; g < bars->groups; g++)
        line(out, (size_t)bars->bars, bars->value + g * bars->bars);
    fputs("EOD\n", out);
    labels(out, (size_t)bars->bars, bars->bar_name);
    fprintf(out, "groups = %d; bars = %d\n", bars->groups, bars->bars);
}

void figure_bars(struct figures figures, const char *name, struct text title, struct axis y, const struct bars *bars)
{
    if (!figures.dir)
        return;
    struct script s = begin(figures, name, title);
    axis(s.out, 'y', y);
    tics(s.out, 'x', bars->groups, bars->group_name);
    bars_data(s.out, bars);
    fprintf(s.out, "form = '\"%%.%df\"'\n", bars->decimals);
    finish(s, bars_gp);
}

void figure_stack(struct figures figures, const char *name, struct text title, struct axis x, const struct bars *bars,
                  const char *const *closing)
{
    if (!figures.dir)
        return;
    struct script s = begin(figures, name, title);
    axis(s.out, 'x', x);
    tics(s.out, 'y', bars->groups, bars->group_name);
    bars_data(s.out, bars);
    fprintf(s.out, "high = %g; left = %.3f; closings = %d\n", x.high,
            0.03 + COLUMN * longest((size_t)bars->groups, bars->group_name), closing ? bars->groups : 0);
    fprintf(s.out, "array closing[%d]\n", bars->groups);
    for (int g = 0; closing && g < bars->groups; g++) {
        fprintf(s.out, "closing[%d] = ", g + 1);
        quoted(s.out, closing[g], false);
        fputc('\n', s.out);
    }
    finish(s, stack_gp);
}

void figure_histogram(struct figures figures, const char *name, struct text title, struct axis x, struct text y,
                      const struct histogram *h)
{
    if (!figures.dir)
        return;
    struct script s = begin(figures, name, title);
    double total = 0, sum = 0;
    axis(s.out, 'x', x);
    set(s.out, "set ylabel", y);
    for (size_t i = 0; i < h->bins; i++)
        total += h->count[i];
    fputs("$d << EOD\n", s.out);
    for (size_t i = 0; i < h->bins; i++) {
        sum += h->count[i];
        line(s.out, 4, (double[]){ h->edge[i], h->edge[i + 1], h->count[i], 100 * sum / total });
    }
    fputs("EOD\n", s.out);
    labels(s.out, 1, &h->mark_text);
    fprintf(s.out, "mark = %g; top = %g\n", h->mark, 1.2 * stats_max(h->count, h->bins)); /* room for its text */
    finish(s, histogram_gp);
}

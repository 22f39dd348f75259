/* figure.c - a script is: the look, labels and data of this figure, then how its kind is drawn. */
#include "report/figure.h"
#include "report/look.h"
#include "base/die.h"
#include "base/stats.h"
#include "base/xalloc.h"
#include "plots.h" /* plots/NAME.gp, a string a line, as NAME_gp: see the Makefile */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- pieces of a script ---- */

static void lines(FILE *out, const char *const *fragment)
{
    for (; *fragment; fragment++)
        fprintf(out, "%s\n", *fragment);
}

/* In single quotes, where gnuplot takes everything but a quote as it is: in double quotes it would run what stands in
 * backquotes. As the name of a tic, % is doubled: there it begins a number's format; a row's may have several lines. */
enum words { WORDS, TIC, ROW };
static void quoted(FILE *out, const char *s, enum words words)
{
    fputc('\'', out);
    for (; s && *s; s++)
        if (*s == '\n')
            fputs(words == ROW ? "'.\"\\n\".'" : " ", out);
        else if ((unsigned char)*s >= ' ' && *s != 0x7f) {
            fputs(*s == '\'' ? "'" : words != WORDS && *s == '%' ? "%" : "", out);
            fputc(*s, out);
        }
    fputc('\'', out);
}

/* T('中文', 'English') between two pieces of a line. */
static void label(FILE *out, const char *before, struct text text, enum words words, const char *behind)
{
    fprintf(out, "%sT(", before);
    quoted(out, text.zh, words);
    fputs(", ", out);
    quoted(out, text.en, words);
    fprintf(out, ")%s", behind);
}

static void axis(FILE *out, char which, struct axis axis)
{
    if (!axis.label.en)
        return;
    if (which == 'x')
        label(out, "set xlabel ", axis.label, WORDS, "\n");
    else
        fputs("set ylabel ascii ? '' : y_label\n", out);
    if (axis.log > 0)
        fprintf(out, "set logscale %c %g\n", which, axis.log);
    if (axis.low < axis.high)
        fprintf(out, "set %crange [%g:%g]\n", which, axis.low, axis.high);
    if (axis.tics)
        fprintf(out, "set %ctics %s\n", which, axis.tics);
}

/* Names as tics at 0, 1, 2 …; those across may take two lines. */
static void tics(FILE *out, char which, int count, const struct text *name)
{
    fprintf(out, "set %ctics (", which);
    for (int i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        label(out, which == 'x' ? "wrapped(" : "(", name[i], which == 'x' ? TIC : ROW, "");
        fprintf(out, ") %d", i);
    }
    fputs(") scale 0\n", out);
}

/* array NAME[count] = [T('中文', 'English'), …] */
static void labels(FILE *out, const char *name, size_t count, const struct text *words)
{
    fprintf(out, "array %s[%zu] = [", name, count);
    for (size_t i = 0; i < count; i++)
        label(out, i ? ", " : "", words[i], WORDS, "");
    fputs("]\n", out);
}

/* One tab-separated line of a data block. */
static void line(FILE *out, size_t n, const double *v)
{
    for (size_t i = 0; i < n; i++)
        fprintf(out, isfinite(v[i]) ? "%s%.10g" : "%sNaN", i ? "\t" : "", v[i]);
    fputc('\n', out);
}

/* Columns of the longest name, in either language. */
static int longest(size_t count, const struct text *name)
{
    int most = 0;
    for (size_t i = 0; i < 2 * count; i++) {
        int width = 0;
        for (const char *s = i % 2 ? name[i / 2].zh : name[i / 2].en; s && *s;) {
            width = *s == '\n' ? 0 : width;
            width += text_columns(&s);
            most = width > most ? width : most;
        }
    }
    return most;
}

/* array NAME[count] = [1, 2, …] */
static void numbers(FILE *out, const char *name, size_t count, const int *value)
{
    fprintf(out, "array %s[%zu] = [", name, count);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%d", i ? ", " : "", value[i]);
    fputs("]\n", out);
}

/* ---- a script as a file ---- */

struct script {
    FILE *out;
    char *path, *partial;
};

static void failed(const struct script *s) { die("%s: cannot be written: %s", s->path, strerror(errno)); }

/* Begins NAME.gp: how to run it, look, title, axes ({0}: none). The partial file is made anew: it follows no link. */
static struct script begin(const char *dir, const char *name, struct text title, struct axis x, struct axis y)
{
    char *file = xformat("%s.gp", name);
    for (char *c = file; *c; c++) /* a recording's column may be called anything */
        *c = *c == '/' || (unsigned char)*c < ' ' ? '_' : *c;
    struct script s = { NULL, xformat("%s/%s", dir, file), xformat("%s/.%s.part", dir, file) };
    unlink(s.partial);
    s.out = fopen(s.partial, "wx");
    if (!s.out)
        failed(&s);
    fprintf(s.out, "# gnuplot -e \"out='FILE.svg'; lang='en'; title=1\" %s\n", file);
    lines(s.out, style_gp);
    label(s.out, "\nname = ", title, WORDS, "\n");
    label(s.out, "y_label = ", y.label, WORDS, "\n");
    lines(s.out, title_gp);
    axis(s.out, 'x', x);
    axis(s.out, 'y', y);
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

/* The blocks of $d, two empty lines between them, and their names. */
static void series_data(FILE *out, size_t count, const struct series *series, const struct text *name)
{
    fputs("$d << EOD\n", out);
    for (size_t s = 0; s < count; s++) {
        struct series one = series[s];
        fputs(s ? "\n\n" : "", out);
        for (size_t i = 0; i < one.n; i++)
            line(out, 4, (double[]){ one.x[i], one.y[i], one.low ? one.low[i] : NAN, one.high ? one.high[i] : NAN });
    }
    fputs("EOD\n", out);
    labels(out, "label", count, name);
    int columns = longest(count, name);
    fprintf(out, "right = %d\n", columns > 4 ? columns : 4);
}

/* Who stands before whom, and who has a band. */
static void series_looks(FILE *out, size_t count, const struct series *series, const struct text *name)
{
    enum { BANDS = 2 };
    int *look = xalloc(5 * count, sizeof *look), *front = look + count, *spread = front + count, bands = 0;
    int *dash = spread + count, *panel = dash + count;
    look_find(count, name, look);
    for (size_t s = 0; s < count; s++) {
        spread[s] = -1; /* not placed yet */
        dash[s] = series[s].dash;
        panel[s] = 1 + series[s].second;
    }
    for (size_t at = count; at-- > 0;) { /* the least look comes last: in front; of equals the first */
        size_t best = count;
        for (size_t s = 0; s < count; s++)
            if (spread[s] < 0 && (best == count || look[s] < look[best]))
                best = s;
        front[at] = (int)best + 1;
        spread[best] = !series[best].low ? 0 : bands++ < BANDS ? 1 : 2;
    }
    numbers(out, "look", count, look);
    numbers(out, "dash", count, dash);
    numbers(out, "front", count, front);
    numbers(out, "spread", count, spread);
    numbers(out, "panel", count, panel);
    free(look);
}

/* Writes the remarks as labels and moves them behind the curves; returns how many curves there are. */
static size_t remarks(FILE *out, size_t count, const struct series *series, struct series *curve)
{
    size_t curves = 0;
    for (size_t s = 0; s < count; s++)
        if (series[s].drawn == DRAWN_REMARK) {
            fprintf(out, "set label %zu ", 50 + s);
            label(out, "", series[s].name, WORDS, "");
            fprintf(out, " at %g, %g left font ',17' textcolor rgb ink front\n", series[s].x[0], series[s].y[0]);
        } else
            curve[curves++] = series[s];
    return curves;
}

void figure_lines(const char *dir, const char *name, struct text title, struct axis x, struct axis y, size_t count,
                  const struct series *series)
{
    if (!dir)
        return;
    static const char *const styles[] = { "linespoints", "steps", "points" };
    struct series *curve = xalloc(count, sizeof *curve);
    struct text *name_of = xalloc(count, sizeof *name_of);
    double *at = xalloc(count, sizeof *at);
    size_t points = 0, first = 0; /* … of the first panel */
    y = look_range(y, count, series);
    struct script s = begin(dir, name, title, x, y);
    count = remarks(s.out, count, series, curve);
    for (size_t i = 0; i < count; i++) {
        name_of[i] = curve[i].name;
        points = curve[i].n > points ? curve[i].n : points;
        first += !curve[i].second;
    }
    look_places(y, first, curve, at);
    look_places(y, count - first, curve + first, at + first);
    series_data(s.out, count, curve, name_of);
    series_looks(s.out, count, curve, name_of);
    fprintf(s.out, "array at[%zu] = [", count);
    for (size_t i = 0; i < count; i++)
        fprintf(s.out, "%s%.4f", i ? ", " : "", at[i]);
    fprintf(s.out, "]\narray drawn[%zu] = [", count);
    for (size_t i = 0; i < count; i++)
        fprintf(s.out, "%s'%s'", i ? ", " : "",
                curve[i].drawn == DRAWN_CURVE && points > 40 ? "lines" : styles[curve[i].drawn]);
    fprintf(s.out, "]\ncurves = %zu; panels = %d; zoom = %g; step = %zu\n", count, y.second.en ? 2 : 1, y.zoom,
            (points + 9) / 10);
    fprintf(s.out, "logarithmic = %d; x_low = %g; x_high = %g\n", x.log > 0, x.low, x.high);
    if (y.second.en)
        labels(s.out, "panel_label", 2, (struct text[]){ y.label, y.second });
    free(at);
    free(name_of);
    free(curve);
    finish(s, lines_gp);
}

void figure_scatter(const char *dir, const char *name, struct text title, struct axis x, struct axis y,
                    const struct series *cloud)
{
    if (!dir)
        return;
    struct script s = begin(dir, name, title, x, y);
    series_data(s.out, 1, cloud, &cloud->name);
    finish(s, scatter_gp);
}

/* ---- cells ---- */

/* The least of each row; of two maps side by side, of each. */
static void heat_best(FILE *out, const struct heat *heat)
{
    for (int row = 0; row < heat->rows; row++)
        for (int from = 0, end; from < heat->columns; from = end + 1) {
            const double *value = heat->value + row * heat->columns;
            int least = -1;
            end = heat->gap > from ? heat->gap : heat->columns;
            for (int c = from; c < end; c++)
                if (isfinite(value[c]) && (least < 0 || value[c] < value[least]))
                    least = c;
            if (least >= 0)
                line(out, 2, (double[]){ least, row });
        }
}

void figure_heat(const char *dir, const char *name, struct text title, struct text x, struct text y,
                 const struct heat *heat)
{
    if (!dir)
        return;
    struct script s = begin(dir, name, title, (struct axis){ .label = x }, (struct axis){ .label = y });
    int rows = heat->rows, columns = heat->columns;
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
    fputs("EOD\n$best << EOD\n-9\t-9\n", s.out);
    if (heat->best)
        heat_best(s.out, heat);
    fprintf(s.out, "EOD\nrows = %d; columns = %d; low = %g; high = %g; form = '\"%%.%df\"'\n", rows, columns,
            heat->low, heat->high, heat->decimals);
    fprintf(s.out, "left = %d; longest = %d\n", longest((size_t)rows, heat->row_name),
            longest((size_t)columns, heat->column_name));
    fputs(heat->gap ? "maps = 2; " : "maps = 0; array over[2]\n", s.out);
    if (heat->gap)
        labels(s.out, "over", 2, heat->map);
    finish(s, heat_gp);
}

/* ---- bars ---- */

/* The values of a group, then their lows and highs. */
static void bars_line(FILE *out, const struct bars *bars, int group)
{
    size_t n = (size_t)bars->bars;
    double *all = xalloc(3 * n, sizeof *all);
    for (size_t b = 0; b < n; b++) {
        size_t i = (size_t)group * n + b;
        all[b] = bars->value[i];
        all[n + b] = bars->low ? bars->low[i] : NAN;
        all[2 * n + b] = bars->high ? bars->high[i] : NAN;
    }
    line(out, 3 * n, all);
    free(all);
}

static struct script begin_bars(const char *dir, const char *name, struct text title, struct axis x, struct axis y,
                                const struct bars *bars)
{
    struct script s = begin(dir, name, title, x, y);
    tics(s.out, x.label.en ? 'y' : 'x', bars->groups, bars->group_name);
    fputs("$d << EOD\n", s.out);
    for (int g = 0; g < bars->groups; g++)
        bars_line(s.out, bars, g);
    fputs("EOD\n", s.out);
    labels(s.out, "label", (size_t)bars->bars, bars->bar_name);
    fprintf(s.out, "groups = %d; bars = %d; whiskers = %d\n", bars->groups, bars->bars, bars->low != NULL);
    return s;
}

void figure_bars(const char *dir, const char *name, struct text title, struct axis y, const struct bars *bars)
{
    if (!dir)
        return;
    struct script s = begin_bars(dir, name, title, (struct axis){ 0 }, y, bars);
    int *look = xalloc((size_t)bars->bars, sizeof *look);
    look_find((size_t)bars->bars, bars->bar_name, look);
    numbers(s.out, "look", (size_t)bars->bars, look);
    fprintf(s.out, "form = '\"%%.%df\"'\n", bars->decimals);
    free(look);
    finish(s, bars_gp);
}

void figure_stack(const char *dir, const char *name, struct text title, struct axis x, const struct bars *bars,
                  const char *const *closing)
{
    if (!dir)
        return;
    struct script s = begin_bars(dir, name, title, x, (struct axis){ 0 }, bars);
    bool two_lines = false;
    for (int g = 0; g < bars->groups; g++)
        two_lines = two_lines || strchr(bars->group_name[g].en, '\n');
    fputs(two_lines ? "set ytics font ',13'\n" : "", s.out);
    fprintf(s.out, "high = %g; left = %d; closings = %d\n", x.high, longest((size_t)bars->groups, bars->group_name),
            closing ? bars->groups : 0);
    fprintf(s.out, "array closing[%d]\n", bars->groups);
    for (int g = 0; closing && g < bars->groups; g++) {
        fprintf(s.out, "closing[%d] = ", g + 1);
        label(s.out, "", (struct text){ closing[g], closing[g] }, WORDS, "\n");
    }
    finish(s, stack_gp);
}

void figure_histogram(const char *dir, const char *name, struct text title, struct axis x, struct text y,
                      const struct histogram *h)
{
    if (!dir)
        return;
    struct script s = begin(dir, name, title, x, (struct axis){ .label = y });
    double total = 0, sum = 0;
    for (size_t i = 0; i < h->bins; i++)
        total += h->count[i];
    fputs("$d << EOD\n", s.out);
    for (size_t i = 0; i < h->bins; i++) {
        sum += h->count[i];
        line(s.out, 4, (double[]){ h->edge[i], h->edge[i + 1], h->count[i], 100 * sum / total });
    }
    fputs("EOD\n", s.out);
    labels(s.out, "label", HISTOGRAM_MARKS, h->mark_text);
    fprintf(s.out, "marks = 2; array mark[2] = [%g, %g]; top = %g\n", h->mark[0], h->mark[1],
            1.2 * stats_max(h->count, h->bins)); /* room for its text */
    finish(s, histogram_gp);
}

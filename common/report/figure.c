/* figure.c - each kind of figure is: the data as named blocks, then the plot command. */
#include "report/figure.h"
#include "base/mathx.h"
#include "report/script.h"
#include "base/stats.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdlib.h>

static void series_blocks(FILE *out, size_t count, const struct series *series)
{
    for (size_t s = 0; s < count; s++) {
        const struct series *one = &series[s];
        fprintf(out, "$d%zu << EOD\n", s + 1);
        for (size_t i = 0; i < one->n; i++)
            script_line(out, 4,
                        (double[]){ one->x[i], one->y[i], one->low ? one->low[i] : NAN,
                                    one->high ? one->high[i] : NAN });
        fputs("EOD\n", out);
    }
}

/* ---- curves ---- */

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
    struct script s = script_figure(figures, name, title);
    FILE *out = s.out;
    y = with_range(y, count, series);
    script_axis(out, 'x', x);
    script_axis(out, 'y', y);
    series_blocks(out, count, series);

    double *at = xalloc(count, sizeof *at);
    place_names(y, count, series, at);
    int longest = 4;
    for (size_t i = 0; i < count; i++)
        longest = script_width(series[i].name) > longest ? script_width(series[i].name) : longest;
    fprintf(out, "if (!ascii) { set rmargin at screen %.3f; unset key }     # curves are named at their right ends\n",
            0.965 - SCRIPT_COLUMN * longest);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "if (!ascii) { set label %zu ", i + 1);
        script_label(out, series[i].name);
        fprintf(out, " at graph 1.015, graph %.4f left textcolor lt %zu }\n", at[i], i + 1);
    }
    free(at);
    fputs("if (ascii) {\n  plot ", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s$d%zu using 1:2 with linespoints lt %zu pt \"%c\" title ", i ? ", \\\n    " : "", i + 1,
                i + 1, (int)('A' + i));
        script_label(out, series[i].name);
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
    script_finish(s);
}

/* ---- heat map ---- */

void figure_heat(struct figures figures, const char *name, struct text title, struct text x, struct text y,
                 const struct heat *heat)
{
    if (!figures.dir)
        return;
    struct script s = script_figure(figures, name, title);
    FILE *out = s.out;
    script_set(out, "xlabel", x);
    script_set(out, "ylabel", y);
    script_tics(out, 'x', heat->columns, heat->column_name);
    script_tics(out, 'y', heat->rows, heat->row_name);
    fprintf(out, "set xrange [-.5:%g]; set yrange [%g:-.5]; set cbrange [%g:%g]\n", heat->columns - .5,
            heat->rows - .5, heat->low, heat->high);
    fputs("$legal << EOD\n", out);
    for (int i = 0; i < heat->rows * heat->columns; i++)
        if (isfinite(heat->value[i]))
            script_line(out, 3, (double[]){ i % heat->columns, i / heat->columns, heat->value[i] });
    fputs("EOD\n$illegal << EOD\n-9\t-9\n", out); /* one cell out of sight: an empty block is an error */
    for (int i = 0; i < heat->rows * heat->columns; i++)
        if (!isfinite(heat->value[i]) && (heat->gap == 0 || i % heat->columns != heat->gap))
            script_line(out, 2, (double[]){ i % heat->columns, i / heat->columns });
    fprintf(out, "EOD\nfg(v) = v < %g ? 0x000000 : 0xFFFFFF       # black on light cells, white on dark\n",
            heat->low + 0.45 * (heat->high - heat->low));
    fprintf(out,
            "unset key; unset grid; set border 0\n"
            "if (!ascii) { set lmargin at screen %.3f; set rmargin at screen .84; "
            "set colorbox user origin screen .87, screen .175 size screen .025, screen .705 }\n",
            0.10 + SCRIPT_COLUMN * script_longest(heat->rows, heat->row_name));
    if (script_longest(heat->columns, heat->column_name) > 9)
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
    script_finish(s);
}

/* ---- bars ---- */

static void bar_block(FILE *out, const struct bars *bars)
{
    fputs("$d << EOD\n", out);
    for (int g = 0; g < bars->groups; g++)
        script_line(out, (size_t)bars->bars, bars->value + g * bars->bars);
    fputs("EOD\n", out);
}

void figure_bars(struct figures figures, const char *name, struct text title, struct axis y, const struct bars *bars)
{
    if (!figures.dir)
        return;
    struct script s = script_figure(figures, name, title);
    FILE *out = s.out;
    script_axis(out, 'y', y);
    script_tics(out, 'x', bars->groups, bars->group_name);
    bar_block(out, bars);
    fprintf(out, "set xrange [-.5:%g]; set style fill solid 1 noborder; w = .86/%d\n", bars->groups - .5, bars->bars);
    fputs(bars->bars > 1 ? "set key top left horizontal samplen 1\n" : "unset key\n", out);
    fputs("plot ", out);
    for (int b = 0; b < bars->bars; b++) {
        double shift = b - (bars->bars - 1) / 2.0;
        fprintf(out, "%s$d using ($0+w*(%g)):%d:(w*.94) with boxes dt 1 lc rgb bar[%d] title ", b ? ", \\\n    " : "",
                shift, b + 1, b + 1);
        script_label(out, bars->bar_name[b]);
        fprintf(
            out,
            ", \\\n    $d using ($0+w*(%g)):%d:(sprintf(\"%%.%df\", $%d)) with labels offset 0,.6 font \",14\" notitle",
            shift, b + 1, bars->decimals, b + 1);
    }
    fputc('\n', out);
    script_finish(s);
}

void figure_stack(struct figures figures, const char *name, struct text title, struct axis x, const struct bars *bars,
                  const char *const *closing)
{
    if (!figures.dir)
        return;
    struct script s = script_figure(figures, name, title);
    FILE *out = s.out;
    script_axis(out, 'x', x);
    script_tics(out, 'y', bars->groups, bars->group_name);
    bar_block(out, bars);
    fprintf(out, "set yrange [%g:-.6]; unset grid; set border 1; set style fill solid 1 border lc rgb \"white\"\n",
            bars->groups - .4);
    fprintf(out, "if (!ascii) { set lmargin at screen %.3f; set rmargin at screen .90 }\n",
            0.03 + SCRIPT_COLUMN * script_longest(bars->groups, bars->group_name));
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
        script_label(out, bars->bar_name[b - 1]);
    }
    for (int g = 0; closing && g < bars->groups; g++) {
        fprintf(out, ", \\\n    '+' using (%g):(%d):(", x.high, g);
        script_quoted(out, closing[g]);
        fputs(") every ::0::0 with labels left offset 1,0 notitle", out);
    }
    fputc('\n', out);
    script_finish(s);
}

/* ---- histogram and scatter ---- */

void figure_histogram(struct figures figures, const char *name, struct text title, struct axis x, struct text y,
                      const struct histogram *h)
{
    if (!figures.dir)
        return;
    struct script s = script_figure(figures, name, title);
    FILE *out = s.out;
    script_axis(out, 'x', x);
    script_set(out, "ylabel", y);
    script_set(out, "y2label", TEXT("cumulative %", "累计 %"));
    double total = 0, sum = 0;
    for (size_t i = 0; i < h->bins; i++)
        total += h->count[i];
    fprintf(out, "set yrange [0:%g]\n", 1.2 * stats_max(h->count, h->bins)); /* room for the mark's text */
    fputs("$d << EOD\n", out);
    for (size_t i = 0; i < h->bins; i++) {
        sum += h->count[i];
        script_line(out, 4, (double[]){ h->edge[i], h->edge[i + 1], h->count[i], 100 * sum / total });
    }
    fputs("EOD\nset y2range [0:100]; set y2tics 25; set ytics format \"%.0s%c\"\n"
          "if (!ascii) { set border 11; set rmargin at screen .88; set key at graph .98, graph .62 }\n"
          "set style fill solid .6 border lc rgb \"white\"\n",
          out);
    fprintf(
        out,
        "set arrow 1 from %g, graph 0 to %g, graph .9 nohead lw 2 dt (4,4) lc rgb \"#D55E00\" front\nset label 1 ",
        h->mark, h->mark);
    script_label(out, h->mark_text);
    fprintf(out, " at %g, graph .95 textcolor rgb \"#B34700\" front\n", h->mark);
    fputs(
        "plot $d using (sqrt($1*$2)):(0):1:2:(0):3 with boxxyerror lc rgb \"#56B4E9\" title T(\"直方图（左轴）\", \"histogram (left axis)\"), \\\n"
        "    $d using 2:4 axes x1y2 with lines lt 1 title T(\"累计分布（右轴）\", \"cumulative (right axis)\")\n",
        out);
    script_finish(s);
}

void figure_scatter(struct figures figures, const char *name, struct text title, struct axis x, struct axis y,
                    size_t count, const struct series *series, bool diagonal)
{
    if (!figures.dir)
        return;
    struct script s = script_figure(figures, name, title);
    FILE *out = s.out;
    script_axis(out, 'x', x);
    script_axis(out, 'y', y);
    series_blocks(out, count, series);
    fputs(count > 1 ? "set key top left\nplot " : "unset key\nplot ", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s$d%zu using 1:2 with points lt %zu ps .35 title ", i ? ", \\\n    " : "", i + 1, i + 1);
        script_label(out, series[i].name);
    }
    fputs(diagonal ? ", \\\n    x with lines lt 8 lw 1 dt (4,4) notitle\n" : "\n", out);
    script_finish(s);
}

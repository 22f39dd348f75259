/* test_figure.c - figure scripts: written whole or not at all, with their data and both languages inside, and drawn by
 * gnuplot where there is one. */
#include "check.h"
#include "child.h"
#include "report/figure.h"
#include "base/xalloc.h"
#include <dirent.h>
#include <sys/stat.h>

static char *path(const char *dir, const char *name) { return xformat("%s/%s", dir, name); }

/* A whole file, the caller's to free; NULL if there is none. */
static char *contents(const char *dir, const char *name)
{
    char *full = path(dir, name), *text = NULL;
    size_t room = 0;
    FILE *file = fopen(full, "r");
    free(full);
    if (!file)
        return NULL;
    if (getdelim(&text, &room, 0, file) < 0) {
        free(text);
        text = xformat("%s", "");
    }
    fclose(file);
    return text;
}

static int set_up(void **state)
{
    *state = mkdtemp(xformat("%s", "/tmp/figures-XXXXXX"));
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    setenv("FIGURES", *state, 1);
    free(*state);
    return system("rm -r \"$FIGURES\"");
}

/* ---- one figure of each kind, with what is hardest to draw ---- */

static const double x[] = { 1, 2, 4, 8 }, y[] = { 10, 0.5, 1.0 / 3.0, 7e-6 }, low[] = { 9, 0.25, 0.2, 1e-6 },
                    high[] = { 11, (double)NAN, 0.5, 1e-5 }, missing[] = { (double)NAN, 1, 2, (double)INFINITY };
#define HOSTILE "50 %d '`touch ran`' \\ @x $(touch ran) \"`touch ran`\"\n`touch ran`\x1b\\"
static const struct text names[] = { { "first", "第一" }, { HOSTILE, HOSTILE }, { "third", "第三" } };
static const struct axis across = { { "trials", "测量次数" }, 1, 8, 2, "(1,2,4,8)" };

static void draw_lines(const char *f)
{
    const struct series series[] = { { names[0], 4, x, y, low, high }, { names[1], 4, x, missing, NULL, NULL } };
    const struct axis up = { { "time us", "时间 us" }, 1e-6, 100, 10, NULL };
    const struct axis own_range = { .label = { "time us", "时间 us" } };
    figure_lines(f, "lines", TEXT("Curves", "曲线"), across, up, 2, series);
    figure_lines(f, "ranged", TEXT(HOSTILE, HOSTILE), across, own_range, 2, series);
}

static void draw_heat(const char *f)
{
    const double value[] = { 1, 2, (double)NAN, 4.5, 5.25, (double)INFINITY };
    const struct heat heat = { 2, 3, names, names, value, 1, 5, 2, 0 };
    figure_heat(f, "heat", TEXT("Cells", "格子"), TEXT("stages", "级数"), TEXT(HOSTILE, HOSTILE), &heat);
}

static void draw_bars(const char *f)
{
    const double value[] = { 1, 2, (double)NAN, 4, 5, 6.5 };
    const char *const closing[] = { "3.0 us", HOSTILE, "11.5 us" };
    const struct axis axis = { { "share", "比例" }, 0, 20, 0, NULL };
    figure_bars(f, "bars", TEXT("Bars", "条形"), axis, &(struct bars){ 3, 2, names, names, value, 1 });
    figure_bars(f, "one_bar", TEXT("Bars", "条形"), axis, &(struct bars){ 3, 1, names, names, value, 0 });
    figure_stack(f, "stack", TEXT("Parts", "各部分"), axis, &(struct bars){ 3, 2, names, names, value, 1 }, closing);
    figure_stack(f, "open_stack", TEXT("Parts", "各部分"), axis, &(struct bars){ 3, 2, names, names, value, 1 },
                 NULL);
}

static void draw_histogram(const char *f)
{
    const double edge[] = { 1, 2, 4, 8 }, count[] = { 1, 0, 3 };
    const struct histogram h = { 3, edge, count, { 1.05, 3 }, { { HOSTILE, HOSTILE }, names[0] } };
    figure_histogram(f, "histogram", TEXT("Counts", "计数"), across, TEXT("configurations", "配置数"), &h);
}

static void draw_scatter(const char *f)
{
    const struct series cloud = { names[1], 4, x, y, NULL, NULL };
    figure_scatter(f, "scatter", TEXT("Points", "散点"), across, across, &cloud);
}

static void (*const draw[])(const char *) = { draw_lines, draw_heat, draw_bars, draw_histogram, draw_scatter };
static const char *const files[] = { "lines.gp", "ranged.gp",     "heat.gp",      "bars.gp",   "one_bar.gp",
                                     "stack.gp", "open_stack.gp", "histogram.gp", "scatter.gp" };
enum { DRAWS = sizeof draw / sizeof *draw, FILES = sizeof files / sizeof *files };

static void draw_all(const char *f)
{
    for (int d = 0; d < DRAWS; d++)
        draw[d](f);
}

/* ---- files ---- */

TEST(scripts_are_whole_and_alone_in_their_folder)
{
    char *f = *state, *first[FILES];
    draw_all(f);
    for (int i = 0; i < FILES; i++)
        first[i] = contents(f, files[i]);
    draw_all(f); /* the same bytes */
    for (int i = 0; i < FILES; i++) {
        char *script = contents(f, files[i]);
        assert_string_equal(script, first[i]);
        assert_non_null(strstr(script, "\nT(zh, en) = ")); /* the look, */
        assert_non_null(strstr(script, "set datafile separator \"\\t\"\n"));
        assert_non_null(strstr(script, "\nname = T('")); /* this figure's, */
        assert_non_null(strstr(script, "plot "));
        assert_int_equal(script[strlen(script) - 1], '\n');
        assert_null(strstr(script, f)); /* it can be moved */
        assert_null(strstr(script, "load"));
        assert_null(strstr(script, "\tnan")); /* gnuplot's word is NaN, whatever the C library's is */
        assert_null(strstr(script, "\tinf"));
        free(script);
        free(first[i]);
    }
    int count = 0;
    DIR *dir = opendir(f);
    for (struct dirent *e; (e = readdir(dir));)
        count += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(dir);
    assert_int_equal(count, FILES); /* no partial file is left */
}

TEST(without_a_folder_nothing_happens)
{
    assert_null(figure_folder(NULL));
    draw_all(NULL);
}

/* ---- what stands in them ---- */

TEST(scripts_carry_their_data_and_labels)
{
    char *f = *state;
    static const struct {
        const char *file, *part;
    } parts[] = {
        { "lines.gp", "name = T('曲线', 'Curves')\n" },
        { "lines.gp",
          "set xlabel T('测量次数', 'trials')\nset logscale x 2\nset xrange [1:8]\nset xtics (1,2,4,8)\n" },
        { "lines.gp",
          "$d << EOD\n1\t10\t9\t11\n2\t0.5\t0.25\tNaN\n4\t0.3333333333\t0.2\t0.5\n8\t7e-06\t1e-06\t1e-05\n\n\n"
          "1\tNaN\tNaN\tNaN\n2\t1\tNaN\tNaN\n4\t2\tNaN\tNaN\n8\tNaN\tNaN\tNaN\nEOD\n" },
        { "lines.gp", "array label[2] = [T('第一', 'first'), T('50 %d ''`touch ran`'' \\ @x " },
        { "lines.gp", "curves = 2; panels = 1; zoom = 0; step = 1\n" },
        { "ranged.gp", "set yrange [-0.549999:11.55]\n" }, /* gnuplot's own is not known: the data's */
        { "heat.gp", "$legal << EOD\n0\t0\t1\n1\t0\t2\n0\t1\t4.5\n1\t1\t5.25\nEOD\n" },
        { "heat.gp", "$illegal << EOD\n-9\t-9\n2\t0\n2\t1\nEOD\n" }, /* cells without a number, apart */
        { "heat.gp", "rows = 2; columns = 3; low = 1; high = 5; form = '\"%.2f\"'\n" },
        { "heat.gp", "(T('50 %%d ''`touch ran`''" }, /* in a tic's name, % is doubled */
        { "bars.gp",
          "$d << EOD\n1\t2\tNaN\tNaN\tNaN\tNaN\nNaN\t4\tNaN\tNaN\tNaN\tNaN\n5\t6.5\tNaN\tNaN\tNaN\tNaN\nEOD\n" },
        { "stack.gp", "closing[1] = T('3.0 us', '3.0 us')\n" },
        { "stack.gp", "closing[3] = T('11.5 us', '11.5 us')\n" },
        { "histogram.gp",
          "$d << EOD\n1\t2\t1\t25\n2\t4\t0\t25\n4\t8\t3\t100\nEOD\n" }, /* edges, count, cumulative % */
    };
    draw_all(f);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char *script = contents(f, parts[i].file);
        if (!strstr(script, parts[i].part))
            fail_msg("%s lacks %s", parts[i].file, parts[i].part);
        free(script);
    }
}

/* Names at the ends of curves keep their distance and their order, even if all curves end at one place. */
TEST(names_of_curves_do_not_cover_each_other)
{
    char *f = *state;
    const double ends[][2] = { { 0, 50 }, { 0, 50 }, { 0, 50.5 }, { 0, 100 }, { 0, 99 }, { 0, 98 }, { 0, 0 } };
    struct series series[7];
    for (int s = 0; s < 7; s++)
        series[s] = (struct series){ names[s % 3], 2, x, ends[s], NULL, NULL };
    const struct axis axis = { .label = { "y", "y" }, .high = 100 };
    figure_lines(f, "names", TEXT("t", "题"), axis, axis, 7, series);
    char *script = contents(f, "names.gp"), *from = strstr(script, "array at[7] = [") + 15;
    double at[7];
    for (int s = 0; s < 7; s++) {
        at[s] = strtod(from, &from);
        from += 2; /* ", " */
        assert_between(at[s], 0.0, 1.0);
    }
    for (int a = 0; a < 7; a++)
        for (int b = 0; b < a; b++) {
            assert_true(fabs(at[a] - at[b]) > 0.06);
            assert_true(ends[a][1] == ends[b][1] || (ends[a][1] < ends[b][1]) == (at[a] < at[b]));
        }
    free(script);
}

/* Who is listed looks the same whoever stands beside; the protagonist is in front; two have bands, the third whiskers. */
TEST(a_name_has_one_look)
{
    char *f = *state;
    const struct text who[] = { { "mine", "" }, { "random", "" }, { "AutoTVM, 5 %", "" }, { "AutoTVM (2)", "" } };
    struct series series[4];
    for (int s = 0; s < 4; s++)
        series[s] = (struct series){ who[s], 4, x, y, low, high, .dash = s == 3 };
    figure_lines(f, "looks", TEXT("t", "题"), across, (struct axis){ .label = { "y", "y" } }, 4, series);
    figure_lines(f, "fewer", TEXT("t", "题"), across, (struct axis){ .label = { "y", "y" } }, 2, series + 1);
    char *four = contents(f, "looks.gp"), *two = contents(f, "fewer.gp");
    assert_non_null(strstr(four, "\narray look[4] = [7, 3, 1, 1]\n"));
    assert_non_null(strstr(four, "\narray dash[4] = [0, 0, 0, 1]\n"));
    assert_non_null(strstr(four, "\narray front[4] = [1, 2, 4, 3]\n"));
    assert_non_null(strstr(four, "\narray spread[4] = [2, 2, 1, 1]\n"));
    assert_non_null(strstr(two, "\narray look[2] = [3, 1]\n"));
    free(two);
    free(four);
}

/* A remark is no curve, and is not among the names. */
TEST(remarks_are_labels)
{
    char *f = *state;
    const struct series series[] = { { names[0], 4, x, y, .drawn = DRAWN_STEPS },
                                     { { "here", "这里" }, 1, x, y, .drawn = DRAWN_REMARK } };
    figure_lines(f, "remark", TEXT("t", "题"), across, (struct axis){ .label = { "y", "y" }, .zoom = 3 }, 2, series);
    char *script = contents(f, "remark.gp");
    assert_non_null(strstr(script, " T('这里', 'here') at 1, 10 left"));
    assert_non_null(strstr(script, "\narray label[1] = "));
    assert_non_null(strstr(script, "\narray drawn[1] = ['steps']\ncurves = 1; panels = 1; zoom = 3; step = 1\n"));
    free(script);
}

/* ---- what cannot be written ---- */

static void draw_into(void *dir) { draw_heat(figure_folder(dir)); }

static void check_refused(char *dir, const char *complaint)
{
    struct ending ending = child_run(draw_into, dir);
    assert_int_equal(ending.status, 2);
    assert_true(child_is_one_line(ending.err));
    if (!strstr(ending.err, complaint) || !strstr(ending.err, dir))
        fail_msg("%s", ending.err);
}

TEST(a_folder_is_made_but_not_its_parents)
{
    char *f = *state;
    char *made = path(f, "made"), *deep = path(f, "not/made");
    assert_int_equal(child_run(draw_into, made).status, 0);
    char *script = contents(made, "heat.gp");
    assert_non_null(script);
    assert_int_equal(child_run(draw_into, made).status, 0); /* one that is there is used */
    check_refused(deep, "the folder cannot be made");
    free(made);
    free(script);
    free(deep);
}

TEST(what_is_no_folder_is_refused)
{
    char *f = *state;
    char *taken = path(f, "taken"), *file = path(taken, "file"), *below = path(taken, "heat.gp");
    mkdir(taken, 0777);
    fclose(fopen(file, "w"));
    check_refused(file, "cannot be written: Not a directory");
    mkdir(below, 0777); /* a folder stands where the script should */
    check_refused(taken, "heat.gp: cannot be written");
    char *partial = contents(taken, ".heat.gp.part");
    assert_null(partial); /* nothing half is left */
    rmdir(below);
    free(taken);
    free(below);
    free(file);
}

/* A link in the place of the script, or of what it is first written to, is replaced; its target stays as it is. */
TEST(no_link_is_followed)
{
    char *f = *state;
    static const char *const links[] = { "heat.gp", ".heat.gp.part" };
    char *target = path(f, "target");
    fclose(fopen(target, "w"));
    for (int i = 0; i < 2; i++) {
        char *link = path(f, links[i]);
        unlink(link);
        assert_int_equal(symlink("target", link), 0);
        draw_heat(f);
        char *script = contents(f, "heat.gp"), *kept = contents(f, "target");
        assert_true(strlen(script) > 1000);
        assert_string_equal(kept, "");
        free(link);
        free(script);
        free(kept);
    }
    free(target);
}

/* ---- gnuplot's verdict ---- */

static void show(void *dir) { figure_show(dir); }

TEST(gnuplot_draws_every_script)
{
    char *f = *state;
    if (system("command -v gnuplot >/dev/null 2>&1"))
        skip();
    draw_all(f);
    struct ending ending = child_run(show, f);
    assert_int_equal(ending.status, 0);
    assert_string_equal(ending.err, ""); /* gnuplot warns there */
    assert_true(strlen(ending.out) > 4000);
    char *ran = contents(f, "ran");
    assert_null(ran); /* of a name's backquotes, none was a command */
    assert_non_null(strstr(ending.out, "50 %d '`touch ran`' \\ @x $(touch ran) \"`touch ran`\" `touch ran`\\"));
}

TEST(a_script_that_gnuplot_refuses_is_named)
{
    char *f = *state;
    if (system("command -v gnuplot >/dev/null 2>&1"))
        skip();
    char *broken = path(f, "broken.gp");
    FILE *file = fopen(broken, "w");
    fputs("plot nonsense(\n", file);
    fclose(file);
    struct ending ending = child_run(show, f);
    assert_non_null(strstr(ending.err, "gnuplot could not draw broken.gp\n"));
    free(broken);
}

TEST(without_gnuplot_it_says_so)
{
    char *f = *state;
    char *path_was = xformat("%s", getenv("PATH"));
    draw_all(f);
    setenv("PATH", f, 1);
    struct ending ending = child_run(show, f);
    setenv("PATH", path_was, 1);
    assert_int_equal(ending.status, 0);
    assert_string_equal(ending.out, "");
    assert_true(child_is_one_line(ending.err) && strstr(ending.err, "gnuplot"));
    free(path_was);
}

TESTS_ANEW("figure", set_up, tear_down)

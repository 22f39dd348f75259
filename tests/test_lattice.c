/* test_lattice.c - which columns are knobs, and that each combination of their values leads to its row. */
#include "check.h"
#include "device/lattice.h"
#include "base/rng.h"
#include "table_file.h"

static char error[400];

static bool open_lattice(const char *text, struct tsv *t, struct lattice *g, struct table_file *file)
{
    *file = table_file_new(text);
    assert_true(tsv_open(t, file->path, error, sizeof error));
    bool found = lattice_find(g, t);
    table_file_remove(file);
    return found;
}

/* Random tables of 3 knobs with holes, rows in any order: compared with a search through the rows. */
static void each_combination_leads_to_its_row(void **state)
{
    (void)state;
    struct rng rng = rng_stream(0, "lattices", 0);
    for (int round = 0; round < 100; round++) {
        char text[8192] = "# knobs: c a b\na\tb\tt\tc\n";
        int used[5][4][6], rows = 0, seen_a[5] = { 0 }, seen_b[4] = { 0 }, seen_c[6] = { 0 };
        memset(used, 0, sizeof used);
        for (int i = 0; i < 40; i++) {
            uint32_t a = rng_below(&rng, 5), b = rng_below(&rng, 4), c = rng_below(&rng, 6);
            if (used[a][b][c])
                continue;
            used[a][b][c] = ++rows;
            seen_a[a] = seen_b[b] = seen_c[c] = 1;
            size_t end = strlen(text);
            snprintf(text + end, sizeof text - end, "%d\t%d\tx\t%d\n", 16 << a, (int)b - 2, (int)(c * c));
        }
        struct tsv t;
        struct lattice g;
        struct table_file file;
        assert_true(open_lattice(text, &t, &g, &file));
        assert_int_equal(g.knobs, 3);
        assert_string_equal(g.knob[0].name, "c");
        assert_string_equal(g.knob[2].name, "b");
        int sum[3] = { 0, 0, 0 };
        for (int i = 0; i < 6; i++)
            sum[0] += seen_c[i], sum[1] += i < 5 ? seen_a[i] : 0, sum[2] += i < 4 ? seen_b[i] : 0;
        for (int k = 0; k < 3; k++)
            assert_int_equal(g.knob[k].count, sum[k]);
        assert_int_equal(g.size, sum[0] * sum[1] * sum[2]);
        for (int a = 0; a < 5; a++)
            for (int b = 0; b < 4; b++)
                for (int c = 0; c < 6; c++)
                    assert_int_equal(lattice_row(&g, (int[]){ c * c, 16 << a, b - 2 }), used[a][b][c]);
        assert_int_equal(lattice_row(&g, (int[]){ 0, 17, 0 }), 0);
        lattice_free(&g);
        tsv_close(&t);
    }
}

static void without_names_the_integers_at_the_left_are_knobs(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int knobs;
    } cases[] = {
        { "a\tb\tt\n1\t1\t0.5\n1\t2\t3\n2\t1\t4\n2\t2\t5\n", 2 }, /* a time may be whole here and there */
        { "a\tb\tt\n1\t1\t7\n1\t2\tx\n", 2 },                     /* a constant knob before … */
        { "a\tb\tt\n1\t1\t7\n2\t1\tx\n", 2 },                     /* … and behind the one that varies */
        { "a\tb\tt\n3\t9\t1.5\n", 2 },                            /* one row */
        { "a\tb\tc\tt\n1\t1\t1\t2.5\n1\t1\t2\t3\n1\t2\t2\t3\n2\t1\t2\t9\n", 3 }, /* a grid with holes */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tsv t;
        struct lattice g;
        struct table_file file;
        assert_true(open_lattice(cases[i].text, &t, &g, &file));
        assert_int_equal(g.knobs, cases[i].knobs);
        for (int c = 0; c < t.columns; c++)
            assert_int_equal(g.is_knob[c], c < g.knobs);
        lattice_free(&g);
        tsv_close(&t);
    }
}

static void what_spans_no_lattice_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *place, *what;
    } cases[] = {
        { "t\ta\n0.5\t1\n", ":2: column 1 (t): '0.5'", "expected an integer" },
        { "a\tt\n1\t10\n2\t20\n", ":1: column 2 (t): a knob, or a time", "# knobs: a" },
        { "a\tb\tt\n1\t1\t2.5\n# c\n1\t2\t3\n1\t1\t4\n", ":5: the same knob values as in line 2", "expected" },
        { "# knobs: a\na\tb\tt\n1\t1\t2.5\n\n1\t2\t3\n", ":5: the same knob values as in line 3", "expected" },
        { "#\n# knobs: a z\na\tt\n1\t2\n", ":2: knob 'z'", "expected the name of a column" },
        { "# knobs: a a\na\tt\n1\t2\n", ":1: knob 'a'", "each once" },
        { "# knobs: a b\na\tb\tt\n1\t2\t3\n1\ttwo\t3\n", ":4: column 2 (b): 'two'", "expected an integer" },
        { "# knobs: a\na\tt\n1.0\t3\n", ":3: column 1 (a): '1.0'", "expected an integer" },
        { "# knobs: a\na\tt\n\t3\n", ":3: column 1 (a): ''", "expected an integer" },
    };
    for (int lang = 0; lang < 2; lang++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct tsv t;
            struct lattice g;
            struct table_file file;
            text_set_lang(lang ? LANG_ZH : LANG_EN);
            assert_false(open_lattice(cases[i].text, &t, &g, &file));
            assert_true(table_file_blamed(&file, error, lang ? "" : cases[i].place, lang ? "应" : cases[i].what));
            lattice_free(&g);
            tsv_close(&t);
        }
    text_set_lang(LANG_EN);
}

/* n columns of which each has `values` values, written along a diagonal. */
static char *diagonal(int n, int values)
{
    char *text = malloc((size_t)n * (size_t)(values + 1) * 12 + 100), *at = text;
    at += sprintf(at, "# knobs:");
    for (int k = 0; k < n; k++)
        at += sprintf(at, " k%d", k);
    for (int row = -1; row < values; row++) {
        for (int k = 0; k < n; k++)
            at += sprintf(at, row < 0 ? "%sk%d" : "%s%d", k ? "\t" : "\n", row < 0 ? k : row);
        at += sprintf(at, row < 0 ? "\tt" : "\t1.5");
    }
    return text;
}

static void limits_are_kept(void **state)
{
    (void)state;
    static const struct {
        int knobs, values;
        bool good;
        const char *place;
    } cases[] = {
        { 64, 1, true, "" },    { 65, 1, false, ":2: column 65 (k64)" },
        { 28, 2, true, "" },    { 29, 2, false, ":2: column 29 (k28)" },
        { 1, 65536, true, "" }, { 1, 65537, false, ":65539: column 1 (k0): '65536'" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tsv t;
        struct lattice g;
        struct table_file file;
        char *text = diagonal(cases[i].knobs, cases[i].values);
        assert_int_equal(open_lattice(text, &t, &g, &file), cases[i].good);
        if (!cases[i].good)
            assert_true(table_file_blamed(&file, error, cases[i].place, ""));
        lattice_free(&g);
        tsv_close(&t);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_combination_leads_to_its_row),
        cmocka_unit_test(without_names_the_integers_at_the_left_are_knobs),
        cmocka_unit_test(what_spans_no_lattice_is_refused),
        cmocka_unit_test(limits_are_kept),
    };
    return cmocka_run_group_tests_name("lattice", tests, NULL, NULL);
}

/* test_tsv.c - cells stand where they were written, and numbers are the doubles nearest to what is written. */
#include "table_file.h"
#include "device/tsv.h"
#include <limits.h>

/* ---- numbers ---- */

TEST(a_number_is_the_nearest_double)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        { "0", 0 },
        { "-0", -0.0 },
        { "188.3", 188.3 },
        { "5.", 5 },
        { ".5", 0.5 },
        { "1E-3", 1e-3 },
        { "1e+3", 1000 },
        { "007.50", 7.5 },
        { "-12.75", -12.75 },
        { "9007199254740993", 0x1p53 }, /* between two doubles: the even one */
        { "9007199254740995", 0x1.0000000000002p53 },
        { "0.30000000000000004", 0x1.3333333333334p-2 },
        { "1e23", 0x1.52d02c7e14af6p+76 },
        { "4.9e-324", 0x1p-1074 },
        { "1.7976931348623157e308", 0x1.fffffffffffffp1023 },
        { "1e309", INFINITY },
        { "0e9999", 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_same_bits(cell_number(cases[i].text), cases[i].value);
}

TEST(what_is_no_decimal_number_is_not_one)
{
    static const char *const texts[] = { "",     "-",     ".",     "-.",   "e5",    "1e",   "1e+",
                                         "1e-",  "+5",    " 5",    "5 ",   "0x10",  "inf",  "-inf",
                                         "nan",  "1,5",   "1.2.3", "12a",  "1e5.0", "--1",  "1e+-5",
                                         "1e 5", "1_000", "１",    "-nan", "0x1p4", "5\t6", "+-5" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!isnan(cell_number(texts[i])))
            fail_msg("'%s' was taken for a number", texts[i]);
}

TEST(integers_are_those_of_int)
{
    static const char *const odd[] = { "2147483648", "-2147483649", "4294967297", "99999999999999999999",
                                       "",           "-",           "1.0",        "1e3",
                                       " 1",         "0x1",         "+1",         "1-",
                                       "1-2" };
    int value = 0;
    assert_true(cell_int("128", &value) && value == 128);
    assert_true(cell_int("-3", &value) && value == -3);
    assert_true(cell_int("007", &value) && value == 7);
    assert_true(cell_int("2147483647", &value) && value == INT_MAX);
    assert_true(cell_int("-2147483648", &value) && value == INT_MIN);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        if (cell_int(odd[i], &value))
            fail_msg("'%s' was taken for an integer", odd[i]);
}

/* ---- the table ---- */

static struct tsv opened(const char *text)
{
    struct table_file file = table_file_of(text, strlen(text));
    struct tsv t = tsv_open(file.path);
    table_file_remove(&file);
    return t;
}

/* The same three rows, written in every way that is allowed. */
TEST(cells_stand_where_they_were_written)
{
    static const char *const texts[] = {
        "a\tbb\t\xe6\x97\xb6\n1\t\t3\n44\t5\t-\n",
        "a\tbb\t\xe6\x97\xb6\r\n1\t\t3\r\n44\t5\t-\r\n",
        "\357\273\277a\tbb\t\xe6\x97\xb6\n1\t\t3\n44\t5\t-",
        "# one\n\n#two\na\tbb\t\xe6\x97\xb6\n# between\n1\t\t3\n\r\n\n44\t5\t-\n#end",
        "\357\273\277# one\r\na\tbb\t\xe6\x97\xb6\r\n1\t\t3\r\n44\t5\t-",
    };
    static const char *const cells[3][3] = { { "a", "bb", "\xe6\x97\xb6" }, { "1", "", "3" }, { "44", "5", "-" } };
    static const size_t last_line[] = { 3, 3, 3, 9, 4 };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tsv t = opened(texts[i]);
        assert_int_equal(t.columns, 3);
        assert_int_equal(t.rows, 2);
        for (size_t row = 0; row < 3; row++)
            for (int column = 0; column < 3; column++)
                assert_string_equal(tsv_cell(&t, row, column), cells[row][column]);
        assert_int_equal(t.line[2], last_line[i]);
        assert_int_equal(tsv_column(&t, "bb"), 1);
        assert_int_equal(tsv_column(&t, "b"), -1);
        tsv_close(&t);
    }
}

TEST(comments_before_the_header_are_found_by_their_key)
{
    struct tsv t = opened("\357\273\277# Unit:  ms \r\n\r\n#unitary: no\n#\tnoise:0.5 %\n# said unit: us\n## two: 2\n"
                          "# empty:\na\n# late: 1\n1\n");
    size_t line;
    for (int i = 0; i < 2; i++) { /* asked for twice, it is still there */
        assert_string_equal(tsv_comment(&t, "unit", NULL, &line), "ms");
        assert_int_equal(line, 1);
        assert_string_equal(tsv_comment(&t, "NOISE", NULL, &line), "0.5 %");
        assert_int_equal(line, 4);
        assert_string_equal(tsv_comment(&t, "empty", NULL, &line), "");
    }
    assert_null(tsv_comment(&t, "said", NULL, &line));
    assert_null(tsv_comment(&t, "two", NULL, &line));
    assert_null(tsv_comment(&t, "late", NULL, &line));
    assert_int_equal(t.line[1], 10);
    tsv_close(&t);
    t = opened("\xef\xbb\xbf"
               "a\tb\n1\t2\n"); /* the mark is no comment */
    assert_string_equal(tsv_cell(&t, 0, 0), "a");
    assert_null(tsv_comment(&t, "unit", NULL, &line));
    tsv_close(&t);
}

TEST(cells_are_taken_apart_at_a_separator)
{
    char text[] = "  a 1 ;b;; c ", *rest = text;
    static const char *const parts[] = { "a 1", "b", "", "c" };
    for (int i = 0; i < 4; i++)
        assert_string_equal(cell_take(&rest, ';'), parts[i]);
    assert_string_equal(rest, "");
}

/* ---- what is refused ---- */

static void open_table(void *path) { tsv_open(path); }

TEST(what_is_no_table_is_refused)
{
    static const struct {
        const char *text, *place, *what;
    } cases[] = {
        { "", ": no table", "expected a header" },
        { "# only\n\n# comments\n", ": no table", "expected a header" },
        { "\357\273\277", ": no table", "expected a header" },
        { "a\tb\n", ":1: a header alone", "expected rows" },
        { "# c\n\na\tb", ":3: a header alone", "expected rows" },
        { "a\tb\n1\t2\n\n3\n", ":4: 1 cells", "expected 2, as in the header of line 1" },
        { "a\tb\n1\t2\t3\n", ":2: 3 cells", "expected 2" },
        { "a\tb\n1\t2\t\n", ":2: 3 cells", "expected 2" },
        { "a\tb\ta\n1\t2\t3\n", ":1: columns 1 and 3 are both named 'a'", "different" },
        { "a\t\tc\n1\t2\t3\n", ":1: '': expected the name of column 2", "" },
        { "16\t32\t1.5\n16\t64\t2.5\n", ":1: '16': expected the name of column 1", "header missing" },
        { "# time in \xb5s\na\tb\n1\t2\n", ":1: byte 0xb5", "expected text in UTF-8" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        table_file_refused(cases[i].text, strlen(cases[i].text), open_table, cases[i].place, cases[i].what);
    table_file_refused("a\tb\n1\t\0\n", 8, open_table, ":2: a zero byte", "expected text");
}

TEST(what_cannot_be_read_is_refused)
{
    child_dies(open_table, "/tmp/there/is/no/such/file", "/tmp/there/is/no/such/file: cannot be opened: ", "");
    child_dies(open_table, "/", "/: cannot be read: ", "");
}

TESTS("tsv", NULL, NULL)

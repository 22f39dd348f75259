/* test_tsv.c - cells stand where they were written, and numbers are the ones that strtod reads. */
#include "check.h"
#include "base/rng.h"
#include "table_file.h"
#include "device/tsv.h"

static struct tsv_cell cell_of(const char *text) { return (struct tsv_cell){ text, (int)strlen(text) }; }

/* ---- numbers ---- */

static void numbers_have_the_bits_that_strtod_gives(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "0.000",
        "7",
        "188.3",
        "5.",
        ".5",
        "1e3",
        "1E-3",
        "1e+3",
        "007.50",
        "9007199254740992",
        "9007199254740993",
        "9007199254740995",
        "123456789012345678901234567890",
        "0.1",
        "0.30000000000000004",
        "1e22",
        "1e23",
        "8.5e22",
        "123456789012345e22",
        "123456789012345e-22",
        "4.9e-324",
        "2.2250738585072011e-308",
        "1.7976931348623157e308",
        "1e309",
        "1e-400",
        "0e9999",
        "2.5e-22",
        "0.00000000000000000000000000000000012345",
        "3.8753279224038124",
        "-12.75",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_same_bits(cell_number(cell_of(texts[i])), strtod(texts[i], NULL));
}

static void random_numbers_have_the_bits_that_strtod_gives(void **state)
{
    (void)state;
    struct rng rng = rng_stream(0, "decimals", 0);
    for (int i = 0; i < 200000; i++) {
        char text[64];
        size_t used = 0;
        uint32_t before = rng_below(&rng, 12), behind = rng_below(&rng, 12);
        if (before + behind == 0)
            before = 1;
        for (uint32_t d = 0; d < before; d++)
            text[used++] = (char)('0' + rng_below(&rng, 10));
        if (behind)
            text[used++] = '.';
        for (uint32_t d = 0; d < behind; d++)
            text[used++] = (char)('0' + rng_below(&rng, 10));
        text[used] = 0;
        if (rng_below(&rng, 2))
            snprintf(text + used, sizeof text - used, "e%d", (int)rng_below(&rng, 61) - 30);
        assert_same_bits(cell_number(cell_of(text)), strtod(text, NULL));
    }
}

static void what_is_no_decimal_number_is_not_one(void **state)
{
    (void)state;
    static const char *const texts[] = { "",      "-",    ".",     "-.",  "e5",           "1e",  "1e+",
                                         "1e-",   "+5",   " 5",    "5 ",  "0x10",         "inf", "-inf",
                                         "nan",   "1,5",  "1.2.3", "12a", "1e5.0",        "--1", "1e+-5",
                                         "1e--5", "1e 5", "1_000", "１",  "1e99999999999" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!isnan(cell_number(cell_of(texts[i]))))
            fail_msg("'%s' was taken for a number", texts[i]);
    char digits[102] = { 0 };
    memset(digits, '1', 100);
    assert_same_bits(cell_number(cell_of(digits)), strtod(digits, NULL));
    digits[100] = '1';
    assert_true(isnan(cell_number(cell_of(digits))));
}

static void a_number_ends_with_its_cell(void **state)
{
    (void)state;
    assert_same_bits(cell_number((struct tsv_cell){ "12345", 3 }), 123);
    assert_same_bits(cell_number((struct tsv_cell){ "1.5e7", 3 }), 1.5);
    assert_true(isnan(cell_number((struct tsv_cell){ "1e7", 2 })));
}

static void integers_are_those_of_int(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        int value;
    } cases[] = {
        { "0", true, 0 },
        { "128", true, 128 },
        { "-3", true, -3 },
        { "007", true, 7 },
        { "2147483647", true, INT32_MAX },
        { "-2147483648", true, INT32_MIN },
        { "2147483648", false, 0 },
        { "-2147483649", false, 0 },
        { "4294967297", false, 0 },
        { "99999999999", false, 0 },
        { "", false, 0 },
        { "-", false, 0 },
        { "1.0", false, 0 },
        { "1e3", false, 0 },
        { " 1", false, 0 },
        { "0x1", false, 0 },
        { "+1", false, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int value = 0;
        bool good = cell_int(cell_of(cases[i].text), &value);
        if (good != cases[i].good || (good && value != cases[i].value))
            fail_msg("'%s' gave %d, %d", cases[i].text, good, value);
    }
}

/* ---- the table ---- */

/* The same three rows, written in every way that is allowed. */
static void cells_stand_where_they_were_written(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "a\tbb\t\xe6\x97\xb6\n1\t\t3\n44\t5\t-\n",
        "a\tbb\t\xe6\x97\xb6\r\n1\t\t3\r\n44\t5\t-\r\n",
        "\357\273\277a\tbb\t\xe6\x97\xb6\n1\t\t3\n44\t5\t-",
        "# one\n\n#two\na\tbb\t\xe6\x97\xb6\n# between\n1\t\t3\n\r\n\n44\t5\t-\n#end",
        "\357\273\277# one\r\na\tbb\t\xe6\x97\xb6\r\n1\t\t3\r\n44\t5\t-",
    };
    static const char *const cells[3][3] = { { "a", "bb", "\xe6\x97\xb6" }, { "1", "", "3" }, { "44", "5", "-" } };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tsv t;
        char error[300];
        struct table_file file = table_file_new(texts[i]);
        assert_true(tsv_open(&t, file.path, error, sizeof error));
        table_file_remove(&file);
        assert_int_equal(t.columns, 3);
        assert_int_equal(t.rows, 2);
        for (size_t row = 0; row < 3; row++)
            for (int column = 0; column < 3; column++)
                assert_true(cell_is(tsv_cell(&t, row, column), cells[row][column]));
        assert_int_equal(tsv_column(&t, cell_of("bb")), 1);
        assert_int_equal(tsv_column(&t, cell_of("b")), -1);
        tsv_close(&t);
    }
}

static void comments_before_the_header_are_found_by_their_key(void **state)
{
    (void)state;
    struct tsv t;
    char error[300];
    struct table_file file = table_file_new("\357\273\277# Unit:  ms \r\n#unitary: no\n#\tnoise:0.5 %\n"
                                            "# said unit: us\n# empty:\na\n# late: 1\n1\n");
    assert_true(tsv_open(&t, file.path, error, sizeof error));
    table_file_remove(&file);
    assert_true(cell_is(tsv_comment(&t, "unit"), "ms"));
    assert_true(cell_is(tsv_comment(&t, "NOISE"), "0.5 %"));
    assert_true(cell_is(tsv_comment(&t, "empty"), ""));
    assert_non_null(tsv_comment(&t, "empty").text);
    assert_null(tsv_comment(&t, "said").text);
    assert_null(tsv_comment(&t, "late").text);
    assert_int_equal(tsv_line(&t, tsv_cell(&t, 1, 0).text), 8);
    tsv_close(&t);
}

static void a_mark_before_the_header_is_no_comment(void **state)
{
    (void)state;
    struct tsv t;
    char error[300] = "";
    struct table_file file = table_file_new("\xef\xbb\xbf"
                                            "a\tb\n1\t2\n");
    assert_true(tsv_open(&t, file.path, error, sizeof error));
    assert_true(cell_is(tsv_cell(&t, 0, 0), "a"));
    assert_null(tsv_comment(&t, "unit").text);
    tsv_close(&t);
    table_file_remove(&file);
}

static void cells_are_taken_apart_at_a_separator(void **state)
{
    (void)state;
    struct tsv_cell rest = cell_of("  a 1 ;b;; c ");
    static const char *const parts[] = { "a 1", "b", "", "c" };
    for (int i = 0; i < 4; i++)
        assert_true(cell_is(cell_take(&rest, ';'), parts[i]));
    assert_int_equal(rest.length, 0);
}

static void what_is_no_table_is_refused(void **state)
{
    (void)state;
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
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tsv t;
        char error[300] = "";
        struct table_file file = table_file_new(cases[i].text);
        assert_false(tsv_open(&t, file.path, error, sizeof error));
        assert_true(table_file_blamed(&file, error, cases[i].place, cases[i].what));
        table_file_remove(&file);
    }
}

static void what_is_no_text_is_refused(void **state)
{
    (void)state;
    struct tsv t;
    char error[300] = "", small[12];
    struct table_file file = table_file_of("a\tb\n1\t\0\n", 8);
    assert_false(tsv_open(&t, file.path, error, sizeof error));
    assert_true(table_file_blamed(&file, error, ":2: a zero byte", "expected text"));
    table_file_remove(&file);
    file = table_file_new("# time in \xb5s\na\tb\n1\t2\n");
    assert_false(tsv_open(&t, file.path, error, sizeof error));
    assert_true(table_file_blamed(&file, error, ":1: byte 0xb5", "expected text in UTF-8"));
    table_file_remove(&file);
    assert_false(tsv_open(&t, file.path, error, sizeof error));
    assert_true(table_file_blamed(&file, error, ": cannot be opened", ""));
    assert_false(tsv_open(&t, "/", error, sizeof error));
    assert_non_null(strstr(error, "cannot be read"));
    assert_false(tsv_open(&t, file.path, small, sizeof small)); /* an error that does not fit is cut */
    assert_int_equal(strlen(small), sizeof small - 1);
}

static void errors_come_in_chinese_too(void **state)
{
    (void)state;
    struct tsv t;
    char error[300];
    struct table_file file = table_file_new("a\tb\n1\t2\n3\n");
    text_set_lang(LANG_ZH);
    assert_false(tsv_open(&t, file.path, error, sizeof error));
    text_set_lang(LANG_EN);
    assert_true(table_file_blamed(&file, error, ":3：", "应为 2 个"));
    table_file_remove(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_the_bits_that_strtod_gives),
        cmocka_unit_test(random_numbers_have_the_bits_that_strtod_gives),
        cmocka_unit_test(what_is_no_decimal_number_is_not_one),
        cmocka_unit_test(a_number_ends_with_its_cell),
        cmocka_unit_test(integers_are_those_of_int),
        cmocka_unit_test(cells_stand_where_they_were_written),
        cmocka_unit_test(comments_before_the_header_are_found_by_their_key),
        cmocka_unit_test(a_mark_before_the_header_is_no_comment),
        cmocka_unit_test(cells_are_taken_apart_at_a_separator),
        cmocka_unit_test(what_is_no_table_is_refused),
        cmocka_unit_test(what_is_no_text_is_refused),
        cmocka_unit_test(errors_come_in_chinese_too),
    };
    return cmocka_run_group_tests_name("tsv", tests, NULL, NULL);
}

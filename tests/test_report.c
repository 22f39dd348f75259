/* test_report.c - one document in four formats: JSON that a strict reader accepts, the same cells everywhere, and a
 * full disk that is noticed. */
#include "check.h"
#include "report/report.h"
#include "base/rng.h"
#include <stdlib.h>

/* ---- a strict JSON reader ---- */

/* Passes over what it accepts. values receives each string, number and null, one a line; keys are not among them. */
struct reader {
    const char *at;
    FILE *values;
};

static bool accept(struct reader *r, const char *token)
{
    size_t n = strlen(token);
    r->at += strspn(r->at, " \n");
    bool there = !strncmp(r->at, token, n);
    r->at += there ? n : 0;
    return there;
}

static bool read_string(struct reader *r, FILE *to)
{
    if (!accept(r, "\""))
        return false;
    for (; *r->at != '"'; r->at++) {
        int c = (unsigned char)*r->at;
        if (c < 0x20) /* a raw control character, or the end */
            return false;
        if (c == '\\' && *++r->at == 'u') {
            unsigned code;
            if (strspn(r->at + 1, "0123456789abcdef") < 4 || sscanf(r->at + 1, "%4x", &code) != 1 || code > 0x7f)
                return false; /* the report escapes nothing beyond ASCII */
            r->at += 4;
            c = (int)code;
        } else if (c == '\\') {
            if (!*r->at || !strchr("\"\\/bfnrt", *r->at))
                return false;
            c = *r->at;
        }
        if (to)
            fputc(c == '\n' ? '/' : c, to);
    }
    r->at++;
    if (to)
        fputc('\n', to);
    return true;
}

static bool read_number(struct reader *r)
{
    const char *start = r->at, *at = start + (*start == '-');
    size_t digits = strspn(at, "0123456789");
    if (digits == 0 || (digits > 1 && *at == '0'))
        return false;
    at += digits;
    if (*at == '.') {
        digits = strspn(at + 1, "0123456789");
        if (digits == 0)
            return false;
        at += 1 + digits;
    }
    fprintf(r->values, "%.*s\n", (int)(at - start), start);
    r->at = at;
    return true;
}

static bool read_value(struct reader *r);

static bool read_list(struct reader *r, bool keys, const char *close)
{
    if (accept(r, close))
        return true;
    do {
        if (keys && !(read_string(r, NULL) && accept(r, ":")))
            return false;
        if (!read_value(r))
            return false;
    } while (accept(r, ","));
    return accept(r, close);
}

static bool read_value(struct reader *r)
{
    if (accept(r, "{"))
        return read_list(r, true, "}");
    if (accept(r, "["))
        return read_list(r, false, "]");
    if (accept(r, "null"))
        return fputs("-\n", r->values) >= 0;
    return *r->at == '"' ? read_string(r, r->values) : read_number(r);
}

/* The values of a JSON text, the caller's to free; NULL if it is malformed. */
static char *json_values(const char *json)
{
    char *values;
    size_t size;
    struct reader r = { json, open_memstream(&values, &size) };
    bool good = read_value(&r) && !r.at[strspn(r.at, " \n")];
    fclose(r.values);
    if (!good)
        free(values);
    return good ? values : NULL;
}

static void the_reader_refuses_what_is_not_json(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",    "{",      "{\"a\"}", "{\"a\": }", "{a: 1}", "[1}",  "[1,]", "[,1]", "[1 2]", "[1] 2",
        "\"a", "\"\n\"", "\"\\x\"", "\"\\u12\"", "[01]",   "[1.]", "[.5]", "[-]",  "[nan]", "[inf]",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (json_values(bad[i]))
            fail_msg("%s passes as JSON", bad[i]);
    char *values = json_values("{\"k\": [1, -2.50, \"a\\\"b\\u000ac\", null], \"l\": {}}");
    assert_string_equal(values, "1\n-2.50\na\"b/c\n-\n");
    free(values);
}

/* ---- a document ---- */

static struct table *small_table(void)
{
    const struct column columns[] = {
        { { "shape", "形状" }, TABLE_TEXT },
        { { "time\nus", "时间\n微秒" }, 2 },
        { { "why", "原因" }, TABLE_TEXT },
    };
    struct table *table = table_new(3, columns);
    table_text(table, "%s", "\"fast\" \\");
    table_number(table, -0.5);
    table_best(table);
    table_none(table);
    table_text(table, "%s", "12");
    table_number(table, (double)NAN);
    table_text(table, "%s", "方阵");
    return table;
}

static char *document(enum format format, enum lang lang, bool color)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct table *table = small_table(),
                 *narrow = table_new(1, (struct column[]){ { { "only", "仅" }, TABLE_TEXT } });
    table_text(narrow, "%s", "one");
    text_set_lang(lang);
    struct report report = report_open(out, format, color, "01_test");
    report_section(&report, 2, TEXT("A list", "列表"), "§2.2");
    report_say(&report, tr("Share %d %%: \"%s\".\nNext.", "占 %d%%：“%s”。\n接着。"), 5, "x");
    report_table(&report, TEXT("Times", "时间"), table);
    report_section(&report, 0, TEXT("The end", "结尾"), NULL);
    report_verbatim(&report, "for i:\n\n    a\\n\n");
    report_table(&report, (struct text){ 0 }, narrow);
    assert_true(report_close(&report));
    text_set_lang(LANG_EN);
    table_free(table);
    table_free(narrow);
    fclose(out);
    return text;
}

static void a_document_reads_like_this(void **state)
{
    (void)state;
    char *text = document(FORMAT_TEXT, LANG_EN, false), *chinese = document(FORMAT_TEXT, LANG_ZH, false);
    assert_string_equal(text,
                        "Demo 2  A list                                                                    [§2.2]\n"
                        "\n"
                        "  Share 5 %: \"x\".\n"
                        "  Next.\n"
                        "\n"
                        "  Times\n"
                        "\n"
                        "              time\n"
                        "  shape         us   why\n"
                        "  --------  ------  ----\n"
                        "  \"fast\" \\  *-0.50     -\n"
                        "  12             -  方阵\n"
                        "\n"
                        "The end\n"
                        "\n"
                        "  for i:\n"
                        "\n"
                        "      a\\n\n"
                        "\n"
                        "  only\n"
                        "  ----\n"
                        "  one\n");
    assert_int_equal(strncmp(chinese, "演示 2  列表  ", strlen("演示 2  列表  ")), 0);
    assert_non_null(strstr(chinese, "\n  占 5%：“x”。\n"));
    assert_non_null(strstr(chinese, "\n  形状        微秒  原因\n"));
    free(text);
    free(chinese);
}

static void markdown_and_tsv_read_like_this(void **state)
{
    (void)state;
    char *md = document(FORMAT_MD, LANG_EN, false), *tsv = document(FORMAT_TSV, LANG_ZH, false);
    assert_string_equal(md, "## Demo 2: A list (§2.2)\n"
                            "\n"
                            "Share 5 %: \"x\".\n"
                            "Next.\n"
                            "\n"
                            "**Times**\n"
                            "\n"
                            "| shape | time us | why |\n"
                            "| :-- | --: | --: |\n"
                            "| \"fast\" \\ | **-0.50** | - |\n"
                            "| 12 | - | 方阵 |\n"
                            "\n"
                            "## The end\n"
                            "\n"
                            "```\n"
                            "for i:\n"
                            "\n"
                            "    a\\n\n"
                            "```\n"
                            "\n"
                            "| only |\n"
                            "| :-- |\n"
                            "| one |\n");
    assert_string_equal(tsv, "# 演示 2  列表\n"
                             "# 占 5%：“x”。\n"
                             "# 接着。\n"
                             "# 时间\n"
                             "形状\t时间微秒\t原因\n"
                             "\"fast\" \\\t-0.50\t-\n"
                             "12\t-\t方阵\n"
                             "# 结尾\n"
                             "# for i:\n"
                             "# \n"
                             "#     a\\n\n"
                             "#\n" /* tables stand apart */
                             "仅\n"
                             "one\n");
    free(md);
    free(tsv);
}

/* A head or a cell with a bar stays one cell. */
static void a_bar_ends_no_cell_of_markdown(void **state)
{
    (void)state;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct table *table =
        table_new(2, (struct column[]){ { { "max|C|", "max|C|" }, TABLE_TEXT }, { { "b", "b" }, 0 } });
    table_text(table, "%s", "x | y");
    table_number(table, 1);
    struct report report = report_open(out, FORMAT_MD, false, "01_test");
    report_table(&report, (struct text){ 0 }, table);
    assert_true(report_close(&report));
    fclose(out);
    assert_string_equal(text, "\n| max\\|C\\| | b |\n| :-- | --: |\n| x \\| y | 1 |\n");
    table_free(table);
    free(text);
}

static void json_holds_all_of_it(void **state)
{
    (void)state;
    char *json = document(FORMAT_JSON, LANG_EN, false), *values = json_values(json);
    assert_non_null(values);
    assert_string_equal(values, "01_test\n2\nA list\n§2.2\nShare 5 %: \"x\"./Next.\nTimes\nshape\ntime/us\nwhy\n"
                                "\"fast\" \\\n-0.50\n-\n12\n-\n方阵\n"
                                "0\nThe end\n\nfor i://    a\\n/\n\nonly\none\n");
    free(json);
    free(values);
}

static void an_empty_document_is_well_formed(void **state)
{
    (void)state;
    for (int format = FORMAT_TEXT; format <= FORMAT_NONE; format++)
        for (int sections = 0; sections < 3; sections++) {
            char *text;
            size_t size;
            FILE *out = open_memstream(&text, &size);
            struct report report = report_open(out, (enum format)format, false, "p");
            for (int s = 0; s < sections; s++)
                report_section(&report, s, TEXT("t", "题"), NULL);
            if (sections == 2) {
                struct table *table = table_new(1, (struct column[]){ { { "h", "头" }, 0 } });
                report_table(&report, (struct text){ 0 }, table);
                table_free(table);
            }
            assert_true(report_close(&report));
            fclose(out);
            char *values = format == FORMAT_JSON ? json_values(text) : NULL;
            assert_true(format != FORMAT_JSON || values);
            assert_true(format != FORMAT_NONE || size == 0);
            free(values);
            free(text);
        }
}

static void colour_is_bold_headings_and_nothing_else(void **state)
{
    (void)state;
    for (int format = FORMAT_TEXT; format <= FORMAT_NONE; format++) {
        char *plain = document((enum format)format, LANG_ZH, false);
        char *coloured = document((enum format)format, LANG_ZH, true);
        int escapes = 0;
        char *to = coloured;
        for (char *from = coloured; *from; from++)
            if (*from == '\033') {
                escapes++;
                from = strchr(from, 'm');
            } else {
                *to++ = *from;
            }
        *to = 0;
        assert_string_equal(coloured, plain);
        assert_int_equal(escapes, format == FORMAT_TEXT ? 4 : 0); /* on and off, for two headings */
        free(plain);
        free(coloured);
    }
}

static void a_full_disk_is_noticed(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    struct report report = report_open(full, FORMAT_TEXT, false, "p");
    report_section(&report, 1, TEXT("t", "题"), NULL);
    assert_false(report_close(&report));
    fclose(full);
}

/* ---- random tables: the same cells in every format ---- */

static struct table *random_table(struct rng *rng)
{
    static const char *const words[] = {
        "a", "64 128 32", "预填充 QKV", "\"", "\\", "100 %", "x,y", "", "\x01", "-"
    };
    int columns = 1 + (int)rng_below(rng, 5);
    struct column column[5];
    for (int c = 0; c < columns; c++)
        column[c] = (struct column){ c % 2 ? TEXT("us\nmean", "微秒\n平均") : TEXT("a \"b\"", "甲"), c };
    struct table *table = table_new(columns, column);
    for (uint32_t cells = (uint32_t)columns * rng_below(rng, 5); cells > 0; cells--)
        switch (rng_below(rng, 3)) {
        case 0: table_none(table); break;
        case 1: table_text(table, "%s", words[rng_below(rng, 10)]); break;
        default: table_number(table, rng_normal(rng) * 100.0);
        }
    return table;
}

static char *table_as(enum format format, const struct table *table)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct report report = report_open(out, format, false, "p");
    report_section(&report, 1, TEXT("t", "题"), "s");
    report_table(&report, TEXT("u", "表"), table);
    assert_true(report_close(&report));
    fclose(out);
    return text;
}

/* Prints the cells as this format should: before, between and behind those of a row. */
static char *cells(const struct table *table, const char *before, const char *between, const char *behind)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < table->cells; i++) {
        int c = (int)(i % (size_t)table->columns);
        fprintf(out, "%s%s", c ? between : before, table_shown(&table->cell[i]));
        fputs(c == table->columns - 1 ? behind : "", out);
    }
    fclose(out);
    return text;
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && !strcmp(s + n - m, end);
}

static void every_format_carries_the_same_cells(void **state)
{
    (void)state;
    struct rng rng = rng_stream(0, "cells", 0);
    for (int i = 0; i < 300; i++) {
        struct table *table = random_table(&rng);
        char *md = table_as(FORMAT_MD, table), *tsv = table_as(FORMAT_TSV, table);
        char *json = table_as(FORMAT_JSON, table);
        char *md_cells = cells(table, "| ", " | ", " |\n"), *tsv_cells = cells(table, "", "\t", "\n");
        char *lines = cells(table, "", "\n", "\n"), *values = json_values(json);
        assert_true(ends_with(md, md_cells));
        assert_true(ends_with(tsv, tsv_cells));
        assert_non_null(values);
        assert_true(ends_with(values, lines));
        char *all[] = { md, tsv, json, md_cells, tsv_cells, lines, values };
        for (int a = 0; a < 7; a++)
            free(all[a]);
        table_free(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reader_refuses_what_is_not_json),
        cmocka_unit_test(a_document_reads_like_this),
        cmocka_unit_test(markdown_and_tsv_read_like_this),
        cmocka_unit_test(a_bar_ends_no_cell_of_markdown),
        cmocka_unit_test(json_holds_all_of_it),
        cmocka_unit_test(an_empty_document_is_well_formed),
        cmocka_unit_test(colour_is_bold_headings_and_nothing_else),
        cmocka_unit_test(a_full_disk_is_noticed),
        cmocka_unit_test(every_format_carries_the_same_cells),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}

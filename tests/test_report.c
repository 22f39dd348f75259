/* test_report.c - one document in four formats, the same cells everywhere, and a full disk that is noticed. */
#include "check.h"
#include "report/report.h"
#include "base/rng.h"
#include "base/xalloc.h"
#include <stdlib.h>

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

static void json_reads_like_this(void **state)
{
    (void)state;
    char *json = document(FORMAT_JSON, LANG_EN, false);
    assert_string_equal(json, "{\"program\": \"01_test\", \"sections\": [\n"
                              "  {\"demo\": 2, \"title\": \"A list\", \"section\": \"§2.2\", \"items\": [\n"
                              "      {\"text\": \"Share 5 %: \\\"x\\\".\\u000aNext.\"},\n"
                              "      {\"table\": {\"title\": \"Times\", \"columns\": [\"shape\", \"time\\u000aus\", \"why\"], "
                              "\"rows\": [\n"
                              "        [\"\\\"fast\\\" \\\\\", -0.50, null],\n"
                              "        [\"12\", null, \"方阵\"]]}}]},\n"
                              "  {\"demo\": 0, \"title\": \"The end\", \"section\": \"\", \"items\": [\n"
                              "      {\"lines\": \"for i:\\u000a\\u000a    a\\\\n\\u000a\"},\n"
                              "      {\"table\": {\"title\": \"\", \"columns\": [\"only\"], \"rows\": [\n"
                              "        [\"one\"]]}}]}\n"
                              "]}\n");
    free(json);
}

static void an_empty_document_is_well_formed(void **state)
{
    (void)state;
    static const char *const empty[][3] = {
        [FORMAT_TEXT] = { "", "t\n", "t\n\nDemo 1  t\n\n  h\n  -\n" },
        [FORMAT_MD] = { "", "## t\n", "## t\n\n## Demo 1: t\n\n| h |\n| :-- |\n" },
        [FORMAT_TSV] = { "", "# t\n", "# t\n# Demo 1  t\n#\nh\n" },
        [FORMAT_JSON] = { "{\"program\": \"p\", \"sections\": []}\n",
                          "{\"program\": \"p\", \"sections\": [\n"
                          "  {\"demo\": 0, \"title\": \"t\", \"section\": \"\", \"items\": []}\n]}\n",
                          "{\"program\": \"p\", \"sections\": [\n"
                          "  {\"demo\": 0, \"title\": \"t\", \"section\": \"\", \"items\": []},\n"
                          "  {\"demo\": 1, \"title\": \"t\", \"section\": \"\", \"items\": [\n"
                          "      {\"table\": {\"title\": \"\", \"columns\": [\"h\"], \"rows\": []}}]}\n]}\n" },
    };
    for (int format = FORMAT_TEXT; format <= FORMAT_JSON; format++)
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
            assert_string_equal(text, empty[format][sections]);
            free(text);
        }
}

static void colour_is_bold_headings_and_nothing_else(void **state)
{
    (void)state;
    for (int format = FORMAT_TEXT; format <= FORMAT_JSON; format++) {
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
static char *cells(const struct table *table, const char *before, const char *between, const char *behind, bool json)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < table->cells; i++) {
        const struct cell *cell = &table->cell[i];
        int c = (int)(i % (size_t)table->columns);
        fputs(c ? between : before, out);
        if (json && cell->text && !cell->is_number)
            text_json(out, cell->text);
        else
            fputs(cell->text ? cell->text : json ? "null" : "-", out);
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
        char *md_cells = cells(table, "| ", " | ", " |\n", false), *tsv_cells = cells(table, "", "\t", "\n", false);
        char *json_cells = cells(table, "\n        [", ", ", "],", true);
        size_t n = strlen(json_cells); /* the last row has no comma */
        char *json_end = xformat("\"rows\": [%.*s]}}]}\n]}\n", (int)(n ? n - 1 : 0), json_cells);
        assert_true(ends_with(md, md_cells));
        assert_true(ends_with(tsv, tsv_cells));
        assert_true(ends_with(json, json_end));
        char *all[] = { md, tsv, json, md_cells, tsv_cells, json_cells, json_end };
        for (int a = 0; a < 7; a++)
            free(all[a]);
        table_free(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_reads_like_this),
        cmocka_unit_test(markdown_and_tsv_read_like_this),
        cmocka_unit_test(a_bar_ends_no_cell_of_markdown),
        cmocka_unit_test(json_reads_like_this),
        cmocka_unit_test(an_empty_document_is_well_formed),
        cmocka_unit_test(colour_is_bold_headings_and_nothing_else),
        cmocka_unit_test(a_full_disk_is_noticed),
        cmocka_unit_test(every_format_carries_the_same_cells),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}

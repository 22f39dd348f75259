/* test_report.c - one document in four formats, the same cells everywhere, and a full disk that is noticed. */
#include "check.h"
#include "report/report.h"
#include "base/rng.h"
#include "base/xalloc.h"
#include <stdlib.h>

/* ---- a document ---- */

static char *text; /* what was printed */
static size_t size;

static struct report open_report(enum format format, bool color)
{
    return report_open(open_memstream(&text, &size), format, color, "01_test");
}

/* Closes the document, too; the caller's to free. */
static char *printed(struct report *report)
{
    assert_true(report_close(report));
    fclose(report->out);
    return text;
}

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
    struct table *narrow = table_new(1, (struct column[]){ { { "only", "仅" }, TABLE_TEXT } });
    table_text(narrow, "%s", "one");
    text_set_lang(lang);
    struct report report = open_report(format, color);
    report_section(&report, 2, TEXT("A list", "配置表"), "§2.2");
    report_say(&report, tr("Share %d %%: \"%s\".\nNext.", "占 %d%%：“%s”。\n接着。"), 5, "x");
    report_table(&report, small_table(), "%s", tr("Times", "时间"));
    report_section(&report, 0, TEXT("The end", "结尾"), NULL);
    report_verbatim(&report, "for i:\n\n    a\\n\n");
    report_table(&report, narrow, NULL);
    char *said = printed(&report);
    text_set_lang(LANG_EN);
    return said;
}

TEST(a_document_reads_like_this)
{
    char *english = document(FORMAT_TEXT, LANG_EN, false), *chinese = document(FORMAT_TEXT, LANG_ZH, false);
    assert_string_equal(english,
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
    assert_int_equal(strncmp(chinese, "演示 2：配置表  ", strlen("演示 2：配置表  ")), 0);
    assert_non_null(strstr(chinese, "\n  占 5%：“x”。\n"));
    assert_non_null(strstr(chinese, "\n  形状        微秒  原因\n"));
    free(english);
    free(chinese);
}

TEST(markdown_and_tsv_read_like_this)
{
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
    assert_string_equal(tsv, "# 演示 2：配置表\n"
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
TEST(a_bar_ends_no_cell_of_markdown)
{
    const struct column columns[] = { { { "max|C|", "max|C|" }, TABLE_TEXT }, { { "b", "b" }, 0 } };
    struct table *table = table_new(2, columns);
    table_text(table, "%s", "x | y");
    table_number(table, 1);
    struct report report = open_report(FORMAT_MD, false);
    report_table(&report, table, NULL);
    assert_string_equal(printed(&report), "\n| max\\|C\\| | b |\n| :-- | --: |\n| x \\| y | 1 |\n");
    free(text);
}

/* What stands under a neighbour's head has it in its name wherever heads do not stand above each other. */
TEST(a_head_over_several_columns_is_in_each_name)
{
    const struct column columns[] = { { { "set", "组" }, TABLE_TEXT },          { { "recall\n@30\nrank", "x" }, 1 },
                                      { { "\n\nsquared", "x" }, 1 },            { { "\n@60\nrank", "x" }, 1 },
                                      { { "accuracy, %\nwgrad", "准确率\n权" }, 1 }, { { "\nsquare", "\n方阵" }, 1 } };
    static const char *const heads[] = {
        [FORMAT_MD] = "| set | recall @30 rank | recall @30 squared | recall @60 rank | accuracy, % wgrad | accuracy, % square |",
        [FORMAT_TSV] = "set\trecall @30 rank\trecall @30 squared\trecall @60 rank\taccuracy, % wgrad\taccuracy, % square\n",
        [FORMAT_JSON] = "\"recall\\u000a@30\\u000asquared\", \"recall\\u000a@60\\u000arank\", ",
    };
    for (int format = FORMAT_MD; format <= FORMAT_JSON; format++) {
        struct report report = open_report((enum format)format, false);
        report_section(&report, 1, TEXT("One", "一"), NULL);
        report_table(&report, table_new(6, columns), NULL);
        assert_non_null(strstr(printed(&report), heads[format]));
        free(text);
    }
}

TEST(json_reads_like_this)
{
    char *json = document(FORMAT_JSON, LANG_EN, false);
    assert_string_equal(
        json, "{\"program\": \"01_test\", \"sections\": [\n"
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

TEST(colour_is_bold_headings_and_nothing_else)
{
    for (int format = FORMAT_TEXT; format <= FORMAT_JSON; format++) {
        char *plain = document((enum format)format, LANG_EN, false);
        char *coloured = document((enum format)format, LANG_EN, true), *want = xformat("%s", plain);
        if (format == FORMAT_TEXT) {
            char *end = strstr(plain, "The end");
            free(want);
            want = xformat("\033[1m%.*s\033[0m%.*s\033[1mThe end\033[0m%s", (int)strcspn(plain, "\n"), plain,
                           (int)(end - strchr(plain, '\n')), strchr(plain, '\n'), end + strlen("The end"));
        }
        assert_string_equal(coloured, want);
        free(want);
        free(plain);
        free(coloured);
    }
}

TEST(the_section_of_the_lecture_stands_at_the_margin_or_two_spaces_behind_a_long_title)
{
    struct report report = open_report(FORMAT_TEXT, false);
    report_section(&report, 1, TEXT("t", "题"), "§1.3");
    char *said = printed(&report), *line = xformat("%.*s", (int)strcspn(said, "\n"), said);
    assert_int_equal(text_width(line), 88);
    free(line);
    free(said);
    report = open_report(FORMAT_TEXT, false);
    const char *title = "a title that leaves no room for the section, since it takes nearly the whole of a line";
    report_section(&report, 0, TEXT(title, title), "§1.3");
    said = printed(&report);
    assert_non_null(strstr(said, "a line  [§1.3]\n"));
    free(said);
}

TEST(a_full_disk_is_noticed)
{
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    struct report report = report_open(full, FORMAT_TEXT, false, "p");
    report_section(&report, 1, TEXT("t", "题"), NULL);
    assert_false(report_close(&report));
    fclose(full);
}

TESTS("report", NULL, NULL)

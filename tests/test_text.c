/* test_text.c - two languages, widths on the terminal, paragraphs and tables. Texts are random mixtures of English
 * words and Chinese characters, because line breaking and alignment go wrong where the two meet. */
#include "check.h"
#include "report/layout.h"
#include "base/rng.h"
#include "report/table.h"
#include "base/text.h"
#include "base/xalloc.h"
#include <stdlib.h>

/* ---- languages ---- */

static void the_chosen_language_decides(void **state)
{
    (void)state;
    assert_int_equal(text_lang(), LANG_EN); /* until somebody chooses */
    assert_string_equal(tr("share", "比例"), "share");
    text_set_lang(LANG_ZH);
    assert_int_equal(text_lang(), LANG_ZH);
    assert_string_equal(tr("share", "比例"), "比例");
    assert_string_equal(tr_text(TEXT("time", "时间")), "时间");
    text_set_lang(LANG_EN);
    assert_string_equal(tr_text(TEXT("time", "时间")), "time");
}

/* ---- width ---- */

static void chinese_takes_two_columns_and_all_else_one(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int width;
    } cases[] = {
        { "", 0 },         { "abc", 3 },      { "比例", 4 },     { "BLOCK_M 的值", 12 },
        { "，。；：", 8 }, { "（《》）", 8 }, { "！？", 4 },     { "“”", 2 },
        { "µs", 2 },       { "é", 1 },        { "ρ ≥ 1", 5 },    { "✓✗", 2 },
        { "×", 1 },        { "한글", 4 },     { "ひらがな", 8 }, { "　", 2 },
        { "𠀀", 2 },       { "…—", 2 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (text_width(cases[i].text) != cases[i].width)
            fail_msg("'%s' is %d wide, want %d", cases[i].text, text_width(cases[i].text), cases[i].width);
}

static void malformed_bytes_count_one_each_and_end_with_the_string(void **state)
{
    (void)state;
    assert_int_equal(text_width("\xff"), 1);
    assert_int_equal(text_width("\x80\x80"), 2);
    assert_int_equal(text_width("a\xe6\xaf"), 3); /* a character cut off by the end */
    assert_int_equal(text_width("\xe6\xaf"
                                "a"),
                     3);
    assert_int_equal(text_width("\xf0\x9f\x98"), 3);
    struct rng rng = rng_stream(0, "bytes", 0);
    for (int i = 0; i < 20000; i++) {
        size_t n = rng_below(&rng, 12);
        char *bytes = xalloc(n + 1, 1); /* the sanitizer sees a step beyond it */
        for (size_t b = 0; b < n; b++)
            bytes[b] = (char)(1 + rng_below(&rng, 255));
        int sum = 0;
        const char *at = bytes;
        while (*at)
            sum += text_columns(&at);
        assert_ptr_equal(at, bytes + n);
        assert_int_equal(sum, text_width(bytes));
        free(bytes);
    }
}

/* ---- catching what is printed ---- */

static char *buffer;
static size_t buffer_size;

static FILE *open_buffer(void) { return open_memstream(&buffer, &buffer_size); }

static char *printed_paragraph(const char *text)
{
    FILE *out = open_buffer();
    layout_paragraph(out, text);
    fclose(out);
    return buffer;
}

static char *printed_table(const struct table *table)
{
    FILE *out = open_buffer();
    layout_table(out, table);
    fclose(out);
    return buffer;
}

/* Cuts the next line off *text; NULL at the end. */
static char *next_line(char **text)
{
    char *line = *text, *end = strchr(line, '\n');
    if (!*line)
        return NULL;
    assert_non_null(end); /* every line is ended */
    *end = 0;
    *text = end + 1;
    return line;
}

/* ---- paragraphs ---- */

static const char *const words[] = {
    "a",    "of", "tile", "shared", "BLOCK_K", "num_stages,", "(2^-11", "4.9)",  "configuration.",
    "16", /* English */
    "88 %", "取", "最好", "的",     "配置",    "，",          "。",     "（",    "占最优",
    "）",   "“",  "搜索", "”",      "、",      "预填充 QKV",  "×",      "4096³", "一个很长很长的中文句子没有标点符号"
};
enum { WORDS = sizeof words / sizeof *words, ENGLISH_WORDS = 10 };

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && !strcmp(s + n - m, end);
}

static char *random_text(struct rng *rng, bool english_only)
{
    char *text = xformat("%s", "");
    for (uint32_t n = 1 + rng_below(rng, 120); n > 0; n--) {
        const char *word = words[rng_below(rng, english_only ? ENGLISH_WORDS : WORDS)];
        bool space = english_only || (rng_below(rng, 2) && !ends_with(text, "（") && !ends_with(text, "“"));
        char *longer = xformat("%s%s%s", text, *text && space ? " " : "", word);
        free(text);
        text = longer;
    }
    return text;
}

static bool begins_with(const char *s, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strncmp(s, list[i], strlen(list[i])))
            return true;
    return false;
}

static char *without_spaces(const char *s)
{
    char *bare = xalloc(strlen(s) + 1, 1), *to = bare;
    for (; *s; s++)
        if (*s != ' ' && *s != '\n')
            *to++ = *s;
    return bare;
}

static void text_ends_where_utf8_does(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n, prefix;
    } cases[] = {
        { "", 0, 0 },
        { "a\tb\r\n\x7e", 6, 6 },
        { "\xc2\xb5s 中 \xf0\x9f\x98\x80", 12, 12 },
        { "a\0b", 3, 1 },
        { "a\x1b[1m", 5, 1 },
        { "\x7f", 1, 0 },
        { "us \xb5s", 5, 3 },         /* Latin-1 */
        { "\xe4\xb8", 2, 0 },         /* cut off */
        { "\xe4\xb8x", 3, 0 },        /* interrupted */
        { "\xc0\xaf", 2, 0 },         /* a slash in two bytes */
        { "\xe0\x80\xaf", 3, 0 },     /* in three */
        { "\xed\xa0\x80", 3, 0 },     /* half of a pair of UTF-16 */
        { "\xf4\x90\x80\x80", 4, 0 }, /* beyond Unicode */
        { "\xf8\x88\x80\x80\x80", 5, 0 },
        { "\xff\xfe", 2, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(text_prefix(cases[i].bytes, cases[i].n), cases[i].prefix);
}

static void paragraphs_fit_and_lose_nothing(void **state)
{
    (void)state;
    static const char *const closing[] = { "，", "。", "）", "”", "、", ".", ",", "%", ")" };
    struct rng rng = rng_stream(0, "paragraphs", 0);
    for (int i = 0; i < 500; i++) {
        char *text = random_text(&rng, false), *said = printed_paragraph(text), *at = said;
        char *want = without_spaces(text), *have = without_spaces(said);
        assert_string_equal(have, want);
        for (char *line; (line = next_line(&at));) {
            assert_true(text_width(line) <= 88);
            assert_true(!strncmp(line, "  ", 2) && line[2] != ' ');
            assert_false(ends_with(line, " "));
            assert_false(*at && (ends_with(line, "（") || ends_with(line, "“")));
            assert_true(line == said || !begins_with(line + 2, closing, sizeof closing / sizeof *closing));
        }
        free(want);
        free(have);
        free(said);
        free(text);
    }
}

/* English breaks at spaces alone, as late as possible: the first word of a line had no room in the line before. */
static void lines_are_as_full_as_can_be(void **state)
{
    (void)state;
    struct rng rng = rng_stream(0, "paragraphs", 1);
    int full = 0;
    for (int i = 0; i < 500; i++) {
        char *text = random_text(&rng, true), *said = printed_paragraph(text), *at = said, *last = NULL;
        for (char *line; (line = next_line(&at)); last = line) {
            if (last)
                assert_true(text_width(last) + 1 + (int)strcspn(line + 2, " ") > 88);
            full += text_width(line) == 88;
        }
        free(said);
        free(text);
    }
    assert_true(full > 50); /* the last column is used */
}

static void line_breaks_in_the_text_are_kept(void **state)
{
    (void)state;
    char *said = printed_paragraph("one\ntwo  \n\n三");
    assert_string_equal(said, "  one\n  two\n\n  三\n");
    free(said);
    said = printed_paragraph("");
    assert_string_equal(said, "");
    free(said);
}

static void a_word_longer_than_the_line_is_not_cut(void **state)
{
    (void)state;
    char word[121];
    memset(word, 'x', 120);
    word[120] = 0;
    char *text = xformat("before %s after", word), *said = printed_paragraph(text), *at = said;
    assert_string_equal(next_line(&at), "  before");
    assert_string_equal(next_line(&at) + 2, word);
    assert_string_equal(next_line(&at), "  after");
    free(text);
    free(said);
}

static void the_gap_puts_right_at_the_margin(void **state)
{
    (void)state;
    assert_int_equal(layout_gap("演示 1", "[§1.3]"), 88 - 6 - 6);
    assert_int_equal(layout_gap("", ""), 88);
    char wide[87];
    memset(wide, 'x', 86);
    wide[86] = 0;
    assert_int_equal(layout_gap(wide, "right"), 2);
}

/* ---- tables ---- */

static void cells_are_what_was_put_in(void **state)
{
    (void)state;
    struct table *table = table_new(2, (struct column[]){ { { "a", "甲" }, TABLE_TEXT }, { { "b", "乙" }, 3 } });
    table_text(table, "%s-%d", "x", 7);
    table_number(table, 2.0 / 3.0);
    table_best(table);
    table_none(table);
    table_number(table, (double)NAN);
    table_text(table, "%s", "");
    table_number(table, -(double)INFINITY);
    static const char *const shown[] = { "x-7", "0.667", "-", "-", "", "-" };
    assert_int_equal(table->cells, 6);
    for (int i = 0; i < 6; i++) {
        assert_string_equal(table_shown(&table->cell[i]), shown[i]);
        assert_int_equal(table->cell[i].is_number, i == 1);
        assert_int_equal(table->cell[i].best, i == 1);
    }
    assert_same_bits(table->cell[1].number, 2.0 / 3.0);
    table_free(table);
}

static void a_table_looks_like_this(void **state)
{
    (void)state;
    const struct column columns[] = {
        { { "shape", "形状" }, TABLE_TEXT },
        { { "time\nus", "时间\nus" }, 1 },
        { { "why", "原因" }, TABLE_TEXT },
    };
    struct table *table = table_new(3, columns);
    table_text(table, "%s", "方阵");
    table_number(table, 12.34);
    table_text(table, "%s", "");
    table_text(table, "%s", "a longer one");
    table_number(table, 9.0);
    table_best(table);
    table_none(table);
    char *english = printed_table(table);
    assert_string_equal(english, "                time\n"
                                 "  shape           us  why\n"
                                 "  ------------  ----  ---\n"
                                 "  方阵          12.3\n"
                                 "  a longer one  *9.0    -\n");
    text_set_lang(LANG_ZH);
    char *chinese = printed_table(table);
    assert_string_equal(chinese, "                时间\n"
                                 "  形状            us  原因\n"
                                 "  ------------  ----  ----\n"
                                 "  方阵          12.3\n"
                                 "  a longer one  *9.0     -\n");
    text_set_lang(LANG_EN);
    free(english);
    free(chinese);
    table_free(table);
}

/* What stands in each column of the terminal: the first byte of a character, twice for a wide one. */
static int columns_of(const char *line, char *column, int most)
{
    int n = 0;
    memset(column, ' ', (size_t)most);
    for (const char *at = line; *at;) {
        char first = *at;
        for (int width = text_columns(&at); width > 0; width--)
            column[n++] = first;
        assert_true(n <= most);
    }
    return n;
}

/* Every line of a table keeps to the columns that its rule of dashes draws. */
static void check_alignment(char *text, int columns, int heads)
{
    enum { MOST = 400 };
    char rule[MOST], line[MOST], *copy = xformat("%s", text), *at = copy;
    for (int i = 0; i < heads; i++)
        next_line(&at);
    int width = columns_of(next_line(&at), rule, MOST), blocks = 0;
    for (int i = 1; i < width; i++)
        blocks += rule[i] == '-' && rule[i - 1] == ' ';
    assert_int_equal(blocks, columns);
    free(copy);

    at = text;
    for (char *one; (one = next_line(&at));) {
        assert_false(ends_with(one, " "));
        assert_true(columns_of(one, line, MOST) <= width);
        bool first = true;
        for (int i = 0; i < width;) { /* one block of dashes after another */
            for (; rule[i] == ' '; i++)
                assert_int_equal(line[i], ' '); /* nothing stands in a gap */
            int begin = i, filled = 0;
            for (; i < width && rule[i] == '-'; i++)
                filled += line[i] != ' ';
            if (filled)
                assert_true(line[first ? begin : i - 1] != ' '); /* the label left, the others right */
            first = false;
        }
    }
}

static void tables_line_up_in_both_languages(void **state)
{
    (void)state;
    struct rng rng = rng_stream(0, "tables", 0);
    for (int i = 0; i < 300; i++) {
        int columns = 1 + (int)rng_below(&rng, 6), heads = 1;
        struct column column[6];
        for (int c = 0; c < columns; c++) {
            static const struct text head[] = {
                { "shape", "形状" },     { "time\nus", "时间\nus" },  { "", "" },
                { "x", "一个长的列名" }, { "a\nb\nc", "甲\n乙\n丙" },
            };
            uint32_t h = rng_below(&rng, 5);
            heads = h == 4 ? 3 : h == 1 && heads < 2 ? 2 : heads;
            column[c] = (struct column){ head[h], (int)rng_below(&rng, 4) };
        }
        struct table *table = table_new(columns, column);
        for (uint32_t cells = (uint32_t)columns * (1 + rng_below(&rng, 5)); cells > 0; cells--) {
            uint32_t kind = rng_below(&rng, 4);
            if (kind == 0)
                table_none(table);
            else if (kind == 1)
                table_text(table, "%s", words[rng_below(&rng, 15)]);
            else
                table_number(table, rng_normal(&rng) * 1000.0);
            if (rng_below(&rng, 5) == 0)
                table_best(table);
        }
        for (int lang = LANG_EN; lang <= LANG_ZH; lang++) {
            text_set_lang((enum lang)lang);
            char *text = printed_table(table);
            check_alignment(text, columns, heads);
            free(text);
        }
        text_set_lang(LANG_EN);
        table_free(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chosen_language_decides),
        cmocka_unit_test(chinese_takes_two_columns_and_all_else_one),
        cmocka_unit_test(malformed_bytes_count_one_each_and_end_with_the_string),
        cmocka_unit_test(text_ends_where_utf8_does),
        cmocka_unit_test(paragraphs_fit_and_lose_nothing),
        cmocka_unit_test(lines_are_as_full_as_can_be),
        cmocka_unit_test(line_breaks_in_the_text_are_kept),
        cmocka_unit_test(a_word_longer_than_the_line_is_not_cut),
        cmocka_unit_test(the_gap_puts_right_at_the_margin),
        cmocka_unit_test(cells_are_what_was_put_in),
        cmocka_unit_test(a_table_looks_like_this),
        cmocka_unit_test(tables_line_up_in_both_languages),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}

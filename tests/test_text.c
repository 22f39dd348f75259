/* test_text.c - two languages, widths on the terminal and paragraphs. Texts are random mixtures of English
 * words and Chinese characters, because line breaking and alignment go wrong where the two meet. */
#include "check.h"
#include "base/rng.h"
#include "base/text.h"
#include "base/xalloc.h"
#include <stdbool.h>
#include <stdlib.h>

/* ---- languages ---- */

TEST(the_chosen_language_decides)
{
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

TEST(chinese_takes_two_columns_and_all_else_one)
{
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

TEST(malformed_bytes_count_one_each_and_end_with_the_string)
{
    assert_int_equal(text_width("\xff"), 1);
    assert_int_equal(text_width("\x80\x80"), 2);
    assert_int_equal(text_width("a\xe6\xaf"), 3); /* a character cut off by the end */
    assert_int_equal(text_width("\xe6\xafx"), 3);
    assert_int_equal(text_width("\xe0\x80\xaf"), 3); /* one in more bytes than it takes */
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

static char *printed_paragraph(const char *text)
{
    char *said;
    size_t size;
    FILE *out = open_memstream(&said, &size);
    text_paragraph(out, text);
    fclose(out);
    return said;
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

TEST(text_ends_where_utf8_does)
{
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

TEST(paragraphs_fit_and_lose_nothing)
{
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

#define X20 "xxxxxxxxxxxxxxxxxxxx"
#define X120 X20 X20 X20 X20 X20 X20

/* Its own line breaks are kept; a word longer than the line is not cut. */
TEST(paragraphs_look_like_this)
{
    static const char *const cases[][2] = {
        { "one\ntwo  \n\n三", "  one\n  two\n\n  三\n" },
        { "", "" },
        { "before " X120 " after", "  before\n  " X120 "\n  after\n" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *said = printed_paragraph(cases[i][0]);
        assert_string_equal(said, cases[i][1]);
        free(said);
    }
}

TESTS("text", NULL, NULL)

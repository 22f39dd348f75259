/* test_facts.c - bands that judge what is printed, and what a program says of published values. The values themselves
 * are looked at by test_facts.sh. */
#include "check.h"
#include "child.h"
#include "report/facts.h"
#include <signal.h>

static const struct fact terrain[] = {
    { "space.configs", "§1.3", FACT_EXACT, { "157500", "157500" }, "157500", "157500", { "in the space", "空间里的" }, { 0 } },
    { "slowdown", "ex. 1", FACT_MODEL, { "1.09", "1.09" }, "1.07", "1.11", { "at 3 stages", "3 级" }, { "by a hair.", "差一点。" } },
    { .id = NULL }
};
static const struct fact cost[] = {
    { "block_m", "§2.4", FACT_MODEL, { "16 ... 64", "16 ... 64" }, "16 32 64", "", { "best BLOCK_M", "最好的" }, { 0 } },
    { "train_ms", "§4.1", FACT_TIME, { "100", "100" }, "", "", { "fit, ms", "训练，ms" }, { 0 } },
    { "not looked at", "§5", FACT_EXACT, { "1", "1" }, "1", "1", { "x", "x" }, { 0 } },
    { .id = NULL }
};
static const struct fact *const lists[] = { terrain, cost, NULL };

/* ---- bands ---- */

TEST(the_band_judges_the_printed_digits)
{
    const struct fact band = { .kind = FACT_MODEL, .low = "1.07", .high = "1.1" };
    const struct fact word = { .kind = FACT_EXACT, .low = "128 64", .high = "" };
    const struct fact clock = { .kind = FACT_TIME, .low = "", .high = "" };
    static const struct {
        const char *value;
        bool inside;
    } cases[] = {
        { "1.07", true }, { "1.069", false }, { "1.10", true }, { "1.11", false }, { "1.0700", true },
        { "1.08", true }, { "-1.08", false }, { "nan", false }, { "inf", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (facts_inside(&band, cases[i].value) != cases[i].inside)
            fail_msg("%s", cases[i].value);
    assert_true(facts_inside(&word, "128 64"));
    assert_false(facts_inside(&word, "128 64 "));
    assert_false(facts_inside(&word, "128"));
    assert_true(facts_inside(&clock, "whatever"));
}

/* 1.0651 is outside 1.07 … 1.11, but 1.07 is what the reader sees, and inside. */
TEST(a_value_is_rounded_before_it_is_judged)
{
    struct facts facts = facts_new(lists);
    facts_number(&facts, "slowdown", 1.0651, 2);
    assert_string_equal(facts.row[1].value, "1.07");
    assert_true(facts_inside(facts.row[1].fact, facts.row[1].value));
    facts_free(&facts);
}

static void record_an_unknown_id(void *unused)
{
    struct facts facts = facts_new(lists);
    facts_number(&facts, "landscape.nonsense", 1.0, 2);
}

TEST(an_unknown_id_aborts)
{
    struct ending ending = child_run(record_an_unknown_id, NULL);
    assert_int_equal(ending.signal, SIGABRT);
    assert_true(child_is_one_line(ending.err));
    assert_non_null(strstr(ending.err, "landscape.nonsense"));
}

/* ---- published and here ---- */

static char *text;
static size_t size;

static void check_report(const struct facts *facts, enum lang lang, const char *want)
{
    FILE *out = open_memstream(&text, &size);
    text_set_lang(lang);
    struct report report = report_open(out, FORMAT_TSV, false, "p");
    facts_report(facts, &report);
    text_set_lang(LANG_EN);
    fclose(out);
    assert_string_equal(text, want);
    free(text);
}

TEST(what_was_looked_at_is_judged_shown_and_explained)
{
    struct facts facts = facts_new(lists);
    facts_text(&facts, "train_ms", "88"); /* a wall clock: shown, but neither judged nor listed */
    facts_number(&facts, "slowdown", 1.0471, 3);
    facts_number(&facts, "space.configs", 157500.0, 0);
    facts_text(&facts, "block_m", "16 32 64");
    FILE *out = open_memstream(&text, &size);
    facts_list(&facts, out);
    fclose(out);
    assert_string_equal(text, "space.configs\t157500\nslowdown\t1.047\nblock_m\t16 32 64\n");
    free(text);
    check_report(&facts, LANG_EN,
                 "# Published and here\n#\nwhat\twhere\tlecture\tband\there\t\n"
                 "in the space\t§1.3\t157500\t157500\t157500\t✓\n"
                 "at 3 stages\tex. 1\t1.09\t1.07..1.11\t1.047\t✗\n"
                 "best BLOCK_M\t§2.4\t16 ... 64\t-\tthe same\t✓\n"
                 "fit, ms\t§4.1\t100\t-\t88\t\n"
                 "# 2 of 3 published values lie inside their bands.\n"
                 "# ✗ at 3 stages: by a hair.\n");
    check_report(&facts, LANG_ZH,
                 "# 讲义与本程序\n#\n内容\t出处\t讲义\t范围\t这里\t\n"
                 "空间里的\t§1.3\t157500\t157500\t157500\t✓\n"
                 "3 级\t练习 1\t1.09\t1.07..1.11\t1.047\t✗\n"
                 "最好的\t§2.4\t16 ... 64\t-\t相同\t✓\n"
                 "训练，ms\t§4.1\t100\t-\t88\t\n"
                 "# 落在范围内的有 2 个（公布的数值共 3 个）。\n"
                 "# ✗ 3 级：差一点。\n");
    facts_free(&facts);
}

TESTS("facts", NULL, NULL)

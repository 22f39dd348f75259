/* test_facts.c - the published values: a table without slips, bands that judge what is printed, and what a program
 * says of them. */
#include "check.h"
#include "child.h"
#include "report/facts.h"
#include <signal.h>

/* ---- the table ---- */

static void published_values_have_no_slips(void **state)
{
    (void)state;
    assert_int_equal(facts_count, 103);
    for (int i = 0; i < facts_count; i++) {
        const struct fact *f = &facts_published[i];
        const char *const texts[] = { f->id, f->section, f->lecture.en, f->lecture.zh, f->what.en, f->what.zh };
        for (int t = 0; t < 6; t++)
            if (!*texts[t] || strpbrk(texts[t], "|\t\n")) /* these stand in tables */
                fail_msg("%s: text %d is empty or cannot stand in a table", f->id, t);
        for (int j = 0; j < i; j++)
            if (!strcmp(f->id, facts_published[j].id))
                fail_msg("%s stands twice", f->id);
        assert_between(f->program, 1, 5);
        assert_true((f->why.en == NULL) == (f->why.zh == NULL));
        assert_true(!f->why.en || (*f->why.en && *f->why.zh));
        if ((f->kind == FACT_TIME) != !*f->low)
            fail_msg("%s: a band, or a wall clock?", f->id);
        char *low_end, *high_end;
        if (*f->high && !(strtod(f->low, &low_end) <= strtod(f->high, &high_end) && !*low_end && !*high_end))
            fail_msg("%s: the band %s … %s", f->id, f->low, f->high);
    }
}

static void what_was_published_lies_in_its_own_band(void **state)
{
    (void)state;
    int numbers = 0;
    for (int i = 0; i < facts_count; i++) {
        const struct fact *f = &facts_published[i];
        char *end;
        strtod(f->lecture.en, &end);
        if (*end || f->kind == FACT_TIME) /* "about 100,000" */
            continue;
        numbers++;
        if (!facts_inside(f, f->lecture.en))
            fail_msg("%s: %s lies outside %s … %s", f->id, f->lecture.en, f->low, f->high);
    }
    assert_true(numbers > facts_count / 2);
}

/* ---- bands ---- */

static void the_band_judges_the_printed_digits(void **state)
{
    (void)state;
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
static void a_value_is_rounded_before_it_is_judged(void **state)
{
    (void)state;
    struct facts facts = facts_new();
    facts_number(&facts, "landscape.bk16_s3", 1.0651, 2);
    for (int i = 0; i < facts_count; i++)
        if (*facts.value[i]) {
            assert_string_equal(facts_published[i].id, "landscape.bk16_s3");
            assert_string_equal(facts.value[i], "1.07");
            assert_true(facts_inside(&facts_published[i], facts.value[i]));
        }
    facts_free(&facts);
}

static void record_an_unknown_id(void *unused)
{
    (void)unused;
    struct facts facts = facts_new();
    facts_number(&facts, "landscape.nonsense", 1.0, 2);
}

static void an_unknown_id_aborts(void **state)
{
    (void)state;
    struct ending ending = child_run(record_an_unknown_id, NULL);
    assert_int_equal(ending.signal, SIGABRT);
    assert_true(child_is_one_line(ending.err));
    assert_non_null(strstr(ending.err, "landscape.nonsense"));
}

/* ---- published and here ---- */

static char *list_of(const struct facts *facts, int program)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    facts_list(facts, program, out);
    fclose(out);
    return text;
}

static char *report_of(const struct facts *facts, int program, enum lang lang)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    text_set_lang(lang);
    struct report report = report_open(out, FORMAT_TSV, false, "p");
    facts_report(facts, program, &report);
    report_close(&report);
    text_set_lang(LANG_EN);
    fclose(out);
    return text;
}

static void only_what_was_looked_at_is_listed(void **state)
{
    (void)state;
    struct facts facts = facts_new();
    facts_number(&facts, "space.configs", 157500.0, 0);
    facts_number(&facts, "landscape.bk16_s3", 1.0471, 3);
    facts_text(&facts, "cost.measure_s", "1.4"); /* another program's */
    facts_text(&facts, "cost.train_ms", "88");   /* a wall clock: shown, but neither judged nor listed */
    char *list = list_of(&facts, 1), *other = list_of(&facts, 2), *none = list_of(&facts, 5);
    assert_string_equal(list, "space.configs\t157500\nlandscape.bk16_s3\t1.047\n");
    assert_string_equal(other, "cost.measure_s\t1.4\n");
    assert_string_equal(none, "");

    char *english = report_of(&facts, 1, LANG_EN), *chinese = report_of(&facts, 1, LANG_ZH);
    char *second = report_of(&facts, 2, LANG_EN);
    assert_non_null(strstr(english, "configurations in the 7-knob space\t§1.3\t157500\t157500\t157500\t✓\n"));
    assert_non_null(strstr(english, "\t1.09\t1.07..1.11\t1.047\t✗\n"));
    assert_non_null(strstr(english, "# 1 of 2 published values lie inside their bands.\n"));
    assert_non_null(strstr(english, "# ✗ slowdown at BLOCK_K 16, 3 stages: "));
    assert_non_null(strstr(chinese, "7 个旋钮的空间里的配置数\t"));
    assert_non_null(strstr(chinese, "# 落在范围内的有 1 个（公布的数值共 2 个）。\n"));
    assert_non_null(strstr(second, "fit on 512 records, ms\t§4.1\t100\t-\t88\t\n"));
    assert_non_null(strstr(second, "# 1 of 1 published values lie inside their bands.\n"));
    char *all[] = { list, other, none, english, chinese, second };
    for (int a = 0; a < 6; a++)
        free(all[a]);
    facts_free(&facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_values_have_no_slips),
        cmocka_unit_test(what_was_published_lies_in_its_own_band),
        cmocka_unit_test(the_band_judges_the_printed_digits),
        cmocka_unit_test(a_value_is_rounded_before_it_is_judged),
        cmocka_unit_test(an_unknown_id_aborts),
        cmocka_unit_test(only_what_was_looked_at_is_listed),
    };
    return cmocka_run_group_tests_name("facts", tests, NULL, NULL);
}

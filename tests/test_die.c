/* test_die.c - whatever is said, a program that gives up prints one line that a terminal can show; exit status 2. */
#include "check.h"
#include "child.h"
#include "base/die.h"
#include "base/text.h"

static void die_of(void *text) { die("%s", (const char *)text); }

static void check_dies(const char *text, const char *expected)
{
    struct ending ending = child_run(die_of, (void *)text);
    assert_int_equal(ending.status, 2);
    assert_string_equal(ending.out, "");
    assert_true(child_is_one_line(ending.err));
    ending.err[strlen(ending.err) - 1] = 0;
    assert_string_equal(ending.err, expected);
}

TEST(what_a_terminal_may_not_see_is_replaced)
{
    static const char *const cases[][2] = {
        { "file:3: found 'x'; expected \xe4\xb8\xad \xc2\xa0 \xf0\x9f\x98\x80~", NULL },
        { "a\nb\tc\rd\033[31me\001f\177g", "a?b?c?d?[31me?f?g" },
        { "\xc2\x80\xc2\x9b\xc2\x9f", "???" },
        { "\xd8\x9b\xd8\x9c\xd8\x9d", "\xd8\x9b?\xd8\x9d" }, /* U+061C between its neighbours, */
        { "\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\x90", "\xe2\x80\x8d??\xe2\x80\x90" },
        { "\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf",
          "\xe2\x80\xa7????\xe2\x80\xaf" },
        { "\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa", "\xe2\x81\xa5??\xe2\x81\xaa" },
        { "\xff\xfe|\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80|\xe4\xb8", "??|??|???|????|??" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_dies(cases[i][0], cases[i][1] ? cases[i][1] : cases[i][0]);
}

/* A long message keeps its beginning and its end, and is cut between characters. */
static void check_cut(size_t pad, const char *character, size_t times)
{
    char text[5000] = "";
    memset(text, 'x', pad);
    for (size_t i = 0; i < times; i++)
        strcat(text, character);
    strcat(text, ": expected a|b");
    struct ending ending = child_run(die_of, text);
    size_t length = strlen(ending.err) - 1, one = strlen(character);
    assert_true(child_is_one_line(ending.err) && length <= DIE_BYTES && length > DIE_BYTES - 3 - 2 * one);
    assert_non_null(strstr(ending.err, "..."));
    assert_string_equal(ending.err + length - 14, ": expected a|b\n");
    assert_memory_equal(ending.err, text, DIE_BYTES / 2 - one);
    for (const char *at = ending.err; *at; at += one) { /* nothing but whole characters */
        uint32_t code;
        one = text_character(at, 4, &code);
        assert_true(one > 0);
    }
}

TEST(what_is_too_long_loses_its_middle)
{
    char fits[DIE_BYTES + 1];
    memset(fits, 'x', DIE_BYTES);
    fits[DIE_BYTES] = 0;
    check_dies(fits, fits);
    for (size_t pad = 0; pad < 4; pad++) {
        check_cut(pad, "x", 400);
        check_cut(pad, "\xe4\xb8\xad", 1000);
        check_cut(pad, "\xf0\x9f\x98\x80", 1000);
    }
}

static void die_thrice(void *unused)
{
#pragma omp parallel for num_threads(3)
    for (int i = 0; i < 3; i++)
        die("out of memory");
}

TEST(of_threads_that_die_at_once_one_is_heard)
{
    for (int i = 0; i < 20; i++) {
        struct ending ending = child_run(die_thrice, NULL);
        assert_int_equal(ending.status, 2);
        assert_string_equal(ending.err, "out of memory\n");
    }
}

static void die_named(void *unused)
{
    die_name("02_autotvm");
    printf("table");
    die("%s:%d: %.1f", "log", 7, 0.5);
}

TEST(the_program_is_named_and_what_it_printed_is_kept)
{
    struct ending ending = child_run(die_named, NULL);
    assert_int_equal(ending.status, 2);
    assert_string_equal(ending.out, "table");
    assert_string_equal(ending.err, "02_autotvm: log:7: 0.5\n");
}

TESTS("die", NULL, NULL)

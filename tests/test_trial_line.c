/* test_trial_line.c - a line says what it should, reads back to the same bits, and no other line is taken for it. */
#include "check.h"
#include "search/strategies.h"
#include "trial_line.h"
#include "base/xalloc.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const struct text reasons[] = { { "odd", "奇数" }, { "4\t\"by\" \\32", "太大" } };

/* Illegal: A = 4 with B = 32, for the second reason. */
static int too_big(const void *context, const int *values)
{
    (void)context;
    return values[0] == 4 && values[1] == 32 ? 2 : 0;
}
static int all_legal(const void *context, const int *values) { return (void)context, (void)values, 0; }
static int other_reason(const void *context, const int *values) { return too_big(context, values) ? 1 : 0; }
static int other_config(const void *context, const int *values)
{
    (void)context;
    return values[0] == 4 && values[1] == 16 ? 2 : 0;
}

static const int a_values[] = { 1, 2, 4 }, b_values[] = { 16, 32 };
static struct space *space;
static struct tuning tuning;
static const struct workload shape = { "square", { "square", "方阵" }, 4096, 512, 16 };
static const struct trial_source source = { "02_autotvm", "1.0.0", "a \"GPU\"\\\n" };

static struct space *new_space(const char *first, const int *first_values, int count, space_rule *rule)
{
    struct knob knobs[] = { { first, count, first_values }, { "B", 2, b_values } };
    struct space *made = space_new(2, knobs, 2, reasons, rule, NULL);
    assert_non_null(made);
    return made;
}

static int set_up(void **state)
{
    (void)state;
    space = new_space("A", a_values, 3, too_big);
    tuning = (struct tuning){ .experiment = "search",
                              .seed = 7,
                              .repeat = 1,
                              .strategy = &strategy_random,
                              .workload = &shape,
                              .space = space,
                              .trials = 40,
                              .batch = 8 };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    space_free(space);
    return 0;
}

/* Lines full of quotes are easier to read with ' in the place of ". */
static char *quoted(const char *text)
{
    char *copy = xformat("%s", text);
    for (char *c = copy; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    return copy;
}

static char *line_of(const struct trial *trial)
{
    static char *line;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    trial_line_put(out, 3, &tuning, 17, trial);
    fclose(out);
    return line;
}

static char *header_of(size_t count, const struct tuning *tunings)
{
    static char *line;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    trial_line_put_header(out, source, count, tunings);
    fclose(out);
    return line;
}

static void check_text(char *text, const char *expected)
{
    char *copy = quoted(expected);
    assert_string_equal(text, copy);
    free(copy);
    free(text);
}

static const char good_line[] = "{'tuning':3,'workload':'square','repeat':1,'seed':7,'trial':17,'config':[2,32],"
                                "'measured_us':471.25,'seconds':1.047125,'error':null}";
static const char failed_line[] = "{'tuning':3,'workload':'square','repeat':1,'seed':7,'trial':17,'config':[4,32],"
                                  "'measured_us':null,'seconds':1,'error':'4\\u0009\\'by\\' \\\\32'}";

static void a_trial_is_written_as_the_header_says(void **state)
{
    (void)state;
    struct trial good = { .config = 3, .measured_us = 471.25, .seconds = 1.047125 };
    struct trial failed = { .config = 5, .why = 2, .measured_us = INFINITY, .seconds = 1.0 };
    check_text(line_of(&good), good_line);
    check_text(line_of(&failed), failed_line);
}

static uint64_t hash_of(size_t n, const uint64_t *all)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ all[i]) * 1099511628211u;
    return hash;
}

static void the_first_line_says_which_run_it_is(void **state)
{
    (void)state;
    /* What is hashed: letters, counts and values, then why each configuration is illegal. */
    static const uint64_t whole[] = { 'A', 3 << 8, 1, 2, 4, 'B', 2 << 8, 16, 32, 0, 0, 0, 0, 0, 2 };
    static const uint64_t half[] = { 'A', 3 << 8, 1, 2, 4, 'B', 1 << 8, 16, 0, 0, 0 };
    struct space *part = space_restrict(space, "B", 1, (int[]){ 16 });
    struct tuning tunings[] = { tuning, tuning, tuning };
    tunings[1].space = part;
    tunings[1].repeat = 4;
    tunings[1].noise = 0.02;
    tunings[1].noise_kind = NOISE_LOG_NORMAL;
    tunings[2].strategy = &strategy_grid;
    char expected[2000];
    snprintf(expected, sizeof expected,
             "{'format':1,'program':'02_autotvm','version':'1.0.0','device':'a \\'GPU\\'\\\\\\u000a','repeats':5,"
             "'spaces':[{'knobs':{'A':[1,2,4],'B':[16,32]},'legal':5,'hash':'%016" PRIx64 "'},"
             "{'knobs':{'A':[1,2,4],'B':[16]},'legal':3,'hash':'%016" PRIx64 "'}],'tunings':["
             "{'tuning':0,'experiment':'search','strategy':'random','workload':'square','shape':'4096x512x16',"
             "'space':0,'repeat':1,'seed':7,'trials':40,'batch':8,'noise_kind':'normal','noise':0},"
             "{'tuning':1,'experiment':'search','strategy':'random','workload':'square','shape':'4096x512x16',"
             "'space':1,'repeat':4,'seed':7,'trials':40,'batch':8,'noise_kind':'log-normal','noise':0.02},"
             "{'tuning':2,'experiment':'search','strategy':'grid','workload':'square','shape':'4096x512x16',"
             "'space':0,'repeat':1,'seed':7,'trials':40,'batch':8,'noise_kind':'normal','noise':0}]}",
             hash_of(sizeof whole / sizeof *whole, whole), hash_of(sizeof half / sizeof *half, half));
    check_text(header_of(3, tunings), expected);
    tunings[0].repeat = 0;
    char *line = header_of(1, tunings);
    assert_non_null(strstr(line, "\"repeats\":1,"));
    free(line);
    space_free(part);
}

static void a_space_has_a_hash_of_its_own(void **state)
{
    (void)state;
    static const int others[] = { 1, 3, 4 }, fewer[] = { 1, 2 };
    struct space *spaces[] = {
        new_space("A", a_values, 3, too_big),      new_space("a", a_values, 3, too_big),
        new_space("AB", a_values, 3, too_big),     new_space("A", others, 3, too_big),
        new_space("A", fewer, 2, too_big),         new_space("A", a_values, 3, all_legal),
        new_space("A", a_values, 3, other_reason), new_space("A", a_values, 3, other_config),
        new_space("A", a_values, 3, too_big), /* the first, made anew */
    };
    enum { SPACES = sizeof spaces / sizeof *spaces };
    char hash[SPACES][17];
    for (size_t i = 0; i < SPACES; i++) {
        struct tuning one = tuning;
        one.space = spaces[i];
        char *line = header_of(1, &one);
        memcpy(hash[i], strstr(line, "\"hash\":\"") + strlen("\"hash\":\""), 16);
        hash[i][16] = 0;
        free(line);
        space_free(spaces[i]);
    }
    for (size_t i = 0; i < SPACES; i++)
        for (size_t j = 0; j < i; j++)
            assert_int_equal(!strcmp(hash[i], hash[j]), i == SPACES - 1 && j == 0);
}

static void numbers_read_back_to_the_same_bits(void **state)
{
    (void)state;
    struct rng rng = rng_stream(0, "numbers", 0);
    char error[600];
    for (int i = 0; i < 20000; i++) {
        int power = (int)rng_below(&rng, 600) - 300;
        double fraction = rng_uniform(&rng);
        struct trial trial = { .config = 3, .measured_us = ldexp(0.5 + fraction, power), .seconds = 1.0 + fraction };
        struct trial back;
        char *line = line_of(&trial);
        assert_true(trial_line_take(line, 3, &tuning, 17, &back, error, sizeof error));
        assert_same_bits(back.measured_us, trial.measured_us);
        assert_same_bits(back.seconds, trial.seconds);
        assert_int_equal(back.config, 3);
        assert_int_equal(back.why, 0);
        free(line);
    }
}

static void numbers_are_no_longer_than_need_be(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        { 1.0, "1" },
        { 0.1, "0.1" },
        { 471.25, "471.25" },
        { 123456.789, "123456.789" },
        { 1e22, "1e+22" },
        { 1e-7, "1e-07" },
        { 1.0 / 3.0, "0.3333333333333333" },
        { 0.1 + 0.2, "0.30000000000000004" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial trial = { .config = 3, .measured_us = cases[i].value, .seconds = 1.0 };
        char *line = line_of(&trial), *expected = xformat("\"measured_us\":%s,", cases[i].text);
        assert_non_null(strstr(line, expected));
        free(expected);
        free(line);
    }
}

static void a_failed_trial_reads_back(void **state)
{
    (void)state;
    struct trial trial;
    char error[600], *line = quoted(failed_line);
    assert_true(trial_line_take(line, 3, &tuning, 17, &trial, error, sizeof error));
    assert_int_equal(trial.config, 5);
    assert_int_equal(trial.why, 2);
    assert_true(isinf(trial.measured_us));
    assert_same_bits(trial.seconds, 1.0);
    free(line);
}

/* `text` with its first `from` replaced by `to`. */
static char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    assert_non_null(at);
    return xformat("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

struct edit {
    const char *from, *to, *error;
};

static void check_refused(const char *line, struct edit edit)
{
    struct trial trial;
    char error[600] = "", *bare = replaced(line, edit.from, edit.to);
    char *edited = quoted(bare), *wanted = quoted(edit.error);
    if (trial_line_take(edited, 3, &tuning, 17, &trial, error, sizeof error))
        fail_msg("taken: %s", edited);
    if (!strstr(error, wanted))
        fail_msg("%s\nerror was: %s\nwanted:    %s", edited, error, wanted);
    for (const char *c = error; *c; c++)
        assert_true((unsigned char)*c >= 0x20);
    free(wanted);
    free(edited);
    free(bare);
}

static const struct edit edits[] = {
    { "'tuning':3", "'tuning':4", "found 'tuning':4; expected 'tuning':3" },
    { "square", "small", "found 'workload':'small'; expected 'workload':'square'" },
    { "'repeat':1", "'repeat':0", "found 'repeat':0; expected 'repeat':1" },
    { "'seed':7", "'seed':70", "found 'seed':70; expected 'seed':7" },
    { "'trial':17", "'trial':18", "found 'trial':18; expected 'trial':17" },
    { "'trial':17,", "", "found 'config':[2; expected 'trial':17" },
    { "config", "konfig", "found 'konfig':[2; expected 'config':[" },
    { "'seconds'", "'more':1,'seconds'", "found 'more':1; expected 'seconds':1.047125" },
    { "null}", "null,'more':1}", "found 'error':null,'more':1}; expected 'error':null}" },
    { "null}", "null} ", "expected 'error':null}" },
    { "null}", "null}}", "expected 'error':null}" },
    { "null}", "null}\r", "found 'error':null}?; expected 'error':null}" },
    { "{", " {", "found  {" },
    { "{", "\033[31m{", "found ?[31m{" },
    { "[2,32]", "[2,64]", "knob 2, B, must be one of 16 32" },
    { "[2,32]", "[3,32]", "knob 1, A, must be one of 1 2 4" },
    { "[2,32]", "[2]", "expected 2 values" },
    { "[2,32]", "[2,32,1]", "expected 2 values" },
    { "[2,32]", "[2,32x]", "expected 2 values" },
    { "[2,32]", "[]", "knob 1, A" },
    { "[2,32]", "[2,\033[31m]", "2,?[31m" },
    { "[2,32]", "[2, 32]", "knob 2, B" },
    { "[2,32]", "[02,32]", "found 'config':[02; expected 'config':[2" },
    { "[2,32]", "[4,32]", "expected 'measured_us':null" },
    { "471.25", "471.25us", "found 'measured_us':471.25us; expected 'measured_us':471.25" },
    { "471.25", "471.250", "found 'measured_us':471.250; expected 'measured_us':471.25" },
    { "471.25", "4.7125e2", "expected 'measured_us':471.25" },
    { "471.25", "0x1d7.4", "expected 'measured_us':471.25" },
    { "471.25", "471,25", "expected 'measured_us':471,'seconds':1.047125" },
    { "471.25", "0471.25", "expected 'measured_us':471.25" },
    { "471.25", " 471.25", "'measured_us': expected a number above 0" },
    { "471.25", "+471.25", "'measured_us': expected a number above 0" },
    { "471.25", "-471.25", "'measured_us': expected a number above 0" },
    { "471.25", "inf", "'measured_us': expected a number above 0" },
    { "471.25", "nan", "'measured_us': expected a number above 0" },
    { "471.25", "1e999", "'measured_us': expected a number above 0" },
    { "471.25", "0", "'measured_us': expected a number above 0" },
    { "471.25", "null", "'measured_us': expected a number above 0" },
    { "471.25", "", "'measured_us': expected a number above 0" },
    { "471.25", "471.25000000000001", "expected 'measured_us':471.25" },
    { "'measured_us'", "'measured_ms'", "'measured_us': expected a number above 0" },
    { "1.047125", "1.047125s", "found 'seconds':1.047125s; expected 'seconds':1.047125" },
    { "1.047125", "-1", "'seconds': expected a number above 0" },
    { ",'seconds':1.047125", "", "'seconds': expected a number above 0" },
    { "null}", "'odd'}", "found 'error':'odd'}; expected 'error':null}" },
};

static const struct edit failed_edits[] = {
    { "'measured_us':null", "'measured_us':471.25", "found 'measured_us':471.25; expected 'measured_us':null" },
    { "'error':'4\\u0009\\'by\\' \\\\32'", "'error':'odd'", "found 'error':'odd'}; expected 'error':'4\\u0009" },
    { "'error':'4\\u0009\\'by\\' \\\\32'", "'error':null", "found 'error':null}; expected 'error':'4\\u0009" },
    { "[4,32]", "[2,32]", "'measured_us': expected a number above 0" },
};

static void an_edited_line_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
        check_refused(good_line, edits[i]);
    for (size_t i = 0; i < sizeof failed_edits / sizeof *failed_edits; i++)
        check_refused(failed_line, failed_edits[i]);
}

/* Whatever one byte becomes: a line that is taken is the line that its trial would be written as. */
static void what_is_taken_is_what_would_be_written(void **state)
{
    (void)state;
    static const char bytes[] = "0123456789.,-+eExX\"[]{} nN\1\\\177";
    char error[600];
    int taken = 0;
    for (int which = 0; which < 2; which++) {
        char *line = quoted(which ? failed_line : good_line);
        for (size_t at = 0; at < strlen(line); at++)
            for (const char *byte = bytes; *byte; byte++) {
                struct trial trial;
                char *edited = xformat("%s", line);
                edited[at] = *byte;
                if (trial_line_take(edited, 3, &tuning, 17, &trial, error, sizeof error)) {
                    char *again = line_of(&trial);
                    assert_string_equal(again, edited);
                    free(again);
                    taken += strcmp(edited, line) != 0;
                }
                free(edited);
            }
        free(line);
    }
    assert_true(taken > 50); /* a digit of a number may become another one */
}

static void a_part_of_a_line_is_refused(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        char *line = quoted(which ? failed_line : good_line);
        for (size_t n = 0; n < strlen(line); n++) {
            struct trial trial;
            char error[600] = "", *part = xformat("%.*s", (int)n, line);
            assert_false(trial_line_take(part, 3, &tuning, 17, &trial, error, sizeof error));
            assert_true(*error);
            free(part);
        }
        free(line);
    }
}

static void an_error_that_does_not_fit_is_cut(void **state)
{
    (void)state;
    struct trial trial;
    char error[16], *line = quoted(good_line), *edited = replaced(line, "square", "small");
    assert_false(trial_line_take(edited, 3, &tuning, 17, &trial, error, sizeof error));
    assert_string_equal(error, "found \"workload");
    free(edited);
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trial_is_written_as_the_header_says),
        cmocka_unit_test(the_first_line_says_which_run_it_is),
        cmocka_unit_test(a_space_has_a_hash_of_its_own),
        cmocka_unit_test(numbers_read_back_to_the_same_bits),
        cmocka_unit_test(numbers_are_no_longer_than_need_be),
        cmocka_unit_test(a_failed_trial_reads_back),
        cmocka_unit_test(an_edited_line_is_refused),
        cmocka_unit_test(what_is_taken_is_what_would_be_written),
        cmocka_unit_test(a_part_of_a_line_is_refused),
        cmocka_unit_test(an_error_that_does_not_fit_is_cut),
    };
    return cmocka_run_group_tests_name("trial_line", tests, set_up, tear_down);
}

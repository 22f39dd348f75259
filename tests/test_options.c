/* test_options.c - the command line of all five programs: what it sets, what it refuses and with which words, and the
 * language and colour that the environment asks for. */
#include "check.h"
#include "child.h"
#include "report/program.h"
#include <unistd.h>

/* A command line, as the shell would hand it over. */
struct line {
    int program, argc;
    const char *argv[12];
};

enum { DEMOS = 5 };

static struct line words(int program, const char *const *arguments)
{
    struct line line = { .program = program, .argc = 1, .argv = { "01_test" } };
    for (; *arguments; arguments++)
        line.argv[line.argc++] = *arguments;
    return line;
}
#define LINE(program, ...) words(program, (const char *const[]){ __VA_ARGS__, NULL })

static struct options parsed(struct line line)
{
    optind = 1; /* getopt begins anew */
    return options_parse(line.program, "01_test", DEMOS, 0, line.argc, (char **)line.argv);
}

static void parse(void *line) { parsed(*(struct line *)line); }

static const char *const environment[] = { "LC_ALL", "LC_MESSAGES", "LANG", "NO_COLOR", "TERM" };

static int set_up(void **state)
{
    for (int i = 0; i < 5; i++)
        unsetenv(environment[i]);
    return 0;
}

/* ---- what is set ---- */

TEST(without_options_all_demos_run_in_english)
{
    struct options o = parsed((struct line){ .program = 1, .argc = 1, .argv = { "01_test" } });
    for (int d = 1; d <= DEMOS; d++)
        assert_true(o.demo[d]);
    assert_false(o.demo[DEMOS + 1]);
    assert_true(o.all_demos);
    assert_int_equal(text_lang(), LANG_EN);
    assert_int_equal(o.format, FORMAT_TEXT);
    assert_string_equal(o.device, "hypogpu");
    assert_null(o.figures);
    assert_true(!o.shape && !o.explain && !o.strategies && !o.log && !o.resume);
    assert_true(o.repeats == 0 && o.trials == 0 && o.seed == 0 && o.jobs == 0);
    assert_false(o.plot_terminal || o.facts || o.color || o.quiet || o.verbose || o.why);
}

TEST(every_option_sets_its_field)
{
    struct options o = parsed(LINE(3, "--demo", "2,4", "--lang=zh", "--format", "json", "--figures", "out"));
    assert_true(o.demo[2] && o.demo[4]);
    assert_false(o.demo[1] || o.demo[3] || o.demo[5] || o.all_demos);
    assert_int_equal(text_lang(), LANG_ZH);
    assert_int_equal(o.format, FORMAT_JSON);
    assert_string_equal(o.figures, "out");

    o = parsed(LINE(3, "--repeats", "7", "--trials=64", "--seed", "123456789", "--jobs", "3"));
    assert_int_equal(o.repeats, 7);
    assert_int_equal(o.trials, 64);
    assert_true(o.seed == 123456789);
    assert_int_equal(o.jobs, 3);
    assert_int_equal(text_lang(), LANG_EN); /* chosen anew by every parse */
    assert_int_equal(parsed(LINE(4, "--unit", "16")).unit, 16);
    assert_string_equal(parsed(LINE(5, "--device", "x.tsv:square")).device, "x.tsv:square");

    o = parsed(LINE(1, "--quiet", "--verbose", "--explain", "64,128,32,2,2,2,1"));
    assert_true(o.quiet && o.verbose && parsed(LINE(1, "--facts")).facts);
    assert_string_equal(o.explain, "64,128,32,2,2,2,1");

    o = parsed(LINE(2, "--strategies", "grid,random", "--log", "a.jsonl"));
    assert_string_equal(o.strategies, "grid,random");
    assert_string_equal(o.log, "a.jsonl");
    o = parsed(LINE(2, "--resume", "b.jsonl"));
    assert_string_equal(o.resume, "b.jsonl");
    assert_true(parsed(LINE(4, "--why")).why && parsed(LINE(3, "--nests")).nests);
    assert_string_equal(parsed(LINE(4, "--policy", "tag")).policy, "tag");
}

/* What program.c makes of --strategies. */
static int chosen(const char *wanted, struct variant *variants)
{
    const struct options options = { .strategies = wanted };
    return program_strategies(&(struct run){ .options = &options }, strategy_list, "grid,beam", variants);
}

static void choose(void *wanted)
{
    struct variant variants[PROGRAM_STRATEGIES];
    chosen(wanted, variants);
}

TEST(strategies_are_found_by_their_names)
{
    static const char *const wrong[] = { "", "anneal", "annealings", "grid,", ",grid", "grid,,beam" };
    struct variant variants[PROGRAM_STRATEGIES];
    for (int s = 0; strategy_list[s]; s++) {
        assert_int_equal(chosen(strategy_list[s]->name, variants), 1);
        assert_ptr_equal(variants[0].strategy, strategy_list[s]);
    }
    assert_int_equal(chosen("annealing,grid,annealing", variants), 3);
    assert_ptr_equal(variants[2].strategy, &strategy_annealing);
    assert_int_equal(chosen(NULL, variants), 2);
    assert_ptr_equal(variants[1].strategy, &strategy_beam);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        child_dies(choose, wrong[i], "", "of grid, random, genetic, annealing, evolution, beam, joined by commas");
}

/* What program.c makes of --shape on the simulated GPU. */
static struct workload shape_of(const struct options *options)
{
    struct device *device = device_open("hypogpu", NULL);
    struct run run = { .options = options, .device = device };
    struct workload shape = program_shape(&run, "decode");
    device_close(device);
    return shape;
}

TEST(shapes_are_named_or_written_out)
{
    struct options o = parsed(LINE(1, "--shape", "17x4096x32"));
    struct workload w = shape_of(&o);
    assert_string_equal(o.shape, "17x4096x32");
    assert_true(w.m == 17 && w.n == 4096 && w.k == 32);
    assert_true(*w.id && *w.name.en && *w.name.zh);
    o = parsed(LINE(1, "--shape", "wgrad"));
    w = shape_of(&o);
    assert_string_equal(w.id, "wgrad");
    assert_int_equal(w.k, 32768);
    o = parsed(LINE(1, "--quiet"));
    assert_null(o.shape);
    assert_string_equal(shape_of(&o).id, "decode"); /* the demo's own */
}

/* ---- the environment ---- */

TEST(the_locale_chooses_the_language)
{
    static const struct {
        const char *value[3]; /* of LC_ALL, LC_MESSAGES, LANG */
        enum lang want;
    } cases[] = {
        { { NULL, NULL, "zh_CN.UTF-8" }, LANG_ZH },
        { { NULL, NULL, "en_US.UTF-8" }, LANG_EN },
        { { NULL, NULL, "" }, LANG_EN },
        { { NULL, "zh_TW", "en_US" }, LANG_ZH },
        { { "C", "zh_CN", "zh_CN" }, LANG_EN },
        { { "", "", "zh" }, LANG_ZH },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set_up(NULL);
        for (int v = 0; v < 3; v++)
            if (cases[i].value[v])
                setenv(environment[v], cases[i].value[v], 1);
        parsed(LINE(1, "--quiet"));
        assert_int_equal(text_lang(), cases[i].want);
        parsed(LINE(1, "--lang", cases[i].want == LANG_ZH ? "en" : "zh"));
        assert_true(text_lang() != cases[i].want); /* the option has the last word */
    }
}

TEST(colour_is_asked_for_or_goes_to_a_terminal)
{
    assert_true(parsed(LINE(1, "--color", "always")).color);
    assert_false(parsed(LINE(1, "--color", "never")).color);
    setenv("NO_COLOR", "1", 1);
    assert_false(parsed(LINE(1, "--color", "auto")).color);
    assert_true(parsed(LINE(1, "--color", "always")).color);
    set_up(NULL);
    setenv("TERM", "dumb", 1);
    assert_false(parsed(LINE(1, "--color", "auto")).color);
}

/* ---- what is refused ---- */

static void check_refused(struct line line, const char *complaint)
{
    child_dies(parse, &line, "01_test: ", complaint);
}

TEST(bad_values_are_refused_with_what_is_allowed)
{
    static const char *const counts[] = { "--repeats", "--trials", "--jobs", "--seed" };
    static const char *const no_counts[] = {
        "-1", "", "x", "1x", "1.5", "1e3", " 1", "\t1", "+1", "1 ", "99999999999999999999",
    };
    for (int c = 0; c < 4; c++) {
        for (size_t i = 0; i < sizeof no_counts / sizeof *no_counts; i++)
            check_refused(LINE(3, counts[c], no_counts[i]), "expected a whole number from ");
        if (c < 3)
            check_refused(LINE(3, counts[c], "0"), "expected a whole number from 1 to ");
    }
    check_refused(LINE(4, "--unit", "0"), "expected a whole number from 1 to ");
    assert_int_equal(parsed(LINE(3, "--repeats", "1000")).repeats, 1000);
    check_refused(LINE(3, "--repeats", "1001"), "expected a whole number from 1 to 1000");
    static const struct {
        const char *option, *value, *complaint;
    } cases[] = {
        { "--demo", "0", "from 1 to 5" },
        { "--demo", "6", "from 1 to 5" },
        { "--demo", "", "from 1 to 5" },
        { "--demo", "1,", "from 1 to 5" },
        { "--demo", "1,,2", "from 1 to 5" },
        { "--demo", "1-2", "joined by commas" },
        { "--demo", "all", "from 1 to 5" },
        { "--demo", "4294967297", "from 1 to 5" },
        { "--lang", "fr", "expected en|zh" },
        { "--lang", "", "expected en|zh" },
        { "--lang", "en|zh", "expected en|zh" },
        { "--format", "xml", "expected text|md|tsv|json" },
        { "--format", "m", "expected text|md|tsv|json" },
        { "--color", "yes", "expected auto|always|never" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_refused(LINE(1, cases[i].option, cases[i].value), cases[i].complaint);
}

static void shape_of_line(void *line)
{
    struct options o = parsed(*(struct line *)line);
    shape_of(&o);
}

TEST(a_live_devices_limits_and_parts_are_two_numbers)
{
    static const char *const limits[] = { "", "0", "-1", "1,", ",1", "1,0", "1,2,3", "nan", "inf", "1e3", "1 ", "1000001", "x" };
    static const char *const parts[] = { "", "1", "0/2", "3/2", "1/", "/2", "1/2/3", "-1/2", "1/1001", "1 /2", "a/b" };
    struct options o = parsed(LINE(2, "--device", "run:./a 1,2:3", "--timeout", "2.5,0.1", "--workers", "3", "--record", "f"));
    assert_string_equal(o.device, "run:./a 1,2:3");
    assert_true(o.timeout_s[0] == 2.5 && o.timeout_s[1] == 0.1 && o.workers == 3);
    assert_string_equal(o.record, "f");
    o = parsed(LINE(5, "--device", "run:a", "--timeout", "7"));
    assert_true(o.timeout_s[0] == 7 && o.timeout_s[1] == 7);
    o = parsed(LINE(2, "--log", "f", "--part", "2/3"));
    assert_true(o.part[0] == 2 && o.part[1] == 3);
    assert_string_equal(parsed(LINE(2, "--log", "f", "--resume", "a,b")).resume, "a,b");
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        check_refused(LINE(2, "--device", "run:a", "--timeout", limits[i]), "expected seconds above 0 and up to 1000000");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        check_refused(LINE(2, "--log", "f", "--part", parts[i]), "expected K/N, 1 <= K <= N <= 1000");
}

TEST(what_is_no_shape_is_refused)
{
    static const char *const refused[] = { "16x16", "cube", "0x1x1", "", "16x16x16x", "1048577x1x1", "1e3x1x1", "1x2x3 " };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct line line = LINE(1, "--shape", refused[i]);
        struct ending ending = child_run(shape_of_line, &line);
        assert_int_equal(ending.status, 2);
        assert_true(child_is_one_line(ending.err));
        assert_non_null(strstr(ending.err, "expected MxNxK, each from 1 to 1048576, or a name"));
    }
}

TEST(unknown_options_and_stray_words_are_named)
{
    check_refused(LINE(1, "--nonsense"), "--nonsense: no such option");
    check_refused(LINE(1, "--quiet", "--nonsense=3", "--facts"), "--nonsense=3: no such option");
    check_refused(LINE(1, "--quiet", "-xyz"), "-x: no such option");
    check_refused(LINE(1, "square"), "square: expected options only");
    check_refused(LINE(1, "--quiet", "--", "--facts"), "--facts: expected options only");
    check_refused(LINE(1, "--demo"), "--demo: an argument is missing");
    check_refused(LINE(1, "--repeats", "3"), "--repeats: no such option"); /* program 1 repeats nothing */
    check_refused(LINE(1, "--log", "f"), "--log: no such option");         /* that is program 2's */
    check_refused(LINE(4, "--explain", "1"), "--explain: no such option");
    check_refused(LINE(4, "--trials", "64"), "--trials: no such option");
    check_refused(LINE(2, "--log", "a.jsonl", "--resume", "b.jsonl"), "expected one of the two");
    check_refused(LINE(2, "--log", "a", "--resume", "b,c", "--part", "1/2"), "expected one of the two");
    check_refused(LINE(2, "--part", "1/2"), "add --log FILE");
    check_refused(LINE(2, "--workers", "2"), "add --device run:'COMMAND'");
    check_refused(LINE(2, "--record", "f", "--device", "a.tsv"), "add --device run:'COMMAND'");
    check_refused(LINE(3, "--device", "run:a", "--workers", "2"), "--workers: no such option");
    check_refused(LINE(1, "--plot-terminal", "--figures", "out"), "--plot-terminal");
    check_refused(LINE(1, "--format", "json", "--plot-terminal"), "--plot-terminal");
    check_refused(LINE(1, "--plot-terminal", "--facts"), "--plot-terminal");
}

/* In demo d of a program an option counts, or it is refused with the demos in which it does. */
TEST(what_a_demo_ignores_is_refused)
{
    static const struct {
        int program;
        const char *option, *value, *demos, *complaint;
    } cases[] = {
        { 1, "--shape", "decode", "4", "--shape: counts in demo 4 only; add 4 to --demo" },
        { 2, "--trials", "64", "13456", "demos 1, 3, 4, 5, 6, 7, 8 only; add one of them to --demo" },
        { 2, "--strategies", "grid", "145", "--strategies: counts in" },
        { 2, "--log", "l", "1", "--log: counts in demo 1 only" },
        { 2, "--resume", "l", "1", "--resume: counts in demo 1 only" },
        { 2, "--batch", "8", "1345", "--batch: counts in" },
        { 2, "--finalists", "5", "1", "--finalists: counts in demo 1 only" },
        { 3, "--repeats", "3", "345", "--repeats: counts in" },
        { 3, "--trials", "64", "45", "--trials: counts in" },
        { 4, "--unit", "16", "234", "--unit: counts in" },
        { 4, "--why", "--quiet", "2", "--why: counts in demo 2 only; add 2 to --demo" },
        { 4, "--policy", "tag", "2", "--policy: counts in demo 2 only" },
        { 3, "--nests", "--quiet", "1", "--nests: counts in demo 1 only" },
        { 5, "--trials", "64", "234", "--trials: counts in demos 2, 3, 4 only" },
        { 5, "--strategies", "grid", "234", "--strategies: counts in" },
        { 5, "--batch", "16", "234", "--batch: counts in demos 2, 3, 4 only" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char demo[] = "1", both[] = "1,1";
        for (; *demo <= '0' + DEMOS; *demo += 1) {
            struct line line = LINE(cases[i].program, cases[i].option, cases[i].value, "--demo", demo);
            if (strchr(cases[i].demos, *demo))
                parsed(line);
            else
                check_refused(line, cases[i].complaint);
            both[0] = *demo;
            both[2] = *cases[i].demos;
            parsed(LINE(cases[i].program, cases[i].option, cases[i].value, "--demo", both));
        }
        parsed(LINE(cases[i].program, cases[i].option, cases[i].value));
    }
}

TEST(what_means_nothing_together_is_refused)
{
    const char *configuration = "64,128,32,2,2,2,1";
    check_refused(LINE(1, "--verbose"), "--verbose: counts with --explain only");
    check_refused(LINE(1, "--explain", configuration, "--demo", "1"), "expected without --demo");
    check_refused(LINE(1, "--explain", configuration, "--facts"), "expected without --demo, --facts");
    check_refused(LINE(1, "--explain", configuration, "--figures", "f"), "--figures");
    check_refused(LINE(1, "--facts", "--format", "json"), "expected without --format");
    check_refused(LINE(1, "--facts", "--device", "data/x.tsv"), "--device");
    check_refused(LINE(1, "--color", "always", "--format", "md"), "counts in text only");
    check_refused(LINE(1, "--quiet=yes"), "--quiet takes no value");
    check_refused(LINE(6, "--facts"), "--facts: no such option");   /* the claims have none */
    check_refused(LINE(7, "--shape", "decode"), "--shape: no such option");
}

/* ---- help ---- */

TEST(help_lists_what_the_program_takes)
{
    for (int program = 1; program <= 5; program++)
        for (int lang = LANG_EN; lang <= LANG_ZH; lang++) {
            struct line line = LINE(program, "--help", "--lang", lang == LANG_ZH ? "zh" : "en");
            struct ending ending = child_run(parse, &line);
            assert_int_equal(ending.status, 0);
            assert_string_equal(ending.err, "");
            assert_non_null(strstr(ending.out, "01_test"));
            assert_int_equal(strstr(ending.out, "只运行这些演示") != NULL, lang == LANG_ZH);
            assert_int_equal(strstr(ending.out, "--explain") != NULL, program == 1);
            assert_int_equal(strstr(ending.out, "--repeats") != NULL, program != 1);
            for (const char *at = ending.out; *at; at += strcspn(at, "\n") + 1) {
                char copy[400];
                snprintf(copy, sizeof copy, "%.*s", (int)strcspn(at, "\n"), at);
                assert_true(text_width(copy) <= 100);
            }
        }
}

TESTS_ANEW("options", set_up, NULL)

/* options.c - one table of every option, one parser for all programs. */
#include "report/options.h"
#include "base/die.h"
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind {         /* what an option's place in struct options holds */
            FLAG,   /* bool */
            STRING, /* const char * */
            WORD,   /* int: its position among the argument's words */
            COUNT,  /* int from low to high */
            SEED,   /* uint64_t, the same */
            LIMITS, /* double[2] above 0, up to high; one number is both */
            PART,   /* int[2], K/N */
            DEMOS   /* the bools of the demos named */
};

#define AT(field) offsetof(struct options, field)

/* clang-format off */
static const struct row {
    const char *name, *argument;
    const char *where; /* "2:13 3": program 2, where it counts in demos 1 and 3 only, and 3; NULL: all */
    enum kind kind;
    size_t at;
    struct text help;
    long low, high;
} table[] = {
    { "demo", "N[,N...]", NULL, DEMOS, AT(demo), { "run only these demos", "只运行这些演示" } },
    { "lang", "en|zh", NULL, WORD, AT(lang), { "language (default: the locale's)", "语言（默认看系统语言）" } },
    { "format", "text|md|tsv|json", NULL, WORD, AT(format),
      { "form of the output (default: text)", "输出格式（默认 text）" } },
    { "figures", "DIR", NULL, STRING, AT(figures),
      { "write gnuplot scripts of the figures to DIR", "把图的 gnuplot 脚本写到 DIR" } },
    { "plot-terminal", NULL, NULL, FLAG, AT(plot_terminal),
      { "draw the figures in the terminal (needs gnuplot)", "在终端里画图（需要 gnuplot）" } },
    { "device", "FILE[:COLUMN][,...]", NULL, STRING, AT(device),
      { "a recording of a real GPU (data/), or live: run:'COMMAND'", "真实 GPU 的录制数据（data/）；run:'命令'：当场实测" } },
    { "timeout", "S[,S]", "2:1 5:23 9", LIMITS, AT(timeout_s),
      { "live: seconds to build, to run (default: 60)", "当场实测：编译、运行各限几秒（默认 60）" }, 0, 1000000 },
    { "workers", "N", "2:1 5:23 9", COUNT, AT(workers),
      { "live: COMMAND so many times, with WORKER=0 ...", "当场实测：命令同时运行几个，WORKER=0 ..." }, 1, 64 },
    { "record", "FILE", "2:1 5:23 9", STRING, AT(record),
      { "live: write what is measured to FILE, for --device", "当场实测：实测写到 FILE，可再给 --device" } },
    { "repeats", "N", "2 3:34567 4:234 5:1234 6:8 8:2 9:235", COUNT, AT(repeats),
      { "repeats of each experiment", "每个实验重复几次" }, 1, 1000 },
    { "trials", "N", "2:1345678 3:4567 5:234 9:235", COUNT, AT(trials),
      { "measurements of each tuning", "每次调优实测几次" }, 1, 100000 },
    { "batch", "N", "2:1345678 5:234 8:2 9:235", COUNT, AT(batch),
      { "measurements a batch (default: 64; 05: 8)", "每批实测几次（默认 64；05：8）" }, 1, 100000 },
    { "finalists", "N", "2:1", COUNT, AT(finalists),
      { "measure the N fastest 5 times more, then choose", "最快的 N 个各再测 5 次再选" }, 0, 1000 },
    { "unit", "N", "4:234", COUNT, AT(unit),
      { "measurements of each unit (default: 64)", "每个单位实测几次（默认 64）" }, 1, 100000 },
    { "seed", "N", NULL, SEED, AT(seed),
      { "seed of all random numbers (default: 0)", "随机种子（默认 0）" }, 0, 1000000000 },
    { "jobs", "N", NULL, COUNT, AT(jobs),
      { "threads (default: one a core); the output does not depend on it", "线程数（默认每核一个）；不影响输出" }, 1, 256 },
    { "shape", "MxNxK|NAME", "1:4 2:145 9", STRING, AT(shape), { "the shape that is looked at", "看哪个形状" } },
    { "explain", "BM,BN,BK,W,S,G,K", "1", STRING, AT(explain),
      { "where the time of this configuration goes", "这个配置的时间花在哪里" } },
    { "verbose", NULL, "1", FLAG, AT(verbose),
      { "with --explain: every intermediate value", "配合 --explain：列出所有中间值" } },
    { "strategies", "NAME[,...]", "2:145 5:234 9:23", STRING, AT(strategies),
      { "tune with these strategies", "用这些策略调优" } },
    { "log", "FILE", "2:1", STRING, AT(log),
      { "write every trial to FILE, a JSON line each", "每次实测写一行 JSON 到 FILE" } },
    { "resume", "FILE[,...]", "2:1", STRING, AT(resume),
      { "go on with this log's run; or merge logs into --log", "接着这个日志的运行做下去；或把几个合并到 --log" } },
    { "nests", NULL, "3:1", FLAG, AT(nests),
      { "every loop nest, those of exercise 6 too", "列出所有循环嵌套，包括练习 6 的" } },
    { "part", "K/N", "2:1", PART, AT(part),
      { "with --log: every N-th repeat, from the K-th on", "配合 --log：每 N 次重复只做一次，从第 K 次起" }, 1, 1000 },
    { "why", NULL, "4:2", FLAG, AT(why), { "both terms of the gradient at every pick", "列出每次选择时梯度的两项" } },
    { "policy", "NAME", "4:2", STRING, AT(policy),
      { "the same for one policy, such as intensity", "只列一种策略的，如 intensity" } },
    { "facts", NULL, "1 2 3 4 5 7", FLAG, AT(facts),
      { "print only the reproduced values, id<TAB>value", "只打印复现的数值，id<TAB>值" } },
    { "color", "auto|always|never", NULL, WORD, AT(color),
      { "bold headings (default: auto, on a terminal)", "标题加粗（默认 auto：在终端上）" } },
    { "quiet", NULL, NULL, FLAG, AT(quiet), { "no progress and no clock on stderr", "stderr 上不显示进度和用时" } },
    { "help", NULL, NULL, FLAG, AT(help), { "print this and exit", "打印本说明" } },
    { "version", NULL, NULL, FLAG, AT(version), { "print the version and exit", "打印版本号" } },
};
/* clang-format on */
enum { ROWS = sizeof table / sizeof *table };

/* The digits of the demos in which it counts, up to a space or the end: none, in all; NULL: the program lacks it. */
static const char *demos_of(const struct row *row, int program)
{
    const char *at = row->where ? row->where : "";
    while (row->where && at && *at != '0' + program)
        at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL;
    return at && *at ? at + 1 + (at[1] == ':') : at;
}

/* "1, 3", at most that many digits; returns how many there are. */
static int list_demos(const char *digits, char *text)
{
    int n = 0;
    for (; digits[n] && digits[n] != ' '; n++)
        text += sprintf(text, n ? ", %c" : "%c", digits[n]);
    return n;
}

static void print_help(int program, const char *name, int demos, int on_request)
{
    printf(tr("Usage: %s [OPTION]...\nRuns demos 1 to %d and prints their tables", "用法：%s [选项]...\n运行演示 1 到 %d 并打印表格"),
           name, demos - on_request);
    for (int d = demos - on_request + 1; d <= demos; d++)
        printf(d == demos ? tr("%s%d only with --demo)", "%s%d 只用 --demo 运行）")
                          : "%s%d", d == demos - on_request + 1 ? tr(" (", "（") : tr(", ", "、"), d);
    printf(tr(". Options:\n", "。选项：\n"));
    for (const struct row *row = table; row < table + ROWS; row++) {
        const char *digits = demos_of(row, program);
        char list[64];
        if (!digits)
            continue;
        int width = 4 + (int)strlen(row->name) + (row->argument ? 1 + (int)strlen(row->argument) : 0);
        printf("  --%s%s%s%*s%s", row->name, row->argument ? " " : "", row->argument ? row->argument : "",
               width < 30 ? 30 - width : 1, "", tr_text(row->help));
        int n = list_demos(digits, list);
        printf(n == 0 ? "\n" : n == 1 ? tr(" (demo %s)\n", "（演示 %s）\n") : tr(" (demos %s)\n", "（演示 %s）\n"), list);
    }
}

/* The digits at the text as a number, and what is behind them; -1: there are none. */
static long number(const char *text, const char **end)
{
    char *behind = (char *)text;
    long value = *text >= '0' && *text <= '9' ? strtol(text, &behind, 10) : -1;
    *end = behind;
    return value;
}

static long whole(const struct row *row, const char *text)
{
    const char *end;
    long value = number(text, &end);
    if (*end || value < row->low || value > row->high)
        die("--%s %s: expected a whole number from %ld to %ld", row->name, text, row->low, row->high);
    return value;
}

static void take_part(const struct row *row, const char *text, int part[2])
{
    const char *end;
    long k = number(text, &end), n = *end == '/' ? number(end + 1, &end) : -1;
    if (k < 1 || k > n || n > row->high || *end)
        die("--%s %s: expected K/N, 1 <= K <= N <= %ld", row->name, text, row->high);
    part[0] = (int)k;
    part[1] = (int)n;
}

static void take_limits(const struct row *row, const char *text, double limit[2])
{
    const char *comma = strchr(text, ','), *at[2] = { text, comma ? comma + 1 : text };
    bool good = !text[strspn(text, "0123456789.,")];
    for (int i = 0; i < 2; i++) {
        char *end;
        limit[i] = strtod(at[i], &end);
        good = good && *at[i] >= '0' && *at[i] <= '9' && limit[i] > 0 && limit[i] <= (double)row->high;
        good = good && (i == 0 && comma ? end == comma : !*end);
    }
    if (!good)
        die("--%s %s: expected seconds above 0 and up to %ld, one number or two joined by a comma", row->name, text,
            row->high);
}

/* The position of text among the words, joined by '|', that this option allows. */
static int one_of(const struct row *row, const char *text)
{
    const char *word = row->argument;
    for (int i = 0; *word; i++) {
        size_t n = strcspn(word, "|");
        if (n == strlen(text) && !strncmp(word, text, n))
            return i;
        word += n + (word[n] == '|');
    }
    die("--%s %s: expected %s", row->name, text, row->argument);
}

static void take_demos(struct options *options, const char *text, int demos)
{
    const char *end = text;
    options->all_demos = false;
    for (const char *at = text; at == text || *end; at = end + 1) {
        long n = number(at, &end);
        if (n < 1 || n > demos || (*end && *end != ','))
            die("--demo %s: expected numbers from 1 to %d joined by commas", text, demos);
        options->demo[n] = true;
    }
}

static enum lang locale_language(void)
{
    static const char *const names[] = { "LC_ALL", "LC_MESSAGES", "LANG" };
    const char *value = NULL;
    for (int i = 0; i < 3 && !(value && *value); i++)
        value = getenv(names[i]);
    return value && !strncmp(value, "zh", 2) ? LANG_ZH : LANG_EN;
}

enum { COLOR_AUTO, COLOR_ALWAYS }; /* as in "auto|always|never" */

/* The order of no-color.org and its followers. */
static bool wants_color(int when)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (when != COLOR_AUTO)
        return when == COLOR_ALWAYS;
    return !(no_color && *no_color) && !(term && !strcmp(term, "dumb")) && isatty(STDOUT_FILENO);
}

static void take(struct options *options, const struct row *row, const char *value, int demos)
{
    void *place = (char *)options + row->at;
    switch (row->kind) {
    case FLAG: *(bool *)place = true; break;
    case STRING: *(const char **)place = value; break;
    case WORD: *(int *)place = one_of(row, value); break;
    case COUNT: *(int *)place = (int)whole(row, value); break;
    case PART: take_part(row, value, place); break;
    case LIMITS: take_limits(row, value, place); break;
    case SEED: *(uint64_t *)place = (uint64_t)whole(row, value); break;
    case DEMOS: take_demos(options, value, demos); break;
    }
}

/* An option must count in one of the demos that are run. */
static void check_demos(const struct options *o, int program, const struct row *row)
{
    const char *digits = demos_of(row, program);
    char list[64];
    int n = list_demos(digits, list);
    bool counts = n == 0;
    for (int i = 0; i < n; i++)
        counts |= o->demo[digits[i] - '0'];
    if (!counts)
        die("--%s: counts in demo%s %s only; add %s to --demo", row->name, n > 1 ? "s" : "", list,
            n > 1 ? "one of them" : list);
}

/* Options that do not go together, or without which another means nothing. */
static void check(const struct options *o)
{
    if (o->resume && !o->log && strchr(o->resume, ',') && access(o->resume, F_OK))
        die("--resume %s: several are merged into a new file; add --log FILE", o->resume);
    if (o->log && o->resume && (!strchr(o->resume, ',') || o->part[1]))
        die("--log starts a new file, --resume goes on with one: expected one of the two, or --resume A,B,... to merge into it");
    if (o->part[1] && !o->log && !o->resume)
        die("--part %d/%d: its trials are for a log; add --log FILE", o->part[0], o->part[1]);
    if (o->plot_terminal && (o->figures || o->facts || o->format != FORMAT_TEXT))
        die("--plot-terminal draws between lines of text: expected without --figures, --facts, --format");
    if ((o->timeout_s[0] > 0 || o->workers || o->record) && strncmp(o->device, "run:", 4))
        die("--timeout, --workers, --record: count with a live device only; add --device run:'COMMAND'");
    if (o->verbose && !o->explain)
        die("--verbose: counts with --explain only; add --explain BM,BN,BK,W,S,G,K");
    if (o->explain && (!o->all_demos || o->facts || o->figures || o->plot_terminal))
        die("--explain prints no demo, fact or figure: expected without --demo, --facts, --figures, --plot-terminal");
    if (o->facts && (o->format != FORMAT_TEXT || o->color == COLOR_ALWAYS || strcmp(o->device, "hypogpu")))
        die("--facts prints id<TAB>value, found on hypogpu: expected without --format, --color, --device");
    if (o->color == COLOR_ALWAYS && o->format != FORMAT_TEXT)
        die("--color always: counts in text only; leave --format out");
}

/* The end of a program that was only asked about itself. */
static void said(void)
{
    if (fflush(stdout))
        die("stdout: could not be written");
    exit(0);
}

struct options options_parse(int program, const char *name, int demos, int on_request, int argc, char **argv)
{
    struct options options = { .all_demos = true, .device = "hypogpu", .lang = locale_language() };
    struct option list[ROWS + 1] = { 0 };
    bool given[ROWS] = { false };
    int used = 0, key;
    for (int row = 0; row < ROWS; row++)
        if (demos_of(&table[row], program))
            list[used++] = (struct option){ table[row].name, table[row].argument ? required_argument : no_argument,
                                            NULL, 256 + row };
    die_name(name);
    opterr = 0;
    while ((key = getopt_long(argc, argv, ":", list, NULL)) != -1) {
        if (key == ':')
            die("%s: an argument is missing; see --help", argv[optind - 1]);
        if (key < 256 && optopt >= 256)
            die("--%s takes no value", table[optopt - 256].name);
        if (key < 256 && optopt > 0) /* a short one, and there are none */
            die("-%c: no such option; see --help", optopt);
        if (key < 256)
            die("%s: no such option; see --help", argv[optind - 1]);
        given[key - 256] = true;
        take(&options, &table[key - 256], optarg, demos);
        if (options.version) {
            printf("%s %s\n", name, OPTIONS_VERSION);
            said();
        }
    }
    if (optind < argc)
        die("%s: expected options only; see --help", argv[optind]);
    text_set_lang((enum lang)options.lang);
    if (options.help) {
        print_help(program, name, demos, on_request);
        said();
    }
    for (int d = 1; options.all_demos && d <= demos; d++)
        options.demo[d] = true;
    for (int row = 0; row < ROWS; row++)
        if (given[row])
            check_demos(&options, program, &table[row]);
    check(&options);
    options.color = wants_color(options.color);
    return options;
}

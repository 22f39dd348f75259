/* options.c - one table of every option, one parser for all programs. */
#include "report/options.h"
#include "base/die.h"
#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALL = 0x7e }; /* a set of programs: bit N is program N, 1 … 5; 6: claims, exercises */

enum kind {         /* what an option's place in struct options holds */
            FLAG,   /* bool */
            STRING, /* const char * */
            WORD,   /* int: its position among the argument's words */
            COUNT,  /* int from low to high */
            SEED,   /* uint64_t, the same */
            DEMOS   /* the bools of the demos named */
};

#define AT(field) offsetof(struct options, field)

/* clang-format off */
static const struct row {
    const char *name, *argument;
    int programs; /* that have it */
    enum kind kind;
    size_t at;
    long low, high;
    struct text help;
} table[] = {
    { "demo", "N[,N...]", ALL, DEMOS, AT(demo), 0, 0, { "run only these demos", "只运行这些演示" } },
    { "lang", "en|zh", ALL, WORD, AT(lang), 0, 0, { "language (default: the locale's)", "语言（默认看系统语言）" } },
    { "format", "text|md|tsv|json", ALL, WORD, AT(format), 0, 0,
      { "form of the output (default: text)", "输出格式（默认 text）" } },
    { "figures", "DIR", ALL, STRING, AT(figures), 0, 0,
      { "write gnuplot scripts of the figures to DIR", "把图的 gnuplot 脚本写到 DIR" } },
    { "plot-terminal", NULL, ALL, FLAG, AT(plot_terminal), 0, 0,
      { "draw the figures in the terminal (needs gnuplot)", "在终端里画图（需要 gnuplot）" } },
    { "device", "FILE[:COLUMN]", ALL, STRING, AT(device), 0, 0,
      { "a recording of a real GPU (data/) instead of hypogpu", "用真实 GPU 的录制数据（data/）代替 hypogpu" } },
    { "repeats", "N", ALL & ~2, COUNT, AT(repeats), 1, 1000, { "repeats of each experiment", "每个实验重复几次" } },
    { "trials", "N", ALL & ~(2 | 16), COUNT, AT(trials), 1, 100000,
      { "measurements of each tuning", "每次调优实测几次" } },
    { "batch", "N", 4 | 32, COUNT, AT(batch), 1, 100000,
      { "measurements before a tuner learns from them (default: 02: 64; 05: 8)", "每测几次让调优器学一次（默认 02：64；05：8）" } },
    { "finalists", "N", 4, COUNT, AT(finalists), 0, 1000,
      { "demo 1: the N fastest are measured 5 times more before one is chosen", "演示 1：最快的 N 个各再测 5 次，再选定一个" } },
    { "unit", "N", 16, COUNT, AT(unit), 1, 100000,
      { "measurements of each unit (default: 64)", "每个单位实测几次（默认 64）" } },
    { "seed", "N", ALL, SEED, AT(seed), 0, 1000000000,
      { "seed of all random numbers (default: 0)", "随机种子（默认 0）" } },
    { "jobs", "N", ALL, COUNT, AT(jobs), 1, 256,
      { "threads (default: one a core); the output does not depend on it", "线程数（默认每核一个）；不影响输出" } },
    { "shape", "MxNxK|NAME", 2 | 4, STRING, AT(shape), 0, 0,
      { "01: the terrain of this shape; 02: demos 1, 4, 5 on it", "01：这个形状的地形；02：在它上面做演示 1、4、5" } },
    { "explain", "BM,BN,BK,W,S,G,K", 2, STRING, AT(explain), 0, 0,
      { "where the time of this configuration goes", "这个配置的时间花在哪里" } },
    { "verbose", NULL, 2, FLAG, AT(verbose), 0, 0,
      { "with --explain: every intermediate value", "配合 --explain：列出所有中间值" } },
    { "strategies", "NAME[,...]", 4 | 32, STRING, AT(strategies), 0, 0,
      { "02: demo 1 with these strategies; 05: demos 2 and 3", "02：演示 1 用这些策略；05：演示 2 和 3" } },
    { "log", "FILE", 4, STRING, AT(log), 0, 0,
      { "demo 1 alone, every trial written to FILE, a JSON line each", "只做演示 1，每次实测写一行 JSON 到 FILE" } },
    { "resume", "FILE", 4, STRING, AT(resume), 0, 0,
      { "go on with the interrupted run whose log this is", "接着这个日志里中断的运行做下去" } },
    { "why", NULL, 16, FLAG, AT(why), 0, 0,
      { "demo 2: both terms of the gradient at every pick", "演示 2：列出每次选择时梯度的两项" } },
    { "facts", NULL, ALL, FLAG, AT(facts), 0, 0,
      { "print only the reproduced values, id<TAB>value", "只打印复现的数值，id<TAB>值" } },
    { "color", "auto|always|never", ALL, WORD, AT(color), 0, 0,
      { "bold headings (default: auto, on a terminal)", "标题加粗（默认 auto：在终端上）" } },
    { "quiet", NULL, ALL, FLAG, AT(quiet), 0, 0,
      { "no progress and no clock on stderr", "stderr 上不显示进度和用时" } },
    { "help", NULL, ALL, FLAG, AT(help), 0, 0, { "print this and exit", "打印本说明" } },
    { "version", NULL, ALL, FLAG, AT(version), 0, 0, { "print the version and exit", "打印版本号" } },
};
/* clang-format on */
enum { ROWS = sizeof table / sizeof *table };

static void print_help(int program, const char *name, int demos)
{
    printf(tr("Usage: %s [OPTION]...\nRuns its %d demos and prints their tables. Options:\n",
              "用法：%s [选项]...\n运行 %d 个演示并打印表格。选项：\n"),
           name, demos);
    for (const struct row *row = table; row < table + ROWS; row++) {
        if (!(row->programs >> program & 1))
            continue;
        int width = 4 + (int)strlen(row->name) + (row->argument ? 1 + (int)strlen(row->argument) : 0);
        printf("  --%s%s%s%*s%s\n", row->name, row->argument ? " " : "", row->argument ? row->argument : "",
               width < 30 ? 30 - width : 1, "", tr_text(row->help));
    }
}

/* A whole number from low to high, with nothing behind it. */
static long whole(const struct row *row, const char *text)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || *text < '0' || *text > '9' || *end || value < row->low || value > row->high)
        die("--%s %s: expected a whole number from %ld to %ld", row->name, text, row->low, row->high);
    return value;
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
    char *end = NULL;
    options->all_demos = false;
    for (const char *at = text; !end || *end; at = end + 1) {
        long n = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : 0;
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

/* The order of no-color.org and its followers: the option (its position in "auto|always|never"), NO_COLOR, TERM=dumb,
 * whether stdout is a terminal. */
static bool wants_color(int when)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (when)
        return when == 1;
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
    case SEED: *(uint64_t *)place = (uint64_t)whole(row, value); break;
    case DEMOS: take_demos(options, value, demos); break;
    }
}

/* Options that do not go together. */
static void check(const struct options *o)
{
    if (o->log && o->resume)
        die("--log starts a new file, --resume goes on with one: expected one of the two");
    if (o->plot_terminal && (o->figures || o->facts || o->format != FORMAT_TEXT))
        die("--plot-terminal draws between lines of text: expected without --figures, --facts, --format");
}

/* The end of a program that was only asked about itself. */
static void said(void)
{
    if (fflush(stdout))
        die("stdout: could not be written");
    exit(0);
}

struct options options_parse(int program, const char *name, int demos, int argc, char **argv)
{
    struct options options = { .all_demos = true, .device = "hypogpu", .lang = locale_language() };
    struct option list[ROWS + 1] = { 0 };
    int used = 0, key;
    for (int row = 0; row < ROWS; row++)
        if (table[row].programs >> program & 1)
            list[used++] = (struct option){ table[row].name, table[row].argument ? required_argument : no_argument,
                                            NULL, 256 + row };
    die_name(name);
    opterr = 0;
    while ((key = getopt_long(argc, argv, ":", list, NULL)) != -1) {
        if (key == ':')
            die("%s: an argument is missing; see --help", argv[optind - 1]);
        if (key < 256 && optopt > 0 && optopt < 256) /* a short one, and there are none */
            die("-%c: no such option; see --help", optopt);
        if (key < 256)
            die("%s: no such option; see --help", argv[optind - 1]);
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
        print_help(program, name, demos);
        said();
    }
    for (int d = 1; options.all_demos && d <= demos; d++)
        options.demo[d] = true;
    options.color = wants_color(options.color);
    check(&options);
    return options;
}

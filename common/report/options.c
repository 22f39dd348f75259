/* options.c - one table of every option, one parser for all programs. */
#include "report/options.h"
#include "base/die.h"
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
enum key {
    DEMO, LANG, FORMAT, FIGURES, PLOT_TERMINAL, DEVICE, REPEATS, TRIALS, UNIT, SEED, JOBS, SHAPE, EXPLAIN, VERBOSE, STRATEGIES,
    LOG, RESUME, WHY, FACTS, COLOR, QUIET, HELP, VERSION_KEY, KEYS
};
/* clang-format on */

enum { ALL = 0x7e }; /* a set of programs: bit N is program N, 1 … 5; 6: claims */

/* clang-format off */
static const struct {
    const char *name, *argument;
    int programs;
    struct text help;
} table[KEYS] = {
    [DEMO] = { "demo", "N[,N...]", ALL, { "run only these demos", "只运行这些演示" } },
    [LANG] = { "lang", "en|zh", ALL, { "language (default: the locale's)", "语言（默认看系统语言）" } },
    [FORMAT] = { "format", "text|md|tsv|json", ALL, { "form of the output (default: text)", "输出格式（默认 text）" } },
    [FIGURES] = { "figures", "DIR", ALL, { "write gnuplot scripts of the figures to DIR", "把图的 gnuplot 脚本写到 DIR" } },
    [PLOT_TERMINAL] = { "plot-terminal", NULL, ALL, { "draw the figures in the terminal (needs gnuplot)", "在终端里画图（需要 gnuplot）" } },
    [DEVICE] = { "device", "FILE[:COLUMN]", ALL, { "a recording of a real GPU (data/) instead of hypogpu", "用真实 GPU 的录制数据（data/）代替 hypogpu" } },
    [REPEATS] = { "repeats", "N", ALL & ~2, { "repeats of each experiment", "每个实验重复几次" } },
    [TRIALS] = { "trials", "N", ALL & ~(2 | 16), { "measurements of each tuning", "每次调优实测几次" } },
    [UNIT] = { "unit", "N", 16, { "measurements of each unit (default: 64)", "每个单位实测几次（默认 64）" } },
    [SEED] = { "seed", "N", ALL, { "seed of all random numbers (default: 0)", "随机种子（默认 0）" } },
    [JOBS] = { "jobs", "N", ALL, { "threads (default: one a core); the output does not depend on it", "线程数（默认每核一个）；不影响输出" } },
    [SHAPE] = { "shape", "MxNxK|NAME", 2 | 4, { "01: the terrain of this shape; 02: demos 1, 4, 5 on it", "01：这个形状的地形；02：在它上面做演示 1、4、5" } },
    [EXPLAIN] = { "explain", "BM,BN,BK,W,S,G,K", 2, { "where the time of this configuration goes", "这个配置的时间花在哪里" } },
    [VERBOSE] = { "verbose", NULL, 2, { "with --explain: every intermediate value", "配合 --explain：列出所有中间值" } },
    [STRATEGIES] = { "strategies", "NAME[,...]", 4, { "demo 1 with these strategies", "演示 1 用这些策略" } },
    [LOG] = { "log", "FILE", 4, { "demo 1 alone, every trial written to FILE, a JSON line each", "只做演示 1，每次实测写一行 JSON 到 FILE" } },
    [RESUME] = { "resume", "FILE", 4, { "go on with the interrupted run whose log this is", "接着这个日志里中断的运行做下去" } },
    [WHY] = { "why", NULL, 16, { "demo 2: both terms of the gradient at every pick", "演示 2：列出每次选择时梯度的两项" } },
    [FACTS] = { "facts", NULL, ALL, { "print only the reproduced values, id<TAB>value", "只打印复现的数值，id<TAB>值" } },
    [COLOR] = { "color", "auto|always|never", ALL, { "bold headings (default: auto, on a terminal)", "标题加粗（默认 auto：在终端上）" } },
    [QUIET] = { "quiet", NULL, ALL, { "no progress and no clock on stderr", "stderr 上不显示进度和用时" } },
    [HELP] = { "help", NULL, ALL, { "print this and exit", "打印本说明" } },
    [VERSION_KEY] = { "version", NULL, ALL, { "print the version and exit", "打印版本号" } },
};
/* clang-format on */

static void print_help(int program, const char *name, int demos)
{
    printf(tr("Usage: %s [OPTION]...\nRuns its %d demos and prints their tables. Options:\n",
              "用法：%s [选项]...\n运行 %d 个演示并打印表格。选项：\n"),
           name, demos);
    for (int key = 0; key < KEYS; key++) {
        if (!(table[key].programs >> program & 1))
            continue;
        const char *argument = table[key].argument;
        int width = 4 + (int)strlen(table[key].name) + (argument ? 1 + (int)strlen(argument) : 0);
        printf("  --%s%s%s%*s%s\n", table[key].name, argument ? " " : "", argument ? argument : "",
               width < 30 ? 30 - width : 1, "", tr_text(table[key].help));
    }
}

/* A whole number from low to high, with nothing behind it. */
static long whole(enum key key, const char *text, long low, long high)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || *text < '0' || *text > '9' || *end || value < low || value > high)
        die("--%s %s: expected a whole number from %ld to %ld", table[key].name, text, low, high);
    return value;
}

/* The position of text among the words, joined by '|', that this option allows. */
static int one_of(enum key key, const char *text)
{
    size_t length = strlen(text);
    const char *word = table[key].argument;
    for (int i = 0;; i++) {
        size_t n = strcspn(word, "|");
        if (n == length && !strncmp(word, text, n))
            return i;
        if (!word[n])
            die("--%s %s: expected %s", table[key].name, text, table[key].argument);
        word += n + 1;
    }
}

static void take_demos(struct options *options, const char *text, int demos)
{
    options->all_demos = false;
    for (const char *at = text;; at++) {
        char *end;
        long n = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : 0;
        if (n < 1 || n > demos || (*end && *end != ','))
            die("--demo %s: expected numbers from 1 to %d joined by commas", text, demos);
        options->demo[n] = true;
        at = end;
        if (!*at)
            return;
    }
}

static enum lang locale_language(void)
{
    static const char *const names[] = { "LC_ALL", "LC_MESSAGES", "LANG" };
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return !strncmp(value, "zh", 2) ? LANG_ZH : LANG_EN;
    }
    return LANG_EN;
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

static void take(struct options *options, enum key key, const char *value, int demos, int *color)
{
    switch (key) {
    case DEMO: take_demos(options, value, demos); break;
    case LANG: text_set_lang((enum lang)one_of(key, value)); break;
    case FORMAT: options->format = (enum format)one_of(key, value); break;
    case FIGURES: options->figures = value; break;
    case PLOT_TERMINAL: options->plot_terminal = true; break;
    case DEVICE: options->device = value; break;
    case REPEATS: options->repeats = (int)whole(key, value, 1, 1000); break;
    case TRIALS: options->trials = (int)whole(key, value, 1, 100000); break;
    case UNIT: options->unit = (int)whole(key, value, 1, 100000); break;
    case SEED: options->seed = (uint64_t)whole(key, value, 0, 1000000000); break;
    case JOBS: options->jobs = (int)whole(key, value, 1, 256); break;
    case SHAPE: options->shape = value; break;
    case EXPLAIN: options->explain = value; break;
    case VERBOSE: options->verbose = true; break;
    case STRATEGIES: options->strategies = value; break;
    case LOG: options->log = value; break;
    case RESUME: options->resume = value; break;
    case WHY: options->why = true; break;
    case FACTS: options->facts = true; break;
    case COLOR: *color = one_of(key, value); break;
    case QUIET: options->quiet = true; break;
    case HELP:
    case VERSION_KEY:
    case KEYS: break;
    }
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
    struct options options = { .all_demos = true, .device = "hypogpu" };
    struct option list[KEYS + 1] = { 0 };
    int used = 0, color = 0, key;
    bool help = false;
    for (key = 0; key < KEYS; key++)
        if (table[key].programs >> program & 1)
            list[used++] = (struct option){ table[key].name, table[key].argument ? required_argument : no_argument,
                                            NULL, 256 + key };
    die_name(name);
    text_set_lang(locale_language());
    opterr = 0;
    while ((key = getopt_long(argc, argv, ":", list, NULL)) != -1) {
        if (key == ':')
            die("%s: an argument is missing; see --help", argv[optind - 1]);
        if (key < 256 && optopt > 0 && optopt < 256) /* a short one, and there are none */
            die("-%c: no such option; see --help", optopt);
        if (key < 256)
            die("%s: no such option; see --help", argv[optind - 1]);
        help |= key == 256 + HELP;
        if (key == 256 + VERSION_KEY) {
            printf("%s %s\n", name, OPTIONS_VERSION);
            said();
        }
        take(&options, (enum key)(key - 256), optarg, demos, &color);
    }
    if (optind < argc)
        die("%s: expected options only; see --help", argv[optind]);
    if (help) {
        print_help(program, name, demos);
        said();
    }
    for (int d = 1; options.all_demos && d <= demos; d++)
        options.demo[d] = true;
    options.color = wants_color(color);
    if (options.log && options.resume)
        die("--log starts a new file, --resume goes on with one: expected one of the two");
    if (options.plot_terminal && (options.figures || options.facts || options.format != FORMAT_TEXT))
        die("--plot-terminal draws between lines of text: expected without --figures, --facts, --format");
    return options;
}

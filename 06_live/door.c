/* Demo 1: one configuration's kernel, three that are verified, a wrong one that is caught; the price of a trial. */
#include "live.h"
#include "base/clock.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 3, LINE = 400 };
static const char names[] = "MR,NR,KC,MC,NC,UNROLL,PACK,ORDER,AHEAD";

/* A simple one, one in between, a good one: of the values that there are the largest up to these; NR in vectors. */
static char *row_of(const struct space *space, int which)
{
    static const int wanted[SHOWN][9] = {
        { 1, 1, 64, 96, 512, 1, 0, 0, 0 },
        { 4, 1, 256, 96, 512, 4, 2, 0, 0 },
        { 6, 2, 256, 96, 512, 4, 3, 0, 0 },
    };
    char *row = NULL;
    for (int k = 0; k < space->knobs; k++) {
        const struct knob *knob = &space->knob[k];
        int v = 0, most = wanted[which][k] * (k == 1 ? knob->values[0] : 1);
        while (v + 1 < knob->count && knob->values[v + 1] <= most)
            v++;
        xappend(&row, "%s%d", k ? "," : "", knob->values[v]);
    }
    return row;
}

static void show_kernel(struct run *run, const char *row)
{
    char line[LINE], *text = NULL, *options = xformat("--print %s", row);
    FILE *kernel = live_ask(live_gemm, options, NULL);
    bool inside = false;
    while (fgets(line, sizeof line, kernel)) {
        inside |= strncmp(line, "/* One k", 8) == 0; /* from the innermost loop on */
        if (inside)
            xappend(&text, "%s", line);
    }
    pclose(kernel);
    report_say(
        run->report,
        tr("The kernel of %s, from its innermost loop on; before that stand its constants and how it finds its "
           "inputs.",
           "%s 的内核，从最内层循环开始；前面还有常数和怎样找到输入。"),
        row);
    report_verbatim(run->report, text ? text : "");
    free(options);
    free(text);
}

/* One Request of one row; every line that comes goes into *said, and the times between them into the table. */
static void one_trial(struct run *run, const char *row, const char *options, struct table *table, char **said)
{
    char line[LINE], *question = xformat("Request 1\\n%s\\n%s\\n", names, row);
    FILE *answer = live_ask(live_gemm, options, question);
    double began = clock_wall_s(), running = 0, compile_s = 0, us = 0, ended;
    char word[32] = "-";
    while (fgets(line, sizeof line, answer)) {
        xappend(said, "%s", line);
        if (strncmp(line, "running", 7) == 0)
            running = clock_wall_s();
        char *cell = strncmp(line, row, strlen(row)) == 0 ? line + strlen(row) : NULL;
        if (cell && sscanf(cell, ",%lf,%*f,%lf,%31s", &us, &compile_s, word) != 3)
            sscanf(cell, ",,,%lf,%31s", &compile_s, word);
    }
    ended = clock_wall_s();
    pclose(answer);
    table_text(table, "%s%s", row, *options ? tr(", wrong", "，错的") : "");
    table_text(table, "%s", word);
    table_number(table, us > 0 ? us : NAN);
    table_number(table, us > 0 ? live_gflops(run, us) : NAN);
    table_numbers(table, compile_s, running > 0 ? ended - running : NAN, ended - began);
    free(question);
}

void demo1_door(struct run *run)
{
    const struct space *space = device_space(run->device, &run->device->workload[0]);
    if (!live_needs_gemm(run))
        return;
    char *row[SHOWN], *said = NULL;
    struct table *table =
        table_of({ TEXT("configuration", "配置"), TABLE_TEXT }, { TEXT("verdict", "结论"), TABLE_TEXT },
                 { TEXT("time\nus", "耗时\nus"), 1 }, { TEXT("speed\nGFLOP/s", "速度\nGFLOP/s"), 1 },
                 { TEXT("compile\ns", "编译\n秒"), 2 }, { TEXT("verify, time\ns", "验证、计时\n秒"), 2 },
                 { TEXT("in all\ns", "总共\n秒"), 2 });
    for (int i = 0; i < SHOWN; i++)
        row[i] = row_of(space, i);
    report_say(
        run->report,
        tr("A configuration is a row %s: MR x NR is the tile of C that stays in registers; KC, MC and NC are the "
           "depth, rows and columns of a block; UNROLL is how many steps of k a turn of the inner loop has; PACK is "
           "what is copied first (0 nothing, 1 A, 2 B, 3 both); ORDER numbers the orders of the loops over blocks; "
           "AHEAD is how many rows of B prefetching is ahead.",
           "一个配置是一行 %s：MR x NR 是留在寄存器里的 C 的分块；KC、MC、NC 是块的深度、行数、列数；UNROLL 是内层循环一次走 k 的几步；"
           "PACK 是先复制什么（0 都不，1 A，2 B，3 都）；ORDER 是块循环顺序的编号；AHEAD 是预取提前 B 的几行。"),
        names);
    show_kernel(run, row[1]);
    for (int i = 0; i < SHOWN; i++)
        one_trial(run, row[i], "", table, &said);
    one_trial(run, row[1], "--fault skip", table, &said);
    report_say(
        run->report, "%s",
        tr("What the device said to four questions of one configuration each (sd_us: the time's standard error); the "
           "last one's kernel leaves out one k of each sum, on purpose:",
           "设备对四个问题的回答，每个问题一个配置（sd_us：耗时的标准误差）；最后一个的内核故意在每个和里漏掉一个 k："));
    report_verbatim(run->report, said);
    report_table(run->report, table, "%s",
                 tr("What a trial costs; in all: with the start of the device and the drawing of inputs",
                    "一次实测的代价；总共：包括启动设备和生成输入"));
    report_say(
        run->report, "%s",
        tr("Most of a trial is the compiler. A tuner's batch has several kernels compiled side by side, and timed "
           "one at a time.",
           "一次实测的时间大半是编译。调优器的一批里，几个内核同时编译，计时一个一个来。"));
    for (int i = 0; i < SHOWN; i++)
        free(row[i]);
    free(said);
}

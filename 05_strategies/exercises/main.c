/* exercises - the eight exercises of section 11: the question in our words, the answer, and how it was computed. */
#include "exercises.h"
#include "../answers.h"
#include <stdlib.h>

static void ask(struct run *run, const char *question) { report_say(run->report, tr("Q: %s", "问：%s"), question); }

static void exercise1(struct run *run)
{
    if (!program_needs_hypogpu(run))
        return;
    const struct space *space = run->device->space;
    struct landscape l = landscape_new(run->device, &workload_five[0], space);
    struct table *table =
        table_of({ TEXT("BLOCK_K", "BLOCK_K"), TABLE_TEXT }, { TEXT("compute\ncycles", "计算\n周期"), 0 },
                 { TEXT("latency\ncycles", "延迟\n周期"), 0 }, { TEXT("stages that hide it", "掩盖它要几级"), 2 },
                 { TEXT("best num_stages\nin the table", "表里最好的\n级数"), 0 });
    ask(run,
        tr("A block computes 64x128 outputs with 2 warps, which use 2 of an SM's 4 sub-partitions. How many pipeline stages hide the latency of a load when BLOCK_K is 16, and when it is 32?",
           "一个块用 2 个 warp 算 64x128 的输出，只用到 SM 的 4 个子分区里的 2 个。BLOCK_K 是 16 和 32 时，要几级流水才能掩盖一次读取的延迟？"));
    for (int i = 0; i < 2; i++) {
        uint32_t config = space_moved(space, l.best, BLOCK_K, i), best = config;
        for (int s = 0; s < space->knob[NUM_STAGES].count; s++) {
            uint32_t moved = space_moved(space, config, NUM_STAGES, s);
            best = l.time_us[moved] < l.time_us[best] ? moved : best;
        }
        struct little a = answer1(16 << i);
        table_text(table, "%d", 16 << i);
        table_numbers(table, a.compute, a.latency, a.stages, space_value(space, best, NUM_STAGES));
    }
    report_table(run->report, table, NULL);
    report_say(
        run->report, "%s",
        tr("A: num_stages - 1 loads are on their way, so (num_stages - 1) x compute >= latency. Other blocks on the SM help, so the best in §1.3's table is below it (01_landscape, demo 4). "
           "A smaller BLOCK_K computes less a step and needs more stages.",
           "答：有 num_stages - 1 次读取在路上，所以要 (num_stages - 1) x 计算 >= 延迟。同一个 SM 上还有别的块帮忙，所以 §1.3 的表里最好的级数更少（01_landscape 演示 4）。"
           "BLOCK_K 越小，每步算得越少，需要的级数越多。"));
    answers_record(run->facts);
    landscape_free(&l);
}

static void exercise2(struct run *run)
{
    struct split a = answer2();
    ask(run,
        tr("Four samples in a node have g = -2, -1, 1, 2 and h = 1 each; lambda = 1. What is the gain of splitting them in the middle, and what are the leaves?",
           "一个节点里 4 个样本的一阶梯度 g = -2、-1、1、2，二阶梯度 h 都是 1，lambda = 1。从中间切开的增益是多少？两个叶子的值呢？"));
    report_say(
        run->report,
        tr("A: gain %.0f; the left leaf is %+.0f, the right %+.0f: predictions on the left are too low and are pulled up. (gbdt_split_gain, gbdt_leaf)",
           "答：增益 %.0f；左叶子 %+.0f，右叶子 %+.0f：左边的预测偏低，被往上拉。（gbdt_split_gain、gbdt_leaf）"),
        a.gain, a.left_leaf, a.right_leaf);
}

static void exercise3(struct run *run)
{
    struct table *table =
        table_of({ TEXT("model", "模型"), TABLE_TEXT }, { TEXT("predicts, ms", "预测，ms"), TABLE_TEXT },
                 { TEXT("sum of squared\nerrors, ms^2", "平方误差之和\nms^2"), 4 },
                 { TEXT("pairs in\norder, %", "顺序对的\n程序对，%"), 0 }, { TEXT("chooses\nms", "选中的\nms"), 1 });
    ask(run,
        tr("Three programs take 1.0, 1.1 and 5.0 ms. Which model has the smaller squared error, and which is more use to a tuner?",
           "三个程序真实要 1.0、1.1、5.0 ms。哪个模型的平方误差小？哪个对调优更有用？"));
    for (int m = 0; m < 2; m++) {
        struct ranking a = answer3(m);
        table_text(table, "%c", "AB"[m]);
        table_text(table, "%s", m ? "0.5 0.8 2.0" : "1.05 1.04 4.9");
        table_numbers(table, a.squared_error, 100 * a.pair_accuracy, a.chosen_ms);
    }
    report_table(run->report, table, NULL);
    report_say(
        run->report, "%s",
        tr("A: A is nearly right about times and wrong about the first two's order; B is wrong about times and right about the order. Tuning needs the order: hence the rank loss.",
           "答：A 的时间几乎都对，但前两个的顺序反了；B 的时间全不对，但顺序全对。调优只需要顺序，所以用排序损失。"));
}

static void exercise4(struct run *run)
{
    ask(run,
        tr("An annealing chain stands at a predicted throughput of 0.80, its neighbour at 0.78. How likely is it to move there at temperature 0.05? At 0.005?",
           "一条退火链所在配置的预测吞吐是 0.80，邻居是 0.78。温度 0.05 时移过去的概率是多少？0.005 呢？"));
    report_say(
        run->report,
        tr("A: e^(-0.02 / T): %.0f %% at T = 0.05, %.1f %% at 0.005. Hot chains leave local optima, cold ones climb. (annealing_acceptance)",
           "答：e^(-0.02 / T)：T = 0.05 时 %.0f%%，0.005 时 %.1f%%。温度高时能跳出局部最优，低时几乎只往上走。（annealing_acceptance）"),
        100 * answer4(0.05), 100 * answer4(0.005));
}

static void exercise5(struct run *run)
{
    if (!program_needs_hypogpu(run))
        return;
    struct luck a = answer5(run->device);
    ask(run,
        tr("What is the chance that 1,024 random measurements of the square hit one of the configurations within 5 % of the optimum? How many make it 95 %?",
           "在方阵上随机测 1024 次，至少碰到一个离最优 5% 以内的配置的概率是多少？要有 95% 的把握，要测几次？"));
    report_say(
        run->report,
        tr("A: their share is %.4f %%, so 1 - (1 - p)^1024 = %.0f %%, and ln 0.05 / ln(1 - p) = %.0f measurements. (landscape of all legal configurations)",
           "答：它们占 %.4f%%，所以 1 - (1 - p)^1024 = %.0f%%；ln 0.05 / ln(1 - p) = %.0f 次。（由所有合法配置的地形算出）"),
        100 * a.good_share, 100 * a.hit1024, a.trials95);
}

static void exercise6(struct run *run)
{
    ask(run,
        tr("Which sketches do the rules derive for (a) relu(A B + bias), all 4096 x 4096, and (b) the sum of each row of a 16 x 1,000,000 matrix?",
           "规则会为下面两个计算图导出哪些草图：(a) relu(A B + bias)，都是 4096 x 4096；(b) 对 16 x 1,000,000 的矩阵按行求和？"));
    for (int i = 0; i < 2; i++) {
        struct derivation a = answer6(i);
        report_say(run->report,
                   tr("A (%c): %zu %s, %s rule 6 (rfactor). Rules of the last, node by node from the output: %s",
                      "答 (%c)：%zu 个%s，%s规则 6（rfactor）。最后一个的规则，从输出起逐个节点：%s"),
                   "ab"[i], a.sketches, a.sketches == 1 ? tr("sketch", "草图") : tr("sketches", "草图"),
                   a.rfactor ? tr("with", "用到") : tr("without", "没有用"), a.history);
        free(a.history);
    }
    report_say(
        run->report, "%s",
        tr("(a) the element-wise steps are inlined or fused into the tiled product; its output is large and its reduction not long. (b) nothing is reused, so nothing is tiled; the output is small "
           "and the reduction long, so it is split. (sketch_generate; 03_ansor, demo 1 prints the loop nests)",
           "(a) 逐元素的步骤被内联或融合进分块的矩阵乘法；输出很大、归约不算长。(b) 没有数据复用，不分块；输出很小、归约很长，所以把归约拆开。（sketch_generate；循环嵌套见 03_ansor 演示 1）"));
}

static void exercise7(struct run *run)
{
    struct turn a = answer7();
    ask(run,
        tr("Task 1 runs 32 times, is at 200 us after 4 units and was at 205 two units ago. Task 2 runs 128 times, is at 9 us after 1 unit. With alpha = 0.2 and -g/t alone as second term: who gets the next unit?",
           "任务 1 出现 32 次，4 个单位后是 200 us，两个单位前是 205；任务 2 出现 128 次，1 个单位后是 9 us。alpha = 0.2，第二项只用 -g/t。下一个单位给谁？"));
    report_say(run->report,
               tr("A: %.1f and %.1f us a unit: task %d. (scheduler_gradients)",
                  "答：%.1f 和 %.1f us/单位：给任务 %d。（scheduler_gradients）"),
               a.gradient[0], a.gradient[1], a.next + 1);
}

static const struct demo exercises[] = {
    { { "Little's law", "Little 定律" }, "§11", exercise1 },
    { { "The gain of a split", "切分的增益" }, "§11", exercise2 },
    { { "Rank or regression", "排序还是回归" }, "§11", exercise3 },
    { { "Simulated annealing", "模拟退火" }, "§11", exercise4 },
    { { "How long random search takes", "随机搜索要测多少次" }, "§11", exercise5 },
    { { "Sketch rules", "草图规则" }, "§11", exercise6 },
    { { "The task scheduler", "任务调度" }, "§11", exercise7 },
    { { "Dynamic M: a plan, built and measured", "动态 M：做出来并测量的方案" }, "§11", exercise8_dynamic_m },
};

static const struct fact *const published[] = { published_answers, NULL };

int main(int argc, char **argv)
{
    const struct program program = { .number = 7,
                                     .name = "exercises",
                                     .label = { "Exercise", "练习" },
                                     .demos = sizeof exercises / sizeof *exercises,
                                     .demo = exercises,
                                     .published = published,
                                     .live = "1234567" };
    return program_main(&program, argc, argv);
}

/* Demo 5: the numbers of exercises 1 to 7 (`make exercises` asks and answers them in full, and builds the open
 * eighth). */
#include "answers.h"
#include "pool.h"
#include <stdlib.h>

/* The first two cells of a row. */
static void ask(struct table *table, int exercise, const char *question)
{
    table_text(table, "%d", exercise);
    table_text(table, "%s", question);
}

void demo5_numbers(struct run *run)
{
    const struct column columns[] = { { TEXT("exercise", "练习"), TABLE_TEXT },
                                      { TEXT("question", "问题"), TABLE_TEXT },
                                      { TEXT("answer", "答案"), TABLE_TEXT } };
    if (!program_needs_hypogpu(run))
        return;
    struct table *table = table_new(3, columns);
    struct split split = answer2();
    struct luck luck = answer5(run->device);
    struct derivation relu = answer6(0), row_sum = answer6(1);
    struct turn turn = answer7();
    ask(table, 1, tr("stages that hide a load at BLOCK_K 16 and 32", "BLOCK_K 16 和 32 时掩盖一次读取要几级"));
    table_text(table, "%.2f, %.2f", answer1(16).stages, answer1(32).stages);
    ask(table, 2, tr("gain of the split; left leaf, right leaf", "切分的增益；左叶子，右叶子"));
    table_text(table, "%.0f; %+.0f, %+.0f", split.gain, split.left_leaf, split.right_leaf);
    ask(table, 3, tr("true time of what models A and B choose, ms", "模型 A、B 选中的程序的真实时间，ms"));
    table_text(table, "%.1f, %.1f", answer3(0).chosen_ms, answer3(1).chosen_ms);
    ask(table, 4, tr("acceptance of -0.02 at T = 0.05 and 0.005, %", "T = 0.05 和 0.005 时接受 -0.02 的概率，%"));
    table_text(table, "%.0f, %.1f", 100 * answer4(0.05), 100 * answer4(0.005));
    ask(table, 5,
        tr("1,024 random ones hit one within 5 %, %; trials for 95 %", "随机 1024 次碰到 5% 以内，%；要 95% 的次数"));
    table_text(table, "%.0f; %.0f", 100 * luck.hit1024, luck.trials95);
    ask(table, 6, tr("does rule 6 split relu(AB + bias); the row sum", "规则 6 拆不拆 relu(AB + bias)；按行求和"));
    table_text(table, "%s; %s", relu.rfactor ? tr("yes", "拆") : tr("no", "不拆"),
               row_sum.rfactor ? tr("yes", "拆") : tr("no", "不拆"));
    ask(table, 7, tr("gradients, us a unit; who is next", "梯度，us/单位；下一个给谁"));
    table_text(table, "%.1f, %.1f; %d", turn.gradient[0], turn.gradient[1], turn.next + 1);
    report_print(run->report, table, NULL);
    answers_record(run->facts);
    free(relu.history);
    free(row_sum.history);
}

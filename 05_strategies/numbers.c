/* Demo 5: the numbers of exercises 1 to 7 (`make exercises` asks and answers them in full, and builds the open
 * eighth). */
#include "answers.h"
#include "pool.h"

void demo5_numbers(struct run *run)
{
    const struct column columns[] = { { TEXT("exercise", "练习"), TABLE_TEXT },
                                      { TEXT("question", "问题"), TABLE_TEXT },
                                      { TEXT("answer", "答案"), TABLE_TEXT } };
    if (!program_needs_hypogpu(run))
        return;
    struct answers a = answers_compute(run->device);
    struct table *table = table_new(3, columns);
    table_text(table, "1");
    table_text(table, "%s",
               tr("stages that hide a load at BLOCK_K 16 and 32", "BLOCK_K 16 和 32 时掩盖一次读取要几级"));
    table_text(table, "%.2f, %.2f", a.little[0].stages, a.little[1].stages);
    table_text(table, "2");
    table_text(table, "%s", tr("gain of the split; left leaf, right leaf", "切分的增益；左叶子，右叶子"));
    table_text(table, "%.0f; %+.0f, %+.0f", a.gain, a.left_leaf, a.right_leaf);
    table_text(table, "3");
    table_text(table, "%s", tr("true time of what models A and B choose, ms", "模型 A、B 选中的程序的真实时间，ms"));
    table_text(table, "%.1f, %.1f", a.chosen_ms[0], a.chosen_ms[1]);
    table_text(table, "4");
    table_text(table, "%s",
               tr("acceptance of -0.02 at T = 0.05 and 0.005, %", "T = 0.05 和 0.005 时接受 -0.02 的概率，%"));
    table_text(table, "%.0f, %.1f", 100 * a.acceptance[0], 100 * a.acceptance[1]);
    table_text(table, "5");
    table_text(table, "%s",
               tr("1,024 random ones hit one within 5 %, %; trials for 95 %",
                  "随机 1024 次碰到 5% 以内，%；要 95% 的次数"));
    table_text(table, "%.0f; %.0f", 100 * a.hit1024, a.trials95);
    table_text(table, "6");
    table_text(table, "%s",
               tr("does rule 6 split relu(AB + bias); the row sum", "规则 6 拆不拆 relu(AB + bias)；按行求和"));
    table_text(table, "%s; %s", a.rfactor[0] ? tr("yes", "拆") : tr("no", "不拆"),
               a.rfactor[1] ? tr("yes", "拆") : tr("no", "不拆"));
    table_text(table, "7");
    table_text(table, "%s", tr("gradients, us a unit; who is next", "梯度，us/单位；下一个给谁"));
    table_text(table, "%.1f, %.1f; %d", a.gradient[0], a.gradient[1], a.next + 1);
    report_table(run->report, (struct text){ 0 }, table);
    answers_record(&a, run->facts);
    table_free(table);
    answers_free(&a);
}

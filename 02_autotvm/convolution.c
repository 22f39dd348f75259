/* Demo 6: a convolution as an implicit matrix product, random beside AutoTVM, as in AutoTVM's figure 4 (lecture 4.6). */
#include "autotvm.h"
#include "space/convolution.h"

enum { SHAPES = 2, RANDOM = 0, GENETIC, AUTOTVM, VARIANTS, TRIALS = 512 };

/* The first and the last with a window of 3 x 3 and a stride of 1: a large image of few channels, a small one of many. */
static const int tuned[SHAPES] = { 1, 11 };

static void shapes_table(struct run *run)
{
    struct table *table =
        table_of({ TEXT("layer", "层"), TABLE_TEXT }, { TEXT("image", "图像"), TABLE_TEXT },
                 { TEXT("channels\nin > out", "通道\n输入 > 输出"), TABLE_TEXT },
                 { TEXT("window", "窗口"), TABLE_TEXT }, { TEXT("stride", "步长"), 0 },
                 { TEXT("M x N x K", "M x N x K"), TABLE_TEXT }, { TEXT("gathered\n/ image", "展开\n/ 图像"), 2 },
                 { TEXT("optimum\nus", "最优\nus"), 1 }, { TEXT("TFLOP/s", "TFLOP/s"), 1 });
    for (int i = 0; i < CONVOLUTIONS; i++) {
        const struct convolution *c = &convolution_resnet18[i];
        struct workload w = convolution_product(c);
        double us = device_optimum_us(run->device, &w);
        char text[64];
        table_text(table, "%s", c->id);
        table_text(table, "%d x %d", c->size, c->size);
        table_text(table, "%d > %d", c->in, c->out);
        table_text(table, "%d x %d", c->window, c->window);
        table_number(table, c->stride);
        table_text(table, "%s", workload_shape(&w, text, sizeof text));
        table_numbers(table, convolution_gathered(c), us, workload_flop(&w) / us / 1e6);
    }
    report_table(run->report, table,
                 tr("ResNet-18's convolutions, batch 1: M = pixels out, N = channels out, K = channels in x window",
                    "ResNet-18 的卷积，批大小 1：M = 输出像素数，N = 输出通道数，K = 输入通道数 x 窗口"));
}

/* How much faster AutoTVM's choice is than random's, medians of both, after so many measurements. */
static double speedup(const struct experiment *e, int w, size_t trials, size_t of_random)
{
    return experiment_share(e, w, AUTOTVM, trials).median / experiment_share(e, w, RANDOM, of_random).median;
}

static void speedup_table(struct run *run, const struct experiment *e)
{
    size_t counts[EXPERIMENT_COUNTS];
    int n = experiment_counts(e, 32, counts);
    struct table *table = curves_counts_table(TEXT("measurements", "实测次数"), n, counts);
    for (int i = 0; i < table->columns - 1; i++)
        table->column[i + 1].decimals = 2;
    for (int w = 0; w < e->workloads; w++)
        for (int twice = 0; twice < 2; twice++) {
            table_text(table,
                       twice ? tr("%s: random with twice as many", "%s：随机测两倍的次数")
                             : tr("%s: random", "%s：随机"),
                       tr_text(e->workload[w].name));
            for (int i = 0; i < n; i++) {
                if (counts[i] << twice > e->trials)
                    table_none(table);
                else
                    table_number(table, speedup(e, w, counts[i], counts[i] << twice));
            }
        }
    report_table(run->report, table,
                 tr("AutoTVM's choice is so many times as fast as the choice of (true times, medians)",
                    "AutoTVM 选中的速度是下面选中的几倍（真实耗时，中位数）"));
}

void demo6_convolution(struct run *run)
{
    static const struct variant variants[VARIANTS] = {
        [RANDOM] = { .strategy = &strategy_random, .name = { "Random", "随机" } },
        [GENETIC] = { .strategy = &strategy_genetic, .name = { "Genetic", "遗传算法" } },
        [AUTOTVM] = { .strategy = &strategy_annealing, .name = { "AutoTVM", "AutoTVM" } },
    };
    if (!program_needs_hypogpu(run))
        return;
    struct workload workload[SHAPES];
    for (int s = 0; s < SHAPES; s++)
        workload[s] = convolution_product(&convolution_resnet18[tuned[s]]);
    const struct options *o = run->options;
    struct experiment e = program_experiment(run, "02.convolution", SHAPES, workload, VARIANTS, variants,
                                             o->trials ? (size_t)o->trials : TRIALS);
    shapes_table(run);
    experiment_run(&e, program_tuning_progress, run);
    for (int s = 0; s < SHAPES; s++)
        curves_show(&e, s, 16, run->report, run->figures, "convolution", TEXT("", ""),
                    TEXT("ResNet-18, ", "ResNet-18，"));
    speedup_table(run, &e);
    report_say(
        run->report,
        tr("Of the paper's twelve, %s and %s are tuned. It reports operators about 2 times as fast as random's, on a TITAN X; here "
           "it is %.2f and %.2f after %zu. There a space holds up to billions of programs; here, %u configurations of one kernel.",
           "论文的十二个里调 %s 和 %s。论文在 TITAN X 上找到的算子比随机搜索的快约 2 倍；这里是 %.2f 和 %.2f 倍（测 %zu 次后）。"
           "那里的空间多达几十亿个程序；这里是一个内核的 %u 个配置。"),
        workload[0].id, workload[1].id, speedup(&e, 0, e.trials, e.trials), speedup(&e, 1, e.trials, e.trials),
        e.trials, run->device->space->size);
    report_say(
        run->report, "%s",
        tr("What this product leaves out: HypoGPU loads the gathered matrix as if it were stored, though overlapping windows share "
           "their pixels (\"gathered / image\" times) and caches would serve most of them; the index arithmetic and the tests for "
           "the padding cost nothing; and neither a direct convolution, AutoTVM's own template, nor Winograd's is in the space.",
           "这个矩阵乘法没有算进去的：HypoGPU 把展开后的矩阵当作存好的来读，其实相邻窗口共用像素（“展开 / 图像”倍），大多能在缓存里命中；"
           "下标计算和边界判断不花时间；空间里也没有直接卷积（AutoTVM 自己的模板）和 Winograd。"));
    experiment_free(&e);
}

/* Demo 1: sketches of six graphs, by the lecture's conditions and by TVM's; exercise 6; and one program with rfactor,
 * run for real (lecture 5.2, 5.3). */
#include "ansor.h"
#include <stdlib.h>

/* clang-format off */
const struct fact published_sketches[] = {
    { "sketch.square", "§5.3", FACT_EXACT, { "1", "1" }, "1", "1",
      { "sketches of C = A.B", "C = A.B 的草图数" }, { 0 } },
    { "sketch.relu", "§5.3", FACT_EXACT, { "1", "1" }, "1", "1",
      { "sketches of relu(A.B)", "relu(A.B) 的草图数" }, { 0 } },
    { "sketch.wgrad", "§5.3", FACT_EXACT, { "2", "2" }, "2", "2",
      { "sketches of the weight gradient", "权重梯度的草图数" }, { 0 } },
    { "sketch.rfactor_error", "§5.3", FACT_EXACT, { "3.6e-4", "3.6e-4" }, "0.00025", "0.00049",
      { "error of the rfactor program", "rfactor 程序的误差" }, { 0 } },
    { 0 }
};
/* clang-format on */

enum { SQUARE, RELU, BIAS_RELU, WGRAD, ROW_SUM, CONV, GRAPHS };

static const struct text names[GRAPHS] = {
    [SQUARE] = { "C = A B, 4096^3", "C = A B，4096^3" },
    [RELU] = { "relu(A B), 4096^3", "relu(A B)，4096^3" },
    [BIAS_RELU] = { "relu(A B + bias), 4096^3", "relu(A B + bias)，4096^3" },
    [WGRAD] = { "dW = X^T dY, K 32768", "dW = X^T dY，K 32768" },
    [ROW_SUM] = { "row sum of 16 x 1000000", "16 x 1000000 按行求和" },
    [CONV] = { "relu(bn(conv 3x3))", "relu(bn(conv 3x3))" },
};

/* The convolution is the one of Ansor's ablation (lecture 5.7): the last 3x3 of ResNet-50, batch 16. */
static struct compute graph(int which)
{
    const struct workload *square = &workload_five[0], *wgrad = &workload_five[3];
    struct compute g = compute_matmul(square->m, square->n, square->k);
    switch (which) {
    case RELU: compute_add(&g, "relu[i,j] = max(C[i,j], 0)"); break;
    case BIAS_RELU:
        compute_add(&g, "bias[j]");
        compute_add(&g, "biased[i,j] = C[i,j] + bias[j]");
        compute_add(&g, "relu[i,j] = max(biased[i,j], 0)");
        break;
    case WGRAD: return compute_wgrad(wgrad->m, wgrad->n, wgrad->k);
    case ROW_SUM: return compute_row_sum(16, 1000000);
    case CONV: return compute_conv(16, 512, 512, 7, 3);
    }
    return g;
}

static void rules_table(struct run *run)
{
    struct table *table = table_of({ TEXT("rule", "规则"), TABLE_TEXT },
                                   { TEXT("when it applies to a node", "什么节点适用"), TABLE_TEXT });
    for (int r = 0; r < SKETCH_RULES; r++) {
        table_text(table, "%d %s", sketch_rules[r].number, tr_text(sketch_rules[r].name));
        table_text(table, "%s", tr_text(sketch_rules[r].when));
    }
    report_table(run->report, table, "%s",
                 tr("The rules, in the order in which they are tried: one that applies makes a sketch; if it does not stop there, the "
                    "next ones make further sketches",
                    "规则（按检查的次序）：适用就得到一个草图；没有到此为止的，后面的规则还会得到别的草图"));
}

static void counts_table(struct run *run)
{
    static const char *const fact[GRAPHS] = {
        [SQUARE] = "sketch.square", [RELU] = "sketch.relu", [WGRAD] = "sketch.wgrad"
    };
    struct table *table =
        table_of({ TEXT("graph", "计算图"), TABLE_TEXT }, { TEXT("lecture\nGPU", "讲义\nGPU"), 0 },
                 { TEXT("TVM\nGPU", "TVM\nGPU"), 0 }, { TEXT("lecture\nCPU", "讲义\nCPU"), 0 },
                 { TEXT("TVM\nCPU", "TVM\nCPU"), 0 }, { TEXT("rfactor\nlecture", "rfactor\n讲义"), TABLE_TEXT },
                 { TEXT("rfactor\nTVM, CPU", "rfactor\nTVM CPU"), TABLE_TEXT });
    for (int which = 0; which < GRAPHS; which++) {
        struct compute g = graph(which);
        bool rfactor[2] = { false, false };
        table_text(table, "%s", tr_text(names[which]));
        for (int target = SKETCH_GPU; target >= SKETCH_CPU; target--)
            for (int conditions = SKETCH_LECTURE; conditions <= SKETCH_TVM; conditions++) {
                struct sketches s = sketch_generate(&g, target, conditions);
                table_number(table, (double)s.count);
                for (size_t i = 0; i < s.count; i++)
                    rfactor[conditions] |= sketch_used(&s.sketch[i], RULE_RFACTOR);
                if (fact[which] && target == SKETCH_GPU && conditions == SKETCH_LECTURE)
                    facts_number(run->facts, fact[which], (double)s.count, 0);
                sketches_free(s);
            }
        for (int conditions = SKETCH_LECTURE; conditions <= SKETCH_TVM; conditions++)
            table_text(table, "%s", rfactor[conditions] ? tr("yes", "是") : tr("no", "否"));
    }
    report_table(run->report, table, "%s",
                 tr("How many sketches the rules derive; and whether rule 6 splits the reduction",
                    "规则推出多少个草图；规则 6 是否拆开归约"));
}

static void history_table(struct run *run)
{
    struct table *table = table_of({ TEXT("graph", "计算图"), TABLE_TEXT }, { TEXT("sketch", "草图"), TABLE_TEXT },
                                   { TEXT("rules fired, from the output", "触发的规则，从输出往输入"), TABLE_TEXT });
    for (int which = 0; which < GRAPHS; which++) {
        struct compute g = graph(which);
        struct sketches s = sketch_generate(&g, SKETCH_GPU, SKETCH_LECTURE);
        for (size_t i = 0; i < s.count; i++) {
            char *history = sketch_history(&s.sketch[i]);
            table_text(table, "%s", i ? "" : tr_text(names[which]));
            table_text(table, "%zu/%zu", i + 1, s.count);
            table_text(table, "%s", history);
            free(history);
        }
        sketches_free(s);
    }
    report_table(run->report, table, "%s",
                 tr("Which rules made which node (GPU, the lecture's conditions)",
                    "哪个节点由哪些规则得到（GPU，讲义的条件）"));
}

/* Every sketch of a graph as a loop nest, or only the last. */
static void show_nests(struct run *run, int which, bool all, struct text caption)
{
    struct compute g = graph(which);
    struct sketches s = sketch_generate(&g, SKETCH_GPU, SKETCH_LECTURE);
    char *formulas = compute_text(&g);
    report_say(run->report, "%s", tr_text(caption));
    report_verbatim(run->report, formulas);
    for (size_t i = all ? 0 : s.count - 1; i < s.count; i++) {
        char *history = sketch_history(&s.sketch[i]), *nest = nest_text(&s.sketch[i]);
        report_say(run->report, tr("Sketch %zu of %zu: %s", "草图 %zu/%zu：%s"), i + 1, s.count, history);
        report_verbatim(run->report, nest);
        free(nest);
        free(history);
    }
    free(formulas);
    sketches_free(s);
}

/* --nests: the graphs of exercise 6. */
static void show_exercise(struct run *run)
{
    show_nests(
        run, BIAS_RELU, true,
        TEXT(
            "Exercise 6 (a), relu(A B + bias): rule 2 inlines the bias, rule 4 tiles the "
            "product and fuses what reads it; many tiles, so no rule 6. One sketch.",
            "练习 6 (a)，relu(A B + bias)：规则 2 把 bias 内联，规则 4 给乘法分块并融合它的消费者；块很多，所以没有规则 "
            "6。共 1 个草图。"));
    show_nests(
        run, ROW_SUM, true,
        TEXT(
            "Exercise 6 (b), row sums: each value is read once, so no tiles; 16 outputs of a "
            "million values, so rule 6, and on a GPU also rule 8, in which the threads of a block share a row. Sketch "
            "2 is what remains if neither is taken: sampling gives it its chance, measuring rejects it.",
            "练习 6 (b)，按行求和：每个值只读一次，所以不分块；16 个输出、每个归约一百万个值，所以有规则 6，GPU 上还有规"
            "则 8：一块里的线程分担一行。草图 2 是两条都不用时剩下的程序：采样给它机会，实测会淘汰它。"));
}

/* How many loops a structure makes of a product's three. */
static int loops(const char *levels)
{
    int count = 0;
    for (; *levels; levels++)
        count += *levels == 'S' ? 2 : 1;
    return count;
}

static void show_cpu(struct run *run)
{
    struct compute g = graph(SQUARE);
    struct sketches s = sketch_generate(&g, SKETCH_CPU, SKETCH_LECTURE);
    const char *cpu = nest_levels(SKETCH_CPU), *gpu = nest_levels(SKETCH_GPU);
    char *nest = nest_text(&s.sketch[0]);
    report_say(run->report,
               tr("On a CPU a product's structure is %s, on a GPU, as above, %s: each S is a level of tiles of i and j, each R one of "
                  "k. So the three loops become %d on a CPU and %d on a GPU, whose outer three S are blocks, virtual threads and "
                  "threads. C = A B on a CPU:",
                  "矩阵乘法的结构在 CPU 上是 %s，在 GPU 上（见上面）是 %s：每个 S 是 i 和 j 的一层分块，每个 R 是 k 的一层。3 层循环在 CPU 上变成 %d "
                  "层，在 GPU 上变成 %d 层，GPU 外面的三个 S 是线程块、虚拟线程和线程。CPU 上的 C = A B："),
               cpu, gpu, loops(cpu), loops(gpu));
    report_verbatim(run->report, nest);
    free(nest);
    sketches_free(s);
}

static void run_rfactor(struct run *run)
{
    enum { PROGRAMS = 3 };
    static const int values[PROGRAMS][MATMUL_KNOBS] = { { 32, 16, 64, 1, 2, 4, 1 },
                                                        { 32, 16, 64, 1, 2, 4, 4 },
                                                        { 32, 16, 64, 1, 2, 4, 16 } };
    const struct workload w = { "rfactor", TEXT("96x80, K 2048", "96x80，K 2048"), 96, 80, 2048 };
    struct minitriton_outcome outcome[PROGRAMS];
    double error[PROGRAMS];
    struct rng rng = rng_stream(run->options->seed, "03.rfactor", 0);
    struct table *table = table_of({ TEXT("SPLIT_K", "SPLIT_K"), TABLE_TEXT },
                                   { TEXT("error\n1e-4 of max|C|", "误差\n1e-4 x max|C|"), 2 },
                                   { TEXT("outputs unlike\nSPLIT_K 1", "与 SPLIT_K 1\n不同的输出"), 0 },
                                   { TEXT("of them by 1 unit\nin the last place", "其中差一个\n最小单位的"), 0 });
    minitriton_try(&w, &rng, PROGRAMS, values, outcome);
    for (int i = 0; i < PROGRAMS; i++) {
        error[i] = outcome[i].error;
        table_text(table, "%d", values[i][SPLIT_K]);
        table_numbers(table, 1e4 * error[i], (double)outcome[i].unlike, (double)outcome[i].by_one);
    }
    report_table(run->report, table, "%s",
                 tr("The weight gradient's program run on real numbers, 96x80 with K 2048; "
                    "reference float64",
                    "真的运行权重梯度的程序：96x80，K 2048；参考是 float64"));
    report_say(
        run->report,
        tr("SPLIT_K 1 is sketch 1; 4 and 16 are sketch 2 with its hole ?split filled: partial "
           "sums, then a second kernel that adds them up. Splitting the reduction only groups the additions "
           "differently: of %zu outputs some differ, and every error is fp16's rounding of the result.",
           "SPLIT_K = 1 是草图 1；4 和 16 是草图 2，空 ?split 填上了数：先算各段的和，再由第二个内核相加。拆开归约只改变"
           "加法的分组：%zu 个输出里有一些不同，误差都是把结果舍入到 FP16 的误差。"),
        (size_t)w.m * w.n);
    facts_number(run->facts, "sketch.rfactor_error", stats_max(error, PROGRAMS), 6);
}

void demo1_sketches(struct run *run)
{
    report_say(
        run->report, "%s",
        tr("A sketch is a program with holes. Rules derive it from what is computed, node "
           "by node from the output to the inputs; nobody writes a template. In the loop nests below S marks a loop over outputs "
           "(space) and R one over what is summed (reduction).",
           "草图是留着空的程序。规则从“算什么”出发，由输出往输入逐个节点推出它；没有人写模板。下面的循环嵌套里，S 是空间循环，R 是归约循环。"));
    rules_table(run);
    counts_table(run);
    report_say(
        run->report,
        tr("The lecture splits a reduction if its outputs fill fewer tiles of %d x %d than the "
           "GPU has SMs (%d): the weight gradient's 262,144 outputs are 16 tiles. TVM never asks for tiles. On CPUs "
           "it wants no more outputs than values to reduce (262,144 > 32,768) and at most %d; on GPUs it has rule 8 "
           "instead, for at most %d outputs. So TVM's own rules would not give the weight gradient the structure "
           "that it needs. TVM's further sketches on CPUs: without cache, without fusion, fused at two depths, and "
           "two ways of splitting.",
           "讲义拆归约的条件：输出铺成 %d x %d 的块，块数少于 GPU 的 SM 数（%d）。权重梯度有 262,144 个输出，只有 16 "
           "块。TVM 不数块：CPU 上要求输出数不超过归约长度（262,144 > 32,768），且不超过 %d；GPU 上用规则 8 代替，要"
           "求输出不超过 %d 个。所以 TVM 自己的规则不会给权重梯度它需要的结构。TVM 在 CPU 上多出的草图：不加缓存、不"
           "融合、两种融合深度、两种拆法。"),
        SKETCH_TILE, SKETCH_TILE, SKETCH_SMS, 16 * SKETCH_CORES, SKETCH_BLOCK_THREADS);
    history_table(run);
    bool all = run->options->nests;
    show_nests(
        run, WGRAD, all,
        TEXT(
            "The weight gradient: the second sketch is the structure that the slides' list of 24 "
            "lacks (01_landscape, demo 2). Every ? is a hole.",
            "权重梯度：第二个草图正是 slides 的 24 个配置里没有的结构（见 01_landscape 演示 2）。每个 ? 都是一个空。"));
    if (all)
        show_exercise(run);
    else
        report_say(run->report, "%s",
                   tr("Sketch 1 is the same without the outermost loop and the second kernel; --nests prints it, and those of "
                      "exercise 6.",
                      "草图 1 就是去掉最外层循环和第二个内核；--nests 会打印它和练习 6 的循环嵌套。"));
    show_cpu(run);
    run_rfactor(run);
}

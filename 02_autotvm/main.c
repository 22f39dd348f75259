/* 02_autotvm - the learned cost model, simulated annealing and transfer (lecture 3 and 4).
 *
 * From here on HypoGPU is behind the door: tuners measure and pay, and only the judge looks at true times. */
#include "autotvm.h"

static const struct demo demos[] = {
    { { "Search: who finds the good ones with few measurements", "搜索：谁用很少的实测就能找到好配置" },
      "§4.6",
      demo1_search },
    { { "The cost model: what to tell it, what to train it for", "代价模型：用什么特征，按什么目标训练" },
      "§4.2, §4.3, §4.4",
      demo2_cost_model },
    { { "Transfer: what other shapes teach", "迁移：别的形状教了什么" }, "§4.7", demo3_transfer },
    { { "What it costs", "成本" }, "§4.1", demo4_cost },
    { { "Why it works, and what cannot be learned", "为什么有效，以及什么学不到" }, "§4", demo5_why },
    { { "A convolution as an implicit matrix product", "把卷积当作隐式矩阵乘法" }, "§4.6", demo6_convolution },
    { { "Does it help to know what one does not know", "知道自己不知道什么，有用吗" }, "§4.5", demo7_uncertainty },
    { { "Transfer from another search space", "从另一个搜索空间迁移" }, "§4.3, §4.7", demo8_spaces },
};

int autotvm_shapes(struct run *run, bool own, struct workload shapes[2])
{
    int count = 0;
    if (!own || !run->options->shape)
        count = program_workloads(run, 2, (const char *const[]){ "square", "wgrad" }, shapes);
    if (count > 0)
        return count;
    shapes[0] = program_shape(run, "");
    return 1;
}

/* Looks at --strategies and opens the log before anything is printed; with a log, of all demos only 1 is shown. */
static bool prepare(struct run *run)
{
    bool logged = run->options->log || run->options->resume, alone = logged && run->options->all_demos;
    autotvm_prepare(run);
    if (logged)
        autotvm_search(run);
    if (alone)
        program_show(run, 1);
    return alone;
}

/* In the lecture's order. */
static const struct fact *const published[] = { published_cost,     published_quality, published_search, published_why,
                                                published_transfer, NULL };

int main(int argc, char **argv)
{
    const struct program program = { .number = 2,
                                     .name = "02_autotvm",
                                     .demos = sizeof demos / sizeof *demos,
                                     .on_request = 2,
                                     .demo = demos,
                                     .published = published,
                                     .live = "16",
                                     .instead = prepare,
                                     .finish = autotvm_finish };
    return program_main(&program, argc, argv);
}

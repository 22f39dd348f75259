/* 05_strategies - the second script: three strategies and a ridge model on a small pool, and what tuning costs. */
#include "answers.h"
#include "pool.h"

static const struct demo demos[] = {
    { { "A ridge model: how well it orders, and where it fails", "岭回归：排序有多准，在哪里失灵" },
      "s2.1",
      demo1_ridge },
    { { "Three strategies at five budgets", "三种策略，五种预算" }, "s2.2", demo2_budgets },
    { { "Measurements to within 5 % of the best", "到最好的 5% 以内要测几次" }, "s2.3", demo3_trials },
    { { "What tuning costs, and how to pay less", "调优的成本，以及怎样省" }, "s2.4", demo4_cost },
    { { "The exercises' numbers", "练习的数字" }, "§11", demo5_numbers },
};

/* In the lecture's order. */
static const struct fact *const published[] = { published_answers, published_pool, published_model,
                                                published_search,  published_cost, NULL };

int main(int argc, char **argv)
{
    const struct program program = {
        .number = 5,
        .name = "05_strategies",
        .demos = sizeof demos / sizeof *demos,
        .demo = demos,
        .published = published,
        .live = "235",
        .instead = pool_prepare,
        .finish = pool_finish,
    };
    return program_main(&program, argc, argv);
}

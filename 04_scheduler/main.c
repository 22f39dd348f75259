/* 04_scheduler - which task to tune next, and why what measured fastest is slower than it looks (lecture 6). */
#include "network.h"

static const struct demo demos[] = {
    { { "A network is eleven tasks", "一个网络是 11 个任务" }, "§6.1, §6.3", demo1_tasks },
    { { "Who gets the next unit of tuning time", "下一个时间单位给谁" }, "§6.2, §6.3", demo2_policies },
    { { "The winner's curse", "赢家诅咒" }, "§6.4", demo3_winners_curse },
    { { "Where a scheduler pays", "调度器什么时候划算" }, "§6.3", demo4_budgets },
};

/* In the lecture's order. */
static const struct fact *const published[] = { published_tasks, published_policies, published_curse, NULL };

/* A recording that lacks a task, or a policy that is none, ends the program here, before anything is printed. A live
 * device has no eleven tasks, and every demo says so. */
static bool meet_network(struct run *run)
{
    if (run->options->policy)
        gradient_check(run->options->policy);
    if (!run->device->measure)
        network_shared(run);
    return false;
}

static void finish(struct run *run)
{
    if (run->shared)
        network_free(run->shared);
}

int main(int argc, char **argv)
{
    const struct program program = {
        .number = 4,
        .name = "04_scheduler",
        .demos = sizeof demos / sizeof *demos,
        .demo = demos,
        .published = published,
        .instead = meet_network,
        .finish = finish,
    };
    return program_main(&program, argc, argv);
}

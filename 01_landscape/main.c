/* 01_landscape - the space, @triton.autotune's list, keys and dynamic shapes (lecture 1 and 2).
 *
 * Everything here looks straight at the device: this program shows the terrain. The tuners of the next ones may
 * not. */
#include "landscape.h"

static const struct demo demos[] = {
    { { "Tuning changes how, never what", "调优只改变怎么算，不改变算什么" }, "§2.1", demo1_same_result },
    { { "The slides' list of 24 on five shapes", "slides 的 24 个配置在五种形状上" }, "§2.2", demo2_list_of_24 },
    { { "The key: one shape's optimum on another", "key：一个形状的最优配置拿到另一个上" }, "§2.3", demo3_key },
    { { "The terrain: good ones are rare, knobs interact", "地形：好配置极少，旋钮相互影响" },
      "§1.3",
      demo4_terrain },
    { { "Dynamic M: the optimum moves with the batch", "动态 M：最优配置随批大小移动" }, "§2.4", demo5_dynamic_m },
};

/* With a --shape, of all demos the one that looks at it. */
static bool instead(struct run *run)
{
    const struct options *o = run->options;
    if (o->explain)
        explain_configuration(run);
    else if (o->shape && o->all_demos)
        program_show(run, 4);
    return o->explain || (o->shape && o->all_demos);
}

/* In the lecture's order. */
static const struct fact *const published[] = { published_terrain, published_same_result, published_autotune,
                                                published_dynamic, NULL };

int main(int argc, char **argv)
{
    const struct program program = {
        .number = 1,
        .name = "01_landscape",
        .demos = sizeof demos / sizeof *demos,
        .demo = demos,
        .published = published,
        .live = "1",
        .instead = instead,
    };
    return program_main(&program, argc, argv);
}

/* test_programs.c - which programs a workload's sketches have, how they are drawn, mutated and crossed. */
#include "device/hypogpu.h"
#include "made_up.h"
#include "search/programs.h"
#include "space/sketch.h"

static struct device *hypogpu;
static struct space *pairs;  /* the matmul knobs with two values each, all legal */
static struct space *picky;  /* the same, without those whose GROUP_M is small while BLOCK_M is large */
static struct space *plain;  /* three knobs that are not the matmul's */

static int group_like_block(const void *context, const int *v) { return (void)context, v[BLOCK_M] > v[GROUP_M]; }

static int set_up(void **state)
{
    static const int two[] = { 1, 2 }, three[] = { 1, 2, 3 };
    static const struct text reason[] = { { "not wanted", "不要" } };
    static const struct knob other[] = { { "a", 2, two }, { "b", 3, three }, { "c", 3, three } };
    struct knob knob[MATMUL_KNOBS];
    hypogpu = hypogpu_new(HYPOGPU_UNMODELLED);
    for (int k = 0; k < MATMUL_KNOBS; k++)
        knob[k] = (struct knob){ hypogpu->space->knob[k].name, 2, two };
    pairs = space_new(MATMUL_KNOBS, knob, 1, reason, anything_goes, NULL);
    picky = space_new(MATMUL_KNOBS, knob, 1, reason, group_like_block, NULL);
    plain = space_new(3, other, 1, reason, anything_goes, NULL);
    return 0;
}

static int tear_down(void **state)
{
    space_free(plain);
    space_free(picky);
    space_free(pairs);
    device_close(hypogpu);
    return 0;
}

static struct programs programs_of(const char *shape, const struct space *space)
{
    return programs_new(&(struct task){ workload_find(shape), space }, false);
}

static int split_k(const struct space *space, uint32_t config)
{
    return space_value(space, config, SPLIT_K);
}

/* ---- which programs there are ---- */

TEST(a_shape_has_the_programs_of_its_sketches)
{
    const struct {
        const char *shape;
        int sketches;
    } cases[] = {
        { "square", 1 }, { "prefill_qkv", 1 }, { "decode", 2 }, { "wgrad", 2 }, { "small", 1 },
    };
    const struct space *space = hypogpu->space;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct programs p = programs_of(cases[c].shape, space);
        size_t next[2] = { 0, 0 };
        assert_int_equal(p.sketches, cases[c].sketches);
        for (uint32_t i = 0; i < space->legal_count; i++) { /* each where it belongs, in order, none besides */
            int sketch = split_k(space, space->legal[i]) > 1;
            if (sketch < p.sketches)
                assert_int_equal(p.sketch[sketch].config[next[sketch]++], space->legal[i]);
        }
        for (int s = 0; s < p.sketches; s++)
            assert_int_equal(p.sketch[s].count, next[s]);
        for (uint32_t any = 0; any < space->size; any += 97)
            assert_int_equal(programs_allow(&p, any), split_k(space, any) == 1 || p.sketches == 2);
        programs_free(&p);
    }
}

static void expect_one_sketch_of_all(struct programs p, const struct space *space)
{
    assert_int_equal(p.sketches, 1);
    assert_int_equal(p.sketch[0].count, space->legal_count);
    assert_memory_equal(p.sketch[0].config, space->legal, space->legal_count * sizeof *space->legal);
    for (uint32_t c = 0; c < space->size; c += 97)
        assert_true(programs_allow(&p, c));
    programs_free(&p);
}

TEST(without_programs_a_sketch_is_left_out_and_without_sketches_all_are_programs)
{
    struct task square = { workload_find("square"), hypogpu->space };
    expect_one_sketch_of_all(programs_new(&square, true), hypogpu->space);
    expect_one_sketch_of_all(programs_of("wgrad", plain), plain);
    struct space *limited = space_restrict(hypogpu->space, "SPLIT_K", 1, (int[]){ 1 });
    struct space *split = space_restrict(hypogpu->space, "SPLIT_K", 2, (int[]){ 4, 16 });
    expect_one_sketch_of_all(programs_of("wgrad", limited), limited);
    expect_one_sketch_of_all(programs_of("wgrad", split), split);
    expect_one_sketch_of_all(programs_of("square", split), split); /* its sketch has none: any will do */
    space_free(split);
    space_free(limited);
}

/* Few outputs of many values: the rules also let the threads of a block share the reduction. No knob says so. */
TEST(what_the_kernel_cannot_express_is_no_program)
{
    struct workload tiny = { .m = 16, .n = 16, .k = 4096 };
    struct compute graph = compute_matmul(tiny.m, tiny.n, tiny.k);
    struct sketches sketches = sketch_generate(&graph, SKETCH_GPU, SKETCH_LECTURE);
    int shared = 0;
    for (size_t i = 0; i < sketches.count; i++)
        shared += sketch_used(&sketches.sketch[i], RULE_CROSS_THREAD);
    struct programs p = programs_new(&(struct task){ &tiny, hypogpu->space }, false);
    assert_true(shared > 0);
    assert_int_equal(p.sketches, (int)sketches.count - shared);
    assert_int_equal(p.sketches, 2);
    programs_free(&p);
    sketches_free(sketches);
}

/* ---- drawing ---- */

TEST(each_sketch_has_the_same_chance_and_so_has_each_program_of_one)
{
    enum { DRAWS = 40000 };
    struct programs p = programs_of("wgrad", hypogpu->space);
    struct rng rng = rng_stream(0, "draws", 0);
    int parts[33] = { 0 };
    for (int i = 0; i < DRAWS; i++)
        parts[split_k(hypogpu->space, programs_random(&p, &rng))]++;
    assert_between(parts[1], DRAWS / 2 - 400, DRAWS / 2 + 400); /* 4 standard deviations */
    for (int s = 2; s <= 32; s *= 2)
        assert_between(parts[s], DRAWS / 10 - 240, DRAWS / 10 + 240);
    programs_free(&p);

    p = programs_of("square", picky);
    int drawn[128] = { 0 };
    double mean = (double)DRAWS / (double)p.sketch[0].count, chi = 0.0;
    for (int i = 0; i < DRAWS; i++)
        drawn[programs_random(&p, &rng)]++;
    assert_int_equal(p.sketch[0].count, 48);
    for (uint32_t c = 0; c < picky->size; c++)
        if (space_is_legal(picky, c) && split_k(picky, c) == 1)
            chi += (drawn[c] - mean) * (drawn[c] - mean) / mean;
        else
            assert_int_equal(drawn[c], 0);
    assert_between(chi, 20.0, 86.0); /* 47 degrees of freedom: 4 standard deviations of 9.7 above */
    programs_free(&p);
}

TEST(programs_are_taken_once_until_the_space_is_exhausted)
{
    struct space *two = space_restrict(hypogpu->space, "BLOCK_M", 1, (int[]){ 64 });
    struct space *small = space_restrict(two, "BLOCK_N", 1, (int[]){ 64 });
    struct programs p = programs_of("square", small);
    struct unseen unseen = unseen_new(small);
    struct rng rng = rng_stream(0, "taken", 0);
    size_t total = small->legal_count, own = p.sketch[0].count;
    uint32_t *configs = xalloc(total + 5, sizeof *configs);
    bool *taken = xalloc(small->size, sizeof *taken);
    assert_true(own > 500 && own < total / 5);
    assert_int_equal(programs_draw_many(&p, &unseen, own / 4, configs, &rng), own / 4);
    assert_int_equal(programs_draw_many(&p, &unseen, total, configs + own / 4, &rng), total - own / 4);
    assert_int_equal(programs_draw_many(&p, &unseen, 3, configs, &rng), 0);
    for (size_t i = 0; i < total; i++) {
        assert_true(space_is_legal(small, configs[i]) && !taken[configs[i]]);
        assert_true(i >= own / 4 || split_k(small, configs[i]) == 1); /* the sketch's own come first */
        taken[configs[i]] = true;
    }
    free(taken);
    free(configs);
    unseen_free(&unseen);
    programs_free(&p);
    space_free(small);
    space_free(two);
}

/* ---- mutation ---- */

/* Which knob two configurations differ in, -1 if in none; fails if in several. */
static int changed_knob(const struct space *space, uint32_t a, uint32_t b)
{
    int changed = -1;
    for (int k = 0; k < space->knobs; k++)
        if (space_position(space, a, k) != space_position(space, b, k)) {
            assert_int_equal(changed, -1);
            changed = k;
        }
    return changed;
}

/* With two values a knob half of the attempts change nothing, whichever the knob: what is seen is what was meant. */
TEST(a_mutation_changes_tiles_as_often_as_it_should)
{
    enum { MUTATIONS = 20000 };
    struct programs p = programs_of("wgrad", pairs);
    struct rng rng = rng_stream(0, "mutations", 0);
    for (int round = 0; round < 3; round++) {
        double tile = 0.45 * round; /* 0, 0.45, 0.9 */
        int changed[MATMUL_KNOBS] = { 0 };
        for (int i = 0; i < MUTATIONS; i++) {
            uint32_t parent = programs_random(&p, &rng);
            int knob = changed_knob(pairs, parent, programs_mutated(&p, parent, tile, &rng));
            if (knob >= 0) /* all ten attempts change nothing once in 1024 times */
                changed[knob]++;
        }
        for (int k = 0; k < MATMUL_KNOBS; k++) {
            bool of_tile = k == BLOCK_M || k == BLOCK_N || k == BLOCK_K || k == NUM_WARPS;
            double share = of_tile ? tile / 4 : (1.0 - tile) / 3, mean = MUTATIONS * share;
            assert_between(changed[k], mean - 4 * sqrt(mean), mean + 4 * sqrt(mean));
        }
    }
    programs_free(&p);
}

TEST(mutants_are_legal_programs_of_a_sketch)
{
    const char *const shapes[] = { "square", "wgrad" };
    struct rng rng = rng_stream(0, "mutants", 0);
    for (int s = 0; s < 2; s++) {
        struct programs p = programs_of(shapes[s], hypogpu->space);
        int parts[33] = { 0 }, same = 0;
        uint32_t config = programs_random(&p, &rng);
        for (int i = 0; i < 20000; i++) {
            uint32_t child = programs_mutated(&p, config, 0.5, &rng);
            assert_true(space_is_legal(hypogpu->space, child));
            same += changed_knob(hypogpu->space, config, child) < 0;
            parts[split_k(hypogpu->space, child)]++;
            config = child;
        }
        assert_true(same < 200);
        for (int v = 1; v <= 32; v *= 2) /* the square's one sketch is never left; wgrad's are both reached */
            assert_true(s == 0 ? parts[v] == (v == 1 ? 20000 : 0) : parts[v] > 500);
        programs_free(&p);
    }
}

/* ---- crossover ---- */

TEST(a_child_takes_each_group_of_knobs_from_one_parent)
{
    static const int group[MATMUL_KNOBS] = {
        [BLOCK_M] = 0, [BLOCK_N] = 0, [NUM_WARPS] = 0, [BLOCK_K] = 1, [NUM_STAGES] = 1, [GROUP_M] = 2, [SPLIT_K] = 3,
    };
    const struct space *space = hypogpu->space;
    struct programs p = programs_of("wgrad", space);
    struct rng rng = rng_stream(0, "children", 0);
    int crossings = 0, father_s[4] = { 0 }, mother_s[4] = { 0 };
    for (int i = 0; i < 5000; i++) {
        uint32_t mother = programs_random(&p, &rng), father = programs_random(&p, &rng);
        uint32_t child = programs_crossed(&p, mother, father, &rng);
        bool not_mother[4] = { false }, not_father[4] = { false };
        assert_true(space_is_legal(space, child));
        for (int k = 0; k < MATMUL_KNOBS; k++) {
            not_mother[group[k]] |= space_position(space, child, k) != space_position(space, mother, k);
            not_father[group[k]] |= space_position(space, child, k) != space_position(space, father, k);
        }
        for (int g = 0; g < 4; g++) {
            assert_false(not_mother[g] && not_father[g]);
            father_s[g] += not_mother[g];
            mother_s[g] += not_father[g];
        }
        crossings += child != mother && child != father;
    }
    assert_true(crossings > 3500);
    for (int g = 0; g < 4; g++)
        assert_true(father_s[g] > 1000 && mother_s[g] > 1000);
    programs_free(&p);
}

TEST(a_crossing_that_is_illegal_is_not_born)
{
    struct programs p = programs_of("square", picky);
    struct rng rng = rng_stream(0, "illegal", 0);
    /* Mother: all small. Father: BLOCK_M and GROUP_M large, where only together they are legal. */
    uint32_t father = space_moved(picky, space_moved(picky, 0, BLOCK_M, 1), GROUP_M, 1);
    int both = 0, group = 0;
    for (int i = 0; i < 1000; i++) {
        uint32_t child = programs_crossed(&p, 0, father, &rng);
        both += child == father;
        group += child == space_moved(picky, 0, GROUP_M, 1);
    }
    assert_true(both > 400 && group > 400 && both + group > 990);
    programs_free(&p);
}

TESTS("programs", set_up, tear_down)

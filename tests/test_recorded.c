/* test_recorded.c - a recording answers with what its file says, for every configuration, and refuses what it cannot
 * mean. The H200 recording is checked against data/README.md and, cell by cell, against a plain reading. */
#include "table_file.h"
#include "device/measurer.h"
#include "base/xalloc.h"
#include "device/recorded.h"
#include "model/features.h"

static const char h200[] = "data/h200_matmul.tsv";

static struct device *open_file(const char *path, const char *column) { return recorded_open(1, &path, &column); }

static struct device *open_text(const char *text, const char *column)
{
    struct table_file file = table_file_of(text, strlen(text));
    struct device *device = open_file(file.path, column);
    table_file_remove(&file);
    return device;
}

/* INFINITY if these values are illegal or no configuration; why in words. */
static double time_of(const struct device *device, const char *id, const int *values)
{
    uint32_t config;
    bool there = space_index(device->space, values, &config);
    return there ? device_time_us(device, device_find(device, id), device->space, config) : (double)INFINITY;
}

static void open_name(void *name) { device_open(name, NULL); }

static const char *why(const struct device *device, const int *values)
{
    uint32_t config = 0;
    assert_true(space_index(device->space, values, &config));
    int reason = device_conditions(device, device->workload, device->space, config).failure;
    return reason ? device->space->reason[reason - 1].en : "legal";
}

/* ---- small recordings ---- */

/* 2 x 3 x 2 knob values; two rows are missing, the others in no order. */
static const char holes[] = "# device: Test GPU\n# unit: ms\n# noise: 1.5 %\n"
                            "# Shapes M,N,K: wide 16,4096,64; tall 4096,16,64; other 1,1,1\n"
                            "a\tb\tc\twide\ttall\twhy\n"
                            "2\t30\t1\t0.5\t0.25\t-\n"
                            "1\t10\t0\t1\t2\t-\n"
                            "1\t10\t1\tx\tx\toom_smem\n"
                            "1\t20\t0\t3.5\t4\t-\n"
                            "1\t20\t1\tspill\tx\t-\n"
                            "1\t30\t0\t5\tx\t\xe5\x9d\x8f\n"
                            "2\t10\t0\t6\t7\t-\n"
                            "2\t10\t1\tx\tx\t-\n"
                            "2\t20\t0\t8\t9\t-\n"
                            "2\t30\t0\t10\t11\t-\n";

TEST(a_recording_with_holes_is_what_its_rows_say)
{
    struct device *device = open_text(holes, NULL);
    const struct space *space = device->space;
    assert_string_equal(device->name, "Test GPU");
    assert_near(device->noise, 0.015, 1e-15);
    assert_int_equal(space->knobs, 3);
    assert_int_equal(space->size, 12);
    assert_int_equal(space->legal_count, 7);
    static const struct {
        int values[3];
        double wide, tall;
        const char *why;
    } rows[12] = {
        { { 1, 10, 0 }, 1000, 2000, "legal" },   { { 1, 10, 1 }, 0, 0, "oom_smem" },
        { { 1, 20, 0 }, 3500, 4000, "legal" },   { { 1, 20, 1 }, 0, 0, "spill" },
        { { 1, 30, 0 }, 5000, 0, "legal" },      { { 1, 30, 1 }, 0, 0, "not recorded" },
        { { 2, 10, 0 }, 6000, 7000, "legal" },   { { 2, 10, 1 }, 0, 0, "illegal" },
        { { 2, 20, 0 }, 8000, 9000, "legal" },   { { 2, 20, 1 }, 0, 0, "not recorded" },
        { { 2, 30, 0 }, 10000, 11000, "legal" }, { { 2, 30, 1 }, 500, 250, "legal" },
    };
    for (uint32_t config = 0; config < 12; config++) {
        int values[3];
        space_values(space, config, values);
        assert_memory_equal(values, rows[config].values, sizeof values);
        assert_string_equal(why(device, values), rows[config].why);
        double wide = rows[config].wide, tall = rows[config].tall;
        assert_same_bits(time_of(device, "wide", values), wide > 0 ? wide : (double)INFINITY);
        assert_same_bits(time_of(device, "tall", values), tall > 0 ? tall : (double)INFINITY);
    }
    assert_int_equal(device_optimum(device, device_find(device, "wide")), 11);
    int translated = 0;
    for (int i = 0; i < space->reasons; i++)
        translated += strcmp(space->reason[i].en, space->reason[i].zh) != 0;
    assert_int_equal(space->reasons, 5);
    assert_int_equal(translated, 4); /* all but the file's own word */
    device_close(device);
}

/* 坏 is no rule: a trial of (1, 30, 0) on tall is paid and fails; spill and the row that is missing are known before. */
TEST(what_is_no_rule_is_found_out_by_a_trial)
{
    struct device *device = open_text(holes, NULL);
    const struct workload *wide = device_find(device, "wide"), *tall = device_find(device, "tall");
    uint32_t config;
    struct measurement result;
    assert_true(space_index(device->space, (int[]){ 1, 30, 0 }, &config));
    assert_ptr_equal(device_space(device, tall), device->space);
    assert_int_equal(device_conditions(device, wide, device->space, config).failure, 0);
    int failure = device_conditions(device, tall, device->space, config).failure;
    assert_string_equal(device->space->reason[failure - 1].en, "\xe5\x9d\x8f");
    struct measurer m = measurer_new(device, tall, device->space, 1, 0);
    measurer_measure(&m, 1, &config, &result);
    assert_int_equal(result.failure, failure);
    assert_same_bits(result.time_us, (double)INFINITY);
    assert_same_bits(m.seconds, 1);
    size_t runs;
    struct landscape l = landscape_new(device, tall, device->space);
    free(landscape_slowdowns(&l, &runs));
    assert_int_equal(runs, 6);
    landscape_free(&l);
    device_close(device);
}

/* What "# rules" names is illegal; a column whose rules exclude more than the others' has a space of its own. */
TEST(a_file_names_its_rules_and_a_column_may_have_its_own)
{
    struct device *device = open_text("# rules: odd\na\tt\tu\twhy\n1\t2.5\t3\t-\n2\todd\todd\t-\n"
                                      "3\t4\tx\t-\n4\tx\tx\tspill\n5\t6\tnot_recorded\t-\n",
                                      NULL);
    const struct workload *t = device_find(device, "t"), *u = device_find(device, "u");
    const struct space *own = device_space(device, u);
    assert_int_equal(device->space->legal_count, 4); /* spill is not named: found out */
    assert_ptr_equal(device_space(device, t), device->space);
    assert_ptr_equal(device_space(device, u), own);
    assert_int_equal(own->legal_count, 2);
    assert_int_equal(own->size, 5);
    static const char *const whys[] = { "legal", "odd", "illegal", "legal", "not recorded" };
    for (uint32_t config = 0; config < 5; config++)
        assert_string_equal(own->illegal[config] ? own->reason[own->illegal[config] - 1].en : "legal", whys[config]);
    device_close(device);
}

/* Each with its own order of rows, unit, noise and rules; a column's id is its name, the lecture's its shape. */
TEST(several_files_are_one_device)
{
    static const char first[] = "# device: G\n# noise: 1%\n# Shapes M,N,K: t 16,4096,4096\n"
                                "a\tt\n1\t2.5\n2\tspill\n3\tbroken\n";
    static const char second[] = "# device: H\n# unit: ms\n# noise: 2%\n# Shapes M,N,K: u 512,512,32768\n"
                                 "a\tu\n3\t4.5\n1\t5.5\n2\t6.5\n";
    struct table_file a = table_file_of(first, strlen(first)), b = table_file_of(second, strlen(second));
    char *name = xformat("%s,%s", a.path, b.path);
    struct device *device = device_open(name, NULL);
    const struct workload *t = device_find(device, "decode"), *u = device_find(device, "wgrad");
    assert_string_equal(device->name, "G + H");
    assert_string_equal(t->id, "t");
    assert_string_equal(u->id, "u");
    assert_same_bits(time_of(device, "t", (int[]){ 1 }), 2.5);
    assert_same_bits(time_of(device, "u", (int[]){ 1 }), 5500);
    assert_near(device_conditions(device, t, device->space, 0).noise, 0.01, 1e-15);
    assert_near(device_conditions(device, u, device->space, 0).noise, 0.02, 1e-15);
    assert_int_equal(device->space->legal_count, 3);
    assert_int_equal(device_space(device, t)->legal_count, 2); /* 3 is found out */
    device_close(device);
    free(name);
    name = xformat("%s,%s:v", a.path, b.path);
    child_dies(open_name, name, b.path, "no time column 'v'");
    free(name);
    table_file_remove(&a);
    table_file_remove(&b);
}

TEST(files_of_different_kernels_are_no_device)
{
    static const char base[] = "# Shapes M,N,K: t 1,2,3\na\tt\n1\t2.5\n2\t3.5\n";
    static const struct {
        const char *text, *what;
    } cases[] = {
        { "b\tu\n1\t2.5\n2\t3.5\n", "knob 1 is 'a' and 'b'" },
        { "# knobs: a b\na\tb\tu\n1\t1\t2.5\n2\t1\t3.5\n", "knob 2 is 'none' and 'b'" },
        { "a\tu\n1\t2.5\n3\t3.5\n", "knob 'a' has other values" },
        { "a\tu\n1\t2.5\n2\t3.5\n3\t3.5\n", "knob 'a' has other values" },
        { "a\tt\n1\t2.5\n2\t3.5\n", "as 't': expected a shape of its own" },
        { "# Shapes M,N,K: u 1,2,3\na\tu\n1\t2.5\n2\t3.5\n", "as 't': expected a shape of its own" },
    };
    struct table_file a = table_file_of(base, strlen(base));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct table_file b = table_file_of(cases[i].text, strlen(cases[i].text));
        char *name = xformat("%s,%s", a.path, b.path);
        child_dies(open_name, name, "", cases[i].what);
        free(name);
        table_file_remove(&b);
    }
    table_file_remove(&a);
}

/* Of section 2.4's product some M, in any order, with what cuBLAS takes for some columns. */
TEST(dynamic_m_and_a_library_are_what_was_recorded)
{
    struct device *device = open_text("# Shapes M,N,K: x 48,14336,4096; y 16,14336,4096; z 512,14336,4096; w 16,14336,64\n"
                                      "# cuBLAS (torch.mm) us: z 9.5; nobody 1; x 3\n"
                                      "a\tx\ty\tz\tw\n1\t2.5\t3.5\t4.5\t5.5\n",
                                      NULL);
    int m[DYNAMIC_M];
    assert_int_equal(device_dynamic(device, m), 2); /* not 512, over DYNAMIC_M; not K = 64 */
    assert_int_equal(m[0], 16);
    assert_int_equal(m[1], 48);
    for (int i = 0; i < 4; i++)
        assert_same_bits(device->library_us(device, &device->workload[i]), ((double[]){ 3, 0, 9.5, 0 })[i]);
    device_close(device);
    device = open_text("# knobs: a\na\tdynamic\n1\t2.5\n", NULL); /* a name is no shape */
    assert_int_equal(device_dynamic(device, m), 0);
    device_close(device);
    device = device_open("hypogpu", NULL);
    assert_int_equal(device_dynamic(device, m), DYNAMIC_M);
    assert_int_equal(m[255], 256);
    device_close(device);
}

TEST(one_column_alone_has_its_own_legality)
{
    struct device *device = open_text(holes, "wide");
    assert_int_equal(device->workloads, 1);
    assert_string_equal(device->workload[0].id, "wide");
    assert_null(device_find(device, "tall"));
    assert_int_equal(device->space->legal_count, 7);
    assert_same_bits(time_of(device, "wide", (int[]){ 1, 30, 0 }), 5000);
    device_close(device);
}

TEST(a_workload_is_known_by_its_shape_or_else_by_its_name)
{
    struct device *device = open_text(holes, NULL);
    struct workload same = { .id = "renamed", .m = 4096, .n = 16, .k = 64 };
    struct workload turned = { .id = "wide", .m = 1, .n = 1, .k = 1 };
    assert_ptr_equal(device_match(device, &same), device_find(device, "tall"));
    assert_null(device_match(device, &turned));
    assert_same_bits(device_time_us(device, &same, device->space, 0), 2000);
    assert_false(features_has_program(device->space));
    device_close(device);

    device = open_text("# knobs: a\na\tconv\tstencil\n1\t5\t6.5\n2\t7\tx\n", NULL); /* no shapes: any kernel */
    struct workload named = { .id = "stencil", .m = 7, .n = 7, .k = 7 }, unknown = { .id = "conv2", .m = 0 };
    assert_ptr_equal(device_match(device, &named), device_find(device, "stencil"));
    assert_null(device_match(device, &unknown));
    assert_int_equal(device_find(device, "conv")->m, 0);
    assert_same_bits(device->time_us(device, &named, (int[]){ 1 }), 6.5);
    assert_near(device->noise, 0.004, 1e-15);
    device_close(device);
}

/* Program features of a shape that is not known, or of a block of -16 rows, are no numbers: neither is a matmul, to
 * the tuners either. */
TEST(seven_knobs_alone_make_no_matmul)
{
    static const struct {
        const char *text;
        bool matmul;
    } cases[] = {
        { "# Shapes M,N,K: t 1,2,3\nBM\tBN\tBK\tw\ts\tG\tS\tt\n16\t16\t16\t1\t1\t1\t1\t2.5\n", true },
        { "BM\tBN\tBK\tw\ts\tG\tS\tt\n16\t16\t16\t1\t1\t1\t1\t2.5\n", false },
        { "BLOCK_M\tBLOCK_N\tBLOCK_K\tnum_warps\tnum_stages\tGROUP_M\tSPLIT_K\tt\n"
          "16\t16\t16\t1\t1\t1\t1\t2.5\n",
          false },
        { "# Shapes M,N,K: t 1,2,3\nBM\tBN\tBK\tw\ts\tG\tS\tt\n-16\t16\t16\t1\t1\t1\t1\t2.5\n", false },
        { "# Shapes M,N,K: t 1,2,3\nBM\tBN\tBK\tw\ts\tG\tS\tt\n16\t16\t16\t1\t1\t2147483647\t1\t2.5\n", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct device *device = open_text(cases[i].text, NULL);
        assert_int_equal(features_has_program(device->space), cases[i].matmul);
        assert_string_equal(device->space->knob[0].name, cases[i].matmul ? "BLOCK_M" : "BM");
        device_close(device);
    }
}

/* The slides' list is one of a matmul; knobs with its values that are none of its knobs have none of it. */
TEST(only_a_matmul_has_the_list_of_24)
{
    uint32_t list[TRITON_LIST];
    struct device *device = open_text("a\tt\n128\t2.5\n256\t3.5\n", NULL);
    assert_false(triton_list(device->space, list));
    device_close(device);
    device = open_file(h200, NULL);
    assert_true(triton_list(device->space, list));
    device_close(device);
}

TEST(times_are_converted_to_microseconds)
{
    static const struct {
        const char *unit;
        double us;
    } cases[] = {
        { "", 12.4 },
        { "# unit: ns\n", 12.4 / 1000 },
        { "# unit: us\n", 12.4 },
        { "# UNIT:ms \n", 12400 },
        { "#unit: s\n", 12.4e6 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[100];
        snprintf(text, sizeof text, "%sa\tt\n1\t12.4\n", cases[i].unit);
        struct device *device = open_text(text, NULL);
        assert_same_bits(time_of(device, "t", (int[]){ 1 }), cases[i].us);
        device_close(device);
    }
}

TEST(points_have_their_own_noise_where_it_was_recorded)
{
    struct device *device = open_text("# unit: ms\n# noise: 2%\na\tt\tt_sd\tt_compile_s\tu\tlone_sd\n"
                                      "1\t4\t0.5\t2.5\t1\t1\n2\t8\t0\tx\t2\t2\n3\tx\tx\tx\t1\t1\n",
                                      NULL);
    const struct workload *t = device_find(device, "t"), *u = device_find(device, "u");
    int bounded = 0;
    assert_non_null(device_find(device, "lone_sd")); /* sd of nothing: a column like any other */
    assert_null(device_find(device, "t_sd"));
    assert_near(device_conditions(device, t, device->space, 0).noise, 0.125, 1e-15);
    assert_near(device_conditions(device, t, device->space, 1).noise, 0, 0);
    assert_near(device_conditions(device, u, device->space, 0).noise, 0.02, 1e-15);

    assert_same_bits(device_conditions(device, t, device->space, 0).compile_s, 2.5);
    assert_same_bits(device_conditions(device, t, device->space, 1).compile_s, 1);
    assert_same_bits(device_conditions(device, u, device->space, 0).compile_s, 1);
    struct measurer many = measurer_new(device, t, device->space, 2000, 7);
    for (int i = 0; i < 2000; i++) { /* no draw is over 3 of the errors away, and some are at the bound */
        struct measurement r;
        measurer_measure(&many, 1, (uint32_t[]){ 0 }, &r);
        double away = fabs(r.time_us / 4000 - 1);
        assert_true(away <= 0.375 + 1e-12);
        bounded += away >= 0.375 - 1e-12;
    }
    assert_in_range(bounded, 1, 20);

    many.trials = 0; /* none for the second */
    struct measurement r;
    measurer_measure(&many, 1, (uint32_t[]){ 1 }, &r);
    assert_same_bits(r.time_us, device_time_us(device, t, device->space, 1));
    device_close(device);
}

/* ---- which columns are knobs ---- */

TEST(knobs_stand_in_the_order_in_which_they_are_named)
{
    struct device *device = open_text("# knobs: c a\na\tt\tc\n-1\t2.5\t90\n4\t3\t5\n-1\t7\t5\n", NULL);
    const struct knob *knob = device->space->knob;
    assert_string_equal(knob[0].name, "c");
    assert_string_equal(knob[1].name, "a");
    assert_true(knob[0].values[0] == 5 && knob[0].values[1] == 90 && knob[1].values[0] == -1);
    assert_same_bits(time_of(device, "t", (int[]){ 90, -1 }), 2.5);
    assert_same_bits(time_of(device, "t", (int[]){ 5, 4 }), 3);
    assert_same_bits(time_of(device, "t", (int[]){ 5, -1 }), 7);
    assert_same_bits(time_of(device, "t", (int[]){ 90, 4 }), (double)INFINITY);
    device_close(device);
}

TEST(without_names_the_integers_at_the_left_are_knobs)
{
    static const struct {
        const char *text;
        int knobs;
    } cases[] = {
        { "a\tb\tt\n1\t1\t0.5\n1\t2\t3\n2\t1\t4\n2\t2\t5\n", 2 }, /* a time may be whole here and there */
        { "a\tb\tt\n1\t1\t7\n1\t2\tx\n", 2 },                     /* a constant knob before … */
        { "a\tb\tt\n1\t1\t7\n2\t1\tx\n", 2 },                     /* … and behind the one that varies */
        { "a\tb\tt\n3\t9\t1.5\n", 2 },                            /* one row */
        { "a\tb\tc\tt\n1\t1\t1\t2.5\n1\t1\t2\t3\n1\t2\t2\t3\n2\t1\t2\t9\n", 3 }, /* a grid with holes */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct device *device = open_text(cases[i].text, NULL);
        assert_int_equal(device->space->knobs, cases[i].knobs);
        assert_int_equal(device->workloads, 1);
        device_close(device);
    }
}

/* ---- what is refused ---- */

static const char *only; /* the column to read */
static void open_table(void *path) { open_file(path, only); }

TEST(what_is_no_recording_is_refused)
{
    static const struct {
        const char *text, *column, *place, *what;
    } cases[] = {
        { "t\ta\n0.5\t1\n", NULL, ":2: column 1 (t): '0.5'", "expected an integer" },
        { "a\tt\n1\t10\n2\t20\n", NULL, ":1: column 2 (t): a knob, or a time", "# knobs: a" },
        { "a\tb\tt\n1\t1\t2.5\n# c\n1\t2\t3\n1\t1\t4\n", NULL, ":5: the same knob values as in line 2", "expected" },
        { "# knobs: a\na\tb\tt\n1\t1\t2.5\n\n1\t2\t3\n", NULL, ":5: the same knob values as in line 3", "expected" },
        { "#\n# knobs: a z\na\tt\n1\t2\n", NULL, ":2: knob 'z'", "expected the name of a column" },
        { "# knobs: a a\na\tt\n1\t2\n", NULL, ":1: knob 'a'", "each once" },
        { "# knobs: a b\na\tb\tt\n1\t2\t3\n1\ttwo\t3\n", NULL, ":4: column 2 (b): 'two'", "expected an integer" },
        { "# knobs: a\na\tt\n\t3\n", NULL, ":3: column 1 (a): ''", "expected an integer" },
        { "# knobs: a\na\tt\n1\t0\n", NULL, ":3: column 2 (t): '0'", "expected a time above 0" },
        { "a\tt\n1\tinf\n", NULL, ":2: column 2 (t): 'inf'", "expected a time" },
        { "a\tt\n1\t2.5\n2\tNaN\n", NULL, ":3: column 2 (t): 'NaN'", "expected a time" },
        { "# unit: s\na\tt\n1\t1000001.5\n", NULL, ":3: column 2 (t): '1000001.5'", "1e+12 us" },
        { "a\tt\n1\t12us\n", NULL, ":2: column 2 (t): '12us'", "expected a time" },
        { "a\tt\n1\t\n", NULL, ":2: column 2 (t): ''", "expected a time" },
        { "a\tt\tnote\n1\t2.5\tfast\n2\t3\tslow\n", NULL, ":1: column 3 (note): no time in any", "of 2 rows" },
        { "a\tb\n1\t2\n", NULL, ":1: no time column beside 2 knobs", "# knobs:" },
        { "a\tt\tu\n1\t2.5\t1\n", "v", ":1: no time column 'v'", "expected one of t u" },
        { "a\tt\tu\n1\t2.5\t1\n", "a", ":1: no time column 'a'", "expected one of t u" },
        { "# unit: min\na\tt\n1\t2.5\n", NULL, ":1: unit 'min'", "expected ns, us, ms or s" },
        { "#\n# noise: 0.4\na\tt\n1\t2.5\n", NULL, ":2: noise '0.4'", "expected a percentage" },
        { "# noise: -1%\na\tt\n1\t2.5\n", NULL, ":1: noise '-1%'", "expected a percentage" },
        { "# noise: 1% or so\na\tt\n1\t2.5\n", NULL, ":1: noise '1% or so'", "expected a percentage" },
        { "# Shapes M,N,K: t 1,2\na\tt\n1\t2.5\n", NULL, ":1: shape '1,2'", "expected NAME M,N,K" },
        { "# Shapes M,N,K: t 1,2,0\na\tt\n1\t2.5\n", NULL, ":1: shape '1,2,0'", "from 1 to 1048576" },
        { "# Shapes M,N,K: t 1,2,3; u\na\tt\n1\t2.5\n", NULL, ":1: shape ''", "expected NAME M,N,K" },
        { "# Shapes M,N,K: u 1,2,3\na\tt\n1\t2.5\n", NULL, ":2: column 2 (t)", "a shape of its own" },
        { "# Shapes M,N,K: t 1,2,3; u 1,2,3\na\tt\tu\n1\t2.5\t3\n", NULL, ":2: column 3 (u)", "a shape of its own" },
        { "# cuBLAS (torch.mm) us: t fast\na\tt\n1\t2.5\n", NULL, ":1: cuBLAS's 'fast' of t", "a time above 0" },
        { "a\tt\tt_sd\n1\t2.5\t0.1\n2\t3.5\t-1\n", NULL, ":3: column 3 (t_sd): '-1'", "a standard error" },
        { "a\tt\tt_compile_s\n1\t2.5\t0\n", NULL, ":2: column 3 (t_compile_s): '0'", "expected seconds" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        only = cases[i].column;
        table_file_refused(cases[i].text, strlen(cases[i].text), open_table, cases[i].place, cases[i].what);
    }
    only = NULL;
}

TEST(a_column_of_many_words_is_not_one_of_times)
{
    char text[4096] = "a\tt\n0\t1.5\n";
    for (int i = 1; i <= 65; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d\tword%d\n", i, i);
    table_file_refused(text, strlen(text), open_table, ":67: column 2 (t): 'word65'", "one of the 64 reasons");
}

/* n columns of which each has `values` values, written along a diagonal. */
static char *diagonal(int n, int values)
{
    char *text = malloc((size_t)n * (size_t)(values + 1) * 12 + 100), *at = text;
    at += sprintf(at, "# knobs:");
    for (int k = 0; k < n; k++)
        at += sprintf(at, " k%d", k);
    for (int row = -1; row < values; row++) {
        for (int k = 0; k < n; k++)
            at += sprintf(at, row < 0 ? "%sk%d" : "%s%d", k ? "\t" : "\n", row < 0 ? k : row);
        at += sprintf(at, row < 0 ? "\tt" : "\t1.5");
    }
    return text;
}

TEST(limits_are_kept)
{
    static const struct {
        int knobs, values;
        const char *place;
    } cases[] = {
        { 64, 1, NULL },    { 65, 1, ":2: column 65 (k64)" },
        { 19, 2, NULL },    { 20, 2, ":2: column 20 (k19): with this knob there are 1048576 combinations for 2 rows" },
        { 1, 65536, NULL }, { 1, 65537, ":2: column 1 (k0): 'k0': expected an integer, one of at most 65536" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = diagonal(cases[i].knobs, cases[i].values);
        if (cases[i].place)
            table_file_refused(text, strlen(text), open_table, cases[i].place, "");
        else
            device_close(open_text(text, NULL));
        free(text);
    }
}

/* ---- the H200 ---- */

struct best {
    const char *id;
    int m, n, k;
    const char *config;
    double us;
};
static const struct best bests[] = {
    /* data/README.md */
    { "square", 4096, 4096, 4096, "128 256 32 8 5 8 1", 188.3 },
    { "prefill_qkv", 512, 12288, 4096, "128 128 64 8 5 8 1", 83.73 },
    { "ffn_up", 512, 22016, 4096, "128 256 32 8 5 8 1", 138.5 },
    { "ffn_down", 512, 4096, 11008, "64 256 64 8 4 8 1", 69.85 },
    { "decode_qkv", 16, 12288, 4096, "16 128 64 2 6 8 1", 26.76 },
    { "wgrad", 512, 512, 32768, "64 128 128 4 4 1 4", 35.72 },
    { "small", 1024, 1024, 1024, "64 128 128 4 4 1 1", 7.818 },
};
enum { SHAPES = sizeof bests / sizeof *bests };

TEST(the_h200_is_what_its_readme_says)
{
    struct device *device = open_file(h200, NULL);
    const struct workload *w = device->workload;
    assert_string_equal(device->name, "H200");
    assert_true(features_has_program(device->space));
    assert_int_equal(device->workloads, SHAPES);
    assert_ptr_equal(device_find(device, "decode"), device_find(device, "decode_qkv"));
    assert_null(device_find(device, "decod"));
    assert_int_equal(device->space->size, 26250);
    assert_int_equal(device->space->legal_count, 21036); /* 40 of these fail */
    assert_int_equal(space_knob(device->space, "BLOCK_M"), BLOCK_M);
    assert_int_equal(space_knob(device->space, "SPLIT_K"), SPLIT_K);
    for (int s = 0; s < SHAPES; s++) {
        char text[64];
        assert_string_equal(w[s].id, bests[s].id);
        assert_true(w[s].m == bests[s].m && w[s].n == bests[s].n && w[s].k == bests[s].k);
        struct landscape landscape = landscape_new(device, &w[s], device->space);
        assert_string_equal(space_format(device->space, landscape.best, ' ', text, sizeof text), bests[s].config);
        assert_same_bits(landscape.best_us, bests[s].us);
        landscape_free(&landscape);
    }
    assert_int_equal(device->space->reasons, 4);
    device_close(device);
}

/* Read with scanf, row by row: every one of the 183,750 cells. */
TEST(every_cell_of_the_h200_is_what_the_file_says)
{
    struct device *device = open_file(h200, NULL);
    FILE *file = fopen(h200, "r");
    assert_non_null(file);
    char line[512], cell[SHAPES][32], reason[32];
    int v[MATMUL_KNOBS], rows = 0, legal = 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%d%d%d%d%d%d%d%31s%31s%31s%31s%31s%31s%31s%31s", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5],
                   &v[6], cell[0], cell[1], cell[2], cell[3], cell[4], cell[5], cell[6], reason) != 15)
            continue;
        rows++;
        for (int s = 0; s < SHAPES; s++) {
            bool illegal = !strcmp(cell[s], "x");
            assert_same_bits(time_of(device, bests[s].id, v), illegal ? (double)INFINITY : strtod(cell[s], NULL));
            legal += !illegal;
        }
        assert_string_equal(why(device, v), strcmp(reason, "-") ? reason : "legal");
    }
    fclose(file);
    assert_int_equal(rows, 26250);
    assert_int_equal(legal, 146972);
    device_close(device);
}

TESTS("recorded", NULL, NULL)

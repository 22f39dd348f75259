/* test_ansor.c - what 03_ansor says of its experiments and does not show: which runs are the same, and why. */
#include "check.h"
#include "search/programs.h"
#include "report/program.h"
#include "tuning.h"
#include <stdlib.h>

enum { TRIALS = 256, BATCH = 64 };

static struct tuning ansor(const struct device *device, const struct workload *w, const struct space *space)
{
    struct tuning t = { .name = "test",
                        .strategy = &strategy_evolution,
                        .device = device,
                        .task = { w, space },
                        .trials = TRIALS,
                        .batch = BATCH };
    tuning_run(&t);
    return t;
}

static bool same_program(const struct tuning *a, const struct tuning *b, size_t n)
{
    int of_a[MATMUL_KNOBS], of_b[MATMUL_KNOBS];
    space_values(a->task.space, a->trace.trial[n].config, of_a);
    space_values(b->task.space, b->trace.trial[n].config, of_b);
    return !memcmp(of_a, of_b, sizeof of_a) && a->trace.trial[n].measured_us == b->trace.trial[n].measured_us;
}

/* How many trials of a run in the whole space and of one in the template's are the same program and measurement. */
static size_t same_trials(const struct workload *w)
{
    static const int one = 1;
    struct device *device = hypogpu_new(HYPOGPU_UNMODELLED);
    struct space *template = space_restrict(device->space, "SPLIT_K", 1, &one);
    struct tuning full = ansor(device, w, device->space), limited = ansor(device, w, template);
    size_t same = 0;
    assert_int_equal(full.trace.count, TRIALS);
    assert_int_equal(limited.trace.count, TRIALS);
    for (size_t n = 0; n < TRIALS; n++)
        same += same_program(&full, &limited, n);
    trace_free(&full.trace);
    trace_free(&limited.trace);
    space_free(template);
    device_close(device);
    return same;
}

static void on_the_square_the_limited_space_is_the_full_one(void **state)
{
    (void)state;
    assert_int_equal(same_trials(workload_find("square")), TRIALS);
    assert_int_equal(same_trials(workload_find("prefill_qkv")), TRIALS);
}

static void on_the_weight_gradient_it_is_not(void **state)
{
    (void)state;
    assert_true(same_trials(workload_find("wgrad")) < TRIALS / 2);
}

/* So no search in it can pass that (5.7, 7). */
static void the_template_holds_little_over_half_of_the_weight_gradients_optimum(void **state)
{
    (void)state;
    static const int one = 1;
    struct device *device = hypogpu_new(HYPOGPU_UNMODELLED);
    struct space *template = space_restrict(device->space, "SPLIT_K", 1, &one);
    const struct workload *w = workload_find("wgrad");
    struct landscape whole = landscape_new(device, w, device->space), part = landscape_new(device, w, template);
    double most = 100 * whole.best_us / part.best_us;
    assert_true(most > 56.0 && most < 57.0);
    landscape_free(&part);
    landscape_free(&whole);
    space_free(template);
    device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_the_square_the_limited_space_is_the_full_one),
        cmocka_unit_test(on_the_weight_gradient_it_is_not),
        cmocka_unit_test(the_template_holds_little_over_half_of_the_weight_gradients_optimum),
    };
    return cmocka_run_group_tests_name("ansor", tests, NULL, NULL);
}

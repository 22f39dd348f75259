/* test_scheduler.c - gradients and picks against the formulas written out once more, objectives against numbers
 * worked out by hand, and that the curves which all policies read are those that each would have tuned itself. */
#include "check.h"
#include "../04_scheduler/network.h"
#include <stdbool.h>
#include <stdlib.h>

enum { N = 6, MOST = 12 };

/* ---- hand-made states ---- */

struct state {
    struct scheduler_task task[N];
    double weight[N], best_us[N][MOST]; /* after each unit */
    int units[N];
};

static double between(struct rng *rng, double low, double high) { return low + (high - low) * rng_uniform(rng); }

static struct state random_state(struct rng *rng)
{
    struct state s = { 0 };
    for (int i = 0; i < N; i++) {
        s.task[i].flop = mathx_exp(between(rng, 15, 21));
        s.task[i].intensity = mathx_exp(between(rng, 2, 6));
        s.task[i].op = (int)rng_below(rng, 2);
        s.weight[i] = 1 + rng_below(rng, 128);
        s.units[i] = 1 + (int)rng_below(rng, MOST);
        s.best_us[i][0] = between(rng, 5, 500);
        for (int t = 1; t < s.units[i]; t++) {
            double better = between(rng, 0.7, 1.0);
            s.best_us[i][t] = s.best_us[i][t - 1] * (rng_below(rng, 2) ? 1.0 : better);
        }
    }
    return s;
}

static struct objective sum_of(const struct state *s)
{
    return (struct objective){ OBJECTIVE_LATENCY, 1, s->weight, NULL, 0 };
}

static struct scheduler *put_before(const struct state *s, const struct scheduler_settings *settings,
                                    const struct objective *objective)
{
    struct scheduler *scheduler = scheduler_new(settings, objective, N, s->task, rng_stream(0, "test", 0));
    for (int i = 0; i < N; i++)
        for (int t = 0; t < s->units[i]; t++)
            scheduler_tell(scheduler, i, s->best_us[i][t]);
    return scheduler;
}

/* The formulas of the lecture's 6.2, of TVM and of MetaSchedule, each as it is published. */

typedef bool similar_rule(const struct scheduler_task *a, const struct scheduler_task *b);

static double lecture_gradient(const struct state *s, int i, similar_rule *similar)
{
    int t = s->units[i];
    double g = s->best_us[i][t - 1], back = t - 3 >= 1 ? (g - s->best_us[i][t - 4]) / 3 : 0, v = 0;
    for (int k = 0; k < N; k++)
        if (k != i && similar(&s->task[i], &s->task[k]) && s->task[k].flop / s->best_us[k][s->units[k] - 1] > v)
            v = s->task[k].flop / s->best_us[k][s->units[k] - 1];
    double forward = -g / t;
    if (v > 0 && 2 * s->task[i].flop / v - g < forward)
        forward = 2 * s->task[i].flop / v - g;
    return s->weight[i] * (0.2 * back + 0.8 * forward);
}

static bool of_one_kind(const struct scheduler_task *a, const struct scheduler_task *b) { return a->op == b->op; }

static bool near_in_intensity(const struct scheduler_task *a, const struct scheduler_task *b)
{
    double ratio = a->intensity / b->intensity;
    return a->op == b->op && ratio < 4 && ratio > 0.25;
}

/* The largest k with 1.618^k <= FLOP + 1, by multiplying. */
static int tag_by_multiplying(double flop)
{
    int k = 0;
    for (double power = 1.618; power <= flop + 1; power *= 1.618)
        k++;
    return k;
}

static bool of_one_tag(const struct scheduler_task *a, const struct scheduler_task *b)
{
    return a->op == b->op && tag_by_multiplying(a->flop) == tag_by_multiplying(b->flop);
}

/* In MetaSchedule the steepest is the largest. */
static double metaschedule_gradient(const struct state *s, int i)
{
    int n = s->units[i];
    double best = s->best_us[i][n - 1], back = n - 1 - 3 >= 0 ? (s->best_us[i][n - 1 - 3] - best) / 3 : 0;
    return s->weight[i] * (0.2 * back + 0.8 * best / n);
}

static void check_against(enum similarity similarity, similar_rule *similar)
{
    struct rng rng = rng_stream(0, "states", (uint64_t)similarity);
    int met = 0;
    for (int round = 0; round < 300; round++) {
        struct state s = random_state(&rng);
        struct objective objective = sum_of(&s);
        struct scheduler_settings settings = scheduler_defaults(similarity);
        settings.epsilon = 0;
        struct scheduler *scheduler = put_before(&s, &settings, &objective);
        struct gradient gradient[N];
        scheduler_gradients(scheduler, gradient);
        int steepest = 0;
        for (int i = 0; i < N; i++) {
            double want = similar ? lecture_gradient(&s, i, similar) : -metaschedule_gradient(&s, i);
            assert_near(gradient[i].total, want, 1e-9 * fabs(want));
            met += isfinite(gradient[i].alike) && gradient[i].alike < gradient[i].alone;
            if (gradient[i].total < gradient[steepest].total)
                steepest = i;
        }
        struct pick pick = scheduler_next(scheduler);
        assert_int_equal(pick.task, steepest);
        assert_int_equal(pick.reason, PICK_GRADIENT);
        scheduler_free(scheduler);
    }
    if (similar)
        assert_true(met > 10); /* the similar tasks' term decided now and then */
    else
        assert_int_equal(met, 0);
}

TEST(gradients_and_picks_are_the_formulas)
{
    check_against(SIMILAR_OP, of_one_kind);
    check_against(SIMILAR_INTENSITY, near_in_intensity);
    check_against(SIMILAR_TAG, of_one_tag);
    check_against(SIMILAR_NONE, NULL);
}

/* ---- similarity ---- */

TEST(tags_are_powers_of_1_618)
{
    assert_int_equal(scheduler_tag(0), 0);
    assert_int_equal(scheduler_tag(1), 1); /* 1.618 <= 2 < 2.618 */
    for (double flop = 1; flop < 1e15; flop *= 1.01)
        assert_int_equal(scheduler_tag(flop), tag_by_multiplying(flop));
}

static bool has_similar(enum similarity similarity, struct scheduler_task a, struct scheduler_task b)
{
    const struct scheduler_task tasks[2] = { a, b };
    const double weight[2] = { 1, 1 };
    struct objective objective = { OBJECTIVE_LATENCY, 1, weight, NULL, 0 };
    struct scheduler_settings settings = scheduler_defaults(similarity);
    struct scheduler *s = scheduler_new(&settings, &objective, 2, tasks, rng_stream(0, "test", 0));
    struct gradient g[2];
    scheduler_tell(s, 0, 1);
    scheduler_tell(s, 1, 1);
    scheduler_gradients(s, g);
    scheduler_free(s);
    assert_int_equal(isfinite(g[0].alike), isfinite(g[1].alike));
    return isfinite(g[0].alike);
}

TEST(alike_are_those_of_one_kind_and_within_four_times_the_intensity)
{
    static const struct scheduler_task ten = { 1, 10, 0 }, nearly = { 1, 39.9, 0 }, forty = { 1, 40, 0 };
    static const struct scheduler_task sum = { 1, 10, 1 };
    for (enum similarity s = SIMILAR_NONE; s <= SIMILAR_TAG; s++) {
        assert_int_equal(has_similar(s, ten, nearly), s != SIMILAR_NONE);
        assert_int_equal(has_similar(s, ten, forty), s == SIMILAR_OP || s == SIMILAR_TAG);
        assert_int_equal(has_similar(s, forty, ten), s == SIMILAR_OP || s == SIMILAR_TAG);
        assert_false(has_similar(s, ten, sum));
    }
}

/* Three alike tasks at 1, 0.9 and `slow` FLOP/us; the last gets unit after unit. After which it is evicted, or 0. */
static int evicted_at(double slow, bool evict)
{
    static const struct scheduler_task tasks[3] = { { 1, 1, 0 }, { 1, 1, 0 }, { 1, 1, 0 } };
    static const double weight[3] = { 1, 1, 1 };
    struct objective objective = { OBJECTIVE_LATENCY, 1, weight, NULL, 0 };
    struct scheduler_settings settings = scheduler_defaults(SIMILAR_OP);
    settings.evict = evict;
    struct scheduler *s = scheduler_new(&settings, &objective, 3, tasks, rng_stream(0, "test", 0));
    struct gradient g[3];
    int at = 0;
    scheduler_tell(s, 0, 1);
    scheduler_tell(s, 1, 1 / 0.9);
    scheduler_tell(s, 1, 1 / 0.9);
    for (int unit = 1; unit <= 12; unit++) {
        scheduler_tell(s, 2, 1 / slow);
        scheduler_gradients(s, g);
        if (isinf(g[2].alike) && at == 0)
            at = unit;
        assert_int_equal(isinf(g[2].alike), at > 0); /* for good */
        assert_true(isfinite(g[0].alike) && isfinite(g[1].alike));
        assert_near(g[0].alike, 1, 1e-12); /* the two others keep each other */
    }
    scheduler_free(s);
    return at;
}

TEST(a_slow_task_is_evicted_after_five_units_more_than_the_rest)
{
    assert_int_equal(evicted_at(0.2, true), 8); /* 8 > 5 + 2 */
    assert_int_equal(evicted_at(0.49, true), 8);
    assert_int_equal(evicted_at(0.51, true), 0); /* not beta = 2 times slower */
    assert_int_equal(evicted_at(0.2, false), 0);
}

/* ---- objectives ---- */

/* f1, f2 and f3 worked out by hand; of three networks, in the last of which nothing runs. */
TEST(slopes_are_those_of_table_2)
{
    static const double weight[] = { 2, 1, 0, /**/ 0, 3, 4, /**/ 0, 0, 0 }, latency[] = { 10, 20, 5 }; /* T = 40, 80, 0 */
    static const double loose[] = { 50, 60, 0 }, exactly[] = { 40, 80, 0 };
    static const double reference[] = { 80, 40, 7 }; /* f3 = -cbrt(80/40 * 40/80 * 1) = -1 */
    static const double slopes[3][3] = { { 2, 4, 4 }, { 0, 3, 4 }, { 1 / 60.0, 1 / 48.0, 1 / 60.0 } };
    const double *const targets[] = { NULL, loose, reference };
    double slope[3];
    for (int kind = OBJECTIVE_LATENCY; kind <= OBJECTIVE_SPEEDUP; kind++) {
        struct objective o = { (enum objective_kind)kind, 3, weight, targets[kind - OBJECTIVE_LATENCY], 0 };
        objective_slope(&o, 3, latency, slope);
        for (int i = 0; i < 3; i++)
            assert_near(slope[i], slopes[kind - OBJECTIVE_LATENCY][i], 1e-12);
    }
    struct objective f2 = { OBJECTIVE_REQUIREMENT, 3, weight, exactly, 0 }; /* the kink: met, so no slope */
    objective_slope(&f2, 3, latency, slope);
    for (int i = 0; i < 3; i++)
        assert_near(slope[i], 0, 0);
}

TEST(nothing_is_picked_once_all_requirements_are_met)
{
    struct rng rng = rng_stream(0, "met", 0);
    struct state s = random_state(&rng);
    double target = 1e9;
    struct objective objective = { OBJECTIVE_REQUIREMENT, 1, s.weight, &target, 0 };
    struct scheduler_settings settings = scheduler_defaults(SIMILAR_OP);
    settings.epsilon = 1; /* not even by chance */
    struct scheduler *scheduler = put_before(&s, &settings, &objective);
    assert_int_equal(scheduler_next(scheduler).task, -1);
    target = 1;
    assert_true(scheduler_next(scheduler).task >= 0);
    scheduler_free(scheduler);
}

/* ---- who is next ---- */

static const enum scheduler_rule rules[] = { SCHEDULER_ROUND_ROBIN, SCHEDULER_RANDOM, SCHEDULER_GRADIENT };

static struct scheduler *fresh(enum scheduler_rule rule, double epsilon, const struct objective *objective,
                               uint64_t seed)
{
    static const struct scheduler_task tasks[N] = { { 0 } }; /* SIMILAR_NONE looks at nothing of them */
    struct scheduler_settings settings = scheduler_defaults(SIMILAR_NONE);
    settings.rule = rule;
    settings.epsilon = epsilon;
    return scheduler_new(&settings, objective, N, tasks, rng_stream(seed, "test", 0));
}

static const double ones[N] = { 1, 1, 1, 1, 1, 1 };
static const struct objective plain = { OBJECTIVE_LATENCY, 1, ones, NULL, 0 };

TEST(the_warm_up_gives_each_task_one_unit)
{
    for (int r = 0; r < 3; r++) {
        struct scheduler *s = fresh(rules[r], 0.5, &plain, 0);
        for (int i = 0; i < N; i++) {
            struct pick pick = scheduler_next(s);
            assert_int_equal(pick.task, i);
            assert_int_equal(pick.reason, PICK_WARM_UP);
            scheduler_tell(s, pick.task, 10 + i);
        }
        assert_int_not_equal(scheduler_next(s).reason, PICK_WARM_UP);
        scheduler_free(s);
    }
}

/* Spends units; task `dead` (-1: none) never runs. Returns how many were spent before the scheduler had enough. */
static int spend(struct scheduler *s, int units, int dead, int *given)
{
    for (int u = 0; u < units; u++) {
        struct pick pick = scheduler_next(s);
        if (pick.task < 0)
            return u;
        given[pick.task]++;
        scheduler_tell(s, pick.task, pick.task == dead ? INFINITY : 100.0 / given[pick.task]);
    }
    return units;
}

TEST(round_robin_is_fair)
{
    for (int units = N; units < 5 * N; units++) {
        struct scheduler *s = fresh(SCHEDULER_ROUND_ROBIN, 0, &plain, 0);
        int given[N] = { 0 };
        assert_int_equal(spend(s, units, -1, given), units);
        for (int i = 0; i < N; i++)
            assert_int_equal(given[i], units / N + (i < units % N));
        scheduler_free(s);
    }
}

TEST(a_dead_task_gets_its_first_unit_only)
{
    for (int r = 0; r < 3; r++) {
        struct scheduler *all = fresh(rules[r], 0.5, &plain, 0);
        for (int i = 0; i < N; i++)
            scheduler_tell(all, i, INFINITY);
        assert_int_equal(scheduler_next(all).task, -1);
        scheduler_free(all);
        for (int dead = 0; dead < N; dead++) {
            struct scheduler *s = fresh(rules[r], 0.5, &plain, 0);
            int given[N] = { 0 };
            assert_int_equal(spend(s, 50, dead, given), 50);
            assert_int_equal(given[dead], 1);
            struct gradient g[N];
            scheduler_gradients(s, g);
            assert_near(g[dead].total, 0, 0);
            for (int i = 0; i < N; i++)
                assert_true(i == dead || (given[i] > 1 && g[i].total < 0));
            scheduler_free(s);
        }
    }
}

TEST(patience_stops_a_task_that_stands_still)
{
    struct objective patient = plain;
    patient.patience = 3;
    for (int r = 0; r < 3; r++) {
        struct scheduler *s = fresh(rules[r], 0.5, &patient, 0);
        int given[N] = { 0 }, spent = 0;
        for (struct pick pick; (pick = scheduler_next(s)).task >= 0; spent++) {
            int t = ++given[pick.task]; /* task 0 improves in its first five units, the others never */
            scheduler_tell(s, pick.task, pick.task == 0 && t <= 5 ? 100 - t : pick.task == 0 ? 95 : 100);
        }
        assert_int_equal(given[0], 5 + 3);
        for (int i = 1; i < N; i++)
            assert_int_equal(given[i], 1 + 3);
        assert_int_equal(spent, 8 + 4 * (N - 1));
        scheduler_free(s);
    }
}

TEST(epsilon_is_the_share_of_random_picks)
{
    static const double epsilons[] = { 0, 0.05, 0.5, 1, 1, 1 };
    for (int e = 0; e < 6; e++) { /* from 4 on SCHEDULER_RANDOM, whose picks are all random; at 5, task 0 is dead */
        int dead = e == 5;
        struct scheduler *s = fresh(e < 4 ? SCHEDULER_GRADIENT : SCHEDULER_RANDOM, epsilons[e], &plain, 0);
        int chances = 0, drawn[N] = { 0 };
        for (int i = 0; i < N; i++)
            scheduler_tell(s, i, i < dead ? (double)INFINITY : 10.0 + i);
        for (int i = 0; i < 10000; i++) { /* the state stays: the gradient's pick is the last task */
            struct pick pick = scheduler_next(s);
            if (pick.reason == PICK_CHANCE) {
                chances++;
                drawn[pick.task]++;
            } else
                assert_int_equal(pick.task, N - 1);
        }
        double sd = sqrt(10000 * epsilons[e] * (1 - epsilons[e]));
        assert_near(chances, 10000 * epsilons[e], 4 * sd);
        for (int i = 0; i < N; i++)
            assert_near(drawn[i], i < dead ? 0 : chances / (double)(N - dead), i < dead ? 0 : 5 * sqrt(chances / (double)N));
        scheduler_free(s);
    }
}

/* ---- the curves that all policies share ---- */

/* A policy's session by itself, with a tuner of its own for each task. */
static void play_alone(const struct network *n, int repeat, enum goal goal, enum policy_name policy, int *pick,
                       double *share)
{
    struct tuning t[TASKS];
    struct scheduler_settings settings = scheduler_defaults(policies[policy].similarity);
    settings.epsilon = policies[policy].epsilon;
    char stream[64];
    snprintf(stream, sizeof stream, "04.scheduler/%s", policies[policy].id);
    struct scheduler *s = scheduler_new(&settings, &n->objective[goal], TASKS, n->task,
                                        rng_stream(n->seed, stream, (uint64_t)repeat));
    double true_us[TASKS];
    for (int i = 0; i < TASKS; i++)
        t[i] = network_tuning(n, &NETWORK_TUNER, repeat, i, 0);
    for (int u = 0; u < BUDGET; u++) {
        double optimum = 0, now = 0;
        int task = pick[u] = scheduler_next(s).task;
        tuning_step(&t[task], n->unit);
        size_t chosen = trace_chosen(&t[task].trace, t[task].trace.count);
        scheduler_tell(s, task, t[task].trace.trial[chosen].measured_us);
        true_us[task] = tuning_true_us(&t[task], chosen);
        for (int i = 0; i < TASKS; i++) {
            optimum += n->objective[goal].weight[i] * n->optimum_us[i];
            now += u + 1 < TASKS ? INFINITY : n->objective[goal].weight[i] * true_us[i];
        }
        share[u] = 100 * optimum / now;
    }
    for (int i = 0; i < TASKS; i++)
        tuning_free(&t[i]);
    scheduler_free(s);
}

TEST(a_policy_gets_what_it_would_have_tuned_itself)
{
    struct device *device = hypogpu_new(HYPOGPU_UNMODELLED);
    struct options options = { .unit = 16, .quiet = true };
    struct run run = { .options = &options, .device = device };
    struct network *n = network_new(&run, device, 2);
    network_play(&run, n, GOALS);
    static const struct {
        enum goal goal;
        enum policy_name policy;
    } played[] = { { AS_IS, ALL_ALIKE }, { AS_IS, METASCHEDULE }, { HEAVY, INTENSITY } };
    for (int p = 0; p < 3; p++) {
        int pick[BUDGET];
        double share[BUDGET];
        const struct session *s = network_session(n, 1, played[p].goal, played[p].policy);
        play_alone(n, 1, played[p].goal, played[p].policy, pick, share);
        assert_int_equal(s->units, BUDGET);
        for (int u = 0; u < BUDGET; u++) {
            assert_int_equal(s->step[u].pick.task, pick[u]);
            assert_same_bits(s->step[u].share, share[u]);
        }
    }
    for (int i = 0; i < 2 * TASKS; i++)
        assert_null(n->tuning[i].loop); /* no tuner stays open: each keeps megabytes */
    network_free(n);
    device_close(device);
}

TEST(the_ridge_is_hypogpus_or_what_a_recordings_optima_show)
{
    struct device *device = hypogpu_new(HYPOGPU_UNMODELLED);
    struct options options = { .quiet = true };
    struct run run = { .options = &options, .device = device };
    struct network *n = network_new(&run, device, 1);
    assert_near(n->ridge, 156, 0.5);
    double stated = n->ridge;
    network_free(n);
    device->is_hypogpu = false;
    n = network_new(&run, device, 1);
    assert_true(n->ridge != stated && n->ridge > 16 && n->ridge < 409); /* between decode and prefill */
    network_free(n);
    device_close(device);
}

TESTS("scheduler", NULL, NULL)

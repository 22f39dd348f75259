/* made_up.h - spaces and models made up for the tests of model-guided strategies: as a global model one speaks before
 * anything is measured, so what a strategy should ask for is known. */
#ifndef MADE_UP_H
#define MADE_UP_H

#include "check.h"
#include "search/strategies.h"
#include "base/xalloc.h"
#include <stdlib.h>

typedef double made_up_score(const struct space *space, uint32_t config);

/* Knobs of `values` values each, named a, b, c, … */
static inline struct space *made_up_space(int knobs, int values, space_rule *rule)
{
    static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
    static const int value[] = { 1, 2, 4, 8, 16, 32, 64, 128 };
    static const struct text reason[] = { { "not wanted", "不要" } };
    struct knob knob[8];
    assert_true(knobs <= 8 && values <= 8);
    for (int k = 0; k < knobs; k++)
        knob[k] = (struct knob){ names[k], values, value };
    return space_new(knobs, knob, 1, reason, rule, NULL);
}

static inline int anything_goes(const void *context, const int *values)
{
    (void)context, (void)values;
    return 0;
}

/* A model of this score, from every `step`th configuration, legal or not, by its knobs. */
static inline struct gbdt *made_up_model(const struct space *space, made_up_score *score, uint32_t step)
{
    struct gbdt_settings settings = gbdt_defaults(GBDT_SQUARED);
    settings.trees = 300;
    settings.lambda = 0.0;
    settings.min_child_weight = 1e-3;
    size_t n = space->size / step, features = (size_t)space->knobs;
    uint32_t *config = xalloc(n, sizeof *config);
    float *x = xalloc(n * features, sizeof *x);
    double *y = xalloc(n, sizeof *y);
    for (size_t i = 0; i < n; i++) {
        config[i] = (uint32_t)i * step;
        y[i] = score(space, config[i]);
    }
    features_fill(FEATURES_KNOB, NULL, space, n, config, x);
    struct gbdt *model = gbdt_fit(&settings, n, (int)features, x, y, NULL, NULL);
    free(y);
    free(x);
    free(config);
    return model;
}

/* What the model says of a configuration. */
static inline double made_up_opinion(const struct gbdt *model, const struct space *space, uint32_t config)
{
    float x[8];
    double score;
    features_fill(FEATURES_KNOB, NULL, space, 1, &config, x);
    gbdt_predict(model, 1, x, &score);
    return score;
}

/* A cost model's settings that let this model speak. */
static inline struct cost_model_settings made_up_settings(const struct gbdt *model)
{
    struct cost_model_settings settings = cost_model_defaults();
    settings.features = FEATURES_KNOB;
    settings.global = model;
    return settings;
}

#endif

/* bench_xgboost.c - XGBoost (1.7's C API) behind bench_xgboost.h. */
#include "bench_xgboost.h"
#include "base/xalloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <xgboost/c_api.h>

struct peer {
    DMatrixHandle data;
    BoosterHandle booster;
};

static void must(int status)
{
    if (status != 0) {
        fprintf(stderr, "bench: XGBoost: %s\n", XGBGetLastError());
        abort();
    }
}

/* The array interface of numpy as JSON: how XGBoost takes a matrix that stays where it is. */
static char *array_of(const float *x, size_t rows, int columns)
{
    return xformat("{\"data\":[%llu,true],\"shape\":[%zu,%d],\"typestr\":\"<f4\",\"version\":3}",
                   (unsigned long long)(uintptr_t)x, rows, columns);
}

static void set(struct peer *peer, const char *name, const char *format, double value)
{
    char text[40];
    snprintf(text, sizeof text, format, value);
    must(XGBoosterSetParam(peer->booster, name, text));
}

struct peer *peer_fit(const struct gbdt_settings *settings, size_t n, int features, const float *x, const float *y)
{
    struct peer *peer = xalloc(1, sizeof *peer);
    char *array = array_of(x, n, features);
    unsigned group = (unsigned)n;
    must(XGDMatrixCreateFromDense(array, "{\"missing\":NaN,\"nthread\":1}", &peer->data));
    must(XGDMatrixSetFloatInfo(peer->data, "label", y, n));
    must(XGBoosterCreate(&peer->data, 1, &peer->booster));
    must(XGBoosterSetParam(peer->booster, "verbosity", "0"));
    must(XGBoosterSetParam(peer->booster, "tree_method", "hist"));
    if (settings->objective == GBDT_RANK) {
        must(XGDMatrixSetUIntInfo(peer->data, "group", &group, 1));
        must(XGBoosterSetParam(peer->booster, "objective", "rank:pairwise"));
        set(peer, "num_pairsample", "%.0f", settings->pairs);
    } else {
        must(XGBoosterSetParam(peer->booster, "objective", "reg:squarederror"));
    }
    set(peer, "nthread", "%.0f", 1);
    set(peer, "max_bin", "%.0f", settings->bins);
    set(peer, "max_depth", "%.0f", settings->depth);
    set(peer, "eta", "%g", settings->eta);
    set(peer, "lambda", "%g", settings->lambda);
    set(peer, "gamma", "%g", settings->gamma);
    set(peer, "min_child_weight", "%g", settings->min_child_weight);
    for (int t = 0; t < settings->trees; t++)
        must(XGBoosterUpdateOneIter(peer->booster, t, peer->data));
    free(array);
    return peer;
}

void peer_predict(struct peer *peer, size_t n, int features, const float *x, double *score)
{
    static const char config[] = "{\"type\":0,\"training\":false,\"iteration_begin\":0,\"iteration_end\":0,"
                                 "\"strict_shape\":false,\"missing\":NaN,\"cache_id\":0}";
    char *array = array_of(x, n, features);
    const bst_ulong *shape;
    bst_ulong dimensions;
    const float *out;
    must(XGBoosterPredictFromDense(peer->booster, array, config, NULL, &shape, &dimensions, &out));
    for (size_t i = 0; i < n; i++)
        score[i] = (double)out[i];
    free(array);
}

void peer_free(struct peer *peer)
{
    must(XGBoosterFree(peer->booster));
    must(XGDMatrixFree(peer->data));
    free(peer);
}

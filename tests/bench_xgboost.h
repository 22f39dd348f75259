/* bench_xgboost.h - the peer that `make bench` compares gbdt with: XGBoost through its C API, one thread, the same
 * settings. Only a build with -DHAVE_XGBOOST has it; elsewhere there is no peer, and a fit gives NULL. */
#ifndef BENCH_XGBOOST_H
#define BENCH_XGBOOST_H

#include "model/gbdt.h"

struct peer;

#ifdef HAVE_XGBOOST
/* Fits x [n][features], y [n] from scratch: its matrix, its bins, its trees. Errors abort with XGBoost's message. */
struct peer *peer_fit(const struct gbdt_settings *settings, size_t n, int features, const float *x, const float *y);
void peer_predict(struct peer *peer, size_t n, int features, const float *x, double *score);
void peer_free(struct peer *peer);
#else
static inline struct peer *peer_fit(const struct gbdt_settings *settings, size_t n, int features, const float *x,
                                    const float *y)
{
    (void)settings, (void)n, (void)features, (void)x, (void)y;
    return NULL;
}
static inline void peer_predict(struct peer *peer, size_t n, int features, const float *x, double *score)
{
    (void)peer, (void)n, (void)features, (void)x, (void)score;
}
static inline void peer_free(struct peer *peer) { (void)peer; }
#endif

#endif

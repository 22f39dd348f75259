/* dynamic.h - a product of decoding whose M, the batch, changes at every step, and its buckets: M rounded up to the
 * powers of two (s2.4, exercise 8). */
#ifndef DYNAMIC_H
#define DYNAMIC_H

#include "space/workload.h"

enum { DYNAMIC_M = 256, BUCKETS = 9 }; /* M = 1 … 256; buckets 1 2 4 … 256 */

static inline struct workload dynamic_at(int m)
{
    return (struct workload){ "dynamic", TEXT("dynamic M", "动态 M"), m, 14336, 4096 };
}

static inline int dynamic_bucket(int m)
{
    int bucket = 0;
    while (1 << bucket < m)
        bucket++;
    return bucket;
}

#endif

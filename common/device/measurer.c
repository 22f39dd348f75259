/* measurer.c - compile, run a hundred times, read a noisy clock; and count what it cost. */
#include "device/measurer.h"
#include "device/device.h"
#include "base/mathx.h"
#include <math.h>

struct measurer measurer_new(const struct device *device, const struct workload *w, const struct space *space,
                             size_t budget, uint64_t noise_seed)
{
    return (struct measurer){
        .device = device,
        .workload = w,
        .space = space,
        .noise_kind = NOISE_NORMAL,
        .compile_s = MEASURER_COMPILE_S,
        .runs = MEASURER_RUNS,
        .budget = budget,
        .noise_seed = noise_seed,
    };
}

/* The device's own noise of a configuration, unless the measurer was given another. */
static double noise_of(const struct measurer *m, uint32_t config)
{
    int values[SPACE_MAX_KNOBS];
    if (m->noise != 0.0)
        return m->noise > 0.0 ? m->noise : 0.0;
    if (!m->device->noise_of)
        return m->device->noise;
    space_values(m->space, config, values);
    return m->device->noise_of(m->device, m->workload, values);
}

static struct measurement measure_one(struct measurer *m, uint32_t config)
{
    if (!space_is_legal(m->space, config))
        return (struct measurement){ INFINITY, m->space->illegal[config], m->compile_s };
    double true_us = device_time_us(m->device, m->workload, m->space, config);
    struct rng rng = rng_stream(m->noise_seed, "noise", m->trials);
    double z = noise_of(m, config) * rng_normal(&rng);
    double factor = m->noise_kind == NOISE_LOG_NORMAL ? mathx_exp(z) : 1.0 + z;
    if (factor < 0.01) /* a clock never runs backwards; at 1.5 % noise this is 66 deviations away */
        factor = 0.01;
    return (struct measurement){ true_us * factor, 0, m->compile_s + m->runs * true_us * factor * 1e-6 };
}

size_t measurer_measure(struct measurer *m, size_t n, const uint32_t *configs, struct measurement *results)
{
    size_t done = 0;
    for (; done < n && m->trials < m->budget; done++) {
        results[done] = measure_one(m, configs[done]);
        measurer_replay(m, &results[done]);
    }
    return done;
}

void measurer_replay(struct measurer *m, const struct measurement *result)
{
    m->trials++;
    m->seconds += result->seconds;
}

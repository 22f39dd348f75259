/* measurer.c - compile, run a hundred times, read a noisy clock; and count what it cost. */
#include "device/measurer.h"
#include "device/device.h"
#include "base/mathx.h"
#include "base/xalloc.h"
#include <math.h>
#include <stdlib.h>

struct measurer measurer_new(const struct device *device, const struct workload *w, const struct space *space,
                             size_t budget, uint64_t noise_seed)
{
    return (struct measurer){
        .device = device, .workload = w, .space = space, .budget = budget, .noise_seed = noise_seed
    };
}

static struct measurement measure_one(const struct measurer *m, uint32_t config)
{
    struct conditions c = device_conditions(m->device, m->workload, m->space, config);
    if (c.failure)
        return (struct measurement){ INFINITY, c.failure, c.compile_s };
    struct rng rng = rng_stream(m->noise_seed, "noise", m->trials);
    double z = rng_normal(&rng), noise = m->noise == 0.0 ? c.noise : m->noise > 0.0 ? m->noise : 0.0;
    if (m->noise == 0.0 && m->device->conditions)
        z = fmin(fmax(z, -3), 3); /* within what the runs of a recorded configuration showed */
    double factor = m->noise_kind == NOISE_LOG_NORMAL ? mathx_exp(noise * z) : 1.0 + noise * z;
    if (factor < 0.01) /* a clock never runs backwards; at 1.5 % noise this is 66 deviations away */
        factor = 0.01;
    double true_us = device_time_us(m->device, m->workload, m->space, config);
    return (struct measurement){ true_us * factor, 0, c.compile_s + MEASURER_RUNS * true_us * factor * 1e-6 };
}

static void count(struct measurer *m, const struct measurement *result)
{
    m->trials++;
    m->seconds += result->seconds;
}

/* The knob values of configurations, [n][knobs]. */
static int *values_of(const struct space *space, size_t n, const uint32_t *configs)
{
    int *values = xalloc(n * (size_t)space->knobs, sizeof *values);
    for (size_t i = 0; i < n; i++)
        space_values(space, configs[i], values + i * (size_t)space->knobs);
    return values;
}

size_t measurer_measure(struct measurer *m, size_t n, const uint32_t *configs, struct measurement *results)
{
    n = n < m->budget - m->trials ? n : m->budget - m->trials;
    if (m->device->measure) {
        int *values = values_of(m->space, n, configs);
        m->device->measure(m->device, n, values, results);
        free(values);
    }
    for (size_t i = 0; i < n; i++) {
        if (!m->device->measure)
            results[i] = measure_one(m, configs[i]);
        count(m, &results[i]);
    }
    return n;
}

bool measurer_may_fail(const struct device *device) { return device->conditions || device->measure; }

void measurer_replay(struct measurer *m, uint32_t config, const struct measurement *result)
{
    if (m->device->known) {
        int *values = values_of(m->space, 1, &config);
        m->device->known(m->device, values, result);
        free(values);
    }
    count(m, result);
}

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

/* One measurement's standard normal number: of a recorded configuration it stays within what its runs showed. */
static double draw(const struct measurer *m)
{
    struct rng rng = rng_stream(m->noise_seed, "noise", m->trials);
    double z = rng_normal(&rng);
    return m->noise == 0.0 && m->device->noise_of ? fmin(fmax(z, -3), 3) : z;
}

static struct measurement measure_one(const struct measurer *m, uint32_t config)
{
    const struct device *device = m->device;
    int values[SPACE_MAX_KNOBS], failure = device_failure(device, m->workload, m->space, config);
    double compile_s = device_compile_s(device, m->workload, m->space, config);
    if (failure)
        return (struct measurement){ INFINITY, failure, compile_s };
    space_values(m->space, config, values);
    double true_us = device->time_us(device, m->workload, values), noise = m->noise > 0.0 ? m->noise : 0.0;
    if (m->noise == 0.0)
        noise = device->noise_of ? device->noise_of(device, m->workload, values) : device->noise;
    double z = noise * draw(m), factor = m->noise_kind == NOISE_LOG_NORMAL ? mathx_exp(z) : 1.0 + z;
    if (factor < 0.01) /* a clock never runs backwards; at 1.5 % noise this is 66 deviations away */
        factor = 0.01;
    double run_s = MEASURER_RUNS * true_us * factor * 1e-6;
    return (struct measurement){ true_us * factor, 0, compile_s + run_s };
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

bool measurer_may_fail(const struct device *device) { return device->failure || device->measure; }

void measurer_replay(struct measurer *m, uint32_t config, const struct measurement *result)
{
    if (m->device->known) {
        int *values = values_of(m->space, 1, &config);
        m->device->known(m->device, values, result);
        free(values);
    }
    count(m, result);
}

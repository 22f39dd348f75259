/* test_convolution.c - ResNet-18's shapes, counted by sliding their windows. */
#include "check.h"
#include "space/convolution.h"

TEST(a_product_has_a_row_for_each_window)
{
    for (int i = 0; i < CONVOLUTIONS; i++) {
        const struct convolution *c = &convolution_resnet18[i];
        struct workload w = convolution_product(c);
        int edge = 0, pad = (c->window - 1) / 2;
        for (int top = -pad; top + c->window <= c->size + pad; top += c->stride)
            edge++;
        assert_int_equal(w.m, edge * edge);
        assert_int_equal(edge * c->stride, c->size); /* padded so that only the stride makes it smaller */
        assert_int_equal(w.n, c->out);
        assert_near(workload_flop(&w), 2.0 * edge * edge * c->out * c->in * c->window * c->window, 0);
        assert_near(convolution_gathered(c), c->window * c->window / (double)(c->stride * c->stride), 1e-12);
    }
}

TEST(their_work_is_the_networks)
{
    double giga = 0;
    static const int times[CONVOLUTIONS] = { 1, 4, 0, 1, 1, 3, 1, 1, 3, 1, 1, 3 }; /* in ResNet-18 */
    for (int i = 0; i < CONVOLUTIONS; i++) {
        struct workload w = convolution_product(&convolution_resnet18[i]);
        giga += times[i] * workload_flop(&w) / 2e9;
    }
    assert_between(giga, 1.80, 1.82); /* 1.8 billion multiply-adds, as He et al. (2016) count them */
}

TESTS("convolution", NULL, NULL)

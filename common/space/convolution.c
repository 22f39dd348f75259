/* convolution.c - the shapes of ResNet-18's convolutions. */
#include "space/convolution.h"

const struct convolution convolution_resnet18[CONVOLUTIONS] = {
    { "C1", 224, 3, 64, 7, 2 },    { "C2", 56, 64, 64, 3, 1 },    { "C3", 56, 64, 64, 1, 1 },
    { "C4", 56, 64, 128, 3, 2 },   { "C5", 56, 64, 128, 1, 2 },   { "C6", 28, 128, 128, 3, 1 },
    { "C7", 28, 128, 256, 3, 2 },  { "C8", 28, 128, 256, 1, 2 },  { "C9", 14, 256, 256, 3, 1 },
    { "C10", 14, 256, 512, 3, 2 }, { "C11", 14, 256, 512, 1, 2 }, { "C12", 7, 512, 512, 3, 1 },
};

struct workload convolution_product(const struct convolution *c)
{
    int edge = (c->size + 2 * (c->window / 2) - c->window) / c->stride + 1;
    return (struct workload){ c->id, TEXT(c->id, c->id), edge * edge, c->out, c->in * c->window * c->window };
}

double convolution_gathered(const struct convolution *c)
{
    struct workload w = convolution_product(c);
    return (double)w.m * w.k / ((double)c->size * c->size * c->in);
}

/* convolution.h - a convolution of a square image, batch 1, as an implicit matrix product (lecture 4.6).
 *
 * Output pixel i and channel j is row i of a gathered matrix times column j of the weights: M = pixels out, N =
 * channels out, K = channels in times the window. Implicit: the gathered matrix is never stored. Its padding is as wide
 * as half the window, so a stride of 1 keeps the size. */
#ifndef CONVOLUTION_H
#define CONVOLUTION_H

#include "space/workload.h"

struct convolution {
    const char *id;
    int size, in, out, window, stride; /* pixels an edge; channels; pixels an edge; pixels */
};

/* AutoTVM's twelve of ResNet-18, C1 … C12 in the paper. */
enum { CONVOLUTIONS = 12 };
extern const struct convolution convolution_resnet18[CONVOLUTIONS];

struct workload convolution_product(const struct convolution *c);

/* Elements of the gathered matrix over those of the image: how often a pixel is read. */
double convolution_gathered(const struct convolution *c);

#endif

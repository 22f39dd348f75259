/* terrain.h - how hard a landscape is for a search that changes one knob at a time (lecture 1.3).
 *
 * The fitness flow graph of Schoonhoven et al. (2022): a node a configuration that runs, an edge from it to each
 * neighbour that is faster. A descent follows edges, each as likely, until there is none: at a local minimum.
 * No edge leads back, so one pass from the slowest to the fastest gives all of this exactly, without a draw. (Their
 * graph has edges between equals, too, and what fails is a very slow node.) */
#ifndef TERRAIN_H
#define TERRAIN_H

#include "device/device.h"

#define TERRAIN_DAMPING 0.85 /* PageRank's: with the rest of the chance a walk jumps to a node drawn anew */

struct terrain {
    size_t minima;
    double *slowdown;   /* [minima] of each local minimum, ascending */
    double *ends;       /* [minima] chance that a descent from a start drawn from all nodes ends there */
    double *centrality; /* [minima] its PageRank over that of all minima */
    double moves;       /* mean length of a descent */
};
struct terrain terrain_new(const struct landscape *landscape, enum neighbourhood kind);
void terrain_free(struct terrain *terrain);

/* The sum of `of`, which is ends or centrality, over the minima that are at most this much slower than the optimum. */
double terrain_within(const struct terrain *terrain, const double *of, double slowdown);

#endif

/* gbdt_leaf.c - lecture 4.2's two formulas, and where a tree's leaves lie. */
#include "model/gbdt_model.h"

double gbdt_leaf(double G, double H, double lambda) { return H + lambda > 0 ? -G / (H + lambda) : 0; }

double gbdt_split_gain(double GL, double HL, double GR, double HR, double lambda)
{
    double G = GL + GR, H = HL + HR;
    return GL * GL / (HL + lambda) + GR * GR / (HR + lambda) - G * G / (H + lambda);
}

int gbdt_first_leaf(int depth, int node, int level) { return ((node + 1) << (depth - level)) - (1 << depth); }

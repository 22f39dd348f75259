/* compute.c - a small compute graph: building it, asking it, printing it. It computes nothing: minitriton does. */
#include "space/compute.h"
#include "base/xalloc.h"
#include <assert.h>
#include <stdlib.h>

/* ---- building ---- */

static unsigned bit(int axis) { return 1u << axis; }

#define MATRIX(called, i, j) { .name = called, .spatial = 2, .axes = 2, .axis = { i, j } }

/* sum_k of A[i,k], or A[k,i], times B[k,j]. */
static struct compute product(const char *a, const char *b, const char *c, bool transposed, int m, int n, int k)
{
    enum { I = 1, J = 2, K = 4 };
    struct compute_axis i = { "i", m }, j = { "j", n }, l = { "k", k };
    struct compute_read read = { 0, { transposed ? K : I, transposed ? I : K } };
    return (struct compute){ 3, { MATRIX(a, transposed ? l : i, transposed ? i : l), MATRIX(b, l, j),
                                  { .name = c, .spatial = 2, .axes = 3, .axis = { i, j, l }, .body = "$0 * $1",
                                    .reads = 2, .read = { read, { 1, { K, J } } } } } };
}

struct compute compute_matmul(int m, int n, int k) { return product("A", "B", "C", false, m, n, k); }
struct compute compute_wgrad(int m, int n, int k) { return product("X", "dY", "dW", true, m, n, k); }

struct compute compute_row_sum(int rows, int columns)
{
    struct compute_axis i = { "i", rows }, k = { "k", columns };
    return (struct compute){ 2, { MATRIX("A", i, k),
                                  { .name = "S", .spatial = 1, .axes = 2, .axis = { i, k }, .body = "$0",
                                    .reads = 1, .read = { { 0, { 1, 2 } } } } } };
}

struct compute compute_conv(int images, int in, int out, int size, int kernel)
{
    enum { N = 1, F = 2, H = 4, W = 8, C = 16, KH = 32, KW = 64 };
    struct compute_axis n = { "n", images }, c = { "c", in }, f = { "f", out };
    struct compute_axis y = { "y", size }, x = { "x", size }, kh = { "kh", kernel }, kw = { "kw", kernel };
    struct compute_axis h = { "h", size }, w = { "w", size };
    struct compute_axis tall = { "y", size + kernel - 1 }, wide = { "x", size + kernel - 1 };
    return (struct compute){
        4,
        { { .name = "X", .spatial = 4, .axes = 4, .axis = { n, c, y, x } },
          { .name = "W", .spatial = 4, .axes = 4, .axis = { f, c, kh, kw } },
          { .name = "padded", .spatial = 4, .axes = 4, .axis = { n, c, tall, wide }, .body = "pad($0)",
            .reads = 1, .read = { { 0, { 1, 2, 4, 8 } } }, .costly = true },
          { .name = "Y", .spatial = 4, .axes = 7, .axis = { n, f, h, w, c, kh, kw }, .body = "$0 * $1",
            .reads = 2, .read = { { 2, { N, C, H | KH, W | KW } }, { 1, { F, C, KH, KW } } } } }
    };
}

/* An element-wise step behind the output: it reads that and, unless NULL, a vector of a value for each of an axis. */
static void add_step(struct compute *graph, const char *name, const char *body, const char *vector, int axis)
{
    struct compute_node node = graph->node[graph->nodes - 1];
    assert(graph->nodes + 2 <= COMPUTE_MAX_NODES);
    node.name = name, node.body = body;
    node.axes = node.spatial;
    node.costly = false;
    node.reads = 1;
    node.read[0] = (struct compute_read){ graph->nodes - 1, { 1, 2, 4, 8 } };
    if (vector) {
        node.read[node.reads++] = (struct compute_read){ graph->nodes, { bit(axis) } };
        graph->node[graph->nodes++] =
            (struct compute_node){ .name = vector, .spatial = 1, .axes = 1, .axis = { node.axis[axis] } };
    }
    graph->node[graph->nodes++] = node;
}

void compute_add_bias(struct compute *graph)
{
    add_step(graph, "biased", "$0 + $1", "bias", graph->node[graph->nodes - 1].spatial - 1);
}

/* Two steps, as in TVM: one that reads both vectors would pass for a node with data reuse. */
void compute_add_norm(struct compute *graph, int axis)
{
    add_step(graph, "scaled", "$0 * $1", "scale", axis);
    add_step(graph, "shifted", "$0 + $1", "shift", axis);
}

void compute_add_relu(struct compute *graph) { add_step(graph, "relu", "max($0, 0)", NULL, 0); }

/* ---- asking ---- */

bool compute_is_input(const struct compute *graph, int node) { return graph->node[node].reads == 0; }

bool compute_reduces(const struct compute *g, int node) { return g->node[node].axes > g->node[node].spatial; }

static long long extents(const struct compute_node *n, int from, int to, unsigned axes)
{
    long long product = 1;
    for (int a = from; a < to; a++)
        product *= axes & bit(a) ? n->axis[a].extent : 1;
    return product;
}

long long compute_outputs(const struct compute *graph, int node)
{
    return extents(&graph->node[node], 0, graph->node[node].spatial, ~0u);
}

long long compute_reduced(const struct compute *graph, int node)
{
    return extents(&graph->node[node], graph->node[node].spatial, graph->node[node].axes, ~0u);
}

static bool reads(const struct compute_node *reader, int node)
{
    for (int r = 0; r < reader->reads; r++)
        if (reader->read[r].node == node)
            return true;
    return false;
}

int compute_reader(const struct compute *graph, int node)
{
    int reader = 0;
    for (int n = node + 1; n < graph->nodes; n++)
        if (reads(&graph->node[n], node))
            reader = reader == 0 ? n : -1;
    return reader;
}

bool compute_elementwise(const struct compute *graph, int node, int producer)
{
    const struct compute_node *n = &graph->node[node];
    if (compute_reduces(graph, node) || n->spatial != graph->node[producer].spatial || !reads(n, producer))
        return false;
    for (int r = 0; r < n->reads; r++)
        for (int d = 0; n->read[r].node == producer && d < n->spatial; d++)
            if (n->read[r].index[d] != bit(d))
                return false;
    return true;
}

/* The spatial axes (bits) of more than one value that a read does not mention: what it reads is reused along them. */
static unsigned lacks(const struct compute *graph, int node, int read)
{
    const struct compute_node *n = &graph->node[node];
    unsigned axes = 0;
    for (int a = 0; a < n->spatial; a++)
        axes |= n->axis[a].extent > 1 ? bit(a) : 0;
    for (int d = 0; d < graph->node[n->read[read].node].spatial; d++)
        axes &= ~n->read[read].index[d];
    return axes;
}

bool compute_reuses(const struct compute *graph, int node)
{
    int lacking = 0;
    for (int r = 0; r < graph->node[node].reads; r++)
        lacking += lacks(graph, node, r) != 0;
    return lacking >= 2 || (lacking == 1 && compute_reduces(graph, node));
}

long long compute_tiles(const struct compute *graph, int node, int side)
{
    const struct compute_node *n = &graph->node[node];
    unsigned left = bit(n->spatial) - 1;
    long long tiles = 1;
    for (int r = 0; r < n->reads; r++) {
        unsigned along = lacks(graph, node, r) & left;
        tiles *= (extents(n, 0, n->spatial, along) + side - 1) / side;
        left &= ~along;
    }
    return tiles * extents(n, 0, n->spatial, left);
}

/* ---- printing ---- */

char *compute_element(const struct compute_node *node, const char *suffix, const char *first)
{
    char *text = xformat("%s%s%s%s", node->name, suffix, first ? "[" : "", first ? first : "");
    for (int a = 0; a < node->spatial; a++)
        xappend(&text, "%s%s", a || first ? "," : "[", node->axis[a].name);
    xappend(&text, "%s", first || node->spatial ? "]" : "");
    return text;
}

/* A node's formula, with these words for its axes. */
static void append_body(char **text, const struct compute *graph, int node, const char *const *axis,
                        const char *const *suffix)
{
    const struct compute_node *n = &graph->node[node];
    for (const char *c = n->body; *c; c++) {
        if (*c != '$') {
            xappend(text, "%c", *c);
            continue;
        }
        bool alone = (c == n->body || c[-1] == '(') && (!c[2] || c[2] == ',' || c[2] == ')');
        const struct compute_read *read = &n->read[*++c - '0'];
        const struct compute_node *from = &graph->node[read->node];
        char *index[COMPUTE_MAX_DIMS] = { NULL };
        for (int d = 0; d < from->spatial; d++)
            for (int a = 0; a < n->axes; a++)
                if (read->index[d] & bit(a))
                    xappend(&index[d], "%s%s", index[d] ? "+" : "", axis[a]);
        if (suffix[read->node]) {
            xappend(text, "%s%s", from->name, suffix[read->node]);
            for (int d = 0; d < from->spatial; d++)
                xappend(text, "%s%s%s", d ? "," : "[", index[d], d == from->spatial - 1 ? "]" : "");
        } else {
            assert(!compute_reduces(graph, read->node)); /* a sum has no formula to put in place */
            bool brackets = !alone && from->body[0] == '$' && from->body[2]; /* an operator beside another */
            xappend(text, "%s", brackets ? "(" : "");
            append_body(text, graph, read->node, (const char *const *)index, suffix);
            xappend(text, "%s", brackets ? ")" : "");
        }
        for (int d = 0; d < from->spatial; d++)
            free(index[d]);
    }
}

char *compute_body(const struct compute *graph, int node, const char *const *suffix)
{
    const char *axis[COMPUTE_MAX_AXES];
    char *text = NULL;
    for (int a = 0; a < graph->node[node].axes; a++)
        axis[a] = graph->node[node].axis[a].name;
    append_body(&text, graph, node, axis, suffix);
    return text;
}

char *compute_text(const struct compute *graph)
{
    const char *plain[COMPUTE_MAX_NODES];
    char *text = NULL;
    for (int node = 0; node < graph->nodes; node++)
        plain[node] = "";
    for (int node = 0; node < graph->nodes; node++) {
        const struct compute_node *n = &graph->node[node];
        if (compute_is_input(graph, node))
            continue;
        char *formula = compute_element(n, "", NULL), *body = compute_body(graph, node, plain);
        xappend(&formula, " = %s", n->axes > n->spatial ? "sum_" : "");
        for (int a = n->spatial; a < n->axes; a++)
            xappend(&formula, "%s%s", n->axis[a].name, a == n->axes - 1 ? " " : ",");
        xappend(&formula, "%s", body);
        xappend(&text, "%-50s", formula);
        for (int a = 0; a < n->axes; a++)
            xappend(&text, "%s%s %d", a ? ", " : "  ", n->axis[a].name, n->axis[a].extent);
        xappend(&text, "\n");
        free(body);
        free(formula);
    }
    return text;
}

/* compute.c - a small compute graph: building it, asking it, printing it. It computes nothing: minitriton does. */
#include "space/compute.h"
#include "base/xalloc.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- building ---- */

static unsigned bit(int axis) { return 1u << axis; }

int compute_add(struct compute *graph, struct compute_node node)
{
    assert(graph->nodes < COMPUTE_MAX_NODES && node.reads <= COMPUTE_MAX_READS);
    assert(node.spatial <= node.axes && node.axes <= COMPUTE_MAX_AXES && node.spatial <= COMPUTE_MAX_DIMS);
    for (int r = 0; r < node.reads; r++)
        assert(node.read[r].node >= 0 && node.read[r].node < graph->nodes);
    graph->node[graph->nodes] = node;
    return graph->nodes++;
}

static int add_matrix(struct compute *graph, const char *name, struct compute_axis i, struct compute_axis j)
{
    return compute_add(graph, (struct compute_node){ .name = name, .spatial = 2, .axes = 2, .axis = { i, j } });
}

static int add_unary(struct compute *graph, struct compute_node node, const char *body, struct compute_read read)
{
    node.body = body;
    node.reads = 1;
    node.read[0] = read;
    return compute_add(graph, node);
}

static int add_product(struct compute *graph, struct compute_node node, struct compute_read a, struct compute_read b)
{
    node.body = "$0 * $1";
    node.reads = 2;
    node.read[0] = a;
    node.read[1] = b;
    return compute_add(graph, node);
}

struct compute compute_matmul(int m, int n, int k)
{
    enum { I = 1, J = 2, K = 4 };
    struct compute_axis i = { "i", m }, j = { "j", n }, l = { "k", k };
    struct compute g = { 0 };
    int a = add_matrix(&g, "A", i, l), b = add_matrix(&g, "B", l, j);
    struct compute_node c = { .name = "C", .spatial = 2, .axes = 3, .axis = { i, j, l } };
    add_product(&g, c, (struct compute_read){ a, { I, K } }, (struct compute_read){ b, { K, J } });
    return g;
}

struct compute compute_wgrad(int m, int n, int k)
{
    enum { I = 1, K = 4 };
    struct compute g = compute_matmul(m, n, k);
    struct compute_node *x = &g.node[0], *dy = &g.node[1], *dw = &g.node[2];
    x->name = "X", dy->name = "dY", dw->name = "dW";
    x->axis[0] = dw->axis[2], x->axis[1] = dw->axis[0]; /* transposed: its rows are what is summed over */
    dw->read[0] = (struct compute_read){ 0, { K, I } };
    return g;
}

struct compute compute_row_sum(int rows, int columns)
{
    struct compute_axis i = { "i", rows }, k = { "k", columns };
    struct compute g = { 0 };
    int a = add_matrix(&g, "A", i, k);
    struct compute_node sum = { .name = "S", .spatial = 1, .axes = 2, .axis = { i, k } };
    add_unary(&g, sum, "$0", (struct compute_read){ a, { 1, 2 } });
    return g;
}

struct compute compute_conv(int images, int in, int out, int size, int kernel)
{
    enum { N = 1, F = 2, H = 4, W = 8, C = 16, KH = 32, KW = 64 };
    struct compute_axis n = { "n", images }, c = { "c", in }, f = { "f", out };
    struct compute_axis y = { "y", size }, x = { "x", size }, kh = { "kh", kernel }, kw = { "kw", kernel };
    struct compute g = { 0 };
    struct compute_node image = { .name = "X", .spatial = 4, .axes = 4, .axis = { n, c, y, x } };
    struct compute_node weight = { .name = "W", .spatial = 4, .axes = 4, .axis = { f, c, kh, kw } };
    int from = compute_add(&g, image), by = compute_add(&g, weight);
    y.extent = x.extent = size + kernel - 1;
    struct compute_node padded = { .name = "padded", .spatial = 4, .axes = 4, .axis = { n, c, y, x } };
    padded.costly = true;
    int rim = add_unary(&g, padded, "pad($0)", (struct compute_read){ from, { 1, 2, 4, 8 } });
    struct compute_axis h = { "h", size }, w = { "w", size };
    struct compute_node sum = { .name = "Y", .spatial = 4, .axes = 7, .axis = { n, f, h, w, c, kh, kw } };
    add_product(&g, sum, (struct compute_read){ rim, { N, C, H | KH, W | KW } },
                (struct compute_read){ by, { F, C, KH, KW } });
    return g;
}

/* A node with the output's spatial axes that reads the output element by element. */
static struct compute_node after_output(const struct compute *graph, const char *name, const char *body)
{
    struct compute_node node = graph->node[graph->nodes - 1];
    node.name = name;
    node.body = body;
    node.axes = node.spatial;
    node.costly = false;
    node.reads = 1;
    node.read[0] = (struct compute_read){ graph->nodes - 1, { 1, 2, 4, 8 } };
    return node;
}

/* The output combined with a vector of one value for each value of an axis. */
static void add_with_vector(struct compute *graph, const char *name, const char *body, const char *vector, int axis)
{
    struct compute_node node = after_output(graph, name, body);
    struct compute_node values = { .name = vector, .spatial = 1, .axes = 1, .axis = { node.axis[axis] } };
    node.read[node.reads++] = (struct compute_read){ compute_add(graph, values), { bit(axis) } };
    compute_add(graph, node);
}

void compute_add_bias(struct compute *graph)
{
    add_with_vector(graph, "biased", "$0 + $1", "bias", graph->node[graph->nodes - 1].spatial - 1);
}

/* Two steps, as in TVM: one that reads both vectors would pass for a node with data reuse. */
void compute_add_norm(struct compute *graph, int axis)
{
    add_with_vector(graph, "scaled", "$0 * $1", "scale", axis);
    add_with_vector(graph, "shifted", "$0 + $1", "shift", axis);
}

void compute_add_relu(struct compute *graph) { compute_add(graph, after_output(graph, "relu", "max($0, 0)")); }

/* ---- asking ---- */

bool compute_is_input(const struct compute *graph, int node) { return graph->node[node].reads == 0; }

bool compute_reduces(const struct compute *graph, int node)
{
    return graph->node[node].axes > graph->node[node].spatial;
}

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

void compute_append(char **text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *more = xvformat(format, list);
    va_end(list);
    size_t used = *text ? strlen(*text) : 0;
    *text = xrealloc(*text, used + strlen(more) + 1, 1);
    strcpy(*text + used, more);
    free(more);
}

static void append_indexed(char **text, const char *name, const char *suffix, int indices, const char *const *index)
{
    compute_append(text, "%s%s", name, suffix);
    for (int d = 0; d < indices; d++)
        compute_append(text, "%s%s%s", d ? "," : "[", index[d], d == indices - 1 ? "]" : "");
}

char *compute_element(const struct compute_node *node, const char *suffix, const char *first)
{
    const char *index[COMPUTE_MAX_DIMS + 1];
    char *text = NULL;
    int indices = 0;
    if (first)
        index[indices++] = first;
    for (int a = 0; a < node->spatial; a++)
        index[indices++] = node->axis[a].name;
    append_indexed(&text, node->name, suffix, indices, index);
    return text;
}

static void append_read(char **text, const struct compute *graph, const struct compute_read *read, int axes,
                        const char *const *axis, const char *const *suffix, bool alone);

/* A node's formula, with the words `axis` for its axes. */
static void append_body(char **text, const struct compute *graph, int node, const char *const *axis,
                        const char *const *suffix)
{
    const struct compute_node *n = &graph->node[node];
    for (const char *c = n->body; *c; c++)
        if (*c == '$') {
            bool alone = (c == n->body || c[-1] == '(') && (!c[2] || c[2] == ',' || c[2] == ')');
            append_read(text, graph, &n->read[*++c - '0'], n->axes, axis, suffix, alone);
        } else {
            compute_append(text, "%c", *c);
        }
}

/* What one read of it says; `alone`: nothing beside it binds tighter. */
static void append_read(char **text, const struct compute *graph, const struct compute_read *read, int axes,
                        const char *const *axis, const char *const *suffix, bool alone)
{
    const struct compute_node *producer = &graph->node[read->node];
    char *index[COMPUTE_MAX_DIMS] = { NULL };
    for (int d = 0; d < producer->spatial; d++)
        for (int a = 0; a < axes; a++)
            if (read->index[d] & bit(a))
                compute_append(&index[d], "%s%s", index[d] ? "+" : "", axis[a]);
    const char *const *words = (const char *const *)index;
    if (suffix[read->node]) {
        append_indexed(text, producer->name, suffix[read->node], producer->spatial, words);
    } else {
        assert(!compute_reduces(graph, read->node)); /* a sum has no formula to put in place */
        bool brackets = !alone && producer->body[0] == '$' && producer->body[2]; /* an operator beside another */
        compute_append(text, "%s", brackets ? "(" : "");
        append_body(text, graph, read->node, words, suffix);
        compute_append(text, "%s", brackets ? ")" : "");
    }
    for (int d = 0; d < producer->spatial; d++)
        free(index[d]);
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
    const char *suffix[COMPUTE_MAX_NODES];
    char *text = NULL;
    for (int node = 0; node < graph->nodes; node++)
        suffix[node] = "";
    for (int node = 0; node < graph->nodes; node++) {
        const struct compute_node *n = &graph->node[node];
        if (compute_is_input(graph, node))
            continue;
        char *formula = compute_element(n, "", NULL), *body = compute_body(graph, node, suffix);
        compute_append(&formula, " = ");
        for (int a = n->spatial; a < n->axes; a++)
            compute_append(&formula, "%s%s", a == n->spatial ? "sum_" : ",", n->axis[a].name);
        compute_append(&formula, "%s%s", compute_reduces(graph, node) ? " " : "", body);
        compute_append(&text, "%-50s", formula);
        for (int a = 0; a < n->axes; a++)
            compute_append(&text, "%s%s %d", a ? ", " : "  ", n->axis[a].name, n->axis[a].extent);
        compute_append(&text, "\n");
        free(body);
        free(formula);
    }
    return text;
}

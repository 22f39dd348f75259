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
    for (int a = 0; a < node.axes; a++)
        assert(node.axis[a].name && node.axis[a].extent >= 1);
    for (int r = 0; r < node.reads; r++) {
        assert(node.read[r].node >= 0 && node.read[r].node < graph->nodes);
        for (int d = 0; d < graph->node[node.read[r].node].spatial; d++)
            assert(node.read[r].index[d] != 0 && node.read[r].index[d] < bit(node.axes));
    }
    graph->node[graph->nodes] = node;
    return graph->nodes++;
}

static int add_vector(struct compute *graph, const char *name, struct compute_axis i)
{
    return compute_add(graph, (struct compute_node){ .name = name, .spatial = 1, .axes = 1, .axis = { i } });
}

static int add_matrix(struct compute *graph, const char *name, struct compute_axis i, struct compute_axis j)
{
    return compute_add(graph, (struct compute_node){ .name = name, .spatial = 2, .axes = 2, .axis = { i, j } });
}

struct compute compute_matmul(int m, int n, int k)
{
    enum { I = 1, J = 2, K = 4 };
    struct compute_axis i = { "i", m }, j = { "j", n }, l = { "k", k };
    struct compute g = { 0 };
    int a = add_matrix(&g, "A", i, l), b = add_matrix(&g, "B", l, j);
    compute_add(&g, (struct compute_node){ .name = "C",
                                           .spatial = 2,
                                           .axes = 3,
                                           .axis = { i, j, l },
                                           .body = "$0 * $1",
                                           .reads = 2,
                                           .read = { { a, { I, K } }, { b, { K, J } } } });
    return g;
}

struct compute compute_wgrad(int m, int n, int k)
{
    enum { I = 1, J = 2, K = 4 };
    struct compute_axis i = { "i", m }, j = { "j", n }, l = { "k", k };
    struct compute g = { 0 };
    int x = add_matrix(&g, "X", l, i), dy = add_matrix(&g, "dY", l, j);
    compute_add(&g, (struct compute_node){ .name = "dW",
                                           .spatial = 2,
                                           .axes = 3,
                                           .axis = { i, j, l },
                                           .body = "$0 * $1",
                                           .reads = 2,
                                           .read = { { x, { K, I } }, { dy, { K, J } } } });
    return g;
}

struct compute compute_row_sum(int rows, int columns)
{
    enum { I = 1, K = 2 };
    struct compute_axis i = { "i", rows }, k = { "k", columns };
    struct compute g = { 0 };
    int a = add_matrix(&g, "A", i, k);
    compute_add(&g, (struct compute_node){ .name = "S",
                                           .spatial = 1,
                                           .axes = 2,
                                           .axis = { i, k },
                                           .body = "$0",
                                           .reads = 1,
                                           .read = { { a, { I, K } } } });
    return g;
}

struct compute compute_softmax(int rows, int columns)
{
    enum { I = 1, J = 2 };
    struct compute_axis i = { "i", rows }, j = { "j", columns };
    struct compute g = { 0 };
    int a = add_matrix(&g, "A", i, j);
    int top = compute_add(&g, (struct compute_node){ .name = "top",
                                                     .spatial = 1,
                                                     .axes = 2,
                                                     .axis = { i, j },
                                                     .reduction = COMPUTE_MAX,
                                                     .body = "$0",
                                                     .reads = 1,
                                                     .read = { { a, { I, J } } } });
    int e = compute_add(&g, (struct compute_node){ .name = "E",
                                                   .spatial = 2,
                                                   .axes = 2,
                                                   .axis = { i, j },
                                                   .body = "exp($0 - $1)",
                                                   .costly = true,
                                                   .reads = 2,
                                                   .read = { { a, { I, J } }, { top, { I } } } });
    int total = compute_add(&g, (struct compute_node){ .name = "total",
                                                       .spatial = 1,
                                                       .axes = 2,
                                                       .axis = { i, j },
                                                       .body = "$0",
                                                       .reads = 1,
                                                       .read = { { e, { I, J } } } });
    compute_add(&g, (struct compute_node){ .name = "P",
                                           .spatial = 2,
                                           .axes = 2,
                                           .axis = { i, j },
                                           .body = "$0 / $1",
                                           .reads = 2,
                                           .read = { { e, { I, J } }, { total, { I } } } });
    return g;
}

struct compute compute_conv(int images, int in, int out, int size, int kernel)
{
    enum { N = 1, F = 2, H = 4, W = 8, C = 16, KH = 32, KW = 64 };
    struct compute_axis n = { "n", images }, c = { "c", in }, f = { "f", out };
    struct compute_axis kh = { "kh", kernel }, kw = { "kw", kernel };
    struct compute_axis y = { "y", size + kernel - 1 }, z = { "x", size + kernel - 1 };
    struct compute g = { 0 };
    int x =
        compute_add(&g, (struct compute_node){
                            .name = "X", .spatial = 4, .axes = 4, .axis = { n, c, { "y", size }, { "x", size } } });
    int weight =
        compute_add(&g, (struct compute_node){ .name = "W", .spatial = 4, .axes = 4, .axis = { f, c, kh, kw } });
    int padded = compute_add(&g, (struct compute_node){ .name = "padded",
                                                        .spatial = 4,
                                                        .axes = 4,
                                                        .axis = { n, c, y, z },
                                                        .body = "pad($0)",
                                                        .costly = true,
                                                        .reads = 1,
                                                        .read = { { x, { 1, 2, 4, 8 } } } });
    compute_add(&g, (struct compute_node){
                        .name = "Y",
                        .spatial = 4,
                        .axes = 7,
                        .axis = { n, f, { "h", size }, { "w", size }, c, kh, kw },
                        .body = "$0 * $1",
                        .reads = 2,
                        .read = { { padded, { N, C, H | KH, W | KW } }, { weight, { F, C, KH, KW } } } });
    return g;
}

/* A node with the output's spatial axes that reads the output element by element. */
static struct compute_node after_output(const struct compute *graph, const char *name, const char *body)
{
    const struct compute_node *output = &graph->node[graph->nodes - 1];
    struct compute_node node = { .name = name,
                                 .spatial = output->spatial,
                                 .axes = output->spatial,
                                 .body = body,
                                 .reads = 1,
                                 .read = { { graph->nodes - 1, { 1, 2, 4, 8 } } } };
    memcpy(node.axis, output->axis, (size_t)output->spatial * sizeof *node.axis);
    return node;
}

/* The output combined with a vector of one value for each value of an axis. */
static void add_with_vector(struct compute *graph, const char *name, const char *body, const char *vector, int axis)
{
    struct compute_node node = after_output(graph, name, body);
    node.read[node.reads++] = (struct compute_read){ add_vector(graph, vector, node.axis[axis]), { bit(axis) } };
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

static long long extents(const struct compute_node *n, int from, int to, unsigned axes)
{
    long long product = 1;
    for (int a = from; a < to; a++)
        product *= axes & bit(a) ? n->axis[a].extent : 1;
    return product;
}

long long compute_space(const struct compute *graph, int node)
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

int compute_readers(const struct compute *graph, int node, int *reader)
{
    int count = 0;
    for (int n = node + 1; n < graph->nodes; n++)
        if (reads(&graph->node[n], node))
            reader[count++] = n;
    return count;
}

bool compute_elementwise(const struct compute *graph, int node, int producer)
{
    const struct compute_node *n = &graph->node[node];
    if (n->axes > n->spatial || n->spatial != graph->node[producer].spatial || !reads(n, producer))
        return false;
    for (int r = 0; r < n->reads; r++)
        for (int d = 0; n->read[r].node == producer && d < n->spatial; d++)
            if (n->read[r].index[d] != bit(d))
                return false;
    return true;
}

unsigned compute_lacks(const struct compute *graph, int node, int read)
{
    const struct compute_node *n = &graph->node[node];
    unsigned lacks = 0;
    for (int a = 0; a < n->spatial; a++)
        lacks |= n->axis[a].extent > 1 ? bit(a) : 0;
    for (int d = 0; d < graph->node[n->read[read].node].spatial; d++)
        lacks &= ~n->read[read].index[d];
    return lacks;
}

bool compute_reuses(const struct compute *graph, int node)
{
    const struct compute_node *n = &graph->node[node];
    int lacking = 0;
    for (int r = 0; r < n->reads; r++)
        lacking += compute_lacks(graph, node, r) != 0;
    return lacking >= 2 || (lacking == 1 && n->axes > n->spatial);
}

long long compute_tiles(const struct compute *graph, int node, int side)
{
    const struct compute_node *n = &graph->node[node];
    unsigned left = bit(n->spatial) - 1;
    long long tiles = 1;
    for (int r = 0; r < n->reads; r++) {
        unsigned along = compute_lacks(graph, node, r) & left;
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

struct writer {
    char *text;
    const struct compute *graph;
    compute_view *view;
    const void *context;
};

static void write_body(struct writer *w, int node, const char *const *axis);

/* One read, its index in the words `axis` for the reader's axes; `alone`: nothing beside it binds tighter. */
static void write_read(struct writer *w, int node, const struct compute_read *read, const char *const *axis,
                       bool alone)
{
    const struct compute_node *producer = &w->graph->node[read->node];
    char *index[COMPUTE_MAX_DIMS] = { NULL };
    for (int d = 0; d < producer->spatial; d++)
        for (int a = 0; a < w->graph->node[node].axes; a++)
            if (read->index[d] & bit(a))
                compute_append(&index[d], "%s%s", index[d] ? "+" : "", axis[a]);
    const char *suffix = w->view ? w->view(w->context, node, read->node) : "";
    if (suffix) {
        append_indexed(&w->text, producer->name, suffix, producer->spatial, (const char *const *)index);
    } else {
        assert(producer->axes == producer->spatial); /* a reduction has no formula to put in place */
        bool brackets = !alone && producer->body[0] == '$' && producer->body[2]; /* an operator beside another */
        compute_append(&w->text, "%s", brackets ? "(" : "");
        write_body(w, read->node, (const char *const *)index);
        compute_append(&w->text, "%s", brackets ? ")" : "");
    }
    for (int d = 0; d < producer->spatial; d++)
        free(index[d]);
}

static void write_body(struct writer *w, int node, const char *const *axis)
{
    const struct compute_node *n = &w->graph->node[node];
    for (const char *c = n->body; *c; c++) {
        if (*c != '$') {
            compute_append(&w->text, "%c", *c);
            continue;
        }
        bool alone = (c == n->body || c[-1] == '(') && (!c[2] || c[2] == ',' || c[2] == ')');
        write_read(w, node, &n->read[*++c - '0'], axis, alone);
    }
}

char *compute_body(const struct compute *graph, int node, compute_view *view, const void *context)
{
    struct writer w = { NULL, graph, view, context };
    const char *axis[COMPUTE_MAX_AXES];
    for (int a = 0; a < graph->node[node].axes; a++)
        axis[a] = graph->node[node].axis[a].name;
    write_body(&w, node, axis);
    return w.text;
}

/* "sum_c,kh,kw ", in front of what is reduced. */
static char *reduction(const struct compute_node *n)
{
    char *text = xformat("%s", n->axes == n->spatial ? "" : n->reduction == COMPUTE_SUM ? "sum_" : "max_");
    for (int a = n->spatial; a < n->axes; a++)
        compute_append(&text, "%s%s", n->axis[a].name, a == n->axes - 1 ? " " : ",");
    return text;
}

char *compute_text(const struct compute *graph)
{
    char *text = NULL;
    for (int node = 0; node < graph->nodes; node++) {
        const struct compute_node *n = &graph->node[node];
        if (compute_is_input(graph, node))
            continue;
        char *left = compute_element(n, "", NULL), *sum = reduction(n), *body = compute_body(graph, node, NULL, NULL);
        char *formula = xformat("%s = %s%s", left, sum, body);
        compute_append(&text, "%-50s", formula);
        for (int a = 0; a < n->axes; a++)
            compute_append(&text, "%s%s %d", a ? ", " : "  ", n->axis[a].name, n->axis[a].extent);
        compute_append(&text, "\n");
        free(left);
        free(sum);
        free(body);
        free(formula);
    }
    return text;
}

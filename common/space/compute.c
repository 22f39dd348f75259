/* compute.c - a small compute graph: reading its formulas, asking it, printing it. It computes nothing: minitriton
 * does. */
#include "space/compute.h"
#include "base/xalloc.h"
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- building ---- */

/* Copies the axes of a list, "n,c,h+r,w+s" and then `end`. */
static void copy_axes(char *axes, const char *list, char end)
{
    for (; *list != end; list++)
        if (*list != ',' && *list != '+')
            *axes++ = *list;
}

struct mention { /* of a node in a formula: "C[i,j]", from `begin` to before `end` */
    const char *begin, *bracket, *end;
    int node;
};

/* The first one in a text; false: there is none. */
static bool find_mention(const struct compute *graph, const char *text, struct mention *found)
{
    const char *bracket = strchr(text, '['), *begin = bracket;
    if (!bracket)
        return false;
    while (begin > text && isalpha((unsigned char)begin[-1]))
        begin--;
    *found = (struct mention){ begin, bracket, strchr(bracket, ']') + 1, 0 };
    size_t length = (size_t)(bracket - begin) + 1;
    while (found->node < graph->nodes && strncmp(graph->node[found->node].formula, begin, length))
        found->node++;
    assert(found->node < graph->nodes); /* a formula reads what stands before it */
    return true;
}

void compute_add(struct compute *graph, const char *formula)
{
    struct compute_node *node = &graph->node[graph->nodes];
    const char *equals = strstr(formula, " = ");
    size_t name = strcspn(formula, "[ ");
    assert(graph->nodes < COMPUTE_MAX_NODES && name < sizeof node->name);
    *node = (struct compute_node){ .formula = formula, .body = equals ? equals + 3 : NULL };
    memcpy(node->name, formula, name);
    if (formula[name] == '[')
        copy_axes(node->spatial, formula + name + 1, ']');
    if (node->body && !strncmp(node->body, "sum_", 4)) {
        copy_axes(node->reduced, node->body + 4, ' ');
        node->body = strchr(node->body, ' ') + 1;
    }
    struct mention m;
    for (const char *at = node->body; at && find_mention(graph, at, &m); at = m.end) {
        assert(node->reads < COMPUTE_MAX_READS);
        node->read[node->reads].node = m.node;
        copy_axes(node->read[node->reads++].axes, m.bracket + 1, ']');
    }
    graph->nodes++;
}

struct compute compute_of(const char *axes, const int *extent, const char *const *formulas)
{
    struct compute graph = { .axes = axes };
    memcpy(graph.extent, extent, strlen(axes) * sizeof *extent);
    for (; *formulas; formulas++)
        compute_add(&graph, *formulas);
    return graph;
}

struct compute compute_matmul(int m, int n, int k)
{
    return compute_of("ijk", (int[]){ m, n, k },
                      (const char *[]){ "A[i,k]", "B[k,j]", "C[i,j] = sum_k A[i,k] * B[k,j]", NULL });
}

struct compute compute_wgrad(int m, int n, int k)
{
    return compute_of("ijk", (int[]){ m, n, k },
                      (const char *[]){ "X[k,i]", "dY[k,j]", "dW[i,j] = sum_k X[k,i] * dY[k,j]", NULL });
}

struct compute compute_row_sum(int rows, int columns)
{
    return compute_of("ik", (int[]){ rows, columns }, (const char *[]){ "A[i,k]", "S[i] = sum_k A[i,k]", NULL });
}

struct compute compute_conv(int images, int in, int out, int size, int kernel)
{
    int wide = size + kernel - 1;
    return compute_of("nfhwcrsyx", (int[]){ images, out, size, size, in, kernel, kernel, wide, wide },
                      (const char *[]){ "X[n,c,y,x]", "W[f,c,r,s]", "padded[n,c,y,x] = pad(X[n,c,y,x])",
                                        "Y[n,f,h,w] = sum_c,r,s padded[n,c,h+r,w+s] * W[f,c,r,s]",
                                        "scale[f]", "scaled[n,f,h,w] = Y[n,f,h,w] * scale[f]",
                                        "shift[f]", "shifted[n,f,h,w] = scaled[n,f,h,w] + shift[f]",
                                        "relu[n,f,h,w] = max(shifted[n,f,h,w], 0)", NULL });
}

/* ---- asking ---- */

int compute_extent(const struct compute *graph, char axis)
{
    return graph->extent[strchr(graph->axes, axis) - graph->axes];
}

long long compute_values(const struct compute *graph, const char *axes)
{
    long long product = 1;
    for (; *axes; axes++)
        product *= compute_extent(graph, *axes);
    return product;
}

int compute_reader(const struct compute *graph, int node)
{
    int reader = 0;
    for (int n = node + 1; n < graph->nodes; n++)
        for (int r = 0; r < graph->node[n].reads; r++)
            if (graph->node[n].read[r].node == node)
                reader = reader == 0 || reader == n ? n : -1;
    return reader;
}

bool compute_elementwise(const struct compute *graph, int node, int producer)
{
    const struct compute_node *n = &graph->node[node];
    const char *own = graph->node[producer].spatial;
    bool reads = false, in_place = !*n->reduced && !strcmp(n->spatial, own);
    for (int r = 0; r < n->reads; r++)
        if (n->read[r].node == producer) {
            reads = true;
            in_place = in_place && !strcmp(n->read[r].axes, own);
        }
    return reads && in_place;
}

bool compute_costly(const struct compute_node *node)
{
    return node->body && (strstr(node->body, "exp(") || strstr(node->body, "pad("));
}

/* Whether an axis of several values is not mentioned by a read: what it reads is reused along the axis. */
static bool lacks(const struct compute *graph, const struct compute_read *read, char axis)
{
    return !strchr(read->axes, axis) && compute_extent(graph, axis) > 1;
}

bool compute_reuses(const struct compute *graph, int node)
{
    const struct compute_node *n = &graph->node[node];
    int lacking = 0;
    for (int r = 0; r < n->reads; r++) {
        const char *axis = n->spatial;
        while (*axis && !lacks(graph, &n->read[r], *axis))
            axis++;
        lacking += *axis != 0;
    }
    return lacking >= 2 || (lacking == 1 && *n->reduced);
}

long long compute_tiles(const struct compute *graph, int node, int side)
{
    const struct compute_node *n = &graph->node[node];
    long long along[COMPUTE_MAX_READS + 1], tiles = 1; /* values along the axes that a read lacks; no read, the last */
    for (int r = 0; r <= n->reads; r++)
        along[r] = 1;
    for (const char *axis = n->spatial; *axis; axis++) {
        int r = 0;
        while (r < n->reads && !lacks(graph, &n->read[r], *axis))
            r++;
        along[r] *= compute_extent(graph, *axis);
    }
    for (int r = 0; r < n->reads; r++)
        tiles *= (along[r] + side - 1) / side;
    return tiles * along[n->reads];
}

/* ---- printing ---- */

char *compute_element(const struct compute_node *node, const char *suffix, const char *first)
{
    char *text = xformat("%s%s%s%s", node->name, suffix, first ? "[" : "", first ? first : "");
    for (const char *axis = node->spatial; *axis; axis++)
        xappend(&text, "%c%c", axis == node->spatial && !first ? '[' : ',', *axis);
    xappend(&text, "%s", first || *node->spatial ? "]" : "");
    return text;
}

static void append_body(char **text, const struct compute *graph, int node, const char *const *suffix)
{
    const char *body = graph->node[node].body, *at = body;
    for (struct mention m; find_mention(graph, at, &m); at = m.end) {
        const struct compute_node *from = &graph->node[m.node];
        xappend(text, "%.*s", (int)(m.begin - at), at);
        if (suffix[m.node]) {
            xappend(text, "%s%s%.*s", from->name, suffix[m.node], (int)(m.end - m.bracket), m.bracket);
            continue;
        }
        /* a sum has no formula to put in place, and what is read elsewhere would need other axes */
        assert(!*from->reduced && !strncmp(from->formula, m.begin, (size_t)(m.end - m.begin)));
        bool alone = (m.begin == body || m.begin[-1] == '(') && (!*m.end || *m.end == ',' || *m.end == ')');
        bool brackets = !alone && !strchr(from->body, '('); /* an operator beside another */
        xappend(text, "%s", brackets ? "(" : "");
        append_body(text, graph, m.node, suffix);
        xappend(text, "%s", brackets ? ")" : "");
    }
    xappend(text, "%s", at);
}

char *compute_body(const struct compute *graph, int node, const char *const *suffix)
{
    char *text = NULL;
    append_body(&text, graph, node, suffix);
    return text;
}

char *compute_text(const struct compute *graph)
{
    char *text = NULL;
    for (const struct compute_node *n = graph->node; n < graph->node + graph->nodes; n++) {
        if (!n->body)
            continue;
        xappend(&text, "%-50s", n->formula);
        for (const char *axis = graph->axes; *axis; axis++)
            if (strchr(n->spatial, *axis) || strchr(n->reduced, *axis))
                xappend(&text, "%s%c %d", *axis == *n->spatial ? "  " : ", ", *axis, compute_extent(graph, *axis));
        xappend(&text, "\n");
    }
    return text;
}

/* nest.c - writes a sketch down line by line: one nest of loops for each node that is computed on its own.
 *
 * Statements come from the graph (compute_body, compute_element), loops from what the rules made of the node. */
#include "space/sketch.h"
#include "base/xalloc.h"
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>

enum place { GLOBAL, LOCAL, SHARED, PART, OWN, PLACES }; /* where a node's values are kept */
static const char *const suffix[PLACES] = { "", "_local", "_shared", "_part", "_own" };

/* How a reduction is split: into how many parts, and where their sums are kept. */
struct split {
    int rule;
    const char *part, *parts;
    enum place place;
};
static const struct split by_parts = { RULE_RFACTOR, "part", "?split", PART };
static const struct split by_threads = { RULE_CROSS_THREAD, "thread", "?threads", OWN };

struct page { /* a text that is being written, line by line */
    const struct sketch *s;
    const struct compute *graph;
    const char *read_as[COMPUTE_MAX_NODES]; /* the suffix of each node where it is read; NULL: it is inlined */
    char *text;
    char *kept[4]; /* the strings that the next line is made of */
    int keeping;
};

enum { REMARKS = 56 }; /* their column */

/* Writes a line, printf-style; at its right the rule that made it (0: none) and a remark. Lets go of what was kept. */
__attribute__((format(printf, 5, 6))) static void put(struct page *p, int depth, int rule, const char *remark,
                                                      const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *line = xvformat(format, list);
    va_end(list);
    xappend(&p->text, "%*s%-*s", 2 * depth, "", rule || *remark ? REMARKS - 2 * depth : 0, line);
    if (rule)
        xappend(&p->text, "%d %s", rule, tr_text(sketch_rule(rule)->name));
    xappend(&p->text, "%s\n", remark);
    free(line);
    while (p->keeping)
        free(p->kept[--p->keeping]);
}

static const char *keep(struct page *p, char *string) { return p->kept[p->keeping++] = string; }

/* C[i,j], C_local[i,j], … C_part[part,i,j]; and a node's formula. */
static const char *element(struct page *p, int node, enum place place)
{
    const char *first = place == PART ? by_parts.part : place == OWN ? by_threads.part : NULL;
    return keep(p, compute_element(&p->graph->node[node], suffix[place], first));
}

static const char *body(struct page *p, int node) { return keep(p, compute_body(p->graph, node, p->read_as)); }

/* "C_local[i,j] = 0", what a sum starts from. */
static void put_start(struct page *p, int node, int depth, enum place place)
{
    if (*p->graph->node[node].reduced)
        put(p, depth, 0, "", "%s = 0", element(p, node, place));
}

/* The innermost statement: the value goes to a place, or is added to what is there. */
static void put_update(struct page *p, int node, int depth, enum place place, const char *value, int rule)
{
    const char *sign = *p->graph->node[node].reduced ? "+=" : "=";
    put(p, depth, rule, "", "%s %s %s", element(p, node, place), sign, value);
}

/* "for i, j in 512 x 512:", or the loops of one level, "for i0, j0 in ?i0, ?j0:" (level -1: whole axes). Returns the
 * depth of its body: the same if there are no such axes. */
static int put_for(struct page *p, const char *axes, int level, int depth, const char *remark)
{
    char *loops = NULL, *ends = NULL, digit[2] = { (char)(level < 0 ? 0 : '0' + level) };
    for (const char *axis = axes; *axis; axis++) {
        xappend(&loops, "%s%c%s", loops ? ", " : "", *axis, digit);
        if (level < 0)
            xappend(&ends, "%s%d", ends ? " x " : "", compute_extent(p->graph, *axis));
        else
            xappend(&ends, "%s?%c%s", ends ? ", " : "", *axis, digit);
    }
    if (!*axes)
        return depth;
    put(p, depth, 0, remark, "for %s in %s:", keep(p, loops), keep(p, ends));
    return depth + 1;
}

const char *nest_levels(enum sketch_target target) { return target == SKETCH_GPU ? "SSSRRSRS" : "SSRSRS"; }

/* Which extents the holes of a tiled nest must multiply to. Rule 6 splits the first of the reduction axes. */
static void put_where(struct page *p, const struct compute_node *node, bool in_parts)
{
    for (const char *level = "SR"; *level; level++) {
        const char *axes = *level == 'S' ? node->spatial : node->reduced;
        for (const char *axis = axes; *axis; axis++) {
            char *holes = NULL;
            int number = 0;
            if (in_parts && axis == node->reduced)
                xappend(&holes, "?split");
            for (const char *l = nest_levels(p->s->target); *l; l++)
                if (*l == *level)
                    xappend(&holes, "%s?%c%d", holes ? " * " : "", *axis, number++);
            put(p, 0, 0, "", "where %s = %d", keep(p, holes), compute_extent(p->graph, *axis));
        }
    }
}

/* Rule 7: what a step of the outermost reduction loop brings into shared memory. */
static void put_loads(struct page *p, const struct compute_node *node, int depth)
{
    for (int r = 0; r < node->reads; r++) {
        int from = node->read[r].node;
        if (sketch_applied(p->s, RULE_CACHE_READ, from))
            put(p, depth, RULE_CACHE_READ, tr(", ?stages deep", "，?stages 级"), "%s = %s", element(p, from, SHARED),
                sketch_applied(p->s, RULE_INLINE, from) ? body(p, from) : element(p, from, GLOBAL));
    }
}

/* Rules 3 and 4: the loops of a tiled node, level by level; behind the reduction, in the loop of the threads, its
 * consumer (rule 4) or the copy out of the cache (rule 5). */
static void put_tiled(struct page *p, int node)
{
    static const char *const bound[] = { "S parallel", "S", "S blockIdx", "S vthread", "S threadIdx" };
    const bool gpu = p->s->target == SKETCH_GPU;
    const int outer = gpu ? 3 : 2; /* levels around the local sums */
    const char *levels_of = nest_levels(p->s->target);
    const struct compute_node *n = &p->graph->node[node];
    bool in_parts = sketch_applied(p->s, RULE_RFACTOR, node);
    int levels[2] = { 0, 0 }, depth = 0, thread = 0, fused = p->s->stage[node].fused;
    if (in_parts)
        put(p, depth++, RULE_RFACTOR, gpu ? ", blockIdx" : "", "for part in ?split:");
    for (int l = 0; levels_of[l]; l++) {
        bool spatial = levels_of[l] == 'S';
        int level = levels[spatial]++;
        if (l == outer) {
            thread = depth;
            put_start(p, node, depth, LOCAL);
        }
        depth = put_for(p, spatial ? n->spatial : n->reduced, level, depth,
                        l < outer ? bound[2 * gpu + l] : spatial ? "S" : "R");
        if (!spatial && level == 0)
            put_loads(p, n, depth);
    }
    put_update(p, node, depth, LOCAL, body(p, node), 0);
    if (fused == node)
        put(p, thread, RULE_CACHE_WRITE, "", "%s = %s", element(p, node, in_parts ? PART : GLOBAL),
            element(p, node, LOCAL));
    else
        put_update(p, fused, thread, GLOBAL, body(p, fused), RULE_FUSE);
    put_where(p, n, in_parts);
}

/* A reduction in parts (rule 6) or by threads (rule 8), not tiled. Several reduction axes count as one. */
static void put_parts(struct page *p, int node, struct split by)
{
    const struct compute_node *n = &p->graph->node[node];
    int depth = put_for(p, n->spatial, -1, 0, by.rule == RULE_CROSS_THREAD ? "blockIdx" : "");
    long long values = compute_values(p->graph, n->reduced);
    char *axes = NULL;
    for (const char *axis = n->reduced; *axis; axis++)
        xappend(&axes, "%s%c", axes ? "," : "", *axis);
    put(p, depth, by.rule, "", "for %s in %s:", by.part, by.parts);
    put_start(p, node, depth + 1, by.place);
    if (by.rule == RULE_RFACTOR)
        put(p, depth + 1, 0, "", "for %s in the part's %lld/%s neighbours:", axes, values, by.parts);
    else
        put(p, depth + 1, 0, "", "for %s in %s, %s + %s, ... < %lld:", axes, by.part, by.part, by.parts, values);
    put_update(p, node, depth + 2, by.place, body(p, node), 0);
    free(axes);
}

/* The end of a split reduction: its parts are added up. */
static void put_combined(struct page *p, int node, int depth, struct split by)
{
    put_start(p, node, depth, GLOBAL);
    put(p, depth, 0, "", "for %s in %s:", by.part, by.parts);
    put_update(p, node, depth + 1, GLOBAL, element(p, node, by.place), by.rule);
}

/* Everything that computes one node. */
static void put_node(struct page *p, int node)
{
    const struct compute_node *n = &p->graph->node[node];
    bool in_parts = sketch_applied(p->s, RULE_RFACTOR, node);
    if (sketch_applied(p->s, RULE_CROSS_THREAD, node)) {
        put_parts(p, node, by_threads);
        put_combined(p, node, *n->spatial != 0, by_threads);
    } else if (sketch_tiled(p->s, node)) {
        put_tiled(p, node);
    } else if (in_parts) {
        put_parts(p, node, by_parts);
    } else { /* rule 1: its own loops, as the graph has them */
        int depth = put_for(p, n->spatial, -1, 0, "");
        put_start(p, node, depth, GLOBAL);
        depth = put_for(p, n->reduced, -1, depth, "");
        put_update(p, node, depth, GLOBAL, body(p, node), RULE_SKIP);
    }
    if (in_parts) {
        const char *kernel = p->s->target == SKETCH_GPU ? tr("a second kernel", "第二个内核") : "";
        put_combined(p, node, put_for(p, n->spatial, -1, 0, kernel), by_parts);
    }
}

/* What stands behind a node's name where it is read; NULL: it is inlined. */
static const char *suffix_of(const struct sketch *s, int node)
{
    if (sketch_applied(s, RULE_CACHE_READ, node))
        return suffix[SHARED];
    if (sketch_applied(s, RULE_INLINE, node))
        return NULL;
    int fused = s->stage[node].fused;
    return suffix[fused && fused != node ? LOCAL : GLOBAL];
}

char *nest_text(const struct sketch *sketch)
{
    struct page page = { .s = sketch, .graph = sketch->graph };
    assert(sketch->target == SKETCH_GPU || sketch->conditions == SKETCH_LECTURE);
    for (int node = 0; node < sketch->graph->nodes; node++)
        page.read_as[node] = suffix_of(sketch, node);
    for (int node = 0; node < sketch->graph->nodes; node++) {
        int host = node; /* in whose loops this node stands, if rule 4 fused it */
        for (int from = 0; from < node; from++)
            if (sketch->stage[from].fused == node)
                host = from;
        bool later = sketch->stage[node].fused > node; /* with its consumer, which may need other nodes first */
        if (sketch->graph->node[node].body && !sketch_applied(sketch, RULE_INLINE, node) && !later)
            put_node(&page, host);
    }
    return page.text;
}

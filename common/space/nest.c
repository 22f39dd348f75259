/* nest.c - writes a sketch down line by line: one nest of loops for each node that is computed on its own.
 *
 * Statements come from the graph (compute_body, compute_element), loops from what the rules made of the node. */
#include "space/sketch.h"
#include "base/xalloc.h"
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>

struct page { /* a text that is being written, line by line */
    const struct sketch *s;
    const struct compute *graph;
    const char *suffix[COMPUTE_MAX_NODES]; /* of each node, where it is read; NULL: inlined */
    char *text;
    char *kept[8]; /* the strings that the next line is made of */
    int keeping;
};

/* Where a node's values are kept: C[i,j], C_local[i,j], C_part[part,i,j]. */
struct place {
    const char *suffix, *first;
};
static const struct place global = { "", NULL }, local = { "_local", NULL }, shared = { "_shared", NULL };

/* How a reduction is split: into how many parts, and where their sums are kept. */
struct split {
    int rule;
    const char *parts;
    struct place place;
};
static const struct split by_parts = { RULE_RFACTOR, "?split", { "_part", "part" } };
static const struct split by_threads = { RULE_CROSS_THREAD, "?threads", { "_own", "thread" } };

enum { REMARKS = 56 }; /* their column */

/* Writes a line, printf-style, and lets go of the strings it was made of. */
__attribute__((format(printf, 4, 5))) static void put(struct page *p, int depth, const char *remark,
                                                      const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *line = xvformat(format, list);
    va_end(list);
    int width = *remark ? REMARKS - 2 - 2 * depth : 0;
    xappend(&p->text, "%*s%-*s%s%s\n", 2 * depth, "", width, line, *remark ? "  " : "", remark);
    free(line);
    while (p->keeping)
        free(p->kept[--p->keeping]);
}

static const char *keep(struct page *p, char *string)
{
    assert(p->keeping < (int)(sizeof p->kept / sizeof *p->kept));
    return p->kept[p->keeping++] = string;
}

static const char *element(struct page *p, int node, struct place place)
{
    return keep(p, compute_element(&p->graph->node[node], place.suffix, place.first));
}

static const char *formula(struct page *p, int node) { return keep(p, compute_body(p->graph, node, p->suffix)); }

static const char *by_rule(struct page *p, int rule, const char *more)
{
    return keep(p, xformat("%d %s%s", rule, tr_text(sketch_rule(rule)->name), more));
}

/* "C_local[i,j] = 0", what a sum starts from. */
static void put_start(struct page *p, int node, int depth, struct place place)
{
    if (compute_reduces(p->graph, node))
        put(p, depth, "", "%s = 0", element(p, node, place));
}

/* The innermost statement: the value goes to a place, or is added to what is there. */
static void put_update(struct page *p, int node, int depth, struct place place, const char *value, const char *remark)
{
    const char *sign = compute_reduces(p->graph, node) ? "+=" : "=";
    put(p, depth, remark, "%s %s %s", element(p, node, place), sign, value);
}

/* "for i, j in 512 x 512:", or the loops of one level, "for i0, j0 in ?i0, ?j0:" (level -1: whole axes), over a
 * node's spatial or reduction axes. Returns the depth of its body: the same if there are no such axes. */
static int put_for(struct page *p, int node, bool spatial, int level, int depth, const char *remark)
{
    const struct compute_node *n = &p->graph->node[node];
    int from = spatial ? 0 : n->spatial, to = spatial ? n->spatial : n->axes;
    char *loops = NULL, *ends = NULL, digit[2] = { (char)(level < 0 ? 0 : '0' + level) };
    for (int a = from; a < to; a++) {
        xappend(&loops, "%s%s%s", loops ? ", " : "", n->axis[a].name, digit);
        if (level < 0)
            xappend(&ends, "%s%d", ends ? " x " : "", n->axis[a].extent);
        else
            xappend(&ends, "%s?%s%s", ends ? ", " : "", n->axis[a].name, digit);
    }
    if (from == to)
        return depth;
    put(p, depth, remark, "for %s in %s:", keep(p, loops), keep(p, ends));
    return depth + 1;
}

/* Which extents the holes of a tiled nest must multiply to. Rule 6 splits the first of the reduction axes. */
static void put_where(struct page *p, int node)
{
    const struct compute_node *n = &p->graph->node[node];
    for (int a = 0; a < n->axes; a++) {
        char *holes = NULL;
        int level = 0;
        if (sketch_applied(p->s, RULE_RFACTOR, node) && a == n->spatial)
            xappend(&holes, "?split");
        for (const char *c = NEST_LEVELS; *c; c++)
            if ((*c == 'S') == (a < n->spatial))
                xappend(&holes, "%s?%s%d", holes ? " * " : "", n->axis[a].name, level++);
        put(p, 0, "", "where %s = %d", keep(p, holes), n->axis[a].extent);
    }
}

/* Rule 7: what a step of the outermost reduction loop brings into shared memory. */
static void put_loads(struct page *p, int node, int depth)
{
    for (int r = 0; r < p->graph->node[node].reads; r++) {
        int from = p->graph->node[node].read[r].node;
        if (!sketch_applied(p->s, RULE_CACHE_READ, from))
            continue;
        bool inlined = sketch_applied(p->s, RULE_INLINE, from);
        put(p, depth, by_rule(p, RULE_CACHE_READ, tr(", ?stages deep", "，?stages 级")), "%s = %s",
            element(p, from, shared), inlined ? formula(p, from) : element(p, from, global));
    }
}

/* Rules 3 and 4: the loops of a tiled node, level by level; behind the reduction, in the loop of the threads, its
 * consumer (rule 4) or the copy out of the cache (rule 5). */
static void put_tiled(struct page *p, int node)
{
    static const char *const bound[] = { "S blockIdx", "S vthread", "S threadIdx" };
    enum { BOUND = 3 };
    bool in_parts = sketch_applied(p->s, RULE_RFACTOR, node);
    int levels[2] = { 0, 0 }, depth = 0, thread = 0, fused = p->s->stage[node].fused;
    if (in_parts)
        put(p, depth++, by_rule(p, RULE_RFACTOR, ", blockIdx"), "for part in ?split:");
    for (int l = 0; NEST_LEVELS[l]; l++) {
        bool spatial = NEST_LEVELS[l] == 'S';
        int level = levels[spatial]++;
        if (l == BOUND) {
            thread = depth;
            put_start(p, node, depth, local);
        }
        depth = put_for(p, node, spatial, level, depth, l < BOUND ? bound[l] : spatial ? "S" : "R");
        if (!spatial && level == 0)
            put_loads(p, node, depth);
    }
    put_update(p, node, depth, local, formula(p, node), "");
    if (fused == node)
        put(p, thread, by_rule(p, RULE_CACHE_WRITE, ""), "%s = %s",
            element(p, node, in_parts ? by_parts.place : global), element(p, node, local));
    else
        put_update(p, fused, thread, global, formula(p, fused), by_rule(p, RULE_FUSE, ""));
    put_where(p, node);
}

/* A reduction in parts (rule 6) or by threads (rule 8), not tiled. Several reduction axes count as one. */
static void put_parts(struct page *p, int node, struct split by)
{
    const struct compute_node *n = &p->graph->node[node];
    int depth = put_for(p, node, true, -1, 0, by.rule == RULE_CROSS_THREAD ? "blockIdx" : "");
    char *axes = NULL;
    for (int a = n->spatial; a < n->axes; a++)
        xappend(&axes, "%s%s", axes ? "," : "", n->axis[a].name);
    put(p, depth, by_rule(p, by.rule, ""), "for %s in %s:", by.place.first, by.parts);
    put_start(p, node, depth + 1, by.place);
    long long values = compute_reduced(p->graph, node);
    if (by.rule == RULE_RFACTOR)
        put(p, depth + 1, "", "for %s in the part's %lld/%s neighbours:", keep(p, axes), values, by.parts);
    else
        put(p, depth + 1, "", "for %s in %s, %s + %s, ... < %lld:", keep(p, axes), by.place.first, by.place.first,
            by.parts, values);
    put_update(p, node, depth + 2, by.place, formula(p, node), "");
}

/* The end of a split reduction: its parts are added up. */
static void put_combined(struct page *p, int node, int depth, struct split by)
{
    put_start(p, node, depth, global);
    put(p, depth, "", "for %s in %s:", by.place.first, by.parts);
    put_update(p, node, depth + 1, global, element(p, node, by.place), by_rule(p, by.rule, ""));
}

/* Rule 1: a node's own loops, as the graph has them. */
static void put_plain(struct page *p, int node)
{
    int depth = put_for(p, node, true, -1, 0, "");
    put_start(p, node, depth, global);
    depth = put_for(p, node, false, -1, depth, "");
    put_update(p, node, depth, global, formula(p, node), by_rule(p, RULE_SKIP, ""));
}

/* Everything that computes one node. */
static void put_node(struct page *p, int node)
{
    bool in_parts = sketch_applied(p->s, RULE_RFACTOR, node);
    if (sketch_applied(p->s, RULE_CROSS_THREAD, node)) {
        put_parts(p, node, by_threads);
        put_combined(p, node, p->graph->node[node].spatial > 0, by_threads);
    } else if (sketch_tiled(p->s, node)) {
        put_tiled(p, node);
    } else if (in_parts) {
        put_parts(p, node, by_parts);
    } else {
        put_plain(p, node);
    }
    if (in_parts)
        put_combined(p, node, put_for(p, node, true, -1, 0, tr("a second kernel", "第二个内核")), by_parts);
}

static const char *suffix_of(const struct sketch *s, int node)
{
    if (sketch_applied(s, RULE_CACHE_READ, node))
        return shared.suffix;
    if (sketch_applied(s, RULE_INLINE, node))
        return NULL;
    int fused = s->stage[node].fused;
    return fused && fused != node ? local.suffix : global.suffix;
}

char *nest_text(const struct sketch *sketch)
{
    struct page page = { .s = sketch, .graph = sketch->graph };
    assert(sketch->target == SKETCH_GPU);
    for (int node = 0; node < sketch->graph->nodes; node++)
        page.suffix[node] = suffix_of(sketch, node);
    for (int node = 0; node < sketch->graph->nodes; node++) {
        int host = node; /* in whose loops this node stands, if rule 4 fused it */
        for (int from = 0; from < node; from++)
            if (sketch->stage[from].fused == node)
                host = from;
        bool later = sketch->stage[node].fused > node; /* with its consumer, which may need other nodes first */
        if (!compute_is_input(sketch->graph, node) && !sketch_applied(sketch, RULE_INLINE, node) && !later)
            put_node(&page, host);
    }
    return page.text;
}

/* nest.c - writes a sketch down line by line: one nest of loops for each node that is computed on its own.
 *
 * Statements come from the graph (compute_body, compute_element), loops from what the rules made of the node. */
#include "space/nest.h"
#include "base/xalloc.h"
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct page { /* a text that is being written, line by line */
    const struct sketch *s;
    char *text;
    char *kept[8]; /* the strings that the next line is made of */
    int keeping;
};

static bool gpu(const struct page *p) { return p->s->target == SKETCH_GPU; }

static bool reduces(const struct page *p, int node)
{
    return p->s->graph->node[node].axes > p->s->graph->node[node].spatial;
}

/* Where a node's values are kept: C[i,j], C_local[i,j], C_part[part,i,j]. */
struct place {
    const char *suffix, *first;
};
static const struct place whole = { "", NULL }, local = { "_local", NULL }, shared = { "_shared", NULL };

enum { NOTES = 56 }; /* their column */

/* Writes a line, printf-style, and lets go of the strings it was made of. */
__attribute__((format(printf, 4, 5))) static void put(struct page *p, int depth, const char *note, const char *format,
                                                      ...)
{
    va_list list;
    va_start(list, format);
    char *line = xvformat(format, list);
    va_end(list);
    int width = *note ? NOTES - 2 - 2 * depth : 0;
    compute_append(&p->text, "%*s%-*s%s%s\n", 2 * depth, "", width, line, *note ? "  " : "", note);
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
    return keep(p, compute_element(&p->s->graph->node[node], place.suffix, place.first));
}

static const char *suffix_of(const void *context, int reader, int producer)
{
    const struct sketch_stage *stage = &((const struct sketch *)context)->stage[producer];
    (void)reader;
    if (stage->cache_read)
        return shared.suffix;
    if (stage->inlined)
        return NULL;
    return stage->fused && stage->fused != producer ? local.suffix : "";
}

static const char *formula(struct page *p, int node)
{
    return keep(p, compute_body(p->s->graph, node, suffix_of, p->s));
}

static const char *note(struct page *p, int rule, const char *more)
{
    return keep(p, xformat("%d %s%s", rule, tr_text(sketch_rule(rule)->name), more));
}

/* "C_local[i,j] = 0", what a reduction starts from. */
static void put_start(struct page *p, int node, int depth, struct place place)
{
    if (reduces(p, node))
        put(p, depth, "", "%s = %s", element(p, node, place),
            p->s->graph->node[node].reduction == COMPUTE_SUM ? "0" : "-inf");
}

/* The innermost statement: the value goes to a place, or is added to what is there. */
static void put_update(struct page *p, int node, int depth, struct place place, const char *value, const char *remark)
{
    const char *target = element(p, node, place);
    if (!reduces(p, node))
        put(p, depth, remark, "%s = %s", target, value);
    else if (p->s->graph->node[node].reduction == COMPUTE_SUM)
        put(p, depth, remark, "%s += %s", target, value);
    else
        put(p, depth, remark, "%s = max(%s, %s)", target, target, value);
}

/* "for i, j in 512 x 512:", or the loops of one level, "for i0, j0 in ?i0, ?j0:" (level -1: whole axes), over a
 * node's spatial or reduction axes. Returns the depth of its body: the same if there are no such axes. */
static int put_for(struct page *p, int node, bool spatial, int level, int depth, const char *remark)
{
    const struct compute_node *n = &p->s->graph->node[node];
    int from = spatial ? 0 : n->spatial, to = spatial ? n->spatial : n->axes;
    char *loops = NULL, *ends = NULL;
    for (int a = from; a < to; a++) {
        const char *name = n->axis[a].name;
        if (level < 0) {
            compute_append(&loops, "%s%s", loops ? ", " : "", name);
            compute_append(&ends, "%s%d", ends ? " x " : "", n->axis[a].extent);
        } else {
            compute_append(&loops, "%s%s%d", loops ? ", " : "", name, level);
            compute_append(&ends, "%s?%s%d", ends ? ", " : "", name, level);
        }
    }
    if (from == to)
        return depth;
    put(p, depth, remark, "for %s in %s:", keep(p, loops), keep(p, ends));
    return depth + 1;
}

/* Which extents the holes of a tiled nest must multiply to. Rule 6 splits the first of the reduction axes. */
static void put_where(struct page *p, int node)
{
    const struct compute_node *n = &p->s->graph->node[node];
    for (int a = 0; a < n->axes; a++) {
        char *holes = NULL;
        int level = 0;
        if (p->s->stage[node].rfactor && a == n->spatial)
            compute_append(&holes, "?split");
        for (const char *c = sketch_structure(p->s->target); *c; c++)
            if ((*c == 'S') == (a < n->spatial))
                compute_append(&holes, "%s?%s%d", holes ? " * " : "", n->axis[a].name, level++);
        put(p, 0, "", "where %s = %d", keep(p, holes), n->axis[a].extent);
    }
}

/* Rule 7: what a step of the outermost reduction loop brings into shared memory. */
static void put_loads(struct page *p, int node, int depth)
{
    for (int r = 0; r < p->s->graph->node[node].reads; r++) {
        int from = p->s->graph->node[node].read[r].node;
        if (p->s->stage[from].cache_read)
            put(p, depth, note(p, RULE_CACHE_READ, tr(", ?stages deep", "，?stages 级")), "%s = %s",
                element(p, from, shared), p->s->stage[from].inlined ? formula(p, from) : element(p, from, whole));
    }
}

/* Rules 3 and 4: the loops of a tiled node, letter by letter of the structure; behind the reduction, in the tile's
 * loops, its consumer (rule 4) or the copy out of the cache (rule 5). */
static void put_tiled(struct page *p, int node, struct place part)
{
    static const char *const bound[] = { "S blockIdx", "S vthread", "S threadIdx" };
    const struct sketch_stage *stage = &p->s->stage[node];
    const char *structure = sketch_structure(p->s->target);
    struct place sum = stage->fused ? local : whole;
    int start = stage->fused ? stage->level : (int)strspn(structure, "S"), levels[2] = { 0, 0 }, depth = 0, tile = 0;
    if (stage->rfactor)
        put(p, depth++, note(p, RULE_RFACTOR, gpu(p) ? ", blockIdx" : ""), "for part in ?split:");
    for (int l = 0; structure[l]; l++) {
        bool spatial = structure[l] == 'S';
        int level = levels[spatial]++;
        if (l == start) {
            tile = depth;
            put_start(p, node, depth, sum);
        }
        depth = put_for(p, node, spatial, level, depth, !spatial ? "R" : gpu(p) && l < 3 ? bound[l] : "S");
        if (!spatial && level == 0)
            put_loads(p, node, depth);
    }
    put_update(p, node, depth, sum, formula(p, node), "");
    if (stage->fused == node)
        put(p, tile, note(p, RULE_CACHE_WRITE, ""), "%s = %s", element(p, node, stage->rfactor ? part : whole),
            element(p, node, local));
    else if (stage->fused)
        put_update(p, stage->fused, tile, whole, formula(p, stage->fused), note(p, RULE_FUSE, ""));
    put_where(p, node);
}

/* A reduction in parts (rule 6) or by threads (rule 8), not tiled. Several reduction axes count as one. */
static void put_parts(struct page *p, int node, struct place part, const char *parts, int rule)
{
    const struct compute_node *n = &p->s->graph->node[node];
    int depth = put_for(p, node, true, -1, 0, rule == RULE_CROSS_THREAD ? "blockIdx" : "");
    char *axes = NULL;
    for (int a = n->spatial; a < n->axes; a++)
        compute_append(&axes, "%s%s", axes ? "," : "", n->axis[a].name);
    put(p, depth, note(p, rule, ""), "for %s in %s:", part.first, parts);
    put_start(p, node, depth + 1, part);
    long long values = compute_reduced(p->s->graph, node);
    if (p->s->stage[node].rfactor == PARTS_NEIGHBOURS)
        put(p, depth + 1, "", "for %s in the part's %lld/%s neighbours:", keep(p, axes), values, parts);
    else
        put(p, depth + 1, "", "for %s in %s, %s + %s, ... < %lld:", keep(p, axes), part.first, part.first, parts,
            values);
    put_update(p, node, depth + 2, part, formula(p, node), "");
}

/* The end of a split reduction: its parts are added up. */
static void put_combined(struct page *p, int node, int depth, struct place part, const char *parts, int rule)
{
    put_start(p, node, depth, whole);
    put(p, depth, "", "for %s in %s:", part.first, parts);
    put_update(p, node, depth + 1, whole, element(p, node, part), note(p, rule, ""));
}

/* Rule 1: a node's own loops, as the graph has them. */
static void put_plain(struct page *p, int node)
{
    int depth = put_for(p, node, true, -1, 0, "");
    put_start(p, node, depth, whole);
    depth = put_for(p, node, false, -1, depth, "");
    put_update(p, node, depth, whole, formula(p, node), note(p, RULE_SKIP, ""));
}

/* Everything that computes one node. */
static void put_node(struct page *p, int node)
{
    const struct place part = { "_part", "part" }, own = { "_own", "thread" };
    const struct sketch_stage *stage = &p->s->stage[node];
    if (stage->cross_thread) {
        put_parts(p, node, own, "?threads", RULE_CROSS_THREAD);
        put_combined(p, node, p->s->graph->node[node].spatial > 0, own, "?threads", RULE_CROSS_THREAD);
    } else if (stage->tiled) {
        put_tiled(p, node, part);
    } else if (stage->rfactor) {
        put_parts(p, node, part, "?split", RULE_RFACTOR);
    } else {
        put_plain(p, node);
    }
    if (stage->rfactor) {
        const char *then = gpu(p) ? tr("a second kernel", "第二个内核") : tr("after all parts", "各段都算完之后");
        put_combined(p, node, put_for(p, node, true, -1, 0, then), part, "?split", RULE_RFACTOR);
    }
}

char *nest_text(const struct sketch *sketch)
{
    struct page page = { .s = sketch };
    for (int node = 0; node < sketch->graph->nodes; node++) {
        int host = node; /* in whose loops this node stands, if rule 4 fused it */
        for (int from = 0; from < node; from++)
            if (sketch->stage[from].fused == node)
                host = from;
        bool later = sketch->stage[node].fused > node; /* with its consumer, which may need other nodes first */
        if (!compute_is_input(sketch->graph, node) && !sketch->stage[node].inlined && !later)
            put_node(&page, host);
    }
    return page.text;
}

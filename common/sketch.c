/* sketch.c - Ansor's rules, the derivation that applies them, and sketches as loop nests.
 *
 * The table sketch_rules is the paper's table 1. Above it stand a condition and an action for each rule; below it the
 * derivation, which knows no rule by name; then the printing. */
#include "sketch.h"
#include "xalloc.h"
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the conditions ask ---- */

static bool gpu(const struct sketch *s) { return s->target == SKETCH_GPU; }
static bool lecture(const struct sketch *s) { return s->conditions == SKETCH_LECTURE; }
static bool tvm_cpu(const struct sketch *s) { return !gpu(s) && !lecture(s); }
static int version(const struct sketch *s) { return s->step[s->steps - 1].version; }     /* of the step being taken */
static enum sketch_answer stop_if(bool yes) { return yes ? ANSWER_APPLY_AND_STOP : ANSWER_NO; }
static enum sketch_answer apply_if(bool yes) { return yes ? ANSWER_APPLY : ANSWER_NO; }

const char *sketch_structure(enum sketch_target target) { return target == SKETCH_CPU ? "SSRSRS" : "SSSRRSRS"; }

static bool reduces(const struct sketch *s, int node)
{
    return s->graph->node[node].axes > s->graph->node[node].spatial;
}

/* The consumer that can be computed inside the node's loops: its only reader, element by element (an inlined reader
 * hands on to its own), in whose loops no other node is computed. 0: none. The parts of a split reduction have none,
 * since only their sum may be passed on. */
static int fusible(const struct sketch *s, int node)
{
    int reader[COMPUTE_MAX_NODES];
    if (s->stage[node].rfactor)
        return 0;
    do {
        if (compute_readers(s->graph, node, reader) != 1 || !compute_elementwise(s->graph, *reader, node))
            return 0;
        node = *reader;
    } while (s->stage[node].inlined);
    for (int other = 0; other < s->graph->nodes; other++)
        if (s->stage[other].fused == node)
            return 0;
    return node;
}

/* ---- a condition and an action for each rule ---- */

static enum sketch_answer ask_skip(const struct sketch *s, int node)
{
    (void)s, (void)node;
    return ANSWER_APPLY;
}

static int skip(struct sketch *s, int node)
{
    (void)s;
    return node - 1;
}

static enum sketch_answer ask_inline(const struct sketch *s, int node)
{
    int reader[COMPUTE_MAX_NODES];
    bool inner = !compute_is_input(s->graph, node) && compute_readers(s->graph, node, reader) > 0;
    return stop_if(inner && !reduces(s, node) && (gpu(s) || !s->graph->node[node].costly));
}

static int inlined(struct sketch *s, int node)
{
    s->stage[node].inlined = true;
    return node - 1;
}

/* Behind how many letters of the structure the consumer stands: on a GPU behind the threads' loop. */
static int fuse_level(const struct sketch *s) { return gpu(s) ? 3 : lecture(s) ? 2 : 1 + version(s); }

static enum sketch_answer ask_tile(const struct sketch *s, int node)
{
    return stop_if(compute_reuses(s->graph, node));
}

static int tile(struct sketch *s, int node)
{
    struct sketch_stage *stage = &s->stage[node];
    stage->tiled = true;
    if (stage->cache_write) {       /* the lecture's rules 3 and 5: the copy goes along */
        stage->fused = node;
        stage->level = fuse_level(s);
    }
    return node - 1;
}

static enum sketch_answer ask_fuse(const struct sketch *s, int node)
{
    bool copy = s->stage[node].cache_write;
    if (!compute_reuses(s->graph, node) || !(copy ? !lecture(s) : fusible(s, node) != 0))
        return ANSWER_NO;
    return tvm_cpu(s) && !copy ? ANSWER_APPLY : ANSWER_APPLY_AND_STOP;
}

static int fuse(struct sketch *s, int node)
{
    struct sketch_stage *stage = &s->stage[node];
    stage->fused = stage->cache_write ? node : fusible(s, node);
    stage->level = fuse_level(s);
    stage->tiled = true;
    return node - 1;
}

static enum sketch_answer ask_cache_write(const struct sketch *s, int node)
{
    if (!compute_reuses(s->graph, node) || s->stage[node].cache_write || fusible(s, node))
        return ANSWER_NO;
    return tvm_cpu(s) ? ANSWER_APPLY : ANSWER_APPLY_AND_STOP;
}

static int cache_write(struct sketch *s, int node)
{
    s->stage[node].cache_write = true;
    return node;
}

/* Rules 6 and 8 want a reduction that no rule has touched yet. */
static bool untouched(const struct sketch *s, int node)
{
    return reduces(s, node) && !s->stage[node].cache_write && !s->stage[node].rfactor;
}

static enum sketch_answer ask_rfactor(const struct sketch *s, int node)
{
    long long outputs = compute_space(s->graph, node), values = compute_reduced(s->graph, node);
    if (!untouched(s, node))
        return ANSWER_NO;
    if (lecture(s))
        return apply_if(compute_tiles(s->graph, node, SKETCH_TILE) < SKETCH_SMS && values > SKETCH_LONG);
    if (gpu(s))
        return ANSWER_NO;
    if (compute_reuses(s->graph, node))
        return apply_if(outputs <= values && outputs <= 16 * SKETCH_CORES);
    return apply_if(values > SKETCH_CORES);
}

static int rfactor(struct sketch *s, int node)
{
    s->stage[node].rfactor = version(s) == 0 ? PARTS_NEIGHBOURS : PARTS_INTERLEAVED;
    return lecture(s) ? node : node - 1;
}

static enum sketch_answer ask_cache_read(const struct sketch *s, int node)
{
    int reader[COMPUTE_MAX_NODES];
    bool one = compute_readers(s->graph, node, reader) == 1;
    return stop_if(gpu(s) && one && s->stage[*reader].tiled && !s->stage[node].cache_read);
}

static int cache_read(struct sketch *s, int node)
{
    s->stage[node].cache_read = true;
    return node;
}

static enum sketch_answer ask_cross_thread(const struct sketch *s, int node)
{
    long long outputs = compute_space(s->graph, node), values = compute_reduced(s->graph, node);
    if (!gpu(s) || !untouched(s, node))
        return ANSWER_NO;
    if (compute_reuses(s->graph, node))
        return apply_if(outputs <= SKETCH_BLOCK_THREADS && outputs < values);
    return apply_if(values > SKETCH_WARP);
}

static int cross_thread(struct sketch *s, int node)
{
    s->stage[node].cross_thread = true;
    return node - 1;
}

/* ---- table 1 of the paper, and its two rules for GPUs ----
 *
 * The order is TVM's: what is to be tried in spite of a rule that stops stands before it. Rule 1 is last: it passes
 * over what nothing stopped at. Rules 5 and 7, and in the lecture 6, come back to their node; the others move on. */
const struct sketch_rule sketch_rules[SKETCH_RULES] = {
    { RULE_CACHE_READ, { "cache read", "缓存读" },
      { "GPU: only a tiled node reads it", "GPU：只有一个被分块的节点读它" }, ask_cache_read, cache_read, 1 },
    { RULE_INLINE, { "always inline", "总是内联" },
      { "element-wise, not the output", "逐元素运算，且不是输出" }, ask_inline, inlined, 1 },
    { RULE_RFACTOR, { "rfactor", "拆归约 rfactor" },
      { "small output, long reduction", "输出很小，归约很长" }, ask_rfactor, rfactor, 2 },
    { RULE_CROSS_THREAD, { "cross-thread reduction", "跨线程归约" },
      { "GPU: long reduction; if tiled, few outputs", "GPU：归约长；若要分块，还须输出少" },
      ask_cross_thread, cross_thread, 1 },
    { RULE_CACHE_WRITE, { "cache write", "缓存写" },
      { "data reuse, no fusible consumer", "有数据复用，没有可融合的消费者" }, ask_cache_write, cache_write, 1 },
    { RULE_FUSE, { "tiling with fusion", "多级分块 + 融合消费者" },
      { "data reuse, fusible consumer", "有数据复用，有可融合的消费者" }, ask_fuse, fuse, 2 },
    { RULE_TILE, { "multi-level tiling", "多级分块" },
      { "data reuse", "有数据复用" }, ask_tile, tile, 1 },
    { RULE_SKIP, { "skip", "跳过" },
      { "no rule before it stopped", "前面没有规则到此为止" }, ask_skip, skip, 1 },
};

const struct sketch_rule *sketch_rule(int number)
{
    int r = 0;
    while (sketch_rules[r].number != number)
        r++;
    return &sketch_rules[r];
}

/* ---- derivation ---- */

struct state { struct sketch sketch; int node; };       /* a sketch so far, and the node to look at next; -1: done */

struct states { size_t count, room; struct state *state; };

static void push(struct states *states, struct state state)
{
    if (states->count == states->room) {
        states->room = states->room ? 2 * states->room : 16;
        states->state = xrealloc(states->state, states->room, sizeof *states->state);
    }
    states->state[states->count++] = state;
}

/* Puts what one rule makes of a state into the list. */
static void derive(struct states *states, const struct state *from, const struct sketch_rule *rule)
{
    int versions = tvm_cpu(&from->sketch) ? rule->cpu_versions : 1;
    for (int v = 0; v < versions; v++) {
        struct state next = *from;
        assert(next.sketch.steps < (int)(sizeof next.sketch.step / sizeof *next.sketch.step));
        next.sketch.step[next.sketch.steps++] = (struct sketch_step){ rule->number, from->node, v };
        next.node = rule->apply(&next.sketch, from->node);
        push(states, next);
    }
}

/* Lecture 5.3: from the output to the inputs, every rule that applies. It ends because each step moves on to the node
 * before or sets a mark of this one that the rule's condition wants unset. */
struct sketches sketch_generate(const struct compute *graph, enum sketch_target target,
                                enum sketch_conditions conditions)
{
    struct states states = { 0 };
    struct sketches done = { 0 };
    push(&states, (struct state){ { .graph = graph, .target = target, .conditions = conditions }, graph->nodes - 1 });
    for (size_t i = 0; i < states.count; i++) {
        struct state now = states.state[i];     /* a copy: pushing moves the list */
        if (now.node < 0) {
            done.sketch = xrealloc(done.sketch, done.count + 1, sizeof *done.sketch);
            done.sketch[done.count++] = now.sketch;
            continue;
        }
        enum sketch_answer answer = ANSWER_NO;
        for (int r = 0; r < SKETCH_RULES && answer != ANSWER_APPLY_AND_STOP; r++) {
            answer = sketch_rules[r].ask(&now.sketch, now.node);
            if (answer != ANSWER_NO)
                derive(&states, &now, &sketch_rules[r]);
        }
    }
    free(states.state);
    return done;
}

void sketches_free(struct sketches sketches) { free(sketches.sketch); }

/* ---- what a sketch says of itself ---- */

bool sketch_used(const struct sketch *sketch, int rule)
{
    for (int i = 0; i < sketch->steps; i++)
        if (sketch->step[i].rule == rule)
            return true;
    return false;
}

int sketch_split_k(const struct sketch *sketch, const int **values)
{
    static const int one[] = { 1 }, parts[] = { 2, 4, 8, 16, 32 };
    bool split = sketch_used(sketch, RULE_RFACTOR);
    *values = split ? parts : one;
    return split ? (int)(sizeof parts / sizeof *parts) : 1;
}

int sketch_loops(const struct sketch *sketch, int node)
{
    const struct compute_node *n = &sketch->graph->node[node];
    const struct sketch_stage *stage = &sketch->stage[node];
    if (compute_is_input(sketch->graph, node) || stage->inlined)
        return 0;
    if (!stage->tiled)      /* parts run over the reduction axes as one */
        return stage->rfactor || stage->cross_thread ? n->spatial + 2 : n->axes;
    int loops = stage->rfactor ? 1 : 0;
    for (const char *level = sketch_structure(sketch->target); *level; level++)
        loops += *level == 'S' ? n->spatial : n->axes - n->spatial;
    return loops;
}

char *sketch_history(const struct sketch *sketch)
{
    char *text = NULL;
    for (int i = 0; i < sketch->steps; i++) {
        const struct sketch_step *step = &sketch->step[i];
        const struct sketch_rule *rule = sketch_rule(step->rule);
        if (compute_is_input(sketch->graph, step->node) && step->rule == RULE_SKIP)
            continue;
        if (i > 0 && step[-1].node == step->node)
            compute_append(&text, "+%d", step->rule);
        else
            compute_append(&text, "%s%s %d", text ? ", " : "", sketch->graph->node[step->node].name, step->rule);
        if (tvm_cpu(sketch) && rule->cpu_versions > 1)
            compute_append(&text, "%c", "ab"[step->version]);
    }
    return text;
}

/* ---- printing ---- */

struct page {               /* a text that is being written, line by line */
    const struct sketch *s;
    char *text;
    char *kept[8];          /* the strings that the next line is made of */
    int keeping;
};

/* Where a node's values are kept: C[i,j], C_local[i,j], C_part[part,i,j]. */
struct place { const char *suffix, *first; };
static const struct place whole = { "", NULL }, local = { "_local", NULL }, shared = { "_shared", NULL };

enum { NOTES = 56 };        /* their column */

/* Writes a line, printf-style, and lets go of the strings it was made of. */
__attribute__((format(printf, 4, 5)))
static void put(struct page *p, int depth, const char *note, const char *format, ...)
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
    if (reduces(p->s, node))
        put(p, depth, "", "%s = %s", element(p, node, place),
            p->s->graph->node[node].reduction == COMPUTE_SUM ? "0" : "-inf");
}

/* The innermost statement: the value goes to a place, or is added to what is there. */
static void put_update(struct page *p, int node, int depth, struct place place, const char *value, const char *remark)
{
    const char *target = element(p, node, place);
    if (!reduces(p->s, node))
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
        put(p, depth++, note(p, RULE_RFACTOR, gpu(p->s) ? ", blockIdx" : ""), "for part in ?split:");
    for (int l = 0; structure[l]; l++) {
        bool spatial = structure[l] == 'S';
        int level = levels[spatial]++;
        if (l == start) {
            tile = depth;
            put_start(p, node, depth, sum);
        }
        depth = put_for(p, node, spatial, level, depth, !spatial ? "R" : gpu(p->s) && l < 3 ? bound[l] : "S");
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
        const char *then = gpu(p->s) ? tr("a second kernel", "第二个内核") : tr("after all parts", "各段都算完之后");
        put_combined(p, node, put_for(p, node, true, -1, 0, then), part, "?split", RULE_RFACTOR);
    }
}

char *sketch_text(const struct sketch *sketch)
{
    struct page page = { .s = sketch };
    for (int node = 0; node < sketch->graph->nodes; node++) {
        int host = node;        /* in whose loops this node stands, if rule 4 fused it */
        for (int from = 0; from < node; from++)
            if (sketch->stage[from].fused == node)
                host = from;
        bool later = sketch->stage[node].fused > node;      /* with its consumer, which may need other nodes first */
        if (!compute_is_input(sketch->graph, node) && !sketch->stage[node].inlined && !later)
            put_node(&page, host);
    }
    return page.text;
}

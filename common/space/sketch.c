/* sketch.c - Ansor's rules, and the derivation that applies them.
 *
 * The table sketch_rules is the paper's table 1. Above it stand a condition and an action for each rule; below it the
 * derivation, which knows no rule by name. */
#include "space/sketch.h"
#include "base/xalloc.h"
#include <assert.h>
#include <stdlib.h>

/* ---- what the conditions ask ---- */

static bool gpu(const struct sketch *s) { return s->target == SKETCH_GPU; }
static bool lecture(const struct sketch *s) { return s->conditions == SKETCH_LECTURE; }
static bool tvm_cpu(const struct sketch *s) { return !gpu(s) && !lecture(s); }
static int version(const struct sketch *s) { return s->step[s->steps - 1].version; } /* of the step being taken */
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
    if (stage->cache_write) { /* the lecture's rules 3 and 5: the copy goes along */
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
    { RULE_CACHE_READ,
      { "cache read", "缓存读" },
      { "GPU: only a tiled node reads it", "GPU：只有一个被分块的节点读它" },
      ask_cache_read,
      cache_read,
      1 },
    { RULE_INLINE,
      { "always inline", "总是内联" },
      { "element-wise, not the output", "逐元素运算，且不是输出" },
      ask_inline,
      inlined,
      1 },
    { RULE_RFACTOR,
      { "rfactor", "拆归约 rfactor" },
      { "small output, long reduction", "输出很小，归约很长" },
      ask_rfactor,
      rfactor,
      2 },
    { RULE_CROSS_THREAD,
      { "cross-thread reduction", "跨线程归约" },
      { "GPU: long reduction; if tiled, few outputs", "GPU：归约长；若要分块，还须输出少" },
      ask_cross_thread,
      cross_thread,
      1 },
    { RULE_CACHE_WRITE,
      { "cache write", "缓存写" },
      { "data reuse, no fusible consumer", "有数据复用，没有可融合的消费者" },
      ask_cache_write,
      cache_write,
      1 },
    { RULE_FUSE,
      { "tiling with fusion", "多级分块 + 融合消费者" },
      { "data reuse, fusible consumer", "有数据复用，有可融合的消费者" },
      ask_fuse,
      fuse,
      2 },
    { RULE_TILE, { "multi-level tiling", "多级分块" }, { "data reuse", "有数据复用" }, ask_tile, tile, 1 },
    { RULE_SKIP, { "skip", "跳过" }, { "no rule before it stopped", "前面没有规则到此为止" }, ask_skip, skip, 1 },
};

const struct sketch_rule *sketch_rule(int number)
{
    int r = 0;
    while (sketch_rules[r].number != number)
        r++;
    return &sketch_rules[r];
}

/* ---- derivation ---- */

struct state {
    struct sketch sketch;
    int node;
}; /* a sketch so far, and the node to look at next; -1: done */

struct states {
    size_t count, room;
    struct state *state;
};

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
        struct state now = states.state[i]; /* a copy: pushing moves the list */
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
    if (!stage->tiled) /* parts run over the reduction axes as one */
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

/* sketch.c - Ansor's rules, and the derivation that applies them.
 *
 * The table sketch_rules is the paper's table 1. Above it stands a condition for each rule; below it what each
 * makes of a node, and the derivation, which knows no rule by name. */
#include "space/sketch.h"
#include "base/xalloc.h"
#include <assert.h>
#include <stdlib.h>

/* ---- what the conditions ask ---- */

static bool gpu(const struct sketch *s) { return s->target == SKETCH_GPU; }
static bool lecture(const struct sketch *s) { return s->conditions == SKETCH_LECTURE; }
static bool tvm_cpu(const struct sketch *s) { return !gpu(s) && !lecture(s); }
static enum sketch_answer stop_if(bool yes) { return yes ? ANSWER_APPLY_AND_STOP : ANSWER_NO; }
static enum sketch_answer apply_if(bool yes) { return yes ? ANSWER_APPLY : ANSWER_NO; }

/* The consumer that can be computed inside the node's loops: its only reader, element by element (an inlined reader
 * hands on to its own), in whose loops no other node is computed. 0: none. The parts of a split reduction have none,
 * since only their sum may be passed on. */
static int fusible(const struct sketch *s, int node)
{
    if (s->stage[node].rfactor)
        return 0;
    do {
        int reader = compute_reader(s->graph, node);
        if (reader <= 0 || !compute_elementwise(s->graph, reader, node))
            return 0;
        node = reader;
    } while (s->stage[node].inlined);
    for (int other = 0; other < s->graph->nodes; other++)
        if (s->stage[other].fused == node)
            return 0;
    return node;
}

/* Rules 6 and 8 want a reduction that no rule has touched yet. */
static bool untouched(const struct sketch *s, int node)
{
    return compute_reduces(s->graph, node) && !s->stage[node].cache_write && !s->stage[node].rfactor;
}

/* ---- a condition for each rule ---- */

static enum sketch_answer ask_skip(const struct sketch *s, int node)
{
    (void)s, (void)node;
    return ANSWER_APPLY;
}

static enum sketch_answer ask_inline(const struct sketch *s, int node)
{
    bool inner = !compute_is_input(s->graph, node) && compute_reader(s->graph, node) != 0;
    return stop_if(inner && !compute_reduces(s->graph, node) && (gpu(s) || !s->graph->node[node].costly));
}

static enum sketch_answer ask_tile(const struct sketch *s, int node)
{
    return stop_if(compute_reuses(s->graph, node));
}

static enum sketch_answer ask_fuse(const struct sketch *s, int node)
{
    bool copy = s->stage[node].cache_write;
    if (!compute_reuses(s->graph, node) || !(copy ? !lecture(s) : fusible(s, node) != 0))
        return ANSWER_NO;
    return tvm_cpu(s) && !copy ? ANSWER_APPLY : ANSWER_APPLY_AND_STOP;
}

static enum sketch_answer ask_cache_write(const struct sketch *s, int node)
{
    if (!compute_reuses(s->graph, node) || s->stage[node].cache_write || fusible(s, node))
        return ANSWER_NO;
    return tvm_cpu(s) ? ANSWER_APPLY : ANSWER_APPLY_AND_STOP;
}

static enum sketch_answer ask_rfactor(const struct sketch *s, int node)
{
    long long outputs = compute_outputs(s->graph, node), values = compute_reduced(s->graph, node);
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

static enum sketch_answer ask_cache_read(const struct sketch *s, int node)
{
    int reader = compute_reader(s->graph, node);
    return stop_if(gpu(s) && reader > 0 && s->stage[reader].tiled && !s->stage[node].cache_read);
}

static enum sketch_answer ask_cross_thread(const struct sketch *s, int node)
{
    long long outputs = compute_outputs(s->graph, node), values = compute_reduced(s->graph, node);
    if (!gpu(s) || !untouched(s, node))
        return ANSWER_NO;
    if (compute_reuses(s->graph, node))
        return apply_if(outputs <= SKETCH_BLOCK_THREADS && outputs < values);
    return apply_if(values > SKETCH_WARP);
}

/* ---- table 1 of the paper, and its two rules for GPUs ----
 *
 * The order is TVM's: what is to be tried in spite of a rule that stops stands before it. Rule 1 is last: it passes
 * over what nothing stopped at. */
const struct sketch_rule sketch_rules[SKETCH_RULES] = {
    { RULE_CACHE_READ, { "cache read", "缓存读" },
      { "GPU: only a tiled node reads it", "GPU：只有一个被分块的节点读它" }, ask_cache_read, 1 },
    { RULE_INLINE, { "always inline", "总是内联" },
      { "element-wise, not the output", "逐元素运算，且不是输出" }, ask_inline, 1 },
    { RULE_RFACTOR, { "rfactor", "拆归约 rfactor" },
      { "small output, long reduction", "输出很小，归约很长" }, ask_rfactor, 2 },
    { RULE_CROSS_THREAD, { "cross-thread reduction", "跨线程归约" },
      { "GPU: long reduction; if tiled, few outputs", "GPU：归约长；若要分块，还须输出少" }, ask_cross_thread, 1 },
    { RULE_CACHE_WRITE, { "cache write", "缓存写" },
      { "data reuse, no fusible consumer", "有数据复用，没有可融合的消费者" }, ask_cache_write, 1 },
    { RULE_FUSE, { "tiling with fusion", "多级分块 + 融合消费者" },
      { "data reuse, fusible consumer", "有数据复用，有可融合的消费者" }, ask_fuse, 2 },
    { RULE_TILE, { "multi-level tiling", "多级分块" }, { "data reuse", "有数据复用" }, ask_tile, 1 },
    { RULE_SKIP, { "skip", "跳过" }, { "no rule before it stopped", "前面没有规则到此为止" }, ask_skip, 1 },
};

const struct sketch_rule *sketch_rule(int number)
{
    int r = 0;
    while (sketch_rules[r].number != number)
        r++;
    return &sketch_rules[r];
}

/* ---- derivation ---- */

/* What a rule makes of a node. Returns the node to look at next: this one again, or the one before. */
static int apply(struct sketch *s, int node, int rule)
{
    struct sketch_stage *stage = &s->stage[node];
    switch (rule) {
    case RULE_INLINE: stage->inlined = true; break;
    case RULE_TILE:
        stage->tiled = true;
        stage->fused = stage->cache_write ? node : 0; /* the lecture's rules 3 and 5: the copy goes along */
        break;
    case RULE_FUSE:
        stage->tiled = true;
        stage->fused = stage->cache_write ? node : fusible(s, node);
        break;
    case RULE_CACHE_WRITE: stage->cache_write = true; return node;
    case RULE_RFACTOR: stage->rfactor = true; return lecture(s) ? node : node - 1;
    case RULE_CACHE_READ: stage->cache_read = true; return node;
    case RULE_CROSS_THREAD: stage->cross_thread = true; break;
    }
    return node - 1;
}

struct states { /* sketches so far, and the node to look at next in each; -1: done */
    size_t count;
    struct state {
        struct sketch sketch;
        int node;
    } * state;
};

static void push(struct states *states, struct state state)
{
    states->state = xrealloc(states->state, states->count + 1, sizeof *states->state);
    states->state[states->count++] = state;
}

/* Puts what one rule makes of a state into the list. */
static void derive(struct states *states, const struct state *from, const struct sketch_rule *rule)
{
    struct state next = *from;
    assert(next.sketch.steps < (int)(sizeof next.sketch.step / sizeof *next.sketch.step));
    next.sketch.step[next.sketch.steps++] = (struct sketch_step){ rule->number, from->node };
    next.node = apply(&next.sketch, from->node, rule->number);
    for (int i = tvm_cpu(&from->sketch) ? rule->tvm_cpu : 1; i > 0; i--)
        push(states, next);
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

char *sketch_history(const struct sketch *sketch)
{
    char *text = NULL;
    for (int i = 0; i < sketch->steps; i++) {
        const struct sketch_step *step = &sketch->step[i];
        if (compute_is_input(sketch->graph, step->node) && step->rule == RULE_SKIP)
            continue;
        if (i > 0 && step[-1].node == step->node)
            compute_append(&text, "+%d", step->rule);
        else
            compute_append(&text, "%s%s %d", text ? ", " : "", sketch->graph->node[step->node].name, step->rule);
    }
    return text;
}

/* sketch.c - Ansor's rules: a condition for each, the paper's table 1, what each makes of a node, the derivation. */
#include "space/sketch.h"
#include "base/xalloc.h"
#include <assert.h>
#include <stdlib.h>

/* ---- what the conditions ask ---- */

bool sketch_applied(const struct sketch *s, int rule, int node) { return s->stage[node].rules >> rule & 1; }

bool sketch_tiled(const struct sketch *s, int node)
{
    return sketch_applied(s, RULE_TILE, node) || sketch_applied(s, RULE_FUSE, node);
}

bool sketch_used(const struct sketch *s, int rule)
{
    for (int node = 0; node < s->graph->nodes; node++)
        if (sketch_applied(s, rule, node))
            return true;
    return false;
}

static bool gpu(const struct sketch *s) { return s->target == SKETCH_GPU; }
static bool lecture(const struct sketch *s) { return s->conditions == SKETCH_LECTURE; }
static bool tvm_cpu(const struct sketch *s) { return !gpu(s) && !lecture(s); }

/* The consumer that can be computed inside the node's loops: its only reader, element by element (an inlined reader
 * hands on to its own), in whose loops no other node is computed. 0: none. The parts of a split reduction have none,
 * since only their sum may be passed on. */
static int fusible(const struct sketch *s, int node)
{
    if (sketch_applied(s, RULE_RFACTOR, node))
        return 0;
    do {
        int reader = compute_reader(s->graph, node);
        if (reader <= 0 || !compute_elementwise(s->graph, reader, node))
            return 0;
        node = reader;
    } while (sketch_applied(s, RULE_INLINE, node));
    for (int other = 0; other < s->graph->nodes; other++)
        if (s->stage[other].fused == node)
            return 0;
    return node;
}

/* ---- a condition for each rule ---- */

enum sketch_answer sketch_ask(const struct sketch *s, int rule, int node)
{
    const struct compute *g = s->graph;
    const struct compute_node *n = &g->node[node];
    long long outputs = compute_values(g, n->spatial), values = compute_values(g, n->reduced);
    int reader = compute_reader(g, node);
    bool reuses = compute_reuses(g, node), yes = false, stop = true;
    bool copied = sketch_applied(s, RULE_CACHE_WRITE, node);
    bool untouched = *n->reduced && !copied && !sketch_applied(s, RULE_RFACTOR, node);
    switch (rule) {
    case RULE_CACHE_READ:
        yes = gpu(s) && reader > 0 && sketch_tiled(s, reader) && !sketch_applied(s, RULE_CACHE_READ, node);
        break;
    case RULE_INLINE:
        yes = n->body && reader != 0 && !*n->reduced && (gpu(s) || !compute_costly(n));
        break;
    case RULE_RFACTOR:
        stop = false;
        if (lecture(s))
            yes = untouched && compute_tiles(g, node, SKETCH_TILE) < SKETCH_SMS && values > SKETCH_LONG;
        else
            yes = untouched && !gpu(s) &&
                  (reuses ? outputs <= values && outputs <= 16 * SKETCH_CORES : values > SKETCH_CORES);
        break;
    case RULE_CROSS_THREAD:
        stop = false;
        yes = untouched && gpu(s) &&
              (reuses ? outputs <= SKETCH_BLOCK_THREADS && outputs < values : values > SKETCH_WARP);
        break;
    case RULE_CACHE_WRITE:
        yes = reuses && !copied && !fusible(s, node);
        stop = !tvm_cpu(s);
        break;
    case RULE_FUSE:
        yes = reuses && (copied ? !lecture(s) : fusible(s, node) != 0);
        stop = !tvm_cpu(s) || copied;
        break;
    case RULE_TILE: yes = reuses; break;
    case RULE_SKIP: yes = true; break;
    }
    return !yes ? ANSWER_NO : stop ? ANSWER_APPLY_AND_STOP : ANSWER_APPLY;
}

/* ---- table 1 of the paper, and its two rules for GPUs ----
 *
 * The order is TVM's: what is to be tried in spite of a rule that stops stands before it. Rule 1 is last: it passes
 * over what nothing stopped at. */
const struct sketch_rule sketch_rules[SKETCH_RULES] = {
    { RULE_CACHE_READ, { "cache read", "缓存读" },
      { "GPU: only a tiled node reads it", "GPU：只有一个被分块的节点读它" }, 1 },
    { RULE_INLINE, { "always inline", "总是内联" },
      { "element-wise, not the output", "逐元素运算，且不是输出" }, 1 },
    { RULE_RFACTOR, { "rfactor", "拆归约 rfactor" },
      { "small output, long reduction", "输出很小，归约很长" }, 2 },
    { RULE_CROSS_THREAD, { "cross-thread reduction", "跨线程归约" },
      { "GPU: long reduction; if tiled, few outputs", "GPU：归约长；若要分块，还须输出少" }, 1 },
    { RULE_CACHE_WRITE, { "cache write", "缓存写" },
      { "data reuse, no fusible consumer", "有数据复用，没有可融合的消费者" }, 1 },
    { RULE_FUSE, { "tiling with fusion", "多级分块 + 融合消费者" },
      { "data reuse, fusible consumer", "有数据复用，有可融合的消费者" }, 2 },
    { RULE_TILE, { "multi-level tiling", "多级分块" }, { "data reuse", "有数据复用" }, 1 },
    { RULE_SKIP, { "skip", "跳过" }, { "no rule before it stopped", "前面没有规则到此为止" }, 1 },
};

const struct sketch_rule *sketch_rule(int number)
{
    int r = 0;
    while (sketch_rules[r].number != number)
        r++;
    return &sketch_rules[r];
}

/* ---- derivation ---- */

/* What a rule makes of the node that is next; and which is next then: this one again, or the one before. */
static void apply(struct sketch *s, int rule)
{
    int node = s->next;
    struct sketch_stage *stage = &s->stage[node];
    assert(!sketch_applied(s, rule, node));
    stage->rules |= 1u << rule;
    if ((rule == RULE_TILE || rule == RULE_FUSE) && sketch_applied(s, RULE_CACHE_WRITE, node))
        stage->fused = node; /* the lecture's rules 3 and 5: the copy goes along */
    else if (rule == RULE_FUSE)
        stage->fused = fusible(s, node);
    if (!(rule == RULE_CACHE_WRITE || rule == RULE_CACHE_READ || (rule == RULE_RFACTOR && lecture(s))))
        s->next--;
}

static void push(struct sketches *list, const struct sketch *sketch)
{
    list->sketch = xrealloc(list->sketch, list->count + 1, sizeof *list->sketch);
    list->sketch[list->count++] = *sketch;
}

/* Lecture 5.3: from the output to the inputs, every rule that applies. It ends because each step moves on to the node
 * before or sets a mark of this one that the rule's condition wants unset. */
struct sketches sketch_generate(const struct compute *graph, enum sketch_target target,
                                enum sketch_conditions conditions)
{
    struct sketches all = { 0 };
    size_t done = 0; /* so many whole ones stand in front, in place of those that led to them */
    push(&all, &(struct sketch){ graph, target, conditions, .next = graph->nodes - 1 });
    for (size_t i = 0; i < all.count; i++) {
        const struct sketch now = all.sketch[i];
        if (now.next < 0)
            all.sketch[done++] = now;
        enum sketch_answer answer = now.next < 0 ? ANSWER_APPLY_AND_STOP : ANSWER_NO;
        for (int r = 0; r < SKETCH_RULES && answer != ANSWER_APPLY_AND_STOP; r++) {
            const struct sketch_rule *rule = &sketch_rules[r];
            struct sketch made = now;
            answer = sketch_ask(&now, rule->number, now.next);
            if (answer == ANSWER_NO)
                continue;
            apply(&made, rule->number);
            for (int copies = tvm_cpu(&now) ? rule->tvm_cpu : 1; copies > 0; copies--)
                push(&all, &made);
        }
    }
    all.count = done;
    return all;
}

void sketches_free(struct sketches sketches) { free(sketches.sketch); }

/* ---- what a sketch says of itself ---- */

char *sketch_history(const struct sketch *sketch)
{
    char *text = NULL;
    for (int node = sketch->graph->nodes - 1; node >= 0; node--) {
        const char *before = text ? ", " : "", *name = sketch->graph->node[node].name;
        bool first = true;
        for (int r = 0; r < SKETCH_RULES; r++) {
            int rule = sketch_rules[r].number;
            if (!sketch_applied(sketch, rule, node) || (rule == RULE_SKIP && !sketch->graph->node[node].body))
                continue;
            if (first)
                xappend(&text, "%s%s %d", before, name, rule);
            else
                xappend(&text, "+%d", rule);
            first = false;
        }
    }
    return text;
}

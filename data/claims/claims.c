/* claims.c - each claim of the lecture with a condition that a computer can check, and the table of verdicts. */
#include "claims.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { RARE, SLOW, INTERACT, FINE, MISSES, SPLIT, CARRY, FOLLOWS, LEARNS, LIKE, UNLIKE, CURSE, CLAIMS };
enum verdict { FAILS, IN_PART, HOLDS };

/* clang-format off */
static const struct {
    struct text says, condition; /* condition: when it holds (and when in part) */
} claims[CLAIMS] = {
    [RARE] = { { "§1.3 good ones are rare", "§1.3 好配置极少" }, { "legal ones within 5 % of the optimum: under 0.1 % (1 %)", "离最优 5% 以内的占合法的：不到 0.1%（1%）" } },
    [SLOW] = { { "§1.3 a random one is slow", "§1.3 随手挑的很慢" }, { "median slowdown: at least 3 (2)", "慢速比的中位数：至少 3（2）" } },
    [INTERACT] = { { "§1.3 knobs interact", "§1.3 旋钮相互影响" }, { "best num_stages by BLOCK_K: at least 3 values (2)", "各 BLOCK_K 最好的 num_stages：至少有 3 种（2）" } },
    [FINE] = { { "§2.2 the list is fine: large", "§2.2 列表在大矩阵上好" }, { "slowdown, square and prefill QKV: at most 1.12 (1.3)", "方阵、预填充 QKV 的慢速比：不超过 1.12（1.3）" } },
    [MISSES] = { { "§2.2 and misses wgrad", "§2.2 列表错过权重梯度" }, { "slowdown of the list's best: 4 to 6 (1.5 or more)", "列表最好的慢速比：4 到 6（1.5 以上）" } },
    [SPLIT] = { { "§2.2 wgrad wants SPLIT_K", "§2.2 权重梯度要 SPLIT_K" }, { "share of the optimum without: 40 to 65 % (under 80)", "没有它达到最优的百分比：40% 到 65%（80 以下）" } },
    [CARRY] = { { "§2.3 optima do not carry over", "§2.3 最优不能照搬" }, { "median slowdown of 42 pairs: at least 1.5 (1.1)", "42 对慢速比的中位数：至少 1.5（1.1）" } },
    [FOLLOWS] = { { "§2.4 BLOCK_M follows M", "§2.4 BLOCK_M 跟着 M" }, { "BLOCK_M at M = 16; 512, 4096: 16; then 64 or more (16)", "M = 16；512、4096 时的 BLOCK_M：16；从 512 起至少 64（16）" } },
    [LEARNS] = { { "§4.6 a model beats luck", "§4.6 模型胜过运气" }, { "AutoTVM at 256/random at 1024, %: not less, twice (once)", "AutoTVM 256 次/随机 1024 次，%：两次都不低（一次）" } },
    [LIKE] = { { "§4.7 like shapes teach", "§4.7 相似的形状有帮助" }, { "prefill QKV at 16, no transfer -> with: 10 points (any)", "预填充 QKV 测 16 次，不迁移 -> 迁移：多 10 个百分点（多一点）" } },
    [UNLIKE] = { { "§4.7 unlike ones mislead", "§4.7 不像的会拖后腿" }, { "wgrad at 64, no transfer -> with: less", "权重梯度测 64 次，不迁移 -> 迁移：变低" } },
    [CURSE] = { { "§6.4 the winner's curse", "§6.4 赢家诅咒" }, { "shapes measured faster than true, by: 6 or more (4)", "测得比真实快的形状数、快多少：6 个以上（4 个）" } },
};
/* clang-format on */

static int distinct_best(const struct findings *f)
{
    int distinct = 0;
    for (int i = 0; i < f->depths; i++) {
        int j = 0;
        while (f->best_stages[j] != f->best_stages[i])
            j++;
        distinct += j == i;
    }
    return distinct;
}

static double cross_median(const struct findings *f)
{
    double pairs[PAIRS];
    size_t n = 0;
    for (int i = 0; i < PAIRS; i++)
        if (i / SHAPES != i % SHAPES)
            pairs[n++] = f->cross[i];
    return stats_median(pairs, n);
}

static bool wide_blocks(const struct findings *f)
{
    for (int s = 0; s < SHAPES; s++)
        if (s != DECODE && f->block_m[s] < 64)
            return false;
    return true;
}

/* What is shown of a claim, and whether it holds. */
struct judged {
    enum verdict verdict;
    char shown[64];
};

static struct judged judged(bool holds, bool in_part, const char *format, ...) __attribute__((format(printf, 3, 4)));
static struct judged judged(bool holds, bool in_part, const char *format, ...)
{
    struct judged j = { .verdict = holds ? HOLDS : in_part ? IN_PART : FAILS };
    va_list list;
    va_start(list, format);
    vsnprintf(j.shown, sizeof j.shown, format, list);
    va_end(list);
    return j;
}

static struct judged judge_depths(const struct findings *f)
{
    struct judged j = judged(distinct_best(f) >= 3, distinct_best(f) == 2, "%d", f->best_stages[0]);
    for (int i = 1; i < f->depths; i++) {
        size_t used = strlen(j.shown);
        snprintf(j.shown + used, sizeof j.shown - used, " %d", f->best_stages[i]);
    }
    return j;
}

static void judge(const struct findings *f, struct judged out[CLAIMS])
{
    const double *list = f->list, worst = fmax(list[SQUARE], list[PREFILL_QKV]), split = f->no_split_pct,
                 cross = cross_median(f), *model = f->autotvm256, *luck = f->random1024;
    const int *bm = f->block_m, ahead = (model[0] >= luck[0]) + (model[1] >= luck[1]);
    out[RARE] = judged(f->within5_pct < 0.1, f->within5_pct < 1, tr("%.3f %%", "%.3f%%"), f->within5_pct);
    out[SLOW] = judged(f->median_slowdown >= 3, f->median_slowdown >= 2, "%.1fx", f->median_slowdown);
    out[INTERACT] = judge_depths(f);
    out[FINE] = judged(worst <= 1.12, worst <= 1.3, "%.2fx, %.2fx", list[SQUARE], list[PREFILL_QKV]);
    out[MISSES] = judged(list[WGRAD] >= 4 && list[WGRAD] <= 6, list[WGRAD] >= 1.5, "%.2fx", list[WGRAD]);
    out[SPLIT] = judged(split >= 40 && split <= 65, split < 80, tr("%.0f %%", "%.0f%%"), split);
    out[CARRY] = judged(cross >= 1.5, cross >= 1.1, "%.2fx", cross);
    out[FOLLOWS] = judged(bm[DECODE] == 16 && wide_blocks(f), bm[DECODE] == 16, "%d; %d, %d", bm[DECODE],
                          bm[PREFILL_QKV], bm[SQUARE]);
    out[LEARNS] = judged(ahead == 2, ahead == 1, "%.0f/%.0f, %.0f/%.0f", model[0], luck[0], model[1], luck[1]);
    out[LIKE] = judged(f->like16[1] - f->like16[0] >= 10, f->like16[1] > f->like16[0],
                       tr("%.0f -> %.0f %%", "%.0f -> %.0f%%"), f->like16[0], f->like16[1]);
    out[UNLIKE] = judged(f->unlike64[1] < f->unlike64[0], false, tr("%.0f -> %.0f %%", "%.0f -> %.0f%%"),
                         f->unlike64[0], f->unlike64[1]);
    out[CURSE] = judged(f->optimistic >= 6, f->optimistic >= 4, tr("%d of 7, %.2f %%", "%d/7, %.2f%%"), f->optimistic,
                        f->optimism_pct);
}

void claims_report(struct run *run, const struct findings *hypo, const struct findings *real)
{
    const char *name = run->device->name;
    const struct column columns[] = {
        { TEXT("claim", "讲义说"), TABLE_TEXT },
        { TEXT("HypoGPU", "HypoGPU"), TABLE_TEXT },
        { TEXT(name, name), TABLE_TEXT },
        { TEXT("verdict there", "在那里"), TABLE_TEXT },
    };
    const struct column meaning[] = {
        { TEXT("claim", "讲义说"), TABLE_TEXT },
        { TEXT("what is shown: holds if (in part if)", "显示的是什么：成立的条件（部分成立）"), TABLE_TEXT },
    };
    const char *const verdicts[] = { [FAILS] = tr("does not hold", "不成立"),
                                     [IN_PART] = tr("holds in part", "部分成立"),
                                     [HOLDS] = tr("holds", "成立") };
    struct table *table = table_new(4, columns), *conditions = table_new(2, meaning);
    struct judged invented[CLAIMS], there[CLAIMS];
    judge(hypo, invented);
    judge(real, there);
    for (int i = 0; i < CLAIMS; i++) {
        table_text(table, "%s", tr_text(claims[i].says));
        table_text(table, "%s", invented[i].shown);
        table_text(table, "%s", there[i].shown);
        table_text(table, "%s", verdicts[there[i].verdict]);
        table_text(conditions, "%s", tr_text(claims[i].says));
        table_text(conditions, "%s", tr_text(claims[i].condition));
    }
    report_print(run->report, table, NULL);
    report_print(run->report, conditions,
                 tr("What the columns show (of two shapes, the square first), and when a claim holds (in part)",
                    "两列显示的是什么（两个形状时方阵在前，权重梯度在后），以及什么时候算成立（部分成立）"));
}

/* claims.c - each claim of the lecture with a condition that a computer can check, and the table of verdicts. */
#include "claims.h"
#include "verdicts.h"
#include <math.h>

static const struct judged not_recorded = { UNKNOWN, "-" };

static struct judged rare(const struct findings *f)
{
    return judged(f->within5_pct < 0.1, f->within5_pct < 1, tr("%.3f %%", "%.3f%%"), f->within5_pct);
}

static struct judged slow(const struct findings *f)
{
    return judged(f->median_slowdown >= 3, f->median_slowdown >= 2, "%.1fx", f->median_slowdown);
}

static struct judged interact(const struct findings *f)
{
    struct judged j = judged(f->distinct_stages >= 3, f->distinct_stages == 2, "%d", f->best_stages[0]);
    for (int i = 1; i < f->depths; i++)
        judged_add(&j, " %d", f->best_stages[i]);
    return j;
}

static struct judged list_is_fine(const struct findings *f)
{
    double worst = fmax(f->list[SQUARE], f->list[PREFILL_QKV]);
    return judged(worst <= 1.12, worst <= 1.3, "%.2fx, %.2fx", f->list[SQUARE], f->list[PREFILL_QKV]);
}

static struct judged list_misses(const struct findings *f)
{
    double wgrad = f->list[WGRAD];
    return judged(wgrad >= 4 && wgrad <= 6, wgrad >= 1.5, "%.2fx", wgrad);
}

static struct judged wants_split(const struct findings *f)
{
    double without = f->no_split_pct;
    return judged(without >= 40 && without <= 65, without < 80, tr("%.0f %%", "%.0f%%"), without);
}

static struct judged no_carrying(const struct findings *f)
{
    return judged(f->cross_median >= 1.5, f->cross_median >= 1.1, "%.2fx", f->cross_median);
}

static struct judged follows(const struct findings *f)
{
    const int *bm = f->block_m;
    return judged(bm[DECODE] == 16 && f->narrowest >= 64, bm[DECODE] == 16, "%d; %d, %d", bm[DECODE], bm[PREFILL_QKV],
                  bm[SQUARE]);
}

enum { M16, M32, M48, M64, M96, M128, M192, M256 }; /* claims_m */

static struct judged follows_batch(const struct findings *f)
{
    static const int doubled[] = { M32, M64, M128, M256 };
    if (!f->has_dynamic)
        return not_recorded;
    int first = f->dynamic[M16].block_m, last = first, rises = 0;
    for (int i = 0; i < 4; i++) {
        rises += f->dynamic[doubled[i]].block_m > last;
        last = f->dynamic[doubled[i]].block_m;
    }
    struct judged j = judged(first == 16 && rises >= 2, rises >= 1, "%d", first);
    for (int i = 0; i < 4; i++)
        judged_add(&j, " %d", f->dynamic[doubled[i]].block_m);
    return j;
}

static struct judged one_for_all(const struct findings *f)
{
    double kept = f->dynamic[M256].kept;
    return f->has_dynamic ? judged(kept >= 2, kept >= 1.2, "%.2fx", kept) : not_recorded;
}

static struct judged buckets(const struct findings *f)
{
    double at[3] = { f->dynamic[M48].bucketed, f->dynamic[M96].bucketed, f->dynamic[M192].bucketed };
    double most = 100 * (stats_max(at, 3) - 1);
    if (!f->has_dynamic)
        return not_recorded;
    return judged(most <= 5, most <= 10, tr("%.1f %.1f %.1f %%", "%.1f %.1f %.1f%%"), 100 * (at[0] - 1),
                  100 * (at[1] - 1), 100 * (at[2] - 1));
}

/* Of workload_network. */
enum { QKV, O, UP, DOWN, HEAD, DECODE_QKV, DECODE_O, DECODE_UP, DECODE_DOWN, LORA_A, LORA_B };
static const char *const task_brief[TASKS] = { "QKV", "O",    "up",     "down",   "head",  "d.QKV",
                                               "d.O", "d.up", "d.down", "LoRA A", "LoRA B" };
static const uint32_t published_four[] = { UP, QKV, DOWN, DECODE_UP };

static struct judged pass(const struct findings *f)
{
    double ms = f->pass_us / 1e3;
    return f->has_network ? judged(fabs(ms / 35.75 - 1) <= 0.01, fabs(ms / 35.75 - 1) <= 0.1, "%.2f ms", ms)
                          : not_recorded;
}

static struct judged four_largest(const struct findings *f)
{
    int in_place = 0, among = 0;
    if (!f->has_network)
        return not_recorded;
    for (int i = 0; i < 4; i++) {
        in_place += f->largest[i] == published_four[i];
        for (int k = 0; k < 4; k++)
            among += f->largest[k] == published_four[i];
    }
    const uint32_t *l = f->largest;
    return judged(in_place == 4, among == 4, "%s %s %s %s", task_brief[l[0]], task_brief[l[1]], task_brief[l[2]],
                  task_brief[l[3]]);
}

static struct judged two_shares(const struct findings *f)
{
    double up = f->share_pct[UP], qkv = f->share_pct[QKV], off = fmax(fabs(up - 29), fabs(qkv - 17.6));
    return f->has_network ? judged(off <= 2, off <= 5, tr("%.1f, %.1f %%", "%.1f, %.1f%%"), up, qkv) : not_recorded;
}

static struct judged four_share(const struct findings *f)
{
    double four = 0;
    for (int i = 0; i < 4; i++)
        four += f->share_pct[published_four[i]];
    return f->has_network ? judged(fabs(four - 75) <= 2, fabs(four - 75) <= 5, tr("%.1f %%", "%.1f%%"), four)
                          : not_recorded;
}

/* cuBLAS was measured on a real GPU alone. */
static struct judged beats_library(const struct findings *f)
{
    int few_rows = 0, prefill = 0;
    for (int i = 0; i < TASKS; i++) {
        if (f->library_us[i] <= 0)
            return not_recorded;
        *(i <= HEAD ? &prefill : &few_rows) += f->task_us[i] < f->library_us[i];
    }
    return judged(few_rows == TASKS - DECODE_QKV, few_rows >= (TASKS - DECODE_QKV) / 2,
                  tr("%d of %d; %d of %d", "%d/%d，%d/%d"), few_rows, TASKS - DECODE_QKV, prefill, DECODE_QKV);
}

static struct judged learns(const struct findings *f)
{
    const double *model = f->autotvm256, *luck = f->random1024;
    int ahead = (model[0] >= luck[0]) + (model[1] >= luck[1]);
    return judged(ahead == 2, ahead == 1, "%.0f/%.0f, %.0f/%.0f", model[0], luck[0], model[1], luck[1]);
}

static struct judged like_teach(const struct findings *f)
{
    return judged(f->like16[1] - f->like16[0] >= 10, f->like16[1] > f->like16[0],
                  tr("%.0f -> %.0f %%", "%.0f -> %.0f%%"), f->like16[0], f->like16[1]);
}

static struct judged unlike_mislead(const struct findings *f)
{
    return judged(f->unlike64[1] < f->unlike64[0], false, tr("%.0f -> %.0f %%", "%.0f -> %.0f%%"), f->unlike64[0],
                  f->unlike64[1]);
}

static struct judged cursed(const struct findings *f)
{
    return judged(f->optimistic >= 6, f->optimistic >= 4, tr("%d of 7, %.2f %%", "%d/7, %.2f%%"), f->optimistic,
                  f->optimism_pct);
}

/* clang-format off */
static const struct {
    struct claim claim;
    struct judged (*judge)(const struct findings *f);
} claims[] = {
    { { { "§1.3 good ones are rare", "§1.3 好配置极少" }, { "legal ones within 5 % of the optimum: under 0.1 % (1 %)", "离最优 5% 以内的占合法的：不到 0.1%（1%）" } }, rare },
    { { { "§1.3 a random one is slow", "§1.3 随手挑的很慢" }, { "median slowdown: at least 3 (2)", "慢速比的中位数：至少 3（2）" } }, slow },
    { { { "§1.3 knobs interact", "§1.3 旋钮相互影响" }, { "best num_stages by BLOCK_K: at least 3 values (2)", "各 BLOCK_K 最好的 num_stages：至少有 3 种（2）" } }, interact },
    { { { "§2.2 the list is fine: large", "§2.2 配置表在大矩阵上好" }, { "slowdown, square and prefill QKV: at most 1.12 (1.3)", "方阵、预填充 QKV 的慢速比：不超过 1.12（1.3）" } }, list_is_fine },
    { { { "§2.2 and misses wgrad", "§2.2 配置表错过权重梯度" }, { "slowdown of the list's best: 4 to 6 (1.5 or more)", "配置表最好的慢速比：4 到 6（1.5 以上）" } }, list_misses },
    { { { "§2.2 wgrad wants SPLIT_K", "§2.2 权重梯度要 SPLIT_K" }, { "share of the optimum without: 40 to 65 % (under 80)", "没有它达到最优的百分比：40% 到 65%（80 以下）" } }, wants_split },
    { { { "§2.3 optima do not carry over", "§2.3 最优不能照搬" }, { "median slowdown of 42 pairs: at least 1.5 (1.1)", "42 对慢速比的中位数：至少 1.5（1.1）" } }, no_carrying },
    { { { "§2.4 BLOCK_M follows M", "§2.4 BLOCK_M 跟着 M" }, { "BLOCK_M at M = 16; 512, 4096: 16; then 64 or more (16)", "M = 16；512、4096 时的 BLOCK_M：16；从 512 起至少 64（16）" } }, follows },
    { { { "§2.4 even as M doubles", "§2.4 M 翻倍时也跟着" }, { "at M = 16, 32 ... 256: 16, then rises twice or more (once)", "M = 16、32 ... 256 时：先是 16，再至少升两次（一次）" } }, follows_batch },
    { { { "§2.4 one for all M is slow", "§2.4 一个用到底很慢" }, { "slowdown of M = 16's optimum at 256: at least 2 (1.2)", "M = 16 的最优用在 256 的慢速比：至少 2（1.2）" } }, one_for_all },
    { { { "§2.4 buckets cost little", "§2.4 分桶损失很小" }, { "regret at M = 48, 96, 192: at most 5 % (10 %)", "M = 48、96、192 时比最优多花的时间：不超过 5%（10%）" } }, buckets },
    { { { "§4.6 a model beats luck", "§4.6 模型胜过运气" }, { "AutoTVM at 256/random at 1024, %: not less, twice (once)", "AutoTVM 256 次/随机 1024 次，%：两次都不低（一次）" } }, learns },
    { { { "§4.7 like shapes teach", "§4.7 相似的形状有帮助" }, { "prefill QKV at 16, no transfer -> with: 10 points (any)", "预填充 QKV 测 16 次，不迁移 -> 迁移：多 10 个百分点（多一点）" } }, like_teach },
    { { { "§4.7 unlike ones mislead", "§4.7 不像的会拖后腿" }, { "wgrad at 64, no transfer -> with: less", "权重梯度测 64 次，不迁移 -> 迁移：变低" } }, unlike_mislead },
    { { { "§6.3 the network's pass", "§6.3 网络走一遍" }, { "time with every task at its optimum: 35.75 ms, 1 % (10 %)", "每个任务都取最优的时间：35.75 ms，差 1%（10%）以内" } }, pass },
    { { { "§6.3 its four largest tasks", "§6.3 最大的四个任务" }, { "FFN up, QKV, FFN down, decode FFN up (in any order)", "FFN 上、QKV、FFN 下、解码 FFN 上（不论顺序）" } }, four_largest },
    { { { "§6.3 share of FFN up, QKV", "§6.3 FFN 上、QKV 的占比" }, { "29 and 17.6 % of the pass, within 2 points (5)", "占 29% 和 17.6%，差 2 个百分点（5）以内" } }, two_shares },
    { { { "§6.3 share of the four", "§6.3 这四个的占比" }, { "75 % of the pass, within 2 points (5)", "占 75%，差 2 个百分点（5）以内" } }, four_share },
    { { { "§6.4 the winner's curse", "§6.4 赢家诅咒" }, { "shapes measured faster than true, by: 6 or more (4)", "测得比真实快的形状数、快多少：6 个以上（4 个）" } }, cursed },
    { { { "beyond: beside cuBLAS", "另外：和 cuBLAS 比" }, { "faster: of decode and LoRA all (half); of prefill", "更快的：解码和 LoRA 里全部（一半）；预填充里" } }, beats_library },
};
/* clang-format on */
enum { CLAIMS = sizeof claims / sizeof *claims };

void claims_report(struct run *run, const struct findings *hypo, const struct findings *real)
{
    const char *const name[] = { "HypoGPU", run->device->name };
    struct claim claim[CLAIMS];
    struct judged found[2 * CLAIMS];
    for (int c = 0; c < CLAIMS; c++) {
        claim[c] = claims[c].claim;
        found[c] = claims[c].judge(hypo);
        found[CLAIMS + c] = claims[c].judge(real);
    }
    verdicts_show(run->report, CLAIMS, claim, 2, name, found, VERDICT_WORDS, NULL,
                  tr("What the columns show (of two shapes, the square first), and when a claim holds (in part)",
                     "两列显示的是什么（两个形状时方阵在前，权重梯度在后），以及什么时候算成立（部分成立）"));
}

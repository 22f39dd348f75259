/* workload.c - matrix shapes, their cost, and the lecture's list of them (2.2, 2.4, 6.3; second script). */
#include "space/workload.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct workload workload_five[WORKLOAD_FIVE] = {
    { "square", { "square", "方阵" }, 4096, 4096, 4096 },
    { "prefill_qkv", { "prefill QKV", "预填充 QKV" }, 512, 12288, 4096 },
    { "decode", { "decode", "解码" }, 16, 4096, 4096 },
    { "wgrad", { "weight gradient", "权重梯度" }, 512, 512, 32768 },
    { "small", { "small", "小矩阵" }, 512, 512, 512 },
};

static const struct workload others[] = {
    { "ffn_up", { "FFN up", "FFN 上投影" }, 512, 22016, 4096 },
    { "ffn_down", { "FFN down", "FFN 下投影" }, 512, 4096, 11008 },
    { "prefill_up", { "prefill up", "预填充上投影" }, 512, 14336, 4096 },
};

const struct network_task workload_network[WORKLOAD_NETWORK] = {
    { { "prefill_qkv", { "prefill QKV", "预填充 QKV" }, 512, 12288, 4096 }, 32 },
    { { "prefill_o", { "prefill O", "预填充 O" }, 512, 4096, 4096 }, 32 },
    { { "prefill_ffn_up", { "prefill FFN up", "预填充 FFN 上" }, 512, 22016, 4096 }, 32 },
    { { "prefill_ffn_down", { "prefill FFN down", "预填充 FFN 下" }, 512, 4096, 11008 }, 32 },
    { { "prefill_lm_head", { "prefill LM head", "预填充 LM head" }, 512, 32000, 4096 }, 1 },
    { { "decode_qkv", { "decode QKV", "解码 QKV" }, 16, 12288, 4096 }, 32 },
    { { "decode_o", { "decode O", "解码 O" }, 16, 4096, 4096 }, 32 },
    { { "decode_ffn_up", { "decode FFN up", "解码 FFN 上" }, 16, 22016, 4096 }, 32 },
    { { "decode_ffn_down", { "decode FFN down", "解码 FFN 下" }, 16, 4096, 11008 }, 32 },
    { { "lora_a", { "LoRA A", "LoRA A" }, 512, 16, 4096 }, 128 },
    { { "lora_b", { "LoRA B", "LoRA B" }, 512, 4096, 16 }, 128 },
};

struct workload workload_dynamic(int m)
{
    return (struct workload){ "dynamic", TEXT("dynamic M", "动态 M"), m, 14336, 4096 };
}

int workload_bucket(int m)
{
    int bucket = 0;
    while (1 << bucket < m)
        bucket++;
    return bucket;
}

double workload_flop(const struct workload *w) { return 2.0 * w->m * w->n * w->k; }

double workload_bytes(const struct workload *w)
{
    double m = w->m, n = w->n, k = w->k;
    return 2.0 * (m * k + k * n + m * n);
}

double workload_intensity(const struct workload *w) { return workload_flop(w) / workload_bytes(w); }

const char *workload_shape(const struct workload *w, char *buf, size_t n)
{
    snprintf(buf, n, w->m ? "%dx%dx%d" : "-", w->m, w->n, w->k);
    return buf;
}

const char *workload_label(const struct workload *w, enum lang lang, char *buf, size_t n)
{
    bool zh = lang == LANG_ZH;
    snprintf(buf, n, w->m ? "%s%s%dx%dx%d" : "%s", zh ? w->name.zh : w->name.en, zh ? "，" : ", ", w->m, w->n, w->k);
    return buf;
}

bool workload_same(const struct workload *a, const struct workload *b)
{
    return a->m == b->m && a->n == b->n && a->k == b->k;
}

bool workload_parse(const char *text, char separator, struct workload *w)
{
    int *extent[] = { &w->m, &w->n, &w->k };
    const char *at = text;
    for (int i = 0; i < 3; i++) {
        char *end;
        long value = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : 0;
        if (value < 1 || value > WORKLOAD_MAX_EXTENT || *end != (i < 2 ? separator : '\0'))
            return false;
        *extent[i] = (int)value;
        at = end + 1;
    }
    return true;
}

const struct workload *workload_find(const char *id)
{
    for (int i = 0; i < WORKLOAD_FIVE; i++)
        if (!strcmp(workload_five[i].id, id))
            return &workload_five[i];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(others[i].id, id))
            return &others[i];
    for (int i = 0; i < WORKLOAD_NETWORK; i++)
        if (!strcmp(workload_network[i].workload.id, id))
            return &workload_network[i].workload;
    return NULL;
}

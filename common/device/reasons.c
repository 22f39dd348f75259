/* reasons.c - why there is no time, in words. */
#include "device/reasons.h"
#include <string.h>

int reasons_number(struct reasons *r, char *word)
{
    static const struct text known[] = {
        { "oom_smem", "共享内存不足" },    { "spill", "寄存器溢出" },      { "compile_error", "编译失败" },
        { "compile_timeout", "编译超时" }, { "launch_error", "启动失败" }, { "run_error", "运行失败" },
        { "wrong", "结果错误" },           { "invalid", "违反约束" },      { "failed", "失败" },
        { REASON_ILLEGAL, "不合法" },             { REASON_NOT_RECORDED, "未记录" },     { "constraints", "违反约束" },
        { "compile", "编译失败" },         { "runtime", "运行失败" },      { "timeout", "超时" },
        { "correctness", "结果错误" },
    };
    text_clean(word);
    word[text_cut(word, RECORDED_NAME)] = 0;
    if (!strcmp(word, "not_recorded"))
        word[3] = ' ';
    for (int i = 0; i < r->count; i++)
        if (!strcmp(word, r->text[i].en))
            return i + 1;
    if (r->count == RECORDED_MAX_REASONS)
        return 0;
    struct text *text = &r->text[r->count++];
    *text = (struct text){ word, word };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].en, word))
            *text = known[i];
    return r->count;
}

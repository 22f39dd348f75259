/* text.c - the chosen language, and the width of UTF-8 text. */
#include "base/text.h"
#include "base/xalloc.h"
#include <stdlib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static enum lang chosen = LANG_EN;

void text_set_lang(enum lang lang) { chosen = lang; }

enum lang text_lang(void) { return chosen; }

const char *tr(const char *en, const char *zh) { return chosen == LANG_ZH ? zh : en; }

const char *tr_text(struct text pair) { return tr(pair.en, pair.zh); }

struct text text_format(const char *en, const char *zh, ...)
{
    struct text pair;
    va_list list;
    va_start(list, zh);
    pair.en = xvformat(en, list);
    va_end(list);
    va_start(list, zh);
    pair.zh = xvformat(zh, list);
    va_end(list);
    return pair;
}

void text_free(struct text pair)
{
    free((void *)pair.en);
    free((void *)pair.zh);
}

/* The code point at *s, moving *s past it; a byte that starts no valid character counts as one by itself. */
static uint32_t decode(const char **s)
{
    const unsigned char *p = (const unsigned char *)*s;
    int more = p[0] >= 0xf0 ? 3 : p[0] >= 0xe0 ? 2 : p[0] >= 0xc0 ? 1 : 0;
    uint32_t code = more == 3 ? p[0] & 0x07u : more == 2 ? p[0] & 0x0fu : more == 1 ? p[0] & 0x1fu : p[0];
    for (int i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80) { /* also stops at the end of the string */
            *s += 1;
            return p[0];
        }
        code = code << 6 | (p[i] & 0x3fu);
    }
    *s += more + 1;
    return code;
}

int text_columns(const char **s)
{
    /* East Asian wide and full-width characters: Hangul Jamo; CJK radicals to Yi; Hangul; CJK compatibility; vertical
     * and full-width forms; the supplementary ideographic planes. */
    static const uint32_t wide[][2] = { { 0x1100, 0x115f }, { 0x2e80, 0x303e }, { 0x3041, 0xa4cf },
                                        { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff }, { 0xfe30, 0xfe6f },
                                        { 0xff00, 0xff60 }, { 0xffe0, 0xffe6 }, { 0x20000, 0x3fffd } };
    uint32_t code = decode(s);
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (code >= wide[i][0] && code <= wide[i][1])
            return 2;
    return 1;
}

int text_width(const char *utf8)
{
    int width = 0;
    while (*utf8)
        width += text_columns(&utf8);
    return width;
}

/* The bytes of the valid UTF-8 character at p, of which n are there; 0: there is none. */
static size_t character(const unsigned char *p, size_t n)
{
    static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 }; /* what fewer bytes can say must not take more */
    size_t more = p[0] >= 0xf0 ? 3 : p[0] >= 0xe0 ? 2 : p[0] >= 0xc0 ? 1 : 0;
    if (more == 0)
        return p[0] < 0x80;
    if (more >= n || p[0] >= 0xf8)
        return 0;
    uint32_t code = p[0] & (0x3fu >> more);
    for (size_t i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3fu);
    }
    return code >= least[more] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? more + 1 : 0;
}

size_t text_prefix(const char *bytes, size_t n)
{
    const unsigned char *p = (const unsigned char *)bytes;
    size_t at = 0, length = 1;
    for (; at < n && length > 0; at += length) {
        bool control = p[at] < 0x20 ? p[at] != '\t' && p[at] != '\n' && p[at] != '\r' : p[at] == 0x7f;
        length = control ? 0 : character(p + at, n - at);
    }
    return at;
}

void text_json(FILE *out, const char *utf8)
{
    fputc('"', out);
    for (; *utf8; utf8++)
        if (*utf8 == '"' || *utf8 == '\\')
            fprintf(out, "\\%c", *utf8);
        else
            fprintf(out, (unsigned char)*utf8 < 0x20 ? "\\u%04x" : "%c", *utf8);
    fputc('"', out);
}

/* text.c - the chosen language, UTF-8, and lines of it. */
#include "base/text.h"
#include "base/xalloc.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

size_t text_character(const char *bytes, size_t n, uint32_t *code)
{
    static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 }; /* what fewer bytes can say must not take more */
    const unsigned char *p = (const unsigned char *)bytes;
    size_t more = p[0] >= 0xf0 ? 3 : p[0] >= 0xe0 ? 2 : p[0] >= 0xc0 ? 1 : 0;
    if (more >= n || (more == 0 && p[0] >= 0x80) || p[0] >= 0xf8)
        return 0;
    *code = p[0] & (more ? 0x3fu >> more : 0x7fu);
    for (size_t i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80) /* also stops at the end of a string */
            return 0;
        *code = *code << 6 | (p[i] & 0x3fu);
    }
    return *code >= least[more] && *code <= 0x10ffff && (*code < 0xd800 || *code > 0xdfff) ? more + 1 : 0;
}

/* Whether the code is in one of n ranges. */
static bool is_in(uint32_t code, const uint32_t (*range)[2], size_t n)
{
    while (n > 0 && (code < range[n - 1][0] || code > range[n - 1][1]))
        n--;
    return n > 0;
}

void text_clean(char *text)
{
    static const uint32_t harmful[][2] = { { 0, 0x1f },        { 0x7f, 0x9f },     { 0x61c, 0x61c },
                                           { 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 } };
    char *to = text;
    for (size_t at = 0, n; text[at]; at += n) {
        uint32_t code;
        n = text_character(text + at, 4, &code);
        bool shown = n > 0 && !is_in(code, harmful, sizeof harmful / sizeof *harmful);
        n = n ? n : 1;
        memmove(to, shown ? text + at : "?", shown ? n : 1);
        to += shown ? n : 1;
    }
    *to = 0;
}

size_t text_cut(const char *text, size_t bytes)
{
    size_t cut = strlen(text);
    for (cut = cut < bytes ? cut : bytes; cut > 0 && ((unsigned char)text[cut] & 0xc0) == 0x80; cut--)
        ;
    return cut;
}

char *text_take_file(char **rest)
{
    char *name = *rest, *cut = NULL, *comma;
    while (access(name, F_OK) && (comma = strrchr(name, ','))) {
        if (cut)
            *cut = ',';
        *comma = 0;
        cut = comma;
    }
    *rest = cut ? cut + 1 : NULL;
    return name;
}

int text_columns(const char **s)
{
    /* East Asian wide and full-width characters: Hangul Jamo; CJK radicals to Yi; Hangul; CJK compatibility; vertical
     * and full-width forms; the supplementary ideographic planes. */
    static const uint32_t wide[][2] = { { 0x1100, 0x115f }, { 0x2e80, 0x303e }, { 0x3041, 0xa4cf },
                                        { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff }, { 0xfe30, 0xfe6f },
                                        { 0xff00, 0xff60 }, { 0xffe0, 0xffe6 }, { 0x20000, 0x3fffd } };
    uint32_t code = 0;
    size_t length = text_character(*s, 4, &code);
    *s += length ? length : 1;
    return length && is_in(code, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

int text_width(const char *utf8)
{
    int width = 0;
    while (*utf8)
        width += text_columns(&utf8);
    return width;
}

static bool starts_with_any(const char *s, const char *const *list)
{
    while (*list && strncmp(s, *list, strlen(*list)))
        list++;
    return *list;
}

/* Whether a line may end between two neighbouring characters. */
static bool may_break(const char *before, int before_columns, const char *after, int after_columns)
{
    static const char *const opening[] = { "（", "“", "《", "(", NULL };
    static const char *const closing[] = { "，", "。", "；", "：", "、", "）", "”", "！", "？", "》",
                                           "%",  ")",  ",",  ".",  ";",  ":",  "×", " ",  NULL };
    if (starts_with_any(after, closing) || starts_with_any(before, opening))
        return false;
    return *before == ' ' || before_columns == 2 || after_columns == 2;
}

/* Where the line that starts at s ends so that it fits `room` columns, or at its '\n', or at the end of the text. */
static const char *line_end(const char *s, int room)
{
    const char *at = s, *before = NULL, *end = NULL;
    int width = 0, before_columns = 0;
    while (*at && *at != '\n') {
        const char *start = at;
        int columns = text_columns(&at);
        if (before && may_break(before, before_columns, start, columns))
            end = start;
        width += columns;
        if (width > room && end && *start != ' ') /* a space at the end of a line needs no room */
            return end;
        before = start;
        before_columns = columns;
    }
    return at;
}

void text_paragraph(FILE *out, const char *s)
{
    while (*s) {
        const char *end = line_end(s, TEXT_COLUMNS - 2), *last = end;
        while (last > s && last[-1] == ' ')
            last--;
        fprintf(out, "%s%.*s\n", last > s ? "  " : "", (int)(last - s), s);
        s = *end == '\n' ? end + 1 : end;
        while (*s == ' ')
            s++;
    }
}

size_t text_prefix(const char *bytes, size_t n)
{
    size_t at = 0, length;
    for (uint32_t code; at < n && (length = text_character(bytes + at, n - at, &code)) > 0; at += length)
        if (code == 0x7f || (code < 0x20 && code != '\t' && code != '\n' && code != '\r'))
            break;
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

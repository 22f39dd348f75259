/* text.h - two languages, and how wide a string is on the terminal.
 *
 * Every word a reader sees stands in the code as a pair, tr("share", "比例"): no catalogue files, no locale. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct text { /* one text in both languages */
    const char *en, *zh;
};
#define TEXT(en, zh) ((struct text){ en, zh }) /* in expressions; a static table writes { en, zh } */

enum lang { LANG_EN, LANG_ZH };

void text_set_lang(enum lang lang); /* set once, at program start; English until then */
enum lang text_lang(void);

/* tr: the one of the two that is in the chosen language. tr_text: the same for a pair. */
const char *tr(const char *en, const char *zh) __attribute__((format_arg(1), format_arg(2)));
const char *tr_text(struct text pair);

/* A new pair, printf-style, from a pair of formats that take the same arguments; free it with text_free. */
struct text text_format(const char *en, const char *zh, ...) __attribute__((format(printf, 1, 3)));
void text_free(struct text pair);

/* The string in quotes, escaped as JSON wants it. */
void text_json(FILE *out, const char *utf8);

/* The bytes that the UTF-8 character at `bytes` takes, of which n > 0 are there, and its code; 0: it is none. */
size_t text_character(const char *bytes, size_t n, uint32_t *code);

/* How many of the n bytes are text: UTF-8 without control characters other than tabs and line ends. */
size_t text_prefix(const char *bytes, size_t n);

/* Shows as '?', in place, what is no text, ends a line, moves the cursor or turns the writing round. And how many of
 * a text's first `bytes` bytes are whole characters. */
void text_clean(char *text);
size_t text_cut(const char *text, size_t bytes);

/* Takes the first name off a list of files joined by commas (*rest, then NULL): the longest that is a file's, for a comma
 * may be part of it; if none is, up to the first comma. */
char *text_take_file(char **rest);

/* Terminal columns of a string: 2 for a Chinese character or full-width mark, 1 for any other and for a byte that is
 * none. text_columns: those of the character at *s, moving *s past it. */
int text_width(const char *utf8);
int text_columns(const char **s);

/* Wraps at 88 columns behind an indent of 2: at spaces, and between Chinese characters but before no closing mark. A
 * '\n' in the text starts a new line. */
enum { TEXT_COLUMNS = 88 };
void text_paragraph(FILE *out, const char *utf8);

#endif

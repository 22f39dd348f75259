/* text.h - two languages, and how wide a string is on the terminal.
 *
 * Every word a reader sees stands in the code as a pair, tr("share", "比例"): no catalogue files, no locale, so that
 * the program prints the same bytes on every machine. The language is chosen once, by options, before anything is
 * printed. */
#ifndef TEXT_H
#define TEXT_H

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

/* How many of the n bytes are text, from the first on: UTF-8 without control characters other than tabs and line ends. */
size_t text_prefix(const char *bytes, size_t n);

/* text_width: terminal columns of a UTF-8 string: 2 for a Chinese character or full-width mark, 1 for any other.
 * text_columns is the width of the single character that starts at *s; it moves *s past it. A malformed byte counts
 * 1. */
int text_width(const char *utf8);
int text_columns(const char **s);

#endif

/* die.c - one line and the exit status of everything that goes wrong. */
#include "base/die.h"
#include "base/text.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name = "";

void die_name(const char *program) { name = program; }

/* Moves the cursor, ends a line or turns the writing round; a character of n bytes. */
static bool harmful(const char *character, size_t n)
{
    static const char *const range[][2] = {
        { "\1", "\x1f" }, { "\x7f", "\x7f" }, { "\xc2\x80", "\xc2\x9f" }, /* the controls */
        { "\xd8\x9c", "\xd8\x9c" },                                       /* U+061C */
        { "\xe2\x80\x8e", "\xe2\x80\x8f" },                               /* U+200E, 200F */
        { "\xe2\x80\xa8", "\xe2\x80\xae" },                               /* U+2028 … 202E */
        { "\xe2\x81\xa6", "\xe2\x81\xa9" },                               /* U+2066 … 2069 */
    };
    bool found = false;
    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        found |= strlen(range[i][0]) == n && memcmp(character, range[i][0], n) >= 0 &&
                 memcmp(character, range[i][1], n) <= 0;
    return found;
}

/* In place, since nothing grows; then cut at a character if it is too long. */
static void clean(char *text)
{
    char *to = text;
    for (size_t at = 0, n; text[at]; at += n) {
        for (n = 1; n <= 4 && text_prefix(text + at, n) < n;)
            n++;
        bool shown = n <= 4 && !harmful(text + at, n); /* no character has more than 4 bytes */
        n = n <= 4 ? n : 1;
        memmove(to, shown ? text + at : "?", shown ? n : 1);
        to += shown ? n : 1;
    }
    *to = 0;
    size_t cut = DIE_BYTES - 3;
    while (((unsigned char)text[cut] & 0xc0) == 0x80)
        cut--;
    if (to - text > DIE_BYTES)
        strcpy(text + cut, "...");
}

void die(const char *format, ...)
{
    char message[4 * DIE_BYTES] = ""; /* allocates nothing: memory may be what is missing */
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    clean(message);
    fflush(stdout);
    fprintf(stderr, "%s%s%s\n", name, *name ? ": " : "", message);
    exit(2);
}

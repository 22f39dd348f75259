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

/* What moves the cursor, ends a line or turns the writing round. */
static bool harmful(uint32_t code)
{
    static const uint32_t range[][2] = { { 0, 0x1f },        { 0x7f, 0x9f },     { 0x61c, 0x61c },
                                         { 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 } };
    bool found = false;
    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        found |= code >= range[i][0] && code <= range[i][1];
    return found;
}

/* In place, since nothing grows; then cut at a character if it is too long. */
static void clean(char *text)
{
    char *to = text;
    for (size_t at = 0, n; text[at]; at += n) {
        uint32_t code;
        n = text_character(text + at, 4, &code);
        bool shown = n > 0 && !harmful(code);
        n = n ? n : 1;
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

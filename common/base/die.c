/* die.c - one line and the exit status of everything that goes wrong. */
#include "base/die.h"
#include "base/text.h"
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGE = 4 * DIE_BYTES };

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

/* Nothing grows; then it is cut at a character if it is too long. */
void die_clean(char *text)
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

/* How many bytes the message would have; it is written as far as there is room. */
__attribute__((format(printf, 2, 0))) static size_t filled(char message[MESSAGE], const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int bytes = vsnprintf(message, MESSAGE, format, again);
    va_end(again);
    return bytes < 0 ? 0 : (size_t)bytes;
}

/* The format with every %s cut that is too long, at a character. */
__attribute__((format(printf, 3, 0))) static void shorten(char shorter[MESSAGE], char message[MESSAGE],
                                                          const char *format, va_list list)
{
    size_t used = 0;
    for (size_t n; *format && used < MESSAGE - 16; format += n) {
        n = format[0] == '%' && format[1] ? 2 : 1;
        memcpy(shorter + used, format, n);
        shorter[used + n] = 0;
        if (n == 2 && format[1] == 's') {
            strcpy(shorter + used, "%.0s");
            size_t before = filled(message, shorter, list);
            sprintf(shorter + used, "%%.%ds", DIE_QUOTED + 1);
            size_t after = filled(message, shorter, list), kept = before + DIE_QUOTED;
            while (after > kept && kept < MESSAGE - 1 && ((unsigned char)message[kept] & 0xc0) == 0x80)
                kept--;
            if (after > before + DIE_QUOTED)
                sprintf(shorter + used, "%%.%zus...", kept - before);
        }
        used += strlen(shorter + used);
    }
}

__attribute__((format(printf, 1, 0))) static void say(const char *format, va_list list)
{
    char message[MESSAGE] = "", shorter[MESSAGE] = "";
    if (filled(message, format, list) > DIE_BYTES) {
        shorten(shorter, message, format, list);
        filled(message, shorter, list);
    }
    die_clean(message);
    fprintf(stderr, "%s%s%s\n", name, *name ? ": " : "", message);
}

void die_warn(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say(format, list);
    va_end(list);
}

void die(const char *format, ...)
{
    static atomic_flag dying = ATOMIC_FLAG_INIT;
    static _Thread_local bool first;
    if (first) /* at exit, once more */
        _exit(2);
    while (atomic_flag_test_and_set(&dying))
        pause();
    first = true;
    va_list list;
    va_start(list, format);
    fflush(stdout);
    say(format, list);
    exit(2);
}

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

static const char *name = "";

void die_name(const char *program) { name = program; }

/* Memory may be what is missing: only a message that has no room here asks for some. */
__attribute__((format(printf, 1, 0))) static void say(const char *format, va_list list)
{
    char room[4 * DIE_BYTES] = "", *message = room, *longer;
    va_list again;
    va_copy(again, list);
    int bytes = vsnprintf(room, sizeof room, format, again);
    va_end(again);
    if (bytes >= (int)sizeof room && (longer = malloc((size_t)bytes + 1)) != NULL) {
        message = longer;
        vsnprintf(message, (size_t)bytes + 1, format, list);
    }
    text_clean(message);
    size_t length = strlen(message), head = length, tail = length;
    if (length > DIE_BYTES) {
        head = text_cut(message, DIE_BYTES / 2);
        tail = length - (DIE_BYTES - 3 - head);
        while (((unsigned char)message[tail] & 0xc0) == 0x80) /* the middle of a character */
            tail++;
    }
    fprintf(stderr, "%s%s%.*s%s%s\n", name, *name ? ": " : "", (int)head, message, head < length ? "..." : "",
            message + tail);
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

/* die.c - one line and the exit status of everything that goes wrong. */
#include "base/die.h"
#include "base/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name = "";

void die_name(const char *program) { name = program; }

void die(const char *format, ...)
{
    char message[4 * DIE_BYTES] = ""; /* allocates nothing: memory may be what is missing */
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    text_clean(message);
    size_t cut = text_cut(message, DIE_BYTES);
    if (message[cut])
        strcpy(message + text_cut(message, DIE_BYTES - 3), "...");
    fflush(stdout);
    fprintf(stderr, "%s%s%s\n", name, *name ? ": " : "", message);
    exit(2);
}

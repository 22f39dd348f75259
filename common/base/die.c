/* die.c - one line and the exit status of everything that goes wrong. */
#include "base/die.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *name = "";

void die_name(const char *program) { name = program; }

void die(const char *format, ...)
{
    va_list list;
    fflush(stdout);
    fprintf(stderr, "%s%s", name, *name ? ": " : "");
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(2);
}

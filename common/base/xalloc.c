/* xalloc.c - allocation that ends the program when there is no memory. */
#include "base/xalloc.h"
#include "base/die.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *p)
{
    if (!p)
        die("out of memory");
    return p;
}

void *xalloc(size_t count, size_t size) { return checked(calloc(count ? count : 1, size ? size : 1)); }

void *xrealloc(void *old, size_t count, size_t size)
{
    bool fits = size == 0 || count <= (size_t)-1 / size;
    return checked(fits ? realloc(old, count && size ? count * size : 1) : NULL);
}

char *xvformat(const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = xalloc((size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, list);
    return text;
}

char *xformat(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *text = xvformat(format, list);
    va_end(list);
    return text;
}

void xappend(char **text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *more = xvformat(format, list);
    va_end(list);
    size_t used = *text ? strlen(*text) : 0;
    *text = xrealloc(*text, used + strlen(more) + 1, 1);
    strcpy(*text + used, more);
    free(more);
}

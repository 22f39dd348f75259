/* xalloc.h - memory that is there: without any, a program this small can only say so and stop. */
#ifndef XALLOC_H
#define XALLOC_H

#include <stdarg.h>
#include <stddef.h>

void *xalloc(size_t count, size_t size);              /* zeroed */
void *xrealloc(void *old, size_t count, size_t size); /* grown part not zeroed */
char *xvformat(const char *format, va_list list) __attribute__((format(printf, 1, 0)));
char *xformat(const char *format, ...) __attribute__((format(printf, 1, 2))); /* a new string, printf-style */

/* Puts printf-style words behind *text, a string that grows (NULL: empty). */
void xappend(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

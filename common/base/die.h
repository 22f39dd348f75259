/* die.h - the end of a program that cannot go on: one line in English on stderr, and exit status 2.
 *
 * All that can go wrong here has a cause outside (a command line, a file, a full disk, no memory) and this one answer,
 * so no function hands an error up. The line says what was wrong, where, and what is allowed. */
#ifndef DIE_H
#define DIE_H

void die_name(const char *program); /* what the line begins with; kept by reference */

/* Prints "program: message", printf-style, behind what stdout holds. Of a file or an argument that is quoted in it,
 * what is no text, ends a line, moves the cursor or turns the writing round is shown as '?'. A message of over
 * DIE_BYTES loses its middle, for its end says what is allowed. Of threads that die at once the first is heard. */
enum { DIE_BYTES = 300 };
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* The same line, from a program that goes on. */
void die_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

/* child.h - runs a function that ends its program, in a process of its own, and keeps what it left behind. */
#ifndef CHILD_H
#define CHILD_H

#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#else
#define __lsan_disable() ((void)0)
#endif

struct ending {
    int status;                /* exit status; -1: ended by a signal */
    int signal;                /* the signal; 0: none */
    char out[8192], err[2048]; /* what it wrote, as much as there is room for */
};

static inline void child_take(FILE *file, char *text, size_t n)
{
    rewind(file);
    text[fread(text, 1, n - 1, file)] = 0;
    fclose(file);
}

/* body(argument) in a child; if it returns, the child exits with 0. */
static inline struct ending child_run(void (*body)(void *), void *argument)
{
    struct ending ending = { .status = -1 };
    FILE *out = tmpfile(), *err = tmpfile();
    int status = 0;
    fflush(NULL); /* else the child would write our buffers a second time */
    pid_t child = fork();
    if (child == 0) {
        __lsan_disable(); /* what a dying program has not freed is no leak */
        dup2(fileno(out), STDOUT_FILENO);
        dup2(fileno(err), STDERR_FILENO);
        body(argument);
        fflush(NULL);
        _exit(0);
    }
    waitpid(child, &status, 0);
    child_take(out, ending.out, sizeof ending.out);
    child_take(err, ending.err, sizeof ending.err);
    if (WIFEXITED(status))
        ending.status = WEXITSTATUS(status);
    else
        ending.signal = WTERMSIG(status);
    return ending;
}

/* One line, and nothing behind it. */
static inline int child_is_one_line(const char *text)
{
    const char *end = text;
    while (*end && *end != '\n')
        end++;
    return end > text && end[0] == '\n' && end[1] == 0;
}

/* body(argument) says nothing but one line, which begins with `place` and holds `what`, and ends with status 2. */
static inline void child_dies(void (*body)(void *), const void *argument, const char *place, const char *what)
{
    struct ending ending = child_run(body, (void *)argument);
    if (ending.status != 2 || *ending.out || !child_is_one_line(ending.err) ||
        strncmp(ending.err, place, strlen(place)) != 0 || !strstr(ending.err, what))
        fail_msg("status %d, wanted: %s ... %s\ngot: %s", ending.status, place, what, ending.err);
}

#endif

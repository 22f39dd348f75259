/* dialogue.h - lines to a process and lines from it, many processes at a time, in bounded memory. A line is
 * complete with its end. Reading and writing take turns under poll: neither side waits for the other with a full
 * pipe. */
#ifndef DIALOGUE_H
#define DIALOGUE_H

#include <stdbool.h>
#include <stddef.h>

enum { DIALOGUE_LINE = 1 << 16 }; /* bytes of the longest line */
struct dialogue {
    int to, from; /* pipes */
    char *out;    /* what is still to be written: bytes out_at … out_end */
    size_t out_at, out_end;
    char *in; /* [DIALOGUE_LINE] what was read: bytes in_at … in_end */
    size_t in_at, in_end;
    bool ended; /* nothing more will come */
};

struct dialogue dialogue_open(int to, int from);
void dialogue_close(struct dialogue *d); /* frees what it holds; the pipes stay */

/* Writes text, malloc'ed and from now on the dialogue's, while dialogue_wait waits; all before it was written. */
void dialogue_say(struct dialogue *d, char *text);

/* The next whole line that has come, without its end (Windows', too), valid until the next wait; NULL: none. What is
 * no text in it is shown as '?'. A longer one than DIALOGUE_LINE dies. */
char *dialogue_line(struct dialogue *d);

/* Waits until something moves in one of the `count` dialogues, every whole line of which was taken, or until this
 * time of clock_wall_s, in seconds. */
void dialogue_wait(int count, struct dialogue *all, double until);

#endif

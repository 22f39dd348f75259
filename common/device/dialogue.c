/* dialogue.c - two buffers a process, and poll. */
#include "device/dialogue.h"
#include "base/clock.h"
#include "base/die.h"
#include "base/text.h"
#include "base/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct dialogue dialogue_open(int to, int from)
{
    fcntl(to, F_SETFL, O_NONBLOCK);
    return (struct dialogue){ .to = to, .from = from, .in = xalloc(DIALOGUE_LINE, 1) };
}

void dialogue_close(struct dialogue *d)
{
    free(d->out);
    free(d->in);
    d->out = d->in = NULL;
}

void dialogue_say(struct dialogue *d, char *text)
{
    free(d->out);
    d->out = text;
    d->out_at = 0;
    d->out_end = strlen(text);
}

char *dialogue_line(struct dialogue *d)
{
    char *line = d->in + d->in_at, *end = memchr(line, '\n', d->in_end - d->in_at);
    if (!end) {
        if (d->in_end - d->in_at == DIALOGUE_LINE)
            die("a device says '%.40s...': expected lines of less than %d bytes", line, DIALOGUE_LINE);
        return NULL;
    }
    d->in_at = (size_t)(end + 1 - d->in);
    end -= end > line && end[-1] == '\r';
    *end = 0;
    for (char *at = line; at < end; at++) /* a zero must not end it early */
        *at = *at ? *at : '\1';
    text_clean(line);
    return line;
}

/* What the pipe takes at once. A device that reads no more is known by its silence. */
static void write_some(struct dialogue *d)
{
    ssize_t n = write(d->to, d->out + d->out_at, d->out_end - d->out_at);
    if (n > 0)
        d->out_at += (size_t)n;
    else if (n < 0 && errno != EAGAIN && errno != EINTR)
        d->out_at = d->out_end;
}

static void read_some(struct dialogue *d)
{
    memmove(d->in, d->in + d->in_at, d->in_end - d->in_at);
    d->in_end -= d->in_at;
    d->in_at = 0;
    ssize_t n = read(d->from, d->in + d->in_end, DIALOGUE_LINE - d->in_end);
    if (n > 0)
        d->in_end += (size_t)n;
    d->ended = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

void dialogue_wait(int count, struct dialogue *all, double until)
{
    struct pollfd *pipe = xalloc(2 * (size_t)count, sizeof *pipe);
    double left_ms = (until - clock_wall_s()) * 1000;
    for (int i = 0; i < count; i++) {
        pipe[2 * i] = (struct pollfd){ all[i].ended ? -1 : all[i].from, POLLIN, 0 };
        pipe[2 * i + 1] = (struct pollfd){ all[i].out_at < all[i].out_end ? all[i].to : -1, POLLOUT, 0 };
    }
    poll(pipe, 2 * (nfds_t)count, left_ms > 0 ? (int)(left_ms < 1e6 ? left_ms + 1 : 1e6) : 0);
    for (int i = 0; i < count; i++) {
        if (pipe[2 * i].revents)
            read_some(&all[i]);
        if (pipe[2 * i + 1].revents)
            write_some(&all[i]);
    }
    free(pipe);
}

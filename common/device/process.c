/* process.c - fork, a group of its own, pipes that close on exec, and a guard in the group. */
#include "device/process.h"
#include "base/die.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Both ends behind stderr's number, also where stdin is closed, so that dup2 moves them; no other command gets
 * them. */
static void open_pipe(int end[2])
{
    int low[2];
    if (pipe(low))
        die("a device cannot be started: %s", strerror(errno));
    for (int i = 0; i < 2; i++) {
        end[i] = fcntl(low[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        close(low[i]);
        if (end[i] < 0)
            die("a device cannot be started: %s", strerror(errno));
    }
}

/* A shell with these for stdin and stdout (-1: none), in that group (0: one of its own). Between fork and exec stands
 * only what a program with threads may call. */
static pid_t start_shell(const char *script, pid_t group, int in, int out)
{
    pid_t child = fork();
    if (child < 0)
        die("a device cannot be started: %s", strerror(errno));
    if (child > 0) {
        setpgid(child, group); /* whichever of the two comes first */
        return child;
    }
    signal(SIGPIPE, SIG_DFL);
    if (setpgid(0, group) == 0 && dup2(in, STDIN_FILENO) >= 0 && (out < 0 || dup2(out, STDOUT_FILENO) >= 0)) {
        if (out < 0) { /* the guard holds nobody's pipe open */
            close(STDOUT_FILENO);
            close(STDERR_FILENO);
        }
        execl("/bin/sh", "sh", "-c", script, (char *)NULL);
    }
    _exit(127);
}

struct process process_start(const char *command, int worker)
{
    int in[2], out[2], life[2];
    char number[16];
    signal(SIGPIPE, SIG_IGN);
    snprintf(number, sizeof number, "%d", worker);
    setenv("WORKER", number, 1);
    open_pipe(in);
    open_pipe(out);
    open_pipe(life);
    struct process p = { .to = in[1], .from = out[0], .life = life[1] };
    p.guard = start_shell("trap '' HUP INT TERM; read gone; kill -TERM 0; sleep 1; kill -9 0", 0, life[0], -1);
    p.command = start_shell(command, p.guard, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    close(life[0]);
    return p;
}

/* Waits up to so many seconds. Returns whether it has ended. */
static bool ends(pid_t child, double seconds, int *status)
{
    pid_t ended;
    for (; (ended = waitpid(child, status, WNOHANG)) == 0 && seconds > 0; seconds -= 0.001)
        poll(NULL, 0, 1);
    return ended != 0;
}

void process_end(struct process *p, double patience_s, char how[PROCESS_HOW])
{
    int status = 0;
    close(p->to);
    bool by_itself = ends(p->command, patience_s, &status), ended = by_itself;
    if (!by_itself) {
        kill(-p->guard, SIGTERM);
        ended = ends(p->command, 1, &status);
        poll(NULL, 0, 100); /* it may have been no more than the shell of who cleans up */
    }
    kill(-p->guard, SIGKILL);
    waitpid(p->guard, NULL, 0);
    if (!ended)
        waitpid(p->command, NULL, 0);
    close(p->from);
    close(p->life);
    snprintf(how, PROCESS_HOW, !by_itself ? "killed" : WIFSIGNALED(status) ? "signal %d" : "exit status %d",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

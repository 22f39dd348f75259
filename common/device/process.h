/* process.h - a command that runs beside the program and cannot outlive it.
 *
 * It is in a process group with a guard, a shell that waits until the program is gone, by kill -9 too, and then ends
 * the group: by TERM, so that a command may remove its files, and at most a second later by KILL. What a command
 * starts is in its group; what leaves that (setsid, a daemon), or runs behind ssh on another machine, goes on. */
#ifndef PROCESS_H
#define PROCESS_H

#include <sys/types.h>

struct process {
    pid_t guard, command; /* the group's number is the guard's */
    int to, from, life;   /* the command's stdin and stdout; while `life` is open the guard waits */
};

/* Starts sh -c COMMAND with WORKER=worker in its environment; its stderr is the program's. From then on the program
 * ignores SIGPIPE. Dies if there is no room for another process. */
struct process process_start(const char *command, int worker);

/* Closes its stdin, waits up to so many seconds for its own end, ends the group as the guard does and waits for that.
 * how: "exit status 1", "signal 11", or "killed" if it did not end by itself. */
enum { PROCESS_HOW = 32 };
void process_end(struct process *process, double patience_s, char how[PROCESS_HOW]);

#endif

/* device_open.c - the one place that knows what kinds of device there are. */
#include "device/hypogpu.h"
#include "device/live.h"
#include "device/recorded.h"
#include "base/die.h"
#include "base/text.h"
#include "base/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Takes "FILE:COLUMN" apart, unless there is a file of the whole name. */
static void find_file(const char *name, char *path, const char **column)
{
    char *colon = access(path, F_OK) == 0 ? NULL : strrchr(path, ':');
    if (colon)
        *colon++ = 0;
    *column = colon;
    if (access(path, R_OK) != 0)
        die("device '%s': expected hypogpu, run:COMMAND or FILE[:COLUMN], several joined by commas; %s: %s", name, path,
            strerror(errno));
}

struct device *device_open(const char *name, const struct live_settings *settings)
{
    enum { MOST = 16 };
    const char *path[MOST], *column[MOST];
    int files = 0;
    if (!strcmp(name, "hypogpu"))
        return hypogpu_new(HYPOGPU_UNMODELLED);
    if (!strncmp(name, "run:", 4))
        return live_open(name + 4, settings ? *settings : (struct live_settings){ 0 });
    char *names = xformat("%s", name);
    for (char *next = names; next;) {
        if (files == MOST)
            die("device '%s': expected at most %d files", name, MOST);
        char *file = text_take_file(&next);
        path[files] = file;
        find_file(name, file, &column[files++]);
    }
    struct device *device = recorded_open(files, path, column);
    free(names);
    return device;
}

/* device_open.c - the one place that knows what kinds of device there are. */
#include "device/device_open.h"
#include "device/hypogpu.h"
#include "device/recorded.h"
#include "base/die.h"
#include "base/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct device *device_open(const char *name)
{
    if (!strcmp(name, "hypogpu"))
        return hypogpu_new(HYPOGPU_UNMODELLED);
    const char *colon = access(name, F_OK) == 0 ? NULL : strrchr(name, ':');
    char *path = xformat("%.*s", colon ? (int)(colon - name) : (int)strlen(name), name);
    if (access(path, R_OK) != 0)
        die("device '%s': expected hypogpu or FILE[:COLUMN]; %s: %s", name, path, strerror(errno));
    struct device *device = recorded_open(path, colon ? colon + 1 : NULL);
    free(path);
    return device;
}

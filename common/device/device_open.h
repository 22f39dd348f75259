/* device_open.h - a device by its name, as --device gives it. */
#ifndef DEVICE_OPEN_H
#define DEVICE_OPEN_H

#include "device/device.h"

/* "hypogpu", or FILE[:COLUMN] for a recording (recorded.h): a colon is part of the file's name if there is a file of
 * that whole name. Dies if it cannot be read. Free with device_close. */
struct device *device_open(const char *name);

#endif

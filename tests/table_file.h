/* table_file.h - a table in a file of its own for one test, and what a program says that refuses it. */
#ifndef TABLE_FILE_H
#define TABLE_FILE_H

#include "child.h"
#include <string.h>

struct table_file {
    char path[64];
};

/* A new file with these n bytes. */
static inline struct table_file table_file_of(const char *bytes, size_t n)
{
    struct table_file f = { "/tmp/table_XXXXXX" };
    int fd = mkstemp(f.path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!file || fwrite(bytes, 1, n, file) != n || fclose(file)) {
        perror(f.path);
        exit(1);
    }
    return f;
}

static inline void table_file_remove(struct table_file *f) { unlink(f->path); }

/* open(path) of a file with these bytes dies with one line: the path, then `place` at once, and `what` behind. */
static inline void table_file_refused(const char *bytes, size_t n, void (*open)(void *path), const char *place,
                                      const char *what)
{
    struct table_file file = table_file_of(bytes, n);
    char begins[200];
    snprintf(begins, sizeof begins, "%s%s", file.path, place);
    child_dies(open, file.path, begins, what);
    table_file_remove(&file);
}

#endif

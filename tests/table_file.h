/* table_file.h - a table in a file of its own for one test; the name is gone when the test has read it. */
#ifndef TABLE_FILE_H
#define TABLE_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static inline struct table_file table_file_new(const char *text) { return table_file_of(text, strlen(text)); }
static inline void table_file_remove(struct table_file *f) { unlink(f->path); }

/* The error names the file, and what follows the name begins with `place` and contains `what`. */
static inline int table_file_blamed(const struct table_file *f, const char *error, const char *place,
                                    const char *what)
{
    size_t n = strlen(f->path);
    int right = !strncmp(error, f->path, n) && !strncmp(error + n, place, strlen(place)) && strstr(error, what) &&
                !strchr(error, '\n');
    if (!right)
        fprintf(stderr, "error was: %s\nwanted: ...%s ... %s\n", error, place, what);
    return right;
}

#endif

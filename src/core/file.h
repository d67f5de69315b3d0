/* file.h - reading regular files, and replacing a file as a whole. Errors name the path. */
#ifndef CLARY_FILE_H
#define CLARY_FILE_H
#include "core/core.h"

typedef struct clary__reader {
    const char *path; /* borrowed */
    int fd;
    uint64_t size; /* of the file, when it was opened */
} clary__reader;

clary_status clary__reader_open(clary__reader *r, const char *path);
/* The next `bytes` bytes; CLARY_BAD_FORMAT if the file ends before. */
clary_status clary__reader_read(clary__reader *r, void *to, size_t bytes);
void clary__reader_close(clary__reader *r);

/* What is written goes to a new file beside `path`, which commit renames to `path`. A link is
 * followed; what is no regular file (a pipe, a terminal) is written to directly. */
typedef struct clary__writer {
    char *path, *temporary; /* temporary: NULL when writing directly */
    int fd;
} clary__writer;

clary_status clary__writer_open(clary__writer *w, const char *path);
clary_status clary__writer_write(clary__writer *w, const void *from, size_t bytes);
/* Ends the writing either way. abandon leaves `path` as it was. */
clary_status clary__writer_commit(clary__writer *w);
void clary__writer_abandon(clary__writer *w);

#endif

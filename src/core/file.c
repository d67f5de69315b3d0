/* file.c - see file.h. POSIX calls, because names of temporary files, modes and links need them. */
#define _FILE_OFFSET_BITS 64
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Some systems refuse to move 2^31 bytes or more in one call. */
#define CHUNK ((size_t)1 << 30)

static clary_status io_error(const char *what, const char *path) {
    const int code = errno;
    return clary__fail(CLARY_IO_ERROR, "cannot %s '%s': %s", what, path, strerror(code));
}

/* ---- reading ---- */

clary_status clary__reader_open(clary__reader *r, const char *path) {
    *r = (clary__reader){.path = path, .fd = -1};
    FAIL_IF(!path, CLARY_INVALID_ARGUMENT, "the path is NULL");
    /* Non-blocking, so that a pipe without a writer is refused below instead of waited for. */
    r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (r->fd < 0) return io_error("open", path);
    struct stat facts;
    if (fstat(r->fd, &facts)) {
        clary_status status = io_error("examine", path);
        clary__reader_close(r);
        return status;
    }
    if (!S_ISREG(facts.st_mode)) {
        clary__reader_close(r);
        return clary__fail(CLARY_IO_ERROR, "cannot read '%s': it is not a regular file", path);
    }
    r->size = (uint64_t)facts.st_size;
    return CLARY_OK;
}

clary_status clary__reader_read(clary__reader *r, void *to, size_t bytes) {
    char *at = to;
    while (bytes) {
        ssize_t got = read(r->fd, at, bytes < CHUNK ? bytes : CHUNK);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return io_error("read", r->path);
        FAIL_IF(!got, CLARY_BAD_FORMAT, "'%s' is truncated", r->path);
        at += got;
        bytes -= (size_t)got;
    }
    return CLARY_OK;
}

void clary__reader_close(clary__reader *r) {
    if (r->fd >= 0) close(r->fd);
    r->fd = -1;
}

/* ---- writing ---- */

/* Creates a file beside w->path under a name that nobody has. */
static clary_status create_temporary(clary__writer *w, mode_t mode) {
    static _Atomic unsigned serial;
    const size_t room = strlen(w->path) + 48;
    w->temporary = clary__malloc(room);
    FAIL_IF(!w->temporary, CLARY_OUT_OF_MEMORY, "no memory to write '%s'", w->path);
    for (int attempt = 0; attempt < 100; attempt++) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        snprintf(w->temporary, room, "%s.%ld-%lx-%x", w->path, (long)getpid(), (long)now.tv_nsec,
                 serial++);
        w->fd = open(w->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (w->fd >= 0) return CLARY_OK;
        if (errno != EEXIST) break;
    }
    clary_status status = io_error("create", w->path);
    clary__dealloc(w->temporary);
    w->temporary = NULL;
    return status;
}

clary_status clary__writer_open(clary__writer *w, const char *path) {
    *w = (clary__writer){.fd = -1};
    FAIL_IF(!path, CLARY_INVALID_ARGUMENT, "the path is NULL");
    struct stat facts;
    const bool exists = !stat(path, &facts);
    char *resolved = exists ? realpath(path, NULL) : NULL;
    w->path = clary__strdup(resolved ? resolved : path);
    free(resolved);
    FAIL_IF(!w->path, CLARY_OUT_OF_MEMORY, "no memory to write '%s'", path);

    clary_status status = CLARY_OK;
    if (exists && !S_ISREG(facts.st_mode)) {
        w->fd = open(w->path, O_WRONLY | O_CLOEXEC);
        if (w->fd < 0) status = io_error("open", path);
    } else {
        status = create_temporary(w, 0666);
        /* Keeping the mode is a courtesy; a file system without modes must not fail the save. */
        if (!status && exists) (void)fchmod(w->fd, facts.st_mode & 07777);
    }
    if (status) clary__writer_abandon(w);
    return status;
}

clary_status clary__writer_write(clary__writer *w, const void *from, size_t bytes) {
    const char *at = from;
    while (bytes) {
        ssize_t put = write(w->fd, at, bytes < CHUNK ? bytes : CHUNK);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return io_error("write", w->path);
        at += put;
        bytes -= (size_t)put;
    }
    return CLARY_OK;
}

clary_status clary__writer_commit(clary__writer *w) {
    clary_status status = CLARY_OK;
    const int fd = w->fd;
    w->fd = -1;
    if (close(fd) || (w->temporary && rename(w->temporary, w->path)))
        status = io_error("write", w->path);
    if (!status) {
        clary__dealloc(w->temporary);
        w->temporary = NULL;
    }
    clary__writer_abandon(w);
    return status;
}

void clary__writer_abandon(clary__writer *w) {
    if (w->fd >= 0) close(w->fd);
    if (w->temporary) unlink(w->temporary);
    clary__dealloc(w->temporary);
    clary__dealloc(w->path);
    *w = (clary__writer){.fd = -1};
}

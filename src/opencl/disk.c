/* disk.c - the disk cache of compiled programs.
 *
 * One file for an entry, named by the key's hash: a header (magic, version, sizes, checksum), the whole
 * key, the data. Everything is compared when it is read: a file that is cut, changed, swapped with another
 * or from another version is as good as absent. Files appear whole, by rename, so any number of processes
 * may share a directory. A directory that others can write to is not used: what it holds is run.
 */
#include "opencl/disk.h"
#include "core/file.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMAT_VERSION 1u
#define LARGEST ((uint64_t)1 << 28)

typedef struct header {
    char magic[8];
    uint32_t version, reserved;
    uint64_t key_bytes, data_bytes;
    uint64_t checksum; /* of key and data */
} header;

static const char magic[8] = {'C', 'L', 'A', 'R', 'Y', 'B', 'I', 'N'};

static uint64_t checksum(const void *key, size_t key_bytes, const void *data, size_t bytes) {
    return clary__hash(data, bytes, clary__hash(key, key_bytes, FORMAT_VERSION));
}

/* ---- the directory ---- */

/* Failing is found out afterwards, by whether the last one is there. */
static void make_directories(char *path) {
    for (char *at = path + 1;; at++) {
        if (*at != '/' && *at != '\0') continue;
        char kept = *at;
        *at = '\0';
        mkdir(path, 0700);
        *at = kept;
        if (!kept) return;
    }
}

bool clary__disk_on(void) {
    const char *off = clary__env("CLARY_CACHE");
    return !off || strcmp(off, "off") != 0;
}

/* "" if there is no usable directory. Looked up each time: a program may set the variables late, and a
 * lookup costs little beside a build. */
static void directory(clary__text *out) {
    const char *base;
    struct stat info;
    if (!clary__disk_on()) return;
    if ((base = clary__env("CLARY_CACHE_DIR")))
        clary__text_add(out, "%s", base);
    else if ((base = clary__env("XDG_CACHE_HOME")))
        clary__text_add(out, "%s/clary", base);
    else if ((base = clary__env("HOME")))
        clary__text_add(out, "%s/.cache/clary", base);
    if (!out->data || out->failed) return;
    const char *why = NULL;
    make_directories(out->data);
    if (stat(out->data, &info) != 0 || !S_ISDIR(info.st_mode))
        why = "cannot be made";
    else if (info.st_uid != geteuid() || info.st_mode & (S_IWGRP | S_IWOTH))
        why = "belongs to, or can be written by, others";
    if (!why) return;
    clary__log("cache", "%s %s; kernels are not kept", out->data, why);
    out->data[0] = '\0';
}

/* The entry's path; false if there is no cache. */
static bool entry_path(const void *key, size_t key_bytes, clary__text *path) {
    directory(path);
    if (!path->data || path->failed || !*path->data) return false;
    clary__text_add(path, "/%016llx.clbin", (unsigned long long)clary__hash(key, key_bytes, 0));
    return !path->failed;
}

/* ---- entries ---- */

static bool verified(const header *h, uint64_t file_size, size_t key_bytes) {
    return !memcmp(h->magic, magic, sizeof magic) && h->version == FORMAT_VERSION &&
           h->key_bytes == key_bytes && h->data_bytes < LARGEST &&
           file_size == sizeof *h + h->key_bytes + h->data_bytes;
}

static unsigned char *read_entry(clary__reader *r, const void *key, size_t key_bytes,
                                 size_t *bytes) {
    header h;
    if (clary__reader_read(r, &h, sizeof h) != CLARY_OK || !verified(&h, r->size, key_bytes))
        return NULL;
    unsigned char *block = clary__malloc(key_bytes + h.data_bytes + 1);
    if (!block) return NULL;
    unsigned char *data = block + key_bytes;
    if (clary__reader_read(r, block, key_bytes + h.data_bytes) != CLARY_OK ||
        memcmp(block, key, key_bytes) != 0 ||
        checksum(key, key_bytes, data, h.data_bytes) != h.checksum) {
        clary__dealloc(block);
        return NULL;
    }
    memmove(block, data, h.data_bytes);
    *bytes = h.data_bytes;
    return block;
}

bool clary__disk_load(const void *key, size_t key_bytes, unsigned char **data, size_t *bytes) {
    clary__text path = {0};
    clary__reader reader;
    *data = NULL;
    if (entry_path(key, key_bytes, &path) && access(path.data, R_OK) == 0 &&
        clary__reader_open(&reader, path.data) == CLARY_OK) {
        *data = read_entry(&reader, key, key_bytes, bytes);
        clary__reader_close(&reader);
        if (!*data) clary__log("cache", "%s does not verify and is ignored", path.data);
    }
    clary__text_free(&path);
    return *data != NULL;
}

void clary__disk_save(const void *key, size_t key_bytes, const void *data, size_t bytes) {
    clary__text path = {0};
    clary__writer writer;
    header h = {.version = FORMAT_VERSION,
                .key_bytes = key_bytes,
                .data_bytes = bytes,
                .checksum = checksum(key, key_bytes, data, bytes)};
    memcpy(h.magic, magic, sizeof magic);
    if (bytes < LARGEST && entry_path(key, key_bytes, &path) &&
        clary__writer_open(&writer, path.data) == CLARY_OK) {
        bool written = clary__writer_write(&writer, &h, sizeof h) == CLARY_OK &&
                       clary__writer_write(&writer, key, key_bytes) == CLARY_OK &&
                       clary__writer_write(&writer, data, bytes) == CLARY_OK;
        if (!written)
            clary__writer_abandon(&writer);
        else if (clary__writer_commit(&writer) != CLARY_OK)
            written = false;
        clary__log("cache", "%s %s", written ? "saved" : "cannot save", path.data);
    }
    clary__text_free(&path);
}

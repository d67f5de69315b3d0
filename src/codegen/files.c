/* files.c - the kernel library: the files of cl/, embedded, or from $CLARY_CL_DIR while working on them.
 * What was read once stays in memory; all under the engine lock. */
#include "codegen/codegen.h"
#include "codegen/embedded.h"
#include <stdio.h>
#include <string.h>

#define MAX_FILES 32

static char *read_all(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    clary__text text = {0};
    char piece[4096];
    size_t n;
    while ((n = fread(piece, 1, sizeof piece, file)) > 0)
        clary__text_add(&text, "%.*s", (int)n, piece);
    bool failed = ferror(file) || text.failed;
    fclose(file);
    if (!failed) return text.data;
    clary__text_free(&text);
    return NULL;
}

/* The file's text from the directory, read once; NULL if it is not there. */
static const char *from_directory(const char *directory, int slot, const char *name) {
    static char *texts[MAX_FILES];
    if (slot >= MAX_FILES || texts[slot]) return slot < MAX_FILES ? texts[slot] : NULL;
    clary__text path = {0};
    clary__text_add(&path, "%s/%s", directory, name);
    if (!path.failed) texts[slot] = read_all(path.data);
    clary__text_free(&path);
    return texts[slot];
}

const char *clary__cl_file(const char *name) {
    const char *directory = clary__env("CLARY_CL_DIR");
    for (int i = 0; clary__embedded_files[i].name; i++) {
        if (strcmp(clary__embedded_files[i].name, name)) continue;
        const char *text = directory ? from_directory(directory, i, name) : NULL;
        return text ? text : clary__embedded_files[i].text;
    }
    return NULL;
}

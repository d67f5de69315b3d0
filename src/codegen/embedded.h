/* embedded.h - the files of cl/, as strings: made at build time. Ends with a NULL name. */
#ifndef CLARY_EMBEDDED_H
#define CLARY_EMBEDDED_H
typedef struct clary__embedded_file {
    const char *name, *text;
} clary__embedded_file;
extern const clary__embedded_file clary__embedded_files[];
#endif

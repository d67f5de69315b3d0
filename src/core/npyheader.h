/* npyheader.h - the header of a .npy file, from and to a block of memory.
 *
 * Knows no files and no arrays, so that it can be tested and fuzzed alone. A .npy file is: the
 * magic
 * "\x93NUMPY", two version bytes, the little-endian length of the text (2 bytes in version 1, else
 * 4), the text (a Python dictionary literal, padded), the elements.
 */
#ifndef CLARY_NPYHEADER_H
#define CLARY_NPYHEADER_H
#include "core/core.h"

#define CLARY__NPY_PREFIX 12        /* bytes that tell the size of any header */
#define CLARY__NPY_TEXT_LIMIT 65536 /* longest text read; an array's needs less than 1000 */
#define CLARY__NPY_WRITE_MAX 1024   /* longest header written */

typedef struct clary__npy_header {
    clary_dtype dtype; /* bfloat16 if `raw` */
    bool raw;          /* two bytes of unstated meaning, as which bfloat16 is stored */
    bool swapped;      /* the other byte order */
    bool fortran;      /* first axis fastest */
    int ndim;
    int64_t shape[CLARY_MAX_NDIM];
    size_t header_bytes; /* where the elements begin */
    uint64_t data_bytes; /* their length, at most INT64_MAX */
} clary__npy_header;

/* From the first CLARY__NPY_PREFIX bytes: how long the whole header is. CLARY_BAD_FORMAT if these
 * are not the start of a .npy file of a known version, or if the length is past the limit. */
clary_status clary__npy_header_size(const void *prefix, size_t *header_bytes);

/* Parses the header at the start of `block`; reads no byte past `bytes`. Whatever is not exactly a
 * header of an array that Clary can hold is CLARY_BAD_FORMAT. */
clary_status clary__npy_parse(const void *block, size_t bytes, clary__npy_header *out);

/* Writes the version 1 header of a C-ordered array in this machine's byte order; its size is a
 * multiple of 64. Returns the size. */
size_t clary__npy_write(clary_dtype dtype, int ndim, const int64_t *shape,
                        char buffer[CLARY__NPY_WRITE_MAX]);

#endif

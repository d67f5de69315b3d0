/* npy.h - one array in the .npy format, from and to any stream of bytes: a file, or a member of an
 * .npz. */
#ifndef CLARY_NPY_H
#define CLARY_NPY_H
#include "clary/io.h"
#include "core/npyheader.h"

/* Bytes in order. `read` gives exactly `bytes` bytes or fails. */
typedef struct clary__source {
    clary_status (*read)(void *state, void *to, size_t bytes);
    void *state;
    uint64_t size; /* of the whole stream */
    bool exact;    /* whether bytes after the array are an error */
} clary__source;

/* `dtype` is what the elements must be; CLARY_DTYPE_COUNT for whatever they are. */
clary_status clary__npy_load(clary_device *device, const clary__source *source, clary_dtype dtype,
                             clary_array **out);

/* An array's file image in two pieces. `data` is to be freed with clary__dealloc. */
typedef struct clary__npy_image {
    char header[CLARY__NPY_WRITE_MAX];
    size_t header_bytes, data_bytes;
    void *data;
} clary__npy_image;

/* Computes the array and fetches its elements. */
clary_status clary__npy_image_make(clary_array *a, clary__npy_image *out);

#endif

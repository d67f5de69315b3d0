/* npy.c - loading and saving NumPy's .npy files.
 *
 * The elements are read into one block of host memory, put into this machine's byte order there,
 * and handed to clary_from_host, which understands Fortran order as strides. Nothing is allocated
 * on the word of a header alone: the stream must be long enough first. The file is read, not
 * mapped: one that is cut short meanwhile gives an error, not a signal.
 */
#include "op/npy.h"

#include "core/file.h"

#include <inttypes.h>
#include <string.h>

/* ---- loading ---- */

static clary_status read_header(const clary__source *source, clary__npy_header *h) {
    uint8_t prefix[CLARY__NPY_PREFIX];
    size_t bytes;
    FAIL_IF(source->size < sizeof prefix, CLARY_BAD_FORMAT,
            "not a .npy file: %" PRIu64 " bytes are too few", source->size);
    TRY(source->read(source->state, prefix, sizeof prefix));
    TRY(clary__npy_header_size(prefix, &bytes));
    FAIL_IF(bytes > source->size || bytes < sizeof prefix, CLARY_BAD_FORMAT,
            "the .npy header claims %zu bytes where %" PRIu64 " are", bytes, source->size);
    uint8_t *block = clary__malloc(bytes);
    FAIL_IF(!block, CLARY_OUT_OF_MEMORY, "no memory for a .npy header of %zu bytes", bytes);
    memcpy(block, prefix, sizeof prefix);
    clary_status status = source->read(source->state, block + sizeof prefix, bytes - sizeof prefix);
    if (!status) status = clary__npy_parse(block, bytes, h);
    clary__dealloc(block);
    return status;
}

static clary_status check(const clary__source *source, const clary__npy_header *h,
                          clary_dtype dtype) {
    char shape[CLARY__SHAPE_TEXT];
    const uint64_t there = source->size - h->header_bytes;
    FAIL_IF(h->data_bytes > there || (source->exact && h->data_bytes < there), CLARY_BAD_FORMAT,
            "%s of shape %s needs %" PRIu64 " bytes, but %" PRIu64 " follow the header",
            clary_dtype_name(h->dtype), clary__shape_text(h->ndim, h->shape, shape), h->data_bytes,
            there);
    FAIL_IF(h->data_bytes > SIZE_MAX / 2, CLARY_OUT_OF_MEMORY,
            "%" PRIu64 " bytes do not fit in memory", h->data_bytes);
    FAIL_IF(
        h->raw && dtype == CLARY_DTYPE_COUNT, CLARY_BAD_FORMAT,
        "the elements are raw two-byte values ('V2'); if they are bfloat16, ask for that dtype");
    FAIL_IF(dtype != CLARY_DTYPE_COUNT && dtype != h->dtype, CLARY_DTYPE_MISMATCH,
            "the elements are %s, not %s",
            h->raw ? "raw two-byte values ('V2')" : clary_dtype_name(h->dtype),
            clary_dtype_name(dtype));
    return CLARY_OK;
}

static void swap_bytes(void *data, size_t bytes, size_t item) {
    switch (item) {
    case 2:
        for (uint16_t *p = data, *end = p + bytes / 2; p < end; p++) *p = __builtin_bswap16(*p);
        break;
    case 4:
        for (uint32_t *p = data, *end = p + bytes / 4; p < end; p++) *p = __builtin_bswap32(*p);
        break;
    case 8:
        for (uint64_t *p = data, *end = p + bytes / 8; p < end; p++) *p = __builtin_bswap64(*p);
        break;
    default: break;
    }
}

/* Makes the bytes of the file what a kernel may rely on: native order, and booleans that are 0
 * or 1. */
static void normalise(void *data, const clary__npy_header *h) {
    const size_t bytes = (size_t)h->data_bytes;
    if (h->swapped) swap_bytes(data, bytes, clary_dtype_size(clary__real_of(h->dtype)));
    if (h->dtype == CLARY_BOOL) {
        for (uint8_t *p = data, *end = p + bytes; p < end; p++) *p = *p != 0;
    }
}

clary_status clary__npy_load(clary_device *device, const clary__source *source, clary_dtype dtype,
                             clary_array **out) {
    clary__npy_header h;
    TRY(read_header(source, &h));
    TRY(check(source, &h, dtype));
    void *data = clary__malloc((size_t)h.data_bytes);
    FAIL_IF(!data, CLARY_OUT_OF_MEMORY, "no host memory for %" PRIu64 " bytes", h.data_bytes);
    clary_status status = source->read(source->state, data, (size_t)h.data_bytes);
    if (!status) {
        normalise(data, &h);
        int64_t strides[CLARY_MAX_NDIM], step = (int64_t)clary_dtype_size(h.dtype);
        for (int k = 0; k < h.ndim; k++) { /* first axis fastest; used for Fortran order only */
            strides[k] = step;
            step *= h.shape[k] ? h.shape[k] : 1;
        }
        status = clary_from_host(device, h.dtype, h.ndim, h.shape, h.fortran ? strides : NULL, data,
                                 out);
    }
    clary__dealloc(data);
    return status;
}

static clary_status read_file(void *state, void *to, size_t bytes) {
    return clary__reader_read(state, to, bytes);
}

static clary_status load_file(clary_device *device, const char *path, clary_dtype dtype,
                              clary_array **out) {
    FAIL_IF(!out, CLARY_INVALID_ARGUMENT, "load_npy: out is NULL");
    *out = NULL;
    clary__reader reader;
    clary_status status = clary__reader_open(&reader, path);
    if (status) return clary__fail_in(status, "load_npy");
    clary__source source = {.read = read_file, .state = &reader, .size = reader.size};
    status = clary__npy_load(device, &source, dtype, out);
    clary__reader_close(&reader);
    return status ? clary__fail_in(status, "load_npy('%s')", path) : CLARY_OK;
}

clary_status clary_load_npy(clary_device *device, const char *path, clary_array **out) {
    return load_file(device, path, CLARY_DTYPE_COUNT, out);
}

clary_status clary_load_npy_as(clary_device *device, const char *path, clary_dtype dtype,
                               clary_array **out) {
    if (out) *out = NULL;
    FAIL_IF(!clary_dtype_size(dtype), CLARY_INVALID_ARGUMENT, "load_npy_as: unknown dtype %d",
            (int)dtype);
    return load_file(device, path, dtype, out);
}

/* ---- saving ---- */

clary_status clary__npy_image_make(clary_array *a, clary__npy_image *out) {
    const clary_dtype dtype = clary_array_dtype(a);
    *out = (clary__npy_image){.data_bytes = (size_t)clary_array_size(a) * clary_dtype_size(dtype)};
    out->header_bytes =
        clary__npy_write(dtype, clary_array_ndim(a), clary_array_shape(a), out->header);
    out->data = clary__malloc(out->data_bytes);
    FAIL_IF(!out->data, CLARY_OUT_OF_MEMORY, "no host memory for %zu bytes", out->data_bytes);
    clary_status status = clary_to_host(a, out->data, out->data_bytes);
    if (status) {
        clary__dealloc(out->data);
        out->data = NULL;
    }
    return status;
}

clary_status clary_save_npy(const char *path, clary_array *a) {
    FAIL_IF(!a, CLARY_INVALID_ARGUMENT, "save_npy: the array is NULL");
    clary__npy_image image;
    clary__writer writer;
    clary_status status = clary__npy_image_make(a, &image);
    if (!status) status = clary__writer_open(&writer, path);
    if (!status) {
        status = clary__writer_write(&writer, image.header, image.header_bytes);
        if (!status) status = clary__writer_write(&writer, image.data, image.data_bytes);
        if (!status) {
            status = clary__writer_commit(&writer);
        } else {
            clary__writer_abandon(&writer);
        }
    }
    clary__dealloc(image.data);
    return status ? clary__fail_in(status, "save_npy") : CLARY_OK;
}

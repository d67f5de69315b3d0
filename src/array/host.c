/* host.c - from the device to the host, between devices, and evaluation on request. */
#include "array/array.h"
#include "clary/engine.h"
#include <string.h>

/* The buffer that holds a's elements in C order from *first on (new reference on *owner). */
static clary_status evaluated(clary_array *a, clary__value **owner, int64_t *first) {
    clary_status status;
    if (a->part || !clary_array_is_contiguous(a)) {
        *first = 0;
        TRY(clary__array_value(a, owner));
    } else {
        *first = a->offset;
        *owner = clary__value_retain(a->storage->current);
    }
    status = clary__evaluate(owner, 1);
    if (status != CLARY_OK) clary__value_release(*owner);
    return status;
}

clary_status clary_to_host(clary_array *a, void *data, size_t bytes) {
    clary__value *v;
    int64_t first;
    size_t item = clary_dtype_size((clary_dtype)a->dtype);
    FAIL_IF(bytes != item * (size_t)a->size, CLARY_INVALID_ARGUMENT,
            "to_host: %zu bytes given, %zu needed", bytes, item * (size_t)a->size);
    if (bytes == 0) return CLARY_OK;
    FAIL_IF(!data, CLARY_INVALID_ARGUMENT, "to_host: data is NULL");
    clary__lock();
    clary_status status = evaluated(a, &v, &first);
    if (status == CLARY_OK) {
        clary_device *device = v->device;
        status = device->backend->download(device, v->buffer, (size_t)first * item, data, bytes);
        clary__value_release(v);
    }
    clary__unlock();
    return status;
}

clary_status clary_item(clary_array *a, clary_scalar *out) {
    unsigned char element[16];
    char text[CLARY__SHAPE_TEXT];
    FAIL_IF(a->size != 1, CLARY_INVALID_ARGUMENT,
            "item: an array of shape %s has no single element",
            clary__shape_text(a->ndim, a->geometry, text));
    TRY(clary_to_host(a, element, clary_dtype_size((clary_dtype)a->dtype)));
    *out = clary__scalar_load(element, (clary_dtype)a->dtype);
    return CLARY_OK;
}

clary_status clary_to_device(clary_array *a, clary_device *device, clary_array **out) {
    *out = NULL;
    TRY(clary__device_or_default(device, &device));
    if (device == clary__device_of(a)) {
        *out = clary_retain(a);
        return CLARY_OK;
    }
    size_t bytes = clary_dtype_size((clary_dtype)a->dtype) * (size_t)a->size;
    void *staging = clary__malloc(bytes ? bytes : 1);
    FAIL_IF(!staging, CLARY_OUT_OF_MEMORY, "to_device: no host memory for %zu bytes", bytes);
    clary_status status = clary_to_host(a, staging, bytes);
    if (status == CLARY_OK)
        status = clary_from_host(device, (clary_dtype)a->dtype, a->ndim, a->geometry, NULL, staging,
                                 out);
    clary__dealloc(staging);
    return status;
}

clary_status clary_eval(clary_array *const *arrays, int count) {
    clary_status status = CLARY_OK;
    clary__lock();
    /* In pieces, so that no allocation is needed; arrays beyond a piece share no kernel. */
    for (int i = 0; i < count && status == CLARY_OK;) {
        clary__value *values[64];
        int n = 0;
        for (; i < count && n < 64; i++)
            values[n++] = clary__value_retain(arrays[i]->storage->current);
        status = clary__evaluate(values, n);
        for (int k = 0; k < n; k++) clary__value_release(values[k]);
    }
    clary__unlock();
    return status;
}

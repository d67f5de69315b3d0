/* array.h - arrays: windows on storages. The NumPy side of the border (see DESIGN in
 * docs/architecture.md).
 *
 * A storage is a cell that holds the current value of `size` elements; an array is a layout on a
 * storage. Reading takes the current value (seen through the layout); writing makes an UPDATE value
 * and stores that. So views alias, while values never change.
 */
#ifndef CLARY_ARRAY_INTERNAL_H
#define CLARY_ARRAY_INTERNAL_H
#include "clary/array.h"
#include "graph/value.h"

typedef struct clary__storage {
    atomic_int refs;
    clary__value *current; /* changes under the engine lock */
    bool read_only;
    bool lent; /* the memory is foreign code's: shared for ever */
    int pins;  /* who else sees the memory now: share.h; under the lock */
    struct clary__storage
        *owner; /* of the memory, pinned, when this is another view of its bytes */
} clary__storage;

struct clary_array {
    atomic_int refs;
    uint8_t dtype, ndim;
    bool weak, read_only, view;
    bool part;  /* floats that are the real or imaginary parts of the storage's complex numbers */
    bool whole; /* C order, offset 0, as many elements as the storage: elements are the value's */
    clary__storage *storage;
    int64_t size, offset;
    int64_t geometry[]; /* shape[ndim], strides[ndim] */
};

static inline const int64_t *clary__array_strides(const clary_array *a) {
    return a->geometry + a->ndim;
}

/* A new array on a new storage that holds `value` (whose reference is taken over, also on failure).
 */
clary_status clary__array_of(clary__value *value, clary_array **out);
/* The same with another shape of the same size (keepdims, reshape). */
clary_status clary__array_of_shape(clary__value *value, int ndim, const int64_t *shape,
                                   clary_array **out);
/* A view of a's storage. */
clary_status clary__array_view(clary_array *a, const clary__layout *layout, clary_array **out);
/* a[items] of integers, slices, ellipsis and new axes. */
clary_status clary__view(clary_array *a, int count, const clary_index *items, clary_array **out);
/* A window on a's storage whose elements are of another dtype: the parts of complex numbers. */
clary_status clary__array_window(clary_array *a, clary_dtype dtype, const clary__layout *layout,
                                 clary_array **out);
void clary__array_layout(const clary_array *a, clary__layout *out);

/* The value of a's elements now, in C order of a's shape (new reference). Its size is a's; its
 * shape is a's too, or that of the whole storage. */
clary_status clary__array_value(clary_array *a, clary__value **out);
/* The value of a's whole storage (new reference), and a's layout on its elements. Parts of complex numbers
 * are a value of their own. */
clary_status clary__array_window_value(clary_array *a, clary__value **out, clary__layout *layout);
/* The same stretched to a shape a broadcasts to; an array of one element stays as it is. */
clary_status clary__array_broadcast(clary_array *a, int ndim, const int64_t *shape,
                                    clary__value **out);
/* The same, with exactly a's shape (reductions and scans need it). */
clary_status clary__array_shaped_value(clary_array *a, clary__value **out);

/* The value of a weak array in the dtype it takes here; CLARY_OVERFLOW, in the name of `what`, for an
 * integer that does not fit. */
clary_status clary__weak_value(const char *what, const clary_array *a, clary_device *device,
                               clary_dtype dtype, clary__value **out);
/* Weak scalars on the device of an array. */
clary_status clary__weak_float(const clary_array *like, double x, clary_array **out);
clary_status clary__weak_int(const clary_array *like, int64_t i, clary_array **out);
/* start + i * step for i in 0..count-1, computed in dtype `in`, as an array of dtype `dtype`. */
clary_status clary__ramp(clary_device *device, clary_dtype in, clary_dtype dtype, int64_t count,
                         clary_scalar start, clary_scalar step, clary_array **out);

/* storage[layout] = value: value has the layout's size, or one element, and the storage's dtype. */
clary_status clary__array_write(clary_array *a, clary__value *value);

/* Normalises an axis; CLARY_AXIS_OUT_OF_RANGE names `what`. */
clary_status clary__axis(const char *what, int axis, int ndim, int *out);
/* A bit per axis; naxes 0 with NULL: all. Duplicates are refused. */
clary_status clary__axes_mask(const char *what, int naxes, const int *axes, int ndim,
                              uint32_t *out);
/* Checks ndim, extents >= 0 and that the size in elements and bytes fits 63 bits. */
clary_status clary__check_shape(const char *what, clary_dtype dtype, int ndim,
                                const int64_t *shape);
/* All on one device? */
clary_status clary__same_device(const char *what, clary_array *const *arrays, int count);

static inline clary_device *clary__device_of(const clary_array *a) {
    return a->storage->current->device;
}

#endif

/* clary/array.h - N-dimensional arrays: making them, looking at them, viewing, assigning.
 *
 * An array is a window (offset, shape, strides) on a storage, as in NumPy: views share the storage and
 * see each other's writes. Inputs are borrowed. An `out` parameter is set to NULL first and receives a
 * new reference on success; release it with clary_release. Shapes are given as (ndim, shape) with
 * 0 <= ndim <= CLARY_MAX_NDIM. Axes may be negative. All arrays of one operation live on one device.
 */
#ifndef CLARY_ARRAY_H
#define CLARY_ARRAY_H
#include "device.h"
#include "dtype.h"
CLARY_BEGIN

#define CLARY_MAX_NDIM 32

typedef struct clary_array clary_array;

/* ---- references and facts ---- */
CLARY_API clary_array *clary_retain(clary_array *a); /* a new reference to the same array */
CLARY_API void clary_release(clary_array **a);       /* takes NULL; nulls the handle */
CLARY_API clary_dtype clary_array_dtype(const clary_array *a);
CLARY_API int clary_array_ndim(const clary_array *a);
CLARY_API const int64_t *clary_array_shape(const clary_array *a);   /* ndim numbers */
CLARY_API const int64_t *clary_array_strides(const clary_array *a); /* ndim numbers, in ELEMENTS */
CLARY_API int64_t clary_array_offset(const clary_array *a); /* elements from the storage's start */
CLARY_API int64_t clary_array_size(const clary_array *a);   /* number of elements */
CLARY_API clary_device *clary_array_device(const clary_array *a); /* borrowed */
CLARY_API bool clary_array_is_contiguous(const clary_array *a);   /* C order, no gaps */
CLARY_API bool clary_array_is_weak(const clary_array *a);         /* made by clary_scalar_array */
CLARY_API bool clary_array_is_writable(const clary_array *a);     /* broadcast views are not */
CLARY_API bool clary_array_shares_storage(const clary_array *a, const clary_array *b);
CLARY_API bool clary_array_is_view(const clary_array *a); /* made from another array's storage */
/* The whole storage that `a` is a window on, as an array of its own. */
CLARY_API clary_status clary_base(clary_array *a, clary_array **out);
/* Forbids or allows assigning through this array. CLARY_READ_ONLY if it may not be allowed: elements
 * that overlap in a broadcast view, or memory that its owner lent for reading. */
CLARY_API clary_status clary_set_writable(clary_array *a, bool writable);

/* ---- creation; device NULL means the default device ---- */
CLARY_API clary_status clary_empty(clary_device *device, clary_dtype dtype, int ndim,
                                   const int64_t *shape, clary_array **out);
CLARY_API clary_status clary_full(clary_device *device, clary_dtype dtype, int ndim,
                                  const int64_t *shape, clary_scalar value, clary_array **out);
CLARY_API clary_status clary_zeros(clary_device *device, clary_dtype dtype, int ndim,
                                   const int64_t *shape, clary_array **out);
CLARY_API clary_status clary_ones(clary_device *device, clary_dtype dtype, int ndim,
                                  const int64_t *shape, clary_array **out);
/* numpy.arange: ceil((stop - start) / step) elements start + i * step. Integer dtypes use i exactly
 * when the three are integers. NaN or an infinite length: CLARY_INVALID_ARGUMENT. */
CLARY_API clary_status clary_arange(clary_device *device, clary_dtype dtype, clary_scalar start,
                                    clary_scalar stop, clary_scalar step, clary_array **out);
/* numpy.linspace for a real range; num >= 0. */
CLARY_API clary_status clary_linspace(clary_device *device, clary_dtype dtype, double start,
                                      double stop, int64_t num, bool endpoint, clary_array **out);
/* numpy.eye: rows x cols, ones on diagonal k. */
CLARY_API clary_status clary_eye(clary_device *device, clary_dtype dtype, int64_t rows,
                                 int64_t cols, int64_t k, clary_array **out);
/* A 0-d array holding a weak scalar (see dtype.h): what `a + 2` uses for 2. */
CLARY_API clary_status clary_scalar_array(clary_device *device, clary_scalar value,
                                          clary_array **out);
/* Copies host memory. byte_strides NULL means C order; else ndim strides in BYTES, any sign. */
CLARY_API clary_status clary_from_host(clary_device *device, clary_dtype dtype, int ndim,
                                       const int64_t *shape, const int64_t *byte_strides,
                                       const void *data, clary_array **out);

/* ---- to the host; these compute what is pending and wait for it ---- */
/* Writes all elements in C order; `bytes` must be size * itemsize. */
CLARY_API clary_status clary_to_host(clary_array *a, void *data, size_t bytes);
/* The element of a size-1 array. */
CLARY_API clary_status clary_item(clary_array *a, clary_scalar *out);

/* ---- views: no data moves ---- */
typedef enum clary_index_kind {
    CLARY_INDEX_INTEGER, /* start */
    CLARY_INDEX_SLICE,   /* start:stop:step, each optional */
    CLARY_INDEX_ELLIPSIS,
    CLARY_INDEX_NEWAXIS,
    CLARY_INDEX_ARRAY /* array: integers or booleans */
} clary_index_kind;

typedef struct clary_index {
    clary_index_kind kind;
    bool has_start, has_stop;
    int64_t start, stop, step; /* step 0 in a slice: CLARY_INVALID_ARGUMENT */
    clary_array *array;
} clary_index; /* what clary_get and clary_set (index.h) take */

/* Permutes axes; axes NULL reverses them. */
CLARY_API clary_status clary_transpose(clary_array *a, const int *axes, clary_array **out);
CLARY_API clary_status clary_swapaxes(clary_array *a, int axis1, int axis2, clary_array **out);
CLARY_API clary_status clary_moveaxis(clary_array *a, int count, const int *source,
                                      const int *destination, clary_array **out);
/* One extent may be -1. A view where strides allow it, else a copy. */
CLARY_API clary_status clary_reshape(clary_array *a, int ndim, const int64_t *shape,
                                     clary_array **out);
/* As clary_reshape, but CLARY_SHAPE_MISMATCH where a copy would be needed. */
CLARY_API clary_status clary_reshape_view(clary_array *a, int ndim, const int64_t *shape,
                                          clary_array **out);
/* Read-only view with stride 0 along stretched axes. */
CLARY_API clary_status clary_broadcast_to(clary_array *a, int ndim, const int64_t *shape,
                                          clary_array **out);
CLARY_API clary_status clary_expand_dims(clary_array *a, int count, const int *axes,
                                         clary_array **out);
/* axes NULL: every axis of extent 1. */
CLARY_API clary_status clary_squeeze(clary_array *a, int count, const int *axes, clary_array **out);
/* axes NULL: every axis. */
CLARY_API clary_status clary_flip(clary_array *a, int count, const int *axes, clary_array **out);
CLARY_API clary_status clary_diagonal(clary_array *a, int64_t k, int axis1, int axis2,
                                      clary_array **out);
/* Read-only view of every run of `length` neighbours along an axis; a run lies along a new last axis. */
CLARY_API clary_status clary_sliding_window(clary_array *a, int axis, int64_t length,
                                            clary_array **out);
/* The view of any shape, with any steps between elements, that starts at a's first element.
 * CLARY_INVALID_ARGUMENT if it reaches beyond the memory of the array. Elements that overlap make it read-only. */
CLARY_API clary_status clary_as_strided(clary_array *a, int ndim, const int64_t *shape,
                                        const int64_t *strides, clary_array **out);
/* numpy's view(dtype): the same bytes as elements of another dtype. The last axis must be contiguous if the
 * sizes differ. While such a view lives, the memory is shared: operations on either array are not deferred
 * (interop.h says what that means). CLARY_UNSUPPORTED if elements would not be aligned. */
CLARY_API clary_status clary_view(clary_array *a, clary_dtype dtype, clary_array **out);
/* The real or imaginary parts of a complex array, as a view. Reading it is deferred as usual; writing
 * computes the array. */
CLARY_API clary_status clary_part(clary_array *a, bool imaginary, clary_array **out);

/* ---- copies and writes ---- */
CLARY_API clary_status clary_copy(clary_array *a, clary_array **out);
/* numpy's astype: always a new array. CLARY_DTYPE_MISMATCH if the rule forbids it.
 * Float to integer: truncates; NaN gives 0 and out-of-range values saturate, on every device. */
CLARY_API clary_status clary_astype(clary_array *a, clary_dtype dtype, clary_casting rule,
                                    clary_array **out);
/* dst[...] = src, broadcast, cast by CLARY_CAST_UNSAFE. Overlap behaves as if src was copied first. */
CLARY_API clary_status clary_assign(clary_array *dst, clary_array *src);
/* The same array on another device (through the host); device NULL: the default device. */
CLARY_API clary_status clary_to_device(clary_array *a, clary_device *device, clary_array **out);

CLARY_END
#endif

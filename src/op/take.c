/* take.c - reading and writing along one axis by an index array: numpy.take, put and the *_along_axis. */
#include "clary/index.h"
#include "graph/group.h"
#include "op/position.h"
#include <string.h>

/* Indices made valid by the mode; *known tells whether they need no check. */
static clary_array *by_mode(clary__expression *e, const char *what, clary_array *indices,
                            int64_t extent, clary_index_mode mode, bool *known) {
    clary_array *index = clary__as_index(e, what, indices);
    *known = mode != CLARY_MODE_RAISE;
    if (mode == CLARY_MODE_WRAP)
        return clary__op2(e, CLARY_OP_remainder, index, clary__integer(e, indices, extent));
    if (mode == CLARY_MODE_CLIP) {
        index = clary__op2(e, CLARY_OP_maximum, index, clary__integer(e, indices, 0));
        return clary__op2(e, CLARY_OP_minimum, index, clary__integer(e, indices, extent - 1));
    }
    return index;
}

static clary_status check_extent(const char *what, int64_t extent, const clary_array *indices) {
    FAIL_IF(extent == 0 && indices->size > 0, CLARY_INDEX_OUT_OF_RANGE,
            "%s: cannot take elements from an empty axis", what);
    return CLARY_OK;
}

clary_status clary_take(clary_array *a, clary_array *indices, int axis, clary_index_mode mode,
                        clary_array **out) {
    clary__expression e = {0};
    clary__layout l = {.ndim = 0, .offset = a->offset};
    int64_t placed[2 * CLARY_MAX_NDIM];
    bool known;
    clary_array *pair[2] = {a, indices};
    *out = NULL;
    TRY(clary__axis("take", axis, a->ndim, &axis));
    TRY(clary__same_device("take", pair, 2));
    TRY(check_extent("take", a->geometry[axis], indices));
    FAIL_IF(a->ndim - 1 + indices->ndim > CLARY_MAX_NDIM, CLARY_INVALID_ARGUMENT,
            "take: the result would have more than %d dimensions", CLARY_MAX_NDIM);
    for (int d = 0; d < a->ndim; d++) {
        for (int k = 0; d == axis && k < indices->ndim; k++) {
            l.shape[l.ndim] = indices->geometry[k];
            l.strides[l.ndim++] = 0;
        }
        if (d == axis) continue;
        l.shape[l.ndim] = a->geometry[d];
        l.strides[l.ndim++] = clary__array_strides(a)[d];
    }
    clary_array *index = by_mode(&e, "take", indices, a->geometry[axis], mode, &known);
    if (!index) return clary__end(&e);
    if (clary__size_of(l.ndim, l.shape) == 0) {
        clary__end(&e);
        return clary_empty(clary__device_of(a), (clary_dtype)a->dtype, l.ndim, l.shape, out);
    }
    int ndim = index->ndim;
    memcpy(placed, index->geometry, (size_t)ndim * sizeof *placed);
    for (int d = axis + 1; d < a->ndim; d++) placed[ndim++] = 1;
    index = CLARY__MAKE(&e, clary_reshape(index, ndim, placed, made));
    clary__indexed indexed = {index, a->geometry[axis], clary__array_strides(a)[axis], axis, known};
    clary_array *at = clary__positions(&e, "take", a, &l, 1, &indexed, false);
    return clary__result(&e, clary__gather(&e, a, at), out);
}

/* The layout of a's other axes under a result of the shape that both broadcast to. */
static clary_status along_layout(const char *what, clary_array *a, clary_array *indices, int *axis,
                                 clary__layout *l) {
    char first[CLARY__SHAPE_TEXT], second[CLARY__SHAPE_TEXT];
    clary_array *pair[2] = {a, indices};
    TRY(clary__axis(what, *axis, a->ndim, axis));
    TRY(clary__same_device(what, pair, 2));
    bool fits = indices->ndim == a->ndim;
    l->ndim = a->ndim;
    l->offset = a->offset;
    for (int d = 0; d < a->ndim && fits; d++) {
        int64_t n = a->geometry[d], k = indices->geometry[d];
        bool stretched = d == *axis || n == 1;
        fits = stretched || k == 1 || k == n;
        l->shape[d] = stretched ? k : n;
        l->strides[d] = stretched ? 0 : clary__array_strides(a)[d];
    }
    FAIL_IF(!fits, CLARY_SHAPE_MISMATCH,
            "%s: indices of shape %s do not fit an array of shape %s along axis %d", what,
            clary__shape_text(indices->ndim, indices->geometry, first),
            clary__shape_text(a->ndim, a->geometry, second), *axis);
    if (clary__size_of(l->ndim, l->shape) > 0) TRY(check_extent(what, a->geometry[*axis], indices));
    return CLARY_OK;
}

clary_status clary_take_along_axis(clary_array *a, clary_array *indices, int axis,
                                   clary_array **out) {
    static const char what[] = "take_along_axis";
    clary__expression e = {0};
    clary__layout l;
    *out = NULL;
    TRY(along_layout(what, a, indices, &axis, &l));
    if (clary__size_of(l.ndim, l.shape) == 0)
        return clary_empty(clary__device_of(a), (clary_dtype)a->dtype, l.ndim, l.shape, out);
    clary__indexed indexed = {indices, a->geometry[axis], clary__array_strides(a)[axis], axis,
                              false};
    clary_array *at = clary__positions(&e, what, a, &l, 1, &indexed, false);
    return clary__result(&e, clary__gather(&e, a, at), out);
}

clary_status clary_put_along_axis(clary_array *a, clary_array *indices, clary_array *values,
                                  int axis) {
    static const char what[] = "put_along_axis";
    clary__expression e = {0};
    clary__layout l;
    FAIL_IF(a->read_only, CLARY_READ_ONLY, "%s: the array is read-only", what);
    TRY(along_layout(what, a, indices, &axis, &l));
    if (clary__size_of(l.ndim, l.shape) == 0) return CLARY_OK;
    clary__indexed indexed = {indices, a->geometry[axis], clary__array_strides(a)[axis], axis,
                              false};
    clary_array *at = clary__positions(&e, what, a, &l, 1, &indexed, true);
    clary_array *source = CLARY__MAKE(&e, clary_broadcast_to(values, l.ndim, l.shape, made));
    source = source ? clary__cast(&e, source, (clary_dtype)a->dtype) : NULL;
    if (at && source) e.status = clary__scatter_to(CLARY__PUT, false, a, at, source);
    return clary__end(&e);
}

/* values as a vector of n elements (or one): repeated or cut. */
static clary_array *stretched(clary__expression *e, clary_array *values, int64_t n) {
    const clary_scalar zero = {.kind = CLARY_SCALAR_INT}, one = {.kind = CLARY_SCALAR_INT, .i = 1};
    clary_array *flat = CLARY__MAKE(e, clary_reshape(values, 1, &values->size, made));
    if (!flat || flat->size == 1 || flat->size == n) return flat;
    clary_scalar stop = {.kind = CLARY_SCALAR_INT, .i = n};
    clary_array *k =
        CLARY__MAKE(e, clary_arange(clary__device_of(values), CLARY_INT64, zero, stop, one, made));
    return k ? CLARY__MAKE(e, clary_take(flat, k, 0, CLARY_MODE_WRAP, made)) : NULL;
}

static clary_status put_flat(clary_array *a, clary_array *indices, clary_array *values,
                             clary_index_mode mode) {
    clary__expression e = {0};
    clary__layout l = {.ndim = 1, .offset = a->offset, .shape = {indices->size}};
    bool known;
    clary_array *index = CLARY__MAKE(&e, clary_reshape(indices, 1, l.shape, made));
    index = index ? by_mode(&e, "put", index, a->size, mode, &known) : NULL;
    clary_array *source = stretched(&e, values, indices->size);
    source = source ? clary__cast(&e, source, (clary_dtype)a->dtype) : NULL;
    if (e.status != CLARY_OK) return clary__end(&e);
    clary__indexed indexed = {index, a->size, 1, -1, known};
    clary_array *at = clary__positions(&e, "put", a, &l, 1, &indexed, true);
    if (at) e.status = clary__scatter_to(CLARY__PUT, source->size == 1, a, at, source);
    return clary__end(&e);
}

clary_status clary_put(clary_array *a, clary_array *indices, clary_array *values,
                       clary_index_mode mode) {
    clary_array *all[3] = {a, indices, values}, *copy;
    FAIL_IF(a->read_only, CLARY_READ_ONLY, "put: the array is read-only");
    TRY(clary__same_device("put", all, 3));
    if (indices->size == 0 || values->size == 0) return CLARY_OK;
    TRY(check_extent("put", a->size, indices));
    if (clary_array_is_contiguous(a)) return put_flat(a, indices, values, mode);
    TRY(clary_copy(a, &copy)); /* elements in C order */
    clary_status status = put_flat(copy, indices, values, mode);
    if (status == CLARY_OK) status = clary_assign(a, copy);
    clary_release(&copy);
    return status;
}

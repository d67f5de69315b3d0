/* view.c - views: new geometry on the same storage; no data moves. */
#include "array/array.h"
#include <string.h>

/* ---- basic indexing ---- */

/* NumPy's (Python's) slice: clips the bounds and counts the elements. */
static void clip_slice(const clary_index *item, int64_t extent, int64_t *start, int64_t *count) {
    int64_t step = item->step;
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
    int64_t from = step > 0 ? low : high, to = step > 0 ? high : low;
    if (item->has_start) {
        from = item->start < 0 ? item->start + extent : item->start;
        from = from < low ? low : from > high ? high : from;
    }
    if (item->has_stop) {
        to = item->stop < 0 ? item->stop + extent : item->stop;
        to = to < low ? low : to > high ? high : to;
    }
    int64_t span = step > 0 ? to - from : from - to;
    uint64_t by = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    *count = span > 0 ? (int64_t)(((uint64_t)span - 1) / by) + 1 : 0;
    *start = *count ? from : 0;
}

clary_status clary__view(clary_array *a, int count, const clary_index *items, clary_array **out) {
    clary__layout l = {.ndim = 0, .offset = a->offset};
    const int64_t *strides = clary__array_strides(a);
    int used = 0, ellipsis = 0, added = 0;
    *out = NULL;
    for (int i = 0; i < count; i++) {
        used += items[i].kind == CLARY_INDEX_INTEGER || items[i].kind == CLARY_INDEX_SLICE;
        ellipsis += items[i].kind == CLARY_INDEX_ELLIPSIS;
        added += items[i].kind == CLARY_INDEX_NEWAXIS;
    }
    FAIL_IF(ellipsis > 1, CLARY_INVALID_ARGUMENT, "index: more than one ellipsis");
    FAIL_IF(used > a->ndim, CLARY_INDEX_OUT_OF_RANGE,
            "index: %d indices for an array of dimension %d", used, a->ndim);
    FAIL_IF(a->ndim + added > CLARY_MAX_NDIM, CLARY_INVALID_ARGUMENT,
            "index: the result would have more than %d dimensions", CLARY_MAX_NDIM);
    int d = 0;
    for (int i = 0; i <= count; i++) {
        /* Dims that no item names stand at the ellipsis, or at the end. */
        if (i == count ? !ellipsis : items[i].kind == CLARY_INDEX_ELLIPSIS) {
            for (int k = a->ndim - used; k > 0; k--, d++) {
                l.shape[l.ndim] = a->geometry[d];
                l.strides[l.ndim++] = strides[d];
            }
        }
        if (i == count || items[i].kind == CLARY_INDEX_ELLIPSIS) continue;
        const clary_index *item = &items[i];
        if (item->kind == CLARY_INDEX_NEWAXIS) {
            l.shape[l.ndim] = 1;
            l.strides[l.ndim++] = 0;
        } else if (item->kind == CLARY_INDEX_INTEGER) {
            int64_t k = item->start < 0 ? item->start + a->geometry[d] : item->start;
            FAIL_IF(k < 0 || k >= a->geometry[d], CLARY_INDEX_OUT_OF_RANGE,
                    "index: index %lld is out of bounds for axis %d with size %lld",
                    (long long)item->start, d, (long long)a->geometry[d]);
            l.offset += k * strides[d++];
        } else {
            int64_t start, n;
            FAIL_IF(item->step == 0, CLARY_INVALID_ARGUMENT, "index: slice step cannot be zero");
            clip_slice(item, a->geometry[d], &start, &n);
            l.offset += start * strides[d];
            l.shape[l.ndim] = n;
            l.strides[l.ndim++] = n > 1 ? item->step * strides[d] : strides[d];
            d++;
        }
    }
    return clary__array_view(a, &l, out);
}

/* ---- permuting ---- */

clary_status clary_transpose(clary_array *a, const int *axes, clary_array **out) {
    clary__layout l = {.ndim = a->ndim, .offset = a->offset};
    uint32_t seen = 0;
    *out = NULL;
    for (int d = 0; d < a->ndim; d++) {
        int from = a->ndim - 1 - d;
        if (axes) TRY(clary__axis("transpose", axes[d], a->ndim, &from));
        FAIL_IF(seen >> from & 1, CLARY_INVALID_ARGUMENT, "transpose: axis %d is given twice",
                from);
        seen |= 1u << from;
        l.shape[d] = a->geometry[from];
        l.strides[d] = clary__array_strides(a)[from];
    }
    return clary__array_view(a, &l, out);
}

clary_status clary_swapaxes(clary_array *a, int axis1, int axis2, clary_array **out) {
    int axes[CLARY_MAX_NDIM];
    *out = NULL;
    TRY(clary__axis("swapaxes", axis1, a->ndim, &axis1));
    TRY(clary__axis("swapaxes", axis2, a->ndim, &axis2));
    for (int d = 0; d < a->ndim; d++) axes[d] = d == axis1 ? axis2 : d == axis2 ? axis1 : d;
    return clary_transpose(a, axes, out);
}

clary_status clary_moveaxis(clary_array *a, int count, const int *source, const int *destination,
                            clary_array **out) {
    int axes[CLARY_MAX_NDIM];
    uint32_t sources, destinations;
    *out = NULL;
    TRY(clary__axes_mask("moveaxis", count, source, a->ndim, &sources));
    TRY(clary__axes_mask("moveaxis", count, destination, a->ndim, &destinations));
    for (int i = 0; i < count; i++) {
        int to, from;
        TRY(clary__axis("moveaxis", source[i], a->ndim, &from));
        TRY(clary__axis("moveaxis", destination[i], a->ndim, &to));
        axes[to] = from;
    }
    for (int d = 0, next = 0; d < a->ndim; d++) {
        if (destinations >> d & 1) continue;
        while (sources >> next & 1) next++;
        axes[d] = next++;
    }
    return clary_transpose(a, axes, out);
}

clary_status clary_flip(clary_array *a, int count, const int *axes, clary_array **out) {
    clary__layout l;
    uint32_t mask;
    *out = NULL;
    TRY(clary__axes_mask("flip", count, axes, a->ndim, &mask));
    clary__array_layout(a, &l);
    for (int d = 0; d < l.ndim; d++)
        if (mask >> d & 1 && l.shape[d] > 1) {
            l.offset += (l.shape[d] - 1) * l.strides[d];
            l.strides[d] = -l.strides[d];
        }
    return clary__array_view(a, &l, out);
}

clary_status clary_diagonal(clary_array *a, int64_t k, int axis1, int axis2, clary_array **out) {
    clary__layout l = {.ndim = 0, .offset = a->offset};
    const int64_t *strides = clary__array_strides(a);
    *out = NULL;
    TRY(clary__axis("diagonal", axis1, a->ndim, &axis1));
    TRY(clary__axis("diagonal", axis2, a->ndim, &axis2));
    FAIL_IF(axis1 == axis2, CLARY_INVALID_ARGUMENT, "diagonal: the two axes are the same");
    for (int d = 0; d < a->ndim; d++)
        if (d != axis1 && d != axis2) {
            l.shape[l.ndim] = a->geometry[d];
            l.strides[l.ndim++] = strides[d];
        }
    int64_t rows = a->geometry[axis1], cols = a->geometry[axis2];
    int64_t down = k < 0 ? -k : 0, right = k > 0 ? k : 0;
    int64_t n = rows - down < cols - right ? rows - down : cols - right;
    l.shape[l.ndim] = n > 0 ? n : 0;
    l.strides[l.ndim++] = strides[axis1] + strides[axis2];
    if (n > 0) l.offset += down * strides[axis1] + right * strides[axis2];
    return clary__array_view(a, &l, out);
}

clary_status clary_sliding_window(clary_array *a, int axis, int64_t length, clary_array **out) {
    clary__layout l;
    *out = NULL;
    TRY(clary__axis("sliding_window", axis, a->ndim, &axis));
    FAIL_IF(a->ndim == CLARY_MAX_NDIM, CLARY_INVALID_ARGUMENT,
            "sliding_window: the result would have more than %d dimensions", CLARY_MAX_NDIM);
    FAIL_IF(length < 1 || length > a->geometry[axis], CLARY_INVALID_ARGUMENT,
            "sliding_window: length %lld for axis %d of extent %lld", (long long)length, axis,
            (long long)a->geometry[axis]);
    clary__array_layout(a, &l);
    l.shape[l.ndim] = length;
    l.strides[l.ndim++] = l.strides[axis];
    l.shape[axis] -= length - 1;
    TRY(clary__array_view(a, &l, out));
    (*out)->read_only = true;
    return CLARY_OK;
}

clary_status clary_as_strided(clary_array *a, int ndim, const int64_t *shape,
                              const int64_t *strides, clary_array **out) {
    clary__layout l = {.ndim = ndim, .offset = a->offset};
    int64_t low = a->offset, high = a->offset;
    bool overflow = false;
    *out = NULL;
    TRY(clary__check_shape("as_strided", (clary_dtype)a->dtype, ndim, shape));
    for (int d = 0; d < ndim; d++) {
        int64_t reach, *end = strides[d] < 0 ? &low : &high;
        overflow = __builtin_mul_overflow(strides[d], shape[d] - 1, &reach) ||
                   __builtin_add_overflow(*end, reach, end) || overflow;
        l.shape[d] = shape[d];
        l.strides[d] = strides[d];
    }
    int64_t memory = a->storage->current->size * (a->part ? 2 : 1);
    FAIL_IF(clary__size_of(ndim, shape) && (overflow || low < 0 || high >= memory),
            CLARY_INVALID_ARGUMENT,
            "as_strided: these strides reach outside the %lld elements of the array's memory",
            (long long)memory);
    TRY(clary__array_view(a, &l, out));
    (*out)->read_only |= clary__layout_overlaps(&l);
    return CLARY_OK;
}

/* ---- extents ---- */

/* Resolves one -1 and checks the size. */
static clary_status resolve_shape(clary_array *a, int ndim, const int64_t *shape, int64_t *out) {
    char from[CLARY__SHAPE_TEXT], to[CLARY__SHAPE_TEXT];
    int unknown = -1;
    int64_t size = 1;
    FAIL_IF(ndim < 0 || ndim > CLARY_MAX_NDIM, CLARY_INVALID_ARGUMENT,
            "reshape: %d dimensions; there may be 0 to %d", ndim, CLARY_MAX_NDIM);
    bool overflow = false;
    for (int d = 0; d < ndim; d++) {
        out[d] = shape[d];
        if (shape[d] == -1) {
            FAIL_IF(unknown >= 0, CLARY_INVALID_ARGUMENT,
                    "reshape: can only specify one unknown dimension, -1");
            unknown = d;
        } else {
            FAIL_IF(shape[d] < 0, CLARY_INVALID_ARGUMENT, "reshape: negative extent in %s",
                    clary__shape_text(ndim, shape, to));
            overflow = __builtin_mul_overflow(size, shape[d], &size) || overflow;
        }
    }
    bool fits = !overflow && (unknown < 0 ? size == a->size : size != 0 && a->size % size == 0);
    FAIL_IF(!fits, CLARY_SHAPE_MISMATCH,
            "cannot reshape array of size %lld and shape %s into shape %s", (long long)a->size,
            clary__shape_text(a->ndim, a->geometry, from), clary__shape_text(ndim, shape, to));
    if (unknown >= 0) out[unknown] = a->size / size;
    return CLARY_OK;
}

clary_status clary_reshape_view(clary_array *a, int ndim, const int64_t *shape, clary_array **out) {
    clary__layout l = {.ndim = ndim, .offset = a->offset};
    *out = NULL;
    TRY(resolve_shape(a, ndim, shape, l.shape));
    FAIL_IF(!clary__reshape_strides(a->ndim, a->geometry, clary__array_strides(a), ndim, l.shape,
                                    l.strides),
            CLARY_SHAPE_MISMATCH,
            "Unable to avoid creating a copy while reshaping: strides do not allow it");
    return clary__array_view(a, &l, out);
}

clary_status clary_reshape(clary_array *a, int ndim, const int64_t *shape, clary_array **out) {
    clary__layout l = {.ndim = ndim, .offset = a->offset};
    *out = NULL;
    TRY(resolve_shape(a, ndim, shape, l.shape));
    if (clary__reshape_strides(a->ndim, a->geometry, clary__array_strides(a), ndim, l.shape,
                               l.strides))
        return clary__array_view(a, &l, out);
    clary__value *v;
    TRY(clary__array_value(a, &v));
    return clary__array_of_shape(v, ndim, l.shape, out);
}

clary_status clary_broadcast_to(clary_array *a, int ndim, const int64_t *shape, clary_array **out) {
    char from[CLARY__SHAPE_TEXT], to[CLARY__SHAPE_TEXT];
    clary__layout l = {.ndim = ndim, .offset = a->offset};
    *out = NULL;
    TRY(clary__check_shape("broadcast_to", CLARY_BOOL, ndim, shape));
    int lead = ndim - a->ndim;
    bool fits = lead >= 0;
    for (int d = 0; d < ndim && fits; d++) {
        int64_t extent = d < lead ? 1 : a->geometry[d - lead];
        l.shape[d] = shape[d];
        l.strides[d] = extent == 1 ? 0 : clary__array_strides(a)[d - lead];
        fits = extent == 1 || extent == shape[d];
    }
    FAIL_IF(!fits, CLARY_SHAPE_MISMATCH, "broadcast_to: shape %s does not broadcast to %s",
            clary__shape_text(a->ndim, a->geometry, from), clary__shape_text(ndim, shape, to));
    TRY(clary__array_view(a, &l, out));
    (*out)->read_only = true;
    return CLARY_OK;
}

clary_status clary_expand_dims(clary_array *a, int count, const int *axes, clary_array **out) {
    clary__layout l = {.ndim = a->ndim + count, .offset = a->offset};
    uint32_t mask = 0;
    *out = NULL;
    FAIL_IF(l.ndim > CLARY_MAX_NDIM, CLARY_INVALID_ARGUMENT,
            "expand_dims: the result would have more than %d dimensions", CLARY_MAX_NDIM);
    if (count) TRY(clary__axes_mask("expand_dims", count, axes, l.ndim, &mask));
    for (int d = 0, from = 0; d < l.ndim; d++) {
        bool inserted = mask >> d & 1;
        l.shape[d] = inserted ? 1 : a->geometry[from];
        l.strides[d] = inserted ? 0 : clary__array_strides(a)[from];
        from += !inserted;
    }
    return clary__array_view(a, &l, out);
}

clary_status clary_squeeze(clary_array *a, int count, const int *axes, clary_array **out) {
    clary__layout l = {.ndim = 0, .offset = a->offset};
    uint32_t mask;
    *out = NULL;
    TRY(clary__axes_mask("squeeze", count, axes, a->ndim, &mask));
    for (int d = 0; d < a->ndim; d++) {
        bool dropped = mask >> d & 1 && (axes || a->geometry[d] == 1);
        FAIL_IF(dropped && a->geometry[d] != 1, CLARY_INVALID_ARGUMENT,
                "squeeze: axis %d has extent %lld, not 1", d, (long long)a->geometry[d]);
        if (dropped) continue;
        l.shape[l.ndim] = a->geometry[d];
        l.strides[l.ndim++] = clary__array_strides(a)[d];
    }
    return clary__array_view(a, &l, out);
}

/* manip.c - joining, repeating, padding: assignments of views to regions of a new array, so each
 * element is read and written once and no kernel is special. */
#include "array/array.h"
#include "clary/manip.h"
#include <string.h>

/* a's part [start, start + count) along an axis, as a view; step -1 runs backwards from start. */
static clary_status part(clary_array *a, int axis, int64_t start, int64_t count, int64_t step,
                         clary_array **out) {
    clary__layout l;
    clary__array_layout(a, &l);
    if (count > 0) l.offset += start * l.strides[axis];
    l.shape[axis] = count;
    l.strides[axis] *= step;
    return clary__array_view(a, &l, out);
}

static clary_status write_part(clary_array *to, int axis, int64_t start, int64_t count,
                               clary_array *from) {
    clary_array *target = NULL;
    if (count == 0) return CLARY_OK;
    TRY(part(to, axis, start, count, 1, &target));
    clary_status status = clary_assign(target, from);
    clary_release(&target);
    return status;
}

clary_status clary_concat(clary_array *const *arrays, int count, int axis, clary_array **out) {
    char first[CLARY__SHAPE_TEXT], other[CLARY__SHAPE_TEXT];
    int64_t shape[CLARY_MAX_NDIM];
    clary_array *result = NULL;
    clary_status status;
    *out = NULL;
    FAIL_IF(count < 1, CLARY_INVALID_ARGUMENT, "concat: needs at least one array");
    clary_array *a = arrays[0];
    FAIL_IF(a->ndim == 0, CLARY_SHAPE_MISMATCH, "concat: 0-d arrays cannot be concatenated");
    TRY(clary__axis("concat", axis, a->ndim, &axis));
    TRY(clary__same_device("concat", arrays, count));
    memcpy(shape, a->geometry, a->ndim * sizeof *shape);
    clary_dtype dtype = (clary_dtype)a->dtype;
    for (int i = 1; i < count; i++) {
        clary_array *b = arrays[i];
        bool fits = b->ndim == a->ndim;
        for (int d = 0; d < a->ndim && fits; d++)
            fits = d == axis || b->geometry[d] == a->geometry[d];
        FAIL_IF(!fits, CLARY_SHAPE_MISMATCH,
                "concat: array %d has shape %s; with array 0 of shape %s it may differ along axis "
                "%d only",
                i, clary__shape_text(b->ndim, b->geometry, other),
                clary__shape_text(a->ndim, a->geometry, first), axis);
        shape[axis] += b->geometry[axis];
        dtype = clary_promote(dtype, (clary_dtype)b->dtype);
    }
    TRY(clary_empty(clary__device_of(a), dtype, a->ndim, shape, &result));
    int64_t at = 0;
    for (int i = 0; i < count; i++) {
        int64_t n = arrays[i]->geometry[axis];
        TRY_GOTO(fail, write_part(result, axis, at, n, arrays[i]));
        at += n;
    }
    *out = result;
    return CLARY_OK;
fail:
    clary_release(&result);
    return status;
}

clary_status clary_stack(clary_array *const *arrays, int count, int axis, clary_array **out) {
    char first[CLARY__SHAPE_TEXT], other[CLARY__SHAPE_TEXT];
    clary_array *result = NULL, *slot = NULL, *lane = NULL;
    int64_t shape[CLARY_MAX_NDIM];
    clary_status status;
    *out = NULL;
    FAIL_IF(count < 1, CLARY_INVALID_ARGUMENT, "stack: needs at least one array");
    clary_array *a = arrays[0];
    FAIL_IF(a->ndim == CLARY_MAX_NDIM, CLARY_INVALID_ARGUMENT, "stack: at most %d dimensions",
            CLARY_MAX_NDIM);
    TRY(clary__axis("stack", axis, a->ndim + 1, &axis));
    TRY(clary__same_device("stack", arrays, count));
    clary_dtype dtype = (clary_dtype)a->dtype;
    for (int i = 1; i < count; i++) {
        clary_array *b = arrays[i];
        FAIL_IF(b->ndim != a->ndim || memcmp(b->geometry, a->geometry, a->ndim * sizeof(int64_t)),
                CLARY_SHAPE_MISMATCH, "stack: array %d has shape %s, array 0 has %s", i,
                clary__shape_text(b->ndim, b->geometry, other),
                clary__shape_text(a->ndim, a->geometry, first));
        dtype = clary_promote(dtype, (clary_dtype)b->dtype);
    }
    for (int d = 0; d <= a->ndim; d++)
        shape[d] = d < axis ? a->geometry[d] : d == axis ? count : a->geometry[d - 1];
    TRY(clary_empty(clary__device_of(a), dtype, a->ndim + 1, shape, &result));
    for (int i = 0; i < count; i++) {
        TRY_GOTO(fail, part(result, axis, i, 1, 1, &slot));
        TRY_GOTO(fail, clary_squeeze(slot, 1, &axis, &lane));
        TRY_GOTO(fail, clary_assign(lane, arrays[i]));
        clary_release(&slot);
        clary_release(&lane);
    }
    *out = result;
    return CLARY_OK;
fail:
    clary_release(&slot);
    clary_release(&lane);
    clary_release(&result);
    return status;
}

/* Each extent n of `a` becomes r x n (outer repeats) or n x r (inner repeats), then one extent. */
static clary_status repeat_axes(clary_array *a, int ndim, const int64_t *outer,
                                const int64_t *inner, clary_array **out) {
    clary__layout l = {.ndim = 0, .offset = a->offset};
    int64_t shape[CLARY_MAX_NDIM];
    clary_array *view = NULL;
    int lead = ndim - a->ndim;
    for (int d = 0; d < ndim; d++) {
        int64_t extent = d < lead ? 1 : a->geometry[d - lead];
        int64_t stride = d < lead ? 0 : clary__array_strides(a)[d - lead];
        int64_t dims[3] = {outer ? outer[d] : 1, extent, inner ? inner[d] : 1};
        shape[d] = 1;
        for (int k = 0; k < 3; k++) {
            FAIL_IF(__builtin_mul_overflow(shape[d], dims[k], &shape[d]), CLARY_INVALID_ARGUMENT,
                    "repeat: the result is too large");
            if (dims[k] == 1) continue;
            FAIL_IF(l.ndim == CLARY_MAX_NDIM, CLARY_UNSUPPORTED,
                    "repeat: too many axes are repeated at once");
            l.shape[l.ndim] = dims[k];
            l.strides[l.ndim++] = k == 1 ? stride : 0;
        }
    }
    TRY(clary__check_shape("repeat", (clary_dtype)a->dtype, ndim, shape));
    TRY(clary__array_view(a, &l, &view));
    clary__value *v;
    clary_status status = clary__array_value(view, &v);
    clary_release(&view);
    TRY(status);
    return clary__array_of_shape(v, ndim, shape, out);
}

clary_status clary_tile(clary_array *a, int count, const int64_t *reps, clary_array **out) {
    int64_t outer[CLARY_MAX_NDIM];
    int ndim = count > a->ndim ? count : a->ndim;
    *out = NULL;
    FAIL_IF(ndim > CLARY_MAX_NDIM, CLARY_INVALID_ARGUMENT, "tile: at most %d dimensions",
            CLARY_MAX_NDIM);
    for (int d = 0; d < ndim; d++) {
        outer[d] = d < ndim - count ? 1 : reps[d - (ndim - count)];
        FAIL_IF(outer[d] < 0, CLARY_INVALID_ARGUMENT, "tile: a negative number of repetitions");
    }
    return repeat_axes(a, ndim, outer, NULL, out);
}

clary_status clary_repeat(clary_array *a, int64_t ncounts, const int64_t *counts, int axis,
                          clary_array **out) {
    int64_t shape[CLARY_MAX_NDIM], total = 0;
    clary_array *result = NULL, *row = NULL;
    clary_status status;
    *out = NULL;
    TRY(clary__axis("repeat", axis, a->ndim, &axis));
    int64_t extent = a->geometry[axis];
    FAIL_IF(ncounts != 1 && ncounts != extent, CLARY_SHAPE_MISMATCH,
            "repeat: %lld counts for an axis of extent %lld", (long long)ncounts,
            (long long)extent);
    for (int64_t i = 0; i < ncounts; i++) {
        FAIL_IF(counts[i] < 0, CLARY_INVALID_ARGUMENT, "repeat: counts may not be negative");
        FAIL_IF(__builtin_add_overflow(total, counts[i], &total), CLARY_INVALID_ARGUMENT,
                "repeat: the result is too large");
    }
    if (ncounts == 1) {
        for (int d = 0; d < a->ndim; d++) shape[d] = d == axis ? counts[0] : 1;
        return repeat_axes(a, a->ndim, NULL, shape, out);
    }
    memcpy(shape, a->geometry, a->ndim * sizeof *shape);
    shape[axis] = total;
    TRY(clary_empty(clary__device_of(a), (clary_dtype)a->dtype, a->ndim, shape, &result));
    int64_t at = 0;
    for (int64_t i = 0; i < extent; i++) {
        TRY_GOTO(fail, part(a, axis, i, 1, 1, &row));
        TRY_GOTO(fail, write_part(result, axis, at, counts[i], row));
        at += counts[i];
        clary_release(&row);
    }
    *out = result;
    return CLARY_OK;
fail:
    clary_release(&row);
    clary_release(&result);
    return status;
}

/* ---- padding ---- */

/* Fills to[.., at .. at + count) along an axis from the part that is already there, [low, low +
 * extent), as NumPy's modes say. Pieces at most one period long; at grows away from the middle. */
static clary_status pad_side(clary_array *to, int axis, int64_t low, int64_t extent, int64_t amount,
                             bool before, clary_pad_mode mode) {
    clary_array *source = NULL;
    int64_t period = mode == CLARY_PAD_REFLECT ? extent - 1 : extent;
    for (int64_t done = 0; done < amount;) {
        int64_t n = amount - done, start, step = -1;
        if (mode == CLARY_PAD_EDGE || (mode == CLARY_PAD_REFLECT && extent == 1)) {
            start = before ? low : low + extent - 1;
            step = 0;
        } else {
            if (n > period) n = period;
            /* What lies next to the gap, mirrored about its edge, or one period away. */
            int64_t edge = before ? low - done : low + extent + done; /* first filled or past it */
            if (mode == CLARY_PAD_WRAP) {
                step = 1;
                start = before ? edge - n + period : edge - period;
            } else {
                int64_t skip = mode == CLARY_PAD_REFLECT ? 1 : 0;
                start = before ? edge + n - 1 + skip : edge - 1 - skip;
            }
        }
        int64_t at = before ? low - done - n : low + extent + done;
        TRY(part(to, axis, start, n, step, &source));
        clary_status status = write_part(to, axis, at, n, source);
        clary_release(&source);
        TRY(status);
        done += n;
    }
    return CLARY_OK;
}

clary_status clary_pad(clary_array *a, const int64_t *before, const int64_t *after,
                       clary_pad_mode mode, clary_scalar value, clary_array **out) {
    int64_t shape[CLARY_MAX_NDIM];
    clary_array *result = NULL, *middle = NULL;
    clary__layout l = {.ndim = a->ndim, .offset = 0};
    clary_status status;
    *out = NULL;
    FAIL_IF((unsigned)mode > CLARY_PAD_WRAP, CLARY_INVALID_ARGUMENT, "pad: unknown mode %d",
            (int)mode);
    for (int d = 0; d < a->ndim; d++) {
        FAIL_IF(before[d] < 0 || after[d] < 0, CLARY_INVALID_ARGUMENT,
                "pad: widths may not be negative");
        FAIL_IF(mode != CLARY_PAD_CONSTANT && a->geometry[d] == 0 && before[d] + after[d] > 0,
                CLARY_INVALID_ARGUMENT,
                "pad: axis %d is empty; only constant padding can extend it", d);
        FAIL_IF(__builtin_add_overflow(a->geometry[d], before[d], &shape[d]) ||
                    __builtin_add_overflow(shape[d], after[d], &shape[d]),
                CLARY_INVALID_ARGUMENT, "pad: the result is too large");
    }
    if (mode == CLARY_PAD_CONSTANT)
        TRY(clary_full(clary__device_of(a), (clary_dtype)a->dtype, a->ndim, shape, value, &result));
    else
        TRY(clary_empty(clary__device_of(a), (clary_dtype)a->dtype, a->ndim, shape, &result));
    clary__array_layout(result, &l);
    for (int d = 0; d < a->ndim; d++) {
        l.offset += before[d] * l.strides[d];
        l.shape[d] = a->geometry[d];
    }
    TRY_GOTO(fail, clary__array_view(result, &l, &middle));
    TRY_GOTO(fail, clary_assign(middle, a));
    /* Axis by axis: the corners follow because later axes copy what earlier ones filled. */
    for (int d = 0; d < a->ndim && mode != CLARY_PAD_CONSTANT; d++) {
        /* The band that is complete along the axes before, and the middle along those after. */
        clary_array *band = NULL;
        clary__layout b;
        clary__array_layout(result, &b);
        for (int e = d + 1; e < a->ndim; e++) {
            b.offset += before[e] * b.strides[e];
            b.shape[e] = a->geometry[e];
        }
        TRY_GOTO(fail, clary__array_view(result, &b, &band));
        status = pad_side(band, d, before[d], a->geometry[d], before[d], true, mode);
        if (status == CLARY_OK)
            status = pad_side(band, d, before[d], a->geometry[d], after[d], false, mode);
        clary_release(&band);
        if (status != CLARY_OK) goto fail;
    }
    clary_release(&middle);
    *out = result;
    return CLARY_OK;
fail:
    clary_release(&middle);
    clary_release(&result);
    return status;
}

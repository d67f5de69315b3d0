/* assign.c - copies, casts and writes. */
#include "array/array.h"

clary_status clary_copy(clary_array *a, clary_array **out) {
    clary__value *v;
    *out = NULL;
    TRY(clary__array_value(
        a, &v)); /* values never change: a copy is the same value in a new storage */
    return clary__array_of_shape(v, a->ndim, a->geometry, out);
}

clary_status clary_astype(clary_array *a, clary_dtype dtype, clary_casting rule,
                          clary_array **out) {
    clary__value *v, *cast;
    *out = NULL;
    FAIL_IF((unsigned)dtype >= CLARY_DTYPE_COUNT, CLARY_INVALID_ARGUMENT,
            "astype: unknown dtype %d", (int)dtype);
    FAIL_IF(!clary_can_cast((clary_dtype)a->dtype, dtype, rule), CLARY_DTYPE_MISMATCH,
            "astype: cannot cast from %s to %s by the rule asked for",
            clary_dtype_name((clary_dtype)a->dtype), clary_dtype_name(dtype));
    TRY(clary__array_value(a, &v));
    clary_status status = clary__value_cast(v, dtype, &cast);
    clary__value_release(v);
    TRY(status);
    return clary__array_of_shape(cast, a->ndim, a->geometry, out);
}

/* Whether writing src to dst would write every element to itself. */
static bool same_window(const clary_array *dst, const clary_array *src) {
    if (dst->storage != src->storage || dst->ndim != src->ndim || dst->offset != src->offset ||
        dst->dtype != src->dtype)
        return false;
    for (int d = 0; d < 2 * dst->ndim; d++)
        if (dst->geometry[d] != src->geometry[d]) return false;
    return true;
}

static bool broadcasts_to(const clary_array *src, int ndim, const int64_t *shape) {
    /* As NumPy, assignment also drops leading extents of 1. */
    for (int d = 1; d <= src->ndim; d++) {
        int64_t extent = src->geometry[src->ndim - d];
        if (extent != 1 && (d > ndim || extent != shape[ndim - d])) return false;
    }
    return true;
}

clary_status clary_assign(clary_array *dst, clary_array *src) {
    char from[CLARY__SHAPE_TEXT], to[CLARY__SHAPE_TEXT];
    FAIL_IF(dst->read_only, CLARY_READ_ONLY, "assign: the array is read-only");
    FAIL_IF(!broadcasts_to(src, dst->ndim, dst->geometry), CLARY_SHAPE_MISMATCH,
            "assign: shape %s does not broadcast to %s",
            clary__shape_text(src->ndim, src->geometry, from),
            clary__shape_text(dst->ndim, dst->geometry, to));
    if (same_window(dst, src)) return CLARY_OK;
    clary__value *v = NULL, *cast = NULL;
    if (src->weak) {
        TRY(clary__weak_value("assign", src, clary__device_of(dst), (clary_dtype)dst->dtype,
                              &cast));
    } else {
        clary_array *pair[2] = {dst, src};
        TRY(clary__same_device("assign", pair, 2));
        /* Leading extents of 1 beyond dst's dims do not change the order of elements. */
        clary_array *fit = NULL;
        int lead = src->ndim - dst->ndim;
        if (lead > 0) TRY(clary_reshape(src, dst->ndim, src->geometry + lead, &fit));
        clary_status status = clary__array_broadcast(fit ? fit : src, dst->ndim, dst->geometry, &v);
        if (status == CLARY_OK) status = clary__value_cast(v, (clary_dtype)dst->dtype, &cast);
        clary__value_release(v);
        clary_release(&fit);
        TRY(status);
    }
    clary_status status = clary__array_write(dst, cast);
    clary__value_release(cast);
    return status;
}

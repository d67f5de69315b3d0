/* array.c - arrays and storages: references, facts, reading and writing through a window. See
 * array.h. */
#include "array/share.h"
#include <string.h>

static clary_status new_array(clary__storage *storage, clary_dtype dtype, const clary__layout *l,
                              int64_t storage_size, clary_array **out) {
    clary_array *a = clary__malloc(sizeof *a + 2 * (size_t)l->ndim * sizeof(int64_t));
    *out = a;
    FAIL_IF(!a, CLARY_OUT_OF_MEMORY, "no host memory for an array");
    atomic_init(&a->refs, 1);
    a->dtype = (uint8_t)dtype;
    a->ndim = (uint8_t)l->ndim;
    a->weak = a->read_only = a->view = a->part = false;
    a->storage = storage;
    a->offset = l->offset;
    a->size = clary__size_of(l->ndim, l->shape);
    if (l->ndim) {
        memcpy(a->geometry, l->shape, (size_t)l->ndim * sizeof(int64_t));
        memcpy(a->geometry + l->ndim, l->strides, (size_t)l->ndim * sizeof(int64_t));
    }
    a->whole = a->offset == 0 && a->size == storage_size &&
               clary__is_contiguous(l->ndim, l->shape, l->strides);
    CLARY__COUNT(live_arrays, 1);
    return CLARY_OK;
}

void clary__storage_release(clary__storage *s) {
    if (atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1) return;
    clary__storage *owner = s->owner;
    clary__value_release(s->current);
    clary__dealloc(s);
    if (owner) {
        clary__storage_unpin(owner);
        clary__storage_release(owner);
    }
}

clary_status clary__array_of_shape(clary__value *value, int ndim, const int64_t *shape,
                                   clary_array **out) {
    clary__layout l;
    clary_status status = clary__settle(&value);
    clary__storage *storage = status == CLARY_OK ? clary__calloc(1, sizeof *storage) : NULL;
    *out = NULL;
    if (!storage) {
        clary__value_release(value);
        return status != CLARY_OK ? status
                                  : clary__fail(CLARY_OUT_OF_MEMORY, "no host memory for an array");
    }
    atomic_init(&storage->refs, 1);
    storage->current = value;
    clary__layout_contiguous(&l, ndim, shape);
    status = new_array(storage, (clary_dtype)value->dtype, &l, value->size, out);
    if (status != CLARY_OK) clary__storage_release(storage);
    return status;
}

clary_status clary__array_of(clary__value *value, clary_array **out) {
    return clary__array_of_shape(value, value->ndim, clary__shape(value), out);
}

clary_status clary__array_window(clary_array *a, clary_dtype dtype, const clary__layout *layout,
                                 clary_array **out) {
    const clary__value *v = a->storage->current;
    bool part = dtype != (clary_dtype)v->dtype;
    *out = NULL;
    TRY(new_array(a->storage, dtype, layout, part ? 2 * v->size : v->size, out));
    atomic_fetch_add_explicit(&a->storage->refs, 1, memory_order_relaxed);
    (*out)->read_only = a->read_only;
    (*out)->view = true;
    (*out)->part = part;
    return CLARY_OK;
}

clary_status clary__array_view(clary_array *a, const clary__layout *layout, clary_array **out) {
    return clary__array_window(a, (clary_dtype)a->dtype, layout, out);
}

void clary__array_layout(const clary_array *a, clary__layout *out) {
    out->ndim = a->ndim;
    out->offset = a->offset;
    for (int d = 0; d < a->ndim; d++) {
        out->shape[d] = a->geometry[d];
        out->strides[d] = a->geometry[a->ndim + d];
    }
}

clary_array *clary_retain(clary_array *a) {
    if (a) atomic_fetch_add_explicit(&a->refs, 1, memory_order_relaxed);
    return a;
}

void clary_release(clary_array **handle) {
    clary_array *a = handle ? *handle : NULL;
    if (!a) return;
    *handle = NULL;
    if (atomic_fetch_sub_explicit(&a->refs, 1, memory_order_acq_rel) != 1) return;
    clary__storage_release(a->storage);
    clary__dealloc(a);
    CLARY__COUNT(live_arrays, -1);
}

clary_dtype clary_array_dtype(const clary_array *a) {
    return (clary_dtype)a->dtype;
}
int clary_array_ndim(const clary_array *a) {
    return a->ndim;
}
const int64_t *clary_array_shape(const clary_array *a) {
    return a->geometry;
}
const int64_t *clary_array_strides(const clary_array *a) {
    return a->geometry + a->ndim;
}
int64_t clary_array_offset(const clary_array *a) {
    return a->offset;
}
int64_t clary_array_size(const clary_array *a) {
    return a->size;
}
clary_device *clary_array_device(const clary_array *a) {
    return clary__device_of(a);
}
bool clary_array_is_weak(const clary_array *a) {
    return a->weak;
}
bool clary_array_is_writable(const clary_array *a) {
    return !a->read_only;
}

bool clary_array_is_contiguous(const clary_array *a) {
    return clary__is_contiguous(a->ndim, a->geometry, clary__array_strides(a));
}

bool clary_array_shares_storage(const clary_array *a, const clary_array *b) {
    return a->storage == b->storage;
}

bool clary_array_is_view(const clary_array *a) {
    return a->view;
}

clary_status clary_base(clary_array *a, clary_array **out) {
    clary__layout l;
    const clary__value *v = a->storage->current;
    clary__layout_contiguous(&l, v->ndim, clary__shape(v));
    TRY(clary__array_window(a, (clary_dtype)v->dtype, &l, out));
    (*out)->read_only = a->storage->read_only;
    return CLARY_OK;
}

clary_status clary_set_writable(clary_array *a, bool writable) {
    clary__layout l;
    clary__array_layout(a, &l);
    bool overlaps = writable && clary__layout_overlaps(&l);
    FAIL_IF(writable && (overlaps || a->storage->read_only), CLARY_READ_ONLY, "set_writable: %s",
            overlaps ? "elements of this view overlap" : "the memory was lent for reading only");
    a->read_only = !writable;
    return CLARY_OK;
}

/* ---- reading ---- */

static clary__value *current_of(clary_array *a) {
    clary__lock(); /* against a writer that replaces it between load and retain */
    clary__value *v = clary__value_retain(a->storage->current);
    clary__unlock();
    return v;
}

/* Real and imaginary parts lie at the even and the odd places. */
static clary_status part_of(clary__value *current, const clary__layout *l, clary_dtype dtype,
                            clary__value **out) {
    clary__layout pairs = *l;
    clary__value *v;
    pairs.offset /= 2;
    for (int d = 0; d < l->ndim; d++) pairs.strides[d] /= 2;
    TRY(clary__value_view(current, &pairs, &v));
    clary_status status = clary__value_op(l->offset % 2 ? CLARY_OP_imag : CLARY_OP_real, dtype,
                                          l->ndim, l->shape, &v, 1, out);
    clary__value_release(v);
    return status;
}

static clary_status view_of(clary_array *a, const clary__layout *l, clary__value **out) {
    clary__value *current = current_of(a);
    clary_status status = a->part ? part_of(current, l, (clary_dtype)a->dtype, out)
                                  : clary__value_view(current, l, out);
    clary__value_release(current);
    return status;
}

clary_status clary__array_value(clary_array *a, clary__value **out) {
    if (a->whole) {
        *out = current_of(a);
        return CLARY_OK;
    }
    clary__layout l;
    clary__array_layout(a, &l);
    return view_of(a, &l, out);
}

clary_status clary__array_shaped_value(clary_array *a, clary__value **out) {
    clary__value *v;
    TRY(clary__array_value(a, &v));
    *out = v;
    if (v->ndim == a->ndim && !memcmp(clary__shape(v), a->geometry, a->ndim * sizeof(int64_t)))
        return CLARY_OK;
    clary__layout l;
    clary__layout_contiguous(&l, a->ndim, a->geometry);
    clary_status status = clary__value_view(v, &l, out);
    clary__value_release(v);
    return status;
}

clary_status clary__array_window_value(clary_array *a, clary__value **out, clary__layout *layout) {
    if (a->part) {
        clary__layout_contiguous(layout, a->ndim, a->geometry);
        return clary__array_shaped_value(a, out);
    }
    clary__array_layout(a, layout);
    *out = current_of(a);
    return CLARY_OK;
}

clary_status clary__array_broadcast(clary_array *a, int ndim, const int64_t *shape,
                                    clary__value **out) {
    int64_t size = clary__size_of(ndim, shape);
    if (a->size == size || a->size == 1) return clary__array_value(a, out);
    clary__layout l = {.ndim = ndim, .offset = a->offset};
    int lead = ndim - a->ndim;
    for (int d = 0; d < ndim; d++) {
        l.shape[d] = shape[d];
        bool stretched = d < lead || (a->geometry[d - lead] == 1 && shape[d] != 1);
        l.strides[d] = stretched ? 0 : a->geometry[a->ndim + d - lead];
    }
    return view_of(a, &l, out);
}

clary_status clary__weak_value(const char *what, const clary_array *a, clary_device *device,
                               clary_dtype dtype, clary__value **out) {
    clary_scalar s = clary__scalar_load(a->storage->current->scalar, (clary_dtype)a->dtype);
    unsigned char element[16] = {0};
    *out = NULL;
    if (!clary__scalar_fits(s, dtype)) {
        if (s.kind == CLARY_SCALAR_UINT)
            return clary__fail(CLARY_OVERFLOW, "%s: integer %llu does not fit %s", what,
                               (unsigned long long)s.u, clary_dtype_name(dtype));
        return clary__fail(CLARY_OVERFLOW, "%s: integer %lld does not fit %s", what, (long long)s.i,
                           clary_dtype_name(dtype));
    }
    clary__scalar_store(s, dtype, element);
    return clary__value_scalar(device, dtype, 0, NULL, element, out);
}

/* ---- writing ---- */

/* The float array over the same bytes takes the parts. */
static clary_status write_part(clary_array *a, clary__value *value) {
    clary_array *floats;
    TRY(clary__array_plain(a, &floats));
    clary_status status = clary__array_write(floats, value);
    clary_release(&floats);
    return status;
}

static clary_status write(clary_array *a, clary__value *value) {
    clary_status status = CLARY_OK;
    clary__value *next = NULL, *base = NULL;
    clary__layout region;
    clary__lock();
    clary__value *old = a->storage->current;
    clary__array_layout(a, &region);
    if (a->size == 0 || (a->whole && value == old)) {
        clary__unlock();
        return CLARY_OK;
    }
    if (old->shared) {
        status = clary__value_update(old, &region, value, &next);
        if (status == CLARY_OK) status = clary__settle_in_place(next);
    } else if (a->whole && value->size == old->size) { /* all of it: the new value is the source */
        next = clary__value_retain(value);
    } else if (a->whole) { /* one element for all */
        clary__layout l = {.ndim = old->ndim};
        memcpy(l.shape, clary__shape(old), (size_t)old->ndim * sizeof(int64_t));
        status = clary__value_view(value, &l, &next);
    } else if (a->size ==
               old->size) { /* all of it in another order: the old content is not needed */
        status = clary__value_empty(old->device, (clary_dtype)old->dtype, old->ndim,
                                    clary__shape(old), &base);
        if (status == CLARY_OK) status = clary__value_update(base, &region, value, &next);
    } else {
        status = clary__value_update(old, &region, value, &next);
    }
    if (status == CLARY_OK) {
        a->storage->current = next;
        clary__value_release(old);
    } else {
        clary__value_release(next);
    }
    clary__value_release(base);
    clary__unlock();
    return status;
}

clary_status clary__array_write(clary_array *a, clary__value *value) {
    clary__value *settled = clary__value_retain(value);
    clary_status status = clary__settle(&settled);
    if (status == CLARY_OK) status = a->part ? write_part(a, settled) : write(a, settled);
    clary__value_release(settled);
    return status;
}

/* ---- checks shared by many operations ---- */

clary_status clary__axis(const char *what, int axis, int ndim, int *out) {
    FAIL_IF(axis < -ndim || axis >= ndim, CLARY_AXIS_OUT_OF_RANGE,
            "%s: axis %d is out of bounds for an array of dimension %d", what, axis, ndim);
    *out = axis < 0 ? axis + ndim : axis;
    return CLARY_OK;
}

clary_status clary__axes_mask(const char *what, int naxes, const int *axes, int ndim,
                              uint32_t *out) {
    *out = 0;
    if (!axes) {
        *out = ndim == 32 ? UINT32_MAX : (1u << ndim) - 1;
        return CLARY_OK;
    }
    for (int i = 0; i < naxes; i++) {
        int axis = 0;
        TRY(clary__axis(what, axes[i], ndim, &axis));
        FAIL_IF(*out >> axis & 1, CLARY_INVALID_ARGUMENT, "%s: axis %d is given twice", what,
                axes[i]);
        *out |= 1u << axis;
    }
    return CLARY_OK;
}

clary_status clary__check_shape(const char *what, clary_dtype dtype, int ndim,
                                const int64_t *shape) {
    FAIL_IF(ndim < 0 || ndim > CLARY_MAX_NDIM, CLARY_INVALID_ARGUMENT,
            "%s: %d dimensions; there may be 0 to %d", what, ndim, CLARY_MAX_NDIM);
    FAIL_IF((unsigned)dtype >= CLARY_DTYPE_COUNT, CLARY_INVALID_ARGUMENT, "%s: unknown dtype %d",
            what, (int)dtype);
    char text[CLARY__SHAPE_TEXT];
    int64_t bytes = (int64_t)clary_dtype_size(dtype);
    bool empty = false;
    for (int d = 0; d < ndim; d++) {
        FAIL_IF(shape[d] < 0, CLARY_INVALID_ARGUMENT, "%s: negative extent in shape %s", what,
                clary__shape_text(ndim, shape, text));
        empty = empty || shape[d] == 0;
    }
    for (int d = 0; d < ndim && !empty; d++)
        FAIL_IF(__builtin_mul_overflow(bytes, shape[d], &bytes), CLARY_INVALID_ARGUMENT,
                "%s: an array of shape %s and dtype %s is too large", what,
                clary__shape_text(ndim, shape, text), clary_dtype_name(dtype));
    return CLARY_OK;
}

clary_status clary__same_device(const char *what, clary_array *const *arrays, int count) {
    for (int i = 1; i < count; i++)
        FAIL_IF(clary__device_of(arrays[i]) != clary__device_of(arrays[0]), CLARY_DEVICE_MISMATCH,
                "%s: argument 1 is on '%s', argument %d on '%s'; move one with clary_to_device",
                what, clary__device_of(arrays[0])->info.name, i + 1,
                clary__device_of(arrays[i])->info.name);
    return CLARY_OK;
}

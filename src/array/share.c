/* share.c - storages whose memory others see: see share.h, Note [Shared memory]. */
#include "array/share.h"

/* A leaf on a buffer of its own with the elements of a computed value. */
static clary_status duplicate(const clary__value *v, clary__value **out) {
    size_t bytes = (size_t)v->size * clary_dtype_size((clary_dtype)v->dtype);
    clary__buffer *buffer;
    *out = NULL;
    TRY(clary__buffer_new(v->device, bytes, &buffer));
    clary_status status = v->device->backend->copy(v->device, v->buffer, buffer, bytes);
    if (status == CLARY_OK)
        status = clary__value_leaf(v->device, (clary_dtype)v->dtype, v->ndim, clary__shape(v),
                                   buffer, out);
    clary__buffer_release(buffer);
    return status;
}

/* Who else sees the memory does so from the host, where it can. */
static clary_status wait(clary_device *device) {
    return device->info.shares_host_memory ? device->backend->wait(device) : CLARY_OK;
}

clary_status clary__settle(clary__value **v) {
    clary__value *dependent = *v, *own;
    clary_status status;
    if (!dependent->shared) return CLARY_OK;
    clary__lock();
    if (dependent->buffer) {
        status = duplicate(dependent, &own);
        if (status == CLARY_OK) {
            *v = own;
            clary__value_release(dependent);
        }
    } else {
        status = clary__evaluate(v, 1);
        if (status == CLARY_OK) dependent->shared = false;
    }
    if (status == CLARY_OK) status = wait((*v)->device);
    clary__unlock();
    return status;
}

clary_status clary__settle_in_place(clary__value *update) {
    TRY(clary__evaluate(&update, 1));
    return wait(update->device);
}

/* ---- pins ---- */

clary_status clary__storage_pin(clary__storage *s) {
    clary_status status = CLARY_OK;
    clary__lock();
    clary__value *v = s->current, *leaf = NULL;
    if (!v->shared) {
        status = clary__evaluate(&v, 1);
        bool alone =
            status == CLARY_OK && atomic_load(&v->refs) == 1 && atomic_load(&v->buffer->refs) == 1;
        if (alone)
            status = clary__value_leaf(v->device, (clary_dtype)v->dtype, v->ndim, clary__shape(v),
                                       v->buffer, &leaf);
        else if (status == CLARY_OK)
            status = duplicate(v, &leaf);
        if (status == CLARY_OK) {
            leaf->shared = true;
            s->current = leaf;
            clary__value_release(v);
        }
    }
    if (status == CLARY_OK) status = wait(s->current->device);
    if (status == CLARY_OK)
        s->pins++;
    else if (leaf)
        leaf->shared = false;
    clary__unlock();
    return status;
}

void clary__storage_unpin(clary__storage *s) {
    clary__lock();
    if (--s->pins == 0 && !s->lent && !s->owner) s->current->shared = false;
    clary__unlock();
}

/* ---- other windows on the same bytes ---- */

/* A window on a leaf over shared memory. Takes the leaf over, also on failure. */
static clary_status window_on(clary__value *leaf, const clary__layout *layout, bool read_only,
                              clary_array **out) {
    clary_array *whole;
    TRY(clary__array_of(leaf, &whole)); /* not marked yet, else it would be copied */
    whole->storage->read_only = whole->read_only = read_only;
    clary_status status = clary__array_view(whole, layout, out);
    if (status == CLARY_OK) (*out)->storage->current->shared = true;
    clary_release(&whole);
    return status;
}

clary_status clary__array_on(clary_device *device, clary_dtype dtype, void *first, int64_t count,
                             const clary__layout *layout, bool read_only,
                             void (*farewell)(void *context), void *context, clary_array **out) {
    clary__buffer *buffer;
    clary__value *leaf;
    *out = NULL;
    TRY(clary__buffer_adopt(device, first, (size_t)count * clary_dtype_size(dtype), farewell,
                            context, &buffer));
    clary_status status = clary__value_leaf(device, dtype, 1, &count, buffer, &leaf);
    if (status == CLARY_OK) status = window_on(leaf, layout, read_only, out);
    if (status == CLARY_OK)
        (*out)->storage->lent = true;
    else
        buffer->farewell.call = NULL; /* the memory is still the caller's */
    clary__buffer_release(buffer);
    return status;
}

/* The layout in elements of another size. Only the last axis changes its extent. */
static clary_status resize_elements(const clary_array *a, int64_t from, int64_t to,
                                    clary__layout *l) {
    clary__array_layout(a, l);
    int last = l->ndim - 1;
    if (from == to) return CLARY_OK;
    FAIL_IF(last < 0, CLARY_INVALID_ARGUMENT,
            "view: a 0-d array cannot be seen as elements of another size");
    FAIL_IF(l->strides[last] != 1 && l->shape[last] != 1 && a->size, CLARY_INVALID_ARGUMENT,
            "view: the last axis must be contiguous to be seen as elements of another size");
    FAIL_IF(l->shape[last] * from % to, CLARY_INVALID_ARGUMENT,
            "view: %lld bytes along the last axis are no whole number of elements of %lld bytes",
            (long long)(l->shape[last] * from), (long long)to);
    bool aligned = l->offset * from % to == 0;
    l->shape[last] = l->shape[last] * from / to;
    l->strides[last] = 1;
    l->offset = l->offset * from / to;
    for (int d = 0; d < last; d++) {
        aligned = aligned && (l->strides[d] * from % to == 0 || l->shape[d] == 1);
        l->strides[d] = l->strides[d] * from / to;
    }
    FAIL_IF(!aligned && a->size, CLARY_UNSUPPORTED,
            "view: elements of %lld bytes would not be aligned; copy the array first",
            (long long)to);
    return CLARY_OK;
}

clary_status clary_view(clary_array *a, clary_dtype dtype, clary_array **out) {
    clary__layout l = {0};
    clary__storage *s = a->storage;
    clary__value *leaf = NULL;
    *out = NULL;
    FAIL_IF((unsigned)dtype >= CLARY_DTYPE_COUNT, CLARY_INVALID_ARGUMENT, "view: unknown dtype %d",
            (int)dtype);
    FAIL_IF(a->weak, CLARY_INVALID_ARGUMENT, "view: a weak scalar has no memory");
    int64_t item = (int64_t)clary_dtype_size(dtype);
    TRY(resize_elements(a, (int64_t)clary_dtype_size((clary_dtype)a->dtype), item, &l));
    if (dtype == (clary_dtype)s->current->dtype) return clary__array_view(a, &l, out);
    TRY(clary__storage_pin(s));
    clary__lock();
    const clary__value *v = s->current;
    int64_t count = v->size * (int64_t)clary_dtype_size((clary_dtype)v->dtype) / item;
    clary_status status = clary__value_leaf(v->device, dtype, 1, &count, v->buffer, &leaf);
    if (status == CLARY_OK) status = window_on(leaf, &l, a->read_only, out);
    if (status == CLARY_OK) {
        atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
        (*out)->storage->owner = s;
    } else {
        clary__storage_unpin(s);
    }
    clary__unlock();
    return status;
}

clary_status clary__array_plain(clary_array *a, clary_array **out) {
    *out = NULL;
    if (a->part) return clary_view(a, (clary_dtype)a->dtype, out);
    *out = clary_retain(a);
    return CLARY_OK;
}

clary_status clary_part(clary_array *a, bool imaginary, clary_array **out) {
    clary__layout l;
    *out = NULL;
    FAIL_IF(a->dtype != CLARY_COMPLEX64 && a->dtype != CLARY_COMPLEX128, CLARY_DTYPE_MISMATCH,
            "part: elements of %s have no parts", clary_dtype_name((clary_dtype)a->dtype));
    clary__array_layout(a, &l);
    l.offset = 2 * l.offset + imaginary;
    for (int d = 0; d < l.ndim; d++) l.strides[d] *= 2;
    return clary__array_window(a, a->dtype == CLARY_COMPLEX64 ? CLARY_FLOAT32 : CLARY_FLOAT64, &l,
                               out);
}

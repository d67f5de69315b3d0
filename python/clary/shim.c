/* shim.c - see shim.h. Thin: no rule of arrays is decided here. */
#include "shim.h"

/* The device's reference count is the library's business; it is linked into this module. */
clary_device *clary__device_retain(clary_device *device);

static _Thread_local clary_status last_status;

/* Takes a pointer because the order in which arguments are evaluated is the compiler's choice. */
static clary_array *result(clary_status status, clary_array *const *out) {
    if (status == CLARY_OK) return *out;
    last_status = status;
    return NULL;
}

clary_status clary_py_status(void) {
    return last_status;
}

void clary_py_release(clary_array *a) {
    clary_release(&a);
}

clary_device *clary_py_retain_device(clary_device *device) {
    return clary__device_retain(device);
}

clary_array *clary_py_apply1(int op, clary_array *x) {
    clary_array *out = NULL;
    return result(clary_apply((clary_op)op, &x, &out), &out);
}

clary_array *clary_py_apply2(int op, clary_array *x, clary_array *y) {
    clary_array *inputs[2] = {x, y}, *out = NULL;
    return result(clary_apply((clary_op)op, inputs, &out), &out);
}

static clary_array *apply_scalar(int op, clary_array *x, clary_scalar s, bool reflected) {
    clary_array *y = NULL, *out = NULL;
    clary_status status = clary_scalar_array(clary_array_device(x), s, &y);
    if (status == CLARY_OK) {
        clary_array *inputs[2] = {reflected ? y : x, reflected ? x : y};
        status = clary_apply((clary_op)op, inputs, &out);
        clary_release(&y);
    }
    return result(status, &out);
}

clary_array *clary_py_apply_int(int op, clary_array *x, int64_t s, bool reflected) {
    return apply_scalar(op, x, (clary_scalar){.kind = CLARY_SCALAR_INT, .i = s}, reflected);
}

clary_array *clary_py_apply_float(int op, clary_array *x, double s, bool reflected) {
    return apply_scalar(op, x, (clary_scalar){.kind = CLARY_SCALAR_FLOAT, .re = s}, reflected);
}

clary_status clary_py_update(int op, clary_array *x, clary_array *y) {
    clary_array *inputs[2] = {x, y};
    return clary_apply_into((clary_op)op, inputs, x);
}

clary_array *clary_py_scalar(clary_device *device, int kind, int64_t i, uint64_t u, double re,
                             double im) {
    clary_scalar s = {.kind = (clary_scalar_kind)kind, .i = i, .u = u, .re = re, .im = im};
    clary_array *out = NULL;
    return result(clary_scalar_array(device, s, &out), &out);
}

clary_array *clary_py_get(clary_array *a, int count, const int64_t *items) {
    clary_index index[2 * CLARY_MAX_NDIM + 1];
    clary_array *out = NULL;
    if (count > 2 * CLARY_MAX_NDIM + 1)
        count = 2 * CLARY_MAX_NDIM + 1; /* enough for the library to refuse */
    for (int i = 0; i < count; i++, items += 5)
        index[i] = (clary_index){.kind = (clary_index_kind)items[0],
                                 .has_start = items[1] & 1,
                                 .has_stop = (items[1] & 2) != 0,
                                 .start = items[2],
                                 .stop = items[3],
                                 .step = items[4]};
    return result(clary_get(a, count, index, &out), &out);
}

bool clary_py_same_window(const clary_array *a, const clary_array *b) {
    int ndim = clary_array_ndim(a);
    if (!clary_array_shares_storage(a, b) || ndim != clary_array_ndim(b) ||
        clary_array_offset(a) != clary_array_offset(b) ||
        clary_array_dtype(a) != clary_array_dtype(b))
        return false;
    for (int d = 0; d < ndim; d++)
        if (clary_array_shape(a)[d] != clary_array_shape(b)[d] ||
            clary_array_strides(a)[d] != clary_array_strides(b)[d])
            return false;
    return true;
}

clary_array *clary_py_reduce(const char *name, clary_array *a, int naxes, const int *axes,
                             bool keepdims) {
    clary_array *out = NULL;
    return result(clary_reduce_by_name(name, a, naxes, axes, keepdims, &out), &out);
}

/* Of Python itself, which calls the destructor. */
int PyCapsule_IsValid(void *capsule, const char *name);
void *PyCapsule_GetPointer(void *capsule, const char *name);

void clary_py_capsule_end(void *capsule) {
    if (PyCapsule_IsValid(capsule, "dltensor")) {
        clary_dl_managed *m = PyCapsule_GetPointer(capsule, "dltensor");
        m->deleter(m);
    } else if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        clary_dl_versioned *m = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        m->deleter(m);
    }
}

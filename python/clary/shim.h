/* shim.h - what Python's binding calls besides the public headers.
 *
 * These functions exist for speed: they return a new handle (NULL on failure, with the status kept for
 * clary_py_status) so that the hot path needs no out-parameter, and they take plain numbers where the C
 * interface takes structures. Read by the preprocessor with CLARY_CDEF defined, this file is also the
 * list of declarations that cffi wraps.
 */
#ifndef CLARY_PY_SHIM_H
#define CLARY_PY_SHIM_H
#include "clary.h"

enum { CLARY_PY_MAX_NDIM = CLARY_MAX_NDIM };

/* Status of this thread's last shim that returned NULL. */
clary_status clary_py_status(void);

void clary_py_release(clary_array *a);
clary_device *clary_py_retain_device(clary_device *device);

clary_array *clary_py_apply1(int op, clary_array *x);
clary_array *clary_py_apply2(int op, clary_array *x, clary_array *y);
/* op(x, s), or op(s, x) if `reflected`, with a weak scalar s. */
clary_array *clary_py_apply_int(int op, clary_array *x, int64_t s, bool reflected);
clary_array *clary_py_apply_float(int op, clary_array *x, double s, bool reflected);
/* x = op(x, y) in place. */
clary_status clary_py_update(int op, clary_array *x, clary_array *y);
clary_array *clary_py_scalar(clary_device *device, int kind, int64_t i, uint64_t u, double re,
                             double im);

/* a[items]: five numbers an item: kind, has_start + 2 * has_stop, start, stop, step. */
clary_array *clary_py_get(clary_array *a, int count, const int64_t *items);
/* Whether both are the same window on the same storage, so that assigning one to the other is nothing. */
bool clary_py_same_window(const clary_array *a, const clary_array *b);
/* One reduction by name. */
clary_array *clary_py_reduce(const char *name, clary_array *a, int naxes, const int *axes,
                             bool keepdims);

/* The destructor of a Python capsule with a DLPack tensor: deletes the tensor if nobody took it. */
void clary_py_capsule_end(void *capsule);

#endif

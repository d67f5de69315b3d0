/* create.c - arrays from shapes, scalars, ranges and host memory. */
#include "array/array.h"
#include "clary/ops.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

clary_status clary_empty(clary_device *device, clary_dtype dtype, int ndim, const int64_t *shape,
                         clary_array **out) {
    clary__value *v;
    *out = NULL;
    TRY(clary__check_shape("empty", dtype, ndim, shape));
    TRY(clary__device_or_default(device, &device));
    TRY(clary__value_empty(device, dtype, ndim, shape, &v));
    return clary__array_of(v, out);
}

clary_status clary_full(clary_device *device, clary_dtype dtype, int ndim, const int64_t *shape,
                        clary_scalar value, clary_array **out) {
    clary__value *v;
    unsigned char element[16] = {0};
    *out = NULL;
    TRY(clary__check_shape("full", dtype, ndim, shape));
    TRY(clary__device_or_default(device, &device));
    FAIL_IF(!clary__scalar_fits(value, dtype), CLARY_OVERFLOW,
            "full: the integer does not fit dtype %s", clary_dtype_name(dtype));
    clary__scalar_store(value, dtype, element);
    TRY(clary__value_scalar(device, dtype, ndim, shape, element, &v));
    return clary__array_of(v, out);
}

clary_status clary_zeros(clary_device *device, clary_dtype dtype, int ndim, const int64_t *shape,
                         clary_array **out) {
    return clary_full(device, dtype, ndim, shape, (clary_scalar){.kind = CLARY_SCALAR_INT}, out);
}

clary_status clary_ones(clary_device *device, clary_dtype dtype, int ndim, const int64_t *shape,
                        clary_array **out) {
    return clary_full(device, dtype, ndim, shape, (clary_scalar){.kind = CLARY_SCALAR_INT, .i = 1},
                      out);
}

clary_status clary_scalar_array(clary_device *device, clary_scalar value, clary_array **out) {
    static const clary_dtype dtypes[] = {CLARY_BOOL, CLARY_INT64, CLARY_UINT64, CLARY_FLOAT64,
                                         CLARY_COMPLEX128};
    *out = NULL;
    FAIL_IF((unsigned)value.kind > CLARY_SCALAR_COMPLEX, CLARY_INVALID_ARGUMENT,
            "scalar_array: unknown kind %d", (int)value.kind);
    TRY(clary_full(device, dtypes[value.kind], 0, NULL, value, out));
    (*out)->weak = (*out)->read_only = true;
    return CLARY_OK;
}

clary_status clary__weak_float(const clary_array *like, double x, clary_array **out) {
    return clary_scalar_array(clary__device_of(like),
                              (clary_scalar){.kind = CLARY_SCALAR_FLOAT, .re = x}, out);
}

clary_status clary__weak_int(const clary_array *like, int64_t i, clary_array **out) {
    return clary_scalar_array(clary__device_of(like),
                              (clary_scalar){.kind = CLARY_SCALAR_INT, .i = i}, out);
}

/* ---- ranges ---- */

static clary_scalar real(double x) {
    return (clary_scalar){.kind = CLARY_SCALAR_FLOAT, .re = x};
}

static bool as_double(clary_scalar s, double *out) {
    switch (s.kind) {
    case CLARY_SCALAR_BOOL:
    case CLARY_SCALAR_INT: *out = (double)s.i; return true;
    case CLARY_SCALAR_UINT: *out = (double)s.u; return true;
    case CLARY_SCALAR_FLOAT: *out = s.re; return true;
    case CLARY_SCALAR_COMPLEX: return false;
    }
    return false;
}

clary_status clary__ramp(clary_device *device, clary_dtype in, clary_dtype dtype, int64_t count,
                         clary_scalar start, clary_scalar step, clary_array **out) {
    clary__value *index = NULL;
    clary_array *i = NULL, *x = NULL, *a = NULL, *b = NULL, *y = NULL, *z = NULL;
    clary_status status;
    TRY(clary__value_index(device, count, &index));
    TRY_GOTO(done, clary__array_of(index, &i));
    TRY_GOTO(done, clary_astype(i, in, CLARY_CAST_UNSAFE, &x));
    TRY_GOTO(done, clary_full(device, in, 0, NULL, step, &a));
    TRY_GOTO(done, clary_full(device, in, 0, NULL, start, &b));
    TRY_GOTO(done, clary_multiply(x, a, &y));
    TRY_GOTO(done, clary_add(y, b, &z));
    TRY_GOTO(done, clary_astype(z, dtype, CLARY_CAST_UNSAFE, out));
done:
    clary_release(&i);
    clary_release(&x);
    clary_release(&a);
    clary_release(&b);
    clary_release(&y);
    clary_release(&z);
    return status;
}

static bool is_integer_scalar(clary_scalar s) {
    return s.kind <= CLARY_SCALAR_INT;
}

clary_status clary_arange(clary_device *device, clary_dtype dtype, clary_scalar start,
                          clary_scalar stop, clary_scalar step, clary_array **out) {
    double a, b, c;
    *out = NULL;
    TRY(clary__device_or_default(device, &device));
    FAIL_IF((unsigned)dtype >= CLARY_DTYPE_COUNT, CLARY_INVALID_ARGUMENT,
            "arange: unknown dtype %d", (int)dtype);
    FAIL_IF(!as_double(start, &a) || !as_double(stop, &b) || !as_double(step, &c),
            CLARY_DTYPE_MISMATCH, "arange: bounds and step must be real");
    FAIL_IF(c == 0, CLARY_INVALID_ARGUMENT, "arange: step is zero");
    int64_t count;
    bool exact = is_integer_scalar(start) && is_integer_scalar(stop) && is_integer_scalar(step);
    if (exact) {
        __int128 span = (__int128)stop.i - start.i, by = step.i;
        __int128 n = by > 0 ? (span + by - 1) / by : (span + by + 1) / by;
        if (by > 0 ? span <= 0 : span >= 0) n = 0;
        FAIL_IF(n > INT64_MAX, CLARY_INVALID_ARGUMENT, "arange: too many elements");
        count = (int64_t)n;
    } else {
        double n = ceil((b - a) / c);
        FAIL_IF(!(fabs(n) < 9e18), CLARY_INVALID_ARGUMENT,
                "arange: from %g to %g in steps of %g is not a finite number of elements", a, b, c);
        count = n > 0 ? (int64_t)n : 0;
    }
    TRY(clary__check_shape("arange", dtype, 1, &count));
    if (exact) return clary__ramp(device, CLARY_INT64, dtype, count, start, step, out);
    /* NumPy fills with start + i * ((start + step) - start). Into integers it truncates start and step
     * first, which leaves the interval asked for; here they are rounded down at the end. */
    double delta = (a + c) - a;
    if (!clary__is_integer(dtype))
        return clary__ramp(device, CLARY_FLOAT64, dtype, count, real(a), real(delta), out);
    clary_array *x = NULL, *floor = NULL;
    clary_status status;
    TRY_GOTO(done,
             clary__ramp(device, CLARY_FLOAT64, CLARY_FLOAT64, count, real(a), real(delta), &x));
    TRY_GOTO(done, clary_floor(x, &floor));
    status = clary_astype(floor, dtype, CLARY_CAST_UNSAFE, out);
done:
    clary_release(&x);
    clary_release(&floor);
    return status;
}

/* x with its last element replaced. */
static clary_status replace_last(clary_array *x, clary_scalar last, clary_array **out) {
    clary_array *i = NULL, *n = NULL, *is_last = NULL, *value = NULL;
    clary__value *index;
    clary_device *device = clary__device_of(x);
    clary_status status;
    TRY(clary__value_index(device, x->size, &index));
    TRY_GOTO(done, clary__array_of(index, &i));
    TRY_GOTO(done, clary__weak_int(x, x->size - 1, &n));
    TRY_GOTO(done, clary_equal(i, n, &is_last));
    TRY_GOTO(done, clary_full(device, (clary_dtype)x->dtype, 0, NULL, last, &value));
    TRY_GOTO(done, clary_where(is_last, value, x, out));
done:
    clary_release(&i);
    clary_release(&n);
    clary_release(&is_last);
    clary_release(&value);
    return status;
}

clary_status clary_linspace(clary_device *device, clary_dtype dtype, double start, double stop,
                            int64_t num, bool endpoint, clary_array **out) {
    clary_array *x = NULL, *y = NULL;
    clary_status status;
    *out = NULL;
    TRY(clary__device_or_default(device, &device));
    FAIL_IF(num < 0, CLARY_INVALID_ARGUMENT, "linspace: num is %lld; it must not be negative",
            (long long)num);
    TRY(clary__check_shape("linspace", dtype, 1, &num));
    int64_t parts = endpoint ? num - 1 : num;
    /* Halving first keeps a range as wide as the dtype's from overflowing. */
    double step = parts > 0 ? (stop - start) / (double)parts : 0;
    if (isinf(step) && isfinite(start) && isfinite(stop))
        step = (stop / 2 - start / 2) / (double)parts * 2;
    if (isinf(step) && isfinite(start) && isfinite(stop)) step = 0; /* one part: see below */
    TRY_GOTO(done,
             clary__ramp(device, CLARY_FLOAT64, CLARY_FLOAT64, num, real(start), real(step), &x));
    if (endpoint && num > 1)
        TRY_GOTO(done, replace_last(x, real(stop), &y));
    else
        y = clary_retain(x);
    if (clary__is_integer(dtype)) { /* NumPy rounds down, not towards zero */
        clary_array *z = NULL;
        status = clary_floor(y, &z);
        clary_release(&y);
        y = z;
        if (status != CLARY_OK) goto done;
    }
    TRY_GOTO(done, clary_astype(y, dtype, CLARY_CAST_UNSAFE, out));
done:
    clary_release(&x);
    clary_release(&y);
    return status;
}

clary_status clary_eye(clary_device *device, clary_dtype dtype, int64_t rows, int64_t cols,
                       int64_t k, clary_array **out) {
    int64_t shape[2] = {rows, cols};
    clary_array *a = NULL, *diagonal = NULL, *one = NULL;
    clary_status status;
    *out = NULL;
    TRY(clary_zeros(device, dtype, 2, shape, &a));
    if (k < cols && k > -rows) {
        TRY_GOTO(done, clary_diagonal(a, k, 0, 1, &diagonal));
        TRY_GOTO(done, clary_ones(clary__device_of(a), dtype, 0, NULL, &one));
        TRY_GOTO(done, clary_assign(diagonal, one));
    }
    *out = clary_retain(a);
    status = CLARY_OK;
done:
    clary_release(&a);
    clary_release(&diagonal);
    clary_release(&one);
    return status;
}

/* ---- host memory ---- */

/* Gathers a strided host array into C order. */
static void gather(char *to, const char *from, int ndim, const int64_t *shape,
                   const int64_t *byte_strides, size_t item) {
    if (ndim == 0) {
        memcpy(to, from, item);
        return;
    }
    size_t step = item * (size_t)clary__size_of(ndim - 1, shape + 1);
    for (int64_t i = 0; i < shape[0]; i++)
        gather(to + (size_t)i * step, from + i * byte_strides[0], ndim - 1, shape + 1,
               byte_strides + 1, item);
}

clary_status clary_from_host(clary_device *device, clary_dtype dtype, int ndim,
                             const int64_t *shape, const int64_t *byte_strides, const void *data,
                             clary_array **out) {
    clary__buffer *buffer = NULL;
    clary__value *v = NULL;
    char *packed = NULL;
    clary_status status;
    *out = NULL;
    TRY(clary__check_shape("from_host", dtype, ndim, shape));
    TRY(clary__device_or_default(device, &device));
    size_t item = clary_dtype_size(dtype);
    size_t bytes = item * (size_t)clary__size_of(ndim, shape);
    FAIL_IF(!data && bytes, CLARY_INVALID_ARGUMENT, "from_host: data is NULL");
    bool in_order = true;
    if (byte_strides && bytes) {
        int64_t step = (int64_t)item;
        for (int d = ndim - 1; d >= 0; d--) {
            if (shape[d] != 1 && byte_strides[d] != step) in_order = false;
            step *= shape[d];
        }
    }
    clary__lock();
    TRY_GOTO(done, clary__buffer_new(device, bytes, &buffer));
    if (bytes && !in_order) {
        char *target = buffer->host;
        if (target) TRY_GOTO(done, device->backend->wait(device));
        if (!target) target = packed = clary__malloc(bytes);
        if (!target) {
            status =
                clary__fail(CLARY_OUT_OF_MEMORY, "from_host: no host memory for %zu bytes", bytes);
            goto done;
        }
        gather(target, data, ndim, shape, byte_strides, item);
        if (packed) TRY_GOTO(done, device->backend->upload(device, buffer, 0, packed, bytes));
        if (!packed) CLARY__COUNT(bytes_up, bytes);
    } else if (bytes) {
        TRY_GOTO(done, device->backend->upload(device, buffer, 0, data, bytes));
    }
    TRY_GOTO(done, clary__value_leaf(device, dtype, ndim, shape, buffer, &v));
    status = clary__array_of(v, out);
done:
    if (buffer) clary__buffer_release(buffer);
    clary__dealloc(packed);
    clary__unlock();
    return status;
}

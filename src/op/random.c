/* random.c - counter-based random arrays: element-wise work on an index, so they fuse like anything
 * else. */
#include "array/array.h"
#include "clary/ops.h"
#include "clary/random.h"

static clary_scalar number(uint64_t u) {
    return (clary_scalar){.kind = CLARY_SCALAR_UINT, .u = u};
}

/* Word counter + scale * i of the stream for element i, in the shape asked for. */
static clary_status words(clary_device *device, uint64_t key, uint64_t counter, uint64_t scale,
                          int ndim, const int64_t *shape, clary_array **out) {
    clary_array *flat = NULL, *at = NULL, *k = NULL;
    clary_status status;
    TRY_GOTO(done, clary__ramp(device, CLARY_UINT64, CLARY_UINT64, clary__size_of(ndim, shape),
                               number(counter), number(scale), &flat));
    TRY_GOTO(done, clary_reshape(flat, ndim, shape, &at));
    TRY_GOTO(done, clary_full(device, CLARY_UINT64, 0, NULL, number(key), &k));
    status = clary_philox_bits(at, k, out);
done:
    clary_release(&flat);
    clary_release(&at);
    clary_release(&k);
    return status;
}

clary_status clary_random_bits(clary_device *device, uint64_t key, uint64_t counter, int ndim,
                               const int64_t *shape, clary_array **out) {
    *out = NULL;
    TRY(clary__check_shape("random_bits", CLARY_UINT32, ndim, shape));
    TRY(clary__device_or_default(device, &device));
    return words(device, key, counter, 1, ndim, shape, out);
}

/* (x >> drop), cast to dtype: the high bits as a float's exact integer. */
static clary_status high_bits(clary_array *x, int drop, clary_dtype dtype, clary_array **out) {
    clary_array *n = NULL, *y = NULL;
    clary_status status;
    TRY_GOTO(done, clary__weak_int(x, drop, &n));
    TRY_GOTO(done, clary_right_shift(x, n, &y));
    status = clary_astype(y, dtype, CLARY_CAST_UNSAFE, out);
done:
    clary_release(&n);
    clary_release(&y);
    return status;
}

static clary_status times(clary_array *x, double factor, clary_array **out) {
    clary_array *f = NULL;
    TRY(clary__weak_float(x, factor, &f));
    clary_status status = clary_multiply(x, f, out);
    clary_release(&f);
    return status;
}

/* float32: the top 24 bits of a word, times 2^-24. float64: 27 + 26 bits of two words, times 2^-53.
 * The largest result is 1 - 2^-24 or 1 - 2^-53. */
clary_status clary_random_uniform(clary_device *device, clary_dtype dtype, uint64_t key,
                                  uint64_t counter, int ndim, const int64_t *shape,
                                  clary_array **out) {
    clary_array *w = NULL, *high = NULL, *w2 = NULL, *low = NULL, *shifted = NULL, *sum = NULL;
    clary_status status;
    *out = NULL;
    FAIL_IF(dtype != CLARY_FLOAT32 && dtype != CLARY_FLOAT64, CLARY_DTYPE_MISMATCH,
            "random_uniform: dtype is %s; it must be float32 or float64", clary_dtype_name(dtype));
    TRY(clary__check_shape("random_uniform", dtype, ndim, shape));
    TRY(clary__device_or_default(device, &device));
    if (dtype == CLARY_FLOAT32) {
        TRY_GOTO(done, words(device, key, counter, 1, ndim, shape, &w));
        TRY_GOTO(done, high_bits(w, 8, CLARY_FLOAT32, &high));
        status = times(high, 0x1p-24, out);
    } else {
        TRY_GOTO(done, words(device, key, counter, 2, ndim, shape, &w));
        TRY_GOTO(done, words(device, key, counter + 1, 2, ndim, shape, &w2));
        TRY_GOTO(done, high_bits(w, 5, CLARY_FLOAT64, &high));
        TRY_GOTO(done, high_bits(w2, 6, CLARY_FLOAT64, &low));
        TRY_GOTO(done, times(high, 0x1p26, &shifted));
        TRY_GOTO(done, clary_add(shifted, low, &sum));
        status = times(sum, 0x1p-53, out);
    }
done:
    clary_release(&w);
    clary_release(&high);
    clary_release(&w2);
    clary_release(&low);
    clary_release(&shifted);
    clary_release(&sum);
    return status;
}

clary_status clary_random_exponential(clary_device *device, clary_dtype dtype, uint64_t key,
                                      uint64_t counter, int ndim, const int64_t *shape,
                                      clary_array **out) {
    clary_array *u = NULL;
    *out = NULL;
    TRY(clary_random_uniform(device, dtype, key, counter, ndim, shape, &u));
    clary_status status = clary_random_exponential_of(u, out);
    clary_release(&u);
    return status;
}

/* The radius comes from the first words of the draw, the angle from those behind them. */
clary_status clary_random_normal(clary_device *device, clary_dtype dtype, uint64_t key,
                                 uint64_t counter, int ndim, const int64_t *shape,
                                 clary_array **out) {
    clary_array *u = NULL, *v = NULL;
    clary_status status;
    *out = NULL;
    TRY(clary_random_uniform(device, dtype, key, counter, ndim, shape, &u));
    uint64_t words = (uint64_t)clary__size_of(ndim, shape) * (dtype == CLARY_FLOAT32 ? 1 : 2);
    TRY_GOTO(done, clary_random_uniform(device, dtype, key, counter + words, ndim, shape, &v));
    status = clary_random_normal_of(u, v, out);
done:
    clary_release(&u);
    clary_release(&v);
    return status;
}

clary_status clary_random_integers(clary_device *device, clary_dtype dtype, uint64_t low,
                                   uint64_t count, uint64_t key, uint64_t counter, int ndim,
                                   const int64_t *shape, clary_array **out) {
    clary_array *flat = NULL, *at = NULL, *k = NULL, *n = NULL, *y = NULL, *first = NULL,
                *sum = NULL;
    clary_status status;
    *out = NULL;
    FAIL_IF(!clary__is_integer(dtype) && dtype != CLARY_BOOL, CLARY_DTYPE_MISMATCH,
            "random_integers: dtype is %s; it must be bool or an integer", clary_dtype_name(dtype));
    TRY(clary__check_shape("random_integers", CLARY_UINT64, ndim, shape));
    TRY(clary__device_or_default(device, &device));
    TRY_GOTO(done, clary__ramp(device, CLARY_UINT64, CLARY_UINT64, clary__size_of(ndim, shape),
                               number(counter), number(1), &flat));
    TRY_GOTO(done, clary_reshape(flat, ndim, shape, &at));
    TRY_GOTO(done, clary_full(device, CLARY_UINT64, 0, NULL, number(key), &k));
    TRY_GOTO(done, clary_full(device, CLARY_UINT64, 0, NULL, number(count), &n));
    TRY_GOTO(done, clary_full(device, CLARY_UINT64, 0, NULL, number(low), &first));
    TRY_GOTO(done, clary_random_below_of(at, k, n, &y));
    TRY_GOTO(done, clary_add(y, first, &sum));
    status = clary_astype(sum, dtype, CLARY_CAST_UNSAFE, out);
done:
    clary_release(&flat);
    clary_release(&at);
    clary_release(&k);
    clary_release(&n);
    clary_release(&y);
    clary_release(&first);
    clary_release(&sum);
    return status;
}

/* fft.c - Fourier transforms along an axis: one FFT node each, scaled and padded by other operations. */
#include "clary/fft.h"
#include "clary/manip.h"
#include "graph/group.h"
#include "op/expression.h"
#include <math.h>

/* a cut or padded with zeros to `count` elements along the axis. */
static clary_array *fitted(clary__expression *e, clary_array *a, int axis, int64_t count) {
    clary__layout cut;
    if (!a || a->geometry[axis] == count) return a;
    if (a->geometry[axis] > count) {
        clary__array_layout(a, &cut);
        cut.shape[axis] = count;
        return CLARY__MAKE(e, clary__array_view(a, &cut, made));
    }
    int64_t shape[CLARY_MAX_NDIM];
    for (int d = 0; d < a->ndim; d++) shape[d] = a->geometry[d];
    shape[axis] = count - shape[axis];
    clary_array *zeros = CLARY__MAKE(
        e, clary_zeros(clary__device_of(a), (clary_dtype)a->dtype, a->ndim, shape, made));
    clary_array *both[2] = {a, zeros};
    return zeros ? CLARY__MAKE(e, clary_concat(both, 2, axis, made)) : NULL;
}

static clary_array *node(clary__expression *e, int kind, bool normalize, int64_t n, int axis,
                         clary_array *a) {
    clary__value *input = a ? clary__value_in(e, a) : NULL, *v = NULL;
    clary_array *result = NULL;
    int64_t outer = 1, inner = 1, shape[CLARY_MAX_NDIM];
    if (!input) return NULL;
    for (int d = 0; d < a->ndim; d++) {
        shape[d] = a->geometry[d];
        if (d < axis) outer *= shape[d];
        if (d > axis) inner *= shape[d];
    }
    shape[axis] = kind == CLARY__FFT_REAL ? n / 2 + 1 : n;
    clary_status status = clary__value_fft(kind, normalize, outer, n, inner, input, &v);
    clary__value_release(input);
    if (status == CLARY_OK) status = clary__array_of_shape(v, a->ndim, shape, &result);
    return clary__keep(e, status, result);
}

static clary_status transform(const char *what, int kind, clary_array *a, int64_t n, int axis,
                              clary_fft_norm norm, clary_array **out) {
    clary__expression e = {0};
    clary_dtype t = (clary_dtype)a->dtype;
    bool hermitian = kind == CLARY__FFT_HERMITIAN;
    bool back = hermitian || kind == CLARY__FFT_INVERSE;
    bool single =
        t == CLARY_FLOAT16 || t == CLARY_BFLOAT16 || t == CLARY_FLOAT32 || t == CLARY_COMPLEX64;
    *out = NULL;
    TRY(clary__axis(what, axis, a->ndim, &axis));
    FAIL_IF(kind == CLARY__FFT_REAL && clary__is_complex(t), CLARY_DTYPE_MISMATCH,
            "%s: takes real numbers, not %s", what, clary_dtype_name(t));
    if (n == 0) n = hermitian ? 2 * (a->geometry[axis] - 1) : a->geometry[axis];
    FAIL_IF(n < 1, CLARY_INVALID_ARGUMENT, "%s: Invalid number of FFT data points (%lld) specified",
            what, (long long)n);
    clary_dtype in = kind == CLARY__FFT_REAL ? single ? CLARY_FLOAT32 : CLARY_FLOAT64
                     : single                ? CLARY_COMPLEX64
                                             : CLARY_COMPLEX128;
    clary_array *x = clary__cast(&e, fitted(&e, a, axis, hermitian ? n / 2 + 1 : n), in);
    bool by_node = back && norm == CLARY_FFT_BACKWARD;
    bool scaled = norm == CLARY_FFT_ORTHO || (!back && norm == CLARY_FFT_FORWARD_NORM);
    clary_array *y = node(&e, kind, by_node, n, axis, x);
    if (y && scaled) {
        double factor = norm == CLARY_FFT_ORTHO ? 1 / sqrt((double)n) : 1 / (double)n;
        clary_array *weak = CLARY__MAKE(&e, clary__weak_float(y, factor, made));
        y = weak ? clary__op2(&e, CLARY_OP_multiply, y, weak) : NULL;
    }
    if (y && hermitian && t == CLARY_FLOAT16) y = clary__cast(&e, y, CLARY_FLOAT16);
    return clary__result(&e, y, out);
}

clary_status clary_fft(clary_array *a, int64_t n, int axis, clary_fft_norm norm,
                       clary_array **out) {
    return transform("fft", CLARY__FFT_FORWARD, a, n, axis, norm, out);
}

clary_status clary_ifft(clary_array *a, int64_t n, int axis, clary_fft_norm norm,
                        clary_array **out) {
    return transform("ifft", CLARY__FFT_INVERSE, a, n, axis, norm, out);
}

clary_status clary_rfft(clary_array *a, int64_t n, int axis, clary_fft_norm norm,
                        clary_array **out) {
    return transform("rfft", CLARY__FFT_REAL, a, n, axis, norm, out);
}

clary_status clary_irfft(clary_array *a, int64_t n, int axis, clary_fft_norm norm,
                         clary_array **out) {
    return transform("irfft", CLARY__FFT_HERMITIAN, a, n, axis, norm, out);
}

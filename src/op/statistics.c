/* statistics.c - reductions made of other operations: recorded as graphs, so the planner fuses
 * them.
 *
 * mean is one kernel (the division is the reduction's epilogue); var and std are two (mean, then
 * squared distances from it), which is what keeps them free of cancellation.
 */
#include "op/reduce.h"

/* x / divisor, cast to dtype. */
static clary_status scaled(clary_array *x, double divisor, clary_dtype dtype, clary_array **out) {
    clary_array *n = NULL, *q = NULL;
    clary_status status;
    TRY_GOTO(done, clary__weak_float(x, divisor, &n));
    TRY_GOTO(done, clary_divide(x, n, &q));
    status = clary_astype(q, dtype, CLARY_CAST_UNSAFE, out);
done:
    clary_release(&n);
    clary_release(&q);
    return status;
}

/* The mean in its accumulator's dtype. */
static clary_status wide_mean(clary_array *a, const clary__reduction *r, clary_array **out) {
    clary_dtype t = clary__mean_dtype((clary_dtype)a->dtype);
    clary_array *sum = NULL;
    TRY(clary__fold(a, r, CLARY_OP_add, t, t, &sum));
    clary_status status = scaled(sum, (double)r->count, t, out);
    clary_release(&sum);
    return status;
}

clary_status clary_mean(clary_array *a, int naxes, const int *axes, bool keepdims,
                        clary_array **out) {
    clary__reduction r;
    clary_array *mean = NULL;
    *out = NULL;
    TRY(clary__reduction_of("mean", a, naxes, axes, keepdims, &r));
    TRY(wide_mean(a, &r, &mean));
    clary_status status =
        clary_astype(mean, clary__mean_result((clary_dtype)a->dtype), CLARY_CAST_UNSAFE, out);
    clary_release(&mean);
    return status;
}

/* |x|^2, without the root that `absolute` would take. */
static clary_status squared_magnitude(clary_array *x, clary_array **out) {
    clary_array *conj = NULL, *product = NULL;
    clary_status status;
    if (!clary__is_complex((clary_dtype)x->dtype)) return clary_multiply(x, x, out);
    TRY_GOTO(done, clary_conjugate(x, &conj));
    TRY_GOTO(done, clary_multiply(x, conj, &product));
    status = clary_real(product, out);
done:
    clary_release(&conj);
    clary_release(&product);
    return status;
}

static clary_status root_as(clary_array *x, bool root, clary_dtype dtype, clary_array **out) {
    clary_array *y = NULL;
    if (!root) return clary_astype(x, dtype, CLARY_CAST_UNSAFE, out);
    TRY(clary_sqrt(x, &y));
    clary_status status = clary_astype(y, dtype, CLARY_CAST_UNSAFE, out);
    clary_release(&y);
    return status;
}

static clary_status spread(const char *name, clary_array *a, int naxes, const int *axes,
                           double correction, bool keepdims, bool root, clary_array **out) {
    clary__reduction r, kept;
    clary_array *mean = NULL, *wide = NULL, *d = NULL, *d2 = NULL, *sum = NULL, *var = NULL;
    clary_status status;
    *out = NULL;
    TRY(clary__reduction_of(name, a, naxes, axes, keepdims, &r));
    kept = r;
    kept.keepdims = true;
    clary_dtype t = clary__mean_dtype((clary_dtype)a->dtype);
    double divisor = (double)r.count - correction;
    TRY_GOTO(done, wide_mean(a, &kept, &mean));
    TRY_GOTO(done, clary_astype(a, t, CLARY_CAST_UNSAFE, &wide));
    TRY_GOTO(done, clary_subtract(wide, mean, &d));
    TRY_GOTO(done, squared_magnitude(d, &d2));
    TRY_GOTO(done, clary__fold(d2, &r, CLARY_OP_add, clary__real_of(t), clary__real_of(t), &sum));
    TRY_GOTO(done, scaled(sum, divisor > 0 ? divisor : 0, clary__real_of(t), &var));
    status = root_as(var, root, clary__real_of(clary__mean_result((clary_dtype)a->dtype)), out);
done:
    clary_release(&mean);
    clary_release(&wide);
    clary_release(&d);
    clary_release(&d2);
    clary_release(&sum);
    clary_release(&var);
    return status;
}

clary_status clary_var(clary_array *a, int naxes, const int *axes, double correction, bool keepdims,
                       clary_array **out) {
    return spread("var", a, naxes, axes, correction, keepdims, false, out);
}

clary_status clary_std(clary_array *a, int naxes, const int *axes, double correction, bool keepdims,
                       clary_array **out) {
    return spread("std", a, naxes, axes, correction, keepdims, true, out);
}

clary_status clary_norm(clary_array *a, int naxes, const int *axes, bool keepdims,
                        clary_array **out) {
    clary__reduction r;
    clary_array *wide = NULL, *squares = NULL, *sum = NULL;
    clary_status status;
    *out = NULL;
    TRY(clary__reduction_of("norm", a, naxes, axes, keepdims, &r));
    clary_dtype t = clary__mean_dtype((clary_dtype)a->dtype);
    TRY_GOTO(done, clary_astype(a, t, CLARY_CAST_UNSAFE, &wide));
    TRY_GOTO(done, squared_magnitude(wide, &squares));
    TRY_GOTO(done,
             clary__fold(squares, &r, CLARY_OP_add, clary__real_of(t), clary__real_of(t), &sum));
    status = root_as(sum, true, clary__real_of(clary__mean_result((clary_dtype)a->dtype)), out);
done:
    clary_release(&wide);
    clary_release(&squares);
    clary_release(&sum);
    return status;
}

clary_status clary_ptp(clary_array *a, int naxes, const int *axes, bool keepdims,
                       clary_array **out) {
    clary_array *high = NULL, *low = NULL;
    clary_status status;
    *out = NULL;
    TRY_GOTO(done, clary_max(a, naxes, axes, keepdims, &high));
    TRY_GOTO(done, clary_min(a, naxes, axes, keepdims, &low));
    status = clary_subtract(high, low, out);
done:
    clary_release(&high);
    clary_release(&low);
    return status;
}

clary_status clary_logsumexp(clary_array *a, int naxes, const int *axes, bool keepdims,
                             clary_array **out) {
    clary__reduction r, kept;
    clary_array *wide = NULL, *max = NULL, *finite = NULL, *zero = NULL, *shift = NULL, *d = NULL,
                *e = NULL, *sum = NULL, *log = NULL, *flat = NULL, *total = NULL;
    clary_status status;
    *out = NULL;
    TRY(clary__reduction_of("logsumexp", a, naxes, axes, keepdims, &r));
    kept = r;
    kept.keepdims = true;
    clary_dtype t = clary__mean_dtype((clary_dtype)a->dtype);
    FAIL_IF(clary__is_complex(t), CLARY_DTYPE_MISMATCH, "logsumexp: no loop for %s",
            clary_dtype_name(t));
    TRY_GOTO(done, clary_astype(a, t, CLARY_CAST_UNSAFE, &wide));
    TRY_GOTO(done, clary__fold(wide, &kept, CLARY_OP_maximum, t, t, &max));
    /* An infinite maximum must not meet itself: inf - inf is NaN. */
    TRY_GOTO(done, clary_isfinite(max, &finite));
    TRY_GOTO(done, clary__weak_int(a, 0, &zero));
    TRY_GOTO(done, clary_where(finite, max, zero, &shift));
    TRY_GOTO(done, clary_subtract(wide, shift, &d));
    TRY_GOTO(done, clary_exp(d, &e));
    TRY_GOTO(done, clary__fold(e, &r, CLARY_OP_add, t, t, &sum));
    TRY_GOTO(done, clary_log(sum, &log));
    TRY_GOTO(done, clary_reshape(shift, log->ndim, log->geometry, &flat));
    TRY_GOTO(done, clary_add(log, flat, &total));
    status = clary_astype(total, clary__mean_result((clary_dtype)a->dtype), CLARY_CAST_UNSAFE, out);
done:
    clary_release(&wide);
    clary_release(&max);
    clary_release(&finite);
    clary_release(&zero);
    clary_release(&shift);
    clary_release(&d);
    clary_release(&e);
    clary_release(&sum);
    clary_release(&log);
    clary_release(&flat);
    clary_release(&total);
    return status;
}

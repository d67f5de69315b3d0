/* nan.c - reductions that pass over NaN: the plain reduction of a filled copy (recorded, so the
 * filling is fused), and where it matters the count of what was left. */
#include "op/reduce.h"
#include <math.h>

static bool has_nan(const clary_array *a) {
    return clary__is_float((clary_dtype)a->dtype) || clary__is_complex((clary_dtype)a->dtype);
}

/* where(isnan(a), fill, a); *missing: isnan(a), if asked for. */
static clary_status filled(clary_array *a, double fill, clary_array **missing, clary_array **out) {
    clary_array *is = NULL, *x = NULL;
    clary_status status;
    TRY_GOTO(done, clary_isnan(a, &is));
    TRY_GOTO(done, clary__weak_float(a, fill, &x));
    TRY_GOTO(done, clary_where(is, x, a, out));
    if (missing) *missing = clary_retain(is);
done:
    clary_release(&is);
    clary_release(&x);
    return status;
}

static clary_status without(clary_array *a, double fill, int naxes, const int *axes, bool keepdims,
                            clary_status (*reduce)(clary_array *, int, const int *, bool,
                                                   clary_array **),
                            clary_array **out) {
    clary_array *x = NULL;
    *out = NULL;
    if (!has_nan(a)) return reduce(a, naxes, axes, keepdims, out);
    TRY(filled(a, fill, NULL, &x));
    clary_status status = reduce(x, naxes, axes, keepdims, out);
    clary_release(&x);
    return status;
}

clary_status clary_nansum(clary_array *a, int naxes, const int *axes, bool keepdims,
                          clary_array **out) {
    return without(a, 0, naxes, axes, keepdims, clary_sum, out);
}

clary_status clary_nanprod(clary_array *a, int naxes, const int *axes, bool keepdims,
                           clary_array **out) {
    return without(a, 1, naxes, axes, keepdims, clary_prod, out);
}

/* An index needs an element that is not NaN in every slice; that is known only by looking. */
static clary_status
position(const char *name, clary_array *a, double fill, int naxes, const int *axes, bool keepdims,
         clary_status (*reduce)(clary_array *, int, const int *, bool, clary_array **),
         clary_array **out) {
    clary_array *is = NULL, *all = NULL, *any = NULL;
    clary_scalar answer = {.i = 0};
    clary_status status;
    *out = NULL;
    if (!has_nan(a) || a->size == 0) return reduce(a, naxes, axes, keepdims, out);
    TRY_GOTO(done, clary_isnan(a, &is));
    TRY_GOTO(done, clary_all(is, naxes, axes, false, &all));
    TRY_GOTO(done, clary_any(all, 0, NULL, false, &any));
    TRY_GOTO(done, clary_item(any, &answer));
    if (answer.i) {
        status = clary__fail(CLARY_INVALID_ARGUMENT, "%s: a slice holds nothing but NaN", name);
        goto done;
    }
    status = without(a, fill, naxes, axes, keepdims, reduce, out);
done:
    clary_release(&is);
    clary_release(&all);
    clary_release(&any);
    return status;
}

clary_status clary_nanargmax(clary_array *a, int naxes, const int *axes, bool keepdims,
                             clary_array **out) {
    return position("nanargmax", a, -INFINITY, naxes, axes, keepdims, clary_argmax, out);
}

clary_status clary_nanargmin(clary_array *a, int naxes, const int *axes, bool keepdims,
                             clary_array **out) {
    return position("nanargmin", a, INFINITY, naxes, axes, keepdims, clary_argmin, out);
}

/* sum of `x` over what is not missing, divided by (their number - correction); NaN where that is not
 * above 0. */
static clary_status average(clary_array *x, clary_array *missing, const clary__reduction *r,
                            double correction, clary_array **out) {
    clary_array *present = NULL, *count = NULL, *sum = NULL, *less = NULL, *divisor = NULL,
                *zero = NULL, *nothing = NULL, *enough = NULL, *cast = NULL;
    clary_dtype t = (clary_dtype)x->dtype;
    clary_status status;
    TRY_GOTO(done, clary__fold(x, r, CLARY_OP_add, t, t, &sum));
    TRY_GOTO(done, clary_logical_not(missing, &present));
    TRY_GOTO(done, clary__fold(present, r, CLARY_OP_add, CLARY_INT64, CLARY_INT64, &count));
    TRY_GOTO(done, clary_astype(count, clary__real_of(t), CLARY_CAST_UNSAFE, &cast));
    TRY_GOTO(done, clary__weak_float(x, correction, &less));
    TRY_GOTO(done, clary_subtract(cast, less, &divisor));
    if (correction != 0) {
        TRY_GOTO(done, clary__weak_float(x, 0, &zero));
        TRY_GOTO(done, clary__weak_float(x, NAN, &nothing));
        TRY_GOTO(done, clary_greater(divisor, zero, &enough));
        clary_release(&cast);
        TRY_GOTO(done, clary_where(enough, divisor, nothing, &cast));
        status = clary_divide(sum, cast, out);
    } else {
        status = clary_divide(sum, divisor, out);
    }
done:
    clary_release(&present);
    clary_release(&count);
    clary_release(&sum);
    clary_release(&less);
    clary_release(&divisor);
    clary_release(&zero);
    clary_release(&nothing);
    clary_release(&enough);
    clary_release(&cast);
    return status;
}

clary_status clary_nanmean(clary_array *a, int naxes, const int *axes, bool keepdims,
                           clary_array **out) {
    clary__reduction r;
    clary_array *wide = NULL, *missing = NULL, *x = NULL, *mean = NULL;
    clary_status status;
    *out = NULL;
    if (!has_nan(a)) return clary_mean(a, naxes, axes, keepdims, out);
    TRY(clary__reduction_of("nanmean", a, naxes, axes, keepdims, &r));
    TRY_GOTO(done,
             clary_astype(a, clary__mean_dtype((clary_dtype)a->dtype), CLARY_CAST_UNSAFE, &wide));
    TRY_GOTO(done, filled(wide, 0, &missing, &x));
    TRY_GOTO(done, average(x, missing, &r, 0, &mean));
    status = clary_astype(mean, (clary_dtype)a->dtype, CLARY_CAST_UNSAFE, out);
done:
    clary_release(&wide);
    clary_release(&missing);
    clary_release(&x);
    clary_release(&mean);
    return status;
}

static clary_status spread(const char *name, clary_array *a, int naxes, const int *axes,
                           double correction, bool keepdims, bool root, clary_array **out) {
    clary__reduction r, kept;
    clary_array *wide = NULL, *missing = NULL, *x = NULL, *mean = NULL, *d = NULL, *m = NULL,
                *m2 = NULL, *zero = NULL, *d2 = NULL, *var = NULL, *rooted = NULL;
    clary_status status;
    *out = NULL;
    TRY(clary__reduction_of(name, a, naxes, axes, keepdims, &r));
    kept = r;
    kept.keepdims = true;
    clary_dtype t = clary__mean_dtype((clary_dtype)a->dtype);
    TRY_GOTO(done, clary_astype(a, t, CLARY_CAST_UNSAFE, &wide));
    TRY_GOTO(done, filled(wide, 0, &missing, &x));
    TRY_GOTO(done, average(x, missing, &kept, 0, &mean));
    TRY_GOTO(done, clary_subtract(x, mean, &d));
    TRY_GOTO(done, clary_absolute(d, &m));
    TRY_GOTO(done, clary_multiply(m, m, &m2));
    TRY_GOTO(done, clary__weak_float(a, 0, &zero));
    TRY_GOTO(done, clary_where(missing, zero, m2, &d2));
    TRY_GOTO(done, average(d2, missing, &r, correction, &var));
    if (root) TRY_GOTO(done, clary_sqrt(var, &rooted));
    status = clary_astype(root ? rooted : var, clary__real_of((clary_dtype)a->dtype),
                          CLARY_CAST_UNSAFE, out);
done:
    clary_release(&wide);
    clary_release(&missing);
    clary_release(&x);
    clary_release(&mean);
    clary_release(&d);
    clary_release(&m);
    clary_release(&m2);
    clary_release(&zero);
    clary_release(&d2);
    clary_release(&var);
    clary_release(&rooted);
    return status;
}

clary_status clary_nanvar(clary_array *a, int naxes, const int *axes, double correction,
                          bool keepdims, clary_array **out) {
    if (!has_nan(a)) return clary_var(a, naxes, axes, correction, keepdims, out);
    return spread("nanvar", a, naxes, axes, correction, keepdims, false, out);
}

clary_status clary_nanstd(clary_array *a, int naxes, const int *axes, double correction,
                          bool keepdims, clary_array **out) {
    if (!has_nan(a)) return clary_std(a, naxes, axes, correction, keepdims, out);
    return spread("nanstd", a, naxes, axes, correction, keepdims, true, out);
}

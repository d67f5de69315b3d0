/* apply.c - element-wise operations on arrays: NumPy's broadcasting and promotion around one OP
 * node. */
#include "array/array.h"
#include "clary/ops.h"
#include <string.h>

clary_status clary_broadcast_shapes(int ndim1, const int64_t *shape1, int ndim2,
                                    const int64_t *shape2, int *out_ndim, int64_t *out_shape) {
    int ndim = ndim1 > ndim2 ? ndim1 : ndim2;
    FAIL_IF(ndim > CLARY_MAX_NDIM, CLARY_INVALID_ARGUMENT, "broadcast: %d dimensions; at most %d",
            ndim, CLARY_MAX_NDIM);
    for (int d = 1; d <= ndim; d++) {
        int64_t a = d <= ndim1 ? shape1[ndim1 - d] : 1, b = d <= ndim2 ? shape2[ndim2 - d] : 1;
        if (a != b && a != 1 && b != 1) {
            char t1[CLARY__SHAPE_TEXT], t2[CLARY__SHAPE_TEXT];
            return clary__fail(CLARY_SHAPE_MISMATCH, "shapes %s and %s do not broadcast",
                               clary__shape_text(ndim1, shape1, t1),
                               clary__shape_text(ndim2, shape2, t2));
        }
        out_shape[ndim - d] = a == 1 ? b : a;
    }
    *out_ndim = ndim;
    return CLARY_OK;
}

static const char *name_of(clary_op op) {
    clary_op_info info;
    return clary_get_op_info(op, &info) == CLARY_OK ? info.name : "?";
}

static bool is_comparison(clary_op op) {
    return op == CLARY_OP_equal || op == CLARY_OP_not_equal || op == CLARY_OP_less ||
           op == CLARY_OP_less_equal || op == CLARY_OP_greater || op == CLARY_OP_greater_equal;
}

/* The value an input takes part with: broadcast and cast to its compute dtype. */
static clary_status operand(clary_op op, clary_array *a, clary_device *device, clary_dtype dtype,
                            int ndim, const int64_t *shape, clary__value **out) {
    clary__value *v;
    if (a->weak) return clary__weak_value(name_of(op), a, device, dtype, out);
    *out = NULL;
    TRY(clary__array_broadcast(a, ndim, shape, &v));
    clary_status status = clary__value_cast(v, dtype, out);
    clary__value_release(v);
    return status;
}

/* What a comparison answers where x < y (or else x > y) is known. */
static bool answer_of(clary_op op, bool x_is_less) {
    if (op == CLARY_OP_not_equal) return true;
    return x_is_less ? op == CLARY_OP_less || op == CLARY_OP_less_equal
                     : op == CLARY_OP_greater || op == CLARY_OP_greater_equal;
}

/* Comparing with a weak integer outside the other side's range: the answer is the same for every
 * element. Returns true and the answer if that is the case. */
static bool decided(clary_op op, clary_array *const *inputs, clary_dtype compute, bool *answer) {
    if (!is_comparison(op)) return false;
    for (int i = 0; i < 2; i++) {
        if (!inputs[i]->weak || inputs[1 - i]->weak) continue;
        clary_scalar s =
            clary__scalar_load(inputs[i]->storage->current->scalar, (clary_dtype)inputs[i]->dtype);
        if (clary__scalar_fits(s, compute)) return false;
        bool scalar_is_larger = s.kind == CLARY_SCALAR_UINT || s.i > 0;
        *answer = answer_of(op, scalar_is_larger == (i == 1));
        return true;
    }
    return false;
}

/* int64 against uint64 meets in float64, which cannot tell neighbours apart. Compared exactly: a
 * negative int64 is less than everything; else both are uint64. */
static clary_status compare_mixed(clary_op op, clary_array *x, clary_array *y, clary_array **out) {
    bool swapped = x->dtype == CLARY_UINT64;
    clary_array *i = swapped ? y : x, *u = swapped ? x : y;
    clary_array *zero = NULL, *negative = NULL, *as_u = NULL, *rest = NULL, *fixed = NULL;
    clary_status status;
    TRY_GOTO(done, clary__weak_int(i, 0, &zero));
    TRY_GOTO(done, clary_less(i, zero, &negative));
    TRY_GOTO(done, clary_astype(i, CLARY_UINT64, CLARY_CAST_UNSAFE, &as_u));
    clary_array *sides[2] = {swapped ? u : as_u, swapped ? as_u : u};
    TRY_GOTO(done, clary_apply(op, sides, &rest));
    bool answer = answer_of(op, !swapped); /* where i is negative */
    TRY_GOTO(done, clary_full(clary__device_of(i), CLARY_BOOL, 0, NULL,
                              (clary_scalar){.kind = CLARY_SCALAR_BOOL, .i = answer}, &fixed));
    TRY_GOTO(done, clary_where(negative, fixed, rest, out));
done:
    clary_release(&zero);
    clary_release(&negative);
    clary_release(&as_u);
    clary_release(&rest);
    clary_release(&fixed);
    return status;
}

/* The first input that is not a mere scalar decides the device; scalars follow it. */
static clary_status common_device(clary_op op, clary_array *const *inputs, int n,
                                  clary_device **out) {
    *out = NULL;
    for (int i = 0; i < n; i++) {
        if (inputs[i]->weak) continue;
        clary_device *device = clary__device_of(inputs[i]);
        if (!*out) *out = device;
        FAIL_IF(device != *out, CLARY_DEVICE_MISMATCH,
                "%s: arguments are on '%s' and '%s'; move one with clary_to_device", name_of(op),
                (*out)->info.name, device->info.name);
    }
    if (!*out) *out = clary__device_of(inputs[0]);
    return CLARY_OK;
}

static clary_status broadcast_inputs(clary_op op, clary_array *const *inputs, int n, int *ndim,
                                     int64_t *shape) {
    *ndim = inputs[0]->ndim;
    memcpy(shape, inputs[0]->geometry, (size_t)*ndim * sizeof *shape);
    for (int i = 1; i < n; i++) {
        clary_status status =
            clary_broadcast_shapes(*ndim, shape, inputs[i]->ndim, inputs[i]->geometry, ndim, shape);
        if (status != CLARY_OK) return clary__fail_in(status, "%s", name_of(op));
    }
    return CLARY_OK;
}

static clary_dtype input_dtype(const clary_op_info *info, int i, clary_dtype compute) {
    if (!strcmp(info->rule, "SELECT") && i == 0) return CLARY_BOOL;
    if (!strcmp(info->rule, "F_SHIFT") && i == 1) return CLARY_INT32;
    return compute;
}

clary_status clary_apply(clary_op op, clary_array *const *inputs, clary_array **out) {
    clary_op_info info;
    clary_device *device;
    clary_dtype dtypes[3], compute, result;
    bool weak[3], answer;
    int ndim;
    int64_t shape[CLARY_MAX_NDIM];
    *out = NULL;
    TRY(clary_get_op_info(op, &info));
    int n = info.arity;
    for (int i = 0; i < n; i++) {
        dtypes[i] = (clary_dtype)inputs[i]->dtype;
        weak[i] = inputs[i]->weak;
    }
    TRY(common_device(op, inputs, n, &device));
    TRY(broadcast_inputs(op, inputs, n, &ndim, shape));
    TRY(clary_op_dtypes(op, dtypes, weak, &compute, &result));
    if (is_comparison(op) && !weak[0] && !weak[1] &&
        ((dtypes[0] == CLARY_INT64 && dtypes[1] == CLARY_UINT64) ||
         (dtypes[0] == CLARY_UINT64 && dtypes[1] == CLARY_INT64)))
        return compare_mixed(op, inputs[0], inputs[1], out);
    if (decided(op, inputs, compute, &answer))
        return clary_full(device, CLARY_BOOL, ndim, shape,
                          (clary_scalar){.kind = CLARY_SCALAR_BOOL, .i = answer}, out);
    FAIL_IF(!device->info.fp64 && (compute == CLARY_FLOAT64 || compute == CLARY_COMPLEX128),
            CLARY_UNSUPPORTED, "%s: device '%s' has no float64 arithmetic", info.name,
            device->info.name);
    TRY(clary__check_shape(info.name, result, ndim, shape));
    clary__value *values[3] = {NULL, NULL, NULL}, *v = NULL;
    clary_status status = CLARY_OK;
    for (int i = 0; i < n && status == CLARY_OK; i++)
        status =
            operand(op, inputs[i], device, input_dtype(&info, i, compute), ndim, shape, &values[i]);
    if (status == CLARY_OK) status = clary__value_op(op, result, ndim, shape, values, n, &v);
    for (int i = 0; i < n; i++) clary__value_release(values[i]);
    TRY(status);
    return clary__array_of(v, out);
}

clary_status clary_apply_into(clary_op op, clary_array *const *inputs, clary_array *out) {
    clary_array *result;
    FAIL_IF(out->read_only, CLARY_READ_ONLY, "%s: the output array is read-only", name_of(op));
    clary__lock(); /* read, compute and write are one step for other threads */
    clary_status status = clary_apply(op, inputs, &result);
    if (status == CLARY_OK &&
        !clary_can_cast((clary_dtype)result->dtype, (clary_dtype)out->dtype, CLARY_CAST_SAME_KIND))
        status = clary__fail(CLARY_DTYPE_MISMATCH,
                             "%s: cannot cast the result from %s to %s by same_kind", name_of(op),
                             clary_dtype_name((clary_dtype)result->dtype),
                             clary_dtype_name((clary_dtype)out->dtype));
    if (status == CLARY_OK) {
        status = clary_assign(out, result);
        if (status == CLARY_SHAPE_MISMATCH) status = clary__fail_in(status, "%s", name_of(op));
    }
    clary_release(&result);
    clary__unlock();
    return status;
}

/* The functions named after the operations. */
#define ARGUMENTS_1                                                                                \
    { x }
#define ARGUMENTS_2                                                                                \
    { x, y }
#define ARGUMENTS_3                                                                                \
    { x, y, z }
#define CLARY_OP(name, arity, ...)                                                                 \
    clary_status clary_##name(CLARY_PARAMS_##arity, clary_array **out) {                           \
        clary_array *inputs[] = ARGUMENTS_##arity;                                                 \
        return clary_apply(CLARY_OP_##name, inputs, out);                                          \
    }
#include "clary/ops.def"
#undef CLARY_OP

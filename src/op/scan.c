/* scan.c - cumulative operations: NumPy's dtypes around one SCAN node. */
#include "op/reduce.h"

clary_status clary_op_accumulate(clary_op op, clary_array *a, int axis, clary_dtype dtype,
                                 clary_array **out) {
    clary_op_info info;
    clary_dtype accumulate, result;
    clary__value *v = NULL, *cast = NULL, *scan = NULL, *final = NULL;
    clary_status status;
    *out = NULL;
    TRY(clary__combining_dtypes(op, "accumulate", a, dtype, &accumulate, &result));
    TRY(clary_get_op_info(op, &info));
    TRY(clary__axis(info.name, axis, a->ndim, &axis));
    TRY_GOTO(done, clary__array_shaped_value(a, &v));
    TRY_GOTO(done, clary__value_cast(v, accumulate, &cast));
    TRY_GOTO(done, clary__value_scan((int)op, axis, cast, &scan));
    TRY_GOTO(done, clary__value_cast(scan, result, &final));
    status = clary__array_of(clary__value_retain(final), out);
done:
    clary__value_release(v);
    clary__value_release(cast);
    clary__value_release(scan);
    clary__value_release(final);
    return status;
}

clary_status clary_cumsum(clary_array *a, int axis, clary_array **out) {
    return clary_op_accumulate(CLARY_OP_add, a, axis, clary__total_dtype((clary_dtype)a->dtype),
                               out);
}

clary_status clary_cumprod(clary_array *a, int axis, clary_array **out) {
    return clary_op_accumulate(CLARY_OP_multiply, a, axis,
                               clary__total_dtype((clary_dtype)a->dtype), out);
}

clary_status clary_cummax(clary_array *a, int axis, clary_array **out) {
    return clary_op_accumulate(CLARY_OP_maximum, a, axis, CLARY_DTYPE_COUNT, out);
}

clary_status clary_cummin(clary_array *a, int axis, clary_array **out) {
    return clary_op_accumulate(CLARY_OP_minimum, a, axis, CLARY_DTYPE_COUNT, out);
}

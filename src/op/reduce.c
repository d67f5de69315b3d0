/* reduce.c - reductions that are one pass: NumPy's dtypes and empty cases around one REDUCE node,
 * and the table that finds reductions by name. */
#include "op/reduce.h"
#include <string.h>

clary_status clary__reduction_of(const char *name, clary_array *a, int naxes, const int *axes,
                                 bool keepdims, clary__reduction *out) {
    out->name = name;
    out->keepdims = keepdims;
    out->count = out->results = 1;
    TRY(clary__axes_mask(name, naxes, axes, a->ndim, &out->mask));
    for (int d = 0; d < a->ndim; d++) {
        if (out->mask >> d & 1)
            out->count *= a->geometry[d];
        else
            out->results *= a->geometry[d];
    }
    return CLARY_OK;
}

clary_status clary__fold(clary_array *a, const clary__reduction *r, int reduce_op,
                         clary_dtype accumulate, clary_dtype result, clary_array **out) {
    char text[CLARY__SHAPE_TEXT];
    unsigned char identity[16];
    clary__value *v = NULL, *cast = NULL, *reduced = NULL, *final = NULL;
    clary_status status;
    *out = NULL;
    bool needs_points = reduce_op >= CLARY__ARGMAX ||
                        !clary__op_identity((clary_op)reduce_op, accumulate, identity);
    FAIL_IF(needs_points && r->count == 0 && r->results > 0, CLARY_INVALID_ARGUMENT,
            "%s: an empty array (shape %s) has no %s: the operation has no identity", r->name,
            clary__shape_text(a->ndim, a->geometry, text), r->name);
    TRY_GOTO(done, clary__array_shaped_value(a, &v));
    TRY_GOTO(done, clary__value_cast(v, accumulate, &cast));
    TRY_GOTO(done, clary__value_reduce(reduce_op, r->mask, cast, &reduced));
    TRY_GOTO(done, clary__value_cast(reduced, result, &final));
    if (r->keepdims) {
        int64_t shape[CLARY_MAX_NDIM];
        for (int d = 0; d < a->ndim; d++) shape[d] = r->mask >> d & 1 ? 1 : a->geometry[d];
        status = clary__array_of_shape(clary__value_retain(final), a->ndim, shape, out);
    } else {
        status = clary__array_of(clary__value_retain(final), out);
    }
done:
    clary__value_release(v);
    clary__value_release(cast);
    clary__value_release(reduced);
    clary__value_release(final);
    return status;
}

clary_dtype clary__mean_dtype(clary_dtype t) {
    if (clary__is_half(t)) return CLARY_FLOAT32;
    return clary__mean_result(t);
}

clary_dtype clary__mean_result(clary_dtype t) {
    return clary__is_integer(t) || t == CLARY_BOOL ? CLARY_FLOAT64 : t;
}

clary_dtype clary__total_dtype(clary_dtype t) {
    if (t == CLARY_BOOL || clary__is_signed(t)) return CLARY_INT64;
    return clary__is_unsigned(t) ? CLARY_UINT64 : t;
}

/* Sums and products of halves are kept in float32 and rounded once. */
static clary_dtype wide(clary_dtype t) {
    return clary__is_half(t) ? CLARY_FLOAT32 : t;
}

static clary_status total(const char *name, clary_op op, clary_array *a, int naxes, const int *axes,
                          bool keepdims, clary_array **out) {
    clary__reduction r;
    *out = NULL;
    TRY(clary__reduction_of(name, a, naxes, axes, keepdims, &r));
    clary_dtype result = clary__total_dtype((clary_dtype)a->dtype);
    return clary__fold(a, &r, (int)op, wide(result), result, out);
}

clary_status clary_sum(clary_array *a, int naxes, const int *axes, bool keepdims,
                       clary_array **out) {
    return total("sum", CLARY_OP_add, a, naxes, axes, keepdims, out);
}

clary_status clary_prod(clary_array *a, int naxes, const int *axes, bool keepdims,
                        clary_array **out) {
    return total("prod", CLARY_OP_multiply, a, naxes, axes, keepdims, out);
}

static clary_status extreme(const char *name, int op, clary_array *a, int naxes, const int *axes,
                            bool keepdims, clary_array **out) {
    clary__reduction r;
    clary_dtype t = (clary_dtype)a->dtype;
    *out = NULL;
    if (op >= CLARY__ARGMAX) /* an index is along one axis, or of the flattened array */
        FAIL_IF(axes && naxes != 1, CLARY_INVALID_ARGUMENT, "%s: takes one axis, or none", name);
    TRY(clary__reduction_of(name, a, naxes, axes, keepdims, &r));
    return clary__fold(a, &r, op, t, op >= CLARY__ARGMAX ? CLARY_INT64 : t, out);
}

clary_status clary_max(clary_array *a, int naxes, const int *axes, bool keepdims,
                       clary_array **out) {
    return extreme("max", CLARY_OP_maximum, a, naxes, axes, keepdims, out);
}

clary_status clary_min(clary_array *a, int naxes, const int *axes, bool keepdims,
                       clary_array **out) {
    return extreme("min", CLARY_OP_minimum, a, naxes, axes, keepdims, out);
}

clary_status clary_nanmax(clary_array *a, int naxes, const int *axes, bool keepdims,
                          clary_array **out) {
    return extreme("nanmax", CLARY_OP_fmax, a, naxes, axes, keepdims, out);
}

clary_status clary_nanmin(clary_array *a, int naxes, const int *axes, bool keepdims,
                          clary_array **out) {
    return extreme("nanmin", CLARY_OP_fmin, a, naxes, axes, keepdims, out);
}

clary_status clary_argmax(clary_array *a, int naxes, const int *axes, bool keepdims,
                          clary_array **out) {
    return extreme("argmax", CLARY__ARGMAX, a, naxes, axes, keepdims, out);
}

clary_status clary_argmin(clary_array *a, int naxes, const int *axes, bool keepdims,
                          clary_array **out) {
    return extreme("argmin", CLARY__ARGMIN, a, naxes, axes, keepdims, out);
}

static clary_status test(const char *name, clary_op op, clary_array *a, int naxes, const int *axes,
                         bool keepdims, clary_array **out) {
    clary__reduction r;
    *out = NULL;
    TRY(clary__reduction_of(name, a, naxes, axes, keepdims, &r));
    return clary__fold(a, &r, (int)op, CLARY_BOOL, CLARY_BOOL, out);
}

clary_status clary_any(clary_array *a, int naxes, const int *axes, bool keepdims,
                       clary_array **out) {
    return test("any", CLARY_OP_logical_or, a, naxes, axes, keepdims, out);
}

clary_status clary_all(clary_array *a, int naxes, const int *axes, bool keepdims,
                       clary_array **out) {
    return test("all", CLARY_OP_logical_and, a, naxes, axes, keepdims, out);
}

clary_status clary_count_nonzero(clary_array *a, int naxes, const int *axes, bool keepdims,
                                 clary_array **out) {
    clary__reduction r;
    clary_array *is = NULL;
    *out = NULL;
    TRY(clary__reduction_of("count_nonzero", a, naxes, axes, keepdims, &r));
    TRY(clary_astype(a, CLARY_BOOL, CLARY_CAST_UNSAFE, &is));
    clary_status status = clary__fold(is, &r, CLARY_OP_add, CLARY_INT64, CLARY_INT64, out);
    clary_release(&is);
    return status;
}

clary_status clary__combining_dtypes(clary_op op, const char *method, const clary_array *a,
                                     clary_dtype dtype, clary_dtype *accumulate,
                                     clary_dtype *result) {
    clary_op_info info;
    TRY(clary_get_op_info(op, &info));
    FAIL_IF(info.arity != 2, CLARY_INVALID_ARGUMENT, "%s.%s: only for binary operations", info.name,
            method);
    FAIL_IF(
        !info.associative, CLARY_INVALID_ARGUMENT,
        "%s.%s: its result depends on the order of combining, so it does not combine in parallel",
        info.name, method);
    if (dtype == CLARY_DTYPE_COUNT) dtype = (clary_dtype)a->dtype;
    clary_dtype pair[2] = {dtype, dtype}, compute;
    TRY(clary_op_dtypes(op, pair, NULL, &compute, result));
    FAIL_IF(compute != *result, CLARY_DTYPE_MISMATCH,
            "%s.%s: results of dtype %s cannot be combined further", info.name, method,
            clary_dtype_name(*result));
    *accumulate = op == CLARY_OP_add || op == CLARY_OP_multiply ? wide(compute) : compute;
    return CLARY_OK;
}

clary_status clary_op_reduce(clary_op op, clary_array *a, int naxes, const int *axes, bool keepdims,
                             clary_dtype dtype, clary_array **out) {
    clary_op_info info;
    clary__reduction r;
    clary_dtype accumulate, result;
    *out = NULL;
    TRY(clary__combining_dtypes(op, "reduce", a, dtype, &accumulate, &result));
    TRY(clary_get_op_info(op, &info));
    TRY(clary__reduction_of(info.name, a, naxes, axes, keepdims, &r));
    return clary__fold(a, &r, (int)op, accumulate, result, out);
}

/* ---- by name ---- */

typedef clary_status reduction_fn(clary_array *, int, const int *, bool, clary_array **);

static const struct {
    const char *name, *doc;
    reduction_fn *run;
} reductions[] = {
#define X(name, doc) {#name, doc, clary_##name},
    CLARY_REDUCTION_LIST(X)
#undef X
};

enum { REDUCTIONS = sizeof reductions / sizeof *reductions };

clary_status clary_reduce_by_name(const char *name, clary_array *a, int naxes, const int *axes,
                                  bool keepdims, clary_array **out) {
    *out = NULL;
    for (int i = 0; i < REDUCTIONS; i++)
        if (!strcmp(reductions[i].name, name))
            return reductions[i].run(a, naxes, axes, keepdims, out);
    return clary__fail(CLARY_INVALID_ARGUMENT, "no reduction is called '%s'", name);
}

const char *clary_reduction_name(int index) {
    return index >= 0 && index < REDUCTIONS ? reductions[index].name : NULL;
}

const char *clary_reduction_doc(int index) {
    return index >= 0 && index < REDUCTIONS ? reductions[index].doc : NULL;
}

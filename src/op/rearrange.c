/* rearrange.c - shifting, triangles, diagonals, differences: each one or two views and an operation, or
 * assignments of regions to a new array. Nothing is gathered, so all of it fuses. */
#include "array/array.h"
#include "clary/manip.h"
#include "clary/ops.h"
#include <string.h>

/* ---- roll ---- */

/* The region of a (source) or of the result (target) that holds what each axis moves by amount[d]: of a
 * moved axis either the part that stays in order or, where its bit is set, the part that wraps round. */
static void roll_region(const clary_array *a, const int64_t *amount, uint64_t wraps, bool target,
                        clary__layout *l) {
    clary__array_layout(a, l);
    for (int d = 0; d < a->ndim; d++) {
        bool wrapped = wraps >> d & 1;
        int64_t stay = l->shape[d] - amount[d];
        l->shape[d] = wrapped ? amount[d] : stay;
        int64_t start = target ? (wrapped ? 0 : amount[d]) : (wrapped ? stay : 0);
        l->offset += start * l->strides[d];
    }
}

static clary_status move_region(clary_array *from, clary_array *to, const int64_t *amount,
                                uint64_t wraps) {
    clary_array *source = NULL, *target = NULL;
    clary__layout l;
    clary_status status;
    roll_region(from, amount, wraps, false, &l);
    TRY(clary__array_view(from, &l, &source));
    roll_region(to, amount, wraps, true, &l);
    TRY_GOTO(done, clary__array_view(to, &l, &target));
    status = clary_assign(target, source);
done:
    clary_release(&source);
    clary_release(&target);
    return status;
}

clary_status clary_roll(clary_array *a, int count, const int64_t *shifts, const int *axes,
                        clary_array **out) {
    int64_t amount[CLARY_MAX_NDIM] = {0};
    clary_array *result = NULL;
    clary_status status;
    uint64_t moved = 0;
    *out = NULL;
    for (int i = 0; i < count; i++) {
        int axis;
        TRY(clary__axis("roll", axes[i], a->ndim, &axis));
        int64_t extent = a->geometry[axis];
        if (extent == 0) continue;
        int64_t shift = (shifts[i] % extent + extent) % extent;
        amount[axis] = (int64_t)(((uint64_t)amount[axis] + (uint64_t)shift) % (uint64_t)extent);
    }
    for (int d = 0; d < a->ndim; d++)
        if (amount[d] != 0) moved |= UINT64_C(1) << d;
    TRY(clary_empty(clary__device_of(a), (clary_dtype)a->dtype, a->ndim, a->geometry, &result));
    /* Every subset of the moved axes wraps round once. */
    for (uint64_t wraps = moved; a->size > 0; wraps = (wraps - 1) & moved) {
        TRY_GOTO(fail, move_region(a, result, amount, wraps));
        if (wraps == 0) break;
    }
    *out = result;
    return CLARY_OK;
fail:
    clary_release(&result);
    return status;
}

/* ---- triangles ---- */

/* Where row + k >= column, or <= it: a rows x cols array of bool. */
static clary_status triangle_mask(const clary_array *like, int64_t rows, int64_t cols, int64_t k,
                                  bool lower, clary_array **out) {
    clary_array *row = NULL, *column = NULL, *mask[2] = {NULL, NULL};
    clary_device *device = clary__device_of(like);
    clary_scalar first = {.kind = CLARY_SCALAR_INT}, one = first;
    clary_status status;
    first.i = k < -rows  ? -rows
              : k > cols ? cols
                         : k; /* so that adding the row does not overflow */
    one.i = 1;
    TRY(clary__ramp(device, CLARY_INT64, CLARY_INT64, rows, first, one, &row));
    first.i = 0;
    TRY_GOTO(done, clary__ramp(device, CLARY_INT64, CLARY_INT64, cols, first, one, &mask[1]));
    TRY_GOTO(done, clary_expand_dims(row, 1, (int[]){1}, &column));
    mask[0] = column;
    status = clary_apply(lower ? CLARY_OP_greater_equal : CLARY_OP_less_equal, mask, out);
done:
    clary_release(&row);
    clary_release(&column);
    clary_release(&mask[1]);
    return status;
}

static clary_status triangle(const char *name, clary_array *a, int64_t k, bool lower,
                             clary_array **out) {
    clary_array *inputs[3] = {NULL, a, NULL};
    clary_status status;
    *out = NULL;
    FAIL_IF(a->ndim == 0, CLARY_INVALID_ARGUMENT, "%s: a 0-d array has no diagonals", name);
    int64_t cols = a->geometry[a->ndim - 1];
    int64_t rows = a->ndim > 1 ? a->geometry[a->ndim - 2] : cols;
    TRY(triangle_mask(a, rows, cols, k, lower, &inputs[0]));
    TRY_GOTO(done, clary_zeros(clary__device_of(a), (clary_dtype)a->dtype, 0, NULL, &inputs[2]));
    status = clary_apply(CLARY_OP_where, inputs, out);
done:
    clary_release(&inputs[0]);
    clary_release(&inputs[2]);
    return status;
}

clary_status clary_tril(clary_array *a, int64_t k, clary_array **out) {
    return triangle("tril", a, k, true, out);
}

clary_status clary_triu(clary_array *a, int64_t k, clary_array **out) {
    return triangle("triu", a, k, false, out);
}

/* ---- diagonals ---- */

clary_status clary_diag(clary_array *a, int64_t k, clary_array **out) {
    clary_array *result = NULL, *line = NULL;
    clary_status status;
    *out = NULL;
    FAIL_IF(a->ndim != 1 && a->ndim != 2, CLARY_INVALID_ARGUMENT,
            "diag: the array must have one or two axes, not %d", a->ndim);
    if (a->ndim == 2) {
        TRY(clary_diagonal(a, k, 0, 1, &line));
        status = clary_copy(line, out);
        clary_release(&line);
        return status;
    }
    int64_t n;
    FAIL_IF(k == INT64_MIN || __builtin_add_overflow(a->geometry[0], k < 0 ? -k : k, &n),
            CLARY_INVALID_ARGUMENT, "diag: diagonal %lld is too far out", (long long)k);
    TRY(clary_zeros(clary__device_of(a), (clary_dtype)a->dtype, 2, (int64_t[]){n, n}, &result));
    TRY_GOTO(fail, clary_diagonal(result, k, 0, 1, &line));
    TRY_GOTO(fail, clary_assign(line, a));
    clary_release(&line);
    *out = result;
    return CLARY_OK;
fail:
    clary_release(&line);
    clary_release(&result);
    return status;
}

/* ---- differences ---- */

/* a without its first (or its last) element along an axis. */
static clary_status all_but_one(clary_array *a, int axis, bool first, clary_array **out) {
    clary__layout l;
    clary__array_layout(a, &l);
    if (l.shape[axis] > 0) {
        if (first) l.offset += l.strides[axis];
        l.shape[axis]--;
    }
    return clary__array_view(a, &l, out);
}

clary_status clary_diff(clary_array *a, int64_t n, int axis, clary_array **out) {
    clary_array *now = NULL, *sides[2] = {NULL, NULL};
    clary_status status;
    *out = NULL;
    FAIL_IF(n < 0, CLARY_INVALID_ARGUMENT, "diff: n must be 0 or more, not %lld", (long long)n);
    FAIL_IF(a->ndim == 0, CLARY_INVALID_ARGUMENT, "diff: the array must have an axis at least");
    TRY(clary__axis("diff", axis, a->ndim, &axis));
    clary_op op = a->dtype == CLARY_BOOL ? CLARY_OP_not_equal : CLARY_OP_subtract;
    now = clary_retain(a);
    /* What is empty stays empty, so n may be any number. */
    for (int64_t i = 0; i < n && (i == 0 || now->geometry[axis] > 0); i++) {
        TRY_GOTO(fail, all_but_one(now, axis, true, &sides[0]));
        TRY_GOTO(fail, all_but_one(now, axis, false, &sides[1]));
        clary_release(&now);
        TRY_GOTO(fail, clary_apply(op, sides, &now));
        clary_release(&sides[0]);
        clary_release(&sides[1]);
    }
    *out = now;
    return CLARY_OK;
fail:
    clary_release(&now);
    clary_release(&sides[0]);
    clary_release(&sides[1]);
    return status;
}

/* sort.c - sorting along an axis, searching, counting: one SORT, SEARCH or SCATTER node each. */
#include "clary/sort.h"
#include "clary/index.h"
#include "clary/reduce.h"
#include "graph/group.h"
#include "op/position.h"

/* SORT works along the last axis. */
static clary_array *sorted(clary__expression *e, clary_array *a, int axis, bool descending,
                           bool order) {
    clary__value *v = NULL;
    clary_array *last = CLARY__MAKE(e, clary_swapaxes(a, axis, -1, made));
    clary__value *keys = last ? clary__value_in(e, last) : NULL;
    if (!keys) return NULL;
    clary_status status = clary__value_sort(keys, descending, order, &v);
    clary__value_release(keys);
    clary_array *result = clary__of_value(e, status, v);
    return result ? CLARY__MAKE(e, clary_swapaxes(result, axis, -1, made)) : NULL;
}

static clary_status along(const char *what, clary_array *a, int axis, bool descending, bool order,
                          clary_array **out) {
    clary__expression e = {0};
    *out = NULL;
    TRY(clary__axis(what, axis, a->ndim, &axis));
    return clary__result(&e, sorted(&e, a, axis, descending, order), out);
}

clary_status clary_sort(clary_array *a, int axis, bool descending, clary_array **out) {
    return along("sort", a, axis, descending, false, out);
}

clary_status clary_argsort(clary_array *a, int axis, bool descending, clary_array **out) {
    return along("argsort", a, axis, descending, true, out);
}

clary_status clary_lexsort(clary_array *const *keys, int count, int axis, clary_array **out) {
    char first[CLARY__SHAPE_TEXT], other[CLARY__SHAPE_TEXT];
    clary__expression e = {0};
    *out = NULL;
    FAIL_IF(count < 1, CLARY_INVALID_ARGUMENT, "lexsort: needs at least one key");
    TRY(clary__axis("lexsort", axis, keys[0]->ndim, &axis));
    TRY(clary__same_device("lexsort", keys, count));
    for (int i = 1; i < count; i++) {
        bool fits = keys[i]->ndim == keys[0]->ndim;
        for (int d = 0; d < keys[0]->ndim && fits; d++)
            fits = keys[i]->geometry[d] == keys[0]->geometry[d];
        FAIL_IF(!fits, CLARY_SHAPE_MISMATCH, "lexsort: key %d has shape %s, key 0 %s", i,
                clary__shape_text(keys[i]->ndim, keys[i]->geometry, other),
                clary__shape_text(keys[0]->ndim, keys[0]->geometry, first));
    }
    clary_array *order = sorted(&e, keys[0], axis, false, true);
    TRY(clary__result(&e, order, &order));
    for (int i = 1; i < count; i++) { /* an expression for each key: there may be hundreds */
        e = (clary__expression){0};
        clary_array *before = order;
        clary_array *key = CLARY__MAKE(&e, clary_take_along_axis(keys[i], before, axis, made));
        clary_array *next = key ? sorted(&e, key, axis, false, true) : NULL;
        next = next ? CLARY__MAKE(&e, clary_take_along_axis(before, next, axis, made)) : NULL;
        clary_status status = clary__result(&e, next, &order);
        clary_release(&before);
        TRY(status);
    }
    *out = order;
    return CLARY_OK;
}

clary_status clary_searchsorted(clary_array *sorted, clary_array *keys, bool right,
                                clary_array **out) {
    clary__expression e = {0};
    clary__value *result = NULL;
    clary_array *pair[2] = {sorted, keys};
    char text[CLARY__SHAPE_TEXT];
    *out = NULL;
    FAIL_IF(sorted->ndim != 1, CLARY_SHAPE_MISMATCH,
            "searchsorted: the sorted array must have one dimension, not shape %s",
            clary__shape_text(sorted->ndim, sorted->geometry, text));
    TRY(clary__same_device("searchsorted", pair, 2));
    clary_dtype t = clary_promote((clary_dtype)sorted->dtype, (clary_dtype)keys->dtype);
    clary_array *in = clary__cast(&e, sorted, t), *of = clary__cast(&e, keys, t);
    clary__value *data = in ? clary__value_in(&e, in) : NULL;
    clary__value *wanted = of ? clary__value_in(&e, of) : NULL;
    if (data && wanted) e.status = clary__value_search(wanted, data, right, &result);
    clary__value_release(data);
    clary__value_release(wanted);
    return clary__result(&e, clary__of_value(&e, e.status, result), out);
}

clary_status clary_bincount(clary_array *x, clary_array *weights, int64_t minlength,
                            clary_array **out) {
    clary__expression e = {0};
    clary_scalar low = {0}, high = {.i = -1};
    char text[CLARY__SHAPE_TEXT];
    *out = NULL;
    FAIL_IF(x->ndim != 1, CLARY_SHAPE_MISMATCH, "bincount: x must have one dimension, not shape %s",
            clary__shape_text(x->ndim, x->geometry, text));
    FAIL_IF(minlength < 0, CLARY_INVALID_ARGUMENT, "bincount: minlength must not be negative");
    FAIL_IF(weights && (weights->ndim != 1 || weights->size != x->size), CLARY_SHAPE_MISMATCH,
            "bincount: weights of shape %s for %lld numbers",
            clary__shape_text(weights->ndim, weights->geometry, text), (long long)x->size);
    clary_dtype t = weights ? CLARY_FLOAT64 : CLARY_INT64;
    if (x->dtype == CLARY_BOOL) x = clary__cast(&e, x, CLARY_UINT8);
    clary_array *index = x ? clary__as_index(&e, "bincount", x) : NULL;
    if (index && x->size > 0) {
        clary_array *ends[2] = {CLARY__MAKE(&e, clary_min(index, 0, NULL, false, made)),
                                CLARY__MAKE(&e, clary_max(index, 0, NULL, false, made))};
        if (e.status == CLARY_OK) e.status = clary_eval(ends, 2);
        if (e.status == CLARY_OK) e.status = clary_item(ends[0], &low);
        if (e.status == CLARY_OK) e.status = clary_item(ends[1], &high);
        if (e.status == CLARY_OK && low.i < 0)
            e.status = clary__fail(CLARY_INVALID_ARGUMENT,
                                   "bincount: x must not contain negative numbers (%lld)",
                                   (long long)low.i);
    }
    int64_t length = high.i + 1 > minlength ? high.i + 1 : minlength;
    clary_array *counts =
        index ? CLARY__MAKE(&e, clary_zeros(clary__device_of(index), t, 1, &length, made)) : NULL;
    clary_array *one = NULL;
    if (counts && weights)
        one = clary__cast(&e, weights, t);
    else if (counts)
        one = CLARY__MAKE(&e, clary_ones(clary__device_of(index), t, 0, NULL, made));
    if (one && index->size > 0)
        e.status = clary__scatter_to(CLARY_OP_add, false, counts, index, one);
    return clary__result(&e, counts, out);
}

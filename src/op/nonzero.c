/* nonzero.c - where elements are not zero: a running count tells each of them its place in the result. */
#include "clary/index.h"
#include "clary/reduce.h"
#include "graph/group.h"
#include "op/position.h"

clary_status clary_flatnonzero(clary_array *a, clary_array **out) {
    clary__expression e = {0};
    clary_scalar n = {0};
    int64_t size = a->size;
    clary__value *numbers = NULL;
    *out = NULL;
    if (size == 0) return clary_empty(clary__device_of(a), CLARY_INT64, 1, &size, out);
    clary_array *mask = CLARY__MAKE(&e, clary_reshape(a, 1, &size, made));
    mask = mask ? clary__cast(&e, mask, CLARY_BOOL) : NULL;
    /* One running count serves both: its last element is the size of the result. */
    clary_array *running = mask ? CLARY__MAKE(&e, clary_cumsum(mask, 0, made)) : NULL;
    clary_index last = {.kind = CLARY_INDEX_INTEGER, .start = -1};
    if (running && e.status == CLARY_OK) e.status = clary_eval(&running, 1);
    clary_array *total = running ? CLARY__MAKE(&e, clary_get(running, 1, &last, made)) : NULL;
    if (total) e.status = clary_item(total, &n);
    clary_array *result =
        CLARY__MAKE(&e, clary_empty(clary__device_of(a), CLARY_INT64, 1, &n.i, made));
    if (!result || n.i == 0) return clary__result(&e, result, out);
    clary_array *place = clary__op2(&e, CLARY_OP_subtract, running, clary__integer(&e, a, 1));
    place = clary__op3(&e, CLARY_OP_where, mask, place, clary__integer(&e, a, -1));
    if (e.status == CLARY_OK) e.status = clary__value_index(clary__device_of(a), size, &numbers);
    clary_array *position = clary__of_value(&e, e.status, numbers);
    if (place && position) e.status = clary__scatter_to(CLARY__PUT, true, result, place, position);
    return clary__result(&e, result, out);
}

clary_status clary_nonzero(clary_array *a, clary_array **out) {
    clary__expression e = {0};
    for (int d = 0; d < a->ndim; d++) out[d] = NULL;
    FAIL_IF(a->ndim == 0, CLARY_INVALID_ARGUMENT,
            "nonzero: a 0-d array has no axes; use atleast_1d first");
    clary_array *flat = CLARY__MAKE(&e, clary_flatnonzero(a, made));
    int64_t block = a->size;
    for (int d = 0; d < a->ndim && e.status == CLARY_OK; d++) {
        int64_t extent = a->geometry[d] > 0 ? a->geometry[d] : 1;
        block = block > 0 ? block / extent : 1;
        clary_array *k = flat;
        if (block > 1) k = clary__op2(&e, CLARY_OP_floor_divide, k, clary__integer(&e, a, block));
        if (d > 0) k = clary__op2(&e, CLARY_OP_remainder, k, clary__integer(&e, a, extent));
        out[d] = e.status == CLARY_OK ? clary_retain(k) : NULL;
    }
    for (int d = 0; d < a->ndim && e.status != CLARY_OK; d++) clary_release(&out[d]);
    return clary__end(&e);
}

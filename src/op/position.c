/* position.c - see position.h. */
#include "op/position.h"
#include "array/share.h"
#include "graph/group.h"

clary_array *clary__as_index(clary__expression *e, const char *what, clary_array *indices) {
    if (e->status != CLARY_OK) return NULL;
    clary_dtype t = (clary_dtype)indices->dtype;
    if (!clary__is_integer(t)) {
        e->status = clary__fail(CLARY_DTYPE_MISMATCH, "%s: indices must be integers, not %s", what,
                                clary_dtype_name(t));
        return NULL;
    }
    if (t == CLARY_UINT64)
        indices = clary__op2(e, CLARY_OP_minimum, indices, clary__integer(e, indices, INT64_MAX));
    return clary__cast(e, indices, CLARY_INT64);
}

static clary_array *affine_part(clary__expression *e, clary_array *a, const clary__layout *affine) {
    clary__value *numbers = NULL, *view = NULL;
    if (e->status != CLARY_OK) return NULL;
    int64_t places = a->storage->current->size * (a->part ? 2 : 1);
    e->status = clary__value_index(clary__device_of(a), places, &numbers);
    if (e->status == CLARY_OK) e->status = clary__value_view(numbers, affine, &view);
    clary__value_release(numbers);
    return clary__of_value(e, e->status, view);
}

static clary_array *checked(clary__expression *e, const char *what, const clary__indexed *axis,
                            int fill) {
    clary__value *checked = NULL, *index = clary__value_in(e, axis->index);
    if (!index) return NULL;
    int64_t site = clary__fault_site(what, axis->axis);
    clary_status status = clary__value_check(index, axis->extent, site, fill, &checked);
    clary__value_release(index);
    return clary__of_value(e, status, checked);
}

clary_array *clary__positions(clary__expression *e, const char *what, clary_array *a,
                              const clary__layout *affine, int count, const clary__indexed *axes,
                              bool to_write) {
    clary_array *sum = affine_part(e, a, affine), *fault = NULL;
    for (int i = 0; i < count && e->status == CLARY_OK; i++) {
        clary_array *index = clary__as_index(e, what, axes[i].index);
        clary__indexed axis = axes[i];
        axis.index = index;
        if (!axis.known && index) {
            index = checked(e, what, &axis, to_write ? -1 : 0);
            /* The least of the indices is negative if one of them is out of range. */
            fault = fault ? clary__op2(e, CLARY_OP_minimum, fault, index) : index;
        }
        clary_array *part =
            clary__op2(e, CLARY_OP_multiply, index, clary__integer(e, a, axis.stride));
        sum = clary__op2(e, CLARY_OP_add, sum, part);
    }
    if (!to_write || !fault || e->status != CLARY_OK) return sum;
    clary_array *bad = clary__op2(e, CLARY_OP_less, fault, clary__integer(e, a, 0));
    return clary__op3(e, CLARY_OP_where, bad, clary__integer(e, a, -1), sum);
}

clary_array *clary__gather(clary__expression *e, clary_array *a, clary_array *positions) {
    clary__value *result = NULL, *at = clary__value_in(e, positions);
    clary_array *plain;
    if (!at) return NULL;
    clary__lock();
    clary_status status = clary__array_plain(a, &plain);
    if (status == CLARY_OK) status = clary__value_gather(at, plain->storage->current, &result);
    if (status == CLARY_OK) status = clary__settle(&result); /* while the plain one lives */
    clary_release(&plain);
    clary__unlock();
    clary__value_release(at);
    return clary__of_value(e, status, result);
}

clary_status clary__scatter_to(int op, bool distinct, clary_array *a, clary_array *positions,
                               clary_array *values) {
    clary__value *at = NULL, *source = NULL, *next = NULL;
    clary_array *plain = NULL;
    clary_status status;
    TRY_GOTO(done, clary__array_value(positions, &at));
    TRY_GOTO(done, clary__array_value(values, &source));
    TRY_GOTO(done, clary__settle(&at));
    TRY_GOTO(done, clary__settle(&source));
    TRY_GOTO(done, clary__array_plain(a, &plain));
    clary__lock();
    clary__value *old = plain->storage->current;
    status = clary__value_scatter(op, distinct, old, at, source, &next);
    if (status == CLARY_OK && old->shared) status = clary__settle_in_place(next);
    if (status == CLARY_OK) {
        plain->storage->current = next;
        clary__value_release(old);
    } else {
        clary__value_release(next);
    }
    clary__unlock();
done:
    clary_release(&plain);
    clary__value_release(at);
    clary__value_release(source);
    return status;
}

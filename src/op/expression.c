/* expression.c - see expression.h. */
#include "op/expression.h"

clary_array *clary__keep(clary__expression *e, clary_status status, clary_array *made) {
    if (e->status == CLARY_OK && status != CLARY_OK) e->status = status;
    if (made && e->count == (int)(sizeof e->made / sizeof *e->made)) {
        clary_release(&made);
        e->status = clary__fail(CLARY_INTERNAL, "an expression of too many operations");
    }
    if (made) e->made[e->count++] = made;
    return e->status == CLARY_OK ? made : NULL;
}

static clary_array *apply(clary__expression *e, clary_op op, clary_array *const *inputs) {
    return CLARY__MAKE(e, clary_apply(op, inputs, made));
}

clary_array *clary__op1(clary__expression *e, clary_op op, clary_array *x) {
    return apply(e, op, (clary_array *[]){x});
}

clary_array *clary__op2(clary__expression *e, clary_op op, clary_array *x, clary_array *y) {
    return apply(e, op, (clary_array *[]){x, y});
}

clary_array *clary__op3(clary__expression *e, clary_op op, clary_array *x, clary_array *y,
                        clary_array *z) {
    return apply(e, op, (clary_array *[]){x, y, z});
}

clary_array *clary__cast(clary__expression *e, clary_array *x, clary_dtype dtype) {
    return CLARY__MAKE(e, clary_astype(x, dtype, CLARY_CAST_UNSAFE, made));
}

clary_array *clary__integer(clary__expression *e, clary_array *like, int64_t i) {
    return CLARY__MAKE(e, clary__weak_int(like, i, made));
}

clary_array *clary__of_value(clary__expression *e, clary_status status, clary__value *value) {
    if (status != CLARY_OK && e->status == CLARY_OK) e->status = status;
    if (e->status != CLARY_OK) {
        clary__value_release(value);
        return NULL;
    }
    return CLARY__MAKE(e, clary__array_of(value, made));
}

clary__value *clary__value_in(clary__expression *e, clary_array *a) {
    clary__value *v = NULL;
    if (e->status == CLARY_OK) e->status = clary__array_shaped_value(a, &v);
    return e->status == CLARY_OK ? v : NULL;
}

clary_status clary__end(clary__expression *e) {
    while (e->count > 0) clary_release(&e->made[--e->count]);
    return e->status;
}

clary_status clary__result(clary__expression *e, clary_array *result, clary_array **out) {
    *out = e->status == CLARY_OK ? clary_retain(result) : NULL;
    return clary__end(e);
}

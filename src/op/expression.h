/* expression.h - several operations on arrays written as one expression.
 *
 * An expression owns the arrays it makes and remembers the first failure; after that its functions do
 * nothing and return NULL. So code that composes operations reads like the formula:
 *
 *     clary__expression e = {0};
 *     clary_array *positive = clary__op2(&e, CLARY_OP_greater, x, clary__integer(&e, x, 0));
 *     return clary__result(&e, positive, out);
 */
#ifndef CLARY_OP_EXPRESSION_H
#define CLARY_OP_EXPRESSION_H
#include "array/array.h"
#include "clary/ops.h"

typedef struct clary__expression {
    clary_status status;
    int count;
    clary_array *made[160];
} clary__expression;

/* Takes over what a call of the given status made; NULL after a failure. */
clary_array *clary__keep(clary__expression *e, clary_status status, clary_array *made);
/* clary_f(..., made) as an array of e. */
#define CLARY__MAKE(e, call)                                                                       \
    __extension__({                                                                                \
        clary_array *made_ = NULL, **made = &made_;                                                \
        clary_status status_ = (e)->status == CLARY_OK ? (call) : (e)->status;                     \
        clary__keep((e), status_, made_);                                                          \
    })

clary_array *clary__op1(clary__expression *e, clary_op op, clary_array *x);
clary_array *clary__op2(clary__expression *e, clary_op op, clary_array *x, clary_array *y);
clary_array *clary__op3(clary__expression *e, clary_op op, clary_array *x, clary_array *y,
                        clary_array *z);
clary_array *clary__cast(clary__expression *e, clary_array *x, clary_dtype dtype);
/* A weak integer on the device of `like`. */
clary_array *clary__integer(clary__expression *e, clary_array *like, int64_t i);
/* A value (taken over) as an array of its shape. */
clary_array *clary__of_value(clary__expression *e, clary_status status, clary__value *value);
/* a's value with exactly a's shape, a new reference; NULL after a failure. */
clary__value *clary__value_in(clary__expression *e, clary_array *a);

/* Releases everything; returns the status. */
clary_status clary__end(clary__expression *e);
/* The same, and *out = a new reference to `result`, unless something failed. */
clary_status clary__result(clary__expression *e, clary_array *result, clary_array **out);

#endif

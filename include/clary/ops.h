/* clary/ops.h - element-wise operations. The list, and all that is known of each, is ops.def.
 *
 * Shapes broadcast and dtypes promote as in NumPy 2; a 0-d array from clary_scalar_array is weak.
 * Each operation is also a function of its own: clary_add(a, b, &out), clary_sin(a, &out), ...
 */
#ifndef CLARY_OPS_H
#define CLARY_OPS_H
#include "array.h"
CLARY_BEGIN

typedef enum clary_op {
#define CLARY_OP(name, ...) CLARY_OP_##name,
#include "ops.def"
#undef CLARY_OP
    CLARY_OP_COUNT
} clary_op;

/* Facts of an operation. Strings are static. */
typedef struct clary_op_info {
    const char *name;   /* NumPy's name */
    const char *doc;    /* one sentence */
    const char *rule;   /* how the result's dtype follows from the inputs: see ops.def */
    const char *kinds;  /* kinds of dtype it computes in, of "biufc" */
    const char *domain; /* where tests draw inputs from: see ops.def */
    int arity;          /* 1, 2 or 3 */
    int ulp; /* bound on the error in units in the last place, float32 and float64; 0: correctly rounded */
    bool has_identity; /* reductions with it accept empty input */
    bool associative;  /* reductions and scans combine with it, in an order of their own */
} clary_op_info;

CLARY_API clary_status clary_get_op_info(clary_op op, clary_op_info *out);
CLARY_API clary_status clary_find_op(const char *name, clary_op *out);

/* out = op(inputs...). */
CLARY_API clary_status clary_apply(clary_op op, clary_array *const *inputs, clary_array **out);
/* out[...] = op(inputs...): NumPy's `out=`; the result is cast by same_kind and must broadcast to out's
 * shape. Inputs may overlap out. */
CLARY_API clary_status clary_apply_into(clary_op op, clary_array *const *inputs, clary_array *out);
/* The dtypes op computes in and returns for inputs of these dtypes; weak[i] marks weak scalars
 * (NULL: none). CLARY_DTYPE_MISMATCH if there is no loop. */
CLARY_API clary_status clary_op_dtypes(clary_op op, const clary_dtype *inputs, const bool *weak,
                                       clary_dtype *compute, clary_dtype *result);

#define CLARY_PARAMS_1 clary_array *x
#define CLARY_PARAMS_2 clary_array *x, clary_array *y
#define CLARY_PARAMS_3 clary_array *x, clary_array *y, clary_array *z
#define CLARY_OP(name, arity, ...)                                                                 \
    CLARY_API clary_status clary_##name(CLARY_PARAMS_##arity, clary_array **out);
#include "ops.def"
#undef CLARY_OP

/* numpy.broadcast_shapes of two shapes; out has room for CLARY_MAX_NDIM. */
CLARY_API clary_status clary_broadcast_shapes(int ndim1, const int64_t *shape1, int ndim2,
                                              const int64_t *shape2, int *out_ndim,
                                              int64_t *out_shape);

CLARY_END
#endif

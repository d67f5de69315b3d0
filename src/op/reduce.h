/* reduce.h - pieces that reductions and statistics share. */
#ifndef CLARY_OP_REDUCE_H
#define CLARY_OP_REDUCE_H
#include "array/array.h"
#include "clary/reduce.h"
#include "graph/group.h"

/* What a reduction was asked for, checked against its array. */
typedef struct clary__reduction {
    const char *name;
    uint32_t mask; /* axes reduced */
    bool keepdims;
    int64_t count; /* points per result */
    int64_t results;
} clary__reduction;

clary_status clary__reduction_of(const char *name, clary_array *a, int naxes, const int *axes,
                                 bool keepdims, clary__reduction *out);

/* One REDUCE node: a cast to `accumulate`, reduced, the result cast to `result`. reduce_op as in
 * group.h. CLARY_INVALID_ARGUMENT for nothing to reduce without identity. */
clary_status clary__fold(clary_array *a, const clary__reduction *r, int reduce_op,
                         clary_dtype accumulate, clary_dtype result, clary_array **out);

/* NumPy's dtype of a sum or product: integers widen to 64 bits. */
clary_dtype clary__total_dtype(clary_dtype t);
/* float32 for halves, float64 for integers and bool, else t: where sums of t's mean are kept. */
clary_dtype clary__mean_dtype(clary_dtype t);
/* t, or float64 for integers and bool: the dtype of a mean. */
clary_dtype clary__mean_result(clary_dtype t);
/* For op.reduce and op.accumulate (`method`) in a dtype (CLARY_DTYPE_COUNT: a's): the dtypes of the
 * accumulator and of the result. Sums and products of halves are kept in float32 and rounded once. */
clary_status clary__combining_dtypes(clary_op op, const char *method, const clary_array *a,
                                     clary_dtype dtype, clary_dtype *accumulate,
                                     clary_dtype *result);

#endif

/* clary/reduce.h - reductions and cumulative operations.
 *
 * axes NULL with naxes 0 means all axes. keepdims keeps reduced axes with extent 1. The order in which
 * a sum is added up depends on its length alone (docs/architecture.md, "Exactness"), so it has the
 * same bits on every device, layout and axis; float16 and bfloat16 are accumulated in float32.
 */
#ifndef CLARY_REDUCE_H
#define CLARY_REDUCE_H
#include "ops.h"
CLARY_BEGIN

/* X(name, doc): reductions without further parameters. Result dtypes follow NumPy: sum and prod of
 * integers in int64 / uint64, mean of integers in float64, arg* in int64, any/all in bool. */
#define CLARY_REDUCTION_LIST(X)                                                                    \
    X(sum, "Sum of the elements.")                                                                 \
    X(prod, "Product of the elements.")                                                            \
    X(max, "Largest element; NaN if there is one.")                                                \
    X(min, "Smallest element; NaN if there is one.")                                               \
    X(any, "Whether some element is true.")                                                        \
    X(all, "Whether every element is true.")                                                       \
    X(mean, "Arithmetic mean.")                                                                    \
    X(argmax, "Index of the first largest element; of the first NaN if there is one.")             \
    X(argmin, "Index of the first smallest element; of the first NaN if there is one.")            \
    X(count_nonzero, "Number of elements that are not zero.")                                      \
    X(logsumexp, "log(sum(exp(x))) without overflow.")                                             \
    X(norm, "Square root of the sum of squared magnitudes (2-norm of the flattened axes).")        \
    X(ptp, "Largest minus smallest element.")                                                      \
    X(nansum, "Sum, NaN counted as 0.")                                                            \
    X(nanprod, "Product, NaN counted as 1.")                                                       \
    X(nanmax, "Largest element that is not NaN.")                                                  \
    X(nanmin, "Smallest element that is not NaN.")                                                 \
    X(nanmean, "Mean of the elements that are not NaN.")                                           \
    X(nanargmax, "Index of the largest element that is not NaN.")                                  \
    X(nanargmin, "Index of the smallest element that is not NaN.")

/* clary_sum(a, naxes, axes, keepdims, &out) and so on. */
#define X(name, doc)                                                                               \
    CLARY_API clary_status clary_##name(clary_array *a, int naxes, const int *axes, bool keepdims, \
                                        clary_array **out);
CLARY_REDUCTION_LIST(X)
#undef X

/* The same by name, for bindings; and the one-sentence documentation (NULL past the end). */
CLARY_API clary_status clary_reduce_by_name(const char *name, clary_array *a, int naxes,
                                            const int *axes, bool keepdims, clary_array **out);
CLARY_API const char *clary_reduction_name(int index);
CLARY_API const char *clary_reduction_doc(int index);

/* Variance and standard deviation, divided by (count - correction): two passes, no cancellation. */
CLARY_API clary_status clary_var(clary_array *a, int naxes, const int *axes, double correction,
                                 bool keepdims, clary_array **out);
CLARY_API clary_status clary_std(clary_array *a, int naxes, const int *axes, double correction,
                                 bool keepdims, clary_array **out);
CLARY_API clary_status clary_nanvar(clary_array *a, int naxes, const int *axes, double correction,
                                    bool keepdims, clary_array **out);
CLARY_API clary_status clary_nanstd(clary_array *a, int naxes, const int *axes, double correction,
                                    bool keepdims, clary_array **out);

/* numpy's ufunc.reduce for an associative operation (add, multiply, gcd, lcm, hypot, logaddexp, logaddexp2,
 * maximum, minimum, fmax, fmin, bitwise and logical ones); dtype is the
 * accumulator's and result's (CLARY_DTYPE_COUNT: the input's). */
CLARY_API clary_status clary_op_reduce(clary_op op, clary_array *a, int naxes, const int *axes,
                                       bool keepdims, clary_dtype dtype, clary_array **out);

/* numpy's ufunc.accumulate along one axis: add (cumulative sum), multiply, maximum, minimum, or any
 * operation that clary_op_reduce takes. */
CLARY_API clary_status clary_op_accumulate(clary_op op, clary_array *a, int axis, clary_dtype dtype,
                                           clary_array **out);
/* NumPy's cumsum / cumprod dtypes (small integers widen), and cumulative max / min. */
CLARY_API clary_status clary_cumsum(clary_array *a, int axis, clary_array **out);
CLARY_API clary_status clary_cumprod(clary_array *a, int axis, clary_array **out);
CLARY_API clary_status clary_cummax(clary_array *a, int axis, clary_array **out);
CLARY_API clary_status clary_cummin(clary_array *a, int axis, clary_array **out);

CLARY_END
#endif

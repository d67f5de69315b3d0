/* clary/sort.h - sorting, searching in what is sorted, counting.
 *
 * Order, as NumPy's: numbers ascend, NaN comes last, false before true, complex numbers by real, then
 * imaginary part. All sorts are stable: equal elements (0.0 and -0.0 too) keep their order.
 */
#ifndef CLARY_SORT_H
#define CLARY_SORT_H
#include "array.h"
CLARY_BEGIN

/* numpy.sort / argsort (int64) along an axis. descending: the reverse order, NaN first, still stable. */
CLARY_API clary_status clary_sort(clary_array *a, int axis, bool descending, clary_array **out);
CLARY_API clary_status clary_argsort(clary_array *a, int axis, bool descending, clary_array **out);
/* numpy.lexsort: the order by the last of `count` keys, ties by the one before it, and so on. Keys have
 * one shape. */
CLARY_API clary_status clary_lexsort(clary_array *const *keys, int count, int axis,
                                     clary_array **out);
/* numpy.searchsorted: int64 places in `sorted` (one dimension, ascending) where keys belong: before
 * equal ones, or behind them. In the dtype that both promote to. */
CLARY_API clary_status clary_searchsorted(clary_array *sorted, clary_array *keys, bool right,
                                          clary_array **out);
/* numpy.bincount: how often every integer from 0 on occurs in x (one dimension, >= 0), at least
 * minlength counts; or, with weights (NULL: none), the float64 sums of its weights. Waits. */
CLARY_API clary_status clary_bincount(clary_array *x, clary_array *weights, int64_t minlength,
                                      clary_array **out);

CLARY_END
#endif

/* clary/index.h - indexing by arrays: reading, writing and accumulating at places that arrays name.
 *
 * Index arrays have integer or bool dtype and live on the indexed array's device; integers count from
 * the end if negative. Results are copies, not views. An index out of range cannot be known when the
 * call is recorded: the next call that waits for the device returns CLARY_INDEX_OUT_OF_RANGE, naming
 * the operation, the index, the axis and its size; a read gives the element at 0 meanwhile and a write
 * skips it.
 */
#ifndef CLARY_INDEX_H
#define CLARY_INDEX_H
#include "ops.h"
CLARY_BEGIN

/* a[items], NumPy's indexing in full. Without arrays among the items: a view. With some: a copy, whose
 * axes follow NumPy's rule (where the arrays stand, if they stand side by side, else in front). A
 * boolean array stands for the positions of its true elements; reading them waits for the device. */
CLARY_API clary_status clary_get(clary_array *a, int count, const clary_index *items,
                                 clary_array **out);
/* a[items] = value, broadcast, cast by CLARY_CAST_UNSAFE. Of several values for one place the last wins. */
CLARY_API clary_status clary_set(clary_array *a, int count, const clary_index *items,
                                 clary_array *value);
/* numpy.ufunc.at: a[items] = op(a[items], value) with every repetition of a place, in order. op has one
 * or two inputs (value NULL for one); each result is cast to a's dtype by CLARY_CAST_UNSAFE. */
CLARY_API clary_status clary_update_at(clary_op op, clary_array *a, int count,
                                       const clary_index *items, clary_array *value);

/* What an index out of range means. */
typedef enum clary_index_mode {
    CLARY_MODE_RAISE, /* an error; negative ones count from the end */
    CLARY_MODE_WRAP,  /* index modulo size */
    CLARY_MODE_CLIP   /* the nearest valid one */
} clary_index_mode;

/* numpy.take along an axis; flatten the array first for axis=None. */
CLARY_API clary_status clary_take(clary_array *a, clary_array *indices, int axis,
                                  clary_index_mode mode, clary_array **out);
/* numpy.take_along_axis: shapes broadcast along the other axes. */
CLARY_API clary_status clary_take_along_axis(clary_array *a, clary_array *indices, int axis,
                                             clary_array **out);
/* numpy.put_along_axis. */
CLARY_API clary_status clary_put_along_axis(clary_array *a, clary_array *indices,
                                            clary_array *values, int axis);
/* numpy.put: a.flat[indices] = values, repeated as often as needed. */
CLARY_API clary_status clary_put(clary_array *a, clary_array *indices, clary_array *values,
                                 clary_index_mode mode);
/* The positions, in the flattened array, of elements that are not zero: int64, ascending. Waits. */
CLARY_API clary_status clary_flatnonzero(clary_array *a, clary_array **out);
/* numpy.nonzero: out has room for ndim arrays. 0-d arrays: CLARY_INVALID_ARGUMENT. Waits. */
CLARY_API clary_status clary_nonzero(clary_array *a, clary_array **out);

CLARY_END
#endif

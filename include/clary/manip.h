/* clary/manip.h - joining, repeating, padding, shifting, triangles, diagonals, differences. Results are
 * new arrays. */
#ifndef CLARY_MANIP_H
#define CLARY_MANIP_H
#include "array.h"
CLARY_BEGIN

/* numpy.concatenate along an existing axis; count >= 1; dtypes promote. */
CLARY_API clary_status clary_concat(clary_array *const *arrays, int count, int axis,
                                    clary_array **out);
/* numpy.stack along a new axis. */
CLARY_API clary_status clary_stack(clary_array *const *arrays, int count, int axis,
                                   clary_array **out);
/* numpy.tile. */
CLARY_API clary_status clary_tile(clary_array *a, int count, const int64_t *reps,
                                  clary_array **out);
/* numpy.repeat along an axis: counts has 1 or shape[axis] entries. */
CLARY_API clary_status clary_repeat(clary_array *a, int64_t ncounts, const int64_t *counts,
                                    int axis, clary_array **out);

typedef enum clary_pad_mode {
    CLARY_PAD_CONSTANT,
    CLARY_PAD_EDGE,
    CLARY_PAD_REFLECT,
    CLARY_PAD_SYMMETRIC,
    CLARY_PAD_WRAP
} clary_pad_mode;

/* numpy.pad: before and after have ndim entries; value is used by CLARY_PAD_CONSTANT. */
CLARY_API clary_status clary_pad(clary_array *a, const int64_t *before, const int64_t *after,
                                 clary_pad_mode mode, clary_scalar value, clary_array **out);

/* numpy.roll: axis axes[i] is shifted by shifts[i]; an axis may be named more than once. */
CLARY_API clary_status clary_roll(clary_array *a, int count, const int64_t *shifts, const int *axes,
                                  clary_array **out);
/* numpy.tril and numpy.triu: zeros above (below) diagonal k of the last two axes. A 1-D array becomes
 * the rows of a square matrix first. */
CLARY_API clary_status clary_tril(clary_array *a, int64_t k, clary_array **out);
CLARY_API clary_status clary_triu(clary_array *a, int64_t k, clary_array **out);
/* numpy.diag: a 1-D array as diagonal k of a square matrix of zeros; of a matrix a copy of diagonal k. */
CLARY_API clary_status clary_diag(clary_array *a, int64_t k, clary_array **out);
/* numpy.diff: a[1:] - a[:-1] along an axis, n times; of bool whether neighbours differ. n = 0 gives a
 * itself. */
CLARY_API clary_status clary_diff(clary_array *a, int64_t n, int axis, clary_array **out);

CLARY_END
#endif

/* clary/manip.h - joining, repeating, padding. Results are new arrays. */
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

CLARY_END
#endif

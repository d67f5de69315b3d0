/* position.h - what all indexing by arrays comes down to: int64 positions in a storage.
 *
 * The position of a result's element is affine in its coordinates (a layout: the axes that slices and
 * plain axes bring) plus, for every axis that an array indexes, index * stride. Positions are ordinary
 * lazy arrays, so they fuse with what makes the indices and with the gather.
 */
#ifndef CLARY_OP_POSITION_H
#define CLARY_OP_POSITION_H
#include "op/expression.h"

typedef struct clary__indexed {
    clary_array *index; /* integers; broadcasts to the result's shape */
    int64_t extent, stride;
    int axis;   /* for messages; -1: the flattened array */
    bool known; /* in range by construction, not checked */
} clary__indexed;

/* Positions in a's storage. affine: the result's shape, offset and strides. `what` lives forever.
 * to_write: a faulty index gives a negative position, which a scatter skips; else that of index 0. */
clary_array *clary__positions(clary__expression *e, const char *what, clary_array *a,
                              const clary__layout *affine, int count, const clary__indexed *axes,
                              bool to_write);
/* The elements of a's storage there. */
clary_array *clary__gather(clary__expression *e, clary_array *a, clary_array *positions);
/* Writes or combines them; values: of positions' size or 1, in the dtype struct clary__scatter asks. */
clary_status clary__scatter_to(int op, bool distinct, clary_array *a, clary_array *positions,
                               clary_array *values);
/* indices as int64; CLARY_DTYPE_MISMATCH unless they are integers. uint64 beyond int64 stays too large. */
clary_array *clary__as_index(clary__expression *e, const char *what, clary_array *indices);

#endif

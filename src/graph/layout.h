/* layout.h - strided windows on a flat space.
 *
 * A layout sends coordinates to positions: offset + sum(coordinate[d] * strides[d]). Arrays
 * (windows on a storage), view values (windows on another value's elements in C order) and kernel
 * operands (windows on a buffer) are all layouts, and composing two of them is the one operation
 * that fuses views.
 */
#ifndef CLARY_LAYOUT_H
#define CLARY_LAYOUT_H
#include "core/core.h"

typedef struct clary__layout {
    int ndim;
    int64_t offset;
    int64_t shape[CLARY_MAX_NDIM], strides[CLARY_MAX_NDIM];
} clary__layout;

/* Product of the extents; 1 for ndim 0. */
int64_t clary__size_of(int ndim, const int64_t *shape);
/* C-order strides; strides may not alias shape. */
void clary__contiguous_strides(int ndim, const int64_t *shape, int64_t *strides);
/* Offset 0, C order. */
void clary__layout_contiguous(clary__layout *l, int ndim, const int64_t *shape);
/* Whether positions are offset, offset + 1, ... in C order. */
/* Whether two elements may lie in one place: true unless each step clears all that smaller ones reach. */
bool clary__layout_overlaps(const clary__layout *l);
bool clary__is_contiguous(int ndim, const int64_t *shape, const int64_t *strides);
/* out = inner after outer: `outer` gives positions in the C-order elements of inner's shape,
 * `inner` sends those to positions in its own space. False where no strided layout does that. */
bool clary__layout_compose(const clary__layout *outer, const clary__layout *inner,
                           clary__layout *out);

/* Strides that give the elements of (ndim, shape, strides) in C order the new shape without a copy;
 * false where there are none. Both shapes have the same size. (NumPy's no-copy reshape.) */
bool clary__reshape_strides(int ndim, const int64_t *shape, const int64_t *strides, int new_ndim,
                            const int64_t *new_shape, int64_t *new_strides);

#endif

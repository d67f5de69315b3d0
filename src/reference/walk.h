/* walk.h - reading and writing strided operands in strips.
 *
 * A space is the iteration space, or a part of it, with its dims in the order in which points are
 * numbered. A walk is an operand seen from a space: its dims merged as far as this one operand allows,
 * so that points [p, p + n) are few runs of equal stride; often a single one.
 */
#ifndef CLARY_WALK_H
#define CLARY_WALK_H
#include "graph/group.h"

typedef struct clary__space {
    int ndim;
    int dim[CLARY_MAX_NDIM];       /* which dim of the group */
    int64_t shape[CLARY_MAX_NDIM]; /* points taken along it */
    int rank;                      /* dims of the group */
    int64_t start[CLARY_MAX_NDIM]; /* by dim of the group: coordinate of point 0 */
} clary__space;

typedef struct clary__walk {
    bool flat;      /* point p is element offset + p */
    int ndim;       /* >= 1 */
    int64_t offset; /* element of point 0 */
    int64_t shape[CLARY_MAX_NDIM], strides[CLARY_MAX_NDIM];
} clary__walk;

void clary__walk_init(clary__walk *walk, const clary__space *space, const clary__operand *operand);
/* Copies elements of `size` bytes of points [point, point + n) to or from a dense array. */
void clary__walk_read(const clary__walk *walk, const void *base, size_t size, int64_t point,
                      size_t n, void *out);
void clary__walk_write(const clary__walk *walk, void *base, size_t size, int64_t point, size_t n,
                       const void *from);
/* The positions themselves. */
void clary__walk_index(const clary__walk *walk, int64_t point, size_t n, int64_t *out);

#endif

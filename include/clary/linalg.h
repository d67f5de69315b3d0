/* clary/linalg.h - products of vectors, matrices and tensors.
 *
 * Dtypes promote as in multiply, and results keep the promoted dtype: integers wrap, bool is or-of-ands,
 * float16 and bfloat16 are added up in float32 and rounded once. Sums have the order that reductions
 * have. A sum over nothing is 0.
 */
#ifndef CLARY_LINALG_H
#define CLARY_LINALG_H
#include "array.h"
CLARY_BEGIN

/* numpy.matmul: matrices in the last two axes, the rest broadcast. A 1-D x is a row, a 1-D y a column,
 * whose axis the result lacks. CLARY_SHAPE_MISMATCH for 0-d arrays and for extents that do not meet. */
CLARY_API clary_status clary_matmul(clary_array *x, clary_array *y, clary_array **out);

/* numpy.vecdot: the sum of conj(x) * y along an axis of both, whose extents must be equal; the other
 * axes broadcast. */
CLARY_API clary_status clary_vecdot(clary_array *x, clary_array *y, int axis, clary_array **out);

/* numpy.tensordot: the sum over `count` axes of x and as many of y, pair by pair of equal extents. The
 * result has x's other axes, then y's. */
CLARY_API clary_status clary_tensordot(clary_array *x, clary_array *y, int count, const int *x_axes,
                                       const int *y_axes, clary_array **out);

/* numpy.einsum of 1 to 64 operands: "ij,jk->ik", with "..." and with implicit results ("ij,jk"). Extents
 * of a label are equal, or 1 and stretch; a label twice in one operand is its diagonal. Products of
 * more than two are made pair by pair, the smallest growth first. Nothing summed of one operand: a
 * view. */
CLARY_API clary_status clary_einsum(const char *subscripts, int count, clary_array *const *operands,
                                    clary_array **out);

CLARY_END
#endif

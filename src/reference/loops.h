/* loops.h - the reference executor's inner loops: one function per operation and compute dtype, and per
 * pair of dtypes of a cast. They run on strips: aligned arrays of at most a few thousand values.
 *
 * In a strip a value has the type of cl/prelude.cl's clary_<suffix>: halves are floats that hold nothing
 * a half could not, bool is a byte, complex a struct. r may be the same strip as an argument whose
 * values have the same size; otherwise strips do not overlap.
 */
#ifndef CLARY_LOOPS_H
#define CLARY_LOOPS_H
#include "graph/group.h"

typedef void clary__loop(void *r, const void *x, const void *y, const void *z, size_t n);
typedef void clary__cast_loop(void *r, const void *x, size_t n);

/* For an operation with compute dtype t; NULL if ops.def has no expression for it. */
clary__loop *clary__find_loop(clary_op op, clary_dtype t);
clary__cast_loop *clary__find_cast(clary_dtype from, clary_dtype to);

/* Folds a strip into the best value and index of an ARGMAX or ARGMIN. `rows`: v holds n points with
 * k = first, first + 1, ... of one reduction. `columns`: v holds point k = first of n reductions. The
 * caller offers points in rising k; start with best = point 0. */
typedef struct clary__arg_loops {
    void (*rows)(void *best, int64_t *index, const void *v, int64_t first, size_t n);
    void (*columns)(void *best, int64_t *index, const void *v, int64_t first, size_t n);
} clary__arg_loops;
const clary__arg_loops *clary__find_arg_loops(int reduce_op, clary_dtype t);

/* indexed.c. Those of group.h's CHECK, GATHER and SEARCH; r may be the strip of an argument.
 * A CHECK that finds an index out of range writes `outside` for it, and fills *fault if that is empty;
 * `point` is that of index[0]. */
void clary__check_loop(int64_t *r, const int64_t *index, const int64_t *extent, const int64_t *site,
                       size_t n, int64_t outside, int64_t point, clary__fault *fault);
/* Elements of `size` bytes as they are stored. */
void clary__gather_loop(void *r, const void *base, size_t size, const int64_t *at, size_t n);
/* `right`: behind the elements of x that are not greater, else behind those that are less. */
typedef void clary__search_loop(int64_t *r, const void *keys, const int64_t *counts, const void *x,
                                size_t n, bool right);
clary__search_loop *clary__find_search(clary_dtype t);

/* Bytes of one value in a strip. */
size_t clary__strip_size(clary_dtype t);
/* Halves of dtype t as they are stored, from and to a strip. */
void clary__widen(clary_dtype t, const uint16_t *halves, size_t n, float *strip);
void clary__narrow(clary_dtype t, const float *strip, size_t n, uint16_t *halves);

/* Tables of the files loops_*.c, by operation. Two levels: for any processor, and for one with
 * wider vectors. */
typedef struct clary__loop_tables {
    clary__loop *const *any, *const *wide;
} clary__loop_tables;
#define X(NAME, name, suffix, bytes, kind) extern const clary__loop_tables clary__loops_##suffix;
CLARY_DTYPE_LIST(X)
#undef X

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define CLARY__WIDE_VECTORS /* "GCC target" and __builtin_cpu_supports are understood */
#endif

#endif

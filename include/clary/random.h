/* clary/random.h - counter-based random numbers (Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel
 * random numbers: as easy as 1, 2, 3", SC 2011).
 *
 * Element i of a draw is a function of (key, counter + i) alone: the same bits on every device, and
 * lazy and fused like any other element-wise operation.
 */
#ifndef CLARY_RANDOM_H
#define CLARY_RANDOM_H
#include "array.h"
CLARY_BEGIN

/* uint32 words: element i is word (counter + i) of the stream `key`. Four words form a Philox block. */
CLARY_API clary_status clary_random_bits(clary_device *device, uint64_t key, uint64_t counter,
                                         int ndim, const int64_t *shape, clary_array **out);
/* Uniform in [0, 1), never 1: float32 takes one word an element, float64 two. */
CLARY_API clary_status clary_random_uniform(clary_device *device, clary_dtype dtype, uint64_t key,
                                            uint64_t counter, int ndim, const int64_t *shape,
                                            clary_array **out);
/* Standard normal (float32: two words an element, float64: four) by Box and Muller, "A note on the
 * generation of random normal deviates", 1958. Same dtypes and errors as clary_random_uniform. */
CLARY_API clary_status clary_random_normal(clary_device *device, clary_dtype dtype, uint64_t key,
                                           uint64_t counter, int ndim, const int64_t *shape,
                                           clary_array **out);
/* Standard exponential, mean 1: -log(1 - u) of a uniform u, with its words. */
CLARY_API clary_status clary_random_exponential(clary_device *device, clary_dtype dtype,
                                                uint64_t key, uint64_t counter, int ndim,
                                                const int64_t *shape, clary_array **out);
/* Integers low + [0, count), unbiased, count = 0 meaning 2^64; the result wraps to the integer dtype. low
 * is given modulo 2^64. Elements take positions counter + i, one each, of blocks of their own. */
CLARY_API clary_status clary_random_integers(clary_device *device, clary_dtype dtype, uint64_t low,
                                             uint64_t count, uint64_t key, uint64_t counter,
                                             int ndim, const int64_t *shape, clary_array **out);

CLARY_END
#endif

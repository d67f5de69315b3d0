/* share.h - storages whose memory others see: foreign code (DLPack), or arrays of another dtype.
 *
 * Note [Shared memory]. Values never change, but memory that others see does, at any time. So sharing
 * gives up laziness at the border, and only there:
 *
 * - A shared storage's current value has a buffer that no other value uses, and is marked `shared`.
 *   Pinning a storage makes it so, with a copy if other values hold the buffer.
 * - What reads a shared value is computed before the call that records it returns (clary__settle), so
 *   that later writes by others do not change it. The mark travels from inputs to nodes when they are
 *   made; every new array and every write settles what it is given.
 * - A write goes to that buffer at once (evaluate.c, Note [Updates in place]).
 * - Where the host shares the memory, both also wait for the device.
 *
 * When the last pin goes, the storage is an ordinary one again.
 */
#ifndef CLARY_SHARE_H
#define CLARY_SHARE_H
#include "array/array.h"

/* Replaces a value that depends on shared memory by what it is now. */
clary_status clary__settle(clary__value **v);
/* Computes an update of shared memory. */
clary_status clary__settle_in_place(clary__value *update);

/* The array itself; for parts of complex numbers, one of its own storage: the same floats at the same places. */
clary_status clary__array_plain(clary_array *a, clary_array **out);

clary_status clary__storage_pin(clary__storage *s);
void clary__storage_unpin(clary__storage *s);
void clary__storage_release(clary__storage *s);

/* An array on `count` elements of foreign memory from `first` on, seen through a layout. farewell(context)
 * is called when nothing uses the memory any more; on failure it is not called.
 * CLARY_UNSUPPORTED: the device cannot work on memory of the host. */
clary_status clary__array_on(clary_device *device, clary_dtype dtype, void *first, int64_t count,
                             const clary__layout *layout, bool read_only,
                             void (*farewell)(void *context), void *context, clary_array **out);
#endif

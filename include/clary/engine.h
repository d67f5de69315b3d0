/* clary/engine.h - when things run, and what they cost.
 *
 * Operations are recorded and run when a result is needed: read, printed, or asked for here. What is
 * recorded together runs fused, in as few kernels as the data flow allows.
 */
#ifndef CLARY_ENGINE_H
#define CLARY_ENGINE_H
#include "array.h"
CLARY_BEGIN

/* Starts the computation of `count` arrays, together: arrays of one shape come from one kernel where
 * they can. Does not wait. */
CLARY_API clary_status clary_eval(clary_array *const *arrays, int count);

/* Waits for everything started on the device (NULL: on every open device). */
CLARY_API clary_status clary_synchronize(clary_device *device);

/* Totals over all devices since the process began or since the last reset. */
typedef struct clary_counters {
    uint64_t launches;      /* kernels started, compiled tier and reference tier */
    uint64_t host_runs;     /* of these, run by the reference executor */
    uint64_t builds;        /* kernels compiled from source */
    uint64_t memory_hits;   /* kernels found in memory */
    uint64_t disk_hits;     /* kernels loaded from the disk cache */
    uint64_t bytes_up;      /* host to device */
    uint64_t bytes_down;    /* device to host */
    uint64_t bytes_kernels; /* read and written by kernels, as counted from their operands */
    uint64_t live_bytes;    /* device memory held by arrays now */
    uint64_t peak_bytes;    /* its maximum since the reset */
    uint64_t live_arrays;   /* array handles not yet released */
    uint64_t live_values;   /* graph nodes not yet freed */
} clary_counters;

CLARY_API void clary_get_counters(clary_counters *out);
CLARY_API void clary_reset_counters(void); /* live_* keep their values */

/* Which tier runs a fused group on a device that shares the host's memory: "auto" (small ones on the
 * reference executor, large ones compiled), "always" (compiled), "never" (reference executor). Starts
 * as $CLARY_JIT. On other devices kernels are always compiled. */
CLARY_API clary_status clary_set_jit(const char *mode);
CLARY_API const char *clary_get_jit(void);

CLARY_END
#endif

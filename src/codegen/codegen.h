/* codegen.h - a group becomes one or more launches of OpenCL C kernels.
 *
 * clary__codegen_run looks at a group and at the device's facts, chooses kernels (each algorithm says
 * whether it applies; the generic one is last), allocates temporaries for work that needs several
 * stages, and calls `launch` for each stage in order. It knows nothing of OpenCL's API: `launch`
 * (src/opencl) finds the kernel by its key in memory, else asks for its source and looks on disk or
 * builds it, sets the arguments and enqueues it.
 *
 * A kernel's arguments are, in this order: its buffers (__global pointers), then one struct of
 * parameters by value (sizes, strides, offsets, scalars), so that a new shape or scalar needs no new kernel.
 * Parameters that are too many lie in one more buffer instead; params_bytes is 0 then. Kernels that check
 * indices have the device's fault record in front of all.
 */
#ifndef CLARY_CODEGEN_H
#define CLARY_CODEGEN_H
#include "graph/group.h"

#define CLARY__MAX_KERNEL_BUFFERS (CLARY__MAX_INPUTS + CLARY__MAX_OUTPUTS + 4)
#define CLARY__MAX_PARAM_BYTES 1000 /* devices promise 1024 bytes of arguments in all */

typedef struct clary__launch {
    const void *key; /* everything the source depends on; compared in full */
    size_t key_bytes;
    clary_status (*source)(const void *context, clary__text *out); /* called on a miss only */
    const void *context;
    const char *entry; /* kernel function's name, descriptive: "map_add_f32" */
    bool faults;       /* the device's struct clary__fault is one more buffer, in front */
    int nbuffers;
    clary__buffer *buffers[CLARY__MAX_KERNEL_BUFFERS];
    const void *params;
    size_t params_bytes;
    int dims;
    size_t global[3], local[3];
    uint64_t bytes; /* read and written, for the counters */
    const char *what;
} clary__launch;

typedef clary_status clary__launch_fn(clary_device *device, const clary__launch *launch);

clary_status clary__codegen_run(clary_device *device, const clary__group *group,
                                clary__launch_fn *launch);

/* sort.c */
clary_status clary__codegen_sort(clary_device *device, const clary__sort *sort,
                                 clary__launch_fn *launch);
/* Tests lower these, so that small sorts go the ways of large ones. */
typedef struct clary__sort_limits {
    int64_t wide_from; /* rows of so many elements count in 64 bits */
    int items;         /* of a tile, for a work-item */
} clary__sort_limits;
extern clary__sort_limits clary__sort_limits_now;

/* scatter.c */
clary_status clary__codegen_scatter(clary_device *device, const clary__scatter *scatter,
                                    clary__launch_fn *launch);

/* Files of cl/ embedded in the library (cmake/embed.cmake), or read from $CLARY_CL_DIR. NULL if unknown.
 * name: "prelude.cl", "integer.cl", "math.cl", "complex.cl", "check.cl" and so on. */
const char *clary__cl_file(const char *name);

#endif

/* clary/interop.h - memory shared with other libraries, by DLPack.
 *
 * The structures are those of DLPack 1.x (github.com/dmlc/dlpack) under names of our own, so that this
 * header can be used next to dlpack.h: cast the pointers.
 *
 * Sharing works both ways without a copy where the device works on the host's memory (the reference
 * device; OpenCL devices that a test finds able to, such as PoCL's). Writes through either side are seen by
 * the other. What Clary defers elsewhere it does at once on shared memory: an operation that reads it, or a
 * write to it, is done when the call returns; so a program need not know what is pending. Elsewhere operations
 * stay deferred, and an exported array is an ordinary one again when the last consumer has let go.
 */
#ifndef CLARY_INTEROP_H
#define CLARY_INTEROP_H
#include "array.h"
CLARY_BEGIN

enum { /* device types */
       CLARY_DL_CPU = 1,
       CLARY_DL_CUDA_HOST = 3,
       CLARY_DL_OPENCL = 4,
       CLARY_DL_ROCM_HOST = 11
};
enum { CLARY_DL_READ_ONLY = 1, CLARY_DL_IS_COPIED = 2 }; /* flags */

typedef struct clary_dl_tensor {
    void *data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits; /* of the dtype */
    uint16_t lanes;
    int64_t *shape, *strides; /* in elements */
    uint64_t byte_offset;
} clary_dl_tensor;

typedef struct clary_dl_managed { /* DLManagedTensor */
    clary_dl_tensor tensor;
    void *manager_ctx;
    void (*deleter)(struct clary_dl_managed *self);
} clary_dl_managed;

typedef struct clary_dl_versioned { /* DLManagedTensorVersioned */
    uint32_t major, minor;
    void *manager_ctx;
    void (*deleter)(struct clary_dl_versioned *self);
    uint64_t flags;
    clary_dl_tensor tensor;
} clary_dl_versioned;

/* Where DLPack's consumers find arrays of the device: CLARY_DL_CPU where the memory has addresses on the host,
 * else CLARY_DL_OPENCL and a number for the device; those cannot be exported. */
CLARY_API void clary_dlpack_device(const clary_device *device, int32_t *type, int32_t *id);

/* The array's memory for a consumer, who calls (*out)->deleter(*out) when done. CLARY_UNSUPPORTED where the
 * host has no address for it: move the array to the reference device first. A read-only array needs the
 * versioned form, which can say so. */
CLARY_API clary_status clary_to_dlpack(clary_array *a, clary_dl_managed **out);
CLARY_API clary_status clary_to_dlpack_versioned(clary_array *a, clary_dl_versioned **out);

typedef enum clary_copy_rule {
    CLARY_COPY_NEVER, /* CLARY_UNSUPPORTED where a copy would be needed */
    CLARY_COPY_IF_NEEDED,
    CLARY_COPY_ALWAYS
} clary_copy_rule;

/* An array on the memory of a tensor of the host, or a copy of it. On success the tensor is taken over: its
 * deleter is called once, when the memory is not used any more; this may be in any thread that uses Clary,
 * and no lock is held. On failure it stays the caller's. */
CLARY_API clary_status clary_from_dlpack(clary_device *device, clary_dl_managed *tensor,
                                         clary_copy_rule rule, clary_array **out);
CLARY_API clary_status clary_from_dlpack_versioned(clary_device *device, clary_dl_versioned *tensor,
                                                   clary_copy_rule rule, clary_array **out);

CLARY_END
#endif

/* clary/device.h - finding, choosing and asking devices.
 *
 * A selector is a string: "best" (the fastest usable GPU, else an OpenCL CPU, else the reference
 * device), "gpu", "cpu", "nvidia", "amd", "intel", "pocl", "reference", a number (position in
 * clary_device_list), or a part of a device's or platform's name; "nvidia:1" is the second of its
 * kind. NULL means $CLARY_DEVICE, else "best". Case does not matter.
 */
#ifndef CLARY_DEVICE_H
#define CLARY_DEVICE_H
#include "base.h"
CLARY_BEGIN

typedef struct clary_device clary_device;

/* Facts of a device, probed, not assumed. Strings live as long as the process. */
typedef struct clary_device_info {
    const char *name;     /* "NVIDIA H200" */
    const char *platform; /* "NVIDIA CUDA"; "Clary" for the reference device */
    const char *vendor;   /* as the driver says */
    const char *driver;   /* driver version */
    const char *version;  /* OpenCL version string; "" for the reference device */
    const char *backend;  /* "opencl" or "reference" */
    const char *type;     /* "gpu", "cpu", "accelerator" or "reference" */
    bool usable;          /* false: quarantined, see reason */
    const char *reason;   /* why it is not usable; "" if it is */
    bool fp64, fp16, int64_atomics;
    bool shares_host_memory; /* transfers are maps, not copies */
    uint32_t subgroup;       /* warp / wave / subgroup width; 0 if unknown */
    uint32_t units;          /* multiprocessors / compute units / cores */
    uint32_t clock_mhz;
    uint64_t max_work_group; /* work-items */
    uint64_t local_memory;   /* bytes per work-group */
    uint64_t memory;         /* bytes of device memory */
    uint64_t max_allocation; /* bytes of the largest single buffer */
} clary_device_info;

/* How many devices there are, usable or not. The reference device is always the last one. */
CLARY_API int clary_device_count(void);

/* Facts of device `index`, without opening it. */
CLARY_API clary_status clary_device_describe(int index, clary_device_info *out);

/* When no OpenCL device is found, or one is broken: which loader was tried, which .icd files were seen,
 * what to install. Always a readable text; valid until the process ends. */
CLARY_API const char *clary_device_diagnosis(void);

/* Opens a device, or returns the one that is open already: a new reference either way.
 * CLARY_NO_DEVICE names the selector and what there is. */
CLARY_API clary_status clary_device_open(const char *selector, clary_device **out);

/* Closes when the last reference and the last array on it are gone. Takes NULL; nulls the handle. */
CLARY_API void clary_device_release(clary_device **device);

/* The device used where NULL is given: set by clary_set_default_device, else opened from NULL.
 * A borrowed reference. */
CLARY_API clary_status clary_default_device(clary_device **out);
CLARY_API clary_status clary_set_default_device(clary_device *device);

CLARY_API clary_status clary_device_get_info(clary_device *device, clary_device_info *out);

/* Bytes that arrays on this device may hold at once, pooled memory included; 0 means no limit beyond
 * the device's own. Starts as $CLARY_MEMORY_LIMIT ("2G", "500M", bytes). */
CLARY_API clary_status clary_device_set_memory_limit(clary_device *device, uint64_t bytes);

/* Gives pooled memory that no array uses back to the driver. */
CLARY_API clary_status clary_device_trim(clary_device *device);

typedef struct clary_memory_stats {
    uint64_t live;                /* bytes held by arrays now */
    uint64_t peak;                /* largest `live` since the last reset */
    uint64_t pooled;              /* bytes kept for reuse */
    uint64_t limit;               /* 0: none */
    uint64_t allocations, reuses; /* buffers taken from the driver; from the pool */
} clary_memory_stats;
CLARY_API clary_status clary_device_memory(clary_device *device, clary_memory_stats *out);

CLARY_END
#endif

/* device.h - a device as the rest of the library sees it, and the table of functions a backend fills.
 *
 * src/opencl and src/reference each provide one clary__backend. Everything above is written once.
 * A device has one in-order stream (queue), a memory pool, and counters. All calls that touch a device
 * run under the engine lock (clary__lock), so backends need no locking of their own, except `describe`.
 *
 * A device that shares the host's memory (clary_device_info.shares_host_memory) gives every buffer a
 * host pointer; the reference executor may then run on it once the stream is idle.
 */
#ifndef CLARY_DEVICE_INTERNAL_H
#define CLARY_DEVICE_INTERNAL_H
#include "clary/device.h"
#include "clary/engine.h"
#include "core/core.h"
#include <stdatomic.h>

/* graph/group.h: units of work */
typedef struct clary__group clary__group;
typedef struct clary__sort clary__sort;
typedef struct clary__scatter clary__scatter;
typedef struct clary__fft clary__fft;

/* Foreign code to call once no lock is held: it may wait for locks of its own. */
typedef struct clary__farewell {
    void (*call)(void *context); /* NULL: nobody to call */
    void *context;
    void *block; /* of ours, freed after the call */
    struct clary__farewell *next;
} clary__farewell;

/* A piece of device memory. Reference counted; goes back to the pool with the last reference, or to the
 * foreign code that lent it. */
typedef struct clary__buffer {
    atomic_int refs;
    clary_device *device;
    size_t bytes; /* usable bytes: the size class */
    void *host;   /* host pointer on devices that share memory, else NULL */
    void *handle; /* the backend's: a cl_mem, or the block itself on the reference device */
    struct clary__buffer *next; /* pool list */
    bool lent;
    clary__farewell farewell; /* of a lent one */
} clary__buffer;

typedef struct clary__backend {
    const char *name;
    /* Devices this backend sees, broken ones included; called once. Facts of the i-th. */
    int (*count)(void);
    clary_status (*describe)(int index, clary_device_info *out);
    /* Fills device->state. */
    clary_status (*open)(clary_device *device, int index);
    void (*close)(clary_device *device);
    /* Memory. alloc sets handle and host; CLARY_OUT_OF_MEMORY lets the pool trim and try again. */
    clary_status (*alloc)(clary_device *device, size_t bytes, clary__buffer *buffer);
    void (*free)(clary_device *device, clary__buffer *buffer);
    /* Makes host memory the memory of a buffer: sets handle and host. CLARY_UNSUPPORTED: the device
     * cannot work on it in place. free ends it, after the last command that uses it. */
    clary_status (*adopt)(clary_device *device, void *memory, size_t bytes, clary__buffer *buffer);
    /* Host <-> device. Offsets in bytes. upload may return before the copy is done but has read
     * `data`; download returns when `data` is written. copy is device to device, in stream order. */
    clary_status (*upload)(clary_device *device, clary__buffer *to, size_t offset, const void *data,
                           size_t bytes);
    clary_status (*download)(clary_device *device, clary__buffer *from, size_t offset, void *data,
                             size_t bytes);
    clary_status (*copy)(clary_device *device, clary__buffer *from, clary__buffer *to,
                         size_t bytes);
    /* Run a unit of work: enqueue, do not wait. */
    clary_status (*run)(clary_device *device, const clary__group *group);
    clary_status (*sort)(clary_device *device, const clary__sort *sort);
    clary_status (*scatter)(clary_device *device, const clary__scatter *scatter);
    clary_status (*fft)(clary_device *device, const clary__fft *fft);
    /* Waits until the stream is idle. Cheap when it is already. It and download report a fault of the
     * work before (group.h, Note [Faults]), once. */
    clary_status (*wait)(clary_device *device);
    /* Optional: what was looked for and found, and what to install, for clary_device_diagnosis. */
    void (*diagnose)(clary__text *out);
} clary__backend;

extern const clary__backend clary__opencl_backend;    /* src/opencl/backend.c */
extern const clary__backend clary__reference_backend; /* src/reference/backend.c */

/* Free lists by size class. In stream order: a buffer freed after an enqueue may be handed out at once,
 * because whatever uses it next is enqueued later (host access waits first). */
#define CLARY__POOL_CLASSES 160
typedef struct clary__pool {
    clary__buffer *free_list[CLARY__POOL_CLASSES];
    uint64_t live, peak, pooled, limit, allocations, reuses;
} clary__pool;

/* What a kernel reports that the host could not know in time (group.h, Note [Faults]). */
typedef struct clary__fault {
    int64_t raised; /* 0: nothing happened; among faults of one group the least is the first */
    int64_t site, index, extent;
} clary__fault;

struct clary_device {
    atomic_int refs; /* handles and values on it */
    const clary__backend *backend;
    int index;         /* in clary_device_list order */
    int backend_index; /* as the backend counts */
    clary_device_info info;
    clary__pool pool;
    clary__fault fault; /* of work that ran on the host, until the next wait tells it */
    void *state;        /* the backend's own */
};

/* device.c */
clary_device *clary__device_retain(clary_device *device);
/* NULL -> the default device. Borrowed. */
clary_status clary__device_or_default(clary_device *device, clary_device **out);
/* The process is ending: drivers may be gone, so devices and buffers are left to the system. */
bool clary__exiting(void);
void clary__devices_reset_peaks(void);

/* select.c: the position in `devices` that a selector names (NULL or "": $CLARY_DEVICE, else "best");
 * unusable ones are named in the error, never chosen. */
clary_status clary__select(const char *selector, const clary_device_info *devices, int count,
                           int *out);

/* pool.c: bytes 0 gives a small valid buffer. On exhaustion: trim, wait, retry once, then
 * CLARY_OUT_OF_MEMORY naming bytes asked, live, pooled and limit. */
clary_status clary__buffer_new(clary_device *device, size_t bytes, clary__buffer **out);
/* A buffer on memory of the host that is lent until `farewell` is called. On failure nothing is called. */
clary_status clary__buffer_adopt(clary_device *device, void *memory, size_t bytes,
                                 void (*farewell)(void *context), void *context,
                                 clary__buffer **out);
clary__buffer *clary__buffer_retain(clary__buffer *buffer);
void clary__buffer_release(clary__buffer *buffer);
void clary__pool_trim(clary_device *device);

/* lock.c: the engine lock: recursive, one for the process. */
void clary__lock(void);
void clary__unlock(void);
/* Under the lock: calls when it is given back. */
void clary__call_unlocked(clary__farewell *farewell);
/* Grows in a child made by fork(). The threads of drivers do not follow there, so a backend that has
 * some must refuse to go on. */
void clary__watch_forks(void);
unsigned clary__forks(void);

/* counters.c: process-wide totals; relaxed atomics. */
typedef struct clary__totals {
    atomic_ullong launches, host_runs, builds, memory_hits, disk_hits;
    atomic_ullong bytes_up, bytes_down, bytes_kernels;
    atomic_llong live_bytes, peak_bytes, live_arrays, live_values;
} clary__totals;
extern clary__totals clary__totals_now;
#define CLARY__COUNT(field, n)                                                                     \
    atomic_fetch_add_explicit(&clary__totals_now.field, (n), memory_order_relaxed)

/* fault.c */
/* A number for "operation, axis" (axis -1: flat), the same for the same text. operation lives forever. */
int64_t clary__fault_site(const char *operation, int axis);
/* CLARY_INDEX_OUT_OF_RANGE: "<operation>: index 7 is out of bounds for axis 0 with size 5". */
clary_status clary__fault_status(const clary__fault *fault);
/* Notes a fault of host work if none is waiting; tells and forgets the one that is. */
void clary__fault_note(clary__fault *waiting, const clary__fault *fault);
clary_status clary__fault_tell(clary__fault *waiting);

/* jit.c: how groups run on devices that share memory. */
typedef enum clary__jit { CLARY__JIT_AUTO, CLARY__JIT_ALWAYS, CLARY__JIT_NEVER } clary__jit;
clary__jit clary__jit_mode(void);

#endif

/* opencl.h - what the files of src/opencl share. Only they include CL/cl.h.
 *
 * The library does not link to OpenCL: loader.c opens it at run time and fills clary__cl, a table of
 * function pointers named as in the specification. OpenCL 1.2 is the base line; what later versions
 * add is optional (NULL).
 *
 * The stream of a device is one in-order queue. `issued` counts the commands put on it, `finished` how many
 * of them are known to be done, and every buffer remembers the last command that used it, so that host
 * access waits only where it must.
 */
#ifndef CLARY_OPENCL_INTERNAL_H
#define CLARY_OPENCL_INTERNAL_H
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "codegen/codegen.h"
#include "device/device.h"
#include <CL/cl.h>
#include <CL/cl_ext.h>

/* ---- loader.c ---- */
/* clang-format off */
#define CLARY__CL_FUNCTIONS(X)                                                                     \
    X(clGetPlatformIDs) X(clGetPlatformInfo) X(clGetDeviceIDs) X(clGetDeviceInfo)                  \
    X(clCreateContext) X(clReleaseContext) X(clGetContextInfo) X(clCreateCommandQueue)                               \
    X(clReleaseCommandQueue) X(clCreateBuffer) X(clReleaseMemObject)                               \
    X(clEnqueueReadBuffer) X(clEnqueueWriteBuffer) X(clEnqueueCopyBuffer)                          \
    X(clEnqueueMapBuffer) X(clEnqueueUnmapMemObject) X(clEnqueueMigrateMemObjects)                 \
    X(clCreateProgramWithSource) X(clCreateProgramWithBinary) X(clBuildProgram)                    \
    X(clGetProgramBuildInfo) X(clGetProgramInfo) X(clRetainProgram) X(clReleaseProgram)            \
    X(clCreateKernel) X(clReleaseKernel) X(clSetKernelArg) X(clGetKernelWorkGroupInfo)             \
    X(clEnqueueNDRangeKernel) X(clFlush) X(clFinish) X(clWaitForEvents)                            \
    X(clReleaseEvent)
/* clang-format on */
#define CLARY__CL_OPTIONAL(X) X(clSVMAlloc) X(clSVMFree)

typedef struct clary__cl_table {
#define X(name) __typeof__(name) *name;
    CLARY__CL_FUNCTIONS(X)
    CLARY__CL_OPTIONAL(X)
#undef X
} clary__cl_table;
extern clary__cl_table clary__cl;

/* Loads OpenCL, once. false: there is none; the text says what was tried. */
bool clary__cl_load(void);
const char *clary__cl_load_report(void);

/* ---- status.c ---- */
const char *clary__cl_code_name(cl_int code);
/* Records "<text>: CL_NAME (-5)" and returns the status that the code means. */
clary_status clary__cl_fail(cl_int code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- probe.c ---- */
typedef struct clary__cl_entry {
    cl_platform_id platform;
    cl_device_id device; /* NULL: the platform has none, or is broken */
    const char *extensions;
    bool svm;            /* fine-grained shared buffers */
    bool exact_division; /* knows -cl-fp32-correctly-rounded-divide-sqrt */
    clary_device_info info;
} clary__cl_entry;
int clary__cl_count(void);
clary__cl_entry *clary__cl_entry_at(int index);
unsigned clary__cl_probe_forks(void); /* clary__forks() when drivers were started */

/* ---- backend.c: an open device ---- */
typedef struct clary__cl_kernel clary__cl_kernel;

typedef struct clary__cl_chunk { /* pinned host memory that transfers go through */
    cl_mem memory;
    char *host;
    cl_event busy; /* the last transfer from it; NULL: none in flight */
} clary__cl_chunk;

typedef struct clary__cl_state {
    clary__cl_entry *entry;
    cl_context context;
    cl_command_queue queue;
    uint64_t issued, finished, flushed;
    unsigned forks; /* clary__forks() when it was opened */
    clary__cl_chunk chunks[2];
    int chunk;           /* in use */
    size_t cursor;       /* its bytes taken */
    cl_mem fault_record; /* struct clary__fault on the device; NULL: not needed yet */
    clary__fault fault;  /* as last read */
    bool suspect;        /* a kernel that may fault was put on the stream since */
    char options[128];
    char *identity;                           /* device and driver, for the disk cache */
    enum { UNKNOWN, ADOPTS, REFUSES } adopts; /* does it work in place on memory of the host? */
    clary__cl_kernel **kernels;               /* hash table */
    size_t kernel_slots, kernel_count;
    struct clary__cl_fft_plans *fft_plans; /* vkfft.c; NULL: none yet */
} clary__cl_state;

static inline clary__cl_state *clary__cl_state_of(clary_device *device) {
    return device->state;
}
/* Fails in a child made by fork(). */
clary_status clary__cl_alive(clary_device *device);
/* Waits until the stream is idle; clary__cl_wait also reports a fault. */
clary_status clary__cl_drain(clary_device *device);
clary_status clary__cl_wait(clary_device *device);
/* Counts a command that was put on the stream; flushes now and then. */
void clary__cl_issued(clary__cl_state *s);

/* ---- memory.c ---- */
typedef struct clary__cl_memory { /* clary__buffer.handle */
    cl_mem memory;
    void *shared;      /* the shared allocation under it, or NULL */
    bool lent;         /* on memory that foreign code lent */
    uint64_t last_use; /* position in the stream */
} clary__cl_memory;

static inline clary__cl_memory *clary__cl_memory_of(const clary__buffer *buffer) {
    return buffer->handle;
}
clary_status clary__cl_alloc(clary_device *device, size_t bytes, clary__buffer *buffer);
void clary__cl_free(clary_device *device, clary__buffer *buffer);
clary_status clary__cl_adopt(clary_device *device, void *memory, size_t bytes,
                             clary__buffer *buffer);
/* backend.c: runs a kernel on a buffer of 256 bytes at least and checks what it wrote. */
clary_status clary__cl_self_check(clary_device *device, clary__buffer *buffer);
/* Waits until no command in flight uses the buffer. */
clary_status clary__cl_wait_for(clary_device *device, const clary__buffer *buffer);
/* fft.c */
clary_status clary__cl_fft(clary_device *device, const clary__fft *job);

/* ---- fault.c ---- */
clary_status clary__cl_fault_record(clary_device *device, cl_mem *out);
/* If a fault is possible: reads the record, in stream order; once that is done, reports what was found,
 * forgets it and clears the record. */
clary_status clary__cl_ask_fault(clary_device *device);
clary_status clary__cl_judge_fault(clary_device *device);

/* ---- transfer.c ---- */
clary_status clary__cl_upload(clary_device *device, clary__buffer *to, size_t offset,
                              const void *data, size_t bytes);
clary_status clary__cl_download(clary_device *device, clary__buffer *from, size_t offset,
                                void *data, size_t bytes);
clary_status clary__cl_copy(clary_device *device, clary__buffer *from, clary__buffer *to,
                            size_t bytes);
void clary__cl_free_chunks(clary__cl_state *s);

/* ---- program.c ---- */
struct clary__cl_kernel {
    struct clary__cl_kernel *next;
    uint64_t hash;
    size_t key_bytes;
    cl_kernel kernel;
    unsigned char key[];
};
/* The kernel of a launch: from memory, from disk, or built. Owned by the state. */
clary_status clary__cl_kernel_for(clary_device *device, const clary__launch *launch,
                                  clary__cl_kernel **out);
void clary__cl_free_kernels(clary__cl_state *s);

/* ---- launch.c, tier.c, diagnosis.c ---- */
clary_status clary__cl_launch(clary_device *device, const clary__launch *launch);
/* Whether a group on memory shared with the host goes to the reference executor. Depends on the mode, the
 * group's structure, sizes and dtypes alone. */
bool clary__cl_prefers_host(const clary__group *group);
void clary__cl_diagnose(clary__text *out);
#endif

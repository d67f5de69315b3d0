/* backend.c - the reference device: memory is the host's, and groups run at once, in plain C. */
#include "graph/group.h"
#include <sched.h>
#include <string.h>
#include <unistd.h>

#define ALIGNMENT 64 /* a cache line */

static int count(void) {
    return 1;
}

/* Processors this process may use. */
static uint32_t cores(void) {
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return (uint32_t)CPU_COUNT(&set);
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint32_t)n : 1;
}

static clary_status describe(int index, clary_device_info *out) {
    (void)index;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
    *out = (clary_device_info){
        .name = "reference",
        .platform = "Clary",
        .vendor = "Clary",
        .driver = clary_version(),
        .version = "",
        .backend = "reference",
        .type = "reference",
        .usable = true,
        .reason = "",
        .fp64 = true,
        .int64_atomics = true,
        .shares_host_memory = true,
        .units = cores(),
        .max_work_group = 1,
        .memory = memory,
        .max_allocation = memory,
    };
    return CLARY_OK;
}

static clary_status open_device(clary_device *device, int index) {
    (void)index;
    device->state = NULL;
    return CLARY_OK;
}

static void close_device(clary_device *device) {
    (void)device;
}

static clary_status allocate(clary_device *device, size_t bytes, clary__buffer *buffer) {
    (void)device;
    void *block = clary__malloc(bytes + ALIGNMENT);
    FAIL_IF(!block, CLARY_OUT_OF_MEMORY, "the host has no %zu bytes", bytes);
    buffer->handle = block;
    buffer->host = (void *)(((uintptr_t)block + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
    return CLARY_OK;
}

static void release(clary_device *device, clary__buffer *buffer) {
    (void)device;
    clary__dealloc(buffer->handle);
    buffer->handle = buffer->host = NULL;
}

static clary_status adopt(clary_device *device, void *memory, size_t bytes, clary__buffer *buffer) {
    (void)device, (void)bytes;
    buffer->host = memory;
    return CLARY_OK;
}

static clary_status upload(clary_device *device, clary__buffer *to, size_t offset, const void *data,
                           size_t bytes) {
    (void)device;
    if (bytes) memcpy((char *)to->host + offset, data, bytes);
    return CLARY_OK;
}

static clary_status download(clary_device *device, clary__buffer *from, size_t offset, void *data,
                             size_t bytes) {
    if (bytes) memcpy(data, (const char *)from->host + offset, bytes);
    return clary__fault_tell(&device->fault);
}

static clary_status copy(clary_device *device, clary__buffer *from, clary__buffer *to,
                         size_t bytes) {
    (void)device;
    if (bytes) memcpy(to->host, from->host, bytes);
    return CLARY_OK;
}

static clary_status run(clary_device *device, const clary__group *group) {
    clary__host_bases bases;
    for (int i = 0; i < group->ninputs; i++) bases.inputs[i] = group->inputs[i].buffer->host;
    for (int o = 0; o < group->noutputs; o++) bases.outputs[o] = group->outputs[o].buffer->host;
    if (group->pattern == CLARY__PRODUCT) {
        bases.x = group->product.x.buffer->host;
        bases.y = group->product.y.buffer->host;
    }
    return clary__run_noting(group, &bases, (int)device->info.units, &device->fault);
}

static clary_status sort(clary_device *device, const clary__sort *job) {
    return clary__sort_on_host(job, (int)device->info.units);
}

static clary_status scatter(clary_device *device, const clary__scatter *job) {
    return clary__scatter_on_host(job, (int)device->info.units);
}

static clary_status fft(clary_device *device, const clary__fft *job) {
    clary__log("dispatch", "%s of %lld points: reference transform", job->what,
               (long long)job->length);
    return clary__fft_on_host(job, (int)device->info.units);
}

static clary_status wait_idle(clary_device *device) {
    return clary__fault_tell(&device->fault);
}

const clary__backend clary__reference_backend = {
    .name = "reference",
    .count = count,
    .describe = describe,
    .open = open_device,
    .close = close_device,
    .alloc = allocate,
    .free = release,
    .adopt = adopt,
    .upload = upload,
    .download = download,
    .copy = copy,
    .run = run,
    .sort = sort,
    .scatter = scatter,
    .fft = fft,
    .wait = wait_idle,
};

/* memory.c - buffers.
 *
 * Where the device has fine-grained shared memory, a buffer lies on a block of it and the host may
 * touch it without mapping, as long as no command that uses it is in flight. Other devices, CPU ones
 * included, get plain buffers and no host pointer: mapping and unmapping around every host access would
 * put a command on the stream each time.
 */
#include "opencl/opencl.h"
#include <sys/mman.h>
#include <unistd.h>

#define COMMIT_FROM ((size_t)1 << 20)
#define HUGE_FROM ((size_t)4 << 20)

/* The first touch of large blocks costs less in large pages. */
static void ask_for_huge_pages(void *block, size_t bytes) {
#ifdef MADV_HUGEPAGE
    if (bytes < HUGE_FROM) return;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t)block + page - 1) / page * page;
    uintptr_t last = ((uintptr_t)block + bytes) / page * page;
    madvise((void *)first, last - first, MADV_HUGEPAGE); /* a wish */
#else
    (void)block, (void)bytes;
#endif
}

/* Drivers may put memory off until it is used, where its absence can only fail a kernel: ask now. */
static cl_int commit(clary__cl_state *s, cl_mem memory, size_t bytes) {
    if (bytes < COMMIT_FROM) return CL_SUCCESS;
    cl_int code = clary__cl.clEnqueueMigrateMemObjects(
        s->queue, 1, &memory, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL);
    if (code == CL_SUCCESS) clary__cl_issued(s);
    return code;
}

clary_status clary__cl_alloc(clary_device *device, size_t bytes, clary__buffer *buffer) {
    clary__cl_state *s = clary__cl_state_of(device);
    TRY(clary__cl_alive(device));
    clary__cl_memory *m = clary__calloc(1, sizeof *m);
    FAIL_IF(!m, CLARY_OUT_OF_MEMORY, "no host memory for a buffer");
    cl_int code = CL_SUCCESS;
    cl_mem_flags flags = CL_MEM_READ_WRITE;
    if (s->entry->svm) {
        flags |= CL_MEM_USE_HOST_PTR;
        m->shared = clary__cl.clSVMAlloc(
            s->context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, bytes, 0);
        if (!m->shared)
            code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        else
            ask_for_huge_pages(m->shared, bytes);
    }
    if (!code) m->memory = clary__cl.clCreateBuffer(s->context, flags, bytes, m->shared, &code);
    if (!code && !m->shared) code = commit(s, m->memory, bytes);
    if (!code) {
        m->last_use = s->entry->svm ? 0 : s->issued;
        buffer->handle = m;
        buffer->host = m->shared;
        return CLARY_OK;
    }
    if (m->memory) clary__cl.clReleaseMemObject(m->memory);
    if (m->shared) clary__cl.clSVMFree(s->context, m->shared);
    clary__dealloc(m);
    if (code == CL_OUT_OF_RESOURCES) code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return clary__cl_fail(code, "%s: allocating %zu bytes", device->info.name, bytes);
}

clary_status clary__cl_wait_for(clary_device *device, const clary__buffer *buffer) {
    clary__cl_state *s = clary__cl_state_of(device);
    return clary__cl_memory_of(buffer)->last_use > s->finished ? clary__cl_drain(device) : CLARY_OK;
}

/* The driver keeps a cl_mem until commands are done with it, but not the shared block under it. */
void clary__cl_free(clary_device *device, clary__buffer *buffer) {
    clary__cl_state *s = clary__cl_state_of(device);
    clary__cl_memory *m = clary__cl_memory_of(buffer);
    if (s->forks == clary__forks()) {
        bool idle = !(m->shared || m->lent) || clary__cl_wait_for(device, buffer) == CLARY_OK;
        clary__cl.clReleaseMemObject(m->memory);
        if (m->shared && idle) clary__cl.clSVMFree(s->context, m->shared);
    }
    clary__dealloc(m);
}

static clary_status wrap(clary_device *device, void *memory, size_t bytes, clary__buffer *buffer) {
    clary__cl_state *s = clary__cl_state_of(device);
    clary__cl_memory *m = clary__calloc(1, sizeof *m);
    cl_int code;
    FAIL_IF(!m, CLARY_OUT_OF_MEMORY, "no host memory for a buffer");
    m->memory = clary__cl.clCreateBuffer(s->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes,
                                         memory, &code);
    if (code) {
        clary__dealloc(m);
        return clary__cl_fail(code, "%s: working on %zu bytes of the host", device->info.name,
                              bytes);
    }
    m->lent = true;
    buffer->handle = m;
    buffer->host = memory;
    return CLARY_OK;
}

/* The standard lets a driver keep a copy of such memory, so one kernel finds out what this one does: both
 * sides must see each other's writes without mapping. */
static bool works_in_place(clary_device *device) {
    enum { WORDS = 64, SHIFT = 4 }; /* aligned to 16 bytes, as allocators do, and no better */
    uint32_t block[WORDS + 2 * SHIFT] __attribute__((aligned(128))) = {0};
    uint32_t *words = block + SHIFT;
    clary__buffer buffer = {.device = device, .bytes = WORDS * sizeof *words};
    if (wrap(device, words, buffer.bytes, &buffer) != CLARY_OK) return false;
    bool works = clary__cl_self_check(device, &buffer) == CLARY_OK;
    clary__cl_state *s = clary__cl_state_of(device);
    for (uint32_t i = 0; i < WORDS; i++) works = works && words[i] == 0x434c4152u + i;
    words[1] = 7;
    uint32_t seen = 0;
    works = works && clary__cl.clEnqueueReadBuffer(s->queue, clary__cl_memory_of(&buffer)->memory,
                                                   CL_TRUE, sizeof seen, sizeof seen, &seen, 0,
                                                   NULL, NULL) == CL_SUCCESS;
    clary__cl_free(device, &buffer);
    return works && seen == 7;
}

clary_status clary__cl_adopt(clary_device *device, void *memory, size_t bytes,
                             clary__buffer *buffer) {
    clary__cl_state *s = clary__cl_state_of(device);
    TRY(clary__cl_alive(device));
    if (s->adopts == UNKNOWN)
        s->adopts = s->entry->svm && works_in_place(device) ? ADOPTS : REFUSES;
    FAIL_IF(s->adopts == REFUSES, CLARY_UNSUPPORTED, "%s cannot work on memory of the host",
            device->info.name);
    return wrap(device, memory, bytes, buffer);
}

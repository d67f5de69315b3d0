/* pool.c - device memory by size class, reused in stream order.
 *
 * A buffer whose last reference goes is put on the free list of its class and may be handed out at once:
 * the stream is in order, so whatever uses it next runs after whatever used it last. Small sizes are
 * rounded to a quarter of a power of two, large ones to 64 KiB only (a quarter of a gigabyte is too much to
 * waste), so the lists of large classes hold various sizes.
 *
 * Invariants: live + pooled is what was taken from the driver; a live buffer holds its device, a pooled
 * one does not. CLARY_POISON=1 fills every buffer with 0xFF before it is handed out, so that a kernel
 * that leaves elements unwritten, or reads what it should not, shows in tests.
 */
#include "device/device.h"
#include <stdio.h>
#include <string.h>

#define SMALLEST 256
#define EXACT_FROM ((size_t)1 << 20)
#define EXACT_STEP ((size_t)1 << 16)
#define POISON 0xFF

/* Class c holds sizes from class_bytes(c) on, to below class_bytes(c + 1). */
static int class_of(size_t bytes) {
    int log2 = 63 - __builtin_clzll((unsigned long long)bytes);
    int quarter = (int)(bytes >> (log2 - 2)) & 3;
    int c = (log2 - 8) * 4 + quarter;
    return c < CLARY__POOL_CLASSES ? c : CLARY__POOL_CLASSES - 1;
}

/* 0 if that is more than memory can be. */
static size_t round_up(size_t bytes) {
    if (bytes <= SMALLEST) return SMALLEST;
    if (bytes > SIZE_MAX / 4) return 0;
    size_t step = EXACT_STEP;
    if (bytes < EXACT_FROM) {
        step = SMALLEST / 4;
        while (step * 8 < bytes) step *= 2;
    }
    return (bytes + step - 1) / step * step;
}

static clary__buffer *take(clary__pool *pool, size_t bytes) {
    clary__buffer **link = &pool->free_list[class_of(bytes)];
    while (*link && (*link)->bytes < bytes) link = &(*link)->next;
    clary__buffer *buffer = *link;
    if (!buffer) return NULL;
    *link = buffer->next;
    buffer->next = NULL;
    pool->pooled -= buffer->bytes;
    pool->reuses++;
    return buffer;
}

static void give_to_driver(clary_device *device, clary__buffer *buffer) {
    device->backend->free(device, buffer);
    clary__dealloc(buffer);
}

void clary__pool_trim(clary_device *device) {
    clary__pool *pool = &device->pool;
    if (pool->pooled)
        clary__log("memory", "%s: gives back %llu bytes", device->info.name,
                   (unsigned long long)pool->pooled);
    for (int c = 0; c < CLARY__POOL_CLASSES; c++) {
        while (pool->free_list[c]) {
            clary__buffer *buffer = pool->free_list[c];
            pool->free_list[c] = buffer->next;
            give_to_driver(device, buffer);
        }
    }
    pool->pooled = 0;
}

static clary_status exhausted(clary_device *device, size_t bytes) {
    const clary__pool *p = &device->pool;
    char limit[96] = "no limit set";
    if (p->limit) snprintf(limit, sizeof limit, "limit %llu", (unsigned long long)p->limit);
    return clary__fail(
        CLARY_OUT_OF_MEMORY,
        "out of memory on %s: asked for %zu bytes; live %llu, pooled %llu, %s, device memory %llu, "
        "largest buffer %llu",
        device->info.name, bytes, (unsigned long long)p->live, (unsigned long long)p->pooled, limit,
        (unsigned long long)device->info.memory, (unsigned long long)device->info.max_allocation);
}

/* Host memory can be promised beyond what there is, and the process killed when it is used: so what the
 * device says it has bounds us even without a limit. */
static bool within(const clary_device *device, uint64_t bytes) {
    const uint64_t limit = device->pool.limit, memory = device->info.memory;
    return (!limit || bytes <= limit) && (!memory || bytes <= memory);
}

static clary_status allocate(clary_device *device, size_t bytes, size_t asked,
                             clary__buffer **out) {
    clary__pool *pool = &device->pool;
    if (!within(device, pool->live + pool->pooled + bytes)) clary__pool_trim(device);
    if (!within(device, pool->live + bytes)) return exhausted(device, asked);
    clary__buffer *buffer = clary__calloc(1, sizeof *buffer);
    FAIL_IF(!buffer, CLARY_OUT_OF_MEMORY, "no host memory for a buffer of %zu bytes", asked);
    buffer->device = device;
    buffer->bytes = bytes;
    clary_status status = device->backend->alloc(device, bytes, buffer);
    if (status == CLARY_OUT_OF_MEMORY) {
        /* Memory given back is free once the stream is past its last use. */
        clary__pool_trim(device);
        status = device->backend->wait(device);
        if (status == CLARY_OK) status = device->backend->alloc(device, bytes, buffer);
        if (status == CLARY_OUT_OF_MEMORY) exhausted(device, asked);
    }
    if (status != CLARY_OK) {
        clary__dealloc(buffer);
        return status;
    }
    pool->allocations++;
    clary__log("memory", "%s: takes %zu bytes", device->info.name, bytes);
    *out = buffer;
    return CLARY_OK;
}

static bool poisoning(void) {
    static atomic_int answer; /* 0: not asked yet */
    int known = atomic_load_explicit(&answer, memory_order_relaxed);
    if (!known) {
        const char *value = clary__env("CLARY_POISON");
        known = value && strcmp(value, "0") ? 2 : 1;
        atomic_store(&answer, known);
    }
    return known == 2;
}

static clary_status poison(clary_device *device, clary__buffer *buffer) {
    unsigned char block[16384];
    if (buffer->host) {
        TRY(device->backend->wait(device));
        memset(buffer->host, POISON, buffer->bytes);
        return CLARY_OK;
    }
    memset(block, POISON, sizeof block);
    for (size_t at = 0; at < buffer->bytes; at += sizeof block) {
        size_t n = buffer->bytes - at < sizeof block ? buffer->bytes - at : sizeof block;
        TRY(device->backend->upload(device, buffer, at, block, n));
        atomic_fetch_sub(&clary__totals_now.bytes_up, n); /* nobody asked for this transfer */
    }
    return CLARY_OK;
}

static void raise_peak(clary__pool *pool) {
    clary__totals *t = &clary__totals_now; /* live and peak change under the lock alone */
    if (pool->live > pool->peak) pool->peak = pool->live;
    if (atomic_load(&t->live_bytes) > atomic_load(&t->peak_bytes))
        atomic_store(&t->peak_bytes, atomic_load(&t->live_bytes));
}

static clary_status new_buffer(clary_device *device, size_t bytes, clary__buffer **out) {
    clary__pool *pool = &device->pool;
    size_t rounded = round_up(bytes);
    if (!rounded) return exhausted(device, bytes);
    clary__buffer *buffer = take(pool, rounded);
    if (!buffer) TRY(allocate(device, rounded, bytes, &buffer));
    atomic_init(&buffer->refs, 1);
    clary__device_retain(device);
    pool->live += buffer->bytes;
    CLARY__COUNT(live_bytes, (long long)buffer->bytes);
    raise_peak(pool);
    clary_status status = poisoning() ? poison(device, buffer) : CLARY_OK;
    if (status == CLARY_OK)
        *out = buffer;
    else
        clary__buffer_release(buffer);
    return status;
}

clary_status clary__buffer_new(clary_device *device, size_t bytes, clary__buffer **out) {
    *out = NULL;
    FAIL_IF(clary__exiting(), CLARY_DEVICE_ERROR, "the process is ending; devices are closed");
    clary__lock();
    clary_status status = new_buffer(device, bytes, out);
    clary__unlock();
    return status;
}

clary_status clary__buffer_adopt(clary_device *device, void *memory, size_t bytes,
                                 void (*farewell)(void *context), void *context,
                                 clary__buffer **out) {
    *out = NULL;
    FAIL_IF(!device->backend->adopt, CLARY_UNSUPPORTED, "%s cannot work on memory of the host",
            device->info.name);
    clary__buffer *buffer = clary__calloc(1, sizeof *buffer);
    FAIL_IF(!buffer, CLARY_OUT_OF_MEMORY, "no host memory for a buffer");
    atomic_init(&buffer->refs, 1);
    buffer->device = device;
    buffer->bytes = bytes;
    buffer->lent = true;
    buffer->farewell = (clary__farewell){.call = farewell, .context = context, .block = buffer};
    clary__lock();
    clary_status status = device->backend->adopt(device, memory, bytes, buffer);
    clary__unlock();
    if (status == CLARY_OK) {
        clary__device_retain(device);
        *out = buffer;
    } else {
        clary__dealloc(buffer);
    }
    return status;
}

clary__buffer *clary__buffer_retain(clary__buffer *buffer) {
    atomic_fetch_add_explicit(&buffer->refs, 1, memory_order_relaxed);
    return buffer;
}

/* Memory that is the host's too is not hoarded; a device's own is of no use to anybody else. */
static bool worth_keeping(const clary_device *device, size_t bytes) {
    const clary__pool *pool = &device->pool;
    if (!within(device, pool->live + pool->pooled + bytes)) return false;
    return !device->info.shares_host_memory || pool->pooled + bytes <= device->info.memory / 4;
}

void clary__buffer_release(clary__buffer *buffer) {
    if (!buffer || atomic_fetch_sub_explicit(&buffer->refs, 1, memory_order_acq_rel) != 1) return;
    clary__lock();
    clary_device *device = buffer->device;
    if (buffer->lent) {
        if (!clary__exiting()) {
            device->backend->free(device, buffer);
            clary__call_unlocked(&buffer->farewell);
        }
        clary_device_release(&device);
        clary__unlock();
        return;
    }
    clary__pool *pool = &device->pool;
    pool->live -= buffer->bytes;
    CLARY__COUNT(live_bytes, -(long long)buffer->bytes);
    if (clary__exiting()) {
        /* left to the system */
    } else if (worth_keeping(device, buffer->bytes)) {
        clary__buffer **list = &pool->free_list[class_of(buffer->bytes)];
        buffer->next = *list;
        *list = buffer;
        pool->pooled += buffer->bytes;
    } else {
        give_to_driver(device, buffer);
    }
    clary_device_release(&device);
    clary__unlock();
}

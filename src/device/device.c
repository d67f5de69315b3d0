/* device.c - the registry of devices: what there is, what is open, which one is the default.
 *
 * Every backend is asked once for its devices; from then on a device is a position in one list, the
 * reference device last. A device is opened at most once at a time. Its references are handles, values and
 * live buffers; with the last one it closes. A device that fails when it is opened is marked unusable
 * with the reason, and the selector is tried again on the others.
 *
 * When the process ends nothing is closed: whichever destructors run first, a driver that is gone is
 * not called. Streams are drained once, so that no driver unloads under a running kernel.
 */
#include "device/device.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEVICES 64

static const clary__backend *const backends[] = {&clary__opencl_backend, &clary__reference_backend};

static pthread_once_t found_once = PTHREAD_ONCE_INIT;
/* Set once; after that `usable` and `reason` alone change, under the engine lock. */
static int found;
static clary_device_info infos[MAX_DEVICES];
static struct {
    const clary__backend *backend;
    int index;          /* as the backend counts */
    clary_device *open; /* not counted as a reference */
} entries[MAX_DEVICES];

static clary_device *default_device; /* holds a reference */
static atomic_bool exiting;

static void find_devices(void) {
    clary__watch_forks();
    const int kinds = (int)(sizeof backends / sizeof *backends);
    for (int k = 0; k < kinds; k++) {
        int room =
            MAX_DEVICES - found - (kinds - 1 - k); /* later backends get one place at least */
        int count = backends[k]->count();
        for (int i = 0; i < count && i < room; i++) {
            if (backends[k]->describe(i, &infos[found]) != CLARY_OK) continue;
            entries[found].backend = backends[k];
            entries[found++].index = i;
        }
    }
}

static void find_once(void) {
    pthread_once(&found_once, find_devices);
}

int clary_device_count(void) {
    find_once();
    return found;
}

clary_status clary_device_describe(int index, clary_device_info *out) {
    find_once();
    FAIL_IF(index < 0 || index >= found, CLARY_NO_DEVICE,
            "device_describe: index %d, but there are devices 0 to %d", index, found - 1);
    clary__lock();
    *out = infos[index];
    clary__unlock();
    return CLARY_OK;
}

/* ---- opening and closing ---- */

static void drain_at_exit(void) {
    clary__lock();
    for (int i = 0; i < found; i++)
        if (entries[i].open) entries[i].backend->wait(entries[i].open);
    atomic_store(&exiting, true);
    clary__unlock();
}

bool clary__exiting(void) {
    return atomic_load_explicit(&exiting, memory_order_relaxed);
}

/* Exit handlers run in reverse: registered after a driver has started, ours runs before the driver's. */
static void watch_exit(int index) {
    static bool watched[MAX_DEVICES];
    if (!watched[index]) watched[index] = atexit(drain_at_exit) == 0;
}

static void quarantine(int index) {
    char *reason = clary__strdup(clary_last_error()); /* lives as long as the process */
    infos[index].usable = false;
    infos[index].reason = reason ? reason : "it failed when it was opened";
    clary__log("device", "%s is not usable: %s", infos[index].name, infos[index].reason);
}

/* The driver said no for good, rather than for want of memory. */
static bool is_broken(clary_status status) {
    return status == CLARY_DEVICE_ERROR || status == CLARY_BUILD_FAILED ||
           status == CLARY_UNSUPPORTED;
}

static clary_status open_at(int index, clary_device **out) {
    clary_device *device = entries[index].open;
    if (device) {
        *out = clary__device_retain(device);
        return CLARY_OK;
    }
    device = clary__calloc(1, sizeof *device);
    FAIL_IF(!device, CLARY_OUT_OF_MEMORY, "device_open: no host memory for %s", infos[index].name);
    atomic_init(&device->refs, 1);
    device->backend = entries[index].backend;
    device->backend_index = entries[index].index;
    device->index = index;
    device->info = infos[index];
    const char *limit = clary__env("CLARY_MEMORY_LIMIT");
    clary_status status = CLARY_OK;
    if (limit && !clary__parse_bytes(limit, &device->pool.limit)) {
        status = clary__fail(CLARY_INVALID_ARGUMENT,
                             "device_open: CLARY_MEMORY_LIMIT=%s is not a number of bytes "
                             "such as 2G, 500M or 1000000",
                             limit);
        goto fail;
    }
    status = device->backend->open(device, device->backend_index);
    if (status != CLARY_OK) {
        if (is_broken(status)) quarantine(index);
        goto fail;
    }
    watch_exit(index);
    infos[index] = device->info; /* some facts are known only now */
    entries[index].open = device;
    clary__log("device", "opened %d: %s (%s)", index, device->info.name, device->info.platform);
    *out = device;
    return CLARY_OK;
fail:
    clary__dealloc(device);
    return status;
}

static clary_status open_selected(const char *selector, clary_device **out) {
    for (;;) {
        int index;
        TRY(clary__select(selector, infos, found, &index));
        clary_status status = open_at(index, out);
        if (status == CLARY_OK || infos[index].usable) return status;
    }
}

clary_status clary_device_open(const char *selector, clary_device **out) {
    *out = NULL;
    find_once();
    clary__lock();
    clary_status status = open_selected(selector, out);
    clary__unlock();
    return status;
}

clary_device *clary__device_retain(clary_device *device) {
    atomic_fetch_add_explicit(&device->refs, 1, memory_order_relaxed);
    return device;
}

void clary_device_release(clary_device **handle) {
    clary_device *device = *handle;
    *handle = NULL;
    if (!device) return;
    int refs = atomic_load_explicit(&device->refs, memory_order_relaxed);
    while (refs > 1)
        if (atomic_compare_exchange_weak_explicit(&device->refs, &refs, refs - 1,
                                                  memory_order_release, memory_order_relaxed))
            return;
    /* Perhaps the last: under the lock, where nobody can find the device and open it meanwhile. */
    clary__lock();
    if (atomic_fetch_sub_explicit(&device->refs, 1, memory_order_acq_rel) == 1 &&
        !clary__exiting()) {
        clary__pool_trim(device);
        device->backend->close(device);
        entries[device->index].open = NULL;
        clary__log("device", "closed %d: %s", device->index, device->info.name);
        clary__dealloc(device);
    }
    clary__unlock();
}

/* ---- the default device ---- */

clary_status clary__device_or_default(clary_device *device, clary_device **out) {
    if (device) {
        *out = device;
        return CLARY_OK;
    }
    clary_status status = CLARY_OK;
    clary__lock();
    if (!default_device) status = clary_device_open(NULL, &default_device);
    *out = default_device;
    clary__unlock();
    return status;
}

clary_status clary_default_device(clary_device **out) {
    return clary__device_or_default(NULL, out);
}

clary_status clary_set_default_device(clary_device *device) {
    FAIL_IF(!device, CLARY_INVALID_ARGUMENT, "set_default_device: device is NULL");
    clary__lock();
    clary_device *old = default_device;
    default_device = clary__device_retain(device);
    clary_device_release(&old);
    clary__unlock();
    return CLARY_OK;
}

/* ---- facts, memory, waiting ---- */

clary_status clary_device_get_info(clary_device *device, clary_device_info *out) {
    TRY(clary__device_or_default(device, &device));
    *out = device->info;
    return CLARY_OK;
}

clary_status clary_device_set_memory_limit(clary_device *device, uint64_t bytes) {
    TRY(clary__device_or_default(device, &device));
    clary__lock();
    device->pool.limit = bytes;
    if (bytes && device->pool.live + device->pool.pooled > bytes) clary__pool_trim(device);
    clary__unlock();
    return CLARY_OK;
}

clary_status clary_device_trim(clary_device *device) {
    TRY(clary__device_or_default(device, &device));
    clary__lock();
    clary__pool_trim(device);
    clary__unlock();
    return CLARY_OK;
}

clary_status clary_device_memory(clary_device *device, clary_memory_stats *out) {
    TRY(clary__device_or_default(device, &device));
    clary__lock();
    const clary__pool *p = &device->pool;
    *out = (clary_memory_stats){.live = p->live,
                                .peak = p->peak,
                                .pooled = p->pooled,
                                .limit = p->limit,
                                .allocations = p->allocations,
                                .reuses = p->reuses};
    clary__unlock();
    return CLARY_OK;
}

void clary__devices_reset_peaks(void) {
    for (int i = 0; i < found; i++)
        if (entries[i].open) entries[i].open->pool.peak = entries[i].open->pool.live;
}

/* Waits for every device even if one fails, and reports the first failure. */
clary_status clary_synchronize(clary_device *device) {
    clary_status status = CLARY_OK;
    clary__lock();
    for (int i = 0; i < found; i++) {
        clary_device *open = entries[i].open;
        if (!open || (device && open != device)) continue;
        clary_status one = open->backend->wait(open);
        if (status == CLARY_OK) status = one;
    }
    clary__unlock();
    return status;
}

/* ---- the diagnosis ---- */

static void diagnose(clary__text *t) {
    for (size_t k = 0; k < sizeof backends / sizeof *backends; k++)
        if (backends[k]->diagnose) backends[k]->diagnose(t);
    clary__text_add(t, "Devices:\n");
    for (int i = 0; i < found; i++) {
        clary__text_add(t, "  %d: %s (%s)%s%s\n", i, infos[i].name, infos[i].platform,
                        infos[i].usable ? "" : ": not usable: ", infos[i].reason);
    }
}

const char *clary_device_diagnosis(void) {
    /* Texts given out stay valid, so a new one is kept in front of the old; there are few. */
    static struct kept {
        struct kept *older;
        char *text;
    } * kept;
    const char *result = "no host memory for a diagnosis";
    clary__text t = {0};
    find_once();
    clary__lock();
    diagnose(&t);
    if (kept && !t.failed && !strcmp(kept->text, t.data)) {
        result = kept->text;
    } else if (!t.failed) {
        struct kept *one = clary__malloc(sizeof *one);
        if (one) {
            *one = (struct kept){kept, t.data};
            t.data = NULL;
            result = one->text;
            kept = one;
        }
    }
    clary__text_free(&t);
    clary__unlock();
    return result;
}

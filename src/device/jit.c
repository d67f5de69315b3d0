/* jit.c - the tier switch: $CLARY_JIT and clary_set_jit. */
#include "device/device.h"
#include <pthread.h>
#include <string.h>

static const char *const names[] = {"auto", "always", "never"}; /* by clary__jit */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int mode;

static int mode_of(const char *name) {
    for (int i = 0; name && i < 3; i++)
        if (!strcmp(name, names[i])) return i;
    return -1;
}

static void read_environment(void) {
    const char *name = clary__env("CLARY_JIT");
    int found = mode_of(name);
    if (name && found < 0) clary__log("tier", "CLARY_JIT=%s is not auto, always or never", name);
    atomic_store(&mode, found < 0 ? CLARY__JIT_AUTO : found);
}

clary__jit clary__jit_mode(void) {
    pthread_once(&once, read_environment);
    return (clary__jit)atomic_load_explicit(&mode, memory_order_relaxed);
}

clary_status clary_set_jit(const char *name) {
    pthread_once(&once, read_environment);
    int found = mode_of(name);
    FAIL_IF(found < 0, CLARY_INVALID_ARGUMENT,
            "set_jit: mode is \"%s\"; it must be \"auto\", \"always\" or \"never\"",
            name ? name : "NULL");
    atomic_store(&mode, found);
    return CLARY_OK;
}

const char *clary_get_jit(void) {
    return names[clary__jit_mode()];
}

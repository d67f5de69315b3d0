/* memory.c - host allocation that never aborts and that tests can make fail.
 *
 * clary__alloc_fail_at(n) makes the n-th allocation from then on return NULL, once. A test that
 * raises n until everything succeeds has walked every out-of-memory path of what it calls.
 */
#include "core/core.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic int64_t calls_until_failure; /* 0 or less: allocations succeed */

void clary__alloc_fail_at(int64_t nth) {
    atomic_store(&calls_until_failure, nth);
}

static bool must_fail(void) {
    if (atomic_load_explicit(&calls_until_failure, memory_order_relaxed) <= 0) return false;
    return atomic_fetch_sub(&calls_until_failure, 1) == 1;
}

/* Zero bytes still give a block, so that NULL always means failure. */
void *clary__malloc(size_t bytes) {
    return must_fail() ? NULL : malloc(bytes ? bytes : 1);
}

void *clary__calloc(size_t count, size_t bytes) {
    if (must_fail() || (bytes && count > SIZE_MAX / bytes)) return NULL;
    return count && bytes ? calloc(count, bytes) : calloc(1, 1);
}

void *clary__realloc(void *block, size_t bytes) {
    return must_fail() ? NULL : realloc(block, bytes ? bytes : 1);
}

char *clary__strdup(const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = clary__malloc(bytes);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}

void clary__dealloc(void *block) {
    free(block);
}

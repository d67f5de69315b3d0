/* fault.c - names for what kernels report.
 *
 * A kernel can only write numbers. A site is the number of "operation, axis"; the table of operations
 * holds the string literals that asked for sites, so it stays as small as the source code.
 */
#include "device/device.h"
#include <string.h>

enum { AXES = 64, OPERATIONS = 256 };

static const char *operations[OPERATIONS]; /* under the engine lock */
static int count;

int64_t clary__fault_site(const char *operation, int axis) {
    int i = 0;
    clary__lock();
    while (i < count && strcmp(operations[i], operation) != 0) i++;
    if (i == count && count < OPERATIONS) operations[count++] = operation;
    clary__unlock();
    return (int64_t)i * AXES + axis + 1;
}

void clary__fault_note(clary__fault *waiting, const clary__fault *fault) {
    if (!waiting->raised) *waiting = *fault;
}

clary_status clary__fault_tell(clary__fault *waiting) {
    clary__fault fault = *waiting;
    *waiting = (clary__fault){0};
    return fault.raised ? clary__fault_status(&fault) : CLARY_OK;
}

clary_status clary__fault_status(const clary__fault *fault) {
    int64_t i = fault->site / AXES, axis = fault->site % AXES - 1;
    const char *operation = "an operation";
    clary__lock();
    if (i >= 0 && i < count) operation = operations[i];
    clary__unlock();
    if (axis < 0)
        return clary__fail(CLARY_INDEX_OUT_OF_RANGE,
                           "%s: index %lld is out of bounds for size %lld", operation,
                           (long long)fault->index, (long long)fault->extent);
    return clary__fail(CLARY_INDEX_OUT_OF_RANGE,
                       "%s: index %lld is out of bounds for axis %lld with size %lld", operation,
                       (long long)fault->index, (long long)axis, (long long)fault->extent);
}

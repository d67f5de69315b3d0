/* clary/base.h - what every other header needs: visibility, fixed-width types, status codes.
 *
 * Every call that can fail returns a clary_status. 0 is success. On failure the thread's last error
 * holds one sentence that names the operation, the argument, the shapes and dtypes; outputs are NULL
 * (or untouched) and the next call works.
 */
#ifndef CLARY_BASE_H
#define CLARY_BASE_H

#ifndef CLARY_CDEF /* defined when Python's binding reads these headers: it brings its own types */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

#ifdef __cplusplus
#define CLARY_BEGIN extern "C" {
#define CLARY_END }
#else
#define CLARY_BEGIN
#define CLARY_END
#endif

#if defined(CLARY_CDEF)
#define CLARY_API
#elif defined(_WIN32)
#define CLARY_API __declspec(dllimport)
#else
#define CLARY_API __attribute__((visibility("default")))
#endif

CLARY_BEGIN

/* X(name, text): the one list of status codes. */
#define CLARY_STATUS_LIST(X)                                                                       \
    X(OK, "success")                                                                               \
    X(INVALID_ARGUMENT, "invalid argument")                                                        \
    X(SHAPE_MISMATCH, "shapes do not fit together")                                                \
    X(DTYPE_MISMATCH, "dtypes do not fit the operation")                                           \
    X(INDEX_OUT_OF_RANGE, "index out of range")                                                    \
    X(AXIS_OUT_OF_RANGE, "axis out of range")                                                      \
    X(OVERFLOW, "value does not fit the dtype")                                                    \
    X(OUT_OF_MEMORY, "out of memory")                                                              \
    X(NO_DEVICE, "no such device")                                                                 \
    X(DEVICE_MISMATCH, "arrays live on different devices")                                         \
    X(DEVICE_ERROR, "the device or its driver failed")                                             \
    X(BUILD_FAILED, "a kernel did not compile")                                                    \
    X(UNSUPPORTED, "not supported by this device")                                                 \
    X(IO_ERROR, "a file could not be read or written")                                             \
    X(BAD_FORMAT, "a file is not what it claims to be")                                            \
    X(READ_ONLY, "the array is read-only")                                                         \
    X(INTERNAL, "an internal invariant does not hold; please report this")

typedef enum clary_status {
#define X(name, text) CLARY_##name,
    CLARY_STATUS_LIST(X)
#undef X
        CLARY_STATUS_COUNT
} clary_status;

/* "CLARY_SHAPE_MISMATCH" etc.; never NULL. */
CLARY_API const char *clary_status_name(clary_status status);

/* The short text of a status; never NULL. */
CLARY_API const char *clary_status_text(clary_status status);

/* What went wrong in this thread's last failing call, in one sentence. Valid until the next failing
 * call of this thread; "" if none has failed. */
CLARY_API const char *clary_last_error(void);

/* Version of the library that is loaded, "major.minor.patch". */
CLARY_API const char *clary_version(void);

CLARY_END
#endif

/* error.c - status names and texts, and the last error of each thread.
 *
 * The message lives in a thread-local array, so threads never see each other's errors and recording
 * an error cannot itself run out of memory. A message is always formatted aside first: its
 * arguments may point into the message that it replaces.
 */
#include "core/core.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifndef CLARY_VERSION
#error "CLARY_VERSION must be defined by the build, as in -DCLARY_VERSION=\"1.2.3\""
#endif

#define MESSAGE_BYTES 4096 /* room for the part of a compiler's log that matters */

static _Thread_local char last_error[MESSAGE_BYTES];

static const struct {
    const char *name, *text;
} statuses[CLARY_STATUS_COUNT] = {
#define X(name, text) [CLARY_##name] = {"CLARY_" #name, text},
    CLARY_STATUS_LIST(X)
#undef X
};

static bool is_status(clary_status status) {
    return (unsigned)status < CLARY_STATUS_COUNT;
}

const char *clary_status_name(clary_status status) {
    return is_status(status) ? statuses[status].name : "CLARY_STATUS_UNKNOWN";
}

const char *clary_status_text(clary_status status) {
    return is_status(status) ? statuses[status].text : "unknown status";
}

const char *clary_last_error(void) {
    return last_error;
}

const char *clary_version(void) {
    return CLARY_VERSION;
}

clary_status clary__fail(clary_status status, const char *format, ...) {
    char message[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    memcpy(last_error, message, strlen(message) + 1);
    return status;
}

clary_status clary__fail_in(clary_status status, const char *format, ...) {
    char message[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    int written = vsnprintf(message, sizeof message, format, args);
    va_end(args);
    size_t used = written < 0 ? 0 : (size_t)written;
    size_t rest = strlen(last_error);
    if (used + 2 < sizeof message) { /* else the prefix alone fills the message */
        if (rest > sizeof message - used - 3) rest = sizeof message - used - 3;
        memcpy(message + used, ": ", 2);
        memcpy(message + used + 2, last_error, rest);
        message[used + 2 + rest] = '\0';
    }
    memcpy(last_error, message, strlen(message) + 1);
    return status;
}

/* threads.h - work spread over a few persistent threads. */
#ifndef CLARY_THREADS_H
#define CLARY_THREADS_H
#include "core/core.h"

/* Runs task(context, 0) ... task(context, count - 1), each once, on up to `threads` threads, this one
 * included; returns when all are done: the status of the first that failed, with its message. Runs
 * them here, one after another, when the threads are busy or cannot be made. */
typedef clary_status clary__task(void *context, int64_t number);
clary_status clary__parallel(int threads, int64_t count, clary__task *task, void *context);

#endif

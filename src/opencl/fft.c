/* fft.c - Fourier transforms. The host's engine does them all: in place where memory is shared, else on a
 * block that is brought to the host and back. An engine of the device belongs in clary__cl_fft. */
#include "graph/group.h"
#include "opencl/opencl.h"
#include <unistd.h>

static clary_status on_shared_memory(clary_device *device, const clary__fft *job) {
    TRY(clary__cl_wait_for(device, job->in));
    TRY(clary__cl_wait_for(device, job->out));
    return clary__fft_on_host(job, (int)device->info.units);
}

static clary_status on_copies(clary_device *device, const clary__fft *job) {
    int64_t terms = job->length / 2 + 1, rows = job->outer * job->inner;
    size_t real = clary_dtype_size(job->real);
    size_t whole = (size_t)(rows * job->length) * real, part = (size_t)(rows * terms) * 2 * real;
    size_t in = job->kind == CLARY__FFT_REAL        ? whole
                : job->kind == CLARY__FFT_HERMITIAN ? part
                                                    : 2 * whole;
    size_t out = job->kind == CLARY__FFT_REAL        ? part
                 : job->kind == CLARY__FFT_HERMITIAN ? whole
                                                     : 2 * whole;
    clary__buffer from = {.bytes = in, .host = clary__malloc(in)};
    clary__buffer to = {.bytes = out, .host = clary__malloc(out)};
    clary__fft copy = *job;
    copy.in = &from;
    copy.out = &to;
    clary_status status = CLARY_OK;
    if (!from.host || !to.host)
        status = clary__fail(CLARY_OUT_OF_MEMORY, "%s: no host memory for %zu bytes", job->what,
                             in + out);
    if (status == CLARY_OK) status = clary__cl_download(device, job->in, 0, from.host, in);
    if (status == CLARY_OK) status = clary__fft_on_host(&copy, (int)sysconf(_SC_NPROCESSORS_ONLN));
    if (status == CLARY_OK) status = clary__cl_upload(device, job->out, 0, to.host, out);
    clary__dealloc(from.host);
    clary__dealloc(to.host);
    return status;
}

clary_status clary__cl_fft(clary_device *device, const clary__fft *job) {
    bool shared = device->info.shares_host_memory;
    clary__log("dispatch", "%s of %lld points: reference transform, %s", job->what,
               (long long)job->length,
               shared ? "memory is shared" : "on copies: no engine of the device");
    return shared ? on_shared_memory(device, job) : on_copies(device, job);
}

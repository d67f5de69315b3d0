/* fft.c - which engine makes a Fourier transform. On a device with memory of its own VkFFT, where it is
 * built in and does it; else the host's engine: in place where memory is shared, or on a block that is
 * brought to the host and back. $CLARY_FFT=vkfft asks for VkFFT on shared memory too, =host for the host's.
 */
#include "graph/group.h"
#include "opencl/fft.h"
#include <string.h>
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
    const char *forced = clary__env("CLARY_FFT");
    bool shared = device->info.shares_host_memory, done = false;
    bool vkfft = forced ? strcmp(forced, "vkfft") == 0 : !shared;
    if (vkfft) TRY(clary__cl_vkfft(device, job, &done));
    if (clary__log_on("dispatch"))
        clary__log("dispatch", "%s of %lld points: %s%s", job->what, (long long)job->length,
                   done ? "VkFFT" : "the host's engine, ",
                   done     ? ""
                   : vkfft  ? "VkFFT is not there or does not do it"
                   : forced ? "CLARY_FFT says so"
                            : "memory is shared");
    if (done) return CLARY_OK;
    return shared ? on_shared_memory(device, job) : on_copies(device, job);
}

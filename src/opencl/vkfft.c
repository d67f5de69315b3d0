/* vkfft.c - Fourier transforms by VkFFT (MIT licence, a header), where it was found at build time.
 *
 * VkFFT writes kernels for one length, layout and device. Such a plan is kept while it is among the last
 * used ones, and its compiled kernels are kept on disk, so that a second process builds nothing. (Its own
 * way of keeping them takes binaries for text, which those of most drivers are not.)
 *
 * The header calls OpenCL by name; here the names mean the table that loader.c filled.
 */
#include "opencl/fft.h"
#ifdef CLARY_HAVE_VKFFT
#include "opencl/disk.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The programs of the plan being made go through the disk cache. Under the engine lock. */
static struct {
    const char *identity;
    clary__text key; /* of the program last created, if it has to be built */
} programs;

static cl_program create_program(cl_context context, cl_uint count, const char **source,
                                 const size_t *length, cl_int *code) {
    unsigned char *binary = NULL;
    size_t bytes = 0;
    cl_device_id device;
    (void)count; /* one */
    clary__text_free(&programs.key);
    clary__text_add(&programs.key, "vkfft|%s|%s", programs.identity, *source);
    if (!programs.key.failed &&
        !clary__cl.clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL) &&
        clary__disk_load(programs.key.data, programs.key.size, &binary, &bytes)) {
        cl_program program = clary__cl.clCreateProgramWithBinary(
            context, 1, &device, &bytes, (const unsigned char **)&binary, NULL, code);
        clary__dealloc(binary);
        if (!*code) {
            CLARY__COUNT(disk_hits, 1);
            clary__text_free(&programs.key);
            return program;
        }
    }
    return clary__cl.clCreateProgramWithSource(context, 1, source, length, code);
}

static void keep_binary(cl_program program) {
    size_t bytes = 0;
    if (programs.key.failed || !clary__disk_on() ||
        clary__cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) ||
        !bytes)
        return;
    unsigned char *binary = clary__malloc(bytes);
    if (binary &&
        !clary__cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL))
        clary__disk_save(programs.key.data, programs.key.size, binary, bytes);
    clary__dealloc(binary);
}

static cl_int build_program(cl_program program, cl_uint count, const cl_device_id *devices,
                            const char *options, void (*notify)(cl_program, void *), void *data) {
    cl_int code = clary__cl.clBuildProgram(program, count, devices, options, notify, data);
    if (!code && programs.key.size) {
        CLARY__COUNT(builds, 1);
        keep_binary(program);
    }
    clary__text_free(&programs.key);
    return code;
}

#define clBuildProgram build_program
#define clCreateBuffer clary__cl.clCreateBuffer
#define clCreateCommandQueue clary__cl.clCreateCommandQueue
#define clCreateKernel clary__cl.clCreateKernel
#define clCreateProgramWithBinary clary__cl.clCreateProgramWithBinary
#define clCreateProgramWithSource create_program
#define clEnqueueNDRangeKernel clary__cl.clEnqueueNDRangeKernel
#define clEnqueueWriteBuffer clary__cl.clEnqueueWriteBuffer
#define clFinish clary__cl.clFinish
#define clGetDeviceInfo clary__cl.clGetDeviceInfo
#define clGetProgramBuildInfo clary__cl.clGetProgramBuildInfo
#define clGetProgramInfo clary__cl.clGetProgramInfo
#define clReleaseCommandQueue clary__cl.clReleaseCommandQueue
#define clReleaseKernel clary__cl.clReleaseKernel
#define clReleaseMemObject clary__cl.clReleaseMemObject
#define clReleaseProgram clary__cl.clReleaseProgram
#define clSetKernelArg clary__cl.clSetKernelArg
#define printf(...) ((void)0) /* its reports of failures: the code it returns is enough */
#define VKFFT_BACKEND 3
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wmisleading-indentation"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#pragma GCC diagnostic ignored "-Wformat"
#include <vkFFT.h>
#pragma GCC diagnostic pop
#undef printf

/* What a plan depends on. Plain integers, so that it compares and hashes as bytes. */
typedef struct plan_key {
    int64_t kind, real, normalize, outer, length, inner;
} plan_key;

typedef struct plan {
    plan_key key;
    uint64_t used; /* by the clock of the cache */
    uint64_t in_bytes, out_bytes;
    VkFFTApplication app;
} plan;

struct clary__cl_fft_plans {
    plan *at[32];
    uint64_t clock;
};

static void free_plan(plan *p) {
    if (!p) return;
    deleteVkFFT(&p->app);
    clary__dealloc(p);
}

void clary__cl_free_fft_plans(clary__cl_state *s) {
    if (!s->fft_plans) return;
    for (size_t i = 0; i < sizeof s->fft_plans->at / sizeof *s->fft_plans->at; i++)
        free_plan(s->fft_plans->at[i]);
    clary__dealloc(s->fft_plans);
    s->fft_plans = NULL;
}

static VkFFTConfiguration configure(clary__cl_state *s, plan *p) {
    const plan_key *k = &p->key;
    bool real = k->kind == CLARY__FFT_REAL, inverse = k->kind == CLARY__FFT_INVERSE;
    uint64_t scalar = k->real == CLARY_FLOAT64 ? 8 : 4, half = (uint64_t)k->length / 2 + 1;
    uint64_t lines = (uint64_t)(k->outer * k->inner), n = (uint64_t)k->length;
    uint64_t spectrum = lines * (real ? half : n) * 2 * scalar;
    VkFFTConfiguration c = {0};
    c.device = &s->entry->device;
    c.context = &s->context;
    c.doublePrecision = k->real == CLARY_FLOAT64;
    c.normalize = k->normalize != 0;
    c.makeForwardPlanOnly = !inverse;
    c.makeInversePlanOnly = inverse;
    p->in_bytes = p->out_bytes = spectrum;
    if (k->inner > 1) {
        c.FFTdim = 2;
        c.size[0] = (uint64_t)k->inner;
        c.size[1] = n;
        c.omitDimension[0] = 1;
    } else {
        c.FFTdim = 1;
        c.size[0] = n;
    }
    c.numberBatches = (uint64_t)k->outer;
    c.isInputFormatted = 1;
    c.inputBufferSize = &p->in_bytes;
    c.bufferSize = &p->out_bytes;
    if (real) {
        c.performR2C = 1;
        p->in_bytes = lines * n * scalar;
        c.inputBufferStride[0] = n;
        c.bufferStride[0] = half;
    }
    return c;
}

/* NULL: VkFFT does not do it; clary__log says why. */
static plan *plan_for(clary_device *device, const plan_key *key) {
    clary__cl_state *s = clary__cl_state_of(device);
    struct clary__cl_fft_plans *plans = s->fft_plans;
    if (!plans && !(plans = s->fft_plans = clary__calloc(1, sizeof *plans))) return NULL;
    plan **oldest = &plans->at[0];
    for (size_t i = 0; i < sizeof plans->at / sizeof *plans->at; i++) {
        plan *p = plans->at[i];
        if (p && memcmp(&p->key, key, sizeof *key) == 0) {
            p->used = ++plans->clock;
            return p;
        }
        if (!p || (*oldest && p->used < (*oldest)->used)) oldest = &plans->at[i];
    }
    plan *p = clary__calloc(1, sizeof *p);
    if (!p) return NULL;
    p->key = *key;
    p->used = ++plans->clock;
    programs.identity = s->identity;
    VkFFTResult result = initializeVkFFT(&p->app, configure(s, p));
    if (result != VKFFT_SUCCESS) {
        clary__log("dispatch", "vkfft refuses length %lld: code %d", (long long)key->length,
                   (int)result);
        clary__dealloc(p); /* VkFFT has freed what it made */
        return NULL;
    }
    if (*oldest) { /* its work may be in flight */
        clary__cl_drain(device);
        free_plan(*oldest);
    }
    *oldest = p;
    return p;
}

/* A product of the primes that it has kernels for. */
static bool is_smooth(int64_t n) {
    static const int primes[] = {2, 3, 5, 7, 11, 13};
    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
        while (n % primes[i] == 0) n /= primes[i];
    return n == 1;
}

clary_status clary__cl_vkfft(clary_device *device, const clary__fft *job, bool *done) {
    clary__cl_state *s = clary__cl_state_of(device);
    plan_key key = {job->kind,  (int64_t)job->real, job->normalize,
                    job->outer, job->length,        job->inner};
    *done = false;
    /* It transforms reals along the last axis only, and does not ignore the imaginary parts that a Hermitian
     * row should not have. */
    if (job->length == 1 || job->kind == CLARY__FFT_HERMITIAN ||
        (job->kind == CLARY__FFT_REAL && job->inner > 1))
        return CLARY_OK;
    /* PoCL takes minutes to compile its way for large primes, and a work-item of its long transforms keeps
     * more on the stack than PoCL's threads have. */
    if (device->info.shares_host_memory && (job->length > 4096 || !is_smooth(job->length)))
        return CLARY_OK;
    TRY(clary__cl_alive(device));
    plan *p = plan_for(device, &key);
    if (!p) return CLARY_OK;
    VkFFTLaunchParams launch = {0};
    launch.commandQueue = &s->queue;
    launch.inputBuffer = &clary__cl_memory_of(job->in)->memory;
    launch.buffer = &clary__cl_memory_of(job->out)->memory;
    VkFFTResult result = VkFFTAppend(&p->app, job->kind == CLARY__FFT_INVERSE ? 1 : -1, &launch);
    FAIL_IF(result != VKFFT_SUCCESS, CLARY_DEVICE_ERROR, "%s: %s: VkFFT fails with code %d",
            device->info.name, job->what, (int)result);
    clary__cl_issued(s);
    clary__cl_memory_of(job->in)->last_use = clary__cl_memory_of(job->out)->last_use = s->issued;
    CLARY__COUNT(launches, 1);
    *done = true;
    return CLARY_OK;
}

#else

clary_status clary__cl_vkfft(clary_device *device, const clary__fft *job, bool *done) {
    (void)device, (void)job;
    *done = false;
    return CLARY_OK;
}

void clary__cl_free_fft_plans(clary__cl_state *s) {
    (void)s;
}
#endif

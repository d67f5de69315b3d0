/* backend.c - OpenCL devices as the rest of the library sees them.
 *
 * Each open device has its own context and one in-order queue. Opening runs a small kernel whose answer is
 * known: a driver that cannot do that is quarantined by the caller.
 */
#include "host/blas.h"
#include "opencl/fft.h"
#include "opencl/product.h"
#include <stdio.h>
#include <string.h>

clary_status clary__cl_alive(clary_device *device) {
    FAIL_IF(clary__cl_state_of(device)->forks != clary__forks(), CLARY_DEVICE_ERROR,
            "%s: the process was forked after the device was opened, and its driver does not "
            "follow into the child; open devices after the fork, or start the child with spawn",
            device->info.name);
    return CLARY_OK;
}

clary_status clary__cl_drain(clary_device *device) {
    clary__cl_state *s = clary__cl_state_of(device);
    if (s->finished == s->issued) return CLARY_OK;
    TRY(clary__cl_alive(device));
    cl_int code = clary__cl.clFinish(s->queue);
    if (code) return clary__cl_fail(code, "%s: waiting for the device", device->info.name);
    s->finished = s->flushed = s->issued;
    return CLARY_OK;
}

clary_status clary__cl_wait(clary_device *device) {
    TRY(clary__cl_ask_fault(device));
    TRY(clary__cl_drain(device));
    return clary__cl_judge_fault(device);
}

/* Drivers hold commands back until a flush: often enough to keep the device busy, not for each. */
void clary__cl_issued(clary__cl_state *s) {
    enum { BATCH = 8 };
    s->issued++;
    if (s->issued - s->flushed < BATCH && s->flushed > s->finished) return;
    clary__cl.clFlush(s->queue);
    s->flushed = s->issued;
}

static clary_status describe(int index, clary_device_info *out) {
    *out = clary__cl_entry_at(index)->info;
    return CLARY_OK;
}

/* ---- opening ---- */

static void close_device(clary_device *device) {
    clary__cl_state *s = clary__cl_state_of(device);
    if (s->forks == clary__forks()) {
        if (s->queue) clary__cl.clFinish(s->queue);
        clary__cl_free_chunks(s);
        clary__cl_free_fft_plans(s);
        clary__cl_free_kernels(s);
        if (s->fault_record) clary__cl.clReleaseMemObject(s->fault_record);
        if (s->queue) clary__cl.clReleaseCommandQueue(s->queue);
        if (s->context) clary__cl.clReleaseContext(s->context);
    }
    clary__dealloc(s->identity);
    clary__dealloc(s);
    device->state = NULL;
}

static clary_status self_check_source(const void *context, clary__text *out) {
    (void)context;
    clary__text_add(out, "__kernel void self_check(__global uint *out) { out[get_global_id(0)] = "
                         "0x434c4152u + (uint)get_global_id(0); }\n");
    return CLARY_OK;
}

/* Runs a kernel and reads what it wrote; also learns the width of a subgroup where no query tells. */
clary_status clary__cl_self_check(clary_device *device, clary__buffer *buffer) {
    enum { N = 64 };
    clary__cl_state *s = clary__cl_state_of(device);
    uint32_t answer[N] = {0};
    clary__cl_kernel *kernel;
    clary__launch launch = {.key = "self_check",
                            .key_bytes = 10,
                            .source = self_check_source,
                            .entry = "self_check",
                            .dims = 1,
                            .global = {N},
                            .local = {1},
                            .what = "self-check"};
    TRY(clary__cl_kernel_for(device, &launch, &kernel));
    cl_mem memory = clary__cl_memory_of(buffer)->memory;
    size_t global = N, multiple = 0;
    cl_int code = clary__cl.clSetKernelArg(kernel->kernel, 0, sizeof memory, &memory);
    if (!code)
        code = clary__cl.clEnqueueNDRangeKernel(s->queue, kernel->kernel, 1, NULL, &global, NULL, 0,
                                                NULL, NULL);
    if (!code)
        code = clary__cl.clEnqueueReadBuffer(s->queue, memory, CL_TRUE, 0, sizeof answer, answer, 0,
                                             NULL, NULL);
    clary_status status = CLARY_OK;
    if (code) status = clary__cl_fail(code, "%s: the self-check kernel", device->info.name);
    for (uint32_t i = 0; i < N && status == CLARY_OK; i++)
        if (answer[i] != 0x434c4152u + i)
            status =
                clary__fail(CLARY_DEVICE_ERROR, "%s: the self-check kernel gave a wrong answer",
                            device->info.name);
    if (!device->info.subgroup &&
        !clary__cl.clGetKernelWorkGroupInfo(kernel->kernel, s->entry->device,
                                            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                            sizeof multiple, &multiple, NULL))
        device->info.subgroup = (uint32_t)multiple;
    return status;
}

static clary_status self_check(clary_device *device) {
    clary__buffer buffer = {.device = device, .bytes = 256};
    TRY(clary__cl_alloc(device, buffer.bytes, &buffer));
    clary_status status = clary__cl_self_check(device, &buffer);
    clary__cl_free(device, &buffer);
    return status;
}

/* Denormals, division and square root are as IEEE says; nothing is relaxed. */
static clary_status set_options(clary__cl_state *s) {
    clary__text identity = {0};
    const clary_device_info *info = &s->entry->info;
    snprintf(s->options, sizeof s->options, "-cl-std=CL1.2%s",
             s->entry->exact_division ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
    clary__text_add(&identity, "%s|%s|%s|%s|%s", info->platform, info->name, info->vendor,
                    info->driver, info->version);
    s->identity = identity.data;
    FAIL_IF(identity.failed, CLARY_OUT_OF_MEMORY, "device_open: no host memory");
    return CLARY_OK;
}

static clary_status open_device(clary_device *device, int index) {
    FAIL_IF(clary__cl_probe_forks() != clary__forks(), CLARY_DEVICE_ERROR,
            "the process was forked after OpenCL was started, and drivers do not follow into the "
            "child; look for devices after the fork, or start the child with spawn");
    clary__cl_state *s = clary__calloc(1, sizeof *s);
    cl_int code;
    FAIL_IF(!s, CLARY_OUT_OF_MEMORY, "device_open: no host memory");
    device->state = s;
    s->entry = clary__cl_entry_at(index);
    s->forks = clary__forks();
    clary_status status = set_options(s);
    if (status == CLARY_OK) {
        cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              (cl_context_properties)s->entry->platform, 0};
        s->context = clary__cl.clCreateContext(properties, 1, &s->entry->device, NULL, NULL, &code);
        if (!code)
            s->queue = clary__cl.clCreateCommandQueue(s->context, s->entry->device, 0, &code);
        if (code) status = clary__cl_fail(code, "device_open: %s", device->info.name);
    }
    if (status == CLARY_OK) status = self_check(device);
    if (status != CLARY_OK) close_device(device);
    return status;
}

/* ---- running ---- */

static clary_status run_on_host(clary_device *device, const clary__group *group) {
    clary__host_bases bases;
    for (int i = 0; i < group->ninputs; i++) {
        TRY(clary__cl_wait_for(device, group->inputs[i].buffer));
        bases.inputs[i] = group->inputs[i].buffer->host;
    }
    for (int i = 0; i < group->noutputs; i++) {
        TRY(clary__cl_wait_for(device, group->outputs[i].buffer));
        bases.outputs[i] = group->outputs[i].buffer->host;
    }
    if (group->pattern == CLARY__PRODUCT) {
        TRY(clary__cl_wait_for(device, group->product.x.buffer));
        TRY(clary__cl_wait_for(device, group->product.y.buffer));
        bases.x = group->product.x.buffer->host;
        bases.y = group->product.y.buffer->host;
        return clary__run_product(group, &bases, (int)device->info.units, &device->fault,
                                  clary__host_product_engine(group));
    }
    return clary__run_noting(group, &bases, (int)device->info.units, &device->fault);
}

static clary_status run(clary_device *device, const clary__group *group) {
    bool host = device->info.shares_host_memory && clary__cl_prefers_host(group);
    if (clary__log_on("tier"))
        clary__log("tier", "%s of %lld points: %s", group->what, (long long)group->points,
                   host ? "reference executor" : "compiled");
    if (host) return run_on_host(device, group);
    if (group->pattern == CLARY__PRODUCT) return clary__cl_product(device, group);
    return clary__codegen_run(device, group, clary__cl_launch);
}

/* Sorts and scatters on memory that is shared: kernels are not faster there, so they run when asked for. */
static bool on_host(clary_device *device, const char *what, int64_t count) {
    bool host = device->info.shares_host_memory && clary__jit_mode() != CLARY__JIT_ALWAYS;
    if (clary__log_on("tier"))
        clary__log("tier", "%s of %lld elements: %s", what, (long long)count,
                   host ? "reference executor" : "compiled");
    return host;
}

static clary_status sort(clary_device *device, const clary__sort *job) {
    if (!on_host(device, job->what, job->rows * job->length))
        return clary__codegen_sort(device, job, clary__cl_launch);
    TRY(clary__cl_wait_for(device, job->keys));
    if (job->values) TRY(clary__cl_wait_for(device, job->values));
    if (job->order) TRY(clary__cl_wait_for(device, job->order));
    return clary__sort_on_host(job, (int)device->info.units);
}

static clary_status scatter(clary_device *device, const clary__scatter *job) {
    if (!on_host(device, job->what, job->count))
        return clary__codegen_scatter(device, job, clary__cl_launch);
    TRY(clary__cl_wait_for(device, job->target));
    TRY(clary__cl_wait_for(device, job->positions));
    TRY(clary__cl_wait_for(device, job->source));
    return clary__scatter_on_host(job, (int)device->info.units);
}

const clary__backend clary__opencl_backend = {
    .name = "opencl",
    .count = clary__cl_count,
    .describe = describe,
    .open = open_device,
    .close = close_device,
    .alloc = clary__cl_alloc,
    .free = clary__cl_free,
    .adopt = clary__cl_adopt,
    .upload = clary__cl_upload,
    .download = clary__cl_download,
    .copy = clary__cl_copy,
    .run = run,
    .sort = sort,
    .scatter = scatter,
    .fft = clary__cl_fft,
    .wait = clary__cl_wait,
    .diagnose = clary__cl_diagnose,
};

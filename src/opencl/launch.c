/* launch.c - puts one kernel on the stream. */
#include "opencl/opencl.h"

clary_status clary__cl_launch(clary_device *device, const clary__launch *launch) {
    clary__cl_state *s = clary__cl_state_of(device);
    clary__cl_kernel *k;
    TRY(clary__cl_alive(device));
    TRY(clary__cl_kernel_for(device, launch, &k));
    cl_int code = CL_SUCCESS;
    cl_uint count = 0; /* of arguments */
    if (launch->faults) {
        cl_mem record;
        TRY(clary__cl_fault_record(device, &record));
        code = clary__cl.clSetKernelArg(k->kernel, count++, sizeof record, &record);
    }
    for (int i = 0; i < launch->nbuffers && !code; i++) {
        cl_mem *memory = &clary__cl_memory_of(launch->buffers[i])->memory;
        code = clary__cl.clSetKernelArg(k->kernel, count++, sizeof *memory, memory);
    }
    if (!code && launch->params_bytes)
        code = clary__cl.clSetKernelArg(k->kernel, count, launch->params_bytes, launch->params);
    if (code) return clary__cl_fail(code, "%s: arguments of %s", device->info.name, launch->entry);
    code = clary__cl.clEnqueueNDRangeKernel(s->queue, k->kernel, (cl_uint)launch->dims, NULL,
                                            launch->global, launch->local, 0, NULL, NULL);
    if (code)
        return clary__cl_fail(code, "%s: launching %s for %s", device->info.name, launch->entry,
                              launch->what ? launch->what : "?");
    clary__cl_issued(s);
    if (launch->faults) s->suspect = true;
    for (int i = 0; i < launch->nbuffers; i++)
        clary__cl_memory_of(launch->buffers[i])->last_use = s->issued;
    CLARY__COUNT(launches, 1);
    CLARY__COUNT(bytes_kernels, launch->bytes);
    if (clary__log_on("launch"))
        clary__log("launch", "%s for %s: %zu x %zu work-items, %llu bytes", launch->entry,
                   launch->what ? launch->what : "?", launch->global[0], launch->local[0],
                   (unsigned long long)launch->bytes);
    return CLARY_OK;
}

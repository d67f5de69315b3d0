/* fault.c - the device's fault record: what kernels that check indices report.
 *
 * It is made when the first such kernel is launched. Reading it costs a round trip, so that only waits that
 * follow such a kernel do: `suspect` says that one was put on the stream since the record was last read.
 * Faults of work that ran on the host are noted in device->fault.
 */
#include "opencl/opencl.h"

clary_status clary__cl_fault_record(clary_device *device, cl_mem *out) {
    clary__cl_state *s = clary__cl_state_of(device);
    cl_int code = CL_SUCCESS;
    clary__fault nothing = {0};
    if (!s->fault_record)
        s->fault_record = clary__cl.clCreateBuffer(
            s->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof nothing, &nothing, &code);
    *out = s->fault_record;
    if (code) return clary__cl_fail(code, "%s: allocating the fault record", device->info.name);
    return CLARY_OK;
}

clary_status clary__cl_ask_fault(clary_device *device) {
    clary__cl_state *s = clary__cl_state_of(device);
    if (!s->suspect) return CLARY_OK;
    TRY(clary__cl_alive(device));
    cl_int code = clary__cl.clEnqueueReadBuffer(s->queue, s->fault_record, CL_FALSE, 0,
                                                sizeof s->fault, &s->fault, 0, NULL, NULL);
    if (code) return clary__cl_fail(code, "%s: reading the fault record", device->info.name);
    clary__cl_issued(s);
    return CLARY_OK;
}

clary_status clary__cl_judge_fault(clary_device *device) {
    static const clary__fault nothing;
    clary__cl_state *s = clary__cl_state_of(device);
    if (s->suspect && s->fault.raised) {
        cl_int code = clary__cl.clEnqueueWriteBuffer(s->queue, s->fault_record, CL_TRUE, 0,
                                                     sizeof nothing, &nothing, 0, NULL, NULL);
        if (code) return clary__cl_fail(code, "%s: clearing the fault record", device->info.name);
        clary__fault_note(&device->fault, &s->fault);
    }
    s->suspect = false;
    return clary__fault_tell(&device->fault);
}

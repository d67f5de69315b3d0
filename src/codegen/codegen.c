/* codegen.c - from a group to launches: the way in, and the one way out. See codegen.h and spec.h. */
#include "codegen/spec.h"
#include <string.h>

#define MOST_PARAMS 16384 /* bytes: all operands in all dims */

static void add_operand(clary__job *job, int n, const clary__operand *o, const int *dims,
                        int count) {
    job->spec.operands[n] = (clary__spec_operand){.dtype = (uint8_t)o->dtype,
                                                  .access = o->random ? CLARY__RANDOM : CLARY__UNIT,
                                                  .instr = o->instr};
    job->frame.offset[n] = o->offset;
    for (int d = 0; d < count; d++)
        job->frame.strides[n][d] = dims[d] < 0 ? 0 : o->strides[dims[d]];
}

static bool is_far(const clary__job *job, int operand) {
    const int64_t limit = INT64_C(1) << 31;
    int64_t reach =
        job->frame.offset[operand] < 0 ? -job->frame.offset[operand] : job->frame.offset[operand];
    for (int d = 0; d < job->spec.ndim && reach < limit; d++) {
        int64_t stride = job->frame.strides[operand][d], step = stride < 0 ? -stride : stride;
        if (step >= limit) return true;
        reach += step * (job->frame.shape[d] - 1);
    }
    return reach >= limit;
}

/* Kernels count a little past the last point, hence the margin. */
static bool needs_wide(const clary__job *job) {
    if (job->frame.size >= (INT64_C(1) << 31) - (INT64_C(1) << 20)) return true;
    for (int i = 0; i < job->spec.ninputs + job->spec.noutputs; i++)
        if (is_far(job, i)) return true;
    return job->group->pattern == CLARY__PRODUCT &&
           clary__product_is_far(&job->group->product, job->group->shape);
}

/* Dims of extent 1 say nothing, but kernels want at least one dim of each sort they walk along. */
static int useful_dims(const clary__group *g, int from, int to, int64_t *shape, int *dims) {
    int n = 0;
    for (int d = from; d < to; d++) {
        if (g->shape[d] == 1 && g->pattern != CLARY__PRODUCT) continue;
        shape[n] = g->shape[d];
        dims[n++] = d;
    }
    return n;
}

static clary_status begin(clary__job *job) {
    const clary__group *g = job->group;
    const clary_device_info *info = &job->device->info;
    clary__spec *s = &job->spec;
    clary__frame *f = &job->frame;
    int dims[CLARY_MAX_NDIM + 1];
    memset(s, 0, offsetof(clary__spec, instr));
    int nkeep = g->pattern == CLARY__PRODUCT ? g->ndim : g->nkeep;
    int kept = useful_dims(g, 0, nkeep, f->shape, dims);
    int inner = useful_dims(g, nkeep, g->ndim, f->shape + kept, dims + kept);
    if (g->pattern != CLARY__PRODUCT && (g->pattern == CLARY__MAP ? kept == 0 : inner == 0)) {
        f->shape[kept] = 1;
        dims[kept] = -1;
        g->pattern == CLARY__MAP ? kept++ : inner++;
    }
    s->cpu = info->type && !strcmp(info->type, "cpu");
    s->fp64 = info->fp64;
    s->in_place = g->in_place;
    s->nkeep = (uint8_t)kept;
    s->ndim = (uint8_t)(kept + inner);
    s->ninputs = (uint8_t)g->ninputs;
    s->noutputs = (uint8_t)g->noutputs;
    s->nindices = (uint8_t)g->nindices;
    s->nscalars = (uint8_t)g->nscalars;
    s->ninstr = (uint16_t)g->ninstr;
    s->split = (uint16_t)g->split;
    s->pack = s->unroll = 1;
    if (g->pattern != CLARY__MAP) {
        s->reduce_op = (uint16_t)g->reduce_op;
        s->reduce_arg = (uint16_t)g->reduce_arg;
        s->reduce_dtype = (uint8_t)g->reduce_dtype;
    }
    memcpy(s->instr, g->instr, (size_t)g->ninstr * sizeof *g->instr);
    int n = 0;
    for (int i = 0; i < g->ninputs; i++) add_operand(job, n++, &g->inputs[i], dims, s->ndim);
    for (int i = 0; i < g->noutputs; i++) add_operand(job, n++, &g->outputs[i], dims, s->ndim);
    for (int i = 0; i < g->nindices; i++) add_operand(job, n++, &g->indices[i], dims, s->ndim);
    memcpy(f->scalars, g->scalars, (size_t)g->nscalars * sizeof *g->scalars);
    f->kept = f->length = f->parts = 1;
    for (int d = 0; d < s->ndim; d++) *(d < kept ? &f->kept : &f->length) *= f->shape[d];
    f->size = f->kept * f->length;
    s->wide = needs_wide(job);
    for (int i = 0; i < g->ninstr; i++) s->faults |= g->instr[i].code == CLARY__I_CHECK;
    for (int i = 0; i < g->ninstr && !info->fp64; i++)
        FAIL_IF(g->instr[i].dtype == CLARY_FLOAT64 || g->instr[i].dtype == CLARY_COMPLEX128,
                CLARY_UNSUPPORTED, "%s: device %s has no %s", g->what, info->name,
                clary_dtype_name((clary_dtype)g->instr[i].dtype));
    return CLARY_OK;
}

clary_status clary__codegen_run(clary_device *device, const clary__group *group,
                                clary__launch_fn *launch) {
    clary__job job;
    job.device = device;
    job.group = group;
    job.launch = launch;
    TRY(begin(&job));
    switch (group->pattern) {
    case CLARY__MAP: return clary__launch_map(&job);
    case CLARY__REDUCE: return clary__launch_reduce(&job);
    case CLARY__SCAN: return clary__launch_scan(&job);
    case CLARY__PRODUCT: return clary__launch_product(&job);
    }
    return clary__fail(CLARY_INTERNAL, "%s: unknown pattern %d", group->what, (int)group->pattern);
}

static clary_status write_source(const void *context, clary__text *out) {
    const clary__spec *s = context;
    switch ((clary__kernel)s->kernel) {
    case CLARY__K_MAP: clary__source_map(s, out); break;
    case CLARY__K_REDUCE: clary__source_reduce(s, out); break;
    case CLARY__K_SCAN_STREAM:
    case CLARY__K_SCAN_TOTALS:
    case CLARY__K_SCAN_TILES: clary__source_scan(s, out); break;
    case CLARY__K_PRODUCT: clary__source_product(s, out); break;
    }
    FAIL_IF(out->failed, CLARY_OUT_OF_MEMORY, "no memory for the source of a kernel");
    return CLARY_OK;
}

int64_t clary__cpu_groups(const clary__job *job, int64_t units) {
    enum { SMALLEST_SHARE = 16384 }; /* points */
    int64_t most = 4 * (int64_t)(job->device->info.units ? job->device->info.units : 1);
    int64_t groups = (job->frame.size + SMALLEST_SHARE - 1) / SMALLEST_SHARE;
    if (groups > most) groups = most;
    return groups < units ? groups : units;
}

/* Parameters that are too many to pass by value go to memory of their own. */
static clary_status upload_params(clary__job *job, const void *params, size_t bytes,
                                  clary__buffer **out) {
    TRY(clary__buffer_new(job->device, bytes, out));
    clary_status status = job->device->backend->upload(job->device, *out, 0, params, bytes);
    if (status != CLARY_OK) clary__buffer_release(*out);
    return status;
}

clary_status clary__enqueue(clary__job *job, int nextra, clary__buffer *const *extra,
                            int64_t groups, uint64_t bytes) {
    const clary__group *g = job->group;
    clary__spec *s = &job->spec;
    unsigned char params[MOST_PARAMS];
    char entry[64];
    clary__buffer *indirect = NULL;
    clary__launch l;
    l.nbuffers = 0;
    l.faults = s->faults;
    for (int i = 0; i < nextra; i++) l.buffers[l.nbuffers++] = extra[i];
    for (int i = 0; i < s->ninputs; i++) l.buffers[l.nbuffers++] = g->inputs[i].buffer;
    for (int i = 0; i < s->noutputs; i++) l.buffers[l.nbuffers++] = g->outputs[i].buffer;
    l.params = params;
    l.params_bytes = clary__params_bytes(s, &job->frame, params);
    s->indirect = l.params_bytes + 8 * ((size_t)l.nbuffers + s->faults) > CLARY__MAX_PARAM_BYTES;
    if (s->indirect) {
        TRY(upload_params(job, params, l.params_bytes, &indirect));
        l.buffers[l.nbuffers++] = indirect;
        l.params_bytes = 0;
    }
    clary__kernel_name(s, entry);
    l.key = s;
    l.key_bytes = offsetof(clary__spec, instr) + s->ninstr * sizeof *s->instr;
    l.source = write_source;
    l.context = s;
    l.entry = entry;
    l.dims = 1;
    l.local[0] = s->cpu ? 1 : CLARY__GROUP_SIZE;
    l.global[0] = (size_t)groups * l.local[0];
    l.global[1] = l.global[2] = l.local[1] = l.local[2] = 1;
    l.bytes = bytes;
    l.what = g->what;
    clary_status status = job->launch(job->device, &l);
    if (indirect) clary__buffer_release(indirect);
    return status;
}

/* evaluate.c - giving values their buffers.
 *
 * clary__compute plans and runs the one group that ends in a value; what that group cannot take in
 * is computed on the way (plan.c calls back). Groups are enqueued, not waited for. A value that
 * fails to compute stays as it was, so the next attempt starts clean.
 *
 * Note [Updates in place]. UPDATE(old, region, source) writes into old's own buffer when nobody
 * else needs old: every reference to it comes from the update itself or from the source's subgraph
 * that dies with it. If the source reads that buffer elsewhere than at the very point it writes,
 * the source is computed into a temporary first; so an overlapping assignment behaves as if its
 * right side had been copied. Memory that others see is always updated in place (array/share.h).
 */
#include "graph/group.h"
#include "graph/plan.h"
#include <string.h>

static clary__plan *spare_plan; /* under the engine lock: plans are large and short-lived */

static clary_status take_plan(clary__plan **out) {
    *out = spare_plan ? spare_plan : clary__malloc(sizeof **out);
    spare_plan = NULL;
    if (*out) {
        (*out)->group.ninputs = 0;
        (*out)->group.product.x.buffer = (*out)->group.product.y.buffer = NULL;
        (*out)->core = NULL;
    }
    return *out ? CLARY_OK : clary__fail(CLARY_OUT_OF_MEMORY, "no host memory for a plan");
}

static void give_plan(clary__plan *p) {
    clary__plan_end(p);
    if (spare_plan)
        clary__dealloc(p);
    else
        spare_plan = p;
}

static size_t bytes_of(const clary__value *v) {
    return (size_t)v->size * clary_dtype_size((clary_dtype)v->dtype);
}

/* v is computed: it owns the buffer and lets its inputs go. */
static void finish(clary__value *v, clary__buffer *buffer) {
    v->buffer = buffer;
    int n = v->nin;
    v->nin = 0;
    for (int i = 0; i < n; i++) {
        clary__value_release(v->in[i]);
        v->in[i] = NULL;
    }
}

/* What to compute first when the subgraph below v does not fit one group; NULL: nothing is left. */
static clary__value *heaviest_input(const clary__value *v) {
    clary__value *heaviest = NULL;
    for (int i = 0; i < v->nin; i++)
        if (!v->in[i]->buffer && v->in[i]->kind != CLARY__V_SCALAR &&
            (!heaviest || v->in[i]->pending > heaviest->pending))
            heaviest = v->in[i];
    return heaviest;
}

/* Computes roots of one size in one group. *fits: false if they do not fit, nothing done. */
static clary_status run_roots(clary__plan *p, clary__value *const *roots, int count, bool *fits) {
    uint16_t instrs[CLARY__MAX_OUTPUTS];
    clary__value *stored[CLARY__MAX_OUTPUTS];
    clary__buffer *buffers[CLARY__MAX_OUTPUTS] = {0};
    clary_status status = clary__plan_roots(p, roots, count, instrs);
    *fits = !p->full;
    if (status != CLARY_OK || p->full) return status;
    memcpy(stored, roots, (size_t)count * sizeof *roots);
    if (p->core && p->core != roots[0] && !p->core->buffer && atomic_load(&p->core->refs) > 2) {
        /* Not only the node above and the plan hold the reduction: keep it, it is expensive and small. */
        stored[count] = p->core;
        instrs[count++] = (uint16_t)p->group.split;
    }
    clary_device *device = roots[0]->device;
    for (int i = 0; i < count; i++) {
        TRY_GOTO(fail, clary__buffer_new(device, bytes_of(stored[i]), &buffers[i]));
        clary__plan_output(p, buffers[i], (clary_dtype)stored[i]->dtype, instrs[i], NULL);
    }
    clary__plan_finish(p);
    TRY_GOTO(fail, device->backend->run(device, &p->group));
    /* The core's node must outlive the release of its consumers. */
    for (int i = 0; i < count; i++) clary__value_retain(stored[i]);
    for (int i = 0; i < count; i++) finish(stored[i], buffers[i]);
    for (int i = 0; i < count; i++) clary__value_release(stored[i]);
    return CLARY_OK;
fail:
    for (int i = 0; i < count; i++)
        if (buffers[i]) clary__buffer_release(buffers[i]);
    return status;
}

static clary_status compute_group(clary__value *const *roots, int count) {
    for (;;) {
        clary__plan *p;
        bool fits = false;
        TRY(take_plan(&p));
        clary_status status = run_roots(p, roots, count, &fits);
        give_plan(p);
        if (status != CLARY_OK || fits) return status;
        if (count > 1) {
            for (int i = 0; i < count; i++) TRY(clary__compute(roots[i]));
            return CLARY_OK;
        }
        clary__value *first = heaviest_input(roots[0]);
        FAIL_IF(!first, CLARY_INTERNAL, "a single operation does not fit a kernel");
        TRY(clary__compute(first));
    }
}

/* A view that is its input's elements in order shares the buffer. */
static clary_status compute_view(clary__value *v) {
    clary__value *in = v->in[0];
    const int64_t *strides = v->geometry + v->ndim;
    if (v->size != in->size || v->offset != 0 || in->shared ||
        !clary__is_contiguous(v->ndim, clary__shape(v), strides))
        return compute_group(&v, 1);
    TRY(clary__compute(in));
    finish(v, clary__buffer_retain(in->buffer));
    return CLARY_OK;
}

/* References to `old` from the part of v's subgraph that only v keeps alive. */
static int exclusive_references(const clary__value *v, const clary__value *old) {
    int n = 0;
    if (v->buffer) return 0;
    for (int i = 0; i < v->nin; i++) {
        if (v->in[i] == old)
            n++;
        else if (atomic_load(&v->in[i]->refs) == 1) /* one edge leads there: no node is met twice */
            n += exclusive_references(v->in[i], old);
    }
    return n;
}

/* Whether the group reads `buffer` at other points than it writes. */
static bool reads_elsewhere(const clary__plan *p, const clary__buffer *buffer,
                            const clary__layout *region) {
    for (int i = 0; i < p->group.ninputs; i++) {
        const clary__operand *o = &p->group.inputs[i];
        if (o->buffer != buffer) continue;
        if (o->random) return true;
        if (o->offset != region->offset) return true;
        for (int d = 0; d < region->ndim; d++)
            if (o->strides[d] != region->strides[d] && region->shape[d] != 1) return true;
    }
    return false;
}

/* Whether the update may write into its old value's buffer. */
static bool owns_old(const clary__value *v) {
    const clary__value *old = v->in[0], *source = v->in[1];
    if (old->shared) return true; /* who shares the memory is to see the update */
    int needed = source == old ? 2 : 1;
    if (source != old && atomic_load(&source->refs) == 1)
        needed += exclusive_references(source, old);
    return atomic_load(&old->refs) == needed && atomic_load(&old->buffer->refs) == 1;
}

static clary_status copy_of_old(const clary__value *v, clary__buffer **out) {
    TRY(clary__buffer_new(v->device, bytes_of(v), out));
    clary_status status = v->device->backend->copy(v->device, v->in[0]->buffer, *out, bytes_of(v));
    if (status != CLARY_OK) {
        clary__buffer_release(*out);
        *out = NULL;
    }
    return status;
}

/* Plans the write until it fits and is free of hazards; may replace *target by a copy. */
static clary_status write_region(clary__plan *p, clary__value *v, const clary__layout *region,
                                 clary__buffer **target) {
    uint16_t instr;
    for (;;) {
        TRY(clary__plan_source(p, v->in[1], region->ndim, region->shape, &instr));
        if (!p->full && !reads_elsewhere(p, *target, region)) break;
        if (v->in[1]->buffer) { /* the source is the old value itself */
            clary__buffer_release(*target);
            *target = NULL;
            TRY(copy_of_old(v, target));
        } else {
            TRY(clary__compute(v->in[1]));
        }
    }
    clary__plan_output(p, *target, (clary_dtype)v->dtype, instr, region);
    clary__plan_finish(p);
    return v->device->backend->run(v->device, &p->group);
}

static clary_status compute_update(clary__value *v) {
    clary__value *old = v->in[0], *source = v->in[1];
    clary__layout region;
    clary__buffer *target = NULL;
    clary__plan *p;
    clary_status status;
    clary__value_layout(v, &region);
    TRY(clary__compute(old));
    /* A source that others hold would keep old alive while it waits: compute it now. */
    if (!source->buffer && source->kind != CLARY__V_SCALAR && atomic_load(&source->refs) > 1)
        TRY(clary__compute(source));
    if (owns_old(v))
        target = clary__buffer_retain(old->buffer);
    else
        TRY(copy_of_old(v, &target));
    if (clary__size_of(region.ndim, region.shape) > 0) {
        TRY_GOTO(fail, take_plan(&p));
        status = write_region(p, v, &region, &target);
        give_plan(p);
        if (status != CLARY_OK) goto fail;
    }
    finish(v, target);
    return CLARY_OK;
fail:
    if (target) clary__buffer_release(target);
    return status;
}

/* What SCATTER may write into: old's own buffer, or a copy. Everything else is computed by now. */
static clary_status scatter_target(const clary__value *v, clary__buffer **out) {
    const clary__value *old = v->in[0];
    if (!old->shared && (atomic_load(&old->refs) > 1 || atomic_load(&old->buffer->refs) > 1))
        return copy_of_old(v, out);
    *out = clary__buffer_retain(old->buffer);
    return CLARY_OK;
}

static clary_status compute_scatter(clary__value *v) {
    clary__value *positions = v->in[1], *source = v->in[2];
    clary__buffer *target;
    for (int i = 0; i < 3; i++) TRY(clary__compute(v->in[i]));
    TRY(scatter_target(v, &target));
    clary__scatter job = {.op = v->op,
                          .dtype = (clary_dtype)v->dtype,
                          .compute = (clary_dtype)source->dtype,
                          .distinct = v->mask,
                          .single = source->size == 1,
                          .count = positions->size,
                          .target_size = v->size,
                          .target = target,
                          .positions = positions->buffer,
                          .source = source->buffer,
                          .what = "assign"};
    clary_status status = job.count > 0 ? v->device->backend->scatter(v->device, &job) : CLARY_OK;
    if (status != CLARY_OK) {
        clary__buffer_release(target);
        return status;
    }
    finish(v, target);
    return CLARY_OK;
}

static clary_status compute_sort(clary__value *v) {
    clary__value *keys = v->in[0];
    clary__buffer *result;
    TRY(clary__compute(keys));
    TRY(clary__buffer_new(v->device, bytes_of(v), &result));
    int64_t length = clary__shape(v)[v->ndim - 1];
    clary__sort job = {.dtype = (clary_dtype)keys->dtype,
                       .descending = v->mask,
                       .rows = v->size / length,
                       .length = length,
                       .keys = keys->buffer,
                       .values = v->op ? NULL : result,
                       .order = v->op ? result : NULL,
                       .what = v->op ? "argsort" : "sort"};
    clary_status status = v->device->backend->sort(v->device, &job);
    if (status != CLARY_OK) {
        clary__buffer_release(result);
        return status;
    }
    finish(v, result);
    return CLARY_OK;
}

static clary_status compute_fft(clary__value *v) {
    static const char *const names[] = {"fft", "ifft", "rfft", "irfft"};
    clary__value *input = v->in[0];
    clary__buffer *result;
    TRY(clary__compute(input));
    TRY(clary__buffer_new(v->device, bytes_of(v), &result));
    clary__fft job = {.kind = v->op,
                      .real = v->dtype == CLARY_FLOAT32 || v->dtype == CLARY_COMPLEX64
                                  ? CLARY_FLOAT32
                                  : CLARY_FLOAT64,
                      .normalize = v->mask,
                      .outer = clary__shape(v)[0],
                      .inner = clary__shape(v)[2],
                      .in = input->buffer,
                      .out = result,
                      .what = names[v->op]};
    memcpy(&job.length, v->scalar, sizeof job.length);
    clary_status status = v->device->backend->fft(v->device, &job);
    if (status != CLARY_OK) {
        clary__buffer_release(result);
        return status;
    }
    finish(v, result);
    return CLARY_OK;
}

clary_status clary__compute(clary__value *v) {
    if (v->buffer) return CLARY_OK;
    if (v->size == 0 || v->kind == CLARY__EMPTY) {
        clary__buffer *buffer;
        TRY(clary__buffer_new(v->device, bytes_of(v), &buffer));
        finish(v, buffer);
        return CLARY_OK;
    }
    switch ((clary__kind)v->kind) {
    case CLARY__UPDATE: return compute_update(v);
    case CLARY__V_SCATTER: return compute_scatter(v);
    case CLARY__V_SORT: return compute_sort(v);
    case CLARY__V_FFT: return compute_fft(v);
    case CLARY__VIEW: return compute_view(v);
    default: return compute_group(&v, 1);
    }
}

/* Whether v may share a group with `first`: element-wise to the end, no reduction. */
static bool joins(clary__value *v, const clary__value *first) {
    return !v->buffer && v->size == first->size && v->device == first->device && v->size > 0 &&
           (v->kind == CLARY__V_OP || v->kind == CLARY__V_CAST) && !clary__plan_core(v);
}

clary_status clary__evaluate(clary__value *const *values, int count) {
    clary_status status = CLARY_OK;
    clary__lock();
    for (int i = 0; i < count && status == CLARY_OK; i++) {
        clary__value *roots[CLARY__MAX_OUTPUTS] = {values[i]};
        int n = 1;
        if (joins(values[i], values[i]))
            for (int j = i + 1; j < count && n < CLARY__MAX_OUTPUTS; j++) {
                bool seen = false;
                for (int k = 0; k < n; k++) seen = seen || roots[k] == values[j];
                if (!seen && joins(values[j], values[i])) roots[n++] = values[j];
            }
        status = n > 1 ? compute_group(roots, n) : clary__compute(roots[0]);
    }
    clary__unlock();
    return status;
}

/* value.c - making and freeing the nodes of the graph. See value.h.
 *
 * Recording must be cheap: one allocation per node, shape and attributes in the node itself.
 * Whatever reads or changes `buffer` and `in` does so under the engine lock, because another thread
 * may be computing the same nodes.
 */
#include "graph/value.h"
#include "graph/group.h"
#include <string.h>

static clary_status new_value(clary__kind kind, clary_device *device, clary_dtype dtype, int ndim,
                              const int64_t *shape, int extra, clary__value **out) {
    clary__value *v = clary__malloc(sizeof *v + (size_t)(ndim + extra) * sizeof(int64_t));
    *out = v;
    if (!v) return clary__fail(CLARY_OUT_OF_MEMORY, "no host memory for a graph node");
    memset(v, 0, sizeof *v);
    atomic_init(&v->refs, 1);
    v->kind = (uint8_t)kind;
    v->dtype = (uint8_t)dtype;
    v->ndim = (uint8_t)ndim;
    v->leaves = 1;
    v->pending = 1;
    v->device = clary__device_retain(device);
    v->size = 1;
    for (int d = 0; d < ndim; d++) {
        v->geometry[d] = shape[d];
        v->size *= shape[d];
    }
    CLARY__COUNT(live_values, 1);
    return CLARY_OK;
}

clary__value *clary__value_retain(clary__value *v) {
    atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
    return v;
}

/* Long chains must not recurse: the dead wait on a list of their own. */
void clary__value_release(clary__value *v) {
    if (!v || atomic_fetch_sub_explicit(&v->refs, 1, memory_order_acq_rel) != 1) return;
    clary__lock();
    v->next_dead = NULL;
    while (v) {
        clary__value *next = v->next_dead;
        for (int i = 0; i < v->nin; i++) {
            clary__value *in = v->in[i];
            if (atomic_fetch_sub_explicit(&in->refs, 1, memory_order_acq_rel) == 1) {
                in->next_dead = next;
                next = in;
            }
        }
        if (v->buffer) clary__buffer_release(v->buffer);
        clary_device *device = v->device;
        clary__dealloc(v);
        CLARY__COUNT(live_values, -1);
        clary_device_release(&device);
        v = next;
    }
    clary__unlock();
}

/* Keeps what is recorded below one node bounded. */
static clary_status bound(clary__value *const *inputs, int count) {
    for (;;) {
        uint32_t pending = 1, leaves = 0;
        clary__value *heaviest = NULL;
        for (int i = 0; i < count; i++) {
            clary__value *in = inputs[i];
            if (in->buffer) {
                leaves++;
                continue;
            }
            if (clary__repeats(inputs, i)) continue;
            pending += in->pending;
            leaves += in->leaves;
            if (in->pending > 1 && (!heaviest || in->leaves * 4 + in->pending >
                                                     heaviest->leaves * 4 + heaviest->pending))
                heaviest = in;
        }
        if ((pending <= CLARY__MAX_PENDING && leaves <= CLARY__MAX_LEAVES) || !heaviest)
            return CLARY_OK;
        TRY(clary__evaluate(&heaviest, 1));
    }
}

static void adopt(clary__value *v, clary__value *const *inputs, int count) {
    uint32_t pending = 1, leaves = 0;
    v->nin = (uint8_t)count;
    for (int i = 0; i < count; i++) {
        clary__value *in = v->in[i] = clary__value_retain(inputs[i]);
        if (clary__repeats(inputs, i)) continue;
        pending += in->buffer ? 0 : in->pending;
        leaves += in->buffer ? 1 : in->leaves;
    }
    v->pending = pending;
    v->leaves = (uint16_t)leaves;
}

/* A node on inputs. */
static clary_status derive(clary__kind kind, clary_dtype dtype, int ndim, const int64_t *shape,
                           int extra, clary__value *const *inputs, int count, clary__value **out) {
    *out = NULL;
    clary__lock();
    clary_status status = bound(inputs, count);
    if (status == CLARY_OK)
        status = new_value(kind, inputs[0]->device, dtype, ndim, shape, extra, out);
    if (status == CLARY_OK) adopt(*out, inputs, count);
    clary__unlock();
    return status;
}

clary_status clary__value_leaf(clary_device *device, clary_dtype dtype, int ndim,
                               const int64_t *shape, clary__buffer *buffer, clary__value **out) {
    TRY(new_value(CLARY__LEAF, device, dtype, ndim, shape, 0, out));
    (*out)->buffer = clary__buffer_retain(buffer);
    return CLARY_OK;
}

clary_status clary__value_empty(clary_device *device, clary_dtype dtype, int ndim,
                                const int64_t *shape, clary__value **out) {
    return new_value(CLARY__EMPTY, device, dtype, ndim, shape, 0, out);
}

clary_status clary__value_scalar(clary_device *device, clary_dtype dtype, int ndim,
                                 const int64_t *shape, const void *element, clary__value **out) {
    TRY(new_value(CLARY__V_SCALAR, device, dtype, ndim, shape, 0, out));
    memcpy((*out)->scalar, element, clary_dtype_size(dtype));
    (*out)->leaves = 0;
    return CLARY_OK;
}

clary_status clary__value_index(clary_device *device, int64_t size, clary__value **out) {
    TRY(new_value(CLARY__V_INDEX, device, CLARY_INT64, 1, &size, 0, out));
    (*out)->leaves = 0;
    return CLARY_OK;
}

clary_status clary__value_op(clary_op op, clary_dtype result, int ndim, const int64_t *shape,
                             clary__value *const *inputs, int count, clary__value **out) {
    TRY(derive(CLARY__V_OP, result, ndim, shape, 0, inputs, count, out));
    (*out)->op = (uint16_t)op;
    return CLARY_OK;
}

clary_status clary__value_cast(clary__value *input, clary_dtype dtype, clary__value **out) {
    *out = NULL;
    if (input->dtype == dtype) {
        *out = clary__value_retain(input);
        return CLARY_OK;
    }
    if (input->kind == CLARY__V_SCALAR) {
        unsigned char element[16] = {0};
        clary__scalar_store(clary__scalar_load(input->scalar, (clary_dtype)input->dtype), dtype,
                            element);
        return clary__value_scalar(input->device, dtype, input->ndim, clary__shape(input), element,
                                   out);
    }
    return derive(CLARY__V_CAST, dtype, input->ndim, clary__shape(input), 0, &input, 1, out);
}

static void set_layout(clary__value *v, const clary__layout *l, int at_shape, int at_strides) {
    v->offset = l->offset;
    v->region_ndim = l->ndim;
    for (int d = 0; d < l->ndim; d++) {
        v->geometry[at_shape + d] = l->shape[d];
        v->geometry[at_strides + d] = l->strides[d];
    }
}

void clary__value_layout(const clary__value *v, clary__layout *out) {
    const int64_t *shape = v->kind == CLARY__VIEW ? v->geometry : v->geometry + v->ndim;
    out->ndim = v->region_ndim;
    out->offset = v->offset;
    for (int d = 0; d < out->ndim; d++) {
        out->shape[d] = shape[d];
        out->strides[d] = shape[out->ndim + d];
    }
}

clary_status clary__value_view(clary__value *input, const clary__layout *layout,
                               clary__value **out) {
    *out = NULL;
    if (input->kind == CLARY__V_SCALAR)
        return clary__value_scalar(input->device, (clary_dtype)input->dtype, layout->ndim,
                                   layout->shape, input->scalar, out);
    TRY(derive(CLARY__VIEW, (clary_dtype)input->dtype, layout->ndim, layout->shape, layout->ndim,
               &input, 1, out));
    set_layout(*out, layout, 0, layout->ndim);
    return CLARY_OK;
}

clary_status clary__value_update(clary__value *old, const clary__layout *region,
                                 clary__value *source, clary__value **out) {
    clary__value *inputs[2] = {old, source};
    TRY(derive(CLARY__UPDATE, (clary_dtype)old->dtype, old->ndim, clary__shape(old),
               2 * region->ndim, inputs, 2, out));
    set_layout(*out, region, old->ndim, old->ndim + region->ndim);
    (*out)->leaves = 1;
    return CLARY_OK;
}

clary_status clary__value_reduce(int reduce_op, uint32_t mask, clary__value *input,
                                 clary__value **out) {
    int64_t shape[CLARY_MAX_NDIM];
    int ndim = 0;
    for (int d = 0; d < input->ndim; d++)
        if (!(mask >> d & 1)) shape[ndim++] = input->geometry[d];
    clary_dtype dtype = reduce_op >= CLARY__ARGMAX ? CLARY_INT64 : (clary_dtype)input->dtype;
    TRY(derive(CLARY__V_REDUCE, dtype, ndim, shape, 0, &input, 1, out));
    (*out)->op = (uint16_t)reduce_op;
    (*out)->mask = mask;
    return CLARY_OK;
}

clary_status clary__value_scan(int op, int axis, clary__value *input, clary__value **out) {
    TRY(derive(CLARY__V_SCAN, (clary_dtype)input->dtype, input->ndim, clary__shape(input), 0,
               &input, 1, out));
    (*out)->op = (uint16_t)op;
    (*out)->mask = (uint32_t)axis;
    return CLARY_OK;
}

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

bool clary__stands_alone(const clary__value *v) {
    return v->kind == CLARY__EMPTY || v->kind == CLARY__UPDATE || v->kind == CLARY__V_SCATTER ||
           v->kind == CLARY__V_SORT || v->kind == CLARY__V_FFT;
}

uint32_t clary__next_mark(void) {
    static uint32_t mark;
    return ++mark ? mark : ++mark;
}

typedef struct weight {
    uint32_t pending, leaves;
} weight;

/* Adds what hangs below v; each node once. What a group cannot take in is a load for it. */
static void weigh(clary__value *v, uint32_t mark, weight *w) {
    if (v->mark == mark) return;
    v->mark = mark;
    if (v->buffer) {
        w->leaves++;
        return;
    }
    w->pending++;
    weight inside = {0, 0};
    bool alone = clary__stands_alone(v) || v->kind == CLARY__V_PRODUCT;
    for (int i = 0; i < v->nin; i++) {
        bool random = i == 1 && (v->kind == CLARY__V_GATHER || v->kind == CLARY__V_SEARCH);
        weigh(v->in[i], mark, alone || random ? &inside : w);
        w->leaves += random;
    }
    w->pending += inside.pending;
    w->leaves += alone;
}

/* The weight of a node on these inputs: the sum of theirs, which counts shared nodes twice, or the exact
 * one where that sum is too much. */
static weight weight_on(clary__value *const *inputs, int count) {
    weight sum = {1, 0};
    for (int i = 0; i < count; i++) {
        sum.pending += inputs[i]->buffer ? 0 : inputs[i]->pending;
        sum.leaves += inputs[i]->buffer ? 1 : inputs[i]->leaves;
    }
    if (sum.pending <= CLARY__MAX_PENDING && sum.leaves <= CLARY__MAX_LEAVES) return sum;
    weight exact = {1, 0};
    uint32_t mark = clary__next_mark();
    for (int i = 0; i < count; i++) weigh(inputs[i], mark, &exact);
    return exact;
}

/* Keeps what is recorded below one node bounded: computes the heaviest input while there is too much. */
static clary_status bound(clary__value *const *inputs, int count, weight *w) {
    for (;;) {
        *w = weight_on(inputs, count);
        if (w->pending <= CLARY__MAX_PENDING && w->leaves <= CLARY__MAX_LEAVES) return CLARY_OK;
        clary__value *heaviest = NULL;
        for (int i = 0; i < count; i++)
            if (!inputs[i]->buffer && inputs[i]->pending > 1 &&
                (!heaviest || inputs[i]->pending > heaviest->pending))
                heaviest = inputs[i];
        if (!heaviest) return CLARY_OK;
        TRY(clary__evaluate(&heaviest, 1));
    }
}

/* A node on inputs. */
static clary_status derive(clary__kind kind, clary_dtype dtype, int ndim, const int64_t *shape,
                           int extra, clary__value *const *inputs, int count, clary__value **out) {
    weight w;
    *out = NULL;
    clary__lock();
    clary_status status = bound(inputs, count, &w);
    if (status == CLARY_OK)
        status = new_value(kind, inputs[0]->device, dtype, ndim, shape, extra, out);
    if (status == CLARY_OK) {
        clary__value *v = *out;
        v->nin = (uint8_t)count;
        v->pending = w.pending;
        v->leaves = (uint16_t)w.leaves;
        for (int i = 0; i < count; i++) {
            v->in[i] = clary__value_retain(inputs[i]);
            v->shared = v->shared || inputs[i]->shared;
        }
    }
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

clary_status clary__value_check(clary__value *indices, int64_t extent, int64_t site, int fill,
                                clary__value **out) {
    TRY(derive(CLARY__V_CHECK, CLARY_INT64, indices->ndim, clary__shape(indices), 0, &indices, 1,
               out));
    (*out)->op = fill < 0;
    memcpy((*out)->scalar, &extent, sizeof extent);
    memcpy((*out)->scalar + sizeof extent, &site, sizeof site);
    return CLARY_OK;
}

clary_status clary__value_gather(clary__value *positions, clary__value *data, clary__value **out) {
    clary__value *inputs[2] = {positions, data};
    return derive(CLARY__V_GATHER, (clary_dtype)data->dtype, positions->ndim,
                  clary__shape(positions), 0, inputs, 2, out);
}

clary_status clary__value_search(clary__value *keys, clary__value *sorted, bool right,
                                 clary__value **out) {
    clary__value *inputs[2] = {keys, sorted};
    TRY(derive(CLARY__V_SEARCH, CLARY_INT64, keys->ndim, clary__shape(keys), 0, inputs, 2, out));
    (*out)->op = right;
    return CLARY_OK;
}

clary_status clary__value_scatter(int op, bool distinct, clary__value *old, clary__value *positions,
                                  clary__value *source, clary__value **out) {
    clary__value *inputs[3] = {old, positions, source};
    TRY(derive(CLARY__V_SCATTER, (clary_dtype)old->dtype, old->ndim, clary__shape(old), 0, inputs,
               3, out));
    (*out)->op = (uint16_t)op;
    (*out)->mask = distinct;
    (*out)->leaves = 1;
    return CLARY_OK;
}

static void put_operand(int64_t *place, const clary__layout *l) {
    place[0] = l->offset;
    memcpy(place + 1, l->strides, 4 * sizeof *place);
}

clary_status clary__value_product(clary__value *x, const clary__layout *x_layout, clary__value *y,
                                  const clary__layout *y_layout, clary__value **out) {
    clary__value *inputs[2] = {x, y};
    clary_dtype sum = clary__is_half((clary_dtype)x->dtype) ? CLARY_FLOAT32 : (clary_dtype)x->dtype;
    int64_t shape[4] = {x_layout->shape[0], x_layout->shape[1], x_layout->shape[2],
                        y_layout->shape[3]};
    TRY(derive(CLARY__V_PRODUCT, sum, 4, shape, 11, inputs, 2, out));
    put_operand((*out)->geometry + 4, x_layout);
    put_operand((*out)->geometry + 9, y_layout);
    (*out)->geometry[14] = x_layout->shape[3];
    (*out)->leaves = 1; /* its operands are no loads of the group */
    return CLARY_OK;
}

clary_status clary__value_sort(clary__value *keys, bool descending, bool order,
                               clary__value **out) {
    TRY(derive(CLARY__V_SORT, order ? CLARY_INT64 : (clary_dtype)keys->dtype, keys->ndim,
               clary__shape(keys), 0, &keys, 1, out));
    (*out)->op = order;
    (*out)->mask = descending;
    (*out)->leaves = 1;
    return CLARY_OK;
}

clary_status clary__value_fft(int kind, bool normalize, int64_t outer, int64_t length,
                              int64_t inner, clary__value *input, clary__value **out) {
    const int64_t shape[3] = {outer, kind == CLARY__FFT_REAL ? length / 2 + 1 : length, inner};
    bool single = input->dtype == CLARY_FLOAT32 || input->dtype == CLARY_COMPLEX64;
    clary_dtype real = single ? CLARY_FLOAT32 : CLARY_FLOAT64;
    clary_dtype dtype = kind == CLARY__FFT_HERMITIAN ? real
                        : single                     ? CLARY_COMPLEX64
                                                     : CLARY_COMPLEX128;
    TRY(derive(CLARY__V_FFT, dtype, 3, shape, 0, &input, 1, out));
    (*out)->op = (uint16_t)kind;
    (*out)->mask = normalize;
    (*out)->leaves = 1;
    memcpy((*out)->scalar, &length, sizeof length);
    return CLARY_OK;
}

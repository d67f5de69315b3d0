/* value.h - values: the immutable nodes of the graph.
 *
 * A value is an operation on other values with its dtype and shape, and, once it was computed, a
 * buffer that holds its elements in C order (its inputs are let go then). Elements are numbered in
 * C order, so a reshape needs no node, and an element-wise node takes any input of its own size, or
 * of size 1.
 *
 *   LEAF     has a buffer from birth
 *   EMPTY    has one when somebody asks; content undefined
 *   SCALAR   every element is `scalar`
 *   INDEX    element i is i (int64)
 *   OP       op(in...)
 *   CAST     in[0] in another dtype (group.h, Note [Casts])
 *   VIEW     in[0] seen through a layout
 *   UPDATE   in[0] with in[1] written to a region
 *   REDUCE   in[0] reduced over the axes of a mask; the shape has the kept ones only
 *   SCAN     running reduction of in[0] along one axis
 *   PRODUCT  matrix product of windows on in[0] and in[1] (struct clary__product)
 *   CHECK    in[0], indices of an axis, made non-negative; out of range: a fault (group.h)
 *   GATHER   in[1] at the places in[0]
 *   SEARCH   where in[0] belongs among the ascending in[1]
 *   SCATTER  in[0] with in[2] written to the places in[1], or combined with what is there
 *   SORT     in[0] sorted along its last axis, or the order (int64) that does it
 *   FFT      Fourier transforms of in[0], seen as (outer, terms, inner), along the middle axis
 *
 * CHECK to SORT are what indexing, sorting and searching come down to. CHECK, GATHER and SEARCH are
 * element-wise in in[0] and fuse with what makes the indices and uses the result; in[1] is computed
 * first, and read at random. SCATTER, SORT and FFT are work of their own.
 *
 * Shape, dtype and attributes never change; `buffer`, `in` and `touched` change under the engine
 * lock.
 */
#ifndef CLARY_VALUE_H
#define CLARY_VALUE_H
#include "clary/ops.h"
#include "device/device.h"
#include "graph/layout.h"

typedef enum clary__kind {
    CLARY__LEAF,
    CLARY__EMPTY,
    CLARY__V_SCALAR,
    CLARY__V_INDEX,
    CLARY__V_OP,
    CLARY__V_CAST,
    CLARY__VIEW,
    CLARY__UPDATE,
    CLARY__V_REDUCE,
    CLARY__V_SCAN,
    CLARY__V_CHECK,
    CLARY__V_GATHER,
    CLARY__V_SEARCH,
    CLARY__V_SCATTER,
    CLARY__V_SORT,
    CLARY__V_PRODUCT,
    CLARY__V_FFT
} clary__kind;

/* Bounds on what is recorded below one value; past them the inputs are computed at once. */
#define CLARY__MAX_PENDING 64
#define CLARY__MAX_LEAVES 12

typedef struct clary__value {
    atomic_int refs;
    uint8_t kind, dtype, nin, ndim;
    bool shared;      /* others see the buffer, or it reads such memory: array/share.h */
    uint16_t op;      /* OP: clary_op. REDUCE, SCAN, SCATTER: that of group.h. CHECK: a faulty index
                         gives 0, or -1. SEARCH: 1 behind equal ones. SORT: 1 for the order. FFT: the kind. */
    uint16_t leaves;  /* operands a group rooted here loads, at most */
    uint32_t pending; /* nodes not computed below, this one included, at most */
    uint32_t mask;    /* REDUCE: axes reduced. SCAN: the axis. SCATTER: 1 if distinct (group.h).
                         SORT: 1 if descending. FFT: 1 to normalize. */
    uint32_t touched; /* serial of the last group that computed it without storing it */
    uint32_t mark;    /* of the last walk that came by */
    clary_device *device;
    int64_t size;
    clary__buffer *buffer;
    struct clary__value *in[3], *next_dead;
    int64_t offset;           /* VIEW, UPDATE */
    unsigned char scalar[16]; /* SCALAR: one element. CHECK: extent, site (int64). FFT: length */
    int region_ndim;          /* VIEW: ndim. UPDATE: dims of the region. */
    int64_t geometry[];       /* shape[ndim]; then VIEW: strides[ndim]; UPDATE: region shape, region
                                 strides; PRODUCT: offset and strides of both operands, inner */
} clary__value;

static inline const int64_t *clary__shape(const clary__value *v) {
    return v->geometry;
}
/* Work of its own: what consumes it loads its buffer. */
bool clary__stands_alone(const clary__value *v);
/* A fresh number for `mark`, so that a walk meets each node of a shared subgraph once. Under the lock. */
uint32_t clary__next_mark(void);

/* The layout of a VIEW (of its input) or of an UPDATE's region. */
void clary__value_layout(const clary__value *v, clary__layout *out);

/* Constructors. Inputs are borrowed (the node keeps its own references); *out is a new reference.
 * They compute inputs at once (asynchronously) when too much would be pending. Shapes, dtypes and
 * axes are the caller's to check. */
clary_status clary__value_leaf(clary_device *device, clary_dtype dtype, int ndim,
                               const int64_t *shape, clary__buffer *buffer, clary__value **out);
clary_status clary__value_empty(clary_device *device, clary_dtype dtype, int ndim,
                                const int64_t *shape, clary__value **out);
/* element: one element of dtype. */
clary_status clary__value_scalar(clary_device *device, clary_dtype dtype, int ndim,
                                 const int64_t *shape, const void *element, clary__value **out);
clary_status clary__value_index(clary_device *device, int64_t size, clary__value **out);
clary_status clary__value_op(clary_op op, clary_dtype result, int ndim, const int64_t *shape,
                             clary__value *const *inputs, int count, clary__value **out);
/* Returns the input itself when the dtype is the same; folds scalars. */
clary_status clary__value_cast(clary__value *input, clary_dtype dtype, clary__value **out);
clary_status clary__value_view(clary__value *input, const clary__layout *layout,
                               clary__value **out);
clary_status clary__value_update(clary__value *old, const clary__layout *region,
                                 clary__value *source, clary__value **out);
clary_status clary__value_reduce(int reduce_op, uint32_t mask, clary__value *input,
                                 clary__value **out);
clary_status clary__value_scan(int op, int axis, clary__value *input, clary__value **out);
/* indices: int64. fill: what a faulty one becomes, 0 or -1. extent > 0. */
clary_status clary__value_check(clary__value *indices, int64_t extent, int64_t site, int fill,
                                clary__value **out);
/* Elements of data (in C order) at positions (int64, in range), in the shape of positions. */
clary_status clary__value_gather(clary__value *positions, clary__value *data, clary__value **out);
/* keys and sorted have one dtype. */
clary_status clary__value_search(clary__value *keys, clary__value *sorted, bool right,
                                 clary__value **out);
/* positions: int64, negative ones are skipped. source: their size, or one element. See struct
 * clary__scatter for op and distinct. */
clary_status clary__value_scatter(int op, bool distinct, clary__value *old, clary__value *positions,
                                  clary__value *source, clary__value **out);
/* shape: {outer batch, inner batch, rows, columns}. x, y: windows on the elements of two values of one
 * dtype, with 4 dims as those of struct clary__product; inner is x's last extent. No extent is 0. */
clary_status clary__value_product(clary__value *x, const clary__layout *x_layout, clary__value *y,
                                  const clary__layout *y_layout, clary__value **out);
/* keys has at least one dim. */
clary_status clary__value_sort(clary__value *keys, bool descending, bool order, clary__value **out);
/* The transforms of group.h's struct clary__fft; the result has shape (outer, terms of the result, inner).
 * input has outer * terms * inner elements of the dtype that the kind asks for. */
clary_status clary__value_fft(int kind, bool normalize, int64_t outer, int64_t length,
                              int64_t inner, clary__value *input, clary__value **out);

clary__value *clary__value_retain(clary__value *v);
void clary__value_release(clary__value *v); /* takes NULL */

/* evaluate.c: computes values together: after CLARY_OK each has a buffer, filled in stream order.
 */
clary_status clary__evaluate(clary__value *const *values, int count);

#endif

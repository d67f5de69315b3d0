/* index.c - a[items] read, written and accumulated with arrays among the items.
 *
 * Items are sorted out as NumPy does: slices, new axes and the ellipsis make a view; integers join the
 * arrays when there are any; a boolean array stands for one integer array per axis it covers (or for a
 * single one, where those axes lie evenly in memory). What is left is a view, the axes of it that arrays
 * index, and the place where the arrays' broadcast shape goes; position.c does the rest.
 */
#include "clary/index.h"
#include "graph/group.h"
#include "op/position.h"
#include <string.h>

typedef struct plan {
    clary__expression e;
    const char *what;
    clary_array *view; /* after the basic items; indexed axes are whole */
    int count;
    clary__indexed axes[CLARY_MAX_NDIM];
    int at[CLARY_MAX_NDIM];  /* axis of the view that axes[i] takes the place of */
    int first;               /* of them, if they stand side by side; else 0 */
    bool distinct;           /* no place is named twice */
    clary__layout positions; /* the result's shape; strides of the axes no array indexes */
} plan;

static bool is_mask(const clary_index *item) {
    return item->kind == CLARY_INDEX_ARRAY && item->array->dtype == CLARY_BOOL;
}

static int dims_of(const clary_index *item) {
    if (item->kind == CLARY_INDEX_NEWAXIS || item->kind == CLARY_INDEX_ELLIPSIS) return 0;
    return is_mask(item) ? item->array->ndim : 1;
}

static clary_status add_axis(plan *p, clary_array *index, int64_t extent, int64_t stride, int axis,
                             bool known, int at) {
    FAIL_IF(p->count == CLARY_MAX_NDIM, CLARY_INVALID_ARGUMENT, "%s: too many index arrays",
            p->what);
    p->axes[p->count] = (clary__indexed){index, extent, stride, axis, known};
    p->at[p->count++] = at;
    return CLARY_OK;
}

/* A mask over dims [d, d + n) of a, which are dims [at, at + n) of the view. As in NumPy, extents of 0
   fit any: such a mask picks nothing. */
static clary_status add_mask(plan *p, clary_array *a, clary_array *mask, int d, int at) {
    clary__expression *e = &p->e;
    const int64_t *shape = a->geometry + d, *strides = clary__array_strides(a) + d;
    int n = mask->ndim;
    int64_t merged = 0;
    for (int k = 0; k < n; k++)
        FAIL_IF(mask->geometry[k] != shape[k] && mask->geometry[k] != 0, CLARY_INDEX_OUT_OF_RANGE,
                "%s: boolean index does not match the array along axis %d: its size is %lld, that "
                "of the index %lld",
                p->what, d + k, (long long)shape[k], (long long)mask->geometry[k]);
    clary_array *flat = CLARY__MAKE(e, clary_flatnonzero(mask, made));
    if (!flat) return e->status;
    if (n == 0) return add_axis(p, flat, 1, 0, -1, true, at);
    if (mask->size == 0 || clary__reshape_strides(n, shape, strides, 1, &mask->size, &merged)) {
        TRY(add_axis(p, flat, mask->size, merged, d, true, at));
        for (int k = 1; k < n; k++) TRY(add_axis(p, NULL, 1, 0, d + k, true, at + k));
        return CLARY_OK;
    }
    int64_t block = mask->size;
    for (int k = 0; k < n; k++) {
        block /= shape[k];
        clary_array *index =
            clary__op2(e, CLARY_OP_floor_divide, flat, clary__integer(e, a, block));
        index = clary__op2(e, CLARY_OP_remainder, index, clary__integer(e, a, shape[k]));
        if (!index) return e->status;
        TRY(add_axis(p, index, shape[k], strides[k], d + k, true, at + k));
    }
    return CLARY_OK;
}

/* Walks the items: makes the view, and finds the indexed axes and whether they stand side by side. */
static clary_status sort_out(plan *p, clary_array *a, int count, const clary_index *items) {
    clary_index basic[3 * CLARY_MAX_NDIM + 2];
    const clary_index whole = {.kind = CLARY_INDEX_SLICE, .step = 1};
    int used = 0, ellipsis = 0, n = 0, d = 0, at = 0, runs = 0;
    bool joined = false;
    for (int i = 0; i < count; i++) {
        used += dims_of(&items[i]);
        ellipsis += items[i].kind == CLARY_INDEX_ELLIPSIS;
    }
    FAIL_IF(ellipsis > 1, CLARY_INVALID_ARGUMENT, "%s: more than one ellipsis", p->what);
    FAIL_IF(used > a->ndim, CLARY_INDEX_OUT_OF_RANGE,
            "%s: too many indices: %d for an array of dimension %d", p->what, used, a->ndim);
    FAIL_IF(count > 2 * CLARY_MAX_NDIM, CLARY_INVALID_ARGUMENT, "%s: too many indices", p->what);
    for (int i = 0; i < count; i++) {
        const clary_index *item = &items[i];
        bool fancy = item->kind == CLARY_INDEX_ARRAY || item->kind == CLARY_INDEX_INTEGER;
        if (fancy && !joined) {
            runs++;
            p->first = at;
        }
        joined = fancy;
        if (item->kind == CLARY_INDEX_ELLIPSIS) {
            at += a->ndim - used;
            d += a->ndim - used;
            basic[n++] = *item;
        } else if (item->kind == CLARY_INDEX_ARRAY) {
            clary_index stand = {.kind = CLARY_INDEX_NEWAXIS};
            int dims = dims_of(item);
            if (dims > 0) stand = whole;
            if (is_mask(item)) {
                TRY(add_mask(p, a, item->array, d, at));
            } else {
                p->distinct = false;
                TRY(add_axis(p, item->array, a->geometry[d], clary__array_strides(a)[d], d, false,
                             at));
            }
            for (int k = 0; k < (dims ? dims : 1); k++) basic[n++] = stand;
            d += dims;
            at += dims ? dims : 1;
        } else {
            basic[n++] = *item;
            d += dims_of(item);
            at += item->kind != CLARY_INDEX_INTEGER;
        }
    }
    if (runs > 1) p->first = 0;
    p->view = CLARY__MAKE(&p->e, clary__view(a, n, basic, made));
    return p->e.status;
}

/* Axes of the view that no array indexes keep their order; the arrays' broadcast shape goes to
 * p->first, counted among all axes of the view before the indexed ones. */
static clary_status lay_out(plan *p) {
    clary__layout view, *out = &p->positions;
    uint64_t indexed = 0;
    int64_t shape[CLARY_MAX_NDIM], block = 1;
    int ndim = 0;
    for (int i = 0; i < p->count; i++) {
        indexed |= 1ull << p->at[i];
        clary_array *index = p->axes[i].index;
        if (!index) continue; /* merged into the one before */
        clary_status status =
            clary_broadcast_shapes(ndim, shape, index->ndim, index->geometry, &ndim, shape);
        if (status != CLARY_OK)
            return clary__fail_in(CLARY_INDEX_OUT_OF_RANGE, "%s: index arrays do not fit together",
                                  p->what);
    }
    for (int d = 0; d < ndim; d++) block *= shape[d];
    clary__array_layout(p->view, &view);
    FAIL_IF(view.ndim + ndim > CLARY_MAX_NDIM + p->count, CLARY_INVALID_ARGUMENT,
            "%s: the result would have more than %d dimensions", p->what, CLARY_MAX_NDIM);
    out->ndim = 0;
    out->offset = view.offset;
    for (int d = 0; d <= view.ndim; d++) {
        if (d == p->first)
            for (int k = 0; k < ndim; k++) {
                out->shape[out->ndim] = shape[k];
                out->strides[out->ndim++] = 0;
            }
        if (d == view.ndim || (indexed >> d & 1)) continue;
        out->shape[out->ndim] = view.shape[d];
        out->strides[out->ndim++] = view.strides[d];
    }
    int behind = out->ndim - ndim; /* axes behind the block of the arrays */
    for (int d = 0; d < p->first; d++) behind -= !(indexed >> d & 1);
    int kept = 0;
    for (int i = 0; i < p->count; i++) {
        clary__indexed axis = p->axes[i];
        if (!axis.index) continue;
        FAIL_IF(axis.extent == 0 && block > 0, CLARY_INDEX_OUT_OF_RANGE,
                "%s: an index is out of bounds for axis %d with size 0", p->what, axis.axis);
        int64_t placed[2 * CLARY_MAX_NDIM];
        memcpy(placed, axis.index->geometry, (size_t)axis.index->ndim * sizeof *placed);
        for (int k = 0; k < behind; k++) placed[axis.index->ndim + k] = 1;
        axis.index =
            CLARY__MAKE(&p->e, clary_reshape(axis.index, axis.index->ndim + behind, placed, made));
        if (!axis.index) return p->e.status;
        p->axes[kept++] = axis;
    }
    p->count = kept;
    return CLARY_OK;
}

static clary_status make_plan(plan *p, const char *what, clary_array *a, int count,
                              const clary_index *items) {
    memset(p, 0, sizeof *p);
    p->what = what;
    p->distinct = true;
    clary_status status = sort_out(p, a, count, items);
    if (status == CLARY_OK) status = lay_out(p);
    if (p->e.status == CLARY_OK) p->e.status = status;
    return p->e.status;
}

static bool has_array(int count, const clary_index *items) {
    for (int i = 0; i < count; i++)
        if (items[i].kind == CLARY_INDEX_ARRAY) return true;
    return false;
}

clary_status clary_get(clary_array *a, int count, const clary_index *items, clary_array **out) {
    plan p;
    *out = NULL;
    if (!has_array(count, items)) return clary__view(a, count, items, out);
    if (make_plan(&p, "index", a, count, items) != CLARY_OK) return clary__end(&p.e);
    const clary__layout *l = &p.positions;
    if (clary__size_of(l->ndim, l->shape) == 0) {
        clary_status status =
            clary_empty(clary__device_of(a), (clary_dtype)a->dtype, l->ndim, l->shape, out);
        clary__end(&p.e);
        return status;
    }
    clary_array *at = clary__positions(&p.e, p.what, a, l, p.count, p.axes, false);
    clary_array *result = clary__gather(&p.e, a, at);
    return clary__result(&p.e, result, out);
}

/* Values for the places of a plan: broadcast to their shape, or one element. */
static clary_array *values_for(plan *p, clary_array *a, clary_array *value, clary_dtype dtype) {
    const clary__layout *l = &p->positions;
    char from[CLARY__SHAPE_TEXT], to[CLARY__SHAPE_TEXT];
    clary__expression *e = &p->e;
    if (value->weak) {
        clary__value *v = NULL;
        clary_status status = clary__weak_value(p->what, value, clary__device_of(a), dtype, &v);
        return clary__of_value(e, status, v);
    }
    clary_array *pair[2] = {a, value};
    e->status = clary__same_device(p->what, pair, 2);
    int lead = value->ndim - l->ndim; /* leading extents of 1 may be too many, as in NumPy */
    for (int d = 0; d < lead; d++)
        if (value->geometry[d] != 1) lead = -1;
    bool fits = lead >= 0 || value->ndim <= l->ndim;
    for (int d = 1; d <= l->ndim && d <= value->ndim && fits; d++) {
        int64_t extent = value->geometry[value->ndim - d];
        fits = extent == 1 || extent == l->shape[l->ndim - d];
    }
    if (e->status == CLARY_OK && !fits)
        e->status = clary__fail(CLARY_SHAPE_MISMATCH,
                                "%s: shape %s does not broadcast to the indexed shape %s", p->what,
                                clary__shape_text(value->ndim, value->geometry, from),
                                clary__shape_text(l->ndim, l->shape, to));
    if (e->status != CLARY_OK) return NULL;
    if (lead > 0)
        value = CLARY__MAKE(e, clary_reshape(value, l->ndim, value->geometry + lead, made));
    if (value && value->size != 1)
        value = CLARY__MAKE(e, clary_broadcast_to(value, l->ndim, l->shape, made));
    return value ? clary__cast(e, value, dtype) : NULL;
}

static clary_status write_at(int op, const char *what, clary_array *a, int count,
                             const clary_index *items, clary_array *value, clary_dtype dtype) {
    plan p;
    FAIL_IF(a->read_only, CLARY_READ_ONLY, "%s: the array is read-only", what);
    if (make_plan(&p, what, a, count, items) != CLARY_OK) return clary__end(&p.e);
    const clary__layout *l = &p.positions;
    clary_array *values = values_for(&p, a, value, dtype);
    if (values && clary__size_of(l->ndim, l->shape) > 0) {
        clary_array *at = clary__positions(&p.e, what, a, l, p.count, p.axes, true);
        bool distinct = p.distinct || (op == CLARY__PUT && values->size == 1);
        if (at) p.e.status = clary__scatter_to(op, distinct, a, at, values);
    }
    return clary__end(&p.e);
}

/* a[mask] = one element needs no positions: a selection, fused with what makes the mask. */
static bool is_selection(clary_array *a, int count, const clary_index *items,
                         const clary_array *value) {
    if (count != 1 || !is_mask(items) || value->size != 1 || items->array->ndim > a->ndim)
        return false;
    const clary_array *mask = items->array;
    return mask->ndim > 0 && !memcmp(mask->geometry, a->geometry, (size_t)mask->ndim * 8);
}

static clary_status select_into(clary_array *a, clary_array *mask, clary_array *value) {
    clary__expression e = {0};
    int64_t shape[CLARY_MAX_NDIM];
    FAIL_IF(a->read_only, CLARY_READ_ONLY, "assign: the array is read-only");
    for (int d = 0; d < a->ndim; d++) shape[d] = d < mask->ndim ? a->geometry[d] : 1;
    clary_array *wide = CLARY__MAKE(&e, clary_reshape(mask, a->ndim, shape, made));
    clary_array *one = value;
    if (!value->weak && value->dtype != a->dtype)
        one = clary__cast(&e, value, (clary_dtype)a->dtype);
    if (!value->weak && one && one->ndim > 0)
        one = CLARY__MAKE(&e, clary_reshape(one, 0, NULL, made));
    clary_array *merged = clary__op3(&e, CLARY_OP_where, wide, one, a);
    if (merged) e.status = clary_assign(a, merged);
    return clary__end(&e);
}

clary_status clary_set(clary_array *a, int count, const clary_index *items, clary_array *value) {
    clary_array *view;
    if (is_selection(a, count, items, value)) return select_into(a, items->array, value);
    if (has_array(count, items))
        return write_at(CLARY__PUT, "assign", a, count, items, value, (clary_dtype)a->dtype);
    TRY(clary__view(a, count, items, &view));
    clary_status status = clary_assign(view, value);
    clary_release(&view);
    return status;
}

clary_status clary_update_at(clary_op op, clary_array *a, int count, const clary_index *items,
                             clary_array *value) {
    clary_op_info info;
    clary_dtype compute, result, types[2] = {(clary_dtype)a->dtype, CLARY_BOOL};
    TRY(clary_get_op_info(op, &info));
    FAIL_IF(info.arity > 2 || (info.arity == 2) != (value != NULL), CLARY_INVALID_ARGUMENT,
            "%s.at: it takes %d inputs", info.name, info.arity);
    if (info.arity == 1) { /* repetitions make no difference: the place is read once */
        clary_array *old = NULL, *new = NULL;
        clary_status status;
        TRY_GOTO(done, clary_get(a, count, items, &old));
        TRY_GOTO(done, clary_apply(op, &old, &new));
        TRY_GOTO(done, clary_set(a, count, items, new));
    done:
        clary_release(&old);
        clary_release(&new);
        return status;
    }
    FAIL_IF(!strcmp(info.rule, "F_SHIFT"), CLARY_UNSUPPORTED,
            "%s.at: its inputs are of different kinds", info.name);
    bool weak[2] = {false, value->weak};
    types[1] = (clary_dtype)value->dtype;
    TRY(clary_op_dtypes(op, types, weak, &compute, &result));
    if (!has_array(count, items)) { /* a region: no place twice */
        clary_array *view = NULL, *sum = NULL;
        clary_status status;
        TRY_GOTO(out, clary__view(a, count, items, &view));
        TRY_GOTO(out, clary_apply(op, (clary_array *[]){view, value}, &sum));
        TRY_GOTO(out, clary_assign(view, sum));
    out:
        clary_release(&view);
        clary_release(&sum);
        return status;
    }
    return write_at((int)op, info.name, a, count, items, value, compute);
}

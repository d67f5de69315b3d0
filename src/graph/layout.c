/* layout.c - strided windows: contiguity, reshaping, composition. See layout.h. */
#include "graph/layout.h"
#include <stdlib.h>

int64_t clary__size_of(int ndim, const int64_t *shape) {
    int64_t size = 1;
    for (int d = 0; d < ndim; d++) size *= shape[d];
    return size;
}

void clary__contiguous_strides(int ndim, const int64_t *shape, int64_t *strides) {
    int64_t step = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        strides[d] = step;
        step *= shape[d] > 0 ? shape[d] : 1;
    }
}

void clary__layout_contiguous(clary__layout *l, int ndim, const int64_t *shape) {
    l->ndim = ndim;
    l->offset = 0;
    for (int d = 0; d < ndim; d++) l->shape[d] = shape[d];
    clary__contiguous_strides(ndim, shape, l->strides);
}

bool clary__is_contiguous(int ndim, const int64_t *shape, const int64_t *strides) {
    int64_t step = 1;
    if (clary__size_of(ndim, shape) == 0) return true;
    for (int d = ndim - 1; d >= 0; d--) {
        if (shape[d] != 1 && strides[d] != step) return false;
        step *= shape[d];
    }
    return true;
}

bool clary__layout_overlaps(const clary__layout *l) {
    int64_t reach = 0; /* of the steps seen so far, from the smallest */
    uint32_t left = 0;
    for (int d = 0; d < l->ndim; d++) {
        if (l->shape[d] == 0) return false;
        if (l->shape[d] > 1) left |= 1u << d;
    }
    while (left) {
        int next = -1;
        for (int d = 0; d < l->ndim; d++)
            if (left >> d & 1 && (next < 0 || llabs(l->strides[d]) < llabs(l->strides[next])))
                next = d;
        int64_t step = llabs(l->strides[next]);
        if (step <= reach) return true;
        reach += step * (l->shape[next] - 1);
        left &= ~(1u << next);
    }
    return false;
}

/* Drops extents of 1 and merges dims that continue each other; the C-order sequence of positions
 * stays. */
static void collapse(clary__layout *l) {
    int n = 0;
    for (int d = 0; d < l->ndim; d++) {
        if (l->shape[d] == 1) continue;
        if (n > 0 && l->strides[n - 1] == l->strides[d] * l->shape[d]) {
            l->shape[n - 1] *= l->shape[d];
            l->strides[n - 1] = l->strides[d];
        } else {
            l->shape[n] = l->shape[d];
            l->strides[n] = l->strides[d];
            n++;
        }
    }
    l->ndim = n;
}

bool clary__layout_compose(const clary__layout *outer, const clary__layout *inner,
                           clary__layout *out) {
    clary__layout in = *inner;
    collapse(&in);
    out->ndim = outer->ndim;
    for (int j = 0; j < outer->ndim; j++) out->shape[j] = outer->shape[j];
    if (in.ndim <= 1) { /* positions are linear in the element's number */
        int64_t step = in.ndim ? in.strides[0] : 0;
        out->offset = in.offset + step * outer->offset;
        for (int j = 0; j < outer->ndim; j++) out->strides[j] = step * outer->strides[j];
        return true;
    }
    /* Write outer's offset and every stride as coordinates of inner's shape, and check that no
     * carry can happen: each coordinate stays inside its extent for all points. */
    int64_t unit[CLARY_MAX_NDIM], low[CLARY_MAX_NDIM], high[CLARY_MAX_NDIM];
    clary__contiguous_strides(in.ndim, in.shape, unit);
    int64_t rest = outer->offset;
    out->offset = in.offset;
    for (int k = 0; k < in.ndim; k++) {
        low[k] = high[k] = rest / unit[k];
        rest %= unit[k];
        out->offset += low[k] * in.strides[k];
    }
    for (int j = 0; j < outer->ndim; j++) {
        out->strides[j] = 0;
        if (outer->shape[j] == 1) continue;
        rest = outer->strides[j];
        for (int k = 0; k < in.ndim; k++) {
            int64_t c = rest / unit[k];
            rest %= unit[k];
            int64_t reach = c * (outer->shape[j] - 1);
            if (reach < 0)
                low[k] += reach;
            else
                high[k] += reach;
            out->strides[j] += c * in.strides[k];
        }
    }
    for (int k = 0; k < in.ndim; k++)
        if (low[k] < 0 || high[k] >= in.shape[k]) return false;
    return true;
}

bool clary__reshape_strides(int ndim, const int64_t *shape, const int64_t *strides, int new_ndim,
                            const int64_t *new_shape, int64_t *new_strides) {
    if (clary__size_of(ndim, shape) == 0) {
        clary__contiguous_strides(new_ndim, new_shape, new_strides);
        return true;
    }
    clary__layout old = {.ndim = ndim};
    for (int d = 0; d < ndim; d++) {
        old.shape[d] = shape[d];
        old.strides[d] = strides[d];
    }
    collapse(&old);
    /* Consume each collapsed run of old dims, from the right, by whole new dims. */
    int i = old.ndim - 1;
    int64_t left = i >= 0 ? old.shape[i] : 1, step = i >= 0 ? old.strides[i] : 1;
    for (int d = new_ndim - 1; d >= 0; d--) {
        if (new_shape[d] == 1) {
            new_strides[d] = step;
            continue;
        }
        if (left == 1 && i > 0) {
            i--;
            left = old.shape[i];
            step = old.strides[i];
        }
        if (left % new_shape[d]) return false;
        new_strides[d] = step;
        step *= new_shape[d];
        left /= new_shape[d];
    }
    return true;
}

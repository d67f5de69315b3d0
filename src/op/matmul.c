/* matmul.c - products of two arrays as contractions: each labels its axes and says which remain. */
#include "clary/linalg.h"
#include "op/contract.h"
#include <string.h>

/* Labels of axes that are not part of a batch. */
enum { ROW = 'm', COLUMN = 'n', INNER = 'k' };

static int64_t extent(const clary_array *a, int from_end) {
    return a->geometry[a->ndim - from_end];
}

/* x's leading axes and y's, as many as given, must broadcast; *out is how many the result has. */
static clary_status check_batch(const char *what, const clary_array *x, int nx,
                                const clary_array *y, int ny, int *out) {
    int64_t shape[CLARY_MAX_NDIM];
    clary_status status = clary_broadcast_shapes(nx, x->geometry, ny, y->geometry, out, shape);
    return status == CLARY_OK ? status : clary__fail_in(status, "%s", what);
}

static clary_status bad_shapes(const char *what, const clary_array *x, const clary_array *y) {
    char tx[CLARY__SHAPE_TEXT], ty[CLARY__SHAPE_TEXT];
    return clary__fail(CLARY_SHAPE_MISMATCH, "%s: shapes %s and %s do not fit together", what,
                       clary__shape_text(x->ndim, x->geometry, tx),
                       clary__shape_text(y->ndim, y->geometry, ty));
}

/* The term of an array: batch axes, then axes of the labels given. */
static clary__term term_of(clary_array *a, int count, const unsigned char *labels) {
    clary__term t = {.a = a, .n = a->ndim};
    clary__label_batch(t.label, a->ndim - count);
    memcpy(t.label + a->ndim - count, labels, (size_t)count);
    return t;
}

clary_status clary_matmul(clary_array *x, clary_array *y, clary_array **out) {
    unsigned char labels[CLARY_MAX_NDIM];
    int n;
    *out = NULL;
    if (x->ndim == 0 || y->ndim == 0) return bad_shapes("matmul", x, y);
    bool row = x->ndim > 1, column = y->ndim > 1;
    if (extent(x, 1) != extent(y, column ? 2 : 1)) return bad_shapes("matmul", x, y);
    TRY(check_batch("matmul", x, row ? x->ndim - 2 : 0, y, column ? y->ndim - 2 : 0, &n));
    clary__term terms[2] = {
        term_of(x, 1 + row, row ? (unsigned char[]){ROW, INNER} : (unsigned char[]){INNER}),
        term_of(y, 1 + column, (unsigned char[]){INNER, COLUMN})};
    clary__label_batch(labels, n);
    if (row) labels[n++] = ROW;
    if (column) labels[n++] = COLUMN;
    return clary__contract("matmul", 2, terms, n, labels, out);
}

/* x's axis last, conjugated if it is complex and that is asked for. */
static clary_status vectors(clary_array *x, int axis, bool conjugate, clary_array **out) {
    clary_array *moved;
    int last = -1;
    TRY(clary_moveaxis(x, 1, &axis, &last, &moved));
    *out = moved;
    if (!conjugate || !clary__is_complex((clary_dtype)x->dtype)) return CLARY_OK;
    clary_status status = clary_conjugate(moved, out);
    clary_release(&moved);
    return status;
}

static clary_status dot_last(clary_array *x, clary_array *y, clary_array **out) {
    unsigned char labels[CLARY_MAX_NDIM], inner[] = {INNER};
    int n;
    if (extent(x, 1) != extent(y, 1)) return bad_shapes("vecdot", x, y);
    TRY(check_batch("vecdot", x, x->ndim - 1, y, y->ndim - 1, &n));
    clary__term terms[2] = {term_of(x, 1, inner), term_of(y, 1, inner)};
    clary__label_batch(labels, n);
    return clary__contract("vecdot", 2, terms, n, labels, out);
}

clary_status clary_vecdot(clary_array *x, clary_array *y, int axis, clary_array **out) {
    clary_array *vx = NULL, *vy = NULL;
    clary_status status;
    *out = NULL;
    if (x->ndim == 0 || y->ndim == 0) return bad_shapes("vecdot", x, y);
    TRY_GOTO(done, vectors(x, axis, true, &vx));
    TRY_GOTO(done, vectors(y, axis, false, &vy));
    status = dot_last(vx, vy, out);
done:
    clary_release(&vx);
    clary_release(&vy);
    return status;
}

clary_status clary_tensordot(clary_array *x, clary_array *y, int count, const int *x_axes,
                             const int *y_axes, clary_array **out) {
    clary__term tx = {.a = x, .n = x->ndim}, ty = {.a = y, .n = y->ndim};
    unsigned char labels[2 * CLARY_MAX_NDIM];
    uint32_t x_summed = 0, y_summed = 0;
    int n = 0;
    *out = NULL;
    if (count > 0) {
        TRY(clary__axes_mask("tensordot", count, x_axes, x->ndim, &x_summed));
        TRY(clary__axes_mask("tensordot", count, y_axes, y->ndim, &y_summed));
    }
    FAIL_IF(x->ndim + y->ndim - 2 * count > CLARY_MAX_NDIM, CLARY_INVALID_ARGUMENT,
            "tensordot: the result would have %d axes; at most %d", x->ndim + y->ndim - 2 * count,
            CLARY_MAX_NDIM);
    /* Axes are numbered, x's then y's; what is summed has one number. */
    for (int d = 0; d < x->ndim; d++) {
        tx.label[d] = (unsigned char)d;
        if (!(x_summed >> d & 1)) labels[n++] = tx.label[d];
    }
    for (int d = 0; d < y->ndim; d++) {
        ty.label[d] = (unsigned char)(x->ndim + d);
        if (!(y_summed >> d & 1)) labels[n++] = ty.label[d];
    }
    for (int i = 0; i < count; i++) {
        int dx = x_axes[i] < 0 ? x_axes[i] + x->ndim : x_axes[i];
        int dy = y_axes[i] < 0 ? y_axes[i] + y->ndim : y_axes[i];
        if (x->geometry[dx] != y->geometry[dy]) return bad_shapes("tensordot", x, y);
        ty.label[dy] = tx.label[dx];
    }
    return clary__contract("tensordot", 2, (clary__term[]){tx, ty}, n, labels, out);
}

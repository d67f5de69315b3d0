/* contract.c - the contraction of labelled arrays, two at a time.
 *
 * Terms are brought to one axis per label, and labels that only one of them has are summed first.
 * Then the pair whose product is the least growth is replaced by its contraction until one is left,
 * so that no intermediate result explodes. A contraction of two is a product of views, stretched to
 * [kept labels, summed labels], and a sum over its last axes, which runs as one kernel: the product
 * is never stored. Where both have labels of their own it is a matrix product: the labels of each role are
 * merged into one dim, if need be by packing an operand, and a PRODUCT node computes it (graph/group.h).
 */
#include "op/contract.h"
#include "clary/engine.h"
#include "clary/reduce.h"
#include <ctype.h>
#include <string.h>

typedef struct problem {
    const char *what;
    clary_dtype compute;         /* products and sums are of this dtype */
    int64_t size[CLARY__LABELS]; /* extent of each label; -1: nobody has it */
    int uses[CLARY__LABELS];     /* live terms that have it, plus one for the result */
    int count;
    clary__term term[CLARY__MAX_TERMS]; /* live terms: an axis per label; they own their arrays */
} problem;

void clary__label_batch(unsigned char *label, int count) {
    for (int d = 0; d < count; d++) label[d] = (unsigned char)(count - d);
}

static int find(const clary__term *t, unsigned char label) {
    for (int d = 0; d < t->n; d++)
        if (t->label[d] == label) return d;
    return -1;
}

/* ---- checking ---- */

static clary_status mismatch(const problem *p, unsigned char label, int64_t x, int64_t y) {
    if (isalpha(label))
        return clary__fail(CLARY_SHAPE_MISMATCH, "%s: label '%c' has extents %lld and %lld",
                           p->what, label, (long long)x, (long long)y);
    return clary__fail(CLARY_SHAPE_MISMATCH, "%s: axes of extents %lld and %lld do not broadcast",
                       p->what, (long long)x, (long long)y);
}

static clary_status find_sizes(problem *p, int count, const clary__term *terms) {
    for (int l = 0; l < CLARY__LABELS; l++) p->size[l] = -1;
    for (int i = 0; i < count; i++) {
        const clary__term *t = &terms[i];
        for (int d = 0; d < t->n; d++) {
            unsigned char l = t->label[d];
            int64_t extent = t->a->geometry[d], known = p->size[l];
            int64_t first = t->a->geometry[find(t, l)];
            if (first != extent) return mismatch(p, l, first, extent);
            if (known > 1 && extent != 1 && extent != known) return mismatch(p, l, known, extent);
            if (known == 0 && extent > 1) return mismatch(p, l, known, extent);
            if (known < 0 || known == 1) p->size[l] = extent;
        }
    }
    return CLARY_OK;
}

/* ---- terms ---- */

/* t's array with its axes in the order of labels: extent 1 for those it lacks, the diagonal of those
 * it has several times. Axes that are not listed are left at index 0. */
static clary_status lay_out(const clary__term *t, int n, const unsigned char *labels,
                            clary_array **out) {
    clary__layout l = {.ndim = n, .offset = t->a->offset};
    for (int k = 0; k < n; k++) {
        l.shape[k] = 1;
        l.strides[k] = 0;
        for (int d = 0; d < t->n; d++)
            if (t->label[d] == labels[k]) {
                l.shape[k] = t->a->geometry[d];
                l.strides[k] += clary__array_strides(t->a)[d];
            }
    }
    return clary__array_view(t->a, &l, out);
}

/* Replaces t's array and takes over the new one. */
static void become(clary__term *t, clary_array *a, int n, const unsigned char *labels) {
    clary_release(&t->a);
    t->a = a;
    t->n = n;
    memcpy(t->label, labels, (size_t)n);
}

/* Sums a's axes from `kept` on; takes over its reference. */
static clary_status sum_last(const problem *p, clary_array *a, int kept, clary_array **out) {
    int axes[CLARY_MAX_NDIM], n = 0;
    for (int d = kept; d < a->ndim; d++) axes[n++] = d;
    *out = a;
    if (n == 0) return CLARY_OK;
    clary_status status = clary_op_reduce(CLARY_OP_add, a, n, axes, false, p->compute, out);
    clary_release(&a);
    return status;
}

/* Whether axis d of t is the one that stands for its label: the first of a diagonal, and not stretched. */
static bool stands(const problem *p, const clary__term *t, int d) {
    bool stretched = t->a->geometry[d] == 1 && p->size[t->label[d]] != 1;
    return !stretched && find(t, t->label[d]) == d;
}

static void count_uses(problem *p, int n, const unsigned char *labels) {
    memset(p->uses, 0, sizeof p->uses);
    for (int k = 0; k < n; k++) p->uses[labels[k]]++;
    for (int i = 0; i < p->count; i++)
        for (int d = 0; d < p->term[i].n; d++)
            if (stands(p, &p->term[i], d)) p->uses[p->term[i].label[d]]++;
}

/* Labels that t alone has are summed; axes that stretch elsewhere are dropped. */
static clary_status simplify(problem *p, clary__term *t) {
    unsigned char labels[CLARY_MAX_NDIM];
    clary_array *view, *sum;
    int n = 0, kept = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int d = 0; d < t->n; d++)
            if (stands(p, t, d) && (p->uses[t->label[d]] == 1) == (pass == 1))
                labels[n++] = t->label[d];
        if (pass == 0) kept = n;
    }
    TRY(lay_out(t, n, labels, &view));
    TRY(sum_last(p, view, kept, &sum));
    become(t, sum, kept, labels);
    return CLARY_OK;
}

/* ---- pairs ---- */

/* The labels of x and y's product: kept ones first (of both, of x, of y), then those to sum over. At
 * most 2 * CLARY_MAX_NDIM. */
static int product_labels(const problem *p, const clary__term *x, const clary__term *y,
                          unsigned char *labels, int *kept) {
    int n = 0;
    for (int pass = 0; pass < 4; pass++) {
        const clary__term *t = pass == 2 ? y : x, *other = pass == 2 ? x : y;
        if (pass == 3) *kept = n;
        for (int d = 0; d < t->n; d++) {
            bool shared = find(other, t->label[d]) >= 0;
            bool summed = shared && p->uses[t->label[d]] == 2;
            if (summed == (pass == 3) && (summed || shared == (pass == 0)))
                labels[n++] = t->label[d];
        }
    }
    return n;
}

static double points(const problem *p, int n, const unsigned char *labels) {
    double size = 1;
    for (int k = 0; k < n; k++) size *= (double)p->size[labels[k]];
    return size;
}

/* The pair with the smallest growth: the result's size less the sizes of what it replaces. */
static void choose(const problem *p, int *x, int *y) {
    unsigned char labels[2 * CLARY_MAX_NDIM];
    double best = 0;
    *x = 0, *y = 1;
    for (int i = 0; i < p->count && p->count > 2; i++)
        for (int j = i + 1; j < p->count; j++) {
            int kept = 0;
            product_labels(p, &p->term[i], &p->term[j], labels, &kept);
            double growth =
                points(p, kept, labels) - (double)p->term[i].a->size - (double)p->term[j].a->size;
            if ((i == 0 && j == 1) || growth < best) {
                best = growth;
                *x = i, *y = j;
            }
        }
}

/* t's array in the order of the product's labels, then cast; a new term. */
static clary_status ordered(const problem *p, const clary__term *t, int n,
                            const unsigned char *labels, clary__term *out) {
    out->n = 0;
    for (int k = 0; k < n; k++)
        if (find(t, labels[k]) >= 0) out->label[out->n++] = labels[k];
    TRY(lay_out(t, out->n, out->label, &out->a));
    if (out->a->dtype == p->compute && clary_array_is_contiguous(out->a)) return CLARY_OK;
    clary_array *view = out->a;
    clary_status status = clary_astype(view, p->compute, CLARY_CAST_UNSAFE, &out->a);
    clary_release(&view);
    return status;
}

/* t stretched to the product's labels. What is read several times is computed before, not for every
 * point of the product, and packed so that the axes summed over run along memory. */
static clary_status factor(const problem *p, const clary__term *t, int n,
                           const unsigned char *labels, clary_array **out) {
    clary__term own = {.a = NULL};
    clary_status status;
    TRY_GOTO(done, ordered(p, t, n, labels, &own));
    if (points(p, n, labels) > (double)t->a->size) TRY_GOTO(done, clary_eval(&own.a, 1));
    status = lay_out(&own, n, labels, out);
done:
    clary_release(&own.a);
    return status;
}

/* ---- matrix products ---- */

/* The labels of a product by what they are: [0, batch) of both, [batch, rows) x's, [rows, columns) y's,
 * [columns, n) summed over. */
typedef struct roles {
    unsigned char label[2 * CLARY_MAX_NDIM];
    int batch, rows, columns, n;
} roles;

static int64_t extent_of(const problem *p, const roles *r, int first, int last) {
    int64_t extent = 1;
    for (int k = first; k < last; k++) extent *= p->size[r->label[k]];
    return extent;
}

/* Whether the engine of matrix products takes it: several rows and columns, and something to sum. */
static bool is_matrix_product(const problem *p, const roles *r) {
    return extent_of(p, r, r->batch, r->rows) > 1 && extent_of(p, r, r->rows, r->columns) > 1 &&
           extent_of(p, r, r->columns, r->n) > 1 && extent_of(p, r, 0, r->batch) > 0;
}

/* Merges dims [first, last) of both layouts into as few as both allow; returns their number. */
static int merge(const clary__layout *a, const clary__layout *b, int first, int last,
                 int64_t *shape, int64_t *a_strides, int64_t *b_strides) {
    int n = 0;
    for (int d = first; d < last; d++) {
        int64_t extent = a->shape[d];
        if (extent == 1) continue;
        bool joined = n > 0 && a_strides[n - 1] == a->strides[d] * extent &&
                      b_strides[n - 1] == b->strides[d] * extent;
        n += !joined;
        shape[n - 1] = joined ? shape[n - 1] * extent : extent;
        a_strides[n - 1] = a->strides[d];
        b_strides[n - 1] = b->strides[d];
    }
    return n;
}

/* Puts merged dims at place `at` of a window of `most` dims; extents 1 in front. */
static bool place(clary__layout *w, int at, int most, int n, const int64_t *shape,
                  const int64_t *strides) {
    if (n > most) return false;
    for (int k = 0; k < most; k++) {
        int from = k - (most - n);
        w->shape[at + k] = from < 0 ? 1 : shape[from];
        w->strides[at + k] = from < 0 ? 0 : strides[from];
    }
    return true;
}

/* An operand: its array with an axis for each of its labels, and for each label where that axis is. */
typedef struct factor_window {
    clary_array *array;
    clary__value *value;
    clary__layout own;  /* of the array's axes on the value's elements */
    clary__layout dims; /* by label of the roles: extents of all, strides 0 where it lacks one */
} factor_window;

/* t's axes are put in the order of the roles; packed, if asked for. */
static clary_status open_window(const problem *p, const clary__term *t, const roles *r,
                                clary_dtype dtype, bool packed, factor_window *out) {
    unsigned char labels[CLARY_MAX_NDIM];
    clary_array *view;
    int n = 0;
    for (int k = 0; k < r->n; k++)
        if (find(t, r->label[k]) >= 0) labels[n++] = r->label[k];
    if (!out->array) {
        TRY(lay_out(t, n, labels, &out->array));
        if (out->array->dtype != dtype) {
            view = out->array;
            clary_status status = clary_astype(view, dtype, CLARY_CAST_UNSAFE, &out->array);
            clary_release(&view);
            if (status != CLARY_OK) return status;
        }
    } else if (packed) {
        view = out->array;
        clary_status status = clary_copy(view, &out->array);
        clary_release(&view);
        if (status != CLARY_OK) return status;
    }
    clary__value_release(out->value);
    out->value = NULL;
    TRY(clary__array_window_value(out->array, &out->value, &out->own));
    out->dims.ndim = r->n;
    out->dims.offset = out->own.offset;
    for (int k = 0, d = 0; k < r->n; k++) {
        bool has = d < n && labels[d] == r->label[k];
        out->dims.shape[k] = p->size[r->label[k]];
        out->dims.strides[k] = has ? out->own.strides[d++] : 0;
    }
    return CLARY_OK;
}

static void close_window(factor_window *w) {
    clary_release(&w->array);
    clary__value_release(w->value);
}

static roles roles_of(const clary__term *x, const clary__term *y, int n,
                      const unsigned char *labels, int kept) {
    roles r = {.columns = kept, .n = n};
    memcpy(r.label, labels, (size_t)n);
    for (int k = 0; k < kept; k++) {
        bool in_x = find(x, labels[k]) >= 0, in_y = find(y, labels[k]) >= 0;
        r.batch += in_x && in_y;
        r.rows += in_x;
    }
    return r;
}

/* Brings both to the four dims of struct clary__product; false: some labels are not evenly spaced. */
static bool match(const roles *r, const factor_window *x, const factor_window *y, clary__layout *wx,
                  clary__layout *wy) {
    int64_t shape[2 * CLARY_MAX_NDIM], sx[2 * CLARY_MAX_NDIM], sy[2 * CLARY_MAX_NDIM];
    const clary__layout *a = &x->dims, *b = &y->dims;
    wx->ndim = wy->ndim = 4;
    wx->offset = a->offset;
    wy->offset = b->offset;
    int n = merge(a, b, 0, r->batch, shape, sx, sy);
    if (!place(wx, 0, 2, n, shape, sx) || !place(wy, 0, 2, n, shape, sy)) return false;
    n = merge(a, b, r->batch, r->rows, shape, sx, sy);
    if (!place(wx, 2, 1, n, shape, sx)) return false;
    n = merge(a, b, r->rows, r->columns, shape, sx, sy);
    if (!place(wy, 3, 1, n, shape, sy)) return false;
    n = merge(a, b, r->columns, r->n, shape, sx, sy);
    return place(wx, 3, 1, n, shape, sx) && place(wy, 2, 1, n, shape, sy);
}

/* *out: an axis for each kept label. */
static clary_status multiply_matrices(const problem *p, const clary__term *x, const clary__term *y,
                                      const roles *r, clary_array **out) {
    factor_window fx = {.array = NULL}, fy = {.array = NULL};
    clary__layout wx, wy;
    clary__value *product;
    clary_dtype dtype = (clary_dtype)x->a->dtype;
    if (dtype != y->a->dtype || !clary__is_half(dtype)) dtype = p->compute;
    clary_status status;
    TRY_GOTO(done, open_window(p, x, r, dtype, false, &fx));
    TRY_GOTO(done, open_window(p, y, r, dtype, false, &fy));
    if (!match(r, &fx, &fy, &wx, &wy)) { /* packed operands always do */
        TRY_GOTO(done, open_window(p, x, r, dtype, true, &fx));
        if (!match(r, &fx, &fy, &wx, &wy)) {
            TRY_GOTO(done, open_window(p, y, r, dtype, true, &fy));
            match(r, &fx, &fy, &wx, &wy);
        }
    }
    TRY_GOTO(done, clary__check_shape(p->what, p->compute, r->columns, fx.dims.shape));
    TRY_GOTO(done, clary__value_product(fx.value, &wx, fy.value, &wy, &product));
    status = clary__array_of_shape(product, r->columns, fx.dims.shape, out);
done:
    close_window(&fx);
    close_window(&fy);
    return status;
}

/* x becomes the contraction of x and y. */
static clary_status contract_two(const problem *p, clary__term *x, const clary__term *y) {
    unsigned char labels[2 * CLARY_MAX_NDIM];
    clary_array *fx = NULL, *fy = NULL, *product, *sum;
    clary_status status;
    int kept = 0, n = product_labels(p, x, y, labels, &kept);
    roles r = roles_of(x, y, n, labels, kept);
    if (kept <= CLARY_MAX_NDIM && n <= CLARY_MAX_NDIM && is_matrix_product(p, &r)) {
        TRY(multiply_matrices(p, x, y, &r, &sum));
        become(x, sum, kept, labels);
        return CLARY_OK;
    }
    FAIL_IF(n > CLARY_MAX_NDIM, CLARY_UNSUPPORTED,
            "a product of two operands has %d labels; at most %d", n, CLARY_MAX_NDIM);
    TRY_GOTO(done, factor(p, x, n, labels, &fx));
    TRY_GOTO(done, factor(p, y, n, labels, &fy));
    TRY_GOTO(done, clary_multiply(fx, fy, &product));
    TRY_GOTO(done, sum_last(p, product, kept, &sum));
    become(x, sum, kept, labels);
done:
    clary_release(&fx);
    clary_release(&fy);
    return status;
}

static clary_status solve(problem *p, int n, const unsigned char *labels, clary_dtype result,
                          clary_array **out) {
    bool one = p->count == 1; /* may stay a view */
    count_uses(p, n, labels);
    for (int i = 0; i < p->count; i++) TRY(simplify(p, &p->term[i]));
    while (p->count > 1) {
        int x, y;
        count_uses(p, n, labels);
        choose(p, &x, &y);
        TRY(contract_two(p, &p->term[x], &p->term[y]));
        clary_release(&p->term[y].a);
        p->term[y] = p->term[--p->count];
    }
    TRY(lay_out(&p->term[0], n, labels, out));
    if ((*out)->dtype == result && (one || clary_array_is_contiguous(*out))) return CLARY_OK;
    clary_array *wide = *out;
    clary_status status = clary_astype(wide, result, CLARY_CAST_UNSAFE, out);
    clary_release(&wide);
    return status;
}

clary_status clary__contract(const char *what, int count, const clary__term *terms, int n,
                             const unsigned char *labels, clary_array **out) {
    clary_array *arrays[CLARY__MAX_TERMS];
    problem p = {.what = what, .count = 0};
    *out = NULL;
    TRY(find_sizes(&p, count, terms));
    clary_dtype result = (clary_dtype)terms[0].a->dtype;
    for (int i = 0; i < count; i++) {
        arrays[i] = terms[i].a;
        result = clary_promote(result, (clary_dtype)terms[i].a->dtype);
    }
    TRY(clary__same_device(what, arrays, count));
    p.compute = clary__is_half(result) ? CLARY_FLOAT32 : result;
    for (; p.count < count; p.count++) {
        p.term[p.count] = terms[p.count];
        clary_retain(terms[p.count].a);
    }
    clary_status status = solve(&p, n, labels, result, out);
    for (int i = 0; i < p.count; i++) clary_release(&p.term[i].a);
    return status == CLARY_OK ? status : clary__fail_in(status, "%s", what);
}

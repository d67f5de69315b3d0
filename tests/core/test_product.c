/* test_product.c - matrix products on the reference executor, on groups made by hand, against the plain
 * definition: every dtype, any layout of operands and results, with and without an epilogue, on one thread
 * and on several. Elements are small integers, so that every sum is exact.
 */
#include "groups.h"
#include <complex.h>

typedef struct window {
    int64_t offset, span, strides[4];
} window;

/* The dims in a random order, some reversed, stretched or with gaps. */
static window random_window(const int64_t *extents, bool stretch) {
    window w = {.span = 1};
    int order[4] = {0, 1, 2, 3};
    for (int d = 3; d > 0; d--) {
        int k = (int)(check_random() % (uint64_t)(d + 1)), t = order[d];
        order[d] = order[k];
        order[k] = t;
    }
    for (int i = 0; i < 4; i++) {
        int d = order[i];
        if (stretch && check_random() % 5 == 0) continue; /* stride 0 */
        w.strides[d] = w.span + (int64_t)(check_random() % 2);
        w.span += w.strides[d] * (extents[d] - 1);
        if (check_random() % 3) continue;
        w.offset += w.strides[d] * (extents[d] - 1);
        w.strides[d] = -w.strides[d];
    }
    return w;
}

static void put(clary_dtype t, void *base, int64_t at, double re, double im) {
    clary_scalar s = {.kind = CLARY_SCALAR_COMPLEX, .re = re, .im = im};
    clary__scalar_store(s, t, (char *)base + (size_t)at * clary_dtype_size(t));
}

static int64_t at(const window *w, int64_t a, int64_t b, int64_t c, int64_t d) {
    return w->offset + a * w->strides[0] + b * w->strides[1] + c * w->strides[2] +
           d * w->strides[3];
}

static void test(clary_dtype t, const int64_t *shape, int64_t inner, bool epilogue, int threads) {
    clary_dtype sum = clary__is_half(t) ? CLARY_FLOAT32 : t;
    clary__group *g = group_new(CLARY__PRODUCT, 4, 4, shape);
    const int64_t ex[4] = {shape[0], shape[1], shape[2], inner};
    const int64_t ey[4] = {shape[0], shape[1], inner, shape[3]};
    window wx = random_window(ex, true), wy = random_window(ey, true);
    window wo = random_window(shape, false);
    size_t size = clary_dtype_size(t);
    void *x = calloc((size_t)wx.span, size), *y = calloc((size_t)wy.span, size);
    double complex *vx = calloc((size_t)wx.span, sizeof *vx),
                   *vy = calloc((size_t)wy.span, sizeof *vy);
    void *out = calloc((size_t)wo.span, clary_dtype_size(sum));
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < (k ? wy.span : wx.span); i++) {
            double re = (double)(check_random() % (t == CLARY_BOOL ? 2 : 4)), im = 0;
            if (clary__is_complex(t)) im = (double)(check_random() % 4) - 2;
            put(t, k ? y : x, i, re, im);
            (k ? vy : vx)[i] = re + im * I;
        }
    g->product = (clary__product){.dtype = t, .inner = inner};
    g->product.x.dtype = g->product.y.dtype = t;
    g->product.x.offset = wx.offset;
    g->product.y.offset = wy.offset;
    memcpy(g->product.x.strides, wx.strides, sizeof wx.strides);
    memcpy(g->product.y.strides, wy.strides, sizeof wy.strides);
    g->reduce_dtype = sum;
    int last = add_instr(g, CLARY__I_RESULT, sum, sum, 0, 0, 0, 0);
    if (epilogue) last = add_instr(g, CLARY__I_OP, sum, sum, op_named("add"), 0, 0, 0);
    add_output(g, last, wo.offset, wo.strides);
    clary__host_bases bases = {.outputs = {out}, .x = x, .y = y};
    CHECK_OK(clary__run_on_host(g, &bases, threads));
    char wanted[16];
    size_t bytes = clary_dtype_size(sum);
    int64_t wrong = 0;
    for (int64_t p = 0; p < g->points; p++) {
        int64_t c = p % shape[3], r = p / shape[3] % shape[2];
        int64_t b = p / (shape[3] * shape[2]) % shape[1], a = p / (shape[3] * shape[2] * shape[1]);
        double complex s = 0;
        for (int64_t k = 0; k < inner; k++) {
            double complex u = vx[at(&wx, a, b, r, k)], v = vy[at(&wy, a, b, k, c)];
            s += u * v;
        }
        if (epilogue) s += s;
        if (t == CLARY_BOOL) s = creal(s) > 0;
        memset(wanted, 0, sizeof wanted);
        clary_scalar integer = {.kind = CLARY_SCALAR_INT, .i = (int64_t)creal(s)};
        if (clary__is_complex(sum) || sum == CLARY_FLOAT32 || sum == CLARY_FLOAT64)
            put(sum, wanted, 0, creal(s), cimag(s));
        else
            clary__scalar_store(integer, sum, wanted); /* wraps */
        /* compared as numbers: zeros have either sign */
        const char *got = (const char *)out + (size_t)at(&wo, a, b, r, c) * bytes;
        clary_scalar one = clary__scalar_load(got, sum), two = clary__scalar_load(wanted, sum);
        wrong += memcmp(got, wanted, bytes) != 0 &&
                 !(one.re == two.re && one.im == two.im && one.i == two.i && one.u == two.u);
    }
    CHECK_MSG(wrong == 0, "%s %lldx%lldx%lld, %d threads: %lld of %lld elements are wrong",
              clary_dtype_name(t), (long long)shape[2], (long long)inner, (long long)shape[3],
              threads, (long long)wrong, (long long)g->points);
    free(x), free(y), free(vx), free(vy), free(out), free(g);
}

int main(void) {
    static const int64_t extents[] = {1, 2, 3, 5, 31, 32, 33, 64, 65, 127, 128, 131};
    static const int64_t inners[] = {1, 2, 31, 255, 256, 257, 521};
    for (int t = 0; t < CLARY_DTYPE_COUNT; t++)
        for (int round = 0; round < 12; round++) {
            int64_t shape[4] = {1 + (int64_t)(check_random() % 2),
                                1 + (int64_t)(check_random() % 3), extents[check_random() % 12],
                                extents[check_random() % 12]};
            test((clary_dtype)t, shape, inners[check_random() % 7], round % 3 == 2, 1 + round % 4);
        }
    return check_done();
}

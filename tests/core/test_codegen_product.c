/* test_codegen_product.c - the kernel of matrix products against plain loops in double or whole numbers. */
#include "device_groups.h"
#include "opencl/opencl.h"

static unsigned char *factors[2];
static size_t factor_bytes[2];

/* Small numbers, whole ones for integers: some negative. */
static void fill_small(unsigned char *to, clary_dtype t, size_t count) {
    for (size_t i = 0; i < count; i++) {
        clary_scalar s = {.kind = CLARY_SCALAR_COMPLEX};
        s.re = check_random_real(-2, 2);
        if (clary__is_complex(t)) s.im = check_random_real(-2, 2);
        if (clary__is_float(t)) s.kind = CLARY_SCALAR_FLOAT;
        if (clary__is_integer(t)) {
            s.kind = CLARY_SCALAR_INT;
            s.i = (int64_t)check_random() >> (check_random() % 64);
        }
        if (t == CLARY_BOOL) {
            s.kind = CLARY_SCALAR_INT;
            s.i = check_random() % 16 == 0;
        }
        clary__scalar_store(s, t, to + i * clary_dtype_size(t));
    }
}

/* Lays out one factor over the dims `shape` by memory layout `how`. */
static void add_factor(int n, clary_dtype t, layout how, const int64_t *shape, bool swapped) {
    clary__operand *o = n ? &g.product.y : &g.product.x;
    int64_t kept[4];
    int order[] = {0, 1, swapped ? 3 : 2, swapped ? 2 : 3};
    memcpy(kept, g.shape, sizeof kept);
    memcpy(g.shape, shape, sizeof kept);
    int64_t span = lay_out(o, how, 4, order);
    memcpy(g.shape, kept, sizeof kept);
    o->dtype = t;
    factor_bytes[n] = (size_t)span * clary_dtype_size(t);
    free(factors[n]);
    factors[n] = malloc(factor_bytes[n]);
    fill_small(factors[n], t, (size_t)span);
}

static void begin_product(clary_dtype t, const int64_t *shape, int64_t inner, layout x, bool xt,
                          layout y, bool yt) {
    begin(CLARY__PRODUCT, 4, 4, shape);
    g.product.dtype = t;
    g.product.inner = inner;
    g.reduce_dtype = clary__is_half(t) ? CLARY_FLOAT32 : t;
    add_factor(0, t, x, (const int64_t[]){shape[0], shape[1], shape[2], inner}, xt);
    add_factor(1, t, y, (const int64_t[]){shape[0], shape[1], inner, shape[3]}, yt);
    uint8_t r = (uint8_t)g.reduce_dtype;
    g.split = add_instr((clary__instr){CLARY__I_RESULT, r, r, 0, 0, 0, 0});
}

typedef struct element {
    uint64_t whole; /* integers, modulo 2^64; bool */
    double re, im, size;
} element;

static uint64_t whole(clary_scalar s) {
    return s.kind == CLARY_SCALAR_UINT ? s.u : (uint64_t)s.i;
}

static const unsigned char *factor_at(int n, const int64_t *c) {
    const clary__operand *o = n ? &g.product.y : &g.product.x;
    int64_t at = o->offset;
    for (int d = 0; d < 4; d++) at += c[d] * o->strides[d];
    return factors[n] + at * (int64_t)clary_dtype_size(o->dtype);
}

static element expected(const int64_t *c) {
    element e = {0};
    clary_dtype t = g.product.dtype;
    for (int64_t k = 0; k < g.product.inner; k++) {
        clary_scalar x =
            clary__scalar_load(factor_at(0, (const int64_t[]){c[0], c[1], c[2], k}), t);
        clary_scalar y =
            clary__scalar_load(factor_at(1, (const int64_t[]){c[0], c[1], k, c[3]}), t);
        if (t == CLARY_BOOL)
            e.whole |= whole(x) & whole(y);
        else
            e.whole += whole(x) * whole(y);
        double xi = clary__is_complex(t) ? x.im : 0, yi = clary__is_complex(t) ? y.im : 0;
        e.re += x.re * y.re - xi * yi;
        e.im += x.re * yi + xi * y.re;
        e.size += (fabs(x.re) + fabs(xi)) * (fabs(y.re) + fabs(yi));
    }
    return e;
}

static double tolerance(clary_dtype t) {
    return t == CLARY_FLOAT64 || t == CLARY_COMPLEX128 ? 1e-14 : 2e-6;
}

static bool run_product(unsigned char **got) {
    bool good = true;
    clary__operand *both[] = {&g.product.x, &g.product.y};
    for (int n = 0; n < 2; n++)
        good = good && CHECK_OK(clary__buffer_new(device, factor_bytes[n], &both[n]->buffer)) &&
               CHECK_OK(device->backend->upload(device, both[n]->buffer, 0, factors[n],
                                                factor_bytes[n]));
    for (int i = 0; i < g.ninputs; i++)
        good =
            good && CHECK_OK(clary__buffer_new(device, bytes[i], &g.inputs[i].buffer)) &&
            CHECK_OK(device->backend->upload(device, g.inputs[i].buffer, 0, memory[i], bytes[i]));
    size_t n = bytes[CLARY__MAX_INPUTS];
    *got = malloc(n);
    memset(*got, 0xA5, n);
    good = good && CHECK_OK(clary__buffer_new(device, n, &g.outputs[0].buffer)) &&
           CHECK_OK(device->backend->upload(device, g.outputs[0].buffer, 0, *got, n)) &&
           CHECK_OK(clary__codegen_run(device, &g, clary__cl_launch)) &&
           CHECK_OK(device->backend->download(device, g.outputs[0].buffer, 0, *got, n));
    for (int i = 0; i < 2; i++) clary__buffer_release(both[i]->buffer);
    for (int i = 0; i < g.ninputs; i++) clary__buffer_release(g.inputs[i].buffer);
    clary__buffer_release(g.outputs[0].buffer);
    return good;
}

/* The epilogue of test_epilogue(), on its inputs' bytes. */
static double finished(element e, const int64_t *c) {
    float scale, bias;
    int64_t at = g.inputs[0].offset;
    for (int d = 0; d < 4; d++) at += c[d] * g.inputs[0].strides[d];
    memcpy(&bias, memory[0] + 4 * at, 4);
    memcpy(&scale, g.scalars[0], 4);
    return fmax(e.re * scale + bias, 0);
}

/* Every element, and that nothing between them was touched. */
static void check_product(bool epilogue) {
    unsigned char *got;
    char text[2000];
    describe(text, sizeof text, clary_dtype_name(g.product.dtype));
    bool ran = run_product(&got);
    CHECK_MSG(ran, "%s", text);
    const clary__operand *o = &g.outputs[0];
    size_t size = clary_dtype_size(o->dtype), total = bytes[CLARY__MAX_INPUTS];
    unsigned char *touched = calloc(1, total);
    int64_t c[4], wrong = 0, count = 0;
    for (c[0] = 0; c[0] < g.shape[0]; c[0]++)
        for (c[1] = 0; c[1] < g.shape[1]; c[1]++)
            for (c[2] = 0; c[2] < g.shape[2]; c[2]++)
                for (c[3] = 0; c[3] < g.shape[3]; c[3]++) {
                    int64_t at = o->offset;
                    for (int d = 0; d < 4; d++) at += c[d] * o->strides[d];
                    memset(touched + at * (int64_t)size, 1, size);
                    if (count++ % (g.points / 4000 + 1)) continue;
                    element e = expected(c);
                    clary_scalar s = clary__scalar_load(got + at * (int64_t)size, o->dtype);
                    double most = tolerance(g.product.dtype) * (e.size + 1);
                    if (epilogue) {
                        e.re = finished(e, c);
                        most = most * 4 + 1e-3 * e.re;
                    }
                    if (clary__is_float(o->dtype))
                        wrong += !(fabs(s.re - e.re) <= most);
                    else if (clary__is_complex(o->dtype))
                        wrong += !(fabs(s.re - e.re) <= most && fabs(s.im - e.im) <= most);
                    else
                        wrong += memcmp(got + at * (int64_t)size, &e.whole, size) != 0;
                }
    for (size_t i = 0; i < total; i++) wrong += !touched[i] && got[i] != 0xA5;
    CHECK_MSG(wrong == 0, "%d wrong, k %d: %s", (int)wrong, (int)g.product.inner, text);
    free(touched);
    free(got);
}

static void plain(clary_dtype t, int64_t m, int64_t n, int64_t k, bool xt, bool yt) {
    begin_product(t, (const int64_t[]){1, 1, m, n}, k, CONTIGUOUS, xt, CONTIGUOUS, yt);
    store(0, CONTIGUOUS);
    check_product(false);
}

static void test_sizes(void) {
    SECTION("sizes");
    static const int64_t sizes[] = {1, 2, 31, 32, 33, 65, 127, 128, 129};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j += 2) {
            plain(CLARY_FLOAT32, sizes[i], sizes[j], sizes[(i + j) % COUNT], i & 1, i & 2);
            plain(CLARY_FLOAT32, sizes[j], sizes[(i + j) % COUNT], sizes[i], i & 2, j & 2);
        }
    plain(CLARY_FLOAT32, 700, 1030, 17, false, false); /* the large tile */
    plain(CLARY_FLOAT64, 513, 300, 33, true, false);
}

static void test_dtypes(void) {
    SECTION("dtypes");
    for (int t = 0; t < CLARY_DTYPE_COUNT; t++) {
        plain((clary_dtype)t, 33, 65, 31, false, false);
        plain((clary_dtype)t, 70, 37, 129, true, true);
    }
}

static void test_layouts(void) {
    SECTION("layouts and batches");
    for (int round = 0; round < 40; round++) {
        int64_t shape[] = {check_random_int(1, 3), check_random_int(1, 3), check_random_int(1, 70),
                           check_random_int(1, 70)};
        clary_dtype t =
            (clary_dtype[]){CLARY_FLOAT32, CLARY_INT16, CLARY_COMPLEX64, CLARY_FLOAT16}[round % 4];
        begin_product(t, shape, check_random_int(1, 40), (layout)check_random_int(0, LAYOUTS - 1),
                      check_random() % 2, (layout)check_random_int(0, LAYOUTS - 1),
                      check_random() % 2);
        store(0, (layout)check_random_int(0, PERMUTED));
        check_product(false);
    }
}

/* float16(maximum(product * scale + bias, 0)), with a bias of any layout. */
static void test_epilogue(void) {
    SECTION("epilogue");
    special = 0;
    for (int how = 0; how < LAYOUTS; how++) {
        begin_product(CLARY_FLOAT32, (const int64_t[]){2, 1, 37, 66}, 21, CONTIGUOUS, how & 1,
                      CONTIGUOUS, how & 2);
        int bias = load(CLARY_FLOAT32, (layout)how), scale = scalar(CLARY_FLOAT32);
        int value = op(CLARY_OP_add, op(CLARY_OP_multiply, 0, scale), bias);
        int zero = scalar(CLARY_FLOAT32);
        memset(g.scalars[1], 0, 4);
        store(cast(op(CLARY_OP_maximum, value, zero), CLARY_FLOAT16), (layout)(how % BROADCAST));
        check_product(true);
    }
}

static void test_wide(void) {
    SECTION("64-bit indices");
    begin_product(CLARY_FLOAT32, (const int64_t[]){1, 2, 35, 34}, 19, PERMUTED, false, REVERSED,
                  true);
    store(0, CONTIGUOUS);
    g.product.x.strides[0] = INT64_C(1) << 33; /* of extent 1: not far */
    check_product(false);
    pretend_far();
    g.inputs[0].strides[3] = INT64_C(1) << 33;
    check_product(false);
}

int main(void) {
    if (!open_device()) return CHECK_SKIPPED;
    clary__lock();
    test_sizes();
    test_dtypes();
    test_layouts();
    test_epilogue();
    test_wide();
    clary__unlock();
    begin(CLARY__MAP, 0, 0, NULL); /* frees what the last group held */
    for (int n = 0; n < 2; n++) free(factors[n]);
    clary_device_release(&device);
    return check_done();
}

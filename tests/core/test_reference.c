/* test_reference.c - the reference executor, on groups made by hand, against straightforward code.
 *
 * Layouts: whatever the strides, an operation gives the bits it gives on single points. Orders: sums and
 * scans have the bits of the definition in group.h, written here as directly as possible, for lengths
 * around every boundary, by rows and by columns, on one thread and on several.
 */
#include "groups.h"

/* ---- groups ---- */

/* A random layout of the dims [first, last): permuted, with gaps, reversed, broadcast if allowed.
 * Returns the elements it spans; *offset is where point 0 lies. */
static int64_t random_layout(int first, int last, const int64_t *shape, bool broadcast,
                             int64_t *strides, int64_t *offset) {
    int order[CLARY_MAX_NDIM];
    int64_t span = 1;
    for (int d = first; d < last; d++) order[d] = d;
    for (int d = last - 1; d > first && check_random() % 2; d--) {
        int k = first + (int)(check_random() % (uint64_t)(d - first + 1)), t = order[d];
        order[d] = order[k];
        order[k] = t;
    }
    *offset = 0;
    for (int i = last - 1; i >= first; i--) {
        int d = order[i];
        int64_t step = span * (check_random() % 3 ? 1 : 2);
        if (broadcast && check_random() % 4 == 0) {
            strides[d] = 0;
            continue;
        }
        strides[d] = step;
        if (check_random() % 4 == 0) {
            strides[d] = -step;
            *offset += step * (shape[d] - 1);
        }
        span = step * (shape[d] - 1) + span;
        if (check_random() % 2) span += 1;
    }
    return span;
}

static int64_t random_extent(void) {
    static const int64_t extents[] = {1,  2,   3,   5,   7,   16,   31,   32,
                                      33, 127, 255, 256, 257, 1023, 1024, 1025};
    return extents[check_random() % 16];
}

static int64_t element_at(const clary__group *g, const clary__operand *x, int64_t point) {
    int64_t at = x->offset;
    for (int d = g->ndim - 1; d >= 0; d--) {
        at += point % g->shape[d] * x->strides[d];
        point /= g->shape[d];
    }
    return at;
}

/* ---- element-wise ---- */

/* What the rules say of argument i of op with compute dtype t. */
static clary_dtype argument_dtype(const clary_op_info *info, int i, clary_dtype t) {
    if (i == 0 && !strcmp(info->rule, "SELECT")) return CLARY_BOOL;
    if (i == 1 && !strcmp(info->rule, "F_SHIFT")) return CLARY_INT32;
    return t;
}

static clary_dtype result_dtype(clary_op op, const clary_op_info *info, clary_dtype t) {
    clary_dtype inputs[3], compute, result;
    for (int i = 0; i < 3; i++) inputs[i] = argument_dtype(info, i, t);
    if (!CHECK_OK(clary_op_dtypes(op, inputs, NULL, &compute, &result))) return t;
    CHECK_MSG(compute == t, "%s computes %s in %s", info->name, clary_dtype_name(t),
              clary_dtype_name(compute));
    return result;
}

static void test_layouts_of(clary_op op, clary_dtype t) {
    clary_op_info info;
    CHECK_OK(clary_get_op_info(op, &info));
    clary_dtype result = result_dtype(op, &info, t);
    int ndim = (int)(check_random() % 4);
    int64_t shape[4], points = 1;
    for (int d = 0; d < ndim; d++) {
        shape[d] = random_extent();
        while (shape[d] > 1 && points * shape[d] > 5000) shape[d] = 1 + shape[d] / 3;
        points *= shape[d];
    }
    clary__group *g = group_new(CLARY__MAP, ndim, ndim, shape);
    clary__host_bases bases;
    void *blocks[4];
    int args[3] = {0};
    for (int i = 0; i < info.arity; i++) {
        int64_t strides[4], offset, span = random_layout(0, ndim, shape, true, strides, &offset);
        clary_dtype a = argument_dtype(&info, i, t);
        bases.inputs[i] = blocks[i] = malloc((size_t)span * clary_dtype_size(a));
        random_elements(a, span, blocks[i]);
        args[i] = add_load(g, a, offset, strides);
    }
    int value = add_instr(g, CLARY__I_OP, t, result, op, args[0], args[1], args[2]);
    g->split = g->ninstr;
    int64_t strides[4], offset, span = random_layout(0, ndim, shape, false, strides, &offset);
    size_t size = clary_dtype_size(result);
    bases.outputs[0] = blocks[3] = malloc((size_t)span * size);
    memset(blocks[3], 0xa5, (size_t)span * size);
    add_output(g, value, offset, strides);
    CHECK_OK(clary__run_on_host(g, &bases, 2));

    /* The same, point by point. */
    clary__group *one = group_new(CLARY__MAP, 0, 0, shape);
    clary__host_bases one_bases;
    char out[16];
    one->ninstr = one->split = g->ninstr, one->ninputs = g->ninputs, one->noutputs = 1;
    memcpy(one->instr, g->instr, sizeof g->instr);
    one->outputs[0] = (clary__operand){.dtype = result, .instr = (uint16_t)value};
    one_bases.outputs[0] = out;
    for (int64_t p = 0; p < points; p++) {
        for (int i = 0; i < info.arity; i++) {
            one->inputs[i] = (clary__operand){.dtype = g->inputs[i].dtype};
            one_bases.inputs[i] =
                (char *)blocks[i] +
                element_at(g, &g->inputs[i], p) * (int64_t)clary_dtype_size(g->inputs[i].dtype);
        }
        CHECK_OK(clary__run_on_host(one, &one_bases, 1));
        const char *got = (char *)blocks[3] + element_at(g, &g->outputs[0], p) * (int64_t)size;
        if (memcmp(got, out, size)) {
            clary_scalar a = clary__scalar_load(got, result), b = clary__scalar_load(out, result);
            bool both_nan = (a.re != a.re && b.re != b.re) || (a.im != a.im && b.im != b.im);
            if (!CHECK_MSG(both_nan,
                           "%s %s: point %" PRId64 " of %" PRId64 ": %g%+gj %" PRId64
                           " or %g%+gj %" PRId64,
                           info.name, clary_dtype_name(t), p, points, a.re, a.im, a.i, b.re, b.im,
                           b.i))
                break;
        }
    }
    for (int i = 0; i < info.arity; i++) free(blocks[i]);
    free(blocks[3]);
    free(one);
    free(g);
}

static void test_layouts(void) {
    SECTION("layouts");
    for (int op = 0; op < CLARY_OP_COUNT; op++)
        for (int t = 0; t < CLARY_DTYPE_COUNT; t++)
            if (clary__op_expression((clary_op)op, clary_dtype_kind((clary_dtype)t))) {
                clary_op_info info;
                clary_get_op_info((clary_op)op, &info);
                if (!strcmp(info.rule, "BITS") && t != CLARY_UINT64) continue;
                if (!strcmp(info.rule, "FLOAT64") && t != CLARY_FLOAT64 && t != CLARY_COMPLEX128)
                    continue;
                test_layouts_of((clary_op)op, (clary_dtype)t);
            }
}

/* Several outputs, a value used twice, a scalar, an index map, casts, and an output in place. */
static void test_programs(void) {
    SECTION("programs");
    for (int64_t n = 1; n < 5000; n = n * 3 + 1) {
        clary__group *g = group_new(CLARY__MAP, 1, 1, &n);
        int64_t step = 1;
        float *x = malloc((size_t)n * 4), *was = malloc((size_t)n * 4);
        int64_t *y = malloc((size_t)n * 8);
        uint16_t *h = malloc((size_t)n * 2);
        for (int64_t k = 0; k < n; k++) was[k] = x[k] = (float)check_random_real(-100, 100);
        memset(y, 0xa5, (size_t)n * 8);
        memset(h, 0xa5, (size_t)n * 2);

        int a = add_load(g, CLARY_FLOAT32, 0, &step);
        float three = 3;
        memcpy(g->scalars[g->nscalars], &three, 4);
        int s = add_instr(g, CLARY__I_SCALAR, CLARY_FLOAT32, CLARY_FLOAT32, 0, g->nscalars++, 0, 0);
        g->indices[0] = (clary__operand){.dtype = CLARY_INT64, .offset = 5, .strides = {2}};
        g->nindices = 1;
        int i = add_instr(g, CLARY__I_INDEX, CLARY_INT64, CLARY_INT64, 0, 0, 0, 0);
        int b =
            add_instr(g, CLARY__I_OP, CLARY_FLOAT32, CLARY_FLOAT32, op_named("multiply"), a, s, 0);
        int c = add_instr(g, CLARY__I_OP, CLARY_FLOAT32, CLARY_FLOAT32, op_named("add"), b, b, 0);
        int w = add_instr(g, CLARY__I_CAST, CLARY_FLOAT32, CLARY_INT64, 0, c, 0, 0);
        int d = add_instr(g, CLARY__I_OP, CLARY_INT64, CLARY_INT64, op_named("add"), w, i, 0);
        int e = add_instr(g, CLARY__I_CAST, CLARY_FLOAT32, CLARY_FLOAT16, 0, a, 0, 0);
        g->split = g->ninstr;
        g->in_place = true;
        add_output(g, c, 0, &step);
        add_output(g, d, 0, &step);
        add_output(g, e, 0, &step);
        clary__host_bases bases = {.inputs = {x}, .outputs = {x, y, h}};
        CHECK_OK(clary__run_on_host(g, &bases, 2));
        for (int64_t k = 0; k < n; k++) {
            float product = was[k] * 3, sum = product + product;
            if (!CHECK_MSG(x[k] == sum && y[k] == (int64_t)sum + 5 + 2 * k &&
                               h[k] == clary__f32_to_f16(was[k]),
                           "point %" PRId64 " of %" PRId64, k, n))
                break;
        }
        free(x), free(was), free(y), free(h), free(g);
    }
}

/* Runs one instruction over dense arrays. */
static void run_alone(const clary__instr *in, int arity, int64_t n, const clary_dtype *types,
                      void *const *args, void *out) {
    const int64_t step = 1;
    clary__group *g = group_new(CLARY__MAP, 1, 1, &n);
    clary__host_bases bases;
    for (int k = 0; k < arity; k++) {
        add_load(g, types[k], 0, &step);
        bases.inputs[k] = args[k];
    }
    add_instr(g, (clary__code)in->code, (clary_dtype)in->in, (clary_dtype)in->dtype, in->op, 0, 1,
              2);
    g->split = g->ninstr;
    add_output(g, arity, 0, &step);
    bases.outputs[0] = out;
    CHECK_OK(clary__run_on_host(g, &bases, 1));
    free(g);
}

/* A random program gives the bits of its instructions one by one. */
static void test_chain(void) {
    int64_t n = random_extent() * (check_random() % 4 ? 1 : 5), step = 1;
    clary__group *g = group_new(CLARY__MAP, 1, 1, &n);
    clary__host_bases bases;
    void *value[64];
    int count = 4 + (int)(check_random() % 20);
    while (g->ninstr < count) {
        int i = g->ninstr;
        if (i < 2 || (i < 8 && check_random() % 4 == 0)) {
            clary_dtype t = (clary_dtype)(check_random() % CLARY_DTYPE_COUNT);
            value[i] = malloc((size_t)n * 16);
            random_elements(t, n, value[i]);
            bases.inputs[g->ninputs] = value[i];
            add_load(g, t, 0, &step);
            continue;
        }
        clary_op op = (clary_op)(check_random() % CLARY_OP_COUNT);
        clary_op_info info;
        clary_get_op_info(op, &info);
        clary_dtype in[3], compute, result;
        int args[3];
        for (int k = 0; k < info.arity; k++) {
            args[k] = (int)(check_random() % (uint64_t)i);
            in[k] = (clary_dtype)g->instr[args[k]].dtype;
        }
        if (clary_op_dtypes(op, in, NULL, &compute, &result)) continue;
        for (int k = 0; k <= info.arity; k++) {
            bool last = k == info.arity;
            clary_dtype wanted = last ? result : argument_dtype(&info, k, compute);
            if (!last && wanted == in[k]) continue;
            int now = g->ninstr;
            value[now] = malloc((size_t)n * 16);
            if (last) {
                add_instr(g, CLARY__I_OP, compute, result, op, args[0],
                          info.arity > 1 ? args[1] : 0, info.arity > 2 ? args[2] : 0);
                clary_dtype types[3];
                void *at[3];
                for (int j = 0; j < info.arity; j++) {
                    types[j] = (clary_dtype)g->instr[args[j]].dtype;
                    at[j] = value[args[j]];
                }
                run_alone(&g->instr[now], info.arity, n, types, at, value[now]);
            } else {
                add_instr(g, CLARY__I_CAST, in[k], wanted, 0, args[k], 0, 0);
                run_alone(&g->instr[now], 1, n, &in[k], &value[args[k]], value[now]);
                args[k] = now;
            }
        }
    }
    g->split = g->ninstr;
    void *out[CLARY__MAX_OUTPUTS];
    int noutputs = 1 + (int)(check_random() % CLARY__MAX_OUTPUTS);
    for (int o = 0; o < noutputs; o++) {
        add_output(g, o ? (int)(check_random() % (uint64_t)g->ninstr) : g->ninstr - 1, 0, &step);
        bases.outputs[o] = out[o] = malloc((size_t)n * 16);
        memset(out[o], 0xa5, (size_t)n * 16);
    }
    CHECK_OK(clary__run_on_host(g, &bases, 2));
    for (int o = 0; o < noutputs; o++) {
        int i = g->outputs[o].instr;
        CHECK_MSG(
            !memcmp(out[o], value[i], (size_t)n * clary_dtype_size((clary_dtype)g->instr[i].dtype)),
            "output %d of %d instructions on %" PRId64 " points", o, g->ninstr, n);
        free(out[o]);
    }
    for (int i = 0; i < g->ninstr; i++) free(value[i]);
    free(g);
}

/* ---- reductions and scans: the definition ---- */

static float f32_op(int op, float a, float b) {
    if (op == CLARY_OP_add) return a + b;
    if (op == CLARY_OP_multiply) return a * b;
    return a >= b || a != a ? a : b;
}

static float reduce_f32(int op, const float *x, int64_t n) {
    int64_t blocks = (n + 16383) / 16384;
    float *results = malloc((size_t)blocks * sizeof *results), result;
    for (int64_t b = 0; b < blocks; b++) {
        const float *v = x + b * 16384;
        int64_t m = n - b * 16384 < 16384 ? n - b * 16384 : 16384;
        float lane[1024];
        bool has[1024] = {false};
        for (int64_t k = 0; k < m; k++) {
            lane[k % 1024] = has[k % 1024] ? f32_op(op, lane[k % 1024], v[k]) : v[k];
            has[k % 1024] = true;
        }
        for (int half = 512; half >= 1; half /= 2)
            for (int l = 0; l < half; l++)
                if (has[l + half]) lane[l] = f32_op(op, lane[l], lane[l + half]);
        results[b] = lane[0];
    }
    result = blocks == 1 ? results[0] : reduce_f32(op, results, blocks);
    free(results);
    return result;
}

static void scan_f32(int op, const float *x, int64_t n, float *out) {
    int64_t runs = (n + 15) / 16;
    for (int64_t k = 0; k < n; k++) out[k] = k % 16 ? f32_op(op, out[k - 1], x[k]) : x[k];
    if (runs <= 1) return;
    float *totals = malloc((size_t)runs * sizeof *totals),
          *before = malloc((size_t)runs * sizeof *before);
    for (int64_t r = 0; r < runs; r++) totals[r] = out[r * 16 + 15 < n ? r * 16 + 15 : n - 1];
    scan_f32(op, totals, runs, before);
    for (int64_t k = 16; k < n; k++) out[k] = f32_op(op, before[k / 16 - 1], out[k]);
    free(totals);
    free(before);
}

/* Reduces or scans float32 of shape kept + reduced in a random layout, with y = 2 x in front and
 * z = y + w behind (w differs for each kept point). */
static void test_order_of(clary__pattern pattern, int op, int nkeep, int ndim, const int64_t *shape,
                          int threads) {
    clary__group *g = group_new(pattern, ndim, nkeep, shape);
    int64_t strides[4] = {0}, offset, n = 1, kept = 1;
    for (int d = 0; d < ndim; d++) *(d < nkeep ? &kept : &n) *= shape[d];
    int64_t span = random_layout(0, ndim, shape, false, strides, &offset);
    float *x = malloc((size_t)span * 4), *w = malloc((size_t)kept * 4), two = 2;
    for (int64_t k = 0; k < span; k++) x[k] = (float)check_random_real(-1, 1.5);
    for (int64_t k = 0; k < kept; k++) w[k] = (float)k;
    if (check_random() % 8 == 0) x[check_random() % (uint64_t)span] = NAN;

    int a = add_load(g, CLARY_FLOAT32, offset, strides);
    memcpy(g->scalars[0], &two, 4);
    g->nscalars = 1;
    int s = add_instr(g, CLARY__I_SCALAR, CLARY_FLOAT32, CLARY_FLOAT32, 0, 0, 0, 0);
    g->reduce_arg =
        add_instr(g, CLARY__I_OP, CLARY_FLOAT32, CLARY_FLOAT32, CLARY_OP_multiply, a, s, 0);
    g->split = add_instr(g, CLARY__I_RESULT, CLARY_FLOAT32, CLARY_FLOAT32, 0, 0, 0, 0);
    g->reduce_op = op;
    g->reduce_dtype = CLARY_FLOAT32;
    int64_t per_kept[4] = {0}, whole[4] = {0};
    c_strides(0, nkeep, shape, per_kept);
    c_strides(0, ndim, shape, whole);
    int b = add_load(g, CLARY_FLOAT32, 0, per_kept);
    int z = add_instr(g, CLARY__I_OP, CLARY_FLOAT32, CLARY_FLOAT32, CLARY_OP_add, g->split, b, 0);
    bool scan = pattern == CLARY__SCAN;
    int64_t results = scan ? kept * n : kept;
    float *out = malloc((size_t)results * 4), *row = malloc((size_t)n * 4),
          *wanted = malloc((size_t)n * 4);
    memset(out, 0xa5, (size_t)results * 4);
    add_output(g, z, 0, scan ? whole : per_kept);
    clary__host_bases bases = {.inputs = {x, w}, .outputs = {out}};
    CHECK_OK(clary__run_on_host(g, &bases, threads));

    for (int64_t j = 0; j < kept; j++) {
        for (int64_t k = 0; k < n; k++) row[k] = 2 * x[element_at(g, &g->inputs[0], j * n + k)];
        if (scan)
            scan_f32(op, row, n, wanted);
        else
            wanted[0] = reduce_f32(op, row, n);
        bool good = true;
        for (int64_t k = 0; k < (scan ? n : 1) && good; k++) {
            float v = wanted[k] + w[j], got = out[scan ? j * n + k : j];
            good = CHECK_MSG(!memcmp(&v, &got, 4) || (v != v && got != got),
                             "op %d, kept %" PRId64 " of %" PRId64 ", k %" PRId64 " of %" PRId64
                             ": %.9g, not %.9g",
                             op, j, kept, k, n, (double)got, (double)v);
        }
        if (!good) break;
    }
    free(x), free(w), free(out), free(row), free(wanted), free(g);
}

static void test_orders(void) {
    static const int64_t lengths[] = {1,     2,     3,     4,     5,     15,    16,    17,    31,
                                      33,    100,   255,   256,   257,   271,   511,   513,   1023,
                                      1024,  1025,  2047,  4095,  4096,  4097,  8191,  16383, 16384,
                                      16385, 20000, 32768, 32769, 65535, 65536, 65537, 100003};
    static const int ops[] = {CLARY_OP_add, CLARY_OP_multiply, CLARY_OP_maximum};
    for (int pass = 0; pass < 2; pass++) {
        clary__pattern pattern = pass ? CLARY__SCAN : CLARY__REDUCE;
        SECTION(pass ? "scan order" : "reduction order");
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            int64_t n = lengths[i];
            for (int layout = 0; layout < 6; layout++) {
                int64_t kept =
                    layout == 0 ? 1 : 1 + (int64_t)(check_random() % (uint64_t)(200000 / n + 2));
                int64_t shape[4] = {1 + kept / 7, kept < 7 ? kept : 7, n, 1};
                int op = ops[check_random() % 3], threads = 1 + layout % 3, reduced = 1;
                if (!pass && n % 4 == 0 && layout % 2) shape[2] = n / 4, shape[3] = 4, reduced = 2;
                if (kept == 1)
                    test_order_of(pattern, op, 0, reduced, shape + 2, threads);
                else
                    test_order_of(pattern, op, 2, 2 + reduced, shape, threads);
            }
        }
        int64_t long_row[] = {1500007}, columns[] = {3, 300000};
        test_order_of(pattern, CLARY_OP_add, 0, 1, long_row, 1);
        test_order_of(pattern, CLARY_OP_add, 0, 1, long_row, 2);
        test_order_of(pattern, CLARY_OP_add, 1, 2, columns, 2);
    }
}

/* argmax and argmin: NaN first, then value, then the smaller index. */
static void test_arg(void) {
    SECTION("argmax");
    for (int round = 0; round < 300; round++) {
        int64_t n = round < 100 ? 1 + round : 1 + (int64_t)(check_random() % 40000);
        int64_t kept = 1 + (int64_t)(check_random() % 20), shape[2] = {kept, n}, strides[2], offset;
        bool max = check_random() % 2;
        clary__group *g = group_new(CLARY__REDUCE, 2, 1, shape);
        int64_t span = random_layout(0, 2, shape, false, strides, &offset), per_kept[2] = {1, 0};
        double *x = malloc((size_t)span * 8);
        for (int64_t k = 0; k < span; k++) x[k] = (double)check_random_int(-50, 50);
        if (check_random() % 2) x[check_random() % (uint64_t)span] = NAN;
        if (check_random() % 2) x[check_random() % (uint64_t)span] = NAN;
        g->reduce_arg = add_load(g, CLARY_FLOAT64, offset, strides);
        g->split = add_instr(g, CLARY__I_RESULT, CLARY_INT64, CLARY_INT64, 0, 0, 0, 0);
        g->reduce_op = max ? CLARY__ARGMAX : CLARY__ARGMIN;
        g->reduce_dtype = CLARY_FLOAT64;
        int64_t out[20];
        memset(out, 0xa5, sizeof out);
        add_output(g, g->split, 0, per_kept);
        clary__host_bases bases = {.inputs = {x}, .outputs = {out}};
        CHECK_OK(clary__run_on_host(g, &bases, 1 + round % 3));
        for (int64_t j = 0; j < kept; j++) {
            int64_t best = 0;
            double top = x[element_at(g, &g->inputs[0], j * n)];
            for (int64_t k = 1; k < n; k++) {
                double v = x[element_at(g, &g->inputs[0], j * n + k)];
                if (top == top && (v != v || (max ? v > top : v < top))) top = v, best = k;
            }
            CHECK_INT(out[j], best);
        }
        free(x);
        free(g);
    }
}

int main(void) {
    test_layouts();
    test_programs();
    SECTION("chains");
    for (int k = 0; k < 2000; k++) test_chain();
    test_orders();
    test_arg();
    return check_done();
}

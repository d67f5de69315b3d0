/* test_codegen.c - generated kernels against the reference executor, bit for bit.
 * How groups are built and compared is in device_groups.h.
 */
#include "device_groups.h"

/* ---- element-wise ---- */

static const int64_t sizes[] = {1,    2,    31,   32,   33,    255,   256,   257,    1023,  1024,
                                1025, 4095, 4096, 4097, 16383, 16384, 16385, 100003, 300000};
enum { NSIZES = sizeof sizes / sizeof *sizes };

static void test_map_sizes(void) {
    SECTION("map, sizes");
    special = 0.05;
    for (int t = 0; t < CLARY_DTYPE_COUNT; t++) {
        clary_op first = any_op((clary_dtype)t), second = any_op((clary_dtype)t);
        for (int n = 0; n < NSIZES; n++) {
            begin(CLARY__MAP, 1, 1, &sizes[n]);
            int x = load((clary_dtype)t, CONTIGUOUS), y = load((clary_dtype)t, CONTIGUOUS);
            store(op(second, op(first, x, y), scalar((clary_dtype)t)), CONTIGUOUS);
            check_group();
        }
    }
}

static void test_map_random(int rounds) {
    SECTION("map, random");
    special = 0.05;
    for (int round = 0; round < rounds; round++) {
        int64_t shape[CLARY_MAX_NDIM];
        int ndim = (int)check_random_int(1, 4);
        random_shape(ndim, shape);
        begin(CLARY__MAP, ndim, ndim, shape);
        clary_dtype t = (clary_dtype)check_random_int(0, CLARY_DTYPE_COUNT - 1);
        for (int i = (int)check_random_int(1, 3); i > 0; i--) {
            load(t, (layout)check_random_int(0, LAYOUTS - 1));
            if (check_random() % 2) t = (clary_dtype)check_random_int(0, CLARY_DTYPE_COUNT - 1);
        }
        if (check_random() % 3 == 0) scalar(t);
        if (check_random() % 3 == 0) index_map();
        int count = g.ninstr, last = random_expression(count);
        store(last, (layout)check_random_int(0, PERMUTED));
        if (check_random() % 3 == 0)
            store(random_expression(count), (layout)check_random_int(0, PERMUTED));
        g.split = g.ninstr;
        check_group();
    }
}

/* Every cast, with values that need rounding, saturate or wrap. */
static void test_casts(void) {
    SECTION("casts");
    special = 0.2;
    for (int from = 0; from < CLARY_DTYPE_COUNT; from++) {
        begin(CLARY__MAP, 1, 1, (int64_t[]){5000});
        int x = load((clary_dtype)from, CONTIGUOUS);
        for (int to = 0; to < CLARY_DTYPE_COUNT; to++) {
            if (g.noutputs == CLARY__MAX_OUTPUTS) {
                check_group();
                begin(CLARY__MAP, 1, 1, (int64_t[]){5000});
                x = load((clary_dtype)from, CONTIGUOUS);
            }
            store(cast(x, (clary_dtype)to), CONTIGUOUS);
        }
        check_group();
    }
}

static void test_map_cases(void) {
    SECTION("map, in place");
    special = 0;
    for (int how = CONTIGUOUS; how <= SPACED; how++) {
        begin(CLARY__MAP, 2, 2, (int64_t[]){61, 48});
        int x = load(CLARY_FLOAT32, (layout)how), y = load(CLARY_FLOAT32, CONTIGUOUS);
        store(op(CLARY_OP_add, op(CLARY_OP_multiply, x, y), x), (layout)how);
        g.in_place = true;
        check_group();
    }
    SECTION("map, no input and one point");
    begin(CLARY__MAP, 1, 1, (int64_t[]){5003});
    store(index_map(), CONTIGUOUS);
    check_group();
    begin(CLARY__MAP, 0, 0, NULL);
    store(scalar(CLARY_COMPLEX64), CONTIGUOUS);
    check_group();
    SECTION("map, 64-bit indices");
    begin(CLARY__MAP, 3, 3, (int64_t[]){7, 33, 20});
    int a = load(CLARY_FLOAT32, PERMUTED), b = load(CLARY_INT16, REVERSED);
    store(op(CLARY_OP_add, a, cast(b, CLARY_FLOAT32)), CONTIGUOUS);
    pretend_far();
    check_group();
    SECTION("map, parameters in memory");
    begin(CLARY__MAP, 12, 12, (int64_t[]){2, 3, 2, 2, 3, 2, 2, 2, 3, 2, 2, 2});
    int sum = load(CLARY_INT32, PERMUTED);
    for (int i = 0; i < 14; i++) {
        int next = load(CLARY_INT32, PERMUTED);
        sum = op(CLARY_OP_add, sum, next);
    }
    store(sum, CONTIGUOUS);
    check_group();
}

/* ---- reductions and scans ---- */

static const clary_op folds[] = {CLARY_OP_add, CLARY_OP_maximum, CLARY_OP_multiply,
                                 CLARY_OP_minimum};

/* reduce_op over `n` points of `kept` rows. columns: the kept dim is the inner one in memory. */
static void reduce_group(clary_dtype t, int code, int64_t kept, int64_t n, bool columns,
                         layout how) {
    begin(CLARY__REDUCE, 2, 1, (int64_t[]){kept, n});
    int x = load_ordered(t, how, columns ? (const int[]){1, 0} : (const int[]){0, 1});
    store(result((clary_op)code, x), CONTIGUOUS);
    check_group();
}

static void test_reduce_sizes(void) {
    SECTION("reduce, sizes");
    special = 0;
    for (int columns = 0; columns < 2; columns++)
        for (int n = 0; n < NSIZES; n++) {
            reduce_group(CLARY_FLOAT32, CLARY_OP_add, 1, sizes[n], false, CONTIGUOUS);
            if (sizes[n] > 20000) continue;
            reduce_group(CLARY_FLOAT32, CLARY_OP_add, 37, sizes[n], columns, CONTIGUOUS);
            reduce_group(CLARY_FLOAT32, CLARY_OP_add, 48, sizes[n], columns, PADDED);
            reduce_group(CLARY_FLOAT64, CLARY_OP_add, 5, sizes[n], columns, OFFSET);
            reduce_group(CLARY_FLOAT32, CLARY_OP_add, 3, sizes[n], columns, REVERSED);
        }
    reduce_group(CLARY_FLOAT32, CLARY_OP_add, 2000, 3, false, CONTIGUOUS);
    reduce_group(CLARY_FLOAT32, CLARY_OP_add, 3, 40000, true, CONTIGUOUS);
    reduce_group(CLARY_FLOAT32, CLARY_OP_add, 100, 40000, true, CONTIGUOUS);
    reduce_group(CLARY_FLOAT32, CLARY_OP_add, 6000, 1500, true, CONTIGUOUS);
}

/* Every dtype by rows, in one block and in several, and by columns; NaN, infinities, ties. */
static void test_reduce_dtypes(void) {
    SECTION("reduce, dtypes");
    for (int t = 0; t < CLARY_DTYPE_COUNT; t++)
        for (int arg = 0; arg < 2; arg++) {
            int code = arg ? CLARY__ARGMAX + t % 2 : (int)folds[t % 2];
            special = arg ? 0.0005 : 0;
            reduce_group((clary_dtype)t, code, 2, 100, false, OFFSET);
            reduce_group((clary_dtype)t, code, 2, 40001 - arg, false, CONTIGUOUS);
            special = 0;
            reduce_group((clary_dtype)t, code, 32, 5000, true, CONTIGUOUS);
        }
}

static void random_core(clary__pattern pattern) {
    int64_t shape[CLARY_MAX_NDIM];
    int ndim = (int)check_random_int(1, 4);
    int nkeep = pattern == CLARY__SCAN ? ndim - 1 : (int)check_random_int(0, ndim - 1);
    random_shape(ndim, shape);
    if (check_random() % 2) shape[ndim - 1] = check_random_int(1, 600);
    begin(pattern, ndim, nkeep, shape);
    clary_dtype t = (clary_dtype)check_random_int(0, CLARY_DTYPE_COUNT - 1);
    for (int i = (int)check_random_int(1, 2); i > 0; i--) {
        load(t, (layout)check_random_int(0, LAYOUTS - 1));
        if (check_random() % 2) t = (clary_dtype)check_random_int(0, CLARY_DTYPE_COUNT - 1);
    }
    if (check_random() % 4 == 0) index_map();
    if (check_random() % 4 == 0) pretend_far();
    int arg = random_expression(g.ninstr);
    bool index = pattern == CLARY__REDUCE && check_random() % 4 == 0;
    int code = index ? CLARY__ARGMAX + (int)(check_random() % 2) : (int)folds[check_random() % 4];
    int r = result((clary_op)code, arg);
    if (check_random() % 2) {
        store(r, (layout)check_random_int(0, PERMUTED));
        return;
    }
    /* an epilogue, with an operand at kept points (SCAN: at all points) */
    t = (clary_dtype)check_random_int(0, CLARY_DTYPE_COUNT - 1);
    int extra = load(CLARY_FLOAT32, CONTIGUOUS);
    if (pattern == CLARY__REDUCE)
        for (int d = nkeep; d < ndim; d++) g.inputs[g.ninputs - 1].strides[d] = 0;
    int value = cast(r, t);
    extra = cast(extra, t);
    store(op(any_op(t), value, extra), (layout)check_random_int(0, PERMUTED));
}

static void test_random_cores(clary__pattern pattern, int rounds) {
    SECTION(pattern == CLARY__SCAN ? "scan, random" : "reduce, random");
    for (int round = 0; round < rounds; round++) {
        special = round % 4 ? 0 : 0.001;
        random_core(pattern);
        check_group();
    }
}

static void scan_group(clary_dtype t, clary_op code, int64_t kept, int64_t n, bool columns,
                       layout how) {
    begin(CLARY__SCAN, 2, 1, (int64_t[]){kept, n});
    int x = load_ordered(t, how, columns ? (const int[]){1, 0} : (const int[]){0, 1});
    store(result(code, x), CONTIGUOUS);
    check_group();
}

static void test_scan_sizes(void) {
    SECTION("scan, sizes");
    special = 0;
    for (int n = 0; n < NSIZES; n++) {
        scan_group(CLARY_FLOAT32, CLARY_OP_add, 1, sizes[n], false, CONTIGUOUS);
        scan_group(CLARY_COMPLEX128, CLARY_OP_add, 1, sizes[n], false, OFFSET);
        if (sizes[n] > 20000) continue;
        scan_group(CLARY_FLOAT32, CLARY_OP_add, 19, sizes[n], false, PADDED);
        scan_group(CLARY_FLOAT32, CLARY_OP_add, 19, sizes[n], true, CONTIGUOUS);
    }
    scan_group(CLARY_FLOAT32, CLARY_OP_add, 2, 1200000, false, CONTIGUOUS);
    scan_group(CLARY_FLOAT32, CLARY_OP_add, 9000, 40, true, CONTIGUOUS);
    scan_group(CLARY_FLOAT32, CLARY_OP_add, 9000, 200, true, CONTIGUOUS);
    for (int t = 0; t < CLARY_DTYPE_COUNT; t++) {
        scan_group((clary_dtype)t, folds[t % 4], 2, 20, false, CONTIGUOUS);
        scan_group((clary_dtype)t, folds[t % 4], 2, 9001, false, CONTIGUOUS);
    }
}

int main(int count, char **arguments) {
    if (!open_device()) return CHECK_SKIPPED;
    const char *only = count > 1 ? arguments[1] : "";
    clary__lock();
    if (!*only || strstr(only, "map")) {
        test_map_sizes();
        test_map_cases();
        test_casts();
        test_map_random(40);
    }
    if (!*only || strstr(only, "reduce")) {
        test_reduce_sizes();
        test_reduce_dtypes();
        test_random_cores(CLARY__REDUCE, 40);
    }
    if (!*only || strstr(only, "scan")) {
        test_scan_sizes();
        test_random_cores(CLARY__SCAN, 30);
    }
    clary__unlock();
    begin(CLARY__MAP, 0, 0, NULL); /* frees what the last group held */
    clary_device_release(&device);
    return check_done();
}

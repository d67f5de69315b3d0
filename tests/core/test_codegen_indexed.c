/* test_codegen_indexed.c - gathers, searches, checked indices and scatters in generated kernels.
 *
 * Groups are compared with the reference executor, scatters with clary__scatter_on_host, bit for bit; faults
 * must be told once, and the device must work on.
 */
#include "device_groups.h"

static const int64_t sizes[] = {1, 2, 31, 32, 33, 255, 256, 257, 1009, 4096};
enum { NSIZES = sizeof sizes / sizeof *sizes };

/* ---- building ---- */

static int number(int64_t value) {
    int i = scalar(CLARY_INT64);
    memcpy(g.scalars[g.instr[i].a], &value, sizeof value);
    return i;
}

/* int64 numbers from least to most. */
static int numbers(int64_t least, int64_t most, layout how) {
    int i = load(CLARY_INT64, how), n = g.instr[i].a;
    int64_t *to = (int64_t *)memory[n];
    for (size_t k = 0; k < bytes[n] / sizeof *to; k++) to[k] = check_random_int(least, most);
    return i;
}

static int check(int index, int extent, int64_t site) {
    int of = number(site);
    return add_instr((clary__instr){CLARY__I_CHECK, CLARY_INT64, CLARY_INT64, 0, (uint16_t)index,
                                    (uint16_t)extent, (uint16_t)of});
}

/* An input of `count` elements to read anywhere. Returns its number. */
static int table(clary_dtype t, int64_t count) {
    int n = g.ninputs++;
    clary__operand *o = &g.inputs[n];
    o->dtype = t;
    o->random = true;
    o->offset = check_random_int(0, 7);
    bytes[n] = (size_t)(o->offset + count) * clary_dtype_size(t);
    memory[n] = malloc(bytes[n]);
    fill(memory[n], t, (size_t)(o->offset + count));
    return n;
}

static int gather(int input, int at) {
    uint8_t t = (uint8_t)g.inputs[input].dtype;
    return add_instr((clary__instr){CLARY__I_GATHER, t, t, 0, (uint16_t)at, 0, (uint16_t)input});
}

static int search(int input, int key, int count, bool behind_equals) {
    return add_instr((clary__instr){CLARY__I_SEARCH, CLARY_INT64, g.instr[key].dtype, behind_equals,
                                    (uint16_t)key, (uint16_t)count, (uint16_t)input});
}

/* Elements of a new table, at places that are checked. */
static int lookup(clary_dtype t, int64_t count, layout how) {
    int input = table(t, count), at = numbers(-count, count - 1, how);
    return gather(input, check(at, number(count), 0));
}

/* ---- sorted tables: insertion by Note [Sort order] ---- */

static clary_dtype sorting;

static int compare_reals(double a, double b) {
    return a != a || b != b ? (a != a) - (b != b) : (a > b) - (a < b);
}

static int compare_elements(const void *a, const void *b) {
    clary_scalar x = clary__scalar_load(a, sorting), y = clary__scalar_load(b, sorting);
    if (sorting == CLARY_UINT64) {
        uint64_t u, v;
        memcpy(&u, a, sizeof u);
        memcpy(&v, b, sizeof v);
        return (u > v) - (u < v);
    }
    if (!clary__is_float(sorting) && !clary__is_complex(sorting)) return (x.i > y.i) - (x.i < y.i);
    int class_x = 2 * (x.re != x.re) + (x.im != x.im),
        class_y = 2 * (y.re != y.re) + (y.im != y.im);
    if (class_x != class_y) return class_x - class_y;
    int by_real = compare_reals(x.re, y.re);
    return by_real ? by_real : compare_reals(x.im, y.im);
}

static void sort_table(int input) {
    const clary__operand *o = &g.inputs[input];
    size_t size = clary_dtype_size(o->dtype), skipped = (size_t)o->offset * size;
    sorting = o->dtype;
    qsort(memory[input] + skipped, (bytes[input] - skipped) / size, size, compare_elements);
}

/* ---- gathers and searches ---- */

static void test_gather_sizes(void) {
    SECTION("gather, sizes");
    special = 0.1;
    for (int t = 0; t < CLARY_DTYPE_COUNT; t += CLARY__MAX_OUTPUTS)
        for (int n = 0; n < NSIZES; n++) {
            begin(CLARY__MAP, 1, 1, &sizes[n]);
            int at = check(numbers(-501, 500, CONTIGUOUS), number(501), 0);
            for (int i = t; i < CLARY_DTYPE_COUNT && i < t + CLARY__MAX_OUTPUTS; i++)
                store(gather(table((clary_dtype)i, 501), at), CONTIGUOUS);
            check_group();
        }
}

/* Both places of a key, in one number. */
static int search_both(int input, int key, int count) {
    int left = search(input, key, count, false), right = search(input, key, count, true);
    return op(CLARY_OP_add, left, op(CLARY_OP_multiply, right, number(1000)));
}

/* Keys are elements of the table, and others; of these, the number of elements searched varies. */
static void add_searches(clary_dtype t) {
    enum { MOST = 257 };
    int keys = load(t, CONTIGUOUS), input = table(t, MOST);
    sort_table(input);
    int known = gather(input, numbers(0, MOST - 1, CONTIGUOUS));
    store(search_both(input, keys, numbers(0, MOST, CONTIGUOUS)), CONTIGUOUS);
    store(search_both(input, known, number(MOST)), CONTIGUOUS);
}

static void test_search(void) {
    SECTION("search");
    for (int t = 0; t < CLARY_DTYPE_COUNT; t += 2) {
        special = t % 4 ? 0.5 : 0.1;
        begin(CLARY__MAP, 1, 1, (int64_t[]){1009});
        add_searches((clary_dtype)t);
        if (t + 1 < CLARY_DTYPE_COUNT) add_searches((clary_dtype)(t + 1));
        check_group();
    }
}

/* A reduction or scan, or a map, of looked-up elements, with more of them behind it. */
static void random_group(clary__pattern pattern) {
    int64_t shape[CLARY_MAX_NDIM];
    int ndim = (int)check_random_int(1, 4);
    int nkeep = pattern == CLARY__SCAN ? ndim - 1 : (int)check_random_int(0, ndim - 1);
    random_shape(ndim, shape);
    begin(pattern, ndim, nkeep, shape);
    clary_dtype t = (clary_dtype)check_random_int(0, CLARY_DTYPE_COUNT - 1);
    lookup(t, check_random_int(1, 3000), (layout)check_random_int(0, LAYOUTS - 1));
    if (check_random() % 2) load(t, (layout)check_random_int(0, LAYOUTS - 1));
    if (check_random() % 4 == 0) pretend_far();
    int last = g.ninstr - 1, other = (int)check_random_int(0, last);
    clary_dtype in = (clary_dtype)g.instr[other].dtype;
    last = op(any_op(in), cast(last, in), other);
    if (pattern != CLARY__MAP) {
        bool index = pattern == CLARY__REDUCE && check_random() % 2;
        int n = 1;
        for (int d = nkeep; d < ndim; d++) n *= (int)shape[d];
        last = result((clary_op)(index ? CLARY__ARGMAX : CLARY_OP_maximum), last);
        if (index) last = gather(table(t, n), check(last, number(n), 0));
    }
    int count = table(CLARY_INT32, 40), one = cast(last, CLARY_INT32);
    sort_table(count);
    if (check_random() % 2) last = search(count, one, number(40), check_random() % 2);
    store(last, (layout)check_random_int(0, PERMUTED));
    g.split = pattern == CLARY__MAP ? g.ninstr : g.split;
}

static void test_random(void) {
    SECTION("gather, random groups");
    for (int round = 0; round < 15; round++) {
        special = round % 4 ? 0 : 0.05;
        random_group((clary__pattern)(round % 3));
        check_group();
    }
}

/* Indices in more dims than parameters can hold by value. */
static void test_many_params(void) {
    SECTION("gather, parameters in memory");
    special = 0;
    begin(CLARY__MAP, 12, 12, (int64_t[]){2, 3, 2, 2, 3, 2, 2, 2, 3, 2, 2, 2});
    int sum = lookup(CLARY_INT32, 100, PERMUTED);
    for (int i = 0; i < 12; i++) sum = op(CLARY_OP_add, sum, load(CLARY_INT32, PERMUTED));
    store(sum, CONTIGUOUS);
    check_group();
}

/* ---- faults ---- */

/* Gathers at `indices` from 5 elements; the result is left in output 0. */
static clary_status gather_from_five(const int64_t *indices, int64_t count, bool or_minus_one,
                                     const char *what) {
    begin(CLARY__MAP, 1, 1, &count);
    int input = or_minus_one ? 0 : table(CLARY_INT32, 5);
    int at = numbers(0, 0, CONTIGUOUS);
    memcpy(memory[g.instr[at].a], indices, (size_t)count * sizeof *indices);
    int checked = check(at, number(5), clary__fault_site(what, 1));
    g.instr[checked].op = or_minus_one;
    store(or_minus_one ? checked : gather(input, checked), CONTIGUOUS);
    for (int i = 0; i < g.ninputs; i++) {
        CHECK_OK(clary__buffer_new(device, bytes[i], &g.inputs[i].buffer));
        CHECK_OK(device->backend->upload(device, g.inputs[i].buffer, 0, memory[i], bytes[i]));
    }
    CHECK_OK(clary__buffer_new(device, bytes[CLARY__MAX_INPUTS], &g.outputs[0].buffer));
    return device->backend->run(device, &g);
}

static clary_status read_result(void *to) {
    return device->backend->download(device, g.outputs[0].buffer, 0, to, bytes[CLARY__MAX_INPUTS]);
}

static void release_buffers(void) {
    for (int i = 0; i < g.ninputs; i++) clary__buffer_release(g.inputs[i].buffer);
    clary__buffer_release(g.outputs[0].buffer);
}

static void test_faults(void) {
    const int64_t good[] = {0, -5, 4, 3}, low[] = {0, -6, 1, 2}, high[] = {0, 1, 2, 5};
    int32_t got[4], want[4];
    int64_t passed[4];
    SECTION("faults");
    for (int round = 0; round < 2; round++) {
        CHECK_OK(gather_from_five(low, 4, false, "take"));
        CHECK_ERROR(read_result(got), CLARY_INDEX_OUT_OF_RANGE,
                    "take: index -6 is out of bounds for axis 1 with size 5");
        CHECK_OK(read_result(got)); /* told once */
        CHECK_OK(device->backend->wait(device));
        release_buffers();

        CHECK_OK(gather_from_five(good, 4, false, "take"));
        CHECK_OK(read_result(got));
        for (int k = 0; k < 4; k++)
            memcpy(&want[k],
                   memory[0] + 4 * (g.inputs[0].offset + (good[k] < 0 ? good[k] + 5 : good[k])), 4);
        CHECK_BYTES(got, want, sizeof got);
        release_buffers();

        CHECK_OK(gather_from_five(high, 4, false, "put"));
        release_buffers();
        CHECK_OK(gather_from_five(low, 4, false, "take")); /* the first is the one that counts */
        CHECK_ERROR(device->backend->wait(device), CLARY_INDEX_OUT_OF_RANGE,
                    "put: index 5 is out of bounds for axis 1 with size 5");
        CHECK_OK(read_result(got));
        release_buffers();

        CHECK_OK(gather_from_five(high, 4, true, "put"));
        CHECK_STATUS(read_result(passed), CLARY_INDEX_OUT_OF_RANGE);
        CHECK_OK(read_result(passed));
        CHECK_BYTES(passed, ((const int64_t[]){0, 1, 2, -1}), sizeof passed);
        release_buffers();
    }
    if (device->info.shares_host_memory) { /* work that runs on the host does the same */
        CHECK_OK(clary_set_jit("never"));
        CHECK_OK(gather_from_five(low, 4, false, "take"));
        CHECK_ERROR(read_result(got), CLARY_INDEX_OUT_OF_RANGE, "index -6");
        CHECK_OK(read_result(got));
        release_buffers();
        CHECK_OK(clary_set_jit("always"));
    }
}

/* ---- scatters ---- */

static clary__buffer *upload(const void *data, size_t size) {
    clary__buffer *b = NULL;
    CHECK_OK(clary__buffer_new(device, size, &b));
    CHECK_OK(device->backend->upload(device, b, 0, data, size));
    return b;
}

static clary__buffer *on_host(void *data, size_t size) {
    clary__buffer *b = calloc(1, sizeof *b);
    *b = (clary__buffer){.bytes = size, .host = data};
    return b;
}

/* `hits` places of a target of 1000: all in turn, few (with skipped ones), or one for all. */
typedef enum spread { DISTINCT, FEW, ONE } spread;

static void scatter_once(int code, clary_dtype dtype, clary_dtype compute, int64_t count,
                         spread how, bool single) {
    enum { ROOM = 1000 };
    clary__scatter s = {.op = code,
                        .dtype = dtype,
                        .compute = compute,
                        .distinct = how == DISTINCT,
                        .single = single,
                        .count = count,
                        .target_size = how == DISTINCT ? count : ROOM,
                        .what = "test"};
    size_t size = clary_dtype_size(dtype), of = (size_t)s.target_size * size;
    size_t from = (size_t)(single ? 1 : count) * clary_dtype_size(compute);
    unsigned char *target = malloc(of), *got = malloc(of), *source = malloc(from);
    int64_t *at = malloc((size_t)count * sizeof *at);
    fill(target, dtype, (size_t)s.target_size);
    fill(source, compute, from / clary_dtype_size(compute));
    for (int64_t i = 0; i < count; i++)
        at[i] = how == DISTINCT ? (i % 7 ? count - 1 - i : -1)
                : how == FEW    ? check_random_int(-2, 20)
                                : 3;
    s.target = upload(target, of);
    s.positions = upload(at, (size_t)count * sizeof *at);
    s.source = upload(source, from);
    CHECK_OK(device->backend->scatter(device, &s));
    CHECK_OK(device->backend->download(device, s.target, 0, got, of));
    clary__buffer_release(s.target);
    clary__buffer_release(s.positions);
    clary__buffer_release(s.source);
    s.target = on_host(target, of);
    s.positions = on_host(at, (size_t)count * sizeof *at);
    s.source = on_host(source, from);
    CHECK_OK(clary__scatter_on_host(&s, 2));
    int64_t k = 0;
    while (k < s.target_size && same_element(got + k * size, target + k * size, dtype)) k++;
    CHECK_MSG(k == s.target_size,
              "op %x on %s in %s, %" PRId64 " sources, spread %d: element %" PRId64, code,
              clary_dtype_name(dtype), clary_dtype_name(compute), count, (int)how, k);
    free(s.target);
    free(s.positions);
    free(s.source);
    free(target);
    free(got);
    free(source);
    free(at);
}

/* As the device is, and as if it was a GPU. */
static void scatter(int code, clary_dtype dtype, clary_dtype compute, int64_t count, spread how,
                    bool single) {
    const char *type = device->info.type;
    scatter_once(code, dtype, compute, count, how, single);
    device->info.type = "gpu";
    scatter_once(code, dtype, compute, count, how, single);
    device->info.type = type;
}

static void test_scatter(void) {
    static const int64_t counts[] = {1, 2, 15, 16, 17, 31, 33, 255, 257, 1009, 10007};
    static const clary_op exact[] = {
        CLARY_OP_add,        CLARY_OP_subtract,    CLARY_OP_maximum,     CLARY_OP_minimum,
        CLARY_OP_bitwise_or, CLARY_OP_bitwise_and, CLARY_OP_bitwise_xor, CLARY_OP_multiply};
    SECTION("scatter, dtypes");
    special = 0.01;
    for (int t = 0; t < CLARY_DTYPE_COUNT; t++) {
        scatter_once(CLARY__PUT, (clary_dtype)t, (clary_dtype)t, 1009, FEW, false);
        scatter_once(CLARY__PUT, (clary_dtype)t, (clary_dtype)t, 1009, DISTINCT, t % 2);
        scatter_once((int)any_op((clary_dtype)t), (clary_dtype)t, (clary_dtype)t, 1009, FEW, t % 2);
    }
    SECTION("scatter, sizes");
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
        for (int how = DISTINCT; how <= ONE; how++) {
            scatter(CLARY__PUT, CLARY_FLOAT32, CLARY_FLOAT32, counts[n], (spread)how, how == FEW);
            scatter(CLARY_OP_add, CLARY_FLOAT32, CLARY_FLOAT32, counts[n], (spread)how, false);
            scatter(CLARY_OP_add, CLARY_INT64, CLARY_INT64, counts[n], (spread)how, false);
        }
    SECTION("scatter, atomic");
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        for (int t = CLARY_INT32; t <= CLARY_UINT64; t++)
            if (clary_dtype_size((clary_dtype)t) >= 4 && (t % 2) == (int)(i % 2))
                scatter_once((int)exact[i], (clary_dtype)t, (clary_dtype)t, 1009, FEW, false);
    SECTION("scatter, other dtypes");
    scatter_once(CLARY_OP_add, CLARY_INT32, CLARY_FLOAT64, 1009, FEW, false);
    scatter_once(CLARY_OP_multiply, CLARY_FLOAT16, CLARY_FLOAT32, 1009, FEW, true);
    scatter_once(CLARY_OP_power, CLARY_COMPLEX64, CLARY_COMPLEX128, 1009, DISTINCT, true);
    scatter_once(CLARY_OP_less, CLARY_INT16, CLARY_INT32, 1009, FEW, false);
    scatter_once(CLARY_OP_divide, CLARY_BFLOAT16, CLARY_BFLOAT16, 1009, FEW, false);
    SECTION("scatter, a million on one");
    scatter(CLARY_OP_add, CLARY_FLOAT32, CLARY_FLOAT32, 1000000, ONE, false);
    scatter(CLARY_OP_add, CLARY_INT32, CLARY_INT32, 1000000, ONE, false);
    scatter(CLARY__PUT, CLARY_INT16, CLARY_INT16, 1000000, ONE, false);
}

int main(int count, char **arguments) {
    if (!open_device()) return CHECK_SKIPPED;
    const char *only = count > 1 ? arguments[1] : "";
    clary__lock();
    if (!*only || strstr(only, "gather")) {
        test_gather_sizes();
        test_search();
        test_random();
        test_many_params();
        test_faults();
    }
    if (!*only || strstr(only, "scatter")) test_scatter();
    clary__unlock();
    begin(CLARY__MAP, 0, 0, NULL); /* frees what the last group held */
    clary_device_release(&device);
    return check_done();
}

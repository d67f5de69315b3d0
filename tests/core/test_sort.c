/* test_sort.c - compiled sorts against a stable sort on the host: the places, and the bits of the values.
 *
 * On a CPU both families of kernels run: those for CPUs, and those for GPUs, by telling the device that it is one;
 * with small tiles, which PoCL compiles faster.
 */
#include "check.h"
#include "codegen/codegen.h"
#include "graph/group.h"

clary_status clary__cl_launch(clary_device *device, const clary__launch *launch); /* src/opencl */

typedef enum pattern { RANDOM, FEW, EQUAL, SORTED, REVERSED, SPECIAL, PATTERNS } pattern;
static const char *const pattern_names[] = {"random", "duplicates", "equal",
                                            "sorted", "reversed",   "special"};

static clary_device *device;

/* ---- the order, on the host ---- */

static const clary_scalar *numbers; /* of the row that is sorted */
static bool falling;

static int order_of(double a, double b) {
    return isnan(a) || isnan(b) ? isnan(a) - isnan(b) : (a > b) - (a < b);
}

static int order_of_scalars(const clary_scalar *a, const clary_scalar *b) {
    if (a->kind != b->kind) return a->kind == CLARY_SCALAR_UINT ? 1 : -1;
    if (a->kind == CLARY_SCALAR_UINT) return (a->u > b->u) - (a->u < b->u);
    if (a->kind <= CLARY_SCALAR_INT) return (a->i > b->i) - (a->i < b->i);
    if (a->kind == CLARY_SCALAR_FLOAT) return order_of(a->re, b->re);
    int class_a = 2 * isnan(a->re) + isnan(a->im), class_b = 2 * isnan(b->re) + isnan(b->im);
    if (class_a != class_b) return class_a - class_b;
    return order_of(a->re, b->re) ? order_of(a->re, b->re) : order_of(a->im, b->im);
}

static int compare_places(const void *a, const void *b) {
    const int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
    const int order = order_of_scalars(&numbers[p], &numbers[q]);
    return order ? (falling ? -order : order) : (p > q) - (p < q);
}

static void sort_places(const unsigned char *row, clary_dtype t, int64_t length, bool descending,
                        int64_t *places) {
    clary_scalar *all = malloc((size_t)length * sizeof *all);
    for (int64_t k = 0; k < length; k++) {
        all[k] = clary__scalar_load(row + (size_t)k * clary_dtype_size(t), t);
        places[k] = k;
    }
    numbers = all;
    falling = descending;
    qsort(places, (size_t)length, sizeof *places, compare_places);
    free(all);
}

/* ---- what is sorted ---- */

static void put_number(unsigned char *to, clary_dtype t, pattern how) {
    static const double odd[] = {0.0, -0.0, INFINITY, -INFINITY, 1.0, -1.0, 1e-40, -1e-40, 70000};
    const size_t size = clary_dtype_size(t);
    uint64_t bits = check_random();
    const bool whole = clary_dtype_kind(t) != 'f';
    clary_scalar s = {.kind = whole ? CLARY_SCALAR_INT : CLARY_SCALAR_FLOAT};
    switch (how) {
    case EQUAL: s.i = 3; break;
    case FEW: s.i = (int64_t)(bits % 7) - (clary__is_unsigned(t) ? 0 : 3); break;
    case SPECIAL:
        if (!whole && bits % 3 == 0) { /* NaNs of all kinds */
            s.re = NAN;
            clary__scalar_store(s, t, to);
            to[0] |= (unsigned char)(bits >> 8 & 7);
            to[size - 1] |= (unsigned char)(bits >> 4 & 0x80);
            return;
        }
        s.i = whole ? (int64_t)(bits >> (bits & 63)) : 0;
        if (!whole) s.re = odd[bits / 3 % 9];
        clary__scalar_store(s, t, to);
        return;
    default:
        memcpy(to, &bits, size);
        if (t == CLARY_BOOL) *to &= 1;
        return;
    }
    s.re = (double)s.i;
    if (t == CLARY_BOOL) s.i &= 1;
    clary__scalar_store(s, t, to);
}

static void fill(unsigned char *to, clary_dtype t, int64_t rows, int64_t length, pattern how) {
    const clary_dtype real = clary__real_of(t);
    const size_t size = clary_dtype_size(t), part = clary_dtype_size(real);
    for (size_t at = 0; at < (size_t)(rows * length) * size; at += part)
        put_number(to + at, real, how);
    if (how != SORTED && how != REVERSED) return;
    int64_t *places = malloc((size_t)length * sizeof *places);
    unsigned char *row = malloc((size_t)length * size);
    for (int64_t r = 0; r < rows; r++, to += (size_t)length * size) {
        sort_places(to, t, length, how == REVERSED, places);
        for (int64_t k = 0; k < length; k++)
            memcpy(row + (size_t)k * size, to + (size_t)places[k] * size, size);
        memcpy(to, row, (size_t)length * size);
    }
    free(places);
    free(row);
}

/* ---- one case ---- */

static clary__buffer *buffer_with(const void *data, size_t bytes) {
    clary__buffer *b = NULL;
    if (!CHECK_OK(clary__buffer_new(device, bytes, &b))) exit(1);
    CHECK_OK(device->backend->upload(device, b, 0, data, bytes));
    return b;
}

static void read_back(clary__buffer *b, void *data, size_t bytes) {
    CHECK_OK(device->backend->download(device, b, 0, data, bytes));
    clary__buffer_release(b);
}

enum { VALUES = 1, ORDER = 2 };

static void check_sort(clary_dtype t, int64_t rows, int64_t length, pattern how, bool descending,
                       int outputs) {
    const size_t size = clary_dtype_size(t), count = (size_t)(rows * length), bytes = count * size;
    unsigned char *keys = malloc(bytes), *values = malloc(bytes), *kept = malloc(bytes);
    int64_t *order = malloc(count * 8), *want = malloc(count * 8);
    fill(keys, t, rows, length, how);
    memset(values, 0xA5, bytes);
    memset(order, 0xA5, count * 8);
    clary__sort s = {.dtype = t,
                     .descending = descending,
                     .rows = rows,
                     .length = length,
                     .keys = buffer_with(keys, bytes),
                     .what = "test"};
    if (outputs & VALUES) s.values = buffer_with(values, bytes);
    if (outputs & ORDER) s.order = buffer_with(order, count * 8);
    CHECK_OK(clary__codegen_sort(device, &s, clary__cl_launch));
    read_back(s.keys, kept, bytes);
    CHECK_BYTES(kept, keys, bytes);
    if (s.values) read_back(s.values, values, bytes);
    if (s.order) read_back(s.order, order, count * 8);
    for (int64_t r = 0; r < rows; r++)
        sort_places(keys + (size_t)(r * length) * size, t, length, descending, want + r * length);
    size_t bad_order = 0, bad_value = 0;
    while (s.order && bad_order < count && order[bad_order] == want[bad_order]) bad_order++;
    for (; s.values && bad_value < count; bad_value++) {
        const size_t row = bad_value / (size_t)length * (size_t)length;
        if (memcmp(values + bad_value * size, keys + (row + (size_t)want[bad_value]) * size, size))
            break;
    }
    CHECK_MSG((!s.order || bad_order == count) && (!s.values || bad_value == count),
              "%s%s of %s (%" PRId64 ", %" PRId64 "), %s, for a %s: place %zu, value %zu",
              descending ? "descending " : "", pattern_names[how], clary_dtype_name(t), rows,
              length,
              outputs == VALUES  ? "values"
              : outputs == ORDER ? "order"
                                 : "both",
              device->info.type, bad_order, bad_value);
    free(keys);
    free(values);
    free(kept);
    free(order);
    free(want);
}

/* ---- cases ---- */

static void test_lengths(void) {
    static const int64_t lengths[] = {1,   2,    3,    7,    8,    31,   32,   33,   255,  256,
                                      257, 1000, 1024, 1025, 2048, 2049, 4096, 5000, 65537};
    SECTION("lengths");
    for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++)
        check_sort(CLARY_FLOAT32, 1, lengths[n], n % 2 ? FEW : RANDOM, n % 3 == 0, VALUES | ORDER);
    for (int64_t rows = 1; rows <= 7; rows++) {
        check_sort(CLARY_FLOAT32, rows, 100 * rows, RANDOM, rows % 2, VALUES | ORDER);
        check_sort(CLARY_FLOAT32, rows, 2100 + 700 * rows, RANDOM, rows % 2, VALUES | ORDER);
    }
    check_sort(CLARY_FLOAT32, 1000, 5, SPECIAL, false, VALUES | ORDER);
    check_sort(CLARY_FLOAT32, 1000, 33, SPECIAL, true, VALUES | ORDER);
    check_sort(CLARY_FLOAT32, 33, 2050, SPECIAL, true, VALUES | ORDER);
}

/* The other dtypes differ in their keys alone, which long rows have, too. */
static bool tries_short_rows(clary_dtype t) {
    return t == CLARY_INT8 || t == CLARY_FLOAT32 || t == CLARY_UINT64 || t == CLARY_COMPLEX128;
}

static void test_patterns(clary_dtype t) {
    SECTION("patterns");
    for (int how = 0; how < PATTERNS; how++) {
        check_sort(t, 2, 2500, (pattern)how, (t + how) % 2, VALUES | ORDER);
        if (!tries_short_rows(t)) continue;
        check_sort(t, 3, 50, (pattern)how, (t + how) % 2, VALUES | ORDER);
        check_sort(t, 1, 1000, (pattern)how, (t + how) % 2, VALUES | ORDER);
    }
}

static void test_outputs(clary_dtype t) {
    SECTION("outputs");
    for (int outputs = VALUES; outputs <= ORDER; outputs++) {
        check_sort(t, 2, 100, RANDOM, false, outputs);
        check_sort(t, 2, 3000, RANDOM, true, outputs);
        check_sort(t, 1, 9000, SPECIAL, false, outputs);
        check_sort(t, 1, 9000, FEW, true, outputs);
    }
}

static void test_wide(void) {
    SECTION("64-bit places");
    const int64_t limit = clary__sort_limits_now.wide_from;
    clary__sort_limits_now.wide_from = 3000;
    check_sort(CLARY_FLOAT32, 2, 20000, FEW, false, VALUES | ORDER);
    check_sort(CLARY_FLOAT32, 1, 9000, RANDOM, true, ORDER);
    clary__sort_limits_now.wide_from = limit;
}

/* As the device is. */
static void test_kernels(void) {
    test_lengths();
    test_outputs(CLARY_FLOAT32);
    test_wide();
}

int main(void) {
    if (clary_device_open(NULL, &device) != CLARY_OK || strcmp(device->info.backend, "opencl")) {
        printf("needs an OpenCL device\n");
        return CHECK_SKIPPED;
    }
    clary__lock();
    const char *type = device->info.type;
    test_kernels();
    for (int t = 0; t < CLARY_DTYPE_COUNT; t++) test_patterns((clary_dtype)t);
    test_outputs(CLARY_INT8);
    if (!strcmp(type, "cpu")) {
        device->info.type = "gpu";
        clary__sort_limits_now.items = 3;
        test_kernels();
        device->info.type = type;
    }
    clary__unlock();
    clary_device_release(&device);
    CHECK_NO_LEAKS();
    return check_done();
}

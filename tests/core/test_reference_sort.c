/* test_reference_sort.c - clary__sort_on_host: sorted by Note [Sort order], stable, every element there
 * with its bits, whatever is asked for and on any number of threads. */
#include "groups.h"

typedef enum pattern { ANY, REPEATED, RISING, FALLING, CONSTANT, BITS, PATTERNS } pattern;

static void make_keys(clary_dtype t, pattern how, int64_t n, char *x) {
    size_t size = clary_dtype_size(t);
    random_elements(t, n, x);
    for (int64_t k = 0; k < n; k++, x += size) {
        uint64_t bits[2] = {check_random(), check_random()};
        clary_scalar s = {.kind = CLARY_SCALAR_FLOAT};
        switch (how) {
        case REPEATED: s.re = (double)check_random_int(-3, 3), s.im = s.re / 2; break;
        case RISING: s.re = (double)k; break;
        case FALLING: s.re = (double)(n - k); break;
        case CONSTANT: s.re = 3; break;
        case BITS: /* of NaNs, too */
            if (t != CLARY_BOOL) memcpy(x, bits, size);
            continue;
        default: continue;
        }
        if (clary__is_complex(t)) s.kind = CLARY_SCALAR_COMPLEX;
        clary__scalar_store(s, t, x);
    }
}

static void check_row(clary_dtype t, bool descending, const char *keys, const int64_t *order,
                      int64_t n, const char *what) {
    int64_t size = (int64_t)clary_dtype_size(t);
    char *seen = calloc((size_t)n, 1);
    for (int64_t k = 0; k < n; k++) {
        if (!CHECK_MSG(order[k] >= 0 && order[k] < n && !seen[order[k]],
                       "%s: place %" PRId64 " of %" PRId64 " is %" PRId64, what, k, n, order[k]))
            break;
        seen[order[k]] = 1;
        if (k == 0) continue;
        const char *x = keys + order[k - 1] * size, *y = keys + order[k] * size;
        bool fine = descending ? !before(t, x, y) : !before(t, y, x);
        bool equal = !before(t, x, y) && !before(t, y, x);
        if (!CHECK_MSG(fine && (!equal || order[k - 1] < order[k]),
                       "%s: places %" PRId64 " and %" PRId64 " of %" PRId64, what, k - 1, k, n))
            break;
    }
    free(seen);
}

static void test_sort(clary_dtype t, pattern how, int64_t rows, int64_t n, bool descending,
                      int threads) {
    int64_t size = (int64_t)clary_dtype_size(t), count = rows * n;
    size_t bytes = (size_t)(count * size);
    char what[100], *keys = malloc(bytes), *was = malloc(bytes), *values = malloc(bytes);
    int64_t *order = malloc((size_t)count * 8), *alone = malloc((size_t)count * 8);
    make_keys(t, how, count, keys);
    memcpy(was, keys, bytes);
    memset(values, 0xa5, bytes);
    memset(order, 0xa5, (size_t)count * 8);
    memset(alone, 0xa5, (size_t)count * 8);
    snprintf(what, sizeof what, "%s, pattern %d, %" PRId64 " rows, %s, %d threads",
             clary_dtype_name(t), how, rows, descending ? "down" : "up", threads);
    clary__buffer k = {.host = keys}, v = {.host = values}, o = {.host = order},
                  a = {.host = alone};
    clary__sort sort = {t, descending, rows, n, &k, &v, &o, "test"};
    CHECK_OK(clary__sort_on_host(&sort, threads));
    for (int64_t row = 0; row < rows; row++)
        check_row(t, descending, keys + row * n * size, order + row * n, n, what);
    for (int pass = 0; pass < 2; pass++) { /* with the order, and alone */
        for (int64_t p = 0; p < count; p++)
            if (!CHECK_MSG(
                    !memcmp(values + p * size, keys + (p / n * n + order[p]) * size, (size_t)size),
                    "%s: value %" PRId64 " of %" PRId64 " in pass %d", what, p, n, pass))
                break;
        if (pass == 1) break;
        memset(values, 0xa5, bytes);
        sort.order = NULL;
        CHECK_OK(clary__sort_on_host(&sort, threads));
    }
    sort.values = NULL;
    sort.order = &a;
    CHECK_OK(clary__sort_on_host(&sort, threads));
    CHECK_MSG(!memcmp(alone, order, (size_t)count * 8), "%s: the order alone, n = %" PRId64, what,
              n);
    CHECK_MSG(!memcmp(keys, was, bytes), "%s: keys were changed", what);
    free(keys), free(was), free(values), free(order), free(alone);
}

/* Whichever allocation fails, the status says so. */
static void test_memory(void) {
    SECTION("no memory");
    for (int t = 0; t < CLARY_DTYPE_COUNT; t++) {
        char keys[64 * 16], values[64 * 16];
        random_elements((clary_dtype)t, 64, keys);
        clary__buffer k = {.host = keys}, v = {.host = values};
        clary__sort sort = {(clary_dtype)t, false, 2, 32, &k, &v, NULL, "argsort"};
        clary__alloc_fail_at(1);
        CHECK_ERROR(clary__sort_on_host(&sort, 1), CLARY_OUT_OF_MEMORY, "argsort: no memory");
        clary__alloc_fail_at(0);
        CHECK_OK(clary__sort_on_host(&sort, 1));
    }
}

int main(void) {
    static const int64_t lengths[] = {1, 2, 3, 16, 17, 31, 32, 33, 255, 256, 257, 1000};
    for (int t = 0; t < CLARY_DTYPE_COUNT; t++) {
        SECTION("short rows");
        for (int how = 0; how < PATTERNS; how++)
            for (int i = 0; i < 12; i++)
                test_sort((clary_dtype)t, (pattern)how, 1 + (int64_t)(check_random() % 5),
                          lengths[i], check_random() % 2, 1);
        SECTION("long rows");
        for (int how = 0; how < PATTERNS; how++)
            test_sort((clary_dtype)t, (pattern)how, 1, how == BITS ? 65537 : 20000,
                      check_random() % 2, 1);
        SECTION("threads");
        test_sort((clary_dtype)t, ANY, 1, 131075, false, 2);
        test_sort((clary_dtype)t, t % 2 ? BITS : REPEATED, 1, 100003, true, 3 + t % 4);
        test_sort((clary_dtype)t, ANY, 5, 30001, t % 2, 3);
        test_sort((clary_dtype)t, BITS, 40000, 3, t % 2, 2);
    }
    test_memory();
    return check_done();
}

/* check.h - the harness of the C tests: one header, no dependency beyond the public API.
 *
 *     int main(void) {
 *         SECTION("addition");
 *         CHECK(1 + 1 == 2);
 *         CHECK_OK(clary_zeros(NULL, CLARY_FLOAT32, 1, (int64_t[]){3}, &a));
 *         CHECK_STATUS(clary_get(a, 1, &far, &b), CLARY_INDEX_OUT_OF_RANGE);
 *         CHECK_NO_LEAKS();
 *         return check_done();
 *     }
 *
 * A failed check prints where and why and the test goes on, so one run shows all that is wrong; the
 * exit status of check_done() is not 0 then. Checks are expressions with the value true or false,
 * for `if (!CHECK_OK(...)) return;`. Random numbers come from one seed, which $CLARY_TEST_SEED sets
 * and a failing run prints. Array helpers are used only where a test calls them: a test that does
 * not may link src/core alone.
 */
#ifndef CLARY_TESTS_CHECK_H
#define CLARY_TESTS_CHECK_H
#include "clary.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_PRINT_LIMIT 50 /* failures printed; all are counted */
#define CHECK_SKIPPED 77     /* exit status of a test that cannot run here */

static struct {
    const char *section;
    long checks, failures;
    uint64_t seed, state;
} check_now = {.section = "start"};

/* ---- checks ---- */

#define SECTION(name) ((void)(check_now.section = (name)))

__attribute__((format(printf, 5, 6))) static inline bool
check_report(bool good, const char *file, int line, const char *what, const char *format, ...) {
    check_now.checks++;
    if (good) return true;
    if (++check_now.failures > CHECK_PRINT_LIMIT) return false;
    va_list args;
    va_start(args, format);
    printf("%s:%d: [%s] %s", file, line, check_now.section, what);
    if (*format) printf(": ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
    return false;
}

#define CHECK(condition) check_report((condition), __FILE__, __LINE__, #condition, "%s", "")
/* CHECK with a printf-style explanation of the values at hand. */
#define CHECK_MSG(condition, ...)                                                                  \
    check_report((condition), __FILE__, __LINE__, #condition, __VA_ARGS__)
#define CHECK_INT(value, wanted) check_int((value), (wanted), __FILE__, __LINE__, #value)
#define CHECK_TEXT(value, wanted) check_text((value), (wanted), __FILE__, __LINE__, #value)
#define CHECK_BYTES(value, wanted, bytes)                                                          \
    check_bytes((value), (wanted), (bytes), __FILE__, __LINE__, #value)
#define CHECK_OK(call) check_status((call), CLARY_OK, __FILE__, __LINE__, #call)
/* The call fails with this status and leaves a message. */
#define CHECK_STATUS(call, wanted) check_status((call), (wanted), __FILE__, __LINE__, #call)
/* As CHECK_STATUS; the message contains `part`. */
#define CHECK_ERROR(call, wanted, part)                                                            \
    check_error((call), (wanted), (part), __FILE__, __LINE__, #call)

static inline bool check_int(int64_t value, int64_t wanted, const char *file, int line,
                             const char *what) {
    return check_report(value == wanted, file, line, what, "%" PRId64 ", not %" PRId64, value,
                        wanted);
}

static inline bool check_text(const char *value, const char *wanted, const char *file, int line,
                              const char *what) {
    return check_report(value && !strcmp(value, wanted), file, line, what, "\"%s\", not \"%s\"",
                        value ? value : "(null)", wanted);
}

static inline bool check_bytes(const void *value, const void *wanted, size_t bytes,
                               const char *file, int line, const char *what) {
    const unsigned char *v = value, *w = wanted;
    size_t k = 0;
    while (k < bytes && v[k] == w[k]) k++;
    if (k == bytes) return check_report(true, file, line, what, "%s", "");
    return check_report(false, file, line, what, "byte %zu of %zu is %02x, not %02x", k, bytes,
                        v[k], w[k]);
}

static inline bool check_status(clary_status status, clary_status wanted, const char *file,
                                int line, const char *what) {
    if (status != wanted) {
        return check_report(false, file, line, what, "%s, not %s: %s", clary_status_name(status),
                            clary_status_name(wanted), status ? clary_last_error() : "");
    }
    return check_report(!status || *clary_last_error(), file, line, what, "%s without a message",
                        clary_status_name(status));
}

static inline bool check_error(clary_status status, clary_status wanted, const char *part,
                               const char *file, int line, const char *what) {
    return check_status(status, wanted, file, line, what) &&
           check_report(strstr(clary_last_error(), part) != NULL, file, line, what,
                        "the message lacks \"%s\": %s", part, clary_last_error());
}

/* Prints the summary; the result is for main to return. */
static inline int check_done(void) {
    printf("%ld checks, %ld failed", check_now.checks, check_now.failures);
    if (check_now.failures && check_now.seed)
        printf(" (CLARY_TEST_SEED=%" PRIu64 ")", check_now.seed);
    printf("\n");
    return check_now.failures || !check_now.checks;
}

/* ---- random numbers: splitmix64 ---- */

static inline uint64_t check_random(void) {
    if (!check_now.seed) {
        const char *text = getenv("CLARY_TEST_SEED");
        check_now.seed = text ? strtoull(text, NULL, 10) : 20250101;
        if (!check_now.seed) check_now.seed = 1;
        check_now.state = check_now.seed;
    }
    uint64_t z = check_now.state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* In [low, high], ends included. */
static inline int64_t check_random_int(int64_t low, int64_t high) {
    return (int64_t)((uint64_t)low + check_random() % ((uint64_t)high - (uint64_t)low + 1));
}

/* In [low, high). */
static inline double check_random_real(double low, double high) {
    return low + (high - low) * ((double)(check_random() >> 11) * 0x1p-53);
}

/* ---- arrays ---- */

/* All elements in C order, in a block to free; NULL (and a failed check) if that does not work. */
static inline void *check_fetch(clary_array *a, const char *file, int line) {
    const size_t bytes = (size_t)clary_array_size(a) * clary_dtype_size(clary_array_dtype(a));
    void *data = malloc(bytes ? bytes : 1);
    if (data) memset(data, 0xa5, bytes);
    if (check_status(clary_to_host(a, data, bytes), CLARY_OK, file, line, "clary_to_host"))
        return data;
    free(data);
    return NULL;
}

static inline bool check_shape(clary_array *a, clary_dtype dtype, int ndim, const int64_t *shape,
                               const char *file, int line, const char *what) {
    if (!check_report(a != NULL, file, line, what, "the array is NULL")) return false;
    bool good = check_report(clary_array_dtype(a) == dtype, file, line, what, "dtype %s, not %s",
                             clary_dtype_name(clary_array_dtype(a)), clary_dtype_name(dtype));
    if (!check_report(clary_array_ndim(a) == ndim, file, line, what, "%d axes, not %d",
                      clary_array_ndim(a), ndim)) {
        return false;
    }
    for (int k = 0; k < ndim; k++) {
        const int64_t extent = clary_array_shape(a)[k];
        good &= check_report(extent == shape[k], file, line, what,
                             "axis %d has extent %" PRId64 ", not %" PRId64, k, extent, shape[k]);
    }
    return good;
}

/* The array has exactly this dtype, shape and these bits, given in C order. */
static inline bool check_array(clary_array *a, clary_dtype dtype, int ndim, const int64_t *shape,
                               const void *wanted, const char *file, int line, const char *what) {
    if (!check_shape(a, dtype, ndim, shape, file, line, what)) return false;
    void *data = check_fetch(a, file, line);
    if (!data) return false;
    const size_t bytes = (size_t)clary_array_size(a) * clary_dtype_size(dtype);
    const bool good = check_bytes(data, wanted, bytes, file, line, what);
    free(data);
    return good;
}
#define CHECK_ARRAY(a, dtype, ndim, shape, wanted)                                                 \
    check_array((a), (dtype), (ndim), (shape), (wanted), __FILE__, __LINE__, #a)

/* How many representable values lie between a and b; 0 for two NaN or two zeros. */
static inline double check_ulps32(float a, float b) {
    int32_t i, k;
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) ? 0 : INFINITY;
    memcpy(&i, &a, 4);
    memcpy(&k, &b, 4);
    const int64_t x = i < 0 ? -(int64_t)(i & INT32_MAX) : i,
                  y = k < 0 ? -(int64_t)(k & INT32_MAX) : k;
    return fabs((double)(x - y));
}

static inline double check_ulps64(double a, double b) {
    int64_t i, k;
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) ? 0 : INFINITY;
    memcpy(&i, &a, 8);
    memcpy(&k, &b, 8);
    const double x = i < 0 ? -(double)(i & INT64_MAX) : (double)i;
    const double y = k < 0 ? -(double)(k & INT64_MAX) : (double)k;
    if ((i < 0) == (k < 0)) return fabs((double)(i - k)); /* exact */
    return fabs(x - y);
}

/* As CHECK_ARRAY for float32, float64 and their complex, up to `ulps` units in the last place; NaN
 * equals NaN. */
static inline bool check_close(clary_array *a, clary_dtype dtype, int ndim, const int64_t *shape,
                               const void *wanted, double ulps, const char *file, int line,
                               const char *what) {
    if (!check_shape(a, dtype, ndim, shape, file, line, what)) return false;
    void *data = check_fetch(a, file, line);
    if (!data) return false;
    const bool wide = dtype == CLARY_FLOAT64 || dtype == CLARY_COMPLEX128;
    const int64_t parts = clary_array_size(a) * (clary_dtype_kind(dtype) == 'c' ? 2 : 1);
    bool good = true;
    for (int64_t k = 0; k < parts && good; k++) {
        const double got = wide ? ((double *)data)[k] : (double)((float *)data)[k];
        const double want = wide ? ((const double *)wanted)[k] : (double)((const float *)wanted)[k];
        const double off = wide ? check_ulps64(got, want) : check_ulps32((float)got, (float)want);
        good = off <= ulps;
        if (!good) {
            check_report(false, file, line, what, "number %" PRId64 " is %.17g, not %.17g (%g ulp)",
                         k, got, want, off);
        }
    }
    free(data);
    return good && check_report(true, file, line, what, "%s", "");
}
#define CHECK_CLOSE(a, dtype, ndim, shape, wanted, ulps)                                           \
    check_close((a), (dtype), (ndim), (shape), (wanted), (ulps), __FILE__, __LINE__, #a)

/* At the end of main: every array handle and every graph node is gone. */
#define CHECK_NO_LEAKS() check_no_leaks(__FILE__, __LINE__)
static inline bool check_no_leaks(const char *file, int line) {
    clary_counters now;
    clary_get_counters(&now);
    const bool arrays = check_report(now.live_arrays == 0, file, line, "live_arrays == 0",
                                     "%" PRIu64 " arrays were not released", now.live_arrays);
    const bool values = check_report(now.live_values == 0, file, line, "live_values == 0",
                                     "%" PRIu64 " values are still held", now.live_values);
    return arrays && values;
}

#endif

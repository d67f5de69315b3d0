/* fft.c - clary__fft_on_host: Fourier transforms of float and double.
 *
 * Lengths of prime factors up to WIDE go by passes of Stockham's algorithm, others by Bluestein's. Several
 * transforms go through the passes together, one per lane. An even number of reals is transformed as half
 * as many complex numbers (Press et al., Numerical Recipes, 12.3).
 */
#include "graph/group.h"
#include "reference/threads.h"
#include <math.h>
#include <string.h>

#define WIDE 31 /* largest radix */
#define MAX_PASSES 64
#define PLANS 16              /* kept per type, */
#define PLAN_BYTES (64 << 20) /* while they have no more bytes */
#define TILE_BYTES (1 << 19)  /* of planes, to stay in the cache */
#define PARALLEL 16384        /* points that are worth a second thread */

typedef struct complex_double {
    double re, im;
} complex_double;

typedef struct job {
    const clary__fft *fft;
    const void *plan;
    bool half;       /* reals in pairs */
    const double *w; /* then: exp(-2 pi i k / length), k = 0..length / 2 */
    int64_t lanes;
} job;

/* exp(-2 pi i k / n): the angle is brought into an eighth of the circle in integers, so it is exact. */
static complex_double root(int64_t k, int64_t n) {
    k = k % n;
    bool low = 2 * k > n; /* conjugate */
    if (low) k = n - k;
    bool left = 4 * k > n; /* mirrored; the angle is 2 pi (k4 / 4) / n */
    int64_t k4 = left ? 2 * n - 4 * k : 4 * k;
    bool steep = 2 * k4 > n;
    if (steep) k4 = n - k4;
    double angle = 1.57079632679489661923 * (double)k4 / (double)n;
    double c = cos(angle), s = sin(angle);
    double x = steep ? s : c, y = steep ? c : s;
    return (complex_double){left ? -x : x, low ? y : -y};
}

/* Radices of n, largest number of fours first; -1 if n has a prime factor beyond WIDE. */
static int factor(int64_t n, int *radices) {
    int count = 0;
    for (; n % 4 == 0; n /= 4) radices[count++] = 4;
    if (n % 2 == 0) radices[count++] = 2, n /= 2;
    for (int r = 3; r <= WIDE; r += 2)
        for (; n % r == 0; n /= r) radices[count++] = r;
    return n == 1 ? count : -1;
}

/* The least 2^a 3^b 5^c that is not below n. */
static int64_t smooth_above(int64_t n) {
    int64_t best = INT64_MAX;
    for (int64_t five = 1; five < 5 * n; five *= 5)
        for (int64_t three = five; three < 3 * n; three *= 3) {
            int64_t x = three;
            while (x < n) x *= 2;
            if (x < best) best = x;
        }
    return best;
}

#define T float
#define NAME(x) x##_float
#include "reference/fft_template.h"
#undef T
#undef NAME
#define T double
#define NAME(x) x##_double
#include "reference/fft_template.h"
#undef T
#undef NAME

/* The roots for `half`, kept for the last length. Used under the engine lock. */
static const double *roots_of(int64_t n) {
    static double *kept;
    static int64_t length;
    if (length == n) return kept;
    clary__dealloc(kept);
    length = 0;
    kept = clary__malloc(2 * (size_t)(n / 2 + 1) * sizeof *kept);
    for (int64_t k = 0; kept && k <= n / 2; k++) {
        complex_double u = root(k, n);
        kept[2 * k] = u.re;
        kept[2 * k + 1] = u.im;
    }
    if (kept) length = n;
    return kept;
}

clary_status clary__fft_on_host(const clary__fft *f, int threads) {
    job j = {.fft = f,
             .half = (f->kind == CLARY__FFT_REAL || f->kind == CLARY__FFT_HERMITIAN) &&
                     f->length % 2 == 0};
    CLARY__COUNT(launches, 1);
    CLARY__COUNT(host_runs, 1);
    CLARY__COUNT(bytes_kernels,
                 (uint64_t)(f->outer * f->length * f->inner) * 4 * clary_dtype_size(f->real));
    if (j.half) {
        j.w = roots_of(f->length);
        FAIL_IF(!j.w, CLARY_OUT_OF_MEMORY, "%s: no memory for the roots of %lld points", f->what,
                (long long)f->length);
    }
    return f->real == CLARY_FLOAT32 ? transform_float(&j, threads) : transform_double(&j, threads);
}

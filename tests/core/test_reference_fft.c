/* test_reference_fft.c - clary__fft_on_host beside the sum that defines the transform, in long double:
 * every kind, radix and way through, on several threads, with columns and rows. */
#include "groups.h"
#include <math.h>

/* turns: cosines and sines of 2 pi j / n. */
static void define(int sign, int64_t n, const long double *turns, const double *in, int64_t k,
                   double *out) {
    long double re = 0, im = 0;
    for (int64_t j = 0; j < n; j++) {
        long double c = turns[2 * (j * k % n)], s = sign * turns[2 * (j * k % n) + 1];
        re += in[2 * j] * c - in[2 * j + 1] * s;
        im += in[2 * j] * s + in[2 * j + 1] * c;
    }
    out[0] = (double)re, out[1] = (double)im;
}

static void put(void *to, clary_dtype t, int64_t i, double x) {
    if (t == CLARY_FLOAT32)
        ((float *)to)[i] = (float)x;
    else
        ((double *)to)[i] = x;
}

static double get(const void *from, clary_dtype t, int64_t i) {
    return t == CLARY_FLOAT32 ? ((const float *)from)[i] : ((const double *)from)[i];
}

/* One array of random numbers through one kind; blocks have no room to spare, so ASan sees overruns. */
static void transform(int kind, clary_dtype t, int64_t outer, int64_t n, int64_t inner,
                      bool normalize) {
    int64_t terms = n / 2 + 1, rows = outer * inner;
    int64_t in = kind == CLARY__FFT_HERMITIAN ? terms : n;
    int64_t out = kind == CLARY__FFT_REAL ? terms : n;
    int parts_in = kind == CLARY__FFT_REAL ? 1 : 2,
        parts_out = kind == CLARY__FFT_HERMITIAN ? 1 : 2;
    size_t size = clary_dtype_size(t);
    clary__buffer from = {.host = malloc((size_t)(rows * in * parts_in) * size)};
    clary__buffer to = {.host = malloc((size_t)(rows * out * parts_out) * size)};
    double *row = malloc((size_t)n * 2 * sizeof *row);
    long double *turns = malloc((size_t)n * 2 * sizeof *turns);
    for (int64_t j = 0; j < n; j++) {
        turns[2 * j] = cosl(2 * acosl(-1.0L) * (long double)j / (long double)n);
        turns[2 * j + 1] = sinl(2 * acosl(-1.0L) * (long double)j / (long double)n);
    }
    for (int64_t i = 0; i < rows * in * parts_in; i++)
        put(from.host, t, i, (double)check_random_int(-1000, 1000) / 1024);
    clary__fft job = {.kind = kind,
                      .real = t,
                      .normalize = normalize,
                      .outer = outer,
                      .length = n,
                      .inner = inner,
                      .in = &from,
                      .out = &to,
                      .what = "fft"};
    CHECK_OK(clary__fft_on_host(&job, 3));
    double worst = 0, total = 0;
    for (int64_t r = 0; r < rows; r++) {
        int64_t first = r / inner * in * inner + r % inner;
        for (int64_t k = 0; k < in; k++) {
            row[2 * k] = get(from.host, t, (first + k * inner) * parts_in);
            row[2 * k + 1] = parts_in == 1 ? 0 : get(from.host, t, (first + k * inner) * 2 + 1);
        }
        if (kind == CLARY__FFT_HERMITIAN) {
            row[1] = 0;
            if (n % 2 == 0) row[n + 1] = 0;
            for (int64_t k = terms; k < n; k++) {
                row[2 * k] = row[2 * (n - k)];
                row[2 * k + 1] = -row[2 * (n - k) + 1];
            }
        }
        bool back = kind == CLARY__FFT_INVERSE || kind == CLARY__FFT_HERMITIAN;
        for (int64_t k = 0; k < out; k++) {
            double wanted[2];
            define(back ? 1 : -1, n, turns, row, k, wanted);
            int64_t at = (r / inner * out * inner + r % inner + k * inner) * parts_out;
            for (int p = 0; p < parts_out; p++) {
                double w = normalize && back ? wanted[p] / (double)n : wanted[p];
                worst = fmax(worst, fabs(get(to.host, t, at + p) - w));
                total = fmax(total, fabs(w));
            }
        }
    }
    double limit = (t == CLARY_FLOAT32 ? 1e-6 : 2e-15) * total;
    CHECK_MSG(worst <= limit, "kind %d, %s, %" PRId64 " x %" PRId64 " x %" PRId64 ": off by %g",
              kind, clary_dtype_name(t), outer, n, inner, worst);
    free(from.host);
    free(to.host);
    free(row);
    free(turns);
}

int main(void) {
    static const int64_t lengths[] = {1,  2,   3,   4,   5,   6,   7,   8,   9,   10, 11,
                                      13, 15,  16,  25,  29,  31,  32,  33,  37,  49, 74,
                                      97, 111, 128, 210, 255, 257, 512, 961, 1021};
    SECTION("every kind and length");
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int kind = CLARY__FFT_FORWARD; kind <= CLARY__FFT_HERMITIAN; kind++)
            for (int t = 0; t < 2; t++) {
                clary_dtype real = t ? CLARY_FLOAT64 : CLARY_FLOAT32;
                transform(kind, real, 1, lengths[i], 1, true);
                if (lengths[i] > 300) continue;
                transform(kind, real, 3, lengths[i], 1, false);
                transform(kind, real, 2, lengths[i], 11, true);
            }
    SECTION("more rows than a tile, on several threads");
    transform(CLARY__FFT_FORWARD, CLARY_FLOAT64, 1031, 24, 1, false);
    transform(CLARY__FFT_REAL, CLARY_FLOAT32, 5, 30, 209, false);
    return check_done();
}

/* blas.c - finds a BLAS at run time and multiplies matrices with it.
 *
 * Looked for once, in this order: $CLARY_BLAS, OpenBLAS under its usual names, an OpenBLAS that is loaded
 * already (as NumPy brings one). It must have Fortran's ?gemm, with any of the usual decorations; names that
 * end in 64_ take 64-bit integers. Netlib's plain BLAS is not looked for: the loops here are faster.
 *
 * A row-major result is the transposed one to Fortran: C^T = Y^T X^T.
 */
#include "host/blas.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#ifdef __linux__
#include <link.h>
#endif

/* Below this many products the call costs more than it brings. */
#define SMALLEST (48.0 * 48 * 48)

/* The integers are 32 or 64 bits wide behind the pointers. The last two: lengths of the texts, as some
 * Fortran compilers expect. */
typedef void gemm_fn(const char *, const char *, const void *m, const void *n, const void *k,
                     const void *alpha, const void *a, const void *lda, const void *b,
                     const void *ldb, const void *beta, void *c, const void *ldc, size_t, size_t);

static struct blas {
    gemm_fn *gemm[4]; /* s, d, c, z */
    bool wide;        /* integers of 64 bits */
    char name[256];
} blas;

static bool take_symbols(void *library, const char *name) {
    static const struct {
        const char *prefix, *suffix;
        bool wide;
    } forms[] = {{"", "_64_", true},      {"", "64_", true}, {"scipy_", "_64_", true},
                 {"scipy_", "64_", true}, {"", "_", false},  {"scipy_", "_", false}};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        int found = 0;
        for (int i = 0; i < 4; i++) {
            char symbol[32];
            snprintf(symbol, sizeof symbol, "%s%cgemm%s", forms[f].prefix, "sdcz"[i],
                     forms[f].suffix);
            void *address = dlsym(library, symbol);
            memcpy(&blas.gemm[i], &address, sizeof address);
            found += address != NULL;
        }
        if (found == 4) {
            blas.wide = forms[f].wide;
            snprintf(blas.name, sizeof blas.name, "%s", name);
            return true;
        }
    }
    memset(blas.gemm, 0, sizeof blas.gemm);
    return false;
}

static bool take_library(const char *name, int flags) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | flags);
    if (!library) return false;
    if (take_symbols(library, name)) return true; /* stays open */
    dlclose(library);
    return false;
}

#ifdef __linux__
static int note_loaded(struct dl_phdr_info *info, size_t size, void *name) {
    (void)size;
    if (!info->dlpi_name || !strstr(info->dlpi_name, "openblas")) return 0;
    snprintf(name, 256, "%s", info->dlpi_name);
    return 1;
}
#endif

static void find_blas(void) {
    static const char *const names[] = {"libopenblas.so.0", "libopenblas64_.so.0",
                                        "libopenblas64.so.0", "libopenblas.so",
                                        "libopenblas.dylib"};
    const char *chosen = clary__env("CLARY_BLAS");
    if (chosen) { /* this one, or none */
        take_library(chosen, 0);
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (take_library(names[i], 0)) return;
#ifdef __linux__
    char loaded[256] = "";
    if (dl_iterate_phdr(note_loaded, loaded)) take_library(loaded, RTLD_NOLOAD);
#endif
}

static int letter_of(clary_dtype dtype) {
    switch (dtype) {
    case CLARY_FLOAT32: return 0;
    case CLARY_FLOAT64: return 1;
    case CLARY_COMPLEX64: return 2;
    case CLARY_COMPLEX128: return 3;
    default: return -1;
    }
}

/* ---- one matrix ---- */

/* A row-major matrix as Fortran sees it: the transposed one with this leading dimension, or, if `flipped`,
 * the matrix itself. */
typedef struct matrix {
    const char *base;
    int64_t ld;
    bool flipped;
} matrix;

/* Whether rows lie one after another, each dense. */
static bool dense(int64_t lines, int64_t line, int64_t n, int64_t step, int64_t *ld) {
    if ((step != 1 && n != 1) || (line < n && lines != 1)) return false;
    *ld = lines == 1 ? n : line;
    return true;
}

static bool fits(const int64_t *extents, const int64_t *strides, matrix *m) {
    m->flipped = false;
    if (dense(extents[0], strides[0], extents[1], strides[1], &m->ld)) return true;
    m->flipped = true;
    return dense(extents[1], strides[1], extents[0], strides[0], &m->ld);
}

/* Elements are of 4, 8 or 16 bytes. */
static void pack(const int64_t *extents, const int64_t *strides, size_t size, const char *from,
                 char *to) {
    for (int64_t r = 0; r < extents[0]; r++) {
        const char *row = from + r * strides[0] * (int64_t)size;
        int64_t step = strides[1] * (int64_t)size;
        for (int64_t c = 0; c < extents[1]; c++, row += step, to += size)
            if (size == 4)
                memcpy(to, row, 4);
            else if (size == 8)
                memcpy(to, row, 8);
            else
                memcpy(to, row, 16);
    }
}

static clary_status open_matrix(const char *what, const int64_t *extents, const int64_t *strides,
                                size_t size, char **room, matrix *m) {
    if (fits(extents, strides, m)) return CLARY_OK;
    if (!*room) *room = clary__malloc((size_t)(extents[0] * extents[1]) * size);
    FAIL_IF(!*room, CLARY_OUT_OF_MEMORY, "%s: no host memory to pack a matrix", what);
    pack(extents, strides, size, m->base, *room);
    *m = (matrix){.base = *room, .ld = extents[1]};
    return CLARY_OK;
}

/* ---- the engine ---- */

static bool representable(const clary__group *g, int64_t ld) {
    return blas.wide || (g->shape[2] <= INT32_MAX && g->shape[3] <= INT32_MAX &&
                         g->product.inner <= INT32_MAX && ld <= INT32_MAX);
}

/* The numbers are passed as 64-bit ones, or as 32-bit ones that hold the same. */
static const void *integer(const int64_t *number, int32_t *narrow) {
    *narrow = (int32_t)*number;
    return blas.wide ? (const void *)number : narrow;
}

static void multiply(const clary__group *g, const matrix *x, const matrix *y, void *out,
                     int64_t ld) {
    static const float one_s[2] = {1, 0}, zero_s[2] = {0, 0};
    static const double one_d[2] = {1, 0}, zero_d[2] = {0, 0};
    int letter = letter_of(g->product.dtype);
    const void *one = letter % 2 ? (const void *)one_d : one_s;
    const void *zero = letter % 2 ? (const void *)zero_d : zero_s;
    int32_t narrow[6];
    blas.gemm[letter](y->flipped ? "T" : "N", x->flipped ? "T" : "N",
                      integer(&g->shape[3], &narrow[0]), integer(&g->shape[2], &narrow[1]),
                      integer(&g->product.inner, &narrow[2]), one, y->base,
                      integer(&y->ld, &narrow[3]), x->base, integer(&x->ld, &narrow[4]), zero, out,
                      integer(&ld, &narrow[5]), 1, 1);
}

static clary_status run(const clary__group *g, const clary__host_bases *bases, void *out,
                        const int64_t *strides, int threads) {
    const clary__operand *x = &g->product.x, *y = &g->product.y;
    const int64_t ex[2] = {g->shape[2], g->product.inner}, ey[2] = {g->product.inner, g->shape[3]};
    int64_t size = (int64_t)clary_dtype_size(g->product.dtype), ld;
    bool wanted = dense(g->shape[2], strides[2], g->shape[3], strides[3], &ld);
    if (!wanted) return clary__reference_product(g, bases, out, strides, threads);
    char *room_x = NULL, *room_y = NULL;
    clary_status status = CLARY_OK;
    for (int64_t i = 0; i < g->shape[0] * g->shape[1] && status == CLARY_OK; i++) {
        int64_t a = i / g->shape[1], b = i % g->shape[1];
        matrix mx = {(const char *)bases->x +
                         (x->offset + a * x->strides[0] + b * x->strides[1]) * size,
                     0, false};
        matrix my = {(const char *)bases->y +
                         (y->offset + a * y->strides[0] + b * y->strides[1]) * size,
                     0, false};
        status = open_matrix(g->what, ex, x->strides + 2, (size_t)size, &room_x, &mx);
        if (status == CLARY_OK)
            status = open_matrix(g->what, ey, y->strides + 2, (size_t)size, &room_y, &my);
        if (status != CLARY_OK) break;
        if (!representable(g, mx.ld) || !representable(g, my.ld) || !representable(g, ld)) {
            status = clary__reference_product(g, bases, out, strides, threads);
            break;
        }
        multiply(g, &mx, &my, (char *)out + (a * strides[0] + b * strides[1]) * size, ld);
    }
    clary__dealloc(room_x);
    clary__dealloc(room_y);
    return status;
}

/* NULL: the BLAS is taken. */
static const char *reason_against(const clary__group *g) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *asked = clary__env("CLARY_GEMM");
    if (asked && !strcmp(asked, "reference")) return "CLARY_GEMM asks for it";
    if (letter_of(g->product.dtype) < 0) return "BLAS has no such dtype";
    bool forced = asked && !strcmp(asked, "host");
    if (!forced && (double)g->points * (double)g->product.inner < SMALLEST) return "it is small";
    pthread_once(&once, find_blas);
    return blas.name[0] ? NULL : "no BLAS was found";
}

clary__product_fn *clary__host_product_engine(const clary__group *g) {
    const char *reason = reason_against(g);
    if (clary__log_on("dispatch"))
        clary__log("dispatch", "%s of %lld x (%lld, %lld, %lld) %s: %s%s%s", g->what,
                   (long long)g->shape[0] * g->shape[1], (long long)g->shape[2],
                   (long long)g->product.inner, (long long)g->shape[3],
                   clary_dtype_name(g->product.dtype), reason ? "reference executor: " : "",
                   reason ? reason : "BLAS of ", reason ? "" : blas.name);
    return reason ? clary__reference_product : run;
}

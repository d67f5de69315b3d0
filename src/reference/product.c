/* product.c - matrix products in plain C.
 *
 * A task is a tile of the result: it packs a block of rows and one of columns, some hundred values of k at a
 * time, and multiplies them with sums that fit registers (blocking after Goto and van de Geijn, "Anatomy of
 * High-Performance Matrix Multiplication", 2008, without shared packing). A sum is taken in rising k,
 * whatever the threads.
 */
#include "graph/layout.h"
#include "reference/threads.h"
#include "graph/group.h"
#include <string.h>

enum { ROWS = 4, VECTOR_BYTES = 32, TILE_ROWS = 64, TILE_COLUMNS = 128, BLOCK = 256 };
/* Below this many products a second thread costs more than it brings. */
#define PARALLEL_PRODUCTS 100000

typedef struct kind {
    void (*tile)(const void *rows, const void *columns, int64_t nrows, int64_t ncolumns, int64_t n,
                 void *sum);
    void (*pack)(const void *from, int64_t line, int64_t step, int64_t count, int64_t n, int width,
                 void *to);
    void (*store)(const void *sum, int64_t nrows, int64_t ncolumns, void *out, int64_t row,
                  int64_t column);
    size_t size;
    int lanes;
} kind;

typedef struct complex_float {
    float re, im;
} complex_float;
typedef struct complex_double {
    double re, im;
} complex_double;

#define REAL_STEP(a, x, y) a += (x) * (y)
#define INTEGER_STEP(a, x, y) a = (__typeof__(a))(a + 1u * (x) * (y)) /* no signed overflow */
#define COMPLEX_STEP(a, x, y)                                                                      \
    (a.re += (x).re * (y).re - (x).im * (y).im, a.im += (x).re * (y).im + (x).im * (y).re)

#define N truth
#define T uint8_t
#define STEP(a, x, y) a |= (x) & (y)
#include "reference/product_template.h"
#define N u8
#define T uint8_t
#define STEP INTEGER_STEP
#include "reference/product_template.h"
#define N u16
#define T uint16_t
#define STEP INTEGER_STEP
#include "reference/product_template.h"
#define N u32
#define T uint32_t
#define STEP INTEGER_STEP
#include "reference/product_template.h"
#define N u64
#define T uint64_t
#define STEP INTEGER_STEP
#include "reference/product_template.h"
#define N f32
#define T float
#define STEP REAL_STEP
#include "reference/product_template.h"
#define N f64
#define T double
#define STEP REAL_STEP
#include "reference/product_template.h"
#define N c64
#define T complex_float
#define STEP COMPLEX_STEP
#include "reference/product_template.h"
#define N c128
#define T complex_double
#define STEP COMPLEX_STEP
#include "reference/product_template.h"

static const kind *kind_of(clary_dtype dtype) {
    switch (dtype) {
    case CLARY_BOOL: return &kind_truth;
    case CLARY_FLOAT16:
    case CLARY_BFLOAT16:
    case CLARY_FLOAT32: return &kind_f32;
    case CLARY_FLOAT64: return &kind_f64;
    case CLARY_COMPLEX64: return &kind_c64;
    case CLARY_COMPLEX128: return &kind_c128;
    default: break;
    }
    switch (clary_dtype_size(dtype)) {
    case 1: return &kind_u8;
    case 2: return &kind_u16;
    case 4: return &kind_u32;
    default: return &kind_u64;
    }
}

static void pack_halves(clary_dtype dtype, const uint16_t *from, int64_t line, int64_t step,
                        int64_t count, int64_t n, int width, float *out) {
    for (int64_t first = 0; first < count; first += width)
        for (int64_t k = 0; k < n; k++)
            for (int64_t l = first; l < first + width; l++) {
                uint16_t half = l < count ? from[l * line + k * step] : 0;
                *out++ =
                    dtype == CLARY_FLOAT16 ? clary__f16_to_f32(half) : clary__bf16_to_f32(half);
            }
}

typedef struct job {
    const clary__group *group;
    const clary__host_bases *bases;
    const kind *kind;
    char *out;
    const int64_t *strides;
    int64_t row_tiles, column_tiles;
    size_t bytes_x, bytes_y, bytes_sum; /* of the blocks of one task */
} job;

static void pack(const job *j, const void *base, int64_t offset, int64_t line, int64_t step,
                 int64_t count, int64_t n, int width, void *to) {
    clary_dtype dtype = j->group->product.dtype;
    const char *from = (const char *)base + offset * (int64_t)clary_dtype_size(dtype);
    if (clary__is_half(dtype))
        pack_halves(dtype, (const uint16_t *)from, line, step, count, n, width, to);
    else
        j->kind->pack(from, line, step, count, n, width, to);
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static clary_status tile_task(void *context, int64_t number) {
    const job *j = context;
    const clary__group *g = j->group;
    const clary__operand *x = &g->product.x, *y = &g->product.y;
    int64_t column = number % j->column_tiles * TILE_COLUMNS;
    number /= j->column_tiles;
    int64_t row = number % j->row_tiles * TILE_ROWS;
    number /= j->row_tiles;
    int64_t batch[2] = {number / g->shape[1], number % g->shape[1]};
    int64_t nrows = least(TILE_ROWS, g->shape[2] - row);
    int64_t ncolumns = least(TILE_COLUMNS, g->shape[3] - column);
    int64_t at_x = x->offset + row * x->strides[2], at_y = y->offset + column * y->strides[3];
    int64_t at_out = row * j->strides[2] + column * j->strides[3];
    for (int d = 0; d < 2; d++) {
        at_x += batch[d] * x->strides[d];
        at_y += batch[d] * y->strides[d];
        at_out += batch[d] * j->strides[d];
    }
    char *block = clary__malloc(j->bytes_x + j->bytes_y + j->bytes_sum + 64);
    FAIL_IF(!block, CLARY_OUT_OF_MEMORY, "%s: no host memory for a tile", g->what);
    char *sum = (char *)(((uintptr_t)block + 63) & ~(uintptr_t)63);
    char *columns = sum + j->bytes_sum, *rows = columns + j->bytes_y;
    memset(sum, 0, j->bytes_sum);
    for (int64_t k = 0; k < g->product.inner; k += BLOCK) {
        int64_t n = least(BLOCK, g->product.inner - k);
        pack(j, j->bases->x, at_x + k * x->strides[3], x->strides[2], x->strides[3], nrows, n, ROWS,
             rows);
        pack(j, j->bases->y, at_y + k * y->strides[2], y->strides[3], y->strides[2], ncolumns, n,
             j->kind->lanes, columns);
        j->kind->tile(rows, columns, nrows, ncolumns, n, sum);
    }
    j->kind->store(sum, nrows, ncolumns, j->out + at_out * (int64_t)j->kind->size, j->strides[2],
                   j->strides[3]);
    clary__dealloc(block);
    return CLARY_OK;
}

static size_t round_up(int64_t n, int64_t unit) {
    return (size_t)((n + unit - 1) / unit * unit);
}

clary_status clary__reference_product(const clary__group *g, const clary__host_bases *bases,
                                      void *out, const int64_t *strides, int threads) {
    const kind *k = kind_of(g->product.dtype);
    int64_t depth = least(BLOCK, g->product.inner);
    job j = {.group = g, .bases = bases, .kind = k, .out = out, .strides = strides};
    j.row_tiles = (g->shape[2] + TILE_ROWS - 1) / TILE_ROWS;
    j.column_tiles = (g->shape[3] + TILE_COLUMNS - 1) / TILE_COLUMNS;
    j.bytes_x = round_up(least(g->shape[2], TILE_ROWS), ROWS) * (size_t)depth * k->size;
    j.bytes_y = round_up(least(g->shape[3], TILE_COLUMNS), k->lanes) * (size_t)depth * k->size;
    j.bytes_sum = round_up(least(g->shape[2], TILE_ROWS), ROWS) * (size_t)TILE_COLUMNS * k->size;
    if ((double)g->points * (double)g->product.inner < PARALLEL_PRODUCTS) threads = 1;
    return clary__parallel(threads, g->shape[0] * g->shape[1] * j.row_tiles * j.column_tiles,
                           tile_task, &j);
}

/* The product is stored by itself, then the epilogue runs. */
static clary_status run_epilogue(const clary__group *g, const clary__host_bases *bases, int threads,
                                 clary__fault *fault, clary__product_fn *engine) {
    int64_t strides[4];
    clary__contiguous_strides(4, g->shape, strides);
    clary__group *map = clary__malloc(sizeof *map);
    void *stored = clary__malloc((size_t)g->points * clary_dtype_size(g->reduce_dtype));
    clary_status status = CLARY_OK;
    if (!map || !stored)
        status = clary__fail(CLARY_OUT_OF_MEMORY, "%s: no host memory for %lld elements", g->what,
                             (long long)g->points);
    if (status == CLARY_OK) status = engine(g, bases, stored, strides, threads);
    if (status == CLARY_OK) {
        clary__host_bases with = *bases;
        with.inputs[g->ninputs] = stored;
        clary__product_epilogue(g, NULL, map);
        status = clary__run_noting(map, &with, threads, fault);
    }
    clary__dealloc(stored);
    clary__dealloc(map);
    return status;
}

clary_status clary__run_product(const clary__group *g, const clary__host_bases *bases, int threads,
                                clary__fault *fault, clary__product_fn *engine) {
    if (g->ninstr > 1 || g->noutputs > 1) return run_epilogue(g, bases, threads, fault, engine);
    const clary__operand *o = &g->outputs[0];
    CLARY__COUNT(launches, 1);
    CLARY__COUNT(host_runs, 1);
    char *out = (char *)bases->outputs[0] + o->offset * (int64_t)clary_dtype_size(o->dtype);
    return engine(g, bases, out, o->strides, threads);
}

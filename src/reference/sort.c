/* sort.c - clary__sort_on_host: sorts by group.h's Note [Sort order].
 *
 * An element becomes an unsigned number that sorts as it does, its code: -0.0 and 0.0 have one code, and so
 * have all NaNs. Values alone are sorted as codes, which then become elements again; what has several forms
 * of equal rank is put back as it was found. For an order each code carries its place with it: in the lower
 * half of a word, or beside it.
 */
#include "reference/loops.h"
#include "reference/threads.h"
#include <string.h>

/* Measured on 10^7 numbers of several distributions. */
#define RUN 16    /* records sorted by insertion */
#define SHORT 128 /* records sorted by merging */
#define DIGIT_BITS 8
#define FEW_BITS 24     /* worth going through digit by digit, */
#define CACHE (1 << 19) /* if the records have no more bytes */
#define PARALLEL 100000 /* records that are worth a second thread */

typedef struct placed {
    uint64_t code;
    int64_t place;
} placed;

#define N u8
#define R uint8_t
#define KEY(r) (r)
#include "reference/sort_template.h"
#define N u16
#define R uint16_t
#define KEY(r) (r)
#include "reference/sort_template.h"
#define N u32
#define R uint32_t
#define KEY(r) (r)
#include "reference/sort_template.h"
#define N u64
#define R uint64_t
#define KEY(r) (r)
#include "reference/sort_template.h"
#define N placed
#define R placed
#define KEY(r) ((r).code)
#include "reference/sort_template.h"

/* ---- codes ---- */

typedef struct coding {
    char kind;        /* 'u', 'i' or 'f' */
    uint64_t inf;     /* 'f': the bits of infinity */
    uint64_t reverse; /* all bits, to sort downwards */
} coding;

#define CODES(T, n)                                                                                \
    static inline T encode_##n(const coding *c, T u) {                                             \
        const T sign = (T)((T)1 << (8 * sizeof(T) - 1)), magnitude = u & (T)(sign - 1);            \
        if (c->kind == 'f')                                                                        \
            u = magnitude > (T)c->inf ? (T)-1                                                      \
                                      : (T)(u & sign ? sign - magnitude : sign + magnitude);       \
        else if (c->kind == 'i')                                                                   \
            u ^= sign;                                                                             \
        return u ^ (T)c->reverse;                                                                  \
    }                                                                                              \
    static inline T decode_##n(const coding *c, T u) {                                             \
        const T sign = (T)((T)1 << (8 * sizeof(T) - 1));                                           \
        u ^= (T)c->reverse;                                                                        \
        if (c->kind == 'u') return u;                                                              \
        return c->kind == 'i' || u >= sign ? u ^ sign : (T)(sign | (sign - u));                    \
    }                                                                                              \
    /* Zeros and NaNs, in the order in which they came. */                                         \
    static void restore_##n(const coding *c, const T *from, T *to, size_t n) {                     \
        T zero = encode_##n(c, 0), nan = encode_##n(c, (T)-1);                                     \
        size_t zeros = 0, nans = 0; /* those before them */                                        \
        for (size_t k = 0; k < n; k++) {                                                           \
            T code = encode_##n(c, from[k]);                                                       \
            zeros += code < zero;                                                                  \
            nans += code < nan;                                                                    \
        }                                                                                          \
        for (size_t k = 0; k < n; k++) {                                                           \
            T code = encode_##n(c, from[k]);                                                       \
            if (code == zero) to[zeros++] = from[k];                                               \
            if (code == nan) to[nans++] = from[k];                                                 \
        }                                                                                          \
    }                                                                                              \
    static clary_status sort_values_##n(const coding *c, const T *from, T *to, T *scratch,         \
                                        size_t n, int threads) {                                   \
        bool same = true;                                                                          \
        for (size_t k = 0; k < n; k++) {                                                           \
            to[k] = encode_##n(c, from[k]);                                                        \
            same &= decode_##n(c, to[k]) == from[k];                                               \
        }                                                                                          \
        TRY(sort_##n(to, scratch, n, 0, threads));                                                 \
        for (size_t k = 0; k < n; k++) to[k] = decode_##n(c, to[k]);                               \
        if (!same) restore_##n(c, from, to, n);                                                    \
        return CLARY_OK;                                                                           \
    }
CODES(uint8_t, u8)
CODES(uint16_t, u16)
CODES(uint32_t, u32)
CODES(uint64_t, u64)

/* Complex numbers have two codes; those of a NaN are behind all others. */
#define COMPLEX_CODES(T, n)                                                                        \
    static inline void encode_complex_##n(const coding *c, const T *z, T *first, T *second) {      \
        const coding up = {c->kind, c->inf, 0};                                                    \
        T re = encode_##n(&up, z[0]), im = encode_##n(&up, z[1]);                                  \
        int rank = 2 * (re == (T)-1) + (im == (T)-1);                                              \
        *first = (rank ? (T)-4 + (T)rank : re) ^ (T)c->reverse;                                    \
        *second = (rank == 0 || rank == 2 ? im : rank == 1 ? re : 0) ^ (T)c->reverse;              \
    }
COMPLEX_CODES(uint32_t, u32)
COMPLEX_CODES(uint64_t, u64)

/* ---- rows ---- */

typedef struct job {
    const clary__sort *sort;
    coding coding;
    size_t size, n; /* of an element; elements of a row */
    bool complex;
    bool packed;      /* code and place in one word */
    int threads;      /* for each row */
    int64_t per_task; /* rows */
} job;

static inline uint64_t code_of(const coding *c, size_t size, const void *from, size_t k) {
    switch (size) {
    case 1: return encode_u8(c, ((const uint8_t *)from)[k]);
    case 2: return encode_u16(c, ((const uint16_t *)from)[k]);
    case 4: return encode_u32(c, ((const uint32_t *)from)[k]);
    default: return encode_u64(c, ((const uint64_t *)from)[k]);
    }
}

static clary_status sort_values(const job *j, const void *from, void *to, void *scratch) {
    const coding *c = &j->coding;
    switch (j->size) {
    case 1: return sort_values_u8(c, from, to, scratch, j->n, j->threads);
    case 2: return sort_values_u16(c, from, to, scratch, j->n, j->threads);
    case 4: return sort_values_u32(c, from, to, scratch, j->n, j->threads);
    default: return sort_values_u64(c, from, to, scratch, j->n, j->threads);
    }
}

static clary_status sort_packed(const job *j, const void *from, int64_t *order, void *scratch) {
    uint64_t *words = (uint64_t *)order;
    for (size_t k = 0; k < j->n; k++)
        words[k] = code_of(&j->coding, j->size, from, k) << 32 | (uint64_t)k;
    TRY(sort_u64(words, scratch, j->n, 32, j->threads));
    for (size_t k = 0; k < j->n; k++) words[k] &= UINT32_MAX;
    return CLARY_OK;
}

/* Complex numbers of 16 bytes, which are in the order of their first codes: runs of equal ones by the second. */
static void sort_equal_runs(const job *j, const uint64_t *from, placed *a, placed *scratch) {
    for (size_t start = 0, end; start < j->n; start = end) {
        for (end = start + 1; end < j->n && a[end].code == a[start].code;) end++;
        if (end - start == 1) continue;
        for (size_t k = start; k < end; k++) {
            uint64_t first;
            encode_complex_u64(&j->coding, from + 2 * a[k].place, &first, &a[k].code);
        }
        sort_part_placed(a + start, scratch + start, end - start, 0, false);
    }
}

static clary_status sort_placed_codes(const job *j, const void *from, int64_t *order,
                                      void *scratch) {
    placed *a = scratch, *b = a + j->n;
    for (size_t k = 0; k < j->n; k++) {
        uint32_t high, low;
        uint64_t second;
        a[k].place = (int64_t)k;
        if (!j->complex) {
            a[k].code = code_of(&j->coding, j->size, from, k);
        } else if (j->size == 8) {
            encode_complex_u32(&j->coding, (const uint32_t *)from + 2 * k, &high, &low);
            a[k].code = (uint64_t)high << 32 | low;
        } else {
            encode_complex_u64(&j->coding, (const uint64_t *)from + 2 * k, &a[k].code, &second);
        }
    }
    TRY(sort_placed(a, b, j->n, 0, j->threads));
    if (j->size == 16) sort_equal_runs(j, from, a, b);
    for (size_t k = 0; k < j->n; k++) order[k] = a[k].place;
    return CLARY_OK;
}

static clary_status sort_rows(void *context, int64_t number) {
    const job *j = context;
    const clary__sort *s = j->sort;
    int64_t first = number * j->per_task, end = first + j->per_task;
    if (end > s->rows) end = s->rows;
    bool order_only_here = j->complex && !s->order, by_order = j->complex || s->order;
    size_t scratch_bytes = j->n * (!by_order ? j->size : j->packed ? 8 : 2 * sizeof(placed));
    size_t bytes = scratch_bytes + (order_only_here ? j->n * sizeof(int64_t) : 0);
    char *scratch = clary__malloc(bytes);
    clary_status status = CLARY_OK;
    FAIL_IF(!scratch, CLARY_OUT_OF_MEMORY, "%s: no memory for %zu bytes of scratch space",
            s->what ? s->what : "sort", bytes);
    for (int64_t row = first; row < end; row++) {
        const char *from = (const char *)s->keys->host + (size_t)row * j->n * j->size;
        char *to = s->values ? (char *)s->values->host + (size_t)row * j->n * j->size : NULL;
        if (!by_order) {
            TRY_GOTO(done, sort_values(j, from, to, scratch));
            continue;
        }
        int64_t *order = s->order ? (int64_t *)s->order->host + (size_t)row * j->n
                                  : (int64_t *)(scratch + scratch_bytes);
        TRY_GOTO(done, (j->packed ? sort_packed : sort_placed_codes)(j, from, order, scratch));
        if (to) clary__gather_loop(to, from, j->size, order, j->n);
    }
done:
    clary__dealloc(scratch);
    return status;
}

static coding coding_of(clary_dtype t, bool descending) {
    coding c = {'f', 0, descending ? UINT64_MAX : 0};
    switch (t) {
    case CLARY_FLOAT16: c.inf = 0x7c00; break;
    case CLARY_BFLOAT16: c.inf = 0x7f80; break;
    case CLARY_FLOAT32:
    case CLARY_COMPLEX64: c.inf = 0x7f800000; break;
    case CLARY_FLOAT64:
    case CLARY_COMPLEX128: c.inf = UINT64_C(0x7ff0) << 48; break;
    default: c.kind = clary__is_signed(t) ? 'i' : 'u';
    }
    return c;
}

clary_status clary__sort_on_host(const clary__sort *s, int threads) {
    job j = {.sort = s,
             .coding = coding_of(s->dtype, s->descending),
             .size = clary_dtype_size(s->dtype),
             .n = (size_t)s->length,
             .complex = clary__is_complex(s->dtype),
             .threads = threads,
             .per_task = s->rows};
    int64_t count = s->rows * s->length;
    j.packed = !j.complex && j.size <= 4 && (uint64_t)s->length <= UINT32_MAX;
    CLARY__COUNT(launches, 1);
    CLARY__COUNT(host_runs, 1);
    CLARY__COUNT(bytes_kernels, (uint64_t)count * (j.size * (s->values ? 2 : 1) +
                                                   (s->order ? sizeof(int64_t) : 0)));
    if (s->rows >= threads && count >= PARALLEL) {
        j.threads = 1;
        j.per_task = (s->rows + 4 * threads - 1) / (4 * threads);
    }
    return clary__parallel(threads, (s->rows + j.per_task - 1) / j.per_task, sort_rows, &j);
}

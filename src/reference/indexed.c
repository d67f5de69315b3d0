/* indexed.c - the loops of CHECK, GATHER and SEARCH: group.h's Notes [Faults] and [Sort order]. */
#include "reference/loops.h"
#include "cl/prelude.cl"

/* The first index that is out of range; n if there is none. */
static size_t first_outside(const int64_t *index, const int64_t *extent, size_t n) {
    size_t k = 0;
    while (k < n && index[k] >= -extent[k] && index[k] < extent[k]) k++;
    return k;
}

void clary__check_loop(int64_t *r, const int64_t *index, const int64_t *extent, const int64_t *site,
                       size_t n, int64_t outside, int64_t point, clary__fault *fault) {
    uint64_t bad = 0; /* the sign of everything below zero */
    for (size_t k = 0; k < n; k++) {
        uint64_t size = (uint64_t)extent[k], i = (uint64_t)index[k];
        i += size & (0 - (i >> 63));
        bad |= i | (size - 1 - i);
    }
    if (bad >> 63 && !fault->raised) {
        size_t k = first_outside(index, extent, n);
        *fault = (clary__fault){1 + point + (int64_t)k, site[k], index[k], extent[k]};
    }
    _Pragma("GCC ivdep") for (size_t k = 0; k < n; k++) {
        int64_t i = index[k] < 0 ? index[k] + extent[k] : index[k];
        r[k] = i < 0 || i >= extent[k] ? outside : i;
    }
}

typedef struct bytes16 {
    uint64_t a, b;
} bytes16;

#define GATHER(T)                                                                                  \
    static void gather_##T(T *r, const T *base, const int64_t *at, size_t n) {                     \
        _Pragma("GCC ivdep") for (size_t k = 0; k < n; k++) r[k] = base[at[k]];                    \
    }
GATHER(uint8_t)
GATHER(uint16_t)
GATHER(uint32_t)
GATHER(uint64_t)
GATHER(bytes16)

void clary__gather_loop(void *r, const void *base, size_t size, const int64_t *at, size_t n) {
    switch (size) {
    case 1: gather_uint8_t(r, base, at, n); break;
    case 2: gather_uint16_t(r, base, at, n); break;
    case 4: gather_uint32_t(r, base, at, n); break;
    case 8: gather_uint64_t(r, base, at, n); break;
    default: gather_bytes16(r, base, at, n);
    }
}

/* ---- search ---- */

/* Without && and ||, which would be branches. */
#define LESS_b(a, b) ((a) < (b))
#define LESS_i(a, b) ((a) < (b))
#define LESS_u(a, b) ((a) < (b))
#define LESS_f(a, b) (((a) < (b)) | (((a) == (a)) & ((b) != (b))))
#define CLASS(a) (2 * ((a).x != (a).x) + ((a).y != (a).y))
#define LESS_c(a, b)                                                                               \
    ((CLASS(a) < CLASS(b)) |                                                                       \
     ((CLASS(a) == CLASS(b)) & (((a).x < (b).x) | (!((b).x < (a).x) & ((a).y < (b).y)))))

#define SAME(v) (v)

#define RUN 32

/* T is what a strip holds, M what memory does. Keys that search equally many elements halve them side by
 * side, without branches that depend on the data, so that many loads are in flight. */
#define SEARCH(s, kind, T, M, READ)                                                                \
    static inline void halve_##s(int64_t *r, const T *keys, const int64_t *counts, const M *x,     \
                                 size_t n, bool right) {                                           \
        for (size_t k = 0, run; k < n; k += run) {                                                 \
            int64_t at[RUN] = {0};                                                                 \
            for (run = 1; run < RUN && k + run < n && counts[k + run] == counts[k];) run++;        \
            for (int64_t left = counts[k], half; left > 0; left -= half) {                         \
                half = left - left / 2;                                                            \
                for (size_t j = 0; j < run; j++) {                                                 \
                    T key = keys[k + j], v = READ(x[at[j] + half - 1]);                            \
                    at[j] +=                                                                       \
                        half & -(int64_t)(right ? !LESS_##kind(key, v) : LESS_##kind(v, key));     \
                }                                                                                  \
            }                                                                                      \
            memcpy(r + k, at, run * sizeof *r);                                                    \
        }                                                                                          \
    }                                                                                              \
    static void search_##s(int64_t *r, const void *keys, const int64_t *counts, const void *x,     \
                           size_t n, bool right) {                                                 \
        if (right)                                                                                 \
            halve_##s(r, keys, counts, x, n, true);                                                \
        else                                                                                       \
            halve_##s(r, keys, counts, x, n, false);                                               \
    }
SEARCH(b8, b, clary_b8, clary_b8, SAME)
SEARCH(i8, i, clary_i8, clary_i8, SAME)
SEARCH(i16, i, clary_i16, clary_i16, SAME)
SEARCH(i32, i, clary_i32, clary_i32, SAME)
SEARCH(i64, i, clary_i64, clary_i64, SAME)
SEARCH(u8, u, clary_u8, clary_u8, SAME)
SEARCH(u16, u, clary_u16, clary_u16, SAME)
SEARCH(u32, u, clary_u32, clary_u32, SAME)
SEARCH(u64, u, clary_u64, clary_u64, SAME)
SEARCH(f16, f, float, ushort, clary_f16_to_f32)
SEARCH(bf16, f, float, ushort, clary_bf16_to_f32)
SEARCH(f32, f, clary_f32, clary_f32, SAME)
SEARCH(f64, f, clary_f64, clary_f64, SAME)
SEARCH(c64, c, clary_c64, clary_c64, SAME)
SEARCH(c128, c, clary_c128, clary_c128, SAME)

clary__search_loop *clary__find_search(clary_dtype t) {
    static clary__search_loop *const loops[CLARY_DTYPE_COUNT] = {
#define X(NAME, name, suffix, bytes, kind) search_##suffix,
        CLARY_DTYPE_LIST(X)
#undef X
    };
    return loops[t];
}

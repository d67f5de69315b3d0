/* arg_loops.c - the folding loops of ARGMAX and ARGMIN. NaN beats everything, then the larger (smaller)
 * value; a later point must be strictly better, so the smallest index stays. */
#include "reference/loops.h"
#include "cl/prelude.cl"

/* Whether v is NaN; whether v comes before w. */
#define NAN_WHOLE(v) 0
#define NAN_REAL(v) ((v) != (v))
#define NAN_COMPLEX(v) (((v).x != (v).x) | ((v).y != (v).y))
#define BEFORE_REAL(v, w, OP) ((v)OP(w))
#define BEFORE_COMPLEX(v, w, OP) (((v).x OP(w).x) | (((v).x == (w).x) & ((v).y OP(w).y)))

#define BETTER(v, w, OP, IS_NAN, BEFORE) ((IS_NAN(w) == 0) & (IS_NAN(v) | BEFORE(v, w, OP)))

#define ARG_LOOPS(name, T, OP, IS_NAN, BEFORE)                                                     \
    static void rows_##name(void *best, int64_t *index, const void *v, int64_t first, size_t n) {  \
        const T *x = v;                                                                            \
        T top = *(T *)best;                                                                        \
        int beaten =                                                                               \
            0; /* mostly not, and without a branch the compiler vectorises the question */         \
        for (size_t k = 0; k < n; k++) beaten |= BETTER(x[k], top, OP, IS_NAN, BEFORE);            \
        for (size_t k = 0; beaten && k < n; k++)                                                   \
            if (BETTER(x[k], top, OP, IS_NAN, BEFORE)) top = x[k], *index = first + (int64_t)k;    \
        *(T *)best = top;                                                                          \
    }                                                                                              \
    static void columns_##name(void *best, int64_t *index, const void *v, int64_t first,           \
                               size_t n) {                                                         \
        const T *x = v;                                                                            \
        T *top = best;                                                                             \
        for (size_t k = 0; k < n; k++)                                                             \
            if (BETTER(x[k], top[k], OP, IS_NAN, BEFORE)) top[k] = x[k], index[k] = first;         \
    }
#define BOTH(s, IS_NAN, BEFORE)                                                                    \
    ARG_LOOPS(max_##s, clary_##s, >, IS_NAN, BEFORE)                                               \
    ARG_LOOPS(min_##s, clary_##s, <, IS_NAN, BEFORE)

BOTH(b8, NAN_WHOLE, BEFORE_REAL)
BOTH(i8, NAN_WHOLE, BEFORE_REAL)
BOTH(i16, NAN_WHOLE, BEFORE_REAL)
BOTH(i32, NAN_WHOLE, BEFORE_REAL)
BOTH(i64, NAN_WHOLE, BEFORE_REAL)
BOTH(u8, NAN_WHOLE, BEFORE_REAL)
BOTH(u16, NAN_WHOLE, BEFORE_REAL)
BOTH(u32, NAN_WHOLE, BEFORE_REAL)
BOTH(u64, NAN_WHOLE, BEFORE_REAL)
BOTH(f16, NAN_REAL, BEFORE_REAL)
BOTH(bf16, NAN_REAL, BEFORE_REAL)
BOTH(f32, NAN_REAL, BEFORE_REAL)
BOTH(f64, NAN_REAL, BEFORE_REAL)
BOTH(c64, NAN_COMPLEX, BEFORE_COMPLEX)
BOTH(c128, NAN_COMPLEX, BEFORE_COMPLEX)

static const clary__arg_loops loops[CLARY_DTYPE_COUNT][2] = {
#define X(NAME, name, suffix, bytes, kind)                                                         \
    {{rows_max_##suffix, columns_max_##suffix}, {rows_min_##suffix, columns_min_##suffix}},
    CLARY_DTYPE_LIST(X)
#undef X
};

const clary__arg_loops *clary__find_arg_loops(int reduce_op, clary_dtype t) {
    return &loops[t][reduce_op == CLARY__ARGMIN];
}

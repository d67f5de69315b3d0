/* loops.c - finds the loops of an operation, a cast or an arg-reduction, for this processor; strips of halves. */
#include "reference/loops.h"
#include "cl/prelude.cl"

static const clary__loop_tables *const tables[CLARY_DTYPE_COUNT] = {
#define X(NAME, name, suffix, bytes, kind) &clary__loops_##suffix,
    CLARY_DTYPE_LIST(X)
#undef X
};

static bool wide_vectors(void) {
#ifdef CLARY__WIDE_VECTORS
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

clary__loop *clary__find_loop(clary_op op, clary_dtype t) {
    return (wide_vectors() ? tables[t]->wide : tables[t]->any)[op];
}

size_t clary__strip_size(clary_dtype t) {
    return clary__is_half(t) ? sizeof(float) : clary_dtype_size(t);
}

void clary__widen(clary_dtype t, const uint16_t *h, size_t n, float *out) {
    if (t == CLARY_FLOAT16)
        for (size_t k = 0; k < n; k++) out[k] = clary_f16_to_f32(h[k]);
    else
        for (size_t k = 0; k < n; k++) out[k] = clary_bf16_to_f32(h[k]);
}

void clary__narrow(clary_dtype t, const float *x, size_t n, uint16_t *out) {
    if (t == CLARY_FLOAT16)
        for (size_t k = 0; k < n; k++) out[k] = clary_f32_to_f16(x[k]);
    else
        for (size_t k = 0; k < n; k++) out[k] = clary_f32_to_bf16(x[k]);
}

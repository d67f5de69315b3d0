/* loops.c - finds the loops of an operation, a cast or an arg-reduction, for this processor. */
#include "reference/loops.h"

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

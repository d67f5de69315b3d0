/* dtype.c - element types: facts, names, and NumPy's rules for promotion and casting.
 *
 * Promotion is computed, not tabulated: a dtype is a kind and a width, and an integer asks for the
 * narrowest float that NumPy pairs with its width (1 byte: half, 2: float32, more: float64).
 */
#include "core/core.h"

#include <string.h>

static const struct {
    const char *name, *suffix;
    size_t bytes;
    char kind;
} dtypes[CLARY_DTYPE_COUNT] = {
#define X(NAME, name, suffix, bytes, kind) [CLARY_##NAME] = {#name, #suffix, bytes, kind},
    CLARY_DTYPE_LIST(X)
#undef X
};

static bool is_dtype(clary_dtype t) {
    return (unsigned)t < CLARY_DTYPE_COUNT;
}

const char *clary_dtype_name(clary_dtype t) {
    return is_dtype(t) ? dtypes[t].name : "?";
}

size_t clary_dtype_size(clary_dtype t) {
    return is_dtype(t) ? dtypes[t].bytes : 0;
}

char clary_dtype_kind(clary_dtype t) {
    return is_dtype(t) ? dtypes[t].kind : '\0';
}

const char *clary__dtype_suffix(clary_dtype t) {
    return is_dtype(t) ? dtypes[t].suffix : "?";
}

clary_dtype clary__real_of(clary_dtype t) {
    if (t == CLARY_COMPLEX64) return CLARY_FLOAT32;
    if (t == CLARY_COMPLEX128) return CLARY_FLOAT64;
    return t;
}

/* ---- names ---- */

/* NumPy's other names of the same types. Its sized codes ("i8": 8 bytes) are read before our
 * suffixes
 * ("i8": 8 bits) where they clash: what a NumPy user types means the same here. */
static const struct {
    const char *name;
    clary_dtype dtype;
} aliases[] = {
    {"?", CLARY_BOOL},
    {"b1", CLARY_BOOL},
    {"bool_", CLARY_BOOL},
    {"b", CLARY_INT8},
    {"i1", CLARY_INT8},
    {"byte", CLARY_INT8},
    {"h", CLARY_INT16},
    {"i2", CLARY_INT16},
    {"short", CLARY_INT16},
    {"i", CLARY_INT32},
    {"i4", CLARY_INT32},
    {"intc", CLARY_INT32},
    {"q", CLARY_INT64},
    {"i8", CLARY_INT64},
    {"longlong", CLARY_INT64},
    {"int", CLARY_INT64},
    {"int_", CLARY_INT64},
    {"intp", CLARY_INT64},
    {"B", CLARY_UINT8},
    {"u1", CLARY_UINT8},
    {"ubyte", CLARY_UINT8},
    {"H", CLARY_UINT16},
    {"u2", CLARY_UINT16},
    {"ushort", CLARY_UINT16},
    {"I", CLARY_UINT32},
    {"u4", CLARY_UINT32},
    {"uintc", CLARY_UINT32},
    {"Q", CLARY_UINT64},
    {"u8", CLARY_UINT64},
    {"ulonglong", CLARY_UINT64},
    {"uint", CLARY_UINT64},
    {"uintp", CLARY_UINT64},
    {"l", CLARY_INT64},
    {"L", CLARY_UINT64},
    {"e", CLARY_FLOAT16},
    {"f2", CLARY_FLOAT16},
    {"half", CLARY_FLOAT16},
    {"f", CLARY_FLOAT32},
    {"f4", CLARY_FLOAT32},
    {"single", CLARY_FLOAT32},
    {"d", CLARY_FLOAT64},
    {"f8", CLARY_FLOAT64},
    {"double", CLARY_FLOAT64},
    {"float", CLARY_FLOAT64},
    {"F", CLARY_COMPLEX64},
    {"c8", CLARY_COMPLEX64},
    {"csingle", CLARY_COMPLEX64},
    {"D", CLARY_COMPLEX128},
    {"c16", CLARY_COMPLEX128},
    {"cdouble", CLARY_COMPLEX128},
    {"complex", CLARY_COMPLEX128},
};

static bool parse_alias(const char *name, clary_dtype *out) {
    for (size_t k = 0; k < sizeof aliases / sizeof *aliases; k++) {
        if (strcmp(name, aliases[k].name)) continue;
        *out = aliases[k].dtype;
        return true;
    }
    return false;
}

clary_status clary_dtype_parse(const char *name, clary_dtype *out) {
    FAIL_IF(!out, CLARY_INVALID_ARGUMENT, "dtype_parse: out is NULL");
    FAIL_IF(!name, CLARY_INVALID_ARGUMENT, "dtype_parse: the name is NULL");
    if (*name && strchr("<>=|", *name)) {
        clary_dtype t;
        FAIL_IF(!parse_alias(name + 1, &t), CLARY_INVALID_ARGUMENT, "unknown dtype '%.64s'", name);
        const bool foreign = *name != '=' && *name != '|' && *name != CLARY__NATIVE_ORDER;
        FAIL_IF(foreign && dtypes[t].bytes > 1, CLARY_INVALID_ARGUMENT,
                "dtype '%.64s' has the byte order of another machine; arrays have this machine's",
                name);
        *out = t;
        return CLARY_OK;
    }
    if (parse_alias(name, out)) return CLARY_OK;
    for (int t = 0; t < CLARY_DTYPE_COUNT; t++) {
        if (strcmp(name, dtypes[t].name) && strcmp(name, dtypes[t].suffix)) continue;
        *out = (clary_dtype)t;
        return CLARY_OK;
    }
    return clary__fail(CLARY_INVALID_ARGUMENT, "unknown dtype '%.64s'", name);
}

/* ---- promotion ---- */

/* How wide a float (or the parts of a complex) is, or must be to meet integer t: 1 half, 2, 3. */
static int float_rank(clary_dtype t) {
    switch (t) {
    case CLARY_BOOL: return 0;
    case CLARY_FLOAT32:
    case CLARY_COMPLEX64: return 2;
    case CLARY_FLOAT64:
    case CLARY_COMPLEX128: return 3;
    default: break;
    }
    if (clary__is_half(t)) return 1;
    return dtypes[t].bytes == 1 ? 1 : dtypes[t].bytes == 2 ? 2 : 3;
}

static clary_dtype promote_integers(clary_dtype a, clary_dtype b) {
    if (clary__is_signed(a) == clary__is_signed(b))
        return dtypes[a].bytes >= dtypes[b].bytes ? a : b;
    const clary_dtype with_sign = clary__is_signed(a) ? a : b,
                      without = clary__is_signed(a) ? b : a;
    if (dtypes[with_sign].bytes > dtypes[without].bytes) return with_sign;
    switch (without) {
    case CLARY_UINT8: return CLARY_INT16;
    case CLARY_UINT16: return CLARY_INT32;
    case CLARY_UINT32: return CLARY_INT64;
    default: return CLARY_FLOAT64; /* no integer holds both uint64 and a sign */
    }
}

clary_dtype clary_promote(clary_dtype a, clary_dtype b) {
    if (!is_dtype(a) || !is_dtype(b)) return CLARY_DTYPE_COUNT;
    if (a == b || b == CLARY_BOOL) return a;
    if (a == CLARY_BOOL) return b;
    if (clary__is_integer(a) && clary__is_integer(b)) return promote_integers(a, b);

    int rank = float_rank(a) > float_rank(b) ? float_rank(a) : float_rank(b);
    if (clary__is_complex(a) || clary__is_complex(b)) {
        return rank <= 2 ? CLARY_COMPLEX64 : CLARY_COMPLEX128;
    }
    if (rank == 1) { /* a half with a one-byte integer, or the two halves, which meet in float32 */
        if (clary__is_half(a) && clary__is_half(b)) return CLARY_FLOAT32;
        return clary__is_half(a) ? a : b;
    }
    return rank == 2 ? CLARY_FLOAT32 : CLARY_FLOAT64;
}

/* ---- casting ---- */

/* Kinds in the order in which each can hold the one before. */
static int kind_order(clary_dtype t) {
    static const char order[] = "buifc";
    return (int)(strchr(order, dtypes[t].kind) - order);
}

bool clary_can_cast(clary_dtype from, clary_dtype to, clary_casting rule) {
    if (!is_dtype(from) || !is_dtype(to)) return false;
    switch (rule) {
    case CLARY_CAST_NO: return from == to;
    case CLARY_CAST_SAFE: return clary_promote(from, to) == to;
    case CLARY_CAST_SAME_KIND: return kind_order(from) <= kind_order(to);
    case CLARY_CAST_UNSAFE: return true;
    }
    return false;
}

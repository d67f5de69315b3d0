/* clary/dtype.h - element types, and NumPy's rules for combining them. */
#ifndef CLARY_DTYPE_H
#define CLARY_DTYPE_H
#include "base.h"
CLARY_BEGIN

/* X(NAME, name, suffix, bytes, kind). kind: 'b' bool, 'i' signed, 'u' unsigned, 'f' float,
 * 'c' complex. float16 and bfloat16 are stored on every device; arithmetic on them is done in float32
 * and rounded once per operation, as NumPy does. complex is a (real, imaginary) pair. */
#define CLARY_DTYPE_LIST(X)                                                                        \
    X(BOOL, bool, b8, 1, 'b')                                                                      \
    X(INT8, int8, i8, 1, 'i')                                                                      \
    X(INT16, int16, i16, 2, 'i')                                                                   \
    X(INT32, int32, i32, 4, 'i')                                                                   \
    X(INT64, int64, i64, 8, 'i')                                                                   \
    X(UINT8, uint8, u8, 1, 'u')                                                                    \
    X(UINT16, uint16, u16, 2, 'u')                                                                 \
    X(UINT32, uint32, u32, 4, 'u')                                                                 \
    X(UINT64, uint64, u64, 8, 'u')                                                                 \
    X(FLOAT16, float16, f16, 2, 'f')                                                               \
    X(BFLOAT16, bfloat16, bf16, 2, 'f')                                                            \
    X(FLOAT32, float32, f32, 4, 'f')                                                               \
    X(FLOAT64, float64, f64, 8, 'f')                                                               \
    X(COMPLEX64, complex64, c64, 8, 'c')                                                           \
    X(COMPLEX128, complex128, c128, 16, 'c')

typedef enum clary_dtype {
#define X(NAME, name, suffix, bytes, kind) CLARY_##NAME,
    CLARY_DTYPE_LIST(X)
#undef X
        CLARY_DTYPE_COUNT
} clary_dtype;

/* Casting rules, as NumPy names them. */
typedef enum clary_casting {
    CLARY_CAST_NO,
    CLARY_CAST_SAFE,
    CLARY_CAST_SAME_KIND,
    CLARY_CAST_UNSAFE
} clary_casting;

CLARY_API const char *clary_dtype_name(clary_dtype dtype); /* "float32"; "?" if out of range */
CLARY_API size_t clary_dtype_size(clary_dtype dtype); /* bytes of one element; 0 if out of range */
CLARY_API char clary_dtype_kind(clary_dtype dtype);   /* 'b' 'i' 'u' 'f' 'c'; 0 if out of range */

/* From a name ("float32", "f32", NumPy's "<f4", "|b1", "d"); CLARY_INVALID_ARGUMENT if unknown. Where a
 * suffix and one of NumPy's codes clash ("i8", "u8"), NumPy's wins: 8 bytes. */
CLARY_API clary_status clary_dtype_parse(const char *name, clary_dtype *out);

/* numpy.promote_types: the dtype in which a and b meet. int64 with uint64 meet in float64, as in NumPy. */
CLARY_API clary_dtype clary_promote(clary_dtype a, clary_dtype b);

/* numpy.can_cast. */
CLARY_API bool clary_can_cast(clary_dtype from, clary_dtype to, clary_casting rule);

/* A host scalar. In an operation with an array it is "weak" (NEP 50): its kind counts, not its size,
 * so int16 array + 1 stays int16. */
typedef enum clary_scalar_kind {
    CLARY_SCALAR_BOOL,
    CLARY_SCALAR_INT,    /* i */
    CLARY_SCALAR_UINT,   /* u: an integer that int64 cannot hold */
    CLARY_SCALAR_FLOAT,  /* re */
    CLARY_SCALAR_COMPLEX /* re, im */
} clary_scalar_kind;

typedef struct clary_scalar {
    clary_scalar_kind kind;
    int64_t i;
    uint64_t u;
    double re, im;
} clary_scalar;

CLARY_END
#endif

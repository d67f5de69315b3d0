/* prelude.cl - the one place where dialects differ. Goes in front of every kernel, and is included by
 * the C reference, so that both see the same names: what follows the #ifdef means the same in both.
 *
 * CLARY_FP64 is defined where double exists. clary_<suffix> is the type a dtype computes in: bool is a
 * uchar holding 0 or 1, float16 and bfloat16 are floats, complex is a pair with members x and y.
 */
#ifdef __OPENCL_VERSION__

#pragma OPENCL FP_CONTRACT OFF
#ifdef CLARY_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
typedef char clary_i8;
typedef short clary_i16;
typedef int clary_i32;
typedef long clary_i64;

/* For functions that are handed local arrays: where one is left as a function, PoCL 3 lets it name the array
 * itself, and makes that static, one for all its threads. */
#define CLARY_INLINED static inline __attribute__((always_inline))

/* Runs of 32 work-items wait for each other, and see what they wrote to local memory; all of a work-group must call
 * it. Where such runs march in step anyway, only they wait. */
#define CLARY_RUN 32
#ifdef __NV_CL_C_VERSION
#define CLARY_KEEP_STEP() asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#define CLARY_SETTLE(x) asm volatile("" : "+r"(x)) /* x is computed here, not where it is used */
#define CLARY_BALLOTS
/* Which work-items of the run say something other than 0, as bits; all of them must be there. */
static inline uint clary_ballot(uint say)
{
    uint said;
    asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff;}"
                 : "=r"(said) : "r"(say));
    return said;
}
#else
#define CLARY_KEEP_STEP() barrier(CLK_LOCAL_MEM_FENCE)
#define CLARY_SETTLE(x)
#endif

#else

#include <stdint.h>
#include <string.h>
#include <tgmath.h>
#define CLARY_FP64
typedef uint8_t uchar;
typedef uint16_t ushort;
typedef uint32_t uint;
typedef uint64_t ulong;
typedef int8_t clary_i8;
typedef int16_t clary_i16;
typedef int32_t clary_i32;
typedef int64_t clary_i64;
typedef struct float2 {
    float x, y;
} float2;
typedef struct double2 {
    double x, y;
} double2;
static inline uint as_uint(float x) {
    uint u;
    memcpy(&u, &x, 4);
    return u;
}
static inline float as_float(uint u) {
    float x;
    memcpy(&x, &u, 4);
    return x;
}
#define popcount(x) __builtin_popcountll(x)
#define clz(x) __builtin_clzll(x) /* of a ulong that is not 0 */

#endif

typedef uchar clary_b8;
typedef uchar clary_u8;
typedef ushort clary_u16;
typedef uint clary_u32;
typedef ulong clary_u64;
typedef float clary_f16;
typedef float clary_bf16;
typedef float clary_f32;
typedef float2 clary_c64;
#ifdef CLARY_FP64
typedef double clary_f64;
typedef double2 clary_c128;
#endif

/* ---- float16 and bfloat16: bits <-> float, and rounding of a float to their precision. Round to
 * nearest even, subnormals kept, NaN stays NaN. ---- */

#ifdef CLARY_HALF_LOADS /* the device converts halves in hardware, as the standard promises */

static inline float clary_f16_to_f32(ushort h) { return vload_half(0, (const __private half *)&h); }
static inline ushort clary_f32_to_f16(float x) {
    ushort h;
    vstore_half_rte(x, 0, (__private half *)&h);
    return h;
}
static inline float clary_round_f16(float x) { return clary_f16_to_f32(clary_f32_to_f16(x)); }

#else

static inline float clary_f16_to_f32(ushort h) {
    uint u = (uint)(h & 0x7fff) << 13, exponent = u & 0x0f800000;
    float normal = as_float(u + (exponent == 0x0f800000 ? 0x70000000 : 0x38000000));
    /* A subnormal is a fraction of 2^-14: put it behind that number's leading one, then remove the one. */
    float small = as_float(u + 0x38800000) - as_float(0x38800000);
    return as_float(as_uint(exponent ? normal : small) | (uint)(h & 0x8000) << 16);
}

static inline ushort clary_f32_to_f16(float x) {
    uint sign = as_uint(x) >> 16 & 0x8000, u = as_uint(x) & 0x7fffffff;
    /* In [0.5, 1) floats are 2^-24 apart, as subnormal halves are: the addition rounds. */
    uint small = as_uint(as_float(u < 0x38800000 ? u : 0) + 0.5f) - 0x3f000000;
    uint normal = (u + 0xfff + (u >> 13 & 1) - 0x38000000) >> 13;
    uint large = u > 0x7f800000 ? 0x7e00 | (u >> 13 & 0x1ff) : 0x7c00;
    return (ushort)(sign | (u < 0x38800000 ? small : u < 0x477ff000 ? normal : large));
}

static inline float clary_round_f16(float x) {
    uint sign = as_uint(x) & 0x80000000, u = as_uint(x) & 0x7fffffff;
    uint small = as_uint((as_float(u < 0x38800000 ? u : 0) + 0.5f) - 0.5f);
    uint normal = (u + 0xfff + (u >> 13 & 1)) & 0xffffe000;
    uint large = u > 0x7f800000 ? u | 0x400000 : 0x7f800000;
    return as_float(sign | (u < 0x38800000 ? small : u < 0x477ff000 ? normal : large));
}

#endif

static inline float clary_bf16_to_f32(ushort h) { return as_float((uint)h << 16); }

static inline ushort clary_f32_to_bf16(float x) {
    uint u = as_uint(x);
    return (ushort)(x != x ? (u >> 16 | 0x40) : (u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static inline float clary_round_bf16(float x) { return clary_bf16_to_f32(clary_f32_to_bf16(x)); }

/* Note [Round to odd]. A wide number that becomes a half must be rounded once, but halves compute as
 * float. These make a float that keeps, in its last bit, whether anything was lost; rounding that float
 * to a half gives what rounding the number itself would. */
static inline float clary_odd_f32_u64(ulong v) {
    if (v >> 24) {
        int shift = 40 - (int)clz(v);
        ulong kept = v >> shift;
        v = (kept | (kept << shift != v)) << shift;
    }
    return (float)v;
}
static inline float clary_odd_f32_i64(clary_i64 v) {
    float magnitude = clary_odd_f32_u64(v < 0 ? 0 - (ulong)v : (ulong)v);
    return v < 0 ? -magnitude : magnitude;
}
#ifdef CLARY_FP64
static inline float clary_odd_f32_f64(double x) {
    float f = (float)x;
    uint u = as_uint(f);
    if ((double)f == x || x != x || (u & 1)) return f;
    return as_float(fabs((double)f) > fabs(x) ? u - 1 : u + 1);
}
#endif

/* ---- float to integer: truncates, saturates, NaN gives 0. clary_i32_from_f64(x) and so on. `end` is
 * one past the largest value, a power of two. ---- */

#define CLARY_CAST(I, F, REAL, least, most, end)                                                   \
    static inline clary_##I clary_##I##_from_##F(REAL x) {                                         \
        return x >= (REAL)end ? (clary_##I)most                                                    \
               : x > (REAL)least ? (clary_##I)x                                                    \
               : x <= (REAL)least ? (clary_##I)least                                               \
                                  : (clary_##I)0;                                                  \
    }
#define CLARY_CASTS(F, REAL)                                                                       \
    CLARY_CAST(i8, F, REAL, -128, 127, 128)                                                        \
    CLARY_CAST(i16, F, REAL, -32768, 32767, 32768)                                                 \
    CLARY_CAST(i32, F, REAL, (-2147483647 - 1), 2147483647, 2147483648.0f)                         \
    CLARY_CAST(i64, F, REAL, (-0x7fffffffffffffffL - 1), 0x7fffffffffffffffL, 9223372036854775808.0f) \
    CLARY_CAST(u8, F, REAL, 0, 255, 256)                                                           \
    CLARY_CAST(u16, F, REAL, 0, 65535, 65536)                                                      \
    CLARY_CAST(u32, F, REAL, 0, 0xffffffffU, 4294967296.0f)                                        \
    CLARY_CAST(u64, F, REAL, 0, 0xffffffffffffffffUL, 18446744073709551616.0f)
CLARY_CASTS(f32, float)
#ifdef CLARY_FP64
CLARY_CASTS(f64, double)
#endif

/* ---- Philox4x32-10 (Salmon et al., SC 2011) ---- */

typedef struct clary_words {
    uint a, b, c, d;
} clary_words;

static inline clary_words clary_philox_block(clary_words w, uint key0, uint key1) {
    for (int round = 0; round < 10; round++) {
        ulong p = (ulong)0xD2511F53 * w.a, q = (ulong)0xCD9E8D57 * w.c;
        w.a = (uint)(q >> 32) ^ w.b ^ key0;
        w.b = (uint)q;
        w.c = (uint)(p >> 32) ^ w.d ^ key1;
        w.d = (uint)p;
        key0 += 0x9E3779B9;
        key1 += 0xBB67AE85;
    }
    return w;
}

/* Word i & 3 of block i >> 2 of the stream `key`. */
static inline uint clary_philox(ulong i, ulong key) {
    clary_words w = {(uint)(i >> 2), (uint)(i >> 34), 0, 0};
    w = clary_philox_block(w, (uint)key, (uint)(key >> 32));
    return i & 2 ? (i & 1 ? w.d : w.c) : (i & 1 ? w.b : w.a);
}

/* High 64 bits of a product. */
static inline ulong clary_high_product(ulong x, ulong y) {
    ulong a = x >> 32, b = x & 0xffffffff, c = y >> 32, d = y & 0xffffffff;
    ulong middle = a * d + (b * d >> 32), other = b * c + (middle & 0xffffffff);
    return a * c + (middle >> 32) + (other >> 32);
}

/* Uniform integer below n, or any of 64 bits if n is 0. Lemire, "Fast random integer generation in an
 * interval", 2019: reject the few low products that make a bias. Attempt t takes the block whose third
 * word is t + 1; clary_philox has 0 there, so the two never share a block. */
static inline ulong clary_random_below(ulong i, ulong key, ulong n) {
    ulong bias = n ? (0 - n) % n : 0;
    for (uint attempt = 1;; attempt++) {
        clary_words w = {(uint)i, (uint)(i >> 32), attempt, 0};
        w = clary_philox_block(w, (uint)key, (uint)(key >> 32));
        ulong bits = (ulong)w.a << 32 | w.b;
        if (!n) return bits;
        if (bits * n >= bias) return clary_high_product(bits, n);
    }
}

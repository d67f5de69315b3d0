/* scalar.c - one host scalar to and from one element of any dtype.
 *
 * The conversions are those of clary_astype: integers wrap, floats truncate towards zero with NaN
 * to 0 and saturation, everything is rounded once, and complex to real drops the imaginary part.
 */
#include "core/core.h"

#include <string.h>

/* v as a double from which rounding to any narrower float equals rounding v itself: bits that
 * double cannot hold are folded into its last one ("round to odd"). */
static double sticky_double(uint64_t v) {
    if (v < UINT64_C(1) << 53) return (double)v;
    return (double)(v >> 11 | ((v & 0x7ff) != 0)) * 2048.0;
}

static double to_double(clary_scalar s) {
    switch (s.kind) {
    case CLARY_SCALAR_BOOL: return s.i != 0;
    case CLARY_SCALAR_INT: return (double)s.i;
    case CLARY_SCALAR_UINT: return (double)s.u;
    default: return s.re;
    }
}

static float to_float(clary_scalar s) {
    switch (s.kind) {
    case CLARY_SCALAR_BOOL: return s.i != 0;
    case CLARY_SCALAR_INT: return (float)s.i;
    case CLARY_SCALAR_UINT: return (float)s.u;
    default: return (float)s.re;
    }
}

static uint16_t to_half(clary_scalar s, uint16_t (*narrow)(double)) {
    switch (s.kind) {
    case CLARY_SCALAR_INT:
        return narrow(s.i < 0 ? -sticky_double(0 - (uint64_t)s.i) : sticky_double((uint64_t)s.i));
    case CLARY_SCALAR_UINT: return narrow(sticky_double(s.u));
    default: return narrow(to_double(s));
    }
}

static bool to_bool(clary_scalar s) {
    switch (s.kind) {
    case CLARY_SCALAR_BOOL:
    case CLARY_SCALAR_INT: return s.i != 0;
    case CLARY_SCALAR_UINT: return s.u != 0;
    case CLARY_SCALAR_FLOAT: return s.re != 0;
    default: return s.re != 0 || s.im != 0;
    }
}

/* Range of integer dtype t. */
static int64_t least(clary_dtype t) {
    return clary__is_signed(t) ? INT64_MIN >> (64 - 8 * clary_dtype_size(t)) : 0;
}
static uint64_t greatest(clary_dtype t) {
    return UINT64_MAX >> (64 - 8 * clary_dtype_size(t) + clary__is_signed(t));
}

/* The low bytes of the result are the element of integer dtype t. */
static uint64_t to_integer(clary_scalar s, clary_dtype t) {
    switch (s.kind) {
    case CLARY_SCALAR_BOOL: return s.i != 0;
    case CLARY_SCALAR_INT: return (uint64_t)s.i;
    case CLARY_SCALAR_UINT: return s.u;
    default:
        if (s.re != s.re) return 0;
        /* greatest + 1 is a power of two, so these comparisons are exact. */
        if (s.re >= 2.0 * (double)(greatest(t) / 2 + 1)) return greatest(t);
        if (s.re <= (double)least(t)) return (uint64_t)least(t);
        return s.re < 0 ? (uint64_t)(int64_t)s.re : (uint64_t)s.re;
    }
}

static void put_integer(uint64_t v, size_t bytes, void *out) {
    switch (bytes) {
    case 1: memcpy(out, &(uint8_t){(uint8_t)v}, 1); break;
    case 2: memcpy(out, &(uint16_t){(uint16_t)v}, 2); break;
    case 4: memcpy(out, &(uint32_t){(uint32_t)v}, 4); break;
    default: memcpy(out, &v, 8); break;
    }
}

void clary__scalar_store(clary_scalar s, clary_dtype t, void *out) {
    const double imaginary = s.kind == CLARY_SCALAR_COMPLEX ? s.im : 0;
    switch (t) {
    case CLARY_BOOL: put_integer(to_bool(s), 1, out); break;
    case CLARY_FLOAT16: put_integer(to_half(s, clary__f64_to_f16), 2, out); break;
    case CLARY_BFLOAT16: put_integer(to_half(s, clary__f64_to_bf16), 2, out); break;
    case CLARY_FLOAT32: memcpy(out, &(float){to_float(s)}, 4); break;
    case CLARY_FLOAT64: memcpy(out, &(double){to_double(s)}, 8); break;
    case CLARY_COMPLEX64: memcpy(out, (float[2]){to_float(s), (float)imaginary}, 8); break;
    case CLARY_COMPLEX128: memcpy(out, (double[2]){to_double(s), imaginary}, 16); break;
    default: put_integer(to_integer(s, t), clary_dtype_size(t), out); break;
    }
}

static clary_scalar of_bool(bool b) {
    return (clary_scalar){.kind = CLARY_SCALAR_BOOL, .i = b};
}

static clary_scalar of_real(double re) {
    return (clary_scalar){.kind = CLARY_SCALAR_FLOAT, .re = re};
}

static clary_scalar of_complex(double re, double im) {
    return (clary_scalar){.kind = CLARY_SCALAR_COMPLEX, .re = re, .im = im};
}

static clary_scalar of_int(int64_t i) {
    return (clary_scalar){.kind = CLARY_SCALAR_INT, .i = i};
}

static clary_scalar of_uint(uint64_t u) {
    if (u <= INT64_MAX) return of_int((int64_t)u);
    return (clary_scalar){.kind = CLARY_SCALAR_UINT, .u = u};
}

clary_scalar clary__scalar_load(const void *element, clary_dtype t) {
    union {
        uint8_t u8;
        int8_t i8;
        uint16_t u16;
        int16_t i16;
        uint32_t u32;
        int32_t i32;
        uint64_t u64;
        int64_t i64;
        float f32[2];
        double f64[2];
    } v = {0};
    memcpy(&v, element, clary_dtype_size(t));
    switch (t) {
    case CLARY_BOOL: return of_bool(v.u8 != 0);
    case CLARY_INT8: return of_int(v.i8);
    case CLARY_INT16: return of_int(v.i16);
    case CLARY_INT32: return of_int(v.i32);
    case CLARY_INT64: return of_int(v.i64);
    case CLARY_UINT8: return of_int(v.u8);
    case CLARY_UINT16: return of_int(v.u16);
    case CLARY_UINT32: return of_int(v.u32);
    case CLARY_UINT64: return of_uint(v.u64);
    case CLARY_FLOAT16: return of_real(clary__f16_to_f32(v.u16));
    case CLARY_BFLOAT16: return of_real(clary__bf16_to_f32(v.u16));
    case CLARY_FLOAT32: return of_real(v.f32[0]);
    case CLARY_FLOAT64: return of_real(v.f64[0]);
    case CLARY_COMPLEX64: return of_complex(v.f32[0], v.f32[1]);
    case CLARY_COMPLEX128: return of_complex(v.f64[0], v.f64[1]);
    case CLARY_DTYPE_COUNT: break;
    }
    return of_int(0);
}

bool clary__scalar_fits(clary_scalar s, clary_dtype t) {
    if (!clary__is_integer(t)) return true;
    if (s.kind == CLARY_SCALAR_UINT) return s.u <= greatest(t);
    if (s.kind != CLARY_SCALAR_INT) return true;
    return s.i < 0 ? s.i >= least(t) : (uint64_t)s.i <= greatest(t);
}

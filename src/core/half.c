/* half.c - float16 and bfloat16 to and from float32 and float64.
 *
 * Narrowing rounds to nearest, ties to even, exactly once and in integer arithmetic, so the result
 * does not depend on the host's rounding mode or on flushed subnormals. NaN stays a (quiet) NaN of
 * its sign.
 */
#include "core/core.h"

#include <string.h>

/* The float format of 1 + exponent_bits + mantissa_bits bits that is nearest to d. Called with
 * constants only, so that it is compiled once per format. */
static inline uint16_t narrow(double d, int exponent_bits, int mantissa_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const uint32_t infinity = ((1u << exponent_bits) - 1) << mantissa_bits;
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    const uint32_t sign = (uint32_t)(bits >> 63) << 15;
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    const int biased = (int)(bits >> 52) & 0x7ff;

    if (biased == 0x7ff) { /* infinity or NaN: keep the leading payload bits, and be quiet */
        if (!fraction) return (uint16_t)(sign | infinity);
        uint32_t payload = (uint32_t)(fraction >> (52 - mantissa_bits));
        return (uint16_t)(sign | infinity | 1u << (mantissa_bits - 1) | payload);
    }
    const int exponent = biased - 1023;
    if (exponent > bias) return (uint16_t)(sign | infinity);

    /* Below the least normal exponent the result is subnormal: more bits are shifted out. */
    const bool subnormal = exponent < 1 - bias;
    const int shift = 52 - mantissa_bits + (subnormal ? 1 - bias - exponent : 0);
    if (shift > 53) return (uint16_t)sign; /* less than half of the least subnormal; zero, too */
    const uint64_t significand = fraction | UINT64_C(1) << 52;
    const uint64_t rest = significand & ((UINT64_C(1) << shift) - 1);
    const uint64_t tie = UINT64_C(1) << (shift - 1);
    uint32_t result = (uint32_t)(significand >> shift);
    result += rest > tie || (rest == tie && (result & 1));
    /* The leading one of the significand, and a carry out of rounding, both add to the exponent. */
    if (!subnormal) result += (uint32_t)(exponent + bias - 1) << mantissa_bits;
    return (uint16_t)(sign | result);
}

uint16_t clary__f64_to_f16(double d) {
    return narrow(d, 5, 10);
}

uint16_t clary__f32_to_f16(float f) {
    return narrow((double)f, 5, 10);
}

uint16_t clary__f64_to_bf16(double d) {
    return narrow(d, 8, 7);
}

uint16_t clary__f32_to_bf16(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float float_of_bits(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

float clary__f16_to_f32(uint16_t h) {
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16;
    const uint32_t exponent = h >> 10 & 0x1f, fraction = h & 0x3ff;
    if (exponent == 0x1f) return float_of_bits(sign | 0x7f800000 | fraction << 13);
    if (exponent) return float_of_bits(sign | (exponent + 127 - 15) << 23 | fraction << 13);
    float magnitude = (float)fraction * 0x1p-24f; /* exact, and normal in float32 */
    return sign ? -magnitude : magnitude;
}

float clary__bf16_to_f32(uint16_t h) {
    return float_of_bits((uint32_t)h << 16);
}

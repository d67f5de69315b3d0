/* math.cl - helpers of ops.def for one real floating type. A template: the text is used once per dtype,
 * after prelude.cl, with
 *
 *   T       the type that computes: float, or double for float64
 *   FN(f)   f_<suffix of the dtype>: f##_f16, f##_bf16, f##_f32 or f##_f64
 *   DIGITS  significant bits of the dtype: 11, 8, 24 or 53
 *
 * as macros, undefined again afterwards. Results that are exact by nature (remainders, neighbours,
 * parts) are built from exact steps, so that they have the same bits everywhere.
 */

/* The quotient that fits FN(remainder): x = q * y + r up to rounding. Not floor(x / y), which is off by
 * one where x / y rounds up to an integer. */
static inline T FN(floor_divide)(T x, T y) {
    if (y == 0) return x / y;
    T r = fmod(x, y), q = (x - r) / y;
    if (r != 0 && (r < 0) != (y < 0)) q -= 1;
    if (q == 0) return copysign((T)0, x / y);
    T whole = floor(q);
    return q - whole > (T)0.5 ? whole + 1 : whole;
}

static inline T FN(remainder)(T x, T y) {
    T r = fmod(x, y);
    if (r == 0) return copysign((T)0, y);
    return (r < 0) != (y < 0) ? r + y : r;
}

static inline T FN(clip)(T x, T low, T high) {
    T t = x >= low || x != x ? x : low;
    return t <= high || t != t ? t : high;
}

static inline T FN(logaddexp)(T x, T y) {
    if (x == y) return x + (T)0.693147180559945309417; /* infinities of one sign too */
    T d = x - y;
    return d > 0 ? x + log1p(exp(-d)) : d <= 0 ? y + log1p(exp(d)) : d;
}

static inline T FN(logaddexp2)(T x, T y) {
    if (x == y) return x + 1;
    T d = x - y, log2e = (T)1.44269504088896340736;
    return d > 0 ? x + log1p(exp2(-d)) * log2e : d <= 0 ? y + log1p(exp2(d)) * log2e : d;
}

static inline T FN(sinc)(T x) {
    T p = x * (T)3.14159265358979323846;
    return p == 0 ? (T)1 : sin(p) / p;
}

/* The series of I0 while it is short, then the asymptotic one; all terms of both are positive. */
static inline T FN(i0)(T x) {
    x = fabs(x);
    T sum = 1, term = 1;
    if (x < 20) {
        T q = x * x / 4;
        for (int k = 1; k < 80 && term > sum * (T)1e-18; k++) sum += term *= q / ((T)k * k);
        return sum;
    }
    if (x - x != 0) return x;
    for (int k = 1; k < 40 && term > sum * (T)1e-18; k++) {
        sum += term *= (T)(2 * k - 1) * (2 * k - 1) / (8 * x * k);
    }
    T half_way = exp(x / 2); /* exp(x) may overflow where the result does not */
    return half_way / sqrt((T)6.28318530717958647693 * x) * sum * half_way;
}

static inline T FN(lgamma)(T x) {
#ifdef __OPENCL_VERSION__
    return lgamma(x);
#else /* C's lgamma writes a global variable */
    int sign;
    return sizeof(T) == 4 ? (T)lgammaf_r((float)x, &sign) : (T)lgamma_r(x, &sign);
#endif
}

static inline T FN(nextafter)(T x, T y) {
#if DIGITS >= 24
    return nextafter(x, y);
#else
    if (x != x || y != y) return x + y;
    if (x == y) return y;
#if DIGITS == 11
    ushort h = clary_f32_to_f16(x == 0 ? copysign(as_float(0x33800000), y) : x);
#else
    ushort h = clary_f32_to_bf16(x == 0 ? copysign(as_float(0x00010000), y) : x);
#endif
    if (x != 0) h += (x < y) == (x > 0) ? 1 : -1;
#if DIGITS == 11
    return clary_f16_to_f32(h);
#else
    return clary_bf16_to_f32(h);
#endif
#endif
}

static inline T FN(spacing)(T x) {
    T a = fabs(x), gap = FN(nextafter)(a, INFINITY) - a; /* NaN for NaN and infinities */
    return x < 0 ? -gap : gap;
}

static inline T FN(modf_fraction)(T x) {
    return copysign(fabs(x) == INFINITY ? (T)0 : x - trunc(x), x);
}

static inline T FN(frexp_mantissa)(T x) {
    int e;
    return frexp(x, &e);
}

static inline int FN(frexp_exponent)(T x) {
    int e;
    frexp(x, &e);
    return fabs(x) < INFINITY ? e : 0;
}

/* ---- what random numbers need, from correctly rounded steps alone: the same bits everywhere, and
 * within a few ULP ---- */

/* Of x = m * 2^e with m in [0.7, 1.4]: log m = 2 atanh((m - 1) / (m + 1)). */
static inline T FN(random_log)(T x) {
    if (!(x > 0 && x < INFINITY)) return x == 0 ? (T)-INFINITY : x < 0 ? (T)NAN : x;
    int e;
    T m = frexp(x, &e);
    if (m < (T)0.70710678118654752) m += m, e -= 1;
    T q = (m - 1) / (m + 1), s = q * q;
    T sum = (T)0.043478260869565216;
    sum = sum * s + (T)0.047619047619047616;
    sum = sum * s + (T)0.05263157894736842;
    sum = sum * s + (T)0.058823529411764705;
    sum = sum * s + (T)0.06666666666666667;
    sum = sum * s + (T)0.07692307692307693;
    sum = sum * s + (T)0.09090909090909091;
    sum = sum * s + (T)0.1111111111111111;
    sum = sum * s + (T)0.14285714285714285;
    sum = sum * s + (T)0.2;
    sum = sum * s + (T)0.3333333333333333;
    sum = sum * s + (T)1.0;
    return (T)e * (T)0.69314718055994530942 + (q + q) * sum;
}

static inline T FN(random_exponential)(T u) { return -FN(random_log)((T)1 - u); }

/* 2^k exp(r), |r| <= log(2) / 2. */
static inline T FN(random_exp)(T x) {
    if (x != x) return x;
    x = x > 2000 ? (T)2000 : x < -2000 ? (T)-2000 : x;
    T k = floor(x * (T)1.44269504088896340736 + (T)0.5), s = x - k * (T)0.693145751953125;
    s -= k * (T)1.42860682030941723212e-6;
    T sum = (T)1.1470745597729725e-11;
    sum = sum * s + (T)1.6059043836821613e-10;
    sum = sum * s + (T)2.08767569878681e-09;
    sum = sum * s + (T)2.505210838544172e-08;
    sum = sum * s + (T)2.755731922398589e-07;
    sum = sum * s + (T)2.7557319223985893e-06;
    sum = sum * s + (T)2.48015873015873e-05;
    sum = sum * s + (T)0.0001984126984126984;
    sum = sum * s + (T)0.001388888888888889;
    sum = sum * s + (T)0.008333333333333333;
    sum = sum * s + (T)0.041666666666666664;
    sum = sum * s + (T)0.16666666666666666;
    sum = sum * s + (T)0.5;
    sum = sum * s + (T)1.0;
    sum = sum * s + (T)1.0;
    return ldexp(sum, (int)k);
}

/* cos(2 pi u) for u in [0, 1): within an eighth of a turn of a quarter, by the series of sine or cosine. */
static inline T FN(random_cosine)(T u) {
    T quarter = floor(u * 4 + (T)0.5);
    T x = (u * 4 - quarter) * (T)1.57079632679489661923, s = x * x;
    T sine = (T)2.8114572543455206e-15;
    sine = sine * s + (T)-7.647163731819816e-13;
    sine = sine * s + (T)1.6059043836821613e-10;
    sine = sine * s + (T)-2.505210838544172e-08;
    sine = sine * s + (T)2.7557319223985893e-06;
    sine = sine * s + (T)-0.0001984126984126984;
    sine = sine * s + (T)0.008333333333333333;
    sine = sine * s + (T)-0.16666666666666666;
    sine = sine * s + (T)1.0;
    T cosine = (T)4.779477332387385e-14;
    cosine = cosine * s + (T)-1.1470745597729725e-11;
    cosine = cosine * s + (T)2.08767569878681e-09;
    cosine = cosine * s + (T)-2.755731922398589e-07;
    cosine = cosine * s + (T)2.48015873015873e-05;
    cosine = cosine * s + (T)-0.001388888888888889;
    cosine = cosine * s + (T)0.041666666666666664;
    cosine = cosine * s + (T)-0.5;
    cosine = cosine * s + (T)1.0;
    sine *= x;
    return quarter == 1 ? -sine : quarter == 2 ? -cosine : quarter == 3 ? sine : cosine;
}

static inline T FN(random_normal)(T u, T v) {
    return sqrt(2 * FN(random_exponential)(u)) * FN(random_cosine)(v);
}

/* 53 or 24 bits of two words, as a number in [0, 1). */
static inline T FN(random_unit)(uint high, uint low) {
    if (DIGITS < 53) return (T)(high >> 8) * (T)5.9604644775390625e-8;
    return ((T)(high >> 5) * (T)67108864 + (T)(low >> 6)) * (T)1.1102230246251565e-16;
}

static inline ulong FN(random_whole)(T x) { return x > 0 && x < (T)9e18 ? (ulong)x : 0; }

/* Gamma number of scale 1 for place i of the stream key, both integers. Marsaglia and Tsang, "A simple
 * method for generating gamma variables", 2000: takes more than 95 of 100 attempts. Each has blocks of
 * its own: the fourth word, 0 elsewhere, is 1 and 2. */
static inline T FN(random_gamma)(T i, T key, T a) {
    if (!(a > 0 && a < INFINITY)) return a < 0 ? (T)NAN : a;
    ulong place = FN(random_whole)(i), k = FN(random_whole)(key);
    T d = (a < 1 ? a + 1 : a) - (T)0.33333333333333333333, c = 1 / sqrt(9 * d), boost = 1, t = 1;
    for (uint attempt = 0; attempt < 64; attempt++) {
        clary_words w = {(uint)place, (uint)(place >> 32), attempt, 1}, v = w;
        v.d = 2;
        w = clary_philox_block(w, (uint)k, (uint)(k >> 32));
        v = clary_philox_block(v, (uint)k, (uint)(k >> 32));
        T n = FN(random_normal)(FN(random_unit)(w.a, w.b), FN(random_unit)(w.c, w.d));
        T e = FN(random_exponential)(FN(random_unit)(v.a, v.b));
        if (a < 1) boost = FN(random_exp)(-FN(random_exponential)(FN(random_unit)(v.c, v.d)) / a);
        t = 1 + c * n;
        if (t <= 0) continue;
        t = t * t * t;
        if (-e < n * n * (T)0.5 + d - d * t + d * FN(random_log)(t)) break;
    }
    return d * t * boost;
}

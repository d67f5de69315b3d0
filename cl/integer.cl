/* integer.cl - helpers of ops.def for one integer type. A template: the text is used once per type,
 * after prelude.cl, with
 *
 *   T      the type, e.g. clary_i16    U      its unsigned counterpart, e.g. clary_u16
 *   FN(f)  f_<suffix>, e.g. f##_i16    SIGNED 1 if T is signed, else 0
 *
 * as macros, undefined again afterwards. Nothing here overflows T: what wraps is computed in U.
 */

#if SIGNED

static inline U FN(magnitude)(T x) { return x < 0 ? (U)(0 - (U)x) : (U)x; }

/* Division by -1 apart: the smallest number has no counterpart, and hardware traps on it. */
static inline T FN(floor_divide)(T x, T y) {
    if (y == 0) return 0;
    if (y == -1) return (T)(0 - (U)x);
    T q = (T)(x / y);
    return (T)(q - (x % y != 0 && (x < 0) != (y < 0)));
}

static inline T FN(remainder)(T x, T y) {
    if (y == 0 || y == -1) return 0;
    T r = (T)(x % y);
    return r != 0 && (r < 0) != (y < 0) ? (T)(r + y) : r;
}

static inline T FN(fmod)(T x, T y) { return y == 0 || y == -1 ? (T)0 : (T)(x % y); }

#else

static inline U FN(magnitude)(T x) { return x; }

#endif

/* By squaring; wraps. */
static inline T FN(power)(T x, T y) {
#if SIGNED
    if (y < 0) return x == 1 ? (T)1 : x == -1 ? (T)(y & 1 ? -1 : 1) : (T)0;
#endif
    U result = 1, square = (U)x;
    for (U e = (U)y; e; e = (U)(e >> 1)) {
        if (e & 1) result = (U)(result * square);
        square = (U)(square * square);
    }
    return (T)result;
}

static inline T FN(gcd)(T x, T y) {
    U a = FN(magnitude)(x), b = FN(magnitude)(y);
    while (b) {
        U r = (U)(a % b);
        a = b;
        b = r;
    }
    return (T)a;
}

static inline T FN(lcm)(T x, T y) {
    U g = (U)FN(gcd)(x, y);
    return g ? (T)(U)(FN(magnitude)(x) / g * FN(magnitude)(y)) : (T)0;
}

static inline T FN(clip)(T x, T low, T high) {
    T t = x >= low ? x : low;
    return t <= high ? t : high;
}

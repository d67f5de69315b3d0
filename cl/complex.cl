/* complex.cl - helpers of ops.def for one complex type. A template: the text is used once per type,
 * after prelude.cl, with
 *
 *   T      the type, clary_c64 or clary_c128    E  float or double, the type of its parts
 *   FN(f)  f##_c64 or f##_c128
 *
 * as macros, undefined again afterwards. Infinities, NaN and signed zeros follow C99's Annex G with its
 * later corrections; branch cuts follow the sign of zero. Add, multiply and divide are fixed sequences
 * of exactly rounded steps: the same bits everywhere. Multiplication is the schoolbook formula, without
 * Annex G's recovery of infinities, as in NumPy.
 */

static inline T FN(c_make)(E re, E im) {
    T z;
    z.x = re;
    z.y = im;
    return z;
}
static inline T FN(c_add)(T x, T y) { return FN(c_make)(x.x + y.x, x.y + y.y); }
static inline T FN(c_sub)(T x, T y) { return FN(c_make)(x.x - y.x, x.y - y.y); }
static inline T FN(c_mul)(T x, T y) { return FN(c_make)(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); }
static inline T FN(c_neg)(T z) { return FN(c_make)(-z.x, -z.y); }
static inline T FN(c_conj)(T z) { return FN(c_make)(z.x, -z.y); }
static inline T FN(c_scale)(T z, E s) { return FN(c_make)(z.x * s, z.y * s); }
static inline T FN(c_rint)(T z) { return FN(c_make)(rint(z.x), rint(z.y)); }
static inline T FN(c_where)(uchar c, T y, T z) { return FN(c_make)(c ? y.x : z.x, c ? y.y : z.y); }
static inline int FN(c_true)(T z) { return z.x != 0 || z.y != 0; }
static inline int FN(c_nan)(T z) { return z.x != z.x || z.y != z.y; }

/* Smith's division: no overflow in |y|^2. */
static inline T FN(c_div)(T x, T y) {
    E a = fabs(y.x), b = fabs(y.y);
    if (a == 0 && b == 0) return FN(c_make)(x.x / a, x.y / a);
    if (a >= b) {
        E ratio = y.y / y.x, scale = (E)1 / (y.x + y.y * ratio);
        return FN(c_make)((x.x + x.y * ratio) * scale, (x.y - x.x * ratio) * scale);
    }
    E ratio = y.x / y.y, scale = (E)1 / (y.y + y.x * ratio);
    return FN(c_make)((x.x * ratio + x.y) * scale, (x.y * ratio - x.x) * scale);
}

static inline T FN(c_reciprocal)(T z) {
    if (fabs(z.x) >= fabs(z.y)) {
        E ratio = z.y / z.x, d = z.x + z.y * ratio;
        return FN(c_make)((E)1 / d, -ratio / d);
    }
    E ratio = z.x / z.y, d = z.y + z.x * ratio;
    return FN(c_make)(ratio / d, (E)-1 / d);
}

/* ---- order: by real part, then imaginary part; false with NaN ---- */

static inline int FN(c_gt)(T x, T y) {
    return (x.x > y.x && x.y == x.y && y.y == y.y) || (x.x == y.x && x.y > y.y);
}
static inline int FN(c_ge)(T x, T y) {
    return (x.x > y.x && x.y == x.y && y.y == y.y) || (x.x == y.x && x.y >= y.y);
}
static inline T FN(c_maximum)(T x, T y) { return FN(c_where)(FN(c_ge)(x, y) || FN(c_nan)(x), x, y); }
static inline T FN(c_minimum)(T x, T y) { return FN(c_where)(FN(c_ge)(y, x) || FN(c_nan)(x), x, y); }
static inline T FN(c_fmax)(T x, T y) { return FN(c_where)(FN(c_ge)(x, y) || FN(c_nan)(y), x, y); }
static inline T FN(c_fmin)(T x, T y) { return FN(c_where)(FN(c_ge)(y, x) || FN(c_nan)(y), x, y); }

/* ---- magnitude, square root ---- */

static inline E FN(c_abs)(T z) {
    if (fabs(z.x) == INFINITY || fabs(z.y) == INFINITY) return INFINITY;
    return hypot(z.x, z.y);
}

static inline T FN(c_sign)(T z) {
    E a = FN(c_abs)(z), x = z.x, y = z.y;
    if (a == INFINITY) { /* an infinite part is a direction, two of them are none */
        if (fabs(x) == fabs(y)) return FN(c_make)(NAN, NAN);
        return FN(c_make)(x == INFINITY ? (E)1 : x == -INFINITY ? (E)-1 : (E)0,
                          y == INFINITY ? (E)1 : y == -INFINITY ? (E)-1 : (E)0);
    }
    return a == 0 ? FN(c_make)(0, 0) : FN(c_make)(x / a, y / a);
}

/* Half of the larger of |z| + |re z|, by a scaling that keeps both ends of the range exact. */
static inline T FN(c_sqrt)(T z) {
    E x = z.x, y = z.y, a = fabs(x), b = fabs(y), unscale = 1;
    if (a == 0 && b == 0) return FN(c_make)(0, y);
    if (b == INFINITY) return FN(c_make)(INFINITY, y);
    if (a == INFINITY) return x > 0 ? FN(c_make)(x, y == y ? copysign((E)0, y) : y)
                                    : FN(c_make)(y == y ? (E)0 : y, copysign((E)INFINITY, y));
    if (FN(c_nan)(z)) return FN(c_make)(NAN, NAN);
    E top = sizeof(E) == 4 ? (E)0x1p125f : (E)ldexp((E)1, 1021);
    E low = sizeof(E) == 4 ? (E)0x1p-100f : (E)ldexp((E)1, -960);
    if (a > top || b > top) {
        a *= (E)0.0625, b *= (E)0.0625, unscale = 4;
    } else if (a < low && b < low) {
        a *= (E)16777216 * 16777216, b *= (E)16777216 * 16777216, unscale = (E)1 / 16777216;
    }
    E t = sqrt((a + hypot(a, b)) * (E)0.5), u = b / (2 * t);
    t *= unscale, u *= unscale;
    return x >= 0 ? FN(c_make)(t, copysign(u, y)) : FN(c_make)(u, copysign(t, y));
}

/* ---- exponentials and logarithms ---- */

/* exp(x) * (c, s) / 2^down where exp(x) alone may overflow. */
static inline T FN(c_exp_polar)(E x, E c, E s, int down) {
    E scale = down ? (E)0.5 : (E)1;
    if (x > (sizeof(E) == 4 ? (E)88 : (E)709)) {
        E h = exp(x * (E)0.5);
        return FN(c_make)(scale * h * c * h, scale * h * s * h);
    }
    E e = exp(x) * scale;
    return FN(c_make)(e * c, e * s);
}

static inline T FN(c_exp)(T z) {
    if (z.y == 0) return FN(c_make)(exp(z.x), z.y);
    if (!(fabs(z.y) < INFINITY)) {
        if (z.x == -INFINITY) return FN(c_make)(0, copysign((E)0, z.y));
        return FN(c_make)(z.x == INFINITY ? z.x : (E)NAN, NAN);
    }
    return FN(c_exp_polar)(z.x, cos(z.y), sin(z.y), 0);
}

static inline T FN(c_exp2)(T z) {
    E ln2 = (E)0.693147180559945309417;
    if (z.y == 0) return FN(c_make)(exp2(z.x), z.y);
    return FN(c_exp)(FN(c_scale)(z, ln2));
}

static inline T FN(c_expm1)(T z) {
    if (z.y == 0) return FN(c_make)(expm1(z.x), z.y);
    T e = FN(c_exp)(z);
    if (!(fabs(z.y) < INFINITY) || !(fabs(z.x) < (E)80)) return FN(c_make)(e.x - 1, e.y);
    E s = sin(z.y * (E)0.5);
    return FN(c_make)(expm1(z.x) * cos(z.y) - 2 * s * s, e.y);
}

/* log |1 + a + ib| for a, b of moderate size: the terms of |1 + a + ib|^2 - 1 cancel, so their rounding
 * errors are carried along. */
static inline E FN(c_log1p_abs)(E a, E b) {
    E p = a * a, q = b * b, lost = fma(a, a, -p) + fma(b, b, -q);
    E a2 = 2 * a, s = a2 + p, v = s - a2;
    lost += (a2 - (s - v)) + (p - v);
    E t = s + q, w = t - s;
    lost += (s - (t - w)) + (q - w);
    return (E)0.5 * log1p(t + lost);
}

static inline T FN(c_log)(T z) {
    E a = fabs(z.x), b = fabs(z.y), angle = atan2(z.y, z.x), large = a >= b ? a : b, small = a >= b ? b : a;
    E ln2 = (E)0.693147180559945309417, top = sizeof(E) == 4 ? (E)0x1p125f : (E)ldexp((E)1, 1021);
    if (FN(c_nan)(z) || large == INFINITY) return FN(c_make)(log(FN(c_abs)(z)), angle);
    if (large > (E)0.5 && large < 2) return FN(c_make)(FN(c_log1p_abs)(large - 1, small), angle);
    if (large > top) return FN(c_make)(log(hypot(a * (E)0.25, b * (E)0.25)) + 2 * ln2, angle);
    if (large < (sizeof(E) == 4 ? (E)0x1p-100f : (E)ldexp((E)1, -960)) && large > 0) {
        E up = (E)16777216 * 16777216;
        return FN(c_make)(log(hypot(a * up, b * up)) - 48 * ln2, angle);
    }
    return FN(c_make)(log(hypot(a, b)), angle);
}

static inline T FN(c_log2)(T z) { return FN(c_scale)(FN(c_log)(z), (E)1.44269504088896340736); }
static inline T FN(c_log10)(T z) { return FN(c_scale)(FN(c_log)(z), (E)0.434294481903251827651); }

static inline T FN(c_log1p)(T z) {
    if (fabs(z.x) < (E)0.5 && fabs(z.y) < (E)0.5)
        return FN(c_make)(FN(c_log1p_abs)(z.x, z.y), atan2(z.y, 1 + z.x));
    return FN(c_log)(FN(c_make)(z.x + 1, z.y));
}

/* Small integer powers by multiplication, so that they are as exact as that; 0 to a power whose real
 * part is not positive has no value. */
static inline T FN(c_pow)(T x, T y) {
    if (y.x == 0 && y.y == 0) return FN(c_make)(1, 0);
    if (x.x == 0 && x.y == 0) return y.x > 0 ? FN(c_make)(0, 0) : FN(c_make)(NAN, NAN);
    if (y.y == 0 && fabs(y.x) < 100 && y.x == floor(y.x)) {
        T power = x, result = FN(c_make)(1, 0);
        int n = (int)fabs(y.x), first = 1;
        for (; n; n >>= 1) {
            if (n & 1) {
                result = first ? power : FN(c_mul)(result, power);
                first = 0;
            }
            if (n > 1) power = FN(c_mul)(power, power);
        }
        return y.x < 0 ? FN(c_reciprocal)(result) : result;
    }
    return FN(c_exp)(FN(c_mul)(y, FN(c_log)(x)));
}

/* ---- hyperbolic functions; the circular ones are theirs of i z ---- */

static inline T FN(c_sinh)(T z) {
    E x = z.x, y = z.y;
    if (y == 0) return FN(c_make)(sinh(x), y);
    if (!(fabs(y) < INFINITY)) {
        if (x == 0 || fabs(x) == INFINITY) return FN(c_make)(x, NAN);
        return FN(c_make)(NAN, NAN);
    }
    E c = cos(y), s = sin(y);
    if (fabs(x) < (E)20) return FN(c_make)(sinh(x) * c, cosh(x) * s);
    T e = FN(c_exp_polar)(fabs(x), c, s, 1);
    return FN(c_make)(x < 0 ? -e.x : e.x, e.y);
}

static inline T FN(c_cosh)(T z) {
    E x = z.x, y = z.y;
    if (y == 0) return FN(c_make)(cosh(x), x == x ? copysign((E)0, x) * y : y);
    if (!(fabs(y) < INFINITY)) {
        if (x == 0) return FN(c_make)(NAN, x);
        return FN(c_make)(fabs(x) == INFINITY ? fabs(x) : (E)NAN, NAN);
    }
    E c = cos(y), s = sin(y);
    if (fabs(x) < (E)20) return FN(c_make)(cosh(x) * c, sinh(x) * s);
    T e = FN(c_exp_polar)(fabs(x), c, s, 1);
    return FN(c_make)(e.x, x < 0 ? -e.y : e.y);
}

static inline T FN(c_tanh)(T z) {
    E x = z.x, y = z.y;
    if (y == 0) return FN(c_make)(tanh(x), y);
    if (fabs(x) == INFINITY)
        return FN(c_make)(copysign((E)1, x), copysign((E)0, fabs(y) < INFINITY ? sin(y) * cos(y) : y));
    if (!(fabs(y) < INFINITY)) return FN(c_make)(x == 0 ? x : (E)NAN, NAN);
    if (fabs(x) > (E)20) { /* 1 to the last bit; the imaginary part dies like exp(-2|x|) */
        E e = exp(-fabs(x));
        return FN(c_make)(copysign((E)1, x), 4 * sin(y) * cos(y) * e * e);
    }
    /* Kahan, "Branch cuts for complex elementary functions": no cancellation, no division 0 / 0. */
    E t = tan(y), beta = 1 + t * t, s = sinh(x), rho = sqrt(1 + s * s), d = 1 + beta * s * s;
    if (fabs(t) == INFINITY) return FN(c_make)(rho / s, 1 / t);
    return FN(c_make)(beta * rho * s / d, t / d);
}

static inline T FN(c_sin)(T z) {
    T w = FN(c_sinh)(FN(c_make)(-z.y, z.x));
    return FN(c_make)(w.y, -w.x);
}
static inline T FN(c_cos)(T z) { return FN(c_cosh)(FN(c_make)(-z.y, z.x)); }
static inline T FN(c_tan)(T z) {
    T w = FN(c_tanh)(FN(c_make)(-z.y, z.x));
    return FN(c_make)(w.y, -w.x);
}

static inline T FN(c_sinc)(T z) {
    T p = FN(c_scale)(z, (E)3.14159265358979323846);
    return FN(c_true)(p) ? FN(c_div)(FN(c_sin)(p), p) : FN(c_make)(1, 0);
}

/* ---- inverse functions: Kahan's formulas, in which nothing cancels ---- */

static inline T FN(c_asinh)(T z) {
    E x = z.x, y = z.y;
    if (fabs(x) == INFINITY || fabs(y) == INFINITY)
        return FN(c_make)(copysign((E)INFINITY, x), atan2(y, fabs(x)));
    if (FN(c_nan)(z)) return FN(c_make)(NAN, y == 0 ? y : (E)NAN);
    T p = FN(c_sqrt)(FN(c_make)(1 + y, -x)), q = FN(c_sqrt)(FN(c_make)(1 - y, x));
    return FN(c_make)(asinh(p.x * q.y - p.y * q.x), atan2(y, p.x * q.x - p.y * q.y));
}

static inline T FN(c_acosh)(T z) {
    E x = z.x, y = z.y;
    if (fabs(x) == INFINITY || fabs(y) == INFINITY) return FN(c_make)(INFINITY, atan2(y, x));
    if (FN(c_nan)(z)) return FN(c_make)(NAN, x == 0 ? (E)1.57079632679489661923 : (E)NAN);
    T p = FN(c_sqrt)(FN(c_make)(x - 1, y)), q = FN(c_sqrt)(FN(c_make)(x + 1, y));
    return FN(c_make)(asinh(p.x * q.x + p.y * q.y), 2 * atan2(p.y, q.x));
}

static inline T FN(c_acos)(T z) {
    E x = z.x, y = z.y;
    if (fabs(x) == INFINITY || fabs(y) == INFINITY)
        return FN(c_make)(atan2(fabs(y), x), -copysign((E)INFINITY, y));
    if (FN(c_nan)(z)) return FN(c_make)(x == 0 ? (E)1.57079632679489661923 : (E)NAN, NAN);
    T p = FN(c_sqrt)(FN(c_make)(1 - x, -y)), q = FN(c_sqrt)(FN(c_make)(1 + x, y));
    return FN(c_make)(2 * atan2(p.x, q.x), asinh(q.x * p.y - q.y * p.x));
}

static inline T FN(c_atanh)(T z) {
    E x = z.x, y = z.y, a = fabs(x), b = fabs(y), quarter_turn = copysign((E)1.57079632679489661923, y);
    if (a == INFINITY || b == INFINITY)
        return FN(c_make)(copysign((E)0, x), y == y ? quarter_turn : y);
    if (FN(c_nan)(z)) return FN(c_make)(x == 0 ? x : (E)NAN, NAN);
    E far = sizeof(E) == 4 ? (E)0x1p24f : (E)ldexp((E)1, 53);
    if (a > far || b > far) { /* 1 / z is all that is left of the logarithm */
        E large = a > b ? a : b, u = x / large, v = y / large;
        return FN(c_make)(u / (u * u + v * v) / large, quarter_turn);
    }
    if (a == 1 && b < 1 / far) { /* b * b would vanish */
        E im = copysign((E)0.5 * atan2((E)2, -b), y);
        return FN(c_make)(copysign((E)-0.5 * log(b * (E)0.5), x), b == 0 ? y : im);
    }
    E re = (E)0.25 * log1p(4 * a / ((1 - a) * (1 - a) + b * b));
    return FN(c_make)(copysign(re, x), (E)0.5 * atan2(2 * y, (1 - a) * (1 + a) - b * b));
}

static inline T FN(c_asin)(T z) {
    T w = FN(c_asinh)(FN(c_make)(-z.y, z.x));
    return FN(c_make)(w.y, -w.x);
}
static inline T FN(c_atan)(T z) {
    T w = FN(c_atanh)(FN(c_make)(-z.y, z.x));
    return FN(c_make)(w.y, -w.x);
}

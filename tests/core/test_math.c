/* test_math.c - what the rows of ops.def compute, on the reference executor: dtype rules, casts and
 * halves, answers that libraries are known to get wrong, complex functions against the C library.
 */
#include "check.h"
#include "cl/prelude.cl"
#include "graph/group.h"

/* ---- running an operation on one point ---- */

static clary_scalar run_one(const char *what, const clary__instr *last, int arity,
                            const clary_dtype *in, const clary_scalar *x) {
    clary__group *g = calloc(1, sizeof *g);
    clary__host_bases bases;
    char elements[3][16], out[16];
    g->points = 1;
    g->what = what;
    for (int i = 0; i < arity; i++) {
        clary__scalar_store(x[i], in[i], elements[i]);
        bases.inputs[i] = elements[i];
        g->inputs[i].dtype = in[i];
        g->instr[i] =
            (clary__instr){CLARY__I_LOAD, (uint8_t)in[i], (uint8_t)in[i], 0, (uint16_t)i, 0, 0};
    }
    g->ninputs = arity;
    g->instr[arity] = *last;
    g->ninstr = g->split = arity + 1;
    g->noutputs = 1;
    g->outputs[0] = (clary__operand){.dtype = last->dtype, .instr = (uint16_t)arity};
    bases.outputs[0] = out;
    CHECK_OK(clary__run_on_host(g, &bases, 1));
    free(g);
    return clary__scalar_load(out, last->dtype);
}

static clary_scalar apply(const char *name, clary_dtype t, const clary_scalar *x) {
    clary_op op = CLARY_OP_COUNT;
    clary_op_info info;
    clary_dtype in[3] = {t, t, t}, compute, result;
    CHECK_OK(clary_find_op(name, &op));
    CHECK_OK(clary_get_op_info(op, &info));
    if (!strcmp(info.rule, "F_SHIFT")) in[1] = CLARY_INT32;
    CHECK_OK(clary_op_dtypes(op, in, NULL, &compute, &result));
    CHECK_INT(compute, t);
    clary__instr last = {CLARY__I_OP, (uint8_t)result, (uint8_t)t, (uint8_t)op, 0, 1, 2};
    return run_one(name, &last, info.arity, in, x);
}

static clary_scalar cast(clary_dtype from, clary_dtype to, clary_scalar x) {
    clary__instr last = {CLARY__I_CAST, (uint8_t)to, (uint8_t)from, 0, 0, 0, 0};
    return run_one("cast", &last, 1, &from, &x);
}

static clary_scalar real(double v) {
    return (clary_scalar){.kind = CLARY_SCALAR_FLOAT, .re = v};
}
static clary_scalar whole(int64_t v) {
    return (clary_scalar){.kind = CLARY_SCALAR_INT, .i = v};
}
static clary_scalar pair(double re, double im) {
    return (clary_scalar){.kind = CLARY_SCALAR_COMPLEX, .re = re, .im = im};
}

/* The same number: NaN equals NaN, 0.0 is not -0.0. */
static bool same(double a, double b) {
    return a != a ? b != b : a == b && signbit(a) == signbit(b);
}

/* ---- dtypes ---- */

static void test_dtypes(void) {
    SECTION("dtypes");
    static const struct {
        const char *op, *x, *y, *compute,
            *result; /* "int", "float", "complex": weak; NULL: no loop */
    } cases[] = {
        {"add", "int8", "uint8", "int16", "int16"},
        {"add", "int16", "int", "int16", "int16"},
        {"add", "int16", "float", "float64", "float64"},
        {"add", "float32", "float", "float32", "float32"},
        {"add", "float16", "complex", "complex64", "complex64"},
        {"add", "bool", "int", "int64", "int64"},
        {"add", "int", "int", "int64", "int64"},
        {"add", "bool", "bool", "bool", "bool"},
        {"subtract", "bool", "bool", NULL, NULL},
        {"subtract", "bool", "int", "int64", "int64"},
        {"gcd", "bool", "bool", NULL, NULL},
        {"power", "bool", "bool", "int8", "int8"},
        {"divide", "int8", "int8", "float64", "float64"},
        {"divide", "bool", "bool", "float64", "float64"},
        {"divide", "float16", "int", "float16", "float16"},
        {"hypot", "int8", "uint8", "float16", "float16"},
        {"hypot", "int16", "int", "float32", "float32"},
        {"hypot", "int8", "float", "float64", "float64"},
        {"hypot", "bool", "int", "float64", "float64"},
        {"hypot", "complex64", "float32", NULL, NULL},
        {"bitwise_and", "float32", "float32", NULL, NULL},
        {"bitwise_and", "uint8", "float", NULL, NULL},
        {"less", "int8", "int16", "int16", "bool"},
        {"less", "bool", "bool", "bool", "bool"},
        {"ldexp", "float32", "int64", "float32", "float32"},
        {"ldexp", "int8", "int", "float16", "float16"},
        {"ldexp", "float32", "float32", NULL, NULL},
        {"float_power", "int8", "float32", "float64", "float64"},
        {"philox_bits", "uint64", "uint64", "uint64", "uint32"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *names[2] = {cases[i].x, cases[i].y};
        clary_dtype in[2], compute = CLARY_DTYPE_COUNT, result = CLARY_DTYPE_COUNT;
        bool weak[2];
        clary_op op = CLARY_OP_COUNT;
        CHECK_OK(clary_find_op(cases[i].op, &op));
        for (int k = 0; k < 2; k++) {
            const char *n = names[k];
            weak[k] = !strcmp(n, "int") || !strcmp(n, "float") || !strcmp(n, "complex");
            CHECK_OK(clary_dtype_parse(!weak[k]    ? n
                                       : *n == 'i' ? "int64"
                                       : *n == 'f' ? "float64"
                                                   : "complex128",
                                       &in[k]));
        }
        if (!cases[i].result) {
            CHECK_ERROR(clary_op_dtypes(op, in, weak, &compute, &result), CLARY_DTYPE_MISMATCH,
                        "no loop for");
            continue;
        }
        CHECK_OK(clary_op_dtypes(op, in, weak, &compute, &result));
        CHECK_TEXT(clary_dtype_name(compute), cases[i].compute);
        CHECK_TEXT(clary_dtype_name(result), cases[i].result);
    }
    clary_dtype two[2] = {CLARY_FLOAT32, CLARY_INT64}, compute, result;
    bool weak[2] = {false, true};
    CHECK_ERROR(clary_op_dtypes(CLARY_OP_bitwise_and, two, weak, &compute, &result),
                CLARY_DTYPE_MISMATCH, "bitwise_and: no loop for float32, weak int");
    clary_op op;
    CHECK_ERROR(clary_find_op("nothing", &op), CLARY_INVALID_ARGUMENT, "'nothing'");
}

/* ---- halves, casts, random words ---- */

static void test_halves(void) {
    SECTION("halves");
    for (uint32_t h = 0; h < 65536; h++) {
        float f = clary_f16_to_f32((ushort)h), b = clary_bf16_to_f32((ushort)h);
        if (!CHECK_MSG(same((double)f, (double)clary__f16_to_f32((uint16_t)h)), "float16 %04x", h))
            break;
        if (f == f) CHECK_INT(clary_f32_to_f16(f), h);
        if (b == b) CHECK_INT(clary_f32_to_bf16(b), h);
        if (f != f)
            CHECK(clary__f16_to_f32(clary_f32_to_f16(f)) != clary__f16_to_f32(clary_f32_to_f16(f)));
        /* Around the middle of this half and the next: below, the tie, above. */
        if ((h & 0x7fff) >= 0x7c00) continue;
        float next = clary_f16_to_f32((ushort)(h + 1)), middle = f + (next - f) / 2;
        if ((h & 0x7fff) == 0x7bff) middle = h & 0x8000 ? -65520.0f : 65520.0f;
        for (int step = -1; step <= 1; step++) {
            uint bits = as_uint(middle) + (uint)step;
            if (as_float(bits) != as_float(bits)) continue;
            ushort wanted = clary__f32_to_f16(as_float(bits));
            CHECK_INT(clary_f32_to_f16(as_float(bits)), wanted);
            CHECK(same(clary_round_f16(as_float(bits)), clary_f16_to_f32(wanted)));
            /* A double that differs from the tie by less than a float can tell. */
            double d = (double)middle * (1 + step * 0x1p-40);
            CHECK_INT(clary_f32_to_f16(clary_odd_f32_f64(d)), clary__f64_to_f16(d));
        }
        if ((h & 0x7f80) == 0x7f80) continue;
        double d =
            (double)clary_bf16_to_f32((ushort)h) * (1 + 0x1p-9 + ((int)(h % 3) - 1) * 0x1p-40);
        CHECK_INT(clary_f32_to_bf16(clary_odd_f32_f64(d)), clary__f64_to_bf16(d));
    }
    for (int k = 0; k < 100000; k++) {
        int64_t v = (int64_t)(check_random() >> (check_random() % 64));
        if (k % 2) v = -v;
        uint16_t wanted;
        clary__scalar_store(whole(v), CLARY_BFLOAT16, &wanted);
        if (!CHECK_INT(clary_f32_to_bf16(clary_odd_f32_i64(v)), wanted)) break;
    }
}

static void test_casts(void) {
    SECTION("casts");
    static const double values[] = {0,
                                    -0.0,
                                    0.9,
                                    -0.9,
                                    1.5,
                                    -1.5,
                                    127.9,
                                    128,
                                    -128.9,
                                    -129,
                                    255.5,
                                    256,
                                    32768,
                                    65536,
                                    2147483647,
                                    2147483648.0,
                                    -2147483649.0,
                                    4294967295.0,
                                    4294967296.0,
                                    9223372036854774784.0,
                                    9223372036854775808.0,
                                    18446744073709549568.0,
                                    18446744073709551616.0,
                                    1e300,
                                    -1e300,
                                    INFINITY,
                                    -INFINITY,
                                    NAN,
                                    1e-320};
    for (int to = 0; to < CLARY_DTYPE_COUNT; to++)
        for (int from = 0; from < CLARY_DTYPE_COUNT; from++)
            for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
                /* What core's scalars do with the element is the definition. */
                char element[16], wanted[16], got[16];
                clary__scalar_store(pair(values[i], -values[i]), (clary_dtype)from, element);
                clary_scalar x = clary__scalar_load(element, (clary_dtype)from);
                clary__scalar_store(x, (clary_dtype)to, wanted);
                clary__scalar_store(cast((clary_dtype)from, (clary_dtype)to, x), (clary_dtype)to,
                                    got);
                if (memcmp(got, wanted, clary_dtype_size((clary_dtype)to))) {
                    clary_scalar g = clary__scalar_load(got, (clary_dtype)to),
                                 w = clary__scalar_load(wanted, (clary_dtype)to);
                    CHECK_MSG(same(g.re, w.re) && same(g.im, w.im) && g.i == w.i,
                              "%s %g to %s: %g %" PRId64, clary_dtype_name((clary_dtype)from),
                              values[i], clary_dtype_name((clary_dtype)to), g.re, g.i);
                }
            }
    CHECK_INT(cast(CLARY_FLOAT32, CLARY_INT32, real(NAN)).i, 0);
    CHECK_INT(cast(CLARY_FLOAT32, CLARY_INT32, real(INFINITY)).i, INT32_MAX);
    CHECK_INT(cast(CLARY_FLOAT64, CLARY_INT64, real(-INFINITY)).i, INT64_MIN);
    CHECK_INT(cast(CLARY_INT32, CLARY_INT8, whole(200)).i, -56);
}

/* The vectors published with the generator. */
static void test_philox(void) {
    SECTION("philox");
    clary_words zero = clary_philox_block((clary_words){0, 0, 0, 0}, 0, 0);
    CHECK(zero.a == 0x6627e8d5 && zero.b == 0xe169c58d && zero.c == 0xbc57ac4c &&
          zero.d == 0x9b00dbd8);
    clary_words ones = clary_philox_block((clary_words){~0u, ~0u, ~0u, ~0u}, ~0u, ~0u);
    CHECK(ones.a == 0x408f276d && ones.b == 0x41c83b0e && ones.c == 0xa20bc7c6 &&
          ones.d == 0x6d5451fd);
    clary_words pi = clary_philox_block(
        (clary_words){0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0);
    CHECK(pi.a == 0xd16cfe09 && pi.b == 0x94fdcceb && pi.c == 0x5001e420 && pi.d == 0x24126ea1);
    for (int k = 0; k < 2000; k++) {
        uint64_t i = check_random() >> (check_random() % 64), key = check_random();
        clary_words w = clary_philox_block((clary_words){(uint)(i >> 2), (uint)(i >> 34), 0, 0},
                                           (uint)key, (uint)(key >> 32));
        const uint words[4] = {w.a, w.b, w.c, w.d};
        clary_scalar x[2] = {{.kind = CLARY_SCALAR_UINT, .u = i},
                             {.kind = CLARY_SCALAR_UINT, .u = key}};
        clary_scalar got = apply("philox_bits", CLARY_UINT64, x);
        CHECK_INT(got.kind == CLARY_SCALAR_UINT ? (int64_t)got.u : got.i, words[i & 3]);
    }
}

/* ---- answers that are easy to get wrong ---- */

static void test_integers(void) {
    SECTION("integers");
    static const struct {
        const char *op;
        clary_dtype t;
        int64_t x, y, wanted;
    } cases[] = {
        {"floor_divide", CLARY_INT32, 7, 2, 3},
        {"floor_divide", CLARY_INT32, -7, 2, -4},
        {"floor_divide", CLARY_INT32, 7, -2, -4},
        {"floor_divide", CLARY_INT32, -7, -2, 3},
        {"floor_divide", CLARY_INT64, 5, 0, 0},
        {"floor_divide", CLARY_INT8, -128, -1, -128},
        {"floor_divide", CLARY_UINT8, 255, 0, 0},
        {"floor_divide", CLARY_INT64, INT64_MIN, -1, INT64_MIN},
        {"remainder", CLARY_INT32, 7, 2, 1},
        {"remainder", CLARY_INT32, -7, 2, 1},
        {"remainder", CLARY_INT32, 7, -2, -1},
        {"remainder", CLARY_INT32, -7, -2, -1},
        {"remainder", CLARY_INT32, INT32_MIN, -1, 0},
        {"remainder", CLARY_INT64, INT64_MIN, -1, 0},
        {"remainder", CLARY_INT16, 5, 0, 0},
        {"fmod", CLARY_INT32, -7, 2, -1},
        {"fmod", CLARY_INT64, INT64_MIN, -1, 0},
        {"absolute", CLARY_INT16, -32768, 0, -32768},
        {"power", CLARY_INT64, 10, 18, 1000000000000000000},
        {"power", CLARY_INT64, 10, -127, 0},
        {"power", CLARY_INT64, -1, -3, -1},
        {"power", CLARY_INT64, -1, -4, 1},
        {"power", CLARY_INT64, 1, -3, 1},
        {"power", CLARY_INT64, 0, 0, 1},
        {"power", CLARY_INT8, 3, 5, -13},
        {"power", CLARY_UINT16, 65535, 2, 1},
        {"left_shift", CLARY_INT64, 3, -1, 0},
        {"left_shift", CLARY_UINT8, 255, 1, 254},
        {"left_shift", CLARY_UINT8, 1, 8, 0},
        {"left_shift", CLARY_INT32, 1, 31, INT32_MIN},
        {"right_shift", CLARY_INT32, -8, 1, -4},
        {"right_shift", CLARY_INT32, -8, 32, -1},
        {"right_shift", CLARY_INT32, 8, -1, 0},
        {"right_shift", CLARY_UINT8, 255, 7, 1},
        {"gcd", CLARY_INT8, -128, 0, -128},
        {"gcd", CLARY_INT32, -12, 18, 6},
        {"lcm", CLARY_INT32, -4, 6, 12},
        {"lcm", CLARY_INT32, 0, 5, 0},
        {"bitwise_count", CLARY_INT8, -1, 0, 1},
        {"bitwise_count", CLARY_INT8, -128, 0, 1},
        {"bitwise_count", CLARY_UINT64, 255, 0, 8},
        {"sign", CLARY_INT64, INT64_MIN, 0, -1},
        {"multiply", CLARY_INT64, 10, 1000000000, 10000000000},
        {"multiply", CLARY_INT16, 300, 300, 24464},
        {"negative", CLARY_INT8, -128, 0, -128},
        {"reciprocal", CLARY_INT32, 0, 0, 0},
        {"signbit", CLARY_INT32, -1, 0, 1},
        {"invert", CLARY_BOOL, 1, 0, 0},
        {"add", CLARY_BOOL, 1, 1, 1},
        {"multiply", CLARY_BOOL, 1, 0, 0},
        {"less", CLARY_BOOL, 0, 1, 1},
        {"maximum", CLARY_UINT8, 200, 100, 200},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clary_scalar x[3] = {whole(cases[i].x), whole(cases[i].y), whole(0)};
        clary_scalar got = apply(cases[i].op, cases[i].t, x);
        CHECK_MSG(got.i == cases[i].wanted,
                  "%s(%" PRId64 ", %" PRId64 ") in %s is %" PRId64 ", not %" PRId64, cases[i].op,
                  cases[i].x, cases[i].y, clary_dtype_name(cases[i].t), got.i, cases[i].wanted);
    }
}

static void test_floats(void) {
    SECTION("floats");
    static const struct {
        const char *op;
        double x, y, wanted;
    } cases[] = {
        /* in float16, float32 and float64 */
        {"floor_divide", 7, -2, -4},
        {"floor_divide", -7, 2, -4},
        {"floor_divide", 0, 1, 0},
        {"floor_divide", -0.0, 3, -0.0},
        {"floor_divide", 1, 0, INFINITY},
        {"floor_divide", -1, INFINITY, -1},
        {"floor_divide", 1, INFINITY, 0},
        {"remainder", -1, 1, 0.0},
        {"remainder", 1, -1, -0.0},
        {"remainder", -5, 12, 7},
        {"remainder", 5, -12, -7},
        {"remainder", 5, 0, NAN},
        {"remainder", -1, INFINITY, INFINITY},
        {"fmod", -5, 3, -2},
        {"power", -4, 0.5, NAN},
        {"power", -INFINITY, 3, -INFINITY},
        {"power", 0, -1, INFINITY},
        {"power", -0.0, -1, -INFINITY},
        {"power", 1, NAN, 1},
        {"power", NAN, 0, 1},
        {"power", 2, 3, 8},
        {"rint", 0.5, 0, 0.0},
        {"rint", 1.5, 0, 2},
        {"rint", 2.5, 0, 2},
        {"rint", -0.5, 0, -0.0},
        {"rint", -1.5, 0, -2},
        {"maximum", 1, NAN, NAN},
        {"maximum", NAN, 1, NAN},
        {"maximum", -0.0, 0.0, -0.0},
        {"maximum", 0.0, -0.0, 0.0},
        {"minimum", NAN, 1, NAN},
        {"minimum", 0.0, -0.0, 0.0},
        {"fmax", 1, NAN, 1},
        {"fmax", NAN, 1, 1},
        {"fmin", 1, NAN, 1},
        {"fmin", NAN, NAN, NAN},
        {"sign", -0.0, 0, 0.0},
        {"sign", NAN, 0, NAN},
        {"sign", -INFINITY, 0, -1},
        {"heaviside", 0, 0.5, 0.5},
        {"heaviside", NAN, 1, NAN},
        {"heaviside", -2, 1, 0},
        {"modf_fraction", -0.0, 0, -0.0},
        {"modf_fraction", INFINITY, 0, 0.0},
        {"modf_fraction", -3.5, 0, -0.5},
        {"modf_integer", -3.5, 0, -3},
        {"frexp_mantissa", 8, 0, 0.5},
        {"frexp_mantissa", -INFINITY, 0, -INFINITY},
        {"frexp_exponent", 8, 0, 4},
        {"frexp_exponent", INFINITY, 0, 0},
        {"frexp_exponent", 0, 0, 0},
        {"spacing", INFINITY, 0, NAN},
        {"logaddexp", -INFINITY, -INFINITY, -INFINITY},
        {"logaddexp", INFINITY, 1, INFINITY},
        {"logaddexp", NAN, 1, NAN},
        {"logaddexp2", 3, 3, 4},
        {"sinc", 0, 0, 1},
        {"cbrt", 8, 0, 2},
        {"cbrt", -0.0, 0, -0.0},
        {"hypot", INFINITY, NAN, INFINITY},
        {"copysign", 3, -0.0, -3},
        {"nextafter", 1, 1, 1},
        {"reciprocal", -0.0, 0, -INFINITY},
        {"signbit", -0.0, 0, 1},
        {"isposinf", INFINITY, 0, 1},
        {"isneginf", INFINITY, 0, 0},
        {"isfinite", NAN, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int t = CLARY_FLOAT16; t <= CLARY_FLOAT64; t++) {
            clary_scalar x[3] = {real(cases[i].x), real(cases[i].y), real(0)};
            clary_scalar got = apply(cases[i].op, (clary_dtype)t, x);
            double v = got.kind == CLARY_SCALAR_FLOAT ? got.re : (double)got.i;
            CHECK_MSG(same(v, cases[i].wanted), "%s(%g, %g) in %s is %g, not %g", cases[i].op,
                      cases[i].x, cases[i].y, clary_dtype_name((clary_dtype)t), v, cases[i].wanted);
        }
    clary_scalar limits[3] = {real(1), real(NAN), real(NAN)};
    CHECK(isnan(apply("clip", CLARY_FLOAT64, limits).re));
    static const float quotients[3][2] = {{-4.4f, -45}, {5.6650004f, 56}, {105.880005f, 1058}};
    for (int i = 0; i < 3; i++) {
        clary_scalar x[2] = {real((double)quotients[i][0]), real((double)0.1f)};
        CHECK(apply("floor_divide", CLARY_FLOAT32, x).re == (double)quotients[i][1]);
    }
    static const struct {
        clary_dtype t;
        double x, toward, next, gap;
    } neighbours[] = {{CLARY_FLOAT16, 1, 2, 1 + 0x1p-10, 0x1p-10},
                      {CLARY_FLOAT16, 0, -1, -0x1p-24, 0x1p-24},
                      {CLARY_FLOAT16, 65504, INFINITY, INFINITY, INFINITY},
                      {CLARY_BFLOAT16, 1, 0, 1 - 0x1p-8, 0x1p-7},
                      {CLARY_BFLOAT16, 0, 1, 0x1p-133, 0x1p-133},
                      {CLARY_FLOAT32, 1, 2, 1 + 0x1p-23, 0x1p-23},
                      {CLARY_FLOAT64, -1, 0, -1 + 0x1p-53, -0x1p-52},
                      {CLARY_FLOAT16, -1, -2, -1 - 0x1p-10, -0x1p-10}};
    for (size_t i = 0; i < sizeof neighbours / sizeof *neighbours; i++) {
        clary_scalar x[2] = {real(neighbours[i].x), real(neighbours[i].toward)};
        CHECK(apply("nextafter", neighbours[i].t, x).re == neighbours[i].next);
        CHECK(apply("spacing", neighbours[i].t, x).re == neighbours[i].gap);
    }
}

/* ---- complex functions against the C library ---- */

static bool close_part(double got, double wanted, double scale) {
    if (wanted != wanted) return got != got;
    if (fabs(wanted) == INFINITY) return fabs(got) == INFINITY; /* some signs are left open */
    return fabs(got - wanted) <= 1e-14 * scale + 1e-320;
}

static void test_complex(void) {
    SECTION("complex");
    static const struct {
        const char *name;
        double complex (*function)(double complex);
    } functions[] = {{"sqrt", csqrt},     {"exp", cexp},       {"log", clog},
                     {"sin", csin},       {"cos", ccos},       {"tan", ctan},
                     {"sinh", csinh},     {"cosh", ccosh},     {"tanh", ctanh},
                     {"arcsin", casin},   {"arccos", cacos},   {"arctan", catan},
                     {"arcsinh", casinh}, {"arccosh", cacosh}, {"arctanh", catanh}};
    static const double special[] = {0.0,      -0.0,      1,   -1,     0.5,   -2,
                                     INFINITY, -INFINITY, NAN, 1e-200, 1e200, 3e-9};
    const int n = sizeof special / sizeof *special;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (int k = 0; k < n * n + 400; k++) {
            double re = k < n * n ? special[k / n] : check_random_real(-4, 4);
            double im = k < n * n ? special[k % n] : check_random_real(-4, 4);
            double complex wanted = functions[f].function(CMPLX(re, im));
            clary_scalar x = pair(re, im), got = apply(functions[f].name, CLARY_COMPLEX128, &x);
            double size = cabs(wanted), near_zero = !(size < INFINITY) ? 1 : size;
            CHECK_MSG(close_part(got.re, creal(wanted), near_zero) &&
                          close_part(got.im, cimag(wanted), near_zero),
                      "%s(%g, %g) is (%.17g, %.17g), not (%.17g, %.17g)", functions[f].name, re, im,
                      got.re, got.im, creal(wanted), cimag(wanted));
        }
    clary_scalar big = pair(1e20, 1e20), small = pair(2.5e-20, -3e-20),
                 root = pair(-1e20, -4988429.2);
    CHECK(fabs(apply("absolute", CLARY_COMPLEX64, &big).re / 1.4142136e20 - 1) < 1e-6);
    CHECK(fabs(apply("absolute", CLARY_COMPLEX64, &small).re / 3.9051248e-20 - 1) < 1e-6);
    clary_scalar r = apply("sqrt", CLARY_COMPLEX128, &root);
    CHECK(fabs(r.re / 0.00024942146 - 1) < 1e-7 && r.im == -1e10);
    clary_scalar far = pair(616.47292, 53.81456);
    r = apply("tanh", CLARY_COMPLEX128, &far);
    CHECK(r.re == 1 && r.im == 0);
    clary_scalar sides[2] = {pair(3, 4), pair(1, -2)};
    r = apply("sign", CLARY_COMPLEX128, sides);
    CHECK(fabs(r.re - 0.6) < 1e-15 && fabs(r.im - 0.8) < 1e-15);
    r = apply("divide", CLARY_COMPLEX128, sides);
    CHECK(r.re == -1 && r.im == 2);
    clary_scalar order[2] = {pair(1, 5), pair(1, -2)};
    CHECK(apply("maximum", CLARY_COMPLEX64, order).im == 5);
    CHECK(apply("greater", CLARY_COMPLEX64, order).i == 1);
}

int main(void) {
    test_dtypes();
    test_halves();
    test_casts();
    test_philox();
    test_integers();
    test_floats();
    test_complex();
    return check_done();
}

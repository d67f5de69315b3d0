/* express.c - OpenCL C for types, operations and casts.
 *
 * Every operation in use becomes a small function around its expression from ops.def. float16 and
 * bfloat16 compute as float and are rounded after each operation and cast.
 */
#include "codegen/spec.h"
#include <string.h>

static const char *const real_type[CLARY_DTYPE_COUNT] = {
    "uchar", "char",   "short",  "int",   "long",   "uchar",  "ushort", "uint",
    "ulong", "ushort", "ushort", "float", "double", "float2", "double2"};

const char *clary__cl_storage(int dtype) {
    return real_type[dtype];
}

const char *clary__cl_compute(int dtype) {
    return clary__is_half((clary_dtype)dtype) ? "float" : real_type[dtype];
}

static const char *suffix(int dtype) {
    return clary__dtype_suffix((clary_dtype)dtype);
}

static char kind(int dtype) {
    return clary_dtype_kind((clary_dtype)dtype);
}

const char *clary__op_name(int op) {
    clary_op_info info;
    return clary_get_op_info((clary_op)op, &info) == CLARY_OK ? info.name : "?";
}

/* ---- library files ---- */

static void define_types(int t, int result, clary__text *out) {
    static const char *const unsigned_of[] = {"uchar", "ushort", "uint", "ulong"};
    static const int digits[] = {11, 8, 24, 53};
    const char *type = clary__cl_compute(t), *u = type;
    clary_dtype d = (clary_dtype)t;
    if (clary__is_signed(d)) u = unsigned_of[d - CLARY_INT8];
    clary__text_add(out, "#define T %s\n#define U %s\n#define R %s\n#define FN(f) f##_%s\n", type,
                    u, clary__cl_compute(result), suffix(t));
    if (clary__is_integer(d)) clary__text_add(out, "#define SIGNED %d\n", clary__is_signed(d));
    if (clary__is_float(d)) clary__text_add(out, "#define DIGITS %d\n", digits[d - CLARY_FLOAT16]);
    if (clary__is_complex(d))
        clary__text_add(out, "#define E %s\n", d == CLARY_COMPLEX64 ? "float" : "double");
}

static void undefine_types(clary__text *out) {
    clary__text_add(
        out, "#undef T\n#undef U\n#undef R\n#undef E\n#undef FN\n#undef SIGNED\n#undef DIGITS\n");
}

void clary__emit_prelude(bool fp64, bool cpu, clary__text *out) {
    if (fp64) clary__text_add(out, "#define CLARY_FP64\n");
    if (!cpu) clary__text_add(out, "#define CLARY_HALF_LOADS\n");
    clary__text_add(out, "%s", clary__cl_file("prelude.cl"));
}

/* The file of helpers that expressions of a kind may call. */
void clary__emit_library(int dtype, clary__text *out) {
    char k = kind(dtype);
    const char *file = k == 'c' ? "complex.cl" : k == 'f' ? "math.cl" : "integer.cl";
    define_types(dtype, dtype, out);
    clary__text_add(out, "%s", clary__cl_file(file));
    undefine_types(out);
}

bool clary__needs_library(int op, int dtype) {
    const char *text = clary__op_expression((clary_op)op, kind(dtype));
    return text && strstr(text, "FN(");
}

void clary__emit_search(int dtype, clary__text *out) {
    define_types(dtype, dtype, out);
    clary__text_add(out, "#define S %s\n", clary__cl_storage(dtype));
    if (clary__is_half((clary_dtype)dtype))
        clary__text_add(out, "#define LOADED(x) clary_%s_to_f32(x)\n", suffix(dtype));
    else
        clary__text_add(out, "#define LOADED(x) (x)\n");
    clary__text_add(out, "%s#undef S\n#undef LOADED\n", clary__cl_file("search.cl"));
    undefine_types(out);
}

/* ---- operations ---- */

/* R <prefix>_<op>_<suffix>(x, y, z), with arguments of these dtypes. */
void clary__emit_operation(const char *prefix, int op, int in, const int *args, int result,
                           clary__text *out) {
    const char *expression = clary__op_expression((clary_op)op, kind(in));
    clary_op_info info;
    clary_get_op_info((clary_op)op, &info);
    define_types(in, result, out);
    clary__text_add(out, "static inline R %s_%s_%s(", prefix, info.name, suffix(in));
    for (int i = 0; i < info.arity; i++)
        clary__text_add(out, "%s%s %c", i ? ", " : "", clary__cl_compute(args[i]), "xyz"[i]);
    if (clary__is_half((clary_dtype)result))
        clary__text_add(out, ")\n{\n    return clary_round_%s(%s);\n}\n", suffix(result),
                        expression);
    else
        clary__text_add(out, ")\n{\n    return %s;\n}\n", expression);
    undefine_types(out);
}

/* ---- casts ---- */

static bool is_whole(int t) {
    return t == CLARY_BOOL || clary__is_integer((clary_dtype)t);
}

/* The text of x, real and of dtype `from`, as dtype `to`, which is real too. */
static void emit_real_cast(int from, int to, const char *x, clary__text *out) {
    int compute = clary__is_half((clary_dtype)from) ? CLARY_FLOAT32 : from;
    if (to == CLARY_BOOL) {
        clary__text_add(out, "(uchar)(%s != 0)", x);
    } else if (clary__is_half((clary_dtype)to)) { /* Note [Round to odd] in prelude.cl */
        const char *inner = compute == CLARY_FLOAT32              ? ""
                            : compute == CLARY_FLOAT64            ? "clary_odd_f32_f64"
                            : clary__is_signed((clary_dtype)from) ? "clary_odd_f32_i64"
                                                                  : "clary_odd_f32_u64";
        clary__text_add(out, "clary_round_%s(%s(%s))", suffix(to), inner, x);
    } else if (clary__is_integer((clary_dtype)to) && !is_whole(from)) {
        clary__text_add(out, "clary_%s_from_%s(%s)", suffix(to), suffix(compute), x);
    } else {
        clary__text_add(out, "(%s)(%s)", clary__cl_compute(to), x);
    }
}

void clary__emit_cast(int from, int to, clary__text *out) {
    clary_dtype f = (clary_dtype)from, t = (clary_dtype)to;
    int from_real = clary__real_of(f), to_real = clary__real_of(t);
    clary__text_add(out, "static inline %s cast_%s_%s(%s x)\n{\n    return ", clary__cl_compute(to),
                    suffix(from), suffix(to), clary__cl_compute(from));
    if (clary__is_complex(f) && to == CLARY_BOOL) {
        clary__text_add(out, "x.x != 0 || x.y != 0");
    } else if (clary__is_complex(t)) {
        clary__text_add(out, "(%s)(", clary__cl_compute(to));
        emit_real_cast(from_real, to_real, clary__is_complex(f) ? "x.x" : "x", out);
        clary__text_add(out, ", ");
        if (clary__is_complex(f))
            emit_real_cast(from_real, to_real, "x.y", out);
        else
            clary__text_add(out, "0");
        clary__text_add(out, ")");
    } else {
        emit_real_cast(from_real, to, clary__is_complex(f) ? "x.x" : "x", out);
    }
    clary__text_add(out, ";\n}\n");
}

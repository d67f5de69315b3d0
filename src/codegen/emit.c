/* emit.c - OpenCL C for instructions: types, operations, casts.
 *
 * Every operation in use becomes a small function around its expression from ops.def, and every
 * instruction one line that calls it, so that a kernel reads like the group it was made from.
 * float16 and bfloat16 compute as float and are rounded after each operation and cast.
 */
#include "codegen/spec.h"
#include <stdio.h>
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

static const char *op_name(int op) {
    clary_op_info info;
    return clary_get_op_info((clary_op)op, &info) == CLARY_OK ? info.name : "?";
}

static int arity(int op) {
    clary_op_info info;
    return clary_get_op_info((clary_op)op, &info) == CLARY_OK ? info.arity : 0;
}

void clary__operand_name(const clary__spec *s, int operand, char name[16]) {
    if (operand < s->ninputs)
        snprintf(name, 16, "in%d", operand);
    else if (operand < s->ninputs + s->noutputs)
        snprintf(name, 16, "out%d", operand - s->ninputs);
    else
        snprintf(name, 16, "index%d", operand - s->ninputs - s->noutputs);
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

/* The file of helpers that expressions of a kind may call. */
static void emit_library(int dtype, clary__text *out) {
    char k = kind(dtype);
    const char *file = k == 'c' ? "complex.cl" : k == 'f' ? "math.cl" : "integer.cl";
    define_types(dtype, dtype, out);
    clary__text_add(out, "%s", clary__cl_file(file));
    undefine_types(out);
}

static bool needs_library(int op, int dtype) {
    const char *text = clary__op_expression((clary_op)op, kind(dtype));
    return text && strstr(text, "FN(");
}

/* ---- operations ---- */

/* R <prefix>_<op>_<suffix>(x, y, z), with arguments of these dtypes. */
static void emit_function(const char *prefix, int op, int in, const int *args, int result,
                          clary__text *out) {
    const char *expression = clary__op_expression((clary_op)op, kind(in));
    define_types(in, result, out);
    clary__text_add(out, "static inline R %s_%s_%s(", prefix, op_name(op), suffix(in));
    for (int i = 0; i < arity(op); i++)
        clary__text_add(out, "%s%s %c", i ? ", " : "", clary__cl_compute(args[i]), "xyz"[i]);
    if (clary__is_half((clary_dtype)result))
        clary__text_add(out, ")\n{\n    return clary_round_%s(%s);\n}\n", suffix(result),
                        expression);
    else
        clary__text_add(out, ")\n{\n    return %s;\n}\n", expression);
    undefine_types(out);
}

static void emit_op(const clary__spec *s, const clary__instr *in, clary__text *out) {
    const int args[] = {s->instr[in->a].dtype, s->instr[in->b].dtype, s->instr[in->c].dtype};
    emit_function("op", in->op, in->in, args, in->dtype, out);
}

/* A step of a reduction, or a question it asks. */
static void emit_combining(int op, int dtype, int result, clary__text *out) {
    const int args[] = {dtype, dtype, dtype};
    emit_function("fold", op, dtype, args, result, out);
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

static void emit_cast(int from, int to, clary__text *out) {
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

/* ---- the head of a kernel ---- */

/* Whether an earlier marked instruction already needed the same function. */
static bool seen_before(const clary__spec *s, const bool *used, int i) {
    const clary__instr *in = &s->instr[i];
    for (int j = 0; j < i; j++) {
        const clary__instr *k = &s->instr[j];
        if (used[j] && k->code == in->code && k->op == in->op && k->in == in->in &&
            k->dtype == in->dtype)
            return true;
    }
    return false;
}

static const char *folding_name(const clary__spec *s) {
    return s->reduce_op == CLARY__ARGMAX   ? "argmax"
           : s->reduce_op == CLARY__ARGMIN ? "argmin"
                                           : op_name(s->reduce_op);
}

/* "add_f32(in0, multiply_f32(in1, scalar1))", cut short when long. */
static void emit_formula(const clary__spec *s, int instr, int depth, clary__text *out) {
    const clary__instr *in = &s->instr[instr];
    if (depth > 5) {
        clary__text_add(out, "v%d", instr);
        return;
    }
    switch ((clary__code)in->code) {
    case CLARY__I_LOAD: clary__text_add(out, "in%d", in->a); break;
    case CLARY__I_SCALAR: clary__text_add(out, "scalar%d", instr); break;
    case CLARY__I_INDEX: clary__text_add(out, "index%d", in->a); break;
    case CLARY__I_RESULT:
        clary__text_add(out, "%s_%s(", folding_name(s), suffix(s->reduce_dtype));
        emit_formula(s, s->reduce_arg, depth + 1, out);
        clary__text_add(out, ")");
        break;
    case CLARY__I_CAST:
        clary__text_add(out, "%s(", suffix(in->dtype));
        emit_formula(s, in->a, depth + 1, out);
        clary__text_add(out, ")");
        break;
    case CLARY__I_OP: {
        const uint16_t args[3] = {in->a, in->b, in->c};
        clary__text_add(out, "%s_%s(", op_name(in->op), suffix(in->in));
        for (int i = 0; i < arity(in->op); i++) {
            if (i) clary__text_add(out, ", ");
            emit_formula(s, args[i], depth + 1, out);
        }
        clary__text_add(out, ")");
        break;
    }
    }
}

static void emit_comment(const clary__spec *s, clary__text *out) {
    for (int i = 0; i < s->noutputs; i++) {
        const clary__spec_operand *o = &s->operands[s->ninputs + i];
        clary__text_add(out, "/* out%d: %s = ", i, clary_dtype_name((clary_dtype)o->dtype));
        emit_formula(s, o->instr, 0, out);
        clary__text_add(out, " */\n");
    }
    for (int i = 0; i < s->ninputs; i++)
        clary__text_add(out, "/* in%d: %s */\n", i,
                        clary_dtype_name((clary_dtype)s->operands[i].dtype));
}

static void emit_types(const clary__spec *s, clary__text *out) {
    if (s->cpu)
        clary__text_add(
            out,
            "#ifdef __clang__\n#pragma clang diagnostic ignored \"-Wpass-failed\" /* it is only a "
            "wish */\n#define VECTORIZE _Pragma(\"clang loop vectorize(assume_safety)\")\n"
            "#else\n#define VECTORIZE\n#endif\n");
    clary__text_add(out,
                    "typedef %s linear; /* counts points */\ntypedef %s offset; /* counts elements "
                    "of memory */\n",
                    s->wide ? "ulong" : "uint", s->wide ? "long" : "int");
    clary__params_text(s, out);
    if (s->indirect)
        clary__text_add(out, "typedef const __global params *params_ref;\n"
                             "#define PARAMS const __global params *params_\n#define P params_\n");
    else
        clary__text_add(out, "typedef const params *params_ref;\n"
                             "#define PARAMS const params params_\n#define P (&params_)\n");
}

void clary__emit_head(const clary__spec *s, const bool *used, clary__text *out) {
    bool library[CLARY_DTYPE_COUNT] = {false};
    char name[64];
    emit_comment(s, out);
    clary__kernel_name(s, name);
    if (s->fp64) clary__text_add(out, "#define CLARY_FP64\n");
    if (!s->cpu) clary__text_add(out, "#define CLARY_HALF_LOADS\n");
    clary__text_add(out, "%s", clary__cl_file("prelude.cl"));
    clary__text_add(out,
                    "\n#define ENTRY %s\n#define CPU %d\n#define GROUP %d\n#define PACK "
                    "%d\n#define UNROLL %d\n",
                    name, s->cpu, CLARY__GROUP_SIZE, s->pack, s->unroll);
    emit_types(s, out);
    for (int i = 0; i < s->ninstr; i++) {
        const clary__instr *in = &s->instr[i];
        if (!used[i] || in->code != CLARY__I_OP || library[in->in] ||
            !needs_library(in->op, in->in))
            continue;
        emit_library(in->in, out);
        library[in->in] = true;
    }
    if (s->kernel != CLARY__K_MAP) {
        int t = s->reduce_dtype;
        bool arg = clary__is_arg(s);
        if (!library[t] && (arg ? kind(t) == 'c' : needs_library(s->reduce_op, t)))
            emit_library(t, out);
        if (arg) {
            emit_combining(CLARY_OP_isnan, t, CLARY_BOOL, out);
            emit_combining(CLARY_OP_equal, t, CLARY_BOOL, out);
            emit_combining(s->reduce_op == CLARY__ARGMAX ? CLARY_OP_greater : CLARY_OP_less, t,
                           CLARY_BOOL, out);
        } else {
            emit_combining(s->reduce_op, t, t, out);
        }
    }
    for (int i = 0; i < s->ninstr; i++) {
        const clary__instr *in = &s->instr[i];
        if (!used[i] || seen_before(s, used, i)) continue;
        if (in->code == CLARY__I_OP) emit_op(s, in, out);
        if (in->code == CLARY__I_CAST) emit_cast(in->in, in->dtype, out);
    }
    clary__text_add(out, "\n");
}

void clary__kernel_name(const clary__spec *s, char name[64]) {
    const clary__instr *last = &s->instr[s->operands[s->ninputs].instr];
    static const char *const pattern[] = {[CLARY__K_MAP] = "map",
                                          [CLARY__K_REDUCE] = "reduce",
                                          [CLARY__K_SCAN_STREAM] = "scan",
                                          [CLARY__K_SCAN_TILES] = "scan_tiles",
                                          [CLARY__K_SCAN_TOTALS] = "scan_totals"};
    const char *what;
    int t = s->kernel != CLARY__K_MAP   ? s->reduce_dtype
            : last->code == CLARY__I_OP ? last->in
                                        : last->dtype;
    if (s->kernel != CLARY__K_MAP)
        what = folding_name(s);
    else
        what = last->code == CLARY__I_OP     ? op_name(last->op)
               : last->code == CLARY__I_CAST ? "cast"
               : last->code == CLARY__I_LOAD ? "copy"
                                             : "fill";
    snprintf(name, 64, "%s_%s%s_%s", pattern[s->kernel], s->staged ? "stage_" : "", what,
             suffix(t));
}

/* ---- instructions ---- */

static void emit_scalar(int i, int dtype, clary__text *out) {
    switch ((clary_dtype)dtype) {
    case CLARY_FLOAT16:
    case CLARY_BFLOAT16:
        clary__text_add(out, "clary_%s_to_f32((ushort)p->scalar%d)", suffix(dtype), i);
        break;
    case CLARY_FLOAT32: clary__text_add(out, "as_float((uint)p->scalar%d)", i); break;
    case CLARY_FLOAT64: clary__text_add(out, "as_double(p->scalar%d)", i); break;
    case CLARY_COMPLEX64:
        clary__text_add(
            out, "(float2)(as_float((uint)p->scalar%d), as_float((uint)(p->scalar%d >> 32)))", i,
            i);
        break;
    case CLARY_COMPLEX128:
        clary__text_add(out, "(double2)(as_double(p->scalar%d), as_double(p->scalar%d_im))", i, i);
        break;
    default: clary__text_add(out, "(%s)p->scalar%d", clary__cl_compute(dtype), i); break;
    }
}

static void emit_value(const clary__spec *s, int i, clary__text *out) {
    const clary__instr *in = &s->instr[i];
    switch ((clary__code)in->code) {
    case CLARY__I_LOAD:
        if (clary__is_half((clary_dtype)in->dtype))
            clary__text_add(out, "clary_%s_to_f32(in%d)", suffix(in->dtype), in->a);
        else
            clary__text_add(out, "in%d", in->a);
        break;
    case CLARY__I_SCALAR: emit_scalar(i, in->dtype, out); break;
    case CLARY__I_INDEX: clary__text_add(out, "index%d", in->a); break;
    case CLARY__I_CAST:
        clary__text_add(out, "cast_%s_%s(v%d)", suffix(in->in), suffix(in->dtype), in->a);
        break;
    case CLARY__I_RESULT:
        clary__text_add(out, clary__is_arg(s) ? "(long)result.index" : "result");
        break;
    case CLARY__I_OP: {
        const uint16_t args[3] = {in->a, in->b, in->c};
        clary__text_add(out, "op_%s_%s(", op_name(in->op), suffix(in->in));
        for (int n = 0; n < arity(in->op); n++)
            clary__text_add(out, "%sv%d", n ? ", " : "", args[n]);
        clary__text_add(out, ")");
        break;
    }
    }
}

void clary__emit_values(const clary__spec *s, const bool *used, clary__text *out) {
    for (int i = 0; i < s->ninstr; i++) {
        if (!used[i]) continue;
        clary__text_add(out, "    const %s v%d = ", clary__cl_compute(s->instr[i].dtype), i);
        emit_value(s, i, out);
        clary__text_add(out, ";\n");
    }
}

void clary__emit_stored(const clary__spec *s, int instr, clary__text *out) {
    int t = s->instr[instr].dtype;
    if (clary__is_half((clary_dtype)t))
        clary__text_add(out, "clary_f32_to_%s(v%d)", suffix(t), instr);
    else
        clary__text_add(out, "v%d", instr);
}

/* ---- reductions ---- */

/* `acc`: what is combined; fold(a, b): one step. Of two candidates an arg-reduction takes NaN, then the
 * better value, then the earlier index. */
void clary__emit_acc(const clary__spec *s, clary__text *out) {
    const char *type = clary__cl_compute(s->reduce_dtype), *t = suffix(s->reduce_dtype);
    if (!clary__is_arg(s)) {
        clary__text_add(out,
                        "typedef %s acc;\nstatic inline acc fold(acc x, acc y)\n{\n    return "
                        "fold_%s_%s(x, y);\n}\n\n",
                        type, op_name(s->reduce_op), t);
        return;
    }
    const char *better = s->reduce_op == CLARY__ARGMAX ? "greater" : "less";
    clary__text_add(
        out,
        "typedef struct acc {\n    %s value;\n    linear index;\n} acc;\n"
        "static inline acc fold(acc x, acc y)\n{\n"
        "    const int x_nan = fold_isnan_%s(x.value), y_nan = fold_isnan_%s(y.value);\n"
        "    const int same = (x_nan && y_nan) || fold_equal_%s(x.value, y.value);\n"
        "    const int first = same ? x.index < y.index\n"
        "                           : x_nan || (!y_nan && fold_%s_%s(x.value, y.value));\n"
        "    acc z;\n    z.value = first ? x.value : y.value;\n"
        "    z.index = first ? x.index : y.index;\n    return z;\n}\n\n",
        type, t, t, t, better, t);
}

void clary__emit_acc_value(const clary__spec *s, clary__text *out) {
    bool used[CLARY__MAX_INSTR];
    clary__mark_inner(s, used);
    clary__text_add(out, "static inline acc value(params_ref p");
    clary__emit_declared(s, clary__operands_of(s, used), out);
    clary__text_add(out, ", const linear k)\n{\n");
    clary__emit_values(s, used, out);
    if (clary__is_arg(s))
        clary__text_add(out,
                        "    acc a;\n    a.value = v%d;\n    a.index = k;\n    return a;\n}\n\n",
                        s->reduce_arg);
    else
        clary__text_add(out, "    return v%d;\n}\n\n", s->reduce_arg);
}

/* emit.c - OpenCL C for instructions, and the head of every kernel.
 *
 * Every operation in use becomes a small function (express.c), and every instruction one line that
 * calls it, so that a kernel reads like the group it was made from.
 */
#include "codegen/spec.h"
#include <stdio.h>
#include <string.h>

static const char *suffix(int dtype) {
    return clary__dtype_suffix((clary_dtype)dtype);
}

void clary__operand_name(const clary__spec *s, int operand, char name[16]) {
    if (operand < s->ninputs)
        snprintf(name, 16, "in%d", operand);
    else if (operand < s->ninputs + s->noutputs)
        snprintf(name, 16, "out%d", operand - s->ninputs);
    else
        snprintf(name, 16, "index%d", operand - s->ninputs - s->noutputs);
}

/* ---- the head of a kernel ---- */

static void emit_op(const clary__spec *s, const clary__instr *in, clary__text *out) {
    const int args[] = {s->instr[in->a].dtype, s->instr[in->b].dtype, s->instr[in->c].dtype};
    clary__emit_operation("op", in->op, in->in, args, in->dtype, out);
}

/* A step of a reduction, or a question it asks. */
static void emit_combining(int op, int dtype, int result, clary__text *out) {
    const int args[] = {dtype, dtype, dtype};
    clary__emit_operation("fold", op, dtype, args, result, out);
}

/* Whether an earlier marked instruction already needed the same function. */
static bool seen_before(const clary__spec *s, const bool *used, int i) {
    const clary__instr *in = &s->instr[i];
    for (int j = 0; j < i; j++) {
        const clary__instr *k = &s->instr[j];
        if (!used[j] || k->code != in->code) continue;
        if (in->code == CLARY__I_CHECK) return true;
        if (k->in == in->in && k->dtype == in->dtype &&
            (k->op == in->op || in->code == CLARY__I_SEARCH))
            return true;
    }
    return false;
}

static const char *folding_name(const clary__spec *s) {
    return s->reduce_op == CLARY__ARGMAX   ? "argmax"
           : s->reduce_op == CLARY__ARGMIN ? "argmin"
                                           : clary__op_name(s->reduce_op);
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
        if (s->kernel == CLARY__K_PRODUCT) {
            clary__text_add(out, "product_%s(x, y)", suffix(s->reduce_dtype));
            break;
        }
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
        clary__text_add(out, "%s_%s(", clary__op_name(in->op), suffix(in->in));
        for (int i = 0; i < clary__instr_arity(in); i++) {
            if (i) clary__text_add(out, ", ");
            emit_formula(s, args[i], depth + 1, out);
        }
        clary__text_add(out, ")");
        break;
    }
    case CLARY__I_CHECK:
    case CLARY__I_SEARCH:
        clary__text_add(out, in->code == CLARY__I_CHECK ? "check(" : "search(in%d, ", in->c);
        emit_formula(s, in->a, depth + 1, out);
        clary__text_add(out, ")");
        break;
    case CLARY__I_GATHER:
        clary__text_add(out, "in%d[", in->c);
        emit_formula(s, in->a, depth + 1, out);
        clary__text_add(out, "]");
        break;
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
    clary__emit_prelude(s->fp64, s->cpu, out);
    clary__text_add(out,
                    "\n#define ENTRY %s\n#define CPU %d\n#define GROUP %d\n#define PACK "
                    "%d\n#define UNROLL %d\n",
                    name, s->cpu, CLARY__GROUP_SIZE, s->pack, s->unroll);
    emit_types(s, out);
    for (int i = 0; i < s->ninstr; i++) {
        const clary__instr *in = &s->instr[i];
        if (!used[i] || in->code != CLARY__I_OP || library[in->in] ||
            !clary__needs_library(in->op, in->in))
            continue;
        clary__emit_library(in->in, out);
        library[in->in] = true;
    }
    if (s->kernel != CLARY__K_MAP && s->kernel != CLARY__K_PRODUCT) {
        int t = s->reduce_dtype;
        bool arg = clary__is_arg(s);
        if (!library[t] &&
            (arg ? clary__is_complex((clary_dtype)t) : clary__needs_library(s->reduce_op, t)))
            clary__emit_library(t, out);
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
        if (in->code == CLARY__I_CAST) clary__emit_cast(in->in, in->dtype, out);
        if (in->code == CLARY__I_SEARCH) clary__emit_search(in->in, out);
        if (in->code == CLARY__I_CHECK) clary__text_add(out, "%s", clary__cl_file("check.cl"));
    }
    clary__text_add(out, "\n");
}

void clary__kernel_name(const clary__spec *s, char name[64]) {
    const clary__instr *last = &s->instr[s->operands[s->ninputs].instr];
    static const char *const pattern[] = {[CLARY__K_MAP] = "map",
                                          [CLARY__K_REDUCE] = "reduce",
                                          [CLARY__K_SCAN_STREAM] = "scan",
                                          [CLARY__K_SCAN_TILES] = "scan_tiles",
                                          [CLARY__K_SCAN_TOTALS] = "scan_totals",
                                          [CLARY__K_PRODUCT] = "product"};
    const char *what;
    int t = s->kernel != CLARY__K_MAP                                    ? s->reduce_dtype
            : last->code == CLARY__I_OP || last->code == CLARY__I_SEARCH ? last->in
                                                                         : last->dtype;
    if (s->kernel == CLARY__K_PRODUCT)
        what = "tiles";
    else if (s->kernel != CLARY__K_MAP)
        what = folding_name(s);
    else
        what = last->code == CLARY__I_OP       ? clary__op_name(last->op)
               : last->code == CLARY__I_CAST   ? "cast"
               : last->code == CLARY__I_LOAD   ? "copy"
               : last->code == CLARY__I_GATHER ? "gather"
               : last->code == CLARY__I_SEARCH ? "search"
               : last->code == CLARY__I_CHECK  ? "check"
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

/* The function that makes a number of a stored element, if there must be one. */
static void emit_element(int dtype, clary__text *out) {
    if (clary__is_half((clary_dtype)dtype)) clary__text_add(out, "clary_%s_to_f32", suffix(dtype));
}

static void emit_value(const clary__spec *s, int i, clary__text *out) {
    const clary__instr *in = &s->instr[i];
    switch ((clary__code)in->code) {
    case CLARY__I_LOAD:
        emit_element(in->dtype, out);
        clary__text_add(out, "(in%d)", in->a);
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
        clary__text_add(out, "op_%s_%s(", clary__op_name(in->op), suffix(in->in));
        for (int n = 0; n < clary__instr_arity(in); n++)
            clary__text_add(out, "%sv%d", n ? ", " : "", args[n]);
        clary__text_add(out, ")");
        break;
    }
    case CLARY__I_CHECK:
        clary__text_add(out, "clary_check(fault, v%d, v%d, v%d, %d)", in->a, in->b, in->c,
                        in->op ? -1 : 0);
        break;
    case CLARY__I_GATHER:
        emit_element(in->dtype, out);
        clary__text_add(out, "(in%d[p->in%d_at + v%d])", in->c, in->c, in->a);
        break;
    case CLARY__I_SEARCH:
        clary__text_add(out, "search_%s(in%d + p->in%d_at, v%d, v%d, %d)", suffix(in->in), in->c,
                        in->c, in->b, in->a, in->op);
        break;
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
                        type, clary__op_name(s->reduce_op), t);
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

/* ops.c - what ops.def says, at run time: facts, expression texts, identities, and the dtype rules.
 *
 * The table is expanded once into `rows`; everything below looks things up in it.
 */
#include "graph/group.h"
#include <math.h>
#include <string.h>

typedef enum rule {
    SAME,
    FLOAT,
    DIVIDE,
    TEST,
    REAL,
    F_INT32,
    F_SHIFT,
    COUNT8,
    SELECT,
    FLOAT64,
    BITS
} rule;
typedef enum identity { NONE, ZERO, ONE, ONES, NEGINF } identity;

typedef struct row {
    const char *name, *doc, *rule_name, *kinds, *domain;
    const char *text[5]; /* in the order of all_kinds */
    rule rule;
    identity identity;
    int arity, ulp;
} row;

static const char all_kinds[] = "biufc";

static const row rows[CLARY_OP_COUNT] = {
#define CLARY_OP(name, arity, rule, kinds, identity, ulp, domain, b, i, u, f, c, doc)              \
    {#name, doc, #rule, kinds, #domain, {#b, #i, #u, #f, #c}, rule, identity, arity, ulp},
#include "clary/ops.def"
#undef CLARY_OP
};

/* ---- facts ---- */

/* Whether the order in which it combines does not matter (but for rounding): reductions and scans group
 * as they like. */
static bool is_associative(clary_op op) {
    static const clary_op known[] = {
        CLARY_OP_add,         CLARY_OP_multiply,    CLARY_OP_gcd,         CLARY_OP_lcm,
        CLARY_OP_hypot,       CLARY_OP_logaddexp,   CLARY_OP_logaddexp2,  CLARY_OP_bitwise_and,
        CLARY_OP_bitwise_or,  CLARY_OP_bitwise_xor, CLARY_OP_logical_and, CLARY_OP_logical_or,
        CLARY_OP_logical_xor, CLARY_OP_maximum,     CLARY_OP_minimum,     CLARY_OP_fmax,
        CLARY_OP_fmin};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == op) return true;
    return false;
}

clary_status clary_get_op_info(clary_op op, clary_op_info *out) {
    FAIL_IF((unsigned)op >= CLARY_OP_COUNT, CLARY_INVALID_ARGUMENT,
            "op_info: no operation has number %d", (int)op);
    const row *r = &rows[op];
    const char *kinds = r->kinds[0] == '-' ? r->kinds + 1 : r->kinds;
    *out = (clary_op_info){r->name,           r->doc,   r->rule_name, kinds,
                           r->domain,         r->arity, r->ulp,       r->identity != NONE,
                           is_associative(op)};
    return CLARY_OK;
}

int clary__instr_arity(const clary__instr *instr) {
    switch ((clary__code)instr->code) {
    case CLARY__I_OP: return rows[instr->op].arity;
    case CLARY__I_CHECK: return 3;
    case CLARY__I_SEARCH: return 2;
    case CLARY__I_CAST:
    case CLARY__I_GATHER: return 1;
    default: return 0;
    }
}

clary_status clary_find_op(const char *name, clary_op *out) {
    for (int op = 0; name && op < CLARY_OP_COUNT; op++)
        if (strcmp(rows[op].name, name) == 0) {
            *out = (clary_op)op;
            return CLARY_OK;
        }
    return clary__fail(CLARY_INVALID_ARGUMENT, "there is no element-wise operation named '%s'",
                       name ? name : "(null)");
}

const char *clary__op_expression(clary_op op, char kind) {
    const char *at = kind ? strchr(all_kinds, kind) : NULL;
    if ((unsigned)op >= CLARY_OP_COUNT || !at) return NULL;
    const char *text = rows[op].text[at - all_kinds];
    return strcmp(text, "NA") == 0 ? NULL : text;
}

bool clary__op_identity(clary_op op, clary_dtype t, void *out) {
    clary_scalar s = {.kind = CLARY_SCALAR_INT};
    switch (rows[op].identity) {
    case NONE: return false;
    case ZERO: break;
    case ONE: s.i = 1; break;
    case ONES: s.i = -1; break;
    case NEGINF: s.kind = CLARY_SCALAR_FLOAT, s.re = -INFINITY; break;
    }
    clary__scalar_store(s, t, out);
    return true;
}

/* ---- dtypes ---- */

/* NumPy's smallest float that holds the integers of t. */
static clary_dtype float_for(clary_dtype t) {
    size_t bytes = clary_dtype_size(t);
    return bytes == 1 ? CLARY_FLOAT16 : bytes == 2 ? CLARY_FLOAT32 : CLARY_FLOAT64;
}

static clary_dtype complex_for(clary_dtype t) {
    if (clary__is_complex(t)) return t;
    return clary__is_half(t) || t == CLARY_FLOAT32 ? CLARY_COMPLEX64 : CLARY_COMPLEX128;
}

/* What a dtype becomes when it meets a weak scalar of the kind (NEP 50). */
static clary_dtype meet_weak(clary_dtype t, char kind) {
    bool integral = t == CLARY_BOOL || clary__is_integer(t);
    switch (kind) {
    case 'b': return t;
    case 'f': return integral ? CLARY_FLOAT64 : t;
    case 'c': return complex_for(t);
    default: return t == CLARY_BOOL ? CLARY_INT64 : t;
    }
}

static clary_dtype weak_default(char kind) {
    return kind == 'b'   ? CLARY_BOOL
           : kind == 'f' ? CLARY_FLOAT64
           : kind == 'c' ? CLARY_COMPLEX128
                         : CLARY_INT64;
}

/* The dtype in which `count` inputs meet. */
static clary_dtype meet(int count, const clary_dtype *inputs, const bool *weak) {
    bool strong = false;
    clary_dtype t = CLARY_BOOL;
    for (int i = 0; i < count; i++)
        if (!weak || !weak[i]) t = strong ? clary_promote(t, inputs[i]) : inputs[i], strong = true;
    for (int i = 0; i < count; i++)
        if (weak && weak[i]) {
            char kind = clary_dtype_kind(inputs[i]);
            t = strong ? meet_weak(t, kind) : clary_promote(t, weak_default(kind));
        }
    return t;
}

/* The float that bool and integer inputs of a float operation compute in: the first in which all of
 * them are exact by NumPy's table, which is not that of the integer they would meet in. A weak int
 * counts only where no other integer does. */
static clary_dtype float_of_inputs(const row *r, const clary_dtype *inputs, const bool *weak) {
    if (r->rule == DIVIDE) return CLARY_FLOAT64;
    clary_dtype t = CLARY_FLOAT16;
    int count = r->rule == F_SHIFT ? 1 : r->arity;
    bool weak_int = false, strong_int = false;
    for (int i = 0; i < count; i++) {
        bool is_weak = weak && weak[i], is_int = inputs[i] != CLARY_BOOL;
        *(is_weak ? &weak_int : &strong_int) |= is_int;
        if (!is_weak) t = clary_promote(t, float_for(inputs[i]));
    }
    return weak_int && !strong_int ? CLARY_FLOAT64 : t;
}

/* Moves t to the nearest dtype whose kind the row computes in; false if there is none. */
static bool adapt(const row *r, const clary_dtype *inputs, const bool *weak, clary_dtype *t) {
    const char *kinds = r->kinds;
    char kind = clary_dtype_kind(*t);
    if (strchr(kinds, kind)) return true;
    if (kind == 'f' || kind == 'c' || (kind == 'b' && kinds[0] == '-')) return false;
    if (kind == 'b' && strchr(kinds, 'i')) {
        *t = CLARY_INT8;
        return true;
    }
    if (!strchr(kinds, 'f')) return false;
    *t = float_of_inputs(r, inputs, weak);
    return true;
}

static const char *input_name(clary_dtype t, bool weak) {
    if (!weak) return clary_dtype_name(t);
    switch (clary_dtype_kind(t)) {
    case 'b': return "weak bool";
    case 'f': return "weak float";
    case 'c': return "weak complex";
    default: return "weak int";
    }
}

static clary_status no_loop(const row *r, const clary_dtype *inputs, const bool *weak) {
    char text[128] = "";
    for (int i = 0; i < r->arity; i++) {
        if (i) strcat(text, ", ");
        strcat(text, input_name(inputs[i], weak && weak[i]));
    }
    return clary__fail(CLARY_DTYPE_MISMATCH, "%s: no loop for %s", r->name, text);
}

clary_status clary_op_dtypes(clary_op op, const clary_dtype *inputs, const bool *weak,
                             clary_dtype *compute, clary_dtype *result) {
    FAIL_IF((unsigned)op >= CLARY_OP_COUNT, CLARY_INVALID_ARGUMENT,
            "op_dtypes: no operation has number %d", (int)op);
    const row *r = &rows[op];
    for (int i = 0; i < r->arity; i++)
        FAIL_IF((unsigned)inputs[i] >= CLARY_DTYPE_COUNT, CLARY_INVALID_ARGUMENT,
                "%s: argument %d has dtype number %d, which does not exist", r->name, i + 1,
                (int)inputs[i]);

    clary_dtype t;
    switch (r->rule) {
    case F_SHIFT:
        if (inputs[1] != CLARY_BOOL && !clary__is_integer(inputs[1]))
            return no_loop(r, inputs, weak);
        t = meet(1, inputs, weak);
        break;
    case SELECT: t = meet(2, inputs + 1, weak ? weak + 1 : NULL); break;
    case FLOAT64:
        t = clary__is_complex(meet(r->arity, inputs, weak)) ? CLARY_COMPLEX128 : CLARY_FLOAT64;
        break;
    case BITS:
        for (int i = 0; i < r->arity; i++)
            if (!clary__is_integer(inputs[i])) return no_loop(r, inputs, weak);
        t = CLARY_UINT64;
        break;
    default: t = meet(r->arity, inputs, weak);
    }
    if (!adapt(r, inputs, weak, &t)) return no_loop(r, inputs, weak);

    *compute = t;
    switch (r->rule) {
    case TEST: *result = CLARY_BOOL; break;
    case REAL: *result = clary__real_of(t); break;
    case F_INT32: *result = CLARY_INT32; break;
    case COUNT8: *result = CLARY_UINT8; break;
    case BITS: *result = CLARY_UINT32; break;
    default: *result = t;
    }
    return CLARY_OK;
}

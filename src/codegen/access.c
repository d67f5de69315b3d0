/* access.c - OpenCL C for reaching operands: buffers, places, loads and stores of elements and packs.
 *
 * A `place` holds where each operand stands for one point, or for the first point of a pack. Places
 * are found once per pack; neighbours in the pack are reached by constants.
 */
#include "codegen/spec.h"
#include <stdio.h>

static bool has(uint64_t which, int operand) {
    return which >> operand & 1;
}

static bool is_random(const clary__spec *s, int operand) {
    return s->operands[operand].access == CLARY__RANDOM;
}

void clary__emit_buffers(const clary__spec *s, const char *declared, const char *passed,
                         clary__text *out) {
    const char *restricted = s->in_place ? "" : " restrict";
    clary__text_add(out, "#define BUFFERS %s%s", s->faults ? "__global long *fault, " : "",
                    declared);
    for (int i = 0; i < s->ninputs + s->noutputs; i++) {
        char name[16];
        clary__operand_name(s, i, name);
        clary__text_add(out, "%s%s__global %s *%s %s", i || *declared ? ", " : "",
                        i < s->ninputs ? "const " : "", clary__cl_storage(s->operands[i].dtype),
                        restricted, name);
    }
    clary__text_add(out, "\n#define PASS %s%s", s->faults ? "fault, " : "", passed);
    for (int i = 0; i < s->ninputs + s->noutputs; i++) {
        char name[16];
        clary__operand_name(s, i, name);
        clary__text_add(out, "%s%s", i || *passed ? ", " : "", name);
    }
    clary__text_add(out, "\n");
}

void clary__emit_place(const clary__spec *s, clary__text *out) {
    clary__text_add(out, "typedef struct place { /* where each operand stands */\n");
    for (int i = 0; i < clary__noperands(s); i++) {
        char name[16];
        if (is_random(s, i)) continue;
        clary__operand_name(s, i, name);
        clary__text_add(out, "    %s %s;\n", clary__is_memory(s, i) ? "offset" : "long", name);
    }
    clary__text_add(out, "    linear inner; /* coordinate along the last dim */\n");
    if (s->staged) clary__text_add(out, "    linear row; /* first value of the earlier stage */\n");
    clary__text_add(out, "} place;\n\n");
}

/* at.NAME += coordinate * stride, where the stride is not 0. */
static void emit_move(const clary__spec *s, int operand, int dim, const char *coordinate,
                      clary__text *out) {
    int access = dim == s->packdim ? s->operands[operand].access : CLARY__STEP;
    if (access == CLARY__HOLD || is_random(s, operand)) return;
    char name[16];
    clary__operand_name(s, operand, name);
    const char *type = clary__is_memory(s, operand) ? "offset" : "long";
    clary__text_add(out, "    at.%s += (%s)%s", name, type, coordinate);
    if (access == CLARY__STEP) clary__text_add(out, " * p->%s_s%d", name, dim);
    clary__text_add(out, ";\n");
}

void clary__emit_locate(const clary__spec *s, const char *name, int from, int to, uint64_t which,
                        bool begin, clary__text *out) {
    clary__text_add(out, "static inline place %s(params_ref p, %slinear i)\n{\n", name,
                    begin ? "" : "place at, ");
    if (begin) clary__text_add(out, "    place at;\n");
    for (int i = 0; begin && i < clary__noperands(s); i++) {
        char operand[16];
        clary__operand_name(s, i, operand);
        if (has(which, i) && !is_random(s, i))
            clary__text_add(out, "    at.%s = p->%s_at;\n", operand, operand);
    }
    if (s->staged) clary__text_add(out, "    at.row = i * p->length;\n");
    if (to == from) clary__text_add(out, "    at.inner = i;\n");
    for (int d = to - 1; d >= from; d--) {
        char coordinate[16] = "i";
        if (d > from) {
            snprintf(coordinate, sizeof coordinate, "c%d", d);
            if (s->wide)
                clary__text_add(out, "    const linear q%d = i / p->n%d", d, d);
            else
                clary__text_add(out, "    const linear q%d = mul_hi(i, p->n%d_mul) >> p->n%d_shift",
                                d, d, d);
            clary__text_add(out, ", c%d = i - q%d * p->n%d;\n", d, d, d);
        }
        if (d == to - 1) clary__text_add(out, "    at.inner = %s;\n", coordinate);
        for (int i = 0; i < clary__noperands(s); i++)
            if (has(which, i)) emit_move(s, i, d, coordinate, out);
        if (d > from) clary__text_add(out, "    i = q%d;\n", d);
    }
    clary__text_add(out, "    return at;\n}\n\n");
}

/* ---- packs ---- */

/* Functions that move a pack of one dtype with one access. */
static void emit_movers(const clary__spec *s, int dtype, clary__text *out) {
    static const char *const real[] = {[CLARY_COMPLEX64] = "float", [CLARY_COMPLEX128] = "double"};
    bool pair = clary__is_complex((clary_dtype)dtype);
    const char *type = clary__cl_storage(dtype), *suffix = clary__dtype_suffix((clary_dtype)dtype);
    const char *base = pair ? real[dtype] : type;
    int width = s->pack * (pair ? 2 : 1);
    clary__text_add(out, "static inline void load_pack_%s(const __global %s *from, %s *to)\n{\n",
                    suffix, type, type);
    clary__text_add(out, "    const %s%d v = *(const __global %s%d *)from;\n   ", base, width, base,
                    width);
    for (int e = 0; e < s->pack; e++)
        clary__text_add(out, pair ? " to[%d] = v.s%x%x;" : " to[%d] = v.s%x;", e, pair ? 2 * e : e,
                        2 * e + 1);
    clary__text_add(out,
                    "\n}\nstatic inline void store_pack_%s(__global %s *to, const %s *from)\n{\n",
                    suffix, type, type);
    clary__text_add(out, "    *(__global %s%d *)to = (%s%d)(", base, width, base, width);
    for (int e = 0; e < s->pack; e++) clary__text_add(out, "%sfrom[%d]", e ? ", " : "", e);
    clary__text_add(out, ");\n}\n");
}

static bool is_packed(const clary__spec *s, int operand) {
    return s->pack > 1 && s->operands[operand].access == CLARY__UNIT;
}

void clary__emit_fetch(const clary__spec *s, uint64_t which, clary__text *out) {
    bool done[CLARY_DTYPE_COUNT] = {false};
    for (int i = 0; i < s->ninputs + s->noutputs; i++) {
        int dtype = s->operands[i].dtype;
        if (!has(which, i) || !is_packed(s, i) || done[dtype]) continue;
        emit_movers(s, dtype, out);
        done[dtype] = true;
    }
    clary__text_add(out, "typedef struct fetched { /* operands of a pack */\n");
    int count = 0;
    for (int i = 0; i < s->ninputs; i++) {
        if (!has(which, i) || is_random(s, i)) continue;
        int elements = s->operands[i].access == CLARY__HOLD ? 1 : s->pack;
        clary__text_add(out, "    %s in%d[%d];\n", clary__cl_storage(s->operands[i].dtype), i,
                        elements);
        count++;
    }
    if (!count) clary__text_add(out, "    int nothing;\n");
    clary__text_add(out, "} fetched;\n\nstatic inline void fetch(BUFFERS, params_ref p, place at, "
                         "fetched *to)\n{\n");
    for (int i = 0; i < s->ninputs; i++) {
        if (!has(which, i) || is_random(s, i)) continue;
        if (is_packed(s, i))
            clary__text_add(out, "    load_pack_%s(in%d + at.in%d, to->in%d);\n",
                            clary__dtype_suffix((clary_dtype)s->operands[i].dtype), i, i, i);
        else if (s->pack == 1 || s->operands[i].access == CLARY__HOLD)
            clary__text_add(out, "    to->in%d[0] = in%d[at.in%d];\n", i, i, i);
        else
            clary__text_add(out,
                            "    #pragma unroll\n    for (int e = 0; e < PACK; ++e)"
                            " to->in%d[e] = in%d[at.in%d + e * p->in%d_s%d];\n",
                            i, i, i, i, s->packdim);
    }
    clary__text_add(out, "}\n\n");
}

void clary__emit_declared(const clary__spec *s, uint64_t which, clary__text *out) {
    for (int i = 0; i < clary__noperands(s); i++) {
        char name[16];
        clary__operand_name(s, i, name);
        if (!has(which, i) || (i >= s->ninputs && clary__is_memory(s, i))) continue;
        clary__text_add(out, is_random(s, i) ? ", const __global %s *%s" : ", const %s %s",
                        clary__is_memory(s, i) ? clary__cl_storage(s->operands[i].dtype) : "long",
                        name);
    }
    if (has(which, CLARY__FAULTS)) clary__text_add(out, ", __global long *fault");
}

void clary__emit_passed(const clary__spec *s, uint64_t which, clary__pass how, clary__text *out) {
    for (int i = 0; i < clary__noperands(s); i++) {
        char name[16];
        clary__operand_name(s, i, name);
        if (!has(which, i) || (i >= s->ninputs && clary__is_memory(s, i))) continue;
        int access = s->operands[i].access;
        clary__text_add(out, ", ");
        if (is_random(s, i)) {
            clary__text_add(out, "%s", name);
        } else if (!clary__is_memory(s, i)) {
            clary__text_add(out, "at.%s", name);
            if (how != CLARY__PASS_POINT && access == CLARY__STEP)
                clary__text_add(out, " + (long)e * p->%s_s%d", name, s->packdim);
        } else if (how == CLARY__PASS_PACK) {
            clary__text_add(out, "in->%s[%s]", name, access == CLARY__HOLD ? "0" : "e");
        } else {
            clary__text_add(out, "%s[at.%s", name, name);
            if (how == CLARY__PASS_RUN && access == CLARY__UNIT) clary__text_add(out, " + e");
            if (how == CLARY__PASS_RUN && access == CLARY__STEP)
                clary__text_add(out, " + (offset)e * p->%s_s%d", name, s->packdim);
            clary__text_add(out, "]");
        }
    }
    if (has(which, CLARY__FAULTS)) clary__text_add(out, ", fault");
}

void clary__emit_compute(const clary__spec *s, const bool *used, const char *also,
                         clary__text *out) {
    clary__text_add(out, "typedef struct results {\n");
    for (int i = 0; i < s->noutputs; i++)
        clary__text_add(out, "    %s out%d;\n",
                        clary__cl_storage(s->operands[s->ninputs + i].dtype), i);
    clary__text_add(out, "} results;\n\nstatic inline results compute(params_ref p%s", also);
    clary__emit_declared(s, clary__operands_of(s, used), out);
    clary__text_add(out, ")\n{\n    results r;\n");
    clary__emit_values(s, used, out);
    for (int i = 0; i < s->noutputs; i++) {
        clary__text_add(out, "    r.out%d = ", i);
        clary__emit_stored(s, s->operands[s->ninputs + i].instr, out);
        clary__text_add(out, ";\n");
    }
    clary__text_add(out, "    return r;\n}\n\n");
}

/* out0[at.out0 ...] = r.out0; for one element of a place or a run. */
void clary__emit_put(const clary__spec *s, bool run, clary__text *out) {
    for (int i = 0; i < s->noutputs; i++) {
        int access = s->operands[s->ninputs + i].access;
        clary__text_add(out, "    out%d[at.out%d", i, i);
        if (run && access == CLARY__UNIT) clary__text_add(out, " + e");
        if (run && access == CLARY__STEP)
            clary__text_add(out, " + (offset)e * p->out%d_s%d", i, s->packdim);
        clary__text_add(out, "] = r.out%d;\n", i);
    }
}

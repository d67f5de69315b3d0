/* spec.c - questions about a spec, and the choice of packs. See spec.h. */
#include "codegen/spec.h"
#include <string.h>

void clary__mark(const clary__spec *s, int instr, bool *used) {
    used[instr] = true;
    for (int i = instr; i >= 0; i--) {
        const uint16_t args[3] = {s->instr[i].a, s->instr[i].b, s->instr[i].c};
        for (int n = clary__instr_arity(&s->instr[i]); used[i] && n > 0; n--)
            used[args[n - 1]] = true;
    }
}

void clary__mark_inner(const clary__spec *s, bool *used) {
    memset(used, 0, s->ninstr * sizeof *used);
    clary__mark(s, s->reduce_arg, used);
}

void clary__mark_outer(const clary__spec *s, bool *used) {
    memset(used, 0, s->ninstr * sizeof *used);
    for (int i = 0; i < s->noutputs; i++) clary__mark(s, s->operands[s->ninputs + i].instr, used);
}

uint64_t clary__operands_of(const clary__spec *s, const bool *used) {
    uint64_t bits = 0;
    for (int i = 0; i < s->ninstr; i++) {
        const clary__instr *in = &s->instr[i];
        if (!used[i]) continue;
        switch ((clary__code)in->code) {
        case CLARY__I_LOAD: bits |= 1ull << in->a; break;
        case CLARY__I_INDEX: bits |= 1ull << (s->ninputs + s->noutputs + in->a); break;
        case CLARY__I_GATHER:
        case CLARY__I_SEARCH: bits |= 1ull << in->c; break;
        case CLARY__I_CHECK: bits |= 1ull << CLARY__FAULTS; break;
        default: break;
        }
    }
    return bits;
}

/* As the compiler lays out struct { value; index; }. */
size_t clary__acc_bytes(const clary__spec *s) {
    clary_dtype t = (clary_dtype)s->reduce_dtype;
    size_t value = clary__is_half(t) ? 4 : clary_dtype_size(t), index = s->wide ? 8 : 4;
    if (!clary__is_arg(s)) return value;
    size_t align = value > index ? value : index;
    return 2 * align;
}

void clary__swap_dims(clary__job *job, int d, int e) {
    clary__frame *f = &job->frame;
    int64_t t = f->shape[d];
    f->shape[d] = f->shape[e];
    f->shape[e] = t;
    for (int i = 0; i < clary__noperands(&job->spec); i++) {
        t = f->strides[i][d];
        f->strides[i][d] = f->strides[i][e];
        f->strides[i][e] = t;
    }
}

static bool packs_aligned(const clary__job *job, int operand, int packdim, int pack) {
    const clary__frame *f = &job->frame;
    if (f->offset[operand] % pack) return false;
    for (int d = 0; d < job->spec.ndim; d++)
        if (d != packdim && f->strides[operand][d] % pack) return false;
    return true;
}

bool clary__set_pack(clary__job *job, int packdim, int pack, uint64_t which) {
    clary__spec *s = &job->spec;
    for (int i = 0; pack > 1 && i < clary__noperands(s); i++)
        if ((which >> i & 1) && clary__is_memory(s, i) && job->frame.strides[i][packdim] == 1 &&
            !packs_aligned(job, i, packdim, pack))
            return false;
    for (int i = 0; i < clary__noperands(s); i++) {
        int64_t stride = job->frame.strides[i][packdim];
        if (s->operands[i].access == CLARY__RANDOM) continue;
        s->operands[i].access = stride == 0                             ? CLARY__HOLD
                                : stride == 1 && clary__is_memory(s, i) ? CLARY__UNIT
                                                                        : CLARY__STEP;
    }
    s->packdim = (uint8_t)packdim;
    s->pack = (uint8_t)pack;
    return true;
}

int clary__best_pack(const clary__job *job, int packdim, uint64_t which) {
    const clary__spec *s = &job->spec;
    size_t widest = 0;
    for (int i = 0; i < s->ninputs + s->noutputs; i++) {
        size_t size = clary_dtype_size((clary_dtype)s->operands[i].dtype);
        if ((which >> i & 1) && job->frame.strides[i][packdim] == 1 && size > widest) widest = size;
    }
    return widest ? (int)(16 / widest) : 1;
}

/* An expression that calls a function is dear, whatever the function; so is a loop. */
static int price_of(const clary__instr *in) {
    if (in->code == CLARY__I_SEARCH) return 40;
    if (in->code != CLARY__I_OP) return 1;
    clary_dtype t = (clary_dtype)in->in;
    const char *text = clary__op_expression((clary_op)in->op, clary_dtype_kind(t));
    int price = 1;
    for (const char *c = text; c && *c; c++)
        if (*c == '(' && c > text && ((c[-1] >= 'a' && c[-1] <= 'z') || c[-1] == 'N')) price += 8;
    if (t == CLARY_FLOAT64) price *= 2;
    return clary__is_complex(t) ? price * 4 : price;
}

int clary__price(const clary__spec *s, const bool *used) {
    int price = 0;
    for (int i = 0; i < s->ninstr; i++)
        if (used[i]) price += price_of(&s->instr[i]);
    return price;
}

uint64_t clary__traffic(const clary__job *job) {
    const clary__group *g = job->group;
    uint64_t bytes = 0;
    for (int i = 0; i < g->ninputs + g->noutputs; i++) {
        const clary__operand *o = i < g->ninputs ? &g->inputs[i] : &g->outputs[i - g->ninputs];
        uint64_t count = 1;
        for (int d = 0; d < g->ndim; d++)
            if (o->strides[d] || o->random) count *= (uint64_t)g->shape[d];
        bytes += count * clary_dtype_size(o->dtype);
    }
    return bytes;
}

/* params.c - the struct of parameters that every kernel takes.
 *
 * One walk over the fields either declares them or writes their values, so that the two cannot differ.
 * 8-byte fields come first, and the size is a multiple of 8, so the compiler pads nothing.
 */
#include "codegen/spec.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct writer {
    clary__text *text;
    unsigned char *bytes;
    size_t size;
} writer;

__attribute__((format(printf, 4, 5))) static void field(writer *w, const char *type, int64_t value,
                                                        const char *name, ...) {
    bool small = !strcmp(type, "int") || !strcmp(type, "uint");
    size_t bytes = small ? 4 : 8;
    if (w->text) {
        char text[64];
        va_list args;
        va_start(args, name);
        vsnprintf(text, sizeof text, name, args);
        va_end(args);
        clary__text_add(w->text, "    %s %s;\n", type, text);
    }
    if (w->bytes) {
        int32_t narrow = (int32_t)(uint32_t)(uint64_t)value;
        memcpy(w->bytes + w->size, small ? (const void *)&narrow : (const void *)&value, bytes);
    }
    w->size += bytes;
}

/* Note [Division by multiplication]. For n < 2^31 and 2 <= d < 2^31, with l = ceil(log2 d) and
 * m = ceil(2^(31 + l) / d) < 2^32: n / d = (n * m) >> (31 + l) exactly, because the error of m, below d
 * parts in 2^(31 + l), stays below 1 / d when multiplied by n. Taking the high word of the product
 * is the shift by 32; l - 1 more are left. */
static void divisor(writer *w, int64_t d, int dim) {
    uint32_t log = 1;
    while (d > (int64_t)1 << log) log++;
    uint64_t m = d < 2 ? 0 : ((1ull << (31 + log)) + (uint64_t)d - 1) / (uint64_t)d;
    field(w, "uint", (int64_t)m, "n%d_mul", dim);
    field(w, "uint", (int64_t)log - 1, "n%d_shift", dim);
}

static void scalars(writer *w, const clary__spec *s, const clary__frame *f) {
    for (int i = 0; i < s->ninstr; i++) {
        if (s->instr[i].code != CLARY__I_SCALAR) continue;
        int n = s->instr[i].a;
        int64_t bits[2];
        memcpy(bits, f->scalars[n], sizeof bits);
        field(w, "ulong", bits[0], "scalar%d", i);
        if (s->instr[i].dtype == CLARY_COMPLEX128) field(w, "ulong", bits[1], "scalar%d_im", i);
    }
}

/* The operands of a product. */
static void factors(writer *w, const clary__frame *f, const char *step) {
    const clary__operand *const both[] = {&f->x, &f->y};
    for (int i = 0; i < 2; i++) {
        field(w, step, both[i]->offset, "%c_at", "xy"[i]);
        for (int d = 0; d < 4; d++) field(w, step, both[i]->strides[d], "%c_s%d", "xy"[i], d);
    }
    field(w, step, f->k, "k");
}

/* Offset and strides; what the class tells is left out. */
static void operand(writer *w, const clary__spec *s, const clary__frame *f, int i,
                    const char *type) {
    char name[16];
    clary__operand_name(s, i, name);
    field(w, type, f->offset[i], "%s_at", name);
    if (s->operands[i].access == CLARY__RANDOM) return;
    for (int d = 0; d < s->ndim; d++)
        if (d != s->packdim || s->operands[i].access == CLARY__STEP)
            field(w, type, f->strides[i][d], "%s_s%d", name, d);
}

static void walk(writer *w, const clary__spec *s, const clary__frame *f) {
    const char *count = s->wide ? "ulong" : "uint", *step = s->wide ? "long" : "int";
    int memory = s->ninputs + s->noutputs;
    scalars(w, s, f);
    for (int i = memory; i < clary__noperands(s); i++) operand(w, s, f, i, "long");
    field(w, count, f->size, "size");
    field(w, count, f->kept, "kept");
    field(w, count, f->length, "length");
    field(w, count, f->parts, "parts");
    for (int i = 0; i < memory; i++) operand(w, s, f, i, step);
    if (s->kernel == CLARY__K_PRODUCT) factors(w, f, step);
    for (int d = 0; d < s->ndim; d++) field(w, count, f->shape[d], "n%d", d);
    for (int d = 0; d < s->ndim && !s->wide; d++)
        if (d != 0 && d != s->nkeep) divisor(w, f->shape[d], d);
    if (w->size % 8) field(w, "uint", 0, "unused");
}

void clary__params_text(const clary__spec *s, clary__text *out) {
    static const clary__frame none;
    writer w = {.text = out};
    clary__text_add(out, "typedef struct params {\n");
    walk(&w, s, &none);
    clary__text_add(out, "} params;\n");
}

size_t clary__params_bytes(const clary__spec *s, const clary__frame *f, unsigned char *bytes) {
    writer w = {.bytes = bytes};
    walk(&w, s, f);
    return w.size;
}

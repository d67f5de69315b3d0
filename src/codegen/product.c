/* product.c - matrix products, tile by tile. The algorithm is in cl/product.cl; here a variant is chosen
 * and fed. Extents, strides and offsets are parameters: a kernel depends on dtypes, the size of the tile,
 * the direction in which each operand is read, and the epilogue.
 */
#include "codegen/spec.h"
#include <stdlib.h>

#define SIDE 16 /* a work-group is SIDE by SIDE work-items */

static bool reaches_far(const clary__operand *o, const int64_t *shape) {
    const int64_t limit = INT64_C(1) << 31;
    int64_t reach = llabs(o->offset);
    for (int d = 0; d < 4 && reach < limit; d++) {
        int64_t step = llabs(o->strides[d]);
        if (shape[d] > 1 && step >= limit) return true;
        if (shape[d] > 1) reach += step * (shape[d] - 1);
    }
    return reach >= limit;
}

bool clary__product_is_far(const clary__product *product, const int64_t *shape) {
    const int64_t margin = INT64_C(1) << 20, k = product->inner;
    if (k >= (INT64_C(1) << 31) - margin) return true; /* kernels count a little past the end */
    return reaches_far(&product->x, (const int64_t[]){shape[0], shape[1], shape[2], k}) ||
           reaches_far(&product->y, (const int64_t[]){shape[0], shape[1], k, shape[3]});
}

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static int64_t count_tiles(const int64_t *shape, int micro) {
    return shape[0] * shape[1] * divide_up(shape[2], SIDE * micro) *
           divide_up(shape[3], SIDE * micro);
}

/* Bytes of a factor in registers and local memory: small integers and halves are widened. */
static int computed_bytes(clary_dtype t) {
    size_t size = clary_dtype_size(t);
    return size < 4 ? 4 : (int)size;
}

/* The largest tile that registers hold and that leaves all of the device something to do. */
static int choose_micro(const clary__job *job) {
    int micro = 32 / computed_bytes(job->group->product.dtype);
    int64_t units = job->device->info.units ? job->device->info.units : 1;
    while (micro > 2 && count_tiles(job->frame.shape, micro) < 2 * units) micro /= 2;
    return micro;
}

/* z' = y' x': where the first output is consecutive along rows, they become columns. */
static void transpose(clary__job *job) {
    clary__frame *f = &job->frame;
    clary__operand x = f->x, y = f->y;
    clary__swap_dims(job, 2, 3);
    f->x = y;
    f->y = x;
    f->x.strides[2] = y.strides[3];
    f->x.strides[3] = y.strides[2];
    f->y.strides[2] = x.strides[3];
    f->y.strides[3] = x.strides[2];
}

/* Whether memory is nearer along a than along b; a stride of 0 needs no neighbours. */
static bool is_nearer(int64_t a, int64_t b) {
    return a != 0 && (b == 0 || llabs(a) < llabs(b));
}

static uint64_t factor_bytes(const clary__operand *o, const int64_t *shape) {
    uint64_t bytes = clary_dtype_size(o->dtype);
    for (int d = 0; d < 4; d++)
        if (o->strides[d]) bytes *= (uint64_t)shape[d];
    return bytes;
}

clary_status clary__launch_product(clary__job *job) {
    const clary__product *product = &job->group->product;
    clary__spec *s = &job->spec;
    clary__frame *f = &job->frame;
    s->kernel = CLARY__K_PRODUCT;
    s->cpu = 0; /* one algorithm for all */
    s->packdim = CLARY_MAX_NDIM;
    for (int i = 0; i < clary__noperands(s); i++)
        if (s->operands[i].access != CLARY__RANDOM) s->operands[i].access = CLARY__STEP;
    f->x = product->x;
    f->y = product->y;
    f->k = product->inner;
    if (is_nearer(f->strides[s->ninputs][2], f->strides[s->ninputs][3]) && f->shape[2] > 1)
        transpose(job);
    s->factor = (uint8_t)product->dtype;
    s->micro = (uint8_t)choose_micro(job);
    s->x_along_k = is_nearer(f->x.strides[3], f->x.strides[2]);
    s->y_along_k = is_nearer(f->y.strides[2], f->y.strides[3]);
    clary__buffer *factors[] = {f->x.buffer, f->y.buffer};
    uint64_t bytes = clary__traffic(job);
    bytes += factor_bytes(&f->x, (const int64_t[]){f->shape[0], f->shape[1], f->shape[2], f->k});
    bytes += factor_bytes(&f->y, (const int64_t[]){f->shape[0], f->shape[1], f->k, f->shape[3]});
    return clary__enqueue(job, 2, factors, count_tiles(f->shape, s->micro), bytes);
}

/* ---- source ---- */

/* Type acc, in which factors are held and summed; FACTOR(stored), MULTIPLY_ADD(acc, x, y). Integers sum
 * as unsigned ones, which wrap. */
static void emit_arithmetic(const clary__spec *s, clary__text *out) {
    clary_dtype t = (clary_dtype)s->factor;
    const char *acc = clary__cl_compute(t), *suffix = clary__dtype_suffix(t);
    if (t == CLARY_BOOL || clary__is_integer(t)) acc = clary_dtype_size(t) == 8 ? "ulong" : "uint";
    clary__text_add(out, "typedef %s acc;\ntypedef %s factor;\n", acc, clary__cl_storage(t));
    if (clary__is_half(t))
        clary__text_add(out, "#define FACTOR(x) clary_%s_to_f32(x)\n", suffix);
    else
        clary__text_add(out, "#define FACTOR(x) ((acc)(x))\n");
    const char *sum = t == CLARY_BOOL        ? "z | (x & y)"
                      : clary__is_integer(t) ? "z + x * y"
                      : clary__is_complex(t) ? "(acc)(fma(-x.y, y.y, fma(x.x, y.x, z.x)), "
                                               "fma(x.y, y.x, fma(x.x, y.y, z.y)))"
                                             : "fma(x, y, z)";
    clary__text_add(
        out, "static inline acc multiply_add(acc z, acc x, acc y)\n{\n    return %s;\n}\n", sum);
    clary__text_add(out, "typedef %s total;\n", clary__cl_compute(s->reduce_dtype));
}

/* finish(): the epilogue and the stores of one element. */
static void emit_finish(const clary__spec *s, const bool *used, clary__text *out) {
    clary__emit_compute(s, used, ", const total result", out);
    clary__text_add(out, "static inline void finish(BUFFERS, params_ref p, linear b0, linear b1, "
                         "linear row, linear column, total result)\n{\n    place at;\n"
                         "    at.inner = column;\n");
    for (int i = 0; i < clary__noperands(s); i++) {
        char name[16];
        if (s->operands[i].access == CLARY__RANDOM) continue;
        clary__operand_name(s, i, name);
        const char *type = clary__is_memory(s, i) ? "offset" : "long";
        clary__text_add(out,
                        "    at.%s = p->%s_at + (%s)b0 * p->%s_s0 + (%s)b1 * p->%s_s1 + (%s)row * "
                        "p->%s_s2 + (%s)column * p->%s_s3;\n",
                        name, name, type, name, type, name, type, name, type, name);
    }
    clary__text_add(out, "    const results r = compute(p, result");
    clary__emit_passed(s, clary__operands_of(s, used), CLARY__PASS_POINT, out);
    clary__text_add(out, ");\n");
    clary__emit_put(s, false, out);
    clary__text_add(out, "}\n\n");
}

void clary__source_product(const clary__spec *s, clary__text *out) {
    bool used[CLARY__MAX_INSTR];
    int vector = 16 / computed_bytes((clary_dtype)s->factor);
    clary__mark_outer(s, used);
    clary__emit_head(s, used, out);
    emit_arithmetic(s, out);
    clary__emit_buffers(s, "const __global factor *restrict x, const __global factor *restrict y",
                        "x, y", out);
    clary__emit_place(s, out);
    clary__text_add(out,
                    "#define SIDE %d\n#define MICRO %d\n#define VECTOR %d\n#define X_ALONG_K %d\n"
                    "#define Y_ALONG_K %d\n",
                    SIDE, s->micro, vector < s->micro ? vector : s->micro, s->x_along_k,
                    s->y_along_k);
    emit_finish(s, used, out);
    clary__text_add(out, "%s", clary__cl_file("product.cl"));
}

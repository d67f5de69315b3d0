/* scatter.c - scatters as kernels. The algorithms are in cl/scatter.cl; here one is chosen and fed.
 *
 * Results are those of steps made one by one, as NumPy makes them. Where the order cannot be told from the
 * result (distinct positions; integers, by atomic operations) every source goes its own way at once.
 * Elsewhere the positions are sorted first, and all steps on one element are made in turn.
 */
#include "codegen/spec.h"
#include <stdio.h>
#include <string.h>

typedef enum variant { EACH, ATOMIC, ORDERED } variant;

/* All that the source depends on. */
typedef struct key {
    char kind[8]; /* no other key begins with "scatter" */
    uint16_t op;
    uint8_t dtype, compute, variant, cpu, fp64, unused;
} key;

typedef struct params { /* of scatter.cl */
    int64_t count, share, source_step;
} params;

/* The atomic function for an operation, less its prefix; NULL if there is none. */
static const char *atomic_name(int op) {
    switch (op) {
    case CLARY_OP_add: return "add";
    case CLARY_OP_subtract: return "sub";
    case CLARY_OP_maximum: return "max";
    case CLARY_OP_minimum: return "min";
    case CLARY_OP_bitwise_and: return "and";
    case CLARY_OP_bitwise_or: return "or";
    case CLARY_OP_bitwise_xor: return "xor";
    default: return NULL;
    }
}

static variant choose(const clary_device *device, const clary__scatter *s) {
    size_t size = clary_dtype_size(s->dtype);
    if (s->distinct || (s->op == CLARY__PUT && s->single)) return EACH;
    bool atomic = s->dtype == s->compute && clary__is_integer(s->dtype) && atomic_name(s->op) &&
                  (size == 4 || (size == 8 && device->info.int64_atomics));
    return atomic ? ATOMIC : ORDERED;
}

/* Elements that are only moved are taken as integers of their size, so that dtypes share a kernel. */
static clary_dtype moved_as(clary_dtype t) {
    switch (clary_dtype_size(t)) {
    case 1: return CLARY_UINT8;
    case 2: return CLARY_UINT16;
    case 4: return CLARY_UINT32;
    case 8: return CLARY_UINT64;
    default: return t;
    }
}

/* ---- source ---- */

/* A stored element as a number, and back. */
static void emit_conversion(int dtype, bool load, clary__text *out) {
    if (clary__is_half((clary_dtype)dtype))
        clary__text_add(out, load ? "clary_%s_to_f32(" : "clary_f32_to_%s(",
                        clary__dtype_suffix((clary_dtype)dtype));
    else
        clary__text_add(out, "(");
}

static void emit_next(const key *k, int result, clary__text *out) {
    const int args[] = {k->compute, k->compute};
    const char *target = clary__dtype_suffix((clary_dtype)k->dtype),
               *compute = clary__dtype_suffix((clary_dtype)k->compute);
    if (clary__needs_library(k->op, k->compute)) clary__emit_library(k->compute, out);
    clary__emit_operation("op", k->op, k->compute, args, result, out);
    if (k->dtype != k->compute) clary__emit_cast(k->dtype, k->compute, out);
    if (k->dtype != result) clary__emit_cast(result, k->dtype, out);
    clary__text_add(out, "static inline TARGET next(TARGET x, SOURCE y)\n{\n    return ");
    emit_conversion(k->dtype, false, out);
    if (k->dtype != result)
        clary__text_add(out, "cast_%s_%s", clary__dtype_suffix((clary_dtype)result), target);
    clary__text_add(out, "(op_%s_%s(", clary__op_name(k->op), compute);
    if (k->dtype != k->compute) clary__text_add(out, "cast_%s_%s", target, compute);
    clary__text_add(out, "(");
    emit_conversion(k->dtype, true, out);
    clary__text_add(out, "x)), ");
    emit_conversion(k->compute, true, out);
    clary__text_add(out, "y))));\n}\n");
}

static void entry_name(const key *k, char name[64]) {
    static const char *const how[] = {[EACH] = "", [ATOMIC] = "atomic_", [ORDERED] = "ordered_"};
    snprintf(name, 64, "scatter_%s%s_%s", how[k->variant],
             k->op == CLARY__PUT ? "put" : clary__op_name(k->op),
             clary__dtype_suffix((clary_dtype)k->dtype));
}

/* What the operation makes of two numbers of `compute`; it must take them as they are. */
static clary_status result_of(const clary__scatter *s, clary_dtype *out) {
    const clary_dtype both[] = {s->compute, s->compute};
    const bool weak[] = {false, false};
    clary_dtype in;
    TRY(clary_op_dtypes((clary_op)s->op, both, weak, &in, out));
    FAIL_IF(in != s->compute, CLARY_INTERNAL, "%s: %s does not compute in %s", s->what,
            clary__op_name(s->op), clary_dtype_name(s->compute));
    return CLARY_OK;
}

static clary_status write_source(const void *context, clary__text *out) {
    enum { RUN = 16 };
    const key *k = context;
    char name[64];
    entry_name(k, name);
    clary__emit_prelude(k->fp64, k->cpu, out);
    clary__text_add(
        out,
        "#define ENTRY %s\n#define TARGET %s\n#define SOURCE %s\n#define PUT %d\n#define ORDERED "
        "%d\n#define RUN %d\n",
        name, clary__cl_storage(k->dtype), clary__cl_storage(k->compute), k->op == CLARY__PUT,
        k->variant == ORDERED, RUN);
    if (k->variant == ATOMIC) {
        bool wide = clary_dtype_size((clary_dtype)k->dtype) == 8;
        if (wide)
            clary__text_add(out,
                            "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
                            "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n");
        clary__text_add(out, "#define ATOMIC(to, y) %s_%s((volatile __global TARGET *)(to), y)\n",
                        wide ? "atom" : "atomic", atomic_name(k->op));
    } else if (k->op != CLARY__PUT) {
        clary__scatter s = {.op = k->op, .compute = (clary_dtype)k->compute, .what = "scatter"};
        clary_dtype result;
        TRY(result_of(&s, &result));
        emit_next(k, result, out);
    }
    clary__text_add(out, "%s", clary__cl_file("scatter.cl"));
    FAIL_IF(out->failed, CLARY_OUT_OF_MEMORY, "no memory for the source of a kernel");
    return CLARY_OK;
}

/* ---- launching ---- */

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static clary_status launch_kernel(clary_device *device, const clary__scatter *s, variant how,
                                  clary__buffer *positions, clary__buffer *order,
                                  clary__launch_fn *launch) {
    enum { SMALLEST_SHARE = 4096 };
    const clary_device_info *info = &device->info;
    char entry[64];
    key k;
    memset(&k, 0, sizeof k);
    memcpy(k.kind, "scatter", sizeof "scatter");
    k.op = (uint16_t)s->op;
    k.dtype = (uint8_t)(s->op == CLARY__PUT ? moved_as(s->dtype) : s->dtype);
    k.compute = (uint8_t)(s->op == CLARY__PUT ? k.dtype : s->compute);
    k.variant = (uint8_t)how;
    k.cpu = info->type && !strcmp(info->type, "cpu");
    k.fp64 = info->fp64;
    entry_name(&k, entry);
    params p = {.count = s->count, .share = 1, .source_step = s->single ? 0 : 1};
    if (k.cpu) {
        int64_t workers = 4 * (int64_t)(info->units ? info->units : 1);
        p.share = divide_up(s->count, workers);
        if (p.share < SMALLEST_SHARE) p.share = SMALLEST_SHARE;
    }
    clary__launch l = {.key = &k,
                       .key_bytes = sizeof k,
                       .source = write_source,
                       .context = &k,
                       .entry = entry,
                       .params = &p,
                       .params_bytes = sizeof p,
                       .dims = 1,
                       .what = s->what};
    l.buffers[l.nbuffers++] = s->target;
    l.buffers[l.nbuffers++] = positions;
    if (order) l.buffers[l.nbuffers++] = order;
    l.buffers[l.nbuffers++] = s->source;
    l.local[0] = k.cpu ? 1 : CLARY__GROUP_SIZE;
    l.global[0] = (size_t)divide_up(divide_up(s->count, p.share), (int64_t)l.local[0]) * l.local[0];
    l.global[1] = l.global[2] = l.local[1] = l.local[2] = 1;
    l.bytes = (uint64_t)s->count * (sizeof(int64_t) * (order ? 2 : 1) +
                                    2 * clary_dtype_size(s->dtype) + clary_dtype_size(s->compute));
    return launch(device, &l);
}

static bool is_double(clary_dtype t) {
    return t == CLARY_FLOAT64 || t == CLARY_COMPLEX128;
}

clary_status clary__codegen_scatter(clary_device *device, const clary__scatter *s,
                                    clary__launch_fn *launch) {
    clary__buffer *sorted = NULL, *order = NULL;
    clary_status status = CLARY_OK;
    clary_dtype result;
    variant how = choose(device, s);
    FAIL_IF(!device->info.fp64 && (is_double(s->dtype) || is_double(s->compute)), CLARY_UNSUPPORTED,
            "%s: device %s has no %s", s->what, device->info.name,
            clary_dtype_name(is_double(s->dtype) ? s->dtype : s->compute));
    if (s->op != CLARY__PUT) TRY(result_of(s, &result));
    if (how != ORDERED) return launch_kernel(device, s, how, s->positions, NULL, launch);
    size_t bytes = (size_t)s->count * sizeof(int64_t);
    TRY_GOTO(done, clary__buffer_new(device, bytes, &sorted));
    TRY_GOTO(done, clary__buffer_new(device, bytes, &order));
    const clary__sort sort = {.dtype = CLARY_INT64,
                              .rows = 1,
                              .length = s->count,
                              .keys = s->positions,
                              .values = sorted,
                              .order = order,
                              .what = s->what};
    TRY_GOTO(done, clary__codegen_sort(device, &sort, launch));
    TRY_GOTO(done, launch_kernel(device, s, how, sorted, order, launch));
done:
    if (sorted) clary__buffer_release(sorted);
    if (order) clary__buffer_release(order);
    return status;
}

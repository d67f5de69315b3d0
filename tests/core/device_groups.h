/* device_groups.h - groups built by hand, run on the device and by the reference executor, and compared.
 *
 * Operands of every dtype and layout; all bytes of all outputs are compared, the untouched ones included. On a
 * CPU both families of kernels run: those for CPUs, and those for GPUs, by telling the device that it is one.
 */
#ifndef CLARY_TESTS_DEVICE_GROUPS_H
#define CLARY_TESTS_DEVICE_GROUPS_H
#include "check.h"
#include "graph/group.h"

#define MOST_OPERANDS (CLARY__MAX_INPUTS + CLARY__MAX_OUTPUTS)

typedef enum layout {
    CONTIGUOUS,
    OFFSET,
    PADDED,
    SPACED,
    REVERSED,
    PERMUTED,
    BROADCAST,
    LAYOUTS
} layout;

static clary_device *device;

/* The device that tests compile for; false, with a word why, if it is not an OpenCL one. */
static inline bool open_device(void) {
    if (clary_device_open(NULL, &device) != CLARY_OK || strcmp(device->info.backend, "opencl")) {
        printf("needs an OpenCL device\n");
        return false;
    }
    return CHECK_OK(clary_set_jit("always"));
}

/* A group and the host's copies of its memory. */
static clary__group g;
static unsigned char *memory[MOST_OPERANDS]; /* inputs, then outputs */
static size_t bytes[MOST_OPERANDS];
static double special; /* how often an input is NaN, infinite, -0 or subnormal */

/* ---- inputs ---- */

static inline double random_number(void) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, -0.0, 1e-40, 6e-8, 65520, 3e9, -1e19};
    if (check_random_real(0, 1) < special) return odd[check_random_int(0, 8)];
    return check_random_real(-4, 4);
}

static inline void fill(unsigned char *to, clary_dtype t, size_t count) {
    size_t size = clary_dtype_size(t);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = check_random();
        double re = random_number(), im = random_number();
        float fre = (float)re, fim = (float)im;
        uint16_t half = t == CLARY_FLOAT16 ? clary__f32_to_f16(fre) : clary__f32_to_bf16(fre);
        unsigned char *e = to + i * size;
        switch (t) {
        case CLARY_BOOL: *e = bits & 1; break;
        case CLARY_FLOAT16:
        case CLARY_BFLOAT16: memcpy(e, &half, 2); break;
        case CLARY_FLOAT32: memcpy(e, &fre, 4); break;
        case CLARY_FLOAT64: memcpy(e, &re, 8); break;
        case CLARY_COMPLEX64:
            memcpy(e, &fre, 4);
            memcpy(e + 4, &fim, 4);
            break;
        case CLARY_COMPLEX128:
            memcpy(e, &re, 8);
            memcpy(e + 8, &im, 8);
            break;
        default: memcpy(e, &bits, size); break;
        }
    }
}

/* ---- building groups ---- */

static inline void begin(clary__pattern pattern, int ndim, int nkeep, const int64_t *shape) {
    for (int i = 0; i < MOST_OPERANDS; i++) {
        free(memory[i]);
        memory[i] = NULL;
    }
    memset(&g, 0, sizeof g);
    g.pattern = pattern;
    g.ndim = ndim;
    g.nkeep = pattern == CLARY__MAP ? ndim : nkeep;
    g.points = 1;
    g.what = "test";
    for (int d = 0; d < ndim; d++) {
        g.shape[d] = shape[d];
        g.points *= shape[d];
    }
}

/* Strides of some layout over dims [0, count) in the memory order `order`; how many elements it spans. */
static inline int64_t lay_out(clary__operand *o, layout how, int count, const int *order) {
    int64_t step = how == SPACED ? 3 : 1, span = 1;
    o->offset = how == OFFSET ? 3 : how == PADDED ? 16 : 0;
    for (int n = count - 1; n >= 0; n--) {
        int d = order[n];
        o->strides[d] = step;
        if (how == BROADCAST && check_random() % 2) o->strides[d] = 0;
        step *= g.shape[d];
        if (how == PADDED) step = (step + 15) / 16 * 16 + 16;
        if (how == REVERSED && check_random() % 4) {
            o->strides[d] = -o->strides[d];
            o->offset -= o->strides[d] * (g.shape[d] - 1);
        }
    }
    span = o->offset + 1;
    for (int d = 0; d < count; d++)
        if (o->strides[d] > 0) span += o->strides[d] * (g.shape[d] - 1);
    return span;
}

static inline void random_order(int count, int *order) {
    for (int d = 0; d < count; d++) order[d] = d;
    for (int d = count - 1; d > 0; d--) {
        int e = (int)check_random_int(0, d), t = order[d];
        order[d] = order[e];
        order[e] = t;
    }
}

static const int in_order[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static inline int add_instr(clary__instr i) {
    g.instr[g.ninstr] = i;
    return g.ninstr++;
}

/* An input and its load. order NULL: C order, or any for PERMUTED. */
static inline int load_ordered(clary_dtype t, layout how, const int *order) {
    int n = g.ninputs++, any[CLARY_MAX_NDIM];
    random_order(g.ndim, any);
    if (!order) order = how == PERMUTED ? any : in_order;
    clary__operand *o = &g.inputs[n];
    int64_t span = lay_out(o, how, g.ndim, order);
    o->dtype = t;
    bytes[n] = (size_t)span * clary_dtype_size(t);
    memory[n] = malloc(bytes[n]);
    fill(memory[n], t, (size_t)span);
    return add_instr((clary__instr){CLARY__I_LOAD, (uint8_t)t, (uint8_t)t, 0, (uint16_t)n, 0, 0});
}

static inline int load(clary_dtype t, layout how) {
    return load_ordered(t, how, NULL);
}

static inline int scalar(clary_dtype t) {
    int n = g.nscalars++;
    fill(g.scalars[n], t, 1);
    return add_instr((clary__instr){CLARY__I_SCALAR, (uint8_t)t, (uint8_t)t, 0, (uint16_t)n, 0, 0});
}

static inline int cast(int a, clary_dtype t) {
    if (g.instr[a].dtype == t) return a;
    return add_instr(
        (clary__instr){CLARY__I_CAST, (uint8_t)t, g.instr[a].dtype, 0, (uint16_t)a, 0, 0});
}

static inline int op(clary_op code, int a, int b) {
    clary_dtype in = (clary_dtype)g.instr[a].dtype, out;
    clary_dtype both[] = {in, in};
    bool weak[] = {false, false};
    clary_op_dtypes(code, both, weak, &in, &out);
    return add_instr((clary__instr){CLARY__I_OP, (uint8_t)out, (uint8_t)in, (uint8_t)code,
                                    (uint16_t)a, (uint16_t)b, 0});
}

static inline int index_map(void) {
    int n = g.nindices++;
    g.indices[n].dtype = CLARY_INT64;
    g.indices[n].offset = check_random_int(-5, 5);
    for (int d = 0; d < g.ndim; d++)
        g.indices[n].strides[d] =
            check_random() % 3 ? check_random_int(-(INT64_C(1) << 40), INT64_C(1) << 40) : 0;
    return add_instr(
        (clary__instr){CLARY__I_INDEX, CLARY_INT64, CLARY_INT64, 0, (uint16_t)n, 0, 0});
}

static inline int result(clary_op code, int arg) {
    g.reduce_op = (int)code;
    g.reduce_arg = arg;
    g.reduce_dtype = (clary_dtype)g.instr[arg].dtype;
    clary_dtype t = (int)code >= CLARY__ARGMAX ? CLARY_INT64 : g.reduce_dtype;
    g.split = add_instr((clary__instr){CLARY__I_RESULT, (uint8_t)t, (uint8_t)t, 0, 0, 0, 0});
    return g.split;
}

/* Stores an instruction; along all dims, or the kept ones of a REDUCE. */
static inline void store(int instr, layout how) {
    int n = g.noutputs++, order[CLARY_MAX_NDIM],
        count = g.pattern == CLARY__REDUCE ? g.nkeep : g.ndim;
    random_order(count, order);
    clary__operand *o = &g.outputs[n];
    o->dtype = (clary_dtype)g.instr[instr].dtype;
    o->instr = (uint16_t)instr;
    int64_t span = lay_out(o, how, count, how == PERMUTED ? order : in_order);
    bytes[CLARY__MAX_INPUTS + n] = (size_t)span * clary_dtype_size(o->dtype);
}

/* An input that no instruction reads: it only says that memory is large, so indices have 64 bits. */
static inline void pretend_far(void) {
    load(CLARY_INT8, CONTIGUOUS);
    g.ninstr--;
    g.inputs[g.ninputs - 1].strides[0] = INT64_C(1) << 33;
}

static inline clary_op any_op(clary_dtype t) {
    static const clary_op list[] = {CLARY_OP_add,     CLARY_OP_multiply, CLARY_OP_maximum,
                                    CLARY_OP_minimum, CLARY_OP_subtract, CLARY_OP_divide};
    for (;;) {
        clary_op code = list[check_random_int(0, 5)];
        if (clary__op_expression(code, clary_dtype_kind(t))) return code;
    }
}

static inline void random_shape(int ndim, int64_t *shape) {
    for (int d = 0; d < ndim; d++)
        shape[d] = check_random() % 3 ? check_random_int(1, ndim > 2 ? 21 : 300)
                                      : 8 * check_random_int(1, ndim > 2 ? 3 : 40);
}

/* A random expression over `count` instructions. */
static inline int random_expression(int count) {
    int values[CLARY__MAX_INSTR], n = 0;
    for (int i = 0; i < count; i++) values[n++] = i;
    for (int steps = (int)check_random_int(1, 5); steps > 0; steps--) {
        int a = values[check_random_int(0, n - 1)], b = values[check_random_int(0, n - 1)];
        clary_dtype t = (clary_dtype)check_random_int(0, CLARY_DTYPE_COUNT - 1);
        if (check_random() % 2) t = (clary_dtype)g.instr[a].dtype;
        a = cast(a, t);
        b = cast(b, t);
        values[n++] = op(any_op(t), a, b);
    }
    return values[n - 1];
}

/* ---- running and comparing ---- */

static inline bool same_element(const unsigned char *a, const unsigned char *b, clary_dtype t) {
    size_t size = clary_dtype_size(t);
    if (!memcmp(a, b, size)) return true;
    if (clary__is_complex(t)) {
        clary_dtype part = clary__real_of(t);
        return same_element(a, b, part) && same_element(a + size / 2, b + size / 2, part);
    }
    if (!clary__is_float(t)) return false;
    clary_scalar x = clary__scalar_load(a, t), y = clary__scalar_load(b, t);
    return x.re != x.re && y.re != y.re;
}

static inline void describe(char *text, size_t room, const char *how) {
    char shape[CLARY__SHAPE_TEXT];
    int used = snprintf(text, room, "%s, pattern %d, shape %s keep %d, reduce %d %s;", how,
                        (int)g.pattern, clary__shape_text(g.ndim, g.shape, shape), g.nkeep,
                        g.reduce_op, clary_dtype_name(g.reduce_dtype));
    for (int i = 0; i < g.ninputs && used < (int)room - 64; i++)
        used += snprintf(
            text + used, room - (size_t)used, " %s %s+%d", clary_dtype_name(g.inputs[i].dtype),
            clary__shape_text(g.ndim, g.inputs[i].strides, shape), (int)g.inputs[i].offset);
    for (int i = 0; i < g.noutputs && used < (int)room - 64; i++)
        used += snprintf(
            text + used, room - (size_t)used, " -> %s %s+%d", clary_dtype_name(g.outputs[i].dtype),
            clary__shape_text(g.ndim, g.outputs[i].strides, shape), (int)g.outputs[i].offset);
}

static inline bool run_on_device(unsigned char *const *got) {
    bool good = true;
    for (int i = 0; i < g.ninputs && good; i++) {
        good =
            CHECK_OK(clary__buffer_new(device, bytes[i], &g.inputs[i].buffer)) &&
            CHECK_OK(device->backend->upload(device, g.inputs[i].buffer, 0, memory[i], bytes[i]));
    }
    for (int i = 0; i < g.noutputs && good; i++) {
        size_t n = bytes[CLARY__MAX_INPUTS + i];
        if (g.in_place && i == 0)
            g.outputs[0].buffer = clary__buffer_retain(g.inputs[0].buffer);
        else
            good = CHECK_OK(clary__buffer_new(device, n, &g.outputs[i].buffer));
        good = good && CHECK_OK(device->backend->upload(device, g.outputs[i].buffer, 0, got[i], n));
    }
    good = good && CHECK_OK(device->backend->run(device, &g));
    for (int i = 0; i < g.noutputs && good; i++)
        good = CHECK_OK(device->backend->download(device, g.outputs[i].buffer, 0, got[i],
                                                  bytes[CLARY__MAX_INPUTS + i]));
    for (int i = 0; i < g.ninputs; i++) clary__buffer_release(g.inputs[i].buffer);
    for (int i = 0; i < g.noutputs; i++) clary__buffer_release(g.outputs[i].buffer);
    return good;
}

static inline void compare(const char *how) {
    clary__host_bases bases;
    unsigned char *got[CLARY__MAX_OUTPUTS];
    char text[2000];
    for (int i = 0; i < g.ninputs; i++) bases.inputs[i] = memory[i];
    for (int i = 0; i < g.noutputs; i++) {
        size_t n = bytes[CLARY__MAX_INPUTS + i];
        got[i] = malloc(n);
        bases.outputs[i] = malloc(n);
        memset(got[i], 0xA5, n);
        memset(bases.outputs[i], 0xA5, n);
        if (g.in_place && i == 0) {
            memcpy(got[i], memory[0], n);
            memcpy(bases.outputs[i], memory[0], n);
            bases.inputs[0] = bases.outputs[i];
        }
    }
    bool ran = run_on_device(got);
    describe(text, sizeof text, how);
    CHECK_MSG(ran, "%s", text);
    CHECK_OK(clary__run_on_host(&g, &bases, 2));
    for (int i = 0; i < g.noutputs && ran; i++) {
        clary_dtype t = g.outputs[i].dtype;
        size_t size = clary_dtype_size(t), count = bytes[CLARY__MAX_INPUTS + i] / size, k = 0;
        const unsigned char *want = bases.outputs[i];
        while (k < count && same_element(got[i] + k * size, want + k * size, t)) k++;
        clary_scalar x = {0}, y = {0};
        if (k < count) {
            x = clary__scalar_load(got[i] + k * size, t);
            y = clary__scalar_load(want + k * size, t);
        }
        CHECK_MSG(k == count,
                  "output %d at %zu of %zu: %.17g %" PRId64 ", not %.17g %" PRId64 ": %s", i, k,
                  count, x.re, x.i, y.re, y.i, text);
    }
    for (int i = 0; i < g.noutputs; i++) {
        free(got[i]);
        free(bases.outputs[i]);
    }
}

/* As the device is, and as if it was a GPU. */
static inline void check_group(void) {
    const char *type = device->info.type;
    compare(type);
    if (strcmp(type, "cpu")) return;
    device->info.type = "gpu";
    compare("as gpu");
    device->info.type = type;
}

#endif

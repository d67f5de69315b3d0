/* groups.h - groups made by hand, and elements to run them on, for tests of the reference executor. */
#ifndef CLARY_TESTS_GROUPS_H
#define CLARY_TESTS_GROUPS_H
#include "check.h"
#include "graph/group.h"

static inline clary_op op_named(const char *name) {
    clary_op op = CLARY_OP_COUNT;
    CHECK_OK(clary_find_op(name, &op));
    return op;
}

static inline clary__group *group_new(clary__pattern pattern, int ndim, int nkeep,
                                      const int64_t *shape) {
    clary__group *g = calloc(1, sizeof *g);
    g->pattern = pattern;
    g->ndim = ndim;
    g->nkeep = nkeep;
    g->points = 1;
    g->what = "test";
    for (int d = 0; d < ndim; d++) g->points *= g->shape[d] = shape[d];
    return g;
}

static inline int add_instr(clary__group *g, clary__code code, clary_dtype in, clary_dtype dtype,
                            int op, int a, int b, int c) {
    g->instr[g->ninstr] = (clary__instr){(uint8_t)code, (uint8_t)dtype, (uint8_t)in, (uint8_t)op,
                                         (uint16_t)a,   (uint16_t)b,    (uint16_t)c};
    return g->ninstr++;
}

static inline int add_load(clary__group *g, clary_dtype t, int64_t offset, const int64_t *strides) {
    clary__operand *x = &g->inputs[g->ninputs];
    x->dtype = t;
    x->offset = offset;
    memcpy(x->strides, strides, (size_t)g->ndim * sizeof *strides);
    return add_instr(g, CLARY__I_LOAD, t, t, 0, g->ninputs++, 0, 0);
}

static inline void add_output(clary__group *g, int instr, int64_t offset, const int64_t *strides) {
    clary__operand *x = &g->outputs[g->noutputs++];
    x->dtype = g->instr[instr].dtype;
    x->instr = (uint16_t)instr;
    x->offset = offset;
    memcpy(x->strides, strides, (size_t)g->ndim * sizeof *strides);
}

static inline void c_strides(int first, int last, const int64_t *shape, int64_t *strides) {
    int64_t step = 1;
    for (int d = last - 1; d >= first; d--) {
        strides[d] = step;
        step *= shape[d];
    }
}

/* Random elements: interesting values now and then, for every dtype. */
static inline void random_elements(clary_dtype t, int64_t n, void *out) {
    static const double special[] = {0.0, -0.0, 1.0, -1.0,  INFINITY, -INFINITY,
                                     NAN, 0.5,  2.0, 1e-30, 65504};
    size_t size = clary_dtype_size(t);
    for (int64_t k = 0; k < n; k++) {
        clary_scalar s = {.kind = CLARY_SCALAR_COMPLEX};
        bool odd = check_random() % 8 == 0;
        s.re = odd ? special[check_random() % 11] : check_random_real(-8, 8);
        s.im = check_random() % 8 == 0 ? special[check_random() % 11] : check_random_real(-8, 8);
        if (!clary__is_complex(t)) s.kind = CLARY_SCALAR_FLOAT;
        if (clary__is_integer(t)) {
            s.kind = CLARY_SCALAR_INT;
            s.i = (int64_t)check_random() >> (check_random() % 64);
        }
        clary__scalar_store(s, t, (char *)out + k * (int64_t)size);
    }
}

static inline int class_of(clary_scalar s) {
    return 2 * (s.re != s.re) + (s.im != s.im);
}

/* Element a comes before b: group.h, Note [Sort order]. */
static inline bool before(clary_dtype t, const void *a, const void *b) {
    clary_scalar x = clary__scalar_load(a, t), y = clary__scalar_load(b, t);
    if (x.kind == CLARY_SCALAR_UINT || y.kind == CLARY_SCALAR_UINT) {
        uint64_t u = x.kind == CLARY_SCALAR_UINT ? x.u : (uint64_t)x.i;
        uint64_t v = y.kind == CLARY_SCALAR_UINT ? y.u : (uint64_t)y.i;
        return u < v;
    }
    if (x.kind <= CLARY_SCALAR_INT) return x.i < y.i;
    if (class_of(x) != class_of(y)) return class_of(x) < class_of(y);
    if (x.re < y.re || x.re > y.re) return x.re < y.re;
    return x.im < y.im;
}

#endif

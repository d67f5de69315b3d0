/* plan.c - fusion: a piece of the graph becomes one group.
 *
 * Starting at the roots with the identity map, `emit` walks down and writes instructions. A map
 * says which element of a value each point of the iteration space needs. Element-wise nodes hand
 * their map to their inputs, views compose it with their own layout, and a value that has a buffer
 * becomes a load whose strides are the map's. What cannot be fused (a view whose composition is not
 * strided, an update, a second reduction) is computed first, by a group of its own, and then
 * loaded.
 *
 * Note [Recompute or store]. A value that was computed inside a group, without being stored, and is
 * needed by another group is computed again if it is cheap (few nodes, so mostly loads that would
 * be paid anyway) or if nobody else holds it, else stored the second time: nothing is computed more
 * than twice.
 */
#include "graph/plan.h"
#include <string.h>

#define CHEAP_PENDING 6

static uint16_t emit(clary__plan *p, clary__value *v, int map);

static int intern_map(clary__plan *p, const clary__layout *l) {
    for (int m = 0; m < p->nmaps; m++) {
        const clary__layout *k = &p->maps[m];
        if (k->offset == l->offset && k->ndim == l->ndim &&
            !memcmp(k->strides, l->strides, (size_t)l->ndim * sizeof *l->strides))
            return m;
    }
    if (p->nmaps == CLARY__MAX_MAPS) {
        p->full = true;
        return 0;
    }
    clary__layout *k = &p->maps[p->nmaps];
    k->ndim = l->ndim;
    k->offset = l->offset;
    memcpy(k->shape, l->shape, (size_t)l->ndim * sizeof *l->shape);
    memcpy(k->strides, l->strides, (size_t)l->ndim * sizeof *l->strides);
    return p->nmaps++;
}

static bool stopped(const clary__plan *p) {
    return p->full || p->core_twice || p->status != CLARY_OK;
}

static uint16_t add_instr(clary__plan *p, clary__instr instr) {
    if (p->group.ninstr == CLARY__MAX_INSTR) {
        p->full = true;
        return 0;
    }
    p->group.instr[p->group.ninstr] = instr;
    return (uint16_t)p->group.ninstr++;
}

static void set_operand(clary__operand *o, clary__buffer *buffer, int dtype,
                        const clary__layout *l) {
    o->buffer = buffer;
    o->dtype = (clary_dtype)dtype;
    o->offset = l->offset;
    o->random = false;
    memcpy(o->strides, l->strides, (size_t)l->ndim * sizeof *l->strides);
}

/* A PRODUCT leaves one place: an engine may store the product, and its epilogue then loads it. */
static bool inputs_full(const clary__plan *p) {
    return p->group.ninputs >= CLARY__MAX_INPUTS - (p->group.pattern == CLARY__PRODUCT);
}

static uint16_t emit_load(clary__plan *p, clary__value *v, int map) {
    if (inputs_full(p)) {
        p->full = true;
        return 0;
    }
    /* Held until the group has run: what is computed on the way may let v, and with it the buffer, go. */
    int n = p->group.ninputs++;
    set_operand(&p->group.inputs[n], clary__buffer_retain(v->buffer), v->dtype, &p->maps[map]);
    return add_instr(p, (clary__instr){CLARY__I_LOAD, v->dtype, v->dtype, 0, (uint16_t)n, 0, 0});
}

/* An operand read at random: no map applies to it. */
static uint16_t add_random(clary__plan *p, clary__value *v) {
    clary__layout start = {.ndim = p->iteration.ndim};
    p->status = clary__compute(v);
    if (stopped(p)) return 0;
    if (inputs_full(p)) {
        p->full = true;
        return 0;
    }
    int n = p->group.ninputs++;
    set_operand(&p->group.inputs[n], clary__buffer_retain(v->buffer), v->dtype, &start);
    p->group.inputs[n].random = true;
    return (uint16_t)n;
}

static uint16_t emit_scalar(clary__plan *p, int dtype, const void *element) {
    if (p->group.nscalars == CLARY__MAX_SCALARS) {
        p->full = true;
        return 0;
    }
    int n = p->group.nscalars++;
    memset(p->group.scalars[n], 0, sizeof p->group.scalars[n]);
    memcpy(p->group.scalars[n], element, clary_dtype_size((clary_dtype)dtype));
    return add_instr(
        p, (clary__instr){CLARY__I_SCALAR, (uint8_t)dtype, (uint8_t)dtype, 0, (uint16_t)n, 0, 0});
}

static uint16_t emit_index(clary__plan *p, int map) {
    if (p->group.nindices == CLARY__MAX_INPUTS) {
        p->full = true;
        return 0;
    }
    int n = p->group.nindices++;
    set_operand(&p->group.indices[n], NULL, CLARY_INT64, &p->maps[map]);
    return add_instr(
        p, (clary__instr){CLARY__I_INDEX, CLARY_INT64, CLARY_INT64, 0, (uint16_t)n, 0, 0});
}

/* Computes v on its own, then loads it. */
static uint16_t emit_stored(clary__plan *p, clary__value *v, int map) {
    p->status = clary__compute(v);
    return p->status == CLARY_OK ? emit_load(p, v, map) : 0;
}

/* Every point needs the one element of v. */
static int constant_map(clary__plan *p) {
    clary__layout l = {.ndim = p->iteration.ndim};
    memcpy(l.shape, p->iteration.shape, sizeof l.shape);
    return intern_map(p, &l);
}

/* Note [Recompute or store]. */
static bool worth_storing(const clary__plan *p, const clary__value *v) {
    bool again = v->touched && v->touched != p->serial;
    bool dear = v->pending > CHEAP_PENDING || v->kind == CLARY__V_SEARCH;
    return again && dear && atomic_load(&v->refs) > 1;
}

static uint16_t emit_elementwise(clary__plan *p, clary__value *v, int map) {
    if (worth_storing(p, v)) return emit_stored(p, v, map);
    uint16_t args[3] = {0};
    for (int i = 0; i < v->nin && !stopped(p); i++) {
        clary__value *in = v->in[i];
        args[i] = emit(p, in, in->size == 1 && v->size != 1 ? constant_map(p) : map);
    }
    if (stopped(p)) return 0;
    v->touched = p->serial;
    if (v->kind == CLARY__V_CAST)
        return add_instr(
            p, (clary__instr){CLARY__I_CAST, v->dtype, v->in[0]->dtype, 0, args[0], 0, 0});
    /* SELECT's first input is its condition, so the last but one tells the compute dtype; of a
     * binary operation that is the first, which also holds for ldexp. */
    uint8_t in = v->in[v->nin == 3 ? 1 : 0]->dtype;
    return add_instr(
        p, (clary__instr){CLARY__I_OP, v->dtype, in, (uint8_t)v->op, args[0], args[1], args[2]});
}

static uint16_t emit_int64(clary__plan *p, int64_t x) {
    return emit_scalar(p, CLARY_INT64, &x);
}

/* CHECK, GATHER and SEARCH: element-wise in their first input. */
static uint16_t emit_indexed(clary__plan *p, clary__value *v, int map) {
    clary__value *in = v->in[0];
    if (worth_storing(p, v)) return emit_stored(p, v, map);
    clary__instr instr = {.dtype = v->dtype, .in = in->dtype};
    uint16_t data = v->kind == CLARY__V_CHECK ? 0 : add_random(p, v->in[1]);
    if (stopped(p)) return 0;
    instr.a = emit(p, in, in->size == 1 && v->size != 1 ? constant_map(p) : map);
    if (stopped(p)) return 0;
    if (v->kind == CLARY__V_CHECK) {
        int64_t numbers[2];
        memcpy(numbers, v->scalar, sizeof numbers);
        instr.code = CLARY__I_CHECK;
        instr.op = (uint8_t)v->op;
        instr.b = emit_int64(p, numbers[0]);
        instr.c = emit_int64(p, numbers[1]);
    } else if (v->kind == CLARY__V_GATHER) {
        instr.code = CLARY__I_GATHER;
        instr.c = data;
    } else {
        instr.code = CLARY__I_SEARCH;
        instr.op = (uint8_t)v->op;
        instr.b = emit_int64(p, v->in[1]->size);
        instr.c = data;
    }
    v->touched = p->serial;
    return stopped(p) ? 0 : add_instr(p, instr);
}

static uint16_t emit_view(clary__plan *p, clary__value *v, int map) {
    clary__layout own, composed;
    clary__value_layout(v, &own);
    if (!clary__layout_compose(&p->maps[map], &own, &composed)) return emit_stored(p, v, map);
    int m = intern_map(p, &composed);
    return stopped(p) ? 0 : emit(p, v->in[0], m);
}

static uint16_t emit_reduce(clary__plan *p, clary__value *v, int map) {
    if (v == p->core) { /* its RESULT is instr[split], at the roots' own points only */
        if (p->prologue || map != 0) p->core_twice = true;
        return (uint16_t)p->group.split;
    }
    unsigned char identity[16] = {0};
    if (v->kind == CLARY__V_REDUCE && v->in[0]->size == 0 && v->op < CLARY__ARGMAX &&
        clary__op_identity((clary_op)v->op, (clary_dtype)v->dtype, identity))
        return emit_scalar(p, v->dtype, identity);
    return emit_stored(p, v, map);
}

/* The instruction that holds the elements of v which `map` names. */
static uint16_t emit(clary__plan *p, clary__value *v, int map) {
    for (int i = 0; i < p->nmemo; i++)
        if (p->memo[i].value == v && p->memo[i].map == map) return p->memo[i].instr;
    uint16_t instr = 0;
    if (v->buffer) {
        instr = emit_load(p, v, map);
    } else {
        switch ((clary__kind)v->kind) {
        case CLARY__V_SCALAR: instr = emit_scalar(p, v->dtype, v->scalar); break;
        case CLARY__V_INDEX: instr = emit_index(p, map); break;
        case CLARY__V_OP:
        case CLARY__V_CAST: instr = emit_elementwise(p, v, map); break;
        case CLARY__VIEW: instr = emit_view(p, v, map); break;
        case CLARY__V_REDUCE:
        case CLARY__V_SCAN:
        case CLARY__V_PRODUCT: instr = emit_reduce(p, v, map); break;
        case CLARY__LEAF:
        case CLARY__EMPTY:
        case CLARY__UPDATE:
        case CLARY__V_SCATTER:
        case CLARY__V_FFT:
        case CLARY__V_SORT: instr = emit_stored(p, v, map); break;
        case CLARY__V_CHECK:
        case CLARY__V_GATHER:
        case CLARY__V_SEARCH: instr = emit_indexed(p, v, map); break;
        }
    }
    if (!stopped(p) && p->nmemo < CLARY__MAX_INSTR) {
        p->memo[p->nmemo].value = v;
        p->memo[p->nmemo].map = map;
        p->memo[p->nmemo++].instr = instr;
    }
    return instr;
}

void clary__plan_end(clary__plan *p) {
    for (int i = 0; i < p->group.ninputs; i++) clary__buffer_release(p->group.inputs[i].buffer);
    p->group.ninputs = 0;
    clary__buffer_release(p->group.product.x.buffer);
    clary__buffer_release(p->group.product.y.buffer);
    p->group.product.x.buffer = p->group.product.y.buffer = NULL;
    clary__value_release(p->core);
    p->core = NULL;
}

static void start(clary__plan *p, int ndim, const int64_t *shape) {
    static uint32_t serial; /* under the engine lock */
    clary__group *g = &p->group;
    clary__plan_end(p);
    g->pattern = CLARY__MAP;
    g->ninstr = g->split = 0;
    g->noutputs = g->nscalars = g->nindices = 0;
    g->in_place = false;
    g->reduce_op = g->reduce_arg = 0;
    g->reduce_dtype = CLARY_BOOL;
    g->what = "";
    p->prologue = p->full = p->core_twice = false;
    p->status = CLARY_OK;
    p->nmaps = p->nmemo = 0;
    p->serial = ++serial ? serial : ++serial;
    clary__layout_contiguous(&p->iteration, ndim, shape);
    g->nkeep = ndim;
}

static clary__value *find_core(clary__value *v, uint32_t mark) {
    if (v->buffer || v->mark == mark) return NULL;
    v->mark = mark;
    if (v->kind == CLARY__V_REDUCE || v->kind == CLARY__V_SCAN)
        return v->in[0]->size > 0 ? v : NULL;
    if (v->kind == CLARY__V_PRODUCT) return v;
    bool indexed =
        v->kind == CLARY__V_CHECK || v->kind == CLARY__V_GATHER || v->kind == CLARY__V_SEARCH;
    if (v->kind != CLARY__V_OP && v->kind != CLARY__V_CAST && !indexed) return NULL;
    for (int i = 0; i < (indexed ? 1 : v->nin); i++) {
        clary__value *core = v->in[i]->size == v->size ? find_core(v->in[i], mark) : NULL;
        if (core) return core;
    }
    return NULL;
}

clary__value *clary__plan_core(clary__value *v) {
    return find_core(v, clary__next_mark());
}

/* Sets the iteration space to kept dims, then reduced (or scanned) ones; emits below the core and
 * its RESULT. The input's own map is put at `inner`, the map of the core's elements at
 * p->iteration. */
static void emit_core(clary__plan *p, clary__value *core) {
    clary__value *in = core->in[0];
    const int64_t *shape = clary__shape(in);
    bool scan = core->kind == CLARY__V_SCAN;
    uint32_t mask = scan ? 1u << core->mask : core->mask;
    clary__layout inner = {.ndim = in->ndim}, *outer = &p->iteration;
    int64_t in_strides[CLARY_MAX_NDIM], kept_strides[CLARY_MAX_NDIM];
    clary__contiguous_strides(in->ndim, shape, in_strides);
    clary__contiguous_strides(core->ndim, clary__shape(core), kept_strides);
    outer->ndim = in->ndim;
    outer->offset = 0;
    int n = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int d = 0, kept = 0; d < in->ndim; d++) {
            bool reduced = mask >> d & 1;
            if (reduced == (pass == 1)) {
                inner.shape[n] = outer->shape[n] = shape[d];
                inner.strides[n] = in_strides[d];
                outer->strides[n] = scan ? in_strides[d] : reduced ? 0 : kept_strides[kept];
                n++;
            }
            kept += !reduced;
        }
        if (pass == 0) p->group.nkeep = n;
    }
    p->group.pattern = scan ? CLARY__SCAN : CLARY__REDUCE;
    p->group.reduce_op = core->op;
    p->group.reduce_dtype = (clary_dtype)in->dtype;
    p->core = clary__value_retain(core); /* what is computed on the way may let it go */
    p->prologue = true;
    p->group.split = -1;
    uint16_t arg = emit(p, in, intern_map(p, &inner));
    if (stopped(p)) return;
    p->prologue = false;
    p->group.reduce_arg = arg;
    p->group.split =
        add_instr(p, (clary__instr){CLARY__I_RESULT, core->dtype, core->dtype, 0, 0, 0, 0});
    p->nmaps = p->nmemo = 0; /* values below the core do not exist at its points */
}

static void take_operand(clary__operand *o, const clary__value *in, const int64_t *attributes) {
    o->buffer = clary__buffer_retain(in->buffer);
    o->dtype = (clary_dtype)in->dtype;
    o->random = false;
    o->offset = attributes[0];
    memcpy(o->strides, attributes + 1, 4 * sizeof *attributes);
}

/* The operands are computed before; the iteration space is the product's own. */
static void emit_product(clary__plan *p, clary__value *core) {
    clary__product *product = &p->group.product;
    p->core = clary__value_retain(core);
    p->group.pattern = CLARY__PRODUCT;
    for (int i = 0; i < 2 && p->status == CLARY_OK; i++) p->status = clary__compute(core->in[i]);
    if (p->status != CLARY_OK) return;
    take_operand(&product->x, core->in[0], core->geometry + 4);
    take_operand(&product->y, core->in[1], core->geometry + 9);
    product->dtype = product->x.dtype;
    product->inner = core->geometry[14];
    clary__layout_contiguous(&p->iteration, 4, clary__shape(core));
    p->group.nkeep = 4;
    p->group.reduce_dtype = (clary_dtype)core->dtype;
    p->group.split =
        add_instr(p, (clary__instr){CLARY__I_RESULT, core->dtype, core->dtype, 0, 0, 0, 0});
}

static const char *name_of(const clary__value *v) {
    switch ((clary__kind)v->kind) {
    case CLARY__V_OP:
    case CLARY__V_REDUCE:
    case CLARY__V_SCAN: {
        clary_op_info info;
        if (v->op >= CLARY__ARGMAX) return v->op == CLARY__ARGMAX ? "argmax" : "argmin";
        return clary_get_op_info((clary_op)v->op, &info) == CLARY_OK ? info.name : "?";
    }
    case CLARY__V_CAST: return "astype";
    case CLARY__VIEW: return "copy";
    case CLARY__UPDATE: return "assign";
    case CLARY__V_CHECK: return "index";
    case CLARY__V_GATHER: return "take";
    case CLARY__V_SEARCH: return "searchsorted";
    case CLARY__V_PRODUCT: return "matmul";
    default: return "fill";
    }
}

static clary_status plan_with_core(clary__plan *p, clary__value *const *roots, int count,
                                   clary__value *core, uint16_t *instrs) {
    start(p, roots[0]->ndim, clary__shape(roots[0]));
    p->group.what = name_of(core ? core : roots[0]);
    if (core && core->kind == CLARY__V_PRODUCT)
        emit_product(p, core);
    else if (core)
        emit_core(p, core);
    int map = stopped(p) ? 0 : intern_map(p, &p->iteration); /* the first: number 0 */
    for (int i = 0; i < count; i++) roots[i]->touched = 0;   /* they are stored now */
    for (int i = 0; i < count && !stopped(p); i++) instrs[i] = emit(p, roots[i], map);
    if (!core) p->group.split = p->group.ninstr;
    return p->status;
}

clary_status clary__plan_roots(clary__plan *p, clary__value *const *roots, int count,
                               uint16_t *instrs) {
    clary__value *core = count == 1 ? clary__plan_core(roots[0]) : NULL;
    TRY(plan_with_core(p, roots, count, core, instrs));
    if (p->core_twice) {
        TRY(clary__compute(core));
        TRY(plan_with_core(p, roots, count, clary__plan_core(roots[0]), instrs));
        if (p->core_twice) p->full = true;
    }
    return CLARY_OK;
}

clary_status clary__plan_source(clary__plan *p, clary__value *source, int ndim,
                                const int64_t *shape, uint16_t *instr) {
    start(p, ndim, shape);
    p->group.what = "assign";
    int map = intern_map(p, &p->iteration);
    if (source->size == 1) map = constant_map(p);
    *instr = emit(p, source, map);
    p->group.split = p->group.ninstr;
    return p->status;
}

void clary__plan_output(clary__plan *p, clary__buffer *buffer, clary_dtype dtype, uint16_t instr,
                        const clary__layout *layout) {
    clary__operand *o = &p->group.outputs[p->group.noutputs++];
    set_operand(o, buffer, dtype, layout ? layout : &p->iteration);
    o->instr = instr;
}

/* ---- finishing: the fewest, best ordered dims ---- */

typedef struct operands {
    clary__operand *at[2 * CLARY__MAX_INPUTS + CLARY__MAX_OUTPUTS];
    int count;
} operands;

static void collect(operands *all, clary__operand *list, int count) {
    for (int i = 0; i < count; i++) all->at[all->count++] = &list[i];
}

static int64_t magnitude(int64_t x) {
    return x < 0 ? -x : x;
}

/* A MAP's points are independent: walk them in the order of the first output's memory. */
static void follow_output(clary__group *g, const operands *all) {
    const clary__operand *out = &g->outputs[0];
    for (int d = 0; d < g->ndim; d++) {
        if (out->strides[d] >= 0) continue;
        for (int i = 0; i < all->count; i++) {
            all->at[i]->offset += all->at[i]->strides[d] * (g->shape[d] - 1);
            all->at[i]->strides[d] = -all->at[i]->strides[d];
        }
    }
    for (int n = 1; n < g->ndim; n++)
        for (int d = n; d > 0 && magnitude(out->strides[d - 1]) < magnitude(out->strides[d]) &&
                        g->shape[d] > 1 && g->shape[d - 1] > 1;
             d--) {
            int64_t t = g->shape[d];
            g->shape[d] = g->shape[d - 1];
            g->shape[d - 1] = t;
            for (int i = 0; i < all->count; i++) {
                int64_t *s = all->at[i]->strides;
                t = s[d];
                s[d] = s[d - 1];
                s[d - 1] = t;
            }
        }
}

static bool continues(const operands *all, int outer, int inner, int64_t extent) {
    for (int i = 0; i < all->count; i++)
        if (all->at[i]->strides[outer] != all->at[i]->strides[inner] * extent) return false;
    return true;
}

void clary__plan_finish(clary__plan *p) {
    clary__group *g = &p->group;
    operands all = {.count = 0};
    collect(&all, g->inputs, g->ninputs);
    collect(&all, g->outputs, g->noutputs);
    collect(&all, g->indices, g->nindices);
    g->ndim = p->iteration.ndim;
    g->points = 1;
    for (int d = 0; d < g->ndim; d++) {
        g->shape[d] = p->iteration.shape[d];
        g->points *= g->shape[d];
    }
    if (g->pattern == CLARY__MAP) follow_output(g, &all);
    bool fixed = g->pattern == CLARY__PRODUCT; /* its dims stay as they are */
    int n = 0, kept = 0, first = 0; /* dims so far; those kept; first of the current kind */
    for (int d = 0; d < g->ndim; d++) {
        bool keep = d < g->nkeep;
        if (d == g->nkeep) first = n;
        bool scanned = g->pattern == CLARY__SCAN && !keep;
        if (g->shape[d] == 1 && !scanned && !fixed) continue;
        if (n > first && !fixed && continues(&all, n - 1, d, g->shape[d])) {
            g->shape[n - 1] *= g->shape[d];
            for (int i = 0; i < all.count; i++) all.at[i]->strides[n - 1] = all.at[i]->strides[d];
            continue;
        }
        g->shape[n] = g->shape[d];
        for (int i = 0; i < all.count; i++) all.at[i]->strides[n] = all.at[i]->strides[d];
        n++;
        kept += keep;
    }
    g->ndim = n;
    g->nkeep = kept;
    for (int i = 0; i < g->noutputs; i++)
        for (int j = 0; j < g->ninputs; j++)
            if (g->outputs[i].buffer == g->inputs[j].buffer) g->in_place = true;
}

/* machine.c - programs and machines: see machine.h. */
#include "reference/machine.h"
#include <pthread.h>
#include "cl/prelude.cl"

/* ---- program ---- */

/* The instruction after which a value is not needed any more. */
static void find_last_uses(const clary__group *g, const uint8_t *arity, int *last) {
    for (int i = 0; i < g->ninstr; i++) {
        const clary__instr *in = &g->instr[i];
        const uint16_t args[3] = {in->a, in->b, in->c};
        last[i] = i;
        for (int k = 0; k < arity[i]; k++) last[args[k]] = i;
    }
    if (g->pattern != CLARY__MAP && last[g->reduce_arg] < g->split) last[g->reduce_arg] = g->split;
    for (int o = 0; o < g->noutputs; o++) last[g->outputs[o].instr] = g->ninstr;
}

static bool is_uniform(const clary__group *g, const clary__operand *operand) {
    for (int d = 0; d < g->ndim; d++)
        if (operand->strides[d] != 0) return false;
    return true;
}

/* Slots by liveness. An operation writes onto a dying argument if the values have the same size, which
 * keeps what is in use small: that is what first-level caches are for. */
static void assign_slots(clary__program *p) {
    const clary__group *g = p->group;
    int last[CLARY__MAX_INSTR], nfree = 0;
    uint8_t free_slots[CLARY__MAX_INSTR];
    size_t size[CLARY__MAX_INSTR], largest = 1;
    find_last_uses(g, p->arity, last);
    p->nslots = 0;
    for (int i = 0; i < g->ninstr; i++) {
        const clary__instr *in = &g->instr[i];
        const uint16_t args[3] = {in->a, in->b, in->c};
        size[i] = clary__strip_size(in->dtype);
        if (size[i] > largest) largest = size[i];
        int mine = -1, ndying = 0;
        uint8_t
            dying[3]; /* free only once this result has its slot: another size must not overlap */
        for (int k = 0; k < p->arity[i]; k++) {
            int a = args[k];
            if (last[a] != i || p->constant[a]) continue;
            last[a] = -1; /* x + x frees x once */
            if (mine < 0 && size[a] == size[i])
                mine = p->slot[a];
            else
                dying[ndying++] = p->slot[a];
        }
        if (mine < 0) mine = nfree && !p->constant[i] ? free_slots[--nfree] : p->nslots++;
        while (ndying > 0) free_slots[nfree++] = dying[--ndying];
        p->slot[i] = (uint8_t)mine;
        if (last[i] == i && !p->constant[i]) free_slots[nfree++] = p->slot[i], last[i] = -1;
    }
    p->slot_bytes = ((size_t)p->strip * largest + 63) & ~(size_t)63;
}

clary_status clary__program_init(clary__program *p, const clary__group *group,
                                 const clary__host_bases *bases, int threads) {
    p->group = group;
    p->bases = bases;
    p->threads = threads;
    p->strip = group->points < CLARY__STRIP ? group->points : CLARY__STRIP;
    p->copy_loads = group->in_place && group->noutputs > 1;
    for (int i = 0; i < group->ninstr; i++) {
        const clary__instr *in = &group->instr[i];
        p->arity[i] = (uint8_t)clary__instr_arity(in);
        p->constant[i] = false;
        p->direct[i] = -1;
        switch ((clary__code)in->code) {
        case CLARY__I_LOAD: p->constant[i] = is_uniform(group, &group->inputs[in->a]); break;
        case CLARY__I_SCALAR: p->constant[i] = true; break;
        case CLARY__I_CAST: p->loop[i].cast = clary__find_cast(in->in, in->dtype); break;
        case CLARY__I_SEARCH: p->loop[i].search = clary__find_search(in->in); break;
        case CLARY__I_OP: {
            clary_op_info info;
            TRY(clary_get_op_info(in->op, &info));
            p->loop[i].op = clary__find_loop(in->op, in->in);
            FAIL_IF(!p->loop[i].op, CLARY_INTERNAL, "%s: no reference loop for %s in %s", info.name,
                    clary_dtype_name(in->in), group->what ? group->what : "a group");
            break;
        }
        case CLARY__I_CHECK:
        case CLARY__I_GATHER:
        case CLARY__I_INDEX:
        case CLARY__I_RESULT: break;
        }
    }
    for (int o = 0; o < group->noutputs; o++) {
        int i = group->outputs[o].instr;
        bool alone = !group->in_place || (group->noutputs == 1 && i == group->ninstr - 1);
        if (alone && p->arity[i] > 0 && !clary__is_half(group->instr[i].dtype))
            p->direct[i] = (int8_t)o;
    }
    assign_slots(p);
    return CLARY_OK;
}

/* ---- machine ---- */

static void fill(clary_dtype t, const void *element, size_t n, void *out) {
    float as_float32 = 0;
    if (clary__is_half(t)) {
        clary__widen(t, element, 1, &as_float32);
        element = &as_float32;
    }
    size_t size = clary__strip_size(t);
    for (size_t k = 0; k < n; k++) memcpy((char *)out + k * size, element, size);
}

static char *slot_of(const clary__machine *m, int i) {
    return m->slots + m->program->slot[i] * m->program->slot_bytes;
}

clary_status clary__machine_open(clary__machine *m, const clary__program *p) {
    const clary__group *g = p->group;
    size_t bytes = (size_t)p->nslots * p->slot_bytes;
    m->program = p;
    m->fault.raised = 0;
    m->block = NULL;
    m->slots = m->small;
    if (bytes > sizeof m->small) {
        m->block = clary__malloc(bytes + 63);
        FAIL_IF(!m->block, CLARY_OUT_OF_MEMORY, "%s: no memory for %zu bytes of scratch space",
                g->what ? g->what : "evaluation", bytes);
        m->slots = (char *)(((uintptr_t)m->block + 63) & ~(uintptr_t)63);
    }
    for (int i = 0; i < g->ninstr; i++) {
        m->value[i] = slot_of(m, i);
        if (!p->constant[i]) continue;
        const clary__instr *in = &g->instr[i];
        const void *element = g->scalars[in->a];
        if (in->code == CLARY__I_LOAD)
            element = (const char *)p->bases->inputs[in->a] +
                      g->inputs[in->a].offset * (int64_t)clary_dtype_size(in->dtype);
        fill(in->dtype, element, (size_t)p->strip, slot_of(m, i));
    }
    return CLARY_OK;
}

void clary__machine_close(clary__machine *m) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of every program's fault */
    clary__fault *first = m->program->fault;
    clary__dealloc(m->block);
    if (!m->fault.raised) return;
    pthread_mutex_lock(&lock);
    if (!first->raised || m->fault.raised < first->raised) *first = m->fault;
    pthread_mutex_unlock(&lock);
}

void clary__walks_init(clary__walks *walks, const clary__group *g, const clary__space *space,
                       int first, int last, bool store) {
    for (int i = first; i < last; i++) {
        const clary__instr *in = &g->instr[i];
        if (in->code == CLARY__I_LOAD)
            clary__walk_init(&walks->inputs[in->a], space, &g->inputs[in->a]);
        else if (in->code == CLARY__I_INDEX)
            clary__walk_init(&walks->indices[in->a], space, &g->indices[in->a]);
    }
    for (int o = 0; store && o < g->noutputs; o++)
        clary__walk_init(&walks->outputs[o], space, &g->outputs[o]);
}

static void load(clary__machine *m, const clary__walk *walk, int i, int64_t point, size_t n) {
    const clary__instr *in = &m->program->group->instr[i];
    const char *base = m->program->bases->inputs[in->a];
    size_t size = clary_dtype_size(in->dtype);
    const void *here = base + (walk->offset + point) * (int64_t)size; /* if flat */
    if (clary__is_half(in->dtype)) {
        uint16_t halves[CLARY__STRIP];
        if (!walk->flat) clary__walk_read(walk, base, size, point, n, halves);
        clary__widen(in->dtype, walk->flat ? here : halves, n, (float *)slot_of(m, i));
    } else if (walk->flat && !m->program->copy_loads) {
        m->value[i] = here;
    } else {
        clary__walk_read(walk, base, size, point, n, slot_of(m, i));
        m->value[i] = slot_of(m, i);
    }
}

/* Where the result of instruction i goes: its output, where that is dense, else its slot. */
static void *target(clary__machine *m, const clary__walks *walks, int i, int64_t point) {
    int o = m->program->direct[i];
    void *to = slot_of(m, i);
    if (o >= 0 && walks->outputs[o].flat)
        to = (char *)m->program->bases->outputs[o] +
             (walks->outputs[o].offset + point) *
                 (int64_t)clary_dtype_size(m->program->group->instr[i].dtype);
    m->value[i] = to;
    return to;
}

static const void *first_of(const clary__machine *m, int input) {
    const clary__operand *x = &m->program->group->inputs[input];
    return (const char *)m->program->bases->inputs[input] +
           x->offset * (int64_t)clary_dtype_size(x->dtype);
}

static void gather(clary__machine *m, const clary__walks *walks, int i, int64_t point, size_t n) {
    const clary__instr *in = &m->program->group->instr[i];
    const void *base = first_of(m, in->c), *at = m->value[in->a];
    if (clary__is_half(in->dtype)) {
        uint16_t halves[CLARY__STRIP];
        clary__gather_loop(halves, base, sizeof *halves, at, n);
        clary__widen(in->dtype, halves, n, (float *)slot_of(m, i));
    } else {
        clary__gather_loop(target(m, walks, i, point), base, clary_dtype_size(in->dtype), at, n);
    }
}

void clary__machine_run(clary__machine *m, const clary__walks *walks, int first, int last,
                        int64_t point, size_t n) {
    const clary__program *p = m->program;
    for (int i = first; i < last; i++) {
        const clary__instr *in = &p->group->instr[i];
        const void *x = p->arity[i] > 0 ? m->value[in->a] : NULL;
        const void *y = p->arity[i] > 1 ? m->value[in->b] : NULL;
        const void *z = p->arity[i] > 2 ? m->value[in->c] : NULL;
        switch ((clary__code)in->code) {
        case CLARY__I_LOAD:
            if (!p->constant[i]) load(m, &walks->inputs[in->a], i, point, n);
            break;
        case CLARY__I_INDEX:
            clary__walk_index(&walks->indices[in->a], point, n, (int64_t *)slot_of(m, i));
            break;
        case CLARY__I_CAST: p->loop[i].cast(target(m, walks, i, point), x, n); break;
        case CLARY__I_OP: p->loop[i].op(target(m, walks, i, point), x, y, z, n); break;
        case CLARY__I_CHECK:
            clary__check_loop(target(m, walks, i, point), x, y, z, n, in->op ? -1 : 0, point,
                              &m->fault);
            break;
        case CLARY__I_GATHER: gather(m, walks, i, point, n); break;
        case CLARY__I_SEARCH:
            p->loop[i].search(target(m, walks, i, point), x, y, first_of(m, in->c), n, in->op);
            break;
        case CLARY__I_SCALAR:
        case CLARY__I_RESULT: break;
        }
    }
}

void clary__machine_store(clary__machine *m, const clary__walks *walks, int64_t point, size_t n) {
    const clary__group *g = m->program->group;
    for (int o = 0; o < g->noutputs; o++) {
        const clary__walk *walk = &walks->outputs[o];
        int i = g->outputs[o].instr;
        clary_dtype t = g->instr[i].dtype;
        size_t size = clary_dtype_size(t);
        char *base = m->program->bases->outputs[o];
        char *here = base + (walk->offset + point) * (int64_t)size; /* if flat */
        const void *value = m->value[i];
        if (walk->flat && value == here) continue; /* computed there */
        if (clary__is_half(t)) {
            uint16_t halves[CLARY__STRIP];
            clary__narrow(t, value, n, walk->flat ? (uint16_t *)here : halves);
            if (!walk->flat) clary__walk_write(walk, base, size, point, n, halves);
        } else if (walk->flat) {
            memmove(here, value, n * size);
        } else {
            clary__walk_write(walk, base, size, point, n, value);
        }
    }
}

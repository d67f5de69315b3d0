/* plan.h - from values to groups. See plan.c. */
#ifndef CLARY_PLAN_H
#define CLARY_PLAN_H
#include "graph/group.h"
#include "graph/value.h"

#define CLARY__MAX_MAPS 48

/* A group under construction. Large: kept on the heap. */
typedef struct clary__plan {
    clary__group group;
    clary__layout iteration; /* shape before collapsing; the contiguous map of the roots */
    uint32_t serial;         /* of this group, for `touched` */
    clary__value *core;      /* the REDUCE, SCAN or PRODUCT computed here, or NULL; held */
    bool prologue;           /* emitting below the core */
    bool full;               /* does not fit one group: compute inputs first */
    bool core_twice;         /* the core is needed elsewhere too: compute it first */
    clary_status status;     /* of work done on the way */
    int nmaps, nmemo;
    clary__layout maps[CLARY__MAX_MAPS];
    struct {
        const clary__value *value;
        int map;
        uint16_t instr;
    } memo[CLARY__MAX_INSTR];
} clary__plan;

/* The first reduction or scan reached from v through element-wise nodes of v's size, not yet computed and
 * not over nothing: what a group that ends in v computes besides. NULL if there is none. */
clary__value *clary__plan_core(clary__value *v);

/* Plans one group that computes `roots`: values of one size without buffers. The core, if the
 * expression ends in a reduction or scan, is chosen here. Outputs are left to the caller: it adds
 * one operand per root with clary__plan_output, then calls clary__plan_finish. CLARY_OK with
 * plan->full set means that the group is too large. Called under the engine lock; may compute other
 * values on the way. */
clary_status clary__plan_roots(clary__plan *plan, clary__value *const *roots, int count,
                               uint16_t *instrs);

/* Plans the elements of `source` at every point of `shape` (for writing them to a region). */
clary_status clary__plan_source(clary__plan *plan, clary__value *source, int ndim,
                                const int64_t *shape, uint16_t *instr);

/* Adds an output; layout NULL: contiguous in the order of the roots. */
void clary__plan_output(clary__plan *plan, clary__buffer *buffer, clary_dtype dtype, uint16_t instr,
                        const clary__layout *layout);

/* Orders, drops and merges dims. */
void clary__plan_finish(clary__plan *plan);

/* Lets go of the inputs' buffers and of the core. */
void clary__plan_end(clary__plan *plan);

/* evaluate.c: gives one value a buffer. Under the engine lock. */
clary_status clary__compute(clary__value *v);

#endif

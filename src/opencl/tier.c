/* tier.c - which tier runs a group on a device that shares the host's memory.
 *
 * PoCL builds a kernel in about a quarter of a second, and the reference executor starts at once but takes
 * longer per point. The choice looks at structure, sizes and dtypes alone, so that the same call runs the
 * same way, and gives the same bits, every time.
 *
 * The price of a point is what the reference executor was measured to take, in units of about a quarter
 * of a nanosecond: a load or simple operation 1, a division or root 4, anything transcendental or on
 * complex numbers 40; a checked index 4, a gather 8, a search 100.
 */
#include "opencl/opencl.h"
#include <string.h>

/* About 2 ms: beyond that a kernel, once built and kept on disk, soon pays. */
#define LARGEST_PRICE ((int64_t)8 << 20)

static int price_of(const clary__instr *in) {
    clary_op_info info;
    int price = 1;
    switch ((clary__code)in->code) {
    case CLARY__I_CHECK: return 4;
    case CLARY__I_GATHER: return 8;
    case CLARY__I_SEARCH: return 100;
    case CLARY__I_LOAD:
    case CLARY__I_SCALAR:
    case CLARY__I_INDEX:
    case CLARY__I_RESULT: return 1;
    case CLARY__I_CAST:
    case CLARY__I_OP: break;
    }
    if (in->code == CLARY__I_OP && clary_get_op_info((clary_op)in->op, &info) == CLARY_OK) {
        if (info.ulp != 0 || in->op == CLARY_OP_philox_bits || in->op == CLARY_OP_random_below_of ||
            in->op == CLARY_OP_random_exponential_of || in->op == CLARY_OP_random_normal_of ||
            in->op == CLARY_OP_random_log_of || in->op == CLARY_OP_random_exp_of ||
            in->op == CLARY_OP_random_gamma_of)
            price = 40;
        else if (in->op == CLARY_OP_divide || in->op == CLARY_OP_sqrt ||
                 in->op == CLARY_OP_floor_divide || in->op == CLARY_OP_remainder)
            price = 4;
    }
    if (clary__is_complex((clary_dtype)in->in)) price *= 4;
    if (clary__is_half((clary_dtype)in->dtype) || clary__is_half((clary_dtype)in->in)) price += 4;
    return price;
}

bool clary__cl_prefers_host(const clary__group *g) {
    int64_t kept = 1, price = 0;
    if (g->pattern == CLARY__PRODUCT) { /* the host's loop is as fast, and needs no compiler */
        const char *engine = clary__env("CLARY_GEMM");
        return !engine || (strcmp(engine, "generic") != 0 && strcmp(engine, "clblast") != 0);
    }
    clary__jit mode = clary__jit_mode();
    if (mode != CLARY__JIT_AUTO) return mode == CLARY__JIT_NEVER;
    for (int d = 0; d < g->nkeep; d++) kept *= g->shape[d];
    int64_t outer = g->pattern == CLARY__REDUCE ? kept : g->points; /* points of the epilogue */
    for (int i = 0; i < g->ninstr; i++) {
        bool inner = g->pattern == CLARY__MAP || i < g->split;
        price += price_of(&g->instr[i]) * (inner ? g->points : outer);
        if (price > LARGEST_PRICE) return false;
    }
    return true;
}

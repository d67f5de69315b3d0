/* product.c - which engine multiplies matrices by kernels: CLBlast, where it is found, takes the operands
 * and the product is large, else the library's own kernel. $CLARY_GEMM=clblast asks for the first whatever
 * the size, =generic for the second. CLBlast stores the product; an epilogue then runs as a MAP. */
#include "graph/layout.h"
#include "opencl/product.h"
#include <string.h>

/* Its kernels are built in each process anew, in about a second. */
#define LEAST_PRODUCTS 1e10

static const char *reason_against(const clary__group *g) {
    const char *asked = clary__env("CLARY_GEMM");
    if (asked && strcmp(asked, "generic") == 0) return "CLARY_GEMM asks for it";
    const char *lacks = clary__cl_clblast_lacks(g);
    if (lacks) return lacks;
    bool small = (double)g->points * (double)g->product.inner < LEAST_PRODUCTS;
    return small && !(asked && strcmp(asked, "clblast") == 0) ? "a small product" : NULL;
}

/* Whether the group stores the product alone, in C order from a buffer's start. */
static bool is_bare(const clary__group *g) {
    int64_t strides[4];
    const clary__operand *o = &g->outputs[0];
    clary__contiguous_strides(4, g->shape, strides);
    return g->ninstr == 1 && g->noutputs == 1 && o->offset == 0 &&
           memcmp(o->strides, strides, sizeof strides) == 0;
}

static clary_status store_and_finish(clary_device *device, const clary__group *g) {
    clary__buffer *stored = NULL;
    clary__group *map = clary__malloc(sizeof *map);
    clary_status status = CLARY_OK;
    if (!map) status = clary__fail(CLARY_OUT_OF_MEMORY, "%s: no host memory", g->what);
    if (status == CLARY_OK)
        status = clary__buffer_new(device, (size_t)g->points * clary_dtype_size(g->reduce_dtype),
                                   &stored);
    if (status == CLARY_OK) status = clary__cl_clblast(device, g, stored);
    if (status == CLARY_OK) {
        clary__product_epilogue(g, stored, map);
        status = clary__codegen_run(device, map, clary__cl_launch);
    }
    if (stored) clary__buffer_release(stored);
    clary__dealloc(map);
    return status;
}

clary_status clary__cl_product(clary_device *device, const clary__group *g) {
    const char *reason = reason_against(g);
    if (clary__log_on("dispatch"))
        clary__log("dispatch", "%s of %lld x (%lld, %lld, %lld) %s: %s%s", g->what,
                   (long long)g->shape[0] * g->shape[1], (long long)g->shape[2],
                   (long long)g->product.inner, (long long)g->shape[3],
                   clary_dtype_name(g->product.dtype), reason ? "own kernel: " : "CLBlast",
                   reason ? reason : "");
    if (reason) return clary__codegen_run(device, g, clary__cl_launch);
    if (!is_bare(g)) return store_and_finish(device, g);
    return clary__cl_clblast(device, g, g->outputs[0].buffer);
}

/* product.h - engines of matrix products on OpenCL devices. */
#ifndef CLARY_OPENCL_PRODUCT_H
#define CLARY_OPENCL_PRODUCT_H
#include "opencl/opencl.h"

/* product.c: runs a PRODUCT group by kernels. */
clary_status clary__cl_product(clary_device *device, const clary__group *group);

/* clblast.c: why it cannot compute the product of a PRODUCT group; NULL: it can. */
const char *clary__cl_clblast_lacks(const clary__group *group);
/* Enqueues the product, without the epilogue: to `out`, in C order of the group's shape. */
clary_status clary__cl_clblast(clary_device *device, const clary__group *group, clary__buffer *out);

#endif

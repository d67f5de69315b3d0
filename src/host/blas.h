/* blas.h - matrix products by a BLAS that the machine has, on host memory. */
#ifndef CLARY_BLAS_H
#define CLARY_BLAS_H
#include "graph/group.h"

/* The engine for a PRODUCT on host memory, for clary__run_product: a BLAS for large float32, float64,
 * complex64 and complex128 products where one is found, else the reference executor's loops.
 * $CLARY_GEMM=host asks for the BLAS whatever the size, =reference for the loops; $CLARY_LOG=dispatch
 * tells which was taken and why. $CLARY_BLAS is the file name of the library to use. */
clary__product_fn *clary__host_product_engine(const clary__group *group);

#endif

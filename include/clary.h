/* clary.h - portable N-dimensional arrays on any OpenCL device, and without one.
 *
 *     clary_array *x = NULL, *y = NULL, *s = NULL;
 *     clary_scalar r;
 *     if (clary_linspace(NULL, CLARY_FLOAT64, 0, 3.14159265, 1000, true, &x) == CLARY_OK &&
 *         clary_sin(x, &y) == CLARY_OK &&
 *         clary_sum(y, 0, NULL, false, &s) == CLARY_OK &&
 *         clary_item(s, &r) == CLARY_OK)
 *         printf("%g\n", r.re);
 *     else
 *         fprintf(stderr, "%s\n", clary_last_error());
 *     clary_release(&x); clary_release(&y); clary_release(&s);
 *
 * Read the headers in this order: base (errors), dtype, device, array, ops, index, reduce, sort, manip,
 * linalg, random, io, engine.
 */
#ifndef CLARY_H
#define CLARY_H
#include "clary/base.h"
#include "clary/dtype.h"
#include "clary/device.h"
#include "clary/array.h"
#include "clary/ops.h"
#include "clary/index.h"
#include "clary/reduce.h"
#include "clary/sort.h"
#include "clary/manip.h"
#include "clary/linalg.h"
#include "clary/fft.h"
#include "clary/random.h"
#include "clary/io.h"
#include "clary/engine.h"
#include "clary/interop.h"
#endif
